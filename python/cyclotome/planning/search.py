# SPDX-License-Identifier: Apache-2.0
"""The search for parameters: a computation is run, on an engine that only keeps account, with one set after another."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from .. import _core
from ..errors import NoiseError, ParameterError, RangeError
from ..parameters.parameters import Parameters
from .measured import fastest
from .moduli import fits, narrow_moduli, needed_bits, plain_moduli
from .trials import Kind, Search

__all__ = ["cheapest"]

_LARGEST_DEGREE = 1 << 17


@dataclass(frozen=True)
class _Prospect:
    """A kind of parameters that carries the computation with the longest modulus that was tried."""

    kind: Kind
    plain: tuple[int, ...]
    longest: Parameters
    needed: int
    cost: float


@dataclass
class _Bounds:
    """What is known from smaller degrees: seconds of the best, bits of modulus that are not worth trying, and whether
    narrow plaintext moduli cost far more."""

    cost: float = math.inf
    bits: float = math.inf
    narrow: bool = True


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
#: How much dearer one number of plaintext moduli is than another where no others of it are tried.
_CLEARLY = 1.6
#: Headroom that others of a scheme may have where one of them has none: this part of the modulus, and so many bits.
_CLOSE, _CLOSE_BITS = 0.08, 8
#: What other kinds of parameters and larger degrees may take less of modulus for noise than the first that was tried: a
#: factor, and bits.
_LESS, _LESS_BITS = 0.8, 8
#: By how much longer moduli than at the degree before are worth trying: a factor, and bits.
_MORE, _MORE_BITS = 1.25, 80


def _longest(search: Search, kind: Kind, degree: int, plain: Sequence[int], most: float) -> Parameters | None:
    """The longest modulus that security allows, of no more bits than that."""
    cap = _core.max_modulus_bits(degree, search.security or 128, search.table)
    for bits in range(int(min(cap, most)), max(cap // 2 if cap <= most else 0, 20), -8):
        try:
            return search.parameters(kind, degree, plain, bits)
        except ParameterError:  # a SecurityError, too
            continue
    return None


def _prospect(
    search: Search, kind: Kind, degree: int, plain: Sequence[int], most: float
) -> _Prospect | Literal["close", "hopeless"]:
    """By one run with the longest modulus; or how far that is from enough."""
    longest = _longest(search, kind, degree, plain, most)
    if longest is None:
        return "close"
    try:
        left = search.outlook(longest)
    except NoiseError:
        return "close"
    except RangeError:  # narrow moduli of one length differ
        return "hopeless"
    if left < 0:
        return "close" if -left <= _CLOSE * longest.modulus_bits + _CLOSE_BITS else "hopeless"
    # Without levels, what is left over can go.
    needed = max(plain[0].bit_length() + 2, 20, int(longest.modulus_bits - left) + 2)
    part = min(1.0, needed / longest.modulus_bits)
    return _Prospect(kind, tuple(plain), longest, needed, search.cost(longest) * part)


def _dearer(prospects: Sequence[_Prospect], moduli: int) -> bool:
    """Whether so many plaintext moduli cost far more, of other prospects of a scheme, than another number of them."""
    those = [each.cost for each in prospects if len(each.plain) == moduli]
    others = [each.cost for each in prospects if len(each.plain) != moduli]
    return bool(those and others) and min(those) > _CLEARLY * min(others)


def _prospects(
    search: Search, kinds: Sequence[Kind], degree: int, bits: int, least: int, bounds: _Bounds
) -> list[_Prospect]:
    """What carries the computation at a degree, by about what it costs with the modulus that it needs.

    Args:
        bits: of the largest value that occurs.
        least: slots, of narrow plaintext moduli.
        bounds: where one of each scheme costs far more, no others are tried.
    """
    narrow = narrow_moduli(search, degree, kinds[0], least) if bounds.narrow else None
    found: list[_Prospect] = []
    for moduli_of in (
        lambda kind: plain_moduli(search, bits, degree, kind.word),
        lambda _: [narrow] if narrow else [],
    ):
        first = {kind.scheme: kind for kind in reversed(kinds)}.values()
        some: list[_Prospect] = []
        hopeless: set[str] = set()  # schemes, where the first of them is
        for group in (first, [kind for kind in kinds if kind not in first]):
            if some and min(each.cost for each in some) > _FAR * min([bounds.cost, *(each.cost for each in found)]):
                break
            for kind in group:
                if kind.scheme in hopeless:
                    continue
                each = [
                    _prospect(search, kind, degree, plain, bounds.bits)
                    for plain in moduli_of(kind)
                    if not _dearer([one for one in some if one.kind.scheme == kind.scheme], len(plain))
                ]
                if all(one == "hopeless" for one in each):
                    hopeless.add(kind.scheme)
                some += [one for one in each if isinstance(one, _Prospect)]
        if found and some and min(each.cost for each in some) > _FAR * min(each.cost for each in found):
            bounds.narrow = False
        found += some
    return sorted(found, key=lambda each: each.cost)


def _of_bits(search: Search, prospect: _Prospect, bits: int) -> Parameters | None:
    """Those of a prospect's kind with a modulus of so many bits, if there are any."""
    try:
        return search.parameters(prospect.kind, prospect.longest.degree, prospect.plain, bits)
    except ParameterError:  # a SecurityError, too
        return None


