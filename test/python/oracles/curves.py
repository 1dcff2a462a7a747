# SPDX-License-Identifier: Apache-2.0
"""Ed25519 (RFC 8032) and X25519 (RFC 7748) in Python integers, slow and plain."""

from __future__ import annotations

import hashlib

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
_D = -121665 * pow(121666, -1, P) % P

Point = tuple[int, int]


def _add(a: Point, b: Point) -> Point:
    """On -x^2 + y^2 = 1 + d x^2 y^2; the law is complete."""
    (x, y), (u, v) = a, b
    cross = _D * x * u * y * v % P
    return (
        (x * v + y * u) * pow(1 + cross, -1, P) % P,
        (y * v + x * u) * pow(1 - cross, -1, P) % P,
    )


def _times(k: int, point: Point) -> Point:
    total = (0, 1)
    while k:
        if k & 1:
            total = _add(total, point)
        point, k = _add(point, point), k >> 1
    return total


def _x(y: int, sign: int) -> int:
    square = (y * y - 1) * pow(_D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * pow(2, (P - 1) // 4, P) % P
    assert (x * x - square) % P == 0, "no point of the curve"
    return P - x if x & 1 != sign else x


_BASE = (_x(4 * pow(5, -1, P) % P, 0), 4 * pow(5, -1, P) % P)


def _encoded(point: Point) -> bytes:
    return (point[1] | (point[0] & 1) << 255).to_bytes(32, "little")


def _decoded(data: bytes) -> Point:
    number = int.from_bytes(data, "little")
    y = number & (1 << 255) - 1
    return _x(y, number >> 255), y


def _clamped(data: bytes) -> int:
    return int.from_bytes(data, "little") & ~(7 | 1 << 255) & (1 << 255) - 1 | 1 << 254


def ed25519_public(secret: bytes) -> bytes:
    return _encoded(_times(_clamped(hashlib.sha512(secret).digest()[:32]), _BASE))


def ed25519_verify(key: bytes, text: bytes, signature: bytes) -> bool:
    challenge = int.from_bytes(hashlib.sha512(signature[:32] + key + text).digest(), "little") % ORDER
    s = int.from_bytes(signature[32:], "little")
    return s < ORDER and _encoded(_times(s, _BASE)) == _encoded(
        _add(_decoded(signature[:32]), _times(challenge, _decoded(key)))
    )


def x25519(scalar: bytes, u: bytes) -> bytes:
    """Montgomery's ladder."""
    k, x = _clamped(scalar), int.from_bytes(u, "little") & (1 << 255) - 1
    x2, z2, x3, z3 = 1, 0, x, 1
    for bit in reversed(range(255)):
        if k >> bit & 1:
            x2, z2, x3, z3 = x3, z3, x2, z2
        a, b, c, d = x2 + z2, x2 - z2, x3 + z3, x3 - z3
        da, cb = d * a % P, c * b % P
        x3, z3 = (da + cb) ** 2 % P, x * (da - cb) ** 2 % P
        square, other = a * a % P, b * b % P
        x2, z2 = square * other % P, (square - other) * (square + 121665 * (square - other)) % P
        if k >> bit & 1:
            x2, z2, x3, z3 = x3, z3, x2, z2
    return (x2 * pow(z2, -1, P) % P).to_bytes(32, "little")
