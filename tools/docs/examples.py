# SPDX-License-Identifier: Apache-2.0
"""For mkdocstrings: a docstring's "Example:" is a section of examples, whose prompts are code and not quotations."""

from __future__ import annotations

import re
from typing import Any

import griffe

__all__ = ["Examples"]


class Examples(griffe.Extension):
    """Reads "Example:" as Griffe reads "Examples:"."""

    def on_object(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        """Called for each module, class, function and attribute that was read."""
        if obj.docstring is not None:
            obj.docstring.value = re.sub(r"^Example:$", "Examples:", obj.docstring.value, flags=re.MULTILINE)
