# SPDX-License-Identifier: Apache-2.0
"""Errata 001-2 and 001-3: the inverse transform of paper 001, Algorithm 2, as printed is no inverse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from oracles import negacyclic
from residues import TRANSFORM, put, random_residues, ring_of, transform_primes


@pytest.fixture
def engine(each_engine: Any) -> Any:
    return each_engine


@pytest.mark.parametrize("word", [32, 64])
@pytest.mark.parametrize("degree", [4, 8, 64])
def test_001_2_001_3_the_inverse_transform(engine: Any, rng: np.random.Generator, word: int, degree: int) -> None:
    """As printed every group overwrites group 0 (001-2); with j1 advanced the result is n times the input (001-3)."""
    (q,) = transform_primes(word, degree, 1)
    ring = ring_of(word, degree, [q])
    psi = ring.root(0)
    a = random_residues(rng, ring)
    coefficients = [int(x) for x in a[0, 0, 0]]
    transformed = negacyclic.transform(coefficients, psi, q)

    printed = negacyclic.paper_inverse(transformed, psi, q, advance=False, scale=False)
    advanced = negacyclic.paper_inverse(transformed, psi, q, advance=True, scale=False)
    assert printed != coefficients and printed != [x * degree % q for x in coefficients]
    assert advanced == [x * degree % q for x in coefficients] != coefficients
    assert negacyclic.paper_inverse(transformed, psi, q, advance=True, scale=True) == coefficients

    array = put(engine, ring, [transformed], TRANSFORM)
    array.to_coefficient()
    assert array.to_host()[0, 0, 0].tolist() == coefficients


@pytest.mark.parametrize("word", [32, 64])
def test_001_2_every_single_slot_reaches_its_own_coefficients(engine: Any, word: int) -> None:
    """A one in slot k alone inverts to the powers of one root: a group that overwrote another would lose it."""
    degree = 16
    (q,) = transform_primes(word, degree, 1)
    ring = ring_of(word, degree, [q])
    for slot, exponent in enumerate(negacyclic.slot_exponents(degree)):
        array = put(engine, ring, [[int(k == slot) for k in range(degree)]], TRANSFORM)
        array.to_coefficient()
        point = pow(ring.root(0), -exponent, q)
        expected = [pow(degree, -1, q) * pow(point, i, q) % q for i in range(degree)]
        assert array.to_host()[0, 0, 0].tolist() == expected
