# SPDX-License-Identifier: Apache-2.0
"""Circuits on several devices, and in sections that fit into memory: the bytes are those of one device, all at once.

CYCLOTOME_TEST_DEVICES, such as "cuda:0,cuda:1", names the devices; without it they are two CPU engines. What evaluation
promises is tested in C++ (test/cpp/circuit/test_circuit_devices.cpp)."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import cyclotome as cy
import numpy as np
import pytest
from cli_runner import run, succeed
from cyclotome.circuit import Circuit
from cyclotome.devices.contexts import device_name, engine_on
from cyclotome.errors import ArgumentError, EngineError, MemoryLimitError
from cyclotome.text import byte_size

DEVICES = os.environ.get("CYCLOTOME_TEST_DEVICES", "cpu:1,cpu:2").split(",")


@cache
def keys() -> cy.Keys:
    """For sorting 4 numbers of 4 bits, in Phi_m with 16 slots."""
    return cy.keygen(Circuit.sort(count=4, bits=4, carried=3).parameters(cyclotomic=255, security=0), rotations=[])


def bytes_of(numbers: cy.circuit.EncryptedNumbers) -> bytes:
    return cy.to_bytes(numbers.digits.to("cpu"))


@pytest.mark.parametrize("devices", [DEVICES, DEVICES[:1] * 2, [*DEVICES, DEVICES[0]]], ids=["two", "twice", "three"])
def test_the_bytes_are_those_of_one_device(devices: list[str], rng: np.random.Generator) -> None:
    values = rng.integers(0, 16, size=(20, 4))
    x = cy.circuit.encrypt_lists(values, keys().public, bits=4)
    places = cy.circuit.encrypt_lists(np.tile(np.arange(4), (20, 1)), keys().public, bits=3)
    one, order = cy.circuit.sort(x, carry=places)
    many, moved = cy.circuit.sort(x, carry=places, devices=devices)
    assert bytes_of(many) == bytes_of(one) and bytes_of(moved) == bytes_of(order)
    assert many.digits.device == device_name(devices[0])
    secret = keys().secret.to(devices[0])
    assert np.array_equal(cy.circuit.decrypt(many, secret), np.sort(values, axis=-1))
    assert np.array_equal(cy.circuit.decrypt(moved, secret), np.argsort(values, axis=-1, kind="stable"))
    assert bytes_of(cy.circuit.argmax(x, devices=devices)) == bytes_of(cy.circuit.argmax(x))
    assert bytes_of(cy.circuit.top_k(x, 2, devices=devices)) == bytes_of(cy.circuit.top_k(x, 2))
    a, b = (cy.circuit.encrypt(column, keys().public, bits=4) for column in values.T[:2])
    assert bytes_of(cy.circuit.less(a, b, devices=devices)) == bytes_of(cy.circuit.less(a, b))
    assert bytes_of(cy.circuit.equal(a, b, devices=devices)) == bytes_of(cy.circuit.equal(a, b))


@pytest.mark.slow
def test_prince_on_several_devices() -> None:
    secret, public, _ = cy.keygen(Circuit.prince(decrypt=True).parameters(security=0), rotations=[])
    key = cy.circuit.prince_key(0, 0xFEDCBA9876543210, public)
    steps: list[int] = []
    found = cy.circuit.prince(
        [0xAE25AD3CA8FA9CCF], key, decrypt=True, devices=DEVICES, progress=lambda done, *_: steps.append(done)
    )
    assert cy.circuit.decrypt(found, secret.to(DEVICES[0])).tolist() == [0x0123456789ABCDEF]
    assert steps == sorted(set(steps)) and steps[-1] == 1824 + 1152


def test_less_memory_takes_more_sections_and_gives_the_same_bytes(rng: np.random.Generator) -> None:
    parameters = keys().public.parameters
    circuit = Circuit.sort(count=4, bits=4)
    values = rng.integers(0, 16, size=(40, 4))
    x = cy.circuit.encrypt_lists(values, keys().public, bits=4).to("cpu:2")
    whole = circuit.plan(parameters, lanes=40)
    expected = cy.circuit.sort(x)
    plan = circuit.plan(parameters, lanes=40, memory=whole.peak_bytes // 2)
    assert whole.sections == 1 and plan.sections > 1 and plan.peak_bytes <= whole.peak_bytes // 2
    assert f"in {plan.sections} sections" in str(plan) and plan.headroom == whole.headroom and plan.level == whole.level
    assert [layer[:5] for layer in plan.layers] == [layer[:5] for layer in whole.layers]
    held = cy._core.engine_memory(x.digits.context.engine)[0]
    cy.set_memory_limit(held + whole.peak_bytes * 6 // 10)
    try:
        found = cy.circuit.sort(x)
        cy.set_memory_limit(held + x.digits.nbytes)
        steps: list[object] = []
        with pytest.raises(MemoryLimitError, match="sorting 4 numbers of 4 bits takes"):
            cy.circuit.sort(x, progress=lambda *step: steps.append(step))
        assert steps == []
    finally:
        cy.set_memory_limit(None)
    assert bytes_of(found) == bytes_of(expected)


def test_a_plan_for_several_devices() -> None:
    circuit = Circuit.sort(count=16, bits=8)
    parameters = circuit.parameters(cyclotomic=21845)
    one, two = (circuit.plan(parameters, lanes=1024, devices=count) for count in (1, 2))
    assert two.peak_bytes < one.peak_bytes and not two.keys_spread  # inputs and results lie on the first
    assert two.headroom == one.headroom and [x.level for x in two.layers] == [x.level for x in one.layers]
    assert (two.devices, two.by_lanes) == (2, False) and "on 2 devices, which share gates" in str(two)
    # Of lanes in several ciphertexts each device takes its own; small circuits are not worth a second device.
    wide, half = circuit.plan(parameters, lanes=4096, devices=2), circuit.plan(parameters, lanes=2048)
    assert wide.by_lanes and "which share lanes" in str(wide) and wide.peak_bytes == half.peak_bytes
    small = Circuit.sort(count=2, bits=4).plan(parameters, lanes=1024, devices=8)
    assert small.devices == 1 and "devices" not in str(small)
    with pytest.raises(ArgumentError, match="one device or more"):
        circuit.plan(parameters, devices=0)
    with pytest.raises(ArgumentError, match="bytes or None"):
        circuit.plan(parameters, memory=-1)


def test_an_encrypted_key_is_held_once() -> None:
    """PRINCE's key is one ciphertext of each bit, however many ciphertexts of blocks there are."""
    circuit = Circuit.prince()
    parameters = circuit.parameters(cyclotomic=65535)
    one, many = (circuit.plan(parameters, lanes=2048 * count) for count in (1, 32))
    assert many.peak_bytes < 26 * one.peak_bytes  # 32, if it were repeated


