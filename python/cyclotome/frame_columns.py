# SPDX-License-Identifier: Apache-2.0
"""Columns of encrypted decimals, whose arithmetic carries the scale and the mask of missing values."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, NoReturn

from .array import EncryptedArray
from .errors import ArgumentError, UnsupportedError
from .frame_cells import cell_numbers
from .values import IntArray, integers, word

__all__ = ["EncryptedCategories", "EncryptedColumn", "Mask", "place_of"]

#: For every row 1 where its value is there and 0 where it is missing; None where nothing is missing.
Mask = IntArray | EncryptedArray | None


@dataclass(frozen=True, eq=False)
class EncryptedColumn:
    """Encrypted decimals, one for each row, or one by itself (`sum`). ``+ - *`` take other columns of as many rows,
    single numbers and public columns, encrypted or not, and carry the scale exactly: sums have the larger number of
    decimals of their terms, products the sum of their factors'. A result that might not fit is refused, as of
    `EncryptedArray`.

    A row of a result is missing where it is in any operand. Public: rows, decimals, and a mask that is not encrypted.
    """

    #: Value times 10^decimals, of shape (rows,) along slots, or ().
    values: EncryptedArray
    #: Digits after the point.
    decimals: int = 0
    #: Where values are there, public or encrypted.
    mask: Mask = None
    #: Whether values are zero where they are missing, so that sums need no product with the mask.
    cleared: bool = True

    # NumPy and pandas leave operations with such an operand to this class.
    __array_ufunc__ = None
    __pandas_priority__ = 5000

    @property
    def rows(self) -> int:
        """Number of rows; 1 for a single number."""
        return self.values.size

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
        return f"<EncryptedColumn of shape {self.values.shape}, {self.decimals} decimals, {missing}>"

    # --- arithmetic ---------------------------------------------------------------------------------------------------
    def _numbers(self, decimals: int) -> EncryptedArray:
        """The values at a scale with at least as many decimals."""
        return self.values if decimals == self.decimals else self.values * 10 ** (decimals - self.decimals)

    def _other(self, operation: str, other: object) -> EncryptedColumn | tuple[IntArray, int]:
        """A column, or public numbers and their decimals; of shapes that fit this column's."""
        if isinstance(other, EncryptedArray):
            raise UnsupportedError(
                f"{operation}: an encrypted array has no scale; make it a column: cy.EncryptedColumn(array, decimals=0)"
            )
        known = other if isinstance(other, EncryptedColumn) else cell_numbers(operation, other)
        shape = known.values.shape if isinstance(known, EncryptedColumn) else known[0].shape
        if shape and self.values.shape and shape != self.values.shape:
            raise ArgumentError(f"{operation}: columns of {self.rows} and {shape[0]} rows")
        return known

    def _sum(self, operation: str, other: object, sign: int) -> EncryptedColumn:
        known = self._other(operation, other)
        if isinstance(known, EncryptedColumn):
            decimals = max(self.decimals, known.decimals)
            left, right = self._numbers(decimals), known._numbers(decimals)
            cleared = self.cleared and known.cleared and self.mask is known.mask
            return EncryptedColumn(left + right if sign > 0 else left - right, decimals, _both(self, known), cleared)
        numbers, places = known
        decimals = max(self.decimals, places)
        added = integers(numbers * (sign * 10 ** (decimals - places)), operation)
        return EncryptedColumn(self._numbers(decimals) + added, decimals, self.mask, self.mask is None)

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
            return EncryptedColumn(product, self.decimals + known.decimals, _both(self, known), cleared)
        numbers, places = known
        return replace(self, values=self.values * integers(numbers, "multiply"), decimals=self.decimals + places)

    __rmul__ = __mul__

    def __pow__(self, exponent: object) -> EncryptedColumn:
        power = word(exponent, "an exponent of a column")
        if power < 1:
            raise ArgumentError(f"a column to the power of {power}: exponents are at least 1")
        return replace(self, values=self.values**power, decimals=self.decimals * power)

    # --- over rows ----------------------------------------------------------------------------------------------------
    def filled(self) -> EncryptedColumn:
        """Missing values as 0, no longer missing: costs a product with the mask unless they are 0 already, as they are
        in a fresh column."""
        if self.cleared or self.mask is None:
            return EncryptedColumn(self.values, self.decimals)
        return EncryptedColumn(self.values * self.mask, self.decimals)

    def sum(self) -> EncryptedColumn:
        """The sum of all values that are there, 0 of none: a single number.

        Raises:
            MissingKeyError, RangeError, NoiseError: see `EncryptedArray.sum`.
        """
        return EncryptedColumn(self.filled().values.sum(), self.decimals)

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
