# SPDX-License-Identifier: Apache-2.0
"""Progress of long work that is done in Python, for whoever wants to draw it."""

from __future__ import annotations

from .options import Callback, current

__all__ = ["Task"]


class Task:
    """One long operation of ``total`` steps."""

    def __init__(self, what: str, total: int, callback: Callback | None = None) -> None:
        self._what, self._total, self._done = what, total, 0
        self._callback = callback if callback is not None else current.get().progress
        self.advance(0)

    def advance(self, steps: int = 1) -> None:
        """Reports ``steps`` more."""
        self._done += steps
        if self._callback is not None:
            self._callback(self._done, self._total, self._what)
