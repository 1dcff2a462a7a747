# SPDX-License-Identifier: Apache-2.0
"""Whole jobs: what `cyclotome bench --set jobs` measures, each in a process of its own, by its phases.

Single operations are timed elsewhere, warm and alone; here counts all that a program pays from its start on, `suggest`
with it. Of each phase, and of all together, the median of several processes. Every result is compared with NumPy's.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from cyclotome_bench.job_process import JOBS, PHASES, TENSEAL
from cyclotome_bench.kinds import Kind
from cyclotome_bench.machine.timing import Budget, Clock, Timing, cell_seconds
from cyclotome_bench.peers.seal import PeerError, seal_available, seal_name
from cyclotome_bench.peers.truth import WrongResultError
from cyclotome_bench.plans import WholePlan
from cyclotome_bench.reports.cells import compared, timed
from cyclotome_bench.reports.charts import Bars, Plot
from cyclotome_bench.reports.report import Record, key_fields
from cyclotome_bench.reports.tables import Table, duration, times

__all__ = ["JOBS_SET", "WHOLE_JOB", "JobsPlan", "job_plots", "job_tables", "make_jobs_plan", "measure_jobs"]

#: The set that holds them.
JOBS_SET = "jobs"
#: All phases together.
WHOLE_JOB = "whole job"


@dataclass(frozen=True)
class JobsPlan(WholePlan):
    """All jobs; or, quick, all of them on a few values. On a GPU without a peer, timed on the wall."""

    quick: bool = False
    device: str = "cpu:1"


def make_jobs_plan(quick: bool = False, seconds: float | None = None, device: str = "cpu:1") -> JobsPlan:
    """A plan.

    Args:
        quick: whether each job has only a few values.
        seconds: time for each job, of which processes are started one after the other, at least three.
        device: where it is computed.

    Raises:
        ArgumentError: seconds that are not positive.
    """
    clock = Clock.PROCESS if device.startswith("cpu") else Clock.WALL
    budget = Budget(seconds=cell_seconds(seconds, 0.1 if quick else 20.0), fewest=3, most=9, clock=clock)
    return JobsPlan(JOBS_SET, (), (), 1, budget, quick, device)


class _Runs:
    """Processes that did one job on one side: samples by phase, and what the last of them told."""

    def __init__(self, who: str, name: str, size: int, plan: JobsPlan) -> None:
        self.who, self.name = who, name
        self.size, self.device, self.clock = size, plan.device, plan.budget.clock
        self.samples: dict[str, list[float]] = {}
        self.told: Record = {}

    def run(self) -> None:
        """One more process.

        Raises:
            PeerError: it ended early.
            WrongResultError: its result is not NumPy's.
        """
        words = [self.who, self.name, str(self.size), self.device, str(time.perf_counter_ns())]
        command = [sys.executable, "-m", "cyclotome_bench.job_process", *words]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            last = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
            raise PeerError(f"{self.who}: {self.name} ended with code {done.returncode}: {last}")
        self.told = json.loads(done.stdout)
        if not self.told["right"]:
            raise WrongResultError(f"{self.who}: {self.name} is not what it should be")
        spent: dict[str, int] = self.told["spent"]
        for phase, nanoseconds in {**spent, WHOLE_JOB: sum(spent.values())}.items():
            self.samples.setdefault(phase, []).append(nanoseconds / 1000)

    def timing(self, phase: str) -> Timing | None:
        """Samples of a phase, in microseconds; None if the job has none of this name."""
        return Timing(self.samples[phase], clock=self.clock) if phase in self.samples else None


def measure_jobs(plan: JobsPlan, peer: bool, known: set[tuple[Any, ...]]) -> Iterator[Record]:
    """Measures jobs of which nothing is known yet: a record for each phase, and one for all together.

    Raises:
        WrongResultError: a result that is not NumPy's.
        PeerError: a process that ended early.
    """
    done = {(key[0], key[3]) for key in known}
    with_peer = peer and seal_available() and plan.device.startswith("cpu")
    for name, (_, usual, tiny) in JOBS.items():
        if (JOBS_SET, name) in done:
            continue
        size = tiny if plan.quick else usual
        ours = _Runs("cyclotome", name, size, plan)
        theirs = _Runs("tenseal", name, size, plan) if with_peer and name in TENSEAL else None
        start, rounds = time.perf_counter(), 0
        while rounds < plan.budget.fewest or (
            rounds < plan.budget.most and time.perf_counter() - start < plan.budget.seconds
        ):
            order = [runs for runs in (ours, theirs) if runs is not None]
            for runs in order if rounds % 2 == 0 else reversed(order):
                runs.run()
            rounds += 1
        yield from _records(plan, ours, theirs)


def _records(plan: JobsPlan, ours: _Runs, theirs: _Runs | None) -> Iterator[Record]:
    kind = Kind.LATENCY if plan.budget.clock is Clock.WALL else None
    told = ours.told
    for phase in (*PHASES, WHOLE_JOB):
        timing = ours.timing(phase)
        if timing is None:
            continue
        beside = None if theirs is None else theirs.timing(phase)
        sizes = (told["degree"], told["word"], told["log_q"])
        record: Record = {
            **key_fields(JOBS_SET, told["scheme"], ours.name, *sizes, chain=phase, engine=plan.device),
            **timed(timing, kind, 1),
            **compared(timing, beside, seal_name() if beside else "", 2),
            "values": ours.size,
            "parameters": told["parameters"],
        }
        if phase == WHOLE_JOB:
            record["peak_bytes"] = told["peak_bytes"]
            if theirs is not None:
                record["peer_peak_bytes"] = theirs.told["peak_bytes"]
        yield record


def _jobs_of(records: Sequence[Record]) -> dict[str, dict[str, Record]]:
    """By job and phase."""
    found: dict[str, dict[str, Record]] = {}
    for record in records:
        if record["set"] == JOBS_SET:
            found.setdefault(record["operation"], {})[record["chain"]] = record
    return found


def job_tables(records: Sequence[Record]) -> list[Table]:
    """Phases of each job, and whole jobs beside the peer's; nothing if none was measured."""
    jobs = _jobs_of(records)
    if not jobs:
        return []
    phases = _phases_of(jobs)
    rows, beside = [], []
    for name, job in jobs.items():
        some, whole = next(iter(job.values())), job.get(WHOLE_JOB, {})
        cells = [duration(job[phase]["median_us"]) if phase in job else "–" for phase in phases]
        rows.append((name, some["scheme"], *cells, _mebibytes(whole.get("peak_bytes")), some["parameters"]))
        for phase, r in job.items():
            if r["peer"] is not None:
                found = (duration(r["median_us"]), duration(r["peer_median_us"]), times(r["ratio"]))
                peaks = (_mebibytes(r.get("peak_bytes")), _mebibytes(r.get("peer_peak_bytes")))
                beside.append((name, phase, *found, *peaks))
    engine = next(iter(next(iter(jobs.values())).values()))["engine"]
    clock = Clock.PROCESS.note if engine.startswith("cpu") else f"{engine}: wall clock, with the wait for it"
    note = (
        f"{clock}, each job in a new process; medians. start: Python and the library; encode: public operands, once; "
        f"{WHOLE_JOB}: all phases; data and checks do not count"
    )
    made = [Table("Whole jobs", ("job", "scheme", *phases, "MiB at most", "parameters"), tuple(rows), note, 2)]
    if beside:
        peer = next(r["peer"] for job in jobs.values() for r in job.values() if r["peer"])
        columns = ("job", "phase", "cyclotome", peer, "times faster", "MiB at most", f"MiB at most, {peer}")
        made.append(Table(f"Whole jobs beside {peer}", columns, tuple(beside), f"{clock}; in turns", 2))
    return made


def _phases_of(jobs: dict[str, dict[str, Record]]) -> list[str]:
    """Those that any job has, in order."""
    return [phase for phase in (*PHASES, WHOLE_JOB) if any(phase in job for job in jobs.values())]


def _mebibytes(count: int | None) -> str:
    return "–" if count is None else str(count >> 20)


def job_plots(records: Sequence[Record]) -> list[Plot]:
    """Phases of each job as bars beside each other."""
    jobs = _jobs_of(records)
    if not jobs:
        return []
    phases = _phases_of(jobs)
    rows = [
        (name, [job[phase]["median_us"] if phase in job else None for phase in phases]) for name, job in jobs.items()
    ]
    return [Bars("Whole jobs, by phase", "microseconds", phases, rows, logarithmic=True)]
