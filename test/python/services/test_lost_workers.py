# SPDX-License-Identifier: Apache-2.0
"""Processes that end at the worst moment, and messages that no other process can read: answered rightly, or refused
with a type; never a wait that has no end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import cyclotome as cy
import mapped_jobs
import pytest
import session_jobs
from cyclotome import errors
from cyclotome.sessions.processes import Processes
from small import HOME, encrypted, keys, same

JOBS = f"{Path(session_jobs.__file__)}:LOST"


def test_a_worker_that_dies_in_the_middle_of_its_answer_costs_nothing(tmp_path: Path) -> None:
    batches = [(str(tmp_path / "mark") if i == 2 else "", encrypted([i, 3], 20)) for i in range(5)]
    found = cy.map(mapped_jobs.dies_answering_once, batches, workers=2, retries=1)
    for i, y in enumerate(found):
        same(y, [i * i, 9])
    assert (tmp_path / "mark").exists()
    with pytest.raises(errors.WorkerLostError):
        cy.map(mapped_jobs.dies_answering_once, [(str(tmp_path / "other"), encrypted([1], 5))], workers=1, retries=0)


@pytest.mark.parametrize("jobs", [1, 3])
@pytest.mark.parametrize("name", ["dies_once", "dies_answering_once"])
def test_a_server_does_a_lost_job_again(name: str, jobs: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CYCLOTOME_TEST_MARK", str(tmp_path / "mark"))
    with cy.Server(JOBS, workers=1, jobs=jobs, device=HOME, allow_insecure=True) as server:
        client = cy.Client(server, keys())
        client.send_keys()
        with ThreadPoolExecutor(4) as pool:
            beside = [pool.submit(client.call, "naps", [i], bound=9) for i in range(jobs - 1)]
            assert (client.call(name, [1, 2], bound=9) == [2, 3]).all()
            assert [int(each.result()[0]) for each in beside] == list(range(jobs - 1))
        with pytest.raises(errors.WorkerLostError):
            client.call("dies", [1], bound=9)
        assert client.call("total", [1, 2], bound=9) == 3
        assert len(server.processes.pids) == 1
    monkeypatch.setenv("CYCLOTOME_TEST_MARK", str(tmp_path / "again"))
    once = cy.Server(JOBS, workers=1, device=HOME, allow_insecure=True, retries=0)
    with once, pytest.raises(errors.WorkerLostError):
        cy.Client(once, keys()).call(name, [1, 2], bound=9)
    for wrong in (-1, True, 1.5, 101):
        with pytest.raises(errors.ArgumentError, match="retries"):
            cy.Server(JOBS, retries=wrong)


@pytest.mark.parametrize("lines", [1, 2])
def test_what_no_other_process_can_read_is_refused_and_the_line_goes_on(lines: int) -> None:
    processes = Processes(1, mapped_jobs.Called, lines=lines)
    try:
        for _ in range(lines + 1):
            for function, message in (("unsendable", 1), ("unreadable", 1), ("unreadable", 2)):
                with pytest.raises(errors.CyclotomeError):
                    processes.ask((function, message), 60)
            for message in (mapped_jobs.Unreadable(), mapped_jobs.Disguised()):
                with pytest.raises(errors.FunctionError):
                    processes.ask(("same", message), 60)
            for wrong in (lambda: 0, pytest):
                with pytest.raises(errors.UnsupportedError, match="between processes"):
                    processes.ask(("same", wrong), 60)
            with pytest.raises(errors.SecrecyError):
                processes.ask(("same", keys().secret), 60)
            assert processes.ask(("same", 7), 60) == 7
        assert processes.replaced == 0
    finally:
        processes.close()


def test_functions_that_no_process_can_import_are_refused() -> None:
    with pytest.raises(errors.UnsupportedError, match="stands by its name in a module"):
        cy.map(lambda x: x, [1], workers=1)
    for message in (mapped_jobs.Unreadable(), lambda: 0):
        with pytest.raises(errors.CyclotomeError):
            cy.map(mapped_jobs.same, [message], workers=1)
    for batch in (1, 2):
        with pytest.raises(errors.CyclotomeError):
            cy.map(mapped_jobs.unreadable, [batch], workers=1)


@pytest.mark.skipif(not Path("/proc").exists(), reason="looks at processes")
def test_workers_end_with_their_parent_whatever_they_compute(tmp_path: Path) -> None:
    """Killed without a word, it leaves nobody behind, and nobody who complains."""
    program = tmp_path / "program.py"
    program.write_text(
        "import sys, threading, cyclotome as cy\n"
        "if __name__ == '__main__':\n"
        f"    server = cy.Server({JOBS!r}, workers=1, jobs=2, allow_insecure=True)\n"
        "    client = cy.Client(server, cy.keygen(cy.Parameters.suggest(depth=1, value_bits=8)))\n"
        "    client.send_keys()\n"
        "    for _ in range(2):\n"
        "        threading.Thread(target=client.call, args=('computes', [1]), daemon=True).start()\n"
        "    while server.turns.running < 2: pass\n"
        "    threading.Event().wait(1)\n"
        "    print(*server.processes.pids, flush=True)\n"
        "    threading.Event().wait()\n"
    )
    with open(tmp_path / "errors", "wb") as told:
        running = subprocess.Popen([sys.executable, program], stdout=subprocess.PIPE, stderr=told, text=True)
    assert running.stdout is not None
    try:
        pids = [int(each) for each in running.stdout.readline().split()]
    finally:
        running.send_signal(signal.SIGKILL)
        running.wait()
        running.stdout.close()
    assert len(pids) == 1, (tmp_path / "errors").read_text()
    for _ in range(300):
        if not _alive(pids[0]):
            break
        time.sleep(0.1)
    assert not _alive(pids[0])
    assert "terminate" not in (tmp_path / "errors").read_text()


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
