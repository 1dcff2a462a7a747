# SPDX-License-Identifier: Apache-2.0
"""Multiplication by a power of two, without a multiplier."""

from __future__ import annotations

from .flow import Kernel, Stream, choose


def doubled(x: Stream, p: Stream, bits: int) -> Stream:
    """2x mod p for x in [0, p), p < 2^bits; one tick."""
    whole = x << 1
    # 2x - p lies in (-p, p): bits + 1 bits hold it.
    top = 2**bits - 1
    reduced = x.kernel.operation("2x − p", -top, top, (whole, p), lambda a, b: (a - b)[: bits + 1].as_signed())
    return choose(reduced.negative, whole, reduced).within(0, top)


class Doublings(Kernel):
    """y = x 2^count mod p for x in [0, p), one each tick; p < 2^bits is set at run time.

    It brings one factor of a product into Montgomery form with adders only.
    """

    def __init__(self, bits: int, count: int) -> None:
        super().__init__(f"doublings_{bits}_{count}")
        x, p = self.input("x", 0, 2**bits - 1), self.static("modulus", 0, 2**bits - 1)
        for _ in range(count):
            x = doubled(x, p, bits)
        self.output("y", x)
