# SPDX-License-Identifier: Apache-2.0
"""What encrypted integers can't do is refused with a typed error that says what to do in its place."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import cyclotome as cy
import numpy as np
import pytest
from cyclotome.errors import (
    ArgumentError,
    CyclotomeError,
    MismatchError,
    MissingKeyError,
    NoiseError,
    TransparentError,
    UnsupportedError,
)
from small import DEGREE, HOME, decrypted, encrypted, keys, parameters, same

X = encrypted([[1, 2, 3], [4, 5, 6]], 10)


@pytest.mark.parametrize(
    ("operation", "advice"),
    [
        (lambda: X / 2, "decrypt and divide"),
        (lambda: 2 / X, "decrypt and divide"),
        (lambda: X // X, "divisors are whole numbers, and public"),
        (lambda: X % 2.5, "divisors are whole numbers, and public"),
        (lambda: divmod(7, X), "decrypt and divide"),
        (lambda: X == X, "x is y"),
        (lambda: X != 0, "cyclotome.equal, less and maximum"),
        (lambda: X < 3, "cyclotome.equal, less and maximum"),
        (lambda: np.arange(3) >= X, "cyclotome.equal, less and maximum"),
        (lambda: 3 in X, "cyclotome.equal, less and maximum"),
        (lambda: bool(X), "decrypt first"),
        (lambda: not X, "decrypt first"),
        (lambda: int(X[0].sum()), "cyclotome.decrypt"),
        (lambda: float(X), "cyclotome.decrypt"),
        (lambda: np.asarray(X), "cyclotome.decrypt"),
        (lambda: [1, 2, 3][X], "cyclotome.decrypt"),  # type: ignore[call-overload]
        (lambda: X.mean(), "divide by the count after decryption"),
        (lambda: np.median(X), "does not know encrypted arrays"),
        (lambda: np.sort(X), "lies within ciphertexts"),
        (lambda: 2**X, "exponents"),
        (lambda: X**0.5, "whole numbers, and public"),
        (lambda: X**X, "whole numbers, and public"),
    ],
)
def test_operations_that_integers_under_encryption_do_not_have(operation: Callable[[], Any], advice: str) -> None:
    with pytest.raises(UnsupportedError, match=advice):
        operation()


def test_exponents_out_of_range() -> None:
    with pytest.raises(ArgumentError, match="from 0 on"):
        X**-1
    with pytest.raises(ArgumentError, match="far out of range"):
        X ** (1 << 63)
    for exponent in (65, (1 << 63) - 1):  # no cap, but values that don't fit
        with pytest.raises(cy.errors.RangeError, match="bits; these parameters hold up to"):
            X**exponent


@pytest.mark.parametrize(
    "values",
    [1.5, 2.0, np.float32(1), [1, 2.5], np.array([np.nan]), [float("inf")], [Fraction(1, 2)], [Decimal(1), 2]],
    ids=repr,
)
def test_floats_are_refused_with_advice_on_scaling(values: Any) -> None:
    for operation in (lambda: cy.encrypt(values, keys().public), lambda: X + values, lambda: values * X):
        with pytest.raises(UnsupportedError, match="FixedPoint"):
            operation()


@pytest.mark.parametrize("values", [1j, "12", b"1", [None], {1: 2}, np.datetime64("2020-01-01"), [1, "2"]], ids=repr)
def test_other_types_are_refused(values: Any) -> None:
    for operation in (lambda: cy.encrypt(values, keys().public), lambda: X + values, lambda: X @ values):
        with pytest.raises(UnsupportedError):
            operation()


def test_masked_and_ragged_and_empty_input() -> None:
    with pytest.raises(UnsupportedError, match="filled"):
        cy.encrypt(np.ma.masked_array([1, 2], [0, 1]), keys().public)
    with pytest.raises(ArgumentError, match="form no array"):
        cy.encrypt([[1, 2], [3]], keys().public)
    with pytest.raises(ArgumentError, match="no values"):
        cy.encrypt(np.zeros((0, 3), dtype=int), keys().public)
    for operation in (lambda: X + np.zeros((0, 2, 3), int), lambda: X * np.zeros((2, 0), int), lambda: X[:0]):
        with pytest.raises(ArgumentError):
            operation()
    with pytest.raises(UnsupportedError, match="encrypted already"):
        cy.encrypt(X, keys().public)


@pytest.mark.parametrize(
    "operation",
    [
        lambda: X + np.arange(4),
        lambda: X * encrypted([1, 2], 5),
        lambda: X @ np.arange(4),
        lambda: np.arange(3) @ X,
        lambda: X @ np.ones((3, 2, 2), dtype=int),
        lambda: X @ 3,
        lambda: X.sum(axis=2),
        lambda: X.sum(axis=(0, 0)),
        lambda: X.sum(axis=1.0),
        lambda: encrypted(3, 3) @ X,
    ],
)
def test_shapes_and_axes_that_do_not_fit(operation: Callable[[], Any]) -> None:
    with pytest.raises(ArgumentError):
        operation()


def test_products_of_packed_matrices_have_two_ways() -> None:
    y = encrypted(np.ones((3, 2), dtype=int), 1)
    same(X @ y, np.array([[6, 6], [15, 15]]))
    transposed = encrypted(np.ones((2, 3), dtype=int), 1)
    same((X[:, None, :] * transposed[None]).sum(axis=-1), np.array([[6, 6], [15, 15]]))


class TestTransparentResults:
    """Results that would hide nothing are encrypted anew, or refused without a public key."""

    operations = pytest.mark.parametrize(
        ("operation", "expected"),
        [
            (lambda x: x - x, np.zeros(3, int)),
            (lambda x: x * 0, np.zeros(3, int)),
            (lambda x: x * np.zeros(3, int) + 1, np.ones(3, int)),
            (lambda x: np.zeros((2, 3), int) @ x, np.zeros(2, int)),
            (lambda x: x**0, np.ones(3, int)),
            (lambda x: x * 40961, 40961 * np.array([7, 8, 9])),  # zero modulo one of the plaintext moduli only
        ],
    )

    @operations
    def test_are_hidden_again(self, operation: Callable[[cy.EncryptedArray], cy.EncryptedArray], expected: Any) -> None:
        result = operation(encrypted([7, 8, 9], 10))
        assert not any(cy._core.is_transparent(channel) for channel in result.native.channels)
        same(result, expected)

    @operations
    def test_are_refused_without_a_public_key(
        self, operation: Callable[[cy.EncryptedArray], cy.EncryptedArray], expected: Any
    ) -> None:
        x = cy.encrypt([7, 8, 9], keys().secret, bound=10).with_keys(keys().evaluation)
        with pytest.raises(TransparentError, match=r"with_keys\(public\)"):
            operation(x)
        same(operation(x.with_keys(keys().public)), expected)


class TestCoefficients:
    """Plaintext moduli without slots: sums and scalar products only."""

    made = keys((1024,))

    def x(self, values: object, **options: Any) -> cy.EncryptedArray:
        return cy.encrypt(values, self.made.public, bound=20, **options)

    def test_what_works(self) -> None:
        a = np.arange(2 * (DEGREE + 3)).reshape(2, -1) % 19
        x, s = self.x(a), self.x(3)
        assert (x.encoding, s.layout) == ("coefficients", "replicated")
        checks = [
            (x + x, 2 * a),
            (x - a, 0 * a),
            (5 * x, 5 * a),
            (x * s, 3 * a),
            (x * np.array([[2], [3]]), a * [[2], [3]]),
            (x.sum(axis=0), a.sum(axis=0)),
            (np.array([[1, -2]]) @ x, np.array([[1, -2]]) @ a),
            (s * s, 9),
            (self.x(a[:, :2], layout="replicated") ** 2, a[:, :2] ** 2),
        ]
        for result, expected in checks:
            np.testing.assert_array_equal(cy.decrypt(result, self.made.secret), expected)

    @pytest.mark.parametrize(
        "operation",
        [
            lambda x, s: x * x,
            lambda x, s: x * np.arange(4),
            lambda x, s: x + s,
            lambda x, s: x.sum(),
            lambda x, s: x @ np.arange(4),
        ],
    )
    def test_what_takes_slots_is_refused(self, operation: Callable[..., Any]) -> None:
        with pytest.raises(UnsupportedError, match=r"lies in coefficients.*layout='replicated'"):
            operation(self.x([1, 2, 3, 4]), self.x(3))

    def test_slots_can_not_be_forced(self) -> None:
        with pytest.raises(ArgumentError, match="congruent to 1 modulo 32"):
            self.x([1], encoding="slots")
        with pytest.raises(ArgumentError, match="encoding 'bits'"):
            self.x([1], encoding="bits")
        with pytest.raises(ArgumentError, match="layout 'dense'"):
            self.x([1], layout="dense")

    def test_coefficients_on_parameters_with_slots(self) -> None:
        x = encrypted([1, 2, 3], 5, encoding="coefficients")
        same(x + x, [2, 4, 6])
        with pytest.raises(ArgumentError, match="in slots and the other in coefficients"):
            x + encrypted([1, 2, 3], 5)


def test_exhausted_depth_is_a_noise_error_with_advice() -> None:
    params = parameters((65537,), bits=(40, 40))
    secret, public, _ = cy.keygen(params, device=HOME)
    x = cy.encrypt([1, 0, 1], public, bound=1)
    headrooms = [x.noise_headroom]
    with cy.allow_undecryptable():
        while headrooms[-1] >= 0:
            last, x = x, x * x
            headrooms.append(x.noise_headroom)
    assert headrooms == sorted(headrooms, reverse=True)
    assert 1 <= len(headrooms) <= 6
    assert "undecryptable" in repr(x)
    with pytest.raises(NoiseError, match="more depth"):
        cy.decrypt(x, secret)
    for refused in (
        lambda: last * last,
        lambda: last**2,
        lambda: cy.to_bytes(x),
        lambda: pickle.dumps(x),
        lambda: -x + 1,
    ):
        with pytest.raises(NoiseError, match="allow_undecryptable"):
            refused()
    with cy.allow_undecryptable():
        assert cy.from_bytes(cy.to_bytes(x), True).noise_headroom < 0


def test_missing_keys_are_named() -> None:
    made = cy.keygen(parameters(), rotations=[], relinearization=False, device=HOME)
    x = cy.encrypt([1, 2], made.public, bound=5)
    for operation in (lambda: x * x, lambda: x.sum(), lambda: x[None] * np.ones((2, 2), int) @ x):
        with pytest.raises(MissingKeyError):
            operation()
    assert cy.decrypt(x * 3 + 1, made.secret).tolist() == [4, 7]


def test_objects_that_do_not_belong_together() -> None:
    mine, other = keys(), cy.keygen(parameters(), device=HOME)
    x, y = cy.encrypt([1], mine.public, bound=5), cy.encrypt([1], other.public, bound=5)
    elsewhere = cy.encrypt([1], keys((65537,)).public, bound=5)
    operations: list[Callable[[], Any]] = [
        lambda: x + y,
        lambda: x * y,
        lambda: x + elsewhere,
        lambda: x @ elsewhere,
        lambda: cy.stack([x, y]),
        lambda: cy.decrypt(x, other.secret),
        lambda: cy.decrypt(elsewhere, mine.secret),
        lambda: cy.noise_budget(x, other.secret),
        lambda: x.with_keys(other.evaluation),
        lambda: x.with_keys(keys((65537,)).public),
        lambda: mine.evaluation.joined(other.evaluation),
    ]
    for operation in operations:
        with pytest.raises(MismatchError):
            operation()
    with pytest.raises(MismatchError, match=f"key {x.key_id[:8]}, this is key {other.secret.key_id[:8]}"):
        cy.decrypt(x, other.secret)


def test_keys_in_the_wrong_place() -> None:
    secret, public, evaluation = keys()
    wrong: list[Callable[[], Any]] = [
        lambda: cy.encrypt([1], evaluation),  # type: ignore[arg-type]
        lambda: cy.decrypt(X, public),  # type: ignore[arg-type]
        lambda: cy.decrypt(np.array([1]), secret),  # type: ignore[arg-type]
        lambda: X.with_keys(secret),
        lambda: cy.keygen("128 bits"),  # type: ignore[arg-type]
    ]
    for operation in wrong:
        with pytest.raises(UnsupportedError):
            operation()


def test_every_error_is_a_cyclotome_error_and_a_builtin_one() -> None:
    classes = [getattr(cy.errors, name) for name in cy.errors.__all__]
    for error in classes:
        if issubclass(error, Warning) or error is CyclotomeError:
            continue
        assert issubclass(error, CyclotomeError)
        assert error.__doc__
    assert issubclass(cy.errors.RangeError, OverflowError)
    assert issubclass(cy.errors.UnsupportedError, TypeError)
    assert issubclass(cy.errors.FileError, OSError)
    assert decrypted(X).tolist() == [[1, 2, 3], [4, 5, 6]]
