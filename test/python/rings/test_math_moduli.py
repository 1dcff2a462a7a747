# SPDX-License-Identifier: Apache-2.0
"""Modular arithmetic of one word against Python integers, at the edges of the ranges that the contracts promise."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from cyclotome._core import testing
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.integers import integers, primes_below, words

MODULUS = {32: testing.Modulus32, 64: testing.Modulus64}
SHOUP = {32: testing.Shoup32, 64: testing.Shoup64}
MONTGOMERY = {32: testing.Montgomery32, 64: testing.Montgomery64}
MAX_BITS = {32: 31, 64: 61}
WORD = pytest.mark.parametrize("word", [32, 64])

EDGES = {
    word: sorted(
        {2, 3, 4, 5, 7, 255, 256, 257, 1 << 16, 65537, 1 << 29, 1 << 30, (1 << 31) - 2, (1 << 31) - 1}
        | {next(primes_below(1 << bits)) for bits in (2, 3, 16, 29, 30, 31)}
        | (set() if word == 32 else {1 << 31, 1 << 32, (1 << 32) + 1, 1 << 60, (1 << 61) - 2, (1 << 61) - 1})
        | (set() if word == 32 else {next(primes_below(1 << bits)) for bits in (32, 33, 55, 60, 61)})
    )
    for word in (32, 64)
}


def operands(q: int, rng: np.random.Generator | None = None) -> list[int]:
    """Reduced operands at the edges, and some random ones."""
    edges = {0, 1, 2, q // 3, q // 2 - 1, q // 2, q // 2 + 1, q - 2, q - 1}
    values = {x for x in edges if 0 <= x < q}
    if rng is not None:
        values |= {int(x) for x in rng.integers(0, q, 12, dtype=np.uint64)}
    return sorted(values)


def pairs(values: list[int]) -> tuple[Any, Any]:
    a, b = np.meshgrid(words(values), words(values))
    return a.reshape(-1), b.reshape(-1)


@WORD
def test_the_four_operations_equal_integer_arithmetic(word: int, rng: np.random.Generator) -> None:
    for q in EDGES[word]:
        modulus = MODULUS[word](q)
        a, b = pairs(operands(q, rng))
        x, y = integers(a), integers(b)
        assert (modulus.value, modulus.bits) == (q, q.bit_length())
        assert np.array_equal(integers(modulus.add(a, b)), (x + y) % q), q
        assert np.array_equal(integers(modulus.subtract(a, b)), (x - y) % q), q
        assert np.array_equal(integers(modulus.multiply(a, b)), x * y % q), q
        assert np.array_equal(integers(modulus.negate(a)), -x % q), q


@WORD
def test_products_are_exact_for_every_small_modulus_and_every_pair(word: int) -> None:
    for q in range(2, 80):
        a, b = pairs(list(range(q)))
        assert np.array_equal(MODULUS[word](q).multiply(a, b), a * b % np.uint64(q)), q


def modulus_values(word: int) -> st.SearchStrategy[int]:
    return st.one_of(
        st.sampled_from(EDGES[word]),
        st.integers(2, MAX_BITS[word]).flatmap(lambda bits: st.integers(1 << (bits - 1), (1 << bits) - 1)),
    ).filter(lambda q: q >= 2)


@WORD
@settings(max_examples=300)
@given(data=st.data())
def test_any_double_word_is_reduced(word: int, data: st.DataObject) -> None:
    q = data.draw(modulus_values(word))
    top = 1 << (2 * word)
    multiple = data.draw(st.integers(0, top // q)) * q
    near = st.sampled_from([multiple - 1, multiple, multiple + 1, top - 1, top - q, top // q * q - 1])
    x = data.draw(st.one_of(near, st.integers(0, top - 1)).filter(lambda v: 0 <= v < top))
    low, high = words([x % (1 << word)]), words([x >> word])
    assert MODULUS[word](q).reduce_wide(low, high)[0] == x % q
    assert MODULUS[word](q).reduce(low)[0] == x % (1 << word) % q


@WORD
@settings(max_examples=200)
@given(data=st.data())
def test_products_of_random_moduli(word: int, data: st.DataObject) -> None:
    q = data.draw(modulus_values(word))
    a, b = data.draw(st.integers(0, q - 1)), data.draw(st.integers(0, q - 1))
    modulus = MODULUS[word](q)
    assert modulus.multiply(words([a]), words([b]))[0] == a * b % q
    factor = SHOUP[word](a, q)
    x = data.draw(st.integers(0, (1 << word) - 1))
    assert factor.multiply(words([x]), q)[0] == a * x % q


@WORD
def test_signed_integers_are_reduced(word: int) -> None:
    extremes = [-(1 << 63), -(1 << 63) + 1, (1 << 63) - 1, -(1 << 32), -(1 << 31), -65537, -2, -1, 0, 1, 2, 1 << 40]
    for q in EDGES[word]:
        for x in [*extremes, -q, q, 1 - q, q - 1]:
            assert MODULUS[word](q).reduce_signed(x) == x % q, (q, x)


@WORD
@settings(max_examples=100)
@given(data=st.data())
def test_powers(word: int, data: st.DataObject) -> None:
    q = data.draw(modulus_values(word))
    base = data.draw(st.integers(0, q - 1))
    exponent = data.draw(st.one_of(st.integers(0, 3), st.integers(0, (1 << 64) - 1)))
    assert MODULUS[word](q).power(base, exponent) == pow(base, exponent, q)


@WORD
def test_shoup_products_take_any_word_and_stay_below_2q(word: int, rng: np.random.Generator) -> None:
    top = (1 << word) - 1
    x = words([0, 1, top, top - 1, top // 2, *rng.integers(0, top, 40, dtype=np.uint64, endpoint=True)])
    for q in EDGES[word]:
        for w in operands(q):
            factor = SHOUP[word](w, q)
            lazy = integers(factor.multiply_lazy(x, q))
            assert np.array_equal(lazy % q, integers(x) * w % q), (q, w)
            assert max(lazy) < 2 * q, (q, w)
            assert np.array_equal(integers(factor.multiply(x, q)), integers(x) * w % q), (q, w)


@WORD
def test_montgomery_products_and_lazy_ranges(word: int, rng: np.random.Generator) -> None:
    r = 1 << word
    for q in (q for q in EDGES[word] if q % 2 == 1):
        form = MONTGOMERY[word](q)
        inverse = pow(r, -1, q)
        values = [0, 1, r - 1, q * r - 1, q * r - r, (q - 1) * (q - 1), (2 * q - 1) * (q - 1), q * r // 2]
        values += [int(v) % (q * r) for v in rng.integers(0, 1 << 63, 20)] + [(q - 1) * r, q, q - 1]
        low, high = words([v % r for v in values]), words([v // r for v in values])
        expected = np.array([v * inverse % q for v in values], dtype=object)
        lazy = integers(form.reduce_lazy(low, high))
        assert np.array_equal(lazy % q, expected) and max(lazy) < 2 * q and min(lazy) >= 0, q
        assert np.array_equal(integers(form.reduce(low, high)), expected), q

        a, b = pairs(operands(q, rng))
        product = form.leave(form.multiply(form.enter(a), form.enter(b)))
        assert np.array_equal(integers(product), integers(a) * integers(b) % q), q
        any_word = words([0, 1, q, r - 1])
        assert np.array_equal(integers(form.enter(any_word)), integers(any_word) * r % q), q
        assert np.array_equal(integers(form.leave(any_word)), integers(any_word) * inverse % q), q


@settings(max_examples=300)
@given(a=st.integers(0, (1 << 64) - 1), m=st.one_of(st.integers(0, 30), st.integers(1, (1 << 63) - 1)))
def test_inverses_and_common_divisors(a: int, m: int) -> None:
    assert testing.greatest_common_divisor(a, m) == math.gcd(a, m)
    expected = pow(a, -1, m) if m >= 2 and math.gcd(a, m) == 1 else 0
    assert testing.inverse_or_zero(a, m) == expected


def test_bits() -> None:
    for value in [0, 1, 2, 3, 4, 255, 256, (1 << 32) - 1, 1 << 32, (1 << 63) - 1, 1 << 63, (1 << 64) - 1]:
        assert testing.bit_length(value) == value.bit_length()
        assert testing.is_power_of_two(value) == (value.bit_count() == 1)
    for bits in range(1, 18):
        for value in {0, 1, (1 << bits) - 1, (1 << bits) // 3}:
            assert testing.reverse_bits(value, bits) == int(f"{value:0{bits}b}"[::-1], 2)
