# SPDX-License-Identifier: Apache-2.0
"""Work for several devices at once: a thread for each, which computes with the options of the calling one."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextvars import copy_context
from typing import TYPE_CHECKING, TypeVar

from ..options import current

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

__all__ = ["at_once"]

_T = TypeVar("_T")


class _Threads:
    """Threads that last: to start some for every operation takes as long as many an operation. As many as there is work
    at once, so that work may ask for more work to be done at once."""

    def __init__(self) -> None:
        self._made: ThreadPoolExecutor | None = None
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._forget)  # a fork has none of them

    def _forget(self) -> None:
        self._made = None

    def submit(self, work: Callable[[], _T]) -> Future[_T]:
        if self._made is None:
            from concurrent.futures import ThreadPoolExecutor

            self._made = ThreadPoolExecutor(max_workers=4096, thread_name_prefix="cyclotome-shard")
        return self._made.submit(copy_context().run, current.carried(work))


_threads = _Threads()


def at_once(works: Sequence[Callable[[], _T]]) -> list[_T]:
    """What they return, the first run by the calling thread, each other one in a thread of its own; the first error is
    raised when all have ended."""
    first, *others = works
    if not others:
        return [first()]
    from concurrent.futures import wait  # and logging with it: not for whoever has one device

    futures = [_threads.submit(work) for work in others]
    try:
        results = [first()]
    finally:
        wait(futures)
    return [*results, *(future.result() for future in futures)]
