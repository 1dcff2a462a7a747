# SPDX-License-Identifier: Apache-2.0
"""What LTV's tests compare with: python-flint, Python's integers and NumPy's transform."""

from __future__ import annotations

import math

import flint
import numpy as np

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
