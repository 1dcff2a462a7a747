# SPDX-License-Identifier: Apache-2.0
"""The tables of paper 004 that are about circuits, printed figures beside estimates of these circuits.

A `Record` keeps what was synthesised, so that a table is made again without synthesising again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from cyclotome.errors import ArgumentError, FileError, FormatError

from ..blocks.block import Block
from ..boards.board import count_ticks
from ..designs.design import Circuit, Design, build
from ..kernels.arithmetic import product
from ..kernels.flow import Kernel
from ..kernels.reduction import REDUCTIONS, MontgomeryMultiplier, constant_multiplier
from . import thesis
from .synthesis import Leaf, Resources, estimate, synthesise

TABLES = ("6.1", "6.2", "6.3", "6.4", "6.6", "6.10")

#: What is set beside the thesis's designs of Tables 6.6 and 6.10: (design, pipes, reduction). The thesis reduced by
#: folding, Algorithm 8; its designs are there with that and with Montgomery's reduction.
BESIDE = {
    "6.6": (
        ("pease", 1, "fold"),
        ("pease", 1, "montgomery"),
        ("iterative", 1, "montgomery"),
        ("streaming", 1, "montgomery"),
    ),
    "6.10": (
        ("cooley-tukey", 1, "fold"),
        ("cooley-tukey", 2, "fold"),
        ("cooley-tukey", 4, "fold"),
        ("cooley-tukey", 1, "montgomery"),
        ("cooley-tukey", 2, "montgomery"),
        ("cooley-tukey", 4, "montgomery"),
        ("iterative", 1, "montgomery"),
        ("iterative", 2, "montgomery"),
        ("iterative", 4, "montgomery"),
        ("streaming", 1, "montgomery"),
    ),
}

ESTIMATES = (
    "Ours: estimates by Yosys for a Cyclone V, memory by arithmetic in M20K blocks; a DSP block is one 27×27, two "
    "18×18 or three 9×9. Paper 004: a Stratix V by Intel's tools. Compare orders of magnitude."
)


COUNTED = "counted by the simulated circuits, from the first word in to the last word out."
FORMULAS = "formulas of paper 004, and of our circuits, which tests hold against simulation (--count simulates)."


@dataclass(frozen=True)
class Row:
    """One circuit; ``printed`` tells the paper's rows from estimates of ours. ``ticks``: see the table's title."""

    what: str
    printed: bool
    luts: int
    registers: int
    m20k: int
    dsp: float
    ticks: int
    interval: int | None = None


@dataclass(frozen=True)
class ReportTable:
    """A table of the paper with its rows and ours."""

    number: str
    title: str
    rows: tuple[Row, ...]
    note: str = ESTIMATES


class Product(Kernel):
    """The whole product of two unsigned numbers of ``bits`` bits: where Table 6.1 starts."""

    def __init__(self, bits: int) -> None:
        super().__init__(f"product_{bits}")
        self.output("y", product(self.input("a", 0, 2**bits - 1), self.input("b", 0, 2**bits - 1)))


@dataclass
class Record:
    """What has been synthesised and timed, by name, and the rows of tables that were made of it, by number: those of
    large circuits take minutes to add up even when every block is known."""

    leaves: dict[str, Leaf] = field(default_factory=dict)
    clocks: list[dict[str, Any]] = field(default_factory=list)
    tables: dict[str, list[Row]] = field(default_factory=dict)

    @classmethod
    def load(cls, path: Path) -> Record:
        """The record in a file. Raises FileError, FormatError."""
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
            leaves = {name: Leaf.from_dict(leaf) for name, leaf in data["leaves"].items()}
            tables = {number: [Row(**row) for row in rows] for number, rows in data.get("tables", {}).items()}
            return cls(leaves, data["clocks"], tables)
        except OSError as cause:
            raise FileError(f"{path} cannot be read: {cause.strerror}") from cause
        except (ValueError, KeyError, TypeError, AttributeError) as cause:
            raise FormatError(f"{path} is no record of syntheses: {cause!r}") from cause

    def text(self) -> str:
        """What `load` reads."""
        leaves = {name: leaf.as_dict() for name, leaf in sorted(self.leaves.items())}
        tables = {number: [asdict(row) for row in rows] for number, rows in sorted(self.tables.items())}
        return json.dumps({"leaves": leaves, "clocks": self.clocks, "tables": tables}, indent=1) + "\n"


def recorded_table(number: str, record: Record) -> ReportTable | None:
    """One of `TABLES` as the record has it, without making or synthesising anything; None where it has none. Raises
    ArgumentError for another number."""
    title, note = _about(number, counted=False)
    rows = record.tables.get(number)
    return None if rows is None else ReportTable(number, title, tuple(rows), note)


def _about(number: str, counted: bool) -> tuple[str, str]:
    """A table's title and note."""
    if number == "6.1":
        return "Products of two words; ticks: latency", ESTIMATES
    if number in thesis.REDUCTIONS:
        return "Product and reduction; ticks: latency, one operation a tick", ESTIMATES
    if number in thesis.DESIGNS:
        degree = thesis.DESIGNS[number][0].degree
        title = f"Product of polynomials, N = {degree}; ticks: one product, and from one to the next"
        return title, f"{ESTIMATES} Ticks: {COUNTED if counted else FORMULAS}"
    raise ArgumentError(f"table {number} is not about circuits; there are {', '.join(TABLES)}")


