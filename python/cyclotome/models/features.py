# SPDX-License-Identifier: Apache-2.0
"""Rows of real numbers as small integers: what client and server agree on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..errors import ArgumentError, RangeError, UnsupportedError
from ..numbers.values import IntArray

__all__ = ["Features", "real_rows"]

_MOST_BITS = 16


def real_rows(what: str, values: object) -> NDArray[np.float64]:
    """Finite floats with two axes, rows first.

    Raises:
        UnsupportedError: values that are no real numbers.
        RangeError: NaN or infinity; names row and feature.
        ArgumentError: not two axes, or none there.
    """
    try:
        array = np.asarray(values)
        if array.dtype.kind not in "biufO":
            raise TypeError(f"they are {array.dtype}")
        rows = array.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise UnsupportedError(f"{what}: rows are real numbers ({error})") from None
    if rows.ndim != 2 or not rows.size:
        raise ArgumentError(f"{what}: rows have two axes, samples and features, and are not of shape {rows.shape}")
    if not np.isfinite(rows).all():
        row, feature = (int(i) for i in np.argwhere(~np.isfinite(rows))[0])
        raise RangeError(f"{what}: row {row} (counted from 0), feature {feature} is {rows[row, feature]}")
    return rows


@dataclass(frozen=True, eq=False)
class Features:
    """Feature j is the integer round((x - low_j) / step_j), from 0 to ``levels_j``; what is encrypted is that less
    ``centre_j``. Public, and all that a client needs to encode rows: arrays of one number for each feature."""

    low: NDArray[np.float64]
    step: NDArray[np.float64]
    levels: IntArray

    @classmethod
    def over(cls, ranges: object, bits: int, weights: NDArray[np.float64] | None = None) -> Features:
        """As many steps as ``bits`` bits count between the least and largest value of each feature.

        Args:
            ranges: rows of which only the extremes count, or the pair (low, high) of rows of them.
            bits: 1 to 16.
            weights: one step for all features times these weights, as wide as the widest of them needs; None: a step
                for each feature.

        Raises:
            ArgumentError: bits out of range, or ranges that are none.
        """
        if isinstance(bits, bool) or not isinstance(bits, int) or not 1 <= bits <= _MOST_BITS:
            raise ArgumentError(f"feature_bits {bits!r} must be a whole number from 1 to {_MOST_BITS}")
        rows = real_rows("ranges", ranges)
        low, high = rows.min(axis=0), rows.max(axis=0)
        with np.errstate(over="ignore"):
            width = high - low
        if not np.isfinite(width).all():
            raise RangeError("ranges: a feature is wider than floats hold")
        most = (1 << bits) - 1
        if weights is None:
            # A feature without width is always 0.
            step = np.where(width > 0, width / most, 1.0)
        else:
            with np.errstate(over="ignore"):
                step = max(float((width * weights).max()) / most, np.finfo(float).tiny) / weights
        if not (step > 0).all() or not np.isfinite(step).all():
            raise RangeError("ranges: a feature is too narrow, or too wide, for steps that are floats")
        levels = np.clip(np.rint(width / step), 0, most).astype(np.int64)
        return cls(low, step, levels)

    @property
    def centre(self) -> IntArray:
        """What is taken off before encryption: integers around 0 have half the bound, and files keep bounds, not
        signs."""
        return np.asarray((self.levels + 1) // 2)

    @property
    def bound(self) -> int:
        """The largest magnitude of an encrypted integer, encoded - centre."""
        return int(self.centre.max())

    @property
    def count(self) -> int:
        """Number of features."""
        return len(self.low)

    def encode(self, rows: object, *, clip: bool = False) -> IntArray:
        """Rows (samples, features) as integers of shape (features, samples).

        Args:
            rows: real numbers.
            clip: cut what lies outside the ranges off at their ends, in place of refusing it.

        Raises:
            RangeError: a value outside its range; NaN or infinity. Names row and feature.
            ArgumentError, UnsupportedError: other shapes, or no numbers.
        """
        given = real_rows("encode", rows)
        if given.shape[1] != self.count:
            raise ArgumentError(f"encode: rows of {given.shape[1]} features; the model has {self.count}")
        levels = self.levels[None, :]
        with np.errstate(over="ignore"):
            places = np.rint((given - self.low) / self.step)
        outside = (places < 0) | (places > levels)
        if outside.any() and not clip:
            row, feature = (int(i) for i in np.argwhere(outside)[0])
            high = self.low[feature] + self.step[feature] * self.levels[feature]
            raise RangeError(
                f"encode: row {row} (counted from 0), feature {feature} is {given[row, feature]}, outside its range "
                f"from {self.low[feature]:g} to {high:g}; clip=True cuts it off there"
            )
        return np.ascontiguousarray(np.clip(places, 0, levels).astype(np.int64).T)

    def require(self, integers: object) -> IntArray:
        """Integers of shape (features, samples), within their levels. Raises ArgumentError."""
        array = np.asarray(integers)
        if array.ndim != 2 or array.shape[0] != self.count or array.dtype.kind not in "iu":
            raise ArgumentError(f"encoded rows are integers of shape ({self.count}, samples), not {array.shape}")
        if (array < 0).any() or (array > self.levels[:, None]).any():
            raise ArgumentError("encoded rows beyond the features' levels; encode makes them")
        return array.astype(np.int64)
