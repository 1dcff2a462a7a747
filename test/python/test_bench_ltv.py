# SPDX-License-Identifier: Apache-2.0
"""Paper 002's tables as a benchmark, at small sizes: every cell is measured, typed or a dash; results are checked."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from cli_runner import run
from cyclotome.errors import ArgumentError
from cyclotome_bench import ltv as bench
from cyclotome_bench.ltv_plans import Cell, LtvPlan, make_ltv_plan
from cyclotome_bench.ltv_tables import ltv_plots, ltv_tables
from cyclotome_bench.report import REQUIRED, Record, key_of
from cyclotome_bench.timing import Budget
from cyclotome_bench.truth import WrongResultError
from cyclotome_study import ltv

#: A set in place of the paper's: (primes, m, bits, window).
TINY = (4, 105, 24, 16)


def tiny(monkeypatch: pytest.MonkeyPatch, *tables: str) -> LtvPlan:
    monkeypatch.setattr(ltv.Parameters, "preset", lambda name: ltv.Parameters(*TINY, name=name))
    plan = make_ltv_plan(quick=True).restricted(tables, [])
    cells = tuple(replace(cell, primes=min(cell.primes, 3)) for cell in plan.cells)
    return replace(
        plan, budget=Budget(seconds=0, fewest=1, most=1, sample_seconds=0), cells=tuple(dict.fromkeys(cells))
    )


@pytest.fixture
def records(monkeypatch: pytest.MonkeyPatch) -> list[Record]:
    return list(bench.measure_ltv(tiny(monkeypatch)))


def test_every_table_has_complete_records(records: list[Record]) -> None:
    assert len({key_of(record) for record in records}) == len(records)
    assert all(set(REQUIRED) <= record.keys() for record in records)
    operations = [r["operation"] for r in records if r["set"] == "002-5"]
    assert operations == ["CRT", "ICRT", "NTT", "INTT", "MULADD", "BARRETT", "ADD"]
    assert all(r["median_us"] > 0 for r in records if r["set"] != "002-3")
    assert all(r["bytes"] > 0 for r in records if r["set"] == "002-3")
    assert any(r["set"] == "002-4" for r in records)


def test_what_was_measured_is_not_measured_again(records: list[Record], monkeypatch: pytest.MonkeyPatch) -> None:
    known = {key_of(record) for record in records}
    assert list(bench.measure_ltv(tiny(monkeypatch), known)) == []


def test_tables_are_the_papers_with_ours_beside(records: list[Record]) -> None:
    tables = {table.title.split(":")[0]: table for table in ltv_tables(records)}
    third, fifth = tables["Paper 002, Table 3"], tables["Paper 002, Table 5"]
    assert third.rows[-1][2:8:2] == ("262144000", "28966912", "41287680")
    assert [row[0] for row in fifth.rows] == ["CRT", "ICRT", "NTT", "INTT", "MULADD", "BARRETT", "ADD"]
    for row in fifth.rows:
        assert row[2] != "–"
        assert row[5] == row[8] == "–"  # columns that a quick run leaves out
    assert all(set(row) == {"–"} for row in [tables["Paper 002, Table 6"].rows[-1][1:]])
    assert tables["Paper 002, Figure 4"].rows
    assert ltv_plots(records)
    assert ltv_plots([]) == []


def test_wrong_results_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = tiny(monkeypatch, "4")
    random_polynomial: Any = bench._random
    monkeypatch.setattr(bench, "_random", lambda *a: ([0, *random_polynomial(*a)[0]], random_polynomial(*a)[1]))
    with pytest.raises(WrongResultError, match="relinearisation"):
        list(bench.measure_ltv(plan))


def test_plans_and_their_refusals() -> None:
    whole = make_ltv_plan()
    assert Cell("4", "002-prince", 23) in whole.cells
    assert {cell.table for cell in whole.restricted(["5"], []).cells} == {"5"}
    with pytest.raises(ArgumentError, match="no table '7'"):
        whole.restricted(["7"], [])
    with pytest.raises(ArgumentError, match="leave --scheme out"):
        whole.restricted([], ["bfv"])
    with pytest.raises(ArgumentError, match="positive"):
        make_ltv_plan(seconds=0)


def test_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ltv.Parameters, "preset", lambda name: ltv.Parameters(*TINY, name=name))
    result = run("bench", "--paper", "002", "--quick", "--set", "3", "--seconds", "0.01")
    assert result.code == 0, result.text
    assert "Table 3" in result.text
