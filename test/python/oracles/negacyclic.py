# SPDX-License-Identifier: Apache-2.0
"""Polynomials modulo x^n + 1 in Python integers and python-flint, and paper 001's inverse transform line by line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def schoolbook(a: Sequence[int], b: Sequence[int], q: int) -> list[int]:
    """a b in Z_q[x]/(x^n + 1), term by term."""
    n = len(a)
    product = [0] * (2 * n)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            product[i + j] += int(x) * int(y)
    return [(product[i] - product[i + n]) % q for i in range(n)]


def product(a: Sequence[int], b: Sequence[int], q: int) -> list[int]:
    """a b in Z_q[x]/(x^n + 1) by python-flint's polynomial product; signed coefficients allowed."""
    import flint

    n = len(a)
    coefficients = [
        int(c) for c in (flint.fmpz_poly([int(x) for x in a]) * flint.fmpz_poly([int(x) for x in b])).coeffs()
    ]
    coefficients += [0] * (2 * n - len(coefficients))
    return [(coefficients[i] - coefficients[i + n]) % q for i in range(n)]


def reverse_bits(value: int, bits: int) -> int:
    return int(f"{value:0{bits}b}"[::-1], 2)


def slot_exponents(n: int) -> list[int]:
    """2 br(k) + 1: slot k of a transform holds a(psi^(2 br(k) + 1))."""
    return [2 * reverse_bits(k, n.bit_length() - 1) + 1 for k in range(n)]


def evaluate(a: Sequence[int], point: int, q: int) -> int:
    """a(point) modulo q by Horner's rule."""
    value = 0
    for coefficient in reversed(a):
        value = (value * point + int(coefficient)) % q
    return value


def transform(a: Sequence[int], psi: int, q: int) -> list[int]:
    """The negacyclic transform by its definition, O(n^2)."""
    return [evaluate(a, pow(psi, exponent, q), q) for exponent in slot_exponents(len(a))]


def automorphism(a: Any, element: int, q: int) -> list[int]:
    """a(x^element) modulo x^n + 1."""
    n = len(a)
    result = [0] * n
    for i, coefficient in enumerate(a):
        exponent = i * element % (2 * n)
        result[exponent % n] = int(coefficient) % q if exponent < n else -int(coefficient) % q
    return result


def paper_inverse(transformed: Sequence[int], psi: int, q: int, *, advance: bool, scale: bool) -> list[int]:
    """Paper 001, Algorithm 2. As printed neither `advance` (j1 = j1 + 2t, erratum 001-2) nor `scale` (1/n, 001-3)."""
    a, n = [int(x) for x in transformed], len(transformed)
    inverse_powers = [pow(psi, -reverse_bits(k, n.bit_length() - 1), q) for k in range(n)]
    t, m = 1, n
    while m > 1:
        j1 = 0
        for i in range(m // 2):
            for j in range(j1, j1 + t):
                u, v = a[j], a[j + t]
                a[j], a[j + t] = (u + v) % q, (u - v) * inverse_powers[m // 2 + i] % q
            if advance:
                j1 += 2 * t
        t, m = 2 * t, m // 2
    factor = pow(n, -1, q) if scale else 1
    return [x * factor % q for x in a]
