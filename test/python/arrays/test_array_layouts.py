# SPDX-License-Identifier: Apache-2.0
"""Every pair of layouts under every operation: the right integers, or a refusal with a type. Never anything else."""

from __future__ import annotations

import contextlib
import itertools
import operator
from collections import Counter
from collections.abc import Callable
from typing import Any

import cyclotome as cy
import numpy as np
import pytest
from cyclotome.errors import ArgumentError, MismatchError, UnsupportedError
from small import DEGREE, NARROW, keys

BOUND = 9
SCHEMES = pytest.mark.parametrize("scheme", ["bfv", "bgv"])
#: Layout and encoding as `encrypt` takes them.
PLACES = [("packed", "slots"), ("packed", "coefficients"), ("replicated", "slots")]
#: A single value, some, a full ciphertext and several chunks; rows of them; columns.
SHAPES = [(), (1,), (4,), (DEGREE,), (DEGREE + 3,), (2, 1), (1, 1), (2, 4), (2, DEGREE), (2, DEGREE + 3), (1, 4)]
#: What an operation on layouts that don't fit may raise.
REFUSALS = (ArgumentError, UnsupportedError, MismatchError)

Pair = tuple[cy.EncryptedArray, Any]


def numbers(rng: np.random.Generator, shape: tuple[int, ...]) -> Any:
    return np.asarray(rng.integers(-BOUND, BOUND, shape, endpoint=True)).astype(object)


def arrays(rng: np.random.Generator, scheme: str, wrap: bool) -> list[Pair]:
    """One of each place and shape; and those whose padding is not zero, which a sum with a constant leaves."""
    public = keys(scheme=scheme).public
    made = []
    for shape, (layout, encoding) in itertools.product(SHAPES, PLACES):
        values = numbers(rng, shape)
        bounds = {"wrap": True} if wrap else {"bound": BOUND}
        x = cy.encrypt(values, public, layout=layout, encoding=encoding, **bounds)
        made.append((x, values))
        if layout == "packed" and encoding == "slots" and shape and shape[-1] % DEGREE:
            one = cy.encrypt(1, public, **bounds)
            made.append((x + one, values + 1))
    return made


def check(
    counts: Counter[str],
    secret: cy.SecretKey,
    operation: Callable[..., Any],
    encrypted: tuple[Any, ...],
    clear: tuple[Any, ...],
) -> None:
    """The operation on both sides: equal integers, or a refusal; where NumPy refuses, so does the array."""
    expected = None
    with contextlib.suppress(ValueError):
        expected = np.asarray(operation(*clear), dtype=object)
    try:
        result = operation(*encrypted)
    except REFUSALS as error:
        counts[type(error).__name__] += 1
        return
    assert expected is not None, f"{operation} took what NumPy refuses"
    if result.wrap:
        expected = np.asarray(expected % result.parameters.plain_product, dtype=object)
    found = np.asarray(cy.decrypt(result, secret), dtype=object)
    assert result.shape == expected.shape
    described = [repr(entry) for entry in encrypted]
    assert (found == expected).all(), f"{operation} of {described}: {found.tolist()} is not {expected.tolist()}"
    if not result.wrap:
        assert all(abs(value) <= result.bound for value in expected.flat)
        rows = np.abs(expected).sum(axis=-1) if expected.ndim else np.abs(expected)
        assert int(np.max(rows)) <= result.l1_bound
    counts["exact"] += 1


def joined(function: Callable[..., Any], other: Callable[..., Any]) -> Callable[[Any, Any], Any]:
    """Of two encrypted arrays by one function, of two in the clear by the other."""
    return lambda x, y: (function if isinstance(x, cy.EncryptedArray) else other)([x, y])


PAIRWISE = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "matmul": operator.matmul,
    "stack": joined(cy.stack, np.stack),
    "concatenate": joined(cy.concatenate, np.concatenate),
}


