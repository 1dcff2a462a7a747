# SPDX-License-Identifier: Apache-2.0
"""Comparisons and places of extremes as others published them, beside what was measured here: other machines, other
parameters, often other numbers of bits. Constants with their sources; nothing of them is measured."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from cyclotome_bench.reports.report import Record
from cyclotome_bench.reports.tables import Table, duration

__all__ = ["PUBLISHED", "Published", "published_table"]

_ILIASHENKO = (
    "Iliashenko, Zucca, Faster homomorphic comparison operations for BGV and BFV, PoPETs 2021 (3); Intel i5-7267U at "
    "3.1 GHz, one thread"
)
_MAZZONE = (
    "Mazzone, Everts, Hahn, Peter, Efficient ranking, order statistics, and sorting under CKKS, USENIX Security 2025 "
    "(arXiv:2412.15126); approximate, of one vector; its abstract names no machine"
)


class Published(NamedTuple):
    """One figure of the literature."""

    #: What it stands beside here.
    beside: str
    what: str
    library: str
    #: Seconds for so many results at once.
    seconds: float
    results: int
    source: str


#: The best amortised time for the less-than function (p = 131, 96 bits of security) and the array minimum (p = 17, at
#: least 121 bits) of the first; the abstract of the other.
PUBLISHED = (
    Published("less of 64 bits", "less-than of 64-bit integers", "HElib", 16.07, 1441, _ILIASHENKO),
    Published("argmax of 10 in bits", "minimum of 8 values of 8 bits", "HElib", 151.75, 5220, _ILIASHENKO),
    Published("argmax of 10 in bits", "minimum of 16 values of 8 bits", "HElib", 386.87, 5220, _ILIASHENKO),
    Published("argmax of 10 in bits", "argmin and argmax of 128 values", "OpenFHE", 12.83, 1, _MAZZONE),
)


def published_table(records: Sequence[Record]) -> Table:
    """What was published, for each result, and what was measured here of the function beside it."""
    own = {
        record["operation"]: record["median_us"] / record["values"]
        for record in records
        if record["set"] == "functions" and record["values"]
    }
    sources = list(dict.fromkeys(each.source for each in PUBLISHED))
    rows = tuple(
        (
            each.what,
            f"{each.library} [{sources.index(each.source) + 1}]",
            duration(each.seconds * 1e6),
            str(each.results),
            duration(each.seconds * 1e6 / each.results),
            each.beside,
            duration(own.get(each.beside)),
        )
        for each in PUBLISHED
    )
    columns = ("published", "library", "in all", "results", "each", "here", "each")
    note = "As published, on OTHER MACHINES and with other parameters; not measured here. " + "; ".join(
        f"[{i}] {source}" for i, source in enumerate(sources, 1)
    )
    return Table("Published elsewhere", columns, rows, note, 2)
