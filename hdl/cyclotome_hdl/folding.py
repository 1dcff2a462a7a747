# SPDX-License-Identifier: Apache-2.0
"""Reductions for p = 2^k + c with a small c: 2^k = -c (mod p), so high bits fold onto low ones (004, Algorithm 8)."""

from __future__ import annotations

from cyclotome.errors import ArgumentError

from .arithmetic import Term, multiples, partial_products, total
from .flow import Stream, choose


def fold(x: Stream, p: int, *, shift_add: bool = False) -> Stream:
    """x mod p: x = h 2^k + l becomes l - h c until h is -1, 0 or 1 at most; then p is added to what is negative.

    h c comes from tiles, or from shifts and sums only (``shift_add``), as c has few non-zero digits. The ranges of all
    steps are exact, so that no step has more bits or rounds than it needs. As printed, Algorithm 8 lets values in
    [p, 2^(k+1)) pass and never ends for c >= 2^(k-2), which is refused here.
    """
    k = p.bit_length() - 1
    c = p - 2**k
    if c >= 2 ** (k - 2):
        raise ArgumentError(
            f"p = {p:#x} is 2^{k} + {c:#x}: folding needs c below 2^{k - 2}, or it does not end; take another reduction"
        )
    while x.low < -p or x.high >= 2 * p or (x.high >> k) - (x.low >> k) > 2:
        high, low = x >> k, x.bits(0, k)
        product = multiples(high, c) if shift_add else partial_products(high, x.kernel.constant(c))
        bounds = -(high.high * c), 2**k - 1 - high.low * c
        x = total([Term(low, 0), *(Term(t.stream, t.shift, not t.negative) for t in product)]).within(*bounds)
    return _into_range(x, p)


def _into_range(x: Stream, p: int) -> Stream:
    """x mod p for x in [-p, 2p)."""
    if x.high >= p:
        reduced = x - p
        x = choose(reduced.negative, x, reduced).delayed().within(min(x.low, 0), p - 1)
    if x.low < 0:
        x = (x + x.kernel.constant(p).masked(x.negative)).within(0, p - 1)
    return x
