# SPDX-License-Identifier: Apache-2.0
"""A client and a server that exchange bytes: right answers, typed refusals, quotas, processes that die, full disks."""

from __future__ import annotations

import gc
import hashlib
import os
import pickle
import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import cyclotome as cy
import numpy as np
import pytest
import session_jobs
from cyclotome import errors, streams
from cyclotome.errors import WorkerLostError
from cyclotome.sessions import messages
from cyclotome.sessions.key_store import KeyStore
from cyclotome.sessions.processes import Processes
from cyclotome.sessions.quotas import Admission
from full_disks import longest_file
from small import keys, parameters

JOBS = session_jobs.FUNCTIONS


@pytest.fixture
def server() -> Any:
    with cy.Server(JOBS, parameters=parameters(), allow_insecure=True) as made:
        yield made


@pytest.fixture
def client(server: cy.Server) -> cy.Client:
    return cy.Client(server, keys())


def test_a_call_is_the_function_of_the_values(client: cy.Client, rng: np.random.Generator) -> None:
    a, b = rng.integers(-50, 51, (2, 3, 5))
    assert (client.call("product", a, b, bound=50) == a * b).all()
    assert client.call("total", a, bound=50) == a.sum()
    assert (client.call("scored", a[0], bound=50) == session_jobs.WEIGHTS @ a[0]).all()
    several = client.call("several", a, b, bound=50)
    assert isinstance(several, list) and len(several) == 2
    assert (several[0] == a + b).all() and (several[1] == a - b).all()
    alone = client.call("alone", a, bound=50)
    assert isinstance(alone, list) and len(alone) == 1 and (alone[0] == a).all()


def test_arguments_that_are_encrypted_already_are_sent_as_they_are(client: cy.Client) -> None:
    x = cy.encrypt([1, 2, 3], keys().public, bound=5)
    assert (client.call("product", x, [4, 5, 6], bound=9) == [4, 10, 18]).all()
    stranger = cy.keygen(parameters())
    with pytest.raises(errors.MismatchError, match="is encrypted under key"):
        client.request(cy.encrypt([1], stranger.public, bound=5))


def test_nothing_that_is_sent_is_secret(client: cy.Client) -> None:
    sent = [client.key_bytes(), client.request([1, 2, 3], bound=5)]
    kinds = []
    for data in sent:
        for part in streams.parts(data, 1 << 30, 4):
            kinds.append(type(cy.from_bytes(part, True)))
    assert kinds == [cy.EvaluationKeys, cy.PublicKey, cy.EncryptedArray]
    with pytest.raises(errors.SecrecyError):
        pickle.dumps(client)
    assert str(keys().secret.native) not in repr(client)


def test_a_secret_key_is_refused_and_not_kept(server: cy.Server, client: cy.Client, tmp_path: Path) -> None:
    cy.save(tmp_path / "secret.key", keys().secret)
    secret = (tmp_path / "secret.key").read_bytes()
    for attempt in (secret, secret + client.key_bytes(), client.key_bytes()[:-1] + secret, client.key_bytes() + secret):
        with pytest.raises((errors.SecrecyError, errors.FormatError)):
            server.add_keys(attempt)
    with pytest.raises(errors.SecrecyError, match="treat it as disclosed"):
        server.add_keys(secret)
    name = server.add_keys(client.key_bytes())
    with pytest.raises(errors.SecrecyError):
        server.call("total", secret, name)
    assert len(server.keys) == 1
    held = Path(server.keys.path(name))
    assert sorted(path.name for path in held.parent.iterdir()) == [name, f"{name}.owners"]
    assert held.stat().st_mode & 0o077 == 0


def garbage(client: cy.Client, rng: np.random.Generator) -> list[bytes]:
    request = client.request([1, 2, 3], bound=5)
    flipped = bytearray(request)
    flipped[int(rng.integers(len(flipped)))] ^= 1 << int(rng.integers(8))
    huge = request[:16] + (1 << 40).to_bytes(8, "little") + request[24:]
    return [
        b"",
        b"x",
        rng.bytes(1000),
        b"CYCLOTOM",
        b"CYCLOTOM" + rng.bytes(1000),
        request[:-1],
        request + b"x",
        request[: int(rng.integers(1, len(request)))],
        bytes(flipped),
        huge,
        cy.to_bytes(client.parameters),
        client.key_bytes(),
    ]


