# SPDX-License-Identifier: Apache-2.0
"""Paper 004's tables of products, with ours beside the paper's."""

from __future__ import annotations

from collections.abc import Sequence

from cyclotome_bench.charts import Bars, Plot
from cyclotome_bench.product_plans import Block, ProductRow, paper_rows
from cyclotome_bench.report import Record
from cyclotome_bench.tables import Table, duration, times

__all__ = ["product_plots", "product_tables"]

_NOTE = (
    "one thread, all rows of a block in alternation, N = {degree}{converted}; ratios are to the block's first row, "
    "primes of 32 bits in machine words. Paper: N = 16384 on an i7-3770S, with GMP: rows by GMP, where it is there; "
    "the same rows without are our own integers of some words. FLINT's product is not reduced modulo x^N + 1"
)


def product_tables(records: Sequence[Record]) -> list[Table]:
    """Tables 6.5 and 6.7 to 6.9 as far as `records` have their blocks; all rows, whether measured or not.

    Rows of the FPGA show the simulated circuit of Table 6.6, if `records` have it, once for each prime: its ticks at
    the thesis's clock, and its transfers, without conversions on this machine.
    """
    blocks: dict[str, list[Block]] = {}
    for block in paper_rows():
        if any(r.get("set") == block.name for r in records):
            blocks.setdefault(block.table, []).append(block)
    return [_table(name, found, records) for name, found in blocks.items()]


def _table(name: str, blocks: Sequence[Block], records: Sequence[Record]) -> Table:
    rows: list[tuple[str, ...]] = []
    degree = 0
    for block in blocks:
        found = {r["chain"]: r for r in records if r.get("set") == block.name}
        degree = next(iter(found.values()))["degree"]
        first = block.measured[0]
        base = found.get(first.label, {}).get("median_us")
        for row in block.rows:
            ours = found.pop(row.label, {}).get("median_us") or _circuit(row, degree, records)
            paper = [duration(row.paper_us), times(row.paper_us / first.paper_us)]
            rows.append((str(block.bits), row.label, str(row.modulus_bits), *paper, duration(ours), _ratio(ours, base)))
        for label, record in found.items():
            ours = record["median_us"]
            rows.append((str(block.bits), label, "", "–", "–", duration(ours), _ratio(ours, base)))
    columns = ("bits", "product", "log q", "paper", "paper's ratio", "here", "ratio")
    converted = "" if blocks[0].operation == "product" else ", conversions included"
    return Table(f"Paper 004, {name}", columns, tuple(rows), _NOTE.format(degree=degree, converted=converted), left=2)


def _ratio(ours: float | None, base: float | None) -> str:
    return "–" if ours is None or base is None else times(ours / base)


def _circuit(row: ProductRow, degree: int, records: Sequence[Record]) -> float | None:
    """Microseconds of the simulated Pease circuit for every prime of a row of the FPGA."""
    if not row.case.startswith("FPGA"):
        return None
    for r in records:
        if r.get("table") == "6.6" and r["degree"] == degree and r["case"].startswith("Pease"):
            return float(len(row.lengths) * (r["circuit_us"] + r["transfer_us"]))
    return None


def product_plots(records: Sequence[Record]) -> list[Plot]:
    """Figure 6.1, from Table 6.8's times, typed and measured; then each table's ratios to its blocks' first rows."""
    blocks: dict[str, list[Block]] = {}
    for block in paper_rows():
        if any(r.get("set") == block.name for r in records):
            blocks.setdefault(block.table, []).append(block)
    figure = [_figure_6_1(blocks[name], records) for name in blocks if name == "Table 6.8"]
    return [*figure, *(_ratios(name, found, records) for name, found in blocks.items())]


def _figure_6_1(blocks: Sequence[Block], records: Sequence[Record]) -> Bars:
    rows: list[tuple[str, list[float | None]]] = []
    for block in blocks:
        found = {r["chain"]: r for r in records if r.get("set") == block.name}
        degree = next(iter(found.values()))["degree"]
        for row in block.rows:
            ours = found.get(row.label, {}).get("median_us") or _circuit(row, degree, records)
            rows.append((f"{block.bits} bits, {row.label}", [row.paper_us, ours]))
    title = f"Paper 004, Figure 6.1: products without conversions, here N = {degree}"
    return Bars(title, "microseconds", ("paper (typed, N = 16384)", "here"), rows, logarithmic=True)


def _ratios(name: str, blocks: Sequence[Block], records: Sequence[Record]) -> Bars:
    rows: list[tuple[str, list[float | None]]] = []
    for block in blocks:
        found = {r["chain"]: r["median_us"] for r in records if r.get("set") == block.name}
        first = block.measured[0]
        for row in block.measured:
            ours = found[row.label] / found[first.label] if {row.label, first.label} <= found.keys() else None
            rows.append((f"{block.bits} bits, {row.label}", [row.paper_us / first.paper_us, ours]))
    title = f"Paper 004, {name}: time / time of the block's first row"
    return Bars(title, "ratio, less is faster", ("paper (typed)", "here"), rows, reference=1)
