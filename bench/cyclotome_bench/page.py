# SPDX-License-Identifier: Apache-2.0
"""A report as one HTML file with all it needs: plots and tables, and machine and method as the record states them."""

from __future__ import annotations

import html
from collections.abc import Iterator
from typing import Any

from cyclotome import text

from cyclotome_bench.kinds import kinds_note
from cyclotome_bench.machine.machine import load_said
from cyclotome_bench.reports import charts
from cyclotome_bench.reports.cells import FEWEST, MOST_SPREAD
from cyclotome_bench.reports.report import Report
from cyclotome_bench.reports.tables import Table
from cyclotome_bench.views import View, view_of

__all__ = ["page"]

#: No page may ask anybody for anything, but a site for its own script.
_POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:"
_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; color: #222; }
h1, h2, p { overflow-wrap: anywhere; }
.table { overflow-x: auto; }
table { border-collapse: collapse; margin: .5rem 0 0; font-variant-numeric: tabular-nums; font-size: .9em; }
th, td { padding: .2rem .7rem; text-align: right; border-bottom: 1px solid #e4e4e4; }
td { white-space: nowrap; } td.words { white-space: normal; min-width: 7rem; }
th { border-bottom: 2px solid #999; } .words { text-align: left; }
.note { color: #666; font-size: .85em; margin: .2rem 0 1.5rem; }
figure { margin: .5rem 0 1.5rem; } figcaption { font-weight: 600; overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: minmax(6rem, max-content) 1fr; gap: 0 1rem; }
dt { color: #666; } dd { margin: 0; overflow-wrap: anywhere; }
@media (max-width: 40rem) { body { margin: 1rem auto; } h1 { font-size: 1.4em; } h2 { font-size: 1.1em; } }
"""


def page(report: Report, view: View | None = None, library: str | None = None) -> str:
    """The page of a report.

    Args:
        report: what to show.
        view: which tables and plots; by default all there are.
        library: the address of a file with `charts.library()`, which several pages of a site share; by default it is
            part of the page, which then asks nobody for anything.

    Returns:
        A whole HTML document, of some megabytes with Plotly in it.

    Raises:
        MissingPackageError: Plotly is not installed.
    """
    shown = view_of(report) if view is None else view
    title = html.escape(f"cyclotome benchmark: {report.plan}, {_computer(report.facts)}")
    drawn = [charts.fragment(plot) for plot in shown.plots]
    body = "\n".join([f"<h1>{title}</h1>", _facts(report), *drawn, *map(_table, shown.tables)])
    script = _script(library) if drawn else ""
    policy = _POLICY if library is None else _POLICY.replace("script-src", "script-src 'self'")
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8"/>\n<title>{title}</title>\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1"/>\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}"/>\n'
        f"<style>{_STYLE}</style>\n{script}</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def _script(library: str | None) -> str:
    """What draws the plots: itself, or where it is."""
    if library is None:
        return f"<script>{charts.library()}</script>\n"
    return f'<script src="{html.escape(library)}"></script>\n'


def _computer(facts: dict[str, Any]) -> str:
    return str(facts["gpu"]["name"] if "gpu" in facts else facts.get("file", facts["machine"]))


def _facts(report: Report) -> str:
    shown = dict(_stated(report))
    items = "".join(f"<dt>{html.escape(name)}</dt><dd>{html.escape(value)}</dd>" for name, value in shown.items())
    return f"<dl>{items}</dl>"


def _stated(report: Report) -> Iterator[tuple[str, str]]:
    """What the record says about itself, nothing else."""
    facts = report.facts
    if "gpu" in facts:
        gpu = facts["gpu"]
        memory = text.byte_size(gpu["memory"])
        yield "device", f"{gpu['name']}, compute capability {gpu['compute_capability']}, {memory}"
        yield "CUDA", f"{facts['cuda']}, driver {facts['driver']}"
        if rates := facts.get("ceilings"):
            yield (
                "ceilings",
                f"{rates['copy_bytes_per_second'] / 1e12:.2f} TB copied a second; products modulo a prime a second: "
                f"{rates['products_per_second_32'] / 1e12:.2f} T in 32-bit words, "
                f"{rates['products_per_second_64'] / 1e12:.2f} T in 64-bit words",
            )
    else:
        yield "machine", facts["machine"]
    if "file" in facts:
        yield "file", facts["file"]
    if "cpu" in facts:
        yield "processor", f"{facts['cpu']}, {facts['threads']} threads, {facts['instruction_set']}"
    yield "method", _method(report)
    if "peer" in facts:
        yield "compared with", facts["peer"] or "nothing"
    if "versions" in facts:
        yield "versions", ", ".join(f"{name} {version}" for name, version in facts["versions"].items())
    for name in ("compiler", "date"):
        if name in facts:
            yield name, str(facts[name])
    if "commit" in facts:
        yield "commit", facts["commit"] or "not recorded: nobody can tell which code made these figures"
    if facts.get("load"):
        yield "load", load_said(facts["load"])
    if kinds := kinds_note(r for r in report.records if "kind" in r):
        yield "types of cells", kinds
    yield "records", f"{len(report.records)}" + ("" if report.complete else "; the run was interrupted")


def _method(report: Report) -> str:
    """As stated, and what the records show of it."""
    stated = [str(report.facts["method"])] if "method" in report.facts else []
    ratios = [r for r in report.records if r.get("ratio") is not None]
    if ratios:
        stated.append(
            "both sides in turns, sample by sample; medians; a ratio above 1 means that cyclotome is faster, and there "
            f"is none where a side's samples spread by more than {MOST_SPREAD:g} or are fewer than {FEWEST}. "
            f"{len(ratios)} of {len(report.records)} records have a ratio"
        )
    return "; ".join(stated) or "medians of this run's samples; no record has a ratio to a peer"


def _table(table: Table) -> str:
    def cell(tag: str, column: int, content: str) -> str:
        kind = ' class="words"' if column < table.left else ""
        return f"<{tag}{kind}>{html.escape(content)}</{tag}>"

    head = "".join(cell("th", i, name) for i, name in enumerate(table.columns))
    rows = "\n".join(f"<tr>{''.join(cell('td', i, each) for i, each in enumerate(row))}</tr>" for row in table.rows)
    note = f'<p class="note">{html.escape(table.note)}</p>' if table.note else ""
    title = html.escape(table.title)
    return (
        f'<h2>{title}</h2>\n<div class="table"><table>\n<thead><tr>{head}</tr></thead>\n'
        f"<tbody>{rows}</tbody>\n</table></div>\n{note}"
    )
