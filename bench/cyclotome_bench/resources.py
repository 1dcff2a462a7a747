# SPDX-License-Identifier: Apache-2.0
"""What paper 004's circuits cost (Tables 6.1 to 6.4, 6.6 and 6.10): printed rows beside estimates by open synthesis."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from cyclotome.extras import FPGA

from cyclotome_bench.kinds import Kind
from cyclotome_bench.reports.cells import no_times
from cyclotome_bench.reports.charts import Bars, Plot
from cyclotome_bench.reports.report import Record
from cyclotome_bench.reports.tables import Table

__all__ = ["OPERATION", "RECORDED", "measure_resources", "resource_plots", "resource_tables"]

#: Where a checkout keeps what was synthesised, from its root.
RECORDED = "bench/results/fpga-synthesis.json"
#: Of the records; and of those that say how much of the thesis's board is used.
OPERATION, _BOARD = "resources", "board"
_CELLS = ("luts", "registers", "m20k", "dsp")


def measure_resources(
    numbers: Sequence[str],
    known: set[tuple[Any, ...]],
    progress: Callable[[str], None],
    recorded: bool = False,
) -> Iterator[Record]:
    """Makes the tables, without those that `known` has.

    Args:
        numbers: such as "6.2".
        known: keys (`Report.keys`) of records that an earlier run made.
        progress: told what is synthesised, which takes from seconds to a minute for each block the first time.
        recorded: takes the tables from `RECORDED` and synthesises nothing; those that are not there are left out.

    Raises:
        MissingPackageError, EngineError: what makes and synthesises circuits is missing.
    """
    for number in numbers:
        if any(key[0] == f"004-{number}" and key[3] == OPERATION for key in known):
            continue
        progress(f"Table {number}: what circuits cost")
        estimates = FPGA.load("costs.estimates")
        table = _recorded(number, estimates, progress) if recorded else estimates.resource_table(number, progress)
        if table is None:
            continue
        tool = f"read from {RECORDED}" if recorded else estimates.tool_name()
        for row in table.rows:
            cells = {name: getattr(row, name) for name in (*_CELLS, "ticks", "interval")}
            by = "paper 004, typed" if row.printed else f"cyclotome_hdl, {tool}"
            yield _record(number, OPERATION, row.what, {**cells, "by": by, "about": f"{table.title}. {table.note}"})
        if number == "6.10":
            for what, used, there in FPGA.load("costs.thesis").EXTENDED:
                yield _record(number, _BOARD, what, {"used": used, "there": there, "by": "paper 004, typed"})


def _recorded(number: str, estimates: Any, progress: Callable[[str], None]) -> Any:
    """A table of the checkout's record; None, and why, where there is none."""
    path = Path(RECORDED)
    table = estimates.recorded_resource_table(number, path) if path.exists() else None
    if table is None:
        progress(f"left out: no {RECORDED} here that has it; without --quick it is synthesised, which takes minutes")
    return table


def _record(number: str, operation: str, what: str, more: Record) -> Record:
    """With the fields that every record has; nothing was timed."""
    head = {"operation": operation, "scheme": None, "set": f"004-{number}", "paper": "004", "chain": what}
    sizes = {"degree": 0, "log_q": 0, "word": 0, "threads": 0, "batch": 0, "engine": "synthesis"}
    return {**head, **sizes, **no_times(kind=Kind.ESTIMATED), **more}


def _by_table(records: Sequence[Record], operation: str = OPERATION) -> dict[str, list[Record]]:
    found: dict[str, list[Record]] = {}
    for r in records:
        if r["operation"] == operation and str(r["set"]).startswith("004-"):
            found.setdefault(r["set"].removeprefix("004-"), []).append(r)
    return found


def resource_tables(records: Sequence[Record]) -> list[Table]:
    """A table for each that `records` have, and the thesis's board."""
    tables = []
    for number, own in _by_table(records).items():
        rows = tuple(
            (
                *(r["chain"], r["by"], *(f"{r[cell]:,}" for cell in _CELLS[:-1]), f"{r['dsp']:,.1f}"),
                *(f"{r['ticks']:,}", "–" if r["interval"] is None else f"{r['interval']:,}"),
            )
            for r in own
        )
        columns = ("circuit", "by", "LUT", "FF", "M20K", "DSP blocks", "ticks", "interval")
        about = next(iter(own))["about"]
        note = f"{about} –: the paper prints none, or one operation a tick"
        tables.append(Table(f"Paper 004, Table {number}: resources", columns, rows, note, left=2))
    for number, own in _by_table(records, _BOARD).items():
        rows = tuple(
            (r["chain"], f"{r['used']:,}", f"{r['there']:,}", f"{100 * r['used'] / r['there']:.2f} %", r["by"])
            for r in own
        )
        title = f"Paper 004, Table {number}: extended resources of four pipes, of the thesis's board"
        note = "typed from the paper; open synthesis has no such board, so there is nothing of ours beside it"
        tables.append(Table(title, ("resource", "used", "there", "share", "by"), rows, note))
    return tables


def resource_plots(records: Sequence[Record]) -> list[Plot]:
    """Logic cells and registers of each table's circuits."""
    plots: list[Plot] = []
    for number, own in _by_table(records).items():
        rows: list[tuple[str, list[float | None]]] = [
            (r["chain"], [r["luts"] or None, r["registers"] or None]) for r in own
        ]
        title = f"Paper 004, Table {number}: resources (004: typed; others: estimates)"
        plots.append(Bars(title, "cells", ("LUT", "FF"), rows, logarithmic=True))
    return plots
