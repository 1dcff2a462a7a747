# SPDX-License-Identifier: Apache-2.0
"""Textbook BFV over Z_q[x]/(x^n + 1) in Python integers: no residues, no transforms, no fast conversions.

Fan and Vercauteren's scheme with round(q m / t) for floor(q / t) m. Polynomials are rows of n Python integers
(dtype object), ciphertexts are lists of such rows, q and t are any integers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import flint
import numpy as np

from .integers import Integers, centred, round_half_up


def negacyclic_product(a: Any, b: Any) -> Integers:
    """a b modulo x^n + 1 over the integers."""
    n = len(a)
    product = flint.fmpz_poly([int(x) for x in a]) * flint.fmpz_poly([int(x) for x in b])
    coefficients = np.zeros(2 * n, dtype=object)
    coefficients[: product.degree() + 1] = [int(c) for c in product.coeffs()]
    return coefficients[:n] - coefficients[n:]


@dataclass(frozen=True)
class TextbookBfv:
    n: int
    q: int
    t: int

    def scaled_message(self, m: Any) -> Integers:
        """round(q m / t), halves up."""
        return round_half_up(self.q * np.asarray(m, dtype=object), self.t)

    def encrypt(self, m: Any, s: Any, a: Any, e: Any) -> list[Integers]:
        """(round(q m / t) - (a s + e), a)."""
        return [(self.scaled_message(m) - negacyclic_product(a, s) - e) % self.q, a % self.q]

    def phase(self, ciphertext: Sequence[Any], s: Any) -> Integers:
        """[c_0 + c_1 s + c_2 s^2 + ...]_q, centred."""
        total = np.zeros(self.n, dtype=object)
        for part in reversed(ciphertext):
            total = (negacyclic_product(total, s) + part) % self.q
        return centred(total, self.q)

    def scaled_noise(self, ciphertext: Sequence[Any], s: Any) -> Integers:
        """[t phase]_q, centred: q times the invariant noise, t times the absolute one."""
        return centred(self.t * self.phase(ciphertext, s), self.q)

    def decrypt(self, ciphertext: Sequence[Any], s: Any) -> Integers:
        """round(t phase / q) modulo t."""
        return round_half_up(self.t * self.phase(ciphertext, s), self.q) % self.t

    def noise_budget(self, ciphertext: Sequence[Any], s: Any) -> int:
        """SEAL's definition: -log2(2 |w|) for the invariant noise w, in whole bits, at least 0."""
        largest = max(abs(int(x)) for x in self.scaled_noise(ciphertext, s))
        return max(0, self.q.bit_length() - largest.bit_length() - 1)

    def multiply(self, a: Sequence[Any], b: Sequence[Any]) -> list[Integers]:
        """round(t c c' / q) of the centred representatives, with one part more, modulo q."""
        x, y = [centred(part, self.q) for part in a], [centred(part, self.q) for part in b]
        tensor = [np.zeros(self.n, dtype=object) for _ in range(len(x) + len(y) - 1)]
        for i, left in enumerate(x):
            for j, right in enumerate(y):
                tensor[i + j] = tensor[i + j] + negacyclic_product(left, right)
        return [round_half_up(self.t * part, self.q) % self.q for part in tensor]
