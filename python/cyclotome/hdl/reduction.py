# SPDX-License-Identifier: Apache-2.0
"""Word-level Montgomery: modular products for any NTT prime that is set at run time."""

from __future__ import annotations

from cyclotome.errors import ArgumentError

from .arithmetic import partial_products, product, split, total
from .flow import Kernel, Stream

#: Bits that one step of the reduction clears, at most: the word of one tile.
STEP = 16


class MontgomeryMultiplier(Kernel):
    """y = a b / R mod p for a, b in [0, p), one result each tick; p is set at run time.

    p is odd, p < 2^bits, p = 1 (mod 2^ones); R = 2^`radix_bits` > p. Since p^-1 = 1 (mod 2^step) for a step of at most
    ``ones`` bits, the multiple of p that clears the low word t of a number T is t itself: T becomes
    ⌊T / 2^step⌋ - t ⌊p / 2^step⌋, with no multiplication to find the quotient. Only the low half of the product goes
    through the steps; the high half is added to what they leave, which lies in (-p, p).

    Ports: ``a``, ``b``, ``modulus``, ``y``. ``modulus`` may change only while nothing is in flight, unless
    ``streaming``: then each pair of factors brings its own.
    """

    montgomery = True

    def __init__(self, bits: int, ones: int, *, streaming: bool = False) -> None:
        if not 2 <= bits <= 64:
            raise ArgumentError(f"moduli of {bits} bits: this multiplier takes 2 to 64")
        if not 1 <= ones < bits:
            raise ArgumentError(f"p = 1 (mod 2^{ones}) with p below 2^{bits}: the exponent must lie in [1, {bits - 1}]")
        self.bits, self.ones, self.streaming = bits, ones, streaming
        self.step = min(ones, STEP)
        self.steps = -(-bits // self.step)
        self.radix_bits = self.step * self.steps
        super().__init__(f"montgomery_{bits}_{self.step}" + ("_streaming" if streaming else ""))
        top = 2**bits - 1
        a, b = self.input("a", 0, top), self.input("b", 0, top)
        p = self.input("modulus", 0, top) if streaming else self.static("modulus", 0, top)
        self.output("y", self._reduced(a, b, p))

    def _reduced(self, a: Stream, b: Stream, p: Stream) -> Stream:
        below, above = split(partial_products(a, b), self.radix_bits)
        low = total(below)
        carry = low >> self.radix_bits
        t = low.bits(0, self.radix_bits)
        for _ in range(self.steps):
            word = t.bits(0, self.step)
            t = (t >> self.step) - product(word, p >> self.step)
        top = 2**self.bits - 2
        high = total(above) + carry if above else carry
        result = (t + high.within(0, 2**self.bits - 1)).within(-top, top)
        return (result + p.masked(result.negative)).within(0, top)
