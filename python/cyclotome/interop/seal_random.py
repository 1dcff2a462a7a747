# SPDX-License-Identifier: Apache-2.0
"""The uniform polynomials that SEAL keeps as seeds: BLAKE2xb or SHAKE256, and rejection.

A seed of 64 bytes makes a stream, 4096 bytes for each number 0, 1, 2, ... as eight bytes: BLAKE2xb of the number
under the seed as key, or SHAKE256 of seed and number. A polynomial is as many words of the stream as it has residues.
One that is too large to be uniform modulo its prime is replaced by the next good word after all of them, limb by limb.

BLAKE2xb is the extendable BLAKE2b of Aumasson, Neves, Wilcox-O'Hearn and Winnerlein ("BLAKE2X", 2016). hashlib computes
its root; its output blocks, BLAKE2b in a tree of depth 0, which hashlib refuses, are computed here, all at once.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..errors import FormatError

__all__ = ["BLAKE2XB", "GENERATORS", "SEED_BYTES", "SHAKE256", "uniform_polynomial"]

Words = NDArray[np.uint64]

BLAKE2XB, SHAKE256 = 1, 2
#: By SEAL's number.
GENERATORS = {BLAKE2XB: "BLAKE2xb", SHAKE256: "SHAKE256"}
SEED_BYTES = 64

_BUFFER = 4096
_HASH = 64
#: Buffers that are expanded at once: 8 MiB of state.
_AT_ONCE = 1024

# RFC 7693: the first words of sqrt of primes, and which words of the message each round takes.
_IV = (
    0x6A09E667F3BCC908,
    0xBB67AE8584CAA73B,
    0x3C6EF372FE94F82B,
    0xA54FF53A5F1D36F1,
    0x510E527FADE682D1,
    0x9B05688C2B3E6C1F,
    0x1F83D9ABFB41BD6B,
    0x5BE0CD19137E2179,
)
_SIGMA = (
    (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
    (14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3),
    (11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4),
    (7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8),
    (9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13),
    (2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9),
    (12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11),
    (13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10),
    (6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5),
    (10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0),
)
_MIXED = (
    (0, 4, 8, 12),
    (1, 5, 9, 13),
    (2, 6, 10, 14),
    (3, 7, 11, 15),
    (0, 5, 10, 15),
    (1, 6, 11, 12),
    (2, 7, 8, 13),
    (3, 4, 9, 14),
)


def _turned(x: Words, bits: int) -> Words:
    """Rotated to the right, in place."""
    low = x << np.uint64(64 - bits)
    x >>= np.uint64(bits)
    x |= low
    return x


def _output_blocks(roots: Words) -> Words:
    """The 64 blocks of 64 bytes behind each root: [root][block][word]. roots: [root][word].

    Block i is BLAKE2b of the root with the parameters digest 64, key 0, fan-out 0, depth 0, leaf 64, node offset i,
    total length 4096, node depth 0 and inner length 64."""
    blocks = np.arange(_BUFFER // _HASH, dtype=np.uint64)
    shape = (len(roots), len(blocks))
    start = [np.uint64(word) for word in _IV]
    start[0] ^= np.uint64(_HASH | _HASH << 32)
    start[2] ^= np.uint64(_HASH << 8)
    state = [np.full(shape, word, dtype=np.uint64) for word in start]
    state[1] ^= blocks | np.uint64(_BUFFER << 32)
    chained = [word.copy() for word in state]
    state += [np.full(shape, word, dtype=np.uint64) for word in _IV]
    state[12] ^= np.uint64(_HASH)  # bytes that were hashed
    state[14] ^= np.uint64(2**64 - 1)  # the last block
    message = [roots[:, i, None] for i in range(8)]
    for number in range(12):
        order = _SIGMA[number % 10]
        for which, (a, b, c, d) in enumerate(_MIXED):
            for half, (first, second) in enumerate(((32, 24), (16, 63))):
                word = order[2 * which + half]
                state[a] += state[b]
                if word < 8:  # the others are zero: the message is half a block
                    state[a] += message[word]
                state[d] ^= state[a]
                _turned(state[d], first)
                state[c] += state[d]
                state[b] ^= state[c]
                _turned(state[b], second)
    return np.stack([chained[i] ^ state[i] ^ state[i + 8] for i in range(8)], axis=-1)


def _blake2xb(seed: bytes, first: int, count: int) -> Words:
    roots = b"".join(
        hashlib.blake2b(
            number.to_bytes(8, "little"), digest_size=_HASH, key=seed, fanout=1, depth=1, node_offset=_BUFFER << 32
        ).digest()
        for number in range(first, first + count)
    )
    return _output_blocks(np.frombuffer(roots, dtype="<u8").astype(np.uint64).reshape(count, 8)).reshape(-1)


def _shake256(seed: bytes, first: int, count: int) -> Words:
    buffers = (hashlib.shake_256(seed + i.to_bytes(8, "little")).digest(_BUFFER) for i in range(first, first + count))
    return np.frombuffer(b"".join(buffers), dtype="<u8").astype(np.uint64)


class _Stream:
    """Words of a seed's stream, one after the other."""

    def __init__(self, generator: int, seed: bytes) -> None:
        self._expand = {BLAKE2XB: _blake2xb, SHAKE256: _shake256}[generator]
        self._seed, self._next = seed, 0
        self._kept: Words = np.empty(0, dtype=np.uint64)

    def take(self, count: int) -> Words:
        pieces, missing = [self._kept[:count]], count - len(self._kept[:count])
        self._kept = self._kept[count:]
        while missing:
            buffers = min(-(-missing * 8 // _BUFFER), _AT_ONCE)
            words = self._expand(self._seed, self._next, buffers)
            self._next += buffers
            pieces.append(words[:missing])
            self._kept = words[missing:]
            missing -= len(pieces[-1])
        return np.concatenate(pieces)


def uniform_polynomial(generator: int, seed: bytes, degree: int, moduli: Sequence[int]) -> Words:
    """The residues [limb][coefficient] that a seed stands for.

    Raises:
        FormatError: a generator that is not known.
    """
    if generator not in GENERATORS:
        known = ", ".join(f"{number} ({name})" for number, name in GENERATORS.items())
        raise FormatError(f"a seed is for generator {generator}; there are {known}: the data is damaged")
    stream = _Stream(generator, seed)
    rows = stream.take(len(moduli) * degree).reshape(len(moduli), degree)
    for row, modulus in zip(rows, moduli, strict=True):
        # SEAL's limit: the largest multiple of the modulus below 2^64 - 1, less one.
        limit = np.uint64(2**64 - 1 - (2**64 - 1) % modulus - 1)
        (places,) = np.nonzero(row >= limit)
        while len(places):
            words = stream.take(len(places))
            good = words[words < limit]
            row[places[: len(good)]] = good
            places = places[len(good) :]
        row %= np.uint64(modulus)
    return rows
