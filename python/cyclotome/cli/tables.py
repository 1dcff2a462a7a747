# SPDX-License-Identifier: Apache-2.0
"""Numbers in CSV, npy and Parquet files, read and written exactly.

Decimals are decimals here: the text 12.30 is 1230/100, never the float next to it. A `Table` of a CSV or Parquet file
has the columns along its first axis and the rows along its second; an npy file keeps its own shape.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from cyclotome.cli.decimals import decimal_text
from cyclotome.errors import FileError, FormatError, RangeError

SUFFIXES = (".csv", ".npy", ".parquet")


@dataclass(frozen=True)
class Table:
    """Numbers as they stand in a file.

    Attributes:
        values: object array of int and Decimal; (columns, rows), or an npy file's own shape.
        columns: names along the first axis, or None.
    """

    values: np.ndarray[Any, np.dtype[np.object_]]
    columns: tuple[str, ...] | None = None

    def select(self, wanted: Sequence[str]) -> Table:
        """Only these columns, in this order. Raises FormatError for one that is not there."""
        if self.columns is None:
            raise FormatError(f"columns {', '.join(wanted)} were asked for, but the file has no column names")
        for name in wanted:
            if name not in self.columns:
                raise FormatError(f"there is no column {name!r}; the file has {', '.join(self.columns)}")
        return Table(self.values[[self.columns.index(name) for name in wanted]], tuple(wanted))


def read_table(path: Path, columns: Sequence[str] | None = None) -> Table:
    """Numbers of a .csv, .npy or .parquet file; only `columns`, when named: the others may then hold text.

    Raises:
        FileError: the file cannot be read.
        FormatError: it holds something else than finite numbers; says where.
    """
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise FormatError(f"{path}: the name must end in {', '.join(SUFFIXES)}")
    try:
        if suffix == ".csv":
            return _parse_csv(path, path.read_text(encoding="utf-8-sig"), columns)
        if suffix == ".npy":
            table = _from_array(path, np.load(path, allow_pickle=False))
            return table if columns is None else table.select(columns)
        return _read_parquet(path, columns)
    except OSError as error:
        raise FileError(f"{path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise FormatError(f"{path}: not UTF-8 text (byte {error.start})") from error
    except (ValueError, EOFError) as error:
        if isinstance(error, FormatError):
            raise
        raise FormatError(f"{path}: {error}") from error


def _number(text: str) -> Decimal | None:
    if "_" in text:  # Python's digit grouping, which no table means
        return None
    try:
        return Decimal(text.strip())
    except InvalidOperation:
        return None


def _parse_csv(path: Path, text: str, wanted: Sequence[str] | None) -> Table:
    try:
        rows = [row for row in csv.reader(io.StringIO(text), strict=True) if row]
    except csv.Error as error:
        raise FormatError(f"{path}: not CSV: {error}") from error
    if not rows:
        raise FormatError(f"{path}: no rows")
    has_header = any(_number(cell) is None for cell in rows[0])
    names = [cell.strip() for cell in rows[0]] if has_header else None
    body = rows[1:] if has_header else rows
    if not body:
        raise FormatError(f"{path}: a header, but no rows")
    for number, row in enumerate(body, start=1 + has_header):
        if len(row) != len(rows[0]):
            raise FormatError(f"{path}: row {number} has {len(row)} cells, the first row {len(rows[0])}")
    if names is not None and (len(set(names)) != len(names) or "" in names):
        raise FormatError(f"{path}: column names must be there and differ: {', '.join(names)}")
    taken = list(range(len(rows[0])))
    if wanted is not None:
        if names is None or any(name not in names for name in wanted):
            has = ", ".join(names) if names is not None else "no header"
            raise FormatError(f"{path}: columns {', '.join(wanted)} were asked for; the file has {has}")
        taken = [names.index(name) for name in wanted]
    values = np.empty((len(taken), len(body)), dtype=object)
    for out, column in enumerate(taken):
        label = names[column] if names is not None else str(column + 1)
        for index, row in enumerate(body):
            values[out, index] = _finite(row[column], f"{path}: row {index + 1 + has_header}, column {label}")
    return Table(values, None if names is None else tuple(names[column] for column in taken))


def _finite(cell: str, where: str) -> Decimal:
    value = _number(cell)
    if value is None:
        raise FormatError(f"{where}: {cell!r} is not a number; choose columns with --columns or correct the file")
    if not value.is_finite():
        raise FormatError(f"{where}: {cell.strip()} cannot be encrypted; only finite numbers can")
    return value


def _from_array(path: Path, array: np.ndarray[Any, Any], columns: tuple[str, ...] | None = None) -> Table:
    """int and Decimal for a numeric array; floats are read as the shortest decimals that name them."""
    if array.dtype.kind not in "biuf":
        raise FormatError(f"{path}: numbers of type {array.dtype} cannot be encrypted; integers and floats can")
    if array.ndim == 0 or array.size == 0:
        raise FormatError(f"{path}: an array of shape {array.shape} holds nothing to encrypt")
    values = np.empty(array.shape, dtype=object)
    if array.dtype.kind != "f":
        values[...] = array.astype(object) if array.dtype.kind != "b" else array.astype(int).astype(object)
        return Table(values, columns)
    finite = np.isfinite(array)
    if not finite.all():
        place = tuple(int(i) for i in np.argwhere(~finite)[0])
        raise FormatError(f"{path}: {array[place]} at {list(place)} cannot be encrypted; only finite numbers can")
    flat = values.reshape(-1)
    for index, number in enumerate(array.reshape(-1)):
        flat[index] = Decimal(str(number))
    return Table(flat.reshape(array.shape), columns)


def _parquet_module() -> Any:
    try:
        import pyarrow.parquet
    except ImportError:
        raise FileError("Parquet files need pyarrow: pip install 'cyclotome[parquet]'") from None
    return pyarrow.parquet


def _read_parquet(path: Path, wanted: Sequence[str] | None) -> Table:
    parquet = _parquet_module()
    known = parquet.read_schema(path).names
    missing = [name for name in wanted or () if name not in known]
    if missing:
        raise FormatError(f"{path}: there is no column {missing[0]!r}; the file has {', '.join(known)}")
    table = parquet.read_table(path, columns=None if wanted is None else list(wanted))
    parts = []
    for name in table.column_names:
        column = table.column(name)
        if column.null_count:
            raise FormatError(f"{path}: column {name} has {column.null_count} empty cells")
        parts.append(_from_array(path, column.to_numpy()).values)
    if not parts:
        raise FormatError(f"{path}: no columns")
    return Table(np.stack(parts), tuple(table.column_names))


def csv_text(
    integers: np.ndarray[Any, Any], scale: Fraction, columns: Sequence[str] | None = None, name: str | None = None
) -> str:
    """CSV of integers / scale; a first axis with `columns` becomes columns. Raises FormatError beyond two axes."""
    array = np.asarray(integers, dtype=object)
    if columns is not None and array.ndim in (1, 2) and array.shape[0] == len(columns):
        header, series = list(columns), array.reshape(len(columns), -1)
    elif array.ndim <= 1:
        header, series = [name or "result"], array.reshape(1, -1)
    elif array.ndim == 2:
        header, series = [f"{name or 'result'}_{i}" for i in range(array.shape[0])], array
    else:
        raise FormatError(f"an array of shape {array.shape} does not fit a CSV file; write it to a .npy file")
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    for row in zip(*series, strict=True):
        writer.writerow([decimal_text(Fraction(int(value)) / scale) for value in row])
    return out.getvalue()


def array_of(integers: np.ndarray[Any, Any], scale: Fraction) -> np.ndarray[Any, Any]:
    """Integers / scale for an npy or Parquet file: int64 when the scale is 1, else the nearest float64.

    Raises:
        RangeError: at scale 1, a value is wider than int64; CSV files hold it.
    """
    array = np.asarray(integers)
    if scale == 1:
        if array.dtype == object:
            if any(not -(2**63) <= v < 2**63 for v in array.flat):
                raise RangeError("a value is wider than 64 bits: write it to a .csv file, which holds it exactly")
            array = array.astype(np.int64)
        return array
    values = np.empty(array.shape, dtype=np.float64)
    for place, value in np.ndenumerate(array):
        values[place] = float(Fraction(int(value)) / scale)
    return values


def npy_bytes(array: np.ndarray[Any, Any]) -> bytes:
    """An npy file of a numeric array."""
    out = io.BytesIO()
    np.save(out, array, allow_pickle=False)
    return out.getvalue()


def parquet_bytes(array: np.ndarray[Any, Any], columns: Sequence[str] | None, name: str | None) -> bytes:
    """A Parquet file of a table (columns, rows) or a single series."""
    parquet = _parquet_module()
    import pyarrow

    if array.ndim > 2:
        raise FormatError(f"an array of shape {array.shape} does not fit a Parquet file; write it to a .npy file")
    if columns is not None and array.shape[:1] == (len(columns),):
        series = dict(zip(columns, array.reshape(len(columns), -1), strict=True))
    elif array.ndim <= 1:
        series = {name or "result": array.reshape(-1)}
    else:
        series = {f"{name or 'result'}_{i}": row for i, row in enumerate(array)}
    out = io.BytesIO()
    parquet.write_table(pyarrow.table(series), out)
    return out.getvalue()
