# SPDX-License-Identifier: Apache-2.0
"""A report as one HTML file with all it needs, or as a page of a site: plots and tables, and machine and method as the
record states them."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import Any

from cyclotome import text

from cyclotome_bench.kinds import kinds_note
from cyclotome_bench.machine.machine import load_said
from cyclotome_bench.reports import charts
from cyclotome_bench.reports.cells import FEWEST, MOST_SPREAD
from cyclotome_bench.reports.report import Report
from cyclotome_bench.reports.tables import Table
from cyclotome_bench.take_away import csv_link, plot_csv, svg_button, table_csv
from cyclotome_bench.views import View, view_of

__all__ = ["page", "site_page"]

#: No page may ask anybody for anything.
_POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:"
#: Of what a report is made of, wherever it is shown: the legend stays in sight while a long plot passes.
_STYLE = """
.record .table { overflow-x: auto; }
.record figure { margin: .5rem 0 1.5rem; max-width: none; width: 100%; display: block; text-align: left; }
.record figure { background: #fff; color: #222; }
.record figcaption { font-weight: 600; font-style: normal; overflow-wrap: anywhere; max-width: none; margin: 0; }
.record .legend { position: sticky; top: var(--below, 0); z-index: 1; background: #fff; margin: .2rem 0; }
.record button { font: inherit; color: inherit; background: none; border: 0; padding: .1rem .5rem .1rem 0; }
.record button { cursor: pointer; text-align: left; overflow-wrap: anywhere; }
.record button[aria-pressed=false] { opacity: .4; }
.record .legend, .record .take { font-size: .85em; } .record .take { margin: .2rem 0; }
.record .take * { text-decoration: underline; margin-right: .8rem; }
.record .note { opacity: .75; font-size: .85em; margin: .2rem 0 1.5rem; }
.record dl { display: grid; grid-template-columns: minmax(6rem, max-content) 1fr; gap: 0 1rem; }
.record dt { opacity: .75; } .record dd { margin: 0; overflow-wrap: anywhere; }
.record td { white-space: nowrap; } .record td.words { white-space: normal; min-width: 7rem; }
.record th, .record td { text-align: right; } .record .words { text-align: left; }
"""
_ALONE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; color: #222; }
h1, h2, p { overflow-wrap: anywhere; }
table { border-collapse: collapse; margin: .5rem 0 0; font-variant-numeric: tabular-nums; font-size: .9em; }
th, td { padding: .2rem .7rem; border-bottom: 1px solid #e4e4e4; } th { border-bottom: 2px solid #999; }
@media (max-width: 40rem) { body { margin: 1rem auto; } h1 { font-size: 1.4em; } h2 { font-size: 1.1em; } }
"""
#: Unpacks the script that draws, and runs it.
_UNPACK = """
(async () => {
  const packed = Uint8Array.from(atob(document.getElementById('library').textContent), c => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
  const script = document.createElement('script');
  script.textContent = await new Response(stream).text();
  document.head.append(script);
  cyclotomeDraw();
})();
"""


def page(report: Report, view: View | None = None) -> str:
    """The page of a report, with Plotly's script in it, so that it asks nobody for anything.

    Args:
        report: what to show.
        view: which tables and plots; by default all there are.

    Returns:
        A whole HTML document, of about two megabytes where it has plots.

    Raises:
        MissingPackageError: Plotly is not installed.
    """
    shown = view_of(report) if view is None else view
    title = html.escape(_title(report))
    tables = (f"<h2>{html.escape(table.title)}</h2>\n{_table(table)}" for table in shown.tables)
    body = "\n".join([f"<h1>{title}</h1>", _facts(report), *map(_figure, shown.plots), *tables])
    script = ""
    if shown.plots:
        packed = f'<script type="text/plain" id="library">{charts.packed_library()}</script>'
        script = f"{packed}\n<script>{charts.SCRIPT}{_UNPACK}</script>\n"
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8"/>\n<title>{title}</title>\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1"/>\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}"/>\n'
        f'<style>{_ALONE}{_STYLE}</style>\n</head>\n<body class="record">\n{body}\n{script}</body>\n</html>\n'
    )


def site_page(report: Report, library: str) -> str:
    """The same as a page of a site that MkDocs makes, in Markdown: with the site's navigation, and a heading for each
    plot and table.

    Args:
        report: what to show.
        library: the address of a file with `charts.library()`, which the site's pages share.

    Raises:
        MissingPackageError: Plotly is not installed.
    """
    shown = view_of(report)
    plots = (f"## {_plain(plot.title)}\n\n{_block(_figure(plot))}" for plot in shown.plots)
    tables = (f"## {_plain(table.title)}\n\n{_block(_table(table))}" for table in shown.tables)
    # Figures of tables are nothing that anybody searches, and would be most of the index.
    head = f"---\nsearch:\n  exclude: true\n---\n\n# {_plain(_title(report))}"
    style = f"<style>{_STYLE}.record {{ --below: 2.4rem; }}</style>"
    draw = f'<script src="{html.escape(library)}"></script>\n<script>{charts.SCRIPT}cyclotomeDraw();</script>'
    parts = [head, _block(style + _facts(report)), *plots, *tables, _block(draw if shown.plots else "")]
    return "\n\n".join(parts) + "\n"


def _block(content: str) -> str:
    """HTML that Markdown leaves alone."""
    return f'<div class="record">\n{content}\n</div>'


def _plain(text: str) -> str:
    """Text in Markdown, where no sign of it means anything."""
    return re.sub(r"([\\`*_{}\[\]()#+.!|~-])", r"\\\1", html.escape(text, quote=False))


def _title(report: Report) -> str:
    return f"cyclotome benchmark: {report.plan}, {_computer(report.facts)}"


def _figure(plot: charts.Plot) -> str:
    take = f'<p class="take">{csv_link(plot.title, plot_csv(plot))}{svg_button(plot.title)}</p>'
    return f"<figure><figcaption>{html.escape(plot.title)}</figcaption>{charts.fragment(plot)}{take}</figure>"


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
    return (
        f'<div class="table"><table>\n<thead><tr>{head}</tr></thead>\n<tbody>{rows}</tbody>\n</table></div>\n'
        f'<p class="take">{csv_link(table.title, table_csv(table))}</p>\n{note}'
    )
