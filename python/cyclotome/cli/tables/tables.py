# SPDX-License-Identifier: Apache-2.0
"""Numbers in CSV, npy and Parquet files, read and written exactly.

Decimals are decimals here: the text 12.30 is 1230/100, never the float next to it, and a float is read as the shortest
decimals that name it. A `Table` of a CSV or Parquet file has the columns along its first axis and the rows along its
second; an npy file keeps its own shape.
"""

from __future__ import annotations

import io
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from tokenize import TokenError
from typing import Any

import numpy as np

from cyclotome.cli.numbers.decimals import decimal_text
from cyclotome.cli.tables import csv_files, headers
from cyclotome.cli.visible import shown, visible
from cyclotome.errors import FileError, FormatError, RangeError

SUFFIXES = (".csv", ".npy", ".parquet")


@dataclass(frozen=True)
class Table:
    """Numbers as they stand in a file.

    Attributes:
        values: object array of int, Decimal and Fraction; (columns, rows), or an npy file's own shape.
        columns: names along the first axis, or None.
        remark: what had to be guessed about the file, for whoever reads it; or None.
    """

    values: np.ndarray[Any, np.dtype[np.object_]]
    columns: tuple[str, ...] | None = None
    remark: str | None = None


def read_table(
    path: Path,
    columns: Sequence[str] | None = None,
    *,
    header: bool | None = None,
    dialect: csv_files.Dialect = csv_files.COMMAS,
) -> Table:
    """Numbers of a .csv, .npy or .parquet file; only `columns`, when named: the others may then hold text.

    Args:
        path: the file.
        columns: names of those to take, in this order; different ones.
        header: whether a CSV file's first row names the columns; None: see `headers`.
        dialect: how a CSV file is written.

    Raises:
        FileError: the file cannot be read.
        FormatError: it holds something else than finite numbers; says where.
        RangeError: a number of a length that no table means.
    """
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise FormatError(f"{path}: the name must end in {', '.join(SUFFIXES)}")
    with reading(path, columns):
        if suffix == ".csv":
            return Table(*csv_files.read(csv_content(path), str(path), columns, header, dialect))
        if suffix == ".npy":
            return _read_npy(path, columns)
        return _read_parquet(path, columns)


