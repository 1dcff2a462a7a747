# SPDX-License-Identifier: Apache-2.0
"""Where and when a computation refreshes, told by its progress while it is planned."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from ..options import Callback, current, progress

__all__ = ["PlannedRefresh", "refreshes_of"]

_PACKAGE = str(Path(__file__).resolve().parents[1])
_WHAT = "refreshing"


@dataclass(frozen=True)
class PlannedRefresh:
    """Arrays that are refreshed, alone or for an operation."""

    #: The operation whose result would have no room; "refreshed" where the computation asked for it.
    operation: str
    #: How many ciphertexts, those of every plaintext modulus counted.
    ciphertexts: int
    #: The line of the computation, as "file.py:12"; "" where that is not known.
    line: str


def _line() -> str:
    """Of the innermost caller that is no part of this package."""
    frame: FrameType | None = inspect.currentframe()
    while frame is not None:
        file = frame.f_code.co_filename
        if not file.startswith((_PACKAGE, "<")) and "contextlib" not in file:
            return f"{Path(file).name}:{frame.f_lineno}"
        frame = frame.f_back
    return ""


@contextmanager
def refreshes_of() -> Iterator[list[PlannedRefresh]]:
    """A list that fills with what is refreshed within; whoever is told of progress is told as before."""
    found: list[PlannedRefresh] = []
    before: Callback | None = current.get().progress

    def told(done: int, total: int, what: str) -> None:
        if done == 0 and what.startswith(_WHAT):
            operation = what[len(_WHAT) :].removeprefix(" for ") or "refreshed"
            found.append(PlannedRefresh(operation, total, _line()))
        if before is not None:
            before(done, total, what)

    with progress(told):
        yield found
