# SPDX-License-Identifier: Apache-2.0
"""Functions that are not analytic, softmax, convolutions, and NumPy's names: against NumPy, within the stated error."""

from __future__ import annotations

from typing import Any

import cyclotome as cy
import numpy as np
import pytest
from cyclotome import errors
from real_party import encrypted, near, parameters
from small import HOME


@pytest.fixture(scope="module")
def deep() -> cy.Keys:
    return cy.keygen(parameters(degree=256, depth=22), device=HOME)


def outside(rng: np.random.Generator, gap: float, shape: Any) -> Any:
    """Numbers from gap to 1 of both signs, both ends among them."""
    sizes = rng.uniform(gap, 1, shape)
    sizes.flat[:2] = gap, 1.0
    return sizes * rng.choice([-1.0, 1.0], shape)


def test_signs_and_comparisons(deep: cy.Keys, rng: np.random.Generator) -> None:
    for gap, precision in ((0.5, 1e-2), (0.1, 1e-3), (0.02, 1e-2)):
        a = outside(rng, gap, 100)
        x = encrypted(a, deep)
        y = x.sign(gap, precision)
        near(y, np.sign(a), deep)
        assert y.error.max < 2 * precision and y.bound < 1.1
    b = rng.uniform(-0.4, 0.4, 100)
    x, y = encrypted(b, deep, bound=0.5), encrypted(b + 0.1 * np.sign(a), deep, bound=0.5)
    near(x.greater(y, 0.05, 1e-2), (b > b + 0.1 * np.sign(a)).astype(float), deep, 1e-12)
    near(x.greater(b - 0.2, 0.1), np.ones(100), deep, 1e-12)
    middle = cy.decrypt(encrypted(np.zeros(5), deep).sign(0.1), deep.secret)
    assert np.abs(middle).max() <= 1.01  # in the gap: nothing is stated, but nothing wraps around
    for bad in (0.0, -0.1, 1.0, 2.0, float("nan")):
        with pytest.raises(errors.ArgumentError):
            x.sign(bad)
    with pytest.raises(errors.ArgumentError, match="beyond degree 255"):
        encrypted(a, deep).sign(1e-6)
    with pytest.raises(errors.NoiseError, match="no level is left"):
        x.switch_to_level(3).sign(0.1)


def test_ramps(deep: cy.Keys, rng: np.random.Generator) -> None:
    a = rng.uniform(-1, 1, 128)
    a[:3] = 0.0, 1.0, -1.0
    x = encrypted(a, deep)
    for precision in (0.1, 0.02):
        near(x.relu(precision), np.maximum(a, 0), deep)
        near(x.absolute(2 * precision), np.abs(a), deep)
        assert x.relu(precision).error.max < 2 * precision
    near(abs(x), np.abs(a), deep)
    b = rng.uniform(-1, 1, 128)
    y = encrypted(b, deep)
    near(x.maximum(y, 0.05), np.maximum(a, b), deep)
    near(x.minimum(b, 0.05), np.minimum(a, b), deep)
    near((x * 0.5).relu(0.05), np.maximum(a / 2, 0), deep)
    with pytest.raises(errors.ArgumentError, match="255"):
        x.relu(1e-4)
    with pytest.raises(errors.UnsupportedError, match="complex"):
        encrypted(a * 1j, deep).relu()


def test_softmax(deep: cy.Keys, rng: np.random.Generator) -> None:
    a = rng.uniform(-1, 1, (2, 7))
    x = encrypted(a, deep)
    shares = np.exp(a) / np.exp(a).sum(-1, keepdims=True)
    near(x.softmax(), shares, deep, 1e-14)
    near((x * 0.5 + 3.0).softmax((2.5, 3.5), 1e-4), np.exp(a / 2) / np.exp(a / 2).sum(-1, keepdims=True), deep, 1e-14)
    assert x.softmax().error.max < 0.01
    with pytest.raises(errors.ArgumentError):
        x[0].sum().softmax()