@SCHEMES
@pytest.mark.parametrize("wrap", [False, True], ids=["bounded", "wrapping"])
@pytest.mark.parametrize("name", PAIRWISE)
def test_every_pair(rng: np.random.Generator, scheme: str, wrap: bool, name: str) -> None:
    if scheme == "bgv" and wrap:
        pytest.skip("as bounded")
    counts: Counter[str] = Counter()
    every = arrays(rng, scheme, wrap)
    for (x, a), (y, b) in itertools.product(every, every):
        check(counts, keys(scheme=scheme).secret, PAIRWISE[name], (x, y), (a, b))
    print(name, scheme, dict(counts))
    assert counts["exact"] > 40 and sum(counts.values()) == len(every) ** 2


@SCHEMES
def test_every_array_with_public_integers(rng: np.random.Generator, scheme: str) -> None:
    counts: Counter[str] = Counter()
    secret = keys(scheme=scheme).secret
    operands = [numbers(rng, shape) for shape in SHAPES] + [np.full((2, 4), 3, dtype=object), np.zeros(4, dtype=object)]
    functions: list[Callable[[Any, Any], Any]] = [operator.add, operator.sub, operator.mul, operator.matmul]
    for (x, a), w, function in itertools.product(arrays(rng, scheme, False), operands, functions):
        check(counts, secret, function, (x, w), (a, w))
        check(counts, secret, function, (w, x), (w, a))
    print(scheme, dict(counts))
    assert counts["exact"] > 1000


@SCHEMES
def test_every_array_by_itself(rng: np.random.Generator, scheme: str) -> None:
    counts: Counter[str] = Counter()
    secret = keys(scheme=scheme).secret
    functions: list[Callable[[Any], Any]] = [
        operator.neg,
        lambda x: x**2,
        lambda x: x * x,
        lambda x: x.sum(),
        lambda x: x.sum(axis=-1),
        lambda x: x.sum(axis=0),
        lambda x: x.sum(axis=0, keepdims=True),
        lambda x: x.sum(axis=-1, keepdims=True),
        lambda x: (x + 1).sum(),
        lambda x: x.reshape(-1, x.shape[-1]) if x.ndim else x.reshape(1),
        lambda x: x[:1],
        lambda x: x[-1],
    ]
    for (x, a), function in itertools.product(arrays(rng, scheme, False), functions):
        if a.ndim == 0 and function not in functions[:5]:
            continue  # NumPy's scalars lack most of these
        check(counts, secret, function, (x,), (a,))
    for x, a in arrays(rng, scheme, False):
        for moved in (lambda v: v.padded().sum(), lambda v: v.packed().sum()):
            check(
                counts, secret, lambda v, f=moved: f(v) if isinstance(v, cy.EncryptedArray) else np.sum(v), (x,), (a,)
            )
    print(scheme, dict(counts))
    assert counts["exact"] > 250


@SCHEMES
def test_coefficients_and_a_column_in_slots(scheme: str) -> None:
    """A column that is spread over all slots is a constant, which reaches the first coefficient only."""
    made = keys(scheme=scheme)
    x = cy.encrypt(np.zeros((2, 4), int), made.public, bound=9, encoding="coefficients")
    column = cy.encrypt([[5], [7]], made.public, bound=9)
    for operation in (lambda: x + column, lambda: x - column, lambda: column - x, lambda: column + x):
        with pytest.raises(UnsupportedError, match="lies in coefficients"):
            operation()
    replicated = cy.encrypt([[5], [7]], made.public, bound=9, layout="replicated")
    with pytest.raises(UnsupportedError, match="lies in coefficients"):
        x + replicated
    for constant in (replicated, column):
        np.testing.assert_array_equal(cy.decrypt((x + 1) * constant, made.secret), np.full((2, 4), [[5], [7]]))


def test_values_wrap_around_only_by_intent(rng: np.random.Generator) -> None:
    """Of a bounded and a wrapping operand, no operation gives anything."""
    x, y = (cy.encrypt(numbers(rng, (2, 4)), keys().public, **how) for how in ({"bound": BOUND}, {"wrap": True}))
    for operation in PAIRWISE.values():
        with pytest.raises((MismatchError, ArgumentError)):
            operation(x, y)
    assert NARROW[0] * NARROW[1] == x.parameters.plain_product
