# SPDX-License-Identifier: Apache-2.0
"""Encrypted tables out: frames and series of pandas or Polars, exactly."""

from __future__ import annotations

import importlib
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from ..arrays.array import EncryptedArray
from ..arrays.decryption import decrypt
from ..errors import ArgumentError, MissingPackageError, RangeError, UnsupportedError
from ..keys.kinds import SecretKey
from ..numbers import scales
from ..numbers.values import IntArray
from . import kinds
from .columns import EncryptedCategories, EncryptedColumn
from .frame import EncryptedFrame
from .statistics.deferred import EncryptedStatistics
from .statistics.results import Decrypted, result_of

if TYPE_CHECKING:
    import pandas
    import polars

__all__ = ["cells_out", "decrypt_frame", "rows_kept", "statistic_columns"]


@overload
def decrypt_frame(
    x: EncryptedFrame, key: SecretKey, *, exact: bool = True, library: Literal["pandas"] = "pandas"
) -> pandas.DataFrame: ...
@overload
def decrypt_frame(
    x: EncryptedCategories, key: SecretKey, *, exact: bool = True, library: Literal["pandas"] = "pandas"
) -> pandas.Series: ...
@overload
def decrypt_frame(
    x: EncryptedFrame, key: SecretKey, *, exact: bool = True, library: Literal["polars"]
) -> polars.DataFrame: ...
@overload
def decrypt_frame(
    x: EncryptedCategories, key: SecretKey, *, exact: bool = True, library: Literal["polars"]
) -> polars.Series: ...
@overload
def decrypt_frame(x: int, key: SecretKey, *, exact: bool = True, library: str = "pandas") -> int: ...
@overload  # a Series, or of a single number, which no type tells from a column, that number; and what statistics are
def decrypt_frame(
    x: EncryptedColumn | EncryptedStatistics, key: SecretKey, *, exact: bool = True, library: str = "pandas"
) -> Any: ...
def decrypt_frame(
    x: EncryptedFrame | EncryptedColumn | EncryptedCategories | EncryptedStatistics | int,
    key: SecretKey,
    *,
    exact: bool = True,
    library: str = "pandas",
) -> Any:
    """Decrypts a table, a column, a single number or statistics; for the key's owner alone, as `decrypt`.

    Args:
        x: a frame, or a column of one, or the sum of a column; or its count, which is returned as it is where it is
            public: a whole number; or statistics, as ``mean`` and ``groupby(...).mean`` make them.
        key: the secret key that belongs to it.
        exact: decimals as `decimal.Decimal` (numbers at a scale that no decimals write as fractions); else as the
            floats nearest to them.
        library: "pandas" or "polars", whose frames and series come back. Polars' have no index: names of rows become
            a first column.

    Returns:
        A DataFrame of a frame, a Series of a column, a number of a single one. Columns of scale 1 are int64, or
        Int64 with missing values (Python integers where they are wider); columns with decimals hold Decimal, None where
        they are missing, or float64 and NaN; booleans are bool or boolean, dates datetime64, durations timedelta64,
        categories Categorical. Rows that a filter left out are left out. Of statistics what pandas gives for them:
        means, variances and quantiles are floats, rounded once; sums and extremes as ``exact`` says.

    Raises:
        MissingPackageError: pandas or Polars is not installed; single numbers need neither.
        UnsupportedError: something else than a frame or column.
        ArgumentError: another library.
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
    if library not in ("pandas", "polars"):
        raise ArgumentError(f"decrypt_frame: library={library!r:.40}; there are 'pandas' and 'polars'")
    if isinstance(x, (int, np.integer)) and not isinstance(x, bool):
        return int(x)
    if isinstance(x, EncryptedColumn) and not x.values.shape:
        return _single(x, key, exact)
    if isinstance(x, EncryptedStatistics):
        found = result_of(x, _decrypted(x, key), exact, _pandas)
    elif isinstance(x, EncryptedFrame):
        pandas = _pandas()
        columns = {name: _series(pandas, column, key, exact) for name, column in x.columns.items()}
        found = _with_names(pandas.DataFrame(columns), x.index)
    elif isinstance(x, (EncryptedColumn, EncryptedCategories)):
        found = _with_names(_series(_pandas(), x, key, exact), x.index).rename(x.name)
    else:
        raise UnsupportedError(f"decrypt_frame takes an EncryptedFrame or one of its columns, not {type(x).__name__}")
    if isinstance(x, (EncryptedFrame, EncryptedColumn, EncryptedCategories)) and x.kept is not None:
        found = found[_kept(x.kept, key)]
        if x.index is None:
            found = found.copy()
    return found if library == "pandas" else _polars_of(found)


def _single(x: EncryptedColumn, key: SecretKey, exact: bool) -> Any:
    value = int(decrypt(x.values, key))
    if x.kind == kinds.BOOL:
        return bool(value)
    if x.kind != kinds.NUMBER:
        return _times(_pandas(), [value], x.scale, x.kind)[0]
    return scales.number(value, x.scale, exact=exact)


def _pandas() -> Any:
    return _package("pandas")


def _package(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise MissingPackageError(f"decrypted tables are {name}', which is not installed: pip install {name}") from None


def _polars_of(found: Any) -> Any:
    """A frame or series of pandas as one of Polars."""
    polars = _package("polars")
    if not hasattr(found, "to_numpy"):
        return found
    pandas = _pandas()
    if isinstance(found, pandas.Series):
        if isinstance(found.index, pandas.RangeIndex):
            return polars.Series("" if found.name is None else str(found.name), _cells_of(pandas, found))
        found = found.to_frame(name="value" if found.name is None else found.name)
    columns = {}
    if not isinstance(found.index, pandas.RangeIndex):
        name = "index" if found.index.name is None else str(found.index.name)
        while name in found.columns:
            name += "_"
        columns[name] = _cells_of(pandas, found.index.to_series())
    for name in found.columns:
        title = "_".join(map(str, name)) if isinstance(name, tuple) else str(name)
        columns[title] = _cells_of(pandas, found[name])
    return polars.DataFrame(columns)


def _cells_of(pandas: Any, column: Any) -> list[Any]:
    return [None if missing else cell for cell, missing in zip(column.tolist(), pandas.isna(column), strict=True)]


def _with_names(rows: Any, names: tuple[Any, ...] | None) -> Any:
    return rows if names is None else rows.set_axis(list(names), axis=0)


def _ones(values: Any, what: str) -> IntArray:
    ones = np.asarray(values)
    if not ((ones == 0) | (ones == 1)).all():
        raise RangeError(f"decrypt_frame: {what} that are not all 0 or 1; they are not what they claim to be")
    return ones


def _kept(mask: Any, key: SecretKey) -> Any:
    ones = _ones(decrypt(mask, key), "filters") if isinstance(mask, EncryptedArray) else np.asarray(mask)
    return ones.astype(bool)


def rows_kept(x: EncryptedFrame, key: SecretKey) -> Any:
    """Which rows filters kept; None: all. Errors: see `decrypt_frame`."""
    return None if x.kept is None else _kept(x.kept, key)


def statistic_columns(x: EncryptedStatistics, key: SecretKey) -> dict[str, list[Any]]:
    """Statistics as columns of cells: names of rows first, floats as the shortest decimals that name them, None where
    there is no value. Errors: see `decrypt_frame`."""
    pandas, found = _pandas(), decrypt_frame(x, key)
    if not isinstance(found, (pandas.Series, pandas.DataFrame)):
        return {"value": [_plain(pandas, found)]}
    if isinstance(found, pandas.Series):
        found = found.to_frame(name="value" if found.name is None else str(found.name))
    name = "row" if found.index.name is None else str(found.index.name)
    columns = {name: [_plain(pandas, each) for each in found.index.tolist()]}
    for title in found.columns:
        text = "_".join(map(str, title)) if isinstance(title, tuple) else str(title)
        while text in columns:
            text += "_"
        columns[text] = [_plain(pandas, each) for each in found[title].tolist()]
    return columns


def _plain(pandas: Any, cell: Any) -> Any:
    if pandas.isna(cell):
        return None
    if isinstance(cell, float):
        return Decimal(repr(cell))
    return str(cell) if isinstance(cell, (pandas.Timestamp, pandas.Timedelta)) else cell


def cells_out(column: EncryptedColumn | EncryptedCategories, key: SecretKey) -> list[Any]:
    """A column's cells: integers, decimals, fractions, dates or labels, None where they are missing. Errors: see
    `decrypt_frame`."""
    if isinstance(column, EncryptedCategories):
        return [None if place < 0 else column.labels[place] for place in _places(column, key).tolist()]
    values, present = _numbers(column, key)
    if kinds.is_date(column.kind):
        moments = _moments(values.tolist(), column.scale, column.kind)
        return [str(each) if there else None for each, there in zip(moments, present, strict=True)]
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


def _moments(values: list[int], scale: int, kind: str, unit: str = "us") -> list[Any]:
    """Dates or durations of NumPy, in this unit if that holds them, else in microseconds."""
    first = kinds.origin_days(kind) if kinds.is_date(kind) else 0
    exact = [(Fraction(value, scale) + first) * kinds.NANOSECONDS for value in values]
    if unit == "ns" and any(abs(each) >= 2**63 for each in exact):
        unit = "us"
    step = 1 if unit == "ns" else 1000
    if any(abs(each / step) >= 2**63 for each in exact):
        raise RangeError("decrypt_frame: a date or duration beyond what pandas holds")
    make: Any = np.datetime64 if kinds.is_date(kind) else np.timedelta64
    return [make(round(each / step), unit) for each in exact]


def _times(pandas: Any, values: list[int], scale: int, kind: str) -> Any:
    return pandas.Series(np.array(_moments(values, scale, kind, kinds.unit_of_pandas(pandas))))


def _series(pandas: Any, column: EncryptedColumn | EncryptedCategories, key: SecretKey, exact: bool) -> Any:
    if isinstance(column, EncryptedCategories):
        return pandas.Series(pandas.Categorical.from_codes(_places(column, key), categories=list(column.labels)))
    values, present = _numbers(column, key)
    if column.kind == kinds.BOOL:
        truth = pandas.Series(_ones(values, "booleans").astype(bool))
        return truth if present.all() else truth.astype("boolean").mask(~present)
    if column.kind != kinds.NUMBER:
        times = _times(
            pandas,
            [int(v) if there else 0 for v, there in zip(values, present, strict=True)],
            column.scale,
            column.kind,
        )
        return times if present.all() else times.mask(~present)
    if column.scale == 1 and values.dtype != object:
        series = pandas.Series(values)
        return series if present.all() else series.astype("Int64").mask(~present)
    cells = [
        scales.number(int(value), column.scale, exact=exact) if there else None
        for value, there in zip(values, present, strict=True)
    ]
    return pandas.Series(cells, dtype="float64" if column.scale != 1 and not exact else object)


def _decrypted(x: EncryptedStatistics, key: SecretKey) -> Decrypted:
    """The columns of statistics, as fractions."""
    found: Decrypted = {}
    for name, column in x.columns.items():
        if isinstance(column, EncryptedCategories):
            found[name] = _places(column, key).tolist(), 1, kinds.NUMBER
            continue
        values, present = _numbers(column, key)
        cells = [Fraction(int(v), column.scale) if there else None for v, there in zip(values, present, strict=True)]
        found[name] = cells, column.scale, column.kind
    return found
