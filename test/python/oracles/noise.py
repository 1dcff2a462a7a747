# SPDX-License-Identifier: Apache-2.0
"""The noise bound in plain Python, written from doc/noise.md: three norms as decimal numbers of 60 digits, no
logarithms until they are compared. An oracle for the library's calculus, its atoms, and what operations and planning
make of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Context, Decimal, setcontext
from typing import Any

import numpy as np

PRECISION = Context(prec=60, Emax=10**9, Emin=-(10**9))
setcontext(PRECISION)

#: Bits against which an atom's tail holds, and the variance of errors.
EXPONENT, VARIANCE, LARGEST_ERROR = 168, Decimal("10.5"), Decimal(21)
#: What passes a key's check: part of the secret's coefficients, and an error's mean square over its variance.
WEIGHT, ERROR_SQUARE = Decimal("0.7"), Decimal("1.21")
#: The largest rounding error: the lift may pick a neighbour within 2^-25 of the middle.
HALF = Decimal(1) / 2 + Decimal(2) ** -24


@dataclass(frozen=True)
class Norms:
    """Bounds of max |e_i|, of the coefficients' root mean square, and of max |e(zeta)| / sqrt(n)."""

    maximum: Decimal
    mean: Decimal
    canonical: Decimal

    def logarithms(self) -> tuple[float, float, float]:
        return log2(self.maximum), log2(self.mean), log2(self.canonical)

    def times(self, factor: Any) -> Norms:
        f = Decimal(factor)
        return Norms(self.maximum * f, self.mean * f, self.canonical * f)


NOTHING = Norms(Decimal(0), Decimal(0), Decimal(0))


def log2(x: Decimal) -> float:
    return float(x.ln() / Decimal(2).ln()) if x else -math.inf


class Ring:
    """Sections "norms" and "atoms": Z[x]/(x^n + 1)."""

    def __init__(self, n: int, strict: bool = False, parties: int = 1) -> None:
        self.n, self.strict, self.parties = n, strict, Decimal(parties)
        self.root = Decimal(n).sqrt()
        tail = Decimal(EXPONENT) * Decimal(2).ln()
        self.tail = tail
        self.real_tail = (2 * (tail + Decimal(2 * n).ln())).sqrt()
        square = Decimal(1)
        for _ in range(200):  # B^2 = Lambda + ln(n/2) + 1 + ln B^2
            square = tail + (Decimal(n) / 2).ln() + 1 + square.ln()
        self.complex_tail = square.sqrt()
        self.check = ((Decimal(n) / 2).ln() + 3).sqrt()

    def tidy(self, maximum: Decimal, mean: Decimal, canonical: Decimal) -> Norms:
        """rms <= max <= sqrt(n) rms, rms <= canonical <= sqrt(n/2) rms."""
        mean = min(mean, maximum, canonical)
        return Norms(min(maximum, self.root * mean), mean, min(canonical, (Decimal(self.n) / 2).sqrt() * mean))

    def sum(self, *terms: Norms) -> Norms:
        total = NOTHING
        for term in terms:
            total = self.tidy(total.maximum + term.maximum, total.mean + term.mean, total.canonical + term.canonical)
        return total

    def product(self, a: Norms, b: Norms) -> Norms:
        return self.tidy(
            self.n * a.mean * b.mean,
            self.root * min(a.canonical * b.mean, a.mean * b.canonical),
            self.root * a.canonical * b.canonical,
        )

    def times_plain(self, a: Norms, canonical: float, two: float, one: float) -> Norms:
        """canonical: max |M(zeta)|; two, one: the norms of the coefficients' vector."""
        c, b, s = Decimal(canonical), Decimal(two), Decimal(one)
        return self.tidy(min(s * a.maximum, b * self.root * a.mean), min(c * a.mean, b * a.canonical), c * a.canonical)

    def chosen(self, largest: Any) -> Norms:
        m = Decimal(largest)
        return self.tidy(m, m, m * self.root)

    def mean_square_tail(self, ratio: Decimal) -> Decimal:
        x = ratio * self.tail / self.n
        return (1 + 2 * x.sqrt() + 2 * x).sqrt()

    # --- atoms --------------------------------------------------------------------------------------------------------
    def secret(self) -> Norms:
        return self.tidy(Decimal(1), WEIGHT.sqrt(), (Decimal(2) / 3).sqrt() * self.check).times(self.parties)

    def drawn_error(self, draws: Any = 1) -> Norms:
        """The sum of so many."""
        sigma = (VARIANCE * Decimal(draws)).sqrt()
        largest = min(LARGEST_ERROR * Decimal(draws), self.real_tail * sigma)
        return self.tidy(largest, self.mean_square_tail(Decimal(1)) * sigma, self.complex_tail * sigma)

    def switching_key_error(self) -> Norms:
        return self.drawn_error(self.parties)

    def relinearization_key_error(self) -> Norms:
        if self.parties == 1:
            return self.drawn_error()
        return self.sum(
            self.product(self.secret(), self.switching_key_error()).times(2), self.drawn_error(3 * self.parties)
        )

    def public_encryption(self) -> Norms:
        """w = e u + e_0 + e_1 s: V is the mean of a coefficient's square, W the largest eigenvalue."""
        two_thirds, secret_square = Decimal(2) / 3, two_thirds_of(self.check**2)
        n = self.n * self.parties**2
        mean = n * (two_thirds * ERROR_SQUARE * VARIANCE + VARIANCE * WEIGHT) + VARIANCE
        largest = n * (two_thirds * self.check**2 * VARIANCE + VARIANCE * secret_square) + VARIANCE
        return self.tidy(
            self.real_tail * mean.sqrt(),
            mean.sqrt() * self.mean_square_tail(largest / mean),
            self.complex_tail * largest.sqrt(),
        )

    def rounding(self) -> Norms:
        canonical = HALF * self.root if self.strict else self.complex_tail / Decimal(12).sqrt()
        return self.tidy(HALF, HALF, canonical)

    def of_parts(self, first: Norms, other: Norms, parts: int) -> Norms:
        """first + other (s + ... + s^(parts - 1))."""
        total, power = first, other
        for _ in range(1, parts):
            power = self.product(power, self.secret())
            total = self.sum(total, power)
        return total

    def rounded(self, parts: int = 2) -> Norms:
        """Part 0 is anybody's to choose, by a plain sum."""
        return self.of_parts(self.chosen(HALF), self.rounding(), parts)


