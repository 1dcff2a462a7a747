# SPDX-License-Identifier: Apache-2.0
"""Seeds and their random polynomials, drawn one by one in Python, and the probabilities of their laws."""

from __future__ import annotations

import hashlib
import hmac
import math
import struct
from enum import IntEnum
from functools import lru_cache

from .chacha20 import block

ERROR_PAIRS = 21
# Probabilities of the centred binomial law with 21 pairs.
ERROR_LAW = {
    x: math.comb(2 * ERROR_PAIRS, x + ERROR_PAIRS) / 4**ERROR_PAIRS for x in range(-ERROR_PAIRS, ERROR_PAIRS + 1)
}
TERNARY_LAW = dict.fromkeys((-1, 0, 1), 1 / 3)


class Purpose(IntEnum):
    """What seeds are derived for (doc/architecture.md, Randomness)."""

    SECRET_KEY = 1
    KEY_ID = 2
    PUBLIC_KEY = 3
    SWITCHING_KEY = 4
    RELINEARIZATION_KEY = 5
    GALOIS_KEY = 6
    PUBLIC_ENCRYPTION = 7
    PUBLIC_ZERO = 8
    RERANDOMIZATION = 9
    SYMMETRIC_ENCRYPTION = 10
    SYMMETRIC_ZERO = 11
    FLOODING = 12


class Half(IntEnum):
    """Of what has a published seed for its uniform polynomial and a secret one for its error."""

    WHOLE = 0
    UNIFORM = 1
    ERROR = 2


def derive(
    master: bytes,
    fingerprint: bytes,
    purpose: int,
    half: int = Half.WHOLE,
    *,
    key: bytes = bytes(16),
    element: int = 0,
    plain: int = 0,
) -> bytes:
    """HMAC-SHA-256 under the master of the label's fields, each after its length."""
    fields = [
        b"cyclotome seed",
        struct.pack("<I", purpose),
        struct.pack("<I", half),
        struct.pack("<Q", element),
        struct.pack("<I", plain),
        key,
        fingerprint,
    ]
    label = b"".join(struct.pack("<I", len(field)) + field for field in fields)
    return hmac.new(master, label, hashlib.sha256).digest()


@lru_cache(maxsize=4096)
def stream_block(seed: bytes, stream: int, part: int, item: int, limb: int, counter: int) -> bytes:
    """The block at an address: nonce = (stream * 2^16 + part, item, limb)."""
    return block(seed, counter, struct.pack("<3I", (stream << 16) + part, item, limb))


def uniform(seed: bytes, stream: int, part: int, item: int, limb: int, coefficient: int, q: int) -> int:
    """floor(r q / 2^128) for a 128-bit r; four of them in a block."""
    at = 16 * (coefficient % 4)
    r = int.from_bytes(stream_block(seed, stream, part, item, limb, coefficient // 4)[at : at + 16], "little")
    return r * q >> 128


def small_random(seed: bytes, stream: int, part: int, item: int, coefficient: int) -> int:
    """The 64 random bits of a ternary or error coefficient; eight of them in a block; limb 0 for all limbs."""
    at = 8 * (coefficient % 8)
    words = stream_block(seed, stream, part, item, 0, coefficient // 8)
    return int.from_bytes(words[at : at + 8], "little")


def ternary(random: int) -> int:
    """floor(3 r / 2^64) - 1."""
    return (3 * random >> 64) - 1


def error(random: int) -> int:
    """Ones in bits 0 to 20 minus ones in bits 21 to 41."""
    mask = (1 << ERROR_PAIRS) - 1
    return (random & mask).bit_count() - (random >> ERROR_PAIRS & mask).bit_count()


def chi_square(counts: dict[int, int], law: dict[int, float]) -> tuple[float, int]:
    """Pearson's statistic and its degrees of freedom, with rare values of the law pooled."""
    total = sum(counts.values())
    statistic, cells, rare_seen, rare_expected = 0.0, 0, 0, 0.0
    for value, probability in law.items():
        expected, seen = probability * total, counts.get(value, 0)
        if expected < 10:
            rare_seen, rare_expected = rare_seen + seen, rare_expected + expected
        else:
            statistic, cells = statistic + (seen - expected) ** 2 / expected, cells + 1
    if rare_expected > 0:
        statistic, cells = statistic + (rare_seen - rare_expected) ** 2 / rare_expected, cells + 1
    return statistic, cells - 1


def chi_square_limit(degrees: int) -> float:
    """A value that a true law exceeds with probability below 1e-9 (Laurent and Massart, 2000)."""
    x = math.log(1e9)
    return degrees + 2 * math.sqrt(degrees * x) + 2 * x
