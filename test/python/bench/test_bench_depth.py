# SPDX-License-Identifier: Apache-2.0
"""Deep programs in the benchmark: they run in every way, and are compared with NumPy's."""

from __future__ import annotations

from typing import Any

import pytest
from cyclotome import _core
from cyclotome.errors import ArgumentError
from cyclotome_bench import depth
from cyclotome_bench.peers.truth import WrongResultError
from cyclotome_bench.reports.charts import Bars
from cyclotome_bench.reports.report import REQUIRED, Report, key_of
from cyclotome_bench.views import view_of


def test_the_set_of_deep_programs() -> None:
    plan = depth.make_depth_plan(quick=True, seconds=0.01).restricted(["depth"], [])
    records = list(depth.measure_depth(plan, set()))
    assert all(set(REQUIRED) <= set(record) and record["median_us"] > 0 for record in records)
    assert all(record["headroom"] >= 0 and record["ratio"] > 0 for record in records)
    assert [r["chain"] for r in records].count("longest") == 4  # each program from the top and from a lower level
    longest = [r for r in records if r["chain"] == "longest"]
    assert all(low["primes"] < top["primes"] for top, low in zip(longest[::2], longest[1::2], strict=True))
    (table,) = depth.depth_tables(records)
    assert len(table.rows) == len(records) and depth.depth_tables([]) == []
    view = view_of(Report("depth", {}, records, True))
    assert [t.title for t in view.tables] == [table.title]
    assert [len(plot.rows) for plot in view.plots if isinstance(plot, Bars)] == [len(records)]
    assert list(depth.measure_depth(plan, {key_of(record) for record in records})) == []


def test_a_wrong_product_is_no_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(a: Any, b: Any, keys: Any) -> Any:
        return _core.multiply_relinearized(_core.add(a, a), b, keys)

    monkeypatch.setattr(_core, "multiply_switched_over_all", wrong)
    with pytest.raises(WrongResultError):
        list(depth.measure_depth(depth.make_depth_plan(quick=True, seconds=0.01), set()))


def test_the_set_stands_alone() -> None:
    plan = depth.make_depth_plan(quick=True)
    for sets, schemes in ((["depth", "seal-4096"], []), (["depth"], ["bfv"])):
        with pytest.raises(ArgumentError, match="by itself"):
            plan.restricted(sets, schemes)
    with pytest.raises(ArgumentError):
        depth.make_depth_plan(seconds=0)
