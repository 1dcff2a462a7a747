# SPDX-License-Identifier: Apache-2.0
"""Paper 004's tables of products, with ours beside the paper's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cyclotome_bench.applications.circuits import CASES
from cyclotome_bench.kinds import Kind, marked
from cyclotome_bench.products.plans import Block, ProductRow, paper_rows
from cyclotome_bench.reports.cells import ratio_of
from cyclotome_bench.reports.charts import Bars, Plot
from cyclotome_bench.reports.report import Record
from cyclotome_bench.reports.tables import Table, duration, times

__all__ = ["code_of", "product_plots", "product_tables"]

_NOTE = (
    "here: CPU time of one thread, all rows of a block in alternation, N = {degree}{converted}; ratios are to the "
    "block's first row, primes of 32 bits in machine words, and only of measured times whose samples lie together. "
    "Paper: typed from it, N = {papers} on an i7-3770S; – there: our row. – here: GMP and NTL where they are not "
    "installed or were not asked for, circuits that were not simulated, or not with primes for as long a modulus. "
    "FLINT's product is not reduced modulo x^N + 1"
)
#: Below tables that have rows of a circuit.
_ASSUMED = (
    "; assumed clock: no time of this machine, but ticks that a simulated circuit counted, at the clock that the "
    "thesis states, and bytes at 4 GB/s, for so many primes, without conversions{theirs}"
)


def product_tables(records: Sequence[Record]) -> list[Table]:
    """Tables 6.5, 6.7 to 6.9 and 6.11, and NTL's figure, as far as `records` have their blocks; all of their rows.

    Rows of the FPGA show the simulated circuit, if `records` have it with primes for the row's modulus: ticks at the
    thesis's clock, and transfers, which the cell says, and no ratio to what was measured.
    """
    return [_table(name, found, records) for name, found in _measured(records).items()]


def _measured(records: Sequence[Record]) -> dict[str, list[Block]]:
    """Blocks that `records` have, by table."""
    blocks: dict[str, list[Block]] = {}
    for block in paper_rows():
        if any(r.get("set") == block.name for r in records):
            blocks.setdefault(block.table, []).append(block)
    return blocks


def _table(name: str, blocks: Sequence[Block], records: Sequence[Record]) -> Table:
    rows: list[tuple[str, ...]] = []
    degree, simulated = 0, False
    for block in blocks:
        found = {r["chain"]: r for r in records if r.get("set") == block.name}
        degree = next(iter(found.values()))["degree"]
        first = block.measured[0]
        base = found.get(first.label)
        for row in block.rows:
            ours, circuit = found.pop(row.label, None), _circuit(block, row, degree, records)
            simulated |= circuit is not None
            paper = [duration(row.paper_us), _ratio(row.paper_us, first.paper_us)]
            here = [circuit.text if circuit else _time(ours), times(ratio_of(ours, base)), code_of(row.label)]
            rows.append((str(block.bits), row.label, str(row.modulus_bits), *paper, *here))
        for label, record in found.items():
            here = [_time(record), times(ratio_of(record, base)), code_of(label)]
            rows.append((str(block.bits), label, "", "–", "–", *here))
    columns = ("bits", "product", "log q", "paper", "paper's ratio", "here", "ratio", "code")
    converted = "" if blocks[0].operation == "product" else ", conversions included but in rows of the FPGA"
    note = _NOTE.format(degree=degree, converted=converted, papers=blocks[0].degree)
    if simulated:
        note += _ASSUMED.format(theirs=_without_conversions(name))
    return Table(f"Paper 004, {name}", columns, tuple(rows), note, left=2)


#: How labels begin or end, and the code that computes such rows.
_CODES = (
    ("FPGA", "cyclotome_hdl, simulated"),
    ("FLINT", "python-flint"),
    ("NTL", "ntl_product.cpp, ZZ_pX"),
    ("engine: ", "cyclotome::Engine on a processor"),
    ("library: ", "cyclotome's BGV"),
    ("CRT: ", "cyclotome::study, words-32"),
    ("", "cyclotome::study, multi-word"),
)


def code_of(label: str) -> str:
    """The code that computes a row."""
    if label.endswith(", by GMP"):
        return "gmp_product.cpp, mpz_t"
    return next(code for start, code in _CODES if label.startswith(start))


def _ratio(time: float | None, base: float | None) -> str:
    return "–" if time is None or base is None else times(time / base)


def _time(record: Record | None) -> str:
    return "–" if record is None else marked(duration(record["median_us"]), record)


def _without_conversions(table: str) -> str:
    """What the thesis's text says of rows of the FPGA whose times in the table hold conversions."""
    if not table.endswith("6.11"):
        return ""
    stated = {case.name.removesuffix(" (thesis)"): case.paper_unconverted_us for case in CASES if case.table == "6.11"}
    said = [f"{name} {duration(us)}" for name, us in stated.items() if us is not None]
    return f". The thesis's times of these rows hold them; without them it has {' and '.join(said)}"


