# SPDX-License-Identifier: Apache-2.0
"""The command line and the demo with ``--device``: the same bytes come out as on the CPU."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("typer")
pytest.importorskip("sklearn")

from cli_runner import make_workspace, run, succeed
from devices import DEVICE, needs_device

pytestmark = needs_device


def test_files_are_evaluated_to_the_same_bytes(tmp_path: Path) -> None:
    place = make_workspace(tmp_path)
    results = []
    for device in ("cpu:1", DEVICE):
        result = tmp_path / f"result-{len(results)}.ct"
        expression = "x * x - 3 * x"
        keys = "--keys", place / "keys/evaluation.key"
        succeed("eval", expression, "-i", f"x={place / 'data.ct'}", *keys, "-o", result, "--device", device)
        results.append(result.read_bytes())
        shown = succeed("decrypt", result, "-k", place / "keys/secret.key", "--device", device).text
        assert shown == succeed("decrypt", result, "-k", place / "keys/secret.key").text
    assert results[0] == results[1]


def test_keys_and_files_made_on_the_device_are_files_like_any(tmp_path: Path) -> None:
    place = make_workspace(tmp_path)
    succeed("keygen", place / "params.ct", "--out", place / "there", "--device", DEVICE)
    table = place / "data.csv", "--columns", "bmi,age", "--scale", "auto"
    succeed("encrypt", *table, "--key", place / "there/public.key", "-o", place / "there.ct", "--device", DEVICE)
    on_cpu = succeed("decrypt", place / "there.ct", "-k", place / "there/secret.key").text
    assert on_cpu == succeed("decrypt", place / "data.ct", "-k", place / "keys/secret.key").text
    assert run("inspect", place / "there.ct").code == 0


def party(name: str, folder: Path, device: str, *words: str) -> None:
    command = [sys.executable, "-m", f"cyclotome_demo.{name}", *words, "--home", str(folder / name)]
    command += ["--exchange", str(folder / "exchange"), "--quick", "--device", device]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_demo_answers_with_the_same_bytes(tmp_path: Path) -> None:
    """One client's questions, answered by a server on the CPU and one on the device."""
    here, there = tmp_path / "here", tmp_path / "there"
    party("client", here, "cpu", "encrypt")
    shutil.copytree(here, there)
    party("server", here, "cpu")
    party("server", there, DEVICE)
    answers = sorted((here / "exchange").glob("*answers*"))
    assert len(answers) >= 4
    for path in answers:
        assert path.read_bytes() == (there / "exchange" / path.name).read_bytes(), path.name
    party("client", there, DEVICE, "decrypt")
    party("client", here, "cpu", "decrypt")
    values = sorted((here / "client").glob("*.answers.npz"))
    assert len(values) == len(answers)
    for path in values:
        a, b = np.load(path)["answers"], np.load(there / "client" / path.name)["answers"]
        assert np.array_equal(a, b), path.name


def test_the_demo_on_the_device_is_right() -> None:
    data = succeed("demo", "--quick", "--device", DEVICE, "--json").data
    assert data["passed"] is True
