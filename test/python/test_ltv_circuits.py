# SPDX-License-Identifier: Apache-2.0
"""The library's circuits in LTV: layers of PRINCE, sorting with ties, and refusals. In rings too small for anything."""

from __future__ import annotations

import numpy as np
import pytest
from cyclotome import _core
from cyclotome.circuit import Circuit
from cyclotome.errors import ArgumentError, MismatchError, NoiseError, RangeError
from cyclotome_study import ltv, ltv_circuits

#: After S-box layers of PRINCE's fifth published vector, from its plaintext on; its key is k0 = 0 and this.
STATES = [0x0123456789ABCDEF, 0x4444444444444444, 0x876F1A432F9BBCFB, 0xE9679938FC49E448]
K1 = 0xFEDCBA9876543210


@pytest.fixture(scope="module")
def keys() -> ltv.Keys:
    return ltv.keygen(ltv.Parameters(9, 105, 22, 8), acknowledge_broken=True)


def most_first(value: int, slots: int, keys: ltv.Keys) -> list[ltv.LtvArray]:
    return ltv_circuits.encrypt_numbers([value] * slots, 64, keys.public)[::-1]


def test_layers_of_prince(keys: ltv.Keys) -> None:
    slots = 2
    k0, k1 = (most_first(value, slots, keys) for value in (0, K1))
    state = most_first(STATES[0], slots, keys)
    circuit = Circuit(_core.prince_layers(1, 3))
    steps: list[tuple[int, int, str]] = []
    (found,) = ltv_circuits.compute(circuit, [state, k0, k1], progress=lambda *step: steps.append(step))
    assert ltv_circuits.decrypt_numbers(found[::-1], keys.secret) == [STATES[3]] * slots
    assert steps[-1][:2] == (circuit.products + circuit.relinearizations,) * 2
    assert steps[-1][2] == "layer 6 of 6"


def test_lists_in_slots_are_sorted(keys: ltv.Keys, rng: np.random.Generator) -> None:
    lists = rng.integers(0, 4, size=(keys.public.parameters.slots.count, 3))
    numbers = [ltv_circuits.encrypt_numbers([int(v) for v in column], 2, keys.public) for column in lists.T]
    found = [ltv_circuits.decrypt_numbers(bits, keys.secret) for bits in ltv_circuits.sort(numbers)]
    assert np.array_equal(np.array(found).T, np.sort(lists, axis=-1))


def test_wrong_uses_are_refused(keys: ltv.Keys) -> None:
    bits = ltv_circuits.encrypt_numbers([1, 2], 64, keys.public)
    with pytest.raises(NoiseError, match="24 products one after the other need 25 levels; the inputs have 9"):
        ltv_circuits.prince(bits, bits, bits)
    with pytest.raises(RangeError, match="4 is no number of 2 bits"):
        ltv_circuits.encrypt_numbers([4], 2, keys.public)
    with pytest.raises(ArgumentError, match="different numbers of slots"):
        ltv_circuits.sort([bits[:2], ltv_circuits.encrypt_numbers([1], 2, keys.public)])
    with pytest.raises(ArgumentError, match="as many bits"):
        ltv_circuits.sort([bits[:2], bits[:3]])
    with pytest.raises(ArgumentError, match="takes 2 inputs, not 1"):
        ltv_circuits.compute(Circuit.equal(bits=2), [bits[:2]])
    other = ltv.keygen(keys.public.parameters, acknowledge_broken=True)
    with pytest.raises(MismatchError, match="another key"):
        ltv_circuits.sort([bits[:2], ltv_circuits.encrypt_numbers([1, 2], 2, other.public)])
    with pytest.raises(MismatchError, match="modulo 65537"):
        ltv_circuits.compute(Circuit.equal(bits=1, modulus=65537), [bits[:1], bits[:1]])
