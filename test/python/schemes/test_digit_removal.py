# SPDX-License-Identifier: Apache-2.0
"""Removal of a small low digit modulo p^2, on integers, and sparse secrets: what a refresh is made of."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np
import pytest
from cyclotome._core import testing
from cyclotome.errors import ArgumentError, ParameterError

PRIMES = [65537, 786433, 2752513, 33292289, 7681]
#: Products by the bound on the digit, all of depth 7.
PRODUCTS = {4: 6, 8: 8, 16: 12, 18: 14, 20: 15, 24: 16}


def removed(bound: int, p: int, values: list[int]) -> tuple[int, list[int]]:
    return testing.bfv.remove_digit(bound, p, values)


@pytest.mark.parametrize("p", PRIMES)
@pytest.mark.parametrize("bound", PRODUCTS)
def test_every_digit_within_the_bound_goes(rng: np.random.Generator, bound: int, p: int) -> None:
    """And none other: beyond it a lower digit stays that is not 0, which decryption sees as noise near its limit."""
    messages = [0, 1, p // 2, p - 1, *(int(m) for m in rng.integers(0, p, 40))]
    pairs = [(m, e) for m in messages for e in range(-bound, bound + 1)]
    products, got = removed(bound, p, [(p * m + e) % p**2 for m, e in pairs])
    assert products == PRODUCTS[bound]
    assert got == [p * m for m, _ in pairs]
    beyond = [e for e in range(-200, 201) if abs(e) > bound]
    _, wrong = removed(bound, p, [(p * messages[-1] + e) % p**2 for e in beyond])
    assert all(value % p for value in wrong)


@pytest.mark.parametrize(("bound", "p"), [(3, 65537), (25, 65537), (16, 31), (16, 33), (20, 41)])
def test_what_no_polynomial_removes_is_refused(bound: int, p: int) -> None:
    with pytest.raises(ParameterError):
        removed(bound, p, [0])


def drawn(rng: np.random.Generator, degree: int, weight: int) -> Any:
    return np.array(testing.bfv.draw_sparse_secret(degree, weight, testing.Seed(rng.bytes(32))))


@pytest.mark.parametrize(("degree", "weight"), [(256, 32), (1024, 40), (32768, 40), (65536, 32)])
def test_sparse_secrets_have_their_weight(rng: np.random.Generator, degree: int, weight: int) -> None:
    for _ in range(3):
        secret = drawn(rng, degree, weight)
        assert secret.shape == (degree,) and set(secret) <= {-1, 0, 1}
        assert np.count_nonzero(secret) == weight


def test_sparse_secrets_are_uniform(rng: np.random.Generator) -> None:
    """Every place is as likely as any other, and so is either sign: within 6.5 deviations."""
    degree, weight, draws = 256, 32, 2000
    nonzeros, signs = np.zeros(degree), Counter[int]()
    for _ in range(draws):
        secret = drawn(rng, degree, weight)
        nonzeros += secret != 0
        signs.update(int(s) for s in secret[secret != 0])
    share = weight / degree
    assert np.abs(nonzeros - draws * share).max() < 6.5 * math.sqrt(draws * share * (1 - share))
    assert abs(signs[1] - signs[-1]) < 6.5 * math.sqrt(draws * weight)


def test_a_seed_draws_one_secret(rng: np.random.Generator) -> None:
    seed = rng.bytes(32)
    first, again = (testing.bfv.draw_sparse_secret(256, 32, testing.Seed(seed)) for _ in range(2))
    assert first == again
    spent = testing.Seed(seed)
    testing.bfv.draw_sparse_secret(256, 32, spent)
    with pytest.raises(ArgumentError):
        testing.bfv.draw_sparse_secret(256, 32, spent)
