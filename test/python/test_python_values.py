# SPDX-License-Identifier: Apache-2.0
"""Integers in and out of residues are exact, whatever their width and container; checked with Python integers."""

from __future__ import annotations

import math
from typing import Any

import cyclotome as cy
import numpy as np
import pytest
from cyclotome.errors import ArgumentError, RangeError, UnsupportedError
from cyclotome.layout import Layout
from cyclotome.values import combine, integers, largest_sum, magnitude, residues
from hypothesis import given
from hypothesis import strategies as st

#: Below and above the width where products of digits leave int64.
small_moduli = [(2,), (1024,), (65537,), (257, 641), (2**31 - 1, 65537, 12289), (8, 9, 25, 7)]
wide_moduli = [((1 << 59) - 55,), ((1 << 59) - 55, (1 << 58) - 27), (2**31 - 1, (1 << 59) - 55, 3)]
moduli_sets = st.sampled_from(small_moduli + wide_moduli)


@given(moduli_sets, st.lists(st.integers(-(2**200), 2**200), min_size=1, max_size=9))
def test_residues_and_back(moduli: tuple[int, ...], numbers: list[int]) -> None:
    """combine(residues(x)) is x modulo T, in [0, T) or in [-T/2, T/2)."""
    total = math.prod(moduli)
    values = integers(numbers, "test")
    channels = [residues(values, t) for t in moduli]
    for t, channel in zip(moduli, channels, strict=True):
        assert channel.dtype == np.int64 and channel.flags.c_contiguous
        assert all((int(r) - x) % t == 0 and 2 * abs(int(r)) <= t for r, x in zip(channel, numbers, strict=True))
    wrapped, centred = combine(channels, moduli, wrap=True), combine(channels, moduli, wrap=False)
    assert [int(value) for value in wrapped] == [x % total for x in numbers]
    assert [int(value) for value in centred] == [(x + total // 2) % total - total // 2 for x in numbers]
    assert wrapped.dtype == centred.dtype == (np.int64 if total < 2**63 else object)


@pytest.mark.parametrize("moduli", small_moduli + wide_moduli)
def test_the_ends_of_the_range(moduli: tuple[int, ...]) -> None:
    total = math.prod(moduli)
    ends = [0, 1, -1, total // 2, -(total // 2), (total - 1) // 2, total - 1]
    channels = [residues(integers(ends, "test"), t) for t in moduli]
    assert [int(value) for value in combine(channels, moduli, wrap=True)] == [x % total for x in ends]


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


def test_magnitudes_where_int64_ends() -> None:
    assert magnitude(np.array([-(2**63), 5])) == 2**63
    assert magnitude(np.array([], dtype=np.int64)) == 0
    assert largest_sum(np.array([[-(2**63), 2**63 - 1], [1, 1]]), 1) == 2**64 - 1
    assert largest_sum(np.array([[-3, 2], [1, 1]]), 0) == 4


@given(
    st.lists(st.integers(1, 3), max_size=2),
    st.integers(1, 20),
    st.sampled_from([1, 4, 8]),
    st.booleans(),
    st.booleans(),
)
def test_rows_and_values_are_inverse(outer: list[int], length: int, width: int, packed: bool, slots: bool) -> None:
    layout = Layout((*outer, length), width, packed=packed, slots=slots)
    values = np.arange(math.prod(layout.shape)).reshape(layout.shape)
    if not packed:
        np.testing.assert_array_equal(layout.values(values.reshape(-1, 1)), values)
        assert layout.batch == values.size
        return
    rows = layout.rows(values)
    assert rows.shape == (layout.batch, width) and layout.batch == math.prod(outer) * math.ceil(length / width)
    np.testing.assert_array_equal(layout.values(rows), values)
    assert rows.sum() == values.sum()  # the rest is zero


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

    def test_refuses_other_types_and_scales(self) -> None:
        with pytest.raises(UnsupportedError, match="real numbers"):
            cy.FixedPoint(bits=8).encode([1j])
        for bits in (-1, 61, 1.5, True):
            with pytest.raises(ArgumentError, match="0 to 60"):
                cy.FixedPoint(bits=bits)  # type: ignore[arg-type]
        with pytest.raises(ArgumentError, match="factors"):
            cy.FixedPoint(bits=1).decode(1, factors=-1)
