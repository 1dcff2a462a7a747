# SPDX-License-Identifier: Apache-2.0
"""Encrypted arrays on a GPU: the same bytes as on the CPU, and memory that comes back."""

from __future__ import annotations

import functools
import os
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import cyclotome as cy
import numpy as np
import pytest
from cyclotome import _core
from cyclotome.devices import contexts
from cyclotome.errors import EngineError, MismatchError
from devices import DEVICE, needs_device, needs_gpu

SCHEMES = pytest.mark.parametrize("scheme", ["bfv", "bgv"])
pytestmark = needs_device


@functools.cache
def made(scheme: str, word: int = 64) -> cy.Keys:
    """Keys on the CPU, with 128 bits of security."""
    parameters = cy.Parameters.suggest(depth=2, value_bits=8, terms=64, scheme=scheme, word=word)
    return cy.keygen(parameters, rotations=[*cy.sum_rotations(parameters), 5], columns=True, device="cpu:1")


def both(x: cy.EncryptedArray) -> tuple[cy.EncryptedArray, cy.EncryptedArray]:
    return x, x.to(DEVICE)


def programs(x: Any, y: Any, weights: Any) -> list[Any]:
    """One of everything that arrays do."""
    return [
        -x,
        x + y,
        x - 3,
        x * y,
        x * 7 + weights[0],
        x * weights,
        (x * y) * x,
        (x * y).sum(axis=0),
        (x * y).sum(),
        weights[:2, : x.shape[0]] @ x,
        x[1:],
        x[:, :],
        cy.concatenate([x, y]),
        x.padded().rotate_rows(5),
        x.padded().rotate_columns(),
    ]


@SCHEMES
@pytest.mark.parametrize("word", [32, 64])
def test_every_operation_gives_the_same_bytes(rng: np.random.Generator, scheme: str, word: int) -> None:
    keys = made(scheme, word)
    a, b, weights = (rng.integers(-100, 100, (4, 60)) for _ in range(3))
    weights[:2, :4] = rng.integers(-3, 4, (2, 4))
    weights[:2, 0] |= 1  # a row of zeros gives a zero, which is encrypted anew: with other randomness each time
    (x, gpu_x), (y, gpu_y) = (both(cy.encrypt(values, keys.public, bound=100)) for values in (a, b))
    for here, there in zip(programs(x, y, weights), programs(gpu_x, gpu_y, weights), strict=True):
        assert there.device == gpu_x.device and here.device == "cpu:1"
        assert cy.to_bytes(there) == cy.to_bytes(here)
    assert np.array_equal(cy.decrypt(gpu_x * gpu_y, keys.secret), a * b)


@SCHEMES
def test_there_and_back(scheme: str) -> None:
    keys = made(scheme)
    x = cy.encrypt(np.arange(30), keys.public, bound=100)
    moved = x.to(DEVICE)
    assert moved.to(DEVICE) is moved and moved.device == contexts.device_name(DEVICE)
    assert cy.to_bytes(moved) == cy.to_bytes(x) == cy.to_bytes(moved.to("cpu:1"))
    assert pickle.loads(pickle.dumps(moved)).device == "cpu"
    for key in (keys.public, keys.evaluation):
        assert cy.to_bytes(key.to(DEVICE)) == cy.to_bytes(key)
    assert moved.keyring.evaluation is keys.evaluation.to(DEVICE)  # one replica for all arrays


@SCHEMES
def test_everything_may_happen_on_the_device(scheme: str, tmp_path: Path) -> None:
    secret, public, _ = cy.keygen(made(scheme).secret.parameters, device=DEVICE)
    values = np.arange(-20, 20).reshape(4, 10)
    x = cy.encrypt(values, public, bound=50)
    assert x.device == public.device == secret.device == contexts.device_name(DEVICE)
    y = cy.encrypt(values, secret, bound=50).with_keys(public)
    assert np.array_equal(cy.decrypt(x * y - x, secret), values * values - values)
    assert cy.noise_budget(x, secret) > 0
    cy.save(tmp_path / "x.ct", x)
    cy.save(tmp_path / "secret.key", secret)
    loaded = cy.load(tmp_path / "secret.key", device=DEVICE)
    assert np.array_equal(cy.decrypt(cy.load(tmp_path / "x.ct", device=DEVICE), loaded), values)
    assert np.array_equal(cy.decrypt(cy.load(tmp_path / "x.ct"), cy.load(tmp_path / "secret.key")), values)
    assert np.array_equal(cy.decrypt(x, secret.to("cpu:1")), values)


