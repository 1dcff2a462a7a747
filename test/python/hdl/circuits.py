# SPDX-License-Identifier: Apache-2.0
"""Compiled circuits from Python, through their C interface; each is built once in a run of tests."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest

pytest.importorskip("amaranth", reason="amaranth, which makes the circuits, is not installed")
pytest.importorskip("pyosys", reason="pyosys, which writes their Verilog, is not installed")

from cyclotome_hdl.boards.board import Board, Result, Words, a_root
from cyclotome_hdl.designs.design import Circuit, Design, build
from oracles.integers import random_below, words
from oracles.negacyclic import schoolbook

__all__ = ["Model", "Result", "Words", "expected", "label", "model_of", "polynomials", "root_of"]


class Model(Board):
    """One instance of a compiled circuit."""

    def run(self, operation: str, *operands: Words, before: tuple[Words, ...] = ()) -> Result:
        """An operation on polynomials [count][degree]; ``before`` comes before the operands among the arguments."""
        return self._run(operation, *operands, before=before)


@functools.cache
def model_of(design: Design) -> tuple[Model, Circuit]:
    """The compiled circuit, and its description."""
    return Model(design), build(design)


def label(value: Any) -> str:
    return value.label if isinstance(value, Design) else str(value)


def polynomials(rng: np.random.Generator, design: Design, p: int, count: int) -> Words:
    """Random ones, and one of the largest residues."""
    drawn = words(random_below(rng, p, (count - 1, design.degree)))
    return np.concatenate([drawn, np.full((1, design.degree), p - 1, dtype=np.uint64)])


def root_of(design: Design, p: int) -> int:
    """A primitive 2N-th root of unity; the library looks for none modulo primes of 62 bits or more."""
    return a_root(design.degree, p)


def expected(a: Words, b: Words, p: int) -> list[list[int]]:
    return [schoolbook([int(x) for x in x], [int(y) for y in y], p) for x, y in zip(a, b, strict=True)]
