# SPDX-License-Identifier: Apache-2.0
"""Elements of GF(t^d) in slots: encoding, products, Frobenius maps, traces and rotations, against python-flint."""

from __future__ import annotations

import functools
from typing import Any

import cyclotome as cy
import flint
import numpy as np
import pytest
from cyclotome import _core
from cyclotome.errors import ArgumentError, MismatchError, MissingKeyError, ParameterError, UnsupportedError
from parties import minimal_root
from test_subring_slots import RINGS, parameters

SCHEMES = ("bfv", "bgv")
#: Degree, modulus: 8 slots of degree 4, 2 of 16, 4 of 8, all 32 of degree 1.
SMALL = [(32, 17), (32, 5), (32, 41), (32, 193)]
EVERY_RING = pytest.mark.parametrize(("degree", "t"), SMALL)


class World:
    def __init__(self, degree: int, t: int, scheme: str) -> None:
        self.parameters = parameters(degree, (t,), scheme)
        self.slots = cy.extension_slots.ExtensionSlots(self.parameters)
        self.keys = cy.keygen(self.parameters, galois_elements=self.slots.galois_elements)
        self.t, (self.k, self.d) = t, self.slots.shape
        self.modulus = flint.nmod_poly([-self.slots.root % t] + [0] * (self.d - 1) + [1], t)

    def random(self, rng: np.random.Generator, *shape: int) -> Any:
        values = rng.integers(0, self.t, (*shape, self.k, self.d))
        values.flat[0], values.flat[-1] = self.t - 1, self.t - 1
        return values

    def encrypted(self, values: Any) -> cy.extension_slots.ExtensionArray:
        return self.slots.encrypt(values, self.keys.public)

    def opened(self, x: cy.extension_slots.ExtensionArray) -> Any:
        values = self.slots.decrypt(x, self.keys.secret)
        assert values.shape == x.shape
        return values

    def each(self, function: Any, *arrays: Any) -> Any:
        """A function of elements as polynomials, element by element."""
        broadcast = np.broadcast_arrays(*arrays)
        result = np.zeros(broadcast[0].shape, dtype=np.int64)
        for place in np.ndindex(result.shape[:-1]):
            made = function(*(flint.nmod_poly([int(c) for c in a[place]], self.t) for a in broadcast)) % self.modulus
            result[place][: made.degree() + 1] = [int(c) for c in made.coeffs()]
        return result


@functools.cache
def world(scheme: str, degree: int, t: int) -> World:
    return World(degree, t, scheme)


