# SPDX-License-Identifier: Apache-2.0
"""FV as Fan and Vercauteren wrote it (2012; paper 000, 5.2), over big integers: what RNS variants are compared with.

Its divisions round exactly, its relinearisation decomposes in a base w, and it draws from any `laws.Laws`. Slow, not
constant-time, no parameters are checked for security: FOR STUDY, NOT FOR DATA. Needs python-flint.

    >>> from cyclotome_study import laws, textbook
    >>> scheme = textbook.TextbookFV(64, 2**100, 17, 2**20, laws.PAPER_000)
    >>> key = scheme.generate_key()
    >>> x, y = scheme.encrypt([3] + [0] * 63, key), scheme.encrypt([0, 5] + [0] * 62, key)
    >>> scheme.decrypt(scheme.multiply(x, y, key), key)[:3]
    [0, 15, 0]
"""

from __future__ import annotations

import math
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from cyclotome.errors import ArgumentError, UnsupportedError

from .laws import WARNING, Law, Laws

__all__ = ["TextbookFV", "TextbookKey", "flint_available"]

Polynomial = Any  # flint.fmpz_poly
Ciphertext = tuple[Polynomial, Polynomial]


def _flint() -> Any:
    try:
        import flint
    except ImportError as error:
        raise UnsupportedError("textbook FV computes with python-flint: pip install python-flint") from error
    return flint


def flint_available() -> bool:
    """Whether python-flint is installed."""
    try:
        _flint()
    except UnsupportedError:
        return False
    return True


@dataclass(frozen=True, repr=False)
class TextbookKey:
    """A secret, its public key, and the relinearisation key, a pair for each digit in base w."""

    secret: Polynomial = field(repr=False)
    public: Ciphertext
    relinearization: tuple[Ciphertext, ...]

    def __repr__(self) -> str:
        return f"TextbookKey(secret not shown; {WARNING})"


