# SPDX-License-Identifier: Apache-2.0
"""Stored keys: damaged files are sent again, owners outlive the server, two servers share a folder, and bookkeeping
takes no longer with a million keys, clients or tokens than with a thousand."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import cyclotome as cy
import numpy as np
import pytest
import session_jobs
from cyclotome import errors
from cyclotome.service.clients import Clients
from cyclotome.sessions.key_folder import KeyFolder, Stored, owner_of
from cyclotome.sessions.key_store import KeyStore
from cyclotome.sessions.quotas import Admission
from small import HOME, keys, parameters

JOBS = {"total": lambda x: x.sum()}


def ask(server: cy.Server, client: str = "") -> Any:
    return cy.Client(server, keys()).call("total", [1, 2, 3], bound=5)


def damages(data: bytes, rng: np.random.Generator) -> list[bytes]:
    flipped = bytearray(data)
    flipped[int(rng.integers(len(data)))] ^= 1 << int(rng.integers(8))
    other = cy.Client(None, cy.keygen(parameters())).key_bytes()
    return [b"", data[: int(rng.integers(1, len(data)))], bytes(flipped), data + b"x", bytes(len(data)), other]


@pytest.mark.parametrize("workers", [0, 1])
def test_a_damaged_file_is_sent_again(workers: int, tmp_path: Path, rng: np.random.Generator) -> None:
    """Also one in whose place others' keys were put, and one that is damaged while the server runs."""
    client = cy.Client(None, keys())
    name, data = client.fingerprint, client.key_bytes()
    place = f"{session_jobs.__file__}:FUNCTIONS"
    for damage in damages(data, rng):
        for running in (False, True):
            with cy.Server(place, workers=workers, device=HOME, folder=tmp_path, allow_insecure=True) as server:
                if running:
                    server.add_keys(data, "ada")
                (tmp_path / name).write_bytes(damage)
                if not running:
                    server.keys.adopted(name, Stored(len(damage), 0), "ada")
                request = client.request([1, 2, 3], bound=5)
                with pytest.raises(errors.UnknownKeysError):
                    server.call("total", request, name)
                assert not (tmp_path / name).exists() and server.keys.nbytes == 0
                for _ in range(2):
                    assert ask(server) == 6
                assert (tmp_path / name).read_bytes() == data


def test_damage_that_a_request_has_is_not_the_keys(tmp_path: Path) -> None:
    with cy.Server(JOBS, folder=tmp_path, allow_insecure=True) as server:
        name = server.add_keys(cy.Client(None, keys()).key_bytes())
        stranger = cy.Client(None, cy.keygen(parameters()))
        for _ in range(2):
            with pytest.raises(errors.FormatError):
                server.call("total", b"garbage", name)
            with pytest.raises(errors.MismatchError):
                server.call("total", stranger.request([1], bound=5), name)
        assert (tmp_path / name).exists() and ask(server) == 6


def test_keys_reach_the_disk_before_anybody_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """File and owners first, then the name, then the folder."""
    seen: list[str] = []
    sync, replace = os.fsync, os.replace

    def synced(handle: int) -> None:
        seen.append(f"sync {Path(os.readlink(f'/proc/self/fd/{handle}')).name}")
        sync(handle)

    def named(old: Any, new: Any) -> None:
        seen.append("name")
        replace(old, new)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(os, "replace", named)
    store = KeyStore(tmp_path / "keys", cy.sessions.Quotas())
    with store.upload("ada") as upload:
        upload.write(b"keys")
        left = upload.path.name
        name = upload.finish()
    assert seen == [f"sync {left}", f"sync {name}.owners", "name", "sync keys"]


def test_owners_and_quotas_outlive_the_server(tmp_path: Path) -> None:
    data = [cy.Client(None, cy.keygen(parameters())).key_bytes() for _ in range(3)]
    quotas = cy.sessions.Quotas(client_key_bytes=2 * len(data[0]) + 50)
    with cy.Server(JOBS, folder=tmp_path, allow_insecure=True, quotas=quotas) as server:
        names = [server.add_keys(each, "ada") for each in data[:2]]
        server.add_keys(data[0], "bob")
    for _ in range(2):
        with cy.Server(JOBS, folder=tmp_path, allow_insecure=True, quotas=quotas) as server:
            assert server.keys.owned("ada") == 2 * len(data[0]) and server.keys.owned("bob") == len(data[0])
            with pytest.raises(errors.QuotaError, match="your keys"):
                server.add_keys(data[2], "ada")
            with pytest.raises(errors.UnknownKeysError, match="sent no such"):
                server.forget_keys(names[1], "bob")
    with cy.Server(JOBS, folder=tmp_path, allow_insecure=True, quotas=quotas) as server:
        server.forget_keys(names[0], "ada")
        assert server.keys.path(names[0])  # Bob's
        server.forget_keys(names[0], "bob")
        server.forget_keys(names[1], "ada")
    assert list(tmp_path.iterdir()) == []  # erased


