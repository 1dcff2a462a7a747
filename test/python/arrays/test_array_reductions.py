# SPDX-License-Identifier: Apache-2.0
"""Sums, matrix products and rotations equal NumPy's."""

from __future__ import annotations

import itertools

import cyclotome as cy
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small import DEGREE, HOME, decrypted, encrypted, keys, parameters, same

BOUND = 30
lengths = st.sampled_from([1, 4, DEGREE - 1, DEGREE, DEGREE + 1, 2 * DEGREE + 3])
layouts = st.sampled_from(["packed", "replicated"])
#: Lengths of an axis that numbers ciphertexts.
few = st.integers(1, 3)
seeds = st.integers(0, 2**32)


def numbers(seed: int, *shape: int, bound: int = BOUND) -> np.ndarray:
    return np.random.default_rng(seed).integers(-bound, bound, shape, endpoint=True)


@given(st.lists(few, max_size=2), lengths, layouts, st.booleans(), seeds, st.data())
@settings(max_examples=100)
def test_sums_over_every_choice_of_axes(
    outer: list[int], length: int, layout: str, keepdims: bool, seed: int, data: st.DataObject
) -> None:
    a = numbers(seed, *outer, length)
    choices = [None, *range(-a.ndim, a.ndim)]
    choices += [axes for count in range(a.ndim + 1) for axes in itertools.combinations(range(a.ndim), count)]
    axis = data.draw(st.sampled_from(choices))
    same(encrypted(a, BOUND, layout=layout).sum(axis, keepdims=keepdims), a.sum(axis, keepdims=keepdims))


@given(few, few, lengths, layouts, seeds)
@settings(max_examples=60)
def test_plain_matrix_times_encrypted_matrix(m: int, k: int, n: int, layout: str, seed: int) -> None:
    matrix, a = numbers(seed, m, k, bound=9), numbers(seed + 1, k, n)
    x = encrypted(a, BOUND, layout=layout)
    same(matrix @ x, matrix @ a)
    same(matrix[0] @ x, matrix[0] @ a)


@given(few, lengths, layouts, seeds)
@settings(max_examples=40)
def test_plain_matrix_times_encrypted_vector(m: int, k: int, layout: str, seed: int) -> None:
    matrix, a = numbers(seed, m, k, bound=9), numbers(seed + 1, k)
    x = encrypted(a, BOUND, layout=layout)
    same(matrix @ x, matrix @ a)
    same(matrix[0] @ x, matrix[0] @ a)
    same(x @ matrix[0], a @ matrix[0])
    same(x.dot(matrix[0]), a.dot(matrix[0]))


@given(st.lists(few, max_size=2), lengths, few, layouts, seeds)
@settings(max_examples=60)
def test_encrypted_times_plain_matrix(outer: list[int], k: int, n: int, layout: str, seed: int) -> None:
    a, matrix = numbers(seed, *outer, k), numbers(seed + 1, k, n, bound=9)
    x = encrypted(a, BOUND, layout=layout)
    same(x @ matrix, a @ matrix)
    same(x @ matrix[:, 0], a @ matrix[:, 0])


def test_stacks_of_matrices() -> None:
    a, matrix = numbers(1, 2, 3, DEGREE + 1), numbers(2, 4, 3, bound=9)
    for layout in ("packed", "replicated"):
        same(matrix @ encrypted(a, BOUND, layout=layout), matrix @ a)


@given(st.lists(few, max_size=2), lengths, layouts, layouts, seeds)
@settings(max_examples=60)
def test_encrypted_times_encrypted_vector(outer: list[int], k: int, first: str, second: str, seed: int) -> None:
    a, b = numbers(seed, *outer, k), numbers(seed + 1, k)
    same(encrypted(a, BOUND, layout=first) @ encrypted(b, BOUND, layout=second), a @ b)


