# SPDX-License-Identifier: Apache-2.0
"""Values combined as they come in, in a tree whose shape depends on how many there are only; and how far that is."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sized
from concurrent.futures import CancelledError, Future
from typing import Any

from ..errors import BusyError
from ..options import current

__all__ = ["Progress", "combined", "result_of"]

#: Values that are combined at a time: more send less and wait longer.
_FAN = 8


class Progress:
    """Tells how many batches are done, of those that there are, or, where nobody knows, of those taken so far. Whom it
    tells is whoever has begun it."""

    def __init__(self, what: str, batches: Iterable[Any]) -> None:
        self._what, self._callback = what, current.get().progress
        self._total = len(batches) if isinstance(batches, Sized) else 0
        self._taken = self._done = 0
        self._tell()

    def taken(self) -> None:
        """Another batch was taken."""
        self._taken += 1
        self._total = max(self._total, self._taken)

    def done(self) -> None:
        """Another one is done."""
        self._done += 1
        self._tell()

    def _tell(self) -> None:
        if self._callback is not None:
            self._callback(self._done, self._total, self._what)


def result_of(task: Future[Any]) -> Any:
    """A task's result. Raises BusyError where it was cancelled."""
    try:
        return task.result()
    except CancelledError:
        raise BusyError("the pool was closed, and the task cancelled") from None


def combined(
    leaves: Iterator[Future[Any]], fold: Callable[[tuple[Any, ...]], Future[Any]], window: int, told: Progress
) -> Any:
    """What a fold of groups of neighbours, and of what these gave, makes of all leaves.

    Args:
        leaves: in their order, taken as they are needed.
        fold: of two to eight values in their order.
        window: leaves that are being computed at a time.
        told: of each leaf.
    """
    waiting: deque[Future[Any]] = deque()
    levels: list[list[Future[Any]]] = []

    def push(level: int, value: Future[Any]) -> None:
        if level == len(levels):
            levels.append([])
        levels[level].append(value)
        if len(levels[level]) == _FAN:
            parts = tuple(result_of(each) for each in levels[level])
            levels[level] = []
            push(level + 1, fold(parts))

    def pushed() -> None:
        result_of(waiting[0])
        told.done()
        push(0, waiting.popleft())

    try:
        for leaf in leaves:
            told.taken()
            waiting.append(leaf)
            while len(waiting) > window:
                pushed()
        while waiting:
            pushed()
        last: list[Future[Any]] = []
        for level in levels:  # what is left of each stands before what is left of those below it
            values = [*level, *last]
            last = values if len(values) < 2 else [fold(tuple(result_of(each) for each in values))]
        return result_of(last[0])
    finally:
        for task in (*waiting, *(each for level in levels for each in level)):
            task.cancel()
