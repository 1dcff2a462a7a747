# SPDX-License-Identifier: Apache-2.0
"""Programs of other libraries in the benchmark's run: their columns, and what is said when they misbehave."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

import foreign_program
import pytest
from cli_runner import run
from cyclotome_bench import command
from cyclotome_bench.machine import machine
from cyclotome_bench.machine.timing import Budget
from cyclotome_bench.measure import measure
from cyclotome_bench.peers.foreign import ForeignPeer
from cyclotome_bench.peers.seal import PeerError
from cyclotome_bench.peers.truth import WrongResultError
from cyclotome_bench.plans import Plan
from cyclotome_bench.reports.report import Record, Report
from cyclotome_bench.reports.tables import all_tables
from cyclotome_bench.sets import small_problem

PLAN = Plan("tiny", (small_problem("bfv"),), (), 1, Budget(seconds=0, fewest=1, most=1, sample_seconds=0))


def program(folder: Path, fault: str = "") -> Path:
    path = folder / f"program-{fault}"
    path.write_text(f"#!/bin/sh\nexec {shlex.quote(sys.executable)} {shlex.quote(foreign_program.__file__)} {fault}\n")
    path.chmod(0o755)
    return path


def measured(*programs: Path) -> list[Record]:
    return list(measure(PLAN, False, programs=programs))


def test_a_program_has_its_columns(tmp_path: Path) -> None:
    records = measured(program(tmp_path))
    others = {r["operation"]: r["others"] for r in records if "others" in r}
    assert set(others) == {"add", "multiply"}  # what it can do
    own = dict.fromkeys(("median_us", "min_us", "max_us", "p10_us", "p90_us"), 4)
    told = {"samples": 1, "kind": "measured", "clock": "thread", "noise_left": 17}
    assert others["add"]["NumPy 0.1"] == {**own, **told}, "its thread's time, not the wall's"
    assert "noise_left" not in others["multiply"]["NumPy 0.1"]
    table = all_tables(records)[0]
    assert all(len(row) == len(table.columns) for row in table.rows)
    at = table.columns.index("NumPy 0.1")
    cells = {row[0]: row[at : at + 2] for row in table.rows}
    assert cells["add"] == ("4.00 µs", "–") and cells["decrypt"] == ("–", "–")


def test_several_programs_and_primes_of_their_own(tmp_path: Path) -> None:
    records = measured(program(tmp_path, "own"))
    assert records[0].get("others", {}) == {}
    added = next(r for r in records if r["operation"] == "add")["others"]["NumPy 0.1"]
    assert (added["log_q_ciphertext"], added["log_q_key"]) == (60.0, 90.1)
    assert "NumPy 0.1 with primes of its own, log2 q 60.0, QP 90.1" in all_tables(records)[0].note


def test_processor_time_is_asked_for_where_that_is_the_clock(tmp_path: Path) -> None:
    with ForeignPeer(program(tmp_path), PLAN.problems[0]) as peer:
        action = peer.operations["add"]
        assert (action.run(3, own_time=False), action.run(3, own_time=True)) == (5000, 4000)


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("silent", "ended with code 0"),
        ("talks", "answers 'hello' where 'ready' was to come"),
        ("dies", "ended with code 3"),
    ],
)
def test_what_a_program_does_wrong_is_named(tmp_path: Path, fault: str, message: str) -> None:
    with pytest.raises(PeerError, match=message):
        measured(program(tmp_path, fault))


def test_a_problem_that_is_refused_stands_below_the_table(tmp_path: Path) -> None:
    table = all_tables(measured(program(tmp_path, "refuses"), program(tmp_path)))[0]
    assert "refuses: too many primes" in table.note and "NumPy 0.1" in table.columns
    assert all(len(row) == len(table.columns) for row in table.rows)


def test_a_wrong_result_of_a_program_stops_the_benchmark(tmp_path: Path) -> None:
    with pytest.raises(WrongResultError, match=r"NumPy 0\.1 computed add wrongly"):
        measured(program(tmp_path, "wrong"))


def test_a_program_that_is_none(tmp_path: Path) -> None:
    plain = tmp_path / "text"
    plain.write_text("no program")
    for path in (plain, tmp_path / "missing"):
        with pytest.raises(PeerError, match="cannot be started"):
            ForeignPeer(path, PLAN.problems[0])


def test_values_in_coefficients_are_not_asked_for(tmp_path: Path) -> None:
    plan = Plan("tiny", (small_problem("bfv", slots=False),), (), 1, PLAN.budget)
    assert all("others" not in record for record in measure(plan, False, programs=[program(tmp_path, "dies")]))


@pytest.mark.skipif(os.name != "posix", reason="programs are scripts here")
def test_the_command(tmp_path: Path) -> None:
    small = (
        "bench",
        "--quick",
        "--set",
        "small",
        "--scheme",
        "bfv",
        "--threads",
        "1",
        "--no-peer",
        "--seconds",
        "0.001",
    )
    found = run(*small, "--peer-program", str(program(tmp_path)))
    assert found.code == 0 and "NumPy 0.1" in found.text
    found = run(*small, "--peer-program", str(tmp_path / "missing"))
    assert found.code != 0 and "cannot be started" in found.text
    found = run("bench", "--set", "functions", "--quick", "--peer-program", str(tmp_path))
    assert found.code == 2 and "--peer-program" in found.text


def test_sets_that_a_pattern_means_and_only_full_has_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "_measured", lambda plan, *_: Report(plan.name, machine.facts(None), complete=True))
    said = run("bench", "--set", "seal-*", "--threads", "1", "--no-peer").text
    assert "left out, as only --full measures them: seal-16384, seal-32768" in said
    for more in (("--full", "--set", "seal-*"), ("--set", "seal-8192"), ("--set", "functions", "--quick")):
        assert "left out" not in run("bench", *more, "--no-peer").text