def _serving(search: Search, prospect: _Prospect, bits: int) -> Parameters | None:
    found = _of_bits(search, prospect, bits)
    return found if found is not None and search.serves(found) else None


def _shortest(search: Search, prospect: _Prospect) -> Parameters | None:
    """With about the shortest modulus with which the computation decrypts; None where not even the longest serves."""
    bits, best = prospect.needed, prospect.longest
    for step in _STEPS:
        found = _serving(search, prospect, bits) if bits < best.modulus_bits else None
        if found is not None:
            best = found
            break
        bits += step
    if not search.serves(best):
        return None
    left = int(search.headroom(best))
    if left > _SLACK:  # an operation took a way that is quieter than with the longest modulus
        shorter = _serving(search, prospect, max(best.modulus_bits - left + 2, prospect.plain[0].bit_length() + 2))
        best = best if shorter is None else shorter
    return best


def _make(found: Parameters) -> tuple[int, ...]:
    """What the work of one way depends on: how many primes of either kind there are, and of how many bytes."""
    widest = max((*found.moduli, *found.special_moduli)).bit_length()
    return len(found.moduli), len(found.special_moduli), int(widest > 50)


def _others(search: Search, found: Parameters, prospect: _Prospect) -> list[Parameters]:
    """Of lengths about the shortest one those that may cost less: of each number of primes the longest, which leaves
    most headroom to ways that are cheaper and noisier."""
    made: dict[tuple[int, ...], Parameters] = {}
    for more in _LONGER:
        bits = found.modulus_bits + more
        other = _of_bits(search, prospect, bits) if bits < prospect.longest.modulus_bits else None
        if other is None or (more < 0 and _make(other) == _make(found)):
            continue
        # Without a way that is cheaper and noisier more primes are more work.
        if search.cost(found) > prospect.cost or sum(_make(other)[:2]) <= sum(_make(found)[:2]):
            made[_make(other)] = other
    return [other for other in made.values() if other != found and search.serves(other)]


def _best(search: Search, prospects: Sequence[_Prospect], below: float) -> Parameters | None:
    """The cheapest of the prospects, with the shortest modulus or one that is a little longer; None if none costs less
    than that."""
    shortest: list[tuple[float, Parameters, _Prospect]] = []
    for prospect in prospects[:_REFINED]:
        if prospect.cost > _WITHIN * min([below, *(cost for cost, _, _ in shortest)]):
            break
        found = _shortest(search, prospect)
        if found is not None and all(found != other for _, other, _ in shortest):  # aims often come to the same
            shortest.append((search.cost(found), found, prospect))
    shortest.sort(key=lambda each: each[0])
    every = [parameters for _, found, prospect in shortest for parameters in (found, prospect.longest)]
    for cost, found, prospect in shortest[:_LENGTHENED]:
        if cost <= _WITHIN * below:
            every += _others(search, found, prospect)
    for best in sorted(every, key=search.cost):
        if search.cost(best) >= below:
            break
        if search.serves(best):
            return best
    return None


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
    bounds = _Bounds()
    degree, last, noise = 1024, _LARGEST_DEGREE, 0
    while degree <= last:
        if degree >= min_degree and fits(search, degree):
            if bits is None:
                bits, noise = needed_bits(search, degree, Kind(schemes[0], 64))
            if _core.max_modulus_bits(degree, search.security or 128, search.table) < _LESS * noise - _LESS_BITS:
                degree *= 2
                continue
            prospects = _prospects(search, kinds, degree, bits, min_degree, bounds)
            if best is None and prospects:
                last = min(last, 4 * degree)
            found = _best(search, prospects, bounds.cost)
            if best is not None and found is None:
                break  # larger rings cost more from here on
            best = found
            if best is not None:
                longest = max(each.needed for each in prospects if each.cost <= _FAR * prospects[0].cost)
                bounds = _Bounds(search.cost(best), _MORE * longest + _MORE_BITS, bounds.narrow)
        degree *= 2
    search.finished()
    if best is not None:
        return fastest(search, best) if search.measure else best
    if bits is None:  # no degree was tried
        asked = f"at least {min_degree} slots"
        if search.plain_moduli is not None:
            asked += f" for the plaintext moduli {list(search.plain_moduli)}; a prime that is 1 modulo 2k has k"
        raise ParameterError(f"suggest: no degree up to {_LARGEST_DEGREE} has {asked}")
    raise ParameterError(
        f"suggest: no degree up to {_LARGEST_DEGREE} carries the computation at {search.security} bits of security, "
        f"with values of {bits} bits; state tighter bounds, or split it"
    )
