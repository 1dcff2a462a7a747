# SPDX-License-Identifier: Apache-2.0
"""Encrypted tables out: pandas frames and series, exactly."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from ..arrays.array import EncryptedArray
from ..arrays.decryption import decrypt
from ..errors import MissingPackageError, RangeError, UnsupportedError
from ..keys.kinds import SecretKey
from ..numbers import scales
from ..numbers.values import IntArray
from .columns import EncryptedCategories, EncryptedColumn
from .frame import EncryptedFrame

if TYPE_CHECKING:
    import pandas

__all__ = ["cells_out", "decrypt_frame"]


@overload
def decrypt_frame(x: EncryptedFrame, key: SecretKey, *, exact: bool = True) -> pandas.DataFrame: ...
@overload
def decrypt_frame(x: EncryptedCategories, key: SecretKey, *, exact: bool = True) -> pandas.Series: ...
@overload  # a Series, or of a single number, which no type tells from a column, that number
def decrypt_frame(x: EncryptedColumn, key: SecretKey, *, exact: bool = True) -> Any: ...
@overload
def decrypt_frame(x: int, key: SecretKey, *, exact: bool = True) -> int: ...
def decrypt_frame(
    x: EncryptedFrame | EncryptedColumn | EncryptedCategories | int, key: SecretKey, *, exact: bool = True
) -> Any:
    """Decrypts a table, a column or a single number; for the key's owner alone, as `decrypt`.

    Args:
        x: a frame, or a column of one, or the sum of a column; or its count, which is returned as it is where it is
            public: a whole number.
        key: the secret key that belongs to it.
        exact: decimals as `decimal.Decimal` (numbers at a scale that no decimals write as fractions); else as the
            floats nearest to them.

    Returns:
        A pandas DataFrame of a frame, a Series of a column, a number of a single one. Columns of scale 1 are int64, or
        Int64 with missing values (Python integers where they are wider); columns with decimals hold Decimal, None where
        they are missing, or float64 and NaN; categories are Categorical.

    Raises:
        MissingPackageError: pandas is not installed; single numbers need none.
        UnsupportedError: something else than a frame or column.
        RangeError: categories or a mask that are no zeros and ones, so they are not what they claim to be; without
            ``exact``, a value beyond what floats hold.
        MismatchError, NoiseError, ContradictionError: see `decrypt`.

    Example:
        >>> import cyclotome as cy
        >>> secret, public, _ = cy.keygen(cy.Parameters.suggest(depth=1, value_bits=16, result_bits=40))
        >>> x = cy.encrypt_frame({"price": [12.5, 0.99], "sold": [3, 7]}, public)
        >>> cy.decrypt_frame((x["price"] * x["sold"]).sum(), secret)
        Decimal('44.43')
    """
    if isinstance(x, int) and not isinstance(x, bool):
        return x
    if isinstance(x, EncryptedColumn) and not x.values.shape:
        return scales.number(int(decrypt(x.values, key)), x.scale, exact=exact)
    if isinstance(x, EncryptedFrame):
        pandas = _pandas()
        columns = {name: _series(pandas, column, key, exact) for name, column in x.columns.items()}
        return _with_names(pandas.DataFrame(columns), x.index)
    if isinstance(x, (EncryptedColumn, EncryptedCategories)):
        return _with_names(_series(_pandas(), x, key, exact), x.index)
    raise UnsupportedError(f"decrypt_frame takes an EncryptedFrame or one of its columns, not {type(x).__name__}")


def _pandas() -> Any:
    try:
        return importlib.import_module("pandas")
    except ImportError:
        raise MissingPackageError("decrypted tables are pandas', which is not installed: pip install pandas") from None


def _with_names(rows: Any, names: tuple[Any, ...] | None) -> Any:
    return rows if names is None else rows.set_axis(list(names), axis=0)


def _ones(values: Any, what: str) -> IntArray:
    ones = np.asarray(values)
    if not ((ones == 0) | (ones == 1)).all():
        raise RangeError(f"decrypt_frame: {what} that are not all 0 or 1; they are not what they claim to be")
    return ones


def cells_out(column: EncryptedColumn | EncryptedCategories, key: SecretKey) -> list[Any]:
    """A column's cells: integers, decimals, fractions or labels, None where they are missing. Errors: see
    `decrypt_frame`."""
    if isinstance(column, EncryptedCategories):
        return [None if place < 0 else column.labels[place] for place in _places(column, key).tolist()]
    values, present = _numbers(column, key)
    return [
        scales.number(int(value), column.scale, exact=True) if there else None
        for value, there in zip(values, present, strict=True)
    ]


def _places(column: EncryptedCategories, key: SecretKey) -> IntArray:
    selectors = _ones(decrypt(column.selectors, key), "categories")
    _ones(selectors.sum(axis=0), "numbers of categories of rows")
    return np.where(selectors.any(axis=0), selectors.argmax(axis=0), -1)


def _numbers(column: EncryptedColumn, key: SecretKey) -> tuple[IntArray, np.ndarray[Any, np.dtype[np.bool_]]]:
    """The integers, and where they are there."""
    mask = column.mask
    if isinstance(mask, EncryptedArray):
        mask = _ones(decrypt(mask, key), "masks")
    values = np.asarray(decrypt(column.values, key)).reshape(-1)  # of single numbers too
    present = np.full(column.rows, True) if mask is None else np.asarray(mask).astype(bool)
    if column.cleared and values[~present].any():
        raise RangeError("decrypt_frame: values that are not 0 where they are missing, as they claim to be")
    return values, present


def _series(pandas: Any, column: EncryptedColumn | EncryptedCategories, key: SecretKey, exact: bool) -> Any:
    if isinstance(column, EncryptedCategories):
        return pandas.Series(pandas.Categorical.from_codes(_places(column, key), categories=list(column.labels)))
    values, present = _numbers(column, key)
    if column.scale == 1 and values.dtype != object:
        series = pandas.Series(values)
        return series if present.all() else series.astype("Int64").mask(~present)
    cells = [
        scales.number(int(value), column.scale, exact=exact) if there else None
        for value, there in zip(values, present, strict=True)
    ]
    return pandas.Series(cells, dtype="float64" if column.scale != 1 and not exact else object)