def test_devices_do_not_mix_by_themselves() -> None:
    keys = made("bfv")
    x = cy.encrypt([1, 2, 3], keys.public, bound=9)
    for operation in (lambda: x + x.to(DEVICE), lambda: x.to(DEVICE) * x, lambda: cy.stack([x, x.to(DEVICE)])):
        with pytest.raises(MismatchError, match=r"different devices.*\.to\(device\)"):
            operation()
    with pytest.raises(MismatchError, match="different devices"):
        keys.evaluation.joined(keys.evaluation.to(DEVICE))


@needs_gpu
def test_threads_share_two_contexts(rng: np.random.Generator) -> None:
    """Two engines of one device, with a stream each, and ten threads that use both."""
    keys = made("bfv")
    native = keys.secret.parameters.native
    engines = [contexts.engine_on(DEVICE), _core.cuda_engine(int(DEVICE.partition(":")[2] or 0))]
    first, second = (contexts.Context(native, f"{DEVICE} {i}", engine) for i, engine in enumerate(engines))
    values = rng.integers(-100, 100, (4, 50))
    x = cy.encrypt(values, keys.public, bound=100)
    expected = cy.to_bytes((x * x).sum(axis=0))
    evaluation = [keys.evaluation.native.to(context.native) for context in (first, second)]
    plainly = _core.Options(None, False)

    def work(i: int) -> None:
        context, keys_there = (first, second)[i % 2], evaluation[i % 2]
        square, products = x * x, []
        here = square.native
        for channel in x.native.channels:
            moved = channel.to(context.native)
            product = _core.relinearize(_core.multiply(moved, moved), keys_there)
            products.append(product.to(x.context.native))
        back = _core.EncryptedArray(products, here.shape, here.placement, here.clean, square.bound, square.l1_bound)
        assert _core.to_bytes(back, b"", plainly) == _core.to_bytes(here, b"", plainly)

    with ThreadPoolExecutor(10) as pool:
        list(pool.map(work, range(60)))
    assert cy.to_bytes((x * x).sum(axis=0)) == expected


@needs_gpu
def test_exhausted_memory_is_an_error_and_nothing_is_lost() -> None:
    keys = made("bfv")
    x = cy.encrypt(np.arange(40), keys.public, bound=100).to(DEVICE)
    before = cy.to_bytes(x * x)
    free = next(d for d in _core.cuda_facts()["devices"] if f"cuda:{d['index']}" == x.device)["memory"]
    copies = free // x.native.channels[0].nbytes + 2
    with pytest.raises(EngineError, match=r"of memory, but only .* are free"):
        _core.take(x.native.channels[0], [0] * copies)
    held, used = [], 0
    with pytest.raises(EngineError, match=r"no room|are free"):
        for _ in range(64):  # many pieces instead of one too large
            held.append(_core.take(x.native.channels[0], [0] * (copies // 16)))
            used += held[-1].nbytes
    assert used > free // 2
    held.clear()
    assert cy.to_bytes(x * x) == before
    assert cy.decrypt(x * x, keys.secret).tolist() == [i * i for i in range(40)]


@needs_gpu
def test_memory_is_given_back() -> None:
    keys = made("bfv")
    x = cy.encrypt(np.arange(40), keys.public, bound=100).to(DEVICE)
    for _ in range(2):  # the second time the operation is recorded, with scratch memory that it keeps
        _ = x * x
    engine = x.context.engine
    used, _ = _core.engine_memory(engine)
    for _ in range(5):
        _ = x * x
    assert _core.engine_memory(engine)[0] == used
    _core.reset_engine_memory_peak(engine)
    _ = x * x
    assert _core.engine_memory(engine)[1] > used


@needs_gpu
def test_a_forked_child_is_refused_or_right_but_never_wrong() -> None:
    """CUDA does not survive a fork: the child gets an error, the parent goes on."""
    keys = made("bfv")
    x = cy.encrypt([1, 2, 3], keys.public, bound=9).to(DEVICE)
    child = os.fork()
    if child == 0:
        status = 3
        try:
            status = 0 if cy.decrypt(x * x, keys.secret).tolist() == [1, 4, 9] else 2
        except EngineError:
            status = 0
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert cy.decrypt(x * x, keys.secret).tolist() == [1, 4, 9]


@needs_gpu
def test_a_hidden_gpu_is_absent() -> None:
    """Without a GPU to see, `auto` takes the CPU, and asking for one is an error that says what to do."""
    program = (
        "import cyclotome as cy; from cyclotome.devices import contexts\n"
        "assert contexts.device_name('auto') == 'cpu'\n"
        "try:\n    contexts.engine_on('cuda')\n"
        "except cy.errors.EngineError as error:\n    print(error)\n"
    )
    hidden = {**os.environ, "CUDA_VISIBLE_DEVICES": ""}
    done = subprocess.run([sys.executable, "-c", program], env=hidden, capture_output=True, text=True, check=True)
    assert "CUDA_VISIBLE_DEVICES" in done.stdout and "cyclotome doctor" in done.stdout
