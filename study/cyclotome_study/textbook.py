# SPDX-License-Identifier: Apache-2.0
"""FV as Fan and Vercauteren wrote it (2012; paper 000, 5.2), and paper 004's BGV, over big integers.

What RNS variants are compared with: divisions round exactly, FV's relinearisation decomposes in a base w, and both draw
from any `laws.Laws`. Slow, not constant-time, no parameters are checked for security: FOR STUDY, NOT FOR DATA. Needs
python-flint.

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

__all__ = ["TextbookBGV", "TextbookFV", "TextbookKey", "flint_available"]

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


class _Textbook:
    """Polynomials in Z_q[x]/(x^n + 1), and what is drawn."""

    def __init__(self, degree: int, modulus: int, plain_modulus: int, laws: Laws) -> None:
        if degree < 2 or degree & (degree - 1) or not 2 <= plain_modulus < modulus:
            raise ArgumentError(f"n = {degree}, t = {plain_modulus}: n is a power of two, and 2 <= t < q")
        self.degree, self.modulus, self.plain_modulus, self.laws = degree, modulus, plain_modulus, laws
        self._poly = _flint().fmpz_poly

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

    def _drawn(self, law: Law) -> Polynomial:
        return self._poly(law.draw(self.degree).tolist())

    def _uniform(self) -> Polynomial:
        size = -(-self.modulus.bit_length() // 8) + 16
        data = secrets.token_bytes(size * self.degree)
        return self._poly(
            [int.from_bytes(data[i : i + size], "little") % self.modulus for i in range(0, len(data), size)]
        )

    def _message(self, values: Sequence[int]) -> Polynomial:
        if len(values) != self.degree:
            raise ArgumentError(f"{len(values)} coefficients, but n = {self.degree}")
        return self._poly([int(x) % self.plain_modulus for x in values])

    def _values(self, a: Polynomial) -> list[int]:
        """The n coefficients modulo t."""
        values = [int(c) % self.plain_modulus for c in a.coeffs()]
        return values + [0] * (self.degree - len(values))

    def _sizes(self, a: Polynomial) -> tuple[float, float]:
        """log2 of the root mean square and of the largest coefficient."""
        numbers = [int(c) for c in a.coeffs()] or [0]
        largest = max(map(abs, numbers))
        scale = max(largest.bit_length() - 53, 0)  # of squares that a float holds
        mean = sum(((abs(e) >> scale) if scale else e) ** 2 for e in numbers) / self.degree
        return 0.5 * math.log2(max(mean, 2**-60)) + scale, math.log2(max(largest, 1))

    def _error_square(self) -> float:
        """The mean square of e u + e1 + e2 s."""
        laws, n = self.laws, self.degree
        return laws.error.variance * (1 + n * laws.mask.mean_square + n * laws.secret.mean_square)


class TextbookFV(_Textbook):
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
        super().__init__(degree, modulus, plain_modulus, laws)
        if not 2 <= base <= modulus:
            raise ArgumentError(f"w = {base}: the base of relinearisation is in [2, q]")
        self.base = base
        #: l + 1 (erratum 000-16: l is the logarithm of q to base w).
        self.digits = next(k for k in range(1, modulus.bit_length() + 1) if base**k >= modulus)
        self._delta = modulus // plain_modulus

    def _scaled(self, a: Polynomial) -> Polynomial:
        """The coefficients times t/q, rounded."""
        t, q = self.plain_modulus, self.modulus
        return self._poly([(2 * t * int(x) + q) // (2 * q) for x in a.coeffs()])

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
        message, u = self._message(values), self._drawn(self.laws.mask)
        first = self._product(key.public[0], u) + self._drawn(self.laws.error) + message * self._delta
        return self._centred(first), self._centred(self._product(key.public[1], u) + self._drawn(self.laws.error))

    def _phase(self, x: Ciphertext, key: TextbookKey) -> Polynomial:
        return self._centred(x[0] + self._product(x[1], key.secret))

    def decrypt(self, x: Ciphertext, key: TextbookKey) -> list[int]:
        """The coefficients, in [0, t)."""
        return self._values(self._scaled(self._phase(x, key)))

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
        return self._sizes(self._centred(self._phase(x, key) - message * self._delta))

    def fresh_noise(self) -> float:
        """log2 of the root mean square that a fresh encryption's noise has by its laws: e u + e1 + e2 s."""
        return 0.5 * math.log2(self._error_square())

    def __repr__(self) -> str:
        return (
            f"TextbookFV(n = {self.degree}, q of {self.modulus.bit_length()} bits, t = {self.plain_modulus}, "
            f"w of {(self.base - 1).bit_length()} bits, {self.laws}; {WARNING})"
        )