def test_garbage_is_refused_and_the_next_request_is_served(
    server: cy.Server, client: cy.Client, rng: np.random.Generator
) -> None:
    name = client.send_keys()
    for wrong in garbage(client, rng):
        with pytest.raises(errors.CyclotomeError):
            server.call("total", wrong, name)
        if wrong != client.key_bytes():
            with pytest.raises(errors.CyclotomeError):
                server.add_keys(wrong)
        assert client.call("total", [1, 2, 3], bound=5) == 6
    assert len(server.keys) == 1
    assert server.admission.jobs == 0 and server.admission.held_bytes == 0


def test_wrong_calls(server: cy.Server, client: cy.Client) -> None:
    name = client.send_keys()
    request = client.request([1, 2, 3], bound=5)
    with pytest.raises(errors.ArgumentError, match=r"there are alone, .*total"):
        server.call("none", request, name)
    with pytest.raises(errors.UnknownKeysError):
        server.call("total", request, "0" * 64)
    with pytest.raises(errors.UnknownKeysError):
        server.call("total", request, "../../etc/passwd")
    with pytest.raises(errors.FunctionError, match="TypeError"):
        server.call("product", request, name)  # takes two
    with pytest.raises(errors.FunctionError, match=r"ZeroDivisionError at session_jobs\.py"):
        server.call("broken", request, name)
    with pytest.raises(errors.ArgumentError, match="compute returned"):
        server.call("plain", request, name)
    with pytest.raises(errors.RangeError):
        client.call("power", [30], bound=30)
    with pytest.raises(errors.QuotaError, match="request has more"):
        server.call("total", bytes(server.quotas.request_bytes + 1), name)


def test_keys_of_somebody_else_open_nothing(server: cy.Server, client: cy.Client) -> None:
    stranger = cy.Client(server, cy.keygen(parameters()))
    name = stranger.send_keys()
    with pytest.raises(errors.MismatchError):
        server.call("total", client.request([1, 2, 3], bound=5), name)
    assert stranger.call("total", [1, 2, 3], bound=5) == 6
    # Other keys under the same id cannot take the place of a client's own: names are their content.
    forged = messages.key_bytes(cy.keygen(parameters()).evaluation, keys().public)
    with pytest.raises(errors.MismatchError):
        server.add_keys(forged)
    other = cy.keygen(parameters(degree=32))
    with pytest.raises(errors.MismatchError, match="computes with"):
        server.add_keys(messages.key_bytes(other.evaluation))
    with pytest.raises(errors.MismatchError, match="computes with"):
        cy.Client(server, other)


def test_insecure_keys_are_refused_where_nobody_allowed_them() -> None:
    with cy.Server(JOBS) as server, pytest.raises(errors.SecurityError):
        server.add_keys(cy.Client(None, keys()).key_bytes())


def test_answers_are_checked(client: cy.Client, server: cy.Server) -> None:
    name = client.send_keys()
    request = client.request([1, 2], [3, 4], bound=5)
    answer = server.call("several", request, name)
    assert [list(each) for each in client.read(answer, "several", request)] == [[4, 6], [-2, -2]]
    first = streams.parts(answer, 1 << 30, 2)
    one, two = (bytes(part) for part in first)
    for wrong in (b"", one, two + one, one + one, answer + one, answer[:-1], client.key_bytes()):
        with pytest.raises(errors.CyclotomeError):
            client.read(wrong, unbound=True)
    stranger = cy.Client(None, cy.keygen(parameters()))
    with pytest.raises(errors.MismatchError):
        stranger.read(answer, unbound=True)


def test_an_answer_is_to_its_question_alone(server: cy.Server, client: cy.Client) -> None:
    """Of whatever is crossed, swapped or changed on its way no number comes."""
    name = client.send_keys()
    x, y = client.encrypt([1, 2], bound=50), client.encrypt([10, 20], bound=50)
    request, other, swapped = client.request(x, y), client.request([5, 6], [50, 60], bound=90), client.request(y, x)
    answer = server.call("several", request, name)
    assert (client.read(answer, "several", request)[1] == [-9, -18]).all()
    assert (client.read(answer, unbound=True)[1] == [-9, -18]).all()
    for function, asked in (("several", other), ("several", swapped), ("product", request), ("", request)):
        with pytest.raises(errors.MismatchError, match="another question"):
            client.read(answer, function, asked)
    with pytest.raises(errors.MismatchError, match="another question"):  # for other keys
        client.read(answer, "several", request, keys="0" * 64)
    for wrong in (server.call("several", swapped, name), server.call("product", request, name)):
        with pytest.raises(errors.MismatchError, match="another question"):
            client.read(wrong, "several", request)
    again = server.call("several", request, name)
    one, two = (bytes(part) for part in streams.parts(again, 1 << 30, 2))
    theirs = [bytes(part) for part in streams.parts(server.call("several", other, name), 1 << 30, 2)]
    for mixed in (one + theirs[1], theirs[0] + two):
        with pytest.raises(errors.MismatchError, match="another question"):
            client.read(mixed, "several", request)
        with pytest.raises(errors.FormatError, match="several questions"):
            client.read(mixed, unbound=True)
    for missing in ((), ("several",), (None, request)):
        with pytest.raises(errors.ArgumentError, match="which question"):
            client.read(answer, *missing)


