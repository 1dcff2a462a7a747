# SPDX-License-Identifier: Apache-2.0
"""What jobs take: by their plans, corrected by what jobs really took."""

from __future__ import annotations

import math
import threading
from collections import OrderedDict, deque
from statistics import median
from typing import Any, NamedTuple

__all__ = ["Costs", "Needs"]

#: Plans that are kept; jobs of a function that are remembered; how many of them say something; seconds below which a
#: job's time is more that of calling than of computing; how far a plan is corrected at most.
_MOST_PLANS, _MOST_JOBS, _FEWEST_JOBS, _SHORTEST, _FURTHEST = 256, 32, 3, 0.01, 16.0


class Needs(NamedTuple):
    """What a call takes by its plan; None: nobody knows."""

    seconds: float | None
    nbytes: int | None
    #: Whether the machine's speed was known when it was planned.
    steady: bool


class Costs:
    """Plans by what they depend on, and what jobs took. For several threads.

    A correction makes an estimate shorter and never longer: what a plan allows runs, and is ended if it takes too long
    (`Quotas.seconds`); what a plan refuses may be right work all the same.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._plans: OrderedDict[Any, Needs] = OrderedDict()
        #: The least that a job of this plan took; what jobs of a function took, of what they were planned at.
        self._least: dict[Any, float] = {}
        self._ratios: dict[str, deque[float]] = {}

    def plan(self, what: Any) -> Needs | None:
        """The plan that is kept of this job."""
        with self._lock:
            if what in self._plans:
                self._plans.move_to_end(what)
            return self._plans.get(what)

    def keep(self, what: Any, needs: Needs) -> None:
        """Keeps a plan; those asked for longest ago make room."""
        with self._lock:
            self._plans[what] = needs
            if len(self._plans) > _MOST_PLANS:
                self._least.pop(self._plans.popitem(last=False)[0], None)

    def took(self, what: Any, function: str, planned: float | None, seconds: float) -> None:
        """A job took so much processor time, or, where that is not known, no more than this."""
        if planned is None or not planned > 0:
            return
        with self._lock:
            if what in self._plans:
                self._least[what] = min(seconds, self._least.get(what, math.inf))
            if max(seconds, planned) >= _SHORTEST:
                self._ratios.setdefault(function, deque(maxlen=_MOST_JOBS)).append(seconds / planned)

    def expected(self, what: Any, function: str, planned: float) -> float:
        """Seconds that a job will take, about."""
        with self._lock:
            ratios = self._ratios.get(function, ())
            usual = median(ratios) if len(ratios) >= _FEWEST_JOBS else 1.0
            return min(planned * min(1.0, max(usual, 1 / _FURTHEST)), self._least.get(what, math.inf))
