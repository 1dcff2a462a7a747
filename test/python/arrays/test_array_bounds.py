# SPDX-License-Identifier: Apache-2.0
"""Values never wrap around silently: bounds are public, grow with every operation, and end in a RangeError."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import cyclotome as cy
import numpy as np
import pytest
from cyclotome.errors import ArgumentError, MismatchError, RangeError
from small import DEGREE, NARROW, keys, parameters, same

T = 65537
CAPACITY = (T - 1) // 2


def encrypted(values: object, bound: int | None = None, **options: Any) -> cy.EncryptedArray:
    return cy.encrypt(values, keys((T,)).public, bound=bound, **options)


def decrypted(x: cy.EncryptedArray) -> Any:
    return cy.decrypt(x, keys((T,)).secret)


def test_capacity_is_half_the_product_of_the_plaintext_moduli() -> None:
    assert parameters((T,)).capacity == CAPACITY
    assert parameters().capacity == (NARROW[0] * NARROW[1] - 1) // 2
    top = parameters().capacity
    ends = np.array([top, -top, 0])
    same(cy.encrypt(ends, keys().public), ends)


def test_the_default_bound_is_that_of_value_bits_or_else_the_capacity() -> None:
    assert encrypted([1]).bound == CAPACITY
    public = keys((T,), value_bits=10).public
    assert cy.encrypt([1], public).bound == 1023
    assert cy.encrypt([1], public, bound=7).bound == 7
    assert cy.encrypt([5000], public, bound=5000).bound == 5000
    with pytest.raises(RangeError, match=r"value 1024 at index \(1,\) is beyond the bound 1023"):
        cy.encrypt([0, 1024], public)


@pytest.mark.parametrize("value", [101, -101, 2**40, -(2**63), 2**63, 10**30])
def test_values_beyond_the_bound_are_refused(value: int) -> None:
    with pytest.raises(RangeError, match=r"at index \(1, 0\) is beyond the bound 100.*suggest\(value_bits="):
        encrypted([[1], [value]], 100)


@pytest.mark.parametrize("bound", [-1, 1.5, "9", True])
def test_bounds_are_whole_numbers(bound: Any) -> None:
    with pytest.raises(ArgumentError, match="no whole number"):
        encrypted([1], bound)


def test_bounds_beyond_the_capacity_are_refused() -> None:
    with pytest.raises(RangeError, match="32769 is more than these parameters hold, 32768"):
        encrypted([1], CAPACITY + 1)


@pytest.mark.parametrize(
    ("operation", "expected"),
    [
        (lambda x, y: x + y, 30),
        (lambda x, y: x - y, 30),
        (lambda x, y: x * y, 200),
        (lambda x, y: x**3, 1000),
        (lambda x, y: -x, 10),
        (lambda x, y: x + np.array([3, -4, 5]), 15),
        (lambda x, y: 7 - x, 17),
        (lambda x, y: x * np.array([3, -4, 0]), 40),
        (lambda x, y: x * 0, 0),
        (lambda x, y: x.sum(), 30),
        (lambda x, y: x @ y, 600),
        (lambda x, y: x @ np.array([1, -2, 3]), 60),
        (lambda x, y: np.array([[1, 1, 1], [1, -2, 3]]) @ x, 60),
        (lambda x, y: cy.stack([x, y]).sum(axis=0), 40),
        (lambda x, y: (x + 1).padded(), 11),
        (lambda x, y: x.reshape(1, 3)[0], 10),
    ],
)
def test_every_operation_has_the_bound_of_its_worst_case(
    operation: Callable[[cy.EncryptedArray, cy.EncryptedArray], cy.EncryptedArray], expected: int
) -> None:
    assert operation(encrypted([1, 2, 3], 10), encrypted([4, 5, 6], 20)).bound == expected


def test_the_bound_depends_on_no_encrypted_value() -> None:
    assert (encrypted([0, 0], 50) * encrypted([0, 0], 50)).bound == (encrypted([50, 50], 50) ** 2).bound == 2500


@pytest.mark.parametrize(
    ("operation", "reach"),
    [
        (lambda x: x * x, 200 * 200),
        (lambda x: x * 164, 200 * 164),
        (lambda x: x + 32600, 32800),
        (lambda x: 32600 - x, 32800),
        (lambda x: x**2, 200 * 200),
        (lambda x: x @ x, 3 * 200 * 200),
        (lambda x: x @ np.array([100, 60, 4]), 164 * 200),
        (lambda x: np.array([100, 60, 4]) @ x, 164 * 200),
        (lambda x: cy.concatenate([x.reshape(1, 3)] * 55).sum(), 200 * 165),
        (lambda x: cy.stack([x] * 164).sum(axis=0), 200 * 164),
    ],
)
def test_what_could_wrap_around_is_refused_even_if_these_values_would_not(
    operation: Callable[[cy.EncryptedArray], cy.EncryptedArray], reach: int
) -> None:
    x = encrypted([1, 0, 1], 200)
    with pytest.raises(RangeError, match=rf"{reach} .*hold at most 32768.*result_bits={reach.bit_length()}"):
        operation(x)


def test_a_tighter_bound_lets_the_same_computation_pass() -> None:
    x = encrypted([1, 2, 3], 3)
    assert decrypted((x * x * x * x * x) @ np.array([1, 10, 100])) == 1 + 320 + 24300


def test_altered_ciphertexts_end_in_an_error_not_in_values_beyond_the_bound() -> None:
    """A bound that is not true (here: someone else's description of the ciphertexts) is noticed at decryption."""
    honest = encrypted([30000, 1], CAPACITY)
    native = cy._core.EncryptedArray(honest.native.channels, [2], honest.native.placement, True, 100)
    false = honest.derived(native)
    with pytest.raises(RangeError, match="beyond the array's stated bound 100"):
        decrypted(false)


class TestWrap:
    """wrap=True: arithmetic modulo T by intent."""

    def test_results_are_residues(self) -> None:
        values = np.array([0, 1, T - 1, T, -1, 5 * T + 2])
        x = encrypted(values, wrap=True)
        assert x.bound is None and x.wrap
        np.testing.assert_array_equal(decrypted(x), values % T)
        np.testing.assert_array_equal(decrypted(x * x - 3 * x + 70000), (values * values - 3 * values + 70000) % T)
        assert decrypted(x.sum()) == values.sum() % T
        assert decrypted(x @ np.arange(6)) == (values % T) @ np.arange(6) % T

    def test_over_several_moduli(self) -> None:
        total = NARROW[0] * NARROW[1]
        values = np.array([total - 1, -total, 2**62, 10**25], dtype=object)
        x = cy.encrypt(values, keys().public, wrap=True)
        np.testing.assert_array_equal(cy.decrypt(x**3, keys().secret), values**3 % total)

    def test_does_not_mix_with_bounded_arrays(self) -> None:
        x, y = encrypted([1], wrap=True), encrypted([1], 5)
        for operation in (lambda: x + y, lambda: y * x, lambda: x @ y, lambda: cy.stack([x, y])):
            with pytest.raises(MismatchError, match="wrap=True"):
                operation()
        with pytest.raises(ArgumentError, match="exclude each other"):
            encrypted([1], 5, wrap=True)

    def test_boolean_circuits_modulo_two(self) -> None:
        made = keys((2,))
        rng = np.random.default_rng(0)
        a, b = rng.integers(0, 2, (2, DEGREE), dtype=np.int64)
        x, y = (cy.encrypt(bits, made.public, wrap=True) for bits in (a, b))
        np.testing.assert_array_equal(cy.decrypt(x + y, made.secret), a ^ b)
        np.testing.assert_array_equal(cy.decrypt(1 + encrypted_bits(a), made.secret), 1 - a)
        np.testing.assert_array_equal(cy.decrypt(encrypted_bits(a) * encrypted_bits(b), made.secret), a & b)


def encrypted_bits(bits: object) -> cy.EncryptedArray:
    return cy.encrypt(bits, keys((2,)).public, wrap=True, layout="replicated")
