# SPDX-License-Identifier: Apache-2.0
"""Real numbers as integers with a scale, for schemes that compute with integers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import ArgumentError, RangeError, UnsupportedError
from .values import IntArray, integers

__all__ = ["FixedPoint"]


@dataclass(frozen=True)
class FixedPoint:
    """Numbers in steps of 2^-bits: x becomes round(2^bits x).

    Keeping the books is left to the user: sums have the scale of their terms, which must be equal, and products the sum
    of the factors' bits. So ``x * y`` of two arrays encoded with ``bits=8`` decodes with ``factors=2``.

    Args:
        bits: binary digits after the point, 0 to 60.

    Example:
        >>> steps = FixedPoint(bits=4)
        >>> steps.encode([0.5, -1.25, 3.01])
        array([  8, -20,  48])
        >>> steps.decode(steps.encode([0.5]) * steps.encode([-1.25]), factors=2)
        array([-0.625])
    """

    bits: int

    def __post_init__(self) -> None:
        if isinstance(self.bits, bool) or not isinstance(self.bits, int) or not 0 <= self.bits <= 60:
            raise ArgumentError(f"FixedPoint: bits = {self.bits!r} must be a whole number from 0 to 60")

    @property
    def step(self) -> float:
        """2^-bits, the distance of neighbouring numbers; rounding is off by half of it at most."""
        return 2.0**-self.bits

    def encode(self, values: ArrayLike) -> NDArray[np.int64]:
        """round(2^bits x), ties to even, as int64.

        Raises:
            RangeError: a NaN, an infinity, or a result of 2^62 or more.
            UnsupportedError: values that are no real numbers.
        """
        array = np.asarray(values)
        if array.dtype.kind not in "biuf":
            raise UnsupportedError(f"FixedPoint.encode takes real numbers, not {array.dtype}")
        scaled = np.rint(np.ldexp(array.astype(np.float64), self.bits))
        if not np.isfinite(scaled).all():
            raise RangeError("FixedPoint.encode: the values contain NaN or infinity; leave those out or replace them")
        if scaled.size and np.abs(scaled).max() >= 2.0**62:
            raise RangeError(
                f"FixedPoint.encode: {float(np.abs(array).max())!r} with {self.bits} bits after the point takes 62 "
                "bits or more; use fewer"
            )
        return np.asarray(scaled.astype(np.int64))

    def decode(self, values: IntArray | int, *, factors: int = 1) -> Any:
        """values / 2^(bits factors) as floats; ``factors``: how many encoded factors the values are products of."""
        if factors < 0:
            raise ArgumentError(f"FixedPoint.decode: factors = {factors} must not be negative")
        return np.ldexp(integers(values, "FixedPoint.decode").astype(np.float64), -self.bits * factors)
