# SPDX-License-Identifier: Apache-2.0
"""The benchmark of a device: run on a CPU engine, as if it were a GPU; and papers' tables beside it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cyclotome import _core
from cyclotome.errors import ArgumentError, EngineError
from cyclotome_bench.machine import machine
from cyclotome_bench.machine.timing import Budget, Timing
from cyclotome_bench.papers import device
from cyclotome_bench.papers.device import measure_on_device
from cyclotome_bench.papers.device_plans import DevicePlan, make_device_plan
from cyclotome_bench.papers.device_studies import design_records
from cyclotome_bench.papers.device_tables import device_paper_tables, device_tables
from cyclotome_bench.peers.truth import WrongResultError
from cyclotome_bench.reports.report import REQUIRED, Record, Report, key_of
from cyclotome_bench.sets import OPERATIONS


@pytest.fixture(scope="module")
def plan() -> DevicePlan:
    made = make_device_plan("quick", "cpu:1", seconds=0.002)
    return made


@pytest.fixture(scope="module", autouse=True)
def short_samples() -> Iterator[None]:
    """What is looked at here is what is measured, not how exactly."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(device, "_SAMPLE_SECONDS", 1e-4)
        yield


@pytest.fixture(scope="module")
def records(plan: DevicePlan, short_samples: None) -> list[Record]:
    return list(measure_on_device(plan))


def test_everything_is_measured_once(plan: DevicePlan, records: list[Record]) -> None:
    assert len({key_of(r) for r in records}) == len(records)
    for record in records:
        assert all(name in record for name in REQUIRED) and record["engine"] == "cpu"
        assert 0 < record["min_us"] <= record["median_us"] <= record["max_us"] and record["throughput_us"] > 0
        each = record["throughput_us"] / record["batch"]
        assert record["us_each"] == pytest.approx(each, rel=1e-3, abs=1e-3)
    for problem, batch in itertools.product(plan.problems, plan.batches):
        found = {
            r["operation"]
            for r in records
            if (r["set"], r["scheme"], r["batch"]) == (problem.name, problem.scheme, batch)
        }
        assert found == set(OPERATIONS) - (set() if batch == 1 else {"key_generation", "relinearization_key"})
    transforms = [r for r in records if r["operation"] in ("ntt", "intt")]
    assert {(r["log_q"], r["word"], r["batch"]) for r in transforms} == {
        (bits, word, limbs) for bits, word in ((30, 32), (50, 64), (60, 64)) for limbs in (1, 16)
    }
    budgets = [r["noise_left"] for r in records if r["operation"] == "multiply" and r["batch"] == 1]
    assert budgets and all(b > 0 for b in budgets)


def test_what_is_known_is_not_measured_again(plan: DevicePlan, records: list[Record]) -> None:
    missing = records[3], records[-1]
    known = {key_of(r) for r in records if r not in missing}
    again = list(measure_on_device(plan, known))
    assert {key_of(r) for r in missing} <= {key_of(r) for r in again}
    assert len(again) <= 3  # both directions of a transform are measured together


def test_wrong_results_end_it(plan: DevicePlan, monkeypatch: pytest.MonkeyPatch) -> None:
    problems = plan.restricted(["small"], ["bfv"])
    assert isinstance(problems, DevicePlan)
    with monkeypatch.context() as patched:
        patched.setattr(_core, "add", lambda x, y: x)
        with pytest.raises(WrongResultError, match="add wrongly"):
            list(measure_on_device(problems))

    class Broken:
        def __init__(self, *_: Any) -> None: ...

        def agrees_with(self, reference: Any) -> bool:
            return False

    monkeypatch.setattr(_core, "TransformBench", Broken)
    with pytest.raises(WrongResultError, match="transforms of length 2048"):
        list(measure_on_device(plan))


def test_the_transform_check_can_fail() -> None:
    """`agrees_with` compares with the other engine's transform, and notices a wrong one."""
    bench = _core.TransformBench(_core.CpuEngine(1), 32, [1073479681, 1073184769], 1024, 3)
    assert bench.agrees_with(_core.CpuEngine(2))
    assert len(bench.residues()) == 3 * 2 * 1024
    with pytest.raises(Exception, match="32 or 64 bits"):
        _core.TransformBench(_core.CpuEngine(1), 16, [12289], 1024)


def test_throughput_is_of_one_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device, "_SAMPLE_SECONDS", 0.01)
    calls = []

    class Clockless:
        def synchronize(self) -> None: ...

    each = device.throughput(Clockless(), lambda: calls.append(1), expected_us=1000, seconds=0.0)  # type: ignore[arg-type]
    assert len(calls) == 3 * 10 and 0 < each < 1000


