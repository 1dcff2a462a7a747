# SPDX-License-Identifier: Apache-2.0
"""Paper 004's tables of products, with ours beside the paper's."""

from __future__ import annotations

from collections.abc import Sequence

from cyclotome_bench.charts import Bars, Plot
from cyclotome_bench.product_plans import Block, ProductRow, paper_rows
from cyclotome_bench.report import Record
from cyclotome_bench.tables import Table, duration, times

__all__ = ["code_of", "product_plots", "product_tables"]

_NOTE = (
    "one thread, all rows of a block in alternation, N = {degree}{converted}; ratios are to the block's first row, "
    "primes of 32 bits in machine words. Paper: typed from it, N = {papers} on an i7-3770S; – there: our row. "
    "– here: GMP and NTL where they are not installed or were not asked for, and circuits that were not simulated. "
    "FLINT's product is not reduced modulo x^N + 1"
)


def product_tables(records: Sequence[Record]) -> list[Table]:
    """Tables 6.5, 6.7 to 6.9 and 6.11, and NTL's figure, as far as `records` have their blocks; all of their rows.

    Rows of the FPGA show the simulated circuit, if `records` have it, for all primes: its ticks at the thesis's clock,
    and its transfers, without conversions on this machine.
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
    degree = 0
    for block in blocks:
        found = {r["chain"]: r for r in records if r.get("set") == block.name}
        degree = next(iter(found.values()))["degree"]
        first = block.measured[0]
        base = found.get(first.label, {}).get("median_us")
        for row in block.rows:
            ours = found.pop(row.label, {}).get("median_us") or _circuit(block, row, degree, records)
            paper = [duration(row.paper_us), _ratio(row.paper_us, first.paper_us)]
            here = [duration(ours), _ratio(ours, base), code_of(row.label)]
            rows.append((str(block.bits), row.label, str(row.modulus_bits), *paper, *here))
        for label, record in found.items():
            here = [duration(record["median_us"]), _ratio(record["median_us"], base), code_of(label)]
            rows.append((str(block.bits), label, "", "–", "–", *here))
    columns = ("bits", "product", "log q", "paper", "paper's ratio", "here", "ratio", "code")
    converted = "" if blocks[0].operation == "product" else ", conversions included"
    note = _NOTE.format(degree=degree, converted=converted, papers=blocks[0].degree)
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


def _circuit(block: Block, row: ProductRow, degree: int, records: Sequence[Record]) -> float | None:
    """Microseconds of a simulated circuit for every prime of a row of the FPGA: Table 6.11's record is of all its
    primes, Table 6.6's of one."""
    if not row.case.startswith("FPGA"):
        return None
    design, table = row.case.removeprefix("FPGA, "), "6.11" if block.number == "6.11" else "6.6"
    for r in (r for r in records if r.get("table") == table and r["degree"] == degree):
        if r["case"].startswith(design) and "board" not in r["case"]:
            return float((1 if table == "6.11" else len(row.lengths)) * (r["circuit_us"] + r["transfer_us"]))
    return None


def product_plots(records: Sequence[Record]) -> list[Plot]:
    """Figure 6.1, from Table 6.8's times, typed and measured; then each table's ratios to its blocks' first rows."""
    blocks = _measured(records)
    figure = [_figure_6_1(blocks[name], records) for name in blocks if name == "Table 6.8"]
    return [*figure, *(_ratios(name, found, records) for name, found in blocks.items())]


def _figure_6_1(blocks: Sequence[Block], records: Sequence[Record]) -> Bars:
    rows: list[tuple[str, list[float | None]]] = []
    for block in blocks:
        found = {r["chain"]: r for r in records if r.get("set") == block.name}
        degree = next(iter(found.values()))["degree"]
        for row in block.rows:
            ours = found.get(row.label, {}).get("median_us") or _circuit(block, row, degree, records)
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
            paper = row.paper_us / first.paper_us if row.paper_us and first.paper_us else None
            rows.append((f"{block.bits} bits, {row.label}", [paper, ours]))
    title = f"Paper 004, {name}: time / time of the block's first row"
    return Bars(title, "ratio, less is faster", ("paper (typed)", "here"), rows, reference=1)
