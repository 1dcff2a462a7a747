# SPDX-License-Identifier: Apache-2.0
"""What seeds expand to (ChaCha20, HMAC-SHA-256), and what a passphrase opens (scrypt, ChaCha20-Poly1305)."""

from __future__ import annotations

import hashlib
import hmac
import struct
from collections.abc import Iterator, Sequence

ERROR_PAIRS = 21


def _rounds(x: list[int]) -> None:
    for _ in range(10):
        for a, b, c, d in (
            (0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15),
            (0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14),
        ):  # fmt: skip
            for to, add, turn, count in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
                x[to] = x[to] + x[add] & 0xFFFFFFFF
                y = x[turn] ^ x[to]
                x[turn] = (y << count | y >> (32 - count)) & 0xFFFFFFFF


def block(key: bytes, counter: int, nonce: bytes) -> bytes:
    """64 bytes of ChaCha20's stream (RFC 8439, 2.3)."""
    start = list(struct.unpack("<16I", b"expand 32-byte k" + key + struct.pack("<I", counter) + nonce))
    x = start.copy()
    _rounds(x)
    return struct.pack("<16I", *((a + b) & 0xFFFFFFFF for a, b in zip(x, start, strict=True)))


def _numbers(seed: bytes, nonce: tuple[int, int, int], count: int, size: int) -> Iterator[int]:
    """So many little-endian numbers of `size` bytes, as many to a block as fit; `nonce` is three words."""
    words, each = struct.pack("<3I", *nonce), 64 // size
    for counter in range(-(-count // each)):
        stream = block(seed, counter, words)
        for i in range(min(each, count - counter * each)):
            yield int.from_bytes(stream[size * i : size * (i + 1)], "little")


def uniform(seed: bytes, stream: int, item: int, degree: int, moduli: Sequence[int]) -> list[list[int]]:
    """The uniform polynomial of a published seed, [limb][residue]; stream 4 in keys, 8 in ciphertexts."""
    return [
        [r * q >> 128 for r in _numbers(seed, (stream << 16, item, limb), degree, 16)] for limb, q in enumerate(moduli)
    ]


def ternary(seed: bytes, stream: int, item: int, degree: int) -> list[int]:
    """Coefficients -1, 0 and 1: floor(3 r / 2^64) - 1 for 64-bit r."""
    return [(3 * r >> 64) - 1 for r in _numbers(seed, (stream << 16, item, 0), degree, 8)]


def error(seed: bytes, stream: int, item: int, count: int) -> list[int]:
    """Centred binomial numbers: ones in bits 0 to 20 minus ones in bits 21 to 41 of 64-bit r."""
    mask = (1 << ERROR_PAIRS) - 1
    numbers = _numbers(seed, (stream << 16, item, 0), count, 8)
    return [(r & mask).bit_count() - (r >> ERROR_PAIRS & mask).bit_count() for r in numbers]


def derive(
    master: bytes, fingerprint: bytes, purpose: int, half: int = 0, *, key: bytes = bytes(16), element: int = 0
) -> bytes:
    """The seed for a purpose (1 secret key, 2 key id, 3 public key, …) under a master seed, of plaintext modulus 0."""
    numbers = [struct.pack("<I", purpose), struct.pack("<I", half), struct.pack("<Q", element), bytes(4)]
    fields = [b"cyclotome seed", *numbers, key, fingerprint]
    return hmac.new(master, b"".join(struct.pack("<I", len(x)) + x for x in fields), hashlib.sha256).digest()


def opened(section: bytes, header: bytes, passphrase: bytes) -> bytes | None:
    """What a `SEAL` section protects, or None under another passphrase; `header` is all that stands before it.

    The caller has checked the numbers of scrypt. Text is to be given as UTF-8 in normal form NFC.
    """
    _, log2_n, r, p = struct.unpack_from("<4I", section)
    salt, nonce, body, tag = section[16:48], section[48:60], section[60:-16], section[-16:]
    key = hashlib.scrypt(passphrase, salt=salt, n=2**log2_n, r=r, p=p, maxmem=2**31 - 1, dklen=32)
    padded = b"".join(x + bytes(-len(x) % 16) for x in (header, body)) + struct.pack("<QQ", len(header), len(body))
    once = block(key, 0, nonce)
    multiplier, total = int.from_bytes(once[:16], "little") & 0x0FFFFFFC0FFFFFFC0FFFFFFC0FFFFFFF, 0
    for i in range(0, len(padded), 16):
        total = (total + int.from_bytes(padded[i : i + 16] + b"\x01", "little")) * multiplier % (2**130 - 5)
    expected = ((total + int.from_bytes(once[16:32], "little")) % 2**128).to_bytes(16, "little")
    if not hmac.compare_digest(expected, tag):
        return None
    stream = b"".join(block(key, 1 + i, nonce) for i in range(-(-len(body) // 64)))
    return bytes(a ^ b for a, b in zip(body, stream, strict=False))