def test_keys_that_a_server_loses_again_are_sent_again(server: cy.Server, client: cy.Client) -> None:
    lost: list[str] = []

    class Forgetful:
        parameters = server.parameters
        add_keys = staticmethod(server.add_keys)
        often = 2

        def call(self, function: str, request: bytes, keys: str) -> bytes:
            if len(lost) < self.often:
                lost.append(keys)
                raise errors.UnknownKeysError("lost")
            return server.call(function, request, keys)

    assert cy.Client(Forgetful(), keys()).call("total", [1, 2], bound=5) == 3 and len(lost) == 2
    lost.clear()
    Forgetful.often = 3
    with pytest.raises(errors.UnknownKeysError):
        cy.Client(Forgetful(), keys()).call("total", [1, 2], bound=5)


def test_answers_of_older_servers_are_taken_on_trust_only(server: cy.Server, client: cy.Client) -> None:
    old = cy.to_bytes(client.encrypt([7], bound=9))  # with no note
    with pytest.raises(errors.MismatchError, match="older versions"):
        client.read(old, "total", client.request([7], bound=9))
    assert client.read(old, unbound=True) == 7


def test_the_name_of_a_question_says_all_of_it() -> None:
    """No two questions run into one another; the digest as the page on the wire says it, by hashlib."""
    asked = [("ab", b"c", "k"), ("a", b"bc", "k"), ("a", b"b", "ck"), ("ab", b"c", "kk"), ("", b"abc", "k")]
    assert len({messages.question(*each) for each in asked}) == len(asked)
    by_hand = hashlib.sha256(
        b"cyclotome question 1\0" + (2).to_bytes(8, "little") + b"ab" + (1).to_bytes(8, "little") + b"k" + b"c"
    )
    assert messages.question("ab", b"c", "k") == by_hand.hexdigest()


def test_a_call_refuses_an_answer_that_was_crossed(server: cy.Server) -> None:
    """A proxy that keeps answers by the path alone."""

    class Caching:
        parameters = server.parameters
        add_keys = staticmethod(server.add_keys)
        kept: bytes | None = None

        def call(self, function: str, request: bytes, keys: str) -> bytes:
            self.kept = self.kept or server.call(function, request, keys)
            return self.kept

    client = cy.Client(Caching(), keys())
    assert client.call("total", [1, 2], bound=5) == 3
    with pytest.raises(errors.MismatchError, match="another question"):
        client.call("total", [1, 2], bound=5)


def test_clients_need_keys_or_parameters(server: cy.Server) -> None:
    assert cy.Client(server).call("total", [1, 2], bound=3) == 3  # makes keys for the server's parameters
    with pytest.raises(errors.ArgumentError, match="names no parameters"):
        cy.Client(None)
    with pytest.raises(errors.MismatchError, match="generated together"):
        cy.Client(None, cy.Keys(keys().secret, *cy.keygen(parameters())[1:]))
    for wrong in (7, keys().secret):
        with pytest.raises(errors.UnsupportedError):
            cy.Client(None, wrong)
    with pytest.raises(errors.UnsupportedError):
        cy.Client(object(), keys())
    with pytest.raises(errors.ArgumentError, match="no server"):
        cy.Client(None, keys()).call("total", [1])
    with pytest.raises(errors.ArgumentError, match="options"):
        cy.Client(server, keys(), token="x")


@pytest.mark.parametrize(
    "wrong", [{}, [], {"a b": abs}, {"x": 7}, {1: abs}, "nowhere", "x.py:", ":f", "json:nothing", {"a" * 65: abs}]
)
def test_functions_that_are_none(wrong: Any) -> None:
    with pytest.raises(errors.ArgumentError):
        cy.Server(wrong)


def test_functions_that_are_nowhere() -> None:
    for place in ("/no/such/file.py:jobs", "no_such_module_anywhere:jobs"):
        with pytest.raises(errors.FileError):
            cy.Server(place)


