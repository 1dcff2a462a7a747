# SPDX-License-Identifier: Apache-2.0
"""Public operands that are encoded once: the same bits as their integers give, wherever they meet."""

from __future__ import annotations

import functools
import operator
import threading
from collections.abc import Callable
from typing import Any

import cyclotome as cy
import numpy as np
import pytest
from small import HOME, insecure

OPERATIONS = (operator.add, operator.sub, operator.mul)


@functools.cache
def party(scheme: str) -> tuple[cy.Parameters, Any]:
    parameters = insecure([65537, 40961], 64, [50] * 5, scheme=scheme)
    return parameters, cy.keygen(parameters)


@pytest.mark.parametrize("scheme", ["bfv", "bgv"])
@pytest.mark.parametrize(
    "shape,other",
    [
        ((5,), (5,)),
        ((3, 70), (70,)),
        ((3, 70), (3, 70)),
        ((70,), (4, 70)),
        ((2, 9), (2, 1)),
        ((2, 9), ()),
        ((1,), (7,)),
    ],
)
def test_results_are_the_same_bits(scheme: str, shape: Any, other: Any, rng: np.random.Generator) -> None:
    parameters, keys = party(scheme)
    values, weights = rng.integers(-9, 10, shape), rng.integers(-99, 100, other)
    weights = weights + (weights == 0)  # products by nothing but 0 hide nothing, and are encrypted anew
    x = cy.encrypt(values, keys.public, bound=9)
    w = cy.plain(weights, parameters)
    for operation in OPERATIONS:
        expected, got = operation(x, weights), operation(x, w)
        assert np.array_equal(cy.decrypt(got, keys.secret), operation(values, weights))
        assert got.bound == expected.bound and got.noise_headroom == expected.noise_headroom
        assert got.shape == expected.shape and got.layout == expected.layout
        if expected.layout == "packed" and x.layout == "packed" and shape[-1] > 1:
            assert cy.to_bytes(got) == cy.to_bytes(expected)
    assert np.array_equal(cy.decrypt(w * x, keys.secret), weights * values)
    assert np.array_equal(cy.decrypt(w - x, keys.secret), weights - values)


@pytest.mark.parametrize("scheme", ["bfv", "bgv"])
@pytest.mark.parametrize("shape,other", [((5, 1), (5, 9)), ((5, 1), (9,)), ((2, 5, 1), (5, 70)), ((), (9,))])
def test_one_value_for_each_row(scheme: str, shape: Any, other: Any, rng: np.random.Generator) -> None:
    """Replicated values, as `expand` makes them, are constants, which meet rows in slots as they are."""
    parameters, keys = party(scheme)
    values, weights = rng.integers(-9, 10, shape), rng.integers(-99, 100, other)
    x = cy.encrypt(values, keys.public, bound=9, layout="replicated")
    w = cy.plain(weights, parameters)
    for operation in OPERATIONS:
        expected, got = operation(x, weights), operation(x, w)
        assert cy.to_bytes(got) == cy.to_bytes(expected)
        assert np.array_equal(cy.decrypt(got, keys.secret), operation(values, weights))


@pytest.mark.parametrize("scheme", ["bfv", "bgv"])
@pytest.mark.parametrize(
    "shape,other,axes",
    [
        ((5, 9), (5, 9), (0,)),
        ((5, 9), (9,), (0,)),
        ((9,), (5, 9), (0,)),
        ((150, 9), (150, 9), (0,)),
        ((3, 4, 70), (4, 70), (0, 1)),
        ((3, 4, 70), (3, 1, 70), (1,)),
        ((3, 4, 9), (3, 4, 9), (-1,)),
        ((3, 4, 9), (4, 9), (0, 2)),
        ((5, 1), (5, 70), (0,)),
        ((3, 2), (4, 3, 2), None),
    ],
)
def test_sums_of_products_are_the_same_bits(
    scheme: str, shape: Any, other: Any, axes: Any, rng: np.random.Generator
) -> None:
    parameters, keys = party(scheme)
    values, weights = rng.integers(-9, 10, shape), rng.integers(-99, 100, other)
    layout = {"layout": "replicated"} if shape[-1] == 1 else {}
    x = cy.encrypt(values, keys.public, bound=9, **layout)
    w = cy.plain(weights, parameters)
    got, expected = x.sum_of_products(w, axes), (x * w).sum(axes)
    assert np.array_equal(cy.decrypt(got, keys.secret), (values * weights).sum(axes))
    assert got.bound == expected.bound and got.noise_headroom == expected.noise_headroom
    assert got.shape == expected.shape and cy.to_bytes(got) == cy.to_bytes(expected)
    low = x if scheme == "bfv" else x.switch_to_least_level(40)
    assert np.array_equal(cy.decrypt(low.sum_of_products(w, axes), keys.secret), (values * weights).sum(axes))


