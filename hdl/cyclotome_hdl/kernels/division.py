# SPDX-License-Identifier: Apache-2.0
"""Reductions by division, one bit each tick (004, Algorithms 6 and 7), and by an estimated quotient (Barrett)."""

from __future__ import annotations

from .arithmetic import low_product, product
from .flow import Kernel, Stream, choose, join, low_bits


class DivisionStep(Kernel):
    """One bit of a restoring division by a constant p, in one tick.

    Ports: ``remainder`` in [0, p) and the next ``bit`` of the dividend; ``reduced`` = (2 remainder + bit) mod p and
    ``quotient``, 1 where p was taken off.
    """

    def __init__(self, p: int) -> None:
        super().__init__(f"division_step_{p:x}")
        remainder, bit = self.input("remainder", 0, p - 1), self.input("bit", 0, 1)
        shifted = join(bit, remainder, 1)
        difference = shifted - p
        self.output("reduced", choose(difference.negative, shifted, difference).within(0, p - 1))
        self.output("quotient", self.wire("not", 0, 1, (difference.negative,), lambda n: ~n))


def divide(x: Stream, p: int) -> tuple[Stream | None, Stream]:
    """(⌊x / p⌋, x mod p) for x >= 0 by restoring division: one subtraction and one bit of the quotient each tick.

    The quotient is None if x < p always.
    """
    step = DivisionStep(p)
    count = max(0, x.width - p.bit_length() + 1)
    remainder, rest, quotient = x >> count, x.bits(0, count), None
    for left in range(count, 0, -1):
        found = x.kernel.place(step, f"bit{left - 1}", {"remainder": remainder, "bit": rest.bits(left - 1, left)})
        remainder, bit = found["reduced"], found["quotient"]
        rest = rest.bits(0, left - 1).delayed()
        quotient = bit if quotient is None else join(bit, quotient.delayed(), 1)
    return quotient, remainder.delayed() if count else remainder


def shift_subtract(x: Stream, p: int) -> Stream:
    """x mod p as in 004, Algorithm 7, which the paper calls Barrett's: p, shifted, is taken off wherever it fits.

    As printed, the loop ends one step too early and a negative x gives p - 0 = p, or takes the shifted p; here it runs
    size(x) - size(p) + 1 times, and the remainder r of |x| becomes p - r only if x < 0 < r.
    """
    if not x.signed:
        return divide(x, p)[1]
    sign = x.negative
    magnitude = choose(sign, 0 - x, x).within(0, max(-x.low, x.high))
    _, r = divide(magnitude, p)
    mirrored = p - r
    zero = x.kernel.wire("=0", 0, 1, (r,), lambda value: value == 0)
    keep = x.kernel.wire("or", 0, 1, (zero, sign), lambda z, s: z | ~s)
    return choose(keep, r, mirrored).delayed().within(0, p - 1)


def modulus(x: Stream, p: int) -> Stream:
    """x mod p = x - ⌊x / p⌋ p for x >= 0, with a divider and a multiplier (004, Algorithm 6)."""
    quotient, _ = divide(x, p)
    if quotient is None:
        return x
    # The difference lies in [0, p), so its low bits are all of it.
    width = p.bit_length()
    multiple = low_product(quotient, x.kernel.constant(p), width)
    return low_bits(low_bits(x, width) - multiple, width).within(0, p - 1)


def barrett(x: Stream, p: int) -> Stream:
    """x mod p for 0 <= x < 4^k, k the bits of p, by Barrett's estimate of the quotient.

    q = ⌊⌊x / 2^(k-2)⌋ ⌊2^(2k+3) / p⌋ / 2^(k+5)⌋ is ⌊x / p⌋ or one less (Dhem's choice of the two extra words), so one
    conditional subtraction ends it.
    """
    k = p.bit_length()
    estimate = product(x >> (k - 2), x.kernel.constant(2 ** (2 * k + 3) // p)) >> (k + 5)
    if estimate.high == 0:
        return x
    multiple = low_product(estimate, x.kernel.constant(p), k + 1)
    r = low_bits(low_bits(x, k + 1) - multiple, k + 1).within(0, 2 * p - 1)
    reduced = r - p
    return choose(reduced.negative, r, reduced).delayed().within(0, p - 1)
