# SPDX-License-Identifier: Apache-2.0
"""Every committed record's page, opened in a browser: its plots, its tables, and nothing that went wrong."""

from __future__ import annotations

import csv
import html
import io
import json
from pathlib import Path
from typing import Any

import browser
import pytest

pytest.importorskip("typer")
pytest.importorskip("plotly", reason="plotly, which draws the benchmark's pages, is not installed (cyclotome-bench)")

from cli_runner import run, succeed
from cyclotome.errors import ArgumentError, FileError, FormatError
from cyclotome_bench.page import page
from cyclotome_bench.peers.programs import KINDS, read_report
from cyclotome_bench.reports import charts
from cyclotome_bench.reports.charts import Bars, Lines
from cyclotome_bench.reports.report import Report
from cyclotome_bench.reports.tables import Table
from cyclotome_bench.views import View, view_of

RESULTS = Path(__file__).parents[3] / "bench" / "results"
RECORDS = sorted(path for path in RESULTS.iterdir() if path.is_file())
DESKTOP, TELEPHONE = 1280, 390

#: What a page has, as its browser sees it: of each plot the traces drawn, how many marks, and its edges.
_DRAWN = """
return [...document.querySelectorAll('figure')].map(f => {
  const plot = f.querySelector('.js-plotly-plot');
  const box = f.getBoundingClientRect();
  return {
    label: f.querySelector('figcaption').textContent,
    traces: plot ? plot.querySelectorAll('.trace').length : 0,
    marks: plot ? plot.querySelectorAll('.point path, path.point').length : 0,
    height: box.height, left: box.left, right: box.right,
  };
});
"""
_TABLES = """
return [...document.querySelectorAll('h2')].map(h => {
  const table = h.nextElementSibling.querySelector('table');
  return {title: h.textContent, rows: table.tBodies[0].rows.length, box: table.getBoundingClientRect().width};
});
"""


def marks(plot: charts.Plot) -> int:
    """Points and bars that a plot must show."""
    if isinstance(plot, Lines):
        return sum(len(points) for points in plot.series.values())
    return sum(value is not None for _, values in plot.rows for value in values)


def drawn_in_time(window: browser.Page, seconds: float = 60) -> bool:
    """Whether the page says that all of it is drawn, which takes a moment: its script comes packed."""
    from selenium.common.exceptions import TimeoutException

    try:
        window.await_true("return document.documentElement.dataset.drawn == 'true'", seconds)
    except TimeoutException:
        return False
    return True


def looked_at(window: browser.Page, path: Path, view: View, width: int, seconds: float = 60) -> None:
    window.open(path, width)
    assert not view.plots or drawn_in_time(window, seconds), "the plots are not drawn"
    drawn = window.ask(_DRAWN)
    assert [each["label"] for each in drawn] == [plot.title for plot in view.plots]
    for each, plot in zip(drawn, view.plots, strict=True):
        assert each["traces"] == len(plot.series) and each["height"] > 150, plot.title
        assert each["marks"] >= marks(plot), plot.title
        assert 0 <= each["left"] < each["right"] <= width, f"{plot.title} leaves a window of {width}"
    tables = window.ask(_TABLES)
    assert [(t["title"], t["rows"]) for t in tables] == [(t.title, len(t.rows)) for t in view.tables]
    assert window.ask("return document.documentElement.scrollWidth") <= width, "the page is wider than its window"
    assert window.complaints() == []


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.name)
def test_every_committed_record_has_a_page_that_works(path: Path, window: browser.Page, tmp_path: Path) -> None:
    target = tmp_path / "page.html"
    succeed("bench", "--show", path, "--html", target)
    view = view_of(read_report(path))
    assert view.plots and view.tables, "every record has both"
    for width in (DESKTOP, TELEPHONE):
        looked_at(window, target, view, width)


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.name)
def test_a_page_says_what_its_record_says(path: Path) -> None:
    report = read_report(path)
    text = page(report, View([], []))
    facts = report.facts
    assert (facts["gpu"]["name"] if "gpu" in facts else facts["machine"]) in text
    assert html.escape(str(facts.get("method", "medians"))) in text
    assert all(kind in text for kind in {r["kind"] for r in report.records if "kind" in r})
    compared = any(r.get("ratio") is not None for r in report.records)
    assert ("in turns, sample by sample" in text) is compared
    for table in view_of(report).tables:
        for i in range(table.left, len(table.columns)):
            assert any(row[i] not in ("", "–") for row in table.rows if len(row) > i), (table.title, table.columns[i])


