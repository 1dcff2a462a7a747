# SPDX-License-Identifier: Apache-2.0
"""Numbers as text, read exactly, and bounded before anything is computed with them.

Decimals are decimals: 12.30 is 1230/100, never the float next to it. Only ASCII digits with a sign, a point and an
exponent make a number, or two whole numbers with a slash between them; what other programs group or decorate (1_000,
1,000, 5 %, digits of other scripts) is none. A few characters such as 1e999999999 stand for gigabytes of digits, so
exponents and lengths are checked on the text.
"""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction

from cyclotome.cli.visible import shortened
from cyclotome.errors import RangeError
from cyclotome.numbers.scales import decimal_places

#: A number may be written with this many characters.
MAX_CHARACTERS = 700

#: Its power of ten lies within ±this.
MAX_EXPONENT = 600

_DECIMAL = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE]([+-]?[0-9]+))?")
_FRACTION = re.compile(r"([+-]?[0-9]+)/([0-9]+)")
_BLANKS = " \t"


def parse(text: str, *, dates: bool = True) -> Decimal | Fraction | None:
    """The number that a text writes: a Decimal, or a Fraction such as 4/3; None if it writes none.

    Args:
        text: the text; blanks around it do not matter.
        dates: where dates may stand: fractions are read as `decimals.decimal_text` writes them, in lowest terms and
            only those that no decimals write. So a column with 10/12 in it is not taken for numbers.

    Raises:
        RangeError: a number of more than MAX_CHARACTERS, or beyond 10^±MAX_EXPONENT.
    """
    text = text.strip(_BLANKS)
    decimal, fraction = _DECIMAL.fullmatch(text), _FRACTION.fullmatch(text)
    if decimal is None and fraction is None:
        return None
    if len(text) > MAX_CHARACTERS:
        raise RangeError(f"the number {shortened(text)} has {len(text)} characters; the limit is {MAX_CHARACTERS}")
    if decimal is not None:
        exponent = decimal[1]
        if exponent is not None and (len(exponent) > 6 or abs(int(exponent)) > MAX_EXPONENT):
            raise RangeError(f"the number {shortened(text)} is beyond 10^±{MAX_EXPONENT}")
        return Decimal(text)
    assert fraction is not None
    if int(fraction[2]) == 0:
        return None
    value = Fraction(int(fraction[1]), int(fraction[2]))
    written = f"{value.numerator}/{value.denominator}" == text.lstrip("+")
    return value if not dates or (written and not is_decimal(value)) else None


def is_decimal(value: Fraction) -> bool:
    """Whether finitely many decimals write it: no prime but 2 and 5 divides its denominator."""
    return decimal_places(value) is not None
