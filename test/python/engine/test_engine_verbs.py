# SPDX-License-Identifier: Apache-2.0
"""The verbs of programs against Python integers: values, shapes, broadcasting, and results that are operands."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cyclotome import _core
from oracles.integers import integers, words
from residues import TRANSFORM, call, extreme_residues, on, put, random_residues, ring_of, transform_primes

WORD = pytest.mark.parametrize("word", [32, 64])
# Any coprime moduli will do for these verbs: the smallest, a power of two and the widest among them.
MODULI = {32: [2, 3, 12289, (1 << 31) - 1], 64: [1 << 40, 3, 12289, (1 << 61) - 1]}
OPERATIONS = {
    "add": lambda x, y: x + y,
    "subtract": lambda x, y: x - y,
    "multiply": lambda x, y: x * y,
}


@pytest.fixture
def engine(each_engine: Any) -> Any:
    return each_engine


def column(ring: Any) -> Any:
    """The moduli, ready to be broadcast over [limb][coefficient]."""
    return integers(ring.basis.moduli)[:, None]


def rings(word: int) -> list[Any]:
    # Degree 8192 crosses the size from which loops go over several threads.
    return [ring_of(word, degree, MODULI[word]) for degree in (2, 16, 8192)]


@WORD
@pytest.mark.parametrize("verb", OPERATIONS)
def test_two_operands(engine: Any, rng: np.random.Generator, word: int, verb: str) -> None:
    for ring in rings(word):
        for x, y in [
            (random_residues(rng, ring, 2, 2), random_residues(rng, ring, 2, 2)),
            (extreme_residues(ring), extreme_residues(ring)),
            (0 * extreme_residues(ring), extreme_residues(ring)),
        ]:
            a, b = put(engine, ring, x), put(engine, ring, y)
            expected = words(OPERATIONS[verb](integers(x), integers(y)) % column(ring))
            assert np.array_equal(call(getattr(on(engine), verb), ring, x.shape[:2], a, b), expected)
            # The result may be either operand, or both.
            same = put(engine, ring, x)
            getattr(on(engine), verb)(same.view(), same.view(), b.view())
            assert np.array_equal(same.to_host(), expected)
            same = put(engine, ring, y)
            getattr(on(engine), verb)(same.view(), a.view(), same.view())
            assert np.array_equal(same.to_host(), expected)
            getattr(on(engine), verb)(a.view(), a.view(), a.view())
            assert np.array_equal(a.to_host(), words(OPERATIONS[verb](integers(x), integers(x)) % column(ring)))


@WORD
def test_one_operand(engine: Any, rng: np.random.Generator, word: int) -> None:
    for ring in rings(word):
        x = random_residues(rng, ring, 2, 3)
        x[0, 0, :, 0] = 0
        a = put(engine, ring, x)
        assert np.array_equal(call(on(engine).copy, ring, (2, 3), a), x)
        assert np.array_equal(call(on(engine).negate, ring, (2, 3), a), words(-integers(x) % column(ring)))
        on(engine).negate(a.view(), a.view())
        on(engine).negate(a.view(), a.view())
        on(engine).copy(a.view(), a.view())
        assert np.array_equal(a.to_host(), x)
        on(engine).clear(a.view().part(1, 2))
        assert np.array_equal(a.to_host()[:, 0], x[:, 0]) and not a.to_host()[:, 1:].any()


@WORD
def test_multiply_accumulate(engine: Any, rng: np.random.Generator, word: int) -> None:
    for ring in rings(word):
        x, y, z = (random_residues(rng, ring, 2, 2) for _ in range(3))
        z[0] = extreme_residues(ring, 1, 2)[0]
        a, b, sums = put(engine, ring, x), put(engine, ring, y), put(engine, ring, z)
        on(engine).multiply_accumulate(sums.view(), a.view(), b.view())
        expected = integers(z) + integers(x) * integers(y)
        assert np.array_equal(sums.to_host(), words(expected % column(ring)))
        on(engine).multiply_accumulate(sums.view(), sums.view(), b.view())
        assert np.array_equal(sums.to_host(), words((expected + expected * integers(y)) % column(ring)))


@WORD
def test_multiply_scalars(engine: Any, rng: np.random.Generator, word: int) -> None:
    for ring in rings(word):
        x = random_residues(rng, ring, 1, 2)
        for factors in (
            [q - 1 for q in ring.basis.moduli],
            [0] * ring.limbs,
            [int(rng.integers(q)) for q in MODULI[word]],
        ):
            result = call(on(engine).multiply_scalars, ring, (1, 2), put(engine, ring, x), factors)
            assert np.array_equal(result, words(integers(x) * integers(factors)[:, None] % column(ring)))


@WORD
def test_operands_of_one_item_or_part_are_broadcast(engine: Any, rng: np.random.Generator, word: int) -> None:
    ring = ring_of(word, 16, MODULI[word])
    full = random_residues(rng, ring, 3, 2)
    for shape in [(1, 2), (3, 1), (1, 1)]:
        other = random_residues(rng, ring, *shape)
        a, b = put(engine, ring, full), put(engine, ring, other)
        for verb, operation in OPERATIONS.items():
            expected = words(operation(integers(full), integers(other)) % column(ring))
            assert np.array_equal(call(getattr(on(engine), verb), ring, (3, 2), a, b), expected)
            flipped = words(operation(integers(other), integers(full)) % column(ring))
            assert np.array_equal(call(getattr(on(engine), verb), ring, (3, 2), b, a), flipped)
        assert np.array_equal(call(on(engine).copy, ring, (3, 2), b), np.broadcast_to(other, full.shape))
        on(engine).multiply_accumulate(a.view(), b.view(), b.view())
        assert np.array_equal(a.to_host(), words((integers(full) + integers(other) ** 2) % column(ring)))


@WORD
def test_views_show_parts_items_and_limbs(engine: Any, rng: np.random.Generator, word: int) -> None:
    ring = ring_of(word, 8, MODULI[word])
    x = random_residues(rng, ring, 4, 3)
    a = put(engine, ring, x)
    middle = ring.slice(1, 2)
    assert np.array_equal(
        call(on(engine).copy, middle, (2, 2), a.view().items(1, 2).part(1, 2).limbs_at(1, middle)), x[1:3, 1:, 1:3]
    )
    patch = random_residues(rng, middle, 2, 2)
    on(engine).copy(a.view().limbs_at(1, middle).part(0, 2).items(2, 2), put(engine, middle, patch).view())
    x[2:, :2, 1:3] = patch
    assert np.array_equal(a.to_host(), x)


@WORD
def test_results_do_not_depend_on_the_number_of_threads(rng: np.random.Generator, word: int) -> None:
    ring = ring_of(word, 4096, transform_primes(word, 4096, 3))
    x, y = random_residues(rng, ring, 2, 2), random_residues(rng, ring, 2, 2)
    results = []
    for threads in (1, 2, 5):
        engine = _core.CpuEngine(threads)
        a, b = put(engine, ring, x), put(engine, ring, y)
        a.to_transform()
        b.to_transform()
        on(engine).multiply(a.view(), a.view(), b.view())
        a.to_coefficient()
        results.append(a.to_host())
    assert np.array_equal(results[0], results[1]) and np.array_equal(results[0], results[2])


def test_a_domain_travels_with_clones_and_moves(engine: Any, rng: np.random.Generator) -> None:
    ring = ring_of(32, 16, [97, 193])
    x = random_residues(rng, ring, 2, 2)
    array = put(engine, ring, x, TRANSFORM, secret=True)
    other = _core.CpuEngine(1)
    for copy in (array.clone(), array.to(engine), array.to(other)):
        assert (copy.domain, copy.secret, copy.shape) == (TRANSFORM, True, (2, 2, 2, 16))
        assert np.array_equal(copy.to_host(), x)
    for copy, owner in ((array.clone(), engine), (array.to(engine), engine), (array.to(other), other)):
        on(owner).clear(copy.view())
    assert np.array_equal(array.to_host(), x)
