# SPDX-License-Identifier: Apache-2.0
"""A simulated circuit from Python, through the C interface that the library's engine uses too."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from cyclotome.errors import EngineError
from numpy.typing import NDArray

from ..designs.design import Design
from . import simulation
from .simulation import Progress

Words = NDArray[np.uint64]


class Result(NamedTuple):
    """Polynomials, and what the circuit counted: ticks of all operations, and from one result to the next."""

    words: Words
    ticks: int
    interval: int


class Board:
    """One instance of a design's compiled circuit; it is built first where it was not before.

    Polynomials are arrays [count][degree] of residues in [0, p). Raises EngineError with the circuit's own text where
    it refuses a prime, a root or an operand, and where a tool for building is missing or fails.
    """

    def __init__(self, design: Design, *, progress: Progress | None = None) -> None:
        self.design = design
        self._library = ctypes.CDLL(str(simulation.model(design, progress=progress)))
        self._library.cyclotome_circuit_create.restype = ctypes.c_void_p
        self._library.cyclotome_circuit_error.restype = ctypes.c_char_p
        self._handle = ctypes.c_void_p(self._library.cyclotome_circuit_create())
        if not self._handle:
            raise EngineError(f"there is no memory for the circuit {design.title}")

    def __del__(self) -> None:
        handle = getattr(self, "_handle", None)
        if handle:
            self._library.cyclotome_circuit_destroy(handle)

    def load(self, modulus: int, root: int) -> None:
        """The tables of a prime and of a primitive 2N-th root of unity modulo it."""
        self._call("load", ctypes.c_uint64(modulus), ctypes.c_uint64(root))

    def multiply(self, a: Words, b: Words) -> Result:
        """a b modulo x^N + 1 and the loaded prime."""
        return self._run("multiply", a, b)

    def multiply_each(self, moduli: Sequence[int], roots: Sequence[int], a: Words, b: Words) -> Result:
        """Product k is modulo moduli[k]; for circuits that can have several primes in flight."""
        primes = [np.array(each, dtype=np.uint64) for each in (moduli, roots)]
        if not len(primes[0]) == len(primes[1]) == len(a):
            raise EngineError(f"{len(a)} products need as many moduli and roots, not {len(moduli)} and {len(roots)}")
        return self._run("multiply_each", a, b, before=primes)

    def forward(self, a: Words) -> Result:
        """Transforms, in bit-reversed order."""
        return self._run("forward", a)

    def inverse(self, a: Words) -> Result:
        """What `forward` transforms into a."""
        return self._run("inverse", a)

    def _run(self, operation: str, *operands: Words, before: Sequence[Words] = ()) -> Result:
        shape = (len(operands[0]), self.design.degree)
        if any(each.shape != shape for each in operands):
            shapes = " and ".join(str(each.shape) for each in operands)
            raise EngineError(f"operands of the shape {shapes}; this circuit takes [count][{self.design.degree}]")
        arrays = [np.ascontiguousarray(each, dtype=np.uint64) for each in (*before, *operands)]
        out = np.empty(shape, dtype=np.uint64)
        ticks, interval = ctypes.c_uint64(), ctypes.c_uint64()
        pointers = [each.ctypes.data_as(ctypes.c_void_p) for each in (*arrays, out)]
        self._call(operation, ctypes.c_uint64(len(out)), *pointers, ctypes.byref(ticks), ctypes.byref(interval))
        return Result(out, ticks.value, interval.value)

    def _call(self, name: str, *arguments: Any) -> None:
        if getattr(self._library, f"cyclotome_circuit_{name}")(self._handle, *arguments) != 0:
            raise EngineError(self._library.cyclotome_circuit_error(self._handle).decode())


def a_root(degree: int, p: int) -> int:
    """A primitive 2N-th root of unity modulo a prime p = 1 (mod 2N)."""
    candidates = (pow(g, (p - 1) // (2 * degree), p) for g in range(2, p))
    return next(root for root in candidates if pow(root, degree, p) == p - 1)


def a_prime(design: Design) -> int:
    """The least prime that a design takes from the middle of its range on (a Fermat test is enough for counting)."""
    least, largest = design.moduli
    if least == largest:
        return least
    unit = 2 * design.degree
    first = least + (-(least - 1)) % unit if design.reduction == "fold" else (largest // 2 // unit) * unit + 1
    return next(p for p in range(first, largest, unit) if all(pow(b, p - 1, p) == 1 for b in (2, 3, 5, 7)))


def count_ticks(design: Design) -> tuple[int, int]:
    """Ticks that a simulated circuit counts for one product, and from one product to the next."""
    board, p = Board(design), a_prime(design)
    board.load(p, a_root(design.degree, p))
    one = np.full((1, design.degree), p - 1, dtype=np.uint64)
    three = np.repeat(one, 3, axis=0)
    return board.multiply(one, one).ticks, board.multiply(three, three).interval
