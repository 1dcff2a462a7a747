# SPDX-License-Identifier: Apache-2.0
"""Columns of a table as the integers that are encrypted, and what is public about them: everything that can be refused
is refused here, before anything is encrypted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import Any

import numpy as np

from ..errors import ArgumentError, RangeError
from ..numbers.cells import Cells, as_decimal, decimals_for, scaled
from ..numbers.fixed_point import FixedPoint
from ..numbers.labels import different, labels_of, place_of
from ..numbers.values import IntArray
from ..parameters.parameters import Parameters
from . import kinds

__all__ = ["Prepared", "prepared", "unit_of"]

Bound = int | tuple[int, int] | None


@dataclass(frozen=True)
class Prepared:
    """A column before it is encrypted."""

    name: str
    #: Integers that are there, or zeros and ones of shape (categories, rows).
    values: IntArray
    #: For every row whether its value is there.
    present: np.ndarray[Any, np.dtype[np.bool_]]
    bound: Bound
    scale: int = 1
    kind: str = kinds.NUMBER
    #: What becomes of missing values: "refuse", "public" or "encrypted".
    way: str = "refuse"
    #: Categories; None: a column of numbers.
    labels: tuple[Any, ...] | None = None


def prepared(
    cells: Cells, scale: object, limit: object, way: object, listed: Sequence[Any] | None, parameters: Parameters
) -> Prepared:
    """A column by what was said about it.

    Raises:
        CyclotomeError: see `encrypt_frame`; messages name row and column.
    """
    _require_present(cells, way)
    labels = cells.categories if listed is None else listed
    if labels is not None:
        return _categories(cells, labels, str(way))
    if _are_booleans(cells) and scale in (None, 0) and limit is None:
        ones = np.array([int(value) for value in cells.values], dtype=object)
        return Prepared(cells.name, ones, cells.present, (0, 1), 1, kinds.BOOL, str(way))
    times = kinds.days_of(cells.values, cells.where(0)) if cells.present.any() else None
    if times is not None:
        return _times(cells, *times, scale, limit, str(way), parameters)
    if isinstance(scale, str):
        raise ArgumentError(
            f"encrypt_frame: the scale {scale[:40]!r} of {cells.name!r} is a unit of time; it holds none"
        )
    whole, steps = _steps(cells, scale)
    return _bounded(cells, whole, steps, kinds.NUMBER, limit, str(way), parameters)


def _require_present(cells: Cells, way: object) -> None:
    if way not in ("refuse", "public", "encrypted"):
        raise ArgumentError(f"encrypt_frame: missing={way!r}; there are 'refuse', 'public' and 'encrypted'")
    if way == "refuse" and not cells.present.all():
        row = int(np.flatnonzero(~cells.present)[0])
        raise RangeError(f"{cells.at(row)} is missing (NaN, None or null): {cells.words.missing.format()}")


def _are_booleans(cells: Cells) -> bool:
    if cells.values.dtype.kind == "b":
        return True
    return cells.values.size > 0 and all(isinstance(value, (bool, np.bool_)) for value in cells.values)


def _steps(cells: Cells, given: object) -> tuple[IntArray, int]:
    """The cells as integers, and their scale."""
    if isinstance(given, FixedPoint):
        for i, value in enumerate(cells.values.tolist()):
            as_decimal(value, cells, i)  # refuses what is no finite number, and says where
        return given.encode(cells.values), given.scale
    decimals = None if given is None else decimals_for(given, f"encrypt_frame: the scale of {cells.name!r}")
    whole, decimals = scaled(cells, decimals)
    return whole, int(10**decimals)


def _bounded(
    cells: Cells, whole: IntArray, scale: int, kind: str, limit: object, way: str, parameters: Parameters
) -> Prepared:
    bound: Bound = parameters.default_bound if limit is None else _bound(cells.name, limit, scale)
    least, largest = bound if isinstance(bound, tuple) else (-bound, bound) if bound is not None else (None, None)
    for i, value in enumerate(whole):
        if least is not None and largest is not None and not least <= value <= largest:
            allowed = f"the bound of {bound}" if not isinstance(bound, tuple) else f"the bounds {least} to {largest}"
            raise RangeError(
                f"{cells.where(i)}: {cells.values[i]} at scale {scale} is {value} steps, beyond {allowed}; give "
                f"{cells.words.bound.format(name=cells.name)}, or suggest parameters for more bits"
            )
    return Prepared(cells.name, whole, cells.present, bound, scale, kind, way)


def _number(name: str, limit: object) -> Fraction:
    try:
        return Fraction(str(limit))
    except (ValueError, ZeroDivisionError):
        raise ArgumentError(f"encrypt_frame: the bound {limit!r} of column {name!r} is no number") from None


def _bound(name: str, limit: object, scale: int) -> Bound:
    """The largest magnitude in steps, or the least and the largest value."""
    if isinstance(limit, (tuple, list)) and len(limit) == 2:
        least, largest = (_number(name, each) for each in limit)
        if least > largest:
            raise ArgumentError(f"encrypt_frame: the bounds {limit!r} of column {name!r}: the first is the larger one")
        return -int(-least * scale // 1), int(largest * scale // 1)
    stated = _number(name, limit)
    if stated < 0:
        raise ArgumentError(f"encrypt_frame: the bound {limit!r} of column {name!r} is negative")
    return int(stated * scale)


# --- dates and durations ----------------------------------------------------------------------------------------------
def unit_of(days: Sequence[Fraction]) -> str:
    """The largest unit of which all are whole numbers; "microsecond" where none is."""
    for name, steps in kinds.STEPS_A_DAY.items():
        if all((each * steps).denominator == 1 for each in days):
            return name
    return "microsecond"


def _times(
    cells: Cells, kind: str, days: list[Fraction], unit: object, limit: object, way: str, parameters: Parameters
) -> Prepared:
    if isinstance(unit, str) and unit not in kinds.STEPS_A_DAY:
        raise ArgumentError(f"encrypt_frame: scales: {unit[:40]!r} of {cells.name!r}: {', '.join(kinds.STEPS_A_DAY)}")
    chosen = unit if isinstance(unit, str) else unit_of(days)
    scale = kinds.STEPS_A_DAY[chosen]
    first = 0
    if kinds.is_date(kind) and limit is not None:
        if not isinstance(limit, (tuple, list)) or len(limit) != 2:
            raise ArgumentError(f"encrypt_frame: bounds of the dates {cells.name!r} are two, the first and the last")
        ends = [kinds.moment(each, f"encrypt_frame: bounds of {cells.name!r}") for each in limit]
        first = int(ends[0] // 1)
        kind = kinds.date_kind(_day(first))
        limit = tuple(each - first for each in ends)
        limit = (0, limit[1] if _has_time(ends[1]) else limit[1] + 1 - Fraction(1, scale))
    elif limit is not None:
        parts = limit if isinstance(limit, (tuple, list)) else (limit,)
        found = kinds.days_of(list(parts), "encrypt_frame: bounds") if all(map(kinds.is_duration, parts)) else None
        if found is None:
            raise ArgumentError(f"encrypt_frame: bounds of the durations {cells.name!r} are durations")
        limit = tuple(found[1]) if len(parts) == 2 else found[1][0]
    steps = [(each - first) * scale for each in days]
    for i, value in enumerate(steps):
        if value.denominator != 1:
            raise RangeError(
                f"{cells.where(i)}: {cells.values[i]} is no whole number of {chosen}s; round it before, or give "
                f"scales={{{cells.name!r}: {unit_of(days)!r}}}"
            )
    whole = np.empty(len(steps), dtype=object)
    whole[:] = [int(value) for value in steps]
    try:
        return _bounded(cells, whole, scale, kind, limit, way, parameters)
    except RangeError as error:
        if limit is None and kinds.is_date(kind):
            raise RangeError(
                f"{error}. Dates are counted from 1970 unless bounds={{{cells.name!r}: (first, last)}} name the days "
                "between which they lie"
            ) from None
        raise


def _has_time(day: Fraction) -> bool:
    return day.denominator != 1


def _day(days: int) -> date:
    found: date = np.datetime64(days, "D").astype(object)
    return found


# --- categories -------------------------------------------------------------------------------------------------------
def _place(known: tuple[Any, ...], value: object, cells: Cells, place: int) -> int:
    try:
        return place_of(known, value, "")
    except ArgumentError:
        return place_of(known, value, cells.where(place))  # which takes time, and names the place


def _categories(cells: Cells, labels: Sequence[Any], way: str) -> Prepared:
    what = f"encrypt_frame: the categories of {cells.name!r}"
    known = different(labels_of(labels, what), what)
    if not known:
        raise ArgumentError(f"{what} are none")
    selectors = np.zeros((len(known), cells.present.size), dtype=np.int64)
    places = np.flatnonzero(cells.present)
    for i, value in enumerate(cells.values.tolist()):
        selectors[_place(known, value, cells, i), places[i]] = 1
    return Prepared(cells.name, selectors, cells.present, (0, 1), way=way, labels=known)