class TextbookBGV(_Textbook):
    """Paper 004's BGV at one level, its errata 004-1 to 004-3 mended: products have a third part, and stay so.

    Args:
        degree: n, a power of two.
        modulus: q, odd or at least coprime to t.
        plain_modulus: t, 2 <= t < q.
        laws: what secrets and errors are drawn from; the paper's are `laws.PAPER_004`.

    Raises:
        ArgumentError: other numbers.
        UnsupportedError: python-flint is not installed.

        >>> from cyclotome_study import laws, textbook
        >>> scheme = textbook.TextbookBGV(64, 2**61 - 1, 2, laws.PAPER_004)
        >>> key = scheme.generate_key()
        >>> x = scheme.encrypt([1, 1] + [0] * 62, key)
        >>> scheme.decrypt(scheme.multiply(x, x), key)[:4]
        [1, 0, 1, 0]
    """

    def __init__(self, degree: int, modulus: int, plain_modulus: int, laws: Laws) -> None:
        super().__init__(degree, modulus, plain_modulus, laws)
        if math.gcd(modulus, plain_modulus) != 1:
            raise ArgumentError(f"t = {plain_modulus} and q have a common factor, so that t e hides nothing of m")

    def generate_key(self) -> TextbookKey:
        """dk, and (pk2, pk1) = (pk1 dk + t e, pk1)."""
        secret, uniform = self._drawn(self.laws.secret), self._uniform()
        body = self._product(uniform, secret) + self._drawn(self.laws.error) * self.plain_modulus
        return TextbookKey(secret, (self._centred(body), uniform), ())

    def encrypt(self, values: Sequence[int], key: TextbookKey) -> tuple[Polynomial, ...]:
        """Of n coefficients modulo t. Raises ArgumentError for another number of them."""
        u, t = self._drawn(self.laws.mask), self.plain_modulus
        first = self._product(key.public[0], u) + self._drawn(self.laws.error) * t + self._message(values)
        second = self._product(key.public[1], u) + self._drawn(self.laws.error) * t
        return self._centred(first), self._centred(second)

    def _phase(self, x: tuple[Polynomial, ...], key: TextbookKey) -> Polynomial:
        phase = x[0] - self._product(x[1], key.secret)
        if len(x) > 2:
            phase += self._product(x[2], self._product(key.secret, key.secret))
        return self._centred(phase)

    def decrypt(self, x: tuple[Polynomial, ...], key: TextbookKey) -> list[int]:
        """The coefficients, in [0, t)."""
        return self._values(self._phase(x, key))

    def multiply(self, x: tuple[Polynomial, ...], y: tuple[Polynomial, ...]) -> tuple[Polynomial, ...]:
        """x y, of fresh ciphertexts or their sums: three parts. Raises ArgumentError for products."""
        if len(x) != 2 or len(y) != 2:
            raise ArgumentError("a product of products: this scheme has no relinearisation")
        middle = self._product(x[0], y[1]) + self._product(x[1], y[0])
        return tuple(map(self._centred, (self._product(x[0], y[0]), middle, self._product(x[1], y[1]))))

    def noise(self, x: tuple[Polynomial, ...], key: TextbookKey) -> tuple[float, float]:
        """log2 of the root mean square and of the largest coefficient of x's phase, which must stay below q/2."""
        return self._sizes(self._phase(x, key))

    def fresh_noise(self) -> float:
        """log2 of the root mean square that a fresh encryption's noise has by its laws: t (e u + e1 - e2 s), and m."""
        t = self.plain_modulus
        return 0.5 * math.log2(t * t * self._error_square() + (t - 1) * (2 * t - 1) / 6)

    def __repr__(self) -> str:
        size = self.modulus.bit_length()
        return f"TextbookBGV(n = {self.degree}, q of {size} bits, t = {self.plain_modulus}, {self.laws}; {WARNING})"
