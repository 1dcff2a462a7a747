# SPDX-License-Identifier: Apache-2.0
"""Which C++ tests `make check` runs: what has changed since it passed, as far as the time goes."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from pages import ROOT, program

changed_tests = program("tools/changed_tests.py")
CppTest, chosen = changed_tests.CppTest, changed_tests.chosen


@pytest.fixture(autouse=True)
def fresh() -> None:
    """Every run of the tool reads files anew."""
    changed_tests.digest_of.cache_clear()


@pytest.fixture
def build(tmp_path: Path) -> Path:
    """Two tests, of which `fails` reads whether it shall."""
    if not (Path(sys.executable).parent / "ctest").exists() and shutil.which("ctest") is None:
        pytest.skip("there is no ctest")
    for name, status in (("passes", 0), ("fails", 1)):
        (tmp_path / name).write_text(f"#!/bin/sh\nexit {status}\n")
        (tmp_path / name).chmod(0o755)
    lines = (f'add_test({name} "{tmp_path / name}")\n' for name in ("passes", "fails"))
    (tmp_path / "CTestTestfile.cmake").write_text("".join(lines))
    return tmp_path


def run(build: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "tools/changed_tests.py"), str(build), *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_what_passed_is_left_out_until_it_changes(build: Path) -> None:
    first = run(build)
    assert first.returncode != 0 and "0 of 2 passed as they are; 2 run" in first.stdout
    again = run(build)
    assert again.returncode != 0 and "1 of 2 passed as they are; 1 run" in again.stdout
    (build / "fails").write_text("#!/bin/sh\nexit 0\n")
    assert run(build).returncode == 0
    assert "2 of 2 passed as they are; 0 run" in run(build).stdout
    (build / "passes").write_text("#!/bin/sh\nexit 3\n")
    changed = run(build)
    assert changed.returncode != 0 and "1 of 2 passed as they are; 1 run" in changed.stdout


def test_a_run_of_everything_may_be_noted(build: Path) -> None:
    assert run(build, "--passed").returncode == 0
    assert "2 of 2 passed as they are; 0 run" in run(build).stdout


def test_what_does_not_fit_is_named_and_comes_again(build: Path) -> None:
    none = run(build, "--seconds", "0")
    assert none.returncode == 0 and "no time for passes, fails" in none.stdout
    assert "0 of 2 passed as they are; 2 run" in run(build).stdout


def test_rooms_come_first_and_then_the_shortest() -> None:
    tests = [CppTest(name, ()) for name in ("long", "short", "own", "huge")]
    costs = {"long": 5.0, "short": 2.0, "own": 6.0, "huge": 100.0}
    fit = chosen(tests, [tests[2]], costs, 10.0)
    assert [test.name for test in fit] == ["own", "short"]
    assert chosen(tests, [], {}, 2.5 * changed_tests.UNKNOWN) == tests[:2]


@pytest.mark.parametrize("place", ["program", "data/inner/file", "library.so"])
def test_a_key_is_of_all_bytes_that_a_test_reads(place: str, tmp_path: Path) -> None:
    (tmp_path / "data/inner").mkdir(parents=True)
    for file in ("program", "data/inner/file", "library.so"):
        (tmp_path / file).write_text(file)
    test = CppTest("test", (str(tmp_path / "program"), str(tmp_path / "data")))
    before = test.key
    assert test.key == before
    changed_tests.digest_of.cache_clear()
    (tmp_path / place).write_text("other")
    assert test.key != before


def test_a_test_is_of_the_room_of_its_source_or_of_its_name() -> None:
    sources = {"test_poly": "engine"}
    assert CppTest("test_poly", ("/build/test_poly",)).is_in({"engine"}, sources)
    assert CppTest("engine_kit_cpu", ("/build/engine_kit",)).is_in({"engine"}, sources)
    assert not CppTest("test_poly", ("/build/test_poly",)).is_in({"value", "poly_array"}, sources)
