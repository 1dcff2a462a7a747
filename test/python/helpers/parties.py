# SPDX-License-Identifier: Apache-2.0
"""A key's owner with everything made from explicit seeds, and the textbook that says what should come out."""

from __future__ import annotations

import functools
import math
import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from cyclotome import _core
from cyclotome._core import testing
from cyclotome._core.testing import deterministic, rlwe
from literals import ParametersLiteral
from numpy.typing import NDArray
from oracles import negacyclic
from oracles.integers import Integers, centred, compose, decompose, integers, is_prime, some_primes
from oracles.textbook_bfv import TextbookBfv, negacyclic_product

Values = NDArray[np.int64]


def seed(number: int, purpose: int = 0) -> Any:
    return testing.Seed(number.to_bytes(24, "little") + purpose.to_bytes(8, "little"))


def small_literal(
    word: int,
    degree: int,
    plain: int | Sequence[int],
    primes: int,
    special: int = 0,
    digits: int = 0,
    bits: int | None = None,
) -> Any:
    """Parameters for tests of arithmetic: as small and fast as asked for, and as insecure."""
    literal = ParametersLiteral()
    literal.degree, literal.word = degree, word
    literal.plain_moduli = [plain] if isinstance(plain, int) else list(plain)
    widest = bits if bits is not None else 30 if word == 32 else 60
    chosen = some_primes(widest, 2 * degree, primes + special + len(literal.plain_moduli))
    chosen = [p for p in chosen if all(math.gcd(p, t) == 1 for t in literal.plain_moduli)][: primes + special]
    literal.special_moduli, literal.moduli = chosen[:special], chosen[special:]
    literal.digits = digits
    literal.security, literal.allow_insecure = 0, True
    return literal


@functools.cache
def default_engine() -> Any:
    """Where parties compute unless a test says otherwise: CYCLOTOME_TEST_DEVICE is "cpu" or "cuda:<index>"."""
    device = os.environ.get("CYCLOTOME_TEST_DEVICE", "cpu")
    kind, _, index = device.partition(":")
    return _core.cuda_engine(int(index or 0)) if kind == "cuda" else _core.CpuEngine(2)


def slot_prime(degree: int, bits: int) -> int:
    """The largest plaintext modulus of this width with slots at this degree."""
    return some_primes(bits, 2 * degree, 1)[0]


def galois_group(degree: int) -> Any:
    """Of x^n + 1."""
    return _core.negacyclic_ring(degree).galois


def literal_of(case: Sequence[int], make: Callable[..., Any] = small_literal, strict: bool = False) -> Any:
    """Of (word, degree, bits of t, ciphertext primes, special primes, digits, bits of the primes): one bit is t = 2."""
    word, degree, t_bits, *rest = case
    literal = make(word, degree, 2 if t_bits == 1 else slot_prime(degree, t_bits), *rest)
    literal.strict = strict
    return literal


