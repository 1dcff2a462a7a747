# SPDX-License-Identifier: Apache-2.0
"""Papers 000's and 001's tables beside a scheme's operations: rows, codes, dashes, and what notices a wrong result."""

from __future__ import annotations

import json
import sys
from importlib.resources import files
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from cli_runner import run, succeed
from cyclotome import _core
from cyclotome.errors import ArgumentError
from cyclotome_bench.machine import power
from cyclotome_bench.machine.timing import Budget
from cyclotome_bench.papers import kernels as paper_kernels
from cyclotome_bench.papers import laws as paper_laws
from cyclotome_bench.papers import studies as paper_studies
from cyclotome_bench.papers.device_studies import design_records
from cyclotome_bench.papers.device_tables import device_paper_tables
from cyclotome_bench.papers.kernels import reconstructions, reductions, shares, transforms_by_events
from cyclotome_bench.papers.papers import CODE, PAPERS
from cyclotome_bench.papers.studies import measure_studies, paper_steps
from cyclotome_bench.papers.study_tables import PAPER, study_tables
from cyclotome_bench.papers.text import paper_text
from cyclotome_bench.peers.truth import WrongResultError
from cyclotome_bench.plans import make_plan
from cyclotome_bench.reports.report import REQUIRED, Record, Report, key_of
from cyclotome_study.crt import Crt

ROOT = Path(__file__).resolve().parents[3]
BUDGET = Budget(seconds=0, fewest=1, most=1, sample_seconds=0)


def facts() -> dict[str, list[dict[str, Any]]]:
    text = files("cyclotome_bench").joinpath("paper_studies.json").read_text(encoding="utf-8")
    found: dict[str, list[dict[str, Any]]] = json.loads(text)
    return found


@pytest.fixture(scope="module")
def records() -> dict[str, list[Record]]:
    """Some of what each paper's studies measure, at their smallest."""
    first = ((2048, 62),)
    return {
        "000": [
            *reductions("cpu:1", BUDGET),
            *reconstructions("cpu:1", BUDGET, first),
            *paper_kernels.kernels_000("cpu:1", BUDGET, first),
            *paper_laws.draws("000", "cpu:1", BUDGET),
            *paper_laws.textbook(BUDGET, first),
        ],
        "001": [
            *shares("cpu:1", BUDGET, ("001-2048-54",)),
            *transforms_by_events("cpu:1", BUDGET),
            *paper_laws.draws("001", "cpu:1", BUDGET),
            *paper_laws.noises("001", BUDGET),
        ],
    }


def test_every_row_names_code_that_is_there(records: dict[str, list[Record]]) -> None:
    named = [
        code for tables in facts().values() for t in tables for row in t["rows"] for code in row["code"].split(", ")
    ]
    named += [*CODE.values(), *(r["code"] for found in records.values() for r in found)]
    for code in set(named) - {""}:
        assert (ROOT / code).is_file(), code


def test_rows_are_as_wide_as_their_tables_and_typed_figures_are_marked(records: dict[str, list[Record]]) -> None:
    for paper in PAPERS:
        for table in study_tables(paper, records[paper]):
            assert table.rows and all(len(row) == len(table.columns) for row in table.rows), table.title
            assert table.columns[-1] == "code"
        for given, table in zip(facts()[paper], facts()[paper], strict=True):
            for row in given["rows"]:
                assert len(row["paper"]) == len(table["paper"]) and len(row["ours"]) == len(table["ours"])
        shown = {t.title: t for t in study_tables(paper, records[paper])}
        for given in facts()[paper]:
            columns = shown[f"paper {paper}, {given['table']}"].columns
            assert {PAPER + name for name in given["paper"]} <= set(columns)


def test_measured_rows_have_figures_and_others_a_dash_with_a_reason(records: dict[str, list[Record]]) -> None:
    tables = {(paper, t.title.split(", ", 1)[1]): t for paper in PAPERS for t in study_tables(paper, records[paper])}
    assert all("–" not in row[5:8] for row in tables["000", "Table 1"].rows)
    first, *others = tables["000", "Table 2"].rows
    assert "–" not in first and all(row[4:7] == ("–", "–", "–") for row in others)
    assert "–: not part of this run" in tables["000", "Table 2"].note
    assert "a degree that the design does not do" in tables["000", "Tables 6 and 7"].note
    assert "driver" in tables["000", "Figure 4"].note and "--quick" in tables["000", "Figure 2"].note
    shared = tables["001", "Table 2"].rows
    for row in shared[:3]:
        assert sum(float(cell.removesuffix(" %")) for cell in row[8:13]) == pytest.approx(100, abs=0.3)
    assert [row[8] for row in shared[3:]] == ["–"] * 6
    assert all(row[6] == "–" and row[7] != "–" for row in tables["001", "Table 6, by device events"].rows)
    assert not study_tables("000", [])


