# SPDX-License-Identifier: Apache-2.0
"""What is measured of paper 002: Tables 3, 5 and 6 and Figure 4."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from cyclotome.errors import ArgumentError

from cyclotome_bench.machine.timing import Budget, cell_seconds
from cyclotome_bench.plans import Plan

__all__ = ["TABLES", "Application", "Cell", "LtvPlan", "make_ltv_plan"]

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
class Application:
    """A job of Table 6 in one scheme: PRINCE, or sorting lists of ``count`` numbers of ``bits`` bits."""

    #: A column of the table.
    job: str
    #: "bgv" or "ltv".
    scheme: str
    #: Numbers of a list; 0: PRINCE.
    count: int
    bits: int
    #: m of Phi_m.
    ring: int
    #: Of BGV, in bits; 0 in a quick run.
    security: int = 128
    #: Of LTV, which is BROKEN: primes, m, bits of a prime, window.
    ltv: tuple[int, int, int, int] = (0, 0, 0, 0)

    @property
    def chain(self) -> str:
        """What tells runs of one job and scheme apart, and names a row of the table."""
        small = f" over Φ_{self.ring}, numbers of 8 bits" if self.ring in (_SMALL, _SMALL_ON_GPU) else ""
        if self.scheme == "ltv":
            return f"LTV{small or ', the paper’s sets, for sorting a bit more a prime'}, BROKEN"
        return f"BGV{small}, {f'{self.security} bits of security' if self.security else 'no security'}"


@dataclass(frozen=True)
class LtvPlan(Plan):
    """A plan of paper 002's tables.

    Attributes:
        cells: what is measured of Tables 3 and 5 and Figure 4, in order.
        applications: what is measured of Table 6.
        device: where.
    """

    cells: tuple[Cell, ...] = ()
    applications: tuple[Application, ...] = ()
    device: str = "cpu:1"

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
        cells = tuple(cell for cell in self.cells if cell.table in sets)
        return replace(self, name=name, cells=cells, applications=self.applications if "6" in sets else ())


#: Columns of Table 6, sets of LTV and numbers of a list; all lists are of 32-bit numbers. Primes have a bit more than
#: the paper's: by the estimate, which refuses before work starts, those do not carry the circuits here to the end.
_SORTS = {
    "sorting 8": ((13, 8191, 21, 16), 8),
    "sorting 16": ((14, 8191, 22, 16), 16),
    "sorting 32": ((15, 8191, 23, 16), 32),
}
_PRINCE = (25, 21845, 25, 16)
#: A quick run's rings: of 16 slots; and, as kernels of LTV take 8192 points or more, of 256.
_SMALL, _SMALL_ON_GPU = 255, 4369


def _applications(quick: bool, device: str) -> tuple[Application, ...]:
    """BGV at 128 bits beside the paper's sets of LTV; or, quick, lists of 8 numbers of 8 bits and PRINCE in a ring that
    hides nothing. On a GPU LTV's circuits have rings of 8192 points or more."""
    if quick and not device.startswith("cpu"):
        ring = _SMALL_ON_GPU
        jobs = [Application("PRINCE", "bgv", 0, 64, _SMALL, 0), Application("sorting 8", "bgv", 8, 8, _SMALL, 0)]
        broken = [Application("sorting 8", "ltv", 8, 8, ring, 0, (13, ring, 25, 16))]
    elif quick:
        jobs = [Application("PRINCE", "bgv", 0, 64, _SMALL, 0), Application("sorting 8", "bgv", 8, 8, _SMALL, 0)]
        broken = [
            Application("PRINCE", "ltv", 0, 64, _SMALL, 0, (25, _SMALL, 25, 16)),
            Application("sorting 8", "ltv", 8, 8, _SMALL, 0, (13, _SMALL, 25, 16)),
        ]
    else:
        jobs = [Application("PRINCE", "bgv", 0, 64, 65535)]
        jobs += [Application(job, "bgv", count, 32, 21845) for job, (_, count) in _SORTS.items()]
        broken = [Application("PRINCE", "ltv", 0, 64, _PRINCE[1], 0, _PRINCE)]
        broken += [Application(job, "ltv", count, 32, ltv[1], 0, ltv) for job, (ltv, count) in _SORTS.items()]
    return (*jobs, *broken)


def make_ltv_plan(quick: bool = False, seconds: float | None = None, device: str = "cpu:1") -> LtvPlan:
    """All columns; or, quick, the smallest of each table, and short coefficients.

    Raises:
        ArgumentError: seconds that are not positive.
    """
    seconds = cell_seconds(seconds, 0.2 if quick else 2.0)
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
    budget = Budget(seconds=seconds, fewest=3)
    name = "paper-002, quick" if quick else "paper-002"
    return LtvPlan(name, (), (), 1, budget, tuple(cells), _applications(quick, device), device)
