# SPDX-License-Identifier: Apache-2.0
"""Threads, forks, progress and memory: what a long-running program relies on."""

from __future__ import annotations

import gc
import os
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import cyclotome as cy
import numpy as np
import pytest
from cyclotome import _core
from cyclotome.devices import contexts
from small import DEGREE, encrypted, keys, parameters, same


def test_computing_releases_the_interpreter() -> None:
    """While one thread multiplies, another goes on counting: in one of some tries, as the machine may be busy."""
    made = cy.keygen(cy.Parameters.preset("seal-8192"), rotations=[], device="cpu:1")
    x = cy.encrypt(np.ones((64, 1), dtype=np.int64), made.public, bound=1)
    counted, busy = 0, True

    def count() -> None:
        nonlocal counted
        while busy:
            counted += 1
            time.sleep(0.001)

    counter = threading.Thread(target=count)
    counter.start()
    during = 0
    try:
        for _ in range(20):
            before = counted
            _core.multiply(x.native.channels[0], x.native.channels[0])  # a single call into the library, of some 50 ms
            during = max(during, counted - before)
            if during >= 4:
                break
    finally:
        busy = False
        counter.join()
    assert during >= 4  # of up to 1000 a second; with the lock held it would be 1 at most


def test_many_threads_share_arrays_and_engines() -> None:
    a = np.arange(3 * DEGREE).reshape(3, -1)
    x = encrypted(a, 100)

    def work(i: int) -> None:
        same((x * x + i).sum(axis=0), (a * a + i).sum(axis=0))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(40)))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_forked_children_compute() -> None:
    made = cy.keygen(parameters(), device="cpu:2")
    x = cy.encrypt(np.arange(40), made.public, bound=100)
    x * x  # the parent's threads are running
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            y = cy.encrypt(np.arange(40), made.public, bound=100)
            status = 0 if cy.decrypt((x * y).sum(), made.secret) == 39 * 40 * 79 // 6 else 2
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert cy.decrypt((x * x).sum(), made.secret) == 39 * 40 * 79 // 6


def test_two_encryptions_of_one_value_differ() -> None:
    assert len({cy.to_bytes(encrypted([5], 9)) for _ in range(4)}) == 4


class TestProgress:
    def test_is_reported_from_nothing_to_all(self) -> None:
        seen: list[tuple[int, int, str]] = []
        a = np.zeros((300, 1), dtype=np.int64)
        with cy.progress(lambda *step: seen.append(step)):
            made = cy.keygen(parameters(), device="cpu:1")
            x = cy.encrypt(a, made.public, bound=3)
            (x * x).sum()
            cy.decrypt(x, made.secret)
        tasks = {what: [step for step in seen if step[2] == what] for *_, what in seen}
        assert {"generating keys", "encrypting", "multiplying", "decrypting"} <= set(tasks)
        for steps in tasks.values():
            assert steps[0][0] == 0 and any(done == total for done, total, _ in steps)
            assert all(0 <= done <= total for done, total, _ in steps)
        assert tasks["encrypting"][-1][:2] == (600, 600)
        assert len(tasks["encrypting"]) > 20

    def test_an_argument_goes_before_the_context(self) -> None:
        inner: list[int] = []
        outer: list[int] = []
        public = keys().public
        with cy.progress(lambda done, total, what: outer.append(done)):
            cy.encrypt([1], public, bound=1, progress=lambda done, total, what: inner.append(done))
        assert inner and not outer

    def test_ends_with_its_context_and_belongs_to_its_thread(self) -> None:
        seen: list[int] = []
        with cy.progress(lambda done, total, what: seen.append(done)), ThreadPoolExecutor(1) as pool:
            pool.submit(encrypted, [1], 1).result()
        encrypted([1], 1)
        assert not seen

    def test_a_callback_can_stop_the_work(self) -> None:
        class Stop(Exception):
            pass

        def stop(done: int, total: int, what: str) -> None:
            if done > total // 2:
                raise Stop

        with pytest.raises(Stop):
            cy.encrypt(np.zeros((100, 1), dtype=np.int64), keys().public, bound=1, progress=stop)


def test_equal_parameters_share_one_context_until_nobody_needs_it() -> None:
    device = "cpu:5"  # which no other test of this process has
    fingerprint = parameters((40961,)).native.fingerprint
    first = cy.keygen(parameters((40961,)), device=device)
    again = cy.Parameters(
        degree=DEGREE,
        plain_moduli=[40961],
        moduli=first.secret.parameters.moduli,
        special_moduli=first.secret.parameters.special_moduli,
        security=0,
        allow_insecure=True,
        name="the same by another name",
    )
    second = cy.keygen(again, device=device)
    assert first.secret.context is second.secret.context
    del first, second
    gc.collect()
    assert (fingerprint, device) not in contexts._contexts and device not in contexts._engines


def test_memory_of_keys_and_arrays_is_given_back() -> None:
    made = cy.keygen(parameters(), device="cpu:4")
    engine = made.secret.context.engine
    assert isinstance(engine, _core.CpuEngine)
    before = _core.engine_memory(engine)[0]
    x = cy.encrypt(np.arange(50), made.public, bound=50)
    y = (x * x).sum()
    assert _core.engine_memory(engine)[0] > before
    del x, y
    gc.collect()
    assert _core.engine_memory(engine)[0] == before
