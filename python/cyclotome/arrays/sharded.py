# SPDX-License-Identifier: Apache-2.0
"""One array on several devices: every piece of its first axis computes where it lies, and all of them at once."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

import numpy as np

from .. import _core
from ..errors import ArgumentError, MismatchError, UnsupportedError
from ..numbers.values import IntArray, native
from ..options import current
from ..parameters.parameters import Parameters
from .array import Distributed, EncryptedArray, as_sent
from .plain import public_integers
from .shaping import concatenate
from .side_by_side import at_once

__all__ = ["ShardedArray"]

_T = TypeVar("_T")

#: An operand of one shard.
_Operand = EncryptedArray | IntArray


class ShardedArray(Distributed):
    """An array of encrypted integers whose first axis is spread over several devices; made by `shard`.

    It does what an `EncryptedArray` does as long as the first axis stays; sums and products over that axis give an
    `EncryptedArray` on the first device. Operands are integers and plaintext arrays, arrays that are cut alike, and
    encrypted arrays without that axis, which are copied to every device. Values and stored bytes of results are those
    of one device. ``gather`` brings the pieces together.
    """

    __slots__ = ("_shards",)
    __array_ufunc__ = None
    __pandas_priority__ = 5000

    def __init__(self, shards: Sequence[EncryptedArray]) -> None:
        """For the library itself; `shard` makes these arrays."""
        self._shards = tuple(shards)

    # --- facts --------------------------------------------------------------------------------------------------------
    @property
    def shards(self) -> tuple[EncryptedArray, ...]:
        """The pieces, in order."""
        return self._shards

    @property
    def devices(self) -> tuple[str, ...]:
        """Where the pieces are."""
        return tuple(piece.device for piece in self._shards)

    @property
    def shape(self) -> tuple[int, ...]:
        """Lengths of the axes of the whole."""
        return (sum(len(piece) for piece in self._shards), *self._shards[0].shape[1:])

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return self._shards[0].ndim

    @property
    def bound(self) -> int | None:
        """The largest magnitude that a value may have."""
        whole = self._native_bound()
        return None if whole.wraps else whole.largest

    def _native_bound(self) -> _core.Bound:
        """Of the whole: the pieces' rows stand below each other, or one after the other if there is one axis only."""
        bounds = [piece.native.bound for piece in self._shards]
        length = self.shape[-1]
        return functools.reduce(lambda a, b: a.together(b, length) if self.ndim == 1 else a.joined(b, length), bounds)

    @property
    def parameters(self) -> Parameters:
        """The parameters it was encrypted under."""
        return self._shards[0].parameters

    @property
    def key_id(self) -> str:
        """Id of the secret key that decrypts it."""
        return self._shards[0].key_id

    @property
    def ciphertexts(self) -> int:
        """Number of ciphertexts on all devices, those of every plaintext modulus counted."""
        return sum(piece.ciphertexts for piece in self._shards)

    @property
    def nbytes(self) -> int:
        """Bytes of its ciphertexts, on all devices; see `EncryptedArray.nbytes`."""
        return sum(piece.nbytes for piece in self._shards)

    @property
    def held_bytes(self) -> int:
        """Bytes that it takes in memory now, on all devices; see `EncryptedArray.held_bytes`."""
        return sum(piece.held_bytes for piece in self._shards)

    @property
    def noise_headroom(self) -> float:
        """As of an `EncryptedArray`: the least of all pieces."""
        return min(piece.noise_headroom for piece in self._shards)

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
        places = ", ".join(f"{len(piece)} on {piece.device}" for piece in self._shards)
        return f"ShardedArray(shape={self.shape}, {places}, {self.parameters.summary()})"

    # --- together and apart -------------------------------------------------------------------------------------------
    def gather(self, device: str | None = None) -> EncryptedArray:
        """The whole array on one device; None: the first piece's."""
        target = self.devices[0] if device is None else device
        return concatenate(self._each(lambda piece: piece.to(target)))

    def map(self, function: Callable[[EncryptedArray], EncryptedArray]) -> ShardedArray:
        """``function`` of every piece, all at once. It must keep the first axis as long as it is."""
        pieces = self._each(function)
        for before, after in zip(self._shards, pieces, strict=True):
            if not isinstance(after, EncryptedArray) or after.shape[:1] != before.shape[:1]:
                raise ArgumentError(f"map: a piece of shape {before.shape} became {after!r}; its first axis must stay")
        return ShardedArray(pieces)

    def decrypted(self, function: Callable[[EncryptedArray], IntArray]) -> IntArray:
        """Values of the pieces, joined: what `decrypt` does."""
        return np.concatenate([np.asarray(values) for values in self._each(function)])

    def _each(self, function: Callable[[EncryptedArray], _T]) -> list[_T]:
        return self._with([()] * len(self._shards), lambda piece: function(piece))

    def _with(self, operands: Sequence[tuple[Any, ...]], function: Callable[..., _T]) -> list[_T]:
        """``function`` of every piece and its operands, each pair in a thread of its own."""

        def work(piece: EncryptedArray, others: tuple[Any, ...]) -> Callable[[], _T]:
            return lambda: function(piece, *others)

        return at_once([work(*pair) for pair in zip(self._shards, operands, strict=True)])

    def _ranges(self) -> list[tuple[int, int]]:
        ends = np.cumsum([len(piece) for piece in self._shards]).tolist()
        return list(zip([0, *ends], ends, strict=False))

    # --- arithmetic ---------------------------------------------------------------------------------------------------
    def _operands(self, other: object, operation: str) -> list[tuple[_Operand]]:
        """What each piece meets of an operand that is broadcast."""
        if isinstance(other, ShardedArray):
            if [len(p) for p in other._shards] != [len(p) for p in self._shards] or other.devices != self.devices:
                raise MismatchError(
                    f"{operation}: {self!r} and {other!r} are cut differently; gather one, shard it alike"
                )
            return [(piece,) for piece in other._shards]
        if isinstance(other, EncryptedArray):
            if other.ndim > self.ndim or (other.ndim == self.ndim and other.shape[0] != 1):
                raise MismatchError(
                    f"{operation}: an encrypted array of shape {other.shape} on one device meets {self!r}; use "
                    "cyclotome.sharding.shard(y, x.devices)"
                )
            return self._copies(other)
        values = public_integers(other, operation)
        if values.ndim > self.ndim:
            raise ArgumentError(f"{operation}: {values.ndim} axes meet the {self.ndim} of {self!r}; gather it first")
        if values.ndim == self.ndim and values.shape[0] != 1:
            if values.shape[0] != len(self):
                raise ArgumentError(f"{operation}: shapes {self.shape} and {values.shape} do not fit")
            return [(values[start:stop],) for start, stop in self._ranges()]
        return [(values,)] * len(self._shards)

    def _copies(self, other: _Operand) -> list[tuple[_Operand]]:
        """The same operand for every piece, on its device."""
        if isinstance(other, np.ndarray):
            return [(other,)] * len(self._shards)
        # Beside all pieces it is broadcast, and so relinearised first, even where a piece is no longer than it is.
        whole = as_sent(other)
        return [(copy,) for copy in self._each(lambda piece: whole.to(piece.device))]

    def _binary(self, other: object, operation: str, function: Callable[[Any, Any], Any]) -> ShardedArray:
        return ShardedArray(self._with(self._operands(other, operation), function))

    def __neg__(self) -> ShardedArray:
        return self.map(operator.neg)

    def __add__(self, other: object) -> ShardedArray:
        return self._binary(other, "add", operator.add)

    def __radd__(self, other: object) -> ShardedArray:
        return self._binary(other, "add", lambda a, b: b + a)

    def __sub__(self, other: object) -> ShardedArray:
        return self._binary(other, "subtract", operator.sub)

    def __rsub__(self, other: object) -> ShardedArray:
        return self._binary(other, "subtract", lambda a, b: b - a)

    def __mul__(self, other: object) -> ShardedArray:
        if other is self:  # a square is cheaper than a product
            return self.map(lambda piece: piece * piece)
        return self._binary(other, "multiply", operator.mul)

    def __rmul__(self, other: object) -> ShardedArray:
        return self._binary(other, "multiply", lambda a, b: b * a)

    def __pow__(self, exponent: object) -> ShardedArray:
        return self.map(lambda piece: piece**exponent)

    def __floordiv__(self, divisor: object) -> ShardedArray:
        return self.map(lambda piece: piece // divisor)

    def __mod__(self, divisor: object) -> ShardedArray:
        return self.map(lambda piece: piece % divisor)

    def __matmul__(self, other: object) -> ShardedArray | EncryptedArray:
        if isinstance(other, ShardedArray):
            if self.ndim < 3 or other.ndim < 3:
                raise MismatchError(f"matmul: {self!r} and {other!r}; products of matrices take one of them gathered")
            return self._binary(other, "matmul", operator.matmul)
        right = other if isinstance(other, EncryptedArray) else public_integers(other, "matmul")
        if self.ndim > 1:
            if right.ndim > 2 and (right.ndim > self.ndim or right.shape[0] != 1):
                raise MismatchError(f"matmul: {self!r} and an array of shape {right.shape}, which is not cut like it")
            return ShardedArray(self._with(self._copies(right), operator.matmul))
        if isinstance(right, EncryptedArray) or right.shape[:1] != self.shape:
            raise ArgumentError(f"matmul: shapes {self.shape} and {right.shape}; gather the left operand first")
        rows = [(right[start:stop],) for start, stop in self._ranges()]
        columns = native(right.reshape(len(self), -1))
        return self._joined(self._with(rows, operator.matmul), self._native_bound().right_product(columns))

    def __rmatmul__(self, other: object) -> ShardedArray | EncryptedArray:
        if isinstance(other, EncryptedArray):
            if self.ndim < 3 or (other.ndim > 2 and (other.ndim > self.ndim or other.shape[0] != 1)):
                raise MismatchError(
                    f"matmul: an encrypted array of shape {other.shape} on one device meets {self!r}, whose first axis "
                    "does not stay; gather the right operand first"
                )
            return ShardedArray(self._with(self._copies(other), lambda piece, left: left @ piece))
        matrix = public_integers(other, "matmul")
        if self.ndim > 2:
            return self.map(lambda piece: piece.__rmatmul__(matrix))
        if matrix.ndim == 0 or matrix.shape[-1] != len(self):
            raise ArgumentError(f"matmul: shapes {matrix.shape} and {self.shape} do not fit")
        columns = [(matrix[..., start:stop],) for start, stop in self._ranges()]
        whole, rows = self._native_bound(), native(matrix.reshape(-1, len(self)))
        bound = whole.left_product(rows, self.shape[-1]) if self.ndim > 1 else whole.left_vector_product(rows)
        return self._joined(self._with(columns, lambda piece, part: part @ piece), bound)

    def sum(self, axis: int | tuple[int, ...] | None = None) -> ShardedArray | EncryptedArray:
        """Sums over all axes, or those given; over the first one the result is an `EncryptedArray` on the first
        device."""
        given = range(self.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
        if not all(-self.ndim <= a < self.ndim for a in given):
            raise ArgumentError(f"sum: axis {axis} of an array of shape {self.shape}")
        axes = tuple(sorted({a % self.ndim for a in given}))
        if 0 not in axes:
            return ShardedArray(self._each(lambda piece: piece.sum(axes)))
        # Over slots only once, after the pieces have met: that is what one device does.
        over_slots = self._shards[0].layout == "packed" and self.ndim - 1 in axes
        outer = axes[:-1] if over_slots else axes
        bound = self._native_bound().total(list(self.shape), list(outer))
        result = self._joined(self._each(lambda piece: piece.sum(outer)), bound)
        return result.sum(-1) if over_slots else result

    def _joined(self, pieces: Sequence[EncryptedArray], bound: _core.Bound) -> EncryptedArray:
        """The sum of one array from each device, on the first, which is within `bound`."""
        moved = ShardedArray(pieces)._each(lambda piece: piece.to(pieces[0].device))
        return moved[0].derived(_core.sum_of_parts([piece.native for piece in moved], bound, current.get().native))

    def __getitem__(self, key: object) -> ShardedArray | EncryptedArray:
        first, *rest = key if isinstance(key, tuple) else (key,)
        if isinstance(first, slice):
            chosen = range(len(self))[first]
            if chosen.step < 0 or not chosen:
                raise ArgumentError(f"index {key!r}: a sharded array takes slices that go forward and select something")
            pieces = []
            for (start, stop), piece in zip(self._ranges(), self._shards, strict=True):
                own = [i - start for i in chosen if start <= i < stop]
                if own:
                    selected = (slice(own[0], own[-1] + 1, chosen.step), *rest)
                    pieces.append(piece[selected])
            return ShardedArray(pieces)
        if isinstance(first, (int, np.integer)) and not isinstance(first, bool):
            if not -len(self) <= first < len(self):
                raise ArgumentError(f"index {key!r} does not fit shape {self.shape}")
            position = int(first) % len(self)
            start, piece = next(
                (start, p) for (start, stop), p in zip(self._ranges(), self._shards, strict=True) if position < stop
            )
            single = (position - start, *rest)
            return piece[single]
        raise UnsupportedError(f"index {key!r}: a sharded array takes whole numbers and slices first; or gather it")

    def __iter__(self) -> Iterator[EncryptedArray]:
        return (item for piece in self._shards for item in piece)

    def with_keys(self, *keys: object) -> ShardedArray:
        """The same array that knows these public and evaluation keys too, a copy on every device."""
        return self.map(lambda piece: piece.with_keys(*keys))
