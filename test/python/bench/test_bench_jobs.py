# SPDX-License-Identifier: Apache-2.0
"""Whole jobs in the benchmark: every job is done in a process of its own, by phases, and wrong results are noticed."""

from __future__ import annotations

import json
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from cli_runner import run
from cyclotome.errors import ArgumentError
from cyclotome_bench import command, jobs
from cyclotome_bench.job_process import JOBS, PHASES, TENSEAL, Stopwatch
from cyclotome_bench.jobs import WHOLE_JOB, job_tables, make_jobs_plan, measure_jobs
from cyclotome_bench.peers.seal import PeerError, seal_available
from cyclotome_bench.peers.truth import WrongResultError
from cyclotome_bench.reports.charts import Bars
from cyclotome_bench.reports.report import REQUIRED, Record, Report, key_of
from cyclotome_bench.views import view_of


@pytest.fixture(scope="module")
def records() -> list[Record]:
    plan = make_jobs_plan(quick=True)
    return list(measure_jobs(replace(plan, budget=replace(plan.budget, seconds=0, fewest=1)), True, set()))


def test_every_job_has_its_phases_and_their_sum(records: list[Record]) -> None:
    assert len({key_of(record) for record in records}) == len(records)
    for name in JOBS:
        found = {r["chain"]: r for r in records if r["operation"] == name}
        assert set(found) <= {*PHASES, WHOLE_JOB} and {"start", "suggest", "keys", "encrypt", "compute"} <= set(found)
        whole = found.pop(WHOLE_JOB)
        assert whole["median_us"] == pytest.approx(sum(r["median_us"] for r in found.values()), abs=1)
        assert whole["peak_bytes"] is None or whole["peak_bytes"] > 1 << 20
        for record in (*found.values(), whole):
            assert set(REQUIRED) <= set(record) and record["median_us"] > 0
            assert (record["kind"], record["clock"]) == ("measured", "process")
            beside = seal_available() and name in TENSEAL and record["chain"] not in ("suggest", "plan")
            assert (record["peer"] is not None) is beside
            assert record["ratio"] is None, "one process of each side is not enough for a ratio"


def test_tables_and_plots_show_all_of_it(records: list[Record]) -> None:
    report = Report("jobs", {}, records)
    view = view_of(report)
    assert [row[0] for row in view.tables[0].rows] == list(JOBS) and WHOLE_JOB in view.tables[0].columns
    (plot,) = view.plots
    assert isinstance(plot, Bars) and [label for label, _ in plot.rows] == list(JOBS)
    assert job_tables([]) == [] == jobs.job_plots([])


def test_what_is_known_is_not_measured_again(records: list[Record]) -> None:
    assert list(measure_jobs(make_jobs_plan(quick=True), False, {key_of(record) for record in records})) == []


def _answering(monkeypatch: pytest.MonkeyPatch, **told: Any) -> None:
    def ran(words: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess(words, told["code"], json.dumps(told), "first\nlast words")

    monkeypatch.setattr(jobs.subprocess, "run", ran)


def test_wrong_results_and_dead_processes_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    _answering(monkeypatch, code=0, right=False, spent={"start": 1})
    with pytest.raises(WrongResultError, match="dot product"):
        list(measure_jobs(make_jobs_plan(quick=True), False, set()))
    _answering(monkeypatch, code=1)
    with pytest.raises(PeerError, match="code 1: last words"):
        list(measure_jobs(make_jobs_plan(quick=True), False, set()))


def test_a_stopwatch_counts_phases_and_nothing_between() -> None:
    watch = Stopwatch("cpu:1", 0)
    for _ in range(2):
        with watch.phase("compute"):
            pass
        sum(range(2_000_000))
    assert set(watch.spent) == {"start", "compute"} and 0 < watch.spent["compute"] < 5_000_000 < watch.spent["start"]


def test_the_set_stands_alone_and_has_a_file_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = make_jobs_plan(quick=True)
    for sets, schemes in ((["jobs", "seal-4096"], []), (["jobs"], ["bgv"])):
        with pytest.raises(ArgumentError, match="by itself"):
            plan.restricted(sets, schemes)
    monkeypatch.setattr(command, "measure_jobs", lambda *_: iter(()))
    assert run("bench", "--set", "jobs", "--quick", "-o", tmp_path).code == 0
    (file,) = tmp_path.iterdir()
    assert file.name == f"jobs-{command.machine.machine_name()}.json"
