# SPDX-License-Identifier: Apache-2.0
"""Z_q[x]/Phi_m by its definition, in Python integers and python-flint.

Coefficients are those of the normal integral basis, zeta^j for the units j modulo m; here they are dictionaries by j.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import gcd

import flint


def units(m: int) -> list[int]:
    return [j for j in range(m) if gcd(j, m) == 1]


def prime_factors(m: int) -> list[int]:
    return [p for p in range(2, m + 1) if m % p == 0 and all(p % d for d in range(2, p))]


def polynomial(m: int) -> flint.fmpz_poly:
    """Phi_m, m squarefree: Phi_1 = x - 1, and Phi_(kp)(x) = Phi_k(x^p) / Phi_k(x)."""
    phi = flint.fmpz_poly([-1, 1])
    for p in prime_factors(m):
        spread = [0] * (p * phi.degree() + 1)
        spread[::p] = [int(c) for c in phi.coeffs()]
        phi = flint.fmpz_poly(spread) // phi
    return phi


def modulus(m: int, q: int) -> flint.nmod_poly:
    return flint.nmod_poly([int(c) % q for c in polynomial(m).coeffs()], q)


def reduced(values: Mapping[int, int], m: int, q: int) -> flint.nmod_poly:
    """The sum of values[j] x^j modulo Phi_m and q."""
    coefficients = [0] * m
    for j, value in values.items():
        coefficients[j % m] += int(value)
    return flint.nmod_poly([c % q for c in coefficients], q) % modulus(m, q)


def evaluate(values: Mapping[int, int], point: int, q: int) -> int:
    """The sum of values[j] point^j modulo q."""
    return sum(int(value) * pow(point, j, q) for j, value in values.items()) % q


def root(m: int, q: int) -> int:
    """h^((q-1)/m) for the least h >= 2 for which that has order m."""
    h = 2
    while any(pow(h, (q - 1) // p, q) == 1 for p in prime_factors(m)):
        h += 1
    return pow(h, (q - 1) // m, q)


def normal(values: Mapping[int, int], m: int) -> dict[int, int]:
    """The coefficients of zeta^j for the units j that equal the sum of values[j] zeta^j: along each prime p, what
    stands at j = 0 modulo p goes, negative, to all others, since 1 + zeta_p + ... + zeta_p^(p-1) = 0."""
    primes = prime_factors(m)
    spread = [0] * m
    for j, value in values.items():
        spread[j % m] += int(value)
    box = {tuple(j % p for p in primes): value for j, value in enumerate(spread)}
    for axis in range(len(primes)):
        zero = {key: value for key, value in box.items() if key[axis] == 0}
        box = {key: value - zero[(*key[:axis], 0, *key[axis + 1 :])] for key, value in box.items() if key[axis] != 0}
    return {j: box[tuple(j % p for p in primes)] for j in units(m)}
