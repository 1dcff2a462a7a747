# SPDX-License-Identifier: Apache-2.0
"""NumPy's functions and pandas' operators on encrypted arrays, beside the same ones on integers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import cyclotome as cy
import numpy as np
import pytest
from cyclotome.errors import ArgumentError, UnsupportedError
from small import insecure

pd = pytest.importorskip("pandas")

ROWS = np.array([[3, -1, 4, 1], [-5, 9, 2, -6], [5, 3, -5, 8]])
LIST = ROWS[0]


@pytest.fixture(scope="module")
def keys() -> cy.Keys:
    return cy.keygen(cy.Parameters.suggest(depth=2, value_bits=6, terms=16))


@pytest.fixture(scope="module")
def small() -> cy.Keys:
    """For comparisons: a plaintext modulus of few values, without security."""
    return cy.keygen(insecure([257], 64, [50] * 16, [50]))


SUMS: list[Callable[[Any], Any]] = [
    np.sum,
    lambda x: np.sum(x, axis=0),
    lambda x: np.sum(x, axis=(0, 1)),
    lambda x: np.sum(x, axis=1, keepdims=True),
    lambda x: np.sum(x, dtype=None, out=None),
    lambda x: np.polyval([2, -3, 5], x),
    lambda x: np.concatenate([x, x]),
    lambda x: np.stack([x, x], axis=0),
    lambda x: np.dot(x, 3),
    lambda x: np.dot(3, x),
    lambda x: np.dot(x, LIST),
    lambda x: np.dot([[1, 2, 3], [0, -1, 1]], x),
    lambda x: np.einsum("ij,j->i", x, LIST),
    lambda x: np.reshape(x, (2, 6)),
    lambda x: np.reshape(x, -1),
    np.transpose,
    np.shape,
    np.ndim,
    np.size,
]


@pytest.mark.parametrize("function", SUMS)
def test_functions_mean_what_numpys_do(function: Callable[[Any], Any], keys: cy.Keys) -> None:
    got = function(cy.encrypt(ROWS, keys.public))
    assert np.array_equal(cy.decrypt(got, keys.secret) if isinstance(got, cy.EncryptedArray) else got, function(ROWS))


def test_polynomials_multiply_by_convolve(keys: cy.Keys) -> None:
    x = cy.encrypt(LIST, keys.public, encoding="coefficients")
    for product in (np.convolve(x, [1, -2]), np.convolve([1, -2], x, mode="full")):
        assert np.array_equal(cy.decrypt(product, keys.secret), np.convolve(LIST, [1, -2]))


@pytest.mark.parametrize(
    ("function", "error", "message"),
    [
        (
            np.median,
            UnsupportedError,
            "numpy.median does not know encrypted arrays; .* these do: argm",
        ),
        (np.mean, UnsupportedError, "divide by the count after decryption"),
        (lambda x: np.sum(x, dtype=np.int32), ArgumentError, "numpy.sum of encrypted arrays: .*'dtype'"),
        (lambda x: np.sum(x, out=np.zeros(4)), ArgumentError, "numpy.sum of encrypted arrays: .*'out'"),
        (lambda x: np.sum(x, 0, None, None, True), ArgumentError, "numpy.sum of encrypted arrays: too many positional"),
        (np.argmax, UnsupportedError, "numpy.argmax of 2 axes as one list: name the axis"),
        (np.sort, UnsupportedError, "order of values along axis"),
        (lambda x: np.dot(x, np.ones((2, 4, 3), int)), UnsupportedError, "an operand with 3 axes"),
        (lambda x: np.convolve(x, [1], mode="same"), UnsupportedError, "mode 'same'"),
        (lambda x: np.concatenate([ROWS, x]), ArgumentError, "nothing else"),
        (np.asarray, UnsupportedError, "decrypt"),
    ],
)
def test_what_cannot_be_is_refused(
    function: Callable[[Any], Any], error: type[Exception], message: str, keys: cy.Keys
) -> None:
    with pytest.raises(error, match=message):
        function(cy.encrypt(ROWS, keys.public))


def test_order_follows_numpys_axes(small: cy.Keys) -> None:
    """``np.argmax`` of a list is over all of it, and ``np.sort`` takes the last axis: not the defaults here."""
    values = np.array([2, -3, 2, 1])
    x = cy.encrypt(values, small.public, layout="replicated", bound=3)
    assert cy.decrypt(np.argmax(x), small.secret) == np.argmax(values)
    assert cy.decrypt(np.argmin(x), small.secret) == np.argmin(values)
    y = cy.encrypt(values[:, None] * [1, -1], small.public, bound=3)
    assert np.array_equal(cy.decrypt(np.sort(y, axis=0), small.secret), np.sort(values[:, None] * [1, -1], axis=0))


@pytest.mark.parametrize("made", [pd.Series, lambda v: pd.DataFrame([v, v], columns=list("abcd"))])
def test_pandas_leaves_operators_to_encrypted_arrays(made: Callable[[Any], Any], keys: cy.Keys) -> None:
    x, public = cy.encrypt(LIST, keys.public), made(LIST)
    values = public.to_numpy()
    for got, want in (
        (public * x, values * LIST),
        (public + x, values + LIST),
        (public - x, values - LIST),
        (x - public, LIST - values),
    ):
        assert isinstance(got, cy.EncryptedArray)
        assert np.array_equal(cy.decrypt(got, keys.secret), want)


@pytest.mark.parametrize("name", ["max", "var", "tolist", "cumsum", "clip", "ravel", "nothing"])
def test_names_that_there_are_not_are_answered_with_advice(name: str, keys: cy.Keys) -> None:
    x = cy.encrypt(LIST, keys.public)
    assert not hasattr(x, name)
    with pytest.raises(AttributeError, match=f"'EncryptedArray' object has no attribute '{name}'; .{{10,}}"):
        getattr(x, name)
    with pytest.raises(AttributeError, match=r"no attribute '__array_interface__'$"):
        x.__array_interface__  # noqa: B018
