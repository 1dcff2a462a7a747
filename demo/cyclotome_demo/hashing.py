# SPDX-License-Identifier: Apache-2.0
"""Sets into bins, so that two sets are compared bin by bin: cuckoo hashing for one side, all places for the other."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterable
from typing import Any

import cyclotome as cy
import numpy as np

Array = np.ndarray[Any, Any]

#: Hash functions: an item's possible bins.
PLACES = 3
#: Items that are moved to make place for one, before giving up.
_MOVES = 500


def _number(item: str, purpose: str) -> int:
    return int.from_bytes(hashlib.blake2b(item.encode(), digest_size=16, person=purpose.encode()).digest(), "big")


def fingerprint(item: str, modulus: int) -> int:
    """What stands for an item in its bin: from 2 to modulus - 1, so that 0 and 1 are free to fill places with."""
    return 2 + _number(item, "fingerprint") % (modulus - 2)


def places(item: str, bins: int) -> list[int]:
    """The bins in which an item may lie, not always different ones."""
    return [_number(item, f"place {i}") % bins for i in range(PLACES)]


def cuckoo(items: Iterable[str], bins: int) -> Array:
    """Cuckoo hashing: the number of the item in each bin, at most one, -1 where there is none.

    Raises:
        RangeError: there is no place for an item; about nine items to ten bins go in with three places each.
    """
    choices = [places(item, bins) for item in items]
    table = np.full(bins, -1)
    walk = random.Random(0)  # which item moves on is no secret: bins are sent encrypted
    for number in range(len(choices)):
        homeless, left = number, -1
        for _ in range(_MOVES):
            free = [place for place in choices[homeless] if table[place] < 0]
            elsewhere = [place for place in choices[homeless] if place != left] or choices[homeless]
            left = free[0] if free else walk.choice(elsewhere)
            homeless, table[left] = int(table[left]), homeless
            if homeless < 0:
                break
        else:
            raise cy.errors.RangeError(f"{len(choices)} items don't go into {bins} bins: take more bins")
    return table


def filled(items: Iterable[str], bins: int, depth: int, modulus: int) -> Array:
    """Fingerprints of items in all of their places, shape (depth, bins); other places hold 1.

    Raises:
        RangeError: more than ``depth`` in a bin.
    """
    table = np.ones((depth, bins), dtype=np.int64)
    held = np.zeros(bins, dtype=np.int64)
    for item in items:
        for place in set(places(item, bins)):
            if held[place] == depth:
                raise cy.errors.RangeError(f"more than {depth} items in bin {place} of {bins}: take more bins")
            table[held[place], place] = fingerprint(item, modulus)
            held[place] += 1
    return table


def polynomials(roots: Array, modulus: int) -> Array:
    """Coefficients modulo a prime, constant terms first, shape (depth + 1, bins), of the products of (x - root) in each
    bin; roots have shape (depth, bins)."""
    depth, bins = roots.shape
    coefficients = np.zeros((depth + 1, bins), dtype=object)
    coefficients[0] = 1
    for degree, root in enumerate(roots.astype(object), 1):
        shifted = np.concatenate([np.zeros((1, bins), dtype=object), coefficients[:degree]])
        coefficients[: degree + 1] = (shifted - root * coefficients[: degree + 1]) % modulus
    return coefficients.astype(np.int64)
