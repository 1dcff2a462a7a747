# SPDX-License-Identifier: Apache-2.0
"""What a reader of a page can take along: numbers of tables and plots as CSV, plots as SVG."""

from __future__ import annotations

import csv
import html
import io
import re
from collections.abc import Iterable, Sequence
from urllib.parse import quote

from cyclotome_bench.reports.charts import Lines, Plot
from cyclotome_bench.reports.tables import Table

__all__ = ["csv_link", "plot_csv", "svg_button", "table_csv"]


def table_csv(table: Table) -> str:
    """A table's cells as they are shown, below the names of its columns."""
    return _csv([table.columns, *table.rows])


def plot_csv(plot: Plot) -> str:
    """What a plot draws: a line for each x or label, a column for each series, empty where there is no value."""
    if not isinstance(plot, Lines):
        return _csv([("", *plot.series), *((label, *values) for label, values in plot.rows)])
    series = {name: dict(points) for name, points in plot.series.items()}
    places = sorted({x for points in series.values() for x in points})
    return _csv([(plot.x_name, *series), *((x, *(points.get(x) for points in series.values())) for x in places)])


def _csv(rows: Iterable[Sequence[object]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\r\n").writerows([["" if c is None else c for c in row] for row in rows])
    return text.getvalue()


def csv_link(title: str, text: str) -> str:
    """A link that holds the file itself, so that it asks nobody and works without scripts."""
    name, content = html.escape(f"{_file_name(title)}.csv"), quote(text, safe="")
    return f'<a download="{name}" href="data:text/csv;charset=utf-8,{content}">CSV</a>'


def svg_button(title: str) -> str:
    """A button that writes its figure's plot into a file, with its legend (`charts.SCRIPT`)."""
    return f'<button type="button" onclick="cyclotomeTake(this, \'{_file_name(title)}\')">SVG</button>'


def _file_name(title: str) -> str:
    """Letters and digits of a title."""
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:80] or "figure"
