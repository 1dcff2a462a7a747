# SPDX-License-Identifier: Apache-2.0
"""Paper 004's second multiplier: Cooley and Tukey's transform (Algorithm 3), with one, two or four pipes."""

from __future__ import annotations

from .design import Circuit, Design
from .single_pipe import SinglePipe
from .stages import Bits, Stage, backwards, straight


class CooleyTukeySingle(SinglePipe):
    """One pipe. Rows of two words hold those that a butterfly needs: stage i pairs words that differ in bit i.

    Consecutive ticks take pairs that differ in bit i + 1, and exchange results, so that rows hold the pairs of the next
    stage. Row and tick have bit i+1 of the position at bit i and bit 0.
    """

    def __init__(self, design: Design) -> None:
        n = design.log_degree
        inner = [_stage(n, i) for i in range(n - 1)]
        line = straight(n - 1)
        forward, inverse = Stage(line, backwards(n - 1), False, line), Stage(line, line, False, line)
        super().__init__(design, [*inner, forward], [*inner, inverse])


def _stage(n: int, i: int) -> Stage:
    order: Bits = (*range(1, i + 1), 0, *range(i + 1, n - 1))
    exponent: Bits = (*[None] * (n - 1 - i), *range(1, i + 1))
    return Stage(order, order, True, exponent)


def CooleyTukey(design: Design) -> Circuit:  # noqa: N802 — it stands for a class
    """The design "cooley-tukey"."""
    return CooleyTukeySingle(design)
