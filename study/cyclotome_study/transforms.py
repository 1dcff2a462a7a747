# SPDX-License-Identifier: Apache-2.0
"""Ways to transform polynomials, by name: products modulo x^n + 1 and a prime through each of them, on any device.

The same names choose what a scheme's transforms are: ``device="cpu/d5"``, ``device="cuda:0/dgt-stockham"``.

    >>> from cyclotome_study import transforms
    >>> transforms.names()[:7]
    ('ntt', 'd1', 'd2', 'd3', 'd4', 'd5', 'dgt')
    >>> dgt = transforms.Transform("dgt", 8, 31)  # 31 = 3 mod 4: no other transform takes it
    >>> dgt.multiply([0, 0, 0, 0, 1, 0, 0, 0], [0, 0, 0, 0, 0, 3, 0, 0])  # 3 x^9 = -3 x
    array([ 0, 28,  0,  0,  0,  0,  0,  0], dtype=uint64)
    >>> transforms.Transform("dgt-stockham", 64, 12289).steps()
    ['transforms of 32 values, 1 apart, in radix 8, 4 and 2']
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from cyclotome import _core
from cyclotome.devices.contexts import device_name, engine_on
from cyclotome.devices.transform_designs import NTT
from cyclotome.devices.transform_designs import names as all_names
from cyclotome.errors import ArgumentError, EngineError, RangeError
from numpy.typing import NDArray

__all__ = ["Design", "Transform", "designs", "names"]

#: NumPy divides these by any prime at once, and leaves no negative rest.
_WORDS = (np.dtype(np.int64), np.dtype(np.uint64))
#: Integers of any sign and size, of shape (..., n).
Integers = Sequence[Any] | NDArray[Any]


@dataclass(frozen=True)
class Design:
    """What is known of a design by itself.

    Attributes:
        name: as `Transform` and devices take it: "d5".
        label: as the papers and the benchmark's records have it: "D5".
        source: where it is from.
    """

    name: str
    label: str
    source: str


def designs() -> tuple[Design, ...]:
    """Every design, the device's own transform first."""
    own = Design(NTT, "NTT", "paper 001, Algorithms 1 and 2: the device's own transform")
    return (own, *(Design(*facts) for facts in _core.transform_designs()))


def names() -> tuple[str, ...]:
    """The names of `designs`."""
    return all_names()


