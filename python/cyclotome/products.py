# SPDX-License-Identifier: Apache-2.0
"""Matrix products: plaintext with encrypted, and encrypted with encrypted where the layout allows it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from .bounds import Bound, combined, within
from .channels import concatenate, linear_combination, take
from .elementwise import multiply_lazily, multiply_rows
from .errors import ArgumentError, UnsupportedError
from .layout import Shape, broadcast_shape
from .memory import announce_rest
from .reductions import sum_over
from .reporting import Task
from .shaping import concatenate as concatenate_arrays
from .values import IntArray, largest_sum

if TYPE_CHECKING:
    from .array import EncryptedArray

__all__ = ["matmul", "plain_matmul"]

#: Columns or rows that are worked on at a time where each takes ciphertexts of its own.
_AT_A_TIME = 8


def _require_contraction(left: Shape, right: Shape, plain: IntArray | None = None) -> None:
    if not left or not right:
        raise ArgumentError(f"matmul: shapes {left} and {right}; scalars are multiplied with *")
    if left[-1] != right[-2 if len(right) > 1 else -1]:
        raise ArgumentError(f"matmul: shapes {left} and {right} do not fit: {left[-1]} columns meet other rows")
    if plain is not None and plain.ndim > 2:
        raise ArgumentError(f"matmul: plaintext operands are vectors or matrices, not of shape {plain.shape}")
    if 0 in left or 0 in right:
        raise ArgumentError(f"matmul: shapes {left} and {right} leave no values; encrypted arrays are never empty")


def _bound(x: EncryptedArray, matrix: IntArray, axis: int) -> Bound:
    """|x| times the largest sum of magnitudes along an axis of the plaintext matrix."""
    if x.bound is None:
        return None
    return within(x.bound * largest_sum(matrix, axis), x.parameters, "matmul")


# --- plaintext @ encrypted --------------------------------------------------------------------------------------------
def plain_matmul(matrix: IntArray, x: EncryptedArray) -> EncryptedArray:
    """matrix @ x. Along an axis that numbers ciphertexts it takes scalar products only; along slots, a plaintext
    product and a sum over slots for every row of the matrix."""
    _require_contraction(matrix.shape, x.shape, matrix)
    if matrix.ndim == 1:
        return _without_axis(plain_matmul(matrix[None, :], x), max(x.ndim - 2, 0))
    bound = _bound(x, matrix, axis=1)
    if x.ndim == 1:
        return _weighted_slots(x, matrix, bound) if x._layout.packed else _weighted(x, matrix, bound, 0)
    return _weighted(x, matrix, bound, x.ndim - 2)


def _without_axis(x: EncryptedArray, axis: int) -> EncryptedArray:
    return x.reshape(tuple(n for i, n in enumerate(x.shape) if i != axis))


def _weighted(x: EncryptedArray, matrix: IntArray, bound: Bound, axis: int) -> EncryptedArray:
    """Contracts an axis that numbers ciphertexts with the columns of ``matrix``: its rows come in that axis's place."""
    rows = len(matrix)
    columns = np.moveaxis(x._layout.indices(), axis, -1)  # [everything else][axis]
    groups = columns.reshape((-1, x.shape[axis]))
    task = Task("multiplying matrices", len(groups))
    made = []
    for group in groups:
        made.append(linear_combination(take(x._channels, group), matrix))
        if len(made) == 1 < len(groups):  # the other products, and all of them joined and in order
            for channel in made[0]:
                announce_rest("matmul", channel, (3 * len(groups) - 1) * rows)
        task.advance()
    order = np.moveaxis(np.arange(len(groups) * rows).reshape((*columns.shape[:-1], rows)), -1, axis)
    layout = x._layout.reshaped((*x.shape[:axis], rows, *x.shape[axis + 1 :]))
    return x._result("matmul", take(concatenate(made), order), layout=layout, bound=bound)


def _weighted_slots(x: EncryptedArray, matrix: IntArray, bound: Bound) -> EncryptedArray:
    """For every row of ``matrix`` the sum of x * row over the packed axis, along a new last axis."""
    spread = x.reshape((*x.shape[:-1], 1, x.shape[-1]))

    def weighted(start: int, stop: int) -> EncryptedArray:
        products = multiply_rows(spread, matrix[start:stop], bound)
        return sum_over(products, (products.ndim - 1,), bound)

    return _in_columns(len(matrix), weighted)


def _in_columns(count: int, made: Callable[[int, int], EncryptedArray]) -> EncryptedArray:
    """Pieces of a new last axis, each made on its own, joined."""
    task = Task("multiplying matrices", count)
    parts = []
    for start in range(0, count, _AT_A_TIME):
        stop = min(start + _AT_A_TIME, count)
        parts.append(made(start, stop))
        task.advance(stop - start)
    return parts[0] if len(parts) == 1 else concatenate_arrays(parts, parts[0].ndim - 1)


# --- encrypted @ anything ---------------------------------------------------------------------------------------------
def matmul(x: EncryptedArray, y: EncryptedArray | IntArray) -> EncryptedArray:
    """x @ y."""
    if isinstance(y, np.ndarray):
        _require_contraction(x.shape, y.shape, y)
        matrix = y[:, None] if y.ndim == 1 else y
        bound = _bound(x, matrix, axis=0)
        columns = np.ascontiguousarray(matrix.T)
        product = _weighted_slots(x, columns, bound) if x._layout.packed else _weighted(x, columns, bound, x.ndim - 1)
        return _without_axis(product, product.ndim - 1) if y.ndim == 1 else product
    _require_contraction(x.shape, y.shape)
    if y.ndim == 1:
        return _sum_of_products(x, y, -1)
    if x._layout.packed:
        raise UnsupportedError(
            f"matmul: shapes {x.shape} and {y.shape}, but the left operand's columns lie in slots and the right one's "
            "rows do not. Encrypt the left operand with layout='replicated', or the right one transposed, and use "
            "(x[..., :, None, :] * y_transposed[..., None, :, :]).sum(axis=-1)"
        )
    # x (..., m, k, 1) times y (..., 1, k, n), summed over k.
    rows = y if x.ndim == 1 else y.reshape((*y.shape[:-2], 1, *y.shape[-2:]))
    return _sum_of_products(x.reshape((*x.shape, 1)), rows, -2)


def _sum_of_products(x: EncryptedArray, y: EncryptedArray, axis: int) -> EncryptedArray:
    """(x * y).sum(axis), relinearised once for every sum."""
    pair = combined("matmul", x.bound, y.bound)
    length = broadcast_shape("matmul", x.shape, y.shape)[axis]
    bound = None if pair is None else pair[0] * pair[1] * length
    product = multiply_lazily(x, y, bound)
    return sum_over(product, (product.ndim + axis,), bound)
