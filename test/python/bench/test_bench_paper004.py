# SPDX-License-Identifier: Apache-2.0
"""Paper 004's BGV on a processor, and what its circuits cost: results, records, tables."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import flint
import numpy as np
import pytest

pytest.importorskip("typer")

from cyclotome import errors
from cyclotome.devices import fpga
from cyclotome.extras import FPGA
from cyclotome_bench.applications.circuits import CASES
from cyclotome_bench.machine.timing import Budget
from cyclotome_bench.papers.paper004 import measure_paper_004
from cyclotome_bench.peers.truth import WrongResultError
from cyclotome_bench.products import bgv_products
from cyclotome_bench.products.bgv_products import ResidueBgv, encryption_plots, encryption_tables, measure_encryption
from cyclotome_bench.products.plans import make_product_plan
from cyclotome_bench.reports.charts import Bars
from cyclotome_bench.reports.report import REQUIRED, Record, key_of
from cyclotome_bench.resources import measure_resources, resource_plots, resource_tables
from cyclotome_study import ProductContext, unpack

BUDGET = Budget(seconds=0, fewest=1, most=1, sample_seconds=0)


@pytest.fixture(scope="module")
def records() -> list[Record]:
    return list(measure_encryption(1024, True, BUDGET, set()))


def test_every_way_encrypts_and_decrypts(records: list[Record]) -> None:
    assert len({key_of(r) for r in records}) == len(records) == 8
    for r in records:
        assert set(REQUIRED) <= r.keys() and 0 < r["min_us"] <= r["median_us"] <= r["max_us"]
        assert r["set"] == "004-6.12" and r["paper_us"] is None, "a quick run has other sizes"
    known = {key_of(r) for r in records}
    assert list(measure_encryption(1024, True, BUDGET, known)) == []


@pytest.mark.parametrize(("words", "lengths"), [(True, (32,) * 4), (False, (64,) * 2)])
def test_the_thesis_s_bgv_is_bgv(words: bool, lengths: tuple[int, ...]) -> None:
    """c0 - dk c1 by flint, from the ciphertext's integers, is the message and twice a small noise."""
    context = ProductContext.of_lengths(256, lengths)
    bgv = ResidueBgv(context, words, np.random.default_rng(5))
    secret = _taken_apart(bgv, context)
    for _ in range(2):
        bgv.encrypt()
        bgv.decrypt()
        bgv.verify("here")
        parts = []
        for product in (bgv._first, bgv._second):
            product.reconstruct()
            parts.append(unpack(product.result(), product.limbs))
        product = [int(c) for c in (flint.fmpz_poly(parts[1]) * flint.fmpz_poly(secret)).coeffs()]
        product += [0] * (512 - len(product))
        opened = [context.centred(parts[0][i] - product[i] + product[i + 256]) for i in range(256)]
        assert [c % 2 for c in opened] == bgv._message.tolist()
        assert max(map(abs, opened)) < 2**20 and max(map(abs, opened)) > 2, "there is noise, and it is small"


def _taken_apart(bgv: ResidueBgv, context: ProductContext) -> list[int]:
    """dk: minus what a ciphertext (0, 1) opens to."""
    one = np.zeros(context.degree, np.int32)
    one[0] = 1
    bgv._opened.set_small(0, one)
    bgv._opened.multiply()
    bgv._opened.reconstruct()
    return [context.centred(c) for c in unpack(bgv._opened.result(), bgv._opened.limbs)]


@pytest.mark.parametrize("part", ["_first", "_second"])
def test_a_wrong_ciphertext_is_noticed(part: str) -> None:
    bgv = ResidueBgv(ProductContext.of_lengths(64, (32, 32)), True, np.random.default_rng(5))
    bgv.encrypt()
    wrong = np.zeros(64, np.int32)
    wrong[7] = 1
    getattr(bgv, part).add_small(wrong)
    bgv.decrypt()
    with pytest.raises(WrongResultError, match="not the message"):
        bgv.verify("here")


def test_wrong_ways_end_the_measurement(monkeypatch: pytest.MonkeyPatch) -> None:
    right = bgv_products.ResidueBgv.decrypt

    def forgetful(self: ResidueBgv) -> None:
        right(self)
        self._opened.add_small(np.ones(1024, np.int32))

    monkeypatch.setattr(bgv_products.ResidueBgv, "decrypt", forgetful)
    with pytest.raises(WrongResultError, match="CRT: 6"):
        list(measure_encryption(1024, True, BUDGET, set()))


