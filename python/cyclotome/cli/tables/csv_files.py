# SPDX-License-Identifier: Apache-2.0
"""CSV files: every row is read, and no row is made up."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from cyclotome.cli.numbers.literals import parse
from cyclotome.cli.tables import headers
from cyclotome.cli.visible import shortened, spreadsheet_name, visible
from cyclotome.errors import FormatError

_MISSING_WORDS = ("nan", "inf", "infinity")


@dataclass(frozen=True)
class Dialect:
    """How numbers and cells are written.

    Attributes:
        delimiter: between cells; None: a comma, or a semicolon where the comma is the decimal point.
        decimal: the decimal point, "." or ",".
    """

    delimiter: str | None = None
    decimal: str = "."

    @property
    def between(self) -> str:
        """The delimiter."""
        return self.delimiter or (";" if self.decimal == "," else ",")

    def number(self, cell: str) -> Decimal | Fraction | None:
        """The number that a cell writes, or None. Of a decimal comma, a point is no part of a number."""
        if self.decimal == ".":
            return parse(cell)
        return None if "." in cell else parse(cell.replace(",", "."))


COMMAS = Dialect()


@dataclass(frozen=True)
class Texts:
    """Columns of cells as they are written.

    Attributes:
        names: of the columns taken, or None.
        columns: for each, the cells of all rows.
        first: number of the row, counted from 1, in which the first cells stand.
        remark: what had to be guessed, or None.
    """

    names: tuple[str, ...] | None
    columns: list[list[str]]
    first: int
    remark: str | None

    def label(self, column: int) -> str:
        """A column for messages: its name or number."""
        return visible(self.names[column]) if self.names is not None else str(column + 1)


def read(
    text: str, where: str, wanted: Sequence[str] | None, header: bool | None, dialect: Dialect = COMMAS
) -> tuple[np.ndarray[Any, np.dtype[np.object_]], tuple[str, ...] | None, str | None]:
    """Numbers (columns, rows), the columns' names or None, and a remark or None.

    Args:
        text: what the file holds.
        where: the file, for messages.
        wanted: names of the columns to take; the others may hold text.
        header: whether the first row names the columns; None: see `headers`.

    Raises:
        FormatError: anything but rows of as many finite numbers each; says where.
    """
    texts = read_texts(text, where, wanted, header, dialect)
    values = np.empty((len(texts.columns), len(texts.columns[0])), dtype=object)
    for out, cells in enumerate(texts.columns):
        for index, cell in enumerate(cells):
            place = f"{where}: row {index + texts.first}, column {texts.label(out)}"
            values[out, index] = finite(cell, place, dialect)
    return values, texts.names, texts.remark


def read_texts(
    text: str, where: str, wanted: Sequence[str] | None, header: bool | None, dialect: Dialect = COMMAS
) -> Texts:
    """The cells of a file as texts; arguments and errors as of `read`, but for what cells hold."""
    rows = _rows(text, where, dialect)
    names, remark = headers.split_header(rows, where, header, dialect.number)
    start = 0 if names is None else 1
    body = rows[start:]
    if not body:
        raise FormatError(f"{where}: a header, but no rows")
    for number, row in enumerate(body, start=1 + start):
        if len(row) != len(rows[0]):
            what = "is empty; remove the line or fill it in" if not row else f"has {len(row)} cells"
            raise FormatError(f"{where}: row {number} {what}; the first row has {len(rows[0])} cells")
    taken = _taken(names, len(rows[0]), wanted, where)
    columns = None if names is None else tuple(names[column] for column in taken)
    headers.require_names(columns or (), where)
    return Texts(columns, [[row[column] for row in body] for column in taken], 1 + start, remark)


def _rows(text: str, where: str, dialect: Dialect) -> list[list[str]]:
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), strict=True, delimiter=dialect.between))
    except csv.Error as error:
        raise FormatError(f"{where}: not CSV: {error}") from error
    if not rows:
        raise FormatError(f"{where}: no rows")
    if not rows[0] and any(rows):
        raise FormatError(f"{where}: row 1 is empty; remove the line")
    # A reader tells an empty line from an empty cell in quotes; where there is one column, both are an empty cell.
    return [row or [""] for row in rows] if all(len(row) < 2 for row in rows) else rows


def _taken(names: Sequence[str] | None, count: int, wanted: Sequence[str] | None, where: str) -> list[int]:
    """Numbers of the columns to take."""
    if wanted is None:
        return list(range(count))
    places = {name: place for place, name in enumerate(names or ())}
    if names is None or any(name not in places for name in wanted):
        has = ", ".join(visible(name) for name in names) if names is not None else "no header"
        asked = ", ".join(visible(name) for name in wanted)
        raise FormatError(f"{where}: columns {asked} were asked for; the file has {has}")
    return [places[name] for name in wanted]


def finite(cell: str, where: str, dialect: Dialect = COMMAS) -> Decimal | Fraction:
    """The finite number that a cell writes. Raises FormatError."""
    value = dialect.number(cell)
    if value is None:
        if cell.strip().lstrip("+-").casefold() in _MISSING_WORDS:
            raise FormatError(f"{where}: {visible(cell.strip())} cannot be encrypted; only finite numbers can")
        why = ": the cell is empty" if not cell.strip() else ""
        if "," in cell and dialect.decimal == "." and parse(cell.replace(",", ".")) is not None:
            why = "; for decimal commas say --decimal ,"
        raise FormatError(
            f"{where}: {shortened(cell)} is not a number{why}; choose columns with --columns or correct the file"
        )
    return value


def write(header: Sequence[str], series: Sequence[Sequence[str]]) -> str:
    """CSV with these columns of cells. Names that a spreadsheet would run as formulas get an apostrophe."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([spreadsheet_name(name) for name in header])
    writer.writerows(zip(*series, strict=True))
    return out.getvalue()
