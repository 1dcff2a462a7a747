# SPDX-License-Identifier: Apache-2.0
"""Starts the parties as processes of their own, one after the other, and gathers what they tell and what came out."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from cyclotome.errors import CyclotomeError

from cyclotome_demo import referee
from cyclotome_demo.party import TASKS
from cyclotome_demo.referee import Verdict
from cyclotome_demo.task import Task

#: Called with every event that a party tells.
Listener = Callable[[dict[str, Any]], None]


class PartyError(CyclotomeError, RuntimeError):
    """A party's process failed."""


@dataclass
class Process:
    """One process of the demo: who, what it did, its id, how long it took."""

    party: str
    action: str
    pid: int
    seconds: float


@dataclass
class Job:
    """One task: its steps as (party, what, seconds, facts), and the referee's verdict."""

    key: str
    title: str
    steps: list[dict[str, Any]] = field(default_factory=list)
    verdict: Verdict | None = None

    def fact(self, party: str, what: str, name: str) -> Any:
        """A fact that a party told about one step, or None."""
        for step in self.steps:
            if step["party"] == party and step["what"] == what:
                return step["facts"].get(name)
        return None

    def seconds(self, party: str, what: str) -> float:
        """How long one step took."""
        return float(sum(s["seconds"] for s in self.steps if s["party"] == party and s["what"] == what))


@dataclass
class Outcome:
    """Everything that happened."""

    processes: list[Process]
    jobs: list[Job]
    server_blind: bool
    seconds: float

    @property
    def passed(self) -> bool:
        """Every answer equal, and no secret key within the server's reach."""
        return self.server_blind and all(job.verdict is not None and job.verdict.equal for job in self.jobs)

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        return {**asdict(self), "passed": self.passed}


class Runner:
    """Runs the demo in a folder with three subfolders: client, server and exchange."""

    def __init__(
        self,
        folder: Path,
        *,
        quick: bool = False,
        device: str = "cpu",
        tasks: Sequence[Task] = TASKS,
        listener: Listener | None = None,
    ) -> None:
        self.client, self.server, self.exchange = (folder / name for name in ("client", "server", "exchange"))
        self._quick = quick
        self._device = device
        self._tasks = list(tasks)
        self._jobs = {task.key: Job(task.key, task.title) for task in tasks}
        self._listener = listener

    def run(self) -> Outcome:
        """Runs all three processes and judges the result. Raises PartyError when one of them fails."""
        start = time.perf_counter()
        processes = [
            self._process("client", "encrypt", self.client),
            self._process("server", "compute", self.server),
            self._process("client", "decrypt", self.client),
        ]
        for task in self._tasks:
            self._hear({"event": "judge", "task": task.key, "party": "referee", "what": "compare with plaintext"})
            self._jobs[task.key].verdict = referee.judge(task, self.client, self.server)
        blind = referee.server_is_blind(self.server, self.exchange)
        return Outcome(processes, list(self._jobs.values()), blind, time.perf_counter() - start)

    def _hear(self, event: dict[str, Any]) -> None:
        if event["event"] == "end":
            step = {name: event[name] for name in ("party", "what", "seconds", "facts")}
            self._jobs[event["task"]].steps.append(step)
        if self._listener is not None:
            self._listener(event)

    def _process(self, party: str, action: str, home: Path) -> Process:
        command = [sys.executable, "-m", f"cyclotome_demo.{party}", *([action] if party == "client" else [])]
        command += ["--home", str(home), "--exchange", str(self.exchange), "--device", self._device, "--events"]
        command += ["--quick"] if self._quick else []
        for task in self._tasks:
            command += ["--task", task.key]
        start = time.perf_counter()
        with tempfile.TemporaryFile("w+") as complaints:
            with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=complaints, text=True) as process:
                assert process.stdout is not None
                self._hear({"event": "process", "party": party, "action": action, "pid": process.pid})
                try:
                    for line in process.stdout:
                        self._hear(json.loads(line))
                except BaseException:
                    process.kill()
                    raise
            if process.returncode != 0:
                complaints.seek(0)
                reason = complaints.read().strip() or "it said nothing"
                raise PartyError(f"{party} {action} ended with status {process.returncode}: {reason}")
        return Process(party, action, process.pid, time.perf_counter() - start)
