# SPDX-License-Identifier: Apache-2.0
"""Runs cases in which the k-th call of a kind fails, each k in a child of its own: a process for test_faults.py, which
has test/faults/shim.cpp loaded before everything else.

    python fault_runner.py SAMPLE SEED [CASE ...]

SAMPLE is how many k of each case's allocations are tried; 0: all, as of the other kinds. Prints a JSON line for each
case and kind.
"""

from __future__ import annotations

import contextlib
import ctypes
import fnmatch
import json
import os
import random
import signal
import sys
import tempfile
import traceback
from collections import Counter
from pathlib import Path
from typing import Any

TESTS = Path(__file__).parents[1]
sys.path.insert(0, str(TESTS))
sys.path.insert(0, str(TESTS / "helpers"))

from cyclotome.errors import CyclotomeError  # noqa: E402
from fault_cases import Case, World  # noqa: E402

#: As the shim numbers them.
KINDS = ("allocation", "write", "flush", "open", "name", "rights", "thread")
#: What a call without memory may raise; commands have an exit code.
OF_MEMORY = ("MemoryError", "MemoryLimitError", "CommandFailed")
#: Seconds after which a child is taken to hang.
PATIENCE = 120
#: Of a case that takes seconds.
FEW = 1


class Faults:
    """The shim's switch."""

    def __init__(self) -> None:
        self._shim = ctypes.CDLL(None)
        self._shim.faults_arm.argtypes = [ctypes.c_uint, ctypes.c_long, ctypes.c_bool, ctypes.c_char_p]
        self._shim.faults_disarm.restype = ctypes.c_long
        self._shim.faults_failed.restype = ctypes.c_long

    def arm(self, kind: int, number: int, onwards: bool) -> None:
        self._shim.faults_arm(kind, number, onwards, b"cyclotome/_core")

    def disarm(self) -> int:
        return int(self._shim.faults_disarm())

    @property
    def failed(self) -> int:
        return int(self._shim.faults_failed())


def tried(faults: Faults, case: Case, kind: int, number: int, onwards: bool) -> tuple[str, int]:
    """How the case ended whose call `number` failed, and how many calls there were. In a child, which ends after it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        case.prepare(folder)
        before = {path.name: path.read_bytes() for path in folder.iterdir()}
        ended, found, said = "right", None, ""
        faults.arm(kind, number, onwards)
        try:
            found = case.act(folder)
        except (CyclotomeError, MemoryError) as error:
            ended, said = type(error).__name__, str(error)
        finally:
            calls = faults.disarm()
        after = {path.name: path.read_bytes() for path in folder.iterdir()}
        strange = [each for each in after if not any(fnmatch.fnmatch(each, known) for known in case.files)]
        assert not strange, f"{ended}, and these are left: {strange}"
        if ended == "right":
            assert case.right(found), f"wrong: {found!r:.200}"
        else:
            assert faults.failed, f"{ended} though nothing failed"
            # What lacks memory says so: any other error is one of what was computed from half of something.
            assert kind != 0 or ended in OF_MEMORY, f"{ended} where an allocation failed: {said}"
            old, new = (_others(files, case.spent) for files in (before, after))
            assert new == old, f"{ended}, and files are others: {sorted(after)}, before {sorted(before)}"
            assert case.still(folder), f"{ended}, and what is there is not what it may be"
        # The same call, with nothing that fails: whatever was begun is as it was.
        for path in folder.iterdir():
            path.unlink()
        case.prepare(folder)
        assert case.right(case.act(folder)), f"{ended}, and wrong when it is done again"
    return ended, calls


def _others(files: dict[str, bytes], spent: tuple[str, ...]) -> dict[str, bytes]:
    """Without those that may have gone on."""
    return {name: data for name, data in files.items() if not any(fnmatch.fnmatch(name, each) for each in spent)}


def child(faults: Faults, case: Case, kind: int, number: int, onwards: bool) -> dict[str, Any]:
    """`tried`, in a process that may die of it."""
    reading, writing = os.pipe()
    process = os.fork()
    if process == 0:
        os.close(reading)
        signal.alarm(PATIENCE)
        try:
            ended, calls = tried(faults, case, kind, number, onwards)
            said: dict[str, Any] = {"ended": ended, "calls": calls}
        except BaseException:  # whatever it is, the parent says it
            faults.disarm()
            said = {"failure": traceback.format_exc()[-500:]}
        with contextlib.suppress(BaseException):
            os.write(writing, json.dumps(said).encode())
        os._exit(0)
    os.close(writing)
    data = b""
    while piece := os.read(reading, 1 << 16):
        data += piece
    os.close(reading)
    status = os.waitpid(process, 0)[1]
    if os.WIFSIGNALED(status):
        return {"failure": f"ended by signal {os.WTERMSIG(status)}"}
    found: dict[str, Any] = json.loads(data) if data else {"failure": f"ended with status {status}"}
    return found


def numbers(calls: int, called: str, sample: int, slow: bool, draw: random.Random) -> list[int]:
    """Which k are tried: of allocations, and where one takes seconds, the first, the last, and others between; of what
    else there is, which is little, all."""
    every = range(1, calls + 1)
    wanted = min(sample, FEW) if slow and sample else sample if called == "allocation" or slow else 0
    if not wanted or wanted >= calls:
        return list(every)
    return sorted({1, calls, *draw.sample(every, wanted)})


def main() -> None:
    sample, seed, *wanted = sys.argv[1:]
    draw, faults = random.Random(int(seed)), Faults()
    with tempfile.TemporaryDirectory() as folder:
        for name, case in World(Path(folder)).cases().items():
            if wanted and not any(fnmatch.fnmatch(name, each) for each in wanted):
                continue
            for kind, called in enumerate(KINDS):
                first = child(faults, case, kind, 0, False)
                ends: Counter[str] = Counter()
                failures = [] if "calls" in first else [{"k": 0, **first}]
                for number in numbers(first.get("calls", 0), called, int(sample), case.slow, draw):
                    # Where no name can be changed from then on, nothing that was begun can be taken back.
                    for onwards in (False,) if called == "name" else (False, True):
                        found = child(faults, case, kind, number, onwards)
                        ends[found.get("ended", "failure")] += 1
                        if "failure" in found:
                            failures.append({"k": number, "onwards": onwards, **found})
                line = {"case": name, "kind": called, "calls": first.get("calls"), "ends": ends, "failures": failures}
                print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
