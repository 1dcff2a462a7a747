# SPDX-License-Identifier: Apache-2.0
"""Columns of encrypted decimals, whose arithmetic carries the scale and the mask of missing values."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, NoReturn

import numpy as np

from . import scales
from .array import EncryptedArray
from .errors import ArgumentError, RangeError, UnsupportedError
from .frame_cells import cell_numbers
from .values import IntArray, integers, word

__all__ = ["EncryptedCategories", "EncryptedColumn", "Mask", "place_of", "public_mask"]

#: For every row 1 where its value is there and 0 where it is missing; None where nothing is missing.
Mask = IntArray | EncryptedArray | None


@dataclass(frozen=True, eq=False)
class EncryptedColumn:
    """Encrypted decimals, one for each row, or one by itself (`sum`). ``+ - *`` take other columns of as many rows,
    single numbers and public columns, encrypted or not, and carry the scale exactly: sums have the smallest scale that
    is a multiple of their terms', of decimals the larger number, and products the product of their factors'. A result
    that might not fit is refused, as of `EncryptedArray`.

    A row of a result is missing where it is in any operand. Public: rows, scale, and a mask that is not encrypted.
    """

    #: Number times scale, of shape (rows,) along slots, or ().
    values: EncryptedArray
    #: How many steps make one: 100 of two decimals, 256 of ``FixedPoint(bits=8)``.
    scale: int = 1
    #: Where values are there, public (zeros and ones, copied) or encrypted; of the same shape.
    mask: Mask = None
    #: Whether values are zero where they are missing, so that sums need no product with the mask.
    cleared: bool = True

    # NumPy and pandas leave operations with such an operand to this class.
    __array_ufunc__ = None
    __pandas_priority__ = 5000

    def __post_init__(self) -> None:
        scales.checked(self.scale)
        if self.mask is not None:
            mask = self.mask if isinstance(self.mask, EncryptedArray) else public_mask(self.mask)
            if mask.shape != self.values.shape:
                raise ArgumentError(f"a mask of shape {mask.shape} of a column of shape {self.values.shape}")
            object.__setattr__(self, "mask", mask)

    @property
    def rows(self) -> int:
        """Number of rows; 1 for a single number."""
        return self.values.size

    @property
    def decimals(self) -> int | None:
        """Digits after the point that write every step exactly; None where no number of them does."""
        return scales.decimal_places(Fraction(1, self.scale))

    def arrays(self) -> list[EncryptedArray]:
        """The encrypted arrays that it consists of."""
        return [self.values, *([self.mask] if isinstance(self.mask, EncryptedArray) else [])]

    def with_keys(self, *keys: object) -> EncryptedColumn:
        """The same column that knows these keys too. Errors: see `EncryptedArray.with_keys`."""
        mask = self.mask.with_keys(*keys) if isinstance(self.mask, EncryptedArray) else self.mask
        return replace(self, values=self.values.with_keys(*keys), mask=mask)

    def __repr__(self) -> str:
        hidden = isinstance(self.mask, EncryptedArray)
        missing = "no mask" if self.mask is None else "an encrypted mask" if hidden else "a public mask"
        return f"<EncryptedColumn of shape {self.values.shape}, scale {self.scale}, {missing}>"

    # --- arithmetic ---------------------------------------------------------------------------------------------------
    def _at(self, scale: int) -> EncryptedArray:
        """The values at a multiple of their scale."""
        return self.values if scale == self.scale else self.values * (scale // self.scale)

    def _other(self, operation: str, other: object) -> EncryptedColumn | tuple[IntArray, int]:
        """A column, or public numbers and their scale; of shapes that fit this column's."""
        if isinstance(other, EncryptedArray):
            raise UnsupportedError(
                f"{operation}: an encrypted array has no scale; make it a column: cy.EncryptedColumn(array, scale=1)"
            )
        known: EncryptedColumn | tuple[IntArray, int]
        if isinstance(other, EncryptedColumn):
            known = other
        else:
            numbers, decimals = cell_numbers(operation, other)
            known = numbers, 10**decimals
        shape = known.values.shape if isinstance(known, EncryptedColumn) else known[0].shape
        if shape and self.values.shape and shape != self.values.shape:
            raise ArgumentError(f"{operation}: columns of {self.rows} and {shape[0]} rows")
        return known

    def _sum(self, operation: str, other: object, sign: int) -> EncryptedColumn:
        known = self._other(operation, other)
        if isinstance(known, EncryptedColumn):
            scale = int(scales.common(self.scale, known.scale))
            left, right = self._at(scale), known._at(scale)
            cleared = self.cleared and known.cleared and self.mask is known.mask
            return EncryptedColumn(left + right if sign > 0 else left - right, scale, _both(self, known), cleared)
        numbers, given = known
        scale = self.scale
        if np.any((numbers * scale) % given):  # 0.5 is a number of steps of 2^-8 already
            scale = int(scales.common(scale, given))
        added = integers(numbers * (sign * scale) // given, operation)
        return EncryptedColumn(self._at(scale) + added, scale, self.mask, self.mask is None)

    def __add__(self, other: object) -> EncryptedColumn:
        return self._sum("add", other, 1)

    __radd__ = __add__

    def __sub__(self, other: object) -> EncryptedColumn:
        return self._sum("subtract", other, -1)

    def __rsub__(self, other: object) -> EncryptedColumn:
        return (-self)._sum("subtract", other, 1)

    def __neg__(self) -> EncryptedColumn:
        return replace(self, values=-self.values)

    def __pos__(self) -> EncryptedColumn:
        return self

    def __mul__(self, other: object) -> EncryptedColumn:
        known = self._other("multiply", other)
        if isinstance(known, EncryptedColumn):
            product = self.values * known.values
            cleared = self.cleared and known.cleared
            return EncryptedColumn(product, self.scale * known.scale, _both(self, known), cleared)
        numbers, given = known
        return replace(self, values=self.values * integers(numbers, "multiply"), scale=self.scale * given)

    __rmul__ = __mul__

    def __pow__(self, exponent: object) -> EncryptedColumn:
        power = word(exponent, "an exponent of a column")
        if power < 1:
            raise ArgumentError(f"a column to the power of {power}: exponents are at least 1")
        if (self.scale.bit_length() - 1) * power > scales.MOST_SCALE_BITS:  # before it is computed
            raise RangeError(f"a column of scale {self.scale} to the power of {power}: its scale would be too long")
        return replace(self, values=self.values**power, scale=self.scale**power)

    # --- over rows ----------------------------------------------------------------------------------------------------
    def filled(self) -> EncryptedColumn:
        """Missing values as 0, no longer missing: costs a product with the mask unless they are 0 already, as they are
        in a fresh column."""
        if self.cleared or self.mask is None:
            return EncryptedColumn(self.values, self.scale)
        return EncryptedColumn(self.values * self.mask, self.scale)

    def sum(self) -> EncryptedColumn:
        """The sum of all values that are there, 0 of none: a single number.

        Raises:
            MissingKeyError, RangeError, NoiseError: see `EncryptedArray.sum`.
        """
        return EncryptedColumn(self.filled().values.sum(), self.scale)

    def count(self) -> int | EncryptedColumn:
        """How many values are there: a number, or an encrypted one where the mask is encrypted."""
        if isinstance(self.mask, EncryptedArray):
            return EncryptedColumn(self.mask.sum())
        return self.rows if self.mask is None else int(self.mask.sum())

    # --- what encrypted columns can't do ------------------------------------------------------------------------------
    def mean(self) -> NoReturn:
        """Refused: a mean is no decimal. Decrypt ``sum()`` and ``count()``, and divide there."""
        raise UnsupportedError("the mean of an encrypted column: decrypt sum() and count(), and divide there")

    def __truediv__(self, other: object) -> NoReturn:
        raise UnsupportedError(
            "division of encrypted columns: decrypt and divide there, or multiply by a decimal, 0.25 for 1/4"
        )

    __rtruediv__ = __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __truediv__

    def __eq__(self, other: object) -> NoReturn:
        raise UnsupportedError(
            "comparison of encrypted columns: compare what they hold: cy.less(x.values, y.values) and cy.equal, for "
            "columns of equal scale; or decrypt first"
        )

    __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __eq__
    __hash__ = object.__hash__

    def __bool__(self) -> NoReturn:
        raise UnsupportedError("whether an encrypted column is zero can't be told without the secret key")

    def __array__(self, *_: Any, **__: Any) -> NoReturn:
        raise UnsupportedError("an encrypted column has no numbers to show; use cyclotome.decrypt_frame(x, secret)")


def public_mask(mask: object) -> IntArray:
    """A public mask that nobody changes: a copy, unless it is one already.

    Raises:
        ArgumentError: it has other values than 0 and 1.
        UnsupportedError: values that are no integers.
    """
    if isinstance(mask, np.ndarray) and mask.dtype == np.int64 and mask.base is None and not mask.flags.writeable:
        return mask
    copied = integers(mask, "a mask")
    if not ((copied == 0) | (copied == 1)).all():
        wrong = copied[(copied != 0) & (copied != 1)].flat[0]
        raise ArgumentError(f"a mask has 1 where a value is there and 0 where it is missing, not {wrong}")
    copied.flags.writeable = False
    return copied


def _both(x: EncryptedColumn, y: EncryptedColumn) -> Mask:
    """Rows that both columns have."""
    if x.mask is None or y.mask is None or x.mask is y.mask:
        return y.mask if x.mask is None else x.mask
    product: IntArray | EncryptedArray = x.mask * y.mask
    return product


@dataclass(frozen=True, eq=False)
class EncryptedCategories:
    """A column of categories, encrypted as one column of zeros and ones for each category; all zeros where the value is
    missing. Public: the categories. Hidden: which row has which."""

    #: Of shape (categories, rows), rows along slots.
    selectors: EncryptedArray
    #: What the categories are called.
    labels: tuple[Any, ...]

    @property
    def rows(self) -> int:
        """Number of rows."""
        return self.selectors.shape[1]

    def arrays(self) -> list[EncryptedArray]:
        """The encrypted arrays that it consists of."""
        return [self.selectors]

    def with_keys(self, *keys: object) -> EncryptedCategories:
        """The same column that knows these keys too. Errors: see `EncryptedArray.with_keys`."""
        return replace(self, selectors=self.selectors.with_keys(*keys))

    def __getitem__(self, label: object) -> EncryptedColumn:
        """1 for rows of this category, else 0: a column to multiply by.

        Raises:
            ArgumentError: no such category.
        """
        return EncryptedColumn(self.selectors[place_of(self.labels, label, "categories")])

    def __iter__(self) -> NoReturn:
        raise UnsupportedError("categories are looked up, not iterated over: x[label] for label in x.labels")

    def __repr__(self) -> str:
        return f"<EncryptedCategories of {self.rows} rows, {len(self.labels)} categories>"


def place_of(labels: Iterable[Any], label: object, where: str) -> int:
    """The number of a label.

    Raises:
        ArgumentError: there is no such label.
    """
    known = list(labels)
    for i, each in enumerate(known):
        if type(each) is type(label) and each == label:
            return i
    raise ArgumentError(f"{where}: {label!r} is none of the categories {', '.join(map(repr, known))}"[:400])