def test_errors_do_not_grow_by_more_than_slopes(deep: cy.Keys, rng: np.random.Generator) -> None:
    """A function of something wrong by e is wrong by e times its slope, not by what each product makes of e."""
    a = rng.uniform(-1, 1, 128)
    x = encrypted(a, deep)
    blurred = x.switch_to_level(20)
    for _ in range(24):
        blurred = blurred + (x - x)
    near(blurred, a, deep)
    coarse = blurred * 1000.0 * 0.001  # an error some hundred times that of x
    assert coarse.error.max > 50 * x.error.max
    y = coarse.tanh((-2, 2), 1e-6)
    near(y, np.tanh(a), deep)
    assert y.error.max < 1e-6 + 4 * coarse.error.max
    beyond = encrypted(np.array([1.0, -1.0]), deep)
    near(beyond.exp(None, 1e-6), np.exp([1.0, -1.0]), deep, 1e-14)  # at the ends, whatever its error is


def test_convolutions(deep: cy.Keys, rng: np.random.Generator) -> None:
    a, kernel = rng.uniform(-1, 1, (2, 9)), rng.uniform(-1, 1, 4)
    x = encrypted(a, deep)
    for mode in ("full", "same", "valid"):
        expected = np.stack([np.convolve(row, kernel, mode) for row in a])  # type: ignore[call-overload]
        near(x.convolve(kernel, mode), expected, deep, 1e-14)
    near(np.convolve(x[0], kernel), np.convolve(a[0], kernel), deep, 1e-14)
    with pytest.raises(errors.ArgumentError, match="mode"):
        x.convolve(kernel, "round")
    with pytest.raises(errors.ArgumentError, match="axis"):
        x.convolve([[1.0]])


def test_numpy_names(deep: cy.Keys, rng: np.random.Generator) -> None:
    a, b, w = rng.uniform(-1, 1, 9), rng.uniform(-1, 1, 9), rng.uniform(-1, 1, (9, 3))
    x, y = encrypted(a, deep), encrypted(b, deep)
    cases: list[tuple[Any, Any]] = [
        (np.exp(x), np.exp(a)),
        (np.tanh(x), np.tanh(a)),
        (np.add(b, x), a + b),
        (np.subtract(b, x), b - a),
        (np.subtract(x, y), a - b),
        (np.multiply(x, y), a * b),
        (np.divide(x, b + 2), a / (b + 2)),
        (np.negative(x), -a),
        (np.positive(x), a),
        (np.square(x), a * a),
        (np.power(x, 3), a**3),
        (np.conjugate(x), a),
        (np.abs(x), np.abs(a)),
        (np.maximum(b, x), np.maximum(a, b)),
        (np.minimum(x, y), np.minimum(a, b)),
        (np.matmul(x, w), a @ w),
        (np.matmul(w.T, x), w.T @ a),
        (np.dot(w.T, x), w.T @ a),
        (np.dot(x, y), a @ b),
        (np.dot(2.0, x), 2 * a),
        (np.sum(x), a.sum()),
        (np.mean(x), a.mean()),
        (np.roll(x, 2), np.roll(a, 2)),
        (b + x, a + b),
        (b - x, b - a),
        (np.float64(0.5) * x, a / 2),
        (w.T @ x, w.T @ a),
    ]
    for number, (found, expected) in enumerate(cases):
        assert isinstance(found, cy.RealArray), number
        near(found, expected, deep, 1e-13)
    assert np.shape(x) == (9,) and np.ndim(x) == 1 and np.size(x) == 9
    for refused, advice in (
        (lambda: np.log(x), r"x.log\(\(low, high\)\)"),
        (lambda: np.sqrt(x), r"x.sqrt\(\(low, high\)\)"),
        (lambda: np.reciprocal(x), "x.inverse"),
        (lambda: np.sign(x), "x.sign"),
        (lambda: np.greater(x, 0), "greater"),
        (lambda: np.arctan2(x, x), "do not know|does not know"),
        (lambda: np.add.reduce(x), "reduce"),
        (lambda: np.equal(x, a), "does not know|compared"),
        (lambda: np.stack([x, x]), "does not know"),
        (lambda: np.isnan(x), "does not know"),
        (lambda: np.divide(1.0, x), "x.inverse"),
    ):
        with pytest.raises(errors.UnsupportedError, match=advice):
            refused()
    with pytest.raises(errors.ArgumentError, match="out"):
        np.add(x, a, out=a)
    with pytest.raises(errors.ArgumentError, match="dtype"):
        np.sum(x, dtype=float)
