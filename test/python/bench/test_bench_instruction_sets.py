# SPDX-License-Identifier: Apache-2.0
"""Instruction sets side by side: the plan, what is measured, the committed record, and the figures shown of it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

pytest.importorskip("typer")

from cyclotome import _core
from cyclotome.errors import ArgumentError, EngineError
from cyclotome_bench.instruction_sets import (
    INSTRUCTION_SETS_SET,
    instruction_set_tables,
    make_instruction_sets_plan,
    measure_instruction_sets,
)
from cyclotome_bench.machine import machine
from cyclotome_bench.peers.seal import seal_available
from cyclotome_bench.reports.report import Report
from cyclotome_bench.sets import seal_problems
from cyclotome_bench.views import view_of

ROOT = Path(__file__).resolve().parents[3]
RECORD = "instruction-sets-x86-64-2core-sapphirerapids.json"
SETS = ("scalar", "avx2", "avx512", "avx512-ifma")
NAMES = {"avx512-ifma": "AVX-512 with IFMA", "avx512": "AVX-512 without", "avx2": "AVX2", "scalar": "none (plain C++)"}


def test_an_engine_is_made_for_each_set_of_this_machine() -> None:
    for name in _core.instruction_sets():
        assert _core.CpuEngine(1, name).instruction_set == name
    assert _core.CpuEngine(1).instruction_set == _core.instruction_sets()[-1]
    with pytest.raises(EngineError, match=r"no instruction set 'avx1024'; it has scalar"):
        _core.CpuEngine(1, "avx1024")


def test_every_set_is_measured_and_right() -> None:
    plan = make_instruction_sets_plan(quick=True, seconds=0.001).restricted([INSTRUCTION_SETS_SET], ["bfv"])
    records = list(measure_instruction_sets(plan, seal_available(), set()))
    sets = _core.instruction_sets()
    assert [r["instruction_set"] for r in records] == sets * len(plan.problems[0].operations)
    assert all(r["engine"] == f"cpu:{r['instruction_set']}" for r in records)
    # Of so few samples, on a machine that others use, some spread too far for a ratio: then it is said.
    assert all(
        (r["ratio"] is not None or "spread" in r["no_ratio"]) if seal_available() else r["ratio"] is None
        for r in records
    )
    report = Report(INSTRUCTION_SETS_SET, machine.facts(None), records, complete=True)
    assert len(report.keys()) == len(records)
    assert list(measure_instruction_sets(plan, False, report.keys())) == []
    one_missing = report.keys() - {next(iter(report.keys()))}
    assert len(list(measure_instruction_sets(plan, False, one_missing))) == 1
    tables, plots = view_of(report).tables, view_of(report).plots
    assert [plot.series for plot in plots] == [tuple(sets)]
    assert [len(table.rows) for table in tables] == [len(sets)] * len(plan.problems[0].operations)
    assert {row[0] for table in tables for row in table.rows} == set(sets)


def test_wide_primes_have_a_chain_beside_them_that_doubles_take() -> None:
    from cyclotome_bench.instruction_sets import _chains

    names = {p.degree: [chain.name for chain in _chains(p)] for p in seal_problems(["bfv"], [4096, 16384, 32768])}
    assert names == {4096: ["same"], 16384: ["same"], 32768: ["same", "50-bit primes"]}


@pytest.mark.parametrize("choice", [(["seal-8192"], []), ([INSTRUCTION_SETS_SET], ["ckks"])])
def test_what_is_not_there_is_refused(choice: tuple[list[str], list[str]]) -> None:
    with pytest.raises(ArgumentError, match="instruction-sets"):
        make_instruction_sets_plan(quick=True).restricted(*choice)


@pytest.mark.parametrize("seconds", [0, -1])
def test_times_are_positive(seconds: float) -> None:
    with pytest.raises(ArgumentError, match="positive"):
        make_instruction_sets_plan(seconds=seconds)


@pytest.fixture(scope="module")
def committed() -> Report:
    return Report.load(ROOT / "bench" / "results" / RECORD)


def test_the_record_names_what_was_forced_and_what_there_is(committed: Report) -> None:
    assert committed.complete and "-modified" not in committed.facts["commit"]
    assert tuple(committed.facts["instruction_sets"]) == SETS
    assert {record["instruction_set"] for record in committed.records} == set(SETS)
    for record in committed.records:
        assert record["ratio"] == pytest.approx(record["peer_median_us"] / record["median_us"], rel=0.01)
    assert len(instruction_set_tables(committed.records)) == 6


def test_the_page_of_speed_has_the_ratios_of_the_record(committed: Report) -> None:
    """Read here anew: BFV products with relinearisation, modulo the peer's primes."""
    page = (ROOT / "doc" / "speed.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| (none \(plain C\+\+\)|AVX[^|]*) \| (.*) \|$", page, re.MULTILINE))
    for name, shown in NAMES.items():
        found = {
            r["degree"]: r
            for r in committed.records
            if (r["instruction_set"], r["scheme"], r["operation"], r["chain"])
            == (name, "bfv", "multiply_relinearize", "same")
        }
        ratios = [f"{found[degree]['ratio']:.1f}×" for degree in (4096, 8192, 16384, 32768)]
        assert rows[shown].split(" | ") == ratios, f"doc/speed.md, {shown}: {json.dumps(ratios, ensure_ascii=False)}"
