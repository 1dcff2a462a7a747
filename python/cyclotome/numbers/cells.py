# SPDX-License-Identifier: Apache-2.0
"""Tables in: the cells of pandas and Polars frames and of plain columns, as exact integers with a decimal scale.

Decimals are decimals here: a float is read as the shortest decimals that name it, 0.1 as 1/10. (A column
whose scale is a `FixedPoint` counts in powers of two, and is rounded to them.)
"""

from __future__ import annotations

import numbers
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ArgumentError, RangeError, UnsupportedError
from .labels import name_of
from .row_labels import is_a, is_numbered
from .values import IntArray, index, is_integral, is_masked

__all__ = [
    "MOST_DECIMALS",
    "Cells",
    "Words",
    "as_decimal",
    "cells_of",
    "chosen",
    "decimals_for",
    "one_column",
    "rows_of",
    "scaled",
]

#: Decimals after the point that a column is given or found to have.
MOST_DECIMALS = 30

#: Numbers lie within 10^±400, so that a short text such as 1e999999 does not become gigabytes of digits.
_MOST_DIGITS = 400


@dataclass(frozen=True)
class Words:
    """How messages name a place and a way out: Python's here; the command line has its own. Texts are formatted with
    ``row``, ``name`` and ``decimals``."""

    place: str = "row {row} (counted from 0) of column {name!r}"
    first_row: int = 0
    scale: str = "scales={{{name!r}: {decimals}}}"
    bound: str = "bounds={{{name!r}: ...}} or a smaller scale"
    missing: str = "fill it, or say missing='public' or missing='encrypted'"
    text: str = "text goes into categories={{column: [...]}}, or is left out"


PYTHON = Words()


@dataclass(frozen=True)
class Cells:
    """One column as its table holds it."""

    name: str
    #: The cells that are there, in order; what is missing is left out.
    values: NDArray[Any]
    #: For every row whether its cell is there.
    present: NDArray[np.bool_]
    #: What its type lists as the only values (pandas' Categorical, Polars' Enum).
    categories: tuple[Any, ...] | None = None
    words: Words = PYTHON

    def where(self, place: int) -> str:
        """The row and column of ``values[place]``, for messages."""
        return self.at(int(np.flatnonzero(self.present)[place]))

    def at(self, row: int) -> str:
        """A row of the column, for messages."""
        return self.words.place.format(row=row + self.words.first_row, name=self.name)


# --- tables -----------------------------------------------------------------------------------------------------------
def cells_of(table: object) -> list[Cells]:
    """The columns of a pandas or Polars frame, or of a mapping from names to sequences.

    Raises:
        UnsupportedError: something else.
        ArgumentError: no rows or columns, columns of several lengths, names that are no text or not different.
    """
    names, columns = _columns(table)
    for name in names:
        if names.count(name_of(name, "encrypt_frame")) > 1:
            raise ArgumentError(f"encrypt_frame: two columns are named {name!r}")
    every = [one_column(name, column) for name, column in zip(names, columns, strict=True)]
    if not every or not every[0].present.size:
        raise ArgumentError("encrypt_frame: the table has no rows or no columns, so nothing to encrypt")
    for cells in every[1:]:
        if cells.present.size != every[0].present.size:
            raise ArgumentError(
                f"encrypt_frame: column {cells.name!r} has {cells.present.size} rows and column {every[0].name!r} "
                f"{every[0].present.size}; all must have the same"
            )
    return every


def _columns(table: Any) -> tuple[list[Any], list[Any]]:
    if is_a(table, "pandas", "DataFrame"):
        return list(table.columns), [table.iloc[:, i] for i in range(table.shape[1])]
    if is_a(table, "polars", "DataFrame"):
        return list(table.columns), table.get_columns()
    if isinstance(table, Mapping):
        return list(table.keys()), list(table.values())
    raise UnsupportedError(
        f"encrypt_frame takes a pandas or Polars DataFrame, or a mapping from names to columns, not "
        f"{type(table).__name__}"
    )


