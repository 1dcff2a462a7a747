# SPDX-License-Identifier: Apache-2.0
"""Polynomials, comparisons, selections and order of encrypted integers, against NumPy: every bound, at its ends."""

from __future__ import annotations

import functools
from typing import Any

import cyclotome as cy
import numpy as np
import pytest
from small import insecure

DEGREE = 64
SCHEMES = ("bfv", "bgv")


class World:
    """Keys of a small ring whose modulus carries whatever these tests compute."""

    def __init__(self, scheme: str, plain: tuple[int, ...] = (65537,), primes: int = 16) -> None:
        self.parameters = insecure(plain, DEGREE, [50] * primes, scheme=scheme)
        self.secret, self.public, self.evaluation = cy.keygen(self.parameters)

    def encrypted(self, values: Any, **how: Any) -> cy.EncryptedArray:
        return cy.encrypt(values, self.public, **how)

    def opened(self, x: Any) -> Any:
        if isinstance(x, cy.EncryptedDigits):
            return cy.decrypt_digits(x, self.secret)
        values = cy.decrypt(x, self.secret)
        if x.bound is not None:
            assert np.all(np.abs(np.asarray(values, dtype=object)) <= x.bound)
        return values


@functools.cache
def world(scheme: str, plain: tuple[int, ...] = (65537,)) -> World:
    return World(scheme, plain)


def within(rng: np.random.Generator, bound: int, shape: Any, low: int | None = None) -> Any:
    """Values within a bound, the ends among them."""
    values = rng.integers(-bound if low is None else low, bound + 1, shape)
    values.flat[0] = bound
    values.flat[-1] = -bound if low is None else low
    return values


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("plain", [(65537,), (65537, 40961)])
def test_polynomials_are_numpys(scheme: str, plain: tuple[int, ...], rng: np.random.Generator) -> None:
    w = world(scheme, plain)
    for _ in range(6):
        bound = int(rng.integers(1, 4))
        coefficients = rng.integers(-3, 4, int(rng.integers(1, 9)))
        values = within(rng, bound, (2, 9))
        x = w.encrypted(values, bound=bound)
        expected = np.polyval(coefficients, values)
        if not np.any(coefficients[:-1]):
            continue  # a constant, which is no ciphertext without the public key
        y = cy.polyval(coefficients, x)
        assert np.array_equal(w.opened(y), expected), (coefficients, values)
        domain = range(-bound, bound + 1)
        assert y.bound == max(abs(int(np.polyval(coefficients, v))) for v in domain) or len(coefficients) <= 2


def test_a_polynomial_of_many_coefficients_over_few_values(rng: np.random.Generator) -> None:
    w = world("bgv")
    coefficients = [1] * 40
    x = w.encrypted([-1, 0, 1], bound=1)
    plan = cy.plan(lambda a: cy.polyval(coefficients, a), inputs=[x])
    assert plan.products <= 2  # of degree 2, since there are three values
    assert np.array_equal(w.opened(cy.polyval(coefficients, x)), [0, 1, 40])


def test_degree_seven_takes_four_products() -> None:
    w = world("bfv")
    plan = cy.plan(lambda x: cy.polyval([1, 2, 3, 4, 5, 6, 7, 8], x), inputs=[w.encrypted([5, 6], wrap=True)])
    assert (plan.products, plan.depth) == (4, 3)


def test_polynomials_that_do_not_fit_are_refused() -> None:
    w = world("bfv")
    x = w.encrypted([1, 2], bound=100)
    with pytest.raises(cy.errors.RangeError, match="polyval"):
        cy.polyval([1, 0, 0, 0, 0], x)
    for bad in ([], [[1, 2]], 3):
        with pytest.raises(cy.errors.ArgumentError):
            cy.polyval(bad, x)
    with pytest.raises(cy.errors.UnsupportedError):
        cy.polyval([0.5, 1], x)
    with pytest.raises(cy.errors.UnsupportedError):
        cy.polyval([1, 2], np.arange(3))  # type: ignore[arg-type]


def test_powers_have_no_cap(rng: np.random.Generator) -> None:
    w = world("bgv")
    values = rng.integers(0, 65537, 20)
    x = w.encrypted(values, wrap=True)
    for exponent in (0, 1, 65, 300, 65536, 65537, 10**9):
        expected = [pow(int(v), exponent, 65537) for v in values]
        assert np.array_equal(w.opened(x**exponent), expected), exponent
    with pytest.raises(cy.errors.RangeError, match="100 bits"):
        w.encrypted([2], bound=2) ** 100
    with pytest.raises(cy.errors.ArgumentError):
        x**-1