@dataclass(frozen=True)
class _Assumed:
    """Microseconds of ticks at a clock that nobody measured, for so many primes."""

    us: float
    primes: int

    @property
    def text(self) -> str:
        return f"{duration(self.us)} ({Kind.ASSUMED}, {self.primes} primes)"


def _circuit(block: Block, row: ProductRow, degree: int, records: Sequence[Record]) -> _Assumed | None:
    """Of a simulated circuit for every prime of a row of the FPGA: Table 6.11's record is of all its primes, Table
    6.6's of one. None where the circuit's primes are not as many as the row's modulus takes."""
    if not row.case.startswith("FPGA"):
        return None
    design, table = row.case.removeprefix("FPGA, "), "6.11" if block.number == "6.11" else "6.6"
    for r in (r for r in records if r.get("table") == table and r["degree"] == degree):
        if not r["case"].startswith(design) or "board" in r["case"]:
            continue
        if table == "6.6":
            return _Assumed(len(row.lengths) * (r["circuit_us"] + r["transfer_us"]), len(row.lengths))
        if r["log_q"] >= row.modulus_bits:
            return _Assumed(r["circuit_us"] + r["transfer_us"], r["primes"])
    return None


def product_plots(records: Sequence[Record]) -> list[Plot]:
    """Figure 6.1, from Table 6.8's times, typed and measured; then each table's ratios to its blocks' first rows."""
    blocks = _measured(records)
    figure = [_figure_6_1(blocks[name], records) for name in blocks if name == "Table 6.8"]
    ratios = (_ratios(name, found, records) for name, found in blocks.items())
    return [*figure, *(plot for plot in ratios if plot is not None)]


def _figure_6_1(blocks: Sequence[Block], records: Sequence[Record]) -> Bars:
    rows: list[tuple[str, list[float | None]]] = []
    for block in blocks:
        found = {r["chain"]: r for r in records if r.get("set") == block.name}
        degree = next(iter(found.values()))["degree"]
        for row in block.rows:
            ours, circuit = found.get(row.label, {}).get("median_us"), _circuit(block, row, degree, records)
            values = [row.paper_us, ours, circuit.us if circuit else None]
            rows.append((f"{block.bits} bits, {row.label}", values))
    title = f"Paper 004, Figure 6.1: products without conversions, here N = {degree}"
    series = ("paper (typed, N = 16384)", "here (measured)", "simulated ticks (assumed clock)")
    return Bars(title, "microseconds", series, rows, logarithmic=True)


def _ratios(name: str, blocks: Sequence[Block], records: Sequence[Record]) -> Bars | None:
    """None where no row has a ratio, neither the paper's nor ours."""
    rows: list[tuple[str, list[float | None]]] = []
    for block in blocks:
        found = {r["chain"]: r for r in records if r.get("set") == block.name}
        first = block.measured[0]
        for row in block.measured:
            ours = ratio_of(found.get(row.label), found.get(first.label))
            paper = row.paper_us / first.paper_us if row.paper_us and first.paper_us else None
            rows.append((f"{block.bits} bits, {row.label}", [paper, ours]))
    if all(value is None for _, values in rows for value in values):
        return None
    title = f"Paper 004, {name}: time / time of the block's first row"
    return Bars(title, "ratio, less is faster", ("paper (typed)", "here"), rows, reference=1)
