# SPDX-License-Identifier: Apache-2.0
"""Random programs over the whole array API, all layouts and encodings mixed, against Python integers.

CYCLOTOME_TEST_PROGRAMS sets how many are run for each set of keys (1000 unless told otherwise, 20,000 by hand).
CYCLOTOME_TEST_SEED repeats a run.
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
from small import DEGREE, HOME, keys, parameters

COUNT = int(os.environ.get("CYCLOTOME_TEST_PROGRAMS") or 1000)
SHAPES: list[tuple[int, ...]] = [
    *[(), (1,), (5,), (DEGREE,), (DEGREE + 3,), (2, 1), (2, 5), (2, DEGREE), (2, DEGREE + 3)],
    *[(3, 2, DEGREE + 3), (3, 1, 5), (1, 5), (2, 2), (2 * DEGREE + 1,)],
]
PLACES = [("packed", "slots"), ("packed", "coefficients"), ("replicated", None)]

Step = tuple[cy.EncryptedArray, Any]


def largest(values: Any) -> tuple[int, int]:
    """The largest magnitude, and the largest sum of them along the last axis."""
    rows = [[abs(int(v)) for v in row] for row in values.reshape(-1, values.shape[-1] if values.ndim else 1)]
    return max(map(max, rows)), max(map(sum, rows))


class Program:
    """Arrays beside what they should be, and operations on both, chosen at random."""

    def __init__(self, rng: np.random.Generator, own: cy.Keys, counts: Counter[str]) -> None:
        self.rng, self.own, self.counts = rng, own, counts
        self.wrap = bool(rng.integers(3) == 0)
        self.arrays = [self.fresh() for _ in range(3)]

    def below(self, limit: int) -> int:
        return int(self.rng.integers(limit))

    def numbers(self, shape: tuple[int, ...], most: int) -> Any:
        return np.asarray(self.rng.integers(-most, most, shape, endpoint=True)).astype(object)

    def fresh(self) -> Step:
        """Now and then with a bound on rows, wide values, under the secret key, or unlike the others."""
        most = 30000 if self.below(4) == 0 else 20
        values = self.numbers(SHAPES[self.below(len(SHAPES))], most)
        layout, encoding = PLACES[self.below(3)]
        if encoding == "slots" and not self.own.public.parameters.has_slots:
            encoding = None
        how: dict[str, Any] = {"wrap": True} if self.wrap != (self.below(15) == 0) else {"bound": most}
        if "bound" in how and self.below(3) == 0:
            how["l1_bound"] = largest(values)[1]
        if "wrap" in how:
            values = np.asarray(values % self.own.public.parameters.plain_product, dtype=object)
        key = self.own.secret if self.below(6) == 0 else self.own.public
        x = cy.encrypt(values, key, layout=layout, encoding=encoding, **how)
        return x.with_keys(self.own.public, self.own.evaluation), values

    def run(self, steps: int) -> None:
        for _ in range(steps):
            (x, a), (y, b) = (self.arrays[self.below(len(self.arrays))] for _ in range(2))
            expected: Any = None
            name = OPERATIONS[self.below(len(OPERATIONS))]
            operation = getattr(self, name)
            state = self.rng.bit_generator.state
            try:
                expected = operation(a, b, False)
            except (ValueError, IndexError):
                expected = None  # NumPy has no such result, so the array must not have one
            if expected is NotImplemented:
                continue
            self.rng.bit_generator.state = state
            try:
                result = operation(x, y, True)
            except CyclotomeError as error:
                self.counts[type(error).__name__] += 1
                continue
            assert expected is not None, f"{name} of {x} and {y} gave what NumPy refuses"
            values = np.asarray(expected, dtype=object)
            if result.wrap:
                values = np.asarray(values % result.parameters.plain_product, dtype=object)
            self.arrays.append((result, values))

    def check(self) -> None:
        for x, values in self.arrays:
            assert x.noise_headroom >= 0 and x.shape == values.shape
            found = np.asarray(cy.decrypt(x, self.own.secret), dtype=object)
            assert (found == values).all(), f"{x} is {found.tolist()}, not {values.tolist()}"
            assert x.noise_headroom <= cy.noise_budget(x, self.own.secret) + 1
            if x.bound is not None and x.l1_bound is not None:
                value, row = largest(values)
                assert value <= x.bound and row <= x.l1_bound
            self.counts["exact"] += 1

    # Each operation is called with arrays in the clear (`under` is false), then with encrypted ones and the same
    # random choices.
    def add(self, x: Any, y: Any, under: bool) -> Any:
        return x + y

    def subtract(self, x: Any, y: Any, under: bool) -> Any:
        return x - y

    def multiply(self, x: Any, y: Any, under: bool) -> Any:
        return x * y

    def square(self, x: Any, y: Any, under: bool) -> Any:
        return x**2 if self.below(2) else x * x

    def negate(self, x: Any, y: Any, under: bool) -> Any:
        return -x

    def plain(self, x: Any, y: Any, under: bool) -> Any:
        w = self.numbers(SHAPES[self.below(len(SHAPES))], [0, 1, 9, 10**6][self.below(4)])
        functions = [lambda: x + w, lambda: w - x, lambda: x * w, lambda: w * x, lambda: x * int(w.flat[0])]
        return functions[self.below(5)]()

    def matmul(self, x: Any, y: Any, under: bool) -> Any:
        return x @ y

    def left_matmul(self, x: Any, y: Any, under: bool) -> Any:
        if not x.ndim:
            return NotImplemented
        rows = x.shape[-2] if x.ndim > 1 else x.shape[0]
        return self.numbers((2, rows) if self.below(2) else (rows,), 5) @ x

    def right_matmul(self, x: Any, y: Any, under: bool) -> Any:
        if not x.ndim:
            return NotImplemented
        return x @ self.numbers((x.shape[-1], 3) if self.below(2) else (x.shape[-1],), 5)

    def sum(self, x: Any, y: Any, under: bool) -> Any:
        axes = tuple(i for i in range(x.ndim) if self.below(2))
        kept = bool(self.below(2))
        return x.sum(axes, keepdims=kept) if under else np.asarray(x, dtype=object).sum(axes, keepdims=kept)

    def reshape(self, x: Any, y: Any, under: bool) -> Any:
        shapes = [(1, *x.shape), (-1, x.shape[-1]) if x.ndim else (1,), (-1,)]
        return np.reshape(x, shapes[self.below(3)]) if not under else x.reshape(shapes[self.below(3)])

    def index(self, x: Any, y: Any, under: bool) -> Any:
        if not x.ndim:
            return NotImplemented
        keys: list[Any] = [0, -1, slice(None, None, -1), slice(0, 1), [0, 0], (None, 0), (..., slice(None)), (0, 0)]
        return x[keys[self.below(len(keys))]]

    def stack(self, x: Any, y: Any, under: bool) -> Any:
        return (cy if under else np).stack([x, y, x], axis=self.below(2))

    def concatenate(self, x: Any, y: Any, under: bool) -> Any:
        return (cy if under else np).concatenate([x, y], axis=self.below(2))

    def pack(self, x: Any, y: Any, under: bool) -> Any:
        return x.packed() if under else x

    def pad(self, x: Any, y: Any, under: bool) -> Any:
        if under:
            return x.padded()
        if not x.ndim:
            return x
        zeros = np.zeros((*x.shape[:-1], -x.shape[-1] % DEGREE), dtype=object)
        return np.concatenate([x, zeros], axis=-1)

    def rotate(self, x: Any, y: Any, under: bool) -> Any:
        steps = self.below(40) - 20
        if under:
            return x.rotate_rows(steps) if steps % 3 else x.rotate_columns()
        if not x.ndim or x.shape[-1] % DEGREE:
            raise ValueError("no whole ciphertexts")
        halves = x.reshape(*x.shape[:-1], -1, 2, DEGREE // 2)
        return (np.roll(halves, -steps, axis=-1) if steps % 3 else halves[..., ::-1, :]).reshape(x.shape)

    def store(self, x: Any, y: Any, under: bool) -> Any:
        if not under:
            return x
        return pickle.loads(pickle.dumps(x)).to(x.device).with_keys(self.own.public, self.own.evaluation)


#: Products more often, which reach bounds and noise soonest.
OPERATIONS = [
    *("add", "subtract", "multiply", "multiply", "multiply", "square", "negate", "plain", "plain"),
    *("plain", "matmul", "left_matmul", "right_matmul", "sum", "sum", "reshape", "index", "stack"),
    *("concatenate", "pack", "pad", "rotate", "store"),
]


@cache
def little_room() -> cy.Keys:
    """A product fits, and not every second one."""
    return cy.keygen(parameters((40961, 65537), bits=(50,)), device=HOME)


@pytest.mark.parametrize(
    "own",
    [
        lambda: keys(),
        lambda: keys(scheme="bgv"),
        lambda: keys((1024, 2187)),
        lambda: keys((65537,), scheme="bgv"),
        little_room,
    ],
    ids=["bfv", "bgv", "no slots", "one modulus", "little room"],
)
def test_programs(rng: np.random.Generator, own: Callable[[], cy.Keys]) -> None:
    counts: Counter[str] = Counter()
    for _ in range(COUNT):
        program = Program(rng, own(), counts)
        program.run(8)
        program.check()
    print(f"{COUNT} programs:", dict(counts))
    assert counts["exact"] > 3 * COUNT
    assert {"RangeError", "UnsupportedError", "ArgumentError", "MismatchError"} & set(counts)
    assert own is not little_room or counts["NoiseError"]