def test_table_6_12_has_the_paper_s_rows_and_ours(records: list[Record]) -> None:
    (table,) = encryption_tables(records)
    assert [row[2] for row in table.rows if row[0] == "CRT: 34 × 32 bits"] == ["670 ms", "324 ms"]
    assert [row[2] for row in table.rows if row[0] == "CRT, GMP: 17 × 64 bits"] == ["2.39 s", "1.18 s"]
    ours = [row for row in table.rows if row[4] != "–"]
    assert len(ours) == 8 and all(row[2] == "–" and row[-1] for row in ours)
    full = [{**r, "chain": "CRT: 34 × 32 bits"} for r in records if r["chain"].startswith("CRT: ")]
    full = [{**r, "samples": 3, "min_us": r["median_us"], "max_us": r["median_us"]} for r in full]
    assert all("–" not in row for row in encryption_tables(full)[0].rows if row[0] == "CRT: 34 × 32 bits")
    few = [{**r, "samples": 2} for r in full]
    assert {row[5] for row in encryption_tables(few)[0].rows} == {"–"}, "no ratios of two samples"
    (plot,) = encryption_plots(records)
    assert isinstance(plot, Bars) and len(plot.rows) == 8
    assert encryption_tables([]) == [] and encryption_plots([]) == []


def test_latencies_are_those_that_the_thesis_prints() -> None:
    pytest.importorskip("amaranth", reason="amaranth, which describes circuits, is not installed")
    designs = FPGA.load("costs.thesis").DESIGNS
    for case in CASES:
        if case.paper_latency is not None:
            pipes = fpga.options_of(case.device).pipes
            clock = fpga.options_of(case.device).clock
            (row,) = [d for d in designs[case.table] if d.pipes == pipes and clock in d.clocks]
            assert (case.paper_latency, case.degree) == (row.row.latency, row.degree)
    assert sum(case.paper_latency is not None for case in CASES) == 5


@pytest.mark.slow
def test_resources_are_synthesised_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyosys", reason="pyosys, which synthesises circuits, is not installed")
    monkeypatch.setenv("CYCLOTOME_CIRCUIT_CACHE", str(tmp_path / "cache"))
    told: list[str] = []
    found = list(measure_resources(["6.1"], set(), told.append))
    assert len(told) > 1 and told[0].startswith("Table 6.1")
    assert all(set(REQUIRED) <= r.keys() and r["median_us"] is None for r in found)
    typed = [r for r in found if r["by"] == "paper 004, typed"]
    assert [(r["luts"], r["registers"], r["dsp"], r["ticks"]) for r in typed] == [(60, 410, 8, 5), (506, 1934, 15, 7)]
    ours = [r for r in found if r not in typed]
    assert len(ours) == 2 and all(r["by"].startswith("cyclotome_hdl, Yosys") and r["luts"] > 0 for r in ours)
    assert list(measure_resources(["6.1"], {key_of(r) for r in found}, told.append)) == []
    again: list[str] = []
    assert list(measure_resources(["6.1"], set(), again.append)) == found
    assert len(again) == 1, "nothing was synthesised again"
    (tmp_path / "cache" / "synthesis.json").write_text("{", encoding="utf-8")
    assert list(measure_resources(["6.1"], set(), again.append)) == found, "a broken file is made anew"
    (table,) = resource_tables(found)
    assert len(table.rows) == 4 and table.rows[0][1] == "paper 004, typed"
    (plot,) = resource_plots(found)
    assert isinstance(plot, Bars) and len(plot.rows) == 4


def test_the_board_of_table_6_10_is_as_printed() -> None:
    pytest.importorskip("amaranth", reason="amaranth, which describes circuits, is not installed")
    shares = [round(100 * used / there, 2) for _, used, there in FPGA.load("costs.thesis").EXTENDED]
    assert shares == [77.7, 84.34, 27.02, 93.96, 93.96, 87.84]


def test_without_a_generator_everything_else_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*_: object) -> None:
        raise errors.MissingPackageError("the generator of circuits is not installed")

    monkeypatch.setattr(type(FPGA), "load", missing)
    told: list[str] = []
    plan = replace(make_product_plan(quick=True).restricted(["6.2", "6.12"], []), budget=BUDGET, circuits=())
    found = list(measure_paper_004(plan, False, None, told.append))
    assert {r["set"] for r in found} == {"004-6.12"}
    assert told[-1] == "circuits are left out: the generator of circuits is not installed"
