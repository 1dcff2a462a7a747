# SPDX-License-Identifier: Apache-2.0
"""The rows of paper 004's tables of products on a processor (6.5, 6.7 to 6.9 and 6.11, and its text's figure of NTL),
and how much of them is measured."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.resources import files

from cyclotome.errors import ArgumentError

from cyclotome_bench.machine.timing import Budget, cell_seconds
from cyclotome_bench.plans import Plan

__all__ = [
    "UNCONVERTED",
    "WITHOUT_MODULUS",
    "Block",
    "ProductPlan",
    "ProductRow",
    "gmp_label",
    "make_product_plan",
    "paper_rows",
]

#: Tables whose times hold no conversion into and out of residues.
UNCONVERTED = ("Table 6.8", "Table 6.11", "Section 6.5.1")
#: Tables of products over the integers: a block is the length of the coefficients, not of the modulus.
WITHOUT_MODULUS = ("Table 6.9",)
_QUICK_DEGREE, _QUICK_BITS = 1024, 320
#: Tables of circuits' times, and of what they cost.
CIRCUITS = ("6.6", "6.10", "6.11", "6.12")
RESOURCES = ("6.1", "6.2", "6.3", "6.4", "6.6", "6.10")


@dataclass(frozen=True)
class ProductRow:
    """A row of a table: what multiplies ("CRT", "GMP", "CRT, GMP", "NTL", "FPGA, Pease"), with primes of which lengths,
    and the paper's microseconds, None where it has none."""

    case: str
    modulus_bits: int
    lengths: tuple[int, ...]
    paper_us: float | None

    @property
    def label(self) -> str:
        """The row among its block's."""
        if self.case == "NTL":
            return self.case
        first, *others = self.lengths
        if others and others[0] != first:
            return f"{self.case}: 1 × {first} + {len(others)} × {others[0]} bits"
        return f"{self.case}: {len(self.lengths)} × {first} bits"


@dataclass(frozen=True)
class Block:
    """Rows of a table that multiply the same polynomials, of coefficients of `bits` bits or modulo as long a number;
    `degree` is the paper's."""

    table: str
    bits: int
    degree: int
    rows: tuple[ProductRow, ...]

    @property
    def number(self) -> str:
        """The table's, such as "6.5"."""
        return self.table.split(" ")[-1]

    @property
    def name(self) -> str:
        """The set of its records, such as "004-6.5-1024"."""
        return f"004-{self.number}-{self.bits}"

    @property
    def measured(self) -> tuple[ProductRow, ...]:
        """The rows of a processor that are computed here, not by a library."""
        return tuple(row for row in self.rows if row.case != "NTL" and not row.case.startswith("FPGA"))

    @property
    def operation(self) -> str:
        return "product" if self.table in UNCONVERTED else "product_converted"

    @property
    def operand_bits(self) -> int:
        """Coefficients are below every modulus of the block, or have the length that the table states."""
        return self.bits if self.table in WITHOUT_MODULUS else self.bits - 1


def gmp_label(row: ProductRow) -> str:
    """The same row computed with GMP's integers, as the thesis did, beside ours of a fixed number of words."""
    return f"{row.label}, by GMP"


def paper_rows() -> list[Block]:
    """All blocks of the paper's tables."""
    facts = json.loads(files("cyclotome_bench").joinpath("papers.json").read_text(encoding="utf-8"))["004"]
    blocks: dict[tuple[str, int, int], list[ProductRow]] = {}
    for table in facts["tables"]:
        for bits, case, modulus_bits, count, first, others, microseconds in table["rows"]:
            lengths = (first, *[others] * (count - 1))
            row = ProductRow(case, modulus_bits, lengths, None if microseconds is None else float(microseconds))
            blocks.setdefault((table["table"], bits, table["degree"]), []).append(row)
    return [Block(*key, tuple(rows)) for key, rows in blocks.items()]


@dataclass(frozen=True)
class ProductPlan(Plan):
    """A plan of products: blocks of paper 004, and whether its circuits are simulated too.

    Attributes:
        blocks: what is measured on the processor.
        degree: N in place of the paper's, in a quick run.
        circuits: tables of circuits, such as "6.6".
        resources: tables of what circuits cost.
        encryption: whether BGV is measured on the processor, for Table 6.12.
    """

    blocks: tuple[Block, ...] = ()
    degree: int | None = None
    circuits: tuple[str, ...] = ()
    resources: tuple[str, ...] = ()
    encryption: bool = False

    @property
    def quick(self) -> bool:
        return self.degree is not None

    def degree_of(self, block: Block) -> int:
        """N of a block's products."""
        return block.degree if self.degree is None else self.degree

    def restricted(self, sets: Sequence[str], schemes: Sequence[str]) -> ProductPlan:
        """Only the tables of these names, such as "6.5"; without any, all.

        Raises:
            ArgumentError: an unknown table, or a scheme: products have none.
        """
        if schemes:
            raise ArgumentError("products of polynomials belong to no scheme; leave --scheme out")
        found = {*(block.number for block in self.blocks), *self.circuits, *self.resources}
        names = sorted(found, key=lambda name: [int(part) for part in name.split(".")])
        unknown = [name for name in sets if name not in names]
        if unknown:
            raise ArgumentError(f"the plan {self.name!r} has no table {unknown[0]!r}; it has {', '.join(names)}")
        if not sets:
            return self
        blocks = tuple(b for b in self.blocks if b.number in sets)
        return replace(
            self,
            name=f"{self.name} ({', '.join(sets)} only)",
            blocks=blocks,
            circuits=tuple(table for table in self.circuits if table in sets),
            resources=tuple(table for table in self.resources if table in sets),
            encryption=self.encryption and "6.12" in sets,
        )


def make_product_plan(quick: bool = False, seconds: float | None = None) -> ProductPlan:
    """Everything at the paper's N; or, quick, short moduli at N = 1024.

    Raises:
        ArgumentError: seconds that are not positive.
    """
    seconds = cell_seconds(seconds, 0.02 if quick else 1.0)
    blocks = paper_rows()
    if quick:
        tables = {b.table for b in blocks if min(r.modulus_bits for r in b.rows) <= _QUICK_BITS}
        short = [b for b in blocks if min(r.modulus_bits for r in b.rows) <= _QUICK_BITS or b.table not in tables]
        blocks = short  # and tables that have long moduli only
    budget = Budget(seconds=seconds, fewest=3)
    name = "paper-004, quick" if quick else "paper-004"
    degree = _QUICK_DEGREE if quick else None
    return ProductPlan(name, (), (), 1, budget, tuple(blocks), degree, CIRCUITS, RESOURCES, True)