def rows_of(table: Any) -> list[Any] | None:
    """What the rows of a table are called; None where they are numbered from 0, or have no names.

    Raises:
        ArgumentError: a mapping with several Series of pandas, whose rows have other names.
    """
    if is_a(table, "pandas", "DataFrame"):
        indices = [table.index]
    else:
        columns = table.values() if isinstance(table, Mapping) else []
        indices = [column.index for column in columns if is_a(column, "pandas", "Series")]
    if any(not each.equals(indices[0]) for each in indices):
        raise ArgumentError(
            "encrypt_frame: columns whose rows have other names; pandas.DataFrame(columns) puts them in one order"
        )
    found: list[Any] | None = None if not indices or is_numbered(indices[0]) else indices[0].tolist()
    return found


def one_column(name: str, column: Any) -> Cells:
    """A pandas or Polars series, or a sequence.

    Raises:
        UnsupportedError: something else.
        ArgumentError: more than one axis.
    """
    if is_a(column, "pandas", "Index"):
        column = column.to_series()
    if is_a(column, "pandas.api.extensions", "ExtensionArray"):
        column = sys.modules["pandas"].Series(column)
    if is_a(column, "pandas", "Series"):
        listed = getattr(column.dtype, "categories", None)
        present = ~column.isna().to_numpy(dtype=bool)
        values = column[present].to_numpy(dtype=None if listed is None else object)
        return Cells(name, values, present, None if listed is None else tuple(listed))
    if is_a(column, "polars", "Series"):
        listed = getattr(column.dtype, "categories", None) if column.dtype.base_type().__name__ == "Enum" else None
        present = ~column.is_null().to_numpy()
        there = column.drop_nulls()
        values = there.to_numpy() if there.dtype.is_integer() or there.dtype.is_float() else _objects(there.to_list())
        return _without_nan(name, values, present, None if listed is None else tuple(listed))
    if is_masked(column):
        present = ~np.ma.getmaskarray(column)
        _require_one_axis(name, column.data)
        return _without_nan(name, column.data[present], present, None)
    if isinstance(column, (str, bytes)) or not isinstance(column, (Sequence, np.ndarray)):
        raise UnsupportedError(f"encrypt_frame: column {name!r} is a {type(column).__name__}, not a sequence of cells")
    values = column if isinstance(column, np.ndarray) else _objects(column)
    _require_one_axis(name, values)
    present = np.full(len(values), True)
    if values.dtype == object:
        present[:] = [value is not None for value in values]
    return _without_nan(name, values[present], present, None)


def _objects(values: Sequence[Any]) -> NDArray[Any]:
    """Cells as they are: NumPy would make floats of integers beside floats."""
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def _require_one_axis(name: str, values: NDArray[Any]) -> None:
    if values.ndim != 1:
        raise ArgumentError(f"encrypt_frame: column {name!r} has shape {values.shape}; a column has one axis")


def _without_nan(name: str, values: NDArray[Any], present: NDArray[np.bool_], listed: tuple[Any, ...] | None) -> Cells:
    """Cells in which NaN is missing too."""
    if values.dtype.kind == "f":
        number = ~np.isnan(values)
    elif values.dtype == object:
        number = np.array([not _is_nan(value) for value in values], dtype=bool)
    else:
        return Cells(name, values, present, listed)
    there = present.copy()
    there[present] = number
    return Cells(name, values[number], there, listed)


def _is_nan(value: object) -> bool:
    if isinstance(value, Decimal):
        return value.is_nan()
    if type(value).__name__ in ("NAType", "NaTType"):  # pandas' marks of what is missing
        return True
    return isinstance(value, (float, np.floating)) and bool(np.isnan(value))


