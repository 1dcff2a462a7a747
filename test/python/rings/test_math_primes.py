# SPDX-License-Identifier: Apache-2.0
"""Primes and roots of unity against independent searches."""

from __future__ import annotations

import itertools

import pytest
from cyclotome import _core
from cyclotome._core import testing
from cyclotome.errors import ParameterError
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.integers import is_prime, primes_below


def test_primality_below_ten_thousand() -> None:
    sieve = [n > 1 and all(n % d for d in range(2, int(n**0.5) + 1)) for n in range(10_000)]
    assert [testing.is_prime(n) for n in range(10_000)] == sieve


def test_primality_of_strong_pseudoprimes_and_of_the_largest_words() -> None:
    # Composites that pass Miller-Rabin for the first 1, 2, ..., 9 prime bases, and Carmichael numbers.
    composites = [2047, 1373653, 25326001, 3215031751, 2152302898747, 3474749660383, 341550071728321]
    composites += [3825123056546413051, 561, 1105, 1729, 6601, 1 << 61, ((1 << 31) - 1) * ((1 << 29) - 3)]
    assert not any(testing.is_prime(n) for n in composites)
    assert all(testing.is_prime(p) for p in [(1 << 61) - 1, (1 << 31) - 1, 4211212259, 4211212289, 36028796850405377])


@settings(max_examples=300)
@given(st.integers(0, (1 << 61) - 1))
def test_primality_agrees_with_flint(n: int) -> None:
    flint = pytest.importorskip("flint")
    assert testing.is_prime(n) == bool(flint.fmpz(n).is_prime())


@pytest.mark.parametrize(
    ("bits", "step"),
    [(2, 1), (3, 2), (17, 16384), (20, 2), (30, 1 << 13), (30, 1 << 18), (31, 1 << 17), (50, 1 << 17), (61, 1 << 18)],
)
def test_the_largest_primes_of_a_size_in_descending_order(bits: int, step: int) -> None:
    expected = [p for p in itertools.islice(primes_below(1 << bits, step), 5) if p >= 1 << (bits - 1)]
    assert _core.primes_congruent_to_one(bits, step, len(expected), []) == expected
    if len(expected) > 2:
        rest = _core.primes_congruent_to_one(bits, step, len(expected) - 2, [expected[0], expected[2]])
        assert rest == [expected[1], *expected[3:]]


def test_every_prime_of_a_size_can_be_had_and_not_one_more() -> None:
    every = [p for p in range(512, 1024) if is_prime(p) and p % 8 == 1]
    assert _core.primes_congruent_to_one(10, 8, len(every), []) == every[::-1]
    with pytest.raises(ParameterError, match=f"only {len(every)} of {len(every) + 1}"):
        _core.primes_congruent_to_one(10, 8, len(every) + 1, [])


@pytest.mark.parametrize(("bits", "step"), [(0, 2), (1, 2), (62, 2), (64, 2), (30, 0), (10, 1 << 40), (2, 3)])
def test_primes_that_cannot_exist_are_refused(bits: int, step: int) -> None:
    with pytest.raises(ParameterError):
        _core.primes_congruent_to_one(bits, step, 1, [])


@pytest.mark.parametrize("order_bits", [0, 1, 2, 3, 8, 12])
@pytest.mark.parametrize("p", [12289, 65537, 786433, 1073692673, 2305843009213317121])
def test_the_root_of_unity_is_primitive_and_the_smallest(p: int, order_bits: int) -> None:
    order = 1 << order_bits
    assert is_prime(p)
    # All roots of this order, found without the library: odd powers of g^((p-1)/order) for a non-residue g.
    g = next(g for g in range(2, p) if pow(g, (p - 1) // 2, p) == p - 1)
    root = pow(g, (p - 1) // order, p)
    roots = {pow(root, k, p) for k in range(1, order + 1, 2)}
    assert testing.minimal_primitive_root(order, p) == min(roots)


def test_minimal_roots_of_small_orders() -> None:
    assert testing.minimal_primitive_root(2, 11) == 10  # 10^2 = 100 = 1
    assert [testing.minimal_primitive_root(order, 29) for order in (2, 4)] == [
        28,
        12,
    ]  # 12^2 = 144 = -1; 17 is the other
    primitive = [x for x in range(17) if pow(x, 8, 17) == 1 and pow(x, 4, 17) == 16]
    assert testing.minimal_primitive_root(8, 17) == min(primitive) == 2


@pytest.mark.parametrize(("order", "p"), [(3, 7), (0, 7), (4, 7), (8, 13), (2, 1), (2, 0), (4, 9 * 13)])
def test_roots_that_do_not_exist_are_refused(order: int, p: int) -> None:
    with pytest.raises(ParameterError, match=f"modulo {p}|modulus {p}"):
        testing.minimal_primitive_root(order, p)
