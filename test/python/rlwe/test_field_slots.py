# SPDX-License-Identifier: Apache-2.0
"""Slots modulo 2 over Phi_m: fields, the two maps by their definition, what automorphisms do to them, and vectors that
another program made."""

from __future__ import annotations

import hashlib
import itertools
import json
from math import gcd, prod
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cyclotome import _core
from cyclotome._core import testing
from cyclotome._core.testing import shapes
from cyclotome.errors import ParameterError
from oracles import cyclotomic
from oracles.binary_field import Field, Slots, order

#: m, the field's polynomial, the box, and which dimensions roll by one automorphism.
RINGS = {
    15: (0x13, (2, 1), (True, True)),
    21: (0x43, (1, 2), (True, True)),
    105: (0x1053, (2, 1, 2), (True, True, True)),
    1105: (0x100001B, (4, 4, 2), (True, True, False)),
    4369: (0x1100B, (16, 16), (True, False)),
    8191: (0x201B, (630,), (True,)),
    21845: (0x1100B, (4, 16, 16), (True, True, False)),
    65535: (0x1100B, (2, 4, 16, 16), (True, True, True, False)),
}
SMALL = [m for m in RINGS if m < 5000]


class Case:
    """A ring's slots, the oracle's, and where coefficients are."""

    def __init__(self, m: int) -> None:
        self.m, self.shape = m, shapes.cyclotomic(m)
        self.slots = testing.FieldSlots.of(self.shape, 2)
        self.group, self.n = self.shape.galois, self.shape.degree
        self.field = Field(self.slots.polynomial)
        self.box = tuple(length for _, length, _ in self.slots.dimensions)
        self.top = (1 << self.slots.degree) - 1

    def oracle(self) -> Slots:
        return Slots(self.m, self.slots.polynomial, [(g, length) for g, length, _ in self.slots.dimensions])

    def by_exponent(self, coefficients: Any) -> dict[int, int]:
        units = cyclotomic.units(self.m)
        return {j: int(coefficients[shapes.slot(self.group, shapes.inverse(self.group, j))]) for j in units}

    def random(self, rng: np.random.Generator) -> list[int]:
        return [int(x) for x in rng.integers(0, self.top + 1, self.slots.count)]

    def moved(self, coefficients: Any, element: int) -> list[int]:
        return [coefficients[source] for source, _ in shapes.coefficients(self.group, element)]


