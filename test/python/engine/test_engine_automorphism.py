# SPDX-License-Identifier: Apache-2.0
"""Automorphisms x -> x^g: their definition, their group, and that both domains agree."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cyclotome import _core
from cyclotome._core import testing
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import negacyclic
from residues import TRANSFORM, everywhere, put, random_residues, ring_of, transform_primes

ENGINE = _core.CpuEngine(2)
WORD = pytest.mark.parametrize("word", [32, 64])


def image(ring: Any, a: Any, element: int, domain: Any = testing.Domain.coefficient) -> Any:
    return everywhere("automorphism", ring, a.shape[:2], put(ENGINE, ring, a, domain), element, domain=domain)


@WORD
@pytest.mark.parametrize("degree", [2, 4, 16, 128])
def test_coefficients_go_where_x_to_the_g_sends_them(rng: np.random.Generator, word: int, degree: int) -> None:
    # No transform is needed in coefficient domain: a power of two will do as a modulus.
    moduli = [*transform_primes(word, degree, 1), 1 << 20]
    ring = ring_of(word, degree, moduli)
    a = random_residues(rng, ring, 2, 2)
    a[..., 1] = 0
    for element in {g % (2 * degree) for g in (1, 3, 5, degree - 1, degree + 1, 2 * degree - 1)}:
        result = image(ring, a, element)
        for b, p, limb in np.ndindex(2, 2, 2):
            assert result[b, p, limb].tolist() == negacyclic.automorphism(a[b, p, limb], element, moduli[limb])


@WORD
@pytest.mark.parametrize("degree", [2, 8, 64, 4096])
def test_automorphisms_commute_with_the_transform(rng: np.random.Generator, word: int, degree: int) -> None:
    ring = ring_of(word, degree, transform_primes(word, degree, 2))
    a = random_residues(rng, ring, 1, 2)
    transformed = put(ENGINE, ring, a)
    transformed.to_transform()
    for element in {1, 3, 2 * degree - 1, int(rng.integers(degree)) * 2 + 1}:
        expected = put(ENGINE, ring, image(ring, a, element))
        expected.to_transform()
        assert np.array_equal(image(ring, transformed.to_host(), element, TRANSFORM), expected.to_host())


@WORD
@settings(max_examples=40)
@given(data=st.data())
def test_automorphisms_form_the_group_of_odd_numbers_modulo_2n(word: int, data: st.DataObject) -> None:
    degree = data.draw(st.sampled_from([2, 4, 32, 256]))
    g, h = (2 * data.draw(st.integers(0, degree - 1)) + 1 for _ in range(2))
    domain = data.draw(st.sampled_from([testing.Domain.coefficient, TRANSFORM]))
    ring = ring_of(word, degree, transform_primes(word, degree, 1))
    a = random_residues(np.random.default_rng(data.draw(st.integers(0, 1 << 32))), ring)
    both = image(ring, image(ring, a, g, domain), h, domain)
    assert np.array_equal(both, image(ring, a, g * h % (2 * degree), domain))
    back = image(ring, image(ring, a, g, domain), pow(g, -1, 2 * degree), domain)
    assert np.array_equal(back, a)


@WORD
def test_automorphisms_respect_products(rng: np.random.Generator, word: int) -> None:
    ring = ring_of(word, 64, transform_primes(word, 64, 1))
    (q,) = ring.basis.moduli
    a, b = random_residues(rng, ring), random_residues(rng, ring)
    product = negacyclic.product(a[0, 0, 0], b[0, 0, 0], q)
    images = [image(ring, x, 5)[0, 0, 0] for x in (a, b)]
    assert negacyclic.product(images[0], images[1], q) == negacyclic.automorphism(product, 5, q)