def two_thirds_of(x: Decimal) -> Decimal:
    return Decimal(2) * x / 3


class Scheme:
    """Section "formulas": one set of parameters, one plaintext modulus."""

    def __init__(self, parameters: Any, bgv: bool, strict: bool = False, plain: int = 0) -> None:
        self.ring = Ring(parameters.degree, strict, getattr(parameters, "parties", 1))
        self.bgv, self.t = bgv, Decimal(int(parameters.plain_moduli[plain]))
        self.primes = [int(q) for q in parameters.moduli]
        self.special = [int(p) for p in parameters.special_moduli]
        self.per_digit = -(-len(self.primes) // parameters.digits)
        self.word = parameters.word
        self.multiple = self.t if bgv else Decimal(1)

    def modulus(self, limbs: int) -> Decimal:
        return Decimal(math.prod(self.primes[:limbs]))

    @property
    def top(self) -> int:
        return len(self.primes)

    def message(self) -> Norms:
        return self.ring.chosen(self.t / 2 if self.bgv else Decimal("0.5"))

    def public_zero(self) -> Norms:
        drawn = self.ring.public_encryption().times(self.multiple)
        if not self.special:
            return drawn
        return self.ring.sum(drawn.times(1 / Decimal(self.special[-1])), self.ring.rounded().times(self.multiple))

    def fresh(self, symmetric: bool = False) -> Norms:
        zero = self.ring.drawn_error().times(self.multiple) if symmetric else self.public_zero()
        return self.ring.sum(zero, self.message())

    def key_switch(self, limbs: int | None = None, relinearization: bool = False) -> Norms:
        limbs = limbs or self.top
        error = self.ring.relinearization_key_error() if relinearization else self.ring.switching_key_error()
        special = Decimal(math.prod(self.special))
        terms = []
        for first in range(0, limbs, self.per_digit):
            digit = Decimal(math.prod(self.primes[first : min(limbs, first + self.per_digit)]))
            terms.append(self.ring.product(self.ring.chosen(HALF), error).times(digit / special))
        if self.special:
            terms.append(self.ring.rounded())
        return self.ring.sum(*terms).times(self.multiple)

    def switch_level(self, a: Norms, limbs: int, parts: int, relinearization: bool) -> int:
        """The fewest primes for which what comes on top is 2^-8 of the noise in each norm; all of them in BGV, and for
        rotations without a fifth less transforms."""
        added = self.ring.sum(self.ring.rounded(parts), self.key_switch(limbs, relinearization))
        allowed = min(a.maximum / added.maximum, a.mean / added.mean, a.canonical / added.canonical) / 256
        fits = [k for k in range(1, limbs) if not self.bgv and self.modulus(limbs) / self.modulus(k) <= allowed]
        at = min(fits, default=limbs)
        return at if relinearization or 5 * self.transforms(at) <= 4 * self.transforms(limbs) else limbs

    def transforms(self, limbs: int) -> int:
        """Of a key switch: each digit into all primes, two parts back."""
        return (math.ceil(limbs / self.per_digit) + 2) * (limbs + len(self.special))

    def key_switched(self, a: Norms, limbs: int, parts: int, relinearization: bool) -> Norms:
        """After a relinearisation or a rotation, in as few primes as that allows."""
        at = self.switch_level(a, limbs, parts, relinearization)
        added = self.key_switch(at, relinearization)
        if at < limbs:
            added = self.ring.sum(self.ring.rounded(parts), added)
        return self.ring.sum(a, added.times(self.modulus(limbs) / self.modulus(at)))

    def switched(self, a: Norms, limbs: int, to: int, parts: int = 2) -> Norms:
        for level in range(limbs, to, -1):
            a = self.ring.sum(a.times(1 / Decimal(self.primes[level - 1])), self.ring.rounded(parts).times(self.t))
        return a

    def bgv_level(self, a: Norms, b: Norms, a_limbs: int, b_limbs: int) -> int:
        """Where a product leaves most: log2 q_l - log2 max, the higher level of equal ones."""
        top = min(a_limbs, b_limbs)
        left = {
            level: log2(self.modulus(level))
            - log2(self.ring.product(self.switched(a, a_limbs, level), self.switched(b, b_limbs, level)).maximum)
            for level in range(top, 0, -1)
        }
        return max(left, key=lambda level: (left[level], level))

    def bfv_level(self, a: Norms, b: Norms, limbs: int | None = None) -> int:
        """The fewest primes such that the dropped ones' product times a rounding is an eighth of the larger noise."""
        limbs = limbs or self.top
        allowed = max(a.mean, b.mean) / 8
        fits = [k for k in range(1, limbs) if self.modulus(limbs) / self.modulus(k) * self.rounded_mean() <= allowed]
        return min(fits, default=limbs)

    def rounded_mean(self) -> Decimal:
        return self.ring.rounded().mean

    def bfv_lowered(self, a: Norms, limbs: int, to: int, parts: int = 2) -> Norms:
        """In fewer primes, by one rounding."""
        if limbs == to:
            return a
        return self.ring.sum(a.times(self.modulus(to) / self.modulus(limbs)), self.ring.rounded(parts))

    def bfv_product(self, a: Norms, b: Norms, method: str = "hps_over_q_leveled", limbs: int | None = None) -> Norms:
        """Of factors over so many primes; BEHZ's over all of them."""
        ring, q = self.ring, self.modulus(limbs or self.top)
        dropped = q / self.modulus(self.bfv_level(a, b, limbs)) if method == "hps_over_q_leveled" else Decimal(1)
        if dropped != 1:
            a, b = (ring.sum(x, ring.rounded().times(dropped)) for x in (a, b))
        quotient = ring.rounded().times(self.t)
        if method == "behz":
            quotient = quotient.times(1 + Decimal(2 * self.top) / Decimal(2 ** (16 if self.word == 32 else 32)))
            off = ring.chosen(self.top + 1)
            scaling = ring.of_parts(off, off, 3)
        else:
            scaling = ring.sum(ring.rounded(3), ring.product(quotient, ring.rounded()).times(Decimal(1) / 16))
        return ring.sum(
            ring.product(a, quotient),
            ring.product(b, quotient),
            ring.product(a, b).times(self.t / q),
            scaling.times(dropped),
        )

    def planned(self, depth: int) -> list[tuple[int, Norms]]:
        """Level and bound of a fresh ciphertext and of its relinearised squares."""
        limbs, noise = self.top, self.fresh()
        states = [(limbs, noise)]
        for _ in range(depth):
            if self.bgv:
                level = self.bgv_level(noise, noise, limbs, limbs)
                low = self.switched(noise, limbs, level)
                limbs, noise = level, self.ring.product(low, low)
            else:
                noise = self.bfv_product(noise, noise)
            noise = self.key_switched(noise, limbs, 3, relinearization=True)
            states.append((limbs, noise))
        return states

    def limit(self, limbs: int | None = None) -> float:
        """log2 of the largest noise that decryption corrects."""
        if self.bgv:
            return log2(self.modulus(limbs or self.top)) - 1
        slack = Decimal(self.top) / Decimal(2 ** (29 if self.word == 32 else 60))
        return log2(self.modulus(self.top) / self.t * (Decimal("0.5") - slack))

    def headroom(self, noise: Norms, limbs: int | None = None) -> float:
        return self.limit(limbs) + math.log2(15 / 16) - log2(noise.maximum)


def largest_square(a: Sequence[int]) -> float:
    """max |a(zeta)|^2, by the definition."""
    n = len(a)
    return float(np.abs(np.fft.fft(np.array(a, dtype=np.float64) * np.exp(1j * np.pi * np.arange(n) / n))).max() ** 2)


def secret_is_fit(s: Sequence[int]) -> bool:
    """The check of secret keys."""
    n = len(s)
    return largest_square(s) <= n * 2 / 3 * (math.log(n / 2) + 3) and 10 * sum(x * x for x in s) <= 7 * n


def error_is_fit(e: Sequence[int]) -> bool:
    """The check of public keys' errors."""
    n, variance = len(e), float(VARIANCE)
    return (
        largest_square(e) <= n * variance * (math.log(n / 2) + 3) and sum(int(x) ** 2 for x in e) <= 1.21 * variance * n
    )


def close(mine: Norms, theirs: Sequence[float], within: float = 1e-9) -> bool:
    return all(abs(a - b) <= within for a, b in zip(mine.logarithms(), theirs, strict=True))
