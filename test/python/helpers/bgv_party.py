# SPDX-License-Identifier: Apache-2.0
"""A key's owner who uses BGV: ciphertexts have levels and correction factors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from cyclotome._core import testing
from cyclotome._core.testing import rlwe
from oracles.integers import Integers, compose, decompose
from oracles.textbook_bgv import TextbookBgv
from parties import Party, Values, small_literal

#: word, plaintext modulus, ciphertext primes, special primes, digits, bits of the primes
SETS = [
    (32, 2, 6, 2, 0, 30),
    (32, 257, 7, 0, 0, 30),
    (32, 1024, 6, 6, 1, 29),
    (32, 65537, 8, 2, 4, 28),
    (32, (1 << 20) - 3, 8, 3, 0, 30),
    (64, 2, 4, 0, 0, 61),
    (64, 257, 5, 1, 5, 40),
    (64, 36, 4, 2, 2, 50),
    (64, 65537, 5, 2, 3, 50),
    (64, (1 << 20) - 3, 4, 1, 4, 55),
    (64, (1 << 59) - 55, 7, 2, 0, 60),
]


def bgv_literal(*arguments: Any, **options: Any) -> Any:
    """`small_literal` of BGV."""
    literal = small_literal(*arguments, **options)
    literal.scheme = "bgv"
    return literal


def party_of(case: Sequence[int], degree: int, number: int = 1, galois: Sequence[int] = ()) -> BgvParty:
    word, t, primes, special, digits, bits = case
    return BgvParty(bgv_literal(word, degree, t, primes, special, digits, bits), number, galois=galois)


class BgvParty(Party):
    """`Party` with BGV's encryption, and the textbook of a level."""

    @property
    def top(self) -> int:
        """The highest level."""
        return len(self.moduli)

    def book(self, level: int, plain: int = 0) -> TextbookBgv:
        return TextbookBgv(self.n, math.prod(self.moduli[:level]), self.t(plain))

    def parts(self, ciphertext: Any) -> list[list[Integers]]:
        level = ciphertext.limbs
        return [list(item) for item in compose(rlwe.coefficients(ciphertext), self.moduli[:level])]

    def made(self, parts: Any, level: int, plain: int = 0, correction: int = 1, log2_max: float = -1e9) -> Any:
        """A ciphertext of these integers, [part][coefficient] or [item][part][coefficient], at a level."""
        rows = np.asarray(parts, dtype=object)
        rows = rows.reshape((1,) * (3 - rows.ndim) + rows.shape)
        residues = np.ascontiguousarray(decompose(rows % math.prod(self.moduli[:level]), self.moduli[:level]))
        return rlwe.crafted(self.context, self.secret.id, plain, residues, log2_max, correction)

    def phases(self, ciphertext: Any) -> Integers:
        """The centred phase of every item, by the textbook."""
        book = self.book(ciphertext.limbs, ciphertext.plain)
        return np.array([book.phase(item, self.s) for item in self.parts(ciphertext)], dtype=object)

    def reads(self, ciphertext: Any, slots: bool, expected: Any) -> None:
        """The library decrypts `ciphertext` to `expected`; so does the textbook, from coefficients."""
        t = self.t(ciphertext.plain)
        rows = np.atleast_2d(np.asarray(expected, dtype=object)) % t
        assert np.array_equal(self.decrypt(ciphertext, slots), np.broadcast_to(rows, (ciphertext.batch, self.n)))
        if not slots:
            inverse = pow(testing.bgv.correction(ciphertext), -1, t)
            assert np.array_equal(
                self.phases(ciphertext) * inverse % t, np.broadcast_to(rows, (ciphertext.batch, self.n))
            )


__all__ = ["SETS", "BgvParty", "Values", "bgv_literal", "party_of"]
