# SPDX-License-Identifier: Apache-2.0
"""Primes with a known factorisation and their generators, against python-flint and Python's integers."""

from __future__ import annotations

import flint
import numpy as np
import pytest
from cyclotome._core import testing
from cyclotome.errors import ParameterError
from hypothesis import given, settings
from hypothesis import strategies as st
from test_ring_big_unsigned import big, number

#: Moduli that fill their words to the last bit, or leave one bit of the last word.
MODULI = [
    3,
    (1 << 32) - 5,
    (1 << 61) - 1,
    (1 << 64) - 59,
    (1 << 64) + 13,
    (1 << 127) - 1,
    (1 << 128) - 159,
    (1 << 256) - 189,
    (1 << 257) + 93,
    (1 << 521) - 1,
    (1 << 1024) - 105,
]


def integers(bits: int, rng: np.random.Generator) -> int:
    return int.from_bytes(rng.bytes(bits // 8 + 1), "little") % (1 << bits)


@pytest.mark.parametrize("p", MODULI, ids=lambda p: f"{p.bit_length()} bits")
def test_arithmetic_modulo_numbers_of_any_width(p: int, rng: np.random.Generator) -> None:
    edges = [0, 1, 2, p - 1, p - 2, p // 2, p, p + 1, (1 << (64 * -(-p.bit_length() // 64))) - 1]
    prime = flint.fmpz(p).is_probable_prime()
    values = [*edges, *(integers(size, rng) for size in (64, p.bit_length(), 2 * p.bit_length(), 3000))]
    for a in values:
        for b in values:
            assert number(testing.study_multiply(big(a), big(b), big(p))) == a * b % p
        exponent = integers(200, rng)
        assert number(testing.study_power(big(a % p), big(exponent), big(p))) == pow(a, exponent, p)
        if prime and a % p:
            assert number(testing.study_inverse(big(a), big(p))) == pow(a, -1, p)


@pytest.mark.parametrize("p", [0, 1, 2, 4, 1 << 64, (1 << 1025) + 1], ids=str)
def test_even_and_too_wide_moduli_are_refused(p: int) -> None:
    with pytest.raises(ParameterError, match="odd, at least 3"):
        testing.study_multiply(big(1), big(1), big(p))


@settings(max_examples=300)
@given(n=st.one_of(st.integers(0, 5000), st.integers(0, 1 << 64), st.integers(0, 1 << 100), st.integers(0, 1 << 300)))
def test_primality_agrees_with_flint(n: int) -> None:
    assert testing.study_is_prime(big(n)) == bool(flint.fmpz(n).is_prime())
    if n < 1 << 32:
        assert testing.study_is_prime(big(n * n)) is False


def test_primality_of_hard_numbers() -> None:
    # Mersenne primes; strong pseudoprimes to the first 12 and 13 prime bases; products of two close primes.
    assert all(testing.study_is_prime(big((1 << e) - 1)) for e in (89, 107, 127, 521, 607))
    assert not testing.study_is_prime(big(318665857834031151167461))
    assert not testing.study_is_prime(big(3317044064679887385961981))
    close, next_one = [n for n in range((1 << 200) + 1, (1 << 200) + 2000, 2) if flint.fmpz(n).is_prime()][:2]
    assert not testing.study_is_prime(big(close * close))
    assert not testing.study_is_prime(big(close * next_one))


@pytest.mark.parametrize("above", [False, True])
@pytest.mark.parametrize(
    ("bits", "log_order", "count"), [(13, 4, 3), (20, 9, 4), (32, 15, 20), (64, 16, 3), (100, 12, 2)]
)
def test_the_first_primes_of_the_search_are_found(bits: int, log_order: int, count: int, above: bool) -> None:
    found = [number(p) for p in testing.study_primes(bits, 1 << log_order, count, above)]
    assert len(found) == count
    # Everything from the start of the search to the last one, by flint alone.
    order, last = 1 << log_order, found[-1]
    first = 1 << (bits - 1) if above else 1 << bits
    low, high = min(first, last), max(first, last)
    expected = [
        p
        for p in range(low // order * order + 1, high + 1, order)
        if p.bit_length() == bits and (p - 1) // order % 2 and flint.fmpz((p - 1) // order).is_prime()
        if flint.fmpz(p).is_prime()
    ]
    assert found == (expected if above else expected[::-1])


def test_there_are_only_so_many_primes() -> None:
    every = [p for p in range(1, 1 << 13, 32) if p >= 1 << 12 and flint.fmpz(p).is_prime()]
    every = [p for p in every if flint.fmpz((p - 1) // 32).is_prime() and (p - 1) // 32 % 2]
    assert [number(p) for p in testing.study_primes(13, 32, len(every), True)] == every
    with pytest.raises(ParameterError, match=f"only {len(every)} of {len(every) + 1} primes"):
        testing.study_primes(13, 32, len(every) + 1, True)


@pytest.mark.parametrize(("bits", "order"), [(7, 4), (1025, 4), (32, 0), (32, 6), (32, 1)])
def test_impossible_searches_are_refused(bits: int, order: int) -> None:
    with pytest.raises(ParameterError):
        testing.study_primes(bits, order, 1, False)


def factors(n: int) -> list[tuple[int, int]]:
    return [(int(p), int(e)) for p, e in flint.fmpz(n).factor()]


@pytest.mark.parametrize("p", [3, 7, 257, 769, 7681, 65537, 998244353, (1 << 61) - 1, 2**64 - 59])
def test_generators_generate(p: int) -> None:
    known = factors(p - 1)
    given_factors = [(big(q), e) for q, e in known]
    g = number(testing.study_find_generator(big(p), given_factors))
    assert all(pow(g, (p - 1) // q, p) != 1 for q, _ in known)
    assert testing.study_is_generator(big(g), big(p), given_factors)
    if p < 1000:
        assert len({pow(g, i, p) for i in range(p - 1)}) == p - 1
        right = {x for x in range(1, p) if len({pow(x, i, p) for i in range(p - 1)}) == p - 1}
        assert {x for x in range(p) if testing.study_is_generator(big(x), big(p), given_factors)} == right


def test_the_loop_as_printed_would_take_the_wrong_half() -> None:
    """Erratum 004-7: beta = 1 means that alpha is of no use; as printed the loop stops there."""
    p = 7681
    for q, e in factors(p - 1):
        bad = next(a for a in range(2, p) if pow(a, (p - 1) // q, p) == 1)
        gamma = pow(bad, (p - 1) // q**e, p)
        assert pow(gamma, q ** (e - 1), p) == 1, "its order is less than q^e"


def test_wrong_factorisations_are_refused() -> None:
    with pytest.raises(ParameterError, match="do not multiply to"):
        testing.study_find_generator(big(7681), [(big(2), 9), (big(3), 1)])
    with pytest.raises(ParameterError, match="are the factors prime"):
        testing.study_find_generator(big(7681), [*((big(q), e) for q, e in factors(7680)), (big(1), 1)])
