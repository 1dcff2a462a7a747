# SPDX-License-Identifier: Apache-2.0
"""Rings of Phi_m at the sizes that schemes use: vectors, python-flint, and the way to polynomials and back."""

from __future__ import annotations

import hashlib
import itertools
import json
from pathlib import Path
from typing import Any

import flint
import numpy as np
import pytest
from cyclotome import _core
from cyclotome._core import testing
from cyclotome._core.testing import shapes
from cyclotome.errors import ArgumentError
from oracles import cyclotomic
from oracles.integers import some_primes
from residues import TRANSFORM, everywhere, on, put

VECTORS = json.loads((Path(__file__).parents[1].parent / "data" / "cyclotomic_rings.json").read_text())
EVERY_VECTOR = pytest.mark.parametrize("vector", VECTORS["rings"], ids=lambda v: f"{v['m']}-{v['p']}")
ENGINE = _core.CpuEngine(2)
#: m, and what primes are 1 modulo in multiples of m, by word: blocks of 16, of 4, single factors.
RINGS = [
    *((m, word, 16) for m in (15, 21, 105) for word in (32, 64)),
    (1105, 32, 32),
    (1105, 64, 32),
    *((m, 32, multiple) for m in (4369, 21845, 65535) for multiple in (16, 64, 256)),
    *((m, 64, 256) for m in (4369, 21845, 65535)),
    (8191, 64, 1 << 14),
]


