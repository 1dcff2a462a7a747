# SPDX-License-Identifier: Apache-2.0
"""The search for parameters: a computation is run, on an engine that only keeps account, with one set after another."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from .. import _core
from ..errors import NoiseError, ParameterError
from ..parameters.parameters import Parameters
from .moduli import fits, narrow_moduli, needed_bits, plain_moduli
from .trials import Kind, Search

__all__ = ["cheapest"]

_LARGEST_DEGREE = 1 << 17


@dataclass(frozen=True)
class _Prospect:
    """A kind of parameters that carries the computation with the longest modulus that security allows."""

    kind: Kind
    plain: tuple[int, ...]
    longest: Parameters
    needed: int
    cost: float


def _longest(search: Search, kind: Kind, degree: int, plain: Sequence[int]) -> Parameters | None:
    """The longest modulus that security allows."""
    cap = _core.max_modulus_bits(degree, search.security or 128, search.table)
    for bits in range(cap, max(cap // 2, 20), -8):
        try:
            return search.parameters(kind, degree, plain, bits)
        except ParameterError:  # a SecurityError, too
            continue
    return None


#: Bits that are added where a modulus does not serve; and headroom with which it is good enough.
_STEPS, _SLACK = (4, 6, 10, 14, 20, 30), 6
#: Bits by which other moduli are tried than about the shortest: with longer ones an operation may take a way that is
#: cheaper and noisier, and primes of other lengths may be fewer.
_LONGER = (-3, 3, 7, 12, 18, 25, 32)
#: Prospects whose shortest modulus is looked for; those of them with which longer ones are tried.
_REFINED, _LENGTHENED = 8, 3
#: How much dearer than the best something may seem that is looked at more closely: of one kind, and of all that take
#: the same plaintext moduli.
_WITHIN, _FAR = 2.0, 3.0


def _prospect(search: Search, kind: Kind, degree: int, plain: Sequence[int]) -> _Prospect | None:
    """By one run with the longest modulus that security allows; None if the computation does not decrypt then."""
    longest = _longest(search, kind, degree, plain)
    if longest is None:
        return None
    try:
        left = search.headroom(longest)
    except NoiseError:
        return None
    # Without levels, what is left over can go.
    needed = max(plain[0].bit_length() + 2, 20, int(longest.modulus_bits - left) + 2)
    part = min(1.0, needed / longest.modulus_bits)
    return _Prospect(kind, tuple(plain), longest, needed, search.cost(longest) * part)


def _prospects(
    search: Search, kinds: Sequence[Kind], degree: int, bits: int, least: int, below: float
) -> list[_Prospect]:
    """What carries the computation at a degree, by about what it costs with the modulus that it needs.

    Args:
        bits: of the largest value that occurs.
        least: slots, of narrow plaintext moduli.
        below: seconds; where one of each scheme costs far more, no others are tried.
    """
    narrow = narrow_moduli(search, degree, kinds[0], least)
    found: list[_Prospect] = []
    for moduli_of in (
        lambda kind: plain_moduli(search, bits, degree, kind.word),
        lambda _: [narrow] if narrow else [],
    ):
        first = {kind.scheme: kind for kind in reversed(kinds)}.values()
        some: list[_Prospect] = []
        for group in (first, [kind for kind in kinds if kind not in first]):
            if some and min(each.cost for each in some) > _FAR * min([below, *(each.cost for each in found)]):
                break
            some += [
                each
                for kind in group
                for plain in moduli_of(kind)
                if (each := _prospect(search, kind, degree, plain)) is not None
            ]
        found += some
    return sorted(found, key=lambda each: each.cost)


def _served(search: Search, prospect: _Prospect, bits: int) -> Parameters | None:
    """Parameters with a modulus of so many bits, if the computation decrypts with them."""
    try:
        found = search.parameters(prospect.kind, prospect.longest.degree, prospect.plain, bits)
        search.headroom(found)
    except (NoiseError, ParameterError):  # a SecurityError, too
        return None
    return found


def _shortest(search: Search, prospect: _Prospect) -> Parameters:
    """With about the shortest modulus with which the computation decrypts."""
    bits, best = prospect.needed, prospect.longest
    for step in _STEPS:
        found = _served(search, prospect, bits) if bits < best.modulus_bits else None
        if found is not None:
            best = found
            break
        bits += step
    left = int(search.headroom(best))
    if left > _SLACK:  # an operation took a way that is quieter than with the longest modulus
        shorter = _served(search, prospect, max(best.modulus_bits - left + 2, prospect.plain[0].bit_length() + 2))
        best = best if shorter is None else shorter
    return best


def _best(search: Search, prospects: Sequence[_Prospect], below: float) -> Parameters | None:
    """The cheapest of the prospects, with the shortest modulus or one that is a little longer; None if none costs less
    than that."""
    shortest: list[tuple[float, Parameters, _Prospect]] = []
    for prospect in prospects[:_REFINED]:
        if prospect.cost > _WITHIN * min([below, *(cost for cost, _, _ in shortest)]):
            break
        found = _shortest(search, prospect)
        if all(found != other for _, other, _ in shortest):  # aims often come to the same
            shortest.append((search.cost(found), found, prospect))
    shortest.sort(key=lambda each: each[0])
    every = [parameters for _, found, prospect in shortest for parameters in (found, prospect.longest)]
    for cost, found, prospect in shortest[:_LENGTHENED]:
        if cost <= _WITHIN * below:
            longer = [found.modulus_bits + more for more in _LONGER]
            tried = (_served(search, prospect, bits) for bits in longer if bits < prospect.longest.modulus_bits)
            every += filter(None, tried)
    best = min(every, key=search.cost, default=None)
    return best if best is not None and search.cost(best) < below else None


def cheapest(search: Search, words: Sequence[int], min_degree: int, scheme: str | None) -> Parameters:
    """Those that take the least work, of the first degree that carries the computation and the two behind it.

    Args:
        search: what is asked for.
        words: lengths of machine words to try.
        min_degree: none below this is tried.
        scheme: "bfv" or "bgv"; None: both.

    Raises:
        ParameterError: no supported degree carries it.
        RangeError: values that no plaintext moduli hold.
    """
    schemes = ["bfv", "bgv"] if scheme is None else [scheme]
    # Only with levels does it matter how wide primes are.
    aims = {"bgv": ("speed", "depth")}
    kinds = [Kind(name, word, aim) for name in schemes for word in words for aim in aims.get(name, ("speed",))]
    bits: int | None = None
    best: Parameters | None = None
    degree, last = 1024, _LARGEST_DEGREE
    while degree <= last:
        if degree >= min_degree and fits(search, degree):
            bits = needed_bits(search, degree, Kind(schemes[0], 64)) if bits is None else bits
            below = math.inf if best is None else search.cost(best)
            prospects = _prospects(search, kinds, degree, bits, min_degree, below)
            if best is None and prospects:
                last = min(last, 4 * degree)
            found = _best(search, prospects, below)
            if best is not None and found is None:
                break  # larger rings cost more from here on
            best = found
        degree *= 2
    search.finished()
    if best is not None:
        return best
    if bits is None:  # no degree was tried
        asked = f"at least {min_degree} slots"
        if search.plain_moduli is not None:
            asked += f" for the plaintext moduli {list(search.plain_moduli)}; a prime that is 1 modulo 2k has k"
        raise ParameterError(f"suggest: no degree up to {_LARGEST_DEGREE} has {asked}")
    raise ParameterError(
        f"suggest: no degree up to {_LARGEST_DEGREE} carries the computation at {search.security} bits of security, "
        f"with values of {bits} bits; state tighter bounds, or split it"
    )
