# SPDX-License-Identifier: Apache-2.0
"""The table of functions: every row is measured and right, and wrong results are noticed."""

from __future__ import annotations

from dataclasses import replace

import pytest
from cyclotome.errors import ArgumentError
from cyclotome_bench import functions
from cyclotome_bench.functions import FUNCTIONS, functions_tables, make_functions_plan, measure_functions
from cyclotome_bench.peers.functions_published import PUBLISHED
from cyclotome_bench.peers.truth import WrongResultError
from cyclotome_bench.reports.charts import Bars
from cyclotome_bench.reports.report import REQUIRED, Report, key_of
from cyclotome_bench.views import view_of
from devices import DEVICE, needs_device


def test_every_row_is_measured_once() -> None:
    plan = make_functions_plan(quick=True, seconds=0.01).restricted(["functions"], [])
    records = list(measure_functions(plan, True, set()))
    assert {record["operation"] for record in records} == set(FUNCTIONS)
    assert all(set(REQUIRED) <= set(record) and record["median_us"] > 0 for record in records)
    table, published = functions_tables(records)
    assert len(table.rows) == len(records) == 12 and functions_tables([]) == []
    assert len(published.rows) == len(PUBLISHED) and "OTHER MACHINES" in published.note
    assert {each.beside for each in PUBLISHED} <= set(FUNCTIONS) and all("–" not in row for row in published.rows)
    (plot,) = view_of(Report(plan.name, {}, records)).plots
    assert isinstance(plot, Bars) and len(plot.rows) == len(records) and plot.series[0] == "cyclotome"
    known = {key_of(record) for record in records}
    assert len(known) == len(records)


def test_wrong_results_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    right = functions._computed

    def wrong(*arguments: object) -> object:
        return replace(right(*arguments), check=lambda _: False)  # type: ignore[arg-type]

    monkeypatch.setattr(functions, "_computed", wrong)
    with pytest.raises(WrongResultError):
        list(measure_functions(make_functions_plan(quick=True, seconds=0.01), False, set()))


def test_the_set_stands_alone() -> None:
    plan = make_functions_plan(quick=True)
    for sets, schemes in ((["functions", "seal-4096"], []), (["functions"], ["bgv"])):
        with pytest.raises(ArgumentError, match="by itself"):
            plan.restricted(sets, schemes)
    with pytest.raises(ArgumentError):
        make_functions_plan(seconds=0)


@needs_device
def test_on_another_device_every_row_is_computed_there() -> None:
    plan = make_functions_plan(quick=True, seconds=0.01, device=DEVICE)
    records = list(measure_functions(plan, True, set()))
    assert {record["engine"] for record in records} == {DEVICE}
    assert {record["operation"] for record in records} == set(FUNCTIONS)
    table, _ = functions_tables(records)
    assert f"{DEVICE}: one call" in table.note
    assert DEVICE.startswith("cpu") or all(record["peer"] is None for record in records)
