# SPDX-License-Identifier: Apache-2.0
"""How an array's values are spread over ciphertexts.

- packed: the last axis lies in the slots (or coefficients) of a ciphertext, in chunks of n; the other axes, flattened
  in C order, number the ciphertexts, and chunks of one row follow each other.
- replicated: every value has a ciphertext of its own and stands in all of its slots, which is the constant polynomial.
  That is what a sum over slots leaves. All axes number ciphertexts.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import ArgumentError
from .values import IntArray

__all__ = ["Indices", "Layout", "Shape", "broadcast_shape"]

Shape = tuple[int, ...]
Indices = NDArray[np.int64]


@dataclass(frozen=True)
class Layout:
    """Immutable description of the ciphertexts behind an array."""

    #: Shape of the array.
    shape: Shape
    #: Values that a ciphertext holds: n.
    width: int
    #: The last axis lies within ciphertexts.
    packed: bool
    #: Values are in slots; otherwise in coefficients. Meaningless for replicated arrays.
    slots: bool
    #: Where a chunk is not full, the rest is zero.
    clean: bool = True

    @property
    def outer(self) -> Shape:
        """The axes that number ciphertexts, without chunks."""
        return self.shape[:-1] if self.packed else self.shape

    @property
    def length(self) -> int:
        """Values along the packed axis."""
        return self.shape[-1] if self.packed else 1

    @property
    def chunks(self) -> int:
        """Ciphertexts for each index of the outer axes."""
        return -(-self.length // self.width)

    @property
    def batch(self) -> int:
        """Number of ciphertexts."""
        return math.prod(self.outer) * self.chunks

    @property
    def full(self) -> bool:
        """No chunk has room left."""
        return self.packed and self.length == self.chunks * self.width

    @property
    def zero_padded(self) -> bool:
        """Nothing but zeros stands beside the values."""
        return self.packed and (self.clean or self.full)

    def indices(self) -> Indices:
        """Number of every ciphertext, shaped ``outer + (chunks,)``."""
        return np.arange(self.batch).reshape((*self.outer, self.chunks))

    def reshaped(self, shape: Shape, **changes: Any) -> Layout:
        """This layout with another shape (and other fields)."""
        return replace(self, shape=shape, **changes)

    def rows(self, values: IntArray) -> IntArray:
        """``values`` of this shape as one row for each ciphertext; packed layouts only. Rows that end within a second
        chunk or later are padded with zeros to n; shorter ones are as long as they are."""
        rows = values.reshape((-1, self.length))
        if self.chunks == 1:
            return rows
        if not self.full:
            padding = np.zeros((len(rows), self.chunks * self.width - self.length), dtype=values.dtype)
            rows = np.concatenate([rows, padding], axis=1)
        return rows.reshape((self.batch, self.width))

    def values(self, rows: IntArray) -> IntArray:
        """The inverse of `rows`: one row of n for each ciphertext (of 1 if replicated) -> the array."""
        if self.packed:
            rows = rows.reshape((-1, self.chunks * self.width))[:, : self.length]
        return rows.reshape(self.shape)


def broadcast_shape(operation: str, a: Shape, b: Shape) -> Shape:
    """NumPy's broadcast shape of two.

    Raises:
        ArgumentError: they don't fit.
    """
    try:
        shape = np.broadcast_shapes(a, b)
    except ValueError:
        raise ArgumentError(f"{operation}: shapes {a} and {b} do not broadcast together") from None
    if 0 in shape:
        raise ArgumentError(f"{operation}: shapes {a} and {b} leave no values; encrypted arrays are never empty")
    return shape
