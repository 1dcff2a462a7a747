# SPDX-License-Identifier: Apache-2.0
"""Exact fixed-point numbers over arrays of integers, encrypted or in the clear.

A `Quantity` is an array of integers and a positive rational ``scale``: the numbers meant are ``values / scale``. Sums
bring both sides to one scale, products multiply scales, division by a public number only changes the scale. Nothing is
ever rounded, and no ciphertext is ever divided.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from cyclotome import EncryptedArray
from cyclotome.errors import ArgumentError, RangeError

#: Numbers in the clear may not outgrow this many bits: a guard against expressions such as (9**64)**64.
MAX_PLAIN_BITS = 4096

#: Largest exponent of a power.
MAX_EXPONENT = 64


@dataclass(frozen=True)
class Quantity:
    """Integers and what they stand for.

    Attributes:
        values: EncryptedArray, numpy array of integers (int64 or object), or int.
        scale: positive; the numbers meant are values / scale.
        columns: names along the first axis, or None.
        name: of a single column, or None.
    """

    values: Any
    scale: Fraction = Fraction(1)
    columns: tuple[str, ...] | None = None
    name: str | None = None

    @property
    def encrypted(self) -> bool:
        """Whether the values are encrypted."""
        return isinstance(self.values, EncryptedArray)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the values; () for a single number."""
        return () if isinstance(self.values, int) else tuple(self.values.shape)

    def with_keys(self, *keys: object) -> Quantity:
        """The same quantity whose encrypted values know these keys too."""
        return replace(self, values=self.values.with_keys(*keys)) if self.encrypted else self

    def times(self, factor: int) -> Quantity:
        """The same numbers with values and scale ``factor`` times as large; factor > 0."""
        if factor == 1:
            return self
        return replace(self, values=checked(widened(self.values) * factor), scale=self.scale * factor)

    def column(self, key: object) -> Quantity:
        """Part of the array: a column by name, or items along the first axis by index or slice."""
        if isinstance(key, str):
            if self.columns is None or key not in self.columns:
                known = ", ".join(self.columns) if self.columns else "none have names"
                raise ArgumentError(f"there is no column {key!r}; columns: {known}")
            key = self.columns.index(key)
            return replace(self, values=self.values[key], columns=None, name=self.columns[key])
        if not isinstance(key, int | slice):
            raise ArgumentError("a subscript must be a column's name, an index or a slice")
        if not self.shape:
            raise ArgumentError("a single number has no parts to index")
        columns = name = None
        if self.columns is not None:
            if isinstance(key, slice):
                columns = self.columns[key]
            elif -len(self.columns) <= key < len(self.columns):
                name = self.columns[key]
        return replace(self, values=self.values[key], columns=columns, name=name)


def widened(values: Any) -> Any:
    """Plain integers as Python integers, which never wrap around; encrypted arrays as they are."""
    return values.astype(object) if isinstance(values, np.ndarray) else values


def checked(values: Any) -> Any:
    """Plain numbers within bounds; encrypted ones pass. Raises RangeError."""
    if isinstance(values, int):
        largest = values.bit_length()
    elif isinstance(values, np.ndarray):
        largest = max((int(v).bit_length() for v in values.flat), default=0)
    else:
        return values
    if largest > MAX_PLAIN_BITS:
        raise RangeError(f"a number in the clear has {largest} bits; the limit is {MAX_PLAIN_BITS}")
    return values


def common_scale(a: Quantity, b: Quantity) -> tuple[Quantity, Quantity]:
    """Both with the smallest scale that is an integer multiple of each one's."""
    scale = Fraction(math.lcm(a.scale.numerator, b.scale.numerator), math.gcd(a.scale.denominator, b.scale.denominator))
    return a.times(int(scale / a.scale)), b.times(int(scale / b.scale))


def labels(a: Quantity, b: Quantity) -> tuple[tuple[str, ...] | None, str | None]:
    """Columns and name of a result, element by element, of a and b."""
    columns = a.columns if b.columns is None or b.columns == a.columns else None
    if a.columns is None:
        columns = b.columns
    name = a.name if b.name is None or b.name == a.name else None
    if a.name is None:
        name = b.name
    return columns, name


def add(a: Quantity, b: Quantity, sign: int = 1) -> Quantity:
    """a + b, or a - b with sign = -1."""
    columns, name = labels(a, b)
    a, b = common_scale(a, b)
    left, right = widened(a.values), widened(b.values)
    return Quantity(checked(left + right if sign > 0 else left - right), a.scale, columns, name)


def multiply(a: Quantity, b: Quantity) -> Quantity:
    """Product, element by element."""
    columns, name = labels(a, b)
    return Quantity(checked(widened(a.values) * widened(b.values)), a.scale * b.scale, columns, name)


def divide(a: Quantity, b: Quantity) -> Quantity:
    """a / b for a single public number b: only the scale and the sign change."""
    if not isinstance(b.values, int):
        raise ArgumentError(
            "division is by single public numbers only: decrypt and divide then, or let the client send the quotient"
        )
    if b.values == 0:
        raise ArgumentError("division by zero")
    reciprocal = Fraction(b.scale) / b.values
    factor, scale = reciprocal.numerator, a.scale * reciprocal.denominator
    shared = math.gcd(abs(factor), scale.numerator)  # x / 0.5 of scale 10 is x of scale 5
    return replace(a, values=checked(widened(a.values) * (factor // shared)), scale=scale / shared)


def power(a: Quantity, exponent: int) -> Quantity:
    """a to a power in [1, MAX_EXPONENT]."""
    if not 1 <= exponent <= MAX_EXPONENT:
        raise ArgumentError(f"the exponent {exponent} must be an integer in [1, {MAX_EXPONENT}]")
    return replace(a, values=checked(widened(a.values) ** exponent), scale=a.scale**exponent)


def matmul(a: Quantity, b: Quantity) -> Quantity:
    """Matrix product, by numpy's rules."""
    if not a.shape or not b.shape:
        raise ArgumentError("@ takes arrays on both sides; use * for a single number")
    columns = b.columns if b.columns is not None and len(a.shape) == 1 else None
    return Quantity(checked(widened(a.values) @ widened(b.values)), a.scale * b.scale, columns)


def total(a: Quantity, axis: int | None) -> Quantity:
    """Sum over one axis, or over everything."""
    if not a.shape:
        raise ArgumentError("sum takes an array, not a single number")
    if axis is not None and not -len(a.shape) <= axis < len(a.shape):
        raise ArgumentError(f"axis {axis} of an array with {len(a.shape)} axes")
    keeps_columns = axis is not None and axis % len(a.shape) != 0
    result = widened(a.values).sum(axis=axis)
    return replace(a, values=result, columns=a.columns if keeps_columns else None, name=a.name)


def count(a: Quantity, axis: int | None) -> int:
    """How many numbers `total` adds up for each result."""
    return math.prod(a.shape) if axis is None else a.shape[axis]


def mean(a: Quantity, axis: int | None) -> Quantity:
    """The mean over one axis, or everything: the sum, with the count in the scale."""
    return divide(total(a, axis), Quantity(count(a, axis)))


def covariance(a: Quantity, b: Quantity, axis: int | None) -> Quantity:
    """The population covariance (n sum(a b) - sum(a) sum(b)) / n^2; one ciphertext product deep."""
    product = multiply(a, b)
    n = count(product, axis)
    scaled = multiply(Quantity(n), total(product, axis))
    difference = add(scaled, multiply(total(a, axis), total(b, axis)), sign=-1)
    return divide(difference, Quantity(n * n))
