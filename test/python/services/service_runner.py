# SPDX-License-Identifier: Apache-2.0
"""``cyclotome serve`` as a process of its own, for tests: started, asked, looked at, stopped."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from types import TracebackType
from typing import Any

import session_jobs
from small import HOME

JOBS = f"{Path(session_jobs.__file__)}:FUNCTIONS"


class Running:
    """The service, from its first line that says where it listens to its end."""

    def __init__(
        self,
        *options: object,
        jobs: str | None = JOBS,
        limit: int | None = None,
        env: dict[str, str] | None = None,
        patience: float = 120,
    ) -> None:
        """``patience``: seconds that it may take until it listens."""
        told = ("--port", 0, "--device", HOME, *options)
        command = [sys.executable, "-m", "cyclotome", "serve", *([] if jobs is None else [jobs]), *map(str, told)]
        environment = {**os.environ, **(env or {})}
        if limit is not None:
            command = ["bash", "-c", f'ulimit -f {limit}; exec "$@"', "bash", *command]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment)
        self.lines: list[dict[str, Any]] = []
        self.raw: list[str] = []
        self._listening = threading.Event()
        self._reader = threading.Thread(target=self._read)
        self._reader.start()
        if not self._listening.wait(patience) or self.process.poll() is not None:
            self.process.kill()
            self.stop()
            raise AssertionError("".join(self.raw))

    def _read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.raw.append(line)
            try:
                self.lines.append(json.loads(line))
            except ValueError:
                continue
            if self.lines[-1].get("event") == "listening":
                self._listening.set()
        self._listening.set()

    @property
    def address(self) -> str:
        """Host and port."""
        return str(next(line["address"] for line in self.lines if line.get("event") == "listening"))

    @property
    def url(self) -> str:
        return f"http://{self.address}"

    def events(self, name: str) -> list[dict[str, Any]]:
        return [line for line in self.lines if line.get("event") == name]

    def family(self) -> list[int]:
        """The process and those that it started."""
        found, waiting = [], [self.process.pid]
        while waiting:
            pid = waiting.pop()
            found.append(pid)
            for task in Path(f"/proc/{pid}/task").glob("*/children"):
                waiting += map(int, task.read_text().split())
        return found

    def resident(self) -> int:
        """Bytes in memory of all of them, shared ones counted in each."""
        return sum(_status(pid, "VmRSS") for pid in self.family()) * 1024

    def files(self) -> int:
        """Open files of the process that listens."""
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def threads(self) -> int:
        return _status(self.process.pid, "Threads")

    def stop(self) -> int:
        """Ends it as an operator would; its exit status."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(60)
        self._reader.join(10)
        assert self.process.stderr is not None
        self.process.stderr.close()
        return status

    def __enter__(self) -> Running:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None):
        try:
            self.stop()
        finally:
            if self.process.poll() is None:
                self.process.kill()
                self.process.wait()


def _status(pid: int, field: str) -> int:
    try:
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith(f"{field}:"):
                return int(line.split()[1])
    except OSError:
        pass
    return 0
