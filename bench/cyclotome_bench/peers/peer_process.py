# SPDX-License-Identifier: Apache-2.0
"""The peer in processes of its own: SEAL computes on one thread and holds Python's lock while it does, so using all
cores takes several processes; and its memory can only be told from outside.

A process reads one line of JSON (a problem), answers "ready", then obeys lines: "run OPERATION LOOPS" answers "done",
"memory OPERATION" answers a number of bytes. It ends when its input does.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict
from types import TracebackType
from typing import Any

from cyclotome_bench.peers.seal import PeerError, Seal
from cyclotome_bench.sets import Problem

__all__ = ["PeerProcesses", "peer_memory"]


class PeerProcesses:
    """`count` processes with the same problem, for use in a with statement; they are started when it is entered."""

    def __init__(self, problem: Problem, count: int) -> None:
        self.problem, self.count = problem, count
        self.processes: list[subprocess.Popen[str]] = []

    def __enter__(self) -> PeerProcesses:
        arguments = [sys.executable, "-m", "cyclotome_bench.peers.peer_process"]
        line = json.dumps({**asdict(self.problem), "chains": []})
        for _ in range(self.count):
            # Ctrl-C is for the benchmark alone, which then ends them.
            self.processes.append(
                subprocess.Popen(
                    arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
                )
            )
        try:
            self._ask(line)
        except BaseException:
            self._end(kill=True)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end(kill=kind is not None)

    def _end(self, kill: bool) -> None:
        for process in self.processes:
            assert process.stdin is not None and process.stdout is not None
            if kill:
                process.kill()
            with contextlib.suppress(BrokenPipeError):
                process.stdin.close()
            process.stdout.close()
            process.wait()

    def run(self, operation: str, loops: int) -> None:
        """All processes run an operation `loops` times at once; returns when the last one is done."""
        self._ask(f"run {operation} {loops}")

    def memory(self, operation: str) -> int | None:
        """Bytes by which the first process grew in its first run of an operation; None if its system cannot tell."""
        answer = self._ask(f"memory {operation}")[0]
        return None if answer == "unknown" else int(answer)

    def _ask(self, line: str) -> list[str]:
        answers = []
        with contextlib.suppress(BrokenPipeError):  # then there is no answer either
            for process in self.processes:
                assert process.stdin is not None
                process.stdin.write(line + "\n")
                process.stdin.flush()
        for process in self.processes:
            assert process.stdout is not None
            answer = process.stdout.readline().strip()
            if not answer:
                raise PeerError(f"a process of the peer ended with code {process.wait()} on {line.split()[0]!r}")
            answers.append(answer)
        return answers


def peer_memory(problem: Problem, operation: str) -> int | None:
    """The peak of the peer's memory for one operation, as `Ours.memory` counts it: operands, scratch and result.

    From the growth of the resident memory of a process that has only made operands and the key in question, on Linux;
    elsewhere None. Memory that SEAL's pool kept from making keys is not seen, so the figure is a lower bound.
    """
    with PeerProcesses(problem, 1) as processes:
        growth = processes.memory(operation)
    operands = 2 * 2 * max(len(problem.peer_moduli) - 1, 1) * problem.degree * 8
    return None if growth is None else growth + operands


def _growth(action: Callable[[], Any]) -> int | None:
    """Bytes by which the peak of resident memory exceeds the resident memory before."""
    try:
        with open("/proc/self/clear_refs", "w") as file:
            file.write("5")
        before = _status("VmRSS")
        result = action()
        peak = _status("VmHWM")
        del result
    except OSError:
        return None
    return max(0, peak - before)


def _status(name: str) -> int:
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith(name + ":"))


def _main() -> None:
    literal = json.loads(sys.stdin.readline())
    literal["chains"], literal["peer_moduli"] = (), tuple(literal["peer_moduli"])
    seal = Seal(Problem(**literal))
    print("ready", flush=True)
    for line in sys.stdin:
        verb, operation, *rest = line.split()
        action = seal.operations[operation]
        if verb == "memory":
            if operation == "multiply_relinearize":
                _ = seal.relinearization  # the key is no part of the operation
            growth = _growth(action)
            print("unknown" if growth is None else growth, flush=True)
        else:
            for _ in range(int(rest[0])):
                action()
            print("done", flush=True)


if __name__ == "__main__":
    _main()
