# SPDX-License-Identifier: Apache-2.0
"""Paper 002's arithmetic of polynomials modulo Phi_m and q = p_0 ... p_(t-1), and what it keeps in memory.

    >>> from cyclotome_study.ltv_arithmetic import Arithmetic
    >>> ring = Arithmetic(15, [65521, 65519])
    >>> x = ring.polynomial([1, 2, 3])
    >>> ring.coefficients(ring.multiply(x, x))
    [1, 4, 10, 12, 9, 0, 0, 0]

A polynomial is in one of three domains: "RAW" (integers in [0, q)), "CRT" (residues) and "NTT" (their transforms modulo
P = 2^64 - 2^32 + 1, of at least 2n points). The paper exchanges polynomials with NTL; this does with python-flint.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from cyclotome import _core
from cyclotome.errors import ArgumentError

if TYPE_CHECKING:
    from cyclotome_study.ltv_parameters import EvaluationKeys, Parameters

__all__ = ["Arithmetic", "PlannedItem", "memory_plan"]

Domain = Literal["RAW", "CRT", "NTT"]


class Arithmetic:
    """Polynomials modulo Phi_m and the primes. Immutable.

    Args:
        cyclotomic: m, odd and squarefree, phi(m) up to 32768.
        primes: distinct odd primes p with phi(m) (p - 1)^2 < P.

    Raises:
        ParameterError: as above; the message names the value, the limit and the way out.
    """

    def __init__(self, cyclotomic: int, primes: Sequence[int]) -> None:
        self._native = _core.LtvArithmetic.create(cyclotomic, list(primes))

    @classmethod
    def of(cls, parameters: Parameters) -> Arithmetic:
        """That of parameters of LTV."""
        arithmetic = cls.__new__(cls)
        arithmetic._native = parameters.native.arithmetic
        return arithmetic

    @property
    def native(self) -> _core.LtvArithmetic:
        """What the library computes with: conversions and products, step by step."""
        return self._native

    @property
    def degree(self) -> int:
        """n = phi(m)."""
        return self._native.degree

    @property
    def primes(self) -> list[int]:
        """All of them."""
        return self._native.primes

    def modulus(self, primes: int | None = None) -> int:
        """q of the first `primes` primes; None: of all."""
        return self._native.modulus(len(self.primes) if primes is None else primes)

    def polynomial(
        self, coefficients: Iterable[Any], *, primes: int | None = None, domain: Domain = "CRT"
    ) -> _core.LtvPolynomial:
        """A polynomial from its coefficients, or from one of python-flint (fmpz_poly, fmpz_mod_poly, nmod_poly).

        Args:
            coefficients: up to n integers, from x^0 up; taken modulo q.
            primes: how many of the primes; None: all.
            domain: of the result.

        Raises:
            ArgumentError: more than n coefficients.
        """
        count = len(self.primes) if primes is None else primes
        q = self.modulus(count)
        listed = coefficients.coeffs() if hasattr(coefficients, "coeffs") else coefficients
        values = [int(c) % q for c in listed]
        if len(values) > self.degree:
            raise ArgumentError(
                f"polynomial: {len(values)} coefficients; reduced ones have up to {self.degree}, so reduce modulo Phi_m"
            )
        width = 4 * math.ceil(q.bit_length() / 32)
        packed = b"".join(value.to_bytes(width, "little") for value in values).ljust(width * self.degree, b"\0")
        words = np.frombuffer(packed, dtype="<u4").astype(np.uint32).reshape(self.degree, -1)
        return self._native.to(self._native.raw(words, count), domain)

    def coefficients(self, polynomial: _core.LtvPolynomial) -> list[int]:
        """n integers in [0, q), from any domain."""
        rows = self._native.to(polynomial, "RAW").words()
        return [int.from_bytes(row.astype("<u4").tobytes(), "little") for row in rows]

    def to_flint(self, polynomial: _core.LtvPolynomial) -> Any:
        """The same as python-flint's fmpz_poly, coefficients in [0, q)."""
        import flint

        return flint.fmpz_poly(self.coefficients(polynomial))

    def multiply(self, a: _core.LtvPolynomial, b: _core.LtvPolynomial) -> _core.LtvPolynomial:
        """a b modulo Phi_m, in the CRT domain, from any domains."""
        return self._native.multiply(self._native.to(a, "CRT"), self._native.to(b, "CRT"))


@dataclass(frozen=True)
class PlannedItem:
    """One row of table 3."""

    #: The paper's name.
    item: str
    #: Where the paper keeps it.
    memory: str
    #: The paper's formula for its bytes, at level 0, and what comes of it.
    formula: str
    formula_bytes: int
    #: What this library has allocated for it, at level 0; for keys that were not made yet what they will take.
    allocated: int
    #: Why the two differ, if they do.
    note: str = ""


def memory_plan(parameters: Parameters, evaluation: EvaluationKeys | None = None) -> list[PlannedItem]:
    """Table 3 for any parameters, beside the bytes really allocated; the last row is what the paper doesn't list.

    Args:
        parameters: of the scheme.
        evaluation: keys, whose bytes are then counted, not computed.
    """
    p = parameters
    d, bits, window = p.levels, p.prime_bits, p.window
    n = 1 << (p.degree - 1).bit_length()  # the paper stores 8190 coefficients as 8192
    arithmetic = p.native.arithmetic
    held = arithmetic.constant_bytes(d)
    digits = math.ceil(d * bits / window)
    keys = evaluation.native.nbytes if evaluation else 8 * p.native.digits(d) * d * arithmetic.points
    padding = "" if n == p.degree else f"rows of n = {p.degree}, not {n}"
    cofactors = 4 * d * math.ceil((d - 1) * bits / 32)
    modulus = f"{padding}; " if padding else ""
    wider = "words of q, not of q/p_j" if held[2] != cofactors else ""
    rows = [
        PlannedItem("P", "constant", "4d", 4 * d, held[0]),
        PlannedItem("q_i", "constant", "4 ceil((d-i) B_p / 32)", 4 * math.ceil(d * bits / 32), held[1]),
        PlannedItem("Q*_i", "constant", "4 (d-i) ceil((d-i-1) B_p / 32)", cofactors, held[2], wider),
        PlannedItem("Q+_i", "constant", "4 (d-i)", 4 * d, held[3]),
        PlannedItem("P^-1", "constant", "2 d (d-1)", 2 * d * (d - 1), held[4]),
        PlannedItem("M", "texture", "4 d n", 4 * d * n, held[5], modulus + "and the leading coefficient"),
        PlannedItem("M^", "texture", "16 d n", 16 * d * n, held[6]),
        PlannedItem("U^", "texture", "16 d n", 16 * d * n, held[7]),
        PlannedItem("EK^", "global", "16 d n ceil(d B_p / w)", 16 * d * n * digits, int(keys)),
        PlannedItem("twiddles", "texture", "16 n (not in table 3)", 16 * n, held[8]),
    ]
    return rows
