# SPDX-License-Identifier: Apache-2.0
"""A service to which bad things happen while honest clients ask it: what they do, and what came of it."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import cyclotome as cy
import numpy as np
from cyclotome import errors
from cyclotome.sessions.remote import Remote
from service_runner import Running
from small import parameters

BOUND = 50


class Chaos:
    """Clients, and what happens to the service that they ask.

    Args:
        folder: for keys, and for the mark whose absence ends a process in the middle of its answer.
        jobs: where the functions are: `session_jobs.CHAOS`.
        clients: honest ones, and others that send garbage, or nothing for a while.
        made: parameters.
    """

    def __init__(self, folder: Path, jobs: str, seed: int, clients: int = 6, made: cy.Parameters | None = None) -> None:
        self.random, self.jobs, self.clients = random.Random(seed), jobs, clients
        self.keys, self.mark = folder / "keys", folder / "mark"
        self.mark.touch()
        self.counts: Counter[str] = Counter()
        self.wrong: list[str] = []
        self._lock, self._end = threading.Lock(), threading.Event()
        #: When each client asked what may be ended in the middle of its answer, while it has none.
        self._asked: dict[int, float] = {}
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = int(free.getsockname()[1])
        self.owners = [cy.keygen(made or parameters(), device="cpu:1") for _ in range(3)]
        self.service = self._started()

    def _started(self) -> Running:
        return Running(
            *("--port", self.port, "--workers", 2, "--jobs", 2, "--keys-folder", self.keys, "--allow-insecure"),
            *("--header-seconds", 2, "--body-seconds", 5, "--seconds", 60),
            jobs=self.jobs,
            env={"CYCLOTOME_TEST_MARK": str(self.mark)},
            patience=600,  # beside what keeps the machine busy
        )  # fmt: skip

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def told(self, what: str) -> None:
        with self._lock:
            self.counts[what] += 1

    def failed(self, what: str) -> None:
        with self._lock:
            self.wrong.append(what)

    # --- clients ------------------------------------------------------------------------------------------------------
    def honest(self, seed: int) -> None:
        """Asks, and asks again where the service was not there; every answer is opened and compared."""
        rng = np.random.default_rng(seed)
        while not self._end.is_set():
            owner = self.owners[int(rng.integers(len(self.owners)))]
            a, b = rng.integers(-BOUND, BOUND + 1, (2, 5))
            name, arguments, expected = [
                ("total", (a,), [a.sum()]),
                ("product", (a, b), [a * b]),
                ("several", (a, b), [a + b, a - b]),
                ("dies_answering_once", (a,), [a + 1]),
            ][int(rng.integers(4))]
            if name == "dies_answering_once":
                self._asked[seed] = time.time()
            while not self._end.is_set():
                try:
                    with cy.Client(self.url, owner, timeout=60, allow_insecure=True) as client:
                        found = client.call(name, *arguments, bound=BOUND)
                except errors.ServiceError as error:  # nobody there, or gone in the middle; 5xx have other types
                    if " answers status" in str(error):
                        self.failed(f"{name}: {error}")
                    self.told("lost connections")
                    time.sleep(0.2)
                    continue
                except errors.CyclotomeError as error:
                    self.failed(f"{name}: {type(error).__name__}: {error}")
                    break
                given = found if isinstance(found, list) else [found]
                if all(np.array_equal(x, y) for x, y in zip(given, expected, strict=True)):
                    self.told("right answers")
                else:
                    self.failed(f"{name}: {given}, not {expected}")
                break
            self._asked.pop(seed, None)

    def garbage(self, seed: int) -> None:
        """Sends what is none."""
        draw = random.Random(seed)
        owner = cy.Client(None, self.owners[0])
        request = owner.request([1, 2], bound=5)
        while not self._end.is_set():
            flipped = bytearray(request)
            flipped[draw.randrange(len(request))] ^= 1 << draw.randrange(8)
            body = draw.choice([draw.randbytes(500), bytes(flipped), request[: draw.randrange(len(request))]])
            remote = Remote(self.url, timeout=5)
            try:
                if draw.random() < 0.3:
                    remote.add_keys(body)
                else:
                    remote.call("total", body, owner.fingerprint)
                self.failed("garbage was taken")
            except errors.FunctionError as error:
                self.failed(f"garbage: {type(error).__name__}: {error}")
            except errors.CyclotomeError:
                self.told("garbage refused")
            finally:
                remote.close()
            time.sleep(0.05)

    def slow(self) -> None:
        """Begins requests and does not go on."""
        while not self._end.is_set():
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), timeout=5) as link:
                link.sendall(b"POST /v1/keys HTTP/1.1\r\nContent-")
                link.settimeout(10)
                link.recv(1000)
            self.told("slow clients")
            time.sleep(0.2)

    # --- what happens -------------------------------------------------------------------------------------------------
    def kill_worker(self) -> None:
        workers = [pid for pid in self.service.family() if "spawn_main" in _command(pid)]
        if workers:
            with contextlib.suppress(OSError):
                os.kill(self.random.choice(workers), signal.SIGKILL)
            self.told("workers killed")

    def kill_in_answer(self) -> None:
        """Unless one that was ended so is not answered yet: a job is done three times, and a slow machine gets to no
        more between two ends."""
        with contextlib.suppress(OSError):
            ended = self.mark.stat().st_mtime
            if any(asked <= ended for asked in list(self._asked.values())):
                return
        self.mark.unlink(missing_ok=True)
        self.told("workers killed in the middle of an answer")

    def damage(self) -> None:
        stored = [path for path in self.keys.glob("*") if len(path.name) == 64]
        if stored:
            path = self.random.choice(stored)
            with contextlib.suppress(OSError):
                data = bytearray(path.read_bytes())
                if data:  # nothing is left of one that was damaged before
                    data[self.random.randrange(len(data))] ^= 1 << self.random.randrange(8)
                path.write_bytes(self.random.choice([b"", data[: len(data) // 2], data]))
            self.told("stored keys damaged")

    def kill_service(self) -> None:
        """Without a word; its workers end with it, and another takes its place."""
        family = self.service.family()
        self.service.process.kill()
        self.service.stop()
        until = time.monotonic() + 60
        while time.monotonic() < until and any("spawn_main" in _command(pid) for pid in family):
            time.sleep(0.05)
        left = [pid for pid in family if "spawn_main" in _command(pid)]
        if left or "terminate called" in "".join(self.service.raw):
            self.failed(f"the service left {left}, {self.service.raw[-3:]}")
        self.service = self._started()
        self.told("services killed")

    def run(self, events: list[Callable[[], None]], pause: float, least: int) -> None:
        """Lets these things happen, one after the other; goes on until so many right answers are there after the last
        one, for two minutes at most."""
        seeds = [self.random.getrandbits(32) for _ in range(self.clients)]
        threads = [threading.Thread(target=self.honest, args=(seed,)) for seed in seeds]
        threads += [threading.Thread(target=self.garbage, args=(self.random.getrandbits(32),))]
        threads += [threading.Thread(target=self.slow)]
        for thread in threads:
            thread.start()
        try:
            for event in events:
                time.sleep(pause)
                event()
            wanted, until = self.counts["right answers"] + least, time.monotonic() + 120
            while self.counts["right answers"] < wanted and time.monotonic() < until:
                time.sleep(0.1)
        finally:
            print(dict(self.counts), len(self.wrong), self.wrong[:3])  # whatever ended it
            self._end.set()
            for thread in threads:
                thread.join(120)
            self.service.stop()


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
    except OSError:
        return ""
