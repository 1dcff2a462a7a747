# SPDX-License-Identifier: Apache-2.0
"""How long work on polynomials takes, about: by what transforms and products take on a device by themselves."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Mapping
from typing import NamedTuple

from .. import _core
from ..devices.contexts import device_name, engine_on
from ..parameters.parameters import Parameters

__all__ = ["estimated_seconds", "is_steady"]

#: A figure stands when so many readings are within this factor of the least; after so many readings it is given up.
_AGREE, _WITHIN, _MOST = 3, 1.2, 60
#: Of the wall's time a reading's thread had at least this part, or it was preempted, and says nothing.
_OWN = 0.9


class Figure(NamedTuple):
    """Seconds, the least of several readings; and whether these agree."""

    seconds: float
    steady: bool


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


def least_of(reading: Callable[[], float | None], before: float = math.inf) -> Figure:
    """The least of several readings, of which None is none, and of what was read before.

    One reading is worth nothing on a machine that does other work: the thread is preempted, or its core is slow.
    """
    found = [before] if before < math.inf else []
    for _ in range(_MOST):
        value = reading()
        if value is None:
            continue
        found.append(value)
        least = min(found)
        if sum(each <= _WITHIN * least for each in found) >= _AGREE:
            return Figure(least, True)
    return Figure(min(found, default=math.nan), False)


def thread_seconds(work: Callable[[], object]) -> float:
    """Processor time of this thread for some work."""
    began = time.thread_time_ns()
    work()
    return (time.thread_time_ns() - began) * 1e-9


def _undisturbed(work: Callable[[], float]) -> float | None:
    """What some work says of its time by the wall, if it had the processor meanwhile."""
    wall, own = time.perf_counter_ns(), time.thread_time_ns()
    told = work()
    own, wall = time.thread_time_ns() - own, time.perf_counter_ns() - wall
    return told if own >= _OWN * wall else None


def _measured(place: _Place, before: Units | None) -> Units:
    """Readings of some milliseconds; with the least of those before."""
    device, word, degree, moduli = place
    processor = device.startswith("cpu")
    engine = engine_on(device)
    bench = _core.TransformBench(engine, word, [moduli[0]], degree)
    repetitions = max(1, (1 << 18) // degree)
    bench.forward(repetitions)

    def transform() -> float:
        if processor:
            return thread_seconds(lambda: bench.forward(repetitions)) / repetitions
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
    return Units(first, least_of((lambda: _undisturbed(conversion)) if processor else conversion, known[1]), writing)


def _units(parameters: Parameters, device: str) -> Units:
    """Measured until readings agree, however often it is asked; then kept. A processor's are those of one core, by
    the time that the thread had."""
    name = device_name(device)
    if name.startswith("cpu"):
        name = "cpu:1" + name[name.index("/") :] if "/" in name else "cpu:1"
    moduli = (*parameters.moduli, *parameters.special_moduli)[:8]
    place = name, parameters.word, parameters.degree, moduli
    with _lock:  # one at a time: they would be in each other's way
        units = _known.get(place)
        if units is None or not units.steady:
            units = _known[place] = _measured(place, units)
            while len(_known) > _MOST_KNOWN:
                del _known[next(iter(_known))]
        return units


def is_steady(parameters: Parameters, device: str) -> bool:
    """Whether the readings behind `estimated_seconds` agree: otherwise the machine had too much else to do, and what
    is estimated may be too long."""
    return parameters.cyclotomic is not None or _units(parameters, device).steady


def estimated_seconds(parameters: Parameters, account: Mapping[str, tuple[int, ...]], device: str) -> float:
    """About how long the work of an account takes on one core, in processor time, without what memory and caches cost
    besides."""
    if parameters.cyclotomic is not None:
        return math.nan
    units = _units(parameters, device)
    return sum(
        transforms * units.transform.seconds + products * units.product.seconds + words * units.word
        for _, _, transforms, products, words in account.values()
    )
