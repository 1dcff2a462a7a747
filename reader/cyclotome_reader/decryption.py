# SPDX-License-Identifier: Apache-2.0
"""Textbook decryption in Python's integers, and the exact noise beside the bounds that a file states."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from cyclotome_reader.files import Ciphertexts, Parameters, Polynomial, require

#: What sums of doubles may be off by, in bits.
TOLERANCE = 1e-9
NORMS = ("largest coefficient", "root mean square", "canonical norm")


@dataclass(frozen=True)
class Opened:
    """A ciphertext with its secret: the message in [0, t), and log2 of the three norms of its exact error."""

    message: list[int]
    noise: tuple[float, float, float]
    headroom: float


def compose(limbs: Polynomial, moduli: Sequence[int]) -> list[int]:
    """The integers of least magnitude, in [-q/2, q/2), that have these residues."""
    q = math.prod(moduli)
    factors = [q // m * pow(q // m, -1, m) for m in moduli]
    half = q // 2
    return [(sum(map(int.__mul__, column, factors)) + half) % q - half for column in zip(*limbs, strict=True)]


def values_at_roots(secret: Sequence[int], p: Parameters, moduli: Sequence[int]) -> Polynomial:
    """Of the secret, in every limb."""
    return [p.ring.values(secret, q) for q in moduli]


def phase(parts: Sequence[Polynomial], secret: Polynomial, p: Parameters, moduli: Sequence[int]) -> list[int]:
    """c0 + c1 s + c2 s^2, centred; parts and secret are values at the roots."""
    limbs = []
    for limb, q in enumerate(moduli):
        total = [0] * p.degree
        for part in reversed(parts):
            total = [(x * s + c) % q for x, s, c in zip(total, secret[limb], part[limb], strict=True)]
        limbs.append(p.ring.coefficients(total, q))
    return compose(limbs, moduli)


def norms(error: Sequence[int], p: Parameters, divisor: int = 1) -> tuple[float, float, float]:
    """log2 of max |e_i|, of the root of sum |e(z)|^2 / n^2 over the roots z, and of max |e(z)| / sqrt(n)."""
    largest = max(max(map(abs, error)), 1)
    values = [abs(v) for v in p.ring.complex_values([c / largest for c in error])]
    scale, n = math.log2(largest) - math.log2(divisor), p.degree

    def log2(x: float) -> float:
        return scale + math.log2(x) if x > 0 else -math.inf

    size = scale if any(error) else -math.inf
    return size, log2(math.sqrt(math.fsum(v * v for v in values)) / n), log2(max(values) / math.sqrt(n))


def limit(p: Parameters, c: Ciphertexts) -> float:
    """log2 of the largest error that decryption corrects, and of 15/16 of it."""
    q, t = math.prod(p.moduli[: c.level]), p.plain_moduli[c.plain]
    return math.log2(q) - 1 + math.log2(15 / 16) - (0 if p.scheme == "bgv" else math.log2(t))


def opened(whole: Sequence[int], c: Ciphertexts, p: Parameters) -> Opened:
    """The message and the error of a centred phase."""
    q, t = math.prod(p.moduli[: c.level]), p.plain_moduli[c.plain]
    if p.scheme == "bgv":
        inverse = pow(c.correction, -1, t)
        message, noise = [x * inverse % t for x in whole], norms(whole, p)
    else:
        rounded = [(2 * x * t + q) // (2 * q) for x in whole]
        message = [x % t for x in rounded]
        noise = norms([x * t - q * r for x, r in zip(whole, rounded, strict=True)], p, t)
    return Opened(message, noise, limit(p, c) - noise[0])


def decrypted(c: Ciphertexts, secret: Sequence[int], p: Parameters) -> list[Opened]:
    """Every ciphertext of a section, by the secret's coefficients."""
    moduli = p.moduli[: c.level]
    at_roots, found = values_at_roots(secret, p, moduli), []
    for parts in c.polynomials:
        if p.scheme == "bfv":  # which stores coefficients
            parts = [[p.ring.values(limb, q) for limb, q in zip(part, moduli, strict=True)] for part in parts]
        found.append(opened(phase(parts, at_roots, p, moduli), c, p))
    return found


def jointly_decrypted(c: Ciphertexts, shares: Sequence[Sequence[Polynomial]], p: Parameters) -> list[Opened]:
    """By the decryption shares of all who decrypt, [party][item]: c0 plus their sum is the phase, flooded."""
    moduli, found = p.moduli[: c.level], []
    for item, parts in enumerate(c.polynomials):
        total = parts[0]
        if p.scheme == "bgv":
            total = [p.ring.coefficients(limb, q) for limb, q in zip(total, moduli, strict=True)]
        for share in shares:
            rows = zip(total, share[item], moduli, strict=True)
            total = [[(x + y) % q for x, y in zip(a, b, strict=True)] for a, b, q in rows]
        found.append(opened(compose(total, moduli), c, p))
    return found


def contradictions(c: Ciphertexts, items: Sequence[Opened], p: Parameters, *, flooded: bool = False) -> list[str]:
    """What the file states and the secret disproves, if anything. Flooded phases have more noise than is stated."""
    found, stated = contradicting(c.noise, p), limit(p, c) - c.noise[0]
    if stated < 0:
        found.append(f"states {-stated:.1f} bits more noise than can be decrypted")
    for i, item in enumerate(items):
        for name, bound, measured in zip(NORMS, c.noise, item.noise, strict=True):
            if measured > bound + TOLERANCE and not flooded:
                found.append(f"ciphertext {i}: {name} of the noise is 2^{measured:.3f}, stated is 2^{bound:.3f}")
        if item.headroom < -TOLERANCE:
            found.append(f"ciphertext {i}: noise beyond 15/16 of what decryption corrects")
    return found


def contradicting(noise: Sequence[float], p: Parameters) -> list[str]:
    """The inequalities between the three norms, over x^n + 1 and Φ_m."""
    require(all(math.isfinite(x) and abs(x) <= 1e9 for x in noise), "a noise bound is no number within 10^9")
    largest, mean, canonical = noise
    dual = 1.0
    if p.index:  # d/n, the square length of a dual vector
        dual = p.ring.growth / p.index * p.degree
    fits = [
        mean <= largest + TOLERANCE + (math.log2(p.index / p.degree) / 2 if p.index else 0),
        mean <= canonical + TOLERANCE,
        canonical <= mean + (math.log2(p.degree) - 1) / 2 + TOLERANCE,
        largest <= mean + math.log2(p.degree * dual) / 2 + TOLERANCE,
    ]
    return [] if all(fits) else ["the three noise bounds contradict each other"]
