# SPDX-License-Identifier: Apache-2.0
"""Reports of the benchmark: files, pages, tables, the papers' figures, and the command."""

from __future__ import annotations

import itertools
import json
import re
import socket
import statistics
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.dom import minidom

import pytest

pytest.importorskip("typer")

from cli_runner import run, succeed
from cyclotome.errors import ArgumentError, FileError, FormatError, MismatchError
from cyclotome_bench import command as bench
from cyclotome_bench.machine import machine
from cyclotome_bench.measure import measure
from cyclotome_bench.page import page
from cyclotome_bench.papers.papers import PAPERS, paper_tables
from cyclotome_bench.papers.text import paper_text
from cyclotome_bench.plans import make_plan
from cyclotome_bench.reports.report import Record, Report
from cyclotome_bench.reports.tables import all_tables, duration, fastest_chain, single
from cyclotome_bench.views import View, view_of

QUICK = ("--quick", "--set", "small", "--scheme", "bfv", "--threads", "1", "--no-peer", "--seconds", "0.001")


@pytest.fixture(scope="module")
def report() -> Report:
    plan = make_plan("quick", seconds=0.001, threads=1).restricted(["small", "transforms"], ["bfv"])
    return Report("quick", machine.facts(None), list(measure(plan, peer=False)), complete=True)