@given(few, few, lengths, layouts, seeds)
@settings(max_examples=30)
def test_encrypted_times_encrypted_matrix_by_replicated_columns(m: int, k: int, n: int, layout: str, seed: int) -> None:
    a, b = numbers(seed, m, k), numbers(seed + 1, k, n)
    x, y = encrypted(a, BOUND, layout="replicated"), encrypted(b, BOUND, layout=layout)
    same(x @ y, a @ b)
    same(x[0] @ y, a[0] @ b)


def test_a_bound_of_a_matrix_product_counts_row_sums_not_the_largest_entry() -> None:
    """30 columns times 600 times 30 would be refused; a row of one 600 and 29 ones is not."""
    params = parameters((65537,))
    made = keys((65537,))
    a = np.full(30, 30)
    matrix = np.ones((2, 30), dtype=np.int64)
    matrix[0, 0] = matrix[1, 1] = 600
    for layout in ("packed", "replicated"):
        x = cy.encrypt(a, made.public, bound=30, layout=layout)
        y = matrix @ x
        assert y.bound == 629 * 30 <= params.capacity
        np.testing.assert_array_equal(cy.decrypt(y, made.secret), matrix @ a)
        assert (x @ matrix.T).bound == y.bound


@pytest.mark.parametrize("steps", [1, -1, 3, DEGREE // 2 - 1, DEGREE // 2, 0, 5 * DEGREE + 2])
def test_rotations_move_both_rows_of_slots(steps: int) -> None:
    a = numbers(3, 2, 2 * DEGREE)
    halves = a.reshape(2, 2, 2, DEGREE // 2)
    x = encrypted(a, BOUND)
    same(x.rotate_rows(steps), np.roll(halves, -steps, axis=-1).reshape(a.shape))
    same(x.rotate_columns(), halves[:, :, ::-1].reshape(a.shape))


def test_rotations_go_by_whole_steps() -> None:
    with pytest.raises(cy.errors.ArgumentError, match=r"whole number, not 1\.5"):
        encrypted(numbers(3, DEGREE), BOUND).rotate_rows(1.5)  # type: ignore[arg-type]


def test_padding_makes_room_for_rotations() -> None:
    a = numbers(4, 5)
    x = encrypted(a, BOUND)
    with pytest.raises(cy.errors.ArgumentError, match=r"x\.padded\(\) fills it up"):
        x.rotate_rows(1)
    full = np.concatenate([a, np.zeros(DEGREE - 5, dtype=np.int64)])
    same(x.padded(), full)
    same((x + encrypted(1, 1)).padded(), full + (np.arange(DEGREE) < 5))
    same(x.padded().rotate_columns(), np.roll(full, DEGREE // 2))


def test_a_rotation_without_its_key_names_it() -> None:
    made = cy.keygen(parameters(), rotations=[3], columns=True, device=HOME)
    assert made.evaluation.rotations == (3,)
    x = cy.encrypt(np.arange(DEGREE), made.public, bound=BOUND)
    rows = np.arange(DEGREE).reshape(2, -1)
    np.testing.assert_array_equal(cy.decrypt(x.rotate_rows(3), made.secret), np.roll(rows, -3, 1).ravel())
    with pytest.raises(cy.errors.MissingKeyError, match=r"rotations=\[2\]"):
        x.rotate_rows(2)
    with pytest.raises(cy.errors.MissingKeyError):
        x.sum()


def test_packing_scalars_into_slots() -> None:
    a = numbers(5, 2, DEGREE + 3)
    x = encrypted(a, BOUND, layout="replicated")
    packed = x.packed()
    assert (x.layout, packed.layout) == ("replicated", "packed")
    same(packed, a)
    same(packed * encrypted(a, BOUND), a * a)
    assert packed.packed() is packed


def test_sums_of_products_relinearise_to_two_parts() -> None:
    a = numbers(6, 3, 4)
    x = encrypted(a, BOUND)
    assert {channel.parts for channel in (x @ x[0]).native.channels} == {2}
    np.testing.assert_array_equal(decrypted(x @ x[0]), a @ a[0])
