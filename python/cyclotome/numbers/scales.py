# SPDX-License-Identifier: Apache-2.0
"""What encrypted integers stand for: integer / scale, the scale a positive number that everybody may see.

There is one notion of it. `FixedPoint` has the scale 2^bits, columns of tables have 10^decimals or a FixedPoint's, and
quantities of the command line any fraction. Sums are taken at a common scale (`common`), products have the product of
both, and nothing is ever rounded but where numbers become integers.
"""

from __future__ import annotations

import math
from decimal import Context, Decimal
from fractions import Fraction
from typing import Any

from ..errors import ArgumentError, RangeError

__all__ = ["MOST_SCALE_BITS", "checked", "common", "decimal_places", "number"]

#: Bits of a scale: a guard against (10**30)**(10**9).
MOST_SCALE_BITS = 4096


def checked(scale: object) -> int:
    """The scale of a column: how many steps make one.

    Raises:
        ArgumentError: no whole number of at least 1.
        RangeError: more than MOST_SCALE_BITS bits.
    """
    if isinstance(scale, bool) or not isinstance(scale, int) or scale < 1:
        raise ArgumentError(f"a scale of {scale!r}: it is a whole number of steps that make one, at least 1")
    if scale.bit_length() > MOST_SCALE_BITS:
        raise RangeError(f"a scale of {scale.bit_length()} bits; the limit is {MOST_SCALE_BITS}")
    return scale


def common(a: Fraction | int, b: Fraction | int) -> Fraction:
    """The smallest scale that is an integer multiple of both."""
    x, y = Fraction(a), Fraction(b)
    return Fraction(math.lcm(x.numerator, y.numerator), math.gcd(x.denominator, y.denominator))


def decimal_places(value: Fraction) -> int | None:
    """How many decimals write it exactly; None if no number of them does."""
    rest = value.denominator
    twos = (rest & -rest).bit_length() - 1
    rest >>= twos
    fives = 0
    while rest % 5 == 0:
        rest //= 5
        fives += 1
    return max(twos, fives) if rest == 1 else None


def number(value: int, scale: int, *, exact: bool) -> Any:
    """value / scale: an integer where the scale is 1; exactly, a Decimal of as many decimals as the scale has, or a
    Fraction where no decimals write its steps; else the float nearest to it.

    Raises:
        RangeError: without ``exact``, a value beyond what floats hold.
    """
    if scale == 1:
        return value
    if not exact:
        try:
            return value / scale  # of integers: rounded once
        except OverflowError:
            raise RangeError("a value is beyond what floats hold; pass exact=True") from None
    places = decimal_places(Fraction(1, scale))
    if places is None:
        return Fraction(value, scale)
    whole = value * (10**places // scale)
    return Decimal(whole).scaleb(-places, Context(prec=len(str(abs(whole))) + places + 1))  # whatever is set elsewhere
