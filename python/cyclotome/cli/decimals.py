# SPDX-License-Identifier: Apache-2.0
"""Decimals as integers and a scale, and back: exactly, or not at all."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from cyclotome.errors import RangeError

#: Decimal places that ``--scale auto`` and plain inputs may need at most.
MAX_DECIMALS = 30

#: Numbers lie within 10^-MAX_EXPONENT and 10^MAX_EXPONENT, so that no short text stands for gigabytes of digits.
MAX_EXPONENT = 400


def quantise(
    numbers: np.ndarray[Any, Any], scale: Fraction | None = None, *, automatic: bool = False, rounding: bool = False
) -> tuple[np.ndarray[Any, Any], Fraction]:
    """Integers and the scale that makes them: integers = numbers × scale, exactly.

    Args:
        numbers: int and Decimal, finite.
        scale: a positive number; None means 1.
        automatic: the smallest power of ten that makes every number an integer, in place of `scale`.
        rounding: round to the nearest integer, ties to even, where a number × scale is not one.

    Raises:
        RangeError: a number × scale is no integer (without `rounding`), or needs too many decimals.
    """
    if automatic:
        places = max((_decimals(v) for v in numbers.flat), default=0)
        if places > MAX_DECIMALS:
            raise RangeError(f"a number has {places} decimals; at most {MAX_DECIMALS} can be kept: set --scale")
        scale = Fraction(10**places)
    factor = Fraction(1) if scale is None else scale
    integers = np.empty(numbers.shape, dtype=object)
    for place, value in np.ndenumerate(numbers):
        if isinstance(value, Decimal) and abs(value.adjusted()) > MAX_EXPONENT:
            raise RangeError(f"the number {value} is beyond 10^±{MAX_EXPONENT}")
        exact = Fraction(value) * factor
        if exact.denominator != 1 and not rounding:
            advice = "floats need --scale (for example --scale 100, or --scale auto)" if scale is None else "use a "
            if scale is not None:
                advice += "larger --scale, --scale auto, or --round"
            raise RangeError(f"{value} × {factor} is not an integer: {advice}")
        integers[place] = int(exact) if exact.denominator == 1 else round(exact)
    if all(-(2**63) <= v < 2**63 for v in integers.flat):
        return integers.astype(np.int64), factor
    return integers, factor


def _decimals(value: int | Decimal) -> int:
    if isinstance(value, int) or not value:
        return 0
    _, digits, exponent = value.as_tuple()
    assert isinstance(exponent, int)
    zeros = next(count for count, digit in enumerate(reversed(digits)) if digit)
    return max(0, -exponent - zeros)


def decimal_text(value: Fraction) -> str:
    """A number in decimals: exact when it has finitely many (up to MAX_DECIMALS), else 17 significant digits."""
    denominator, places = value.denominator, 0
    twos = (denominator & -denominator).bit_length() - 1
    rest, fives = denominator >> twos, 0
    while rest % 5 == 0:
        rest //= 5
        fives += 1
    places = max(twos, fives)
    if rest != 1 or places > MAX_DECIMALS:
        return repr(float(value))
    digits = abs(value.numerator) * 10**places // denominator
    sign = "-" if value < 0 else ""
    if places == 0:
        return f"{sign}{digits}"
    return f"{sign}{digits // 10**places}.{digits % 10**places:0{places}d}"
