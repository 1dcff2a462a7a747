# SPDX-License-Identifier: Apache-2.0
"""Kinds of rings: their Galois groups, the ring of Phi_m by its definition, and who refuses what."""

from __future__ import annotations

from collections.abc import Callable
from math import gcd
from typing import Any

import numpy as np
import pytest
from cyclotome import _core
from cyclotome._core import testing
from cyclotome._core.testing import shapes
from cyclotome.errors import ArgumentError, ParameterError
from oracles import cyclotomic, negacyclic
from oracles.integers import some_primes
from residues import TRANSFORM, everywhere, extreme_residues, on, put, random_residues

SHAPES = {
    **{f"x^{n} + 1": (lambda n=n: _core.negacyclic_ring(n)) for n in (2, 4, 8, 64)},
    **{f"Phi_{m}": (lambda m=m: shapes.cyclotomic(m)) for m in (3, 5, 15, 21, 105, 17 * 31, 257, 5 * 257)},
}
EVERY_SHAPE = pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES.keys())
ENGINE = _core.CpuEngine(2)


def cyclotomic_ring(word: int, m: int, count: int = 1, bits: int | None = None) -> Any:
    step = shapes.cyclotomic(m).transform_step
    return testing.Ring.cyclotomic(m, testing.Basis(word, some_primes(bits or (30 if word == 32 else 61), step, count)))


def transformed(ring: Any, a: Any) -> Any:
    array = put(ENGINE, ring, a)
    array.to_transform()
    return array


def product_of(ring: Any, a: Any, b: Any) -> Any:
    """Residues of a b, on every engine, which agree."""
    factors = transformed(ring, a), transformed(ring, b)
    product = put(ENGINE, ring, everywhere("multiply", ring, (1, 1), *factors, domain=TRANSFORM), TRANSFORM)
    product.to_coefficient()
    return product.to_host()


def some_units(rng: np.random.Generator, group: Any) -> list[int]:
    """1, the largest, the generators, and some at random."""
    units = [g for g in range(group.index) if gcd(g, group.index) == 1]
    return [1, units[-1], *(g for g, _ in shapes.generators(group)), *map(int, rng.choice(units, 4))]


# --- Galois groups ----------------------------------------------------------------------------------------------------
@EVERY_SHAPE
def test_elements_are_the_units_modulo_the_index(shape: Callable[[], Any]) -> None:
    made = shape()
    group = made.galois
    units = [g for g in range(group.index) if gcd(g, group.index) == 1]
    assert group.index == made.index and group.order == len(units) == made.degree
    assert [g for g in range(3 * group.index) if group.contains(g)] == units
    for wrong in (0, group.index, group.index + 1, 1 << 63, *({2, 4, 6} - set(units))):
        assert not group.contains(wrong)
        for use in (shapes.inverse, shapes.slot, shapes.slots, shapes.coefficients, lambda of, g: of.product(1, g)):
            with pytest.raises(ArgumentError, match=shapes.requirement(group)):
                use(group, wrong)


@EVERY_SHAPE
def test_products_inverses_and_powers(shape: Callable[[], Any], rng: np.random.Generator) -> None:
    group = shape().galois
    m = group.index
    for g in some_units(rng, group):
        assert group.product(g, shapes.inverse(group, g)) == 1
        for h in some_units(rng, group):
            assert group.product(g, h) == g * h % m
        for exponent in (0, 1, 2, -1, -5, 1 << 40, -(1 << 63), (1 << 63) - 1):
            assert shapes.power(group, g, exponent) == pow(g, exponent, m)


@EVERY_SHAPE
def test_generators_make_every_element_once(shape: Callable[[], Any]) -> None:
    group = shape().galois
    elements = [1]
    for generator, order in shapes.generators(group):
        assert pow(generator, order, group.index) == 1
        elements = [e * pow(generator, i, group.index) % group.index for i in range(order) for e in elements]
    assert len(elements) == len(set(elements)) == group.order
    positions = shapes.slot_positions(group)
    assert positions == [shapes.slot(group, e) for e in elements]
    assert sorted(positions) == list(range(group.order))