def test_table_3_is_that_of_the_rebuilt_design(records: dict[str, list[Record]]) -> None:
    table = next(t for t in study_tables("001", records["001"]) if t.title.endswith("Table 3"))
    assert len(table.rows) == 5
    for row in table.rows:
        assert row[1:5] == row[5:9], "the design's stages are not the paper's"
    assert _core.cuda_design_stages("D2", 4096, 30, False) == (12, 0)
    with pytest.raises(ArgumentError, match="cannot transform"):
        _core.cuda_design_stages("D3", 65536, 30, False)
    with pytest.raises(ArgumentError, match="no transform design"):
        _core.cuda_design_stages("D9", 4096, 30, False)


def test_typed_figures_of_table_1_give_the_speedups_that_it_states() -> None:
    table = facts()["000"][0]
    stated = [(3.57, 0.96), (3.71, 0.97), (3.48, 0.98), (4.06, 0.98)]
    for row, (on_cpu, on_gpu) in zip(table["rows"], stated, strict=True):
        a, b, c, d = row["paper"]
        assert a / b == pytest.approx(on_cpu, rel=0.01) and c / d == pytest.approx(on_gpu, rel=0.01)


def test_records_are_complete_and_told_apart(records: dict[str, list[Record]]) -> None:
    for paper in PAPERS:
        found = records[paper]
        assert len({key_of(r) for r in found}) == len(found)
        assert all(name in r for r in found for name in REQUIRED) and all(r["paper"] == paper for r in found)
    noisy = [r for r in records["001"] if "fresh_noise" in r]
    assert {r["chain"] for r in noisy} == {
        f"textbook, {name}" for name in ("library", "000", "001", "004", "004 in BGV")
    }
    for r in noisy:
        assert (
            r["fresh_noise"] == pytest.approx(r["fresh_noise_by_law"], abs=2) and r["product_noise"] < r["noise_limit"]
        )


def test_wrong_results_end_it(monkeypatch: pytest.MonkeyPatch) -> None:
    class Wrong(Crt):
        def reconstruct(self, residues: Any, how: Any = "garner") -> list[int]:
            right = super().reconstruct(residues, how)
            return right if how == "garner" else [right[0] + 1, *right[1:]]

    monkeypatch.setattr(paper_kernels, "Crt", Wrong)
    with pytest.raises(WrongResultError, match="MP-mod"):
        list(reconstructions("cpu:1", BUDGET, ((2048, 62),)))
    monkeypatch.setattr(paper_laws, "_multiplied", lambda x, y, t: x)
    with pytest.raises(WrongResultError, match="textbook FV"):
        list(paper_laws.noises("001", BUDGET))

    class Broken:
        def __init__(self, *_: Any) -> None: ...

        def reduced(self, how: str) -> list[int]:
            return []

    monkeypatch.setattr(_core, "WordReductions", Broken)
    with pytest.raises(WrongResultError, match="by division"):
        list(reductions("cpu:1", BUDGET))


def test_a_profile_counts_every_kind_of_work_and_changes_no_result() -> None:
    (key, encrypt, decrypt) = shares("cpu:1", BUDGET, ("001-8192-218",))
    assert key["share_uniform"] > 0 and key["share_gaussian"] > 0 and key["share_ternary"] > 0
    assert encrypt["share_uniform"] == 0 < encrypt["share_gaussian"]
    assert decrypt["share_gaussian"] == decrypt["share_ternary"] == 0 < decrypt["share_polynomials"]


