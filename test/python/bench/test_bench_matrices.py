# SPDX-License-Identifier: Apache-2.0
"""Products of matrices in the benchmark: they run, and are compared with NumPy's."""

from __future__ import annotations

import pytest
from cyclotome.errors import ArgumentError
from cyclotome_bench.machine.timing import Budget
from cyclotome_bench.products import matrix_products
from cyclotome_bench.reports.charts import Bars
from cyclotome_bench.reports.report import REQUIRED, Report, key_of
from cyclotome_bench.views import view_of


def test_a_small_matrix(capsys: pytest.CaptureFixture[str]) -> None:
    matrix_products.main(["12x20", "--degree", "64", "--no-peer", "--seconds", "0.05"])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2 + 4 and all(line.split("|")[4].strip() == "1" for line in lines[2:])


def test_beside_its_peer() -> None:
    pytest.importorskip("tenseal")
    rows = matrix_products.measure((12, 20), Budget(seconds=0.05, fewest=1, most=2))
    assert {row.who for row in rows} >= {"TenSEAL, CKKS", "cyclotome, bgv, prepared"}
    assert all(row.timing.samples for row in rows)


def test_the_set_of_matrices() -> None:
    plan = matrix_products.make_matrix_plan(quick=True, seconds=0.01).restricted(["matrix"], [])
    records = list(matrix_products.measure_matrices(plan, True, set()))
    assert [(r["scheme"], r["ciphertexts"]) for r in records] == [("bfv", 1), ("bfv", 1), ("bgv", 1), ("bgv", 1)]
    assert all(set(REQUIRED) <= set(record) and record["median_us"] > 0 for record in records)
    (table,) = matrix_products.matrix_tables(records)
    assert len(table.rows) == 4 and matrix_products.matrix_tables([]) == []
    (plot,) = view_of(Report(plan.name, {}, records)).plots
    assert isinstance(plot, Bars) and len(plot.rows) == 4 and plot.series == ("cyclotome",)
    assert list(matrix_products.measure_matrices(plan, True, {key_of(record) for record in records})) == []


def test_the_set_stands_alone() -> None:
    plan = matrix_products.make_matrix_plan(quick=True)
    for sets, schemes in ((["matrix", "seal-4096"], []), (["matrix"], ["bgv"])):
        with pytest.raises(ArgumentError, match="by itself"):
            plan.restricted(sets, schemes)
    with pytest.raises(ArgumentError):
        matrix_products.make_matrix_plan(seconds=0)
