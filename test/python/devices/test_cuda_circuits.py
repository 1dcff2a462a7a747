# SPDX-License-Identifier: Apache-2.0
"""Circuits on a GPU: the same bytes as on the CPU, bounds on noise included."""

from __future__ import annotations

import cyclotome as cy
import numpy as np
import pytest
from cyclotome.circuit import Circuit
from devices import DEVICE, needs_device

pytestmark = needs_device


def bytes_of(numbers: cy.circuit.EncryptedNumbers) -> bytes:
    return cy.to_bytes(numbers.digits.to("cpu"))


@pytest.mark.parametrize("word", [32, 64])
def test_sorted_lists_have_the_same_bytes(word: int, rng: np.random.Generator) -> None:
    keys = cy.keygen(Circuit.sort(count=5, bits=8, carried=3).parameters(word=word), rotations=[])
    values = rng.integers(0, 4, size=5)
    x = cy.circuit.encrypt_lists(values, keys.public, bits=8)
    places = cy.circuit.encrypt_lists(np.arange(5), keys.public, bits=3)
    here = cy.circuit.sort(x, carry=places)
    there = cy.circuit.sort(x.to(DEVICE), carry=places.to(DEVICE))
    assert isinstance(here, tuple) and isinstance(there, tuple)
    assert [bytes_of(each) for each in there] == [bytes_of(each) for each in here]
    order = np.argsort(values, kind="stable")
    assert np.array_equal(cy.circuit.decrypt(there[1], keys.secret.to(DEVICE)), order)


def test_slots_sort_lists_of_their_own(rng: np.random.Generator) -> None:
    circuit = Circuit.sort(count=3, bits=4, modulus=65537)
    keys = cy.keygen(circuit.parameters(scheme="bfv", word=64), rotations=[])
    values = rng.integers(0, 16, size=(100, 3))
    x = cy.circuit.encrypt_lists(values, keys.public, bits=4)
    there = cy.circuit.sort(x.to(DEVICE))
    assert isinstance(there, cy.circuit.EncryptedNumbers)
    assert bytes_of(there) == bytes_of(cy.circuit.sort(x))
    assert np.array_equal(cy.circuit.decrypt(there, keys.secret.to(DEVICE)), np.sort(values, axis=-1))


def test_prince_on_a_gpu() -> None:
    keys = cy.keygen(Circuit.prince(decrypt=True).parameters(security=0), rotations=[], device=DEVICE)
    key = cy.circuit.prince_key(0, 0xFEDCBA9876543210, keys.public)
    found = cy.circuit.prince([0xAE25AD3CA8FA9CCF], key, decrypt=True)
    assert cy.circuit.decrypt(found, keys.secret).tolist() == [0x0123456789ABCDEF]
