# SPDX-License-Identifier: Apache-2.0
"""Random programs of what acts value by value or moves values, mixed with all that leaves values as they are: levels,
transforms, files, other keys. Python integers are the oracle of every value on the way, and of its bounds: no value
lies beyond the interval, and no row beyond the sum of magnitudes that an array states.

Operands lie at the ends of their intervals, which are of either sign, of one or of a single value. What is refused is
refused by an error of the library. CYCLOTOME_TEST_PROGRAMS sets how many programs are run for each set of keys.
That noise exceeds its bound is rarer than 2^-128 (doc/noise.md), so right code does not fail.
"""

from __future__ import annotations

import os
import pickle
from collections import Counter
from collections.abc import Callable
from functools import cache
from typing import Any

import cyclotome as cy
import numpy as np
import pytest
from cyclotome.errors import CyclotomeError
from small import HOME, parameters

# Operands are drawn, and with them such as nothing was prepared for.
pytestmark = pytest.mark.filterwarnings("ignore::cyclotome.errors.PreparedWarning")

COUNT = int(os.environ.get("CYCLOTOME_TEST_PROGRAMS") or 40)
STEPS, LENGTH = 6, 3

#: An array, and what it should hold.
Pair = tuple[cy.EncryptedArray, Any]


class World:
    """Keys, and a second secret to lend arrays to."""

    def __init__(self, plain: tuple[int, ...], scheme: str) -> None:
        self.parameters = parameters(plain, bits=(50,) * 8, scheme=scheme)
        self.own, self.other = (cy.keygen(self.parameters, device=HOME) for _ in range(2))
        self.there = cy.rekeying.rekeying_key(self.own.secret, self.other.secret)
        self.back = cy.rekeying.rekeying_key(self.other.secret, self.own.secret)

    @property
    def capacity(self) -> int:
        return (int(self.parameters.plain_product) - 1) // 2


@cache
def world(plain: tuple[int, ...], scheme: str) -> World:
    return World(plain, scheme)


