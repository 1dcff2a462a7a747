# SPDX-License-Identifier: Apache-2.0
"""Selections of one value among several: what is encrypted to look something up."""

from __future__ import annotations

import numpy as np

from ..errors import ArgumentError, RangeError
from ..numbers.values import IntArray, index, integers

__all__ = ["one_hot"]

#: Values of a selection: 4 GiB of them.
_MOST_VALUES = 1 << 29


def one_hot(choice: object, count: int) -> IntArray:
    """Rows of ``count`` values, 1 at ``choice`` and 0 elsewhere, along a new last axis. Encrypted with ``l1_bound=1``
    they select: products with public tables and with other arrays are bounded by what one entry may be, not by the sum
    of all.

    Args:
        choice: a whole number in [0, count), or an array of them.
        count: how many there are to choose from.

    Raises:
        RangeError: a choice that there is not; more than 2^29 values in all.
        ArgumentError: nothing to choose from.
        UnsupportedError: choices that are no integers.

    Example:
        >>> import cyclotome as cy, numpy as np
        >>> params = cy.Parameters.suggest(depth=1, value_bits=16, result_bits=17)
        >>> secret, public, evaluation = cy.keygen(params)
        >>> records = np.arange(40000, 40100)
        >>> query = cy.encrypt(cy.one_hot(42, 100), public, l1_bound=1)
        >>> cy.decrypt(query @ records, secret)
        40042
    """
    length = index(count, "one_hot: a count")
    if length < 1:
        raise ArgumentError(f"one_hot: {length} values to choose from; there must be at least one")
    chosen = integers(choice, "one_hot", named_rows=True)
    if chosen.size and not (int(chosen.min()) >= 0 and int(chosen.max()) < length):
        wrong = int(chosen.min()) if int(chosen.min()) < 0 else int(chosen.max())
        raise RangeError(f"one_hot: choice {wrong} is none of 0 to {length - 1}")
    if chosen.size * length > _MOST_VALUES:
        raise RangeError(
            f"one_hot: {chosen.size} rows of {length} values; at most {_MOST_VALUES} in all: look up in several steps, "
            "the high digits of a choice and the low ones each by a selection of their own"
        )
    rows: IntArray = (chosen[..., None] == np.arange(length)).astype(np.int64)
    return rows
