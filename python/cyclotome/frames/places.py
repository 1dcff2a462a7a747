# SPDX-License-Identifier: Apache-2.0
"""Rows of a table by their public names."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any, Generic, TypeVar, overload

import numpy as np

from ..arrays.array import EncryptedArray
from ..errors import ArgumentError, RangeError, UnsupportedError
from ..numbers.labels import place_of
from ..numbers.values import index
from .columns import Column, EncryptedCategories, EncryptedColumn
from .masks import public_mask

__all__ = ["Loc"]

_T = TypeVar("_T")


class Loc(Generic[_T]):
    """``frame.loc``: rows by what they are called, which is public, or by their numbers where they have no names.

    ``loc[names]`` and ``loc[first:last]``, the last one included, are frames of these rows, in the table's order:
    others have become missing, as after a filter, at no cost. ``loc[..., columns]`` are columns of these, and
    ``loc[name, column]`` one number, for which a rotation or a product with a mask and a sum are computed.
    """

    def __init__(self, frame: _T) -> None:
        self._frame: Any = frame

    @overload
    def __getitem__(self, key: tuple[Any, Any]) -> Any: ...
    @overload
    def __getitem__(self, key: slice | list[Any] | EncryptedColumn) -> _T: ...
    def __getitem__(self, key: Any) -> Any:
        """Raises:
        ArgumentError: no such rows or columns; a row named twice; names in another order than the table's.
        UnsupportedError: one row of all columns, which is no column: ``loc[[name]]``.
        RangeError: a single value that is missing.
        """
        rows, columns = key if isinstance(key, tuple) and len(key) == 2 else (key, None)
        frame = self._frame if columns is None or isinstance(columns, str) else self._frame[list(columns)]
        single = isinstance(columns, str)
        if isinstance(rows, slice) and rows == slice(None):
            return frame[columns] if single else frame
        if isinstance(rows, (list, np.ndarray, slice)) and not _booleans(rows):
            chosen = self._mask(rows)
            made = frame[chosen]
            return made[columns] if single else made
        if isinstance(rows, (EncryptedColumn, list, np.ndarray)) or hasattr(rows, "dtype"):
            made = frame[rows]
            return made[columns] if single else made
        if not single:
            raise UnsupportedError(
                f"loc: one row holds values of several scales: loc[[{rows!r:.40}]] is a frame, loc[{rows!r:.40}, "
                "column] a number"
            )
        return self._value(frame[columns], self._place(rows))

    def _place(self, label: object) -> int:
        names = self._frame.index
        if names is not None:
            return place_of(names, label, "loc")
        place = index(label, "loc: the number of a row")
        if not 0 <= place < self._frame.rows:
            raise ArgumentError(f"loc: row {place} of {self._frame.rows}")
        return place

    def _mask(self, rows: Any) -> Any:
        count = self._frame.rows
        if isinstance(rows, slice):
            if rows.step not in (None, 1):
                raise ArgumentError("loc: a step of rows; they are taken one after the other")
            first = 0 if rows.start is None else self._place(rows.start)
            last = count - 1 if rows.stop is None else self._place(rows.stop)
            places = list(range(first, last + 1))
        else:
            places = [self._place(each) for each in np.asarray(rows, dtype=object).tolist()]
        if not places:
            raise ArgumentError("loc: no rows")
        if any(later <= earlier for earlier, later in pairwise(places)):
            raise ArgumentError("loc: rows are named once each, in the table's order; others after decryption")
        chosen = np.zeros(count, dtype=bool)
        chosen[places] = True
        return chosen

    def _value(self, column: Column, place: int) -> EncryptedColumn:
        if isinstance(column, EncryptedCategories):
            raise UnsupportedError("loc: one value of categories: loc[[name], column] is a column")
        if isinstance(column.mask, EncryptedArray):
            raise UnsupportedError(
                "loc: one value that may be missing, which its encrypted mask says: loc[[name], column] is a column"
            )
        if column.mask is not None and not column.mask[place]:
            raise RangeError("loc: the value is missing")
        return replace(column, values=column.values[place], mask=None, cleared=True, index=None, kept=None)

    def rows_from(self, n: object) -> Any:
        """The first rows of the frame, ``n`` of them, or all but the last ones where it is negative: for the library
        itself."""
        count, frame = index(n, "head: a number of rows"), self._frame
        if frame.kept is not None:
            raise UnsupportedError("head: which rows are the first that a filter kept is encrypted; decrypt first")
        count = min(frame.rows, count) if count >= 0 else frame.rows + count
        if count < 1:
            raise ArgumentError("head: no rows")
        names = None if frame.index is None else frame.index[:count]
        return type(frame)({name: _first(column, count) for name, column in frame.columns.items()}, names)


def _booleans(rows: Any) -> bool:
    return not isinstance(rows, slice) and len(rows) > 0 and all(isinstance(each, (bool, np.bool_)) for each in rows)


def _first(column: Column, count: int) -> Column:
    if isinstance(column, EncryptedCategories):
        return replace(column, selectors=column.selectors[:, :count], index=None)
    mask = column.mask
    if mask is not None:
        mask = mask[:count] if isinstance(mask, EncryptedArray) else public_mask(mask[:count])
    return replace(column, values=column.values[:count], mask=mask, index=None)
