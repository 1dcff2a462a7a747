# SPDX-License-Identifier: Apache-2.0
"""Paper 004's first multiplier: Pease's transform (Algorithm 2), whose stages all have the same geometry.

Stage i turns words 2j, 2j+1 into words j, j + N/2 with the power floor(j / 2^(n-1-i)) 2^(n-1-i) of omega. Words of even
and odd position lie in RAMs of their own; both results of a butterfly have the same parity, so that neighbouring ticks
exchange theirs before they are written. The last forward stage goes through its words in bit-reversed order: its
results come in the pairs that the inverse transform starts with.
"""

from __future__ import annotations

from .design import Design
from .single_pipe import SinglePipe
from .stages import Bits, Stage, backwards, straight


class Pease(SinglePipe):
    """The design "pease"."""

    def __init__(self, design: Design) -> None:
        n = design.log_degree
        forward = [_stage(n, i) for i in range(n - 1)]
        turned = backwards(n - 1)
        last = Stage(turned, straight(n - 1), False, turned)
        inverse = [_stage(n, i) for i in range(n - 1)]
        super().__init__(design, [*forward, last], [*inverse, Stage(*2 * (straight(n - 1),), False, straight(n - 1))])


def _stage(n: int, i: int) -> Stage:
    kept: Bits = tuple(bit if bit >= n - 1 - i else None for bit in range(n - 1))
    halves: Bits = (*range(1, n - 1), 0)  # even ticks write the lower half's rows, odd ticks the upper half's
    return Stage(straight(n - 1), halves, True, kept)