class TextbookFV:
    """FV over Z_q[x]/(x^n + 1).

    Args:
        degree: n, a power of two.
        modulus: q, of any kind.
        plain_modulus: t, 2 <= t < q.
        base: w, of relinearisation.
        laws: what secrets and errors are drawn from.

    Raises:
        ArgumentError: other numbers.
        UnsupportedError: python-flint is not installed.
    """

    def __init__(self, degree: int, modulus: int, plain_modulus: int, base: int, laws: Laws) -> None:
        if degree < 2 or degree & (degree - 1) or not 2 <= plain_modulus < modulus or not 2 <= base <= modulus:
            raise ArgumentError(
                f"n = {degree}, t = {plain_modulus}, w = {base}: n is a power of two, 2 <= t < q and 2 <= w <= q"
            )
        self.degree, self.modulus, self.plain_modulus, self.base, self.laws = degree, modulus, plain_modulus, base, laws
        self._poly, self._fmpz = _flint().fmpz_poly, _flint().fmpz
        #: l + 1 (erratum 000-16: l is the logarithm of q to base w).
        self.digits = 1 + int(math.log(modulus) / math.log(base) + 1e-9)
        while base**self.digits < modulus:
            self.digits += 1
        self._delta = modulus // plain_modulus

    # --- arithmetic ---------------------------------------------------------------------------------------------------
    def _folded(self, a: Polynomial) -> Polynomial:
        """Modulo x^n + 1."""
        n = self.degree
        if len(a) <= n:
            return a
        low = self._poly([a[i] for i in range(n)])
        return low - self._poly([a[i] for i in range(n, len(a))])

    def _centred(self, a: Polynomial) -> Polynomial:
        """[a]_q: from (-q/2, q/2]."""
        q, half = self.modulus, self.modulus // 2
        return self._poly([(c := int(x) % q) - (q if c > half else 0) for x in a.coeffs()])

    def _product(self, a: Polynomial, b: Polynomial) -> Polynomial:
        return self._folded(a * b)

    def _scaled(self, a: Polynomial) -> Polynomial:
        """The coefficients times t/q, rounded."""
        t, q = self.plain_modulus, self.modulus
        return self._poly([(2 * t * int(x) + q) // (2 * q) for x in a.coeffs()])

    def _drawn(self, law: Law) -> Polynomial:
        return self._poly(law.draw(self.degree).tolist())

    def _uniform(self) -> Polynomial:
        size = -(-self.modulus.bit_length() // 8) + 16
        data = secrets.token_bytes(size * self.degree)
        return self._poly(
            [int.from_bytes(data[i : i + size], "little") % self.modulus for i in range(0, len(data), size)]
        )

    # --- the scheme ---------------------------------------------------------------------------------------------------
    def generate_key(self) -> TextbookKey:
        """A secret and what belongs to it."""
        secret = self._drawn(self.laws.secret)
        square = self._product(secret, secret)
        keys = [self._zero(secret)]
        for i in range(self.digits):
            body, uniform = self._zero(secret)
            keys.append((self._centred(body + square * self.base**i), uniform))
        return TextbookKey(secret, keys[0], tuple(keys[1:]))

    def _zero(self, secret: Polynomial) -> Ciphertext:
        """(-(a s + e), a)."""
        a = self._uniform()
        return self._centred(-(self._product(a, secret) + self._drawn(self.laws.error))), a

    def encrypt(self, values: Sequence[int], key: TextbookKey) -> Ciphertext:
        """Of n coefficients modulo t. Raises ArgumentError for another number of them."""
        if len(values) != self.degree:
            raise ArgumentError(f"{len(values)} coefficients, but n = {self.degree}")
        message = self._poly([int(x) % self.plain_modulus for x in values])
        u = self._drawn(self.laws.mask)
        first = self._product(key.public[0], u) + self._drawn(self.laws.error) + message * self._delta
        return self._centred(first), self._centred(self._product(key.public[1], u) + self._drawn(self.laws.error))

    def _phase(self, x: Ciphertext, key: TextbookKey) -> Polynomial:
        return self._centred(x[0] + self._product(x[1], key.secret))

    def decrypt(self, x: Ciphertext, key: TextbookKey) -> list[int]:
        """The coefficients, in [0, t)."""
        plain = self._scaled(self._phase(x, key)).coeffs()
        values = [int(c) % self.plain_modulus for c in plain]
        return values + [0] * (self.degree - len(values))

    def add(self, x: Ciphertext, y: Ciphertext) -> Ciphertext:
        """x + y."""
        return self._centred(x[0] + y[0]), self._centred(x[1] + y[1])

    def multiply(self, x: Ciphertext, y: Ciphertext, key: TextbookKey) -> Ciphertext:
        """x y, relinearised: scaled by t/q exactly, the third part decomposed in base w."""
        first = self._centred(self._scaled(self._product(x[0], y[0])))
        middle = self._centred(self._scaled(self._product(x[0], y[1]) + self._product(x[1], y[0])))
        rest = [int(c) % self.modulus for c in self._scaled(self._product(x[1], y[1])).coeffs()]
        for body, uniform in key.relinearization:
            digit = self._poly([c % self.base for c in rest])
            rest = [c // self.base for c in rest]
            first, middle = first + self._product(body, digit), middle + self._product(uniform, digit)
        return self._centred(first), self._centred(middle)

    def noise(self, x: Ciphertext, key: TextbookKey) -> tuple[float, float]:
        """log2 of the root mean square and of the largest coefficient of x's noise: the phase less Delta times the
        message that it decrypts to."""
        message = self._poly(self.decrypt(x, key))
        error = [int(c) for c in self._centred(self._phase(x, key) - message * self._delta).coeffs()] or [0]
        largest = max(map(abs, error))
        scale = max(largest.bit_length() - 53, 0)  # of squares that a float holds
        mean = sum(((abs(e) >> scale) if scale else e) ** 2 for e in error) / self.degree
        return 0.5 * math.log2(max(mean, 2**-60)) + scale, math.log2(max(largest, 1))

    def fresh_noise(self) -> float:
        """log2 of the root mean square that a fresh encryption's noise has by its laws: e u + e1 + e2 s."""
        laws, n = self.laws, self.degree
        mask, secret = laws.mask.mean_square, laws.secret.mean_square
        return 0.5 * math.log2(laws.error.variance * (1 + n * mask + n * secret))

    def __repr__(self) -> str:
        return (
            f"TextbookFV(n = {self.degree}, q of {self.modulus.bit_length()} bits, t = {self.plain_modulus}, "
            f"w of {(self.base - 1).bit_length()} bits, {self.laws}; {WARNING})"
        )
