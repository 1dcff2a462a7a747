# SPDX-License-Identifier: Apache-2.0
"""The thesis's tables of circuits, with what simulated circuits counted beside them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from cyclotome.devices.contexts import device_name
from cyclotome.devices.fpga import Options, options_of

from cyclotome_bench.applications.circuits import CASES, Case
from cyclotome_bench.reports.charts import Bars, Plot
from cyclotome_bench.reports.report import Record
from cyclotome_bench.reports.tables import Table, duration

__all__ = ["circuit_plots", "circuit_tables"]

#: Paper 004's ticks, with N = 2^n.
_TICKS: dict[str, Callable[[int, int], int]] = {
    "pease": lambda degree, pipes: (2 * (degree.bit_length() - 1) + 1) * degree // 2,
    "cooley-tukey": lambda degree, pipes: (
        (2 * (degree.bit_length() - 1) + 1) * degree // 2 if pipes == 1 else (degree.bit_length() + 1) * degree // pipes
    ),
}


def circuit_tables(records: Sequence[Record]) -> list[Table]:
    """The thesis's tables with ours beside them."""
    made = [_product_table(records, table) for table in ("6.6", "6.10", "6.11")]
    made.append(_encryption_table(records))
    return [table for table in made if table.rows]


def _thesis_row(engine: str) -> Options:
    """Which row of the thesis a device stands for, however its multipliers reduce."""
    return replace(options_of(engine), reduction=Options.reduction, bits=Options.bits)


def _label(record: Record) -> str:
    """The row's name and how its circuit reduces."""
    return f"{record['case']}, {options_of(record['engine']).reduction}"


def _case_of(record: Record) -> Case | None:
    """The thesis's row for this one; None in a quick run, which has other sizes."""
    wanted = (record["table"], record["case"], _thesis_row(record["engine"]), record["degree"])
    rows = ((case, (case.table, case.name, _thesis_row(device_name(case.device)), case.degree)) for case in CASES)
    return next((case for case, row in rows if row == wanted), None)


def _paper_us(record: Record) -> float | None:
    """The thesis's time for this row."""
    case = _case_of(record)
    if case is None or record["operation"] not in case.operations:
        return None
    return case.paper_us[case.operations.index(record["operation"])]


def _latencies(record: Record, formula: int | None) -> tuple[str, str]:
    """Ticks to the first result: the thesis's, and those counted beyond its formula, which is of whole stages."""
    case = _case_of(record)
    stated = "–" if case is None or case.paper_latency is None else str(case.paper_latency)
    return stated, "–" if formula is None else f"{record['critical_ticks'] - formula:,}"


#: The last columns: what ticks make at a clock that nobody measured, and what simulating them took.
_TIMES = ("ticks at that clock (assumed clock)", "with transfers (assumed clock)", "simulation (measured)", "code")
_SIMULATION = "one more: what a second one adds when both are asked for at once; simulation: processor time here"


def _read_from(records: Sequence[Record]) -> str:
    """Of a quick run, which simulates nothing."""
    name = next((r["recorded"] for r in records if "recorded" in r), None)
    return "" if name is None else f"read from bench/results/{name}, not part of this run. "


def _simulation(record: Record) -> str:
    return duration(1e6 * record["simulation_processor_seconds"])


def _product_table(records: Sequence[Record], table: str) -> Table:
    rows = []
    for r in (r for r in records if r["table"] == table):
        options = options_of(r["engine"])
        formula = _TICKS.get(options.design)
        ticks = None if formula is None or table == "6.11" else formula(r["degree"], options.pipes)
        stated = "–" if ticks is None else f"{ticks:,}"
        total = r["circuit_us"] + r["transfer_us"]
        row = [_label(r), str(r["degree"]), str(r["primes"]), str(options.pipes), stated, f"{r['critical_ticks']:,}"]
        row += [f"{r['further_ticks']:,}", *_latencies(r, ticks), f"{r['clock_mhz']:g}", duration(_paper_us(r))]
        case = _case_of(r)
        row.append(duration(None if case is None else case.paper_unconverted_us))
        rows.append((*row, duration(r["circuit_us"]), duration(total), _simulation(r), r["engine"]))
    columns: tuple[str, ...] = (
        "circuit",
        "N",
        "primes",
        "pipes",
        "ticks, thesis",
        "ticks (simulated)",
        "one more (simulated)",
        "latency, thesis",
        "latency (simulated)",
        "MHz (stated)",
    )
    columns += ("thesis", "thesis, without conversions", *_TIMES)
    note = _read_from(records) + (
        "thesis: typed from it, for its sizes, in Table 6.11 with conversions on its processor, which ours never hold; "
        "– there: it prints none, or the row is ours. Latency (simulated): ticks "
        "beyond the thesis's formula; – for designs that it has none of. Code: the device that was simulated. Ticks: "
        "from the first word in to the last word out, counted by the simulated circuit; MHz are the thesis's, "
        f"no clock of ours is measured; fold: multipliers reduce by its Algorithm 8; transfers at 4 GB/s; {_SIMULATION}"
    )
    return Table(f"Paper 004, Table {table}: products of polynomials on circuits", columns, tuple(rows), note)


def _encryption_table(records: Sequence[Record]) -> Table:
    rows = []
    for r in (r for r in records if r["table"] == "6.12"):
        work = f"{r['products']} products" if r["products"] else f"{r['transforms']} transforms"
        row = [_label(r), r["operation"].replace("_", " "), str(r["degree"]), str(r["primes"]), work]
        further = "–" if r["further_ticks"] is None else f"{r['further_ticks']:,}"
        row += [f"{r['critical_ticks']:,}", further, f"{r['clock_mhz']:g}"]
        row += [duration(_paper_us(r)), duration(r["circuit_us"])]
        rows.append((*row, duration(r["circuit_us"] + r["transfer_us"]), _simulation(r), r["engine"]))
    columns: tuple[str, ...] = (
        "circuit",
        "operation",
        "N",
        "primes",
        "on the circuit",
        "ticks (simulated)",
        "one more (simulated)",
        "MHz (stated)",
    )
    columns += ("thesis", *_TIMES)
    note = _read_from(records) + (
        "BGV with t = 2; code: the device that was simulated; – for the thesis: it prints none. Its times hold "
        f"format conversions on its processor; ours hold circuits and link; {_SIMULATION}"
    )
    return Table("Paper 004, Table 6.12: BGV on circuits", columns, tuple(rows), note, left=2)


def circuit_plots(records: Sequence[Record]) -> list[Plot]:
    """Times of each table's circuits at the stated clocks, beside the thesis's."""
    plots: list[Plot] = []
    for table in dict.fromkeys(r["table"] for r in records):
        rows: dict[str, list[float | None]] = {}
        for r in (r for r in records if r["table"] == table):
            options = options_of(r["engine"])
            pipes = f"{options.pipes} pipe{'s' if options.pipes > 1 else ''}"
            label = f"{r['operation'].replace('_', ' ')}: {_label(r)}, {pipes}, {r['clock_mhz']:g} MHz"
            rows[label] = [_paper_us(r), r["circuit_us"] + r["transfer_us"]]
        title = f"Paper 004, Table {table}: circuits, N = {next(r['degree'] for r in records if r['table'] == table)}"
        series = ("paper (typed)", "here: simulated ticks at that clock, with transfers (assumed clock)")
        plots.append(Bars(title, "microseconds", series, list(rows.items()), logarithmic=True))
    return plots
