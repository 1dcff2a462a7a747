# SPDX-License-Identifier: Apache-2.0
"""Where an encrypted array's values stand: indices, shapes and axes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TypeVar

import numpy as np

from .. import _core
from ..errors import ArgumentError, UnsupportedError
from ..numbers.shapes import Selection, require_rows, reshaped, selected, taken
from ..options import current
from .facts import ArrayFacts

__all__ = ["ArrangedArray"]

_A = TypeVar("_A", bound="ArrangedArray")


class ArrangedArray(ArrayFacts):
    """The part of `EncryptedArray` that brings values to other places."""

    __slots__ = ()

    def __len__(self) -> int:
        if not self.shape:
            raise UnsupportedError("a scalar has no length")
        return self.shape[0]

    def __getitem__(self: _A, key: object) -> _A:
        """As NumPy's. What takes values out of a packed axis moves them between slots: a beginning of rows is free, a
        slice within one row of slots takes one rotation, and other choices a rotation and a product with a mask for
        each way that values go.
        """
        return self._taken(selected(key, self.shape, self._native.outer))

    def _taken(self: _A, selection: Selection) -> _A:
        if selection.rows or not self.shape:
            return self.derived(_core.select(self._native, selection.numbers, selection.shape))
        how = current.get().native
        return self.derived(_core.rearranged(self._native, selection.numbers, selection.shape, how))

    def __iter__(self: _A) -> Iterator[_A]:
        require_rows(self.shape, self._native.outer)
        return (self[i] for i in range(len(self)))

    def reshape(self: _A, *shape: int | tuple[int, ...]) -> _A:
        """Another shape. Where the packed axis stays as long as it is, nothing is computed; else values move between
        slots, as `transpose` says.
        """
        wanted = reshaped(self.shape, shape)
        if self._native.outer == self.shape or wanted[-1:] == list(self.shape[-1:]):
            return self.derived(_core.reshape(self._native, wanted))
        places = np.arange(math.prod(self.shape)).reshape(wanted)
        return self._taken(taken(places, self.shape, self._native.outer))

    def transpose(self: _A, *axes: int | tuple[int, ...]) -> _A:
        """Axes in another order, reversed by default. Without a packed axis among them it costs nothing; else values
        move between slots: where a packed axis and the one before it, of lengths r and c, trade places, r + c rotations
        and r c products with masks. Encrypt transposed what is wanted so.

        Raises:
            ArgumentError: no such axes.
            UnsupportedError: values in coefficients, or in slots that are no two rows of integers.
            MissingKeyError: the rotations' keys are not attached.
            NoiseError: the result could not be decrypted.
        """
        order = axes[0] if len(axes) == 1 and isinstance(axes[0], (tuple, list)) else axes
        try:
            places = np.arange(math.prod(self.shape)).reshape(self.shape).transpose(*order)
        except (ValueError, TypeError) as error:
            raise ArgumentError(f"transpose: axes {order!r} of shape {self.shape}: {error}") from None
        return self._taken(taken(places, self.shape, self._native.outer))

    def diagonal(self: _A, *, axis1: int = 0, axis2: int = 1) -> _A:
        """The values whose places along two axes are equal, along a new last axis, as NumPy's. It costs what
        `transpose` says where one of them is packed.

        Raises:
            ArgumentError: axes that there are not, or one axis twice.
            UnsupportedError, MissingKeyError, NoiseError: as `transpose`.
        """
        try:
            places = np.arange(math.prod(self.shape)).reshape(self.shape).diagonal(0, axis1, axis2)
        except (ValueError, TypeError) as error:
            raise ArgumentError(f"diagonal: axes {axis1!r}, {axis2!r} of shape {self.shape}: {error}") from None
        return self._taken(taken(places, self.shape, self._native.outer))

    @property
    def T(self: _A) -> _A:  # NumPy's name
        """Axes reversed: `transpose`."""
        return self.transpose()

    def padded(self: _A) -> _A:
        """The last axis filled up with zeros to whole ciphertexts, a multiple of n: what `rotate_rows` asks for."""
        return self.derived(_core.padded(self._native, current.get().native))

    def packed(self: _A) -> _A:
        """A replicated array with its last axis moved into slots; costs a plaintext product for each value."""
        if self.layout == "packed":
            return self
        return self.derived(_core.packed(self._native, current.get().native))
