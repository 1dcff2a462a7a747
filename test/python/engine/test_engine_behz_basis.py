# SPDX-License-Identifier: Apache-2.0
"""The size of BEHZ's auxiliary basis (specification 5.5, 5.11 (4)): enough, and not one prime less."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from cyclotome import _core
from cyclotome._core import testing
from cyclotome.errors import ParameterError
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.behz import auxiliary_suffices
from oracles.integers import Integers, is_prime, some_primes
from residues import ring_of
from test_engine_behz import BITS, WORD, scale

ENGINE = _core.CpuEngine(1)


@WORD
@settings(max_examples=150)
@given(data=st.data())
def test_the_conditions_are_decided_exactly(word: int, data: st.DataObject) -> None:
    """Small primes and all parameters near the edge, against exact fractions."""
    bits = data.draw(st.sampled_from([8, 12, 20, BITS[word]]))
    k = data.draw(st.integers(1, 4))
    q = some_primes(bits, 2, k, skip=8)
    auxiliary = some_primes(bits, 2, data.draw(st.integers(2, 8)))
    degree = 1 << data.draw(st.integers(1, 17))
    t = data.draw(st.integers(2, 1 << data.draw(st.integers(2, 40))))
    m_tilde = 1 << data.draw(st.integers(1, 30))
    terms = data.draw(st.integers(1, 20))
    answer = testing.behz_auxiliary_suffices(
        testing.Basis(word, q), testing.Basis(word, auxiliary), degree, t, m_tilde, terms
    )
    assert answer == auxiliary_suffices(q, auxiliary, degree, t, m_tilde, terms)


@WORD
def test_the_conditions_at_their_very_edge(word: int) -> None:
    """t grows until (A) or (B) breaks: the last t that suffices and the first that does not are found exactly."""
    q, auxiliary = some_primes(12, 2, 2, skip=8), some_primes(12, 2, 4)
    low, high = 2, 1 << 40
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if auxiliary_suffices(q, auxiliary, 16, middle, 1 << 16) else (low, middle)
    bases = testing.Basis(word, q), testing.Basis(word, auxiliary)
    assert testing.behz_auxiliary_suffices(*bases, 16, low, 1 << 16)
    assert not testing.behz_auxiliary_suffices(*bases, 16, high, 1 << 16)


@WORD
@pytest.mark.parametrize("terms", [1, 1000])
@pytest.mark.parametrize("degree", [1024, 32768])
@pytest.mark.parametrize("k", [1, 3, 12])
def test_the_basis_has_fresh_transform_primes_and_is_the_smallest(word: int, k: int, degree: int, terms: int) -> None:
    moduli = some_primes(BITS[word], 2 * degree, k + 3)
    q, excluded = testing.Basis(word, moduli[1 : k + 1]), moduli
    m_tilde, t = testing.behz_m_tilde(word), 65537
    auxiliary = testing.behz_auxiliary_basis(q, degree, t, m_tilde, excluded, terms)
    assert not set(auxiliary.moduli) & set(excluded)
    assert all(is_prime(p) and p % (2 * degree) == 1 and p.bit_length() == BITS[word] for p in auxiliary.moduli)
    assert auxiliary_suffices(q.moduli, auxiliary.moduli, degree, t, m_tilde, terms)
    if len(auxiliary) > 2:
        assert not auxiliary_suffices(q.moduli, auxiliary.moduli[:-1], degree, t, m_tilde, terms)


def extremes(q: int, k: int, degree: int, m_tilde: int) -> Integers:
    """The largest coefficients that a tensor of lifted polynomials can have, and some in between."""
    reach = degree * q**2 * (m_tilde + 2 * k) ** 2 // (2 * m_tilde**2)
    values = [sign * reach * part // 32 for part in range(33) for sign in (1, -1)][:64]
    values[0], values[1] = reach, -reach
    return np.array(values, dtype=object)


def is_scaled(q_ring: Any, auxiliary: Any, t: int, x: Integers) -> bool:
    """Whether every coefficient came out as floor(t x / q) - e with 0 <= e < k."""
    q = math.prod(q_ring.basis.moduli)
    error = (t * x // q - scale(ENGINE, q_ring, auxiliary, t, x)) % q
    return bool(error.max() < q_ring.limbs)


@WORD
@pytest.mark.parametrize(("k", "t", "degree"), [(2, 65537, 4096), (4, 257, 32), (4, 65537, 32768), (8, 2, 8192)])
def test_5_11_4_the_computed_size_passes_and_one_prime_less_fails(word: int, k: int, t: int, degree: int) -> None:
    """The inputs are extreme coefficients for `degree`; a short ring holds them, since scaling knows no degree."""
    m_tilde = testing.behz_m_tilde(word)
    moduli = some_primes(BITS[word], 2 * degree, k)
    auxiliary = testing.behz_auxiliary_basis(testing.Basis(word, moduli), degree, t, m_tilde, moduli).moduli
    q_ring, x = ring_of(word, 64, moduli), extremes(math.prod(moduli), k, degree, m_tilde)
    assert is_scaled(q_ring, ring_of(word, 64, auxiliary), t, x)
    for left_out in range(len(auxiliary)):  # one of B, or m_sk itself
        smaller = auxiliary[:left_out] + auxiliary[left_out + 1 :]
        assert not testing.behz_auxiliary_suffices(
            testing.Basis(word, moduli), testing.Basis(word, smaller), degree, t, m_tilde
        )
        assert not is_scaled(q_ring, ring_of(word, 64, smaller), t, x)


def test_the_published_example_of_equal_sizes() -> None:
    """Specification 5.5: k = 4, t = 257, n = 32 and moduli of one size: |B| = 3 fails, |B| = 4 works."""
    moduli = some_primes(30, 64, 4)
    auxiliary = testing.behz_auxiliary_basis(testing.Basis(32, moduli), 32, 257, 1 << 16, moduli)
    assert len(auxiliary) - 1 == 4


def test_a_basis_that_no_primes_can_make_is_refused() -> None:
    every = [p for p in some_primes(30, 1 << 18, 1000) if p >= 1 << 29]
    with pytest.raises(ParameterError, match="30 bits congruent to 1 modulo 262144"):
        testing.behz_auxiliary_basis(testing.Basis(32, every[:12]), 1 << 17, 65537, 1 << 16, every[:-13])


def test_m_tilde_by_word() -> None:
    assert (testing.behz_m_tilde(32), testing.behz_m_tilde(64)) == (1 << 16, 1 << 32)
