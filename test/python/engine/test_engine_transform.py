# SPDX-License-Identifier: Apache-2.0
"""The negacyclic transform: its definition, its order, its products, in both words and at every degree."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cyclotome._core import testing
from cyclotome.errors import ArgumentError
from oracles import negacyclic
from residues import TRANSFORM, extreme_residues, on, put, random_residues, ring_of, transform_primes

CASES = json.loads((Path(__file__).resolve().parents[2] / "data" / "negacyclic_products.json").read_text("utf-8"))[
    "cases"
]
WORD = pytest.mark.parametrize("word", [32, 64])
DEGREES = [1 << bits for bits in range(1, 13)]


@pytest.fixture
def engine(each_engine: Any) -> Any:
    return each_engine


def polynomial_product(engine: Any, ring: Any, a: Any, b: Any) -> Any:
    """a b by two forward transforms, a product and one inverse transform."""
    x, y = put(engine, ring, a), put(engine, ring, b)
    x.to_transform()
    y.to_transform()
    on(engine).multiply(x.view(), x.view(), y.view())
    x.to_coefficient()
    return x.to_host()


@WORD
@pytest.mark.parametrize("degree", [2, 4, 8, 64])
def test_slot_k_holds_the_value_at_psi_to_the_2_br_k_plus_1(
    engine: Any, rng: np.random.Generator, word: int, degree: int
) -> None:
    ring = ring_of(word, degree, transform_primes(word, degree, 3))
    a = random_residues(rng, ring)
    array = put(engine, ring, a)
    array.to_transform()
    for limb, q in enumerate(ring.basis.moduli):
        assert list(array.to_host()[0, 0, limb]) == negacyclic.transform(a[0, 0, limb], ring.root(limb), q)


@WORD
@pytest.mark.parametrize("degree", DEGREES)
def test_transforms_invert_each_other_and_multiply_polynomials(
    engine: Any, rng: np.random.Generator, word: int, degree: int
) -> None:
    ring = ring_of(word, degree, transform_primes(word, degree, 2))
    a, b = random_residues(rng, ring), random_residues(rng, ring)
    a[..., 0], b[..., -1] = 0, 0
    array = put(engine, ring, a)
    array.to_transform()
    array.to_coefficient()
    assert np.array_equal(array.to_host(), a)
    result = polynomial_product(engine, ring, a, b)
    for limb, q in enumerate(ring.basis.moduli):
        expected = negacyclic.product(a[0, 0, limb], b[0, 0, limb], q)
        assert list(result[0, 0, limb]) == expected
        if degree <= 64:
            assert expected == negacyclic.schoolbook(a[0, 0, limb], b[0, 0, limb], q)


@WORD
@pytest.mark.parametrize("degree", [2, 256])
def test_the_lazy_butterflies_hold_the_largest_residues(engine: Any, word: int, degree: int) -> None:
    """Primes next to 2^30 and 2^61 with every residue q - 1: values between stages come closest to the word's end."""
    ring = ring_of(word, degree, transform_primes(word, degree, 2))
    top = extreme_residues(ring)
    result = polynomial_product(engine, ring, top, top)
    for limb, q in enumerate(ring.basis.moduli):
        assert list(result[0, 0, limb]) == negacyclic.product(top[0, 0, limb], top[0, 0, limb], q)
    alternating = top.copy()
    alternating[..., 1::2] = 0
    array = put(engine, ring, alternating, TRANSFORM)
    array.to_coefficient()
    array.to_transform()
    assert np.array_equal(array.to_host(), alternating)


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["q"]))
def test_published_products_do_not_depend_on_the_root(engine: Any, case: dict[str, Any]) -> None:
    for word in (32, 64) if case["q"] < 1 << 30 else (64,):
        ring = ring_of(word, case["n"], [case["q"]])
        result = polynomial_product(engine, ring, [case["a"]], [case["b"]])
        assert result[0, 0, 0].tolist() == case["negacyclic_product"]
        # The published transform has another root psi: the same values stand in slots of other exponents.
        array = put(engine, ring, [case["a"]])
        array.to_transform()
        exponents = negacyclic.slot_exponents(case["n"])
        by_point = {
            pow(ring.root(0), e, case["q"]): int(v) for e, v in zip(exponents, array.to_host()[0, 0, 0], strict=True)
        }
        order = [by_point[pow(case["psi"], exponent, case["q"])] for exponent in exponents]
        assert order == case["ntt_a_bitreversed"]


@WORD
def test_the_largest_degree_round_trip_and_single_slots(engine: Any, rng: np.random.Generator, word: int) -> None:
    degree = 1 << 17
    (q,) = transform_primes(word, degree, 1)
    ring = ring_of(word, degree, [q])
    a = random_residues(rng, ring)
    array = put(engine, ring, a)
    array.to_transform()
    values = array.to_host()[0, 0, 0]
    coefficients = a[0, 0, 0].tolist()
    for slot in (0, 1, degree // 2, degree - 1, int(rng.integers(degree))):
        exponent = 2 * negacyclic.reverse_bits(slot, 17) + 1
        assert values[slot] == negacyclic.evaluate(coefficients, pow(ring.root(0), exponent, q), q)
    array.to_coefficient()
    assert np.array_equal(array.to_host(), a)


@WORD
def test_every_item_part_and_limb_of_an_array_is_transformed_alike(
    engine: Any, rng: np.random.Generator, word: int
) -> None:
    ring = ring_of(word, 512, transform_primes(word, 512, 3))
    a = random_residues(rng, ring, batch=3, parts=2)
    array = put(engine, ring, a)
    array.to_transform()
    whole = array.to_host()
    for b in range(3):
        for p in range(2):
            one = put(engine, ring, a[b, p])
            one.to_transform()
            assert np.array_equal(one.to_host()[0, 0], whole[b, p])
    # Only the parts and items that a view shows are touched.
    array = put(engine, ring, a)
    on(engine).forward(array.view().items(1, 2).part(1))
    mixed = array.to_host()
    assert np.array_equal(mixed[1:, 1], whole[1:, 1])
    assert np.array_equal(mixed[0], a[0]) and np.array_equal(mixed[:, 0], a[:, 0])


def test_moduli_without_a_transform_and_wrong_domains_are_refused(engine: Any) -> None:
    ring = ring_of(32, 16, [97, 13])
    array = testing.PolyArray(engine, ring, 1, 1)
    with pytest.raises(ArgumentError, match=r"forward: modulus 13 has no transform of length 16.*1 modulo 32"):
        on(engine).forward(array.view())
    array.domain = TRANSFORM
    with pytest.raises(ArgumentError, match="inverse: modulus 13 has no transform"):
        on(engine).inverse(array.view())
    good = testing.PolyArray(engine, ring_of(32, 16, [97]), 1, 1)
    with pytest.raises(ArgumentError, match="inverse: the operand must be transformed"):
        on(engine).inverse(good.view())
    good.domain = TRANSFORM
    with pytest.raises(ArgumentError, match="forward: the operand must be in coefficient domain"):
        on(engine).forward(good.view())
