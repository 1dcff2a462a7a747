# SPDX-License-Identifier: Apache-2.0
"""Filters for look-ups by keyword: a key's entry is the sum of three rows' words in one slot, which one query of three
rows reads. What is summed for a key that is not there has its tag with probability 2^-64.

Every slot has a filter of its own, three blocks of rows with one row of each for a key. Keys are placed as
Majewski, Wormald, Havas and Czech (1996) place them: a row that only one key still uses is taken for it, until none is
left.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ..errors import ArgumentError
from .description import TAG_BYTES
from .shape import COLUMNS, Shape, Words, shape_of

__all__ = ["WEIGHT", "Hashes", "filled", "shape_for", "tag_of"]

#: Rows of a key.
WEIGHT = 3
#: Rows for each key of a slot; above 1.23 placing works for almost every choice of hashes.
_SPACE = 1.26
_SPARE_ROWS = 96
#: Choices of hashes before giving up; each fails with less than 1/2.
_TRIES = 64


class Hashes:
    """Of keys, in order: the slot, a row in each of three blocks, the tag; of SHA-256 over the seed and the key."""

    def __init__(self, seed: bytes, keys: Sequence[bytes], shape: Shape) -> None:
        start = hashlib.sha256(seed)

        def digest(key: bytes) -> bytes:
            state = start.copy()
            state.update(key)
            return state.digest()

        table = np.frombuffer(b"".join(map(digest, keys)), np.uint8).reshape(len(keys), 32)
        block = shape.rows // WEIGHT
        self.slots = (table[:, :8].copy().view("<u8").ravel() % np.uint64(shape.slots)).astype(np.int64)
        rows = table[:, 8:20].copy().view("<u4").reshape(len(keys), WEIGHT).astype(np.int64)
        self.rows = rows % block + block * np.arange(WEIGHT)
        self.tags = table[:, 32 - TAG_BYTES :].copy()


def tag_of(seed: bytes, key: bytes) -> bytes:
    """What stands before the entry of a key."""
    return hashlib.sha256(seed + key).digest()[-TAG_BYTES:]


def shape_for(words: int, keys: int, limit: int) -> Shape:
    """A shape whose slots' filters hold so many keys, spread over slots by a hash.

    Raises:
        ArgumentError: too many keys.
    """
    slots = 0
    while True:
        shape = shape_of(words, max(1, (slots + 1) * limit), limit)
        slots = shape.slots
        load = keys / slots
        rows = int(_SPACE * (load + 6 * load**0.5)) + _SPARE_ROWS  # six deviations above the mean
        if rows <= limit:
            return Shape(words=words, rows=-(-rows // COLUMNS) * COLUMNS, slots=slots)


def _peeled(
    cells: npt.NDArray[np.int64], count: int
) -> list[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]] | None:
    """Rounds of keys and the cells that they were given, of those whose three ``cells`` are numbered below ``count``;
    None where some stay."""
    uses = np.bincount(cells.ravel(), minlength=count)
    # The sum of the numbers of a cell's keys: where there is one, its number.
    sums = np.zeros(count, np.int64)
    np.add.at(sums, cells.ravel(), np.repeat(np.arange(len(cells)), WEIGHT))
    rounds = []
    left, candidates = len(cells), np.flatnonzero(uses == 1)
    while left:
        keys, at = np.unique(sums[candidates], return_index=True)
        if not len(keys):
            return None
        rounds.append((keys, candidates[at]))
        touched = cells[keys].ravel()
        np.subtract.at(uses, touched, 1)
        np.subtract.at(sums, touched, np.repeat(keys, WEIGHT))
        left -= len(keys)
        touched = np.unique(touched)
        candidates = touched[uses[touched] == 1]
    return rounds


def filled(entries: Words, keys: Sequence[bytes], shape: Shape, seeds: Sequence[bytes]) -> tuple[bytes, Words]:
    """The seed with which all keys have a place, and the words of all rows and slots, in this order.

    Args:
        entries: keys x words; the first four are the tag, which is written here.
        keys: different ones.
        shape: of `shape_for`.
        seeds: to try one after another.

    Raises:
        ArgumentError: none of the seeds will do.
    """
    count = shape.rows * shape.slots
    for seed in seeds:
        hashes = Hashes(seed, keys, shape)
        cells = hashes.rows * shape.slots + hashes.slots[:, None]
        rounds = _peeled(cells, count)
        if rounds is None:
            continue
        entries[:, : TAG_BYTES // 2] = hashes.tags.view("<u2")
        table = np.zeros((count, shape.words), np.uint16)
        for chosen, own in reversed(rounds):
            others = table[cells[chosen]].sum(axis=1, dtype=np.uint16)  # its own cell is still zero
            table[own] = entries[chosen] - others
        return seed, table
    raise ArgumentError(
        f"{len(keys)} keys found no place with {len(seeds)} choices of hashes: try again, or with more rows"
    )
