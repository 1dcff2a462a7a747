# SPDX-License-Identifier: Apache-2.0
"""How long it takes to ask for work: Python, and what the library does around ciphertexts, encoding of public values
included."""

from __future__ import annotations

import functools
import math
import time
from collections.abc import Callable, Sequence
from typing import Any

from .. import _core
from ..options import progress

__all__ = ["Clock"]

#: Of the time of the work itself that of asking for it which is looked at more closely: so often at most, and so long.
_NOTICED, _MOST, _SECONDS = 0.05, 5, 0.1


class Clock:
    """Processor time of this thread in a computation on an engine that keeps account, but for the account: of several
    runs the least, since some of it is found out once and kept."""

    def __init__(self, compute: Any) -> None:
        self._seconds = math.inf
        self._last = 0.0
        self.compute: Callable[..., object] = compute
        if not callable(compute):
            return  # which whoever runs it refuses

        @functools.wraps(compute)
        def timed(*arguments: Any) -> object:
            began = time.thread_time()
            results = compute(*arguments)
            self._last = time.thread_time() - began
            return results

        self.compute = timed

    def note(self, engine: _core.DryEngine) -> None:
        """Of the run that just ended."""
        self._seconds = min(self._seconds, max(0.0, self._last - engine.own_seconds))

    def least(
        self, engine: _core.DryEngine, known: _core.PlaintextMemory, arguments: Sequence[Any], work: float
    ) -> float:
        """Seconds of a run, after some more if that matters beside those of the work itself.

        Args:
            known: by the engine of public values, which are encoded each time where work is done.
        """
        runs = 0
        began = time.thread_time()
        while runs < _MOST and self._seconds > _NOTICED * work and time.thread_time() - began < _SECONDS:
            known.clear()
            engine.reset()
            with progress(None):
                self.compute(*arguments)
            self.note(engine)
            runs += 1
        return self._seconds
