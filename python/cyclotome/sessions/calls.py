# SPDX-License-Identifier: Apache-2.0
"""A call of a server's function as the thread that works on it sees it: whether anybody waits for it, and since when
its time counts."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import Context, ContextVar
from typing import Any

from .. import _core
from ..errors import BusyError, TimeLimitError

__all__ = ["Stopped", "attended", "began", "go_on", "in_this_thread"]


class Stopped(BaseException):
    """Ends a call for which nobody waits any more. No `Exception`, so that a function does not take it for one that it
    expects."""


def _nothing() -> None:
    """Of a thread that nobody watches."""


_check: ContextVar[Callable[[], None]] = ContextVar("cyclotome_call_check", default=_nothing)
_told: ContextVar[Callable[[], None]] = ContextVar("cyclotome_call_told", default=_nothing)


def attended(work: Callable[[Any], Any], message: Any, check: Callable[[], None], told: Callable[[], None]) -> Any:
    """``work(message)``, in a context of its own: no option that one call sets holds in the next one on this thread.

    Args:
        work, message: what is done.
        check: raises `Stopped` where it shall not go on; asked by the library's calls, about ten times a second.
        told: is called by `began`.
    """

    def inner() -> Any:
        _check.set(check)
        _told.set(told)
        with _asked(check):
            return work(message)

    return Context().run(inner)


@contextmanager
def _asked(check: Callable[[], None]) -> Iterator[None]:
    before = _core.set_thread_check(check)
    try:
        yield
    finally:
        _core.set_thread_check(before)


def began() -> None:
    """The call's time counts from now on: until now it waited for its turn."""
    _told.get()()


def go_on() -> None:
    """For whoever waits within a call. Raises `Stopped` where nobody waits for the call any more."""
    _check.get()()


def in_this_thread(
    work: Callable[[Any], Any], message: Any, seconds: float, gone: Callable[[], bool] | None = None
) -> Any:
    """``work(message)`` here, ended where it asks this library for something.

    Raises:
        TimeLimitError: it took longer than these seconds, counted from `began` on if it says so.
        BusyError: it is gone.
    """
    since = [time.monotonic()]

    def check() -> None:
        if time.monotonic() - since[0] > seconds or (gone is not None and gone()):
            raise Stopped

    def told() -> None:
        since[0] = time.monotonic()

    try:
        return attended(work, message, check, told)
    except Stopped:
        if gone is not None and gone():
            raise BusyError("nobody waits for the answer any more") from None
        raise TimeLimitError(f"the job took more than the {seconds:g} s that one may take, and was ended") from None
