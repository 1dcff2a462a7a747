# SPDX-License-Identifier: Apache-2.0
"""Columns of encrypted decimals, whose arithmetic carries the scale and the mask of missing values."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from ..arrays.array import EncryptedArray
from ..arrays.compounds import Change, Compound
from ..errors import ArgumentError, MismatchError, RangeError, UnsupportedError
from ..numbers import scales
from ..numbers.cells import cell_numbers
from ..numbers.labels import different, labels_of, place_of
from ..numbers.row_labels import in_order_of, shown
from ..numbers.values import IntArray, frozen, integers, word

__all__ = ["EncryptedCategories", "EncryptedColumn", "Mask", "public_mask", "require_alike"]

#: Decimals of a public number from which on somebody may not have meant all of them.
_MANY = 10

#: For every row 1 where its value is there and 0 where it is missing; None where nothing is missing.
Mask = IntArray | EncryptedArray | None


@contextmanager
def _many_decimals(operation: str, scale: int) -> Iterator[None]:
    """Says why there is no room where a public number has more decimals than somebody meant, as 1/3 has."""
    try:
        yield
    except RangeError as error:
        if scale < 10**_MANY:
            raise
        raise RangeError(
            f"{operation}: numbers with {len(str(scale)) - 1} decimals, such as 1/3 has as a float, are taken as they "
            f"are written, and there is no room for so many; round them first: round(x, 4) ({error})"
        ) from None


@dataclass(frozen=True, eq=False)
class EncryptedColumn(Compound):
    """Encrypted decimals, one for each row, or one by itself (`sum`). ``+ - *`` take other columns of as many rows,
    single numbers and public columns, encrypted or not, and carry the scale exactly: sums have the smallest scale that
    is a multiple of their terms', of decimals the larger number, and products the product of their factors'. A result
    that might not fit is refused, as of `EncryptedArray`.

    A row of a result is missing where it is in any operand. Public: rows, scale, and a mask that is not encrypted.

    Rows meet rows of the same name, or are refused: a Series of pandas is put into the order of ``index``, and must
    number its rows from 0 where there is none.

    Raises:
        UnsupportedError: something else than an array of numbers within bounds in slots, or an encrypted mask of other
            values.
        ArgumentError: more than one axis; a scale that is none; a mask of another shape, or that is no zeros and ones,
            encrypted ones with ``bound=(0, 1)``; rows of another number of names.
        RangeError: a scale of more than 4096 bits.
        MismatchError: a mask of other parameters, or another secret key.
    """

    #: Number times scale, of shape (rows,) along slots, or ().
    values: EncryptedArray
    #: How many steps make one: 100 of two decimals, 256 of ``FixedPoint(bits=8)``.
    scale: int = 1
    #: Where values are there, public (zeros and ones, copied) or encrypted; of the same shape.
    mask: Mask = None
    #: Whether values are known to be zero where they are missing, so that sums need no product with the mask. Unless it
    #: is said they are not, as nobody can see it, where there is a mask.
    cleared: bool | None = None
    #: What the rows are called, public; None: numbers from 0.
    index: tuple[Any, ...] | None = None

    INSTEAD = (
        "encrypted columns have + - *, sum, count and filled; means and variances are quotients of sums, which are "
        "decrypted before; the rest is pandas', of what cyclotome.decrypt_frame gives"
    )

    # NumPy and pandas leave operations with such an operand to this class.
    __array_ufunc__ = None
    __pandas_priority__ = 5000

    def __post_init__(self) -> None:
        scales.checked(self.scale)
        _require_numbers(self.values, "a column")
        if self.values.ndim > 1:
            raise ArgumentError(f"a column of shape {self.values.shape}: it has one axis, its rows, or is one number")
        if self.mask is not None:
            object.__setattr__(self, "mask", _checked_mask(self.mask, self.values))
        if self.cleared is not None and not isinstance(self.cleared, bool):
            raise ArgumentError(f"a column: cleared={self.cleared!r} is neither true nor false, nor None")
        if self.cleared is None:
            object.__setattr__(self, "cleared", self.mask is None)
        if self.index is not None:
            object.__setattr__(self, "index", _row_names(self.index, self.rows))

    @property
    def rows(self) -> int:
        """Number of rows; 1 for a single number."""
        return self.values.size

    if TYPE_CHECKING:  # what only `EncryptedCategories` have: a column of a frame may be either

        @property
        def labels(self) -> NoReturn: ...
        @property
        def selectors(self) -> NoReturn: ...

    @property
    def decimals(self) -> int | None:
        """Digits after the point that write every step exactly; None where no number of them does."""
        return scales.decimal_places(Fraction(1, self.scale))

    def arrays(self) -> list[EncryptedArray]:
        """The encrypted arrays that it consists of."""
        return [self.values, *([self.mask] if isinstance(self.mask, EncryptedArray) else [])]

    def mapped(self, change: Change) -> EncryptedColumn:
        """The same column with other arrays in place of its own."""
        mask = change(self.mask) if isinstance(self.mask, EncryptedArray) else self.mask
        return replace(self, values=change(self.values), mask=mask)

    def __reduce__(self) -> tuple[Any, ...]:
        return EncryptedColumn, (self.values, self.scale, self.mask, self.cleared, self.index)

    def __len__(self) -> int:
        if not self.values.shape:
            raise UnsupportedError("a single number has no length")
        return self.rows

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
        if isinstance(other, EncryptedCategories):
            raise UnsupportedError(
                f"{operation}: categories are no numbers; the rows of one are: frame[column] == category"
            )
        known: EncryptedColumn | tuple[IntArray, int]
        if isinstance(other, EncryptedColumn):
            known = other
        else:
            names = self.index if self.values.shape else None
            numbers, decimals = cell_numbers(operation, in_order_of(other, names, operation))
            known = numbers, 10**decimals
        shape = known.values.shape if isinstance(known, EncryptedColumn) else known[0].shape
        if shape and self.values.shape and shape != self.values.shape:
            raise ArgumentError(f"{operation}: columns of {self.rows} and {shape[0]} rows")
        return known

    def _names_with(self, operation: str, other: EncryptedColumn) -> tuple[Any, ...] | None:
        """What the rows of a result are called."""
        if not (self.values.shape and other.values.shape):  # one number for all rows of the other
            return self.index if self.values.shape else other.index
        if self.index != other.index:
            numbers = tuple(range(self.rows))
            if (self.index or numbers) != (other.index or numbers):
                raise ArgumentError(
                    f"{operation}: columns whose rows have other names, {_rows_shown(self)} and {_rows_shown(other)}: "
                    "take those of one table, or of tables with the same rows in the same order"
                )
        return self.index

    def _sum(self, operation: str, other: object, sign: int) -> EncryptedColumn:
        known = self._other(operation, other)
        if isinstance(known, EncryptedColumn):
            names = self._names_with(operation, known)
            scale = int(scales.common(self.scale, known.scale))
            left, right = self._at(scale), known._at(scale)
            cleared = bool(self.cleared and known.cleared and self.mask is known.mask)
            total = left + right if sign > 0 else left - right
            return EncryptedColumn(total, scale, _both(self, known), cleared, names)
        numbers, given = known
        scale = self.scale
        if np.any((numbers * scale) % given):  # 0.5 is a number of steps of 2^-8 already
            scale = int(scales.common(scale, given))
        with _many_decimals(operation, given):
            added = integers(numbers * (sign * scale) // given, operation)
            return replace(self, values=self._at(scale) + added, scale=scale, cleared=None)

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
            names = self._names_with("multiply", known)
            product = self.values * known.values
            cleared = bool(self.cleared and known.cleared)
            return EncryptedColumn(product, self.scale * known.scale, _both(self, known), cleared, names)
        numbers, given = known
        with _many_decimals("multiply", given):
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
        values = self.values if self.cleared or self.mask is None else self.values * self.mask
        return EncryptedColumn(values, self.scale, index=self.index)

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

    def __eq__(self, other: object) -> NoReturn:
        raise UnsupportedError(
            "comparison of encrypted columns: compare what they hold: cy.less(x.values, y.values) and cy.equal, for "
            "columns of equal scale; or decrypt first"
        )

    __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __contains__ = __eq__
    __hash__ = object.__hash__

    def __bool__(self) -> NoReturn:
        raise UnsupportedError("whether an encrypted column is zero can't be told without the secret key")

    def __getitem__(self, key: object) -> NoReturn:
        raise UnsupportedError(
            f"rows of an encrypted column are not taken out ({key!r:.40}): multiply by a public column of zeros and "
            "ones, or take them of its array: cy.EncryptedColumn(column.values[rows], column.scale)"
        )

    def __iter__(self) -> NoReturn:
        raise UnsupportedError("rows of an encrypted column are not gone through one by one: compute with all at once")

    if not TYPE_CHECKING:  # what is refused is not there, as of `NoNumber`

        def __truediv__(self, other: object) -> NoReturn:
            raise UnsupportedError(
                "division of encrypted columns: decrypt and divide there, or multiply by a decimal, 0.25 for 1/4"
            )

        __rtruediv__ = __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __truediv__

        def __array__(self, *_: object, **__: object) -> NoReturn:
            raise UnsupportedError("an encrypted column has no numbers to show; use cyclotome.decrypt_frame(x, secret)")


# --- what makes a column ----------------------------------------------------------------------------------------------
def _require_numbers(array: object, what: str) -> None:
    if not isinstance(array, EncryptedArray):
        raise UnsupportedError(
            f"{what} takes an encrypted array, not {type(array).__name__}; tables are encrypted by cy.encrypt_frame"
        )
    if array.wrap or array.encoding != "slots":
        raise UnsupportedError(f"{what} takes numbers within bounds in slots, not values modulo T or polynomials")


def require_alike(arrays: list[EncryptedArray], what: str) -> None:
    """Raises MismatchError for arrays of different parameters or keys."""
    for array in arrays[1:]:
        if array.parameters != arrays[0].parameters or array.key_id != arrays[0].key_id:
            raise MismatchError(f"{what} of different parameters or secret keys; encrypt them alike")


def _require_ones(array: EncryptedArray, what: str) -> None:
    interval = array.interval
    if interval is None or interval[0] < 0 or interval[1] > 1:
        raise ArgumentError(
            f"{what}: zeros and ones, and these may be {interval}; encrypt them with bound=(0, 1), or say what you "
            "know of them: array.assume_bound((0, 1))"
        )


def _checked_mask(mask: object, values: EncryptedArray) -> IntArray | EncryptedArray:
    made = mask if isinstance(mask, EncryptedArray) else public_mask(mask)
    if made.shape != values.shape:
        raise ArgumentError(f"a mask of shape {made.shape} of a column of shape {values.shape}")
    if not values.shape:
        raise ArgumentError("a mask of a single number; columns of rows have masks")
    if isinstance(made, EncryptedArray):
        _require_numbers(made, "a mask")
        _require_ones(made, "a mask")
        require_alike([values, made], "a column and its mask are")
    return made


def public_mask(mask: object) -> IntArray:
    """A public mask that nobody can change, the same object if it is one already.

    Raises:
        ArgumentError: it has other values than 0 and 1.
        UnsupportedError: values that are no integers.
    """
    kept = isinstance(mask, np.ndarray) and mask.dtype == np.int64 and type(mask.base) is bytes  # as `frozen` made it
    copied: IntArray = mask if kept else integers(mask, "a mask")  # type: ignore[assignment]
    if not ((copied == 0) | (copied == 1)).all():
        wrong = copied[(copied != 0) & (copied != 1)].flat[0]
        raise ArgumentError(f"a mask has 1 where a value is there and 0 where it is missing, not {wrong}")
    return copied if kept else frozen(copied)


def _row_names(names: object, rows: int) -> tuple[Any, ...]:
    found = labels_of(names, "names of rows")
    if len(found) != rows:
        raise ArgumentError(f"{len(found)} names of rows for {rows} rows")
    return found


def _rows_shown(column: EncryptedColumn) -> str:
    return "numbers from 0" if column.index is None else shown(column.index)


def _both(x: EncryptedColumn, y: EncryptedColumn) -> Mask:
    """Rows that both columns have."""
    if x.mask is None or y.mask is None or x.mask is y.mask:
        return y.mask if x.mask is None else x.mask
    product: IntArray | EncryptedArray = x.mask * y.mask
    return product


@dataclass(frozen=True, eq=False)
class EncryptedCategories(Compound):
    """A column of categories, encrypted as one column of zeros and ones for each category; all zeros where the value is
    missing. ``column == "A"`` is 1 in rows of category A and 0 in others: a column to multiply by. Public: the
    categories. Hidden: which row has which.

    Raises:
        UnsupportedError: something else than an array of numbers within bounds in slots.
        ArgumentError: no array of shape (categories, rows) with ``bound=(0, 1)``; categories that are not different, or
            no labels (text, integers, floats, booleans, decimals, dates); rows of another number of names.
    """

    #: Of shape (categories, rows), rows along slots.
    selectors: EncryptedArray
    #: What the categories are called.
    labels: tuple[Any, ...]
    #: What the rows are called, public; None: numbers from 0.
    index: tuple[Any, ...] | None = None

    # NumPy and pandas leave comparisons with such an operand to this class.
    __array_ufunc__ = None
    __pandas_priority__ = 5000

    def __post_init__(self) -> None:
        _require_numbers(self.selectors, "a column of categories")
        labels = different(labels_of(self.labels, "categories"), "categories")
        if self.selectors.ndim != 2 or self.selectors.shape[0] != len(labels):
            raise ArgumentError(
                f"{len(labels)} categories of an array of shape {self.selectors.shape}; it is (categories, rows)"
            )
        _require_ones(self.selectors, "categories")
        object.__setattr__(self, "labels", labels)
        if self.index is not None:
            object.__setattr__(self, "index", _row_names(self.index, self.rows))

    if TYPE_CHECKING:  # what only `EncryptedColumn` has, so that ``frame["a"].sum()`` is one whatever the table is

        @property
        def values(self) -> NoReturn: ...
        @property
        def scale(self) -> NoReturn: ...
        @property
        def mask(self) -> NoReturn: ...
        @property
        def cleared(self) -> NoReturn: ...
        @property
        def decimals(self) -> NoReturn: ...
        def filled(self) -> NoReturn: ...
        def sum(self) -> NoReturn: ...
        def count(self) -> NoReturn: ...

    @property
    def rows(self) -> int:
        """Number of rows."""
        return self.selectors.shape[1]

    def arrays(self) -> list[EncryptedArray]:
        """The encrypted arrays that it consists of."""
        return [self.selectors]

    def mapped(self, change: Change) -> EncryptedCategories:
        """The same column with another array in place of its own."""
        return replace(self, selectors=change(self.selectors))

    def __reduce__(self) -> tuple[Any, ...]:
        return EncryptedCategories, (self.selectors, self.labels, self.index)

    def __len__(self) -> int:
        return self.rows

    def __getitem__(self, label: object) -> EncryptedColumn:
        """1 for rows of this category, else 0: a column to multiply by; ``==`` is the same.

        Raises:
            ArgumentError: no such category.
        """
        return EncryptedColumn(self.selectors[place_of(self.labels, label, "categories")], index=self.index)

    def _rows_of(self, label: object) -> EncryptedColumn:
        if isinstance(label, (Compound, EncryptedArray, np.ndarray)) or not isinstance(label, Hashable):
            raise UnsupportedError(
                f"categories are compared with one category, not with {type(label).__name__}; sums of columns are 1 "
                "where there is any of several: (x == 'A') + (x == 'B')"
            )
        return self[label]

    def __eq__(self, label: object) -> EncryptedColumn:  # type: ignore[override]
        """1 for rows of this category, else 0; 0 also where the value is missing."""
        return self._rows_of(label)

    def __ne__(self, label: object) -> EncryptedColumn:  # type: ignore[override]
        """0 for rows of this category, else 1; 1 also where the value is missing, as in pandas."""
        return 1 - self._rows_of(label)

    __hash__ = object.__hash__

    def __lt__(self, other: object) -> NoReturn:
        raise UnsupportedError(
            "categories have no order; sums of columns are 1 where there is any of several: (x == 'A') + (x == 'B')"
        )

    __le__ = __gt__ = __ge__ = __lt__

    def __add__(self, *_: object) -> NoReturn:
        raise UnsupportedError("categories are no numbers; the rows of one are: column == category")

    __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __neg__ = __truediv__ = __rtruediv__ = __pow__ = __add__

    def __bool__(self) -> NoReturn:
        raise UnsupportedError("whether an encrypted column holds something can't be told without the secret key")

    def __contains__(self, label: object) -> NoReturn:
        raise UnsupportedError("what a column of categories may hold are its x.labels; what it holds is encrypted")

    def __iter__(self) -> NoReturn:
        raise UnsupportedError("categories are looked up, not iterated over: x[label] for label in x.labels")

    if not TYPE_CHECKING:

        def __array__(self, *_: object, **__: object) -> NoReturn:
            raise UnsupportedError(
                "encrypted categories have no values to show; use cyclotome.decrypt_frame(x, secret)"
            )

    def __repr__(self) -> str:
        return f"<EncryptedCategories of {self.rows} rows, {len(self.labels)} categories>"
