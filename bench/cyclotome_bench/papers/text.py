# SPDX-License-Identifier: Apache-2.0
"""Papers 000's and 001's tables, with what was measured on this CPU beside them."""

from __future__ import annotations

from collections.abc import Sequence

from cyclotome_bench.papers.papers import dashes, measured, paper_tables
from cyclotome_bench.papers.study_tables import PAPER, study_tables
from cyclotome_bench.reports.report import Record
from cyclotome_bench.reports.tables import Table, duration

__all__ = ["paper_text"]


def paper_text(paper: str, records: Sequence[Record], chosen: bool = False) -> list[Table]:
    """The paper's tables with ours beside them; of what was chosen, only the rows that were measured."""
    tables = []
    for table in measured(paper_tables(paper, records), chosen):
        rows = tuple(
            (
                *(row.operation, str(row.degree), str(row.log_q), *map(duration, row.figures)),
                *(
                    duration(row.first_us),
                    duration(row.best_us),
                    row.best_chain or "–",
                    duration(row.peer_us),
                    row.code,
                ),
            )
            for row in table.rows
        )
        typed = (PAPER + name for name in table.figures)
        columns = ("operation", "n", "log q", *typed, "ours", "ours, fastest", "with", "SEAL here", "code")
        note = (
            f"{table.what}. Paper's hardware: {'; '.join(table.hardware)}. Ours and SEAL here: one thread of this CPU."
            + dashes(table)
        )
        tables.append(Table(table.title, columns, rows, note))
    return [*tables, *study_tables(paper, records)]
