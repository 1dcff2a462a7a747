# SPDX-License-Identifier: Apache-2.0
"""Estimate what attacks on a key under a sparse secret cost, and print it as a table of Markdown.

One sample of ring-LWE modulo q in x^n + 1, errors of deviation 3.24, a ternary secret with exactly h coefficients other
than 0. Costs are log2 of operations; memory costs nothing.

* **hybrid, level 0**: guess the few nonzeros among dropped coefficients, reduce the rest (Albrecht 2017).
* **level 1**: a meeting in the middle over what is guessed (Howgrave-Graham 2007, Cheon et al. 2019).
* **level 2**: trees of representations, Meet-LWE (May, "How to meet ternary LWE keys", 2021); errors in constraints are
  guessed for nothing, which is above what is known.
* **dual**: exhaustive guesses over short dual vectors (Espitau, Joux, Kharchenko 2020).

Three models: *convention* is one instance of LWE, Babai's algorithm for d^2, reduction by MATZOV's count of gates (5.46
d sieves, dimensions for free). *ring* counts that x^i (a, b) has the lattice of (a, b): one reduced basis serves n
targets, and the lists of one side of a tree serve them too. *floor* gives away all constants: Babai for d, list
elements for 1, one sieve of 0.292 beta; nothing known reaches it.

Not covered: batches of closest vectors, quantum search, splitting of x^n + 1 modulo the primes, for which no gain is
known, and what nobody has published. Uncertain by some 3 bits.

Usage: ``python tools/estimate_sparse_secrets.py`` for the library's table (some minutes), or with ``N H BITS``.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

DEVIATION = 3.24
NEVER = math.inf


def log2_sum(*terms: float) -> float:
    high = max(terms)
    return high if high == -NEVER else high + math.log2(sum(2.0 ** (t - high) for t in terms))


def log2_choose(n: float, k: float) -> float:
    """Of real numbers, as trees split weights."""
    if k < -1e-9 or k > n + 1e-9:
        return -NEVER
    k = min(max(k, 0.0), n)
    return (math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)) / math.log(2)


@dataclass(frozen=True)
class Model:
    """Which constants an attacker pays."""

    name: str
    ring: bool
    floor: bool

    def babai(self, dimension: int) -> float:
        return (1 if self.floor else 2) * math.log2(dimension)

    def sieve(self, beta: float) -> float:
        if self.floor:
            return 0.292 * beta
        free = max(beta * math.log2(4 / 3) / math.log2(beta / (2 * math.pi * math.e)), 0.0)
        return 0.29613500308205365 * (beta - free) + 20.387885985467914

    def reduction(self, dimension: int, beta: int) -> float:
        if self.floor:
            return max(0.292 * beta, 2 * math.log2(dimension))
        sieves = 2 * math.log2(5.46) + math.log2(max(dimension - beta, 1)) + self.sieve(beta)
        return log2_sum(3 * math.log2(dimension), sieves)

    def targets(self, n: int, log2_chance: float) -> float:
        """log2 of how many rotations of the sample one basis serves."""
        return min(math.log2(n), -log2_chance) if self.ring else 0.0


CONVENTION, RING, FLOOR = Model("convention", False, False), Model("ring", True, False), Model("floor", True, True)


# --- lattices ---------------------------------------------------------------------------------------------------------
def log2_delta(beta: int) -> float:
    """Of the root Hermite factor; from experiments up to 60 (Chen 2013)."""
    measured = ((40, 1.01295), (50, 1.01206), (60, 1.01145))
    if beta <= 60:
        for (low, at_low), (high, at_high) in pairwise(measured):
            if beta <= high:
                return math.log2(at_low + (at_high - at_low) * (beta - low) / (high - low))
    e = 1 / (2 * (beta - 1))
    return e * (math.log2(beta / (2 * math.pi * math.e)) + math.log2(math.pi * beta) / beta)


def best_dimension(reduced: int, bits: float, scale: float, log2_d: float, samples: int) -> int:
    best = math.ceil(math.sqrt(reduced * (bits - math.log2(scale)) / log2_d))
    return max(reduced + 1, min(best, reduced + samples))


def log2_babai_succeeds(last: float, log2_d: float, dimension: int) -> float:
    """That every coordinate lies in its box, by the series of Gram-Schmidt norms, `last` the shortest."""
    chance = 0.0
    for i in range(dimension):
        side = 2.0 ** (last + 2 * i * log2_d)
        if side > 16 * DEVIATION:
            break
        inside = math.erf(side / (2 * math.sqrt(2) * DEVIATION))
        if inside <= 0 or chance < -60:
            return -NEVER
        chance += math.log2(inside)
    return chance


def block_sizes() -> Iterator[int]:
    yield from range(40, 130, 3)
    yield from range(130, 300, 6)
    yield from range(300, 620, 15)


def dropped_counts(n: int) -> list[int]:
    return sorted({int(n * (1 - 2 ** (-i / 8))) for i in range(1, 72)} | {n * i // 40 for i in range(1, 40)})


# --- guessing ---------------------------------------------------------------------------------------------------------
def log2_space(places: float, weight: float) -> float:
    return log2_choose(places, weight) + weight


def log2_lighter(n: int, h: int, places: int, weight: int) -> float:
    """That at most so many of the h nonzeros lie in so many places."""
    return log2_sum(
        *(
            log2_choose(places, w) + log2_choose(n - places, h - w) - log2_choose(n, h)
            for w in range(min(weight, places, h) + 1)
        )
    )


@cache
def log2_tree(places: int, weight: int, levels: int) -> float:
    """The largest list of a tree of representations with so many levels; 1: two halves that meet in the middle."""
    best = NEVER

    def down(level: int, own: float, before: float, worst: float) -> None:
        nonlocal best
        if worst >= best:
            return
        extra, fails, previous = 0.0, 0, NEVER
        while own / 2 + extra <= places / 2 and fails < 4 and extra <= 3 * weight + 8:
            half = own / 2 + extra
            ways = log2_choose(own, own / 2) + log2_choose(places - own, extra) + extra
            space = log2_space(places, half)
            if level == levels == 1:
                cost = max(worst, space - ways / 2)
            else:
                kept = min(ways, before)
                size = max(space - kept, 0)
                merge = size if before == NEVER else max(size, 2 * size - (before - kept))
                cost = max(worst, merge, space / 2 if level == levels else 0)
                if level < levels:
                    down(level + 1, half, kept, cost)
            if level == levels:
                best = min(best, cost)
            fails = fails + 1 if cost >= previous - 1e-9 and cost > worst + 1e-9 else 0
            previous = cost
            extra += 1.0 if level == 1 else 0.5

    down(1, float(weight), NEVER, 0.0)
    return best


def log2_guesses(places: int, weight: int, level: int, targets: float) -> float:
    """Elements that are handled for all targets together; of two lists one serves all of them."""
    if level == 0:
        return log2_sum(*(log2_space(places, w) for w in range(weight + 1))) + targets
    return log2_tree(places, weight, level) + targets / 2


# --- attacks ----------------------------------------------------------------------------------------------------------
def hybrid(n: int, h: int, bits: float, level: int, model: Model) -> float:
    best = NEVER
    for places in dropped_counts(n):
        reduced = n - places
        if reduced < 50:
            continue
        for weight in range(7) if level == 0 else range(2, h, 2):
            chance = log2_lighter(n, h, places, weight)
            if chance < -140:
                continue
            targets = model.targets(n, chance)
            repeats = max(-chance - targets, 0.0)
            guesses = log2_guesses(places, weight, level, targets)
            if guesses + repeats < best:
                best = min(best, _reduced(n, reduced, h - weight, bits, guesses, repeats, model, best))
    return best


def _reduced(
    n: int, reduced: int, weight: int, bits: float, guesses: float, repeats: float, model: Model, best: float
) -> float:
    """The best block size for what is left; stops where nothing better can come."""
    scale = DEVIATION / math.sqrt(max(weight, 0.5) / reduced)
    lowest = NEVER
    for beta in block_sizes():
        if 0.292 * beta + repeats >= best:
            break
        log2_d = log2_delta(beta)
        dimension = best_dimension(reduced, bits, scale, log2_d, n)
        volume = bits * (dimension - reduced) + math.log2(scale) * reduced
        succeeds = log2_babai_succeeds(volume / dimension - (dimension - 1) * log2_d, log2_d, dimension)
        if succeeds < -40:
            continue
        work = log2_sum(model.reduction(dimension, beta), guesses + model.babai(dimension)) + repeats - succeeds
        if work > lowest + 12:
            break
        lowest = min(lowest, work)
    return lowest


def dual(n: int, h: int, bits: float, model: Model) -> float:
    best = NEVER
    for places in dropped_counts(n):
        reduced = n - places
        for weight in range(7) if reduced >= 50 else ():
            chance = log2_lighter(n, h, places, weight)
            targets = model.targets(n, chance)
            repeats = max(-chance - targets, 0.0)
            guesses = log2_guesses(places, weight, 0, 0)
            scale = DEVIATION / math.sqrt(max(h - weight, 0.5) / reduced)
            for beta in block_sizes():
                if 0.292 * beta + repeats >= best or guesses + repeats + targets >= best:
                    break
                log2_d = log2_delta(beta)
                d = best_dimension(reduced, bits, scale, log2_d, n)
                length = log2_d * d + (reduced / d) * (bits - math.log2(scale)) + math.log2(DEVIATION) - bits
                if length > 4:
                    continue
                vectors = 4 * math.pi**2 * 4.0**length / math.log(2) + math.log2(4 * (guesses * math.log(2) + 5))
                if vectors > 200:
                    continue
                sieves = max(vectors - 0.2075 * beta, 0) + model.sieve(beta)
                work = log2_sum(model.reduction(d, beta), sieves, targets + guesses + vectors)
                best = min(best, work + repeats)
    return best


def costs(n: int, h: int, bits: float, model: Model) -> float:
    """The cheapest attack."""
    return min(*(hybrid(n, h, bits, level, model) for level in (0, 1, 2)), dual(n, h, bits, model))


def table(points: Iterable[tuple[int, int, int]]) -> Iterator[str]:
    yield "| n | weight | log₂ of the modulus | convention | ring | floor |"
    yield "|---|---|---|---|---|---|"
    for n, h, bits in points:
        found = " | ".join(f"{costs(n, h, bits, model):.1f}" for model in (CONVENTION, RING, FLOOR))
        yield f"| {n} | {h} | {bits} | {found} |"


def main() -> None:
    parser = argparse.ArgumentParser(description="What attacks on keys under sparse secrets cost.")
    parser.add_argument("point", nargs="*", type=int, metavar="N H BITS")
    given = parser.parse_args().point
    if given:
        if len(given) != 3:
            parser.error("a point is N H BITS")
        points = [(given[0], given[1], given[2])]
    else:
        from cyclotome import _core

        points = [(n, h, bits) for n, h, bits, *_ in _core.sparse_secret_rows()]
    for line in table(points):
        print(line, flush=True)


if __name__ == "__main__":
    main()
