# SPDX-License-Identifier: Apache-2.0
"""Do keys hide what they should: the error of every half of a public or evaluation key, by the secret."""

from __future__ import annotations

import math
from collections.abc import Sequence

from cyclotome_reader.decryption import phase, values_at_roots
from cyclotome_reader.files import File, Parameters, Polynomial, key_pairs, require

#: The largest number that the centred binomial law with 21 pairs draws.
LARGEST_ERROR = 21


def error_multiple(p: Parameters) -> int:
    """What errors of keys are multiples of."""
    return p.plain_moduli[0] if p.scheme == "bgv" and len(p.plain_moduli) == 1 else 1


def secret_is_fit(secret: Sequence[int], p: Parameters) -> bool:
    """The check of secret keys (doc/noise.md): at most 0.7 n^2 in the square of all values, and none too large."""
    n = p.degree
    squares = [abs(v) ** 2 for v in p.ring.complex_values([float(c) for c in secret])]
    return max(squares) <= n * 2 / 3 * (math.log(n / 2) + 3) and math.fsum(squares) <= 0.7 * n * n * (1 + 1e-12)


def _require_small(error: Sequence[int], p: Parameters, draws: int, what: str) -> int:
    factor = error_multiple(p)
    require(all(e % factor == 0 for e in error), f"{what}: its error is no multiple of {factor}")
    largest = max(map(abs, error)) // factor
    require(any(error), f"{what}: it has no error, so that it gives its secret away")
    require(largest <= LARGEST_ERROR * p.ring.growth * draws, f"{what}: its error is {largest}")
    return largest


def public_key(file: File, secret: Sequence[int]) -> dict[str, int]:
    """The largest error of a public key; ReadError if it is too large, or none."""
    p = file.parameters
    moduli = p.key_moduli
    pair = key_pairs(file.section("PKEY"), 1, p)[0]
    error = phase(pair, values_at_roots(secret, p, moduli), p, moduli)
    return {"public key": _require_small(error, p, p.parties, "public key")}


def _switching(data: bytes, target: Polynomial, secret: Polynomial, p: Parameters, draws: int, what: str) -> int:
    moduli, special, per_digit = p.key_moduli, math.prod(p.special_moduli), -(-len(p.moduli) // p.digits)
    largest = 0
    for j, (body, mask) in enumerate(key_pairs(data, p.digits, p)):
        mine = p.moduli[j * per_digit : (j + 1) * per_digit]
        rest = [
            [(x - special * w) % q for x, w in zip(limb, row, strict=True)] if q in mine else limb
            for limb, row, q in zip(body, target, moduli, strict=True)
        ]
        largest = max(largest, _require_small(phase([rest, mask], secret, p, moduli), p, draws, f"{what}, digit {j}"))
    return largest


def evaluation_keys(file: File, secret: Sequence[int]) -> dict[str, int]:
    """The largest error of each key that is there; ReadError if one hides something else."""
    p, found = file.parameters, {}
    at_roots = values_at_roots(secret, p, p.key_moduli)
    for tag, data in file.sections:
        if tag == "RLIN":
            target = [[s * s % q for s in row] for row, q in zip(at_roots, p.key_moduli, strict=True)]
            # A joint key's error is a sum of products of secrets and errors, and of three draws of each party.
            draws = 2 * p.degree * p.parties**2 + 3 * p.parties if p.parties > 1 else 1
            found["relinearisation"] = _switching(data, target, at_roots, p, draws, "relinearisation key")
        elif tag == "GALO":
            element = int.from_bytes(data[:8], "little")
            require(math.gcd(element, p.index or 2 * p.degree) == 1, f"{element} is no Galois element")
            turned = values_at_roots(p.ring.automorphism(secret, element), p, p.key_moduli)
            name = f"Galois key {element}"
            found[name] = _switching(data[8:], turned, at_roots, p, p.parties, name)
    return found


def rekeying_key(file: File, secret: Sequence[int], former: Sequence[int]) -> dict[str, int]:
    """The error of a key from `former` to `secret`."""
    p = file.parameters
    target, at_roots = (values_at_roots(s, p, p.key_moduli) for s in (former, secret))
    return {"rekeying": _switching(file.section("REKY")[16:], target, at_roots, p, 1, "rekeying key")}
