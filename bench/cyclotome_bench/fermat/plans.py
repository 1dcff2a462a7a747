# SPDX-License-Identifier: Apache-2.0
"""What is measured of paper 003: its nine figures, equal security on ordinary primes, and one whole job."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from cyclotome.errors import ArgumentError

from cyclotome_bench.machine.timing import Budget, cell_seconds, clock_of
from cyclotome_bench.plans import Plan

__all__ = ["FIGURES", "VERSIONS", "WAYS", "Cell", "FermatPlan", "make_fermat_plan"]

#: The paper's versions of conversion, the one that ratios are to first.
VERSIONS = ("none", "multiplication", "reduction", "both")
#: The same and what the paper does not have.
WAYS = (*VERSIONS, "positional")

#: What each figure of the paper shows. It has no numbers, so they are by its captions.
FIGURES = {
    "1": "FastBConv in decryption",
    "2": "decryption",
    "3": "FastBConv in a product",
    "4": "decomposition D_RNS",
    "5": "multiplication with relinearisation",
    "6": "decryption, by n",
    "7": "multiplication with relinearisation, by n",
    "8": "decryption at the sets of 128 bits of security and more",
    "9": "multiplication with relinearisation at the same sets",
}
#: Conversions alone, and whole operations, of which all figures at one (n, q) are measured with the same keys.
_CONVERSIONS, _SCHEME, _BY_DEGREE, _STANDARD = ("1", "3"), ("2", "4", "5"), ("6", "7"), ("8", "9")
_SETS = ((8192, 7), (16384, 8), (32768, 9))
#: Ring products are measured at short and long moduli and degrees, and n and q both large beyond the paper's figures.
_PRODUCTS = (
    *((1024, x) for x in (7, 9, 11, 12, 13, 14, 15)),
    *((8192, x) for x in (7, 9, 11, 13)),
    (32768, 9),
    (32768, 11),
)
_QUICK_PRODUCTS = ((1024, 7), (1024, 10))
_LARGE = ((4096, 13), (16384, 12))


@dataclass(frozen=True)
class Cell:
    """Figures at one degree and q = 2^(2^x) - 1; "equal" and "job" stand for the comparison with ordinary primes, and
    what the paper leaves open has names of its own (`fermat_questions`)."""

    figures: tuple[str, ...]
    degree: int
    x: int

    @property
    def bits(self) -> int:
        """The bits of q."""
        return 1 << self.x


@dataclass(frozen=True)
class FermatPlan(Plan):
    """A plan of paper 003's figures.

    Attributes:
        cells: what is measured, in order.
        device: where everything is computed: "cpu:<threads>", "cuda:<index>".
    """

    cells: tuple[Cell, ...] = ()
    device: str = "cpu:1"

    def restricted(self, sets: Sequence[str], schemes: Sequence[str]) -> FermatPlan:
        """Only the figures of these numbers, "equal" or "job"; without any, all.

        Raises:
            ArgumentError: an unknown figure, or a scheme: the paper has one.
        """
        if schemes:
            raise ArgumentError("paper 003 has one scheme, BFV on moduli of its own; leave --scheme out")
        names = sorted({figure for cell in self.cells for figure in cell.figures})
        unknown = [name for name in sets if name not in names]
        if unknown:
            raise ArgumentError(f"the plan {self.name!r} has no figure {unknown[0]!r}; it has {', '.join(names)}")
        if not sets:
            return self
        chosen = (replace(cell, figures=tuple(f for f in cell.figures if f in sets)) for cell in self.cells)
        name = f"{self.name} ({', '.join(sets)} only)"
        return replace(self, name=name, cells=tuple(cell for cell in chosen if cell.figures))


def make_fermat_plan(quick: bool = False, device: str = "cpu:1", seconds: float | None = None) -> FermatPlan:
    """All figures as the paper has them; or, quick, short moduli and small degrees.

    On a GPU conversions are timed by events, whole operations by the clock: their ciphertexts come from the host and go
    back there.

    Raises:
        ArgumentError: seconds that are not positive.
    """
    seconds = cell_seconds(seconds, 0.02 if quick else 1.0)
    lengths = range(7, 10) if quick else range(7, 15)
    degrees = (1024, 2048) if quick else (1024, 2048, 4096, 8192, 16384)
    sets = _SETS[:1] if quick else _SETS
    cells = [
        *(Cell(_CONVERSIONS, 1024, x) for x in lengths),
        *(Cell(_SCHEME, 1024, x) for x in lengths),
        *(Cell(_BY_DEGREE, degree, 9 if quick else 11) for degree in degrees),
        *(Cell(_STANDARD, degree, x) for degree, x in sets),
        *(Cell(("equal",), degree, x) for degree, x in sets),
        Cell(("job",), 8192 if quick else 32768, 7 if quick else 9),
        *(Cell(("relinearisation",), degree, x) for degree, x in sets),
        *(Cell(("products",), degree, x) for degree, x in (_QUICK_PRODUCTS if quick else _PRODUCTS)),
        *(Cell(("splits", "targets"), 1024, x) for x in ((8,) if quick else (9, 12))),
        *([] if quick else [Cell(_BY_DEGREE, degree, x) for degree, x in _LARGE]),
    ]
    budget = Budget(seconds=seconds, fewest=3, clock=clock_of(device))
    kind, _, count = device.partition(":")
    threads = int(count) if kind == "cpu" else 1
    return FermatPlan("paper-003, quick" if quick else "paper-003", (), (), threads, budget, tuple(cells), device)
