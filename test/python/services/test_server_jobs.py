# SPDX-License-Identifier: Apache-2.0
"""Several jobs at a time on one engine: right answers, and that one job's end, options and keys are no other's."""

from __future__ import annotations

import itertools
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import cyclotome as cy
import numpy as np
import pytest
import session_jobs
from cyclotome import _core, errors
from cyclotome.devices import contexts
from cyclotome.options import current
from cyclotome.sessions.processes import Idle, Processes
from small import HOME, keys, parameters

JOBS = f"{Path(session_jobs.__file__)}:TOGETHER"


@pytest.fixture(scope="module")
def busy() -> Any:
    """One process with four jobs at a time."""
    with cy.Server(
        JOBS, workers=1, jobs=4, device=HOME, allow_insecure=True, quotas=cy.sessions.Quotas(seconds=5)
    ) as made:
        yield made


@pytest.fixture(params=["a process", "this process"])
def server(request: pytest.FixtureRequest, busy: cy.Server) -> Any:
    if request.param == "a process":
        yield busy
    else:
        quotas = cy.sessions.Quotas(seconds=5)
        with cy.Server(session_jobs.TOGETHER, jobs=4, device=HOME, allow_insecure=True, quotas=quotas) as made:
            yield made


def outcome(server: cy.Server, name: str) -> str:
    try:
        cy.Client(server, keys()).call(name, [1, 2], bound=9)
    except errors.CyclotomeError as error:
        return type(error).__name__
    return "no error"


def test_jobs_run_at_a_time(server: cy.Server) -> None:
    """Two of them wait for each other."""
    client = cy.Client(server, keys())
    client.send_keys()
    with ThreadPoolExecutor(2) as pool:
        for result in pool.map(lambda i: client.call("meets", [i], bound=9), range(2)):
            assert result in (0, 1)


def test_many_clients_get_their_own_answers(server: cy.Server, rng: np.random.Generator) -> None:
    """Each with keys of its own, products and sums, in all orders."""
    clients = [cy.Client(server, cy.keygen(parameters(), device=HOME)) for _ in range(5)]
    asked = [(clients[i % 5], rng.integers(-50, 51, (2, 6))) for i in range(60)]

    def work(question: Any) -> bool:
        client, (a, b) = question
        several = client.call("several", a, b, bound=50)
        right = (client.call("product", a, b, bound=50) == a * b).all() and (several[1] == a - b).all()
        return bool(right and client.call("total", a, bound=50) == a.sum())

    with ThreadPoolExecutor(12) as pool:
        assert all(pool.map(work, asked))
    assert server.turns.running == 0 and server.admission.jobs == 0


def test_no_option_of_a_call_is_another_s(server: cy.Server) -> None:
    client = cy.Client(server, keys())
    for _ in range(12):
        assert client.call("options_left", [7], bound=9) == 7
    assert current.get().product_method == ""


def test_a_job_that_computes_for_ever_is_stopped_and_its_process_goes_on(server: cy.Server) -> None:
    replaced = server.processes.replaced if server.processes else 0
    client = cy.Client(server, keys())
    client.send_keys()
    with ThreadPoolExecutor(4) as pool:
        late = pool.submit(outcome, server, "loops")
        while not late.done():
            assert client.call("total", [1, 2], bound=9) == 3
        assert late.result() == "TimeLimitError"
    assert (server.processes.replaced if server.processes else 0) == replaced


def test_jobs_beside_one_that_hangs_run_again(busy: cy.Server) -> None:
    """It can't be stopped but with its process; those that ran there are answered all the same."""
    client = cy.Client(busy, keys())
    client.send_keys()
    before = busy.processes.replaced
    with ThreadPoolExecutor(4) as pool:
        late = pool.submit(outcome, busy, "hangs")
        answers = 0
        while not late.done():
            assert (client.call("naps", [1, 2], bound=9) == [1, 2]).all()
            answers += 1
        assert late.result() == "TimeLimitError" and answers
    assert busy.processes.replaced == before + 1


def test_a_process_that_dies_costs_those_beside_it_nothing_and_is_replaced_once(busy: cy.Server) -> None:
    before = busy.processes.replaced
    with ThreadPoolExecutor(4) as pool:
        slow = [pool.submit(outcome, busy, "naps") for _ in range(3)]
        while busy.turns.running < 3:
            time.sleep(0.01)
        assert outcome(busy, "dies") == "WorkerLostError"
        assert {each.result() for each in slow} == {"no error"}
    assert busy.processes.replaced == before + 1
    assert all(outcome(busy, "total") == "no error" for _ in range(8))
    assert len(busy.processes.pids) == 1


def test_a_function_that_lost_workers_of_its_own_costs_no_process(busy: cy.Server) -> None:
    before = busy.processes.replaced
    with ThreadPoolExecutor(2) as pool:
        beside = pool.submit(outcome, busy, "naps")
        assert outcome(busy, "lost_its_own") == "WorkerLostError"
        assert beside.result() == "no error"
    assert busy.processes.replaced == before


def test_an_answer_that_nobody_took_is_nobody_else_s() -> None:
    """Who waits is interrupted in the middle, as by Ctrl-C; what is asked next is answered, and what ran beside."""
    processes = Processes(1, session_jobs.Echo, lines=2)

    def interrupted() -> bool:
        raise KeyboardInterrupt

    try:
        with ThreadPoolExecutor(2) as pool:
            beside = pool.submit(processes.ask, ("beside", 1.0))
            with pytest.raises(KeyboardInterrupt):
                processes.ask(("first", 0.5), None, interrupted)
            assert [processes.ask((i, 0.0)) for i in range(6)] == list(range(6))
            assert beside.result() == "beside"
        assert processes.replaced == 1
    finally:
        processes.close()


