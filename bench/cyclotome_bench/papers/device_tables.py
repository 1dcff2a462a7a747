# SPDX-License-Identifier: Apache-2.0
"""A device's records as tables of text: transforms, operations in batches, and papers' tables beside them."""

from __future__ import annotations

from collections.abc import Sequence

from cyclotome_bench.papers.papers import dashes, measured, paper_tables
from cyclotome_bench.papers.study_tables import PAPER, study_tables
from cyclotome_bench.peers.public_libraries import PREFIX
from cyclotome_bench.peers.public_tables import public_tables
from cyclotome_bench.reports.report import Record
from cyclotome_bench.reports.tables import Table, duration, fastest_chain, problems_of, single
from cyclotome_bench.sets import BEHZ_OPERATIONS, OPERATIONS

__all__ = ["device_paper_tables", "device_tables"]


def device_tables(records: Sequence[Record]) -> list[Table]:
    """A table for the transforms, one for each set and scheme, and those beside public libraries."""
    shown = [(name, scheme) for name, scheme in problems_of(records) if not name.startswith(PREFIX)]
    tables = [_operations(records, name, scheme) for name, scheme in shown]
    return [table for table in (_transforms(records), *tables, *public_tables(records)) if table.rows]


def _transforms(records: Sequence[Record]) -> Table:
    """One polynomial alone, and as many at once as were measured."""
    cells = {(r["degree"], r["log_q"], r["operation"], r["batch"]): r for r in records if r["set"].startswith("transf")}
    batches = sorted({batch for *_, batch in cells})
    rows = []
    for degree, bits in sorted({(degree, bits) for degree, bits, *_ in cells}):
        for operation in ("ntt", "intt"):
            found = [cells.get((degree, bits, operation, batch)) for batch in batches]
            last = found[-1] or {}
            row = [operation.upper(), f"2^{degree.bit_length() - 1}", str(bits)]
            row += ["–" if r is None else duration(r["median_us"]) for r in found[:1]]
            row += ["–" if r is None else f"{1000 * r['us_each']:.0f} ns" for r in found]
            rows.append((*row, _percent(last.get("copy_share")), _percent(last.get("product_share"))))
    columns = ("transform", "n", "bits of prime", "one alone", *(f"each of {b}" for b in batches), "of copying", "of ×")
    note = (
        "one alone: latency of a call; each of k: time of a call for k polynomials among many calls, divided by k; of "
        "copying, of ×: share of the card's measured copy bandwidth and rate of products, for the most polynomials"
    )
    return Table("transforms", columns, tuple(rows), note)


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.0f} %"


def _operations(records: Sequence[Record], name: str, scheme: str) -> Table:
    own = [r for r in records if (r["set"], r["scheme"]) == (name, scheme)]
    chain = fastest_chain(single(records, name, scheme)) or own[0]["chain"]
    cells = {(r["operation"], r["batch"]): r for r in own if r["chain"] == chain}
    batches = sorted({batch for _, batch in cells})
    rows = []
    for operation in (*OPERATIONS, *BEHZ_OPERATIONS):
        found = [cells.get((operation, batch)) for batch in batches]
        if found[0] is None:
            continue
        row = [operation.replace("_", " "), duration(found[0]["median_us"])]
        row += ["–" if r is None else duration(r["us_each"]) for r in found]
        noise = found[0].get("noise_left")
        rows.append((*row, "" if noise is None else str(noise)))
    some = own[0]
    security = "" if some["secure"] else ", INSECURE"
    title = f"{scheme.upper()} n = {some['degree']}, log q = {some['log_q']}, t = {some['plain_modulus']}{security}"
    columns = ("operation", "latency", *(f"each of {batch}" for batch in batches), "noise left")
    note = f"set {name}, {chain}; latency: one call and a synchronisation; each of k: in batches of k, call after call"
    return Table(title, columns, tuple(rows), note)


def device_paper_tables(paper: str, records: Sequence[Record], chosen: bool = False) -> list[Table]:
    """The paper's tables with this device's figures beside them, those about its kernels included; of what was chosen,
    only the rows that were measured.

    Raises:
        ArgumentError: another paper than "000" and "001".
    """
    tables, studied = [], study_tables(paper, records)
    own = [r for r in records if not r["set"].startswith("study")]
    for table in measured(paper_tables(paper, own), chosen):
        if studied and table.title.endswith("Table 6"):  # by events among the others: the host's clock counts launches
            continue
        rows = tuple(
            (
                *(row.operation, str(row.degree), str(row.log_q), *map(duration, row.figures)),
                *(duration(row.first_us), duration(row.best_us), row.best_chain or "–", row.code),
            )
            for row in table.rows
        )
        typed = (PAPER + name for name in table.figures)
        columns = ("operation", "n", "log q", *typed, "ours", "ours, fastest", "with", "code")
        note = f"{table.what}. Paper's hardware: {'; '.join(table.hardware)}. Ours: latency of one call on this device."
        note += dashes(table)
        tables.append(Table(table.title, columns, rows, note))
    return [*tables, *studied]
