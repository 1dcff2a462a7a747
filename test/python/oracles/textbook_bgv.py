# SPDX-License-Identifier: Apache-2.0
"""Textbook BGV over Z_q[x]/(x^n + 1) in Python integers: no residues, no transforms.

Brakerski, Gentry and Vaikuntanathan's scheme with the message in the low digits: phase = factor m + t e. Polynomials
are rows of n Python integers (dtype object), ciphertexts are lists of such rows, q and t are any coprime integers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .integers import Integers, centred
from .textbook_bfv import negacyclic_product


@dataclass(frozen=True)
class TextbookBgv:
    n: int
    q: int
    t: int

    def encrypt(self, m: Any, s: Any, a: Any, e: Any) -> list[Integers]:
        """(m + t e - a s, a)."""
        body = np.asarray(m, dtype=object) + self.t * np.asarray(e, dtype=object)
        return [(body - negacyclic_product(a, s)) % self.q, np.asarray(a, dtype=object) % self.q]

    def phase(self, ciphertext: Sequence[Any], s: Any) -> Integers:
        """[c_0 + c_1 s + c_2 s^2 + ...]_q, centred."""
        total = np.zeros(self.n, dtype=object)
        for part in reversed(ciphertext):
            total = (negacyclic_product(total, s) + part) % self.q
        return centred(total, self.q)

    def decrypt(self, ciphertext: Sequence[Any], s: Any, factor: int = 1) -> Integers:
        """phase / factor modulo t."""
        return self.phase(ciphertext, s) * pow(factor, -1, self.t) % self.t

    def noise_budget(self, ciphertext: Sequence[Any], s: Any) -> int:
        """SEAL's definition: bits of q less bits of the largest coefficient of the phase less 1, at least 0."""
        largest = max(abs(int(x)) for x in self.phase(ciphertext, s))
        return max(0, self.q.bit_length() - largest.bit_length() - 1)

    def multiply(self, a: Sequence[Any], b: Sequence[Any]) -> list[Integers]:
        """The tensor product modulo q, with one part more."""
        tensor = [np.zeros(self.n, dtype=object) for _ in range(len(a) + len(b) - 1)]
        for i, left in enumerate(a):
            for j, right in enumerate(b):
                tensor[i + j] = (tensor[i + j] + negacyclic_product(left, right)) % self.q
        return tensor

    def multiple(self, part: Any, prime: int) -> Integers:
        """The delta of modulus switching: the smallest multiple of t that equals `part` modulo `prime`."""
        return self.t * centred(np.asarray(part, dtype=object) * pow(self.t, -1, prime), prime)

    def switch_modulus(self, ciphertext: Sequence[Any], prime: int) -> list[Integers]:
        """(c - delta) / prime modulo q / prime."""
        assert self.q % prime == 0 and math.gcd(prime, self.t) == 1
        return [(part - self.multiple(part, prime)) // prime % (self.q // prime) for part in ciphertext]
