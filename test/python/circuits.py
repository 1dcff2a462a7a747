# SPDX-License-Identifier: Apache-2.0
"""Compiled circuits from Python, through their C interface; each is built once in a run of tests."""

from __future__ import annotations

import functools

import pytest

pytest.importorskip("amaranth", reason="amaranth, which makes the circuits, is not installed (cyclotome[fpga])")
pytest.importorskip("pyosys", reason="pyosys, which writes their Verilog, is not installed (cyclotome[fpga])")

from cyclotome_hdl.board import Board, Result, Words
from cyclotome_hdl.design import Circuit, Design, build

__all__ = ["Model", "Result", "Words", "model_of"]


class Model(Board):
    """One instance of a compiled circuit."""

    def run(self, operation: str, *operands: Words, before: tuple[Words, ...] = ()) -> Result:
        """An operation on polynomials [count][degree]; ``before`` comes before the operands among the arguments."""
        return self._run(operation, *operands, before=before)


@functools.cache
def model_of(design: Design) -> tuple[Model, Circuit]:
    """The compiled circuit, and its description."""
    return Model(design), build(design)
