# SPDX-License-Identifier: Apache-2.0
"""Matrix products and moves between slots on a GPU: the same bytes as on the CPU."""

from __future__ import annotations

import functools

import cyclotome as cy
import numpy as np
import pytest
from devices import DEVICE, needs_device

pytestmark = needs_device
SHAPES = [(3, 40), (64, 64), (300, 20), (20, 300)]


@functools.cache
def made(scheme: str, word: int) -> cy.Keys:
    parameters = cy.Parameters.suggest(depth=1, value_bits=6, terms=300, scheme=scheme, word=word)
    return cy.keygen(parameters, matrices=SHAPES[:2], device="cpu:1")


@pytest.mark.parametrize("scheme", ["bfv", "bgv"])
@pytest.mark.parametrize("word", [32, 64])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_matrix_products_give_the_same_bytes(
    rng: np.random.Generator, scheme: str, word: int, shape: tuple[int, int]
) -> None:
    keys = made(scheme, word)
    w, a = rng.integers(-3, 4, shape), rng.integers(-31, 32, (5, shape[1]))
    x = cy.encrypt(a, keys.public, bound=31)
    there = x.to(DEVICE)
    prepared = cy.Matrix(w.T, x.parameters, device=DEVICE)
    expected = x @ w.T
    np.testing.assert_array_equal(cy.decrypt(expected, keys.secret), a @ w.T)
    for y in (there @ w.T, there @ prepared, there @ prepared):
        assert cy.to_bytes(y) == cy.to_bytes(expected)
    assert cy.to_bytes(w @ there[2]) == cy.to_bytes(w @ x[2])


@pytest.mark.parametrize("scheme", ["bfv", "bgv"])
def test_values_move_to_the_same_bytes(rng: np.random.Generator, scheme: str) -> None:
    keys = made(scheme, 32)
    a = rng.integers(-31, 32, (2, 9))
    x = cy.encrypt(a, keys.public, bound=31)
    for move in (
        lambda v: v[:, 2:7],
        lambda v: v.T,
        lambda v: v.reshape(3, 6),
        lambda v: v[0, 4],
        lambda v: v[:, ::-1],
    ):
        assert cy.to_bytes(move(x.to(DEVICE))) == cy.to_bytes(move(x))
        np.testing.assert_array_equal(cy.decrypt(move(x), keys.secret), move(a))
