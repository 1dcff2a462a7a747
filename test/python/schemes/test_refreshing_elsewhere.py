# SPDX-License-Identifier: Apache-2.0
"""Refreshing in workers, services, shards and threads, where memory ends, and where processes are killed."""

from __future__ import annotations

import functools
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import cyclotome as cy
import mapped_jobs
import numpy as np
import pytest
from cyclotome.errors import MemoryLimitError
from numpy.typing import NDArray
from small import HOME

P = 65537
JOBS = {"unending": mapped_jobs.unending}


@functools.cache
def keys() -> cy.Keys:
    parameters = cy.Parameters.bootstrappable(256, allow_insecure=True)
    return cy.keygen(parameters, bootstrap=True, rotations=[], device=HOME)


def encrypted(values: NDArray[np.int64]) -> cy.EncryptedArray:
    return cy.encrypt(values, keys().public, wrap=True)


def right(values: NDArray[np.int64]) -> NDArray[np.int64]:
    for _ in range(60):
        values = (values * values + 1) % P
    return values


def opened(x: cy.EncryptedArray) -> NDArray[np.int64]:
    return np.asarray(cy.decrypt(x, keys().secret) % P)


def test_batches_in_workers_and_one_that_is_killed_meanwhile(rng: np.random.Generator, tmp_path: Path) -> None:
    numbers = [rng.integers(0, P, 5) for _ in range(3)]
    for values, y in zip(
        numbers, cy.map(mapped_jobs.unending, [encrypted(each) for each in numbers], workers=2), strict=True
    ):
        np.testing.assert_array_equal(opened(y), right(values))
    mark = tmp_path / "killed"
    (again,) = cy.map(
        mapped_jobs.dies_once_while_refreshing, [(str(mark), encrypted(numbers[0]))], workers=1, retries=1
    )
    assert mark.exists()
    np.testing.assert_array_equal(opened(again), right(numbers[0]))


def test_a_service_refreshes_for_its_clients(rng: np.random.Generator, tmp_path: Path) -> None:
    values = rng.integers(0, P, 4)
    with cy.Server(JOBS, folder=tmp_path, allow_insecure=True) as server, cy.Client(server, keys()) as client:
        found = client.call("unending", values, wrap=True)
    np.testing.assert_array_equal(np.asarray(found) % P, right(values))


def test_shards_and_threads(rng: np.random.Generator) -> None:
    """Devices work in threads of their own, which are told what their caller was told."""
    values = rng.integers(0, P, (4, 3))
    shards = cy.sharding.shard(encrypted(values), ["cpu:1", "cpu:1"])
    with cy.bootstrap("auto"):
        for _ in range(60):
            shards = shards * shards + 1
    np.testing.assert_array_equal(opened(shards.gather()), right(values))
    # Several threads that need the same array's refreshed form keep one.
    x = encrypted(values[0])
    while (y := x * x).noise_headroom > keys().evaluation.refreshing.headroom_needed + 1:
        x = y
    before = opened(x)

    def square(_: int) -> cy.EncryptedArray:
        with cy.bootstrap("auto"):
            return x * x

    with ThreadPoolExecutor(4) as threads:
        for y in threads.map(square, range(8)):
            np.testing.assert_array_equal(opened(y), before * before % P)


def test_a_memory_limit_ends_it_before_anything_is_changed(rng: np.random.Generator) -> None:
    """And without it the same operation goes through: nothing half made is left."""
    parameters = cy.Parameters.bootstrappable(4096, allow_insecure=True)
    party = cy.keygen(parameters, bootstrap=True, rotations=[], device=HOME)
    values = rng.integers(0, P, (12, 4))
    x = cy.encrypt(values, party.public, wrap=True)
    while (y := x * x).noise_headroom > party.evaluation.refreshing.headroom_needed + 1:
        x, values = y, values * values % P
    before = cy.to_bytes(x)
    refused = 0
    for limit in range(8, 400, 56):
        cy.set_memory_limit(limit << 20)
        try:
            with cy.bootstrap("auto"):
                y = x * x
        except MemoryLimitError:
            refused += 1
        finally:
            cy.set_memory_limit(None)
        assert cy.to_bytes(x) == before
    with cy.bootstrap("auto"):
        y = x * x
    assert refused > 0
    np.testing.assert_array_equal(cy.decrypt(y, party.secret) % P, values * values % P)


PROGRAM = """
import signal
import sys
import cyclotome as cy

signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background of a shell ignores it

parameters = cy.Parameters.bootstrappable(2048, allow_insecure=True)
secret, public, _ = cy.keygen(parameters, bootstrap=True, rotations=[], device="cpu:1")
x = cy.encrypt([2, 3], public, wrap=True)


def told(done, total, what):
    if what.startswith("refreshing"):
        print(what, flush=True)


try:
    with cy.bootstrap("auto"), cy.progress(told):
        while True:
            x = x * x + 1
except KeyboardInterrupt:
    assert x.noise_headroom >= 0 and (cy.decrypt(x + 0, secret) >= -(1 << 16)).all()
    print("ended", flush=True)
    sys.exit(3)
"""


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_control_c_ends_a_refresh_and_leaves_arrays_whole() -> None:
    with subprocess.Popen([sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        assert running.stdout.readline().startswith("refreshing for multiply")
        time.sleep(0.05)
        running.send_signal(signal.SIGINT)
        rest = running.stdout.read()
    assert running.returncode == 3 and rest.endswith("ended\n")
