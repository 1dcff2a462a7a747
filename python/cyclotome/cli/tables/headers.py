# SPDX-License-Identifier: Apache-2.0
"""Whether the first row of a CSV file names columns or holds numbers: said by the file, said by the user, or refused.

A row taken for a header by mistake is lost, and a header taken for numbers is an invented row. So, unless --header or
--no-header says it:

- a row of which no cell is a number, or nearly one, is a header;
- a row of numbers is data, with a remark, except where columns are often called so: years, whole numbers that count up
  (0 and 0,1; from three on in any equal steps: 1,2,3 and 10,20,30). Those are refused;
- everything between is refused: 1O,2 with a letter O is a typing error, and 2019,total a header that has to be stated.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from itertools import pairwise

from cyclotome.cli.numbers.literals import parse
from cyclotome.cli.visible import name_fault, shortened, visible
from cyclotome.errors import FormatError

_YEARS = range(1800, 2200)

#: What other programs write where a number is missing or none.
_MISSING = {"nan", "snan", "inf", "infinity", "na", "n/a", "null", "none", "nil", "true", "false"}

#: Letters that are taken for digits when numbers are typed or scanned.
_LOOK_ALIKES = str.maketrans("OoIl|", "00111")

_SAY = "say --header if the row names the columns, or --no-header if it holds numbers"


def split_header(
    rows: Sequence[Sequence[str]], where: str, stated: bool | None, number: Callable[[str], object] = parse
) -> tuple[list[str] | None, str | None]:
    """The names in the first row, or None if it holds numbers; and a remark where that was guessed.

    Args:
        rows: cells of all rows; at least one row.
        where: the file, for messages.
        stated: what --header or --no-header said; None: nothing.
        number: reads a cell; None where it is no number.

    Raises:
        FormatError: it could be both, or the names are missing or equal.
        RangeError: a number with too many digits.
    """
    first = rows[0]
    if stated is None:
        numbers = [number(cell) is not None for cell in first]
        if all(numbers):
            return None, _taken_as_data(first, where)
        _refuse_doubt(first, numbers, where)
    elif not stated:
        return None, None
    names = [cell.strip() for cell in first]
    if "" in names or len(set(names)) != len(names):
        shown = ", ".join(visible(each) for each in names)
        raise FormatError(f"{where}: column names must be there and differ: {shown}")
    return names, None


def _taken_as_data(first: Sequence[str], where: str) -> str:
    """The remark on a first row of numbers. Raises FormatError for one that may as well be a header."""
    cells = [cell.strip() for cell in first]
    shown = ", ".join(cells[:4]) + (", …" if len(cells) > 4 else "")
    if all(re.fullmatch("[0-9]{1,18}", cell) for cell in cells):
        values = [int(cell) for cell in cells]
        steps = {b - a for a, b in pairwise(values)}
        counting = len(steps) == 1 and min(steps) > 0 and len(values) >= 3
        if counting or values in ([0], [0, 1]) or all(value in _YEARS for value in values):
            raise FormatError(f"{where}: row 1 ({shown}) could be a header as well as numbers; {_SAY}")
    return f"{where}: row 1 ({shown}) is taken as numbers, not as a header (--no-header says so without this remark)"


def _refuse_doubt(first: Sequence[str], numbers: Sequence[bool], where: str) -> None:
    """Raises FormatError if a row that is not all numbers has one, or almost has."""
    for place, (cell, is_number) in enumerate(zip(first, numbers, strict=True), start=1):
        if not is_number and nearly_number(cell):
            what = "is empty" if not cell.strip() else f"is {shortened(cell)}, which is almost a number"
            raise FormatError(f"{where}: row 1, cell {place} {what}; correct it, or {_SAY}")
    if any(numbers):
        place = list(numbers).index(False)
        raise FormatError(
            f"{where}: row 1, cell {place + 1}: {shortened(first[place])} is not a number, but cell "
            f"{list(numbers).index(True) + 1} is one; correct it, or {_SAY}"
        )


def nearly_number(cell: str) -> bool:
    """Whether a cell may have been meant as a number: it has no letters, begins like a number, is one up to letters
    that look like digits, or says that a number is missing."""
    text = unicodedata.normalize("NFKC", cell).strip().strip("\"'")
    letters = any(c.isalpha() and unicodedata.numeric(c, None) is None for c in text)
    if not letters or text.lstrip("+-#").casefold() in _MISSING:
        return True
    bare = text.lstrip("+-−~<>=≈#( \t" + "".join(c for c in text if unicodedata.category(c) == "Sc"))
    if re.match(r"[.,]?\d", bare):
        return True
    return any(c.isdecimal() for c in text) and re.fullmatch(r"[\d.,]+", bare.translate(_LOOK_ALIKES)) is not None


def require_names(names: Sequence[str], where: str) -> None:
    """Raises FormatError for a name that can't be shown."""
    for place, name in enumerate(names, start=1):
        fault = name_fault(name)
        if fault is not None:
            raise FormatError(f"{where}: the column name {shortened(name)} (number {place}) can't be used: {fault}")
