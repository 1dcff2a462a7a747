# SPDX-License-Identifier: Apache-2.0
"""Erratum 001-5: paper 001, Algorithm 4, lines 9 and 10 as printed do not divide by the special prime."""

from __future__ import annotations

import math

import numpy as np
import pytest
from cyclotome import _core
from cyclotome._core import testing
from oracles.integers import Integers, decompose, random_below, round_half_up, some_primes
from residues import call, on, put, ring_of


def printed(x: Integers, q: int, special: int) -> Integers:
    """t0 = [c^(r-1) floor(q_(r-1)/2)]_q: a product instead of a sum, not reduced modulo the special prime first."""
    t0 = (x % special) * (special // 2) % q
    return (x % q - t0 + special // 2) * pow(special, -1, q) % q


def unreduced(x: Integers, q: int, special: int) -> Integers:
    """The sum, but without the inner reduction modulo the special prime."""
    t0 = (x % special + special // 2) % q
    return (x % q - t0 + special // 2) * pow(special, -1, q) % q


@pytest.mark.parametrize(("word", "bits"), [(32, 30), (64, 60)])
def test_001_5_dropping_the_special_prime(rng: np.random.Generator, word: int, bits: int) -> None:
    engine = _core.CpuEngine(1)
    special, *moduli = some_primes(bits, 1 << 13, 4)
    q, p = ring_of(word, 512, moduli), ring_of(word, 512, [special])
    x = random_below(rng, math.prod(moduli) * special, 512)
    kept, dropped = put(engine, q, decompose(x, moduli)), put(engine, p, decompose(x, [special]))
    result = call(on(engine).divide_and_round, q, (1, 1), kept, dropped, testing.DivideAndRound(q, p))
    for limb, modulus in enumerate(moduli):
        rounded = round_half_up(x, special) % modulus
        assert np.array_equal(result[0, 0, limb], rounded.astype(np.uint64))
        assert np.count_nonzero(printed(x, modulus, special) == rounded) < 3
        assert 150 < np.count_nonzero(unreduced(x, modulus, special) == rounded) < 360  # right for one half of them