@pytest.mark.parametrize("scheme", SCHEMES)
def test_comparisons_are_numpys(scheme: str, rng: np.random.Generator) -> None:
    w = world(scheme)
    for bound, low in ((1, None), (3, None), (6, 0), (1, 0), (20, 0)):
        stated = bound if low is None else (0, bound)
        a, b = within(rng, bound, (2, 30), low), within(rng, bound, (1, 30), low)
        b[0, :5] = a[0, :5]
        x, y = w.encrypted(a, bound=stated), w.encrypted(b, bound=stated)
        c = int(rng.integers(-bound, bound + 1))
        for got, expected in (
            (cy.equal(x, y), a == b),
            (cy.equal(x, c), a == c),
            (cy.equal(c, x), a == c),
            (cy.less(x, y), a < b),
            (cy.less(x, b), a < b),
            (cy.less(c, y), c < b),
            (cy.less(x, 10 * bound), a < 10 * bound),
            (cy.is_zero(x), a == 0),
        ):
            assert got.bound == 1
            assert np.array_equal(w.opened(got), expected.astype(int)), (bound, low, c)
        for got, expected in (
            (cy.maximum(x, y), np.maximum(a, b)),
            (cy.minimum(x, y), np.minimum(a, b)),
            (cy.maximum(x, c), np.maximum(a, c)),
            (cy.minimum(c, y), np.minimum(c, b)),
        ):
            assert got.bound == max(bound, abs(c)) or got.bound == bound
            assert np.array_equal(w.opened(got), expected)


def test_equality_of_whatever_wraps_around(rng: np.random.Generator) -> None:
    w = world("bgv")
    a, b = rng.integers(0, 65537, 64), rng.integers(0, 65537, 64)
    b[::2] = a[::2]
    got = cy.equal(w.encrypted(a, wrap=True), w.encrypted(b, wrap=True))
    assert np.array_equal(w.opened(got), (a == b).astype(int))
    with pytest.raises(cy.errors.RangeError, match="no order"):
        cy.less(w.encrypted(a, wrap=True), w.encrypted(b, wrap=True))


def test_what_a_modulus_does_not_tell_apart_is_refused() -> None:
    w = world("bfv")
    x, y = w.encrypted([30000, 1], bound=30000), w.encrypted([-30000, 1], bound=30000)
    for compare in (cy.equal, cy.less):
        with pytest.raises(cy.errors.RangeError, match="told apart"):
            compare(x, y)
    two = world("bfv", (65537, 257))
    wide = two.encrypted([200], bound=200)
    with pytest.raises(cy.errors.RangeError, match="257"):
        cy.equal(wide, wide + 1)
    near = two.encrypted([3, 4], bound=5)
    assert np.array_equal(two.opened(cy.equal(near, 4)), [0, 1])


@pytest.mark.parametrize("scheme", SCHEMES)
def test_tables(scheme: str, rng: np.random.Generator) -> None:
    w = world(scheme)
    for size in (1, 2, 5, 17):
        table = rng.integers(-30000, 30001, size)
        values = within(rng, size - 1, 12, 0)
        got = cy.lookup(table, w.encrypted(values, bound=(0, size - 1)))
        assert np.array_equal(w.opened(got), table[values])
        signed = rng.integers(-(size - 1), size, 12)
        got = cy.lookup(table, w.encrypted(signed, bound=size - 1))
        assert np.array_equal(w.opened(got), table[signed])
        assert got.bound is not None and got.bound <= np.abs(table).max()
    x = w.encrypted([1], bound=(0, 3))
    with pytest.raises(cy.errors.RangeError, match="table of 3 values"):
        cy.lookup([1, 2, 3], x)
    with pytest.raises(cy.errors.RangeError, match="no bound"):
        cy.lookup([1, 2, 3], w.encrypted([1], wrap=True))


def test_where_takes_masks(rng: np.random.Generator) -> None:
    w = world("bfv")
    a, b = within(rng, 30000, 10), within(rng, 30000, 10)
    mask = rng.integers(0, 2, 10)
    x, y, m = w.encrypted(a, bound=30000), w.encrypted(b, bound=30000), w.encrypted(mask, bound=(0, 1))
    for got, expected in (
        (cy.where(m, x, y), np.where(mask, a, b)),
        (cy.where(m, x, 7), np.where(mask, a, 7)),
        (cy.where(m, b, y), np.where(mask, b, b)),
        (cy.where(m, 5, -5), np.where(mask, 5, -5)),
    ):
        assert np.array_equal(w.opened(got), expected)
        assert got.bound is not None and got.bound <= 30000
    with pytest.raises(cy.errors.RangeError):  # -1 is no mask: the formula's values don't fit
        cy.where(w.encrypted(mask, bound=1), x, y)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_order_is_numpys(scheme: str, rng: np.random.Generator) -> None:
    w = world(scheme)
    values = within(rng, 3, (4, 2, 7), 0)
    x = w.encrypted(values, bound=(0, 3))
    for axis in (0, 1, -3):
        assert np.array_equal(w.opened(cy.sort(x, axis=axis)), np.sort(values, axis=axis, kind="stable"))
    assert np.array_equal(w.opened(cy.sort(x, descending=True)), -np.sort(-values, axis=0))
    assert np.array_equal(w.opened(cy.top_k(x, 2)), -np.sort(-values, axis=0)[:2])
    assert np.array_equal(w.opened(cy.argmax(x)), np.argmax(values, axis=0))
    assert np.array_equal(w.opened(cy.argmin(x, axis=1)), np.argmin(values, axis=1))
    single = rng.integers(-2, 3, 5)
    y = w.encrypted(single, bound=2, layout="replicated")
    assert np.array_equal(w.opened(cy.sort(y)), np.sort(single))
    assert w.opened(cy.argmax(y)) == np.argmax(single)
    with pytest.raises(cy.errors.UnsupportedError, match="layout='replicated'"):
        cy.sort(x, axis=2)
    with pytest.raises(cy.errors.ArgumentError):
        cy.top_k(x, 5)
    with pytest.raises(cy.errors.ArgumentError):
        cy.sort(x, axis=5)


