# SPDX-License-Identifier: Apache-2.0
"""Modular multipliers: for moduli set at run time (Montgomery's, folding), one for each way to reduce by a constant.

All have the inputs ``a`` and ``b`` in [0, p), the output ``y`` in [0, p), take one pair each tick, and say their
``latency`` and whether they are ``montgomery``: then y = a b / R, else y = a b (mod p).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cyclotome.errors import ArgumentError

from .arithmetic import low_product, partial_products, product, split, total
from .division import barrett, modulus, shift_subtract
from .flow import Kernel, Stream, join, low_bits
from .folding import fold, fold_any

#: Bits that one step of Montgomery's reduction clears, at most: the word of one tile.
STEP = 16


class Multiplier(Kernel):
    """What all multipliers are: y = a b / 2^`radix_bits` mod p. ``tag`` tells them apart in names.

    Those that have the port ``modulus`` take p from outside.
    """

    montgomery = False
    radix_bits = 0
    tag = ""

    def inputs(self, a: Any, b: Any, modulus: Any) -> dict[str, Any]:
        """What its input ports are connected to."""
        given = {"a": a, "b": b}
        return given | ({"modulus": modulus} if "modulus" in self.declared else {})

    def require_modulus(self, p: int) -> None:
        """Raises `ArgumentError` unless this multiplier can work modulo p."""


class MontgomeryMultiplier(Multiplier):
    """y = a b / R mod p for a, b in [0, p), one result each tick; p is odd, below 2^bits, and set at run time.

    R = 2^`radix_bits` > p. A step finds the multiple m p of p that equals T modulo 2^step, and T becomes
    (T - m p) / 2^step. If p = 1 (mod 2^ones), as NTT primes are, then for a step of at most ``ones`` bits m is the low
    word of T itself, and the step is T -> ⌊T / 2^step⌋ - m ⌊p / 2^step⌋. One bit more costs a gate: modulo 2^(ones+1)
    m is the low word with its highest bit turned where T is odd and p = 1 + 2^ones; that is done where it saves a step.
    Without ``ones`` the port ``inverse`` brings p^-1 mod 2^step, and a step takes one product more. Only the low half
    of a b goes through the steps; the high half is added to what they leave, which lies in (-p, p).

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
        longer = min(STEP, bits, self.step + 1)
        self.turns = ones is not None and -(-bits // longer) < -(-bits // self.step)
        self.step = longer if self.turns else self.step
        self.steps = -(-bits // self.step)
        self.radix_bits = self.step * self.steps
        if fixed is not None:
            self.require_modulus(fixed)
        kind = "_odd" if ones is None else f"_{ones}_ones" if self.turns else ""
        kind += "" if fixed is None else f"_{fixed:x}"
        super().__init__(f"montgomery_{bits}_{self.step}{kind}" + ("_streaming" if streaming else ""))
        self.tag = f"{self.step}{kind}"
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
            t = self._longer_step(t, p) if self.turns else self._step(t, p, inverse)
        top = 2**self.bits - 2
        high = total(above) + carry if above else carry
        result = (t + high.within(0, 2**self.bits - 1)).within(-top, top)
        return (result + p.masked(result.negative)).within(0, top)

    def _step(self, t: Stream, p: Stream, inverse: Stream | None) -> Stream:
        word = t.bits(0, self.step)
        if inverse is None:
            multiple = product(word, p >> self.step)
        else:
            multiple = product(low_product(word, inverse, self.step), p) >> self.step
        return (t >> self.step) - multiple

    def _longer_step(self, t: Stream, p: Stream) -> Stream:
        """A step of ones + 1 bits: with p = 1 + 2^ones P and m as above, (T - m p) / 2^step is ⌊T / 2^step⌋ -
        ⌊m P / 2⌋, less 1 where the bit was turned to 1."""
        rest, highest = p >> (self.step - 1), t.bits(self.step - 1, self.step)
        turned = self.wire("and", 0, 1, (t.bits(0, 1), rest.bits(0, 1)), lambda x, y: x & y)
        bit = self.wire("xor", 0, 1, (highest, turned), lambda x, y: x ^ y)
        borrow = self.wire("and", 0, 1, (turned, bit), lambda x, y: x & y)
        multiple = product(join(t.bits(0, self.step - 1), bit, self.step - 1), rest)
        # The 1 goes in as the carry below the lowest bit.
        return ((t >> self.step << 1) - join(borrow, multiple >> 1, 1)) >> 1


#: The reductions by a constant p: x >= 0 -> x mod p.
REDUCTIONS: dict[str, Callable[[Stream, int], Stream]] = {
    "modulus": modulus,
    "shift-subtract": shift_subtract,
    "fold": fold,
    "fold-shift-add": lambda x, p: fold(x, p, shift_add=True),
    "barrett": barrett,
}


class ConstantMultiplier(Multiplier):
    """y = a b mod p for a, b in [0, p) and a constant p > 3 (odd, though it need not be prime).

    ``reduction`` is one of `REDUCTIONS`: "modulus" (004, Algorithm 6), "shift-subtract" (Algorithm 7), "fold"
    (Algorithm 8), "fold-shift-add" or "barrett".
    """

    def __init__(self, reduction: str, p: int) -> None:
        if reduction not in REDUCTIONS:
            raise ArgumentError(f"no reduction {reduction!r}; there are {', '.join(REDUCTIONS)}")
        if p <= 3 or p % 2 == 0 or p.bit_length() > 64:
            raise ArgumentError(f"the modulus {p:#x}: it must be odd, above 3 and of at most 64 bits")
        super().__init__(f"{reduction.replace('-', '_')}_{p:x}")
        self.reduction, self.modulus, self.tag = reduction, p, self.name
        a, b = self.input("a", 0, p - 1), self.input("b", 0, p - 1)
        self.output("y", REDUCTIONS[reduction](product(a, b), p))

    def require_modulus(self, p: int) -> None:
        """Raises `ArgumentError` for any modulus but its own."""
        if p != self.modulus:
            raise ArgumentError(f"the modulus {p:#x}: this multiplier reduces by {self.modulus:#x} only")


#: Bits of c in p = 2^k + c of folding at run time: 004's primes have that many at most (section 6.4).
FOLDED = 32


class FoldMultiplier(Multiplier):
    """y = a b mod p for any p = 2^(bits-1) + c, c < 2^`folded`, set at run time: Algorithm 8 as 004's circuits had it.

    ``folded`` is 32, or bits - 3 where that is less. With ``streaming`` each pair of factors brings its modulus.
    """

    def __init__(self, bits: int, *, streaming: bool = False) -> None:
        if not 8 <= bits <= 64:
            raise ArgumentError(f"moduli of {bits} bits: folding at run time takes 8 to 64")
        self.bits, self.folded = bits, min(FOLDED, bits - 3)
        self.tag = f"fold{self.folded}"
        super().__init__(f"fold_{bits}_{self.folded}" + ("_streaming" if streaming else ""))
        top = 2 ** (bits - 1) + 2**self.folded - 1
        a, b = self.input("a", 0, top - 1), self.input("b", 0, top - 1)
        p = (self.input if streaming else self.static)("modulus", 0, top)
        self.output("y", fold_any(product(a, b), p, bits - 1, self.folded).within(0, top - 1))

    def require_modulus(self, p: int) -> None:
        """Raises `ArgumentError` unless this multiplier can work modulo p."""
        if not 0 < p - 2 ** (self.bits - 1) < 2**self.folded:
            raise ArgumentError(
                f"the modulus {p:#x} does not fit this multiplier, which takes p = 2^{self.bits - 1} + c with c below "
                f"2^{self.folded}"
            )


def constant_multiplier(reduction: str, p: int) -> ConstantMultiplier | MontgomeryMultiplier:
    """A multiplier modulo the constant p; ``reduction`` is one of `REDUCTIONS` or "montgomery"."""
    if reduction != "montgomery":
        return ConstantMultiplier(reduction, p)
    ones = ((p - 1) & -(p - 1)).bit_length() - 1
    return MontgomeryMultiplier(p.bit_length(), ones if ones >= STEP // 2 else None, fixed=p)


#: Reductions that take a modulus set at run time; the others are made for a constant.
RUN_TIME = ("montgomery", "fold")


def multiplier_for(
    reduction: str, bits: int, ones: int, modulus: int | None = None, *, streaming: bool = False
) -> Multiplier:
    """The multiplier of a circuit with words of ``bits`` bits for primes = 1 (mod 2^ones), or for one of them only.

    ``reduction`` is "montgomery" or one of `REDUCTIONS`; without ``modulus`` one of `RUN_TIME`. Raises ArgumentError.
    """
    if modulus is None:
        if reduction not in RUN_TIME:
            raise ArgumentError(f"the reduction {reduction} is made for a constant modulus, which is not given")
        if reduction == "fold":
            return FoldMultiplier(bits, streaming=streaming)
        return MontgomeryMultiplier(bits, ones, streaming=streaming)
    if reduction == "montgomery":
        return MontgomeryMultiplier(bits, ones, fixed=modulus)
    return ConstantMultiplier(reduction, modulus)
