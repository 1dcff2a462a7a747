# SPDX-License-Identifier: Apache-2.0
"""Paper 003's figures as a benchmark, at small sizes: every figure and version, results that are checked, tables."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli_runner import run
from cyclotome import _core, errors
from cyclotome_bench.fermat import fermat
from cyclotome_bench.fermat import instructions as fermat_instructions
from cyclotome_bench.fermat.fermat import limb_moduli, measure_fermat
from cyclotome_bench.fermat.plans import FIGURES, VERSIONS, WAYS, FermatPlan, make_fermat_plan
from cyclotome_bench.fermat.questions import PRODUCTS, QUESTIONS, RELINEARISATIONS
from cyclotome_bench.fermat.tables import fermat_plots, fermat_tables, paper_depth
from cyclotome_bench.machine.timing import Budget
from cyclotome_bench.peers.truth import WrongResultError
from cyclotome_bench.reports.charts import Lines
from cyclotome_bench.reports.report import REQUIRED, Record, key_of

BUDGET = Budget(seconds=0, fewest=1, most=1, sample_seconds=0)


def tiny(*figures: str) -> FermatPlan:
    """Each kind of cell once, at its smallest."""
    plan = make_fermat_plan(quick=True).restricted(figures, [])
    smallest: dict[tuple[str, ...], Any] = {}
    for cell in plan.cells:
        smallest.setdefault(cell.figures, replace(cell, degree=64))
    return replace(plan, budget=BUDGET, cells=tuple(smallest.values()))


@pytest.fixture(scope="module")
def records() -> list[Record]:
    return list(measure_fermat(tiny()))


def test_every_figure_has_every_version_and_complete_records(records: list[Record]) -> None:
    assert len({key_of(record) for record in records}) == len(records)
    for record in records:
        assert set(REQUIRED) <= record.keys()
        assert 0 < record["min_us"] <= record["median_us"] <= record["max_us"]
    for figure in FIGURES:
        chains = [r["chain"] for r in records if r["set"] == f"003-{figure}"]
        assert set(WAYS) <= set(chains)
        assert ("ordinary primes" in chains) is (figure in ("1", "3"))


def test_what_was_measured_is_not_measured_again(records: list[Record]) -> None:
    known = {key_of(record) for record in records}
    assert list(measure_fermat(tiny(), known)) == []
    again = list(measure_fermat(tiny("2", "4"), {key for key in known if key[0] != "003-4"}))
    assert {r["set"] for r in again} == {"003-4"}


def steady(records: list[Record]) -> list[Record]:
    """The same medians, of samples that lie together, as a run for figures has them."""
    ends = ("min_us", "max_us", "p10_us", "p90_us")
    return [{**r, **dict.fromkeys(ends, r["median_us"]), "samples": 3} for r in records]


def test_tables_hold_the_papers_claims_beside_what_was_measured(records: list[Record]) -> None:
    tables = {table.title: table for table in fermat_tables(steady(records))}
    sizes = tables["Paper 003, Table 1: how many moduli"]
    assert [row[3] for row in sizes.rows] == [row[4] for row in sizes.rows], "k as the paper prints it"
    assert [row[1] for row in sizes.rows] == [str(2**i) for i in range(1, 10)]
    claims = tables["Paper 003, what its text states"]
    assert [row[3] for row in claims.rows] == ["4.48×", "14.68×", "2.15×", "4.07×", "1.42×", "1.69×"]
    assert {cell for row in claims.rows for cell in row[4:]} == {"–"}, "none of these sizes was measured"
    for figure, what in FIGURES.items():
        (row,) = tables[f"Paper 003, figure {figure}: {what}"].rows
        assert row[0].isdigit() and row[2].endswith("s") and all(cell.endswith("×") for cell in row[3:])
    (text,) = [table for title, table in tables.items() if title.startswith("Beside")]
    assert [row[1] for row in text.rows] == ["none", "both", "positional", "ordinary primes"]


def test_claims_find_their_records() -> None:
    made = [
        {
            "set": "003-9",
            "degree": 32768,
            "log_q": 512,
            "chain": chain,
            "median_us": 100.0 / (1 + i),
            "kind": "measured",
        }
        for i, chain in enumerate(VERSIONS)
    ]
    (claims,) = [table for table in fermat_tables(steady(made)) if "text states" in table.title]
    assert claims.rows[-1][4:] == ("2.00×", "3.00×", "4.00×")


def test_each_figure_is_plotted(records: list[Record]) -> None:
    plots = [plot for plot in fermat_plots(steady(records)) if isinstance(plot, Lines)]
    assert [plot.title.split(":")[0] for plot in plots] == [f"Paper 003, figure {figure}" for figure in FIGURES]
    for plot in plots:
        assert set(WAYS[1:]) <= set(plot.series)
        assert all(y > 0 for points in plot.series.values() for _, y in points)


def test_questions_are_answered_in_tables(records: list[Record]) -> None:
    tables = {table.title: table for table in fermat_tables(records)}
    (row,) = tables["Ring products modulo Fermat limbs"].rows
    assert row[-1] in PRODUCTS and row[2].endswith("s")
    ways = tables["Relinearisation on Fermat moduli"].rows
    assert [way[1] for way in ways] == list(RELINEARISATIONS)
    for r in records:
        if r["set"] == "003-relinearisation":
            assert r["depth"] <= r["depth_measured"] and r["headroom_product"] < r["headroom_fresh"]
    assert len(tables["How far q is split"].rows) == 5
    assert {cell for row in tables["Auxiliary moduli"].rows for cell in row[2:3]} >= {"t = 163841 and gamma = 2^31"}


def test_what_counts_instructions_converts(capsys: pytest.CaptureFixture[str]) -> None:
    fermat_instructions.main(["reduction", "8", "3"])
    assert capsys.readouterr().out == f"{3 * fermat_instructions.COEFFICIENTS} coefficients\n"


def test_products_that_disagree_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    right = _core.FermatProduct

    class Wrong:
        def __init__(self, x: int, degree: int, way: str, engine: _core.CpuEngine) -> None:
            self._right, self._way = right(x, degree, way, engine), way

        def __getattr__(self, name: str) -> object:
            return getattr(self._right, name)

        def result(self) -> object:
            return self._right.result() ^ np.uint64(self._way == "schoenhage")

    monkeypatch.setattr(_core, "FermatProduct", Wrong)
    with pytest.raises(WrongResultError, match="ring products, schoenhage"):
        list(measure_fermat(tiny("products")))


def test_limbs_multiply_to_q() -> None:
    for x, limbs in ((7, 2), (8, 3), (9, 4), (9, 1)):
        product = 1
        for modulus in limb_moduli(x, limbs):
            product *= modulus
        assert product == 2 ** (1 << x) - 1


def test_negacyclic_squares_of_the_oracle(rng: np.random.Generator) -> None:
    values = rng.integers(-512, 512, 16)
    for t in (1024, 786433):
        wanted = [0] * 16
        for i, a in enumerate(map(int, values)):
            for j, b in enumerate(map(int, values)):
                wanted[(i + j) % 16] += a * b if i + j < 16 else -a * b
        assert list(fermat._negacyclic_square(values, t)) == [w % t for w in wanted]


@pytest.mark.parametrize("figure", ["1", "3"])
def test_a_wrong_conversion_is_noticed(monkeypatch: pytest.MonkeyPatch, figure: str) -> None:
    right = fermat._Residues.converted
    monkeypatch.setattr(fermat._Residues, "converted", lambda self, c, t: [v ^ 1 for v in right(self, c, t)])
    with pytest.raises(WrongResultError, match="FastBConv, none"):
        list(measure_fermat(tiny(figure)))


@pytest.mark.parametrize(
    ("figure", "what"), [("2", "decryption, none"), ("equal", "decrypt, none"), ("job", "the job")]
)
def test_a_wrong_decryption_is_noticed(monkeypatch: pytest.MonkeyPatch, figure: str, what: str) -> None:
    calls = iter(range(10**6))
    right = fermat.polynomial
    # The second reading, what results are compared with, differs in one value; a job reads once and squares it.
    monkeypatch.setattr(fermat, "polynomial", lambda n, t: right(n, t) + (np.arange(n) == 3) * (next(calls) % 2))
    if figure == "job":
        monkeypatch.setattr(fermat, "_JOB_DEPTH", 1)
        monkeypatch.setattr(fermat, "polynomial", right)
        monkeypatch.setattr(fermat, "_wide_job", lambda p, column, depth: lambda: column)
    with pytest.raises(WrongResultError, match=what):
        list(measure_fermat(tiny(figure)))


def test_plans_refuse_what_the_paper_does_not_have() -> None:
    plan = make_fermat_plan()
    assert {f for cell in plan.cells for f in cell.figures} == {*FIGURES, "equal", "job", *QUESTIONS}
    assert {c.bits for c in plan.cells if "5" in c.figures} == {1 << x for x in range(7, 15)}
    assert [(c.degree, c.bits) for c in plan.cells if "7" in c.figures][-3:-2] == [(16384, 2048)]
    with pytest.raises(errors.ArgumentError, match="no figure '10'; it has 1, 2"):
        plan.restricted(["10"], [])
    with pytest.raises(errors.ArgumentError, match="one scheme"):
        plan.restricted([], ["bgv"])
    with pytest.raises(errors.ArgumentError, match="positive"):
        make_fermat_plan(seconds=0)


@pytest.mark.slow
def test_the_command_prints_figures_and_draws_them(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    result = run("bench", "--paper", "003", "--quick", "--set", "4", "--seconds", "0.001", "--html", str(page))
    assert result.code == 0, result.text
    assert "figure 4: decomposition D_RNS" in result.text
    text = page.read_text(encoding="utf-8")
    assert "Plotly.newPlot(" in text and all(f'"name":"{way}"' in text for way in WAYS[1:])
    wrong = run("bench", "--paper", "003", "--set", "11")
    assert wrong.code == 2 and "no figure '11'" in wrong.text


def test_the_papers_bound_on_depth_is_that_of_its_theorem() -> None:
    """4 δ^L (δ + 1.25)^(L + 1) t^(L - 1) < q, in fractions."""

    def depth(n: int, bits: int, t: int) -> int:
        levels = 0
        while 4 * n ** (levels + 1) * (n + Fraction(5, 4)) ** (levels + 2) * Fraction(t) ** levels < 2**bits - 1:
            levels += 1
        return levels

    for n, x in ((8192, 7), (16384, 8), (32768, 9), (1024, 14), (1024, 4), (32768, 5)):
        for t in (2, 257, 786433):
            assert paper_depth(n, 1 << x, t) == depth(n, 1 << x, t), (n, x, t)
    assert [paper_depth(n, q, 786433) for n, q in ((8192, 128), (16384, 256), (32768, 512))] == [2, 5, 10]
