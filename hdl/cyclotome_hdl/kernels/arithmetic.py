# SPDX-License-Identifier: Apache-2.0
"""Products of streams from tiles that fit a DSP block, and sums of many terms.

The tile is 18 x 18 bits: two of them are one block of an Arria, Cyclone or Stratix V (as one 27 x 27 is), one is a
multiplier of an ECP5. The thesis (004, Table 6.1) starts from the same products.
"""

from __future__ import annotations

from dataclasses import dataclass

from cyclotome.errors import ArgumentError

from .flow import CARRY, CARRY_SLICE, Stream, join, low_bits

#: The widest factor of a tile, in bits.
TILE = 18


@dataclass(frozen=True)
class Term:
    """± stream 2^shift, one of the numbers that make a sum."""

    stream: Stream
    shift: int
    negative: bool = False

    @property
    def end(self) -> int:
        """The first bit above the term."""
        return self.shift + self.stream.width


def slices(stream: Stream, tile: int = TILE) -> list[Term]:
    """A stream cut into equal parts of at most ``tile`` bits; all but the topmost are unsigned."""
    count = -(-stream.width // tile)
    width = -(-stream.width // count)
    starts = range(0, stream.width, width)
    parts = [Term(stream.bits(start, start + width), start) for start in starts[:-1]]
    return [*parts, Term(stream >> starts[-1], starts[-1])]


def partial_products(x: Stream, y: Stream, tile: int = TILE) -> list[Term]:
    """Terms whose sum is x y, one tick later: products of tiles, joined where they do not overlap."""
    width = tile - 1 if x.signed or y.signed else tile  # an unsigned part of a signed product needs a sign bit
    tiles = [
        Term(tile_product(left.stream, right.stream), left.shift + right.shift)
        for left in slices(x, width)
        for right in slices(y, width)
    ]
    return joined(tiles)


def tile_product(x: Stream, y: Stream) -> Stream:
    """x y of two small factors, in one tick."""
    corners = [a * b for a in (x.low, x.high) for b in (y.low, y.high)]
    return x.kernel.operation("×", min(corners), max(corners), (x, y), lambda a, b: a * b)


def joined(terms: list[Term]) -> list[Term]:
    """The same terms, those that do not overlap put into one word: as few words as there can be."""
    words: list[Term] = []
    for term in sorted(terms, key=lambda each: (each.shift, each.end)):
        free = [place for place, word in enumerate(words) if word.end <= term.shift and not word.stream.signed]
        if not free:
            words.append(term)
            continue
        place = max(free, key=lambda each: words[each].end)
        word = words[place]
        words[place] = Term(join(word.stream, term.stream, term.shift - word.shift), word.shift)
    return words


def total(terms: list[Term]) -> Stream:
    """The sum of the terms, in a tree of sums as low as it can be; lower bits that meet nothing pass by."""
    if not terms:
        raise ArgumentError("a sum of no terms; give one at least")
    waiting = list(terms)
    while len(waiting) > 1:
        waiting.sort(key=lambda term: (term.stream.latency or 0, term.shift, term.end))
        first = waiting.pop(0)
        # Among what is there first, the term that overlaps least of the other: the shortest carry.
        soonest = waiting[0].stream.latency
        candidates = [term for term in waiting if term.stream.latency == soonest]
        second = min(candidates, key=lambda term: (abs(term.shift - first.shift), abs(term.end - first.end)))
        waiting.remove(second)
        waiting.append(_pair(first, second))
    (last,) = waiting
    return (0 - last.stream if last.negative else last.stream) << last.shift


def _pair(x: Term, y: Term) -> Term:
    """The sum of two terms; it has the sign of the lower one, whose low bits need no carry."""
    low, high = sorted((x, y), key=lambda term: (term.shift, term.negative))
    gap, minus = high.shift - low.shift, low.negative != high.negative
    if gap >= low.stream.width and not low.stream.signed and not minus:
        return Term(join(low.stream, high.stream, gap), low.shift, low.negative)
    above = low.stream >> gap
    upper = above - high.stream if minus else above + high.stream
    return Term(join(low_bits(low.stream, gap), upper, gap) if gap else upper, low.shift, low.negative)


def product(x: Stream, y: Stream, tile: int = TILE) -> Stream:
    """x y, from products of tiles."""
    corners = [a * b for a in (x.low, x.high) for b in (y.low, y.high)]
    return _in_slices(partial_products(x, y, tile)).within(min(corners), max(corners))


def _in_slices(terms: list[Term]) -> Stream:
    """The sum of many bits: where that is sooner, its slices side by side and the carries between them last."""
    whole = total(terms)
    if max(term.end for term in terms) <= CARRY or any(term.stream.signed for term in terms):
        return whole
    below, above = split(terms, CARRY_SLICE)
    low = total(below)
    high = _in_slices([*above, Term(low >> CARRY_SLICE, 0)])
    sliced = join(low_bits(low, CARRY_SLICE), high, CARRY_SLICE)
    return min(whole, sliced, key=lambda stream: stream.latency or 0)


def low_product(x: Stream, y: Stream, width: int) -> Stream:
    """x y mod 2^width of unsigned streams; tiles that lie above are left out."""
    below, _ = split(partial_products(x.bits(0, width), y.bits(0, width)), width, above=False)
    return total(below).bits(0, width)


def signed_digits(value: int) -> list[tuple[int, bool]]:
    """(shift, negative) of the fewest powers of two whose sum is ``value`` >= 0: its canonical signed digits."""
    digits, shift = [], 0
    while value:
        if value & 1:
            digit = 2 - (value & 3)
            digits.append((shift, digit < 0))
            value -= digit
        value >>= 1
        shift += 1
    return digits


def multiples(x: Stream, factor: int, *, negative: bool = False) -> list[Term]:
    """Terms whose sum is x factor (or its negative): shifts alone, which take no tick."""
    return [Term(x, shift, minus != negative) for shift, minus in signed_digits(factor)]


def split(terms: list[Term], position: int, *, above: bool = True) -> tuple[list[Term], list[Term]]:
    """The parts of positive terms below bit ``position``, and, if wanted, those above it (counted from there)."""
    lower, upper = [], []
    for term in terms:
        if term.shift >= position:
            upper.append(Term(term.stream, term.shift - position))
            continue
        lower.append(Term(term.stream.bits(0, position - term.shift), term.shift))
        if term.end > position and above:
            upper.append(Term(term.stream >> (position - term.shift), 0))
    return lower, upper
