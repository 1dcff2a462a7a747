# SPDX-License-Identifier: Apache-2.0
"""The rows of paper 004's tables of products on a processor (6.5 and 6.7 to 6.9), and how much of them is measured."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.resources import files

from cyclotome.errors import ArgumentError

from cyclotome_bench.plans import Plan
from cyclotome_bench.timing import Budget

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
UNCONVERTED = ("Table 6.8",)
#: Tables of products over the integers: a block is the length of the coefficients, not of the modulus.
WITHOUT_MODULUS = ("Table 6.9",)
_DEGREE, _QUICK_DEGREE, _QUICK_BITS = 16384, 1024, 320


@dataclass(frozen=True)
class ProductRow:
    """A row of a table: what multiplies ("CRT", "GMP", "CRT, GMP", "FPGA, Pease"), with primes of which lengths."""

    case: str
    modulus_bits: int
    lengths: tuple[int, ...]
    paper_us: float

    @property
    def label(self) -> str:
        """The row among its block's."""
        first, *others = self.lengths
        if others and others[0] != first:
            return f"{self.case}: 1 × {first} + {len(others)} × {others[0]} bits"
        return f"{self.case}: {len(self.lengths)} × {first} bits"


@dataclass(frozen=True)
class Block:
    """Rows of a table that multiply the same polynomials, of coefficients of `bits` bits or modulo as long a number."""

    table: str
    bits: int
    rows: tuple[ProductRow, ...]

    @property
    def name(self) -> str:
        """The set of its records, such as "004-6.5-1024"."""
        return f"004-{self.table.removeprefix('Table ')}-{self.bits}"

    @property
    def measured(self) -> tuple[ProductRow, ...]:
        """The rows of a processor."""
        return tuple(row for row in self.rows if not row.case.startswith("FPGA"))

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
    blocks: dict[tuple[str, int], list[ProductRow]] = {}
    for table in facts["tables"]:
        for bits, case, modulus_bits, count, first, others, microseconds in table["rows"]:
            lengths = (first, *[others] * (count - 1))
            row = ProductRow(case, modulus_bits, lengths, float(microseconds))
            blocks.setdefault((table["table"], bits), []).append(row)
    return [Block(table, bits, tuple(rows)) for (table, bits), rows in blocks.items()]


@dataclass(frozen=True)
class ProductPlan(Plan):
    """A plan of products: blocks of paper 004, and whether its circuits are simulated too.

    Attributes:
        blocks: what is measured on the processor.
        degree: N.
        circuits: tables of circuits, such as "6.6".
    """

    blocks: tuple[Block, ...] = ()
    degree: int = _DEGREE
    circuits: tuple[str, ...] = ()

    @property
    def quick(self) -> bool:
        return self.degree != _DEGREE

    def restricted(self, sets: Sequence[str], schemes: Sequence[str]) -> ProductPlan:
        """Only the tables of these names, such as "6.5"; without any, all.

        Raises:
            ArgumentError: an unknown table, or a scheme: products have none.
        """
        if schemes:
            raise ArgumentError("products of polynomials belong to no scheme; leave --scheme out")
        names = sorted({block.table.removeprefix("Table ") for block in self.blocks} | set(self.circuits))
        unknown = [name for name in sets if name not in names]
        if unknown:
            raise ArgumentError(f"the plan {self.name!r} has no table {unknown[0]!r}; it has {', '.join(names)}")
        if not sets:
            return self
        blocks = tuple(b for b in self.blocks if b.table.removeprefix("Table ") in sets)
        circuits = tuple(table for table in self.circuits if table in sets)
        return replace(self, name=f"{self.name} ({', '.join(sets)} only)", blocks=blocks, circuits=circuits)


def make_product_plan(quick: bool = False, seconds: float | None = None) -> ProductPlan:
    """Everything at N = 16384; or, quick, short moduli at N = 1024.

    Raises:
        ArgumentError: seconds that are not positive.
    """
    if seconds is not None and seconds <= 0:
        raise ArgumentError(f"{seconds} seconds for a cell: take a positive number")
    blocks = paper_rows()
    if quick:
        blocks = [b for b in blocks if min(r.modulus_bits for r in b.rows) <= _QUICK_BITS]
    budget = Budget(seconds=seconds or (0.02 if quick else 1.0), fewest=2 if quick else 3)
    name = "paper-004, quick" if quick else "paper-004"
    degree = _QUICK_DEGREE if quick else _DEGREE
    return ProductPlan(name, (), (), 1, budget, tuple(blocks), degree, ("6.6", "6.10", "6.11", "6.12"))
