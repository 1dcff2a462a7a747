# SPDX-License-Identifier: Apache-2.0
"""Division with rounding by special primes, its numerator, and the division that preserves a plaintext."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from cyclotome import _core
from cyclotome._core import testing
from cyclotome.errors import ArgumentError, ParameterError
from oracles.integers import Integers, centred, compose, decompose, random_below, round_half_up, some_primes
from residues import TRANSFORM, call, on, put, ring_of, transform_primes

WORD = pytest.mark.parametrize("word", [32, 64])
TOP_BITS = {32: 31, 64: 61}


@pytest.fixture
def engine(each_engine: Any) -> Any:
    return each_engine


def rings(word: int, degree: int, kept: int, dropped: list[int]) -> tuple[Any, Any]:
    """q and P: the widest moduli, which need no transform."""
    return ring_of(word, degree, some_primes(TOP_BITS[word], 1, kept, skip=20)), ring_of(word, degree, dropped)


def divide(engine: Any, q: Any, p: Any, step: Any, x: Integers) -> Integers:
    """The composite on x[batch][part][coefficient], and its result as integers modulo q."""
    kept = put(engine, q, decompose(x, q.basis.moduli))
    dropped = put(engine, p, decompose(x, p.basis.moduli))
    return compose(call(on(engine).divide_and_round, q, kept.shape[:2], kept, dropped, step), q.basis.moduli)


@WORD
@pytest.mark.parametrize("kept", [1, 4])
@pytest.mark.parametrize("special", [1, 2, 5])
@pytest.mark.parametrize("numerator", [1, 65537, (1 << 64) - 1])
def test_001_5_division_with_rounding(
    engine: Any, rng: np.random.Generator, word: int, kept: int, special: int, numerator: int
) -> None:
    """round(f x / P), for one special prime and for several."""
    q, p = rings(word, 128, kept, some_primes(TOP_BITS[word], 1, special))
    q_product, p_product = math.prod(q.basis.moduli), math.prod(p.basis.moduli)
    x = random_below(rng, q_product * p_product, (2, 2, 128))
    x[0, 0, :4] = [0, 1, q_product * p_product - 1, p_product]
    # As close to a half as the centred conversion is exact: 2^-24 of a unit away for several primes, at once for one.
    gap = 1 if special == 1 else p_product >> 24
    halves = [p_product // 2 + gap, p_product // 2 - gap, 3 * p_product // 2 + gap, 3 * p_product // 2 - gap]
    x[0, 0, 4:8] = [half * pow(numerator, -1, p_product) % p_product for half in halves]
    step = testing.DivideAndRound(q, p, numerator=numerator)
    assert np.array_equal(divide(engine, q, p, step, x), round_half_up(numerator * x, p_product) % q_product)


@WORD
def test_exact_halves_go_up(engine: Any, word: int) -> None:
    q, p = rings(word, 8, 2, [1 << 16])
    q_product = math.prod(q.basis.moduli)
    x = np.array([[[1 << 15, (1 << 15) - 1, 3 << 15, 0, (q_product << 16) - (1 << 15), 1, 2, 3]]], dtype=object)
    assert divide(engine, q, p, testing.DivideAndRound(q, p), x)[0, 0].tolist() == [1, 0, 2, 0, 0, 0, 0, 0]


@WORD
@pytest.mark.parametrize("degree", [8, 512])
def test_kept_limbs_may_be_transforms(engine: Any, rng: np.random.Generator, word: int, degree: int) -> None:
    """Then the result is one too, and it is the transform of what coefficients give."""
    moduli = transform_primes(word, degree, 5)
    q, p = ring_of(word, degree, moduli[:3]), ring_of(word, degree, moduli[3:])
    x = random_below(rng, math.prod(moduli), (2, 2, degree))
    kept, dropped = put(engine, q, decompose(x, moduli[:3])), put(engine, p, decompose(x, moduli[3:]))
    kept.to_transform()
    step = testing.DivideAndRound(q, p)
    result = call(on(engine).divide_and_round, q, (2, 2), kept, dropped, step, domain=TRANSFORM)
    back = put(engine, q, result, TRANSFORM)
    back.to_coefficient()
    assert np.array_equal(compose(back.to_host(), moduli[:3]), divide(engine, q, p, step, x))


@WORD
@pytest.mark.parametrize("domain", [testing.Domain.coefficient, TRANSFORM])
def test_the_result_of_a_division_is_not_its_operand(
    engine: Any, rng: np.random.Generator, word: int, domain: Any
) -> None:
    """A program's result lies apart from what it reads: it is refused, and nothing is written."""
    moduli = transform_primes(word, 16, 4)
    q, p = ring_of(word, 16, moduli[:3]), ring_of(word, 16, moduli[3:])
    x = random_below(rng, math.prod(moduli), (2, 2, 16))
    kept, dropped = put(engine, q, decompose(x, moduli[:3]), domain), put(engine, p, decompose(x, moduli[3:]))
    with pytest.raises(ArgumentError, match="divide_and_round: the result must not overlap operand 1"):
        on(engine).divide_and_round(kept.view(), kept.view(), dropped.view(), testing.DivideAndRound(q, p))
    assert np.array_equal(kept.to_host(), decompose(x, moduli[:3]))