def test_a_device_that_shared_work_stays_open() -> None:
    x = cy.circuit.encrypt_lists(np.tile(np.arange(4), (17, 1)), keys().public, bits=4)
    first = x.digits.context
    for _ in range(2):
        cy.circuit.sort(x, devices=["cpu", "cpu:3"])
        engine = engine_on("cpu:3")
        assert first.companions["cpu:3"].engine is engine and "cpu" not in first.companions


def test_sixty_four_numbers_fit_into_memory_in_sections() -> None:
    circuit = Circuit.sort(count=64, bits=8)
    parameters = Circuit.sort(count=16, bits=8).parameters(cyclotomic=21845)  # whose noise is not looked at
    whole, cut = (circuit.plan(parameters, lanes=1024, memory=memory) for memory in (None, 8 << 30))
    assert whole.sections == 1 and whole.peak_bytes > 40 << 30
    assert cut.sections > 1 and cut.peak_bytes <= 8 << 30


@pytest.mark.parametrize("share", [0.3, 0.45, 0.6, 0.9])
def test_a_plan_that_fits_into_memory_runs_under_that_limit(share: float, rng: np.random.Generator) -> None:
    """Keys and inputs count, too."""
    made = cy.keygen(keys().public.parameters, rotations=[])
    circuit, values = Circuit.sort(count=4, bits=4), rng.integers(0, 16, size=(40, 4))
    whole = circuit.plan(made.public.parameters, lanes=40)
    memory = int(share * (whole.peak_bytes + whole.key_bytes))
    plan = circuit.plan(made.public.parameters, lanes=40, memory=memory)
    assert plan.sections > whole.sections and plan.peak_bytes + plan.key_bytes <= memory
    assert f"beside keys of {byte_size(plan.key_bytes)}" in str(plan)
    x = cy.circuit.encrypt_lists(values, made.public, bits=4)
    secret = made.public.nbytes // 2
    own = secret + made.public.nbytes + made.evaluation.nbytes
    assert own == plan.key_bytes
    others = cy._core.engine_memory(x.digits.context.engine)[0] - (own + x.digits.nbytes) * 9 // 8
    cy.set_memory_limit(memory + max(others, 0))  # what other tests hold
    try:
        assert np.array_equal(cy.circuit.decrypt(cy.circuit.sort(x), made.secret), np.sort(values, axis=-1))
    finally:
        cy.set_memory_limit(None)


