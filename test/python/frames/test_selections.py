# SPDX-License-Identifier: Apache-2.0
"""Bounds that fit selections: rows of zeros and one 1 take no room beyond what they select."""

from __future__ import annotations

from typing import Any

import cyclotome as cy
import numpy as np
import pytest
from small import keys

#: T = 65537 holds values within 32768: one record, and no sum of two.
MOST = 32768


def world() -> cy.Keys:
    return keys((65537,))


def test_rows_of_zeros_and_one() -> None:
    np.testing.assert_array_equal(cy.one_hot(2, 4), [0, 0, 1, 0])
    np.testing.assert_array_equal(cy.one_hot([[1], [0]], 2), [[[0, 1]], [[1, 0]]])
    assert cy.one_hot(np.zeros((0,), int), 3).shape == (0, 3)
    for wrong, error in ((4, "RangeError"), (-1, "RangeError"), (0.5, "UnsupportedError"), ([1, 9], "RangeError")):
        with pytest.raises(getattr(cy.errors, error)):
            cy.one_hot(wrong, 4)
    with pytest.raises(cy.errors.ArgumentError):
        cy.one_hot(0, 0)


@pytest.mark.parametrize("layout", ["packed", "replicated"])
@pytest.mark.parametrize("records", [1, 5, 16, 40])
def test_records_as_wide_as_the_parameters(records: int, layout: str) -> None:
    made = world()
    table = np.random.default_rng(records).integers(-MOST, MOST + 1, (records, 3))
    table[0] = [MOST, -MOST, MOST]
    for choice in {0, records // 2, records - 1}:
        query = cy.encrypt(cy.one_hot(choice, records), made.public, l1_bound=1, layout=layout)
        assert query.bound == 1
        for found in (query @ table, table.T @ query, query @ cy.Matrix(table, query.parameters, device=query.device)):
            np.testing.assert_array_equal(cy.decrypt(found, made.secret), table[choice])
            assert found.bound == MOST
        one = (query * table[:, 0]).sum(axis=-1)
        assert (cy.decrypt(one, made.secret), one.bound) == (table[choice, 0], MOST)
    loose = cy.encrypt(cy.one_hot(0, records), made.public, bound=1, layout=layout)
    if records > 1:
        with pytest.raises(cy.errors.RangeError, match="result_bits"):
            loose @ table


def test_encrypted_tables() -> None:
    made = world()
    table = np.random.default_rng(3).integers(-MOST, MOST + 1, (4, 12))
    x = cy.encrypt(table, made.public, bound=MOST)
    query = cy.encrypt(cy.one_hot(7, 12), made.public, l1_bound=1)
    np.testing.assert_array_equal(cy.decrypt(x @ query, made.secret), table[:, 7])
    np.testing.assert_array_equal(cy.decrypt((query * x).sum(axis=-1), made.secret), table[:, 7])
    rows = cy.encrypt(cy.one_hot(2, 4), made.public, l1_bound=1, layout="replicated")
    np.testing.assert_array_equal(cy.decrypt(rows @ x, made.secret), table[2])


def test_a_query_that_is_no_selection_is_not_encrypted() -> None:
    made = world()
    for row in ([0, 1, 1], [2, 0, 0], [1, -1, 0]):
        with pytest.raises(cy.errors.RangeError):
            cy.encrypt(row, made.public, l1_bound=1)


def test_a_promise_about_a_result() -> None:
    made = world()
    a, b = np.array([3, -4, 5]), np.array([100, 200, -300])
    x, y = cy.encrypt(a, made.public, bound=180), cy.encrypt(b, made.public, bound=180 + 120)
    with pytest.raises(cy.errors.RangeError):
        x * y
    promised = x.assume_bound(5) * y
    assert promised.bound == 1500
    np.testing.assert_array_equal(cy.decrypt(promised, made.secret), a * b)
    assert x.assume_bound(10**4).bound == 180  # a looser one changes nothing
    assert x.assume_bound(180, l1_bound=12).sum().bound == 12
    np.testing.assert_array_equal(cy.decrypt(x.assume_bound(5), made.secret), a)


def test_a_wrong_promise_is_refused_where_it_shows() -> None:
    made = world()
    x = cy.encrypt([3, -4, 5], made.public, bound=180)
    for wrong in (x.assume_bound(4), x.assume_bound(5, l1_bound=11), x.assume_bound(0)):
        with pytest.raises(cy.errors.RangeError, match="stated bound"):
            cy.decrypt(wrong, made.secret)


def test_promises_of_values_modulo_t() -> None:
    made = world()
    x = cy.encrypt([65536, 2], made.public, wrap=True)
    y = x.assume_bound(2)
    assert (y.bound, x.bound) == (2, None)
    np.testing.assert_array_equal(cy.decrypt(y, made.secret), [-1, 2])


@pytest.mark.parametrize("wrong", [-1, 0.5, "3", None, True])
def test_promises_are_whole_numbers(wrong: Any) -> None:
    x = cy.encrypt([1], world().public, bound=3)
    with pytest.raises(cy.errors.ArgumentError):
        x.assume_bound(wrong)
    if wrong is not None:
        with pytest.raises(cy.errors.ArgumentError):
            x.assume_bound(1, l1_bound=wrong)


def test_promises_beyond_the_parameters() -> None:
    with pytest.raises(cy.errors.RangeError):
        cy.encrypt([1], world().public, bound=3).assume_bound(MOST + 1)