@EVERY_SHAPE
def test_slots_move_as_roots_do(shape: Callable[[], Any], rng: np.random.Generator) -> None:
    """a(x^g) at zeta^h is a at zeta^(g h), and the automorphism of the first generator moves rows to the left."""
    group = shape().galois
    for g in some_units(rng, group):
        slots = shapes.slots(group, g)
        assert all(
            slots[shapes.slot(group, h)] == shapes.slot(group, group.product(g, h)) for h in some_units(rng, group)
        )
        assert sorted(slots) == list(range(group.order))
    positions = np.array(shapes.slot_positions(group))
    (element, row), *_ = shapes.generators(group)
    numbers = np.arange(group.order).reshape(-1, row)
    moved = np.array(shapes.slots(group, element))[positions[numbers]]
    assert np.array_equal(moved, positions[np.roll(numbers, -1, axis=1)])


@EVERY_SHAPE
def test_coefficients_compose_as_elements_multiply(shape: Callable[[], Any], rng: np.random.Generator) -> None:
    group = shape().galois
    for g in some_units(rng, group):
        for h in some_units(rng, group):
            of_g, of_h, of_both = (shapes.coefficients(group, e) for e in (g, h, group.product(g, h)))
            composed = [(of_g[place][0], of_g[place][1] ^ negative) for place, negative in of_h]
            assert composed == of_both


# --- Phi_m by its definition ------------------------------------------------------------------------------------------
class Oracle:
    """A ring of Phi_m with one limb, and where its coefficients and values are."""

    def __init__(self, ring: Any, m: int) -> None:
        self.ring, self.m, self.group = ring, m, ring.shape.galois
        (self.q,) = ring.basis.moduli
        self.units = cyclotomic.units(m)
        self.place = {
            j: shapes.slot(self.group, shapes.inverse(self.group, j)) for j in self.units
        }  # of the coefficient of zeta^j

    def coefficients(self, residues: Any) -> dict[int, int]:
        return {j: int(residues[place]) for j, place in self.place.items()}

    def polynomial(self, residues: Any) -> Any:
        return cyclotomic.reduced(self.coefficients(residues), self.m, self.q)


@pytest.mark.parametrize("word", [32, 64])
@pytest.mark.parametrize("m", [3, 5, 7, 15, 21, 105, 13 * 31, 257, 263, 5 * 257])
def test_a_transform_holds_the_values_at_all_roots(rng: np.random.Generator, word: int, m: int) -> None:
    ring = cyclotomic_ring(word, m)
    oracle = Oracle(ring, m)
    assert ring.degree == len(oracle.units) == cyclotomic.polynomial(m).degree()
    assert ring.root(0) == cyclotomic.root(m, oracle.q)
    for a in (random_residues(rng, ring), extreme_residues(ring)):
        array = transformed(ring, a)
        values, coefficients = array.to_host()[0, 0, 0], oracle.coefficients(a[0, 0, 0])
        for u in oracle.units if m < 200 else map(int, rng.choice(oracle.units, 8)):
            point = pow(ring.root(0), u, oracle.q)
            assert int(values[shapes.slot(oracle.group, u)]) == cyclotomic.evaluate(coefficients, point, oracle.q)
        array.to_coefficient()
        assert np.array_equal(array.to_host(), a)


@pytest.mark.parametrize("word", [32, 64])
@pytest.mark.parametrize("m", [3, 15, 21, 105, 263, 17 * 31, 17 * 257])
def test_products_and_automorphisms_are_those_of_polynomials(rng: np.random.Generator, word: int, m: int) -> None:
    ring = cyclotomic_ring(word, m)
    oracle = Oracle(ring, m)
    a, b = random_residues(rng, ring), extreme_residues(ring)
    expected = oracle.polynomial(a[0, 0, 0]) * oracle.polynomial(b[0, 0, 0]) % cyclotomic.modulus(m, oracle.q)
    assert oracle.polynomial(product_of(ring, a, b)[0, 0, 0]) == expected
    for element in some_units(rng, oracle.group):
        image = everywhere("automorphism", ring, (1, 1), put(ENGINE, ring, a), element)
        turned = {j * element % m: value for j, value in oracle.coefficients(a[0, 0, 0]).items()}
        assert oracle.polynomial(image[0, 0, 0]) == cyclotomic.reduced(turned, m, oracle.q)
        slots = everywhere("automorphism", ring, (1, 1), transformed(ring, a), element, domain=TRANSFORM)
        assert np.array_equal(slots, transformed(ring, image).to_host())