def test_what_was_prepared_in_vain_says_so() -> None:
    parameters, keys = party("bfv")
    w = cy.plain([[1, 2, 3], [4, 5, 6]], parameters)
    apart = cy.encrypt([1, 2, 3], keys.public, bound=3, layout="replicated")
    for operation in OPERATIONS:
        with pytest.warns(cy.errors.PreparedWarning, match=r"shape \(3,\)") as seen:
            assert np.array_equal(
                cy.decrypt(operation(apart, w), keys.secret), operation(np.array([1, 2, 3]), w.values)
            )
        assert seen[0].filename == __file__
    with pytest.warns(cy.errors.PreparedWarning):
        total = apart.sum_of_products(w, 0)
    assert np.array_equal(cy.decrypt(total, keys.secret), [5, 14, 27])
    # What needs no encoding is not prepared in vain.
    assert np.array_equal(cy.decrypt(apart * cy.plain([[2], [3]], parameters), keys.secret), [[2, 4, 6], [3, 6, 9]])
    x = cy.encrypt([1, 2, 3], keys.public, bound=3)
    assert cy.to_bytes(w - x) == cy.to_bytes(w.values - x)
    with pytest.raises(cy.errors.UnsupportedError, match="sum_of_products takes two"):
        x.sum_of_products([1, 2, 3])  # type: ignore[arg-type]


def test_what_takes_integers_says_so_of_what_was_prepared() -> None:
    """At the line that asks, however deep within the library it is found out; once for each operand."""
    parameters = cy.Parameters.suggest(depth=4, value_bits=3, result_bits=14, scheme="bgv")
    keys = cy.keygen(parameters, device=HOME)
    values, w = np.array([3, 0, 2, 1]), cy.plain([1, 2, 2, 3], parameters)
    x = cy.encrypt(values, keys.public, bound=(0, 3))
    rows = cy.encrypt([values, values], keys.public, bound=(0, 3))
    taken: list[tuple[Callable[[], Any], Any]] = [
        (lambda: cy.einsum("ij,j->i", rows, w), [[10, 10]]),
        (lambda: cy.einsum("j,j->j", w, x), values * w.values),
        (lambda: np.dot(x, w), 10),
        (lambda: cy.equal(x, w), values == w.values),
        (lambda: cy.maximum(w, x), np.maximum(values, w.values)),
        (lambda: cy.polyval(w, x), np.polyval(w.values, values)),
        (lambda: cy.lookup(w, x), w.values[values]),
    ]
    for compute, expected in taken:
        with pytest.warns(cy.errors.PreparedWarning, match="takes the integers") as seen:
            result = compute()
        assert [warning.filename for warning in seen] == [__file__]
        assert np.array_equal(cy.decrypt(result, keys.secret), np.asarray(expected).reshape(result.shape))


def test_levels_and_pieces(rng: np.random.Generator) -> None:
    parameters, keys = party("bgv")
    weights = rng.integers(-9, 10, (40, 30))
    values = rng.integers(-3, 4, (40, 30))
    x = cy.encrypt(values, keys.public, bound=3)
    w = cy.plain(weights, parameters)
    for y in (x, (x * x), (x * x).switch_to_least_level(25)):
        assert cy.to_bytes(y * w) == cy.to_bytes(y * weights)
    assert np.array_equal(cy.decrypt((x * w)[3], keys.secret), (values * weights)[3])
    assert np.array_equal(cy.decrypt(x[3] * w, keys.secret), values[3] * weights)


