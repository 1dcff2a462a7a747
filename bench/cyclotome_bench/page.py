# SPDX-License-Identifier: Apache-2.0
"""A report as one HTML file without scripts or anything from elsewhere."""

from __future__ import annotations

import html
from collections.abc import Sequence

from cyclotome_bench import charts
from cyclotome_bench.report import Record, Report
from cyclotome_bench.tables import Table, all_tables, fastest_chain, problems_of, single

__all__ = ["page"]

#: What the plots show; the tables have everything.
_PLOTTED = ("encrypt", "decrypt", "multiply_relinearize", "rotate")

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; color: #222; }
table { border-collapse: collapse; margin: .5rem 0 0; font-variant-numeric: tabular-nums; font-size: .9em; }
th, td { padding: .2rem .7rem; text-align: right; border-bottom: 1px solid #e4e4e4; }
th { border-bottom: 2px solid #999; } .words { text-align: left; }
.note { color: #666; font-size: .85em; margin: .2rem 0 1.5rem; }
svg { width: 100%; height: auto; margin: .5rem 0 1.5rem; }
dt { float: left; clear: left; width: 9rem; color: #666; } dd { margin-left: 9.5rem; }
"""


def page(report: Report, more: Sequence[Table] = (), plots: Sequence[str] = ()) -> str:
    """The page of a report.

    Args:
        report: what to show.
        more: further tables, such as a paper's.
        plots: further plots, as `charts` makes them.

    Returns:
        A whole HTML document.
    """
    title = f"cyclotome benchmark: {report.facts['machine']}"
    parts = [f"<h1>{html.escape(title)}</h1>", _facts(report)]
    parts += _ratio_plots(report.records)
    parts.append(_transform_plot(report.records))
    parts += plots
    parts += [_table(table) for table in (*more, *all_tables(report.records))]
    body = "\n".join(part for part in parts if part)
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8"/>\n<title>{html.escape(title)}</title>\n'
        f"<style>{_STYLE}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def _facts(report: Report) -> str:
    facts = report.facts
    versions = ", ".join(f"{name} {version}" for name, version in facts["versions"].items())
    shown = {
        "processor": f"{facts['cpu']}, {facts['threads']} threads, {facts['instruction_set']}",
        "compared with": facts["peer"] or "nothing: tenseal is not installed",
        "versions": versions,
        "compiler": facts["compiler"],
        "commit": facts["commit"] or "unknown",
        "date": facts["date"],
        "load": facts["load"]["note"],
        "complete": "yes" if report.complete else "no: the run was interrupted",
    }
    items = "".join(f"<dt>{html.escape(name)}</dt><dd>{html.escape(str(text))}</dd>" for name, text in shown.items())
    return (
        f"<dl>{items}</dl>\n<p>Both sides ran in turn in one process, sample by sample. Every timed result was "
        "decrypted and compared with NumPy's. A ratio above 1 means that cyclotome is faster.</p>"
    )


def _ratio_plots(records: Sequence[Record]) -> list[str]:
    """For each scheme, ratios of the comparable chain and of the fastest one."""
    plots = []
    for scheme in dict.fromkeys(r["scheme"] for r in records if r["scheme"]):
        rows: list[tuple[str, list[float | None]]] = []
        for name, _ in (key for key in problems_of(records) if key[1] == scheme):
            cells = single(records, name, scheme)
            first = next((chain for chain, _ in cells), None)
            best = fastest_chain(cells)
            for operation in _PLOTTED:
                ratios = [
                    cells[chain, operation]["ratio"] if chain and (chain, operation) in cells else None
                    for chain in (first, best)
                ]
                if any(ratio is not None for ratio in ratios):
                    rows.append((f"{name} {operation.replace('_', ' ')}", ratios))
        if rows:
            title = f"{scheme.upper()}, one thread: time of SEAL / time of cyclotome"
            plots.append(charts.bars(title, ("comparable primes", "fastest primes"), rows))
    return plots


def _transform_plot(records: Sequence[Record]) -> str:
    series: dict[str, list[tuple[float, float]]] = {}
    for r in records:
        if r["scheme"] is None and r["operation"] == "ntt":
            ours = f"{r['log_q']}-bit prime, {r['word']}-bit words"
            series.setdefault(ours, []).append((r["degree"], r["median_us"]))
            if r["peer_median_us"] is not None and r["word"] == 64:
                series.setdefault(f"SEAL, {r['log_q']} bits", []).append((r["degree"], r["peer_median_us"]))
    return charts.lines("one forward transform, one thread", "n", "microseconds", series)


def _table(table: Table) -> str:
    def cell(tag: str, column: int, text: str) -> str:
        kind = ' class="words"' if column < table.left else ""
        return f"<{tag}{kind}>{html.escape(text)}</{tag}>"

    head = "".join(cell("th", i, name) for i, name in enumerate(table.columns))
    rows = "\n".join(f"<tr>{''.join(cell('td', i, text) for i, text in enumerate(row))}</tr>" for row in table.rows)
    note = f'<p class="note">{html.escape(table.note)}</p>' if table.note else ""
    return f"<h2>{html.escape(table.title)}</h2>\n<table>\n<tr>{head}</tr>\n{rows}\n</table>\n{note}"