@pytest.mark.parametrize("m", [17 * 257, 5 * 17 * 257, 65535])
def test_with_a_factor_257_vectors_of_16_words_stay_together(rng: np.random.Generator, m: int) -> None:
    """The exponent 16 hi + lo of 257 lies at lo + 16 (the others, row-major) + 16 R hi; and large rings transform."""
    ring = cyclotomic_ring(32, m)
    oracle = Oracle(ring, m)
    others = [(p, {3: 2, 5: 2, 17: 3}[p]) for p in cyclotomic.prime_factors(m)[:-1]]
    logs = {p: {pow(g, e, p): e for e in range(p - 1)} for p, g in (*others, (257, 3))}
    for u in map(int, rng.choice(oracle.units, 50)):
        place = 0
        for p, _ in others:
            place = place * (p - 1) + logs[p][u % p]
        hi, lo = divmod(logs[257][u % 257], 16)
        assert shapes.slot(oracle.group, u) == lo + 16 * place + ring.degree // 16 * hi
    a = random_residues(rng, ring)
    array = transformed(ring, a)
    coefficients, u = oracle.coefficients(a[0, 0, 0]), int(rng.choice(oracle.units))
    value = cyclotomic.evaluate(coefficients, pow(ring.root(0), u, oracle.q), oracle.q)
    assert int(array.to_host()[0, 0, 0][shapes.slot(oracle.group, u)]) == value
    array.to_coefficient()
    assert np.array_equal(array.to_host(), a)


def test_one_is_a_constant_in_both_domains() -> None:
    """1 = (-1)^k (sum of all zeta^j), and its values are all 1."""
    for m, k in ((3, 1), (15, 2), (105, 3)):
        ring = cyclotomic_ring(64, m)
        (q,) = ring.basis.moduli
        assert set(transformed(ring, [[(-1) ** k % q] * ring.degree]).to_host().ravel().tolist()) == {1}


@pytest.mark.parametrize("blocks", [1, 2, 4, 8, 16])
def test_primes_with_few_roots_leave_longer_blocks(rng: np.random.Generator, blocks: int) -> None:
    """257 = 2^8 + 1: a prime that is 1 modulo 2^v leaves blocks of 2^(8 - v) in the convolution of length 256."""
    m, depth = 257, 9 - blocks.bit_length()
    q = next(p for p in some_primes(30, m << depth, 40) if (p - 1) >> depth & 1 or depth == 8)
    ring = testing.Ring.cyclotomic(m, testing.Basis(32, [q]))
    oracle = Oracle(ring, m)
    a = extreme_residues(ring)
    array = transformed(ring, a)
    coefficients = oracle.coefficients(a[0, 0, 0])
    for u in map(int, rng.choice(oracle.units, 6)):
        value = cyclotomic.evaluate(coefficients, pow(ring.root(0), u, q), q)
        assert int(array.to_host()[0, 0, 0][shapes.slot(oracle.group, u)]) == value
    array.to_coefficient()
    assert np.array_equal(array.to_host(), a)


@pytest.mark.parametrize("m", [3, 5, 15, 21])
def test_no_product_is_longer_than_the_expansion_factor_says(rng: np.random.Generator, m: int) -> None:
    """Of signs, the products reach delta = product of 2 p - 3 along one axis, and none passes it."""
    ring = cyclotomic_ring(64, m)
    oracle = Oracle(ring, m)
    delta = ring.shape.expansion
    assert delta == np.prod([2 * p - 3 for p in cyclotomic.prime_factors(m)])

    def largest(a: Any, b: Any) -> int:
        factors = [[[int(x) % oracle.q for x in f]] for f in (a, b)]
        values = product_of(ring, *factors).ravel().tolist()
        return max(min(v, oracle.q - v) for v in values)

    for _ in range(30):
        assert largest(*(rng.choice([-1, 1], ring.degree) for _ in range(2))) <= delta
    if len(cyclotomic.prime_factors(m)) == 1:  # a_(x+1) = -a_x from 1 on, and b_(1-i) = a_i
        a = np.zeros(ring.degree, dtype=np.int64)
        b = np.zeros(ring.degree, dtype=np.int64)
        for j in range(1, m):
            a[oracle.place[j]] = (-1) ** j
            b[oracle.place[-j % m]] = -((-1) ** j)
        assert largest(a, b) == delta


