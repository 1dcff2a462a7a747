# SPDX-License-Identifier: Apache-2.0
"""ChaCha20-Poly1305 (RFC 8439) in plain Python."""

from __future__ import annotations

import struct

from oracles.chacha20 import block


def _stream(key: bytes, nonce: bytes, length: int) -> bytes:
    return b"".join(block(key, 1 + i, nonce) for i in range(-(-length // 64)))[:length]


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 16)


def _poly1305(key: bytes, data: bytes) -> bytes:
    r = int.from_bytes(key[:16], "little") & 0x0FFFFFFC0FFFFFFC0FFFFFFC0FFFFFFF
    total = 0
    for i in range(0, len(data), 16):
        total = (total + int.from_bytes(data[i : i + 16] + b"\x01", "little")) * r % (2**130 - 5)
    return ((total + int.from_bytes(key[16:], "little")) % 2**128).to_bytes(16, "little")


def tag(key: bytes, nonce: bytes, header: bytes, ciphertext: bytes) -> bytes:
    """What vouches for the header and the ciphertext."""
    one_time_key = block(key, 0, nonce)[:32]
    lengths = struct.pack("<QQ", len(header), len(ciphertext))
    return _poly1305(one_time_key, _padded(header) + _padded(ciphertext) + lengths)


def decrypt(key: bytes, nonce: bytes, ciphertext: bytes) -> bytes:
    """Or encrypt: the cipher is its own inverse."""
    stream = _stream(key, nonce, len(ciphertext))
    return bytes(a ^ b for a, b in zip(ciphertext, stream, strict=True))