def test_plans() -> None:
    full = make_device_plan("full", "cpu:1")
    assert full.batches == (1, 16, 64) and full.limbs[-1] == 1024 and full.studies == ("000", "001")
    assert {t.degree for t in full.transforms if t.bits == 60} == {1 << i for i in range(11, 18)}
    assert {p.name for p in full.problems} >= {"seal-4096", "seal-32768", "000-16384-744", "001-32768-880"}
    assert make_device_plan("paper-001", "cpu:1").limbs == (1,)
    quick = make_device_plan("paper-000-quick", "cpu:1")
    assert quick.quick and quick.studies == ("000",) and {p.degree for p in quick.problems} == {2048, 4096, 8192}
    assert full.restricted(["seal-4096"], []).studies == () and quick.restricted(["studies"], []).problems == ()
    with pytest.raises(ArgumentError, match="is unknown here"):
        make_device_plan("paper-004", "cpu:1")
    with pytest.raises(EngineError, match="is unknown"):
        make_device_plan("quick", "gpu")


def test_tables(records: list[Record]) -> None:
    tables = device_tables(records)
    assert [t.title.split()[0] for t in tables] == ["transforms", "BFV", "BGV", "BFV", "beside"]
    for table in tables:
        assert table.rows and all(len(row) == len(table.columns) for row in table.rows)


@pytest.mark.parametrize(("paper", "titles"), [("000", ("Tables 6 and 7",)), ("001", ("Table 5", "Table 6, by"))])
def test_paper_tables_about_designs(paper: str, titles: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    """Every row of a design finds its figure; D3 has none above n = 8192."""
    monkeypatch.setattr(
        _core, "cuda_transform_times", lambda name, degree, *_: None if name == "D3" and degree > 8192 else (12.0, 13.0)
    )
    found = list(design_records(paper, "cuda:0", Budget(fewest=1)))
    assert len({key_of(r) for r in found}) == len(found) and all(name in r for r in found for name in REQUIRED)
    tables = [t for t in device_paper_tables(paper, found) if t.title.startswith("paper")]
    for title in titles:
        table = next(t for t in tables if title in t.title)
        column = table.columns.index("D5" if "D5" in table.columns else "ours")
        rows = [row for row in table.rows if row[0].endswith("DGT") or paper == "001"]
        assert len(rows) >= 8 and all(len(row) == len(table.columns) for row in table.rows)
        for row in rows:
            absent = (" D3" in row[0] and int(row[1]) > 8192) or (
                title.startswith("Table 6,") and row[1:3] == ("65536", "55")
            )
            assert (row[column] == "–") == (" D3" in row[0] and int(row[1]) > 8192), row
            assert row[column] in ("–", "12.0 µs", "13.0 µs")
            assert not absent or row[3] == "–", "the paper has no such figure either"
    with pytest.raises(ArgumentError, match="no designs"):
        list(design_records("004", "cuda:0", Budget()))


def test_a_report_is_read_again(records: list[Record], tmp_path: Path) -> None:
    report = Report("quick", machine.device_facts("cpu:1"), records, True)
    report.save(tmp_path / "report.json")
    assert Report.load(tmp_path / "report.json").records == records
    assert machine.device_machine_name("cpu:1") == machine.machine_name()


def test_the_name_of_a_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    gpu = {
        "index": 1,
        "name": "NVIDIA H100 80GB HBM3",
        "compute_capability": "9.0",
        "multiprocessors": 132,
        "memory": 9,
    }
    facts = {"built": True, "runtime": 13000, "driver": 13000, "problem": "", "devices": [gpu]}
    monkeypatch.setattr(_core, "cuda_facts", lambda: facts)
    monkeypatch.setattr(_core, "cuda_ceilings", lambda index: {"copy_bytes_per_second": 1.0})
    assert machine.device_machine_name("cuda:1") == "nvidia-h100-80gb-hbm3"
    about = machine.device_facts("cuda:1")
    assert about["gpu"]["name"] == gpu["name"] and about["cuda"] == "13.0" and about["ceilings"]
    assert about["machine"] == "nvidia-h100-80gb-hbm3" and about["load"]


def test_latency_waits_for_the_device() -> None:
    order: list[str] = []

    class Watched:
        def synchronize(self) -> None:
            order.append("wait")

    timing = device.latency(Watched(), lambda: order.append("call"), Budget(seconds=0, fewest=2))  # type: ignore[arg-type]
    assert isinstance(timing, Timing) and len(timing.samples) == 2
    assert order == ["call", "call", "wait", "call", "wait", "wait", "call", "wait"]
