# SPDX-License-Identifier: Apache-2.0
"""Which words an in-place transform with Q butterflies touches at which tick.

The N = 2^n words lie in 2Q = 2^k banks: word x in bank fold(x), the XOR of its digits of k bits, at row x >> k. A pass
pairs words that differ in bit s; each tick takes a window of k neighbouring address bits that contains s, so that its
2Q words lie in 2Q different banks whatever s is. They go through the butterflies and come back to where they were.

With w the lowest bit of the window, tick t takes x = (t 2^k + l), turned left by w bits, for l = 0 … 2Q-1. The lane of
a word is l turned so that its highest bit is bit s: butterfly q has lanes q and q + Q. Consecutive passes visit words
in nearly the same order, so that words are back in time without a pause between passes, once N is large.

Twiddles are psi^br(m + i) for group i of m = 2^(n-1-s); the inverse's are -psi^br(m + (m-1-i)), in the same table.
"""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from cyclotome.errors import ArgumentError

from ..blocks.block import Block
from ..blocks.control import fold, later
from .design import Design

FORWARD_PASSES, POINTWISE, INVERSE_PASSES = 0, 1, 2


class Geometry:
    """Numbers that follow from a design: banks, rows, ticks of a pass."""

    def __init__(self, design: Design, latency: int) -> None:
        self.n = design.log_degree
        self.butterflies = 2 * design.pipes
        self.banks = 2 * self.butterflies
        #: Words of first operands and of results that pass each tick.
        self.lanes = self.butterflies
        self.k = self.banks.bit_length() - 1
        self.rows = design.degree // self.banks
        if self.rows < 2:
            raise ArgumentError(f"degree {design.degree} is too small for {self.butterflies} butterflies")
        #: Ticks by which the writing side runs behind the reading side: butterfly, and one tick on the way in and out.
        self.behind = latency + 3
        #: A pass begins this long after the one before; equal to the number of rows unless N is small.
        self.pass_ticks = max(self.rows, self.rows // 2 + self.behind + 1)
        self.pointwise_ticks = self.rows + self.pass_ticks


class Schedule(Block):
    """Runs a phase at ``start``: all forward passes, all inverse passes, or the pointwise products (two ticks a row).

    ``last`` is 1 at the phase's last tick, when the next may be started. Two ticks after a word's turn come ``row{b}``
    and ``enable`` (one bit for each bank) and ``twiddle_row``; one tick after it all other outputs. The same circuit
    runs once for reading and, later, once for writing.
    """

    def __init__(self, geometry: Geometry) -> None:
        g = geometry
        super().__init__(f"schedule_{g.n}_{g.k}_{g.pass_ticks}")
        self.geometry = g
        self.declare("start", 0, 1)
        self.declare("start_kind", 0, 2)
        self.declare("start_target", 0, 2)
        for name, top in (
            ("busy", 1),
            ("last", 1),
            ("kind_now", 2),
            ("target_now", 2),
            ("kind", 2),
            ("target", 2),
            ("half", 1),
            ("turn", g.k - 1),
            ("distance", g.banks - 1),
            ("twiddle_word", g.butterflies - 1),
            ("twiddle_spread", g.butterflies - 1),
            ("twiddle_row", 2 ** (g.n - g.k + 1) - 1),
            ("enable", 2**g.banks - 1),
        ):
            self.declare(name, 0, top, is_output=True)
        for bank in range(g.banks):
            self.declare(f"row{bank}", 0, g.rows - 1, is_output=True)

    def elaborate(self, platform: Any) -> Module:
        module, g = Module(), self.geometry
        self.module = module
        busy, kind, target, ticks, stage = self._counters(module)
        row = Mux(kind == POINTWISE, ticks[1 : g.n - g.k + 1], ticks[: g.n - g.k])
        limit = Mux(kind == POINTWISE, 2 * g.rows, g.rows)
        valid, half = busy & (ticks < limit), ticks[0]
        base, window = Signal(g.n), Signal(g.n)
        turn, index, spread = Signal(range(g.k)), Signal(g.n), Signal(range(g.butterflies))
        inverse = kind == INVERSE_PASSES
        with module.Switch(stage):
            for s in range(g.n):
                with module.Case(s):
                    self._pass(module, s, row, inverse, base, window, turn, index, spread)
        distance = Signal(g.k)
        module.d.comb += distance.eq(fold(base, g.k))
        port = self.port
        first = {"kind": kind, "target": target, "half": half, "turn": turn, "distance": distance}
        first |= {"twiddle_word": index[: g.k - 1], "twiddle_spread": spread}
        module.d.sync += [port[name].eq(value) for name, value in first.items()]
        found = [
            later(module, value, 1, name) for name, value in (("base", base), ("window", window), ("valid", valid))
        ]
        self._rows(module, *found)
        module.d.sync += port["twiddle_row"].eq(later(module, index[g.k - 1 :], 1, "twiddle_row"))
        return module

    def _counters(self, module: Module) -> tuple[Signal, Signal, Signal, Signal, Signal]:
        g, port = self.geometry, self.port
        busy, kind, target = Signal(), Signal(2), Signal(2)
        ticks, stage = Signal(range(g.pointwise_ticks)), Signal(range(g.n))
        pass_over = ticks == Mux(kind == POINTWISE, g.pointwise_ticks - 1, g.pass_ticks - 1)
        final_stage = Mux(kind == FORWARD_PASSES, stage == 0, stage == g.n - 1) | (kind == POINTWISE)
        last = busy & pass_over & final_stage
        with module.If(pass_over):
            module.d.sync += ticks.eq(0)
            module.d.sync += stage.eq(Mux(kind == FORWARD_PASSES, stage - 1, stage + 1))
        with module.Else():
            module.d.sync += ticks.eq(ticks + 1)
        with module.If(last):
            module.d.sync += busy.eq(0)
        with module.If(port["start"]):
            forward, pointwise = port["start_kind"] == FORWARD_PASSES, port["start_kind"] == POINTWISE
            first_stage = Mux(forward, g.n - 1, Mux(pointwise, g.k - 1, 0))
            module.d.sync += [
                busy.eq(1),
                kind.eq(port["start_kind"]),
                target.eq(port["start_target"]),
                ticks.eq(0),
                stage.eq(first_stage),
            ]
        module.d.comb += [port["busy"].eq(busy), port["last"].eq(last)]
        module.d.comb += [port["kind_now"].eq(kind), port["target_now"].eq(target)]
        return busy, kind, target, ticks, stage

    def _pass(
        self,
        module: Module,
        s: int,
        row: Value,
        inverse: Value,
        base: Signal,
        window: Signal,
        turn: Signal,
        index: Signal,
        spread: Signal,
    ) -> None:
        """The words of tick ``row`` of the pass that pairs bit s, and the twiddle of the first of its groups."""
        g = self.geometry
        w = max(s - g.k + 1, 0)
        placed = Cat(Const(0, g.k), row)
        groups = 2 ** (g.n - 1 - s)
        inner = s - w  # where in the window the paired bit is
        module.d.comb += [
            base.eq(Cat(placed[g.n - w :], placed[: g.n - w])),
            window.eq(((2**g.k - 1) << w) & (2**g.n - 1)),
            turn.eq((s + 1) % g.k),
            index.eq((base >> (s + 1)) ^ Mux(inverse, groups - 1, 0) | groups),
            spread.eq(2 ** (g.k - 1 - inner) - 1),
        ]

    def _rows(self, module: Module, base: Value, window: Value, valid: Value) -> None:
        """Bank b holds the word whose window bits are those of b ^ distance, wherever the window is."""
        g, port = self.geometry, self.port
        enables = []
        for bank in range(g.banks):
            digit = Const(bank, g.k) ^ port["distance"]
            digits = Cat(*([digit] * -(-g.n // g.k)))[: g.n]
            module.d.sync += port[f"row{bank}"].eq(((base | (digits & window)) >> g.k)[: g.n - g.k])
            enables.append(valid & ((port["kind"] != POINTWISE) | (digit[g.k - 1] == port["half"])))
        module.d.sync += port["enable"].eq(Cat(*enables))
