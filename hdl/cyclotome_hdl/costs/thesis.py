# SPDX-License-Identifier: Apache-2.0
"""What paper 004 printed of its circuits on a Stratix V (Tables 6.1 to 6.4, 6.6 and 6.10), with the errata settled."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Printed:
    """One row: logic cells, registers, M20K blocks, DSP blocks, and ticks to the first output."""

    what: str
    luts: int
    registers: int
    m20k: int
    dsp: int
    latency: int


#: Table 6.1, by the bits of the product.
PRODUCTS = {
    64: Printed("product of 64 bits", 60, 410, 0, 8, 5),
    128: Printed("product of 128 bits", 506, 1934, 0, 15, 7),
}


def _reductions(fold: tuple[int, int, int, int], wide: bool) -> dict[str, Printed]:
    """Rows of Tables 6.2 to 6.4 for one modulus: only the folding depends on it. The product is included."""
    luts, registers, dsp, latency = fold
    small = {
        "shift-subtract": Printed("Barret", 3176, 4729, 0, 8, 108),
        "modulus": Printed("Modulus", 5701, 6226, 50, 16, 83),
    }
    large = {
        "shift-subtract": Printed("Barret", 11570, 18843, 0, 15, 206),
        "modulus": Printed("Modulus", 20534, 21647, 114, 15, 146),
    }
    return (large if wide else small) | {"fold": Printed("Fermat-like", luts, registers, 0, dsp, latency)}


#: Tables 6.2, 6.3 and 6.4: modulus -> reduction -> row. The text gives the last table's moduli in three ways; these are
#: the ones of its caption. "Barret" is Algorithm 7, which is no Barrett reduction.
REDUCTIONS: dict[str, dict[int, dict[str, Printed]]] = {
    "6.2": {
        0x439F0001: _reductions((15956, 41363, 345, 119), wide=False),
        0x439F000000000001: _reductions((31324, 80905, 645, 219), wide=True),
    },
    "6.3": {
        0x40000003: _reductions((946, 2327, 15, 17), wide=False),
        0x4000000000000031: _reductions((1426, 2815, 15, 17), wide=True),
    },
    "6.4": {
        0x40008901: _reductions((5000, 13016, 105, 39), wide=False),
        0x40000000809F0001: _reductions((5192, 13461, 105, 39), wide=True),
        0x40000000039F0001: _reductions((3719, 9800, 75, 29), wide=True),
    },
}


@dataclass(frozen=True)
class PrintedDesign:
    """A whole multiplier: its row, the ticks of a product, and the clock (MHz) it met."""

    degree: int
    pipes: int
    ticks: int
    clocks: tuple[int, ...]
    row: Printed


def _ticks(degree: int, pipes: int) -> int:
    n = degree.bit_length() - 1
    return (2 * n + 1) * degree // 2 if pipes == 1 else (n + 2) * degree // pipes


#: Table 6.6 (its "16384 = 2^13" is 2^14) and Table 6.10 (of four pipes, the tick formula's parenthesis is lost).
DESIGNS: dict[str, list[PrintedDesign]] = {
    "6.6": [PrintedDesign(16384, 1, _ticks(16384, 1), (180,), Printed("Pease", 62588, 160352, 1466, 1090, 178))],
    "6.10": [
        PrintedDesign(32768, 1, _ticks(32768, 1), (180,), Printed("Cooley–Tukey", 35644, 92648, 1226, 645, 106)),
        PrintedDesign(32768, 2, _ticks(32768, 2), (100, 180), Printed("Cooley–Tukey", 80757, 203129, 1041, 1261, 93)),
        PrintedDesign(32768, 4, _ticks(32768, 4), (100,), Printed("Cooley–Tukey", 145381, 343836, 1402, 1494, 98)),
    ],
}


#: Table 6.10's extended resources, of four pipes: what, used, and there on the board.
EXTENDED = (
    ("logic utilization", 134108, 172600),
    ("primary FFs", 291147, 345200),
    ("secondary FFs", 93265, 345200),
    ("multipliers (18 × 18)", 2988, 3180),
    ("DSP blocks", 1494, 1590),
    ("block memory (M20K)", 1769, 2014),
)
