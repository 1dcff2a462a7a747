# SPDX-License-Identifier: Apache-2.0
"""The pages on services and on scale: what they show runs, and prints what it says; their figures are the records'."""

from __future__ import annotations

import doctest
import json
import os
import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from cyclotome import errors, failures
from cyclotome.sessions import Quotas
from test_tutorial import OPTIONS, blocks

ROOT = Path(__file__).resolve().parents[3]
SERVICES, SCALE = "doc/services.md", "doc/scale.md"


@pytest.mark.parametrize(("page", "fewest"), [(SERVICES, 4), (SCALE, 1)])
def test_examples_run(page: str, fewest: int) -> None:
    names: dict[str, object] = {"__name__": "__main__"}
    runner = doctest.DocTestRunner(optionflags=OPTIONS)
    shown = [(line, text) for line, text in blocks(page) if ">>>" in text]
    assert len(shown) >= fewest
    for line, text in shown:
        test = doctest.DocTestParser().get_doctest(text, names, page, page, line)
        test.globs = names
        runner.run(test, clear_globs=False)
    assert runner.summarize(verbose=False).failed == 0


@pytest.mark.skipif(not (shutil.which("curl") and shutil.which("bash")), reason="takes bash and curl")
def test_commands_run_from_the_first_to_the_last(tmp_path: Path) -> None:
    """As one script, with the page's program between them, on a port that is free."""
    for package in ("fastapi", "uvicorn", "httpx", "prometheus_client"):
        pytest.importorskip(package, reason="the extra serve is not installed")
    text = (ROOT / SERVICES).read_text(encoding="utf-8")
    shell = re.findall(r"^```sh\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    programs = [block for _, block in blocks(SERVICES) if ">>>" not in block]
    assert len(shell) == 2 and len(programs) == 1
    (tmp_path / "program.py").write_text(programs[0])
    folder = tmp_path / "bin"
    folder.mkdir()
    for name, what in (("cyclotome", "-m cyclotome "), ("python", "")):
        (folder / name).write_text(f'#!/bin/sh\nexec {sys.executable} {what}"$@"\n')
        (folder / name).chmod(0o755)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    found = [str(Path(each).resolve()) for each in os.environ.get("PYTHONPATH", "").split(os.pathsep) if each]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(found), "COLUMNS": "200"}
    script = "\n".join([shell[0], "python program.py", shell[1]])
    (tmp_path / "program.py").write_text(programs[0].replace("8000", port))
    done = subprocess.run(
        ["bash", "-eu", "-o", "pipefail", "-c", script.replace("8000", port)],
        cwd=tmp_path,
        env={**environment, "PATH": f"{folder}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    log = tmp_path / "service.log"
    assert done.returncode == 0, done.stdout + done.stderr + (log.read_text() if log.exists() else "")
    assert "[60 50]" in done.stdout and "result_0\n1\n4\n9\n" in done.stdout
    assert 'cyclotome_requests_total{route="call",status="200"} 2.0' in done.stdout


def test_the_table_of_statuses_is_the_one_that_is_used() -> None:
    text = (ROOT / SERVICES).read_text(encoding="utf-8")
    promised = {int(status) for status in re.findall(r"^\| ([45]\d\d) \|", text, re.MULTILINE)}
    assert promised == {each.http_status for each in failures.OUTCOMES if each.kind is not errors.ServiceError}


def test_options_that_the_page_names_are_there() -> None:
    from cli_runner import succeed

    help_text = succeed("serve", "--help").text
    text = (ROOT / SERVICES).read_text(encoding="utf-8").split("## Serving over HTTP")[1]
    named = set(re.findall(r"`(--[a-z-]+)", text))
    assert len(named) > 10
    assert [option for option in named if option not in help_text] == []
    assert Quotas().key_idle_seconds == 3600  # "an hour"


def test_measured_costs_are_those_of_the_records() -> None:
    """BFV at seal-8192, with the page's digits."""
    page = (ROOT / SCALE).read_text(encoding="utf-8")

    def record(name: str, threads: int, batch: int) -> dict[str, float]:
        wanted = "multiply_relinearize", "bfv", "seal-8192", "same"
        data = json.loads((ROOT / "bench/results" / name).read_text())["records"]
        (found,) = [
            r
            for r in data
            if (r["operation"], r["scheme"], r["set"], r["chain"]) == wanted
            and (r["threads"], r["batch"]) == (threads, batch)
        ]
        return found

    cpu = "x86-64-2core-zen5.json"
    for figure in (
        f"| 1 core (Zen 5) | {record(cpu, 1, 1)['median_us']:.0f} |",
        f"| 2 cores, one product on both | {record(cpu, 2, 1)['median_us']:.0f} |",
        f"| 2 cores, two products at once | {record(cpu, 2, 2)['median_us'] / 2:.0f} |",
        f"| 1 H100 | {record('nvidia-h100-80gb-hbm3.json', 1, 64)['us_each']:.1f} |",
        f"| 1 H200 | {record('nvidia-h200.json', 1, 64)['us_each']:.1f} |",
    ):
        assert figure in page, figure
