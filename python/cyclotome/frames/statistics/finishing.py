# SPDX-License-Identifier: Apache-2.0
"""Statistics of what was decrypted: exact fractions, which become floats once, at the end."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from decimal import Context, Decimal
from fractions import Fraction
from typing import Any

from ...errors import RangeError
from .deferred import Measure
from .sums import count_name, moment_name

__all__ = ["Data", "as_float", "ratio_root", "solved"]

#: Digits of square roots before they become floats, which have 17.
_ROOTS = Context(prec=60)

Number = Fraction | float


class Data:
    """What was decrypted of one group of rows: sums by their names, or the values that are there by their column."""

    def __init__(self, sums: Mapping[str, Fraction], rows: Mapping[int, Sequence[Fraction | None]] | None) -> None:
        self._sums, self._rows = sums, rows

    def _values(self, column: int) -> list[Fraction]:
        assert self._rows is not None
        return [value for value in self._rows[column] if value is not None]

    def _pairs(self, i: int, j: int) -> list[tuple[Fraction, Fraction]]:
        assert self._rows is not None
        both = zip(self._rows[i], self._rows[j], strict=True)
        return [(x, y) for x, y in both if x is not None and y is not None]

    def _moments(self, i: int, j: int) -> tuple[Fraction, ...]:
        """Of rows where both are there: how many, sums, the sum of products, and of squares where there are any."""
        if self._rows is not None:
            pairs = self._pairs(i, j)
            xs, ys = [x for x, _ in pairs], [y for _, y in pairs]
            product = sum((x * y for x, y in pairs), Fraction(0))
            squares = [sum((value * value for value in each), Fraction(0)) for each in (xs, ys)]
            return Fraction(len(pairs)), sum(xs, Fraction(0)), sum(ys, Fraction(0)), product, *squares
        sums = [self._sums[moment_name("sum", i, j)], self._sums[moment_name("sum", j, i)]]
        squares = [self._sums.get(moment_name("squares", *each), Fraction(0)) for each in ((i, j), (j, i))]
        return self._sums[count_name(i, j)], *sums, self._sums[moment_name("product", i, j)], *squares

    def of(self, measure: Measure) -> Any:
        """A statistic: a fraction, an integer, a float, or None where there is none."""
        name, column, *parameters = measure
        if name in ("cov", "corr"):
            return (
                _covariance(self._moments(*column), *parameters)
                if name == "cov"
                else _correlation(self._moments(*column))
            )
        if name in _ENDS:
            values = sorted(self._values(column))
            return _ENDS[name](values, *parameters)
        if self._rows is not None:
            values = self._values(column)
            count, total = Fraction(len(values)), sum(values, Fraction(0))
            squares = sum((value * value for value in values), Fraction(0))
        else:
            count = self._sums.get(count_name(column), Fraction(0))
            total = self._sums.get(moment_name("sum", column), Fraction(0))
            squares = self._sums.get(moment_name("squares", column), Fraction(0))
        return _moment(name, count, total, squares, *parameters)


def _moment(name: str, n: Fraction, total: Fraction, squares: Fraction, ddof: int = 1) -> Any:
    if name == "count":
        return int(n)
    if name == "sum":
        return total
    if n == 0:
        return None
    if name == "mean":
        return total / n
    if n - ddof <= 0:
        return None
    variance = (squares - total * total / n) / (n - ddof)
    if name == "var":
        return variance
    return ratio_root(variance if name == "std" else variance / n)


def _covariance(moments: tuple[Fraction, ...], ddof: int) -> Fraction | None:
    n, x, y, product = moments[:4]
    return None if n - ddof <= 0 else (product - x * y / n) / (n - ddof)


def _correlation(moments: tuple[Fraction, ...]) -> float | None:
    n, x, y, product, xx, yy = moments
    if n < 2:
        return None
    apart, left, right = product - x * y / n, xx - x * x / n, yy - y * y / n
    if left == 0 or right == 0:
        return None
    size = ratio_root(apart * apart / (left * right))
    return math.copysign(size, apart)


def ratio_root(value: Fraction) -> float:
    """The square root, rounded once. Raises RangeError for a negative number, which no sum of squares is."""
    if value < 0:
        raise RangeError(
            "decrypt_frame: a sum of squares that is too small for its sum; it is not what it claims to be"
        )
    exact = _ROOTS.divide(Decimal(value.numerator), Decimal(value.denominator))
    if value.numerator.bit_length() + value.denominator.bit_length() < 128:  # roots of squares come out exactly
        up, down = math.isqrt(value.numerator), math.isqrt(value.denominator)
        if up * up == value.numerator and down * down == value.denominator:
            return as_float(Fraction(up, down))
    return float(_ROOTS.sqrt(exact))


def as_float(value: Fraction) -> float:
    """The float nearest to it. Raises RangeError beyond what floats hold."""
    try:
        return value.numerator / value.denominator
    except OverflowError:
        raise RangeError("a statistic is beyond what floats hold; decrypt its sums, frame['a'].sum()") from None


# --- of values in order -----------------------------------------------------------------------------------------------
def _quantile(values: Sequence[Fraction], share: str, interpolation: str) -> Fraction | None:
    if not values:
        return None
    place = Fraction(share) * (len(values) - 1)
    low = math.floor(place)
    high = math.ceil(place)
    if interpolation == "nearest":
        return values[round(place)]
    chosen = {"lower": Fraction(0), "higher": Fraction(1), "midpoint": Fraction(1, 2), "linear": place - low}
    return values[low] + (values[high] - values[low]) * chosen[interpolation]


_ENDS: dict[str, Callable[..., Any]] = {
    "min": lambda values: values[0] if values else None,
    "max": lambda values: values[-1] if values else None,
    "median": lambda values: _quantile(values, "1/2", "linear"),
    "quantile": _quantile,
    "nunique": lambda values: len(set(values)),
}


# --- least squares ----------------------------------------------------------------------------------------------------
def solved(sums: Mapping[str, Fraction], columns: int) -> list[float]:
    """The coefficients of the features, and the intercept, exactly before they become floats.

    Raises:
        RangeError: features that depend on each other, so that there is no one solution.
    """
    n, features = sums[count_name(0)], columns - 1

    def total(i: int) -> Fraction:
        return sums[moment_name("sum", i)]

    def product(i: int, j: int) -> Fraction:
        return sums[moment_name("product", i, j)]

    rows = [[*(product(i, j) for j in range(features)), total(i), product(i, features)] for i in range(features)]
    rows.append([*(total(j) for j in range(features)), n, total(features)])
    for i in range(columns):
        pivot = next((k for k in range(i, columns) if rows[k][i]), None)
        if pivot is None:
            raise RangeError(
                "fit: a feature is a combination of the others, or there are fewer rows than features, so that there "
                "is no one solution; leave a feature out"
            )
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for k in range(columns):
            if k != i and rows[k][i]:
                factor = rows[k][i] / rows[i][i]
                rows[k] = [x - factor * y for x, y in zip(rows[k], rows[i], strict=True)]
    return [as_float(rows[i][columns] / rows[i][i]) for i in range(columns)]