# --- quotas -----------------------------------------------------------------------------------------------------------
def test_keys_beyond_their_quotas(tmp_path: Path) -> None:
    now = [0.0]
    sets = [cy.Client(None, cy.keygen(parameters())).key_bytes() for _ in range(3)]
    size = len(sets[0])
    quotas = cy.sessions.Quotas(client_key_bytes=2 * size + 50, all_key_bytes=2 * size + 50, key_idle_seconds=60)
    store = KeyStore(tmp_path, quotas, clock=lambda: now[0])

    def add(data: bytes, client: str) -> str:
        with store.upload(client) as upload:
            for at in range(0, len(data), 1000):
                upload.write(data[at : at + 1000])
            return upload.finish()

    def stored() -> set[str]:
        names = {path.name for path in tmp_path.iterdir()}
        assert names == {each for name in names if len(name) == 64 for each in (name, f"{name}.owners")}
        return {name for name in names if len(name) == 64}

    first = add(sets[0], "a")
    second = add(sets[1], "a")
    assert store.nbytes == 2 * size
    with pytest.raises(errors.QuotaError, match="your keys"):
        add(sets[2], "a")
    with pytest.raises(errors.BusyError, match="no idle ones") as full:  # a fault of nobody's: later may do
        add(sets[2], "b")
    assert full.value.retry_after == 60
    assert store.nbytes == 2 * size and stored() == {first, second}  # nothing is left of what was refused
    now[0] = 50.0
    store.path(second)  # used
    now[0] = 70.0
    third = add(sets[2], "b")
    with pytest.raises(errors.UnknownKeysError):
        store.path(first)
    assert stored() == {second, third}
    again = KeyStore(tmp_path, quotas)  # what is there is held again
    assert len(again) == 2 and again.path(third)
    with pytest.raises(errors.UnknownKeysError, match="sent no such"):
        store.forget(third, "a")
    store.forget(third, "b")
    assert stored() == {second} and store.owned("b") == 0


def test_keys_of_two_clients_stay_until_both_forget_them(tmp_path: Path) -> None:
    data = cy.Client(None, keys()).key_bytes()
    store = KeyStore(tmp_path, cy.sessions.Quotas())
    for client in "ab":
        with store.upload(client) as upload:
            upload.write(data)
            name = upload.finish()
    store.forget(name, "a")
    assert store.path(name)
    store.forget(name, "b")
    assert store.nbytes == 0


def test_a_full_disk_refuses_keys_and_leaves_nothing(tmp_path: Path) -> None:
    with cy.Server(JOBS, folder=tmp_path, allow_insecure=True) as server:
        client = cy.Client(server, keys())
        before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        try:
            with longest_file(1000), pytest.raises(errors.FileError, match="can't store the keys"):
                client.send_keys()
        finally:
            signal.signal(signal.SIGXFSZ, before)
        assert list(tmp_path.iterdir()) == [] and server.keys.nbytes == 0
        assert client.call("total", [1, 2, 3], bound=5) == 6  # the disk has room again


def test_files_of_keys_that_go_away_are_sent_again(tmp_path: Path) -> None:
    with cy.Server(JOBS, folder=tmp_path, allow_insecure=True, workers=1) as server:
        client = cy.Client(server, keys())
        name = client.send_keys()
        (tmp_path / name).unlink()
        assert client.call("total", [1, 2, 3], bound=5) == 6


def test_what_is_served_at_a_time_is_bounded() -> None:
    admission = Admission(
        cy.sessions.Quotas(client_jobs=2, all_jobs=3, request_bytes=10, client_bytes=15, all_bytes=20)
    )
    admission.take("a", 10, 0)
    with pytest.raises(errors.QuotaError):
        admission.take("a", 1, 10)
    with pytest.raises(errors.BusyError):
        admission.take("a", 6, 0)
    with pytest.raises(errors.BusyError):
        admission.take("b", 10, 1 - 1) or admission.take("b", 1, 0)
    admission.give_back("a", 10)
    with admission.job("a"), admission.job("a"):
        with pytest.raises(errors.BusyError, match="your jobs"), admission.job("a"):
            pass
        with admission.job("b"):
            with pytest.raises(errors.BusyError, match="the server has"), admission.job("c"):
                pass
            assert admission.jobs == 3
    assert admission.jobs == 0


def test_time_of_a_client_is_bounded_and_comes_back() -> None:
    now = [0.0]
    admission = Admission(cy.sessions.Quotas(client_seconds_per_minute=60), clock=lambda: now[0])
    with admission.job("a"):
        now[0] += 90
    with pytest.raises(errors.BusyError, match="took their time"), admission.job("a"):
        pass
    with admission.job("b"):
        pass
    now[0] += 31
    with admission.job("a"):
        pass
    for client in range(5000):
        with admission.job(str(client)):
            now[0] += 0.001
    assert admission.filling < 2000  # clients that are through are forgotten


