# SPDX-License-Identifier: Apache-2.0
"""Pickles and copies are files: what can be stored says so where it is declared, and the module that knows files is
loaded when the first one is pickled."""

from __future__ import annotations

import copyreg
from importlib import import_module
from typing import Any, TypeVar

__all__ = ["is_pickled_as_file", "pickled_as_file"]

_C = TypeVar("_C", bound=type)


def pickled_as_file(kind: _C) -> _C:
    """A class whose objects are pickled and copied by `files.reduced`."""
    copyreg.pickle(kind, _reduced)
    return kind


def is_pickled_as_file(kind: type) -> bool:
    """Whether it is such a class."""
    return copyreg.dispatch_table.get(kind) is _reduced


def _reduced(obj: Any) -> tuple[Any, ...]:
    made: tuple[Any, ...] = import_module(f"{__package__}.files").reduced(obj)
    return made