def test_answers_to_other_messages_are_refused() -> None:
    """Whatever got a line out of step: its process is replaced, and the next is answered rightly."""
    processes = Processes(1, session_jobs.Echo)
    try:
        assert processes.ask(("first", 0.0)) == "first"
        line = processes._idle.get()
        line._connection.send((line._number, ("stale", 0.0)))
        line._connection.poll(30)
        processes._idle.put(line)
        with pytest.raises(errors.WorkerLostError, match="another message"):
            processes.ask(("second", 0.0))
        assert processes.ask(("third", 0.0)) == "third"
    finally:
        processes.close()


def test_a_message_at_a_time_stays_with_one_thread_of_one_process() -> None:
    processes = Processes(2, session_jobs.Where, lines=3)
    try:
        assert len({processes.ask(None) for _ in range(8)}) == 1
    finally:
        processes.close()


def test_several_messages_at_a_time_spread_over_processes() -> None:
    """First over those with most lines to spare, and in each to the line that was used last."""
    idle, lines = Idle(), [SimpleNamespace(host=host, number=number) for number in range(3) for host in "abc"]
    for line in lines:
        idle.put(line)  # type: ignore[arg-type]
    taken = [idle.get() for _ in lines]
    for i in range(0, len(lines), 3):
        assert {line.host for line in taken[i : i + 3]} == {"a", "b", "c"}
    of_a, of_b = ([line for line in lines if line.host == host] for host in "ab")
    for line in (of_a[0], of_a[1], of_b[2], of_b[0], of_a[2]):
        idle.put(line)
    assert [idle.get() for _ in range(5)] == [of_a[2], of_b[0], of_a[1], of_b[2], of_a[0]]


def test_a_job_that_nobody_waits_for_is_given_up(server: cy.Server) -> None:
    client = cy.Client(server, keys())
    name, request = client.send_keys(), client.request([1], bound=5)
    left = threading.Event()
    threading.Timer(0.5, left.set).start()
    with pytest.raises(errors.BusyError, match="nobody waits"):  # and not for its time
        server.run("loops", request, name, left.is_set)
    assert client.call("total", [1, 2], bound=9) == 3


def test_memory_of_jobs_is_bounded(rng: np.random.Generator) -> None:
    small = cy.Server(session_jobs.TOGETHER, allow_insecure=True, quotas=cy.sessions.Quotas(job_bytes=1000))
    with small, pytest.raises(errors.QuotaError, match="of memory"):
        cy.Client(small, keys()).call("total", [1, 2], bound=9)
    # Room for one job at a time, by its plan: all are answered, one after the other.
    x = cy.encrypt([1, 2], keys().secret, bound=9).with_keys(keys().public, keys().evaluation)
    size = cy.plan(session_jobs.total, inputs=x).peak_bytes - keys().evaluation.nbytes - keys().public.nbytes
    assert size >= 2 * x.nbytes  # argument and result, and keys are not counted
    quotas = cy.sessions.Quotas(job_bytes=size * 3 // 2)
    with cy.Server(JOBS, workers=1, jobs=4, device=HOME, allow_insecure=True, quotas=quotas) as tight:
        client = cy.Client(tight, keys())
        client.send_keys()
        with ThreadPoolExecutor(8) as pool:
            assert list(pool.map(lambda i: client.call("total", [i, 2], bound=99), range(40))) == list(range(2, 42))


def test_how_many_jobs_a_device_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda _: set(range(8)), raising=False)
    expected = {"cpu": 1, "cpu:1": 8, "cpu:3": 2, "cpu:16": 1, "cuda": 16, "cuda:1": 16, "fpga:sim": 1}
    assert {name: contexts.callers_of(name) for name in expected} == expected
    with pytest.raises(errors.EngineError):
        contexts.callers_of("tpu")
    with cy.Server(session_jobs.TOGETHER, workers=3, allow_insecure=True) as several:
        assert several.jobs == 3 and several.turns.places == 9
    for wrong in (0, -1, True, 1.5, "4", 1025):
        with pytest.raises(errors.ArgumentError, match="jobs"):
            cy.Server(session_jobs.TOGETHER, jobs=wrong)


def test_a_thread_s_check_ends_long_calls_and_chains_of_short_ones() -> None:
    """On this thread and on others; what it raises is what the caller sees, and afterwards everything works."""

    def stop() -> None:
        asked.append(time.monotonic())
        if len(asked) == 3:
            raise ZeroDivisionError

    def short() -> None:
        x = cy.encrypt([1], keys().public, bound=5)
        while True:
            x + x

    def long() -> None:
        cy.keygen(cy.Parameters.suggest(depth=6, value_bits=8), device="cpu:1")

    def work(job: Any) -> None:
        before = _core.set_thread_check(stop)
        assert before is None
        try:
            with pytest.raises(ZeroDivisionError):
                job()
        finally:
            assert _core.set_thread_check(None) is stop

    for job in (short, long):
        asked: list[float] = []
        work(job)
        asked.clear()
        thread = ThreadPoolExecutor(1)
        with thread:
            thread.submit(work, job).result()
        assert all(b - a > 0.08 for a, b in itertools.pairwise(asked))
    with pytest.raises(TypeError):
        _core.set_thread_check(7)
    assert cy.decrypt(cy.encrypt([1], keys().public, bound=5) * 2, keys().secret) == 2
