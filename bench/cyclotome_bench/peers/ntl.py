# SPDX-License-Identifier: Apache-2.0
"""NTL's product of polynomials, where Debian's libntl-dev and a C++ compiler are installed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from cyclotome_bench.peers.peer_programs import PeerProgram, compiled

__all__ = ["NtlProduct", "ntl_available"]


def _program() -> Path | None:
    return compiled("ntl_product", ("-lntl", "-lgmp", "-pthread"))


def ntl_available() -> bool:
    """Whether NTL can be measured here."""
    return _program() is not None


class NtlProduct(PeerProgram):
    """Two polynomials in a process of NTL's.

    Args:
        modulus: q.
        a: N coefficients in [0, q).
        b: as many.
    """

    def __init__(self, modulus: int, a: Sequence[int], b: Sequence[int]) -> None:
        super().__init__("NTL", _program(), [modulus, len(a), *a, *b], 1)