def test_work_is_planned_before_it_is_done() -> None:
    with cy.Server(JOBS, allow_insecure=True, quotas=cy.sessions.Quotas(planned_seconds=1e-9)) as server:
        client = cy.Client(server, keys())
        with pytest.raises(errors.QuotaError, match="the job takes about"):
            client.call("product", [1, 2], [3, 4], bound=5)


def test_answers_are_bounded() -> None:
    with cy.Server(JOBS, allow_insecure=True, quotas=cy.sessions.Quotas(answer_bytes=100)) as server:
        client = cy.Client(server, keys())
        with pytest.raises(errors.QuotaError, match="the answer has"):
            client.call("total", [1, 2], bound=5)


def test_quotas_are_positive_numbers() -> None:
    for wrong in (0, -1, "8G", None, True, float("nan")):
        with pytest.raises(errors.ArgumentError, match="request_bytes"):
            cy.sessions.Quotas(request_bytes=wrong)


# --- processes --------------------------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def busy() -> Any:
    """A server of two processes, with some seconds for each job."""
    place = f"{Path(session_jobs.__file__)}:FUNCTIONS"
    with cy.Server(
        place, workers=2, jobs=1, allow_insecure=True, quotas=cy.sessions.Quotas(seconds=6), retries=1
    ) as made:
        yield made


def test_processes_answer_what_this_one_would(busy: cy.Server, rng: np.random.Generator) -> None:
    clients = [cy.Client(busy, keys()), cy.Client(busy, cy.keygen(parameters()))]

    def work(i: int) -> bool:
        values = np.arange(i, i + 4)
        return bool(clients[i % 2].call("total", values, bound=100) == values.sum())

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(40)))
    assert busy.processes is not None and busy.processes.replaced == 0


def test_a_process_that_dies_is_replaced(busy: cy.Server) -> None:
    client = cy.Client(busy, keys())
    before = busy.processes.replaced
    with pytest.raises(WorkerLostError, match="exit code -9"):
        client.call("dies", [1], bound=5)
    assert busy.processes.replaced == before + 2  # it was tried twice
    assert all(client.call("total", [i, 2], bound=9) == i + 2 for i in range(4))  # both processes, the new one too


def test_a_job_that_takes_too_long_is_ended(busy: cy.Server) -> None:
    client = cy.Client(busy, keys())
    client.send_keys()
    before = busy.processes.replaced
    with pytest.raises(errors.TimeLimitError, match="more than the 6 s"):
        client.call("hangs", [1], bound=5)
    assert busy.processes.replaced == before + 1  # it did not come to its end
    assert client.call("total", [1, 2], bound=9) == 3


def test_a_process_that_is_killed_while_it_is_idle_costs_nothing(busy: cy.Server) -> None:
    client = cy.Client(busy, keys())
    assert client.call("total", [1, 2], bound=9) == 3
    for pid in busy.processes.pids:
        os.kill(pid, signal.SIGKILL)
    assert all(client.call("total", [1, 2], bound=9) == 3 for _ in range(6))


def test_processes_that_cannot_begin_say_why() -> None:
    processes = Processes(1, session_jobs.refuses)
    try:
        with pytest.raises(errors.ArgumentError, match="no such job"):
            processes.ask(1)
        with pytest.raises(errors.ArgumentError, match="no such job"):  # nor does the next
            processes.ask(1)
    finally:
        processes.close()
    for wrong in (0, -1, True, 1.5):
        with pytest.raises(errors.ArgumentError):
            Processes(wrong, session_jobs.refuses)


def test_closing_leaves_nothing() -> None:
    gc.collect()
    threads, files = threading.active_count(), len(os.listdir("/proc/self/fd"))
    server = cy.Server(JOBS, workers=2, allow_insecure=True)
    client = cy.Client(server, keys())
    assert client.call("total", [1, 2], bound=9) == 3
    pids, folder = server.processes.pids, Path(server.keys.path(client.fingerprint)).parent
    server.close()
    assert not folder.exists()
    assert not [pid for pid in pids if Path(f"/proc/{pid}").exists()]
    assert threading.active_count() == threads
    gc.collect()
    assert len(os.listdir("/proc/self/fd")) <= files + 1  # multiprocessing's own tracker of resources
    with pytest.raises(errors.CyclotomeError):
        client.call("total", [1, 2], bound=9)
