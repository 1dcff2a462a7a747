# SPDX-License-Identifier: Apache-2.0
"""Progress of long work, for whoever wants to draw it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

__all__ = ["Callback", "Task", "current_callback", "progress"]

#: Called as ``callback(done, total, what)`` from the thread that works, with ``0 <= done <= total``: at the beginning,
#: after every step and at the end. What it raises ends the work.
Callback = Callable[[int, int, str], None]

_callback: ContextVar[Callback | None] = ContextVar("cyclotome_progress", default=None)


@contextmanager
def progress(callback: Callback | None) -> Iterator[None]:
    """Within this context, long operations of this thread or task report to ``callback(done, total, what)``.

    None silences them. An operation's own ``progress=`` argument goes before it.

    Example:
        >>> import cyclotome as cy
        >>> steps = []
        >>> with cy.progress(lambda done, total, what: steps.append((done, total, what))):
        ...     keys = cy.keygen(cy.Parameters.suggest(depth=0, value_bits=8), rotations=[1])
        >>> steps[-1]
        (4, 4, 'generating keys')
    """
    token = _callback.set(callback)
    try:
        yield
    finally:
        _callback.reset(token)


def current_callback() -> Callback | None:
    """What long operations of this thread or task report to."""
    return _callback.get()


class Task:
    """One long operation of ``total`` steps."""

    def __init__(self, what: str, total: int, callback: Callback | None = None) -> None:
        self._what, self._total, self._done = what, total, 0
        self._callback = callback if callback is not None else _callback.get()
        self.advance(0)

    def advance(self, steps: int = 1) -> None:
        """Reports ``steps`` more."""
        self._done += steps
        if self._callback is not None:
            self._callback(self._done, self._total, self._what)
