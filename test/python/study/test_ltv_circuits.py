# SPDX-License-Identifier: Apache-2.0
"""The library's circuits in LTV: layers of PRINCE, sorting with ties, and refusals. In rings too small for anything."""

from __future__ import annotations

import numpy as np
import pytest
from cyclotome import _core
from cyclotome.circuit import Circuit
from cyclotome.errors import ArgumentError, EngineError, MismatchError, MissingKeyError, NoiseError, RangeError
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


def test_a_machine_serves_several_calls(keys: ltv.Keys) -> None:
    """Keys and ciphertexts stay where it computes; outputs are inputs of the next call."""
    machine = ltv_circuits.Machine(keys.evaluation)
    first, second = (ltv_circuits.encrypt_numbers(values, 3, keys.public) for values in ([5, 2], [5, 6]))
    equal = Circuit.equal(bits=3)
    placed = [machine.put(first), machine.put(second)]
    counts = machine.plan(equal, placed)
    assert counts.transforms > 0 and counts.key_bytes > 0 and counts.peak_bytes > 0
    (found,) = machine.compute(equal, placed)
    assert ltv_circuits.decrypt_numbers(found.get(), keys.secret) == [1, 0]
    (again,) = machine.compute(Circuit.equal(bits=1), [found, found])
    assert ltv_circuits.decrypt_numbers(again.get(), keys.secret) == [1, 1]
    with pytest.raises(MismatchError, match="another machine"):
        ltv_circuits.Machine(keys.evaluation).compute(equal, placed)


def test_inputs_of_several_levels(keys: ltv.Keys) -> None:
    bits = ltv_circuits.encrypt_numbers([3, 1], 3, keys.public)
    mixed = [bits[0].switch(), bits[1].at_level(2), bits[2]]
    (found,) = ltv_circuits.compute(Circuit.equal(bits=3), [mixed, bits])
    assert ltv_circuits.decrypt_numbers(found, keys.secret) == [1, 1]
    assert found[0].level >= 2


def test_what_cannot_be_computed_is_refused_before_work(keys: ltv.Keys) -> None:
    """By the estimate: that there are as many primes as products is not enough."""
    short = ltv.keygen(ltv.Parameters(4, 1105, 18, 16), acknowledge_broken=True)
    bits = ltv_circuits.encrypt_numbers([1, 2], 8, short.public)
    steps: list[int] = []
    with pytest.raises(NoiseError, match="the inputs have 4, and LTV's estimate is that layer 3"):
        ltv_circuits.compute(Circuit.equal(bits=8), [bits, bits], progress=lambda *step: steps.append(step[0]))
    assert not steps
    with pytest.raises(EngineError, match="no circuits in LTV"):
        ltv_circuits.Machine(keys.evaluation, "fpga:sim")
    alone = bits[0].with_keys(None)  # type: ignore[arg-type]
    with pytest.raises(MissingKeyError, match="attach it"):
        ltv_circuits.compute(Circuit.equal(bits=1), [[alone], bits[:1]])