def test_a_report_survives_its_file(report: Report, tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    report.save(path)
    assert Report.load(path) == report
    data = json.loads(path.read_text(encoding="utf-8"))
    top = {"machine", "cpu", "instruction_sets", "threads", "date", "commit", "versions", "load", "records"}
    assert top <= data.keys()
    assert list(tmp_path.iterdir()) == [path]


def test_files_that_are_no_reports_are_refused(report: Report, tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    with pytest.raises(FileError, match="cannot be read"):
        Report.load(path)
    for text in ("{", "[]", '{"schema": 99, "records": []}', '{"schema": 1, "records": [{"operation": "add"}]}'):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(FormatError):
            Report.load(path)
    with pytest.raises(FileError, match="missing"):
        report.save(tmp_path / "missing" / "report.json")


def test_only_runs_of_the_same_build_are_continued(report: Report) -> None:
    report.require_same_build(report.facts)
    with pytest.raises(MismatchError, match="commit"):
        report.require_same_build({**report.facts, "commit": "another"})


@pytest.mark.parametrize(
    ("load", "cores", "said"),
    [
        (0.0, 2, "idle"), (0.24, 1, "idle"), (0.25, 1, "too long"), (0.25, 2, "one was free"),
        (0.66, 2, "one was free"), (1.0, 2, "one was free"), (1.01, 2, "too long"), (9.0, 2, "too long"),
        (63.0, 64, "one was free"), (63.5, 64, "too long"),
    ],
)  # fmt: skip
def test_a_load_is_remarked_where_it_could_matter(load: float, cores: int, said: str) -> None:
    note = machine.load_note([load, 9.0, 9.0], cores)
    assert [word for word in ("idle", "one was free", "too long") if word in note] == [said]
    assert said == "idle" or (str(load) in note and str(cores) in note)


def test_a_load_that_the_system_does_not_tell() -> None:
    assert machine.load_note(None) == "the system does not tell its load"
    assert f"on {machine.cores()} core" in machine.load_note([99.0, 9.0, 9.0])


def test_the_machine_is_named_by_its_kind_alone() -> None:
    name = machine.machine_name()
    assert re.fullmatch(r"[a-z0-9-]+-[0-9]+core-[a-z0-9]+", name)
    host = socket.gethostname()
    assert len(host) < 4 or host not in json.dumps(machine.facts(None))


def test_no_commit_is_claimed_outside_of_the_checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert machine.commit() is None
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "another"\n', encoding="utf-8")
    assert machine.commit() is None


@pytest.mark.parametrize(
    ("microseconds", "text"),
    [(0.5, "0.50 µs"), (12.34, "12.3 µs"), (999.0, "999 µs"), (4560, "4.56 ms"), (1.2e6, "1.20 s"), (None, "–")],
)
def test_durations_have_three_digits(microseconds: float | None, text: str) -> None:
    assert duration(microseconds) == text


def test_the_fastest_chain_may_be_asked_to_keep_the_noise() -> None:
    def cell(chain: str, median: float, noise: int) -> Record:
        key = {"set": "s", "scheme": "bfv", "threads": 1, "batch": 1, "operation": "multiply_relinearize"}
        return {**key, "chain": chain, "median_us": median, "noise_left": noise, "peer_noise_left": 100}

    cells = single([cell("same", 9.0, 100), cell("short", 3.0, 80), cell("other", 5.0, 98)], "s", "bfv")
    assert fastest_chain(cells) == "short"
    assert fastest_chain(cells, equal_noise=True) == "other"
    assert fastest_chain({}) is None


def test_the_page_is_well_formed_and_shows_every_record(report: Report) -> None:
    facts = {**report.facts, "cpu": "<b>&\"cpu'"}
    text = page(Report("quick", facts, report.records), View(view_of(report).tables, []))
    document = minidom.parseString(text.removeprefix("<!DOCTYPE html>\n"))
    assert "<b>&" not in text and "the run was interrupted" in text
    rows = document.getElementsByTagName("tr")
    assert len(rows) == sum(1 + len(table.rows) for table in all_tables(report.records))
    assert "http:" not in text and "https:" not in text


def test_figures_of_paper_000_give_the_speedups_that_it_states() -> None:
    """Its abstract: 5.37x, 7.37x, 22.22x, 5.11x and 13.18x faster than SEAL, on average."""
    (table,) = paper_tables("000", [])
    seal, gpu = table.figures.index("SEAL 2.3.0-4, CPU"), table.figures.index("Tesla P100")
    for operation, stated in {"KeyGen": 5.37, "Enc": 7.37, "Dec": 22.22, "Add": 5.11, "Mul, BEHZ": 13.18}.items():
        rows = [row.figures for row in table.rows if row.operation == operation]
        assert statistics.mean(row[seal] / row[gpu] for row in rows) == pytest.approx(stated, rel=0.01)  # type: ignore


def test_figures_of_paper_001_give_the_speedups_that_it_states() -> None:
    table, transforms = paper_tables("001", [])
    best = {(row.operation, row.degree, row.log_q): row.figures for row in table.rows}
    for key, stated in {
        ("KeyGen", 32768, 880): 141.95,
        ("Enc", 32768, 880): 94.39,
        ("Dec", 32768, 880): 90.13,
        ("Enc", 32768, 496): 105.17,
    }.items():
        gpu, cpu = best[key]
        assert cpu / gpu == pytest.approx(stated, rel=0.001)  # type: ignore[operator]
    figures = {(row.operation, row.degree, row.log_q): row.figures[0] for row in transforms.rows}
    assert (figures["NTT", 32768, 55], figures["INTT", 32768, 55]) == (39, 23)


def test_ours_stands_in_the_row_of_its_parameters() -> None:
    def cell(chain: str, operation: str, median: float) -> Record:
        key = {"set": "000-4096-186", "scheme": "bfv", "paper": "000", "degree": 4096, "log_q": 186, "word": 64}
        times = {"median_us": median, "peer_median_us": 2 * median}
        return {**key, "chain": chain, "operation": operation, "threads": 1, "batch": 1, **times}

    other = {**cell("paper", "encrypt", 1.0), "paper": None}
    kept = [cell(c, op, m) for c, m in (("paper", 10.0), ("short", 4.0)) for op in ("key_generation", "encrypt")]
    kept += [cell("short", "relinearization_key", 3.0), other]
    (table,) = paper_tables("000", kept)
    rows = {(row.operation, row.degree): row for row in table.rows}
    encrypt, keys = rows["Enc", 4096], rows["KeyGen", 4096]
    assert (encrypt.first_us, encrypt.best_us, encrypt.best_chain, encrypt.peer_us) == (10.0, 4.0, "short", 20.0)
    assert (keys.first_us, keys.best_us, keys.best_chain) == (7.0, 7.0, "short")  # both its parts, of one chain
    assert rows["Mul, BEHZ", 4096].first_us is None and rows["Enc", 8192].best_us is None
    assert len(paper_text("000", kept)[0].rows) == 24
    with pytest.raises(ArgumentError, match="002"):
        paper_tables("002", [])


def test_the_command_measures_writes_and_shows(tmp_path: Path) -> None:
    output, html = tmp_path / "results", tmp_path / "page.html"
    done = succeed("bench", *QUICK, "-o", output, "--html", html, "--json")
    path = output / f"{machine.machine_name()}.json"
    assert done.data["complete"] and json.loads(path.read_text(encoding="utf-8"))["records"] == done.data["records"]
    assert "multiply relinearize" in html.read_text(encoding="utf-8")
    assert "multiply relinearize" in succeed("bench", "--show", path).text
    for paper in PAPERS:
        assert "Tesla" in succeed("bench", "--show", path, "--paper", paper).text
    refused = run("bench", *QUICK, "-o", output)
    assert refused.code == 2 and "--force" in refused.text


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("--paper", "005"), 2),
        (("--quick", "--full"), 2),
        (("--quick", "--set", "none"), 2),
        (("--quick", "--seconds", "-1"), 2),
        (("--quick", "--resume"), 2),
        (("--show", "missing.json"), 3),
    ],
)
def test_wrong_use_is_refused(arguments: tuple[str, ...], code: int) -> None:
    assert run("bench", *arguments).code == code


def test_an_interrupted_run_keeps_its_records_and_continues(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "report.json"

    def interrupted(*arguments: Any) -> Iterator[Record]:
        yield from itertools.islice(measure(*arguments), 5)
        raise KeyboardInterrupt

    monkeypatch.setattr(bench, "measure", interrupted)
    stopped = run("bench", *QUICK, "-o", path)
    assert stopped.code == bench.INTERRUPTED and "--resume" in stopped.text
    partial = Report.load(path)
    assert len(partial.records) == 5 and not partial.complete
    monkeypatch.setattr(bench, "measure", measure)
    succeed("bench", *QUICK, "-o", path, "--resume")
    whole = Report.load(path)
    assert whole.complete and whole.records[:5] == partial.records
    assert len(whole.keys()) == len(whole.records) > 5
