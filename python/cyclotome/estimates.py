# SPDX-License-Identifier: Apache-2.0
"""How long work on polynomials takes, about: by what transforms and products take on a device by themselves."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache

from . import _core
from .contexts import engine_on
from .parameters import Parameters

__all__ = ["estimated_seconds"]


@lru_cache(maxsize=64)
def _unit_seconds(device: str, word: int, degree: int, moduli: tuple[int, ...]) -> tuple[float, float, float]:
    """Of a transform, of a product of residues, and of writing a residue, measured in some milliseconds."""
    engine = engine_on(device)
    bench = _core.TransformBench(engine, word, [moduli[0]], degree)
    repetitions = max(1, (1 << 19) // degree)
    bench.forward(repetitions)
    transform = bench.forward(repetitions) / repetitions
    half = max(1, len(moduli) // 2)
    sources, targets = list(moduli[:half]), list(moduli[half:])
    if not targets:
        return transform * 1e-9, 0.3e-9, word / 8 * 0.1e-9
    _core.conversion_nanoseconds(engine, word, degree, sources, targets, 2)
    conversion = _core.conversion_nanoseconds(engine, word, degree, sources, targets, 8)
    return transform * 1e-9, conversion / (degree * len(sources) * len(targets)) * 1e-9, word / 8 * 0.1e-9


def estimated_seconds(parameters: Parameters, account: Mapping[str, tuple[int, ...]], device: str) -> float:
    """About how long the work of an account takes on one core, without what memory and caches cost besides."""
    moduli = (*parameters.moduli, *parameters.special_moduli)[:8]
    if parameters.cyclotomic is not None:
        return math.nan
    transform, product, word = _unit_seconds(device, parameters.word, parameters.degree, moduli)
    return sum(
        transforms * transform + products * product + words * word
        for _, _, transforms, products, words in account.values()
    )
