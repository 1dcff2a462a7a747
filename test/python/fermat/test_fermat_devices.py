# SPDX-License-Identifier: Apache-2.0
"""BFV on Fermat moduli on several threads and on a GPU: the bits of one thread; and devices without wide limbs."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest
from cyclotome import _core
from cyclotome._core import testing
from cyclotome.devices.contexts import engine_on
from cyclotome.errors import CyclotomeError, EngineError, MemoryLimitError
from cyclotome_study import fermat
from devices import DEVICE, needs_device
from oracles.fermat import moduli

OTHERS = ["cpu:2", "cpu:3", pytest.param(DEVICE, marks=needs_device)]
#: x, splits, digit bits, version.
SETS = [(7, None, 30, None), (8, 2, 0, "both"), (9, 3, 30, "reduction"), (9, 0, 59, None), (11, 5, 59, "both")]
DEGREE, T = 1024, 786433


def parameters(x: int, splits: int | None, digits: int, version: str | None, device: str) -> fermat.Parameters:
    return fermat.Parameters(
        DEGREE,
        x,
        T,
        splits=splits,
        digit_bits=digits,
        version=version,  # type: ignore[arg-type]
        security=0,
        allow_insecure=True,
        device=device,
    )


def rows(x: int, splits: int | None, parts: int, rng: np.random.Generator) -> list[int]:
    """Any residues, the edges among them: words[part][word][coefficient]."""
    k = (max(x - 6, 0) if splits is None else splits) + 1
    out: list[int] = []
    for _ in range(parts):
        for m in moduli(x, k - 1):
            count = -(-m.bit_length() // 64)
            values = [0, 1, m - 1, m // 2, *(int.from_bytes(rng.bytes(8 * count + 8)) % m for _ in range(DEGREE - 4))]
            out += [(v >> 64 * w) % (1 << 64) for w in range(count) for v in values]
    return out


@pytest.mark.parametrize("device", OTHERS)
@pytest.mark.parametrize(("x", "splits", "digits", "version"), SETS)
def test_every_device_has_the_same_bits(
    x: int, splits: int | None, digits: int, version: str | None, device: str, rng: np.random.Generator
) -> None:
    here, there = (parameters(x, splits, digits, version, d).context for d in ("cpu:1", device))
    a, b = rows(x, splits, 2, rng), rows(x, splits, 2, rng)
    assert testing.fermat.multiply(here, a, b) == testing.fermat.multiply(there, a, b)
    one = a[: len(a) // 2]
    assert testing.fermat.to_plain(here, one) == testing.fermat.to_plain(there, one)
    assert testing.fermat.decompose(here, one) == testing.fermat.decompose(there, one)


@pytest.mark.parametrize("device", OTHERS)
@pytest.mark.parametrize(("x", "splits", "digits", "version"), SETS)
def test_arrays(x: int, splits: int | None, digits: int, version: str | None, device: str) -> None:
    keys = fermat.keygen(parameters(x, splits, digits, version, device))
    values = np.arange(-500, 524)
    u = fermat.encrypt(values, keys.public, wrap=True)
    v = fermat.encrypt(values[::-1].copy(), keys.secret, wrap=True).with_keys(keys.evaluation)
    result = u * 3 - v + 5
    if x > 7:  # too short for a product
        result = u * v - result
    expected = values * values[::-1] if x > 7 else 0
    sign = -1 if x > 7 else 1
    right = expected + sign * (3 * values - values[::-1] + 5)
    assert np.array_equal(fermat.decrypt(result, keys.secret) % T, right % T)


def test_parameters_of_one_device_share_its_engine() -> None:
    """Else every set has a stream or threads of its own, and what is moved between versions passes the host."""
    first = parameters(8, 2, 30, "none", "cpu:3")
    found = weakref.ref(engine_on("cpu:3"))
    second = parameters(8, 2, 30, "both", "cpu:3")
    gc.collect()
    assert found() is not None
    assert found() is engine_on("cpu:3")
    assert first == second


@pytest.mark.parametrize("device", OTHERS)
@pytest.mark.parametrize("version", ["none", "both"])
def test_keys_open_ciphertexts_of_another_device(version: str, device: str) -> None:
    values = np.arange(-500, 524)
    sets = {d: parameters(8, 2, 30, version, d) for d in ("cpu:1", device)}
    for home, away in (("cpu:1", device), (device, "cpu:1")):
        keys = fermat.keygen(sets[home])
        text = fermat.encrypt(values, keys.secret, wrap=True).native.in_context(sets[away].context)
        product = text.multiply(text, keys.evaluation.native)
        for _ in range(20):
            assert np.array_equal(keys.secret.native.decrypt(text, True)[0], values)
            assert np.array_equal(keys.secret.native.decrypt(product, True)[0] % T, values * values % T)


def test_an_engine_without_wide_limbs_is_refused() -> None:
    native = parameters(8, 2, 30, None, "cpu:1").native
    with pytest.raises(EngineError, match=r"reference computes no residues of more than one word.*use the device"):
        _core.FermatContext.create(native, testing.ReferenceEngine(1), None)
    board = _core.FpgaEngine(engine_on("cpu:1"), name="fpga:sim", transforms=False, boards=1)
    with pytest.raises(EngineError, match="fpga:sim computes no residues"):
        _core.FermatContext.create(native, board, None)


@pytest.mark.skipif(any(not device["problem"] for device in _core.cuda_facts()["devices"]), reason="there is a GPU")
def test_without_a_gpu_there_is_none() -> None:
    with pytest.raises(EngineError):
        parameters(8, 2, 30, None, "cuda:0")


def test_what_memory_does_not_hold_is_refused() -> None:
    _core.set_memory_limit(1 << 24)
    try:
        with pytest.raises(MemoryLimitError, match="wide limbs"):
            fermat.keygen(parameters(14, None, 30, None, "cpu:1"))
    finally:
        _core.set_memory_limit(None)


def test_times_by_events_are_a_gpus() -> None:
    step = _core.FermatConversion(7, "both", [1024, 2147483647], 64, engine_on("cpu:1"))
    with pytest.raises(CyclotomeError):
        step.microseconds(3)
