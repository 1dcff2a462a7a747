# SPDX-License-Identifier: Apache-2.0
"""Calls and commands in which the k-th allocation, write, flush, open, naming, change of rights or start of a thread
fails, that one alone or all from there on: a typed error or the right result, no half-written file, no stray, and
afterwards everything works. CYCLOTOME_TEST_FAULTS says how many k of each are tried, 0 all (doc/testing.md)."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="a library that is loaded before others")
SHIM = Path(__file__).parents[2] / "faults" / "shim.cpp"
#: By what a case's name begins with, so that several processes share them.
GROUPS = ("[a-e]*", "[f-k]*", "load*", "save *", "[m-r]*", "[t-z]*", "cyclotome *")
SAMPLE = os.environ.get("CYCLOTOME_TEST_FAULTS", "4")


@pytest.fixture(scope="session")
def shim(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library that makes calls fail."""
    compiler = shutil.which(os.environ.get("CXX", "c++"))
    if compiler is None:
        pytest.skip("needs a C++ compiler")
    made = tmp_path_factory.mktemp("faults") / "shim.so"
    command = [compiler, "-std=c++20", "-O1", "-shared", "-fPIC", "-o", made, SHIM, "-ldl", "-pthread"]
    subprocess.run(command, check=True)
    return made


@pytest.mark.slow
@pytest.mark.parametrize("group", GROUPS)
def test_every_failure_is_typed_and_leaves_nothing(shim: Path, group: str) -> None:
    seed = os.environ.get("CYCLOTOME_TEST_SEED") or str(random.SystemRandom().randrange(1 << 32))
    print(f"seed {seed}")
    runner = Path(__file__).with_name("fault_runner.py")
    command = [sys.executable, str(runner), SAMPLE, seed, group]
    # Allocations of the interpreter are its own; this process's threads would make others' calls count.
    environment = {**os.environ, "LD_PRELOAD": str(shim), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr[-3000:]
    lines: list[dict[str, Any]] = [json.loads(line) for line in done.stdout.splitlines()]
    assert lines and any(line["calls"] for line in lines)
    failures = [(line["case"], line["kind"], each) for line in lines for each in line["failures"]]
    print(sum(sum(line["ends"].values()) for line in lines), "faults")
    assert not failures, "\n".join(f"{case}, {kind}: {each}" for case, kind, each in failures[:5])
