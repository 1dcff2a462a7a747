# SPDX-License-Identifier: Apache-2.0
"""LTV's circuits on a GPU: the CPU's bytes, estimates of noise included."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from cli_runner import succeed
from cyclotome import _core
from cyclotome.circuit import Circuit
from cyclotome.errors import ParameterError
from cyclotome_study import ltv, ltv_circuits
from devices import DEVICE, needs_device, needs_gpu

pytestmark = needs_device


@pytest.fixture(scope="module")
def keys() -> ltv.Keys:
    return ltv.keygen(ltv.Parameters(9, 4369, 25, 16), acknowledge_broken=True)


def bytes_of(bits: list[ltv.LtvArray], folder: Path) -> list[tuple[bytes, float]]:
    found = []
    for bit in bits:
        ltv.save(folder / "bit", bit, overwrite=True)
        found.append(((folder / "bit").read_bytes(), bit.native.log2_phase))
    return found


def test_layers_of_prince_have_the_same_bytes(keys: ltv.Keys, tmp_path: Path) -> None:
    """The fifth published vector's first three layers."""
    slots = keys.public.parameters.slots.count
    ports = [
        ltv_circuits.encrypt_numbers([value] * slots, 64, keys.public)[::-1]
        for value in (0x0123456789ABCDEF, 0, 0xFEDCBA9876543210)
    ]
    circuit = Circuit(_core.prince_layers(1, 3))
    (here,), (there,) = (ltv_circuits.compute(circuit, ports, device=device) for device in ("cpu", DEVICE))
    assert bytes_of(there, tmp_path) == bytes_of(here, tmp_path)
    assert ltv_circuits.decrypt_numbers(there[::-1], keys.secret) == [0xE9679938FC49E448] * slots


def test_sorted_lists_have_the_same_bytes(keys: ltv.Keys, tmp_path: Path, rng: np.random.Generator) -> None:
    values = rng.integers(0, 8, size=(keys.public.parameters.slots.count, 5))
    numbers = [ltv_circuits.encrypt_numbers([int(v) for v in column], 3, keys.public) for column in values.T]
    here, there = (ltv_circuits.sort(numbers, device=device) for device in ("cpu", DEVICE))
    assert [bytes_of(bits, tmp_path) for bits in there] == [bytes_of(bits, tmp_path) for bits in here]
    found = [ltv_circuits.decrypt_numbers(bits, keys.secret) for bits in there]
    assert np.array_equal(np.array(found).T, np.sort(values, axis=-1))


def test_the_command_computes_on_it(tmp_path: Path) -> None:
    lists = tmp_path / "lists.csv"
    lists.write_text("2,0,1\n3,1,3\n")
    broken = ("--scheme", "ltv", "--ltv", "8,4369,25,16", "--acknowledge-broken", "--device", DEVICE)
    found = succeed("sort", lists, "--no-header", "--bits", 2, *broken, "--json").data
    assert found["lists"] == [[0, 1, 2], [1, 3, 3]]


@needs_gpu
def test_rings_too_small_for_its_kernels_are_refused() -> None:
    small = ltv.keygen(ltv.Parameters(3, 105, 22, 8), acknowledge_broken=True)
    with pytest.raises(ParameterError, match="8192"):
        ltv_circuits.Machine(small.evaluation, DEVICE)
