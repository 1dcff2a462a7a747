# SPDX-License-Identifier: Apache-2.0
"""Timing several contestants in alternation, so that whatever else the machine does slows all of them alike."""

from __future__ import annotations

import gc
import math
import statistics
import time
from collections.abc import Callable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from cyclotome.contexts import engine_on
from cyclotome.errors import ArgumentError

__all__ = ["Budget", "SelfTimed", "Timing", "alternate", "awaited", "cell_seconds", "clock_note", "clock_of", "quiet"]


@runtime_checkable
class SelfTimed(Protocol):
    """An action that runs elsewhere and tells what it took there, so that asking for it does not count."""

    def run(self, loops: int, own_time: bool) -> int:
        """Nanoseconds for `loops` runs: by the clock on the wall, or of the processor if `own_time`."""


@dataclass(frozen=True)
class Budget:
    """How long to measure one cell: rounds go on until `seconds` are spent, within the two numbers of rounds."""

    seconds: float = 0.5
    fewest: int = 3
    most: int = 60
    #: A sample repeats a fast action until it takes this long, so that the clock's reading does not count.
    sample_seconds: float = 1e-3
    #: Nanoseconds. `time.thread_time_ns` where one thread does all: what else runs on the machine costs nothing then.
    clock: Callable[[], int] = time.perf_counter_ns


def cell_seconds(seconds: float | None, usual: float) -> float:
    """The seconds that are asked for each cell; None: those that are usual for the plan.

    Raises:
        ArgumentError: seconds that are not positive.
    """
    if seconds is None:
        return usual
    if seconds <= 0:
        raise ArgumentError(f"{seconds} seconds for a cell: take a positive number")
    return seconds


@dataclass
class Timing:
    """Samples of one contestant, in microseconds for one run, and what its last run returned."""

    samples: list[float] = field(default_factory=list)
    result: Any = None

    @property
    def median(self) -> float:
        return statistics.median(self.samples)

    @property
    def least(self) -> float:
        return min(self.samples)

    @property
    def most(self) -> float:
        return max(self.samples)


def awaited(action: Callable[[], Any], device: str) -> Callable[[], Any]:
    """The action, which ends when its device has computed what it asked for; on cores it does anyway."""
    if device.startswith("cpu"):
        return action
    engine = engine_on(device)

    def run() -> Any:
        result = action()
        engine.synchronize()
        return result

    return run


def clock_of(device: str) -> Callable[[], int]:
    """What times one thread: the time that it computed, or on a device the clock on the wall."""
    return time.thread_time_ns if device == "cpu:1" else time.perf_counter_ns


def clock_note(device: str) -> str:
    """What a table says of its times."""
    return "CPU time of one thread" if device == "cpu:1" else f"{device}: one call and the wait for it"


@contextmanager
def quiet() -> Any:
    """No garbage collection of Python's while it lasts."""
    gc.collect()
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def alternate(actions: Sequence[Callable[[], Any] | SelfTimed], budget: Budget) -> list[Timing]:
    """Runs the actions in turn, one sample each a round, after a warm-up of each; returns a Timing for each.

    Every other round goes through them in reverse order, so that none always follows the same one.
    """
    timings = [Timing() for _ in actions]
    with quiet():
        loops = [_loops(action, budget.sample_seconds) for action in actions]
        start = time.perf_counter()
        for done in range(budget.most):
            if done >= budget.fewest and time.perf_counter() - start >= budget.seconds:
                break
            order = range(len(actions)) if done % 2 == 0 else reversed(range(len(actions)))
            for i in order:
                _sample(actions[i], loops[i], timings[i], budget.clock)
    return timings


def _loops(action: Callable[[], Any] | SelfTimed, seconds: float) -> int:
    """Warms up, and tells how many runs fill a sample."""
    duration = _timed(action)
    if duration < 0.25:  # the first run also paid for what is made only once
        duration = _timed(action)
    return min(10_000, max(1, math.ceil(seconds / max(duration, 1e-9))))


def _timed(action: Callable[[], Any] | SelfTimed) -> float:
    if isinstance(action, SelfTimed):
        return action.run(1, own_time=False) / 1e9
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def _sample(action: Callable[[], Any] | SelfTimed, loops: int, timing: Timing, clock: Callable[[], int]) -> None:
    if isinstance(action, SelfTimed):
        timing.samples.append(action.run(loops, own_time=clock is time.thread_time_ns) / loops / 1000)
        return
    timing.result = None  # memory of the result before goes back to its pool, as in a user's loop
    result = None
    start = clock()
    for _ in range(loops):
        result = action()
    timing.samples.append((clock() - start) / loops / 1000)
    timing.result = result
