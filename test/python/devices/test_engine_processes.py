# SPDX-License-Identifier: Apache-2.0
"""One engine under several threads of the host, and in processes that fork off."""

from __future__ import annotations

import os
import signal
import threading
import time
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from cyclotome import _core
from cyclotome.errors import ArgumentError
from residues import Residues, on, put, random_residues, ring_of, transform_primes

RING = ring_of(32, 4096, transform_primes(32, 4096, 3))  # large enough for loops over all threads


def square(engine: Any, a: Residues) -> Residues:
    array = put(engine, RING, a)
    array.to_transform()
    on(engine).multiply(array.view(), array.view(), array.view())
    array.to_coefficient()
    return array.to_host()


def in_child(body: Callable[[], bool], seconds: float = 120) -> bool:
    """What `body` says in a forked child; False if the child crashes, or hangs: on a busy machine for long."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # Python warns of forks of threaded processes
        child = os.fork()
    if child == 0:
        status = 1
        try:
            status = 0 if body() else 2
        finally:
            os._exit(status)
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status) == 0
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return False


def test_several_host_threads_share_an_engine(rng: np.random.Generator) -> None:
    engine = _core.CpuEngine(3)
    inputs = [random_residues(rng, RING) for _ in range(12)]
    expected = [square(_core.CpuEngine(1), a) for a in inputs]
    start = threading.Barrier(4)

    def work(first: int) -> bool:
        start.wait()
        return all(
            np.array_equal(square(engine, inputs[i]), expected[i]) for i in range(first, 12, 4) for _ in range(5)
        )

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(4)))


@pytest.mark.parametrize("threads", [1, 3])
def test_a_forked_child_computes_with_the_engine_of_its_parent(rng: np.random.Generator, threads: int) -> None:
    engine = _core.CpuEngine(threads)
    a = random_residues(rng, RING)
    expected = square(engine, a)
    assert in_child(lambda: np.array_equal(square(engine, a), expected))
    assert in_child(lambda: in_child(lambda: np.array_equal(square(engine, a), expected)))  # and so does its own child
    assert np.array_equal(square(engine, a), expected)


def test_a_forked_child_may_drop_engines_that_it_never_used(rng: np.random.Generator) -> None:
    a = random_residues(rng, RING)
    engines = [_core.CpuEngine(3) for _ in range(3)]
    expected, *_ = [square(engine, a) for engine in engines]

    def child() -> bool:
        right = np.array_equal(square(engines[1], a), expected)
        engines.pop(0)  # of the parent's threads there is nothing left to wait for
        right = right and np.array_equal(square(engines[0], a), expected)
        engines.clear()
        return right

    assert in_child(child)
    assert np.array_equal(square(engines[0], a), expected)


def test_several_threads_of_a_forked_child_may_be_its_first(rng: np.random.Generator) -> None:
    engine = _core.CpuEngine(3)
    a = random_residues(rng, RING)
    expected = square(engine, a)

    def child() -> bool:
        start, right = threading.Barrier(4), []

        def work() -> None:
            start.wait()
            right.append(all(np.array_equal(square(engine, a), expected) for _ in range(5)))

        workers = [threading.Thread(target=work) for _ in range(4)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        return right == [True] * 4

    for _ in range(5):
        assert in_child(child)


def test_engines_come_and_go_with_their_threads(rng: np.random.Generator) -> None:
    a = random_residues(rng, RING)
    expected = square(_core.CpuEngine(1), a)
    before = threads_of_this_process()
    for _ in range(20):
        assert np.array_equal(square(_core.CpuEngine(4), a), expected)
    assert threads_of_this_process() <= before


def threads_of_this_process() -> int:
    return len(os.listdir("/proc/self/task"))


def test_an_array_keeps_its_engine_alive(rng: np.random.Generator) -> None:
    a = random_residues(rng, RING)
    array = put(_core.CpuEngine(2), RING, a)
    clone = array.clone()
    del array
    clone.to_transform()
    clone.to_coefficient()
    assert np.array_equal(clone.to_host(), a)


def test_the_number_of_threads() -> None:
    assert _core.CpuEngine(0).threads == len(os.sched_getaffinity(0))
    assert [_core.CpuEngine(n).threads for n in (1, 2, 7)] == [1, 2, 7]
    with pytest.raises(ArgumentError, match=r"1025 threads.*1024"):
        _core.CpuEngine(1025)