def csv_content(path: Path) -> str:
    """What a CSV file holds, within `reading`. New lines stay what they are: the CSV reader knows them all."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        return file.read()


@contextmanager
def reading(path: Path, columns: Sequence[str] | None) -> Iterator[None]:
    """Makes typed errors of whatever reading a table raises; checks that the columns asked for differ."""
    if columns is not None and len(set(columns)) != len(columns):
        raise FormatError(f"{path}: the columns {', '.join(columns)} were asked for, one of them twice")
    try:
        yield
    except OSError as error:
        raise FileError(f"{path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise FormatError(f"{path}: not UTF-8 text (byte {error.start})") from error
    except (
        *(ValueError, TypeError, SyntaxError, EOFError, NotImplementedError),  # what the two formats raise
        *(TokenError, RecursionError),  # npy's header, which is read as Python is
    ) as error:
        if isinstance(error, (FormatError, RangeError)):
            raise
        raise FormatError(f"{path}: {error}") from error


# --- npy --------------------------------------------------------------------------------------------------------------
def _read_npy(path: Path, columns: Sequence[str] | None) -> Table:
    if columns is not None:
        raise FormatError(f"{path}: columns {', '.join(columns)} were asked for, but npy files have no column names")
    with path.open("rb") as file:
        version = np.lib.format.read_magic(file)
        if version not in ((1, 0), (2, 0)):
            raise FormatError(f"{path}: npy format {version[0]}.{version[1]}, which arrays of numbers do not need")
        header = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, _, dtype = header(file)
        # The header is compared with the file before NumPy asks for memory by it.
        there = path.stat().st_size - file.tell()
    if any(length < 0 for length in shape) or math.prod(shape) * dtype.itemsize != there:
        raise FormatError(f"{path}: the header says {dtype} of shape {shown(shape)}, but {there} bytes follow")
    return Table(_exact(str(path), np.load(path, allow_pickle=False)))


def _exact(where: str, array: np.ndarray[Any, Any]) -> np.ndarray[Any, np.dtype[np.object_]]:
    """int and Decimal for a numeric array; floats are read as the shortest decimals that name them."""
    if array.dtype.kind not in "biuf":
        raise FormatError(f"{where}: numbers of type {array.dtype} cannot be encrypted; integers and floats can")
    if array.ndim == 0 or array.size == 0:
        raise FormatError(f"{where}: an array of shape {array.shape} holds nothing to encrypt")
    values = np.empty(array.shape, dtype=object)
    if array.dtype.kind != "f":
        values[...] = array.astype(object) if array.dtype.kind != "b" else array.astype(int).astype(object)
        return values
    finite = np.isfinite(array)
    if not finite.all():
        place = tuple(int(i) for i in np.argwhere(~finite)[0])
        raise FormatError(f"{where}: {array[place]} at {list(place)} cannot be encrypted; only finite numbers can")
    for place, number in np.ndenumerate(array):
        values[place] = Decimal(str(number))
    return values


# --- Parquet ----------------------------------------------------------------------------------------------------------
def parquet_module() -> Any:
    try:
        import pyarrow.parquet
    except ImportError:
        raise FileError("Parquet files need pyarrow, which is not installed: pip install pyarrow") from None
    return pyarrow.parquet


def parquet_columns(path: Path, wanted: Sequence[str] | None) -> tuple[tuple[str, ...], Any]:
    """Names of the columns to take, and the Parquet table of them. Raises FormatError."""
    parquet = parquet_module()
    known = parquet.read_schema(path).names
    if len(set(known)) != len(known) or "" in known:
        has = ", ".join(visible(name) for name in known)
        raise FormatError(f"{path}: column names must be there and differ: {has}")
    missing = sorted(set(wanted or ()) - set(known))
    if missing:
        has = ", ".join(visible(name) for name in known)
        raise FormatError(f"{path}: there is no column {visible(missing[0])!r}; the file has {has}")
    names = tuple(known if wanted is None else wanted)
    headers.require_names(names, str(path))
    if not names:
        raise FormatError(f"{path}: no columns")
    return names, parquet.read_table(path, columns=list(names))


def _read_parquet(path: Path, wanted: Sequence[str] | None) -> Table:
    names, table = parquet_columns(path, wanted)
    return Table(np.stack([_parquet_column(f"{path}: column {name}", table.column(name)) for name in names]), names)


def _parquet_column(where: str, column: Any) -> np.ndarray[Any, np.dtype[np.object_]]:
    import pyarrow

    if column.null_count:
        raise FormatError(f"{where} has {column.null_count} empty cells")
    if not pyarrow.types.is_decimal(column.type):
        numbers: np.ndarray[Any, Any] = column.to_numpy()
        return _exact(where, numbers)
    values = np.empty(len(column), dtype=object)
    values[:] = column.to_pylist()  # decimals are Decimal already
    if not len(values):
        raise FormatError(f"{where} holds nothing to encrypt")
    return values


# --- writing ----------------------------------------------------------------------------------------------------------
def in_series(
    array: np.ndarray[Any, Any], columns: Sequence[str] | None, name: str | None, axis: int
) -> list[tuple[str, np.ndarray[Any, Any]]]:
    """Names and values of the columns of a table that holds an array; the axis with names goes across.

    Raises:
        FormatError: beyond two axes.
    """
    if array.ndim > 2:
        raise FormatError(f"an array of shape {array.shape} does not fit a table; write it to a .npy file")
    if columns is not None and array.ndim and array.shape[axis] == len(columns):
        across = np.moveaxis(array, axis, 0).reshape(len(columns), -1)
        return list(zip(columns, across, strict=True))
    if array.ndim <= 1:
        return [(name or "result", array.reshape(-1))]
    return [(f"{name or 'result'}_{i}", row) for i, row in enumerate(array)]


def csv_text(
    integers: np.ndarray[Any, Any],
    scale: Fraction,
    columns: Sequence[str] | None = None,
    name: str | None = None,
    *,
    axis: int = 0,
    digits: int | None = None,
) -> str:
    """CSV of integers / scale, as `decimal_text` writes numbers. Arguments as for `array_of` and `in_series`."""
    series = in_series(np.asarray(integers, dtype=object), columns, name, axis)
    cells = [[decimal_text(Fraction(int(value)) / scale, digits) for value in values] for _, values in series]
    return csv_files.write([header for header, _ in series], cells)


def array_of(integers: np.ndarray[Any, Any], scale: Fraction, digits: int | None = None) -> np.ndarray[Any, Any]:
    """Integers / scale for an npy or Parquet file.

    Returns:
        int64 where every number is an integer, else float64, each of which is named by the number's decimals: what
        `read_table` reads back. With `digits` the float64 nearest to the number rounded to as many decimals.

    Raises:
        RangeError: a number has no such type: an integer beyond 64 bits, a fraction, too many digits.
    """
    array = np.asarray(integers, dtype=object)
    multiples, divisor = [int(value) * scale.denominator for value in array.flat], scale.numerator
    if all(value % divisor == 0 for value in multiples):
        whole = [value // divisor for value in multiples]
        if all(-(2**63) <= value < 2**63 for value in whole):
            return np.array(whole, dtype=np.int64).reshape(array.shape)
        if digits is None:
            raise RangeError("a value is wider than 64 bits: write it to a .csv file, which holds it exactly")
    values = [_float(Fraction(value, divisor), digits) for value in multiples]
    return np.array(values, dtype=np.float64).reshape(array.shape)


def _float(value: Fraction, digits: int | None) -> float:
    """The float64 that stands for a number. Raises RangeError."""
    rounded = value if digits is None else round(value, digits)
    try:
        nearest = float(rounded)
    except OverflowError:
        nearest = float("inf")
    if nearest in (float("inf"), float("-inf")):
        raise RangeError("a value is beyond what a float64 holds: write it to a .csv file, which holds it exactly")
    if digits is None and Fraction(repr(nearest)) != value:
        raise RangeError(
            f"no float64 holds {shown(decimal_text(value))}: write it to a .csv file, which holds it exactly, or say "
            "--approximate 6 to round to six decimals"
        )
    return nearest


def npy_bytes(array: np.ndarray[Any, Any]) -> bytes:
    """An npy file of a numeric array."""
    out = io.BytesIO()
    np.save(out, array, allow_pickle=False)
    return out.getvalue()


def parquet_table(columns: dict[str, list[Any]]) -> bytes:
    """A Parquet file of columns of cells, None where they are missing. Raises FormatError."""
    parquet = parquet_module()
    import pyarrow

    out = io.BytesIO()
    try:
        parquet.write_table(pyarrow.table(columns), out)
    except (pyarrow.ArrowException, OverflowError) as error:
        raise FormatError(f"Parquet has no type for these numbers ({error}); write a .csv file") from None
    return out.getvalue()


def parquet_bytes(
    array: np.ndarray[Any, Any], columns: Sequence[str] | None, name: str | None, *, axis: int = 0
) -> bytes:
    """A Parquet file of an array; arguments as for `in_series`."""
    parquet = parquet_module()
    import pyarrow

    out = io.BytesIO()
    parquet.write_table(pyarrow.table(dict(in_series(array, columns, name, axis))), out)
    return out.getvalue()
