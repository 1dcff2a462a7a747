# SPDX-License-Identifier: Apache-2.0
"""Every operator of encrypted arrays equals NumPy's, at random shapes, layouts and kinds of operands."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import cyclotome as cy
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from small import DEGREE, decrypted, encrypted, keys, same

Array = NDArray[np.int64]
BOUND = 40

#: Around one and two ciphertexts, and a single value, which is broadcast.
lengths = st.sampled_from([1, 3, DEGREE - 1, DEGREE, DEGREE + 1, 2 * DEGREE + 3])
outer_shapes = st.lists(st.integers(1, 3), max_size=2).map(tuple)
layouts = st.sampled_from(["packed", "replicated"])
operators = st.sampled_from([operator.add, operator.sub, operator.mul])


@st.composite
def shape_pairs(draw: st.DrawFn) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Two shapes that broadcast: axes of one shape are cut to 1 or left out in either."""
    shape = (*draw(outer_shapes), draw(lengths))

    def reduced() -> tuple[int, ...]:
        kept = [1 if draw(st.integers(0, 3)) == 0 else n for n in shape]
        return tuple(kept[draw(st.integers(0, len(kept))) :])

    return reduced(), reduced()


def numbers(seed: int, shape: tuple[int, ...], bound: int = BOUND) -> Array:
    return np.random.default_rng(seed).integers(-bound, bound, shape, endpoint=True)


@given(shape_pairs(), operators, layouts, layouts, st.integers(0, 2**32))
@settings(max_examples=150)
def test_encrypted_with_encrypted(
    shapes: tuple[tuple[int, ...], tuple[int, ...]],
    function: Callable[[Any, Any], Any],
    first: str,
    second: str,
    seed: int,
) -> None:
    a, b = numbers(seed, shapes[0]), numbers(seed + 1, shapes[1])
    result = function(encrypted(a, BOUND, layout=first), encrypted(b, BOUND, layout=second))
    same(result, function(a, b))


@given(shape_pairs(), operators, layouts, st.booleans(), st.integers(0, 2**32))
@settings(max_examples=150)
def test_encrypted_with_plain(
    shapes: tuple[tuple[int, ...], tuple[int, ...]],
    function: Callable[[Any, Any], Any],
    layout: str,
    reflected: bool,
    seed: int,
) -> None:
    a, w = numbers(seed, shapes[0]), numbers(seed + 1, shapes[1])
    x = encrypted(a, BOUND, layout=layout)
    if reflected:
        same(function(w, x), function(w, a))
    else:
        same(function(x, w), function(a, w))


@pytest.mark.parametrize("scalar", [3, -1, 0, np.int8(-7), np.uint64(5), True, np.array(2)])
@pytest.mark.parametrize("function", [operator.add, operator.sub, operator.mul])
@pytest.mark.parametrize("shape", [(), (5,), (2, DEGREE + 5)])
def test_scalars_of_every_kind(scalar: Any, function: Callable[[Any, Any], Any], shape: tuple[int, ...]) -> None:
    a = numbers(1, shape)
    x = encrypted(a, BOUND)
    same(function(x, scalar), function(a, int(scalar)))
    same(function(scalar, x), function(int(scalar), a))


@pytest.mark.parametrize("exponent", [0, 1, 2, 3, 4, 5])
def test_powers(exponent: int) -> None:
    a = numbers(3, (DEGREE + 2,), 8)
    same(encrypted(a, 8) ** exponent, a**exponent)


def test_negation_and_identity() -> None:
    a = numbers(4, (2, 3))
    x = encrypted(a, BOUND)
    same(-x, -a)
    same(+x, a)


def test_padding_stays_out_of_sums_after_it_was_filled() -> None:
    """A scalar that is added to, or a replicated factor of, a packed array must not show in sums over slots."""
    a, s = numbers(5, (2, 5)), 7
    x, one = encrypted(a, BOUND), encrypted(s, BOUND)
    same((x + one).sum(axis=-1), (a + s).sum(axis=-1))
    same(((x + one) * (x + one)).sum(), ((a + s) ** 2).sum())
    same((one * np.arange(5)).sum(), s * 10)
    same((one + np.arange(3)).sum(), 3 * s + 3)


@pytest.mark.parametrize("width", [2, 70, 200])
def test_values_of_any_width_are_exact(width: int) -> None:
    """Integers of 2 to 200 bits, spread over as many plaintext moduli as they need."""
    params = cy.Parameters.suggest(depth=1, value_bits=width, terms=8, security=128)
    made = cy.keygen(params)
    top = 2**width - 1
    a = np.array([top, -top, 0, 1, -1, top // 3], dtype=object)
    x = cy.encrypt(a, made.public)
    assert x.bound == top
    assert (cy.decrypt(x, made.secret) == a).all()
    assert (cy.decrypt(x * x - 3 * x, made.secret) == a * a - 3 * a).all()
    assert cy.decrypt((x * x).sum(), made.secret) == int((a * a).sum())


def test_readme_example_at_128_bits() -> None:
    params = cy.Parameters.suggest(depth=1, value_bits=10, security=128)
    assert params.security_reached >= 128
    secret, public, _ = cy.keygen(params)
    a = np.arange(1000)
    x = cy.encrypt(a, public)
    y = (x * x + 3 * x).sum()
    assert cy.decrypt(y, secret) == int((a * a + 3 * a).sum())
    assert 0 <= y.noise_headroom <= cy.noise_budget(y, secret) + 1


def test_symmetric_encryption_takes_half_the_bytes_and_needs_its_keys_attached() -> None:
    made = keys()
    a = numbers(6, (40, 4))
    x = cy.encrypt(a, made.secret, bound=BOUND)
    assert len(cy.to_bytes(x)) < 0.6 * len(cy.to_bytes(encrypted(a, BOUND)))
    with pytest.raises(cy.errors.MissingKeyError, match="with_keys"):
        x * x
    same(x.with_keys(made.evaluation) * x, a * a)
    same(x + encrypted(a, BOUND), 2 * a)


def test_bgv_computes_the_same() -> None:
    made = keys((65537,), scheme="bgv")
    a = numbers(8, (2, DEGREE + 3), 30)
    x = cy.encrypt(a, made.public, bound=30)
    product = cy.decrypt((x * x - 2 * x + np.arange(DEGREE + 3)).sum(axis=0), made.secret)
    np.testing.assert_array_equal(product, (a * a - 2 * a + np.arange(DEGREE + 3)).sum(axis=0))
    assert cy.decrypt((x @ (a[0] % 7)).sum(), made.secret) == int((a @ (a[0] % 7)).sum())


def test_operands_are_never_changed() -> None:
    a = numbers(7, (2, 5))
    x, y = encrypted(a, BOUND), encrypted(a, BOUND)
    for made in (x + y, x * y, -x, x.sum(), x * 3, x - 1):
        assert made is not x
    np.testing.assert_array_equal(decrypted(x), a)
    np.testing.assert_array_equal(decrypted(y), a)