def chosen(what: str, given: object, names: Sequence[str], default: Any, *, single: bool = True) -> dict[str, Any]:
    """For every column what an option says: a mapping by name, or, with ``single``, one value for all.

    Raises:
        ArgumentError: the mapping names a column that there is not; no mapping.
    """
    if not isinstance(given, Mapping):
        if given is not None and not single:
            raise ArgumentError(f"encrypt_frame: {what}={given!r}; it is a mapping from names of columns")
        return dict.fromkeys(names, default if given is None else given)
    for name in given:
        if name not in names:
            raise ArgumentError(f"encrypt_frame: {what} names a column {name!r}; there are {', '.join(names)}")
    return {name: given.get(name, default) for name in names}


# --- decimals ---------------------------------------------------------------------------------------------------------
def as_decimal(value: object, cells: Cells, place: int) -> tuple[int, int]:
    """(n, e) with value = n 10^e, and no zero at the end of n; the cell is ``cells.values[place]``, for messages."""
    if isinstance(value, (bool, np.bool_)):
        return int(value), 0
    if is_integral(value):
        return _stripped(index(value, "a cell"), 0)
    if isinstance(value, (float, np.floating)):
        value = Decimal(str(value))  # the shortest decimals that name it
    elif isinstance(value, Fraction):
        return _of_fraction(value, cells, place)
    if not isinstance(value, Decimal):
        raise UnsupportedError(
            f"{cells.where(place)}: {type(value).__name__} {str(value)[:40]!r} is no number; "
            f"{cells.words.text.format()}"
        )
    if not value.is_finite():
        raise RangeError(
            f"{cells.where(place)}: {value} is no finite number; make it a missing value, or leave the row out"
        )
    sign, digits, exponent = value.as_tuple()
    assert isinstance(exponent, int)
    if any(digits) and not -_MOST_DIGITS <= value.adjusted() <= _MOST_DIGITS:
        raise RangeError(f"{cells.where(place)}: a number beyond 10^±{_MOST_DIGITS}")
    whole = int("".join(map(str, digits)))
    return _stripped(-whole if sign else whole, exponent)


def _stripped(whole: int, exponent: int) -> tuple[int, int]:
    if whole == 0:
        return 0, 0
    while whole % 10 == 0:
        whole, exponent = whole // 10, exponent + 1
    return whole, exponent


def _of_fraction(value: Fraction, cells: Cells, place: int) -> tuple[int, int]:
    for places in range(MOST_DECIMALS + 1):
        if 10**places % value.denominator == 0:
            return _stripped(value.numerator * (10**places // value.denominator), -places)
    raise RangeError(f"{cells.where(place)}: {value} is no decimal of at most {MOST_DECIMALS} places")


def decimals_for(scale: object, what: str) -> int:
    """A checked number of decimals.

    Raises:
        ArgumentError: no whole number from 0 to MOST_DECIMALS.
    """
    if isinstance(scale, bool) or not isinstance(scale, numbers.Integral) or not 0 <= int(scale) <= MOST_DECIMALS:
        raise ArgumentError(f"{what}: {scale!r} must be a number of decimals from 0 to {MOST_DECIMALS}")
    return int(scale)


def scaled(cells: Cells, decimals: int | None) -> tuple[IntArray, int]:
    """Every cell times 10^decimals, exactly; and decimals, the fewest that all cells need where None is given.

    Raises:
        RangeError: a cell needs more decimals, or is infinite; names row and column.
        UnsupportedError: a cell that is no number; names row and column.
    """
    if cells.values.dtype.kind in "biu" and not decimals:
        return cells.values.astype(object), 0
    pairs = [as_decimal(value, cells, i) for i, value in enumerate(cells.values)]
    needed = [max(0, -exponent) for _, exponent in pairs]
    places = max(needed, default=0) if decimals is None else decimals
    limit = MOST_DECIMALS if decimals is None else decimals
    for i, need in enumerate(needed):
        if need > limit:
            raise RangeError(
                f"{cells.where(i)}: {cells.values[i]} needs {need} decimals, and the scale has {limit}; round it "
                f"before, or give more: {cells.words.scale.format(name=cells.name, decimals=need)}"
            )
    return _objects([whole * 10 ** (exponent + places) for whole, exponent in pairs]), places
