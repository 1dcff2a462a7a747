# SPDX-License-Identifier: Apache-2.0
"""Ratios are told only of samples that lie together, and every figure says of what kind it is."""

from __future__ import annotations

import json
import statistics
from pathlib import Path

import pytest

pytest.importorskip("typer")

from cyclotome_bench.kinds import ABOUT, Kind, kind_of_old, kinds_note, marked
from cyclotome_bench.machine import machine
from cyclotome_bench.machine.timing import Clock, Timing
from cyclotome_bench.page import page
from cyclotome_bench.reports.cells import MOST_SPREAD, compared, no_times, ratio_of, spread_of, timed, why_no_ratio
from cyclotome_bench.reports.report import Record, Report
from cyclotome_bench.views import View, view_of
from pages import ROOT

RESULTS = ROOT / "bench" / "results"


def test_a_ratio_of_quiet_sides_is_that_of_their_medians() -> None:
    ours, theirs = Timing([10.0, 11.0, 10.5, 10.2, 12.0]), Timing([70.0, 75.0, 71.0, 78.0, 74.0])
    found = compared(ours, theirs)
    assert found["ratio"] == pytest.approx(statistics.median(theirs.samples) / 10.5, abs=1e-3)
    assert found["min_ratio"] == 7.0 and "no_ratio" not in found and found["peer"] == "SEAL"
    assert (found["peer_p10_us"], found["peer_p90_us"]) == (70.4, 76.8)


@pytest.mark.parametrize("disturbed", ["ours", "theirs"])
def test_the_figures_that_were_printed_under_load_are_no_ratios(disturbed: str) -> None:
    """Two samples of 883 and 40,590 us gave "125.9x"; with more of them it is their spread that forbids it."""
    wild, quiet = Timing([883.0, 40590.0]), Timing([165.0, 165.5])
    sides = (wild, quiet) if disturbed == "ours" else (quiet, wild)
    found = compared(*sides)
    assert found["ratio"] is None and found["min_ratio"] is None and "2 samples" in found["no_ratio"]
    for side in sides:
        side.samples *= 3
    found = compared(*sides)
    assert found["ratio"] is None and "spread by 46" in found["no_ratio"]
    assert found["peer_median_us"] is not None, "the times are told all the same"


@pytest.mark.parametrize(("most", "told"), [(19.9, True), (20.0, True), (20.1, False)])
def test_the_limit_of_the_spread(most: float, told: bool) -> None:
    few = Timing([10.0, 12.0, most])
    assert (compared(few, few)["ratio"] is not None) == told


def test_one_sample_of_sixty_does_not_matter_and_a_tenth_does() -> None:
    one = timed(Timing([10.0] * 59 + [500.0]))
    assert spread_of(one) == 1.0 and why_no_ratio(one, one) is None
    many = timed(Timing([10.0] * 50 + [500.0] * 10))
    assert spread_of(many) == 50.0 and "spread" in str(why_no_ratio(one, many))
    old = {name: value for name, value in many.items() if name not in ("p10_us", "p90_us")}
    assert spread_of(old) == 1.0, "an older record of many samples has no percentiles, and its most may be one of them"
    nine = timed(Timing([10.0] * 8 + [500.0]))
    assert spread_of(nine) == 50.0, "of fewer than ten, the extremes count"


@pytest.mark.parametrize(("count", "told"), [(1, False), (2, False), (3, True)])
def test_a_ratio_takes_samples(count: int, told: bool) -> None:
    side = Timing([10.0] * count)
    assert (compared(side, side)["ratio"] is not None) == told


def test_records_without_a_peer_have_the_fields_all_the_same() -> None:
    wanted = {"peer": None, "peer_median_us": None, "ratio": None}
    assert compared(Timing([1.0]), None) == compared(None, None) == wanted
    assert no_times(0.0)["kind"] == "no time" and no_times(4.5, Kind.ASSUMED)["median_us"] == 4.5


def test_ratios_across_kinds_are_refused() -> None:
    measured = timed(Timing([10.0] * 5))
    assumed = no_times(40.0, Kind.ASSUMED) | {"samples": 5}
    assert ratio_of(measured, measured) == 1.0
    assert ratio_of(assumed, measured) is None and ratio_of(measured, None) is None


def test_the_clock_tells_the_kind_and_a_cell_shows_it() -> None:
    wall, own = timed(Timing([2.0], clock=Clock.WALL)), timed(Timing([2.0]))
    assert (wall["kind"], own["kind"], own["clock"]) == ("wall clock", "measured", "thread")
    assert timed(Timing([2.0], clock=Clock.WALL), Kind.LATENCY)["kind"] == "latency"
    assert marked("2 µs", wall) == "2 µs (wall clock)" and marked("2 µs", own) == "2 µs"
    assert marked("–", wall) == marked("–", None) == "–"
    assert ABOUT.keys() == set(Kind)
    assert kinds_note([wall, own, own]).startswith("1 wall clock: by the clock on the wall")


