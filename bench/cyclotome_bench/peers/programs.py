# SPDX-License-Identifier: Apache-2.0
"""Records of programs other than `cyclotome bench`: lines of JSON, lines of text, and syntheses of circuits.

They state no machine (only some files have a head line); what a page can say about it is the file's name.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cyclotome import text
from cyclotome.errors import FileError, FormatError

from cyclotome_bench.reports.charts import Bars, Lines, Plot
from cyclotome_bench.reports.report import Record, Report
from cyclotome_bench.reports.tables import Table, duration

__all__ = ["KINDS", "Kind", "read_report"]

#: A line of a program that prints text: what, then how, then the time.
_LINE = re.compile(
    r"(?P<what>[^:]+): (?P<operation>.+?) {2,}(?:(?P<lane>\d+) words a lane +)?(?P<time>[\d.]+) (?P<unit>ms|us)"
)
_MICROSECONDS = {"ms": 1000.0, "us": 1.0}


@dataclass(frozen=True)
class Kind:
    """What one program writes.

    Attributes:
        name: of the kind, which is the report's plan.
        fields: that one of its lines has, and no other kind's.
        method: what wrote it and what it measures.
        tables, plots: what is shown.
    """

    name: str
    fields: frozenset[str]
    method: str
    tables: Callable[[Sequence[Record]], list[Table]]
    plots: Callable[[Sequence[Record]], list[Plot]]


def read_report(path: Path) -> Report:
    """Any file of measurements: a report of `cyclotome bench`, or what another program wrote.

    Raises:
        FileError: it can't be read.
        FormatError: nothing here writes such files.
    """
    if path.suffix == ".json" and not _is_synthesis(path):
        return Report.load(path)
    try:
        content = path.read_text(encoding="utf-8")
    except OSError as error:
        raise FileError(f"{path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise FormatError(f"{path} is no text") from None
    head, records = _parsed(path, content)
    kind = next((kind for kind in KINDS if any(kind.fields <= record.keys() for record in records)), None)
    if kind is None:
        raise FormatError(f"{path} holds no measurements of a program of this project")
    facts = {"file": path.name, "machine": head or "not stated in the record", "method": kind.method}
    return Report(kind.name, facts, records, True)


def _is_synthesis(path: Path) -> bool:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(data, dict) and isinstance(data.get("leaves"), dict)


def _parsed(path: Path, content: str) -> tuple[str, list[Record]]:
    """A head line, or "", and records."""
    lines = [line for line in content.splitlines() if line.strip()]
    try:
        if path.suffix == ".json":
            return "", _syntheses(json.loads(content))
        if path.suffix == ".jsonl":
            records = [json.loads(line) for line in lines]
            if not all(isinstance(record, dict) for record in records):
                raise ValueError("a line is no object")
            return "", records
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise FormatError(f"{path} is no record: {error}") from None
    head = " ".join(line.lstrip("# ") for line in lines if line.startswith("#"))
    found = [(line, _LINE.fullmatch(line)) for line in lines if not line.startswith("#")]
    wrong = next((line for line, match in found if match is None), None)
    if wrong is not None:
        raise FormatError(f"{path}: {wrong[:80]!r} is no line of a measurement")
    return head, [_timed(match) for _, match in found if match is not None]


def _timed(match: re.Match[str]) -> Record:
    lane = {} if match["lane"] is None else {"lane": int(match["lane"])}
    what = {"what": match["what"], "operation": match["operation"].strip()}
    return {**what, **lane, "microseconds": float(match["time"]) * _MICROSECONDS[match["unit"]]}


def _syntheses(data: dict[str, Any]) -> list[Record]:
    leaves = [{"leaf": name, **leaf} for name, leaf in data["leaves"].items()]
    return leaves + [dict(clock) for clock in data["clocks"]]


# --- transforms and errors over Phi_m ---------------------------------------------------------------------------------
def _ring_tables(records: Sequence[Record]) -> list[Table]:
    transforms = tuple(
        (
            *(f"Phi_{r['index']}", str(r["word"]), str(r["bits"]), str(r["limbs"])),
            *(duration(r["forward_us"]), duration(r["inverse_us"])),
        )
        for r in records
        if "forward_us" in r
    )
    errors = tuple(
        (
            *(f"Phi_{r['index']}", str(r["limbs"]), str(r["polynomials"])),
            *(duration(r["uniform_us"]), duration(r["error_us"])),
        )
        for r in records
        if "error_us" in r
    )
    columns = ("ring", "word", "bits of prime", "limbs at once", "forward", "inverse")
    more = ("ring", "limbs", "polynomials at once", "uniform", "error")
    found = Table("transforms", columns, transforms, "time of a limb"), Table("random", more, errors, "of a polynomial")
    return [table for table in found if table.rows]


def _ring_plots(records: Sequence[Record]) -> list[Plot]:
    series: dict[str, list[tuple[float, float]]] = {}
    for r in records:
        if "forward_us" in r:
            name = f"Phi_{r['index']}, {r['bits']}-bit primes, {r['word']}-bit words"
            series.setdefault(name, []).append((r["limbs"], r["forward_us"]))
    return [Lines("forward transforms", "limbs at once", "microseconds a limb", series)]


# --- circuits on encrypted bits ---------------------------------------------------------------------------------------
def _job(record: Record) -> str:
    many = f" {record['count']} numbers of {record['bits']} bits" if record["job"] == "sort" else ""
    return f"{record['job'].upper() if record['job'] == 'prince' else record['job']}{many}"


def _each(record: Record) -> tuple[float, int]:
    """Milliseconds for a block or a list, and how many there were."""
    unit = "block" if "blocks" in record else "list"
    return float(record[f"ms_a_{unit}"]), int(record[f"{unit}s"])


def _job_tables(records: Sequence[Record]) -> list[Table]:
    rows = []
    for r in records:
        each, units = _each(r)
        size = text.byte_size(r["bytes_in_one_section"])
        row = (_job(r), ", ".join(r["devices"]), str(units), str(r.get("run", "–")), f"{r['seconds']:.4g} s")
        rows.append((*row, duration(1000 * each), size, "yes" if r["right"] else "NO", r["parameters"]))
    columns = ("job", "devices", "at once", "run", "whole", "each", "memory", "right", "parameters")
    return [Table("circuits on encrypted bits", columns, tuple(rows), "–: a single run")]


def _job_plots(records: Sequence[Record]) -> list[Plot]:
    """The fastest run of each job, by devices."""
    best: dict[str, dict[str, float]] = {}
    for r in records:
        row = best.setdefault(_job(r), {})
        devices = ", ".join(r["devices"])
        row[devices] = min(_each(r)[0], row.get(devices, float("inf")))
    series = sorted({devices for row in best.values() for devices in row})
    rows = [(job, [row.get(devices) for devices in series]) for job, row in best.items()]
    return [Bars("the faster run of each job", "milliseconds for a list or block", series, rows, logarithmic=True)]


# --- operations on several engines ------------------------------------------------------------------------------------
def _engines(records: Sequence[Record]) -> list[str]:
    return list(dict.fromkeys(r["engine"] for r in records if "engine" in r))


def _means(records: Sequence[Record], field: str) -> dict[tuple[str, int, str, int], dict[str, float]]:
    """By operation, then by engine: the median of all rounds."""
    found: dict[tuple[str, int, str, int], dict[str, list[float]]] = {}
    for r in (r for r in records if "engine" in r):
        key = (r["scheme"], r["degree"], r["operation"], r["batch"])
        found.setdefault(key, {}).setdefault(r["engine"], []).append(float(r[field]))
    return {key: {engine: sorted(v)[len(v) // 2] for engine, v in row.items()} for key, row in found.items()}


def _engine_tables(records: Sequence[Record]) -> list[Table]:
    engines = _engines(records)
    alone, among = _means(records, "alone_us"), _means(records, "among_us")
    rows = []
    for key, row in alone.items():
        scheme, degree, operation, batch = key
        head = (f"{scheme.upper()} {operation.replace('_', ' ')}", str(degree), str(batch))
        times = [duration(found.get(engine)) for found in (row, among[key]) for engine in engines]
        rows.append((*head, *times))
    columns = [f"{engine}, {how}" for how in ("alone", "among many") for engine in engines]
    note = "medians of all rounds; alone: a call and a synchronisation; among many: one call of a row of them"
    return [Table("operations by engine", ("operation", "n", "at once", *columns), tuple(rows), note)]


def _engine_plots(records: Sequence[Record]) -> list[Plot]:
    engines = _engines(records)
    plots: list[Plot] = []
    found = _means(records, "alone_us")
    for scheme, batch in dict.fromkeys((key[0], key[3]) for key in found):
        rows = [
            (f"{key[2].replace('_', ' ')}, n = {key[1]}", [row.get(engine) for engine in engines])
            for key, row in found.items()
            if (key[0], key[3]) == (scheme, batch)
        ]
        title = f"{scheme.upper()}, {batch} at once, a call alone"
        plots.append(Bars(title, "microseconds a call", engines, rows, logarithmic=True))
    return plots


# --- lines of text ----------------------------------------------------------------------------------------------------
def _line_tables(records: Sequence[Record]) -> list[Table]:
    tables = []
    for what in dict.fromkeys(r["what"] for r in records):
        own = [r for r in records if r["what"] == what]
        lanes = sorted({r["lane"] for r in own if r.get("lane")})
        cells = {(r["operation"], r.get("lane", 0)): duration(r["microseconds"]) for r in own}
        operations = dict.fromkeys(r["operation"] for r in own)
        rows = tuple((name, *(cells.get((name, lane), "–") for lane in (*lanes, 0))) for name in operations)
        columns = ("operation", *(_lane(lane, bool(lanes)) for lane in (*lanes, 0)))
        tables.append(Table(what, columns, rows, "–: does not occur in the record" if lanes else ""))
    return tables


def _lane(lane: int, several: bool) -> str:
    return f"{lane} words a lane" if lane else "without lanes" if several else "time"


def _line_plots(records: Sequence[Record]) -> list[Plot]:
    plots: list[Plot] = []
    for what in dict.fromkeys(r["what"] for r in records):
        own = [r for r in records if r["what"] == what]
        lanes = sorted({r.get("lane", 0) for r in own})
        cells = {(r["operation"], r.get("lane", 0)): r["microseconds"] for r in own}
        operations = dict.fromkeys(r["operation"] for r in own)
        rows = [(name, [cells.get((name, lane)) for lane in lanes]) for name in operations]
        plots.append(Bars(what, "microseconds", [_lane(lane, lanes != [0]) for lane in lanes], rows, logarithmic=True))
    return plots


# --- syntheses --------------------------------------------------------------------------------------------------------
_CELLS = ("luts", "registers", "multipliers_27", "multipliers_18", "multipliers_9", "m20k", "mlab")


def _leaf_tables(records: Sequence[Record]) -> list[Table]:
    leaves = tuple((r["leaf"], *(f"{r[cell]:,}" for cell in _CELLS), r["tool"]) for r in records if "leaf" in r)
    columns = ("block", "LUT", "FF", "27 × 27", "18 × 18", "9 × 9", "M20K", "MLAB", "by")
    clocks = tuple(
        (
            *(r["circuit"], f"{r['megahertz']:g} MHz", r["part"], r["tool"]),
            *(f"{r[cell]:,}" for cell in ("luts", "registers", "multipliers", "memories")),
        )
        for r in records
        if "megahertz" in r
    )
    placed = ("circuit", "clock", "part", "by", "LUT", "FF", "18 × 18", "memories")
    found = Table("blocks, each by itself", columns, leaves), Table("placed and routed", placed, clocks)
    return [table for table in found if table.rows]


def _leaf_plots(records: Sequence[Record]) -> list[Plot]:
    rows = [(r["leaf"], [r["luts"] or None, r["registers"] or None]) for r in records if "leaf" in r]
    largest = sorted(rows, key=lambda row: -max(v or 0 for v in row[1]))[:30]
    return [Bars("the thirty largest blocks", "cells", ("LUT", "FF"), largest, logarithmic=True)]


KINDS = (
    Kind(
        "cyclotomic rings",
        frozenset({"index", "forward_us"}),
        "test/cuda/time_cuda_cyclotomic: host clock around calls in a row that end with a synchronisation, median of 9",
        _ring_tables,
        _ring_plots,
    ),
    Kind(
        "circuits",
        frozenset({"job", "seconds", "right"}),
        "tools/time_circuits.py: host clock around one whole circuit, until every device has done all; results are "
        "decrypted and compared",
        _job_tables,
        _job_plots,
    ),
    Kind(
        "engines",
        frozenset({"engine", "alone_us", "among_us"}),
        "test/cuda/time_cuda_operations: engines call by call in turns, medians of the host clock",
        _engine_tables,
        _engine_plots,
    ),
    Kind(
        "lanes",
        frozenset({"operation", "microseconds", "lane"}),
        "test/cuda/time_cuda_fermat: CUDA events around calls in a row, by the words that a lane of a warp holds",
        _line_tables,
        _line_plots,
    ),
    Kind(
        "operations",
        frozenset({"operation", "microseconds"}),
        "test/cuda/time_cuda_ltv: CUDA events around batches, time of one polynomial of all primes",
        _line_tables,
        _line_plots,
    ),
    Kind(
        "syntheses",
        frozenset({"leaf", "luts"}),
        "estimates by open synthesis (`cyclotome fpga report --record`), which do not depend on a machine",
        _leaf_tables,
        _leaf_plots,
    ),
)
