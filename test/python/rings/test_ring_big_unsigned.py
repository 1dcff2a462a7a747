# SPDX-License-Identifier: Apache-2.0
"""Big unsigned integers against Python's."""

from __future__ import annotations

import math

import pytest
from cyclotome._core import testing
from hypothesis import given, settings
from hypothesis import strategies as st

WORD = (1 << 64) - 1
sizes = st.sampled_from([0, 1, 63, 64, 65, 127, 128, 129, 192, 500])
bigs = st.one_of(
    st.builds(lambda bits, off: max(0, (1 << bits) + off), sizes, st.integers(-2, 2)), st.integers(0, 1 << 400)
)
word_values = st.one_of(st.sampled_from([1, 2, 3, 10, 1 << 32, 1 << 63, WORD - 1, WORD]), st.integers(1, WORD))


def big(value: int) -> testing.BigUnsigned:
    return testing.BigUnsigned([(value >> (64 * i)) & WORD for i in range((value.bit_length() + 63) // 64)])


def number(value: testing.BigUnsigned) -> int:
    limbs = value.limbs
    assert not limbs or limbs[-1] != 0, "leading zeros"
    return sum(limb << (64 * i) for i, limb in enumerate(limbs))


@settings(max_examples=300)
@given(a=bigs, b=bigs)
def test_sums_products_differences_and_order(a: int, b: int) -> None:
    x, y = big(a), big(b)
    assert number(x) == a
    assert number(x.add(y)) == a + b
    assert number(x.multiply(y)) == a * b
    assert number(big(max(a, b)).subtract(big(min(a, b)))) == abs(a - b)
    assert x.less_than(y) == (a < b)
    assert x.equals(y) == (a == b)


@settings(max_examples=300)
@given(a=bigs, d=word_values, shift=st.one_of(st.sampled_from([0, 1, 63, 64, 65, 128, 1000]), st.integers(0, 600)))
def test_division_by_a_word_shifts_and_text(a: int, d: int, shift: int) -> None:
    x = big(a)
    assert number(x.divided_by(d)) == a // d
    assert x.mod(d) == a % d
    assert number(x.multiply_word(d)) == a * d
    assert number(x.multiply_word(0)) == 0
    assert number(x.shifted_right(shift)) == a >> shift
    assert x.to_string() == str(a)
    assert x.bit_length() == a.bit_length()
    assert x.is_zero() == (a == 0)
    assert x.log2() == (pytest.approx(math.log2(a), rel=1e-14, abs=1e-14) if a else -math.inf)


@given(st.lists(word_values, max_size=12))
def test_products_of_words(factors: list[int]) -> None:
    assert number(testing.BigUnsigned.product(factors)) == math.prod(factors)


@pytest.mark.parametrize("exponent", [0, 1, 63, 64, 65, 127, 128, 1000])
def test_powers_of_two(exponent: int) -> None:
    assert number(testing.BigUnsigned.power_of_two(exponent)) == 1 << exponent


@pytest.mark.parametrize("value", [10**19 - 1, 10**19, 10**19 + 1, 10**38, 10**38 + 7 * 10**19, 123456789 * 10**30])
def test_text_keeps_the_zeros_inside(value: int) -> None:
    assert big(value).to_string() == str(value)
