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
    return _into_range(x, p, p)


def fold_any(x: Stream, p: Stream, k: int, folded: int) -> Stream:
    """x mod p for p = 2^k + c, c < 2^folded, that a stream brings: `fold` with the ranges of the worst c (004, 6.4)."""
    c = p.bits(0, folded)
    largest = 2**k + 2**folded - 1
    while x.low < -(2**k) or x.high >= 2 * 2**k or (x.high >> k) - (x.low >> k) > 2:
        high, low = x >> k, x.bits(0, k)
        bounds = -(high.high * c.high), 2**k - 1 - high.low * c.high
        terms = (Term(t.stream, t.shift, not t.negative) for t in partial_products(high, c))
        x = total([Term(low, 0), *terms]).within(*bounds)
    return _into_range(x, p, largest)


def _into_range(x: Stream, p: Stream | int, largest: int) -> Stream:
    """x mod p for x in [-p, 2p), p at most ``largest``."""
    modulus = x.kernel.stream(p)
    if x.high >= modulus.low or isinstance(p, Stream):
        reduced = x - modulus
        x = choose(reduced.negative, x, reduced).delayed().within(min(x.low, 0), largest - 1)
    if x.low < 0:
        x = (x + modulus.masked(x.negative)).within(0, largest - 1)
    return x