# Records that did not say


def _old(**changed: object) -> Record:
    head = {"set": "seal-4096", "scheme": "bfv", "chain": "same", "operation": "encrypt", "degree": 4096, "word": 64}
    head |= {"log_q": 109, "threads": 1, "batch": 1, "engine": "cpu", "secure": True, "plain_modulus": 65537}
    times = {"median_us": 10.0, "min_us": 9.0, "max_us": 11.0, "samples": 60, "peer": "SEAL", "peer_median_us": 70.0}
    return {**head, **times, "peer_min_us": 69.0, "peer_max_us": 71.0, "peer_samples": 60, "ratio": 7.0, **changed}


@pytest.mark.parametrize(
    ("changed", "facts", "plan", "kind"),
    [
        ({}, {}, "full", Kind.WALL),
        ({}, {}, "instruction-sets", Kind.MEASURED),
        ({"set": "003-5"}, {}, "paper-003", Kind.MEASURED),
        ({"set": "003-5", "threads": 4}, {}, "paper-003", Kind.WALL),
        ({"set": "003-5", "engine": "cuda:0"}, {"gpu": {}}, "paper-003", Kind.LATENCY),
        ({"set": "003-1", "engine": "cuda:0"}, {"gpu": {}}, "paper-003", Kind.THROUGHPUT),
        ({"set": "study-001", "operation": "share_encrypt", "engine": "cuda"}, {"gpu": {}}, "x", Kind.LATENCY),
        ({"set": "study-001", "operation": "design_ntt", "engine": "cuda"}, {"gpu": {}}, "x", Kind.THROUGHPUT),
        ({"set": "004-6.11", "engine": "fpga:sim"}, {}, "paper-004", Kind.ASSUMED),
        ({"set": "004-6.2", "operation": "resources"}, {}, "paper-004", Kind.ESTIMATED),
        ({"set": "002-3", "samples": 0}, {}, "paper-002", Kind.NONE),
    ],
)
def test_records_of_the_first_schema_are_told_by_what_measured_them(
    changed: Record, facts: Record, plan: str, kind: Kind
) -> None:
    assert kind_of_old(_old(**changed), facts, plan) is kind


def test_reports_of_the_first_schema_are_read_and_their_bad_ratios_are_not(tmp_path: Path) -> None:
    path = tmp_path / "old.json"
    wild = _old(operation="decrypt", peer_max_us=3000.0, peer_samples=8, min_ratio=5.5, ratio=125.9)
    load = {"before": [22.0, 9.0, 9.0], "after": [24.0, 9.0, 9.0], "note": "22.0 …: ratios are less affected"}
    facts = {"machine": "m", "threads": 2, "date": "2026-11-21 03:40 UTC", "commit": None, "load": load}
    data = {"schema": 1, "plan": "full", "complete": True, **facts, "records": [_old(), wild]}
    path.write_text(json.dumps(data), encoding="utf-8")
    report = Report.load(path)
    quiet, disturbed = report.records
    assert quiet["ratio"] == 7.0 and quiet["kind"] == "wall clock"
    assert disturbed["ratio"] is None and "spread by 43.5" in disturbed["no_ratio"] and "min_ratio" not in disturbed
    shown = page(report, View(view_of(report).tables, []))
    assert "less affected" not in shown and "22.0 processes wanted to run on 2 cores" in shown
    assert "24.0 wanted to run when it ended" in shown and "not recorded: nobody can tell which code" in shown
    assert "wall clock" in shown
    report.save(path)
    assert json.loads(path.read_text(encoding="utf-8"))["schema"] == 2


def test_no_load_is_explained_away() -> None:
    for load in (0.1, 1.0, 9.0, 22.0):
        assert "less affected" not in machine.load_note([load, load, load], 2)


def test_all_records_have_a_kind_and_no_ratio_of_samples_that_spread() -> None:
    for path in sorted(RESULTS.glob("*.json")):
        if "records" not in json.loads(path.read_text(encoding="utf-8")):
            continue
        for record in Report.load(path).records:
            assert Kind(record["kind"]) in ABOUT, path.name
            if record["ratio"] is not None:
                few = record["samples"] < 10
                known = record["max_us"] if few else record.get("p90_us", record["median_us"])
                assert known / record.get("p10_us", record["min_us"]) <= MOST_SPREAD or few, path.name
                assert not few or record["max_us"] / record["min_us"] <= MOST_SPREAD, path.name
