# SPDX-License-Identifier: Apache-2.0
"""Integers into the library and out of it are exact, whatever their width and container; checked with Python's."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import cyclotome as cy
import numpy as np
import pytest
from cyclotome.errors import ArgumentError, RangeError, UnsupportedError
from cyclotome.numbers.values import from_native, integers, native
from hypothesis import given
from hypothesis import strategies as st


@given(st.lists(st.integers(-(2**200), 2**200), min_size=1, max_size=9), st.booleans())
def test_the_library_takes_and_gives_every_integer(numbers: list[int], scalar: bool) -> None:
    values = integers(numbers[0] if scalar else numbers, "test")
    back = from_native(native(values))
    assert back.shape == values.shape
    assert [int(value) for value in back.flat] == [int(value) for value in values.flat]


@pytest.mark.parametrize("number", [0, -1, 2**63 - 1, -(2**63), 2**63, 2**64 - 1, -(2**64), 2**127, -(2**127)])
def test_the_ends_of_words(number: int) -> None:
    assert from_native(native(integers([number, 1], "test"))).tolist() == [number, 1]


def test_arrays_that_lie_otherwise_in_memory_are_taken_as_they_read() -> None:
    array = np.arange(12).reshape(3, 4)
    for view in (array.T, array[::-1, ::2], np.asfortranarray(array)):
        np.testing.assert_array_equal(from_native(native(integers(view, "test"))), view)


@pytest.mark.parametrize(
    ("values", "dtype"),
    [
        (5, np.int64),
        (True, np.int64),
        (np.uint8(200), np.int64),
        ([1, -2, True], np.int64),
        (np.array([0, 2**63 - 1], dtype=np.uint64), np.int64),
        (np.array([2**63], dtype=np.uint64), object),
        ([2**63, -1], object),
        ([-(2**63), 2**63 - 1], np.int64),
        ([[10**40], [-1]], object),
        (np.array([1, np.int32(2), True], dtype=object), np.int64),
        (np.array([[1, 2], [3, 4]])[:, ::-1], np.int64),
        (range(4), np.int64),
    ],
    ids=repr,
)
def test_every_kind_of_integer_is_taken_exactly(values: Any, dtype: Any) -> None:
    array = integers(values, "test")
    assert array.dtype == dtype
    expected = np.asarray(values, dtype=object)
    assert array.shape == expected.shape
    assert [int(x) for x in array.flat] == [int(x) for x in expected.flat]


class TestFixedPoint:
    def test_rounds_to_the_nearest_step_ties_to_even(self) -> None:
        steps = cy.FixedPoint(bits=2)
        assert steps.encode([0.3, 0.125, 0.375, -0.3, 7]).tolist() == [1, 0, 2, -1, 28]
        assert steps.decode(np.array([1, -1])).tolist() == [0.25, -0.25]
        assert steps.step == 0.25

    def test_products_have_the_sum_of_their_factors_bits(self) -> None:
        steps = cy.FixedPoint(bits=10)
        a, b = np.array([0.5, -1.25]), np.array([2.0, 0.75])
        np.testing.assert_array_equal(steps.decode(steps.encode(a) * steps.encode(b), factors=2), a * b)

    def test_wide_results_decode(self) -> None:
        assert cy.FixedPoint(bits=40).decode(2**120, factors=2) == 2.0**40

    @pytest.mark.parametrize("values", [[np.nan], [np.inf], [1e300]])
    def test_refuses_what_has_no_integer(self, values: list[float]) -> None:
        with pytest.raises(RangeError):
            cy.FixedPoint(bits=8).encode(values)

    @pytest.mark.parametrize(
        "values",
        [
            2**53 + 1,
            [2**53 + 1, -(2**53) - 1],
            np.array([2**60 + 1], dtype=np.uint64),
            [2**53 + 1, 0.5],
            [Fraction(2**54 + 1, 2), Decimal("0.125")],
            np.array([np.longdouble(2) ** 60 + 1]),
            [[True, 2**61]],
        ],
        ids=repr,
    )
    def test_scales_what_floats_do_not_hold_exactly(self, values: Any) -> None:
        exact = [round(Fraction(*v.as_integer_ratio())) for v in np.asarray(values, dtype=object).ravel()]
        assert cy.FixedPoint(bits=0).encode(values).ravel().tolist() == exact

    def test_large_integers_are_refused_not_rounded(self) -> None:
        for values in (2**62, [2**61, -(2**70)], np.array([2**63], dtype=np.uint64), [2**61, 0.5]):
            with pytest.raises(RangeError, match="62 bits or more"):
                cy.FixedPoint(bits=1).encode(values)

    def test_exact_decoding_gives_fractions(self) -> None:
        steps = cy.FixedPoint(bits=40)
        assert steps.decode(2**100 + 1, factors=2, exact=True) == Fraction(2**100 + 1, 2**80)
        assert steps.decode([3, -1], exact=True).tolist() == [Fraction(3, 2**40), Fraction(-1, 2**40)]
        with pytest.raises(RangeError, match="exact=True"):
            steps.decode(10**400)

    def test_refuses_other_types_and_scales(self) -> None:
        with pytest.raises(UnsupportedError, match="real numbers"):
            cy.FixedPoint(bits=8).encode([1j])
        for bits in (-1, 61, 1.5, True):
            with pytest.raises(ArgumentError, match="0 to 60"):
                cy.FixedPoint(bits=bits)  # type: ignore[arg-type]
        with pytest.raises(ArgumentError, match="factors"):
            cy.FixedPoint(bits=1).decode(1, factors=-1)
