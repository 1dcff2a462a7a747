# SPDX-License-Identifier: Apache-2.0
"""Public numbers beside encrypted columns: exact, but for floats that no short decimals name.

A float such as 1/3 has 17 digits, of which hardly anybody means all. Those of more than ten digits are rounded to six
decimals, or to six digits where they begin after that; what has ten digits or fewer is what somebody wrote.
"""

from __future__ import annotations

import numbers
from decimal import ROUND_HALF_EVEN, Decimal
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import RangeError, UnsupportedError
from .cells import Cells, as_decimal, one_column, scaled
from .row_labels import is_a
from .values import IntArray

__all__ = ["operand_numbers", "rounded", "threshold_numbers"]

#: Digits of a float up to which it is taken as it is written.
WRITTEN = 10
#: Decimals that others are rounded to, and the digits that they keep at least.
KEPT = 6


def rounded(value: Any) -> Decimal:
    """A float as decimals: those that name it where they are ten digits at most, else rounded as the module says."""
    exact = Decimal(repr(float(value))) if isinstance(value, (float, np.float64)) else Decimal(str(value))
    if not exact.is_finite() or len(exact.as_tuple().digits) <= WRITTEN:
        return exact
    places = max(KEPT, KEPT - 1 - exact.adjusted())
    return exact.quantize(Decimal(1).scaleb(-places), ROUND_HALF_EVEN) if exact.adjusted() < 20 else exact


def _cells(operation: str, values: object) -> tuple[Cells, bool]:
    if is_a(values, "pandas", "DataFrame") or is_a(values, "polars", "DataFrame"):
        raise UnsupportedError(f"{operation}: a column meets one column of a table: table[name]")
    single = isinstance(values, (numbers.Number, Decimal, np.generic)) or np.ndim(values) == 0  # type: ignore[arg-type]
    cells = one_column(operation, [values] if single else values)
    if not cells.present.all():
        row = int(np.flatnonzero(~cells.present)[0])
        raise RangeError(f"{operation}: a public operand whose value {row} (counted from 0) is missing")
    return cells, single


def operand_numbers(operation: str, values: object) -> tuple[IntArray, int]:
    """Public numbers as an operand: integers of shape () or (rows,), and the decimals that they count in.

    Raises:
        UnsupportedError: no numbers.
        RangeError: something missing or infinite.
    """
    cells, single = _cells(operation, values)
    if cells.values.dtype.kind in "fO":
        short = [rounded(each) if isinstance(each, (float, np.floating)) else each for each in cells.values]
        objects: NDArray[Any] = np.empty(len(short), dtype=object)
        objects[:] = short
        cells = Cells(cells.name, objects, cells.present)
    whole, decimals = scaled(cells, None)
    return whole.reshape(()) if single else whole, decimals


def threshold_numbers(operation: str, values: object) -> Any:
    """Public numbers to compare with, as exact fractions (of floats, of the shortest decimals that name them), of shape
    () or (rows,). Errors: as `operand_numbers`."""
    cells, single = _cells(operation, values)
    exact = np.empty(len(cells.values), dtype=object)
    for i, value in enumerate(cells.values):
        if isinstance(value, Fraction):
            exact[i] = value
            continue
        whole, exponent = as_decimal(value, cells, i)
        exact[i] = Fraction(whole) * Fraction(10) ** exponent
    return exact.reshape(()) if single else exact
