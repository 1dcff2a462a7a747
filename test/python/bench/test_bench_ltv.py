# SPDX-License-Identifier: Apache-2.0
"""Paper 002's tables as a benchmark, at small sizes: every cell is measured, typed or a dash; results are checked."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from cli_runner import run
from cyclotome import _core
from cyclotome.circuit import Circuit
from cyclotome.errors import ArgumentError, MemoryLimitError, NoiseError
from cyclotome_bench.applications import applications
from cyclotome_bench.applications import ltv as bench
from cyclotome_bench.applications.ltv_plans import Application, Cell, LtvPlan, make_ltv_plan
from cyclotome_bench.applications.ltv_tables import ltv_plots, ltv_tables
from cyclotome_bench.machine.timing import Budget
from cyclotome_bench.peers.truth import WrongResultError
from cyclotome_bench.reports.report import REQUIRED, Record, key_of
from cyclotome_study import ltv
from cyclotome_study.ltv_arithmetic import Arithmetic

#: A set in place of the paper's: (primes, m, bits, window).
TINY = (4, 105, 24, 16)


def tiny(monkeypatch: pytest.MonkeyPatch, *tables: str) -> LtvPlan:
    monkeypatch.setattr(ltv.Parameters, "preset", lambda name: ltv.Parameters(*TINY, name=name))
    plan = make_ltv_plan(quick=True).restricted(tables, [])
    cells = tuple(replace(cell, primes=min(cell.primes, 3)) for cell in plan.cells)
    small = [
        Application("sorting 8", "bgv", 2, 2, 105, 0), Application("sorting 8", "ltv", 2, 2, 105, 0, (6, 105, 25, 16))
    ]  # fmt: skip
    return replace(
        plan,
        budget=Budget(seconds=0, fewest=1, most=1, sample_seconds=0),
        cells=tuple(dict.fromkeys(cells)),
        applications=tuple(small if plan.applications else ()),
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
        assert row[6] == row[10] == "–"  # columns that a quick run leaves out
        assert row[4] == "–", "a processor computes one alone"
    sixth = tables["Paper 002, Table 6"]
    assert sixth.rows[3][0] == "GTX 680 (1 GPU) (paper)" and sixth.rows[3][1] == "51.0 ms"
    ours = [row for row in sixth.rows if row[0].startswith("here")]
    assert len(ours) == 2 and "BROKEN" in ours[1][0]
    assert all(row[2] != "–" and row[1] == row[3] == row[4] == "–" for row in ours)  # columns that this plan leaves out
    assert tables["Paper 002, Figure 4"].rows
    several = [{**r, "batch": 16, "kind": "throughput"} if r["set"] in ("002-4", "002-5") else r for r in records]
    shown = {table.title.split(":")[0]: table for table in ltv_tables(several)}
    for row in shown["Paper 002, Table 5"].rows:
        assert row[2:4] == ("–", "–") and row[4].endswith(" of 16"), "a latency over a throughput is no ratio"
    assert {row[5] for row in shown["Paper 002, Figure 4"].rows} == {"–"}
    assert ltv_plots(records)
    assert ltv_plots([]) == []


def test_wrong_results_of_circuits_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    for scheme in ("bgv", "ltv"):
        wrong = tiny(monkeypatch, "6")
        wrong = replace(wrong, applications=tuple(a for a in wrong.applications if a.scheme == scheme))
        right_lists: Any = applications._lists
        shown: Any = applications.np.sort
        monkeypatch.setattr(applications.np, "sort", lambda values, axis, s=shown: s(values, axis=axis)[:, ::-1])
        with pytest.raises(WrongResultError, match="sorting 8"):
            list(bench.measure_ltv(wrong))
        monkeypatch.setattr(applications.np, "sort", shown)
        assert right_lists(wrong.applications[0], 5).shape == (5, 2)
    with pytest.raises(WrongResultError, match="PRINCE"):
        applications._require_prince(Application("PRINCE", "bgv", 0, 64, 255), [0, 0], applications._blocks(2))


@pytest.mark.parametrize("error", [MemoryLimitError, NoiseError])
def test_what_is_refused_is_a_dash_with_its_reason(error: type[Exception], monkeypatch: pytest.MonkeyPatch) -> None:
    plan = tiny(monkeypatch, "6")
    plan = replace(plan, applications=plan.applications[:1])

    def refuse(*_: Any) -> None:
        raise error("sorting: 85 GiB, of 24; compute fewer lists at once")

    monkeypatch.setattr(applications.cy.circuit, "sort", refuse)
    (record,) = bench.measure_ltv(plan)
    assert set(REQUIRED) <= record.keys() and record["samples"] == 0
    table = ltv_tables([record])[-1]
    assert table.rows[-1][1:] == ("–",) * 4 and "85 GiB, of 24" in table.note


def test_products_are_checked_without_flint_too(rng: np.random.Generator) -> None:
    ring = Arithmetic.of(ltv.Parameters(*TINY))
    a, b = ([int(x) for x in rng.integers(0, 1 << 20, ring.degree)] for _ in range(2))
    product = ring.native.multiply(ring.polynomial(a), ring.polynomial(b))
    for check in (bench._is_product, bench._agrees_at_a_root):
        assert check(ring, product, a, b)
        assert not check(ring, product, a, [b[0] + 1, *b[1:]])


def test_prince_is_compared_with_a_published_vector() -> None:
    blocks = applications._blocks(3)
    bits = [[value >> (63 - i) & 1 for i in range(64) for value in some]
            for some in (blocks, [applications._K0] * 3, [applications._K1] * 3)]  # fmt: skip
    (plain,) = Circuit.prince().native.compute_plain(bits, 3)
    found = [sum(plain[i * 3 + lane] << (63 - i) for i in range(64)) for lane in range(3)]
    applications._require_prince(Application("PRINCE", "bgv", 0, 64, 255), found, blocks)
    assert found[0] == 0xAE25AD3CA8FA9CCF


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
    assert whole.restricted(["5"], []).applications == () and whole.restricted(["6"], []).cells == ()
    assert [a.job for a in whole.applications] == 2 * ["PRINCE", "sorting 8", "sorting 16", "sorting 32"]
    on_gpu = make_ltv_plan(device="cuda:0")
    assert on_gpu.cells == whole.cells and on_gpu.applications == whole.applications
    # Kernels of LTV take 8192 points or more.
    assert {a.ring for a in make_ltv_plan(quick=True, device="cuda:0").applications if a.scheme == "ltv"} == {4369}
    assert all(a.ring == 255 for a in make_ltv_plan(quick=True).applications)
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


def test_a_gpus_tables_are_refused_where_there_is_none() -> None:
    """Tables by the CUDA twin in a build without it, or on a machine without a GPU: a typed refusal before any work."""
    if _core.cuda_facts()["devices"]:
        pytest.skip("there is a GPU")
    result = run("bench", "--paper", "002", "--quick", "--device", "cuda")
    assert result.code != 0 and "cuda" in result.text.lower()
