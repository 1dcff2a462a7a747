# SPDX-License-Identifier: Apache-2.0
"""What seeds make: secret, public and evaluation keys and encryptions, residue by residue (doc/architecture.md,
Randomness). For known answers; nobody draws keys with it."""

from __future__ import annotations

import math
from collections.abc import Sequence

from cyclotome_reader import randomness
from cyclotome_reader.decryption import values_at_roots
from cyclotome_reader.files import Parameters, Polynomial
from cyclotome_reader.keys import error_multiple, secret_is_fit
from cyclotome_reader.rings import Cyclotomic

#: doc/architecture.md: what seeds are derived for, and the halves of what has a published seed.
SECRET, KEY_ID, PUBLIC, RELINEARIZATION, GALOIS, BY_PUBLIC_KEY, BY_SECRET_KEY = 1, 2, 3, 5, 6, 7, 10
UNIFORM, ERROR = 1, 2


def _errors(seed: bytes, stream: int, item: int, p: Parameters) -> list[int]:
    draws = p.index if isinstance(p.ring, Cyclotomic) else p.degree
    return p.ring.drawn(randomness.error(seed, stream, item, draws))


def _error_is_fit(error: Sequence[int], p: Parameters) -> bool:
    """The check of public keys' errors."""
    n, draws = p.degree, p.index or p.degree
    squares = [abs(v) ** 2 for v in p.ring.complex_values([float(c) for c in error])]
    largest, whole = draws * 10.5 * (math.log(n / 2) + 3), 1.21 * draws * n * 10.5
    return max(squares) <= largest and math.fsum(squares) <= whole * (1 + 1e-12)


def secret(master: bytes, p: Parameters) -> tuple[list[int], bytes]:
    """The coefficients of the secret of a master seed, and the key's id."""
    seed = randomness.derive(master, p.fingerprint(), SECRET)
    draws = (randomness.ternary(seed, 1, item, p.degree) for item in range(1 << 10))
    fit = next(s for s in draws if secret_is_fit(s, p))
    return fit, randomness.derive(master, p.fingerprint(), KEY_ID)[:16]


def _halves(master: bytes, p: Parameters, purpose: int, key: bytes, element: int = 0) -> tuple[bytes, bytes]:
    marks = p.fingerprint()
    uniform = randomness.derive(master, marks, purpose, UNIFORM, key=key, element=element)
    return uniform, randomness.derive(master, marks, purpose, ERROR, key=key, element=element)


def _body(s: Polynomial, mask: Polynomial, error: Sequence[int], p: Parameters, moduli: Sequence[int]) -> Polynomial:
    """-(a s + e), values at the roots."""
    rows = zip(s, mask, (p.ring.values(error, q) for q in moduli), moduli, strict=True)
    return [[-(x * y + e) % q for x, y, e in zip(*row, strict=True)] for *row, q in rows]


def public_key(master: bytes, s: Sequence[int], key: bytes, p: Parameters) -> tuple[bytes, Polynomial]:
    """The seed of a, and the other half."""
    uniform, drawn = _halves(master, p, PUBLIC, key)
    errors = (_errors(drawn, 5, item, p) for item in range(1 << 10))
    error = [error_multiple(p) * e for e in next(e for e in errors if _error_is_fit(e, p))]
    mask = randomness.uniform(uniform, 4, 0, p.degree, p.key_moduli)
    return uniform, _body(values_at_roots(s, p, p.key_moduli), mask, error, p, p.key_moduli)


def switching_key(
    master: bytes, s: Sequence[int], key: bytes, p: Parameters, element: int = 0
) -> tuple[bytes, list[Polynomial]]:
    """A Galois key, or the relinearisation key (element 0): the seed of a_j, and the other halves."""
    moduli, at_roots = p.key_moduli, values_at_roots(s, p, p.key_moduli)
    target = [[x * x % q for x in row] for row, q in zip(at_roots, moduli, strict=True)]
    if element:
        target = values_at_roots(p.ring.automorphism(s, element), p, moduli)
    uniform, drawn = _halves(master, p, GALOIS if element else RELINEARIZATION, key, element)
    special, per_digit, bodies = math.prod(p.special_moduli), -(-len(p.moduli) // p.digits), []
    for j in range(p.digits):
        error = [error_multiple(p) * e for e in _errors(drawn, 5, j, p)]
        body = _body(at_roots, randomness.uniform(uniform, 4, j, p.degree, moduli), error, p, moduli)
        mine = p.moduli[j * per_digit : (j + 1) * per_digit]
        bodies.append([
            [(x + special * w) % q for x, w in zip(row, wanted, strict=True)] if q in mine else row
            for row, wanted, q in zip(body, target, moduli, strict=True)
        ])  # fmt: skip
    return uniform, bodies


def scaled(message: Sequence[int], p: Parameters, t: int) -> list[int]:
    """What a message of residues modulo t is in a ciphertext: rounded q m / t, or m itself, centred."""
    q = math.prod(p.moduli)
    centred = [(m + t // 2) % t - t // 2 for m in message]
    return centred if p.scheme == "bgv" else [(2 * q * m + t) // (2 * t) for m in message]


def symmetric_encryption(
    master: bytes, message: Sequence[int], s: Sequence[int], key: bytes, p: Parameters
) -> tuple[bytes, Polynomial]:
    """Under the secret key, of plaintext modulus 0: the seed of c1, and the coefficients of c0."""
    uniform, drawn = _halves(master, p, BY_SECRET_KEY, key)
    t = p.plain_moduli[0]
    error = [(t if p.scheme == "bgv" else 1) * e for e in _errors(drawn, 9, 0, p)]
    text, c0 = scaled(message, p, t), []
    for q, mask in zip(p.moduli, randomness.uniform(uniform, 8, 0, p.degree, p.moduli), strict=True):
        at_roots = mask if p.scheme == "bgv" else p.ring.values(mask, q)
        product = p.ring.coefficients([x * y % q for x, y in zip(at_roots, p.ring.values(s, q), strict=True)], q)
        c0.append([(m - e - x) % q for m, e, x in zip(text, error, product, strict=True)])
    return uniform, c0
