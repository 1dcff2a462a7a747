# SPDX-License-Identifier: Apache-2.0
"""What every timed operation must give, computed by NumPy from the plain values."""

from __future__ import annotations

from typing import Any

import numpy as np
from cyclotome.errors import CyclotomeError

from cyclotome_bench.sets import BEHZ_OPERATIONS, Problem

__all__ = ["Truth", "WrongResultError"]

Values = np.ndarray[Any, np.dtype[np.int64]]

_PRODUCTS = (
    "multiply_plain",
    "multiply_plain_transformed",
    "multiply",
    "relinearize",
    "multiply_relinearize",
    "relinearization_key",
    *BEHZ_OPERATIONS,
)


class WrongResultError(CyclotomeError):
    """A timed operation decrypted to something else than NumPy's result: no time of this build can be trusted."""


class Truth:
    """Two rows of random values in [0, t) and what the operations make of them.

    Values stand in slots, two rows of n/2, if t = 1 mod 2n; else they are coefficients, products are negacyclic
    convolutions and a rotation is x -> x^3.
    """

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        rng = np.random.default_rng(problem.degree)
        self.x: Values = rng.integers(0, problem.plain_modulus, problem.degree, dtype=np.int64)
        self.y: Values = rng.integers(0, problem.plain_modulus, problem.degree, dtype=np.int64)

    def centred(self, values: Values) -> Values:
        """Representatives in [-t/2, t/2], which this library's encoder asks for."""
        t = self.problem.plain_modulus
        return values - t * (values > t // 2)

    def expected(self, operation: str) -> Values:
        """The plain result of an operation, in [0, t)."""
        t = self.problem.plain_modulus
        if operation == "add":
            return (self.x + self.y) % t
        if operation == "rotate":
            return self._rotated(self.x) % t
        if operation in _PRODUCTS:
            return self._product() % t
        return self.x

    def check(self, library: str, operation: str, values: Values) -> None:
        """Raises WrongResultError unless `values`, modulo t, are what the operation must give."""
        wrong = np.flatnonzero(values % self.problem.plain_modulus != self.expected(operation))
        if wrong.size:
            p = self.problem
            raise WrongResultError(
                f"{library} computed {operation} wrongly on {p.scheme} {p.name}: {wrong.size} of {p.degree} values "
                f"differ from NumPy's, the first at position {wrong[0]}; run `cyclotome doctor` and the tests"
            )

    def _rotated(self, values: Values) -> Values:
        n = self.problem.degree
        if self.problem.slots:
            return np.roll(values.reshape(2, n // 2), -1, axis=1).reshape(-1)
        exponents = 3 * np.arange(n) % (2 * n)
        out = np.zeros(n, np.int64)
        out[exponents % n] = np.where(exponents < n, values, -values)
        return out

    def _product(self) -> Values:
        if self.problem.slots:
            return self.x * self.y
        # |coefficients| <= t/2 and n t^2/4 < 2^40: far inside what 53 bits hold after rounding.
        n = self.problem.degree
        spectra = np.fft.rfft(self.centred(self.x), 2 * n) * np.fft.rfft(self.centred(self.y), 2 * n)
        product = np.rint(np.fft.irfft(spectra, 2 * n)).astype(np.int64)
        return product[:n] - product[n:]