@pytest.mark.parametrize("base,digits", [(2, 5), (4, 3), (7, 2), (10, 1)])
def test_numbers_of_several_digits(base: int, digits: int, rng: np.random.Generator) -> None:
    w = world("bgv")
    largest = base**digits - 1
    a, b = within(rng, largest, 30, 0), within(rng, largest, 30, 0)
    b[3:9] = a[3:9]
    x, y = (cy.encrypt_digits(v, w.public, base=base, digits=digits) for v in (a, b))
    assert np.array_equal(w.opened(x), a)
    assert np.array_equal(w.opened(cy.less(x, y)), (a < b).astype(int))
    assert np.array_equal(w.opened(cy.equal(x, y)), (a == b).astype(int))
    assert np.array_equal(w.opened(cy.maximum(x, y)), np.maximum(a, b))
    assert np.array_equal(w.opened(cy.minimum(x, y)), np.minimum(a, b))
    if largest <= w.parameters.capacity:
        assert np.array_equal(w.opened(x.number()), a)
    rows = within(rng, largest, (3, 8), 0)
    z = cy.encrypt_digits(rows, w.public, base=base, digits=digits)
    assert np.array_equal(w.opened(cy.sort(z)), np.sort(rows, axis=0))
    assert np.array_equal(w.opened(cy.argmax(z)), np.argmax(rows, axis=0))


def test_digits_that_do_not_meet() -> None:
    w = world("bfv")
    x = cy.encrypt_digits([5], w.public, base=4, digits=3)
    for other in (cy.encrypt_digits([5], w.public, base=4, digits=2), w.encrypted([5], bound=5), 5):
        with pytest.raises(cy.errors.ArgumentError, match="same base"):
            cy.less(x, other)
    for values in ([64], [-1]):
        with pytest.raises(cy.errors.RangeError):
            cy.encrypt_digits(values, w.public, base=4, digits=3)
    with pytest.raises(cy.errors.ArgumentError):
        cy.encrypt_digits([1], w.public, base=1, digits=3)


def test_missing_keys_and_noise_are_named() -> None:
    w = world("bfv")
    own = cy.keygen(w.parameters, rotations=[], relinearization=False)
    x = cy.encrypt([1, 2], own.public, bound=3)
    for call in (lambda: cy.polyval([1, 0, 0], x), lambda: cy.equal(x, 1), lambda: cy.less(x, 1)):
        with pytest.raises(cy.errors.MissingKeyError, match="relinearization=True"):
            call()
    shallow = cy.keygen(cy.Parameters.from_modulus_bits(
        degree=1024, modulus_bits=60, plain_moduli=[12289], security=0, allow_insecure=True))  # fmt: skip
    y = cy.encrypt([1, 2], shallow.public, bound=60)
    with pytest.raises(cy.errors.NoiseError):
        cy.equal(y, 7)


def test_what_lies_in_coefficients_has_no_functions() -> None:
    w = world("bfv")
    x = w.encrypted([1, 2], bound=3, encoding="coefficients")
    for call in (lambda: cy.polyval([1, 0, 0], x), lambda: cy.equal(x, 1), lambda: cy.lookup([1, 2, 3, 4], x)):
        with pytest.raises(cy.errors.UnsupportedError):
            call()
    with pytest.raises(cy.errors.UnsupportedError, match="NumPy"):
        cy.equal(1, 2)


def test_stated_signs() -> None:
    w = world("bfv")
    with pytest.raises(cy.errors.RangeError, match="below 0"):
        w.encrypted([3, -1], bound=(0, 5))
    for bad in ((0, 5, 6), (0, -1), (False, 3), (0.5, 3), ("0", 3), ()):
        with pytest.raises(cy.errors.ArgumentError):
            w.encrypted([3], bound=bad)
    x = w.encrypted([3, 0], bound=(0, 5))
    assert (x - x).bound == 5 and (x + x).bound == 10
