# SPDX-License-Identifier: Apache-2.0
"""What the numbers of a column stand for: numbers, truth, dates or times between dates, all of them integers with a
scale.

Days are the unit of time: a date is how many days lie between a public first day and it, at a scale of 1 for whole
days, 86400 for seconds. So dates within a year are numbers up to 366, which comparisons tell apart cheaply.
"""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ArgumentError, UnsupportedError

__all__ = [
    "BOOL",
    "DURATION",
    "NANOSECONDS",
    "NUMBER",
    "STEPS_A_DAY",
    "checked_kind",
    "date_kind",
    "days_of",
    "difference_kind",
    "is_date",
    "is_duration",
    "is_time",
    "moment",
    "origin_days",
    "product_kind",
    "unit_of_pandas",
]

NUMBER, BOOL, DURATION = "number", "bool", "duration"
#: Nanoseconds of a day.
NANOSECONDS = 86_400 * 10**9
#: How many of each unit make a day.
STEPS_A_DAY = {
    "day": 1,
    "hour": 24,
    "minute": 1440,
    "second": 86_400,
    "millisecond": 86_400_000,
    "microsecond": 86_400_000_000,
}
_DATE = re.compile(r"date ([0-9]{4}-[0-9]{2}-[0-9]{2})")
_EPOCH = date(1970, 1, 1)


def date_kind(origin: date) -> str:
    """The kind of dates that are counted from a day."""
    return f"date {date(origin.year, origin.month, origin.day).isoformat()}"


def is_date(kind: str) -> bool:
    """Whether a column of this kind holds dates."""
    return kind.startswith("date ")


def origin_days(kind: str) -> int:
    """The day from which dates of this kind are counted, in days from 1970."""
    return (date.fromisoformat(kind[5:]) - _EPOCH).days


def unit_of_pandas(pandas: Any) -> str:
    """What pandas of this version counts dates in that it makes of text: nanoseconds before its version 3."""
    return "ns" if pandas.to_datetime(["2024-01-31"]).unit == "ns" else "us"


def checked_kind(kind: object) -> str:
    """A kind of column. Raises ArgumentError for anything else."""
    if isinstance(kind, str) and kind in (NUMBER, BOOL, DURATION):
        return kind
    found = _DATE.fullmatch(kind) if isinstance(kind, str) else None
    try:
        if found is not None:
            return date_kind(date.fromisoformat(found[1]))
    except ValueError:
        pass
    raise ArgumentError(
        f"a column of kind {ascii(kind)[:40]}; there are 'number', 'bool', 'duration' and, with the day that dates are "
        "counted from, 'date 2024-01-31'"
    )


# --- kinds of results -------------------------------------------------------------------------------------------------
def difference_kind(operation: str, left: str, right: str) -> str:
    """The kind of a sum or difference. Raises UnsupportedError where it means nothing."""
    minus = operation == "subtract"
    times = {left, right} - {NUMBER, BOOL}
    if not times:
        return NUMBER
    if is_date(left) and is_date(right):
        if minus:
            return DURATION
    elif is_date(left) and right == DURATION:
        return left
    elif is_date(right) and left == DURATION and not minus:
        return right
    elif left == right == DURATION:
        return DURATION
    raise UnsupportedError(
        f"{operation} of {_shown(left)} and {_shown(right)}: dates have differences, and durations are added to them: "
        "column + pandas.Timedelta(days=1)"
    )


def product_kind(operation: str, left: str, right: str) -> str:
    """The kind of a product. Raises UnsupportedError where it means nothing."""
    times = [kind for kind in (left, right) if kind not in (NUMBER, BOOL)]
    if not times:
        return NUMBER
    if times == [DURATION]:
        return DURATION
    if len(times) == 1 and BOOL in (left, right):  # dates of some rows: no, those of others would be the first day
        raise UnsupportedError(f"{operation} of dates by a mask: rows are chosen by column[mask]")
    raise UnsupportedError(f"{operation} of {_shown(left)} and {_shown(right)} means nothing")


def _shown(kind: str) -> str:
    return "dates" if is_date(kind) else "durations" if kind == DURATION else "numbers"


# --- public dates and durations ---------------------------------------------------------------------------------------
def is_time(value: object) -> bool:
    """Whether it is a moment: a date, with a time of the day or without."""
    return isinstance(value, (date, datetime, np.datetime64))


def is_duration(value: object) -> bool:
    """Whether it is the time between two moments."""
    return isinstance(value, (timedelta, np.timedelta64))


def moment(value: object, what: str) -> Fraction:
    """Days from 1970 to a moment: a date of Python's, NumPy's or pandas', or text such as 2024-01-31.

    Raises:
        UnsupportedError: no date, or one with a time zone.
    """
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(str(value))
        except ValueError:
            raise UnsupportedError(f"{what}: {str(value)[:40]!r} is no date such as 2024-01-31") from None
    if isinstance(value, np.datetime64):
        if np.isnat(value):
            raise UnsupportedError(f"{what}: a missing date")
        return Fraction(int(value.astype("datetime64[ns]").astype(np.int64)), NANOSECONDS)
    if not isinstance(value, date):
        raise UnsupportedError(f"{what}: {type(value).__name__} {str(value)[:40]!r} is no date")
    if not isinstance(value, datetime):
        return Fraction((value - _EPOCH).days)
    if value.tzinfo is not None:
        raise UnsupportedError(
            f"{what}: {value} has a time zone; dates here have none: "
            "series.dt.tz_convert('UTC').dt.tz_localize(None) before"
        )
    extra = int(getattr(value, "nanosecond", 0))
    since = datetime(value.year, value.month, value.day, value.hour, value.minute, value.second, value.microsecond)
    gap = since - datetime(1970, 1, 1)
    return Fraction((gap.days * 86_400 + gap.seconds) * 10**9 + gap.microseconds * 1000 + extra, NANOSECONDS)


def _length(value: Any) -> Fraction:
    if isinstance(value, np.timedelta64):
        return Fraction(int(value.astype("timedelta64[ns]").astype(np.int64)), NANOSECONDS)
    extra = int(getattr(value, "nanoseconds", 0))
    nanoseconds = (value.days * 86_400 + value.seconds) * 10**9 + value.microseconds * 1000 + extra
    return Fraction(nanoseconds, NANOSECONDS)


def days_of(values: NDArray[Any] | list[Any], what: str) -> tuple[str, list[Fraction]] | None:
    """Of dates or durations, which of both they are ("date 1970-01-01" or "duration"), and their days; None of anything
    else.

    Raises:
        UnsupportedError: dates among other things, or with a time zone.
    """
    every = list(values)
    if every and all(is_duration(each) for each in every):
        return DURATION, [_length(each) for each in every]
    if not any(is_time(each) for each in every):
        return None
    if not all(is_time(each) for each in every):
        raise UnsupportedError(f"{what}: dates among values that are none")
    return date_kind(_EPOCH), [moment(each, what) for each in every]
