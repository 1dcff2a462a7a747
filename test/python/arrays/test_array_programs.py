# SPDX-License-Identifier: Apache-2.0
"""Random programs over encrypted arrays compute what NumPy computes on Python integers, or are refused for a reason."""

from __future__ import annotations

from typing import Any

import cyclotome as cy
import numpy as np
from cyclotome.errors import NoiseError, RangeError
from hypothesis import event, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from small import DEGREE, encrypted, keys

Step = tuple[cy.EncryptedArray, NDArray[Any]]
#: Every array of a program broadcasts with every other one.
SHAPE = (2, 3, DEGREE + 1)
#: Mostly products, which reach bounds and noise soonest.
KINDS = st.sampled_from([0, 1, 2, 2, 2, 2, 3, 4, 5, 6, 7])


def start(seed: int, layout: str) -> Step:
    rng = np.random.default_rng(seed)
    shape = [SHAPE, SHAPE[1:], SHAPE[2:], (1, 3, 1), (2, 1, DEGREE + 1), ()][seed % 6]
    values = rng.integers(-99, 99, shape, endpoint=True)
    return encrypted(values, 99, layout=layout), values.astype(object)


def step(kind: int, x: Step, y: Step, seed: int) -> Step:
    """One operation, on both sides alike."""
    plain = np.random.default_rng(seed).integers(-3, 3, SHAPE[seed % 3 :], endpoint=True)
    (a, b), (c, d) = x, y
    b, d = np.asarray(b, dtype=object), np.asarray(d, dtype=object)
    axis = seed % max(a.ndim, 1)
    if kind == 0:
        return a + c, b + d
    if kind == 1:
        return a - c, b - d
    if kind == 2:
        return a * c, b * d
    if kind == 3:
        return a * plain, b * plain
    if kind == 4:
        return plain - a, plain - b
    if kind == 5:
        return a * (seed % 7 - 3), b * (seed % 7 - 3)
    if kind == 6 and a.ndim:
        return a.sum(axis, keepdims=True), b.sum(axis, keepdims=True)
    if kind == 7 and a.native.outer:
        return a[::-1], b[::-1]
    return -a, -b


@given(
    st.lists(st.integers(0, 2**16), min_size=1, max_size=3),
    st.lists(
        st.tuples(KINDS, st.integers(-3, 1), st.integers(-3, 1), st.integers(0, 2**16)),
        min_size=1,
        max_size=12,
    ),
    st.sampled_from(["packed", "replicated"]),
)
@settings(max_examples=200)
def test_programs(seeds: list[int], program: list[tuple[int, int, int, int]], layout: str) -> None:
    values = [start(seed, layout) for seed in seeds]
    for kind, i, j, seed in program:
        try:
            values.append(step(kind, values[i % len(values)], values[j % len(values)], seed))
        except RangeError:
            event("refused: could wrap around")
        except NoiseError:
            event("refused: noise")
    for x, outcome in values:
        expected = np.asarray(outcome, dtype=object)
        assert x.shape == expected.shape and x.bound is not None
        assert all(abs(value) <= x.bound for value in expected.flat)
        assert x.noise_headroom >= 0
        result = cy.decrypt(x, keys().secret)
        np.testing.assert_array_equal(np.asarray(result, dtype=object), expected)
        assert x.noise_headroom <= cy.noise_budget(x, keys().secret) + 1