def test_owners_of_a_crash_in_the_middle_are_read(tmp_path: Path) -> None:
    store = KeyStore(tmp_path, cy.sessions.Quotas())
    with store.upload("ada") as upload:
        upload.write(b"keys")
        name = upload.finish()
    owners = tmp_path / f"{name}.owners"
    owners.write_bytes(owners.read_bytes() + b"\n+" + owner_of("eve")[:20].encode())
    orphan = tmp_path / f"{'0' * 64}.owners"
    orphan.write_text("of keys that are about to get their name, as far as anybody can tell")
    KeyStore(tmp_path, cy.sessions.Quotas())
    assert orphan.exists()
    os.utime(orphan, (0, 0))  # left behind by a crash
    again = KeyStore(tmp_path, cy.sessions.Quotas())
    assert again.owned("ada") == 4 and again.owned("eve") == 0
    again.forget(name, "ada")
    assert list(tmp_path.iterdir()) == []
    assert "ada" not in owners.name and owner_of("\ud800") != owner_of("ada")  # any name


def test_two_servers_have_one_folder(tmp_path: Path) -> None:
    data = cy.Client(None, keys()).key_bytes()
    with cy.Server(JOBS, folder=tmp_path, allow_insecure=True) as a:
        upload = a.keys.upload("ada")
        upload.write(data[:1000])
        with cy.Server(JOBS, folder=tmp_path, allow_insecure=True) as b:  # starts in the middle of the upload
            upload.write(data[1000:])
            name = a.finish_keys(upload)[0]
            upload.__exit__()
            request = cy.Client(None, keys()).request([1, 2, 3], bound=5)
            assert len(b.call("total", request, name)) > 100  # keys that the other one was sent
            assert b.keys.owned("ada") == len(data)
            b.forget_keys(name, "ada")
            for each in (a, b):
                with pytest.raises(errors.UnknownKeysError):
                    each.call("total", request, name)
                assert each.keys.nbytes == 0


