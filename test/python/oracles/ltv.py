# SPDX-License-Identifier: Apache-2.0
"""What LTV's tests compare with: python-flint, Python's integers and NumPy's transform."""

from __future__ import annotations

import math

import flint
import numpy as np

from oracles.cyclotomic import prime_factors, units

#: The field that carries products.
P = 2**64 - 2**32 + 1


def integers(count: int, bound: int, rng: np.random.Generator) -> list[int]:
    return [int.from_bytes(rng.bytes(bound.bit_length() // 8 + 9), "little") % bound for _ in range(count)]


def padded(values: list[int], length: int) -> list[int]:
    return values + [0] * (length - len(values))


def product(a: list[int], b: list[int], phi: list[int], q: int) -> list[int]:
    """a b modulo phi and q, by FLINT."""
    ring = flint.fmpz_mod_poly_ctx(flint.fmpz_mod_ctx(q))
    return padded([int(c) for c in (ring(a) * ring(b) % ring(phi)).coeffs()], len(phi) - 1)


def remainder(f: list[int], phi: list[int], p: int) -> list[int]:
    return padded([int(c) for c in (flint.nmod_poly(f, p) % flint.nmod_poly(phi, p)).coeffs()], len(phi) - 1)


def cyclotomic(m: int) -> list[int]:
    """Phi_m by FLINT's division: x^m - 1 over what belongs to smaller divisors."""
    phi = flint.fmpz_poly([-1] + [0] * (m - 1) + [1])
    for d in range(1, m):
        if m % d == 0:
            phi //= flint.fmpz_poly(cyclotomic(d))
    return [int(c) for c in phi.coeffs()]


def mean_square(a: list[float], m: int) -> float:
    """Mean of |a(zeta^u)|^2 over the units u, by a transform of length m."""
    values = np.fft.fft(np.array(padded(list(a), m), dtype=float))
    units = [u for u in range(m) if math.gcd(u, m) == 1]
    return float(np.mean(np.abs(values[units]) ** 2))


def bounded_squarings(primes: int, m: int, prime_bits: int, window: int, strict: bool = True) -> int:
    """Squarings in a row that a bound for every program would carry with a set of LTV: root mean square and largest
    value at a root, by the calculus of doc/noise.md over Phi_m, where the scheme has estimates. Not strict: digits and
    remainders count as uniform ones, and only what is encrypted is chosen."""
    factors = len(prime_factors(m))
    n = len(units(m))
    gram, dual, tail = m / n, n * 2**factors / m, 168 * math.log(2)
    peak = tail + math.log(n / 2) + 1
    for _ in range(64):
        peak = tail + math.log(n / 2) + 1 + math.log(peak)
    root, peak = math.sqrt(n), math.sqrt(peak)  # B of the page
    mean = math.sqrt(gram * (1 + 2 * math.sqrt(tail / n) + 2 * tail / n))

    def product(a: tuple[float, float], b: tuple[float, float]) -> tuple[float, float]:
        return root * min(a[0] * b[1], a[1] * b[0]), root * a[1] * b[1]

    def total(*terms: tuple[tuple[float, float], float]) -> tuple[float, float]:
        return sum(x[0] * c for x, c in terms), sum(x[1] * c for x, c in terms)

    ternary = mean * math.sqrt(2 / 3), peak * math.sqrt(2 / 3)
    secret = total((ternary, 2), ((1 / root, 1 / root), 1))  # f = 2 f' + 1
    chosen = math.sqrt(gram), root  # coefficients up to 1
    fresh = total((product(ternary, ternary), 2), (product(secret, total((ternary, 2), (chosen, 1))), 1))
    key = total((product(ternary, ternary), 2), (product(secret, ternary), 2))
    spread = mean / math.sqrt(3), peak / math.sqrt(12) + 0.5 / root
    digit = total((chosen if strict else spread, 2.0**window))
    remainder = product(secret, chosen if strict else (math.sqrt(gram), peak / math.sqrt(3)))
    phase, squarings = fresh, 0
    for level in range(1, primes):
        left = primes - level + 1
        squared = total((product(phase, phase), 1), (product(digit, key), math.ceil(left * prime_bits / window)))
        phase = total((squared, 2.0**-prime_bits), (remainder, 1))
        if math.sqrt(dual * n) * phase[0] >= 2.0 ** ((left - 1) * prime_bits - 1):
            break
        squarings = level
    return squarings