# --- refusals ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("m", "why"),
    [(0, "odd.*index 3"), (1, "odd.*index 3"), (2, "odd.*index 3"), (8, "index 7.*negacyclic"),
     (9, r"3\^2.*index 3 .* 7,"), (27, r"3\^2.*index 3 .* 29,"), (75, r"5\^2.*index 15 .* 73,"),
     (31775, r"5\^2.*6355 .* 31773,"), (131072, "index 131071"), ((1 << 17) + 1, "131072.*index 131071"),
     (2**64 - 1, "index 131071")],
)  # fmt: skip
def test_an_index_without_a_normal_basis_is_refused(m: int, why: str) -> None:
    with pytest.raises(ParameterError, match=why):
        shapes.cyclotomic(m)


def test_moduli_without_a_transform_are_named_with_what_they_lack() -> None:
    ring = testing.Ring.cyclotomic(15, testing.Basis(32, [31, 241]))
    assert [ring.has_transform(limb) for limb in range(2)] == [False, True]  # 31 is 1 modulo 15, but not 16 15
    array = testing.PolyArray(ENGINE, ring, 1, 1)
    with pytest.raises(ArgumentError, match=r"modulus 31 has no transform of length 8.*1 modulo 240"):
        array.to_transform()


def test_rings_of_one_degree_do_not_mix() -> None:
    """x^8 + 1 and Phi_15 have 8 coefficients each, and primes that are 1 modulo 240 have a transform in both."""
    basis = testing.Basis(32, some_primes(30, 240, 2))
    one, other = testing.Ring.negacyclic(8, basis), testing.Ring.cyclotomic(15, basis)
    assert one.degree == other.degree and all(r.has_transform(0) for r in (one, other))
    a, b = (testing.PolyArray(ENGINE, r, 1, 1) for r in (one, other))
    with pytest.raises(ArgumentError, match="not the one"):
        on(ENGINE).copy(a.view(), b.view())
    with pytest.raises(ArgumentError, match="conversion"):
        on(ENGINE).convert(a.view(), b.view(), testing.BaseConversion(basis, basis, testing.Lift.fast))
    with pytest.raises(ParameterError, match="can't be joined"):
        one.joined(testing.Ring.cyclotomic(15, testing.Basis(32, [241])))
    with pytest.raises(ArgumentError, match="not the one"):  # the step's windows would be at wrong places
        on(ENGINE).copy(testing.PolyArray(ENGINE, one.spaced(9), 1, 1).view(), a.view())
    with pytest.raises(ParameterError, match="apart can't be joined"):
        one.joined(testing.Ring.negacyclic(8, testing.Basis(32, [97])).spaced(9))
    with pytest.raises(ParameterError, match="7 words apart would overlap"):
        one.spaced(7)


# --- memory -----------------------------------------------------------------------------------------------------------
def test_gaps_between_limbs_never_show(rng: np.random.Generator) -> None:
    """Residues go in and out without the gaps, item by item and part by part, and copies keep the distance."""
    ring = testing.Ring.negacyclic(16, testing.Basis(64, some_primes(50, 32, 3))).spaced(23)
    a = random_residues(rng, ring, 3, 2)
    array = put(ENGINE, ring, a)
    assert ring.limb_words == ring.slice(1, 2).limb_words == ring.with_basis(testing.Basis(64, [97])).limb_words == 23
    assert np.array_equal(array.to_host(), a) and np.array_equal(array.clone().to_host(), a)
    assert np.array_equal(array.to(_core.CpuEngine(1)).to_host(), a)
    array.to_transform()
    (q, *_) = ring.basis.moduli
    expected = negacyclic.transform([int(x) for x in a[2, 1, 0]], ring.root(0), q)
    assert array.to_host()[2, 1, 0].tolist() == expected
