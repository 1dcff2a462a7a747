# SPDX-License-Identifier: Apache-2.0
"""Timing several contestants in alternation, by the processor time of the thread that computes wherever one does.

A clock on the wall counts the turns of whoever else runs: at a load of 22 on two cores it made a ratio of 35 out of
7.4.
"""

from __future__ import annotations

import gc
import math
import statistics
import time
from collections.abc import Callable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, Protocol, runtime_checkable

from cyclotome.devices.contexts import engine_on
from cyclotome.errors import ArgumentError

from cyclotome_bench.kinds import Kind

__all__ = [
    "Budget",
    "Clock",
    "SelfTimed",
    "Timing",
    "alternate",
    "awaited",
    "beside",
    "cell_seconds",
    "clock_note",
    "clock_of",
    "kind_on",
    "quiet",
]


class Clock(Enum):
    """What times a cell."""

    #: The time that the calling thread computed: what else runs on the machine takes no part of it.
    THREAD = "thread"
    #: The time that all threads of this process computed, together.
    PROCESS = "process"
    #: What a caller waits: for work of several threads or processes, and for devices.
    WALL = "wall"

    def now(self) -> int:
        """Nanoseconds since some moment."""
        return _NOW[self]()

    @property
    def kind(self) -> Kind:
        """The kind of figure that it makes, unless a device's latency or throughput is what it times."""
        return Kind.WALL if self is Clock.WALL else Kind.MEASURED

    @property
    def note(self) -> str:
        """What a table says of times by it."""
        return _NOTES[self]


_NOW = {Clock.THREAD: time.thread_time_ns, Clock.PROCESS: time.process_time_ns, Clock.WALL: time.perf_counter_ns}
_NOTES = {
    Clock.THREAD: "CPU time of one thread",
    Clock.PROCESS: "CPU time of all threads together",
    Clock.WALL: "wall clock",
}


@runtime_checkable
class SelfTimed(Protocol):
    """An action that runs elsewhere and tells what it took there, so that asking for it does not count."""

    def run(self, loops: int, own_time: bool) -> int:
        """Nanoseconds for `loops` runs: by the clock on the wall, or of the thread that computes if `own_time`."""


@dataclass(frozen=True)
class Budget:
    """How long to measure one cell: rounds go on until `seconds` of the wall's are spent, within the two numbers of
    rounds."""

    seconds: float = 0.5
    fewest: int = 3
    most: int = 60
    #: A sample repeats a fast action until it takes this long, so that the clock's reading does not count.
    sample_seconds: float = 1e-3
    #: What times a sample; the thread's own unless several threads, or a device, do the work.
    clock: Clock = Clock.THREAD


#: Samples of each side of a ratio, at least.
_BESIDE = 5


def beside(budget: Budget) -> Budget:
    """The budget of a cell whose ratio to another contestant is wanted."""
    fewest = max(budget.fewest, min(_BESIDE, budget.most))
    return replace(budget, fewest=fewest)


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
    """Samples of one contestant, in microseconds for one run, what its last run returned, and what timed it."""

    samples: list[float] = field(default_factory=list)
    result: Any = None
    clock: Clock = Clock.THREAD

    @property
    def median(self) -> float:
        return statistics.median(self.samples)

    @property
    def least(self) -> float:
        return min(self.samples)

    @property
    def most(self) -> float:
        return max(self.samples)

    def percentile(self, percent: int) -> float:
        """Between samples, linearly: 0 is the least, 100 the most."""
        ordered = sorted(self.samples)
        place = percent / 100 * (len(ordered) - 1)
        low = min(int(place), len(ordered) - 1)
        high = min(low + 1, len(ordered) - 1)
        return ordered[low] + (place - low) * (ordered[high] - ordered[low])


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


def clock_of(device: str) -> Clock:
    """What times work on a device: one thread's own time, or the clock on the wall."""
    return Clock.THREAD if device == "cpu:1" else Clock.WALL


def kind_on(device: str) -> Kind | None:
    """The kind of what `clock_of` times of one call and the wait for it; None: what the clock says."""
    return Kind.LATENCY if device.startswith("cuda") else None


def clock_note(device: str) -> str:
    """What a table says of its times."""
    if device.startswith("cpu"):
        return clock_of(device).note + ("" if device == "cpu:1" else f", {device}")
    return f"{device}: latency, one call and the wait for it"


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
    timings = [Timing(clock=budget.clock) for _ in actions]
    with quiet():
        loops = [_loops(action, budget) for action in actions]
        start = time.perf_counter()
        for done in range(budget.most):
            if done >= budget.fewest and time.perf_counter() - start >= budget.seconds:
                break
            order = range(len(actions)) if done % 2 == 0 else reversed(range(len(actions)))
            for i in order:
                _sample(actions[i], loops[i], timings[i], budget.clock)
    return timings


def _loops(action: Callable[[], Any] | SelfTimed, budget: Budget) -> int:
    """Warms up, and tells how many runs fill a sample."""
    duration = _timed(action, budget.clock)
    if duration < 0.25:  # the first run also paid for what is made only once
        duration = _timed(action, budget.clock)
    return min(10_000, max(1, math.ceil(budget.sample_seconds / max(duration, 1e-9))))


def _timed(action: Callable[[], Any] | SelfTimed, clock: Clock) -> float:
    if isinstance(action, SelfTimed):
        return action.run(1, own_time=clock is not Clock.WALL) / 1e9
    start = clock.now()
    action()
    return (clock.now() - start) / 1e9


def _sample(action: Callable[[], Any] | SelfTimed, loops: int, timing: Timing, clock: Clock) -> None:
    if isinstance(action, SelfTimed):
        timing.samples.append(action.run(loops, own_time=clock is not Clock.WALL) / loops / 1000)
        return
    timing.result = None  # memory of the result before goes back to its pool, as in a user's loop
    result = None
    start = clock.now()
    for _ in range(loops):
        result = action()
    timing.samples.append((clock.now() - start) / loops / 1000)
    timing.result = result