def test_the_papers_designs_run_on_a_processor_too() -> None:
    """Each of its own code, timed by its thread; D3 where it fits."""
    found = list(islice(design_records("001", "cpu:1", BUDGET), 12))
    assert {r["chain"] for r in found} == {"D1", "D2", "D3", "D4", "D5"} and {r["degree"] for r in found} == {2048}
    assert {(r["engine"], r["kind"], r["clock"]) for r in found} == {("cpu", "measured", "thread")}
    assert all((ROOT / r["code"]).is_file() for r in found)
    (table,) = [t for t in study_tables("001", found) if t.title == "paper 001, Table 5"]
    own = [row for row in table.rows if row[1:3] == ("2048", "30")]
    assert own and all(row[-1] == "src/cyclotome/study/transform/transform_engine.cpp" for row in own)
    assert {r["chain"] for r in islice(design_records("000", "cpu:1", BUDGET), 4)} == {"DGT", "DGT multi-radix"}


def test_steps_of_a_paper(monkeypatch: pytest.MonkeyPatch) -> None:
    cpu, gpu = (len(paper_steps("000", device, BUDGET, False)) for device in ("cpu:1", "cuda:0"))
    assert gpu == cpu + 1 and len(paper_steps("000", "cuda:0", BUDGET, True)) == cpu, "power is a GPU's"
    with pytest.raises(ArgumentError, match="no studies"):
        paper_steps("004", "cpu:1", BUDGET, False)
    plan = make_plan("paper-001-quick").restricted(["studies"], [])
    assert plan.studies == ("001",) and not plan.problems and not plan.transforms
    record = {**next(reductions("cpu:1", BUDGET))}
    monkeypatch.setattr(paper_studies, "paper_steps", lambda *_: [lambda: iter([record]), lambda: iter([])])
    assert list(measure_studies(plan, "cpu:1", set())) == [record]
    assert list(measure_studies(plan, "cpu:1", {key_of(record)})) == []
    assert list(measure_studies(make_plan("quick"), "cpu:1", set())) == []


def test_power_is_the_mean_of_what_the_driver_tells(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(power, "_SETTLING", 0.05)
    readings = iter([(float(watts), 50.0) for watts in range(100, 10_000)])
    worked = []
    draw = power.measured_power(lambda: next(readings), lambda: worked.append(1), seconds=0.4)
    assert worked and draw.looks >= 2 and draw.utilization == 50
    assert draw.seconds_each * len(worked) == pytest.approx(0.4, rel=0.5)
    assert draw.watts == pytest.approx(100 + (draw.looks - 1) / 2)
    monkeypatch.setitem(sys.modules, "pynvml", None)  # not to be imported
    monkeypatch.setattr(power.shutil, "which", lambda name: None)
    read, why = power.counter(0)
    assert read is None and "nvidia-ml-py" in why
    monkeypatch.setattr(power.shutil, "which", lambda name: "/bin/false")
    read, why = power.counter(0)
    assert read is None and "tells no power" in why


def test_a_chosen_set_prints_only_its_rows() -> None:
    found = succeed("bench", "--paper", "001", "--quick", "--set", "001-4096-109", "--no-peer").text
    assert "Table 7" in found and "4096" in found
    for other in ("8192", "16384", "32768", "Table 2", "Table 6", "laws"):
        assert other not in found, other
    refused = run("bench", "--paper", "001", "--quick", "--set", "nothing")
    assert refused.code == 2 and "studies" in refused.text


def test_on_a_gpu_table_6_is_by_events_only(records: dict[str, list[Record]]) -> None:
    titles = [t.title for t in device_paper_tables("001", records["001"])]
    assert [t for t in titles if "Table 6" in t] == ["paper 001, Table 6, by device events"]
    assert any(t.title.endswith("Table 6") for t in device_paper_tables("001", []))


def test_committed_records_fill_their_tables() -> None:
    """Of an H200: no dash of ours but for a design that was not in its build, D3's, and figures that no one has."""
    for paper in PAPERS:
        path = ROOT / "bench" / "results" / f"paper-{paper}-nvidia-h200.json"
        report = Report.load(path)
        assert report.complete
        for table in device_paper_tables(paper, report.records):
            typed = [i for i, name in enumerate(table.columns) if name.startswith(PAPER)]
            first = max(typed, default=len(table.columns)) + 1
            for row in table.rows:
                if not row[-1] or "D3" in row[0] or "multi-radix" in row[0]:
                    continue
                assert "–" not in row[first:-1], (table.title, row)


def test_rows_without_a_figure_say_why() -> None:
    tables = paper_text("000", [])
    assert "left out of this run" in tables[0].note and all(row[-1] for row in tables[0].rows)
