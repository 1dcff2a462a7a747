# SPDX-License-Identifier: Apache-2.0
"""Modular multipliers: for any odd modulus set at run time (Montgomery), and one for each way to reduce by a constant.

All have the inputs ``a`` and ``b`` in [0, p), the output ``y`` in [0, p), take one pair each tick, and say their
``latency`` and whether they are ``montgomery``: then y = a b / R, else y = a b (mod p).
"""

from __future__ import annotations

from collections.abc import Callable

from cyclotome.errors import ArgumentError

from .arithmetic import low_product, partial_products, product, split, total
from .division import barrett, modulus, shift_subtract
from .flow import Kernel, Stream, low_bits
from .folding import fold

#: Bits that one step of Montgomery's reduction clears, at most: the word of one tile.
STEP = 16


class MontgomeryMultiplier(Kernel):
    """y = a b / R mod p for a, b in [0, p), one result each tick; p is odd, below 2^bits, and set at run time.

    R = 2^`radix_bits` > p. A step finds the multiple m p of p that equals T modulo 2^step, and T becomes
    (T - m p) / 2^step. If p = 1 (mod 2^ones), as NTT primes are, then for a step of at most ``ones`` bits m is the low
    word of T itself, and the step is T -> ⌊T / 2^step⌋ - m ⌊p / 2^step⌋. Without ``ones`` the port ``inverse`` brings
    p^-1 mod 2^step, and a step takes one product more. Only the low half of a b goes through the steps; the high half
    is added to what they leave, which lies in (-p, p).

    Ports: ``a``, ``b``, ``modulus``, ``y``, and ``inverse`` without ``ones``. ``modulus`` and ``inverse`` may change
    only while nothing is in flight, unless ``streaming``: then each pair of factors brings its own. With ``fixed`` they
    are no ports but constants.
    """

    montgomery = True

    def __init__(self, bits: int, ones: int | None, *, streaming: bool = False, fixed: int | None = None) -> None:
        if not 2 <= bits <= 64:
            raise ArgumentError(f"moduli of {bits} bits: this multiplier takes 2 to 64")
        if ones is not None and not 1 <= ones < bits:
            raise ArgumentError(f"p = 1 (mod 2^{ones}) with p below 2^{bits}: the exponent must lie in [1, {bits - 1}]")
        self.bits, self.ones, self.streaming = bits, ones, streaming
        self.step = min(STEP, bits if ones is None else ones)
        self.steps = -(-bits // self.step)
        self.radix_bits = self.step * self.steps
        if fixed is not None:
            self.require_modulus(fixed)
        kind = "" if ones is not None else "_odd"
        kind += "_streaming" if streaming else "" if fixed is None else f"_{fixed:x}"
        super().__init__(f"montgomery_{bits}_{self.step}{kind}")
        top = 2**bits - 1
        a, b = self.input("a", 0, top), self.input("b", 0, top)
        port = self.input if streaming else self.static
        p = port("modulus", 0, top) if fixed is None else self.constant(fixed)
        inverse = None
        if ones is None:
            word = 2**self.step
            inverse = port("inverse", 0, word - 1) if fixed is None else self.constant(pow(fixed, -1, word))
        self.output("y", self._reduced(a, b, p, inverse))

    def require_modulus(self, p: int) -> None:
        """Raises `ArgumentError` unless this multiplier can work modulo p."""
        ones = 1 if self.ones is None else self.ones
        if not 2 < p < 2**self.bits or p % 2**ones != 1:
            raise ArgumentError(
                f"the modulus {p:#x} does not fit this multiplier, which takes p = 1 (mod 2^{ones}) of at most "
                f"{self.bits} bits"
            )

    def _reduced(self, a: Stream, b: Stream, p: Stream, inverse: Stream | None) -> Stream:
        below, above = split(partial_products(a, b), self.radix_bits)
        low = total(below)
        carry = low >> self.radix_bits
        t = low_bits(low, self.radix_bits)
        for _ in range(self.steps):
            word = t.bits(0, self.step)
            if inverse is None:
                multiple = product(word, p >> self.step)
            else:
                multiple = product(low_product(word, inverse, self.step), p) >> self.step
            t = (t >> self.step) - multiple
        top = 2**self.bits - 2
        high = total(above) + carry if above else carry
        result = (t + high.within(0, 2**self.bits - 1)).within(-top, top)
        return (result + p.masked(result.negative)).within(0, top)


#: The reductions by a constant p: x >= 0 -> x mod p.
REDUCTIONS: dict[str, Callable[[Stream, int], Stream]] = {
    "modulus": modulus,
    "shift-subtract": shift_subtract,
    "fold": fold,
    "fold-shift-add": lambda x, p: fold(x, p, shift_add=True),
    "barrett": barrett,
}


class ConstantMultiplier(Kernel):
    """y = a b mod p for a, b in [0, p) and a constant p > 3 (odd, though it need not be prime).

    ``reduction`` is one of `REDUCTIONS`: "modulus" (004, Algorithm 6), "shift-subtract" (Algorithm 7), "fold"
    (Algorithm 8), "fold-shift-add" or "barrett".
    """

    montgomery = False

    def __init__(self, reduction: str, p: int) -> None:
        if reduction not in REDUCTIONS:
            raise ArgumentError(f"no reduction {reduction!r}; there are {', '.join(REDUCTIONS)}")
        if p <= 3 or p % 2 == 0 or p.bit_length() > 64:
            raise ArgumentError(f"the modulus {p:#x}: it must be odd, above 3 and of at most 64 bits")
        super().__init__(f"{reduction.replace('-', '_')}_{p:x}")
        self.reduction, self.modulus = reduction, p
        a, b = self.input("a", 0, p - 1), self.input("b", 0, p - 1)
        self.output("y", REDUCTIONS[reduction](product(a, b), p))


def constant_multiplier(reduction: str, p: int) -> ConstantMultiplier | MontgomeryMultiplier:
    """A multiplier modulo the constant p; ``reduction`` is one of `REDUCTIONS` or "montgomery"."""
    if reduction != "montgomery":
        return ConstantMultiplier(reduction, p)
    ones = ((p - 1) & -(p - 1)).bit_length() - 1
    return MontgomeryMultiplier(p.bit_length(), ones if ones >= STEP // 2 else None, fixed=p)
