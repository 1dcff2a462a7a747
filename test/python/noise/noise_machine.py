# SPDX-License-Identifier: Apache-2.0
"""Programs of both schemes that know what every step should hold, and look at all three norms of its exact error."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from bgv_party import BgvParty, bgv_literal
from cyclotome import _core
from cyclotome._core import testing
from cyclotome._core.testing import bfv, rlwe
from cyclotome.errors import NoiseError
from exact_noise import gaps
from numpy.typing import NDArray
from oracles.integers import Integers, centred
from oracles.negacyclic import automorphism
from oracles.textbook_bfv import negacyclic_product
from parties import Party, literal_of, small_literal

#: word, degree, bits of t, ciphertext primes, special primes, digits, bits of the primes, strict
SMALL = [
    (64, 64, 14, 6, 1, 0, 50, False),
    (64, 256, 17, 5, 2, 0, 55, False),
    (32, 256, 14, 10, 3, 0, 30, False),
    (64, 256, 14, 6, 0, 0, 50, False),
    (64, 1024, 17, 5, 1, 0, 55, False),
    (64, 256, 17, 5, 1, 0, 55, True),
]


class Value:
    """A ciphertext of one polynomial, and the polynomial modulo t."""

    def __init__(self, machine: Machine, ciphertext: Any, message: Any) -> None:
        self.machine, self.ciphertext = machine, ciphertext
        self.message: Integers = np.asarray(message, dtype=object) % machine.t

    @property
    def level(self) -> int:
        return int(self.ciphertext.limbs)

    @property
    def headroom(self) -> float:
        return float(self.ciphertext.noise_headroom)

    def of(self, ciphertext: Any, message: Any) -> Value:
        return Value(self.machine, ciphertext, message)

    def __add__(self, other: Value) -> Value:
        return self.of(_core.add(self.ciphertext, other.ciphertext), self.message + other.message)

    def __sub__(self, other: Value) -> Value:
        return self.of(testing.scheme.subtract(self.ciphertext, other.ciphertext), self.message - other.message)

    def __mul__(self, other: Value) -> Value:
        return self.times(other)

    def times(self, other: Value, how: Any = None, relinearized: bool = True) -> Value:
        """how: BFV's method, or whether BGV chooses the level."""
        arguments = () if how is None else (how,)
        product = self.machine.scheme.multiply(self.ciphertext, other.ciphertext, *arguments)
        if relinearized:
            product = _core.relinearize(product, self.machine.party.evaluation)
        return self.of(product, negacyclic_product(self.message, other.message))

    def relinearized(self) -> Value:
        return self.of(_core.relinearize(self.ciphertext, self.machine.party.evaluation), self.message)

    def plus(self, polynomial: Any) -> Value:
        plain = self.machine.plaintext(polynomial)
        return self.of(
            testing.scheme.add_plain(self.ciphertext, plain), self.message + np.asarray(polynomial, dtype=object)
        )

    def by(self, polynomial: Any) -> Value:
        """Times a plaintext polynomial, reduced modulo t."""
        plain = self.machine.plaintext(polynomial)
        message = negacyclic_product(self.message, centred(np.asarray(polynomial, dtype=object), self.machine.t))
        return self.of(_core.multiply_plain(self.ciphertext, plain), message)

    def scaled(self, factor: int) -> Value:
        return self.of(rlwe.multiply_scalar(self.ciphertext, factor), self.message * factor)

    def by_any(self, polynomial: Any) -> Value:
        """Times an integer polynomial of any size, by Horner's rule in digits that plaintexts can hold."""
        base = 1 << (self.machine.t.bit_length() - 2)
        rest, digits = np.asarray(polynomial, dtype=object), []
        while np.any(rest):
            digits.append((rest + base // 2) % base - base // 2)
            rest = (rest - digits[-1]) // base
        total = self.by(digits.pop())
        for digit in reversed(digits):
            total = total.scaled(base) + self.by(digit)
        return total

    def turned(self, element: int) -> Value:
        moved = _core.apply_galois(self.ciphertext, element, self.machine.party.evaluation)
        return self.of(moved, automorphism(self.message, element, self.machine.t))

    def conjugate(self) -> Value:
        return self.turned(2 * self.machine.n - 1)

    def at(self, level: int) -> Value:
        return self.of(testing.scheme.switch_to_level(self.ciphertext, level), self.message)

    def checked(self) -> Value:
        """All norms are below their bounds; the right value, or a refusal."""
        machine = self.machine
        if self.headroom < 0:
            with pytest.raises(NoiseError):
                _core.decrypt(self.ciphertext, machine.party.secret)
            machine.refused += 1
            return self
        machine.note(gaps(machine.party, self.ciphertext))
        assert np.array_equal(machine.party.decrypt(self.ciphertext, slots=False)[0], self.message)
        return self

    def used_up(self) -> Value:
        """Multiplied until less than a bit is left: still right; and refused with a bit more."""
        if self.checked().headroom < 0:
            return self
        value = self
        while value.headroom >= 1:
            value = value.scaled(int(min(2.0**value.headroom, 2**40)))
        value.checked()
        assert 0 <= value.headroom < 1.01
        while value.headroom >= 0:
            value = value.scaled(2).checked()
        return self


class Machine:
    """A party whose programs are checked; `records`: the smallest gap in bits between bound and exact error, by
    norm."""

    def __init__(self, party: Party, number: int, plain: int = 0) -> None:
        """number: where seeds of encryptions start; plain: number of the plaintext modulus."""
        self.party, self.number, self.plain = party, number, plain
        self.bgv = isinstance(party, BgvParty)
        self.scheme: Any = testing.bgv if self.bgv else testing.bfv
        self.n, self.t = party.n, party.t(plain)
        self.records: NDArray[np.float64] = np.full(3, np.inf)
        self.checks = self.refused = 0

    @classmethod
    def of(cls, case: Sequence[Any], bgv: bool, number: int) -> Machine:
        """With keys for conjugation and one rotation."""
        *sizes, strict = case
        literal = literal_of(sizes, bgv_literal if bgv else small_literal, strict)
        elements = [3, 2 * literal.degree - 1]
        return cls((BgvParty if bgv else Party)(literal, number, galois=elements), number)

    @property
    def top(self) -> int:
        """The highest level."""
        return len(self.party.moduli)

    def plaintext(self, polynomial: Any) -> Any:
        return self.party.plaintext(polynomial, False, self.plain)

    def encrypt(self, polynomial: Any, symmetric: bool = False) -> Value:
        self.number += 1
        message = np.asarray(polynomial, dtype=object)
        return Value(self, self.party.encrypt(message, self.number, False, self.plain, symmetric), message)

    def note(self, found: NDArray[np.float64]) -> None:
        self.records = np.minimum(self.records, found)
        self.checks += 1

    def report(self, what: str) -> None:
        """Shown with `pytest -s`, or of a failing test."""
        print(f"{what}: n {self.n}, {self.checks} checks, {self.refused} refusals, gaps {np.round(self.records, 2)}")

    def how(self) -> list[Any]:
        """Every way to multiply."""
        if self.bgv:
            return [True, False]
        return [getattr(bfv.ProductMethod, name) for name in ("behz", "hps_over_q", "hps_over_q_leveled")]


# --- polynomials ------------------------------------------------------------------------------------------------------
def rudin_shapiro(n: int) -> NDArray[np.int64]:
    """Signs whose values are below sqrt(2n) on every root of unity: as flat as can be."""
    return np.array([(-1) ** bin(i & (i >> 1)).count("1") for i in range(n)], dtype=np.int64)


def peak(n: int, index: int, largest: int) -> NDArray[np.int64]:
    """As much as coefficients up to `largest` can have on one root of unity: signs of a cosine."""
    angles = np.pi * (2 * index + 1) * np.arange(n) / n
    return np.where(np.cos(angles) >= 0, largest, -largest).astype(np.int64)


def patterns(n: int, t: int, rng: np.random.Generator) -> dict[str, NDArray[np.int64]]:
    """Messages and factors that lie where bounds are reached."""
    half = (t - 1) // 2
    return {
        "constant": np.array([half] + [0] * (n - 1)),
        "all": np.full(n, half),
        "alternating": half * (-1) ** np.arange(n),
        "rudin-shapiro": half * rudin_shapiro(n),
        "peak": peak(n, int(rng.integers(n // 2)), half),
        "monomial": np.array([0] * (n - 1) + [-half]),
        "random": rng.integers(-half, half + 1, n),
        "small": rng.integers(-1, 2, n),
    }


def matched(row: Any, largest: int) -> NDArray[np.int64]:
    """The factor of coefficients up to `largest` whose product with `row` has the largest constant coefficient for its
    length: the conjugate (Cauchy and Schwarz with equality)."""
    values = np.array([float(x) for x in row])
    conjugate = np.concatenate([values[:1], -values[:0:-1]])
    return np.rint(conjugate / max(np.abs(values).max(), 1e-300) * largest).astype(np.int64)


def flattening(row: Any, largest: int) -> NDArray[np.int64]:
    """The factor that makes the values of `row` on all roots of unity line up at the constant coefficient: all phases
    turned to 0."""
    values = np.array([float(x) for x in row])
    n = len(values)
    if not values.any():
        return np.full(n, largest, dtype=np.int64)
    twist = np.exp(1j * np.pi * np.arange(n) / n)
    spectrum = np.fft.fft(values * twist)
    factor = (np.fft.ifft(np.conj(spectrum) / np.maximum(np.abs(spectrum), 1e-300)) * np.conj(twist)).real
    return np.rint(factor / np.abs(factor).max() * largest).astype(np.int64)


def loudest_root(row: Any) -> int:
    """k where |row| is largest on exp(i pi (2k + 1)/n)."""
    values = np.array([float(x) for x in row])
    n = len(values)
    spectrum = np.abs(np.fft.fft(values * np.exp(1j * np.pi * np.arange(n) / n)))
    return int(-np.argmax(spectrum)) % n  # numpy's exponents are negative