_UNDER_A_HARD_LIMIT = """
import resource, sys
import cyclotome as cy, numpy as np
from cyclotome.circuit import Circuit

def status(name):
    return int(open("/proc/self/status").read().split(name + ":")[1].split()[0]) << 10

circuit, small = Circuit.sort(count=4, bits=4), Circuit.sort(count=2, bits=1)
parameters = circuit.parameters(cyclotomic=21845)
lanes = parameters.slots
whole = circuit.plan(parameters, lanes=lanes)
memory = int(float(sys.argv[1]) * (whole.peak_bytes + whole.key_bytes))
plan = circuit.plan(parameters, lanes=lanes, memory=memory)
assert plan.peak_bytes + plan.key_bytes <= memory and plan.sections > 1
made = cy.keygen(small.parameters(cyclotomic=255, security=0), rotations=[])  # threads, and what they bring along
cy.circuit.sort(cy.circuit.encrypt_lists([[1, 0]], made.public, bits=1))
values = np.random.default_rng(int(sys.argv[2])).integers(0, 16, (lanes, 4))
resident, taken = status("VmRSS"), status("VmSize")
cy.set_memory_limit(memory)
# The C library reserves 64 MiB of addresses for each thread that it lends memory, of which little is used.
resource.setrlimit(resource.RLIMIT_AS, (taken + memory + (192 << 20),) * 2)
made = cy.keygen(parameters, rotations=[])
found = cy.circuit.decrypt(cy.circuit.sort(cy.circuit.encrypt_lists(values, made.public, bits=4)), made.secret)
assert np.array_equal(found, np.sort(values, axis=-1))
grown = status("VmHWM") - resident
assert grown <= memory * 9 // 8 + (24 << 20), (grown >> 20, memory >> 20)
"""


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="only Linux says what a process takes")
@pytest.mark.skipif("asan" in os.environ.get("LD_PRELOAD", ""), reason="AddressSanitizer takes memory of its own")
@pytest.mark.parametrize("share", ["0.5", "0.95"])
def test_a_plan_that_fits_runs_in_a_process_that_may_take_no_more(share: str, rng: np.random.Generator) -> None:
    """By the system's account of it: what is freed is no longer held beside what is in use."""
    seed = str(rng.integers(1 << 30))
    done = subprocess.run(
        [sys.executable, "-c", _UNDER_A_HARD_LIMIT, share, seed], capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, f"seed {seed}: {done.stderr}"


def test_wrong_devices_are_refused() -> None:
    x = cy.circuit.encrypt_lists([1, 2], keys().public, bits=4)
    for devices in ([], "cpu"):
        with pytest.raises(ArgumentError, match="name at least one"):
            cy.circuit.sort(x, devices=devices)
    with pytest.raises(EngineError, match="'gpu' is unknown"):
        cy.circuit.sort(x, devices=[DEVICES[0], "gpu"])


def test_the_command_line_names_several_devices(tmp_path: Path) -> None:
    (tmp_path / "lists.csv").write_text("3,1,2\n0,3,1\n")
    options = ["--bits", "2", "--security", "0", "--allow-insecure", "--cyclotomic", "255"]
    words = ["sort", tmp_path / "lists.csv", "--no-header", *options]
    facts = succeed(*words, "--device", ", ".join(DEVICES), "--json").data
    assert facts["lists"] == [[1, 2, 3], [0, 1, 3]]
    refused = run(*words, "--device", "cpu:1,nonsense")
    assert refused.code != 0 and "'nonsense' is unknown" in refused.text
    assert succeed(*words, "--device", "cpu:1,cpu:2", "--plan", "--json").data["sections"] == 1
