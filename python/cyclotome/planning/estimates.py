# SPDX-License-Identifier: Apache-2.0
"""How long work that was asked for takes on a device, about.

On a processor each kind of it is done again, on as much memory, and timed; on other devices it is counted in transforms
and products, at what each takes there by itself.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from .. import _core
from ..devices.contexts import device_name, engine_on
from ..parameters.parameters import Parameters
from .readings import Figure, least_of

__all__ = ["TIMES", "Times", "estimated", "one_core"]


class Units(NamedTuple):
    """Of a transform, of a product of residues, and of writing a residue."""

    transform: Figure
    product: Figure
    word: float

    @property
    def steady(self) -> bool:
        """Whether all of it is."""
        return self.transform.steady and self.product.steady


_Place = tuple[str, int, int, tuple[int, ...]]
_lock = threading.Lock()
_known: dict[_Place, Units] = {}
_MOST_KNOWN = 256

#: Bytes of the operands of work that is done again: more than the caches of most processors hold.
_BYTES = 64 << 20
#: Seconds that readings take in all, for one estimate; and at most of one kind of work. What is left then is as much
#: longer than by a count as what was timed.
_BUDGET, _MOST_OF_ONE = 1.0, 0.25
#: A reading is at least so long, unless it would be of more runs than these.
_READING, _MOST_RUNS = 1e-4, 64
#: Of all work by a count, what need not be timed.
_REST = 0.02
#: Seconds of a butterfly, a product and a residue that is written, and of a call: for the order in which work is timed.
_COUNT = 0.25e-9, 0.3e-9, 0.3e-9, 2e-6


def one_core(device: str) -> str:
    """The device of which one core has a processor's time; others as they are."""
    name = device_name(device)
    if not name.startswith("cpu"):
        return name
    return "cpu:1" + name[name.index("/") :] if "/" in name else "cpu:1"


def _counted(asked: _core.AskedWork, degree: int) -> float:
    """Seconds by a count, which is good for an order."""
    transforms, products, words = asked.work
    butterfly, product, word, call = _COUNT
    butterflies = transforms * degree * math.log2(degree) / 2
    return asked.calls * call + butterflies * butterfly + products * product + words * word


@dataclass
class Times:
    """Seconds of one call of each kind of work, on the device of a name. For several threads."""

    known: dict[tuple[str, int], Figure] = field(default_factory=dict)
    most: int = 1 << 14
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def of(self, asked: _core.AskedWork, device: str, budget: float = math.inf) -> Figure | None:
        """Timed now, unless that is known and steady: one at a time, since they would be in each other's way.

        None, where readings would take more than the budget.
        """
        place = device, asked.digest
        with self._lock:
            before = self.known.get(place)
            if (before is not None and before.steady) or budget <= 0:
                return before
            found = _timed(asked, device, math.inf if before is None else before.seconds)
            if len(self.known) >= self.most:
                del self.known[next(iter(self.known))]
            self.known[place] = found
            return found


#: Of this process.
TIMES = Times()


def _timed(asked: _core.AskedWork, device: str, before: float) -> Figure:
    repeat = _core.Repeat(asked, engine_on(device), _BYTES)
    runs_a_call = repeat.times / asked.calls
    once = repeat.run(1) * 1e-9  # which also finds memory, and constants
    runs = max(1, min(_MOST_RUNS, int(_READING / max(once, 1e-9))))
    most = max(3, min(60, int(_MOST_OF_ONE / (once * runs + 1e-9))))
    reading = least_of(
        lambda: repeat.run(runs) * 1e-9 / runs,
        before / runs_a_call,
        agree=3 if once < _MOST_OF_ONE / 10 else 2,
        most=most,
    )
    return Figure(reading.seconds * runs_a_call, reading.steady)


def _of_processor(asked: Sequence[_core.AskedWork], degree: int, device: str, times: Times, budget: float) -> Figure:
    by_count = sorted(((_counted(each, degree), each) for each in asked), key=lambda pair: -pair[0])
    rest = sum(count for count, _ in by_count)
    least = _REST * rest
    seconds = counted = 0.0
    steady = True
    left = budget
    for count, each in by_count:
        if rest <= least:
            break
        if not each.repeatable:
            continue
        began = time.thread_time()
        figure = times.of(each, device, left)
        left -= time.thread_time() - began
        if figure is None:
            continue
        seconds += each.calls * figure.seconds
        counted += count
        rest -= count
        steady = steady and figure.steady
    factor = seconds / counted if counted > 0 else 1.0
    return Figure(seconds + rest * factor, steady)


def estimated(
    parameters: Parameters,
    asked: Sequence[_core.AskedWork],
    account: Mapping[str, tuple[int, ...]],
    device: str,
    times: Times = TIMES,
    budget: float = _BUDGET,
) -> Figure:
    """About how long work takes, without that of whoever asks for it: of a processor on one core, in processor time.
    And whether the readings behind it agree: otherwise the machine had too much else to do, and it may be too long.

    Args:
        asked: the work by its kinds, for processors.
        account: the work in all, for other devices.
        budget: seconds that readings may take, about.
    """
    name = one_core(device)
    if name.startswith("cpu"):
        return _of_processor(asked, parameters.degree, name, times, budget)
    if parameters.cyclotomic is not None:
        return Figure(math.nan, True)
    units = _units(parameters, name)
    seconds = sum(
        transforms * units.transform.seconds + products * units.product.seconds + words * units.word
        for _, _, transforms, products, words in account.values()
    )
    return Figure(seconds, units.steady)


def _measured(place: _Place, before: Units | None) -> Units:
    """Readings of some milliseconds; with the least of those before."""
    device, word, degree, moduli = place
    engine = engine_on(device)
    bench = _core.TransformBench(engine, word, [moduli[0]], degree)
    repetitions = max(1, (1 << 18) // degree)
    bench.forward(repetitions)

    def transform() -> float:
        return bench.forward(repetitions) * 1e-9 / repetitions

    known = (math.inf, math.inf) if before is None else (before.transform.seconds, before.product.seconds)
    first = least_of(transform, known[0])
    half = max(1, len(moduli) // 2)
    sources, targets = list(moduli[:half]), list(moduli[half:])
    writing = word / 8 * 0.1e-9
    if not targets:
        return Units(first, Figure(0.3e-9, True), writing)
    residues = degree * len(sources) * len(targets)

    def conversion() -> float:
        return _core.conversion_nanoseconds(engine, word, degree, sources, targets, 8) * 1e-9 / residues

    conversion()
    return Units(first, least_of(conversion, known[1]), writing)


def _units(parameters: Parameters, name: str) -> Units:
    """Measured until readings agree, however often it is asked; then kept."""
    moduli = (*parameters.moduli, *parameters.special_moduli)[:8]
    place = name, parameters.word, parameters.degree, moduli
    with _lock:  # one at a time: they would be in each other's way
        units = _known.get(place)
        if units is None or not units.steady:
            units = _known[place] = _measured(place, units)
            while len(_known) > _MOST_KNOWN:
                del _known[next(iter(_known))]
        return units
