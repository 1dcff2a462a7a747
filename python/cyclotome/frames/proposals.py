# SPDX-License-Identifier: Apache-2.0
"""What `encrypt_frame` might be told about a table, found in the table: for its owner to look at before it is said, as
all of it becomes public."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from fractions import Fraction
from typing import Any, TypedDict

import numpy as np

from ..errors import CyclotomeError, UnsupportedError
from ..keys.kinds import PublicKey, SecretKey
from ..numbers.cells import Cells, as_decimal, cells_of, rows_of, scaled
from ..numbers.fixed_point import FixedPoint
from ..parameters.parameters import Parameters
from . import kinds
from .preparing import unit_of

__all__ = ["FrameOptions", "frame_options", "written"]

#: Different values up to which text is taken for categories.
_MOST_CATEGORIES = 64
#: Up to which it is even where most rows have one of their own, as names have.
_FEW_CATEGORIES = 16
#: Decimals that a column of floats may have before they are rounded.
_MOST_DECIMALS = 4


class FrameOptions(TypedDict, total=False):
    """Options of `encrypt_frame`, by their names there."""

    scales: dict[str, int | FixedPoint | str]
    bounds: dict[str, Any]
    missing: dict[str, str]
    categories: dict[str, list[Any]]
    index: str
    leave_out: list[str]


def frame_options(table: object, key: PublicKey | SecretKey | Parameters) -> FrameOptions:
    """What `encrypt_frame` might be told about a table: scales, bounds, dates, categories, what to do with missing
    values. Look at it, change it, and pass it on: ``cy.encrypt_frame(table, public, **options)``. All of it becomes
    public, so nothing of it is said unasked.

    Numbers get bounds of one, two or five times a power of ten that hold them, floats of many decimals a `FixedPoint`
    with as many bits as the parameters' default bound leaves; dates the years that they lie in; text of up to 64
    different values categories; other text is left out, and so are names, of which most rows have one of their own;
    missing values get an encrypted mask; names of rows are dropped.

    Args:
        table: as `encrypt_frame` takes it.
        key: the key it shall be encrypted with, or its parameters.

    Raises:
        UnsupportedError, ArgumentError: no such table or key.

    Example:
        >>> import cyclotome as cy
        >>> params = cy.Parameters.suggest(depth=1, value_bits=16, result_bits=40)
        >>> cy.frame_options({"price": [12.5, 0.99], "shop": ["B", "A"]}, params)
        {'scales': {'price': 2}, 'bounds': {'price': (0, 20)}, 'categories': {'shop': ['A', 'B']}}
    """
    parameters = key if isinstance(key, Parameters) else getattr(key, "parameters", None)
    if not isinstance(parameters, Parameters):
        raise UnsupportedError(f"frame_options takes a key or parameters, not {type(key).__name__}")
    scales: dict[str, int | FixedPoint | str] = {}
    bounds: dict[str, Any] = {}
    missing: dict[str, str] = {}
    categories: dict[str, list[Any]] = {}
    out: list[str] = []
    for cells in cells_of(table):
        name = cells.name
        if not _propose(cells, parameters, scales, bounds, categories):
            out.append(name)
        elif not cells.present.all():
            missing[name] = "encrypted"
    found = FrameOptions(scales=scales, bounds=bounds, missing=missing, categories=categories, leave_out=out)
    if rows_of(table) is not None:
        found["index"] = "drop"
    used: FrameOptions = {key: value for key, value in found.items() if value}  # type: ignore[assignment]
    return used


def _propose(
    cells: Cells,
    parameters: Parameters,
    scales: dict[str, Any],
    bounds: dict[str, Any],
    categories: dict[str, list[Any]],
) -> bool:
    """Whether the column can be encrypted."""
    values, name = cells.values, cells.name
    if cells.categories is not None or (values.size and all(isinstance(v, (bool, np.bool_)) for v in values)):
        return True
    if values.size and all(isinstance(value, str) for value in values):
        different = sorted({str(value) for value in values})
        if len(different) > _MOST_CATEGORIES or len(different) > max(_FEW_CATEGORIES, values.size // 2):
            return False
        categories[name] = different
        return True
    try:
        times = kinds.days_of(values, name) if values.size else None
    except UnsupportedError:
        return False
    if times is not None:
        return _propose_times(name, *times, scales, bounds)
    try:
        exact = [_exactly(value, cells, place) for place, value in enumerate(values)]
    except UnsupportedError:
        return False
    except CyclotomeError:  # infinities: nothing to propose, and what refuses them says where
        return True
    try:
        steps, decimals = scaled(cells, None)
    except CyclotomeError:  # more decimals than there may be
        steps, decimals = np.array([], dtype=object), _MOST_DECIMALS + 1
    bounds[name] = _limits(exact)
    room = parameters.default_bound
    if decimals > _MOST_DECIMALS or (room is not None and any(abs(each) > room for each in steps)):
        scales[name] = FixedPoint(_bits(max((abs(each) for each in bounds[name]), default=1), room))
    elif decimals:
        scales[name] = decimals
    return True


def _exactly(value: Any, cells: Cells, place: int) -> Fraction:
    if isinstance(value, Fraction):
        return value
    whole, exponent = as_decimal(value, cells, place)  # refuses what is no finite number of a length that is meant
    return Fraction(whole) * Fraction(10) ** exponent


def _limits(numbers: list[Fraction]) -> tuple[int, int]:
    largest = _round_up(max((abs(each) for each in numbers), default=Fraction(1)))
    return (0 if all(each >= 0 for each in numbers) else -largest), largest


def _round_up(value: Fraction) -> int:
    """The smallest of 1, 2, 5, 10, 20, ... that is at least as large."""
    power = 1
    while True:
        for digit in (1, 2, 5):
            if digit * power >= value:
                return digit * power
        power *= 10


def _bits(largest: int, room: int | None) -> int:
    """Binary digits after the point for which there is room, at most 16."""
    if room is None:
        return 16
    return max(0, min(16, (room // max(1, largest)).bit_length() - 1))


def _propose_times(name: str, kind: str, days: list[Fraction], scales: dict[str, Any], bounds: dict[str, Any]) -> bool:
    unit = unit_of(days)
    if unit != "day":
        scales[name] = unit
    if kinds.is_date(kind):
        first, last = (np.datetime64(int(end // 1), "D").astype(object).year for end in (min(days), max(days)))
        bounds[name] = (date(first, 1, 1).isoformat(), date(last, 12, 31).isoformat())
        return True
    largest = _round_up(max(abs(each) for each in days))
    limit = np.timedelta64(largest, "D")
    bounds[name] = (np.timedelta64(0, "D") if min(days) >= 0 else -limit, limit)
    return True


def written(options: Mapping[str, Any]) -> str:
    """The options as they are passed."""
    return ", ".join(f"{name}={value!r}" for name, value in options.items())
