# SPDX-License-Identifier: Apache-2.0
"""Exact numbers over arrays of integers, encrypted or in the clear.

A `Quantity` is an array of integers and a positive rational ``scale``: the numbers meant are ``values / scale``.
Whatever is computed with it (`arithmetic`) is exact, and bounded: numbers in the clear, scales and sizes have limits,
which are checked before a result is made that would go beyond.
"""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from cyclotome import EncryptedArray
from cyclotome.cli.numbers import labels
from cyclotome.cli.numbers.labels import Labels, Shape
from cyclotome.cli.visible import visible
from cyclotome.errors import ArgumentError, RangeError
from cyclotome.numbers.values import integers

#: Numbers in the clear, and both parts of a scale, may not outgrow this many bits: a guard against (9**64)**64.
MAX_PLAIN_BITS = 4096

#: Nor may there be more numbers in the clear than this.
MAX_PLAIN_NUMBERS = 1 << 24

#: Nor may a matrix product in the clear add up more of them.
MAX_PLAIN_PRODUCTS = 1 << 26

#: Largest exponent of a power.
MAX_EXPONENT = 64


@dataclass(frozen=True)
class Quantity:
    """Integers and what they stand for.

    Attributes:
        values: EncryptedArray, array of Python integers, or int. Any NumPy integers may be given.
        scale: positive; the numbers meant are values / scale.
        columns: names along an axis, or None.
        name: of a single column, or None.
        axis: the axis that `columns` names, from the front.

    Raises:
        ArgumentError: names that do not fit the values.
        RangeError: a scale or numbers in the clear beyond the limits.
    """

    values: Any
    scale: Fraction = Fraction(1)
    columns: tuple[str, ...] | None = None
    name: str | None = None
    axis: int = 0

    def __post_init__(self) -> None:
        if not isinstance(self.values, EncryptedArray):
            object.__setattr__(self, "values", _exact(self.values))
        if self.scale <= 0:
            raise ArgumentError("a scale must be positive")
        for part in (self.scale.numerator, self.scale.denominator):
            if part.bit_length() > MAX_PLAIN_BITS:
                raise RangeError(f"the result's scale has {part.bit_length()} bits; the limit is {MAX_PLAIN_BITS}")
        if self.columns is not None and self.shape[self.axis : self.axis + 1] != (len(self.columns),):
            raise ArgumentError(f"{len(self.columns)} names do not fit axis {self.axis} of shape {self.shape}")

    @property
    def encrypted(self) -> bool:
        """Whether the values are encrypted."""
        return isinstance(self.values, EncryptedArray)

    @property
    def shape(self) -> Shape:
        """Shape of the values; () for a single number."""
        return () if isinstance(self.values, int) else tuple(self.values.shape)

    @property
    def labels(self) -> Labels:
        """The names, with their axis from the end."""
        if self.columns is None:
            return Labels(name=self.name)
        return Labels(self.columns, self.axis - len(self.shape))

    def labelled(self, names: Labels) -> Quantity:
        """The same numbers with other names."""
        place = names.place(self.shape)
        return replace(self, columns=names.columns, name=names.name, axis=0 if place is None else place)

    def with_keys(self, *keys: object) -> Quantity:
        """The same quantity whose encrypted values know these keys too."""
        return replace(self, values=self.values.with_keys(*keys)) if self.encrypted else self

    def part(self, key: object) -> Quantity:
        """Part of the array: a column by name, or items along the first axis by index or slice.

        Raises:
            ArgumentError: no such part, or an empty one.
        """
        if isinstance(key, str):
            if self.columns is None or key not in self.columns:
                known = labels.listed(self.columns) if self.columns else "none have names"
                raise ArgumentError(f"there is no column {visible(key)!r}; columns: {known}")
            place = (*[slice(None)] * self.axis, self.columns.index(key))
            return Quantity(self.values[place], self.scale, name=key)
        if isinstance(key, bool) or not isinstance(key, int | slice):
            raise ArgumentError("a subscript must be a column's name, an index or a slice")
        if not self.shape:
            raise ArgumentError("a single number has no parts to index")
        length = self.shape[0]
        if isinstance(key, slice):
            if key.step == 0 or not range(*key.indices(length)):
                raise ArgumentError(f"a slice that selects nothing of {length} items")
            start, stop, step = key.indices(length)
            key = slice(start, None if stop < 0 else stop, step)
        elif not -length <= key < length:
            raise ArgumentError(f"index {_shown(key)} of {length} items along the first axis")
        names = labels.selected(self.labels, self.shape, key)
        return Quantity(self.values[key], self.scale).labelled(names)


def _exact(values: Any) -> Any:
    """Plain integers as Python integers, which never wrap around, within the limits."""
    if isinstance(values, np.ndarray) and values.ndim > 0:
        if values.size > MAX_PLAIN_NUMBERS:
            raise RangeError(f"{values.size} numbers in the clear; the limit is {MAX_PLAIN_NUMBERS}")
        values = values if values.dtype == object else integers(values, "eval").astype(object)
    else:
        values = operator.index(values.item() if isinstance(values, np.ndarray) else values)
    if plain_bits(values) > MAX_PLAIN_BITS:
        raise RangeError(f"a number in the clear has {plain_bits(values)} bits; the limit is {MAX_PLAIN_BITS}")
    return values


def plain_bits(values: Any) -> int:
    """Bits of the largest of some Python integers."""
    if isinstance(values, int):
        return values.bit_length()
    return max((value.bit_length() for value in values.flat), default=0)


def require_room(shape: Shape, limit: int = MAX_PLAIN_NUMBERS) -> None:
    """Raises RangeError where an array in the clear of this shape has, or is made of, too many numbers."""
    if math.prod(shape) > limit:
        raise RangeError(f"{math.prod(shape)} numbers in the clear, of shape {shape}; the limit is {limit}")


def _shown(value: int) -> str:
    return str(value) if abs(value) < 10**18 else f"of {value.bit_length()} bits"
