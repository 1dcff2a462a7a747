# SPDX-License-Identifier: Apache-2.0
"""For mkdocstrings: docstrings as this project writes them, in the words that Griffe reads."""

from __future__ import annotations

import re
from typing import Any

import griffe

__all__ = ["Docstrings", "readable"]

_RAISES = re.compile(r"^Raises:\n(?:    .*\n?|\n(?=    ))+", re.MULTILINE)
_BARE = re.compile(r"^    (?=\S)(?![\w.]+(?:, [\w.]+)*:)", re.MULTILINE)


def readable(text: str) -> str:
    """A docstring with "Example:" as a section of examples, whose prompts are code and not quotations, and with a class
    before what is raised without one ("whatever the computation raises")."""
    text = re.sub(r"^Example:$", "Examples:", text, flags=re.MULTILINE)
    return _RAISES.sub(lambda section: _BARE.sub("    CyclotomeError: ", section[0]), text)


class Docstrings(griffe.Extension):
    """Makes every docstring `readable`."""

    def on_object(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        """Called for each module, class, function and attribute that was read."""
        if obj.docstring is not None:
            obj.docstring.value = readable(obj.docstring.value)
