# SPDX-License-Identifier: Apache-2.0
"""The rings Z[x]/(x^n + 1) and Z[x]/Φ_m in Python's numbers: values at the roots of unity, modulo a prime or complex.

Coefficients and values stand in the order of files (doc/wire-format.md, Residues): of x^n + 1 powers of x, and values
at bit-reversed roots; of Φ_m both by places.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Sequence
from functools import cache, cached_property
from operator import mul
from typing import Any, Protocol


class Ring(Protocol):
    """Polynomials of `degree` coefficients."""

    degree: int
    #: By how much a product with a power of the root can make coefficients larger: 1, and 2^k of k primes.
    growth: int

    def values(self, a: Sequence[int], q: int) -> list[int]:
        """At the roots modulo a prime q that has them."""
        ...

    def coefficients(self, values: Sequence[int], q: int) -> list[int]:
        """The inverse of `values`."""
        ...

    def complex_values(self, a: Sequence[float]) -> list[complex]:
        """At the complex roots, in any order."""
        ...

    def drawn(self, error: Sequence[int]) -> list[int]:
        """An error polynomial of the numbers that are drawn for it."""
        ...

    def automorphism(self, a: Sequence[int], element: int) -> list[int]:
        """a(x^element)."""
        ...


def prime_factors(n: int) -> list[int]:
    """Ascending, each once."""
    found, p = [], 2
    while p * p <= n:
        if n % p == 0:
            found.append(p)
            while n % p == 0:
                n //= p
        p += 1
    return found + [n] * (n > 1)


def is_prime(n: int) -> bool:
    """Miller and Rabin with bases that decide every n below 2^64."""
    bases = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)
    if n < 2 or any(n % p == 0 for p in bases):
        return n in bases
    twos = ((n - 1) & (1 - n)).bit_length() - 1
    chains = ([pow(b, (n - 1) >> k, n) for k in range(twos + 1)] for b in bases)
    return all(n - 1 in chain[1:] or chain[-1] == 1 for chain in chains)


@cache
def root_of_order(order: int, q: int) -> int:
    """h^((q - 1)/order) modulo a prime q, for the least h >= 2 for which that has this order."""
    primes = prime_factors(order)
    powers = (pow(h, (q - 1) // order, q) for h in range(2, q))
    return next(x for x in powers if all(pow(x, order // p, q) != 1 for p in primes))


def bit_reversed(i: int, bits: int) -> int:
    """The lowest bits of i in the other order."""
    return int(f"{i:0{bits}b}"[::-1], 2) if bits else 0


class Negacyclic:
    """x^n + 1, n a power of two."""

    growth = 1

    def __init__(self, degree: int) -> None:
        self.degree, self._bits = degree, degree.bit_length() - 1

    @cache  # noqa: B019 - rings live as long as the program
    def _roots(self, q: int) -> list[int]:
        """psi^br(i), psi the least root of order 2n."""
        some = root_of_order(2 * self.degree, q)
        square, power, least = some * some % q, some, some
        for _ in range(self.degree):
            least, power = min(least, power), power * square % q
        powers = [1]
        for _ in range(self.degree - 1):
            powers.append(powers[-1] * least % q)
        return [powers[bit_reversed(i, self._bits)] for i in range(self.degree)]

    def values(self, a: Sequence[int], q: int) -> list[int]:
        roots, x, half, blocks = self._roots(q), [c % q for c in a], self.degree // 2, 1
        while half:
            for i in range(blocks):
                root, at = roots[blocks + i], 2 * i * half
                low, high = x[at : at + half], [c * root % q for c in x[at + half : at + 2 * half]]
                x[at : at + half] = [(u + v) % q for u, v in zip(low, high, strict=True)]
                x[at + half : at + 2 * half] = [(u - v) % q for u, v in zip(low, high, strict=True)]
            half, blocks = half // 2, 2 * blocks
        return x

    def coefficients(self, values: Sequence[int], q: int) -> list[int]:
        roots, x, half, blocks = self._roots(q), list(values), 1, self.degree // 2
        while blocks:
            for i in range(blocks):
                root, at = pow(roots[blocks + i], -1, q), 2 * i * half
                low, high = x[at : at + half], x[at + half : at + 2 * half]
                x[at : at + half] = [(u + v) % q for u, v in zip(low, high, strict=True)]
                x[at + half : at + 2 * half] = [(u - v) * root % q for u, v in zip(low, high, strict=True)]
            half, blocks = 2 * half, blocks // 2
        scale = pow(self.degree, -1, q)
        return [c * scale % q for c in x]

    def complex_values(self, a: Sequence[float]) -> list[complex]:
        def fourier(x: list[complex]) -> list[complex]:
            n = len(x)
            if n == 1:
                return x
            even, odd = fourier(x[::2]), fourier(x[1::2])
            odd = [cmath.rect(1, -2 * math.pi * i / n) * c for i, c in enumerate(odd)]
            pairs = list(zip(even, odd, strict=True))
            return [u + v for u, v in pairs] + [u - v for u, v in pairs]

        return fourier([c * cmath.rect(1, -math.pi * i / self.degree) for i, c in enumerate(a)])

    def drawn(self, error: Sequence[int]) -> list[int]:
        return list(error)

    def automorphism(self, a: Sequence[int], element: int) -> list[int]:
        result = [0] * self.degree
        for i, c in enumerate(a):
            at = i * element % (2 * self.degree)
            result[at % self.degree] = c if at < self.degree else -c
        return result


class Cyclotomic:
    """Φ_m, m odd and squarefree, in the basis of all ζ^j, j a unit."""

    def __init__(self, index: int) -> None:
        self.index, self.primes = index, prime_factors(index)
        self.lengths = [p - 1 for p in self.primes]
        self.degree, self.growth = math.prod(self.lengths), 2 ** len(self.primes)
        self.generators = [self._primitive_root(p) for p in self.primes]
        self._idempotents = [index // p * pow(index // p, -1, p) for p in self.primes]

    @staticmethod
    def _primitive_root(p: int) -> int:
        factors = prime_factors(p - 1)
        return next(g for g in range(1, p) if all(pow(g, (p - 1) // f, p) != 1 for f in factors) or p == 2)

    def unit(self, exponents: Sequence[int]) -> int:
        """The unit u = g_i^e_i modulo every p_i."""
        parts = zip(self.generators, exponents, self.primes, self._idempotents, strict=True)
        return sum(pow(g, e, p) * one for g, e, p, one in parts) % self.index

    @cached_property
    def units(self) -> list[int]:
        """The unit of each place."""
        return [self.unit(self._exponents(i)) for i in self._order]

    def _exponents(self, row_major: int) -> list[int]:
        found = []
        for length in reversed(self.lengths):
            row_major, e = divmod(row_major, length)
            found.append(e)
        return found[::-1]

    @cached_property
    def _order(self) -> list[int]:
        """The row-major number of each place: they are the same without 257, whose exponent goes in two parts."""
        if 257 not in self.primes:
            return list(range(self.degree))
        axis, others = self.primes.index(257), self.degree // 256
        order = [0] * self.degree
        for i in range(self.degree):
            exponents, rest = self._exponents(i), 0
            for k, e in enumerate(exponents):
                rest = rest if k == axis else rest * self.lengths[k] + e
            high, low = divmod(exponents[axis], 16)
            order[low + 16 * rest + 16 * others * high] = i
        return order

    def _along(self, x: list[Any], axis: int, kernel: Sequence[Any], q: int) -> list[Any]:
        """Cyclic convolution with a kernel along one axis."""
        length, stride = self.lengths[axis], math.prod(self.lengths[axis + 1 :])
        turned = [kernel[-i % length] for i in range(2 * length)]
        result = x.copy()
        for block in range(0, self.degree, length * stride):
            for at in range(block, block + stride):
                row = x[at : at + length * stride : stride]
                sums = [sum(map(mul, row, turned[length - f : 2 * length - f])) for f in range(length)]
                result[at : at + length * stride : stride] = [c % q for c in sums] if q else sums
        return result

    def _apply(self, a: Sequence[Any], kernels: list[list[Any]], q: int) -> list[Any]:
        x: list[Any] = [0] * self.degree
        for place, i in enumerate(self._order):
            x[i] = a[place]
        for axis, kernel in enumerate(kernels):
            x = self._along(x, axis, kernel, q)
        return [x[i] for i in self._order]

    def values(self, a: Sequence[int], q: int) -> list[int]:
        zeta = root_of_order(self.index, q)
        roots = [pow(zeta, one, q) for one in self._idempotents]
        parts = zip(roots, self.primes, self.generators, strict=True)
        kernels = [[pow(w, pow(g, d, p), q) for d in range(p - 1)] for w, p, g in parts]
        return self._apply(a, kernels, q)

    def coefficients(self, values: Sequence[int], q: int) -> list[int]:
        zeta = root_of_order(self.index, q)
        roots = [pow(zeta, one, q) for one in self._idempotents]
        parts = zip(roots, self.primes, self.generators, strict=True)
        # Coefficient j is the sum of v_u (ζ^-ju - 1) / p; the exponents of j and u have opposite signs.
        kernels = [[(pow(w, -pow(g, -d, p), q) - 1) * pow(p, -1, q) for d in range(p - 1)] for w, p, g in parts]
        return self._apply(values, kernels, q)

    def complex_values(self, a: Sequence[float]) -> list[complex]:
        parts = zip(self._idempotents, self.primes, self.generators, strict=True)
        kernels = [
            [cmath.rect(1, 2 * math.pi * (one * pow(g, d, p) % self.index) / self.index) for d in range(p - 1)]
            for one, p, g in parts
        ]
        return self._apply(a, kernels, 0)

    def reduced(self, powers: Sequence[int]) -> list[int]:
        """The coefficients of Σ powers[i] ζ^i, m numbers: along each prime what stands at 0 goes, negative, to all."""
        by_residues = {tuple(i % p for p in self.primes): c for i, c in enumerate(powers)}
        for axis in range(len(self.primes)):
            zero = {k: c for k, c in by_residues.items() if k[axis] == 0}
            kept = {k: c for k, c in by_residues.items() if k[axis] != 0}
            by_residues = {k: c - zero[tuple(0 if i == axis else r for i, r in enumerate(k))] for k, c in kept.items()}
        where = (pow(u, -1, self.index) for u in self.units)
        return [by_residues[tuple(j % p for p in self.primes)] for j in where]

    def drawn(self, error: Sequence[int]) -> list[int]:
        return self.reduced(error)

    def automorphism(self, a: Sequence[int], element: int) -> list[int]:
        by_power = {pow(u, -1, self.index) * element % self.index: c for u, c in zip(self.units, a, strict=True)}
        return [by_power[pow(u, -1, self.index)] for u in self.units]


@cache
def ring(degree: int, index: int) -> Ring:
    """Φ_index, or x^degree + 1 where the index is 0."""
    return Cyclotomic(index) if index else Negacyclic(degree)
