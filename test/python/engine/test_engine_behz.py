# SPDX-License-Identifier: Apache-2.0
"""The steps of a BEHZ product (specification 5.5) against the integers that the residues stand for."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from cyclotome._core import testing
from cyclotome.errors import ParameterError
from oracles import negacyclic
from oracles.integers import Integers, centred, compose, decompose, magnitude, random_below, some_primes
from residues import call, on, put, ring_of, transform_primes

WORD = pytest.mark.parametrize("word", [32, 64])
BITS = {32: 30, 64: 61}


@pytest.fixture
def engine(each_engine: Any) -> Any:
    return each_engine


def lift(engine: Any, q: Any, auxiliary: Any, m_tilde: int, x: Integers) -> Integers:
    """behz_lift of x in [0, q), read as signed integers."""
    step = testing.BehzLift(q, auxiliary, m_tilde)
    result = call(on(engine).behz_lift, auxiliary, (1, 1), put(engine, q, decompose(x, q.basis.moduli)), step)
    moduli = auxiliary.basis.moduli
    return centred(compose(result[0, 0], moduli), math.prod(moduli))


def scale(engine: Any, q: Any, auxiliary: Any, t: int, x: Integers) -> Integers:
    """behz_scale of signed integers x, as integers modulo q."""
    step = testing.BehzScale(q, auxiliary, t)
    array = put(engine, step.joined, decompose(x, step.joined.basis.moduli))
    return compose(call(on(engine).behz_scale, q, (1, 1), array, step)[0, 0], q.basis.moduli)


def bases(word: int, k: int, degree: int = 512) -> tuple[Any, Any, int]:
    """q of k primes, a wide B_sk, and q as an integer."""
    moduli = some_primes(BITS[word], 2, k, skip=40)
    auxiliary = some_primes(BITS[word], 2, k + 2)
    return ring_of(word, degree, moduli), ring_of(word, degree, auxiliary), math.prod(moduli)


@WORD
@pytest.mark.parametrize("k", [1, 2, 6])
def test_5_11_2_000_10_the_lift_stays_below_one_half_plus_k_over_m_tilde(
    engine: Any, rng: np.random.Generator, word: int, k: int
) -> None:
    """For every m~ = 2^1 ... 2^32 that fits the word, and for odd ones: any m~ coprime to q works."""
    ring, auxiliary, q = bases(word, k)
    x = random_below(rng, q, 512)
    x[:4] = [0, 1, q - 1, q // 2]
    m_tildes = [1 << bits for bits in range(1, min(BITS[word], 32) + 1)] + [3, 15, 65537]
    for m_tilde in m_tildes:
        lifted = lift(engine, ring, auxiliary, m_tilde, x)
        assert not ((lifted - x) % q).any(), m_tilde
        assert 2 * m_tilde * magnitude(lifted) <= q * (m_tilde + 2 * k), m_tilde
        if m_tilde == 2 and k > 1:
            assert 2 * magnitude(lifted) > q  # the lift is not centred: the bound's second term is needed


@WORD
def test_000_10_without_a_correction_the_lift_is_as_large_as_k_q(
    engine: Any, rng: np.random.Generator, word: int
) -> None:
    """To "skip S1" in paper 000 means m~ = 1: a plain fast conversion, up to k q instead of q/2."""
    ring, auxiliary, q = bases(word, 6)
    x = random_below(rng, q, 512)
    step = testing.BaseConversion(ring.basis, auxiliary.basis, testing.Lift.fast)
    result = call(on(engine).convert, auxiliary, (1, 1), put(engine, ring, decompose(x, ring.basis.moduli)), step)
    skipped = compose(result[0, 0], auxiliary.basis.moduli)
    assert 2 * q < magnitude(skipped) < 6 * q
    assert 2 * magnitude(lift(engine, ring, auxiliary, testing.behz_m_tilde(word), x)) < 1.001 * q


@WORD
@pytest.mark.parametrize("t", [2, 257, 65537])
@pytest.mark.parametrize("k", [1, 2, 6])
def test_000_14_scaling_is_the_floor_minus_less_than_k(
    engine: Any, rng: np.random.Generator, word: int, k: int, t: int
) -> None:
    degree, m_tilde = 512, testing.behz_m_tilde(word)
    moduli = some_primes(BITS[word], 2 * degree, k, skip=40)
    auxiliary = testing.behz_auxiliary_basis(testing.Basis(word, moduli), degree, t, m_tilde, moduli)
    q, b_sk = ring_of(word, degree, moduli), ring_of(word, degree, auxiliary.moduli)
    product = math.prod(moduli)
    # What a tensor of two lifted polynomials can reach: 2 n (q/2)^2 (1 + 2k/m~)^2.
    reach = degree * product**2 * (m_tilde + 2 * k) ** 2 // (2 * m_tilde**2)
    x = random_below(rng, 2 * reach + 1, degree) - reach
    x[:8] = [0, 1, -1, product, -product, product // t, reach, -reach]
    error = (t * x // product - scale(engine, q, b_sk, t, x)) % product
    assert error.max() < k
    assert k < 6 or error.max() > 0  # the error is real


@WORD
def test_a_whole_product_of_lifted_polynomials(engine: Any, rng: np.random.Generator, word: int) -> None:
    """Lift, multiply over q and B_sk, scale: floor(t a b / q) - e for the lifted a and b, as polynomials."""
    degree, k, t, m_tilde = 64, 3, 65537, testing.behz_m_tilde(word)
    moduli = transform_primes(word, degree, k, skip=12)
    auxiliary = testing.behz_auxiliary_basis(testing.Basis(word, moduli), degree, t, m_tilde, moduli)
    q, b_sk = ring_of(word, degree, moduli), ring_of(word, degree, auxiliary.moduli)
    product = math.prod(moduli)
    lifting, scaling = testing.BehzLift(q, b_sk, m_tilde), testing.BehzScale(q, b_sk, t)
    factors, lifted = [], []
    for _ in range(2):
        x = random_below(rng, product, degree)
        array = testing.PolyArray(engine, scaling.joined, 1, 1)
        residues = put(engine, q, decompose(x, moduli))
        on(engine).copy(array.view().limbs_at(0, q), residues.view())
        on(engine).behz_lift(array.view().limbs_at(k, b_sk), residues.view(), lifting)
        over_b_sk = compose(array.to_host()[0, 0, k:], auxiliary.moduli)
        lifted.append(centred(over_b_sk, math.prod(auxiliary.moduli)))
        array.to_transform()
        factors.append(array)
    tensor = testing.PolyArray(engine, scaling.joined, 1, 1, testing.Domain.transform)
    on(engine).tensor_product(tensor.view(), factors[0].view(), factors[1].view())
    tensor.to_coefficient()
    result = compose(call(on(engine).behz_scale, q, (1, 1), tensor, scaling)[0, 0], moduli)
    wide = 4 * degree * product**2
    exact = centred(np.array(negacyclic.product(lifted[0], lifted[1], wide), dtype=object), wide)
    error = (t * exact // product - result) % product
    assert error.max() < k


@WORD
def test_a_basis_of_one_auxiliary_prime_and_shared_factors_are_refused(word: int) -> None:
    q, b_sk, _ = bases(word, 2, degree=8)
    with pytest.raises(ParameterError, match="source limbs"):
        testing.BehzScale(q, b_sk.slice(0, 1), 257)
    with pytest.raises(ParameterError, match="share"):
        testing.BehzScale(q, q, 257)
    with pytest.raises(ParameterError, match="share"):
        testing.BehzLift(q, b_sk, q.basis.moduli[0])
    with pytest.raises(ParameterError, match="share"):
        testing.BehzLift(q, b_sk, b_sk.basis.moduli[1])
    for m_tilde in (0, 1, 1 << 62):
        with pytest.raises(ParameterError, match=f"modulus {m_tilde}"):
            testing.BehzLift(q, b_sk, m_tilde)
    with pytest.raises(ParameterError, match="share"):
        testing.DivideAndRound(q, q.slice(1, 1))
