# SPDX-License-Identifier: Apache-2.0
"""Multiplication by a power of two, without a multiplier."""

from __future__ import annotations

from .flow import Kernel, choose


class Doublings(Kernel):
    """y = x 2^count mod p for x in [0, p), one each tick; p < 2^bits is set at run time.

    It brings one factor of a product into Montgomery form with adders only.
    """

    def __init__(self, bits: int, count: int, *, streaming: bool = False) -> None:
        super().__init__(f"doublings_{bits}_{count}" + ("_streaming" if streaming else ""))
        top = 2**bits - 1
        x = self.input("x", 0, top)
        p = self.input("modulus", 0, top) if streaming else self.static("modulus", 0, top)
        for _ in range(count):
            whole = x << 1
            # 2x - p lies in (-p, p): bits + 1 bits hold it.
            reduced = self.operation("2x − p", -top, top, (whole, p), lambda a, b: (a - b)[: bits + 1].as_signed())
            x = choose(reduced.negative, whole, reduced).within(0, top)
        self.output("y", x)
