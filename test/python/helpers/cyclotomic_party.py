# SPDX-License-Identifier: Apache-2.0
"""A key's owner of bits over Phi_m, and exact norms of what its ciphertexts hold."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from cyclotome import _core
from cyclotome._core import testing
from cyclotome._core.testing import deterministic, rlwe, shapes
from literals import ParametersLiteral
from numpy.typing import NDArray
from oracles import cyclotomic
from oracles.integers import Integers, centred, compose, is_prime
from parties import default_engine, seed


def smallest_primes(step: int, count: int, above: int = 0) -> list[int]:
    """1 modulo step, ascending."""
    primes: list[int] = []
    p = above // step * step + 1
    while len(primes) < count:
        if p > above and p > 1 and is_prime(p):
            primes.append(p)
        p += step
    return primes


def bit_literal(
    m: int, primes: int, special: int, word: int = 64, above: int = 0, t: int = 2, scheme: str = "bgv"
) -> Any:
    """Parameters for tests: the smallest primes above a number."""
    literal = ParametersLiteral()
    literal.scheme, literal.cyclotomic, literal.word, literal.plain_moduli = scheme, m, word, [t]
    chosen = smallest_primes(shapes.cyclotomic(m).transform_step, primes + special, above)
    literal.moduli, literal.special_moduli = chosen[:primes], chosen[primes:]
    literal.security, literal.allow_insecure = 0, True
    return literal


class Embedding:
    """Values of polynomials at all roots of Phi_m, from coefficients in their places; by an FFT of length m."""

    def __init__(self, shape: Any) -> None:
        self.m, self.n, group = shape.index, shape.degree, shape.galois
        self.units = np.array(cyclotomic.units(self.m))
        self.places = np.array([shapes.slot(group, shapes.inverse(group, int(j))) for j in self.units])

    def values(self, coefficients: Any) -> NDArray[np.complex128]:
        spread = np.zeros(self.m)
        spread[self.units] = np.asarray(coefficients, dtype=float)[self.places]
        return np.asarray(np.fft.fft(spread)[self.units])

    def norms(self, coefficients: Any) -> NDArray[np.float64]:
        """log2 of the three norms of doc/noise.md."""
        largest = max(max(abs(int(x)) for x in coefficients), 1)
        values = np.abs(self.values([int(x) / largest for x in coefficients]))
        mean = math.sqrt(float(np.sum(values**2))) / self.n
        found = np.array([1, mean, float(values.max()) / math.sqrt(self.n)])
        return np.log2(np.where(found > 0, found, np.finfo(float).tiny)) + math.log2(largest)  # a phase may be 0


class BitParty:
    """Keys from explicit seeds."""

    def __init__(self, literal: Any, number: int = 1, galois: Any = ()) -> None:
        self.parameters = literal.made()
        self.context = _core.Context(self.parameters, default_engine())
        self.shape = shapes.cyclotomic(literal.cyclotomic)
        self.slots = testing.FieldSlots.of(self.shape, 2)
        self.embedding = Embedding(self.shape)
        self.moduli = list(self.parameters.moduli)
        self.secret = deterministic.generate_secret_key(self.context, seed(number, 1))
        self.public = deterministic.generate_public_key(self.secret, seed(number, 2))
        self.evaluation = deterministic.generate_evaluation_keys(self.secret, True, list(galois), seed(number, 3))

    def encrypt(self, elements: Any, number: int, symmetric: bool = False) -> Any:
        rows = np.atleast_2d(np.asarray(elements, dtype=np.int64))
        plaintext = _core.encode_residues(self.context, 0, True, rows)
        return deterministic.encrypt(plaintext, self.secret if symmetric else self.public, seed(number, 4))

    def decrypt(self, ciphertext: Any) -> NDArray[np.int64]:
        return np.asarray(_core.decode_residues(_core.decrypt(ciphertext, self.secret), True))

    def phases(self, ciphertext: Any) -> Integers:
        moduli = self.moduli[: ciphertext.limbs]
        return centred(compose(rlwe.phase(self.secret, ciphertext), moduli), math.prod(moduli))[:, 0]

    def errors(self, ciphertext: Any) -> tuple[Integers, int]:
        """What bounds are about, and what it is to be divided by: the whole phase (BGV), or phase - (q/t) m (BFV)."""
        if self.parameters.has_levels:
            return self.phases(ciphertext), 1
        t, moduli = self.parameters.plain_moduli[0], self.moduli[: ciphertext.limbs]
        return centred(compose(rlwe.phase(self.secret, ciphertext), moduli) * t, math.prod(moduli))[:, 0], t

    def norms(self, ciphertext: Any) -> NDArray[np.float64]:
        """The largest of every norm of all items."""
        rows, divisor = self.errors(ciphertext)
        return np.max([self.embedding.norms(row) for row in rows], axis=0) - math.log2(divisor)

    def assert_bounded(self, ciphertext: Any) -> NDArray[np.float64]:
        """Bits that the bound is above the exact norms; none is negative."""
        gaps = np.array(ciphertext.noise) - self.norms(ciphertext)
        assert gaps.min() > -1e-9, (ciphertext.noise, self.norms(ciphertext))
        return gaps