def test_an_upload_is_left_only_when_its_writer_is_gone(tmp_path: Path) -> None:
    program = (
        "import sys, time, pathlib, cyclotome as cy\n"
        "from cyclotome.sessions.key_store import KeyStore\n"
        "upload = KeyStore(pathlib.Path(sys.argv[1]), cy.sessions.Quotas()).upload('ada')\n"
        "upload.write(b'half')\n"
        "print(upload.path.name, flush=True)\n"
        "time.sleep(600)\n"
    )
    with subprocess.Popen([sys.executable, "-c", program, tmp_path], stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        name = other.stdout.readline().strip()
        KeyStore(tmp_path, cy.sessions.Quotas())
        assert (tmp_path / name).exists()
        other.kill()
    KeyStore(tmp_path, cy.sessions.Quotas())
    assert not (tmp_path / name).exists()


def test_keys_that_another_server_uses_are_not_idle(tmp_path: Path) -> None:
    now = [0.0]
    quotas = cy.sessions.Quotas(all_key_bytes=10, key_idle_seconds=80)
    a, b = (KeyStore(tmp_path, quotas, clock=lambda: now[0]) for _ in range(2))

    def add(store: KeyStore, data: bytes) -> str:
        with store.upload("ada") as upload:
            upload.write(data)
            return upload.finish()

    first, second = add(a, b"1111"), add(a, b"2222")
    now[0] = 70.0
    time.sleep(0.02)  # so that its time in the folder is another one
    b.path(first)
    now[0] = 100.0
    third = add(a, b"3333")
    assert {first, third} == {path.name for path in tmp_path.iterdir() if len(path.name) == 64}
    with pytest.raises(errors.UnknownKeysError):
        b.path(second)


def test_pieces_after_the_end_are_not_counted(tmp_path: Path) -> None:
    store = KeyStore(tmp_path, cy.sessions.Quotas())
    with store.upload("ada") as upload:
        upload.write(b"half")
    with pytest.raises(errors.FileError):
        upload.write(b"the other half")
    assert store.nbytes == 0 and list(tmp_path.iterdir()) == []


def test_random_events_keep_the_books(tmp_path: Path, rng: np.random.Generator) -> None:
    """Two stores on one folder, against a dictionary of who has sent what."""
    stores = [KeyStore(tmp_path, cy.sessions.Quotas(), durable=False) for _ in range(2)]
    owners: dict[str, set[str]] = {}
    for _ in range(300):
        store, client = stores[int(rng.integers(2))], str(rng.integers(3))
        data = bytes([int(rng.integers(4))]) * 10
        name = hashlib.sha256(data).hexdigest()
        event = int(rng.integers(4))
        if event == 0:
            with store.upload(client) as upload:
                upload.write(data)
                upload.finish()
            owners.setdefault(name, set()).add(client)
        elif event == 1 and client in owners.get(name, set()):
            store.forget(name, client)
            owners[name].discard(client)
        elif event == 2:
            stores[int(rng.integers(2))] = KeyStore(tmp_path, cy.sessions.Quotas(), durable=False)
        elif owners.get(name):
            assert store.path(name)
        else:
            with pytest.raises(errors.UnknownKeysError):
                store.path(name)
    whole = KeyStore(tmp_path, cy.sessions.Quotas())
    assert whole.nbytes == 10 * sum(map(bool, owners.values()))
    for client in "012":
        assert whole.owned(client) == 10 * sum(client in each for each in owners.values())


# --- what does not grow -----------------------------------------------------------------------------------------------
def cost(work: Callable[[], object], least_of: int = 7) -> float:
    """Processor time of this thread, the least of several."""
    found = []
    for _ in range(least_of):
        began = time.thread_time()
        for _ in range(50):
            work()
        found.append(time.thread_time() - began)
    return min(found) / 50


def filled(count: int, folder: Path) -> KeyStore:
    """A store that knows so many keys, without their files."""
    store = KeyStore(folder, cy.sessions.Quotas(all_key_bytes=1 << 60, client_key_bytes=1 << 50), durable=False)
    for i in range(count):
        store.adopted(f"{i:064x}", Stored(4 << 20, 0), f"c{i % 1000}")
    return store


def once(admission: Admission) -> None:
    with admission.job("somebody"):
        pass


def test_a_hundred_times_as_many_keys_clients_and_tokens_cost_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each step is allowed ten times what it costs among a hundredth, so that only growth with all of them fails."""
    monkeypatch.setattr(KeyFolder, "owners", lambda *_: set())
    costs: dict[str, list[float]] = {}
    for count in (300, 30_000):
        store = filled(count, tmp_path / str(count))
        (tmp_path / str(count) / f"{7:064x}").write_bytes(b"")
        now = [0.0]
        admission = Admission(cy.sessions.Quotas(client_seconds_per_minute=1e-5), clock=lambda now=now: now[0])
        for i in range(count):
            with admission.job(f"c{i}"):
                now[0] += 1e-9
        assert admission.filling > count // 2
        (tmp_path / "tokens").write_text(
            "".join(f"c{i}:{hashlib.sha256(b'%d' % i).hexdigest()}\n" for i in range(count))
        )
        clients = Clients(tmp_path / "tokens")
        request = SimpleNamespace(url=SimpleNamespace(path="/v1"), headers={"authorization": "Bearer 7"})
        assert clients.name(request) == "c7"

        def piece(store: KeyStore = store) -> None:
            store.arriving("c1", 65536)
            store.arrived("c1", 65536)

        for name, work in {
            "a piece of an upload": piece,
            "bytes of all keys": lambda store=store: store.nbytes,
            "a use of keys": lambda store=store: store.path(f"{7:064x}"),
            "a job": lambda admission=admission: once(admission),
            "a token": lambda clients=clients, request=request: clients.name(request),
        }.items():
            costs.setdefault(name, []).append(cost(work))
    for name, (few, many) in costs.items():
        assert many < 10 * few + 2e-6, (name, few, many)
