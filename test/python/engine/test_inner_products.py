# SPDX-License-Identifier: Apache-2.0
"""Sums of products whose factors are prepared once and whose sums are rounded once, against NumPy and one by one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import cyclotome as cy
import numpy as np
import pytest
from cyclotome.errors import ArgumentError, MismatchError, NoiseError, RangeError, UnsupportedError
from hypothesis import given, settings
from hypothesis import strategies as st
from small import insecure

SCHEMES = ("bfv", "bgv")
DEGREE = 64
#: (shape, shape, axes): chunks and rows of packed arrays, columns that repeat, all axes, the packed one.
CASES: list[tuple[tuple[int, ...], tuple[int, ...], Any]] = [
    ((5, 7), (5, 7), 0),
    ((5, 7), (5, 7), 1),
    ((5, 7), (5, 7), None),
    ((5, 150), (5, 150), 0),
    ((5, 150), (5, 150), (0, 1)),
    ((4, 1, 3), (1, 6, 3), 0),
    ((4, 1, 9), (1, 6, 9), (1,)),
    ((3, 4, 1), (4, 70), 1),
    ((3, 2, 5, 6), (3, 2, 5, 6), (-4, -2)),
    ((8,), (8,), -1),
]


@pytest.fixture(scope="module", params=SCHEMES)
def keys(request: pytest.FixtureRequest) -> cy.Keys:
    parameters = insecure([1073738753], DEGREE, [50] * 4, [50], scheme=request.param)
    return cy.keygen(parameters, device="cpu:7")  # an engine of their own, whose memory no other test uses


@pytest.fixture
def little_memory() -> Iterator[None]:
    yield
    cy.set_memory_limit(None)


def opened(x: cy.EncryptedArray, keys: cy.Keys) -> Any:
    values = cy.decrypt(x, keys.secret)
    assert np.all(np.abs(np.asarray(values)) <= x.bound)
    return values


@pytest.mark.parametrize("layout", ["packed", "replicated"])
@pytest.mark.parametrize(("left", "right", "axes"), CASES)
def test_they_are_what_numpy_says(
    left: tuple[int, ...], right: tuple[int, ...], axes: Any, layout: str, keys: cy.Keys, rng: np.random.Generator
) -> None:
    if layout == "replicated" and np.prod(left) > 100:
        pytest.skip("a ciphertext for each value")
    a, b = rng.integers(-99, 100, left), rng.integers(-99, 100, right)
    a.flat[0], b.flat[0] = 99, -99
    x, y = (cy.encrypt(v, keys.public, bound=99, layout=layout) for v in (a, b))
    separate = (x * y).sum(axes)
    together = x.sum_of_products(y, axes)
    assert (together.shape, together.bound, together.layout) == (separate.shape, separate.bound, separate.layout)
    assert np.array_equal(opened(together, keys), (a * b).sum(axes))
    assert np.array_equal(opened(separate, keys), (a * b).sum(axes))
    assert together.noise_headroom >= separate.noise_headroom - 1e-6
    assert np.min(cy.noise_budget(together, keys.secret)) >= together.noise_headroom - 1
    assert np.array_equal(opened(y.sum_of_products(x, axes), keys), (a * b).sum(axes))


@settings(deadline=None, max_examples=30)
@given(st.integers(1, 4), st.integers(1, 5), st.integers(1, 4), st.integers(0, 2**32 - 1))
def test_matrices_of_any_shape(rows: int, inner: int, columns: int, seed: int) -> None:
    party = cy.keygen(PARAMETERS)
    numbers = np.random.default_rng(seed)
    a, b = numbers.integers(-9, 10, (rows, inner)), numbers.integers(-9, 10, (inner, columns))
    x, y = (cy.encrypt(v, party.public, bound=9, layout="replicated") for v in (a, b))
    assert np.array_equal(opened(x @ y, party), a @ b)


PARAMETERS = insecure([1073738753], DEGREE, [50] * 3, [50])


def test_an_array_with_itself(keys: cy.Keys) -> None:
    a = np.arange(-6, 6).reshape(3, 4)
    x = cy.encrypt(a, keys.public, bound=6)
    for axes in (0, 1, None):
        assert np.array_equal(opened(x.sum_of_products(x, axes), keys), (a * a).sum(axes))
    assert opened(x[0] @ x[0], keys) == a[0] @ a[0]


def test_the_largest_values_that_fit(keys: cy.Keys) -> None:
    """Half the plaintext modulus is what sixteen products add up to; one more does not fit."""
    largest = int((1073738753 // 2 / 16) ** 0.5)
    a = np.full((16, DEGREE), largest)
    a[::2] *= -1
    x = cy.encrypt(a, keys.public, bound=largest)
    assert np.array_equal(opened(x.sum_of_products(x, 0), keys), (a * a).sum(0))
    y = cy.encrypt(a, keys.public, bound=largest + 1)
    with pytest.raises(RangeError):
        y.sum_of_products(y, 0)


def test_little_memory_takes_more_steps(keys: cy.Keys, little_memory: None, rng: np.random.Generator) -> None:
    a, b = rng.integers(-9, 10, (6, 8)), rng.integers(-9, 10, (8, 7))
    x, y = (cy.encrypt(v, keys.public, bound=9, layout="replicated") for v in (a, b))
    steps: list[int] = []

    def product(limit: int | None) -> bool:
        cy.set_memory_limit(limit)
        steps.append(0)

        def count(done: int, total: int, what: str) -> None:
            steps[-1] += what == "multiplying"

        with cy.progress(count):
            z = x @ y
        cy.set_memory_limit(None)
        assert np.array_equal(opened(z, keys), a @ b)
        return z.shape == (6, 7)

    held = sum(z.nbytes for z in (x, y))
    assert product(None) and product(5 * held) and product(4 * held)
    assert steps[0] == 2 < steps[1] <= steps[2]  # the beginning, and a step for each part of it


def test_sums_longer_than_memory_are_added_up(keys: cy.Keys, little_memory: None) -> None:
    a = np.arange(-40, 40)[:, None] * np.ones(5, int)
    x = cy.encrypt(a, keys.public, bound=40)
    cy.set_memory_limit(5 * x.nbytes)
    z = x.sum_of_products(x, 0)
    cy.set_memory_limit(None)
    assert np.array_equal(opened(z, keys), (a * a).sum(0))


def test_what_does_not_fit_together_is_refused(keys: cy.Keys) -> None:
    x = cy.encrypt([[1, 2], [3, 4]], keys.public, bound=4)
    with pytest.raises(UnsupportedError, match="two encrypted arrays"):
        x.sum_of_products([[1, 2], [3, 4]], 0)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="name one twice"):
        x.sum_of_products(x, (0, -2))
    with pytest.raises(ArgumentError, match="axis"):
        x.sum_of_products(x, 2)
    with pytest.raises(ArgumentError, match=r"broadcast|shape"):
        x.sum_of_products(cy.encrypt([1, 2, 3], keys.public), 0)
    with pytest.raises(MismatchError):
        x.sum_of_products(cy.encrypt([1, 2], cy.keygen(keys.public.parameters, device="cpu:7").public), 0)
    with pytest.raises((ArgumentError, UnsupportedError)):
        y = cy.encrypt([1, 2], keys.public, bound=2, encoding="coefficients")
        y.sum_of_products(y, 0)


def test_noise_that_is_too_much_is_refused(keys: cy.Keys) -> None:
    x = cy.encrypt([[1, 2], [3, 4]], keys.public, bound=4)
    with cy.allow_undecryptable():
        while x.noise_headroom >= 0:
            x = (x * x).assume_bound(4)
        assert x.sum_of_products(x, 0).noise_headroom < 0
    with pytest.raises(NoiseError):
        x.sum_of_products(x, 0)