@pytest.mark.parametrize(("degree", "t", "count"), RINGS)
def test_slots_are_read_in_one_field(degree: int, t: int, count: int, rng: np.random.Generator) -> None:
    """Element i of p is p(z^e_i): so x is z^e_i, y = x^d is zeta^e_i, and constants are where integers in slots are."""
    slots = cy.extension_slots.ExtensionSlots(parameters(degree, (t,)))
    d, root = degree // count, slots.root
    assert slots.shape == (count, d) and root == minimal_root(2 * count, t)
    modulus = flint.nmod_poly([-root % t] + [0] * (d - 1) + [1], t)
    assert len(modulus.factor()[1]) == 1  # a field
    half = [pow(3, i, 2 * degree) for i in range(count // 2)]
    exponents = [*half, *(2 * degree - e for e in half)]
    polynomial = rng.integers(0, t, degree)
    elements = slots.elements(polynomial)
    for i in {0, 1, count // 2, count - 1}:
        x = pow(flint.nmod_poly([0, 1], t), exponents[i], modulus)
        value = flint.nmod_poly([0], t)
        for coefficient in polynomial[::-1]:
            value = (value * x + int(coefficient)) % modulus
        assert [int(c) for c in value.coeffs()] == np.trim_zeros(elements[i], "b").tolist()
    assert np.array_equal(slots.polynomials(elements), polynomial)
    context = _core.Context(parameters(degree, (t,)).native, _core.CpuEngine(1))
    constants = rng.integers(0, t // 2 + 1, count)
    encoded = _core.decode_residues(_core.encode_residues(context, 0, True, constants[None]), False)[0] % t
    assert np.array_equal(slots.elements(encoded)[:, 0], constants) and not slots.elements(encoded)[:, 1:].any()


@pytest.mark.parametrize("scheme", SCHEMES)
@EVERY_RING
def test_arithmetic_is_that_of_the_field(scheme: str, degree: int, t: int, rng: np.random.Generator) -> None:
    w = world(scheme, degree, t)
    a, b = w.random(rng, 2), w.random(rng, 3, 1)
    x, y = w.encrypted(a), w.encrypted(b)
    c = w.random(rng)
    one = w.slots.constant(1)
    for result, expected in [
        (x + y, a + b), (x - y, a - b), (-x, -a), (x + c, a + c), (c - x, c - a), (x - c, a - c), (5 * x, 5 * a),
        (x * -1, -a), (x + 1, a + one), (1 - x, one - a), (x * y, w.each(lambda p, q: p * q, a, b)),
        (x * c, w.each(lambda p, q: p * q, a, c)), (c * x, w.each(lambda p, q: p * q, a, c)),
        (x * x * y, w.each(lambda p, q: p * p * q, a, b)), (x * w.slots.constant(0), 0 * a),
    ]:  # fmt: skip
        assert np.array_equal(w.opened(result), np.asarray(expected).astype(np.int64) % t)
    most = np.full((w.k, w.d), t - 1)
    assert np.array_equal(w.opened(w.encrypted(most) * most), w.each(lambda p, q: p * q, most, most))


@pytest.mark.parametrize("scheme", SCHEMES)
@EVERY_RING
def test_automorphisms_are_frobenius_and_rotations(scheme: str, degree: int, t: int, rng: np.random.Generator) -> None:
    w = world(scheme, degree, t)
    a = w.random(rng, 2)
    x, row = w.encrypted(a), w.k // 2
    for power in (0, 1, -1, w.d - 1, w.d + 1):
        expected = w.each(lambda p, e=t ** (power % w.d): pow(p, e, w.modulus), a)
        assert np.array_equal(w.opened(x.frobenius(power)), expected), power
    conjugates = sum(w.each(lambda p, e=t**i: pow(p, e, w.modulus), a) for i in range(w.d))
    trace = np.asarray(conjugates) % t
    assert not trace[..., 1:].any()
    assert np.array_equal(w.opened(x.trace()), trace)
    halves = a.reshape(2, 2, row, w.d)
    assert np.array_equal(w.opened(x.rotate_columns()), halves[:, ::-1].reshape(a.shape))
    for step in {0, 1, -1, row - 1, row // 2, row, row + 1}:
        assert np.array_equal(w.opened(x.rotate_rows(step)), np.roll(halves, -step, axis=-2).reshape(a.shape)), step


def test_saved_polynomials_come_back(rng: np.random.Generator) -> None:
    w = world("bgv", 32, 17)
    a = w.random(rng, 3)
    stored = cy.to_bytes(w.encrypted(a).polynomials)
    x = w.slots.of(cy.from_bytes(stored, allow_insecure=True))
    assert np.array_equal(w.opened(x), a)
    assert np.array_equal(w.opened(w.slots.of(x.polynomials[1:])), a[1:])
    assert np.array_equal(w.opened(w.slots.of(x.polynomials.sum(axis=0))), a.sum(axis=0) % w.t)
    assert "GF(17^4)" in repr(x)


def test_what_does_not_fit_is_refused(rng: np.random.Generator) -> None:
    w = world("bfv", 32, 17)
    x = w.encrypted(w.random(rng))
    for plain in [(7,), (65,), (2,), (17, 97)]:
        with pytest.raises(ParameterError):
            cy.extension_slots.ExtensionSlots(parameters(32, plain))
    with pytest.raises(UnsupportedError):
        cy.extension_slots.ExtensionSlots(3)
    for shape in [(), (3,), (w.d, w.k), (w.k, w.d + 1), (0, w.k, w.d)]:
        with pytest.raises(ArgumentError, match=r"\(k, d\) = \(8, 4\)"):
            w.slots.encrypt(np.zeros(shape, dtype=int), w.keys.public)
    with pytest.raises(UnsupportedError):
        w.slots.encrypt(np.zeros((w.k, w.d)), w.keys.public)
    with pytest.raises(MismatchError):
        world("bfv", 32, 5).slots.encrypt(np.zeros((2, 16), dtype=int), w.keys.public)
    with pytest.raises(MismatchError):
        x + world("bfv", 32, 5).encrypted(np.zeros((2, 16), dtype=int))
    with pytest.raises(UnsupportedError):
        x * x.polynomials
    for wrong in [
        cy.encrypt([1, 2], w.keys.public, wrap=True, encoding="coefficients"),
        cy.encrypt(range(32), w.keys.public, wrap=True, layout="replicated"),
        cy.encrypt([1] * 32, w.keys.public, bound=1, encoding="coefficients"),
        cy.encrypt(range(32), w.keys.public, wrap=True, encoding="slots"),
    ]:
        with pytest.raises(ArgumentError, match="n = 32 coefficients"):
            w.slots.of(wrong)
    bare = cy.keygen(w.parameters, rotations=[])
    y = w.slots.encrypt(w.random(rng), bare.public)
    for operation in (y.frobenius, y.trace, y.rotate_columns, lambda: y.rotate_rows(1)):
        with pytest.raises(MissingKeyError, match="galois_elements"):
            operation()


def test_elements_beyond_a_word_are_reduced() -> None:
    w = world("bfv", 32, 17)
    values = np.full((w.k, w.d), 0, dtype=object)
    values[0, 0], values[1, 1] = 2**100, -(2**90) - 3
    assert np.array_equal(w.opened(w.encrypted(values)), (values % 17).astype(np.int64))
    assert np.array_equal(w.opened(w.encrypted(values) * 2**80), (values * 2**80 % 17).astype(np.int64))
