# SPDX-License-Identifier: Apache-2.0
"""Statistics as pandas has them: numbers, series and frames with its names, order and types."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from ...errors import RangeError
from ...numbers import labels, scales
from .. import kinds
from .deferred import EncryptedStatistics, Measure
from .finishing import Data, as_float, solved

__all__ = ["Decrypted", "result_of"]

#: By the names of columns of statistics: their cells as fractions (of groups, numbers), their scale and their kind.
Decrypted = dict[str, tuple[list[Any], int, str]]


def result_of(x: EncryptedStatistics, found: Decrypted, exact: bool, pandas_of: Callable[[], Any]) -> Any:
    """What pandas gives for these statistics.

    Raises:
        RangeError: sums that contradict each other, or are beyond what floats hold.
    """
    recipe = x.recipe
    layout, measures = recipe["layout"], recipe["measures"]
    every = _groups_of(recipe, found)
    if layout == "number":
        cell = _Cell(recipe, found, exact, pandas_of).of(measures[0], every[0])
        return math.nan if cell is None else cell
    pandas = pandas_of()
    if layout == "solution":
        sums = {name: cells[0] for name, (cells, _, _) in found.items()}
        sums.update({name: Fraction(counts[0]) for name, counts in recipe["counts"].items()})
        return pandas.Series(solved(sums, len(recipe["names"])), index=recipe["labels"])
    if layout == "counts":
        return _counts(pandas, recipe, found)
    cell = _Cell(recipe, found, exact, pandas_of)
    if layout in ("series", "frame"):
        cells = [None if each is None else cell.of(each, every[0]) for each in measures]
        if layout == "series":
            return _series(pandas, cells, _index(pandas, recipe["labels"]), recipe["title"])
        width = len(recipe["columns"])
        index = _index(pandas, recipe["labels"])
        columns = {name: _series(pandas, cells[j::width], index, None) for j, name in enumerate(recipe["columns"])}
        return pandas.DataFrame(columns, index=index)
    index = _group_index(pandas, recipe["groups"])
    made = [_series(pandas, [cell.of(each, data) for data in every], index, None) for each in measures]
    if layout == "group":
        return made[0].rename(recipe["title"])
    frame = pandas.concat(made, axis=1)
    titles = recipe["columns"]
    pairs = all(isinstance(each, (list, tuple)) for each in titles)
    frame.columns = pandas.MultiIndex.from_tuples([tuple(each) for each in titles]) if pairs else pandas.Index(titles)
    return frame


def _groups_of(recipe: Mapping[str, Any], found: Decrypted) -> list[Data]:
    """The data of each group; of one where there are none."""
    groups = recipe["groups"]
    if recipe["rows"]:
        columns = {int(name[5:]): cells for name, (cells, _, _) in found.items() if name.startswith("rows ")}
        if groups is None:
            return [Data({}, columns)]
        of = groups["of"] if groups["of"] is not None else found["groups"][0]
        return [
            Data({}, {j: [v for v, group in zip(cells, of, strict=True) if group == g] for j, cells in columns.items()})
            for g in range(len(groups["labels"]))
        ]
    count = 1 if groups is None else len(groups["labels"])
    every: list[dict[str, Fraction]] = [{} for _ in range(count)]
    for name, (cells, _, _) in found.items():
        for g in range(count):
            every[g][name] = Fraction(cells[g])
    for name, counts in recipe["counts"].items():
        for g in range(count):
            every[g][name] = Fraction(counts[g])
    for sums in every:
        for name, value in sums.items():
            if name.startswith("count") and (value < 0 or value.denominator != 1):
                raise RangeError("decrypt_frame: a count that is none; it is not what it claims to be")
    return [Data(sums, None) for sums in every]


class _Cell:
    """A statistic as pandas has it; None where there is none."""

    def __init__(self, recipe: Mapping[str, Any], found: Decrypted, exact: bool, pandas_of: Callable[[], Any]) -> None:
        self._recipe, self._found, self._exact, self._pandas_of = recipe, found, exact, pandas_of

    def of(self, measure: Measure, data: Data) -> Any:
        """The statistic of a group."""
        name, column = measure[:2]
        value = data.of(measure)
        kind = kinds.NUMBER if isinstance(column, list) else self._recipe["kinds"][column]
        if kinds.is_date(kind) or kind == kinds.DURATION:
            return self._time(name, value, kind)
        if not isinstance(value, Fraction):
            return value
        if name in ("sum", "min", "max"):
            if kind == kinds.BOOL and name != "sum":
                return bool(value)
            scale = self._scale(name, column)
            return scales.number(int(value * scale), scale, exact=self._exact)
        return as_float(value)

    def _scale(self, name: str, column: int) -> int:
        place = f"rows {column}" if self._recipe["rows"] else f"sum {column}"
        return self._found[place][1]

    def _time(self, name: str, value: Any, kind: str) -> Any:
        """Dates and times between them; variances of these in days, as floats."""
        if name in ("count", "nunique"):
            return value
        pandas = self._pandas_of()
        if value is None:
            return pandas.NaT
        if name == "var":
            return as_float(value)
        date = kinds.is_date(kind)
        days = Fraction(value) + (kinds.origin_days(kind) if date else 0)
        unit = kinds.unit_of_pandas(pandas)
        steps = round(days * kinds.NANOSECONDS / (1 if unit == "ns" else 1000))
        if abs(steps) >= 2**63:
            raise RangeError("decrypt_frame: a date or duration beyond what pandas holds")
        return (pandas.Timestamp if date else pandas.Timedelta)(steps, unit=unit)


def _series(pandas: Any, cells: Sequence[Any], index: Any, name: str | float | None) -> Any:
    there = [each for each in cells if each is not None]
    whole = all(isinstance(each, int) and not isinstance(each, bool) for each in there)
    number = all(isinstance(each, (int, float)) and not isinstance(each, bool) for each in there)
    if not there or (number and (not whole or len(there) < len(cells))):
        return pandas.Series([np.nan if each is None else float(each) for each in cells], index=index, name=name)
    if any(isinstance(each, float) for each in there):  # beside decimals, which are sums and extremes
        try:
            floats = [np.nan if each is None else float(each) for each in cells]
            return pandas.Series(floats, index=index, name=name)
        except TypeError:
            pass
    if any(isinstance(each, (pandas.Timestamp, pandas.Timedelta)) for each in there) and _alike(there):
        made = pandas.Series([pandas.NaT if each is None else each for each in cells], index=index, name=name)
        return made.dt.as_unit(kinds.unit_of_pandas(pandas))
    return pandas.Series([np.nan if each is None else each for each in cells], index=index, name=name)


def _alike(cells: Sequence[Any]) -> bool:
    return len({type(each) for each in cells if each == each}) == 1  # NaT is of a type of its own


def _index(pandas: Any, titles: Sequence[Any]) -> Any:
    return pandas.Index(list(titles))


def _group_index(pandas: Any, groups: Mapping[str, Any]) -> Any:
    found = [labels.read(*each) for each in groups["labels"]]
    if groups["categorical"]:
        return pandas.CategoricalIndex(found, categories=found, name=groups["name"])
    return pandas.Index(found, name=groups["name"])


def _counts(pandas: Any, recipe: Mapping[str, Any], found: Decrypted) -> Any:
    """Values by how often they occur, the most frequent first, equal ones in their order."""
    counts = [int(each) for each in found["count 0"][0]]
    if min(counts) < 0:
        raise RangeError("decrypt_frame: a count below 0; it is not what it claims to be")
    index = _group_index(pandas, recipe["groups"])
    total = sum(counts)
    cells: list[Any] = [each / total if total else math.nan for each in counts] if recipe["measures"][0][2] else counts
    found_here = [place for place, count in enumerate(counts) if count or recipe["groups"]["categorical"]]
    order = sorted(found_here, key=lambda place: -counts[place])
    return pandas.Series([cells[place] for place in order], index=index[order], name=recipe["title"])
