# SPDX-License-Identifier: Apache-2.0
"""Paper 004's second multiplier: Cooley and Tukey's transform (Algorithm 3), with one, two or four pipes."""

from __future__ import annotations

from .design import Circuit, Design
from .several_pipes import SeveralPipes
from .single_pipe import SinglePipe
from .stages import Stage, backwards, paired_in_rows, straight


class CooleyTukeySingle(SinglePipe):
    """One pipe: the last forward stage writes its pairs in bit-reversed order, as the inverse transform reads them."""

    def __init__(self, design: Design) -> None:
        n = design.log_degree
        inner = [paired_in_rows(n, i) for i in range(n - 1)]
        line = straight(n - 1)
        forward, inverse = Stage(line, backwards(n - 1), False, line), Stage(line, line, False, line)
        super().__init__(design, [*inner, forward], [*inner, inverse])


def cooley_tukey(design: Design) -> Circuit:
    """The design "cooley-tukey"."""
    return CooleyTukeySingle(design) if design.pipes == 1 else SeveralPipes(design)