class Party:
    """Keys of one set of parameters, and what its ciphertexts mean in Python integers."""

    def __init__(self, literal: Any, number: int = 1, engine: Any = None, galois: Sequence[int] = ()) -> None:
        self.parameters = literal.made()
        self.engine = engine or default_engine()
        self.context = _core.Context(self.parameters, self.engine)
        self.n, self.moduli = self.parameters.degree, list(self.parameters.moduli)
        self.q, self.special = math.prod(self.moduli), math.prod(self.parameters.special_moduli)
        self.secret = deterministic.generate_secret_key(self.context, seed(number, 1))
        self.public = deterministic.generate_public_key(self.secret, seed(number, 2))
        self.evaluation = deterministic.generate_evaluation_keys(self.secret, True, list(galois), seed(number, 3))
        self.s = np.array(rlwe.coefficients(self.secret), dtype=object)

    @property
    def slack(self) -> float:
        """What decryption's auxiliary prime gamma takes of the half: k/gamma, gamma a prime of 30 or 61 bits."""
        return len(self.moduli) / 2.0 ** (29 if self.parameters.word == 32 else 60)

    def textbook(self, plain: int = 0) -> TextbookBfv:
        return TextbookBfv(self.n, self.q, self.t(plain))

    def t(self, plain: int = 0) -> int:
        return int(self.parameters.plain_moduli[plain])

    def plaintext(self, values: Any, slots: bool, plain: int = 0) -> Any:
        """From rows of integers of any size, reduced modulo t."""
        rows = np.atleast_2d(centred(np.asarray(values, dtype=object), self.t(plain))).astype(np.int64)
        return _core.encode_residues(self.context, plain, slots, rows)

    def encrypt(self, values: Any, number: int, slots: bool, plain: int = 0, symmetric: bool = False) -> Any:
        key = self.secret if symmetric else self.public
        return deterministic.encrypt(self.plaintext(values, slots, plain), key, seed(number, 4))

    def decrypt(self, ciphertext: Any, slots: bool) -> Integers:
        """Rows of values in [0, t)."""
        return integers(_core.decode_residues(_core.decrypt(ciphertext, self.secret), slots)) % self.t(ciphertext.plain)

    def parts(self, ciphertext: Any) -> list[list[Integers]]:
        """[item][part] as integers modulo q."""
        return [list(item) for item in compose(rlwe.coefficients(ciphertext), self.moduli)]

    def crafted(self, parts: Any, plain: int = 0, log2_max: float = -1e9) -> Any:
        """A ciphertext of these integers modulo q, [part][coefficient] or [item][part][coefficient]."""
        rows = np.asarray(parts, dtype=object)
        rows = rows.reshape((1,) * (3 - rows.ndim) + rows.shape)
        residues = np.ascontiguousarray(decompose(rows % self.q, self.moduli))
        return rlwe.crafted(self.context, self.secret.id, plain, residues, log2_max)

    def message(self, values: Any, slots: bool, plain: int = 0) -> Integers:
        """The plaintext polynomials of rows of values, by definition and in integers: an oracle for `encode`."""
        t, rows = self.t(plain), np.atleast_2d(np.asarray(values, dtype=object)) % self.t(plain)
        if not slots:
            return rows
        return np.array([interpolate(tuple(int(x) for x in row), t) for row in rows], dtype=object)


def slot_roots(n: int, t: int) -> list[int]:
    """Where slot i is the value of the plaintext: psi^(3^i), then psi^(-3^i), psi the least root of order 2n mod t."""
    psi = minimal_root(2 * n, t)
    exponents = [pow(3, i, 2 * n) for i in range(n // 2)]
    return [pow(psi, e, t) for e in exponents] + [pow(psi, -e, t) for e in exponents]


@functools.lru_cache
def minimal_root(order: int, p: int) -> int:
    assert is_prime(p) and p % order == 1
    some = next(x for g in range(2, p) if pow(x := pow(g, (p - 1) // order, p), order // 2, p) == p - 1)
    return min(pow(some, odd, p) for odd in range(1, order, 2))


def interpolate(values: Sequence[int], t: int) -> list[int]:
    """The polynomial of degree below n with value i at root i: (1/n) sum of v_i root_i^-j for every j."""
    n = len(values)
    roots = slot_roots(n, t)
    inverse_n = pow(n, -1, t)
    return [sum(v * pow(r, -j, t) for v, r in zip(values, roots, strict=True)) * inverse_n % t for j in range(n)]


def product_of_values(a: Any, b: Any, slots: bool, t: int) -> Integers:
    """What a product of plaintexts holds: products slot by slot, or negacyclic convolutions of coefficients."""
    x, y = np.broadcast_arrays(np.atleast_2d(a), np.atleast_2d(b))
    if slots:
        return x * y % t
    return np.array([negacyclic_product(u, v) % t for u, v in zip(x, y, strict=True)], dtype=object)


def permuted(values: Any, element: int, slots: bool, t: int) -> Integers:
    """What x -> x^element makes of values: coefficients move with a sign, slots as the roots they stand at."""
    rows = np.atleast_2d(values)
    if not slots:
        return np.array([negacyclic.automorphism(row, element, t) for row in rows], dtype=object)
    n = rows.shape[1]
    exponents = [pow(3, i, 2 * n) for i in range(n // 2)]
    exponents += [2 * n - e for e in exponents]
    where = {e: i for i, e in enumerate(exponents)}
    return rows[:, [where[e * element % (2 * n)] for e in exponents]]
