# SPDX-License-Identifier: Apache-2.0
"""Products of polynomials modulo a context's wide modulus, on a simulated circuit: paper 004's chain (chapter 5)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from cyclotome.errors import ArgumentError, ParameterError
from cyclotome_study import ProductContext

from .boards.board import Board
from .boards.simulation import Progress
from .designs.design import MAXIMAL_BITS, Design, build


class CircuitProduct(NamedTuple):
    """Coefficients in [0, q), and the ticks that the circuit counted for all primes, one board doing them in turn."""

    coefficients: list[int]
    ticks: int


def design_for(
    context: ProductContext, name: str = "iterative", pipes: int = 1, reduction: str = "montgomery"
) -> Design:
    """The circuit for a context's degree whose words are as wide as its widest prime.

    Raises:
        ParameterError: primes wider than circuits take, or not of the form that the reduction takes; or a design that
            cannot be built.
    """
    widest = max(p.bit_length() for p in context.primes)
    if widest > MAXIMAL_BITS:
        raise ParameterError(
            f"the context has primes of {widest} bits; circuits take {MAXIMAL_BITS}: generate one with narrower primes"
        )
    design = Design(name, context.degree, pipes, widest, reduction)
    least, largest = design.moduli
    for p in context.primes:
        if not least <= p <= largest:
            raise ParameterError(
                f"the prime {p:#x}: {design.title} with words of {widest} bits takes {least:#x} to {largest:#x}; "
                'generate the context with primes of one length and search="above", or take another reduction'
            )
    return design


def multiply(
    context: ProductContext, a: Sequence[int], b: Sequence[int], design: Design, *, progress: Progress | None = None
) -> CircuitProduct:
    """a b modulo x^N + 1 and q: modulo each prime on the simulated circuit, then by equation 4.5.

    Args:
        context: its primes may have as many bits as the design's words, up to 63.
        a: N integers, of any sign and size.
        b: as many.
        design: see `design_for`; made for no constant modulus unless that is the context's only prime.
        progress: told what is being built.

    Raises:
        ArgumentError: polynomials of another length, or a design of another degree.
        EngineError: a prime that the circuit does not take; a tool that is missing or fails.
    """
    degree, primes = context.degree, context.primes
    if not len(a) == len(b) == degree == design.degree:
        raise ArgumentError(
            f"polynomials of {len(a)} and {len(b)} coefficients on a circuit for {design.degree}; the context's degree "
            f"is {degree}"
        )
    board = Board(design, progress=progress)
    x, y = (np.array([[int(c) % p for c in each] for p in primes], dtype=np.uint64) for each in (a, b))
    if build(design).several_primes:
        made = board.multiply_each(primes, context.roots, x, y)
        words, ticks = made.words, made.ticks
    else:
        parts = []
        for i, (p, root) in enumerate(zip(primes, context.roots, strict=True)):
            board.load(p, root)
            parts.append(board.multiply(x[i : i + 1], y[i : i + 1]))
        words, ticks = np.concatenate([each.words for each in parts]), sum(each.ticks for each in parts)
    return CircuitProduct([context.lift([int(c) for c in column]) for column in words.T], ticks)
