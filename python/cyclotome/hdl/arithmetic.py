# SPDX-License-Identifier: Apache-2.0
"""Products of streams from tiles that fit a DSP block, and sums of many terms.

The tile is 18 x 18 bits: two of them are one block of an Arria, Cyclone or Stratix V (as one 27 x 27 is), one is a
multiplier of an ECP5. The thesis (004, Table 6.1) starts from the same products.
"""

from __future__ import annotations

from dataclasses import dataclass

from cyclotome.errors import ArgumentError

from .flow import Stream, join

#: The widest factor of a tile, in bits.
TILE = 18


@dataclass(frozen=True)
class Term:
    """stream 2^shift, one of the numbers that make a sum; never negative."""

    stream: Stream
    shift: int

    @property
    def end(self) -> int:
        """The first bit above the term."""
        return self.shift + self.stream.width


def slices(stream: Stream, tile: int = TILE) -> list[Term]:
    """An unsigned stream cut into equal parts of at most ``tile`` bits."""
    if stream.signed:
        raise ArgumentError(f"a factor in [{stream.low}, {stream.high}]: tiles are made of unsigned factors")
    count = -(-stream.width // tile)
    width = -(-stream.width // count)
    return [Term(stream.bits(start, start + width), start) for start in range(0, stream.width, width)]


def partial_products(x: Stream, y: Stream, tile: int = TILE) -> list[Term]:
    """Terms whose sum is x y, one tick later: products of tiles, joined where they do not overlap."""
    tiles = [
        Term(tile_product(left.stream, right.stream), left.shift + right.shift)
        for left in slices(x, tile)
        for right in slices(y, tile)
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
        free = [place for place, word in enumerate(words) if word.end <= term.shift]
        if not free:
            words.append(term)
            continue
        place = max(free, key=lambda each: words[each].end)
        word = words[place]
        words[place] = Term(join(word.stream, term.stream, term.shift - word.shift), word.shift)
    return words


def total(terms: list[Term]) -> Stream:
    """The sum of the terms, in a tree of sums as low as it can be; lower bits that meet nothing pass by."""
    waiting = sorted(terms, key=lambda term: (term.stream.latency or 0, term.shift, term.end))
    if not waiting:
        raise ArgumentError("a sum of no terms; give one at least")
    while len(waiting) > 1:
        first = waiting.pop(0)
        # Among what is there first, the term that overlaps least of the other: the shortest carry.
        soonest = waiting[0].stream.latency
        candidates = [term for term in waiting if term.stream.latency == soonest]
        second = min(candidates, key=lambda term: (abs(term.shift - first.shift), abs(term.end - first.end)))
        waiting.remove(second)
        waiting.append(_pair(first, second))
        waiting.sort(key=lambda term: (term.stream.latency or 0, term.shift, term.end))
    return waiting[0].stream << waiting[0].shift


def _pair(x: Term, y: Term) -> Term:
    low, high = (x, y) if x.shift <= y.shift else (y, x)
    gap = high.shift - low.shift
    if gap == 0:
        return Term(low.stream + high.stream, low.shift)
    if gap >= low.stream.width:
        return Term(join(low.stream, high.stream, gap), low.shift)
    upper = (low.stream >> gap) + high.stream
    return Term(join(low.stream.bits(0, gap), upper, gap), low.shift)


def product(x: Stream, y: Stream, tile: int = TILE) -> Stream:
    """x y of unsigned streams."""
    result = total(partial_products(x, y, tile))
    return result.within(x.low * y.low, x.high * y.high)


def split(terms: list[Term], position: int) -> tuple[list[Term], list[Term]]:
    """Terms of the sum below bit ``position``, and those above it (counted from there)."""
    below, above = [], []
    for term in terms:
        if term.shift >= position:
            above.append(Term(term.stream, term.shift - position))
            continue
        below.append(Term(term.stream.bits(0, position - term.shift), term.shift))
        if term.end > position:
            above.append(Term(term.stream >> (position - term.shift), 0))
    return below, above