def test_the_browser_notices_what_is_wrong(window: browser.Page, tmp_path: Path) -> None:
    """What the test above looks for is missed where it is missing."""
    report = read_report(RESULTS / "nvidia-h200-circuits.jsonl")
    view = view_of(report)
    good = page(report, view)
    path = tmp_path / "page.html"
    for damaged in (
        good.replace("Plotly.newPlot(", "Plotly.newPlan("),
        good.replace("\ncyclotomeDraw();", "\n").replace("  cyclotomeDraw();\n", ""),
        good.replace("</body>", "<script>throw new Error('wrong')</script></body>"),
        good.replace("</body>", '<img src="https://example.org/x.png"/></body>'),
        good.replace("</body>", '<p style="width: 3000px">wide</p></body>'),
        good.replace("<tbody><tr>", "<tbody><tr></tr><tr>", 1),
    ):
        assert damaged != good
        path.write_text(damaged, encoding="utf-8")
        with pytest.raises(AssertionError):
            looked_at(window, path, view, DESKTOP, 5)
        window.complaints()


HOSTILE = "</script><script>document.title='taken'</script><img src=x onerror=\"document.title='taken'\">"


def test_names_in_records_stay_names(window: browser.Page, tmp_path: Path) -> None:
    """Whatever a record's strings are, they are shown and not run."""
    plots: list[charts.Plot] = [
        Lines(HOSTILE, HOSTILE, HOSTILE, {HOSTILE: [(1, 1), (2, 3)], "b": [(1, 2)]}),
        Bars(HOSTILE, HOSTILE, (HOSTILE, "b"), [(HOSTILE, (1, 2))]),
    ]
    view = View([Table(HOSTILE, (HOSTILE,), ((HOSTILE,),), HOSTILE)], plots)
    path = tmp_path / "page.html"
    facts = {"machine": HOSTILE, "method": HOSTILE, "file": HOSTILE}
    path.write_text(page(Report(HOSTILE, facts, []), view), encoding="utf-8")
    window.open(path, DESKTOP)
    assert drawn_in_time(window)
    assert window.ask("return document.title").startswith("cyclotome benchmark: </script>")
    assert window.ask("return document.querySelectorAll('img').length") == 0
    assert window.ask("return document.querySelector('h2').textContent") == HOSTILE
    assert len(window.ask(_DRAWN)) == 2
    assert window.complaints() == []


#: The files that a page's links hold, and its first plot as a picture, which is ready some time later.
_TAKEN = """
const held = a => decodeURIComponent(a.href.slice(a.href.indexOf(',') + 1));
const plot = document.querySelector('.js-plotly-plot');
const figure = cyclotomeFigure(plot, document.querySelector('figcaption').innerHTML);
const size = {format: 'svg', width: 960, height: figure.height};
Plotly.toImage(figure, size).then(href => { window.taken = held({href: href}); });
return [...document.querySelectorAll('a[download]')].map(a => [a.download, held(a)]);
"""


def test_numbers_and_pictures_can_be_taken_along(window: browser.Page, tmp_path: Path) -> None:
    plots: list[charts.Plot] = [
        Bars("Bars, 1", "us", ("a < b", "c"), [('x "y", z', (1.5, None)), ("w", (2.0, 3.0))]),
        Lines("Lines", "n", "y", {"a": [(2, 1.0), (1, 4.0)], "b": [(2, 3.0)]}),
    ]
    tables = [Table("A table: µs", ("name", "µs"), (("=1+1", "12.3"), ("two\nlines", "–")), "note")]
    path = tmp_path / "page.html"
    path.write_text(page(Report("full", {"machine": "m"}, []), View(tables, plots)), encoding="utf-8")
    window.open(path, DESKTOP)
    assert drawn_in_time(window)
    links = window.ask(_TAKEN)
    window.await_true("return window.taken != undefined", 60)
    svg = window.ask("return window.taken")
    assert [name for name, _ in links] == ["bars-1.csv", "lines.csv", "a-table-s.csv"]
    rows = [list(csv.reader(io.StringIO(text, newline=""))) for _, text in links]
    assert rows[0] == [["", "a < b", "c"], ['x "y", z', "1.5", ""], ["w", "2.0", "3.0"]]
    assert rows[1] == [["n", "a", "b"], ["1", "4.0", ""], ["2", "1.0", "3.0"]]
    assert rows[2] == [["name", "µs"], ["=1+1", "12.3"], ["two\nlines", "–"]]
    assert svg.startswith("<svg") and "Bars, 1" in svg and "a &#60; b" in svg, "title and legend go with the picture"
    assert window.complaints() == []


