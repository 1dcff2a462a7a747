# SPDX-License-Identifier: Apache-2.0
"""Columns of encrypted decimals, dates and booleans, whose arithmetic carries scale and mask."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import numpy as np

from ..arrays.array import EncryptedArray
from ..arrays.compounds import Change, Compound, once
from ..errors import ArgumentError, RangeError, UnsupportedError
from ..numbers import scales
from ..numbers.cells import one_column
from ..numbers.operands import operand_numbers
from ..numbers.row_labels import in_order_of
from ..numbers.values import IntArray, integers, word
from . import kinds
from .choosing import ChosenColumn
from .masks import Mask, alike, both, checked_mask, common_rows, require_numbers, row_names, same_mask

__all__ = ["EncryptedColumn"]

#: Decimals of a public number from which on somebody may not have meant all of them.
_MANY = 10


@contextmanager
def _many_decimals(operation: str, scale: int) -> Iterator[None]:
    """Says why there is no room where a public number has more decimals than somebody meant."""
    try:
        yield
    except RangeError as error:
        if scale < 10**_MANY:
            raise
        raise RangeError(
            f"{operation}: decimals and fractions are taken as they are written, with {len(str(scale)) - 1} decimals "
            f"here, and there is no room for so many; round them first: round(x, 4) ({error})"
        ) from None


class _Public(NamedTuple):
    """A public operand: integers at a scale, and what they stand for."""

    numbers: IntArray
    scale: int
    kind: str


@dataclass(frozen=True, eq=False)
class EncryptedColumn(ChosenColumn):
    """Encrypted decimals, one for each row, or one by itself (`sum`). ``+ - *`` take other columns of as many rows,
    single numbers and public columns, encrypted or not, and carry the scale exactly: sums have the smallest scale that
    is a multiple of their terms', of decimals the larger number, and products the product of their factors'. A result
    that might not fit is refused, as of `EncryptedArray`.

    Public numbers are exact, but for floats of more than ten digits, such as 1/3: these are rounded to six decimals, or
    to six digits where they begin later. ``round(x, 3)`` or a `decimal.Decimal` says something else.

    ``< <= > >= == !=`` give columns of booleans, for which there are ``& | ^ ~``, and which choose rows: ``x[x > 3]``.
    They are False where a value is missing, and ``!=`` True, as in pandas.

    A row of a result is missing where it is in any operand. Public: rows, scale, kind, and a mask that is not
    encrypted.

    Rows meet rows of the same name, or are refused: a Series of pandas is put into the order of ``index``, and must
    number its rows from 0 where there is none.

    Raises:
        UnsupportedError: something else than an array of numbers within bounds in slots, or an encrypted mask of other
            values.
        ArgumentError: more than one axis; a scale that is none; a mask of another shape, or that is no zeros and ones,
            encrypted ones with ``bound=(0, 1)``; rows of another number of names; a kind that there is not; booleans
            that may be others than 0 and 1.
        RangeError: a scale of more than 4096 bits.
        MismatchError: a mask of other parameters, or another secret key.
    """

    #: Number times scale, of shape (rows,) along slots, or ().
    values: EncryptedArray
    #: How many steps make one: 100 of two decimals, 256 of ``FixedPoint(bits=8)``; of dates, of a day.
    scale: int = 1
    #: Where values are there, public (zeros and ones, copied) or encrypted; of the same shape.
    mask: Mask = None
    #: Whether values are known to be zero where they are missing, so that sums need no product with the mask. Unless it
    #: is said they are not, as nobody can see it, where there is a mask.
    cleared: bool | None = None
    #: What the rows are called, public; None: numbers from 0.
    index: tuple[Any, ...] | None = None
    #: What the numbers stand for: "number", "bool", "duration" in days, or "date 2024-01-31": days since then.
    kind: str = kinds.NUMBER
    #: Rows that filters kept, of which ``mask`` has no others; None: all of them.
    kept: Mask = None
    #: The name that it has in its table, or that both operands have.
    name: str | None = None

    INSTEAD = (
        "encrypted columns have + - *, comparisons, conditions, sum, count and statistics; the rest is pandas', of "
        "what cyclotome.decrypt_frame gives"
    )

    def __post_init__(self) -> None:
        scales.checked(self.scale)
        require_numbers(self.values, "a column")
        if self.values.ndim > 1:
            raise ArgumentError(f"a column of shape {self.values.shape}: it has one axis, its rows, or is one number")
        if self.mask is not None:
            object.__setattr__(self, "mask", checked_mask(self.mask, self.values))
        if self.kept is not None and self.kept is not self.mask:
            object.__setattr__(self, "kept", same_mask(self.mask, checked_mask(self.kept, self.values)))
        if self.cleared is not None and not isinstance(self.cleared, bool):
            raise ArgumentError(f"a column: cleared={self.cleared!r} is neither true nor false, nor None")
        if self.cleared is None:
            object.__setattr__(self, "cleared", self.mask is None)
        if self.index is not None:
            object.__setattr__(self, "index", row_names(self.index, self.rows))
        object.__setattr__(self, "kind", kinds.checked_kind(self.kind))
        least, largest = self.values.interval or (0, 1)
        if self.kind == kinds.BOOL and (self.scale != 1 or least < 0 or largest > 1):
            raise ArgumentError(
                f"booleans are 0 and 1 at scale 1, and these may be {(least, largest)} at scale {self.scale}; encrypt "
                "them with bound=(0, 1), or say what you know of them: array.assume_bound((0, 1))"
            )

    @property
    def rows(self) -> int:
        """Number of rows, those that filters left out counted; 1 for a single number."""
        return self.values.size

    @property
    def decimals(self) -> int | None:
        """Digits after the point that write every step exactly; None where no number of them does."""
        return scales.decimal_places(Fraction(1, self.scale))

    if TYPE_CHECKING:  # what only `EncryptedCategories` have: a column of a frame may be either

        @property
        def labels(self) -> NoReturn: ...
        @property
        def selectors(self) -> NoReturn: ...

    def arrays(self) -> list[EncryptedArray]:
        """The encrypted arrays that it consists of."""
        masks = [self.mask] if self.kept is self.mask else [self.mask, self.kept]
        return [self.values, *(mask for mask in masks if isinstance(mask, EncryptedArray))]

    def mapped(self, change: Change) -> EncryptedColumn:
        """The same column with other arrays in place of its own."""
        each = once(change)
        mask = each(self.mask) if isinstance(self.mask, EncryptedArray) else self.mask
        kept = each(self.kept) if isinstance(self.kept, EncryptedArray) else self.kept
        return replace(self, values=each(self.values), mask=mask, kept=kept)

    def __reduce__(self) -> tuple[Any, ...]:
        return EncryptedColumn, (
            *(self.values, self.scale, self.mask, self.cleared, self.index),
            *(self.kind, self.kept, self.name),
        )

    def __len__(self) -> int:
        if not self.values.shape:
            raise UnsupportedError("a single number has no length")
        if isinstance(self.kept, EncryptedArray):
            raise UnsupportedError("how many rows a filter kept is encrypted: decrypt x.count()")
        return self.rows if self.kept is None else int(self.kept.sum())

    def __repr__(self) -> str:
        hidden = isinstance(self.mask, EncryptedArray)
        missing = "no mask" if self.mask is None else "an encrypted mask" if hidden else "a public mask"
        kind = "" if self.kind == kinds.NUMBER else f", {self.kind}"
        return f"<EncryptedColumn of shape {self.values.shape}, scale {self.scale}{kind}, {missing}>"

    # --- operands -----------------------------------------------------------------------------------------------------
    def at_scale(self, scale: int) -> EncryptedArray:
        """The values at a multiple of their scale: for the library itself."""
        return self.values if scale == self.scale else self.values * (scale // self.scale)

    def _other(self, operation: str, other: object) -> EncryptedColumn | _Public:
        """A column, or public numbers and their scale; of shapes that fit this column's."""
        if isinstance(other, EncryptedArray):
            raise UnsupportedError(
                f"{operation}: an encrypted array has no scale; make it a column: cy.EncryptedColumn(array, scale=1)"
            )
        known = other if isinstance(other, EncryptedColumn) else self.public_numbers(operation, other)
        shape = known.values.shape if isinstance(known, EncryptedColumn) else known.numbers.shape
        if shape and self.values.shape and shape != self.values.shape:
            raise ArgumentError(f"{operation}: columns of {self.rows} and {shape[0]} rows")
        return known

    def public_numbers(self, operation: str, other: object) -> _Public:
        """A public operand: for the library itself. Dates are counted from the first day that has one of them."""
        names = self.index if self.values.shape else None
        other = in_order_of(other, names, operation)
        if isinstance(other, str) and kinds.is_date(self.kind):
            other = np.datetime64(str(other)) if kinds.moment(other, operation) is not None else other
        times = _times(operation, other)
        if times is None:
            numbers, decimals = operand_numbers(operation, other)
            return _Public(numbers, 10**decimals, kinds.NUMBER)
        kind, days, single = times
        first = 0 if kind == kinds.DURATION else int(min(days) // 1)
        if kind != kinds.DURATION:
            kind = kinds.date_kind(np.datetime64(first, "D").astype(object))
        scale = int(np.lcm.reduce([each.denominator for each in days], dtype=object))
        numbers = np.array([int((each - first) * scale) for each in days], dtype=object)
        return _Public(numbers.reshape(()) if single else numbers, scale, kind)

    # --- arithmetic ---------------------------------------------------------------------------------------------------
    def _sum(self, operation: str, other: object, sign: int) -> EncryptedColumn:
        known = self._other(operation, other)
        kind = kinds.difference_kind(operation, self.kind, known.kind)
        # Two dates are counted from days of their own.
        apart = 0
        if kinds.is_date(self.kind) and kinds.is_date(known.kind):
            apart = kinds.origin_days(self.kind) - kinds.origin_days(known.kind)
        if isinstance(known, EncryptedColumn):
            scale = int(scales.common(self.scale, known.scale))
            left, right = self.at_scale(scale), known.at_scale(scale)
            cleared = bool(self.cleared and known.cleared and self.mask is known.mask and not apart)
            total = left + right if sign > 0 else left - right
            return self._met(operation, known, total + apart * scale if apart else total, scale, cleared, kind)
        numbers, given, _ = known
        scale = self.scale
        if np.any((numbers * scale) % given):  # 0.5 is a number of steps of 2^-8 already
            scale = int(scales.common(scale, given))
        with _many_decimals(operation, given):
            added = integers(numbers * (sign * scale) // given + apart * scale, operation)
            index = self.index if self.values.shape else None
            total = self.at_scale(scale) + added
            return replace(self, values=total, scale=scale, cleared=None, kind=kind, index=index)

    def _met(
        self, operation: str, other: EncryptedColumn, values: EncryptedArray, scale: int, cleared: bool, kind: str
    ) -> EncryptedColumn:
        """What two columns make; a single number meets all rows of the other."""
        title = self.name if self.name == other.name else None
        if not other.values.shape:
            names, kept, title = self.index, self.kept, self.name
        elif not self.values.shape:
            names, kept, title = other.index, other.kept, other.name
        else:
            names = common_rows(operation, self, other)
            kept = self.kept if alike(self.kept, other.kept) else None
        return EncryptedColumn(values, scale, both(self.mask, other.mask), cleared, names, kind, kept, title)

    def __add__(self, other: object) -> EncryptedColumn:
        return self._sum("add", other, 1)

    __radd__ = __add__

    def __sub__(self, other: object) -> EncryptedColumn:
        return self._sum("subtract", other, -1)

    def __rsub__(self, other: object) -> EncryptedColumn:
        if self.kind == kinds.DURATION:  # a date less a duration is a date
            return (-self)._sum("add", other, 1)
        return -self._sum("subtract", other, -1)

    def __neg__(self) -> EncryptedColumn:
        kind = kinds.difference_kind("subtract", kinds.DURATION if self.kind == kinds.DURATION else "number", self.kind)
        return replace(self, values=-self.values, kind=kind)

    def __pos__(self) -> EncryptedColumn:
        return self

    def __mul__(self, other: object) -> EncryptedColumn:
        known = self._other("multiply", other)
        kind = kinds.product_kind("multiply", self.kind, known.kind)
        if isinstance(known, EncryptedColumn):
            cleared = bool(self.cleared and known.cleared)
            return self._met("multiply", known, self.values * known.values, self.scale * known.scale, cleared, kind)
        numbers, given, _ = known
        with _many_decimals("multiply", given):
            values = self.values * integers(numbers, "multiply")
            return replace(self, values=values, scale=self.scale * given, kind=kind)

    __rmul__ = __mul__

    def __truediv__(self, other: object) -> EncryptedColumn:
        """Divided by one public number, exactly: it goes into the scale, which takes nothing. By 3, decryption gives
        fractions, or floats where ``exact=False``.

        Raises:
            UnsupportedError: a column, or several numbers; 0.
        """
        known: _Public | None = None
        if isinstance(other, Fraction):
            known = _Public(np.array(other.numerator, dtype=object), other.denominator, kinds.NUMBER)
        elif not isinstance(other, (Compound, EncryptedArray)):
            known = self.public_numbers("divide", other)
        if known is None or known.numbers.shape or known.kind != kinds.NUMBER or kinds.is_date(self.kind):
            raise UnsupportedError(
                "division of encrypted columns: by one public number, x / 4; quotients of columns are taken after "
                "decryption"
            )
        by = Fraction(int(known.numbers), known.scale)
        if not by:
            raise UnsupportedError("division of an encrypted column by 0, which gives no numbers")
        kind = kinds.product_kind("divide", self.kind, kinds.NUMBER)
        times = by.denominator if by > 0 else -by.denominator
        values = self.values if times == 1 else self.values * times
        return replace(self, values=values, scale=self.scale * abs(by.numerator), kind=kind)

    def __pow__(self, exponent: object) -> EncryptedColumn:
        power = word(exponent, "an exponent of a column")
        if power < 1:
            raise ArgumentError(f"a column to the power of {power}: exponents are at least 1")
        if (self.scale.bit_length() - 1) * power > scales.MOST_SCALE_BITS:  # before it is computed
            raise RangeError(f"a column of scale {self.scale} to the power of {power}: its scale would be too long")
        kind = self.kind if power == 1 else kinds.product_kind("a power", self.kind, self.kind)
        return replace(self, values=self.values**power, scale=self.scale**power, kind=kind)

    # --- over rows ----------------------------------------------------------------------------------------------------
    def filled(self) -> EncryptedColumn:
        """Missing values as 0, no longer missing: costs a product with the mask unless they are 0 already, as they are
        in a fresh column. Rows that a filter left out are 0 too."""
        values = self.values if self.cleared or self.mask is None else self.values * self.mask
        return EncryptedColumn(values, self.scale, index=self.index, kind=self.kind, name=self.name)

    def sum(self) -> EncryptedColumn:
        """The sum of all values that are there, 0 of none: a single number.

        Raises:
            UnsupportedError: dates.
            MissingKeyError, RangeError, NoiseError: see `EncryptedArray.sum`.
        """
        if kinds.is_date(self.kind):
            raise UnsupportedError("sum of dates means nothing; their mean(), min() and max() are dates")
        kind = kinds.DURATION if self.kind == kinds.DURATION else kinds.NUMBER
        return EncryptedColumn(self.filled().values.sum(), self.scale, kind=kind)

    def count(self) -> int | EncryptedColumn:
        """How many values are there: a number, or an encrypted one where the mask is encrypted."""
        if isinstance(self.mask, EncryptedArray):
            return EncryptedColumn(self.mask.sum())
        return self.rows if self.mask is None else int(self.mask.sum())


def _times(operation: str, other: Any) -> tuple[str, list[Fraction], bool] | None:
    """Dates or durations as days, and whether it is a single one; None of anything else."""
    if kinds.is_time(other) or kinds.is_duration(other):
        found = kinds.days_of([other], operation)
        return None if found is None else (*found, True)
    if np.ndim(other) == 0 or isinstance(other, (str, bytes)):
        return None
    cells = one_column(operation, other)
    found = kinds.days_of(cells.values, operation)
    if found is not None and not cells.present.all():
        row = int(np.flatnonzero(~cells.present)[0])
        raise RangeError(f"{operation}: a public operand whose value {row} (counted from 0) is missing")
    return None if found is None else (*found, False)
