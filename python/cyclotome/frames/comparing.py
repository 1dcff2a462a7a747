# SPDX-License-Identifier: Apache-2.0
"""Comparisons of columns: zeros and ones, encrypted, by the polynomials of `cyclotome.less` and `cyclotome.equal`.

A column is integers at a scale, so that x > 2.5 is a comparison of integers with a whole number of steps beside it,
exactly. What they cost depends on how many values the column's bounds leave possible: 100 of them take a polynomial of
degree 100 (some 20 products, 7 deep), 10,000 one of degree 10,000.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

import numpy as np

from ..arrays.array import EncryptedArray
from ..errors import NoiseError, RangeError
from ..functions.functions import equal, less
from ..numbers.values import IntArray, integers

__all__ = ["compared", "compared_with_public"]


@contextmanager
def _advice(operation: str) -> Iterator[None]:
    """Says how comparisons become possible where values are too many, or parameters too shallow."""
    try:
        yield
    except (RangeError, NoiseError) as error:
        raise type(error)(
            f"{operation}: {error}. Comparisons are the dearer the more values a column may have: state tight ones at "
            "encryption, bounds={name: (least, largest)}, with fewer decimals; find parameters by "
            "cy.suggest(compute=...); or compare before encryption, in a column of booleans"
        ) from None


def compared(operation: str, x: EncryptedArray, y: EncryptedArray) -> EncryptedArray:
    """1 where x stands in that relation to y, else 0, of integers at one scale."""
    with _advice(operation):
        if operation in ("==", "!="):
            found = equal(x, y)
            return found if operation == "==" else _not(found)
        found = less(x, y) if operation in ("<", ">=") else less(y, x)
        return found if operation in ("<", ">") else _not(found)


def _not(bits: EncryptedArray) -> EncryptedArray:
    return (1 - bits).assume_bound((0, 1))


#: Of a threshold in steps, the whole number to compare with, and on which side.
_WHOLE: dict[str, tuple[Callable[[Fraction], int], bool]] = {
    ">": (math.floor, False),
    ">=": (lambda steps: math.ceil(steps) - 1, False),
    "<": (math.ceil, True),
    "<=": (lambda steps: math.floor(steps) + 1, True),
}


def compared_with_public(operation: str, x: EncryptedArray, steps: IntArray) -> EncryptedArray:
    """The same with public numbers, fractions of x's steps."""
    least, largest = x.interval or (0, 0)

    def within(whole: int) -> int:  # beyond what x may be, all are alike
        return max(least - 1, min(largest + 1, whole))

    flat = [Fraction(value) for value in steps.reshape(-1).tolist()]
    with _advice(operation):
        if operation in ("==", "!="):
            # What is no whole number of steps is none of x's values.
            whole = [within(int(value)) if value.denominator == 1 else largest + 1 for value in flat]
            found = equal(x, _shaped(whole, steps.shape))
            return found if operation == "==" else _not(found)
        rounded, below = _WHOLE[operation]
        with_it = _shaped([within(rounded(value)) for value in flat], steps.shape)
        return less(x, with_it) if below else less(with_it, x)


def _shaped(values: list[int], shape: tuple[int, ...]) -> Any:
    return integers(np.array(values, dtype=object).reshape(shape), "a comparison")
