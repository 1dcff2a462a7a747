# SPDX-License-Identifier: Apache-2.0
"""Paper 003 in Python's integers: moduli, Lemmas 1 to 3 as corrected, base conversion, decryption."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

Words = np.ndarray


def moduli(x: int, f: int) -> list[int]:
    """q_1, ..., q_(f+1)."""
    g = 1 << x
    return [(1 << (g >> i)) + 1 for i in range(1, f + 1)] + [(1 << (g >> f)) - 1]


def most_splits(x: int) -> int:
    """The largest f with 2^x/2^f at least 2 and at least f."""
    return max(f for f in range(x) if (1 << x) >> f >= max(f, 2))


def all_bases(largest: int) -> list[tuple[int, int]]:
    return [(x, f) for x in range(1, largest + 1) for f in range(most_splits(x) + 1)]


def inverse(x: int, f: int, i: int) -> int:
    """(q/q_i)^-1 mod q_i by Euclid; i counts from 0."""
    q = moduli(x, f)
    return pow(math.prod(q) // q[i], -1, q[i])


def words(value: int, count: int) -> list[int]:
    assert 0 <= value < 1 << 64 * count
    return [value >> 64 * w & (1 << 64) - 1 for w in range(count)]


def number(row: Iterable[int]) -> int:
    return sum(int(word) << 64 * w for w, word in enumerate(row))


def rows(values: Sequence[Sequence[int]], counts: Sequence[int]) -> Words:
    """Residues [limb][coefficient] as words[word][coefficient]; counts: words of each limb."""
    out = [
        [word for value, count in zip(column, counts, strict=True) for word in words(value, count)]
        for column in zip(*values, strict=True)
    ]
    return np.ascontiguousarray(np.array(out, dtype=np.uint64).T)


def fast_conversion(residues: Sequence[int], source: Sequence[int], target: Sequence[int]) -> list[int]:
    """FastBConv of one coefficient (specification 5.1)."""
    q = math.prod(source)
    y = [r * pow(q // m, -1, m) % m if m > 1 else 0 for r, m in zip(residues, source, strict=True)]
    total = sum(a * (q // m) for a, m in zip(y, source, strict=True))
    return [total % b for b in target]
