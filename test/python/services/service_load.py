# SPDX-License-Identifier: Apache-2.0
"""Many clients at once, garbage among them: what each does, and what came of it."""

from __future__ import annotations

import asyncio
import contextlib
import random
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import cyclotome as cy
import numpy as np
from service_runner import Running

#: Of the clients, so many in a hundred send garbage, go away in the middle, and let the service wait.
GARBAGE, LEAVING, SLOW = 20, 5, 3
BOUND = 50


@dataclass
class Question:
    """A request, the keys that it needs, and what its answer must be."""

    path: str
    body: bytes
    client: cy.Client
    expected: Any


@dataclass
class Outcome:
    """What came of it all."""

    answers: int = 0
    wrong: list[str] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)
    later: int = 0
    seconds: list[float] = field(default_factory=list)
    resident: list[tuple[float, int]] = field(default_factory=list)

    def figures(self, running: Running, elapsed: float, clients: int) -> dict[str, Any]:
        """For people."""
        times = sorted(self.seconds) or [0.0]
        return {
            "clients": clients,
            "seconds": round(elapsed, 1),
            "right answers": self.answers,
            "wrong answers": len(self.wrong),
            "refused": dict(self.refused),
            "asked again later": self.later,
            "median and 99th percentile in s": [
                round(times[len(times) // 2], 3),
                round(times[int(len(times) * 0.99)], 3),
            ],
            "largest resident MiB": round(max(size for _, size in self.resident) / 2**20),
            "last resident MiB": round(self.resident[-1][1] / 2**20),
        }


def questions(owners: list[cy.Client], names: list[str], rng: np.random.Generator, each: int) -> list[Question]:
    """Requests of several clients, with their answers."""
    made = []
    for owner, name in zip(owners, names, strict=True):
        for _ in range(each):
            a, b = rng.integers(-BOUND, BOUND + 1, (2, 6))
            made += [
                Question(f"/v1/call/product?keys={name}", owner.request(a, b, bound=BOUND), owner, a * b),
                Question(f"/v1/call/several?keys={name}", owner.request(a, b, bound=BOUND), owner, [a + b, a - b]),
                Question(f"/v1/call/total?keys={name}", owner.request(a, bound=BOUND), owner, a.sum()),
            ]
    return made


async def exchange(running: Running, head: str, body: bytes, stop_at: int | None = None) -> tuple[int, bytes]:
    """One request on a connection of its own; status 0 if it was left in the middle."""
    host, port = running.address.rsplit(":", 1)
    reader, writer = await asyncio.open_connection(host, int(port))
    try:
        writer.write(f"POST {head} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n".encode())
        writer.write(f"Content-Length: {len(body)}\r\n\r\n".encode())
        writer.write(body if stop_at is None else body[:stop_at])
        await writer.drain()
        if stop_at is not None:
            return 0, b""
        answer = await reader.read()
    finally:
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()
    status, _, rest = answer.partition(b"\r\n\r\n")
    return int(status.split(b" ", 2)[1]) if b" " in status else 0, rest


class Load:
    """``clients`` at once, for ``seconds``."""

    def __init__(self, running: Running, asked: list[Question], seed: int) -> None:
        self.running, self.asked, self.outcome = running, asked, Outcome()
        self.random = random.Random(seed)
        self.until = self.patience = 0.0
        self.least = 0

    def going(self) -> bool:
        """Until the time is over, and some answers are there: a machine that does other work too may take longer."""
        now = time.monotonic()
        return now < self.until or (self.outcome.answers < self.least and now < self.patience)

    async def _honest(self) -> None:
        while self.going():
            question = self.random.choice(self.asked)
            began = time.monotonic()
            try:
                status, body = await exchange(self.running, question.path, question.body)
            except OSError:
                self.outcome.later += 1
                await asyncio.sleep(0.2)
                continue
            if status in (0, 503):  # 0: closed without an answer, which is none
                self.outcome.later += 1
                await asyncio.sleep(0.2)
                continue
            if status != 200:
                self.outcome.wrong.append(f"{question.path}: {status} {body[:200]!r}")
                continue
            self.outcome.seconds.append(time.monotonic() - began)
            function = question.path.removeprefix("/v1/call/").partition("?")[0]
            given = question.client.read(body, function, question.body)
            if not all(np.array_equal(x, y) for x, y in zip(_list(given), _list(question.expected), strict=True)):
                self.outcome.wrong.append(f"{question.path}: {given}, not {question.expected}")
            self.outcome.answers += 1

    def _garbage(self) -> tuple[str, bytes]:
        question, other = self.random.sample(self.asked, 2)
        body, path = question.body, question.path
        flipped = bytearray(body)
        flipped[self.random.randrange(len(body))] ^= 1 << self.random.randrange(8)
        foreign = next(each for each in self.asked if each.client is not question.client)
        return self.random.choice(
            [
                (path, self.random.randbytes(self.random.randrange(1, 5000))),
                (path, bytes(flipped)),
                (path, body[: self.random.randrange(1, len(body))]),
                (path, body + other.body[:100]),
                (path, foreign.body),
                (path, b""),
                (path.replace("keys=", "keys=0"), body),
                ("/v1/call/nothing", body),
                ("/v1/keys", self.random.randbytes(3000)),
                ("/v1/keys", body),
                (path, body[:16] + (1 << 60).to_bytes(8, "little") + body[24:]),
            ]
        )

    async def _rude(self) -> None:
        while self.going():
            path, body = self._garbage()
            try:
                status, answer = await exchange(self.running, path, body)
            except OSError:
                self.outcome.refused["connection"] += 1
                continue
            if not 400 <= status < 500 and status not in (0, 503):
                self.outcome.wrong.append(f"garbage for {path}: {status} {answer[:200]!r}")
            self.outcome.refused[str(status)] += 1
            await asyncio.sleep(0.05)

    async def _leaving(self) -> None:
        while self.going():
            question = self.random.choice(self.asked)
            cut = self.random.randrange(len(question.body) + 1)
            with contextlib.suppress(OSError):
                await exchange(self.running, question.path, question.body, stop_at=cut)
            self.outcome.refused["left"] += 1
            await asyncio.sleep(0.1)

    async def _slow(self) -> None:
        host, port = self.running.address.rsplit(":", 1)
        while self.going():
            try:
                _, writer = await asyncio.open_connection(host, int(port))
                for letter in "POST /v1/keys HTTP/1.1":
                    writer.write(letter.encode())
                    await writer.drain()
                    await asyncio.sleep(0.5)
                    if not self.going():
                        break
                writer.close()
                await writer.wait_closed()
            except OSError:
                self.outcome.refused["slow"] += 1

    async def _watch(self) -> None:
        began = time.monotonic()
        while self.going():
            size = await asyncio.to_thread(self.running.resident)
            self.outcome.resident.append((time.monotonic() - began, size))
            await asyncio.sleep(0.5)

    async def run(self, clients: int, seconds: float, least: int) -> Outcome:
        self.until = time.monotonic() + seconds
        self.patience, self.least = self.until + 120, least
        parts = [(self._rude, GARBAGE), (self._leaving, LEAVING), (self._slow, SLOW)]
        works = [kind for kind, percent in parts for _ in range(max(1, clients * percent // 100))]
        works += [self._honest] * (clients - len(works))
        await asyncio.gather(self._watch(), *(work() for work in works))
        return self.outcome


def _list(values: Any) -> list[Any]:
    return values if isinstance(values, list) else [values]
