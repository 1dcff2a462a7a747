# SPDX-License-Identifier: Apache-2.0
"""What papers 000 and 001 printed, beside what was measured here.

000: Al Badawi, Veeravalli, Mun, Aung: "High-Performance FV Somewhat Homomorphic Encryption on GPUs: An Implementation
using CUDA" (2018). 001: Özerk, Elgezen, Mert, Öztürk, Savaş: "Efficient Number Theoretic Transform Implementation on
GPU for Homomorphic Encryption" (2021). Their figures were taken on other machines, mostly GPUs: they stand beside ours
for orientation, not as a race.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import Any

from cyclotome.errors import ArgumentError

from cyclotome_bench.reports.report import Record

__all__ = ["CODE", "PAPERS", "PaperRow", "PaperTable", "dashes", "measured", "paper_tables"]

PAPERS = ("000", "001")

#: The files of this project that compute what papers call so.
CODE = {
    "KeyGen": "src/cyclotome/rlwe/keys/key_generation.cpp",
    "Enc": "src/cyclotome/rlwe/keys/encryption_program.cpp",
    "Dec": "src/cyclotome/scheme/bfv/decryption_program.cpp",
    "Add": "src/cyclotome/rlwe/operations.cpp",
    "Mul, BEHZ": "src/cyclotome/scheme/bfv/behz.cpp",
    "Mul, HPS": "src/cyclotome/scheme/bfv/hps.cpp",
    "NTT": "src/cyclotome/ring/tables/transform_tables.hpp",
    "INTT": "src/cyclotome/ring/tables/transform_tables.hpp",
}

_MICROSECONDS = {"us": 1.0, "ms": 1000.0}


@dataclass(frozen=True)
class PaperRow:
    """One row: the paper's figures and ours, in microseconds; None where there is none."""

    operation: str
    degree: int
    log_q: int
    figures: tuple[float | None, ...]
    first_us: float | None
    best_us: float | None
    best_chain: str | None
    peer_us: float | None
    code: str = ""


@dataclass(frozen=True)
class PaperTable:
    """One table of a paper; `figures` names the columns of its rows' figures."""

    title: str
    what: str
    hardware: tuple[str, ...]
    figures: tuple[str, ...]
    rows: tuple[PaperRow, ...]


def paper_tables(paper: str, records: Sequence[Record]) -> list[PaperTable]:
    """The tables of a paper with what `records` have for each row: one thread, one ciphertext.

    An operation of the paper can be several of ours, one after the other; their medians are added.

    Raises:
        ArgumentError: another paper than "000" and "001".
    """
    if paper not in PAPERS:
        raise ArgumentError(f"paper {paper!r} is unknown; there are {' and '.join(PAPERS)}")
    facts = json.loads(files("cyclotome_bench").joinpath("papers.json").read_text(encoding="utf-8"))[paper]
    own = [r for r in records if r["threads"] == 1 and r["batch"] == 1 and r.get("paper") in (paper, None)]
    return [
        PaperTable(
            f"{facts['title']}, {table['table']}",
            table["what"],
            tuple(facts["hardware"]),
            tuple(table["figures"]),
            tuple(_row(table, row, own) for row in table["rows"]),
        )
        for table in facts["tables"]
    ]


def dashes(table: PaperTable) -> str:
    """What dashes in its rows mean, for the note below them; empty if there are none of ours."""
    if all(row.first_us is not None for row in table.rows):
        return ""
    return " –: the paper has no such figure; of ours, the set was left out of this run, or the record is older."


def measured(tables: Sequence[PaperTable], chosen: bool) -> list[PaperTable]:
    """Those tables; if only some sets were chosen, without rows that have no figure of ours."""
    if not chosen:
        return list(tables)
    kept = [replace(table, rows=tuple(r for r in table.rows if r.first_us is not None)) for table in tables]
    return [table for table in kept if table.rows]


def _row(table: dict[str, Any], row: list[Any], records: Sequence[Record]) -> PaperRow:
    operation, degree, log_q, *figures = row
    scale = _MICROSECONDS[table["unit"]]
    chains = _by_chain(table["operations"][operation], degree, log_q, records)
    times = {chain: sum(r["median_us"] for r in found) for chain, found in chains.items()}
    best = min(times, key=lambda chain: times[chain], default=None)
    peers = [r["peer_median_us"] for r in next(iter(chains.values()), [])]
    return PaperRow(
        operation,
        degree,
        log_q,
        tuple(None if figure is None else figure * scale for figure in figures),
        next(iter(times.values()), None),
        None if best is None else times[best],
        best,
        sum(peers) if peers and None not in peers else None,
        CODE[operation],
    )


def _by_chain(operations: Sequence[str], degree: int, log_q: int, records: Sequence[Record]) -> dict[str, list[Record]]:
    """The records of all the operations, for each chain (and word) that has them all; in the order of the records."""
    chains: dict[str, list[Record]] = {}
    for record in records:
        fits = record["degree"] == degree and record["log_q"] == log_q and record["operation"] in operations
        if fits and (record["paper"] is not None if "paper" in record else record["scheme"] is None):
            name = record["chain"] if record["scheme"] else f"{record['word']}-bit words"
            chains.setdefault(name, []).append(record)
    return {name: found for name, found in chains.items() if len(found) == len(operations)}
