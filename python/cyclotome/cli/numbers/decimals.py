# SPDX-License-Identifier: Apache-2.0
"""Decimals as integers and a scale, and back: exactly, or not at all."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from cyclotome.cli.visible import shown
from cyclotome.errors import RangeError
from cyclotome.numbers.scales import MOST_SCALE_BITS as MAX_SCALE_BITS
from cyclotome.numbers.scales import decimal_places

#: Decimal places that ``--scale auto`` and plain inputs may need at most; results with more have an exponent.
MAX_DECIMALS = 30

#: Numbers lie within 10^-MAX_EXPONENT and 10^MAX_EXPONENT, so that no short text stands for gigabytes of digits.
MAX_EXPONENT = 400


def quantise(
    numbers: np.ndarray[Any, Any],
    scale: Fraction | None = None,
    *,
    automatic: bool = False,
    rounding: bool = False,
    fractions: bool = False,
) -> tuple[np.ndarray[Any, Any], Fraction]:
    """Integers and the scale that makes them: integers = numbers × scale, exactly.

    Args:
        numbers: int, Decimal and Fraction, finite.
        scale: a positive number; None means 1.
        automatic: the smallest power of ten that makes every number an integer, in place of `scale`.
        rounding: round to the nearest integer, ties to even, where a number × scale is not one.
        fractions: with `automatic`: where there are fractions such as 4/3, their smallest common denominator.

    Raises:
        RangeError: a number × scale is no integer (without `rounding`), or needs too many decimals.
    """
    for value in numbers.flat:
        if isinstance(value, Decimal) and abs(value.adjusted()) > MAX_EXPONENT:
            raise RangeError(f"the number {value} is beyond 10^±{MAX_EXPONENT}")
    if automatic:
        scale = _smallest_scale(numbers, fractions)
    factor = Fraction(1) if scale is None else scale
    integers = np.empty(numbers.shape, dtype=object)
    for place, value in np.ndenumerate(numbers):
        exact = Fraction(value) * factor
        if exact.denominator != 1 and not rounding:
            advice = "floats need --scale (for example --scale 100, or --scale auto)" if scale is None else "use a "
            if scale is not None:
                advice += "larger --scale, --scale auto, or --round"
            raise RangeError(f"{shown(value)} × {shown(factor)} is not an integer: {advice}")
        integers[place] = int(exact) if exact.denominator == 1 else round(exact)
    if all(-(2**63) <= v < 2**63 for v in integers.flat):
        return integers.astype(np.int64), factor
    return integers, factor


def _smallest_scale(numbers: np.ndarray[Any, Any], fractions: bool) -> Fraction:
    broken = [value for value in numbers.flat if isinstance(value, Fraction)]
    if broken and not fractions:
        value = broken[0]
        raise RangeError(f"no decimals write {shown(value)}: --scale {shown(value.denominator)}, if it is no date")
    places = max((_decimals(value) for value in numbers.flat), default=0)
    if places > MAX_DECIMALS:
        raise RangeError(f"a number has {places} decimals; at most {MAX_DECIMALS} can be kept: set --scale")
    scale = 10**places
    for value in broken:
        scale = math.lcm(scale, value.denominator)
        if scale.bit_length() > MAX_SCALE_BITS:
            raise RangeError(f"the fractions' common denominator has more than {MAX_SCALE_BITS} bits")
    if broken:  # a power of ten was only needed for the decimals beside them
        scale = math.lcm(*(Fraction(value).denominator for value in numbers.flat))
    return Fraction(scale)


def _decimals(value: int | Decimal | Fraction) -> int:
    if not isinstance(value, Decimal) or not value:
        return 0
    _, digits, exponent = value.as_tuple()
    assert isinstance(exponent, int)
    zeros = next(count for count, digit in enumerate(reversed(digits)) if digit)
    return max(0, -exponent - zeros)


def decimal_text(value: Fraction, digits: int | None = None) -> str:
    """A number as text that says exactly it: decimals if finitely many do, else a fraction in lowest terms, 4/3.

    Beyond MAX_DECIMALS decimals there is an exponent: 1.5e-40. Python's `fractions.Fraction` reads all three.

    Args:
        value: the number.
        digits: round to this many decimals first, ties to even.
    """
    if digits is not None:
        value = round(value, digits)
    places = decimal_places(value)
    if places is None:
        return f"{value.numerator}/{value.denominator}"
    sign, whole = "-" if value < 0 else "", abs(value.numerator) * 10**places // value.denominator
    if places == 0:
        return f"{sign}{whole}"
    if places > MAX_DECIMALS:
        written = str(whole)
        point = "." if len(written) > 1 else ""
        return f"{sign}{written[0]}{point}{written[1:]}e{len(written) - 1 - places}"
    return f"{sign}{whole // 10**places}.{whole % 10**places:0{places}d}"
