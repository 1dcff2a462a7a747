# SPDX-License-Identifier: Apache-2.0
"""Indexing, reshaping and joining follow NumPy on all axes but the packed one."""

from __future__ import annotations

from typing import Any

import cyclotome as cy
import numpy as np
import pytest
from cyclotome.errors import ArgumentError, UnsupportedError
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from small import DEGREE, encrypted, same

BOUND = 99
VALUES = np.arange(3 * 4 * (DEGREE + 2)).reshape(3, 4, DEGREE + 2) % BOUND


@pytest.mark.parametrize(
    "key",
    [
        0,
        -1,
        slice(1, None),
        slice(None, None, -2),
        (1, 2),
        (slice(None), 1),
        (Ellipsis, slice(None)),
        (1, Ellipsis),
        (0, slice(None), slice(None)),
        None,
        (slice(None), None, 2),
        (None, 1, None, slice(1, 3), slice(None)),
        [2, 0, 0],
        np.array([[0, 1], [2, 2]]),
        np.array([True, False, True]),
        (np.array([0, 2]), np.array([3, 1])),
        (np.array([0, 2]), slice(None), slice(None)),
        (),
        np.int64(2),
    ],
    ids=repr,
)
def test_indices_select_what_numpy_selects(key: Any) -> None:
    same(encrypted(VALUES, BOUND)[key], VALUES[key])


@given(hnp.basic_indices((3, 4, 2), allow_newaxis=True, allow_ellipsis=True))
@settings(max_examples=60)
def test_every_axis_of_a_replicated_array_can_be_indexed(key: Any) -> None:
    values = VALUES[:, :, :2]
    x = encrypted(values, BOUND, layout="replicated")
    if values[key].size == 0:
        with pytest.raises(ArgumentError, match="selects nothing"):
            x[key]
    else:
        same(x[key], values[key])


@pytest.mark.parametrize("key", [(0, 0, 0), (Ellipsis, 1), (0, 0, slice(1, 3)), (slice(None), 1, [0, 1])])
def test_slots_can_be_indexed_and_coefficients_can_not(key: Any) -> None:
    same(encrypted(VALUES, BOUND)[key], VALUES[key])
    with pytest.raises(UnsupportedError, match="lies in coefficients"):
        encrypted(VALUES, BOUND, encoding="coefficients")[key]


@pytest.mark.parametrize("key", [(Ellipsis, None), (0, 0, slice(None), None), (0, 0, 1, None)])
def test_no_axis_comes_after_the_packed_one(key: Any) -> None:
    with pytest.raises(UnsupportedError, match="within ciphertexts"):
        encrypted(VALUES, BOUND)[key]


@pytest.mark.parametrize("key", [3, (0, 4), (0, 0, slice(None), 0), np.array([9])])
def test_indices_out_of_range(key: Any) -> None:
    with pytest.raises(ArgumentError):
        encrypted(VALUES, BOUND)[key]


@pytest.mark.parametrize("key", ["name", 1.0, (0, "x"), encrypted])
def test_indices_of_other_types(key: Any) -> None:
    with pytest.raises(UnsupportedError, match="indices"):
        encrypted(VALUES, BOUND)[key]


@pytest.mark.parametrize("shape", [(12, DEGREE + 2), (2, 6, -1), (-1, DEGREE + 2), (1, 3, 2, 2, DEGREE + 2)])
def test_reshaping_all_axes_but_the_packed_one(shape: tuple[int, ...]) -> None:
    x = encrypted(VALUES, BOUND)
    same(x.reshape(shape), VALUES.reshape(shape))
    same(x.reshape(*shape), VALUES.reshape(shape))


def test_replicated_arrays_take_any_shape() -> None:
    x = encrypted(VALUES[0, :, :3], BOUND, layout="replicated")
    same(x.reshape(2, 6), VALUES[0, :, :3].reshape(2, 6))


def test_reshapes_that_do_not_fit() -> None:
    x = encrypted(VALUES, BOUND)
    with pytest.raises(UnsupportedError, match="lies in coefficients"):
        encrypted(VALUES, BOUND, encoding="coefficients").reshape(-1)
    with pytest.raises(ArgumentError, match="have no shape"):
        x.reshape(5, DEGREE + 2)
    with pytest.raises(ArgumentError, match=r"whole number, not 2\.0"):
        x.reshape(2.0, -1)


@given(st.sampled_from([0, 1, -2, -3]), st.lists(st.integers(1, 3), min_size=1, max_size=3))
@settings(max_examples=30)
def test_concatenation(axis: int, counts: list[int]) -> None:
    parts = [np.moveaxis(VALUES[:count] if axis in (0, -3) else VALUES[:, :count], 0, 0) for count in counts]
    same(cy.concatenate([encrypted(part, BOUND) for part in parts], axis), np.concatenate(parts, axis))


@pytest.mark.parametrize("axis", [0, 1, 2, -2])
def test_stacking(axis: int) -> None:
    same(cy.stack([encrypted(VALUES, BOUND), encrypted(-VALUES, BOUND)], axis), np.stack([VALUES, -VALUES], axis))


def test_joining_keeps_the_largest_bound_and_what_each_array_knows() -> None:
    both = cy.concatenate([encrypted([[1, 2]], 5), encrypted([[3, 4]], 7)])
    assert both.bound == 7
    mixed = cy.stack([encrypted([1, 2], 5) + encrypted(1, 1), encrypted([3, 4], 7)])
    same(mixed.sum(axis=-1), [5, 7])


def test_joins_that_do_not_fit() -> None:
    x = encrypted(VALUES, BOUND)
    with pytest.raises(UnsupportedError, match="within ciphertexts"):
        cy.concatenate([x, x], axis=-1)
    with pytest.raises(ArgumentError, match="axis 3"):
        cy.concatenate([x, x], axis=3)
    with pytest.raises(ArgumentError, match="differ"):
        cy.concatenate([x, x[:, :2]])
    with pytest.raises(ArgumentError, match="layouts"):
        cy.concatenate([encrypted([[1]], 1), encrypted([[1]], 1, layout="replicated")])
    with pytest.raises(ArgumentError, match=r"whole number, not 0\.0"):
        cy.concatenate([x, x], axis=0.0)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="at least one"):
        cy.concatenate([])
    with pytest.raises(ArgumentError, match="at least one"):
        cy.concatenate([x, VALUES])  # type: ignore[list-item]
    with pytest.raises(ArgumentError, match="stack"):
        cy.stack([x, x], axis=-1)


def test_iteration_and_length() -> None:
    x = encrypted(VALUES, BOUND)
    assert len(x) == 3
    for item, expected in zip(x, VALUES, strict=True):
        same(item, expected)
    with pytest.raises(UnsupportedError, match="within ciphertexts"):
        iter(x[0, 0])
    with pytest.raises(UnsupportedError):
        iter(encrypted(1, 1))
    with pytest.raises(UnsupportedError):
        len(encrypted(1, 1))


def test_facts_match_numpy() -> None:
    x = encrypted(VALUES, BOUND)
    assert (x.shape, x.ndim, x.size, x.dtype) == (VALUES.shape, VALUES.ndim, VALUES.size, "int")
    assert x.ciphertexts == 3 * 4 * 2 * 2  # two chunks, two plaintext moduli