def test_the_legend_is_in_sight_and_hides(window: browser.Page, tmp_path: Path) -> None:
    """Of a plot of several screens."""
    plot = Bars("t", "us", ("first", "second"), [(str(i), (1.0, 2.0)) for i in range(80)])
    path = tmp_path / "page.html"
    path.write_text(page(Report("full", {"machine": "m"}, []), View([], [plot])), encoding="utf-8")
    window.open(path, DESKTOP)
    assert drawn_in_time(window)
    place = "const box = document.querySelector('.legend').getBoundingClientRect(); return [box.top, box.bottom];"
    assert window.ask("return document.querySelector('figure').getBoundingClientRect().height") > 1800
    for down in (0, 1200):
        window.ask(f"window.scrollTo(0, {down})")
        top, bottom = window.ask(place)
        assert 0 <= top < bottom < 900
    shown = "return document.querySelectorAll('.js-plotly-plot .trace').length"
    press = "document.querySelectorAll('.legend button')[1].click()"
    assert window.ask(shown) == 2
    for left in (1, 2):
        window.ask(press)
        window.await_true(f"return document.querySelectorAll('.js-plotly-plot .trace').length == {left}")
    assert window.complaints() == []


def test_a_page_is_not_as_long_as_what_draws_it() -> None:
    text = page(read_report(RESULTS / "nvidia-h200-circuits.jsonl"))
    assert len(text) < 2_500_000 < len(charts.library())


def test_a_line_has_one_value_at_each_place() -> None:
    """Points of several batches in one line made a saw of it."""
    with pytest.raises(ArgumentError, match="one value at each n"):
        Lines("t", "n", "y", {"a": [(1024, 1.0), (1024, 2.0)]})
    for series in ({}, {"a": []}):
        with pytest.raises(ArgumentError):
            Lines("t", "n", "y", series)
    with pytest.raises(ArgumentError, match="one label"):
        Bars("t", "us", ("a",), [("x", (1.0,)), ("x", (2.0,))])
    with pytest.raises(ArgumentError, match="one value for each"):
        Bars("t", "us", ("a", "b"), [("x", (1.0,))])
    with pytest.raises(ArgumentError, match="nothing to plot"):
        Bars("t", "us", ("a",), [("x", (None,))])


def test_columns_without_a_figure_are_left_out_and_named() -> None:
    rows = [{"operation": "ntt", "scheme": None, "set": "transform-30", "degree": 1024, "log_q": 30, "word": 32}]
    more: dict[str, Any] = {
        "median_us": 1.0,
        "peer_median_us": None,
        "ratio": None,
        "threads": 1,
        "batch": 1,
        "chain": "same",
        "kind": "measured",
    }
    view = view_of(Report("full", {}, [row | more for row in rows]))
    (table,) = view.tables
    assert "SEAL" not in table.columns and "ratio" not in table.columns
    assert table.note.endswith("not in this record: SEAL, ratio")
    assert all(len(row) == len(table.columns) for row in table.rows)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.jsonl", '{"index": 1}\n{'),
        ("a.jsonl", "[1]\n"),
        ("a.jsonl", '{"nothing": 1}\n'),
        ("a.jsonl", ""),
        ("a.txt", "hello\n"),
        ("a.txt", "a: b  1.5 us\nand more\n"),
        ("a.json", '{"leaves": {"x": 1}, "clocks": []}'),
        ("a.json", '{"leaves": {}, "clocks": []}'),
        ("a.json", '{"leaves": {}}'),
        ("a.json", "{}"),
    ],
)
def test_files_that_nothing_here_writes_are_refused(name: str, content: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    with pytest.raises(FormatError):
        read_report(path)
    assert run("bench", "--show", str(path)).code == 3


def test_unreadable_files_are_refused(tmp_path: Path) -> None:
    for name in ("missing.jsonl", "missing.json", "missing.txt"):
        with pytest.raises(FileError):
            read_report(tmp_path / name)
    (tmp_path / "a.jsonl").write_bytes(b"\xff\xfe")
    with pytest.raises(FormatError):
        read_report(tmp_path / "a.jsonl")


def test_lines_of_other_programs_are_told_apart() -> None:
    names = {path.name: read_report(path).plan for path in RECORDS if path.suffix != ".json"}
    assert set(names.values()) | {"syntheses"} == {kind.name for kind in KINDS}
    report = read_report(RESULTS / "nvidia-h100-80gb-hbm3-ltv.txt")
    assert report.facts["machine"].startswith("NVIDIA H100 80GB HBM3, commit 6a8e4ac")
    assert report.records[0] == {
        "what": "002-15-8192, 1 at once",
        "operation": "CRT",
        "microseconds": pytest.approx(12.12),
    }
    lane = read_report(RESULTS / "paper-003-lanes-nvidia-h200.txt").records[0]
    assert (lane["operation"], lane["lane"], lane["microseconds"]) == ("sum of two", 2, 19.94)


def test_the_terminal_shows_the_paper_that_was_measured() -> None:
    for name, words in {
        "paper-004-x86-64-2core-zen4.json": "Paper 004, Table 6.5",
        "fpga-synthesis.json": "LUT",
    }.items():
        assert words in succeed("bench", "--show", RESULTS / name).text
    shown = succeed("bench", "--show", RESULTS / "nvidia-h200-circuits.jsonl", "--json").data
    assert shown["plan"] == "circuits" and json.dumps(shown["records"][0])