class Program:
    """Arrays beside what they should hold, and operations on both."""

    def __init__(self, rng: np.random.Generator, where: World) -> None:
        self.rng, self.where, self.log = rng, where, list[str]()
        self.arrays = [self.fresh() for _ in range(3)]

    def below(self, limit: int) -> int:
        return int(self.rng.integers(limit))

    def interval(self, most: int) -> tuple[int, int]:
        low, high = sorted(int(end) for end in self.rng.integers(-most, most + 1, 2))
        return [(low, high), (0, abs(high)), (-abs(low), 0), (high, high), (0, 1), (0, 0)][self.below(6)]

    def drawn(self, shape: tuple[int, ...], interval: tuple[int, int]) -> Any:
        """Half of them at the ends."""
        low, high = interval
        inner = self.rng.integers(low, high + 1, shape)
        ends = np.where(self.rng.integers(2, size=shape) == 0, low, high)
        return np.where(self.rng.integers(2, size=shape) == 0, inner, ends).astype(object)

    def fresh(self) -> Pair:
        interval = self.interval(min(self.where.capacity, (1, 2, 5, 9)[self.below(4)]))
        values = self.drawn([(LENGTH,), (2, LENGTH), (1, LENGTH), (2, 1)][self.below(4)], interval)
        how: dict[str, Any] = {"bound": interval, "layout": ("packed", "replicated")[self.below(2)]}
        if self.below(2):
            how["l1_bound"] = largest_row(values)
        own = self.where.own
        x = cy.encrypt(values, own.secret if self.below(4) == 0 else own.public, **how)
        return x.with_keys(own.public, own.evaluation), values

    def run(self, counts: Counter[str]) -> None:
        for _ in range(STEPS):
            (x, a), (y, b) = (self.arrays[self.below(len(self.arrays))] for _ in range(2))
            calls = self.unchanged(x) if self.below(4) == 0 else self.calls(x, a, y, b)
            name = sorted(calls)[self.below(len(calls))]
            encrypted, clear = calls[name]
            self.log.append(f"{name} of {x} and {y}")
            try:
                expected = np.asarray(clear(a), dtype=object)
            except (ValueError, IndexError):
                continue  # NumPy has no such result
            try:
                result = encrypted()
            except CyclotomeError as error:
                counts[type(error).__name__] += 1
                continue
            self.check(result, expected)
            counts[name] += 1
            self.arrays.append((result, expected))

    def check(self, x: cy.EncryptedArray, expected: Any) -> None:
        """Values, interval, sums of magnitudes, noise."""
        story = "\n".join(self.log)
        found = np.asarray(cy.decrypt(x, self.where.own.secret), dtype=object)
        assert x.shape == found.shape == expected.shape, story
        assert (found == expected).all(), f"{story}\n{found.tolist()}, not {expected.tolist()}"
        assert x.interval is not None and x.l1_bound is not None
        assert x.interval[0] <= expected.min() and expected.max() <= x.interval[1], f"{story}\nbeyond {x.interval}"
        assert largest_row(expected) <= x.l1_bound, f"{story}\nrows beyond {x.l1_bound}"
        assert max(map(abs, x.interval)) <= self.where.capacity, story
        assert x.noise_headroom <= cy.noise_budget(x, self.where.own.secret) + 1, story

    def unchanged(self, x: cy.EncryptedArray) -> dict[str, tuple[Callable[[], Any], Callable[[Any], Any]]]:
        """What gives the same values."""
        where, level = self.where, 1 + self.below(8)

        def same(values: Any) -> Any:
            return values

        def lent() -> cy.EncryptedArray:
            there = cy.rekeying.rekey(x, where.there, keys=where.other.public)
            return cy.rekeying.rekey(there, where.back, keys=(where.own.public, where.own.evaluation))

        def stored() -> cy.EncryptedArray:
            again = pickle.loads(pickle.dumps(x)).to(x.device)
            return again.with_keys(where.own.public, where.own.evaluation)  # type: ignore[no-any-return]

        return {
            "switch_to_level": (lambda: x.switch_to_level(level), same),
            "switch_to_least_level": (lambda: x.switch_to_least_level(20), same),
            "transformed": (lambda: x.transformed(), same),
            "in coefficients": (lambda: x.transformed(False), same),
            "rerandomize": (lambda: cy.rekeying.rerandomize(x), same),
            "rekey": (lent, same),
            "pickle": (stored, same),
            "assume_bound": (lambda: x.assume_bound(x.interval, l1_bound=x.l1_bound), same),
        }

    def calls(
        self, x: cy.EncryptedArray, a: Any, y: cy.EncryptedArray, b: Any
    ) -> dict[str, tuple[Callable[[], Any], Callable[[Any], Any]]]:
        """Functions of arrays, and of Python integers."""
        c, width = self.below(11) - 5, a.shape[-1] if a.ndim else 1
        w = self.drawn((width,), self.interval(4))
        square = self.drawn((width, width), self.interval(3))
        choice = self.drawn(a.shape, (0, 1))
        mask = cy.encrypt(choice, self.where.own.public, bound=(0, 1)).with_keys(self.where.own.evaluation)
        coefficients = self.drawn((1 + self.below(5),), (-3, 3))
        table = self.drawn((10,), (-self.where.capacity, self.where.capacity) if self.below(4) == 0 else (-5, 5))
        encoded = cy.plain(w, self.where.parameters)
        matrix = cy.Matrix(square, self.where.parameters, device=HOME)

        def columns() -> tuple[Any, Any]:
            return x.sum_of_products(y, axis=-1), cy.einsum("...j,...j->...", x, y)

        return {
            "add": (lambda: x + y, lambda p: p + b),
            "subtract": (lambda: x - y, lambda p: p - b),
            "multiply": (lambda: x * y, lambda p: p * b),
            "square": (lambda: x**2, lambda p: p * p),
            "cube": (lambda: x**3, lambda p: p**3),
            "constant": (lambda: c - x, lambda p: c - p),
            "scale": (lambda: x * c, lambda p: p * c),
            "plain sum": (lambda: encoded - x, lambda p: w - p),
            "plain product": (lambda: x * encoded, lambda p: p * w),
            "matrix": (lambda: x @ matrix, lambda p: p @ square),
            "left matrix": (lambda: square @ x if x.ndim == 1 else x @ square.T, lambda p: p @ square.T),
            "sum": (lambda: x.sum(axis=-1), lambda p: p.sum(axis=-1)),
            "sum of all": (lambda: x.sum(), lambda p: p.sum()),
            "sum of rows": (lambda: x.sum(axis=0, keepdims=True), lambda p: p.sum(axis=0, keepdims=True)),
            "sum of products": (lambda: columns()[0], lambda p: np.asarray(p * b).sum(axis=-1)),
            "einsum": (lambda: columns()[1], lambda p: np.einsum("...j,...j->...", p, b)),
            "reversed": (lambda: x[..., ::-1], lambda p: p[..., ::-1]),
            "transposed": (lambda: x.T, lambda p: p.T),
            "stacked": (lambda: cy.stack([x, y]), lambda p: np.stack([p, b])),
            "joined": (lambda: cy.concatenate([x, y]), lambda p: np.concatenate([p, b])),
            "polyval": (lambda: cy.polyval(coefficients, x), lambda p: np.polyval(coefficients, p)),
            "lookup": (lambda: cy.lookup(table, x), lambda p: table[p.astype(int)]),
            "less": (lambda: cy.less(x, y), lambda p: (p < b).astype(object)),
            "less than": (lambda: cy.less(c, x), lambda p: (c < p).astype(object)),
            "equal": (lambda: cy.equal(x, y), lambda p: (p == b).astype(object)),
            "is zero": (lambda: cy.is_zero(x), lambda p: (p == 0).astype(object)),
            "maximum": (lambda: cy.maximum(x, y), lambda p: np.maximum(p, b)),
            "minimum": (lambda: cy.minimum(x, c), lambda p: np.minimum(p, c)),
            "where": (lambda: cy.where(mask, x, y), lambda p: np.where(choice == 1, p, b)),
            "where of one": (lambda: cy.where(mask, c, x), lambda p: np.where(choice == 1, c, p)),
            "where of none": (lambda: cy.where(mask, c, w), lambda p: np.where(choice == 1, c, w)),
            "any mask": (lambda: cy.where(x, y, c), lambda p: c + p * (b - c)),
            "sort": (lambda: cy.sort(x, axis=0), lambda p: np.sort(p, axis=0)),
            "top_k": (lambda: cy.top_k(x, 1), lambda p: np.sort(p, axis=0)[::-1][:1]),
            "argmax": (lambda: cy.argmax(x, axis=0), lambda p: np.argmax(p, axis=0)),
            "argmin": (lambda: cy.argmin(x, axis=0), lambda p: np.argmin(p, axis=0)),
        }


def largest_row(values: Any) -> int:
    rows = np.abs(values.reshape(-1, values.shape[-1] if values.ndim else 1)).astype(object)
    return int(rows.sum(axis=-1).max())


@pytest.mark.parametrize("scheme", ["bfv", "bgv"])
@pytest.mark.parametrize("plain", [(65537,), (97,), (40961, 65537)], ids=str)
def test_programs_of_functions(rng: np.random.Generator, plain: tuple[int, ...], scheme: str) -> None:
    counts: Counter[str] = Counter()
    for _ in range(COUNT):
        Program(rng, world(plain, scheme)).run(counts)
    print(dict(counts))
    refused = sum(counts[name] for name in counts if name.endswith("Error"))
    assert sum(counts.values()) - refused > 2 * COUNT  # of at most STEPS each