class Transform:
    """Polynomials modulo x^n + 1 and a prime, transformed by one design on one device. Immutable.

    Values of "dgt" and "dgt-stockham" are n/2 Gaussian residues, real parts in the first half and imaginary parts in
    the second; of all other designs n residues, in the library's order, bit for bit those of every device.

    Args:
        design: one of `names`.
        n: a power of two from 2 to 2^17; from 4 for "dgt", "dgt-stockham" and "four-step", from 64 for "d4", up to 32
            KB of residues for "d3".
        prime: 1 modulo 2n, below 2^61. The DGTs also take primes that are 3 modulo 4 if n divides p + 1 (erratum
            000-1: no others).
        device: "cpu", "cpu:<threads>", "cuda:<index>".
        word: bits of the words in which residues are kept, 32 or 64; None: 32 for primes below 2^30.

    Raises:
        EngineError: no such design, with the names there are; no such device, or one that has a design already.
        ParameterError: a prime without the transform, or another n.
        ArgumentError: an n that the design does not do, or another word.
    """

    __slots__ = ("_native", "design", "device", "n", "prime")

    def __init__(
        self, design: str, n: int, prime: int, device: str = "cpu", *, word: Literal[32, 64] | None = None
    ) -> None:
        if "/" in device:
            raise EngineError(f"device {device!r} names a transform already; here the design is an argument of its own")
        for what, value, most in (("n", n, 1 << 62), ("prime", prime, 1 << 64)):
            if not isinstance(value, (int, np.integer)) or not 0 <= value < most:
                raise ArgumentError(f"{what} is a whole number from 0 to {most - 1}, not {value!r}")
        self.design = design
        self.n = int(n)
        self.prime = int(prime)
        self.device = device_name(f"{device_name(device)}/{design}")
        self._native = _core.PolynomialTransform(engine_on(self.device), self.n, self.prime, word)

    @property
    def gaussian(self) -> bool:
        """Whether values are Gaussian residues."""
        return self._native.gaussian

    @property
    def word(self) -> int:
        """Bits of the words in which residues are kept."""
        return self._native.word

    @property
    def root(self) -> int | tuple[int, int]:
        """The root whose powers polynomials are evaluated at: psi, of order 2n; of a DGT the real and the imaginary
        part of h, h^(n/2) = i."""
        first, *second = self._native.root
        return (first, second[0]) if second else first

    @property
    def exponents(self) -> list[int]:
        """For each value the exponent of the root that it is the value at; a DGT evaluates the folded polynomial, whose
        coefficient j is a_j + i a_(j + n/2)."""
        return self._native.exponents

    def steps(self, *, inverse: bool = False) -> list[str]:
        """What a transform does, one kernel after the other, in words."""
        if self.design == NTT:
            return ["the device's own transform"]
        return _core.transform_steps(self.design, self.n, self.word, inverse)

    def forward(self, a: Integers) -> NDArray[np.uint64]:
        """Transforms polynomials.

        Args:
            a: coefficients, integers of shape (..., n), of any sign and size; they count modulo the prime.

        Returns:
            Values in [0, prime), of the same shape.

        Raises:
            ArgumentError: another shape, or no integers.
        """
        flat, shape = self._residues(a, reduce=True)
        return self._native.forward(flat).reshape(shape)

    def inverse(self, values: Integers) -> NDArray[np.uint64]:
        """Transforms values back, scaled.

        Args:
            values: as `forward` makes them, integers in [0, prime) of shape (..., n).

        Returns:
            Coefficients in [0, prime), of the same shape.

        Raises:
            ArgumentError: another shape, or no integers.
            RangeError: a value that is not in [0, prime).
        """
        flat, shape = self._residues(values, reduce=False)
        return self._native.inverse(flat).reshape(shape)

    def multiply_values(self, a: Integers, b: Integers) -> NDArray[np.uint64]:
        """Products of values, one by one: the values of the polynomials' products. Arguments and errors as `inverse`;
        both of one shape."""
        (x, shape), (y, other) = (self._residues(values, reduce=False) for values in (a, b))
        self._require_same(shape, other)
        return self._native.multiply_values(x, y).reshape(shape)

    def multiply(self, a: Integers, b: Integers) -> NDArray[np.uint64]:
        """a b modulo x^n + 1 and the prime: transforms, products of values, and back.

        Args:
            a: coefficients as `forward` takes them.
            b: as many.

        Returns:
            Coefficients in [0, prime), of the same shape.

        Raises:
            ArgumentError: another shape, or no integers.
        """
        (x, shape), (y, other) = (self._residues(values, reduce=True) for values in (a, b))
        self._require_same(shape, other)
        return self._native.multiply(x, y).reshape(shape)

    def microseconds(self, *, inverse: bool = False, batch: int = 1, repetitions: int = 10) -> float:
        """Of one transform of `batch` polynomials at once: the mean of so many in a row after one that warms up;
        processor time on one thread ("cpu:1"), else by the host's clock. Raises ArgumentError for a batch or
        repetitions below 1."""
        if batch < 1 or repetitions < 1:
            raise ArgumentError(f"batch {batch} and repetitions {repetitions}: both are at least 1")
        return self._native.time(inverse, batch, repetitions) / repetitions / 1000

    def _residues(self, values: Integers, *, reduce: bool) -> tuple[NDArray[np.uint64], tuple[int, ...]]:
        """Integers as residues in one row, and their shape."""
        array = np.asarray(values)
        if array.dtype.kind not in "iu":
            array = np.asarray(values, dtype=object)
            wrong = [x for x in array.flat if not isinstance(x, (int, np.integer)) or isinstance(x, bool)]
            if wrong:
                raise ArgumentError(f"polynomials have whole numbers as coefficients, not {wrong[0]!r}")
        if array.ndim == 0 or array.shape[-1] != self.n or array.size == 0:
            raise ArgumentError(f"an array of shape {array.shape} holds no polynomials of {self.n} coefficients each")
        if reduce:
            array = array % array.dtype.type(self.prime) if array.dtype in _WORDS else array.astype(object) % self.prime
        elif any(not 0 <= x < self.prime for x in (array.min(), array.max())):
            raise RangeError(
                f"values of a transform are in [0, {self.prime}); there are some from {array.min()} to {array.max()}"
            )
        return np.ascontiguousarray(array.astype(np.uint64)).reshape(-1), array.shape

    def _require_same(self, shape: tuple[int, ...], other: tuple[int, ...]) -> None:
        if shape != other:
            raise ArgumentError(f"operands of shapes {shape} and {other}; both need the same")

    def __repr__(self) -> str:
        return f"Transform({self.design!r}, {self.n}, {self.prime}, device={self.device!r})"
