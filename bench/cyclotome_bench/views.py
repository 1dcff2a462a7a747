# SPDX-License-Identifier: Apache-2.0
"""What is shown of a report, on the terminal and on a page: the one way from records to tables and plots."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from cyclotome_bench.applications.ltv_tables import ltv_plots, ltv_tables
from cyclotome_bench.depth import DEPTH_SET, depth_tables
from cyclotome_bench.fermat.tables import fermat_plots, fermat_tables
from cyclotome_bench.functions import FUNCTIONS_SET, functions_tables
from cyclotome_bench.instruction_sets import INSTRUCTION_SETS_SET, instruction_set_plots, instruction_set_tables
from cyclotome_bench.jobs import JOBS_SET, job_plots, job_tables
from cyclotome_bench.papers.device_tables import device_paper_tables, device_tables
from cyclotome_bench.papers.paper004 import plots_of_paper_004, tables_of_paper_004
from cyclotome_bench.papers.papers import PAPERS
from cyclotome_bench.papers.text import paper_text
from cyclotome_bench.peers.programs import KINDS
from cyclotome_bench.products.matrix_products import MATRIX_SET, matrix_tables
from cyclotome_bench.report_plots import device_plots, processor_plots, time_plots
from cyclotome_bench.reports.charts import Bars, Plot
from cyclotome_bench.reports.report import Record, Report
from cyclotome_bench.reports.tables import Table, all_tables

__all__ = ["WHOLE", "View", "view_of"]

_Tables = Callable[[Sequence[Record]], list[Table]]
_Plots = Callable[[Sequence[Record]], list[Plot]]

#: Papers with plans of their own: their tables and plots.
WHOLE: dict[str, tuple[_Tables, _Plots]] = {
    "002": (ltv_tables, ltv_plots),
    "003": (fermat_tables, fermat_plots),
    "004": (tables_of_paper_004, plots_of_paper_004),
}
_EMPTY = ("", "–")


@dataclass(frozen=True)
class View:
    """What is shown."""

    tables: list[Table]
    plots: list[Plot]


def view_of(report: Report, paper: str | None = None, chosen: bool = False) -> View:
    """The tables and plots of a report.

    Args:
        report: any that `cyclotome bench` or another program of this project made.
        paper: shows the report's records as this paper does; None takes the paper that was measured, if one was.
        chosen: whether rows of papers 000 and 001 without a figure of ours are left out.
    """
    tables, plots = _shown(report, paper or _measured_paper(report), chosen)
    return View([_narrowed(table) for table in tables if table.rows], [_said(plot, report) for plot in plots])


def _said(plot: Plot, report: Report) -> Plot:
    """The plot with what kind its times are on its axis; of a report of several kinds, each plot says it by itself."""
    found = list(dict.fromkeys(record.get("kind") for record in report.records if record.get("samples")))
    if len(found) != 1 or found[0] is None:
        return plot
    kind = f" ({found[0]})"
    if isinstance(plot, Bars):
        return plot if kind in plot.name else replace(plot, name=plot.name + kind)
    return plot if kind in plot.y_name else replace(plot, y_name=plot.y_name + kind)


def _measured_paper(report: Report) -> str | None:
    found = re.match(r"paper-(\d{3})\b", report.plan)
    return None if found is None else found[1]


def _shown(report: Report, paper: str | None, chosen: bool) -> tuple[list[Table], list[Plot]]:
    records = report.records
    kind = next((kind for kind in KINDS if kind.name == report.plan), None)
    if kind is not None:
        return kind.tables(records), kind.plots(records)
    if paper in WHOLE:
        tables, plots = WHOLE[paper]
        return tables(records), plots(records)
    if any(record["set"] == FUNCTIONS_SET for record in records):
        return functions_tables(records), time_plots("Functions of encrypted integers", records)
    if any(record["set"] == MATRIX_SET for record in records):
        return matrix_tables(records), time_plots("Public matrices times encrypted vectors", records)
    if any(record["set"] == DEPTH_SET for record in records):
        return depth_tables(records), time_plots("Deep programs", records)
    if any(record["set"] == JOBS_SET for record in records):
        return job_tables(records), job_plots(records)
    if report.plan.startswith(INSTRUCTION_SETS_SET):
        return instruction_set_tables(records), instruction_set_plots(records)
    on_device = "gpu" in report.facts
    drawn = (device_plots if on_device else processor_plots)(records)
    if paper is not None:
        return (device_paper_tables if on_device else paper_text)(paper, records, chosen), drawn
    if not on_device:
        return all_tables(records), drawn
    studied = [p for p in PAPERS if any(r["set"] == f"study-{p}" for r in records)]
    return [*device_tables(records), *(t for p in studied for t in device_paper_tables(p, records))], drawn


def _narrowed(table: Table) -> Table:
    """Without the columns in which nothing was measured; the note names them."""
    empty = [i for i in range(table.left, len(table.columns)) if all(len(r) > i and r[i] in _EMPTY for r in table.rows)]
    if not empty:
        return table
    names = ", ".join(dict.fromkeys(table.columns[i] for i in empty))
    note = f"{table.note}; " if table.note else ""
    return replace(
        table,
        columns=tuple(name for i, name in enumerate(table.columns) if i not in empty),
        rows=tuple(tuple(cell for i, cell in enumerate(row) if i not in empty) for row in table.rows),
        note=f"{note}not in this record: {names}",
    )