def test_wide_values_and_other_uses(rng: np.random.Generator) -> None:
    parameters, keys = party("bfv")
    x = cy.encrypt([1, -2, 3], keys.public, bound=3)
    w = cy.plain([10**8, -(10**8), 7], parameters)
    assert np.array_equal(cy.decrypt(x * w, keys.secret), [10**8, 2 * 10**8, 21])
    with pytest.warns(cy.errors.PreparedWarning, match="Matrix") as seen:
        assert cy.decrypt(x @ cy.plain([1, 2, 3], parameters), keys.secret) == 6
        assert cy.decrypt(cy.plain([1, 2, 3], parameters) @ x, keys.secret) == 6
    assert [warning.filename for warning in seen] == [__file__, __file__]
    plan = cy.plan(lambda a: a * w, parameters, cy.Operand((3,), bound=3))
    assert plan.noise_headroom == (x * w).noise_headroom
    assert w.nbytes > 0 and w.shape == (3,)


@pytest.mark.parametrize("values", [[2, -1, 3], [2**70, 1, -1]])
def test_the_integers_stay_what_was_encoded(values: list[int]) -> None:
    """Whatever NumPy is asked for: its copies are copies, and what is none can't be written."""
    parameters, keys = party("bgv")
    given = np.array(values)
    w = cy.plain(given, parameters)
    given[0] = 100
    for copied in (np.array(w), np.array(w, dtype=object), np.array(w, copy=True), np.asarray(w, dtype=object).copy()):
        copied[0] = 100
    for shared in (w.values, np.asarray(w), cy.from_bytes(cy.to_bytes(w), allow_insecure=True).values):
        with pytest.raises(ValueError, match="read-only"):
            shared[0] = 100
    assert w.values.tolist() == values
    assert np.asarray(w, dtype=float).dtype == float
    if np.lib.NumpyVersion(np.__version__) >= "2.0.0":
        with pytest.raises(ValueError, match="without a copy"):
            np.asarray(w, dtype=float, copy=False)
    small = cy.plain([2, -1, 3], parameters)
    x = cy.encrypt([1, 2, 3], keys.public, bound=3)
    np.array(small)[0] = 5
    assert cy.to_bytes(x * small) == cy.to_bytes(x * small.values)


def test_encoding_can_be_watched_by_who_uses_it() -> None:
    """A callback that multiplies by the array that is being encoded does not wait for itself."""
    parameters, _ = party("bfv")
    keys = cy.keygen(parameters, rotations=[], device="cpu:3")
    x = cy.encrypt([1, 2, 3], keys.public, bound=3)
    w = cy.plain([2, -1, 3], parameters)  # for another engine
    products: list[Any] = []

    def watch(done: int, total: int, what: str) -> None:
        if what == "encoding" and not products:
            products.append(None)
            products.append((x * w, w.nbytes))

    def work() -> None:
        with cy.progress(watch):
            products.append((x * w, w.nbytes))

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(60)
    assert len(products) == 3, "it waits"
    for product, size in products[1:]:
        assert size == products[1][1] > 0
        assert np.array_equal(cy.decrypt(product, keys.secret), [2, -2, 9])


def test_refusals() -> None:
    parameters, keys = party("bfv")
    other, _ = party("bgv")
    x = cy.encrypt([1, 2], keys.public, bound=3)
    with pytest.raises(cy.errors.MismatchError):
        x * cy.plain([1, 2], other)
    with pytest.raises(cy.errors.RangeError):
        x * cy.plain([10**9, 2], parameters)
    with pytest.raises(cy.errors.ArgumentError):
        x * cy.plain([1, 2, 3], parameters)
    for bad in ([0.5], ["a"]):
        with pytest.raises(cy.errors.UnsupportedError):
            cy.plain(bad, parameters)
    with pytest.raises(cy.errors.ArgumentError):
        cy.plain([], parameters)
    coefficients = cy.Parameters.from_modulus_bits(
        degree=1024, modulus_bits=60, plain_moduli=[64], security=0, allow_insecure=True
    )
    with pytest.raises(cy.errors.UnsupportedError, match="slots"):
        cy.plain([1, 2], coefficients)
