# SPDX-License-Identifier: Apache-2.0
"""Compiled circuits from Python, through their C interface; each is built once in a run of tests."""

from __future__ import annotations

import ctypes
import functools
from typing import Any, NamedTuple

import numpy as np
import pytest

pytest.importorskip("amaranth", reason="amaranth, which makes the circuits, is not installed (cyclotome[fpga])")
pytest.importorskip("pyosys", reason="pyosys, which writes their Verilog, is not installed (cyclotome[fpga])")

from cyclotome_hdl import simulation
from cyclotome_hdl.design import Circuit, Design, build

Words = np.ndarray[Any, np.dtype[np.uint64]]


class Result(NamedTuple):
    """Polynomials, and what the circuit says it took."""

    words: Words
    ticks: int
    interval: int


class Model:
    """One instance of a compiled circuit."""

    def __init__(self, design: Design) -> None:
        self.design = design
        self.library = ctypes.CDLL(str(simulation.model(design)))
        self.library.cyclotome_circuit_create.restype = ctypes.c_void_p
        self.library.cyclotome_circuit_error.restype = ctypes.c_char_p
        self.handle = ctypes.c_void_p(self.library.cyclotome_circuit_create())

    def load(self, modulus: int, root: int) -> None:
        """Raises RuntimeError with the circuit's own text."""
        self._call("load", ctypes.c_uint64(modulus), ctypes.c_uint64(root))

    def run(self, operation: str, *operands: Words, before: tuple[Words, ...] = ()) -> Result:
        """An operation on polynomials [count][degree]; ``before`` comes before the operands among the arguments."""
        arrays = [np.ascontiguousarray(each, dtype=np.uint64) for each in (*before, *operands)]
        out = np.empty_like(arrays[-1])
        ticks, interval = ctypes.c_uint64(), ctypes.c_uint64()
        pointers = [each.ctypes.data_as(ctypes.c_void_p) for each in (*arrays, out)]
        count = ctypes.c_uint64(len(out))
        self._call(operation, count, *pointers, ctypes.byref(ticks), ctypes.byref(interval))
        return Result(out, ticks.value, interval.value)

    def _call(self, name: str, *arguments: Any) -> None:
        if getattr(self.library, f"cyclotome_circuit_{name}")(self.handle, *arguments) != 0:
            raise RuntimeError(self.library.cyclotome_circuit_error(self.handle).decode())


@functools.cache
def model_of(design: Design) -> tuple[Model, Circuit]:
    """The compiled circuit, and its description."""
    return Model(design), build(design)