def preserving_errors(engine: Any, word: int, x: Integers, special: list[int], t: int) -> Integers:
    """delta of out = (x - delta) / P, read off the result of a division that preserves t."""
    degree = len(x)
    q, p = rings(word, degree, 3, special)
    q_product, p_product = math.prod(q.basis.moduli), math.prod(special)
    result = divide(engine, q, p, testing.DivideAndRound(q, p, preserved=t), x.reshape(1, 1, degree))[0, 0]
    return centred(x - p_product * result, q_product)


@WORD
@pytest.mark.parametrize("special", [1, 3])
@pytest.mark.parametrize("t", [2, 3, 257, 65537])
def test_5_8_a_preserving_division_takes_off_a_multiple_of_t(
    engine: Any, rng: np.random.Generator, word: int, special: int, t: int
) -> None:
    """delta = x modulo P, 0 modulo t, and at most t P / 2: out = x / P up to t / 2, and out P = x modulo t."""
    primes = some_primes(TOP_BITS[word] - 11, 1, special)
    p_product = math.prod(primes)
    x = random_below(rng, p_product**2, 256)
    delta = preserving_errors(engine, word, x, primes, t)
    assert not (delta % t).any()
    assert not ((delta - x) % p_product).any()
    assert 2 * max(abs(int(d)) for d in delta) <= t * (p_product + (p_product >> 24))


@WORD
def test_5_11_6_002_1_the_error_of_a_division_modulo_two_has_mean_zero(rng: np.random.Generator, word: int) -> None:
    """Paper 002, Algorithm 4 adds p to an odd residue below p/2: its errors lie in (-1/2, 3/2) and have mean 1/2."""
    (p,) = some_primes(30, 1, 1)
    x = random_below(rng, p**3, 4096)
    errors = preserving_errors(_core.CpuEngine(1), word, x, [p], 2) / p
    assert -1 < errors.min() < -0.9 and 0.9 < errors.max() < 1
    assert abs(errors.mean()) < 6 * math.sqrt(1 / 3 / 4096)

    def printed(a: int) -> int:
        return a if a % 2 == 0 else a - p if a > (p - 1) // 2 else a + p

    biased = np.array([printed(int(a)) for a in x % p], dtype=object) / p
    assert -0.5 < biased.min() < -0.4 and 1.4 < biased.max() < 1.5 and 0.4 < biased.mean() < 0.6


def test_a_preserved_modulus_that_shares_a_factor_with_p_is_refused() -> None:
    q, p = rings(32, 8, 2, [97])
    for preserved in (97, 194, 0):
        with pytest.raises(ParameterError):
            testing.DivideAndRound(q, p, preserved=preserved)
    with pytest.raises(ParameterError, match="share"):
        testing.DivideAndRound(q, q.slice(1, 1))
