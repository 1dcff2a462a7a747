# SPDX-License-Identifier: Apache-2.0
"""Lines through the values, and polynomials along them (doc/integrity.md, "Why it holds").

The values x modulo T lie on lines x + z u. Along one, a function of degree D in x is a polynomial of degree D in z,
which its values at z = 0, ..., D fix everywhere. At a secret z = alpha the line passes through numbers r that whoever
checks draws again, so that it knows what the polynomial has to be there.
"""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import ArgumentError
from ..numbers.values import IntArray

__all__ = ["Lines", "drawn", "lines_for", "objects", "require_primes"]

#: More copies than this are more than a check is worth.
_MOST_COPIES = 1025
#: Which no composite number below 2^64 passes (Sorenson and Webster, 2017).
_WITNESSES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)
#: Beyond a modulus' own, so that what is drawn modulo it is off by less than 2^-128.
_SPARE_BYTES = 16


def require_primes(moduli: tuple[int, ...], what: str) -> None:
    """Plaintext moduli that are prime, as differences have to be units.

    Raises:
        ArgumentError: one is composite.
    """
    for modulus in moduli:
        if not _is_prime(modulus):
            raise ArgumentError(
                f"{what}: the plaintext modulus {modulus} is no prime, and modulo its factors a wrong result is found "
                "out too rarely; take parameters with slots, as Parameters.suggest finds them"
            )


def _is_prime(number: int) -> bool:
    if number < 2 or any(number % prime == 0 for prime in _WITNESSES):
        return number in _WITNESSES
    odd = number - 1
    twos = (odd & -odd).bit_length() - 1
    odd >>= twos
    for witness in _WITNESSES:
        power = pow(witness, odd, number)
        if power not in (1, number - 1) and all(
            (power := power * power % number) != number - 1 for _ in range(twos - 1)
        ):
            return False
    return True


def lines_for(smallest: int, degree: int, bits: int, failures: int) -> int:
    """The fewest lines with which a wrong result passes with probability 2^-bits at most, the smallest prime being
    ``smallest``: ((failures + 1) degree / (smallest - 1))^lines.

    Raises:
        ArgumentError: no number of them does, or far too many.
    """
    guesses = (failures + 1) * degree
    most = (_MOST_COPIES - 1) // degree
    # A guess is right at all but few numbers if it is: then lines gain less than a bit each.
    if 2 * guesses <= smallest - 1:
        for lines in range(1, most + 1):
            if (smallest - 1) ** lines >= guesses**lines << bits:
                return lines
    raise ArgumentError(
        f"integrity: modulo {smallest} no {most} lines make a wrong result of degree {degree} pass with 2^-{bits} only"
        f"{f' after {failures} refusals' if failures else ''}; take larger plaintext moduli"
    )


def objects(values: IntArray) -> IntArray:
    """The same as Python integers, which never wrap around."""
    exact: IntArray = values.astype(object)
    return exact


def drawn(seed: bytes, purpose: bytes, shape: tuple[int, ...], modulus: int) -> IntArray:
    """Numbers modulo ``modulus``, as good as uniform: of SHAKE256 keyed by a prefix of fixed length."""
    width = (modulus.bit_length() + 7) // 8 + _SPARE_BYTES
    count = math.prod(shape)
    stream = hashlib.shake_256(b"cyclotome integrity 1" + seed + len(purpose).to_bytes(8, "little") + purpose)
    data = stream.digest(width * count)
    numbers = np.empty(count, dtype=object)
    numbers[:] = [int.from_bytes(data[at : at + width], "little") % modulus for at in range(0, width * count, width)]
    return numbers.reshape(shape)


@dataclass(frozen=True, repr=False)
class Lines:
    """So many lines, and a function's degree along them. Values are Python integers modulo T, the product of the
    primes ``moduli``."""

    seed: bytes
    moduli: tuple[int, ...]
    degree: int
    count: int

    @property
    def modulus(self) -> int:
        """T."""
        return math.prod(self.moduli)

    @property
    def copies(self) -> int:
        """Points in all: the values themselves, which are on every line, and ``degree`` others of each."""
        return 1 + self.count * self.degree

    def alpha(self, line: int) -> int:
        """Where a line passes through the numbers that are known: uniform modulo each prime, and never 0."""
        found = 0
        for prime in self.moduli:
            purpose = b"alpha" + line.to_bytes(4, "little") + prime.to_bytes(8, "little")
            part = 1 + int(drawn(self.seed, purpose, (), prime - 1)[()])
            rest = self.modulus // prime
            found += part * rest * pow(rest, -1, prime)
        return found % self.modulus

    def known(self, line: int, nonce: bytes, shape: tuple[int, ...]) -> IntArray:
        """The numbers that a line passes through at alpha."""
        return drawn(self.seed, b"known" + line.to_bytes(4, "little") + nonce, shape, self.modulus)

    def points(self, values: IntArray, nonce: bytes) -> IntArray:
        """What is encrypted: the values, and of each line the points at z = 1, ..., degree; along a new first axis."""
        whole = objects(values) % self.modulus
        every = [whole]
        for line in range(self.count):
            turn = pow(self.alpha(line), -1, self.modulus)
            slope = (self.known(line, nonce, values.shape) - whole) * turn % self.modulus
            every += [(whole + z * slope) % self.modulus for z in range(1, self.degree + 1)]
        return np.stack(every)

    def at_alpha(self, results: IntArray, line: int) -> IntArray:
        """A result's polynomial along a line, at its alpha: by Lagrange's formula from its values at 0, ..., degree."""
        first = 1 + line * self.degree
        every = [results[0], *results[first : first + self.degree]]
        total: Any = 0
        for value, weight in zip(every, self._weights(self.alpha(line)), strict=True):
            total = total + value * weight
        sums: IntArray = np.asarray(total % self.modulus, dtype=object)
        return sums

    def _weights(self, alpha: int) -> list[int]:
        nodes = range(self.degree + 1)
        weights = []
        for node in nodes:
            others = [other for other in nodes if other != node]
            above = math.prod((alpha - other) % self.modulus for other in others)
            below = math.prod((node - other) % self.modulus for other in others)
            weights.append(above * pow(below, -1, self.modulus) % self.modulus)
        return weights
