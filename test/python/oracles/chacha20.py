# SPDX-License-Identifier: Apache-2.0
"""ChaCha20's block function (RFC 8439, 2.3) in Python integers."""

from __future__ import annotations

import struct

MASK = 0xFFFFFFFF


def _rotate(x: int, count: int) -> int:
    return ((x << count) | (x >> (32 - count))) & MASK


def _quarter_round(x: list[int], a: int, b: int, c: int, d: int) -> None:
    for left, right, target, count in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
        x[left] = (x[left] + x[right]) & MASK
        x[target] = _rotate(x[target] ^ x[left], count)


def block(key: bytes, counter: int, nonce: bytes) -> bytes:
    """64 bytes of the stream."""
    start = list(struct.unpack("<4I8II3I", b"expand 32-byte k" + key + struct.pack("<I", counter) + nonce))
    x = start.copy()
    for _ in range(10):
        for column in range(4):
            _quarter_round(x, column, 4 + column, 8 + column, 12 + column)
        for column in range(4):
            _quarter_round(x, column, 4 + (column + 1) % 4, 8 + (column + 2) % 4, 12 + (column + 3) % 4)
    return struct.pack("<16I", *((a + b) & MASK for a, b in zip(x, start, strict=True)))
