# SPDX-License-Identifier: Apache-2.0
"""Small keys for tests of the Python package: insecure, so that a product takes a millisecond."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cache
from typing import Any

import cyclotome as cy
import numpy as np
from numpy.typing import NDArray

DEGREE = 16
#: Where tests compute that ask for no device of their own: on one thread, or what CYCLOTOME_TEST_DEVICE names.
HOME = os.environ.get("CYCLOTOME_TEST_DEVICE", "cpu:1")
#: Primes = 1 mod 32, small enough that results reach their product in a few operations.
NARROW = (40961, 65537)


def insecure(
    plain_moduli: Sequence[int],
    degree: int = DEGREE,
    bits: Sequence[int] = (50, 50, 50, 50),
    special: Sequence[int] = (51,),
    **options: Any,
) -> cy.Parameters:
    """Parameters of a ring that hides nothing: ciphertext primes and special ones of these bits, and what else
    `cyclotome.Parameters` takes."""
    primes = cy.bfv.find_primes(degree, [*bits, *special], avoid=plain_moduli)
    moduli, specials = primes[: len(bits)], primes[len(bits) :]
    options |= {"moduli": moduli, "special_moduli": specials, "security": 0, "allow_insecure": True}
    return cy.Parameters(degree=degree, plain_moduli=plain_moduli, **options)


@cache
def parameters(
    plain_moduli: tuple[int, ...] = NARROW,
    degree: int = DEGREE,
    bits: tuple[int, ...] = (50, 50, 50, 50),
    value_bits: int | None = None,
    scheme: str = "bfv",
) -> cy.Parameters:
    return insecure(plain_moduli, degree, bits, value_bits=value_bits, scheme=scheme)


@cache
def keys(
    plain_moduli: tuple[int, ...] = NARROW, degree: int = DEGREE, value_bits: int | None = None, scheme: str = "bfv"
) -> cy.Keys:
    """Keys of `parameters`, with those of sums, at `HOME`."""
    return cy.keygen(parameters(plain_moduli, degree, value_bits=value_bits, scheme=scheme), device=HOME)


def encrypted(values: object, bound: int, **options: Any) -> cy.EncryptedArray:
    return cy.encrypt(values, keys().public, bound=bound, **options)


def decrypted(x: cy.EncryptedArray) -> Any:
    return cy.decrypt(x, keys().secret)


def same(x: cy.EncryptedArray, expected: object) -> None:
    """``x`` has the shape of ``expected`` and decrypts to it, within its stated bound."""
    wanted: NDArray[Any] = np.asarray(expected)
    assert x.shape == wanted.shape
    np.testing.assert_array_equal(decrypted(x), wanted)
    assert x.bound is not None
    assert all(abs(int(value)) <= x.bound for value in wanted.flat)
