# SPDX-License-Identifier: Apache-2.0
"""Products of polynomials on GMP's integers, as paper 004 computes them, where Debian's libgmp-dev and a C++ compiler
are installed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from cyclotome_study import ProductContext

from cyclotome_bench.peers.peer_programs import PeerProgram, compiled

__all__ = ["GmpProduct", "gmp_available"]


def _program() -> Path | None:
    return compiled("gmp_product", ("-lgmp",))


def gmp_available() -> bool:
    """Whether GMP can be measured here."""
    return _program() is not None


class GmpProduct(PeerProgram):
    """Two polynomials in a process that transforms them modulo each prime of a context.

    Args:
        context: the primes, and roots of unity modulo them.
        a: N coefficients, 0 and above.
        b: as many.
        converted: whether a product takes the way into residues and back, too.
    """

    def __init__(self, context: ProductContext, a: Sequence[int], b: Sequence[int], converted: bool) -> None:
        pairs = [number for pair in zip(context.primes, context.roots, strict=True) for number in pair]
        problem = [len(a), len(context.primes), *pairs, *a, *b]
        super().__init__("GMP", _program(), problem, 2 if converted else 1)
