# SPDX-License-Identifier: Apache-2.0
"""What is measured of paper 002: Tables 3 and 5 and Figure 4; the rows of Table 6."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from cyclotome.errors import ArgumentError

from cyclotome_bench.plans import Plan
from cyclotome_bench.timing import Budget

__all__ = ["TABLES", "Cell", "LtvPlan", "make_ltv_plan"]

#: Names for --set, and what they show.
TABLES = {
    "3": "precomputed data",
    "5": "basic operations on polynomials",
    "6": "PRINCE and sorting",
    "4": "figure 4: relinearisation",
}
_COLUMNS = ("002-15-8192", "002-25-16384", "002-40-32768")
_APPLICATIONS = ("002-prince", "002-sorting-8", "002-sorting-32")


@dataclass(frozen=True)
class Cell:
    """A preset in one table; of Figure 4 one number of primes of it."""

    table: str
    preset: str
    primes: int = 0


@dataclass(frozen=True)
class LtvPlan(Plan):
    """A plan of paper 002's tables.

    Attributes:
        cells: what is measured, in order.
    """

    cells: tuple[Cell, ...] = ()

    def restricted(self, sets: Sequence[str], schemes: Sequence[str]) -> LtvPlan:
        """Only these tables: "3", "5", "6", or "4" for Figure 4; without any, all.

        Raises:
            ArgumentError: an unknown table, or a scheme: the paper has one.
        """
        if schemes:
            raise ArgumentError("paper 002 has one scheme, LTV; leave --scheme out")
        unknown = [name for name in sets if name not in TABLES]
        if unknown:
            known = ", ".join(f"{name} ({what})" for name, what in TABLES.items())
            raise ArgumentError(f"the plan {self.name!r} has no table {unknown[0]!r}; it has {known}")
        if not sets:
            return self
        name = f"{self.name} ({', '.join(sets)} only)"
        return replace(self, name=name, cells=tuple(cell for cell in self.cells if cell.table in sets))


def make_ltv_plan(quick: bool = False, seconds: float | None = None) -> LtvPlan:
    """All columns; or, quick, the smallest of each table, and short coefficients.

    Raises:
        ArgumentError: seconds that are not positive.
    """
    if seconds is not None and seconds <= 0:
        raise ArgumentError(f"{seconds} seconds for a cell: take a positive number")
    columns = _COLUMNS[:1] if quick else _COLUMNS
    lengths = (
        {"002-15-8192": (5, 15)}
        if quick
        else {
            "002-15-8192": (5, 10, 15),
            "002-25-16384": (10, 15, 20, 25),
            "002-prince": (23,),  # the 575 bits of the text
            "002-40-32768": (20, 30, 40),
        }
    )
    cells = [
        *(Cell("3", preset) for preset in _APPLICATIONS[1:2] if quick),
        *(Cell("3", preset) for preset in _APPLICATIONS if not quick),
        *(Cell("5", preset) for preset in columns),
        *(Cell("4", preset, primes) for preset, counts in lengths.items() for primes in counts),
    ]
    budget = Budget(seconds=seconds or (0.2 if quick else 2.0), fewest=2, clock=time.thread_time_ns)
    return LtvPlan("paper-002, quick" if quick else "paper-002", (), (), 1, budget, tuple(cells))