class Reporter:
    """Makes the tables; synthesises what the record does not know yet, telling ``progress`` what is done next.

    Ticks of designs are formulas, or with ``counted`` those that simulated circuits count, which takes minutes.
    """

    def __init__(self, record: Record, progress: Callable[[str], None] | None = None, *, counted: bool = False) -> None:
        self.record, self.progress, self.counted = record, progress, counted

    def table(self, number: str) -> ReportTable:
        """One of `TABLES`; the record keeps its rows. Raises ArgumentError for another, EngineError without pyosys."""
        title, note = _about(number, self.counted)
        if number == "6.1":
            rows = self._products()
        elif number in thesis.REDUCTIONS:
            rows = self._reductions(number)
        else:
            rows = self._designs(number)
        self.record.tables[number] = list(rows)
        return ReportTable(number, title, tuple(self.record.tables[number]), note)

    def resources(self, block: Block) -> Resources:
        """The estimate for a circuit."""
        progress = self.progress
        synthesise(
            block, self.record.leaves, None if progress is None else lambda name: progress(f"synthesising {name}")
        )
        return estimate(block, self.record.leaves)

    def _row(self, what: str, block: Block, ticks: int, interval: int | None = None) -> Row:
        found = self.resources(block)
        return Row(what, False, found.luts, found.registers, found.m20k, found.dsp, ticks, interval)

    def _products(self) -> Iterator[Row]:
        for bits, printed in thesis.PRODUCTS.items():
            yield _printed(printed.what, printed)
            block = Product(bits // 2)
            yield self._row(f"tiles of 18 × 18, {bits} bits", block, block.latency)

    def _reductions(self, number: str) -> Iterator[Row]:
        for p, rows in thesis.REDUCTIONS[number].items():
            for reduction in (*REDUCTIONS, "montgomery"):
                if reduction in rows:
                    yield _printed(f"{p:#x} {rows[reduction].what}", rows[reduction])
                block = constant_multiplier(reduction, p)
                yield self._row(f"{p:#x} {reduction}", block, block.latency)
        for ones, what in ((16, "any p = 1 mod 2^16 below 2^63, run time"), (None, "any odd p below 2^63, run time")):
            multiplier = MontgomeryMultiplier(63, ones)
            yield self._row(what, multiplier, multiplier.latency)

    def _designs(self, number: str) -> Iterator[Row]:
        degree = thesis.DESIGNS[number][0].degree
        for printed in thesis.DESIGNS[number]:
            yield _printed(f"{printed.row.what}, {_pipes(printed.pipes)}", printed.row, printed.ticks)
        for name, pipes, reduction in BESIDE[number]:
            circuit = build(Design(name, degree, pipes, reduction=reduction))
            ticks, interval = self._ticks(circuit)
            yield self._row(f"{name} ({reduction}), {_pipes(pipes)}", circuit, ticks, interval)

    def _ticks(self, circuit: Circuit) -> tuple[int, int]:
        """Of one product, and from one to the next."""
        if not self.counted:
            return circuit.product_ticks(), circuit.product_interval()
        if self.progress is not None:
            self.progress(f"simulating {circuit.design.title}")
        return count_ticks(circuit.design)


def _pipes(count: int) -> str:
    return f"{count} pipe" if count == 1 else f"{count} pipes"


def _printed(what: str, row: thesis.Printed, ticks: int | None = None) -> Row:
    latency = row.latency if ticks is None else ticks
    return Row(f"004: {what}", True, row.luts, row.registers, row.m20k, row.dsp, latency)
