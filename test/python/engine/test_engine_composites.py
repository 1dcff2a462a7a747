# SPDX-License-Identifier: Apache-2.0
"""Composites of products, tensor product and key-switching product, and linear combination, against Python integers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from oracles import negacyclic
from oracles.integers import integers, some_primes, words
from residues import TRANSFORM, call, extreme_residues, on, put, random_residues, ring_of, transform_primes

WORD = pytest.mark.parametrize("word", [32, 64])
TOP_BITS = {32: 31, 64: 61}


@pytest.fixture
def engine(each_engine: Any) -> Any:
    return each_engine


def widest_ring(word: int, degree: int) -> Any:
    """The smallest modulus, a power of two and the widest prime: no verb here needs a transform of its own."""
    return ring_of(word, degree, [3, 1 << 16, some_primes(TOP_BITS[word], 1, 1)[0]])


def column(ring: Any) -> Any:
    return integers(ring.basis.moduli)[:, None]


@WORD
@pytest.mark.parametrize(("left", "right"), [(1, 1), (2, 2), (2, 3), (3, 1), (1, 4)])
def test_tensor_products(engine: Any, rng: np.random.Generator, word: int, left: int, right: int) -> None:
    ring = widest_ring(word, 32)
    for a_batch, b_batch in [(2, 2), (1, 2), (2, 1)]:
        a, b = random_residues(rng, ring, a_batch, left), random_residues(rng, ring, b_batch, right)
        a[-1] = extreme_residues(ring, 1, left)[0]
        b[-1] = extreme_residues(ring, 1, right)[0]
        x, y = integers(a), integers(b)
        expected = np.zeros((2, left + right - 1, *a.shape[2:]), dtype=object)
        for i in range(left):
            for j in range(right):
                expected[:, i + j] += x[:, i] * y[:, j]
        operands = put(engine, ring, a, TRANSFORM), put(engine, ring, b, TRANSFORM)
        result = call(on(engine).tensor_product, ring, (2, left + right - 1), *operands, domain=TRANSFORM)
        assert np.array_equal(result, words(expected % column(ring)))


@WORD
def test_a_tensor_product_multiplies_ciphertexts_as_polynomials_in_the_secret(
    engine: Any, rng: np.random.Generator, word: int
) -> None:
    """(a0 + a1 s)(b0 + b1 s) = d0 + d1 s + d2 s^2 modulo x^n + 1, for a ternary s."""
    degree = 16
    ring = ring_of(word, degree, transform_primes(word, degree, 1))
    (q,) = ring.basis.moduli
    a, b = random_residues(rng, ring, 1, 2), random_residues(rng, ring, 1, 2)
    x, y = put(engine, ring, a), put(engine, ring, b)
    x.to_transform()
    y.to_transform()
    d = put(engine, ring, call(on(engine).tensor_product, ring, (1, 3), x, y, domain=TRANSFORM), TRANSFORM)
    d.to_coefficient()
    s = rng.integers(-1, 2, degree).tolist()

    def phase(parts: Any) -> list[int]:
        total, power = [0] * degree, [1] + [0] * (degree - 1)
        for part in parts:
            total = [(u + v) % q for u, v in zip(total, negacyclic.product(part[0], power, q), strict=True)]
            power = negacyclic.product(power, s, q)
        return total

    assert phase(d.to_host()[0]) == negacyclic.product(phase(a[0]), phase(b[0]), q)


@WORD
@pytest.mark.parametrize("digits", [1, 2, 3, 4, 5, 7, 63, 64, 65, 130])
def test_key_switch_products(engine: Any, rng: np.random.Generator, word: int, digits: int) -> None:
    ring = widest_ring(word, 4)
    for batch, top in [(3, True), (1, False)]:
        d, key = random_residues(rng, ring, batch, digits), random_residues(rng, ring, digits, 2)
        if top:  # the largest sums that are possible
            d[0], key[...] = extreme_residues(ring, 1, digits)[0], extreme_residues(ring, digits, 2)
        expected = np.einsum("bjlc,jplc->bplc", integers(d), integers(key), optimize=False)
        operands = put(engine, ring, d, TRANSFORM), put(engine, ring, key, TRANSFORM)
        result = call(on(engine).key_switch_product, ring, (3, 2), *operands, domain=TRANSFORM)
        assert np.array_equal(result, words(np.broadcast_to(expected, result.shape) % column(ring)))


@WORD
@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (3, 2), (2, 5), (1, 64), (4, 131)])
def test_linear_combinations(engine: Any, rng: np.random.Generator, word: int, rows: int, columns: int) -> None:
    ring = widest_ring(word, 8)
    a = random_residues(rng, ring, columns, 2)
    a[: columns // 2 + 1] = extreme_residues(ring, columns // 2 + 1, 2)
    matrix = rng.integers(-100, 100, (rows, columns)).astype(object)
    matrix[0] = -1  # q - 1 in every limb: with the largest residues these are the largest sums
    matrix[rows - 1, 0], matrix[rows - 1, columns - 1] = -(1 << 63), (1 << 63) - 1
    expected = np.einsum("rc,cplk->rplk", matrix, integers(a), optimize=False)
    array = put(engine, ring, a)
    result = call(on(engine).linear_combination, ring, (rows, 2), array, [int(x) for x in matrix.reshape(-1)])
    assert np.array_equal(result, words(expected % column(ring)))


@WORD
@pytest.mark.parametrize(("rows", "group"), [(1, 1), (5, 1), (3, 2), (2, 130), (1, 300), (90, 3)])
def test_sums_of_items(engine: Any, rng: np.random.Generator, word: int, rows: int, group: int) -> None:
    ring = widest_ring(word, 8)
    a, b = random_residues(rng, ring, 3, 3), random_residues(rng, ring, 2, 2)
    a[0], b[0] = extreme_residues(ring, 1, 3)[0], extreme_residues(ring, 1, 2)[0]
    wide = np.concatenate([b, np.zeros_like(b[:, :1])], axis=1)  # a missing part counts as zero
    everything = integers(np.concatenate([a, wide]))
    for numbers in (rng.integers(0, 5, rows * group), np.zeros(rows * group, dtype=int)):
        expected = everything[numbers].reshape(rows, group, *everything.shape[1:]).sum(axis=1)
        operands = put(engine, ring, a), put(engine, ring, b), numbers.tolist(), group
        assert np.array_equal(call(on(engine).sum_items, ring, (rows, 3), *operands), words(expected % column(ring)))


@WORD
@pytest.mark.parametrize(("rows", "group"), [(1, 1), (3, 2), (2, 7), (1, 130), (70, 3)])
def test_sums_of_products(engine: Any, rng: np.random.Generator, word: int, rows: int, group: int) -> None:
    ring = widest_ring(word, 8)
    a, b = random_residues(rng, ring, 3, 2), random_residues(rng, ring, 2, 2)
    a[0], b[0] = extreme_residues(ring, 1, 2)[0], extreme_residues(ring, 1, 2)[0]
    everything = integers(np.concatenate([a, b]))
    for draw in (lambda: rng.integers(0, 5, rows * group), lambda: np.zeros(rows * group, dtype=int)):
        left, right = draw(), draw()
        x, y = everything[left], everything[right]
        tensor = np.stack([x[:, 0] * y[:, 0], x[:, 0] * y[:, 1] + x[:, 1] * y[:, 0], x[:, 1] * y[:, 1]], axis=1)
        expected = tensor.reshape(rows, group, *tensor.shape[1:]).sum(axis=1)
        arrays = put(engine, ring, a, TRANSFORM), put(engine, ring, b, TRANSFORM)
        numbers = left.tolist(), right.tolist(), group
        result = call(on(engine).sum_products, ring, (rows, 3), *arrays, *numbers, domain=TRANSFORM)
        assert np.array_equal(result, words(expected % column(ring)))


@WORD
def test_linear_combinations_of_transforms_and_of_many_tiles(engine: Any, rng: np.random.Generator, word: int) -> None:
    ring = ring_of(word, 2048, transform_primes(word, 2048, 2))
    a = random_residues(rng, ring, 3, 1)
    array = put(engine, ring, a)
    array.to_transform()
    result = call(on(engine).linear_combination, ring, (2, 1), array, [1, -2, 3, 0, -1, 1], domain=TRANSFORM)
    back = put(engine, ring, result, TRANSFORM)
    back.to_coefficient()
    expected = np.stack([a[0] - 2 * integers(a[1]) + 3 * integers(a[2]), integers(a[2]) - integers(a[1])])
    assert np.array_equal(back.to_host(), words(expected % column(ring)))
