# SPDX-License-Identifier: Apache-2.0
"""Encrypted bits over Phi_m on a GPU: the same bytes as on the CPU, and keys and encryptions that are made there."""

from __future__ import annotations

import functools

import cyclotome as cy
import numpy as np
import pytest
from cyclotome.devices import contexts
from devices import DEVICE, needs_device

pytestmark = needs_device
# By axes alone, and by matrices of each number of rows.
RINGS = pytest.mark.parametrize("m", [105, 4369, 13107, 21845, 65535])


@functools.cache
def parameters_of(m: int, word: int) -> cy.Parameters:
    primes = cy.bgv.find_primes(None, [28] * 7, cyclotomic=m)
    return cy.Parameters(
        cyclotomic=m, plain_moduli=[2], moduli=primes[:5], special_moduli=primes[5:], word=word, scheme="bgv",
        security=0, allow_insecure=True,
    )  # fmt: skip


@RINGS
@pytest.mark.parametrize("word", [32, 64])
def test_every_operation_on_bits_gives_the_same_bytes(rng: np.random.Generator, m: int, word: int) -> None:
    parameters = parameters_of(m, word)
    keys = cy.keygen(parameters, device="cpu:1")
    a, b = (rng.integers(0, 2, (2, parameters.slots)).astype(bool) for _ in range(2))
    b[:, 0] = True  # a product with zeros alone would be rerandomised
    x, y = (cy.encrypt(values, keys.public) for values in (a, b))
    there_x, there_y = x.to(DEVICE), y.to(DEVICE)
    here = [x ^ y, x & y, x | y, ~x, x & b, x.roll(1), (x & y).roll(1, 0)]
    there = [there_x ^ there_y, there_x & there_y, there_x | there_y, ~there_x, there_x & b, there_x.roll(1),
             (there_x & there_y).roll(1, 0)]  # fmt: skip
    for on_the_cpu, on_the_device in zip(here, there, strict=True):
        assert on_the_device.device == contexts.device_name(DEVICE)
        assert cy.to_bytes(on_the_device) == cy.to_bytes(on_the_cpu)
    assert np.array_equal(cy.decrypt(there_x & there_y, keys.secret), a & b)


@RINGS
def test_bits_are_encrypted_and_decrypted_on_the_device(rng: np.random.Generator, m: int) -> None:
    """With keys and errors drawn there; and what comes is what the CPU decrypts."""
    parameters = parameters_of(m, 32)
    keys = cy.keygen(parameters, device=DEVICE)
    a, b = (rng.integers(0, 2, parameters.slots).astype(bool) for _ in range(2))
    x, y = cy.encrypt(a, keys.public), cy.encrypt(b, keys.secret).with_keys(keys.public)
    assert x.device == contexts.device_name(DEVICE)
    assert np.array_equal(cy.decrypt(x & y, keys.secret), a & b)
    assert np.array_equal(cy.decrypt(x ^ y, keys.secret.to("cpu:1")), a ^ b)
    assert cy.noise_budget(x, keys.secret) > 0