def logical_places(shape: Any) -> list[int]:
    """Where exponents (e_1 ... e_k) lie, row-major, by ascending primes and the generators of the vectors."""
    m = shape.index
    primes = cyclotomic.prime_factors(m)
    powers = [[pow(VECTORS["generators"][str(p)], e, p) for e in range(p - 1)] for p in primes]
    units = [m // p * pow(m // p, -1, p) for p in primes]
    return [
        shapes.slot(shape.galois, sum(r * c for r, c in zip(residues, units, strict=True)) % m)
        for residues in itertools.product(*powers)
    ]


def digest(values: Any) -> str:
    return hashlib.sha256(np.asarray(values, dtype="<u4").tobytes()).hexdigest()


@EVERY_VECTOR
def test_transforms_products_and_automorphisms_are_the_vectors(vector: dict[str, Any]) -> None:
    m, p = vector["m"], vector["p"]
    ring = testing.Ring.cyclotomic(m, testing.Basis(32, [p]))
    shape, places = ring.shape, logical_places(ring.shape)
    assert ring.root(0) == vector["zeta"]

    def stored(residues: Any) -> str:
        return digest(np.asarray(residues).ravel()[places])

    a, b = ([(x * i * i + y * i + z) % p for i in range(ring.degree)] for x, y, z in ((7, 3, 1), (5, 11, 2)))
    normal = {name: shapes.coefficients_of(shape, f, p) for name, f in (("a", a), ("b", b))}
    transforms = {}
    for name, f in (("a", a), ("b", b)):
        assert stored(normal[name]) == vector[f"{name}_normal"]
        assert shapes.polynomial_of(shape, normal[name], p) == f
        array = put(ENGINE, ring, normal[name])
        array.to_transform()
        transforms[name] = array
        assert stored(array.to_host()) == vector[f"{name}_transform"]
    assert [int(x) for x in transforms["a"].to_host().ravel()[places[:8]]] == vector["first_slots"]
    product = put(ENGINE, ring, everywhere("multiply", ring, (1, 1), *transforms.values(), domain=TRANSFORM), TRANSFORM)
    assert stored(product.to_host()) == vector["product_transform"]
    product.to_coefficient()
    assert stored(product.to_host()) == vector["product_normal"]
    assert digest(shapes.polynomial_of(shape, product.to_host().ravel().tolist(), p)) == vector["product_power"]
    for turn in vector["automorphisms"]:
        image = everywhere("automorphism", ring, (1, 1), put(ENGINE, ring, normal["a"]), turn["k"])
        assert stored(image) == turn["normal"]
        assert digest(shapes.polynomial_of(shape, image.ravel().tolist(), p)) == turn["power"]
        slots = everywhere("automorphism", ring, (1, 1), transforms["a"], turn["k"], domain=TRANSFORM)
        assert stored(slots) == turn["transform"]


@pytest.mark.parametrize(("m", "word", "multiple"), RINGS)
@pytest.mark.parametrize("engine_name", _core.instruction_sets())
def test_products_are_those_of_flint(
    rng: np.random.Generator, m: int, word: int, multiple: int, engine_name: str
) -> None:
    """From polynomials to polynomials, modulo a prime of the ring, and the automorphism of 2 beside."""
    bits = 30 if word == 32 else int(rng.choice([50, 60]))
    (q,) = some_primes(bits, m * multiple, 1, skip=int(rng.integers(2)) if word == 64 else 0)
    engine = _core.CpuEngine(1, engine_name)
    ring = testing.Ring.cyclotomic(m, testing.Basis(word, [q]))
    shape, modulus = ring.shape, cyclotomic.modulus(m, q)
    polynomials = [rng.integers(0, q, ring.degree).tolist(), [q - 1] * ring.degree]
    arrays = [put(engine, ring, shapes.coefficients_of(shape, f, q)) for f in polynomials]
    turned = testing.PolyArray(engine, ring, 1, 1)
    on(engine).automorphism(turned.view(), arrays[0].view(), 2)
    image = cyclotomic.reduced({2 * i % m: c for i, c in enumerate(polynomials[0])}, m, q)
    assert flint.nmod_poly(shapes.polynomial_of(shape, turned.to_host().ravel().tolist(), q), q) == image
    for array in arrays:
        array.to_transform()
    out = testing.PolyArray(engine, ring, 1, 1, TRANSFORM)
    on(engine).multiply(out.view(), arrays[0].view(), arrays[1].view())
    out.to_coefficient()
    f, g = (flint.nmod_poly(p, q) for p in polynomials)
    assert flint.nmod_poly(shapes.polynomial_of(shape, out.to_host().ravel().tolist(), q), q) == f * g % modulus


# --- polynomials and coefficients -------------------------------------------------------------------------------------
@pytest.mark.parametrize("m", [3, 15, 105, 257, 1155, 15015, 17 * 257, 8191])
def test_coefficients_are_those_of_polynomials_over_the_integers(rng: np.random.Generator, m: int) -> None:
    """Of any length; Phi_105 and Phi_15015 have coefficients beyond -1, 0, 1."""
    shape = shapes.cyclotomic(m)
    phi = cyclotomic.polynomial(m)
    units = cyclotomic.units(m)
    group = shape.galois
    place = {j: shapes.slot(group, shapes.inverse(group, j)) for j in units}
    for length in (0, 1, shape.degree, m, 2 * m + 5):
        polynomial = rng.integers(-(1 << 40), 1 << 40, length).tolist()
        coefficients = shapes.coefficients_of(shape, polynomial)
        spread = [0] * m
        for j in units:
            spread[j] = coefficients[place[j]]
        expected = flint.fmpz_poly(polynomial) % phi
        assert flint.fmpz_poly(spread) % phi == expected
        assert flint.fmpz_poly(shapes.polynomial_of(shape, coefficients)) == expected
        q = int(rng.choice([2, 3, 1 << 32, (1 << 61) - 1]))
        residues = shapes.coefficients_of(shape, [c % q for c in polynomial], q)
        assert residues == [c % q for c in coefficients]
        assert shapes.polynomial_of(shape, residues, q) == [c % q for c in shapes.polynomial_of(shape, coefficients)]


def test_polynomials_modulo_a_power_of_x_are_folded(rng: np.random.Generator) -> None:
    shape = _core.negacyclic_ring(8)
    polynomial = rng.integers(-(1 << 61), 1 << 61, 21).tolist()  # sums of three stay below 2^63
    expected = [polynomial[i] - polynomial[8 + i] + (polynomial[16 + i] if i < 5 else 0) for i in range(8)]
    assert shapes.coefficients_of(shape, polynomial) == expected
    assert shapes.coefficients_of(shape, [c % 97 for c in polynomial], 97) == [c % 97 for c in expected]
    assert shapes.polynomial_of(shape, [c % 97 for c in expected], 97) == [c % 97 for c in expected]


def test_what_is_no_polynomial_of_the_ring_is_refused() -> None:
    shape = shapes.cyclotomic(15)
    with pytest.raises(ArgumentError, match=r"7 coefficients.*Phi_15.*has 8"):
        shapes.polynomial_of(shape, [0] * 7)
    with pytest.raises(ArgumentError, match=r"9 coefficients.*Phi_15.*has 8"):
        shapes.polynomial_of(shape, [0] * 9, 5)
    with pytest.raises(ArgumentError, match="coefficient 5 is not a residue modulo 5"):
        shapes.coefficients_of(shape, [0, 5], 5)
    for q in (0, 1, 1 << 61):
        with pytest.raises(ArgumentError, match=rf"modulus {q} is not in \[2"):
            shapes.coefficients_of(shape, [0], q)
    with pytest.raises(ArgumentError, match="more than 64 bits"):
        shapes.coefficients_of(
            shape, [(1 << 63) - 1, 0, 0, -(1 << 63), 0, -(1 << 63), 0, 0, (1 << 63) - 1, (1 << 63) - 1]
        )
