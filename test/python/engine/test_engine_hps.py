# SPDX-License-Identifier: Apache-2.0
"""The steps of an HPS-over-Q product (specification 5.6) against the integers that the residues stand for."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from cyclotome import _core
from cyclotome._core import testing
from oracles import negacyclic
from oracles.integers import centred, compose, decompose, is_prime, random_below, round_half_up, some_primes
from residues import everywhere, put, ring_of, transform_primes

HOST = _core.CpuEngine(1)
WORD = pytest.mark.parametrize("word", [32, 64])


def prepared(word: int, degree: int, k: int, t: int) -> tuple[Any, Any, Any]:
    moduli = transform_primes(word, degree, k, skip=2)
    p = testing.hps_auxiliary_basis(testing.Basis(word, moduli), degree, moduli).moduli
    q_ring, p_ring = ring_of(word, degree, moduli), ring_of(word, degree, p)
    return q_ring, p_ring, testing.HpsProduct(q_ring, p_ring, t)


@WORD
@pytest.mark.parametrize("k", [1, 2, 5])
def test_every_step_is_the_integer_operation_that_it_names(rng: np.random.Generator, word: int, k: int) -> None:
    degree, t = 64, 65537
    q_ring, p_ring, step = prepared(word, degree, k, t)
    q_moduli, p_moduli = q_ring.basis.moduli, p_ring.basis.moduli
    q, p = math.prod(q_moduli), math.prod(p_moduli)
    x = random_below(rng, q, degree)
    over_q = put(HOST, q_ring, decompose(x, q_moduli))
    extended = everywhere("convert", p_ring, (1, 1), over_q, step.extend)
    assert np.array_equal(compose(extended[0, 0], p_moduli), centred(x, q) % p)

    exchanged = everywhere("convert", p_ring, (1, 1), over_q, step.exchange)
    switched = centred(compose(exchanged[0, 0], p_moduli), p)
    # round(p y / q) of the centred y, up to the representative modulo p.
    assert np.array_equal(switched, centred(round_half_up(p * centred(x, q), q), p))
    restored = everywhere("convert", q_ring, (1, 1), put(HOST, p_ring, exchanged), step.restore)
    assert np.array_equal(compose(restored[0, 0], q_moduli), switched % q)

    d = random_below(rng, q * p, degree)
    operands = put(HOST, q_ring, decompose(d, q_moduli)), put(HOST, p_ring, decompose(d, p_moduli))
    scaled = everywhere("divide_and_round", q_ring, (1, 1), *operands, step.scale)
    assert np.array_equal(compose(scaled[0, 0], q_moduli), round_half_up(t * d, p) % q)


@WORD
@pytest.mark.parametrize("t", [2, 65537])
def test_a_whole_product_is_within_its_rounding_of_t_x_y_over_q(rng: np.random.Generator, word: int, t: int) -> None:
    """round(t x y' / p) with y' = round(p y / q): off by 1/2 and by t/p times |x| times the rounding of y'."""
    degree, k = 32, 3
    q_ring, p_ring, step = prepared(word, degree, k, t)
    q_moduli, p_moduli = q_ring.basis.moduli, p_ring.basis.moduli
    q, p = math.prod(q_moduli), math.prod(p_moduli)
    x, y = (centred(random_below(rng, q, degree), q) for _ in range(2))
    switched = compose(
        everywhere("convert", p_ring, (1, 1), put(HOST, q_ring, decompose(y, q_moduli)), step.exchange)[0, 0], p_moduli
    )
    wide = 8 * degree * q * p
    tensor = centred(np.array(negacyclic.product(x, centred(switched, p), wide), dtype=object), wide)
    operands = put(HOST, q_ring, decompose(tensor, q_moduli)), put(HOST, p_ring, decompose(tensor, p_moduli))
    result = compose(everywhere("divide_and_round", q_ring, (1, 1), *operands, step.scale)[0, 0], q_moduli)
    wide = 8 * degree * q * q
    exact = centred(np.array(negacyclic.product(x, y, wide), dtype=object), wide)
    error = centred(result - round_half_up(t * exact, q), q)
    bound = 2 + t * degree * q // (4 * p) + 1
    assert max(abs(int(e)) for e in error) <= bound


@WORD
@pytest.mark.parametrize("bits", [28, 30, 49, 50, 51, 61])
def test_the_auxiliary_basis_is_the_smallest_of_its_class(word: int, bits: int) -> None:
    if word == 32 and bits > 30:
        bits = 29
    degree, k = 1024, 4
    moduli = some_primes(bits, 2 * degree, k)
    auxiliary = testing.hps_auxiliary_basis(testing.Basis(word, moduli), degree, moduli).moduli
    width = 30 if word == 32 else 50 if bits <= 50 else 61
    assert all(is_prime(p) and p % (2 * degree) == 1 and p.bit_length() == width for p in auxiliary)
    assert not set(auxiliary) & set(moduli)
    q = math.prod(moduli)
    assert math.prod(auxiliary) > q << testing.hps_margin
    assert math.prod(auxiliary[:-1]) < q << (testing.hps_margin + 1)  # one less would not do
