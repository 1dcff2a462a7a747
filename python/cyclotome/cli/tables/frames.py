# SPDX-License-Identifier: Apache-2.0
"""Tables whose columns have scales, missing values and categories of their own: `cyclotome.encrypt_frame` on files."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import compress
from pathlib import Path
from typing import Any

import cyclotome as cy
from cyclotome.cli.console import note
from cyclotome.cli.failures import UsageError
from cyclotome.cli.numbers.decimals import decimal_text
from cyclotome.cli.tables import csv_files, tables
from cyclotome.cli.visible import name_fault, shortened, spreadsheet_name, visible
from cyclotome.errors import FormatError
from cyclotome.frames.decryption import cells_out, rows_kept, statistic_columns
from cyclotome.frames.encrypting import encrypt_cells
from cyclotome.numbers.cells import MOST_DECIMALS, Cells, Words, one_column

__all__ = ["Options", "decrypted", "dialect_of", "encrypted", "options", "read_cells", "written"]


# --- options ----------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Options:
    """What was said about columns of a table.

    Attributes:
        scales: decimals by column; columns that are not named have the fewest that their values need.
        missing: what stands in a cell whose value is missing.
        mask: "encrypted" or "public": who can tell where.
        categories: all values that a column may hold, by column.
        dialect: how a CSV file is written.
    """

    scales: Mapping[str, int]
    missing: tuple[str, ...] | None
    mask: str
    categories: Mapping[str, tuple[str, ...]]
    dialect: csv_files.Dialect


def _named(option: str, values: Iterable[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for value in values:
        name, separator, said = value.partition("=")  # names that hold "=" can't be said
        if not separator or not name:
            raise UsageError(f"{option} {shortened(value)}: write COLUMN=..., with a column's name")
        if name in found:
            raise UsageError(f"{option}: the column {visible(name)} twice")
        found[name] = said
    return found


def listed(option: str, text: str) -> tuple[str, ...]:
    """Texts between commas; those that hold one stand in double quotes. Raises UsageError."""
    try:
        rows = list(csv.reader([text], strict=True))
    except csv.Error:
        raise UsageError(f"{option} {shortened(text)}: texts with commas between them") from None
    texts = tuple(each.strip() for row in rows for each in row)
    if len(set(texts)) != len(texts):
        raise UsageError(f"{option} {shortened(text)}: one of them twice")
    for each in texts:
        fault = name_fault(each)
        if fault is not None:
            raise UsageError(f"{option}: {shortened(each)} can't be used: {fault}")
    return texts or ("",)


def dialect_of(delimiter: str | None, decimal: str) -> csv_files.Dialect:
    """--delimiter and --decimal. Raises UsageError."""
    if decimal not in (".", ","):
        raise UsageError(f"--decimal {shortened(decimal)}: a point or a comma")
    if delimiter is not None:
        delimiter = {"tab": "\t", "\\t": "\t"}.get(delimiter, delimiter)
        if len(delimiter) != 1 or delimiter in '"\r\n' or delimiter.isalnum() or delimiter in ".+-":
            raise UsageError(f"--delimiter {shortened(delimiter)}: one character that numbers do not have, or tab")
        if delimiter == decimal:
            raise UsageError("--delimiter and --decimal are both commas; files with decimal commas have another one")
    return csv_files.Dialect(delimiter, decimal)


def options(
    scale: Sequence[str],
    missing: str | None,
    mask: str | None,
    categories: Sequence[str],
    dialect: csv_files.Dialect,
) -> Options | None:
    """What --scale, --missing, --mask and --category say; None where nothing asks for columns of their own.

    Raises:
        UsageError: they contradict each other.
    """
    named = [each for each in scale if "=" in each]
    if mask is not None and mask not in ("encrypted", "public"):
        raise UsageError(f"--mask {shortened(mask)}: encrypted or public")
    if mask is not None and missing is None:
        raise UsageError("--mask goes with --missing, which says what stands where a value is missing")
    if not (named or "each" in scale or missing is not None or categories):
        return None
    if [each for each in scale if "=" not in each and each != "each"]:
        raise UsageError(
            "--scale: COLUMN=DECIMALS for columns of their own scale, or one number or auto for the whole table; "
            "--missing and --category make columns of their own"
        )
    places = {}
    for name, text in _named("--scale", named).items():
        if not (text.isascii() and text.isdigit()) or int(text[:9]) > MOST_DECIMALS:
            raise UsageError(f"--scale {shortened(name)}={shortened(text)}: decimals from 0 to {MOST_DECIMALS}")
        places[name] = int(text)
    lists = {name: listed("--category", text) for name, text in _named("--category", categories).items()}
    texts = None if missing is None else listed("--missing", missing)
    return Options(places, texts, mask or "encrypted", lists, dialect)


# --- in ---------------------------------------------------------------------------------------------------------------
def _words(path: Path, first: int) -> Words:
    shown = str(path).replace("{", "{{").replace("}", "}}")
    return Words(
        place=f"{shown}: row {{row}}, column {{name}}",
        first_row=first,
        scale="--scale {name}={decimals}",
        bound="a smaller --scale {name}=...",
        missing="fill it in, or say with --missing what stands for it",
        text="choose columns with --columns, or say --category COLUMN=...",
    )


def read_cells(path: Path, columns: list[str] | None, header: bool | None, how: Options) -> list[Cells]:
    """The columns of a .csv or .parquet file.

    Raises:
        UsageError: a .npy file, or options for columns that there are not.
        FileError, FormatError, RangeError: see `read_table`.
    """
    suffix = path.suffix.lower()
    if suffix not in (".csv", ".parquet"):
        raise UsageError(f"{path}: columns of their own scale are those of .csv and .parquet files")
    with tables.reading(path, columns):
        every = _of_csv(path, columns, header, how) if suffix == ".csv" else _of_parquet(path, columns, how)
    names = [cells.name for cells in every]
    for option, given in (("--scale", how.scales), ("--category", how.categories)):
        for name in given:
            if name not in names:
                known = ", ".join(visible(each) for each in names)
                raise UsageError(f"{option} names the column {visible(name)}; there are {known}")
    return every


def _of_csv(path: Path, columns: list[str] | None, header: bool | None, how: Options) -> list[Cells]:
    texts = csv_files.read_texts(tables.csv_content(path), str(path), columns, header, how.dialect)
    if texts.remark is not None:
        note(texts.remark)
    words = _words(path, texts.first)
    every = []
    for number, cells in enumerate(texts.columns):
        name = texts.names[number] if texts.names is not None else str(number + 1)
        values: list[Any] = []
        for row, cell in enumerate(cells):
            where = words.place.format(row=row + texts.first, name=visible(name))
            values.append(_cell(cell, where, name, how))
        every.append(_cells(name, values, words))
    return every


def _cell(cell: str, where: str, name: str, how: Options) -> Any:
    if how.missing is not None and cell.strip() in how.missing:
        return None
    if name in how.categories:
        return _category(cell.strip(), where, name, how)
    return csv_files.finite(cell, where, how.dialect)


def _category(value: Any, where: str, name: str, how: Options) -> Any:
    if value not in how.categories[name]:
        known = ", ".join(visible(each) for each in how.categories[name])
        raise FormatError(f"{where}: {shortened(str(value))} is none of the categories {known}"[:400])
    return value


def _of_parquet(path: Path, columns: list[str] | None, how: Options) -> list[Cells]:
    names, table = tables.parquet_columns(path, columns)
    words = _words(path, 1)
    every = []
    for name in names:
        values = table.column(name).to_pylist()
        if how.missing is not None:
            values = [None if isinstance(value, str) and value.strip() in how.missing else value for value in values]
        if name in how.categories:
            places = [words.place.format(row=row + 1, name=visible(name)) for row in range(len(values))]
            values = [
                None if value is None else _category(str(value), where, name, how)
                for value, where in zip(values, places, strict=True)
            ]
        every.append(_cells(name, values, words))
    return every


def _cells(name: str, values: list[Any], words: Words) -> Cells:
    found = one_column(name, values)
    return Cells(name, found.values, found.present, None, words)


def encrypted(every: Sequence[Cells], key: cy.PublicKey | cy.SecretKey, how: Options) -> cy.EncryptedFrame:
    """The table, encrypted; columns in which a value is missing get a mask. Errors: see `encrypt_frame`."""
    missing = {cells.name: how.mask for cells in every if how.missing is not None and not cells.present.all()}
    return encrypt_cells(every, key, dict(how.scales), None, missing, dict(how.categories))


# --- out --------------------------------------------------------------------------------------------------------------
def decrypted(frame: cy.EncryptedFrame | cy.EncryptedStatistics, key: cy.SecretKey) -> dict[str, list[Any]]:
    """Names and cells of the columns; names and labels are checked, as they come of whoever computed.

    Raises:
        FormatError: one that can't be shown.
        MissingPackageError: statistics, which take pandas.
    """
    if isinstance(frame, cy.EncryptedStatistics):
        return _shown(statistic_columns(frame, key))
    groups = {} if frame.index is None else {_free("group", frame.columns): list(frame.index)}
    kept = rows_kept(frame, key)
    columns = {**groups, **{name: cells_out(frame[name], key) for name in frame}}
    if kept is not None:
        columns = {name: list(compress(cells, kept)) for name, cells in columns.items()}
    return _shown(columns)


def _shown(columns: dict[str, list[Any]]) -> dict[str, list[Any]]:
    texts = [*columns, *(cell for cells in columns.values() for cell in cells if isinstance(cell, str))]
    for text in dict.fromkeys(texts):
        fault = name_fault(text) if text else None
        if fault is not None:
            raise FormatError(f"the table's name or label {shortened(text)} can't be used: {fault}")
    if not all(columns):
        raise FormatError("the table has a column without a name")
    return columns


def _free(name: str, taken: Iterable[str]) -> str:
    known = set(taken)
    while name in known:
        name += "_"
    return name


def _text(cell: Any, digits: int | None) -> str:
    if cell is None:
        return ""
    return spreadsheet_name(cell) if isinstance(cell, str) else _number_text(cell, digits)


def _number_text(cell: Any, digits: int | None) -> str:
    try:
        return decimal_text(Fraction(cell), digits)
    except (TypeError, ValueError):  # labels of other types
        return str(cell)


def written(suffix: str, columns: dict[str, list[Any]], digits: int | None) -> bytes:
    """A .csv or .parquet file of cells; empty where they are missing.

    Raises:
        UsageError: another file.
        FormatError: Parquet has no type for a column.
    """
    if suffix == ".csv":
        series = [[_text(cell, digits) for cell in cells] for cells in columns.values()]
        return csv_files.write(list(columns), series).encode()
    if suffix != ".parquet":
        raise UsageError("a table of columns is written to a .csv or .parquet file")
    if digits is not None:
        raise UsageError("--approximate rounds a table of columns in .csv files only")
    return tables.parquet_table(columns)
