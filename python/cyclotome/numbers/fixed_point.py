# SPDX-License-Identifier: Apache-2.0
"""Real numbers as integers with a scale, 2^bits, for schemes that compute with integers."""

from __future__ import annotations

import numbers
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import ArgumentError, RangeError, UnsupportedError
from .values import DURATION, IntArray, integers, is_integral, is_masked

__all__ = ["FixedPoint"]


@dataclass(frozen=True)
class FixedPoint:
    """Numbers in steps of 2^-bits: x becomes round(2^bits x).

    Of plain arrays, keeping the books is left to the user: sums have the scale of their terms, which must be equal, and
    products the sum of the factors' bits. So ``x * y`` of two arrays encoded with ``bits=8`` decodes with
    ``factors=2``. Columns carry their scale by themselves: ``cy.encrypt_frame(table, key, scales={"x":
    cy.FixedPoint(bits=8)})``, or ``cy.EncryptedColumn(array, scale=steps.scale)``.

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

    @property
    def scale(self) -> int:
        """2^bits: how many steps make one."""
        return int(2**self.bits)

    def encode(self, values: ArrayLike) -> NDArray[np.int64]:
        """round(2^bits x), ties to even, as int64. That is the only rounding: integers, floats of any width, fractions
        and decimals are taken as the numbers that they are.

        Raises:
            RangeError: a NaN, an infinity, or a result of 2^62 or more.
            UnsupportedError: values that are no real numbers.
        """
        array = _real_numbers(values)
        if array.dtype == object:
            return self._encoded_exactly(array)
        scaled = np.rint(np.ldexp(array.astype(np.float64), self.bits))  # both exact but for the rounding that is meant
        if not np.isfinite(array).all():
            raise RangeError("FixedPoint.encode: the values contain NaN or infinity; leave those out or replace them")
        if scaled.size and np.abs(scaled).max() >= 2.0**62:
            raise self._too_large(float(np.abs(array).max()))
        return np.asarray(scaled.astype(np.int64))

    def _encoded_exactly(self, array: NDArray[Any]) -> NDArray[np.int64]:
        result = np.empty(array.shape, dtype=np.int64)
        flat = result.reshape(-1)
        for i, value in enumerate(array.ravel()):
            scaled = round(_fraction(value) * 2**self.bits)
            if abs(scaled) >= 2**62:
                raise self._too_large(value)
            flat[i] = scaled
        return result

    def _too_large(self, value: object) -> RangeError:
        return RangeError(
            f"FixedPoint.encode: {value!r} with {self.bits} bits after the point takes 62 bits or more; use fewer"
        )

    @overload
    def decode(self, values: int, *, factors: int = 1, exact: Literal[False] = False) -> float: ...
    @overload
    def decode(self, values: int, *, factors: int = 1, exact: Literal[True]) -> Fraction: ...
    @overload
    def decode(
        self, values: IntArray, *, factors: int = 1, exact: Literal[False] = False
    ) -> NDArray[np.float64] | Any: ...
    @overload
    def decode(self, values: ArrayLike, *, factors: int = 1, exact: bool = False) -> NDArray[Any] | Any: ...
    def decode(self, values: ArrayLike, *, factors: int = 1, exact: bool = False) -> Any:
        """values / 2^(bits factors).

        Args:
            values: what `encode` gave, or results computed from it.
            factors: how many encoded factors the values are products of.
            exact: fractions (`fractions.Fraction`) rather than the floats nearest to them, which hold 53 bits.

        Raises:
            ArgumentError: ``factors`` is no whole number of at least 0.
            RangeError: a value beyond what floats hold.
        """
        if isinstance(factors, bool) or not isinstance(factors, int) or factors < 0:
            raise ArgumentError(f"FixedPoint.decode: factors = {factors!r} must be a whole number of at least 0")
        whole, unit = integers(values, "FixedPoint.decode", named_rows=True), 2 ** (self.bits * factors)
        decoded = np.empty(whole.shape, dtype=object if exact else np.float64)
        flat = decoded.reshape(-1)
        try:
            for i, value in enumerate(whole.ravel().tolist()):
                flat[i] = Fraction(value, unit) if exact else value / unit  # of integers: rounded once
        except OverflowError:
            raise RangeError("FixedPoint.decode: a value is beyond what floats hold; pass exact=True") from None
        return decoded if decoded.ndim else decoded[()]


def _real_numbers(values: ArrayLike) -> NDArray[Any]:
    """Floats that float64 holds as they are, or objects that are real numbers, none of them rounded."""
    if is_masked(values):
        raise UnsupportedError("FixedPoint.encode: a masked array; fill it first: array.filled(value)")
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise ArgumentError(f"FixedPoint.encode: the values form no array ({error})") from None
    if array.dtype.kind == "f" and not isinstance(values, (np.ndarray, np.generic)):
        # NumPy makes floats of integers beside floats, and of integers that fit no integer type together.
        objects = np.asarray(values, dtype=object)
        if not all(isinstance(value, float) for value in objects.ravel()):
            return objects
    if array.dtype.kind == "f" and array.dtype.itemsize <= 8:
        return array
    if array.dtype.kind in "biufO":
        return array.astype(object)
    raise UnsupportedError(f"FixedPoint.encode takes real numbers, not {array.dtype}")


def _fraction(value: Any) -> Fraction:
    if isinstance(value, np.bool_):
        value = bool(value)
    if is_integral(value):
        return Fraction(int(value))
    if isinstance(value, DURATION) or not isinstance(value, (numbers.Rational, Decimal, float, np.floating)):
        raise UnsupportedError(f"FixedPoint.encode takes real numbers, not {type(value).__name__} {value!r}")
    try:
        return Fraction(*value.as_integer_ratio()) if hasattr(value, "as_integer_ratio") else Fraction(value)
    except (ValueError, OverflowError):
        raise RangeError(
            "FixedPoint.encode: the values contain NaN or infinity; leave those out or replace them"
        ) from None
