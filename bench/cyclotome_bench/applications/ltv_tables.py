# SPDX-License-Identifier: Apache-2.0
"""Paper 002's Tables 3, 5 and 6 and its Figure 4, as printed, with what was measured beside them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from cyclotome_bench.reports.charts import Bars, Lines, Plot
from cyclotome_bench.reports.report import Record
from cyclotome_bench.reports.tables import Table, duration, times

__all__ = ["ltv_plots", "ltv_tables"]

_PAPER = "the paper's columns are typed from it: one GTX 680 or GTX 690 of 2012"
_APPLICATIONS = (
    "(paper): typed from it, – where it prints nothing; here: throughput, all slots at once, divided by their number: "
    "on a processor CPU time of all threads, on a GPU the wall clock's; "
    "lists of 32-bit numbers but those of a quick run; – there: not asked for, as sorting 16 and 32 in a quick run; "
    "floor: keys read once a layer at the rate of copies, or products modulo primes, of LTV modulo the carrier, at "
    "their measured rate, whichever takes longer"
)


def _facts() -> dict[str, Any]:
    facts: dict[str, Any] = json.loads(files("cyclotome_bench").joinpath("papers.json").read_text(encoding="utf-8"))
    return dict(facts["002"])


def ltv_tables(records: Sequence[Record]) -> list[Table]:
    """All tables; a cell that this run did not measure is a dash."""
    return [_precomputed(records), _operations(records), _relinearization(records), _applications(records)]


def ltv_plots(records: Sequence[Record]) -> list[Plot]:
    """Figure 4 (a): relinearisation by the bits of the coefficients, a line for each set; Tables 5 and 6 as bars."""
    plots: list[Plot] = []
    series: dict[str, list[tuple[float, float]]] = {}
    for r in _of("4", records):
        series.setdefault(f"{r['chain']}, n = {r['degree']}", []).append((float(r["log_q"]), r["median_us"] / 1000))
    if series:
        plots.append(Lines("Paper 002, figure 4: relinearisation", "bits of q", "milliseconds", series))
    for table, title in (("5", "Paper 002, Table 5: operations on polynomials"), ("6", "Paper 002, Table 6: circuits")):
        own = [r for r in _of(table, records) if r["samples"]]
        chains = list(dict.fromkeys(r["chain"] for r in own))
        cells = {(_job(r), r["chain"]): r["median_us"] for r in own}
        names = dict.fromkeys(map(_job, own))
        rows = [(name, [cells.get((name, chain)) for chain in chains]) for name in names]
        if rows:
            plots.append(Bars(title, "microseconds", chains, rows, logarithmic=True))
    return plots


def _job(record: Record) -> str:
    """The operation, and of how many at once where that is not all slots of a circuit."""
    several = record["set"] == "002-5" and record["batch"] > 1
    return f"{record['operation']}, each of {record['batch']}" if several else str(record["operation"])


def _of(table: str, records: Sequence[Record]) -> list[Record]:
    return [r for r in records if r["set"] == f"002-{table}"]


def _precomputed(records: Sequence[Record]) -> Table:
    facts = _facts()["table3"]
    found = {(r["chain"], r["operation"]): r for r in _of("3", records)}
    rows = []
    for item, formula, *printed in facts["rows"]:
        row = [item, formula]
        for preset, figure in zip(facts["presets"], printed, strict=True):
            record = found.get((preset, item))
            row += [figure, "–" if record is None else str(record["bytes"])]
        rows.append(tuple(row))
    columns = ["item", "bytes, formula"]
    for name in facts["columns"]:
        columns += [f"{name} (paper)", "held here"]
    note = (
        "paper: typed from it; here: bytes allocated at level 0, for keys what they take; –: not asked for in this "
        "run, or not kept, as M on a GPU"
    )
    return Table("Paper 002, Table 3: precomputed data", tuple(columns), tuple(rows), note, left=2)


def _operations(records: Sequence[Record]) -> Table:
    facts = _facts()["table5"]
    own = _of("5", records)
    alone = {(r["chain"], r["operation"]): r for r in own if r["batch"] == 1}
    several = {(r["chain"], r["operation"]): r for r in own if r["batch"] > 1}
    rows = []
    for operation, *printed in facts["rows"]:
        row = [operation]
        for preset, milliseconds in zip(facts["presets"], printed, strict=True):
            one, many = alone.get((preset, operation)), several.get((preset, operation))
            ours = one["median_us"] if one else None
            row += [duration(milliseconds * 1000), duration(ours), times(milliseconds * 1000 / ours if ours else None)]
            row.append(duration(many["median_us"]) + f" of {many['batch']}" if many else "–")
        rows.append(tuple(row))
    columns = ["all d primes"]
    for name in facts["columns"]:
        columns += [
            f"{name} (paper, latency)",
            "here, one alone",
            "ratio",
            "here, each of several at once (throughput)",
        ]
    note = (
        f"{_PAPER}; here: CPU time of one thread of this processor, or on a GPU by its events, MULADD of all digits by "
        "their number; ratio: the paper's latency over that of one alone, never over throughput; –: not measured in "
        "this run"
    )
    return Table("Paper 002, Table 5: operations on polynomials", tuple(columns), tuple(rows), note)


def _relinearization(records: Sequence[Record]) -> Table:
    printed = {(preset, primes): ms for preset, primes, _, ms in _facts()["figure4"]}
    rows = []
    for r in _of("4", records):
        stated = next(
            (ms for (preset, bits), ms in printed.items() if (preset, bits) == (r["chain"], r["log_q"])), None
        )
        row = (str(r["degree"]), str(r["log_q"]), str(r["digits"]), duration(stated * 1000 if stated else None))
        alone = r["batch"] == 1
        ratio = times(stated * 1000 / r["median_us"] if stated and alone else None)
        rows.append((*row, duration(r["median_us"]) + ("" if alone else f" (each of {r['batch']}, throughput)"), ratio))
    columns = ("n", "bits of q", "digits", "paper", "here", "ratio")
    note = (
        f"{_PAPER}; figure 4 is a plot, and its text gives one time, at 23 primes, of one; here: CPU time of one "
        "thread, or on a GPU one of several at once, with conversions, which is throughput: no ratio"
    )
    return Table("Paper 002, Figure 4: relinearisation", columns, tuple(rows), note, left=2)


def _applications(records: Sequence[Record]) -> Table:
    facts = _facts()["table6"]
    rows = [
        (f"{name} (paper)", *(duration(None if s is None else s * 1e6) for s in seconds))
        for name, *seconds in facts["rows"]
    ]
    ours = _of("6", records)
    jobs = [column.split(",")[0] for column in facts["columns"]]
    for chain in dict.fromkeys(r["chain"] for r in ours):
        found = {r["operation"]: r for r in ours if r["chain"] == chain and r["samples"]}
        rows.append((f"here: {chain}", *(duration(found[job]["median_us"] if job in found else None) for job in jobs)))
        floors = [found[job].get("floor_us") if job in found else None for job in jobs]
        if any(floors):
            rows.append(("its floor", *(duration(floor) for floor in floors)))
    title = "Paper 002, Table 6: a block of PRINCE, a list sorted"
    reasons = [f"{r['operation']}, {r['chain']}: {r['reason']}" for r in ours if "reason" in r]
    return Table(title, ("platform", *facts["columns"]), tuple(rows), "; ".join([_APPLICATIONS, *reasons]))