@pytest.mark.parametrize("r", range(1, 33))
def test_fields_have_primitive_polynomials_and_compute(rng: np.random.Generator, r: int) -> None:
    """Products, powers and traces are those of F_2[y]/(f), and y has every order it must, none less."""
    made = testing.BinaryField(r)
    field = Field(made.polynomial)
    assert field.degree == r
    whole = (1 << r) - 1
    factors = {p for p in range(2, 1 << 16) if whole % p == 0 and all(p % d for d in range(2, int(p**0.5) + 1))}
    rest = whole
    for p in factors:
        while rest % p == 0:
            rest //= p
    y = 2 if r > 1 else 1
    assert field.power(y, whole) == 1
    assert all(field.power(y, whole // p) != 1 for p in factors | ({rest} - {1}))
    for a, b in [(whole, whole), (0, whole), (1, whole), *(map(int, rng.integers(0, whole + 1, 2)) for _ in range(20))]:
        assert made.multiply(a, b) == field.multiply(a, b)
        assert made.trace(a) == field.trace(a)
        assert made.power(a, 12345) == field.power(a, 12345)


@pytest.mark.parametrize("r", [0, 33])
def test_fields_of_no_size_that_fits_are_refused(r: int) -> None:
    with pytest.raises(ParameterError, match=rf"GF\(2\^{r}\)"):
        testing.BinaryField(r)


@pytest.mark.parametrize("m", RINGS)
def test_the_box_numbers_units_modulo_powers_of_two(m: int) -> None:
    """Every unit is one of the box times one power of 2; a dimension is cyclic if its generator has its length."""
    polynomial, box, cyclic = RINGS[m]
    case = Case(m)
    assert case.slots.degree == order(2, m)
    assert (case.slots.polynomial, case.box) == (polynomial, box)
    assert tuple(good for *_, good in case.slots.dimensions) == cyclic
    assert case.slots.count == prod(box) == case.n // case.slots.degree
    for generator, length, good in case.slots.dimensions:
        assert good == (pow(generator, length, m) == 1)
    powers = [pow(2, i, m) for i in range(case.slots.degree)]
    reached = {u * p % m for u in case.oracle().units for p in powers}
    assert len(reached) == case.n and all(gcd(u, m) == 1 for u in reached)


@pytest.mark.parametrize("m", [15, 21, 105])
def test_every_polynomial_of_one_coefficient_and_every_slot(m: int) -> None:
    """The maps are linear over F_2, so that bases prove them: all units of coefficients, and y^i in every slot."""
    case = Case(m)
    oracle = case.oracle()
    for place in range(case.n):
        unit = [int(i == place) for i in range(case.n)]
        values = case.slots.decode(unit)
        assert values == oracle.values(case.by_exponent(unit))
        assert case.slots.encode(case.n, values) == unit
    for number, bit in itertools.product(range(case.slots.count), range(case.slots.degree)):
        element = [1 << bit if i == number else 0 for i in range(case.slots.count)]
        coefficients = case.slots.encode(case.n, element)
        assert set(coefficients) <= {0, 1} and case.slots.decode(coefficients) == element


@pytest.mark.parametrize("m", RINGS)
def test_maps_at_random_and_at_the_ends(rng: np.random.Generator, m: int) -> None:
    case = Case(m)
    inputs = [case.random(rng), [case.top] * case.slots.count, [0] * case.slots.count, [1] * case.slots.count]
    for elements in inputs:
        coefficients = case.slots.encode(case.n, elements)
        assert set(coefficients) <= {0, 1} and case.slots.decode(coefficients) == elements
        if m in SMALL:
            assert case.oracle().values(case.by_exponent(coefficients)) == elements
    assert set(case.slots.encode(case.n, inputs[3])) == {1}  # one is a constant vector
    assert set(case.slots.encode(case.n, inputs[2])) == {0}


@pytest.mark.parametrize("m", SMALL)
def test_products_of_polynomials_are_those_of_elements(rng: np.random.Generator, m: int) -> None:
    case = Case(m)
    a, b = case.random(rng), case.random(rng)
    product = cyclotomic.reduced(case.by_exponent(case.slots.encode(case.n, a)), m, 2)
    product *= cyclotomic.reduced(case.by_exponent(case.slots.encode(case.n, b)), m, 2)
    product %= cyclotomic.modulus(m, 2)
    expected = [case.field.multiply(x, y) for x, y in zip(a, b, strict=True)]
    assert case.oracle().values({j: int(c) for j, c in enumerate(product.coeffs())}) == expected


@pytest.mark.parametrize("m", RINGS)
def test_automorphisms_square_and_roll(rng: np.random.Generator, m: int) -> None:
    """x -> x^2 squares; a cyclic dimension rolls; of another one two automorphisms have the halves of a roll."""
    case = Case(m)
    elements = case.random(rng)
    box = np.array(elements, dtype=object).reshape(case.box)
    coefficients = case.slots.encode(case.n, elements)
    assert case.slots.decode(case.moved(coefficients, 2)) == [case.field.multiply(x, x) for x in elements]
    for axis, (generator, length, good) in enumerate(case.slots.dimensions):
        for steps in {1, 3, length - 1} & set(range(1, length)):
            rolled = np.roll(box, -steps, axis=axis)
            first = case.moved(coefficients, pow(generator, steps, m))
            after = np.array(case.slots.decode(first), dtype=object).reshape(case.box)
            if good:
                assert np.array_equal(after, rolled)
                continue
            back = case.moved(coefficients, pow(generator, steps - length, m))
            before = np.array(case.slots.decode(back), dtype=object).reshape(case.box)
            kept = np.arange(length).reshape([-1 if i == axis else 1 for i in range(len(case.box))]) < length - steps
            assert np.array_equal(np.where(kept, after, before), rolled)
            assert not np.array_equal(after, rolled)  # or no mask would be needed


@pytest.mark.parametrize("m", [4369, 21845, 65535])
def test_vectors_of_another_program(m: int) -> None:
    data = json.loads((Path(__file__).parents[2] / "data" / "field_slots.json").read_text())
    vector = next(v for v in data["slots"] if v["m"] == m)
    case = Case(m)
    assert list(case.box) == vector["shape"]
    primes = cyclotomic.prime_factors(m)
    roots = {3: 2, 5: 2, 17: 3, 257: 3}
    logical = []  # places of coefficients, by exponents e of zeta^j, j = g^-e
    for exponents in itertools.product(*(range(p - 1) for p in primes)):
        unit = 0
        for p, e in zip(primes, exponents, strict=True):
            unit += pow(roots[p], e, p) * (m // p) * pow(m // p, -1, p)
        logical.append(shapes.slot(case.group, unit % m))

    def hashed(elements: list[int]) -> str:
        coefficients = case.slots.encode(case.n, elements)
        return hashlib.sha256(bytes(coefficients[place] for place in logical)).hexdigest()

    count = case.slots.count
    x = [(i * 40503 + 1) % 65536 for i in range(count)]
    assert hashed(x) == vector["encode_x_normal_bits"]
    assert hashed([(i * i // 3 + i) & 1 for i in range(count)]) == vector["encode_bits_normal"]
    assert hashed([case.field.multiply(v, v) for v in x]) == vector["frobenius_x_normal_bits"]
    box = np.array(x, dtype=object).reshape(case.box)
    for axis, expected in enumerate(vector["encode_rotated_by_one"]):
        assert hashed(np.roll(box, -1, axis=axis).ravel().tolist()) == expected


def test_other_rings_and_moduli_have_no_such_slots() -> None:
    assert testing.FieldSlots.of(_core.negacyclic_ring(16), 2) is None
    assert testing.FieldSlots.of(shapes.cyclotomic(15), 7) is None
    assert testing.FieldSlots.of(shapes.cyclotomic(101), 2) is None  # GF(2^100)
