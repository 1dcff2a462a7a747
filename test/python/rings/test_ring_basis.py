# SPDX-License-Identifier: Apache-2.0
"""Bases and rings: what they accept, what they refuse and how they are cut and joined."""

from __future__ import annotations

import math

import pytest
from cyclotome._core import testing
from cyclotome.errors import ArgumentError, ParameterError
from hypothesis import given
from hypothesis import strategies as st
from oracles.integers import is_prime, some_primes
from test_ring_big_unsigned import number

MODULI = [12289, 7681, 65537, 40961]


@pytest.mark.parametrize(("word", "limit"), [(32, 1 << 31), (64, 1 << 61)])
def test_moduli_lie_between_two_and_the_limit_of_their_word(word: int, limit: int) -> None:
    assert testing.Basis(word, [2, limit - 1]).moduli == [2, limit - 1]
    for bad in (0, 1, limit, limit + 1, (1 << 64) - 1):
        with pytest.raises(ParameterError, match=rf"modulus {bad} .*\[2, {limit}\)"):
            testing.Basis(word, [bad, 3])


@pytest.mark.parametrize(
    ("moduli", "factor"), [([7, 7], 7), ([15, 4, 21], 3), ([2, 3, 5, 1 << 20], 2), ([6, 35, 49], 7)]
)
def test_moduli_that_share_a_factor_are_refused(moduli: list[int], factor: int) -> None:
    with pytest.raises(ParameterError, match=f"share the factor {factor}"):
        testing.Basis(64, moduli)


@given(st.lists(st.sampled_from([4, 9, 5, 7, 11, 13, 12289, (1 << 30) - 35]), min_size=1, unique=True), st.data())
def test_products_and_punctured_products(moduli: list[int], data: st.DataObject) -> None:
    basis = testing.Basis(32, moduli)
    m = data.draw(st.integers(1, (1 << 61) - 1))
    assert number(basis.product()) == math.prod(moduli)
    assert basis.product_mod(m) == math.prod(moduli) % m
    for limb, q in enumerate(moduli):
        assert basis.punctured_product_mod(limb, m) == math.prod(moduli) // q % m


def test_slices_and_unions_of_bases() -> None:
    basis = testing.Basis(32, MODULI)
    assert basis.slice(1, 2).moduli == MODULI[1:3]
    assert basis.slice(4, 0).moduli == []
    assert basis.slice(0, 2).joined(basis.slice(2, 2)).equals(basis)
    assert not basis.equals(testing.Basis(64, MODULI))
    assert not basis.equals(testing.Basis(32, MODULI[::-1]))
    for first, count in ((0, 5), (5, 0), (3, 2), ((1 << 64) - 1, 1), (1, (1 << 64) - 1)):
        with pytest.raises(ArgumentError, match="4 limbs"):
            basis.slice(first, count)
    with pytest.raises(ParameterError, match=r"32-bit words.*64-bit words"):
        basis.joined(testing.Basis(64, [5]))
    with pytest.raises(ParameterError, match="share the factor 7681"):
        basis.joined(testing.Basis(32, [7681]))


@pytest.mark.parametrize("degree", [0, 1, 3, 6, 1000, 1 << 18, (1 << 64) - 1])
def test_degrees_that_are_no_power_of_two_in_range_are_refused(degree: int) -> None:
    with pytest.raises(ParameterError, match=rf"degree {degree} .*\[2, 131072\]"):
        testing.Ring.negacyclic(degree, testing.Basis(64, [12289]))


def test_a_modulus_has_a_transform_iff_it_is_a_prime_one_modulo_2n_that_fits_lazy_butterflies() -> None:
    wide32 = next(p for p in some_primes(31, 64, 50) if p > 1 << 30)
    moduli = [12289, 13, 16, 3 * 11, wide32, 97]
    ring = testing.Ring.negacyclic(16, testing.Basis(32, moduli))
    assert [ring.has_transform(limb) for limb in range(6)] == [True, False, False, False, False, True]
    assert testing.Ring.negacyclic(16, testing.Basis(64, [wide32])).has_transform(0)
    assert not testing.Ring.negacyclic(4096, testing.Basis(64, [12289])).has_transform(0)
    assert testing.Ring.negacyclic(2048, testing.Basis(64, [12289])).has_transform(0)
    with pytest.raises(ParameterError, match=r"modulus 13 has no transform of length 16.* 1 modulo 32"):
        ring.root(1)


def test_000_1_a_transform_exists_for_one_modulo_2n_and_no_other_prime() -> None:
    """Paper 000 says that the moduli need no further restriction; these primes have no 2n-th root of unity."""
    for degree in (8, 16):
        for p in (13, 17, 29, 31, 37, 41, 97, 113):
            exists = any(pow(x, degree, p) == p - 1 for x in range(1, p))
            assert (
                testing.Ring.negacyclic(degree, testing.Basis(64, [p])).has_transform(0)
                == exists
                == (p % (2 * degree) == 1)
            )


def test_000_2_the_printed_redundant_modulus_has_no_transform() -> None:
    """4211212259 of paper 000, Table 4 is a prime, but 4211212289 = 32129 * 2^17 + 1 is the one with transforms."""
    printed, intended = 4211212259, 4211212289
    assert is_prime(printed) and is_prime(intended)
    for degree in (4, 1024, 1 << 16):
        ring = testing.Ring.negacyclic(degree, testing.Basis(64, [printed, intended]))
        assert (ring.has_transform(0), ring.has_transform(1)) == (False, True)


@pytest.mark.parametrize("word", [32, 64])
def test_the_root_of_a_ring_is_a_primitive_2nth_root(word: int) -> None:
    for degree in (2, 8, 1024):
        for limb, q in enumerate(moduli := some_primes(30 if word == 32 else 61, 2 * degree, 2)):
            psi = testing.Ring.negacyclic(degree, testing.Basis(word, moduli)).root(limb)
            assert pow(psi, degree, q) == q - 1


def test_slices_and_unions_of_rings_keep_their_transforms() -> None:
    ring = testing.Ring.negacyclic(16, testing.Basis(32, [12289, 13, 7681, 97]))
    part = ring.slice(1, 2)
    assert (part.degree, part.limbs, part.basis.moduli) == (16, 2, [13, 7681])
    assert [part.has_transform(0), part.has_transform(1)] == [False, True]
    joined = ring.slice(2, 2).joined(ring.slice(0, 2))
    assert joined.basis.moduli == [7681, 97, 12289, 13]
    assert [joined.has_transform(limb) for limb in range(4)] == [True, True, True, False]
    with pytest.raises(ParameterError, match="degrees 16 and 32"):
        ring.joined(testing.Ring.negacyclic(32, testing.Basis(32, [193])))
    with pytest.raises(ArgumentError):
        ring.slice(3, 2)
