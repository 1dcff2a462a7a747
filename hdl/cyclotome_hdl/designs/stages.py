# SPDX-License-Identifier: Apache-2.0
"""Stages of a run that works through memory again and again: which row is read and written at which tick of each.

Rows are bit permutations of the tick within the stage: bit b of the row is bit ``order[b]`` of the tick, or 0 for None.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from amaranth.hdl import Cat, Const, Module, Signal, Value
from numpy.typing import NDArray

from ..blocks.block import Block
from ..blocks.control import later

Bits = tuple[int | None, ...]


@dataclass(frozen=True)
class Stage:
    """One stage of a transform: rows read and written, and the exponent of omega.

    ``swaps``: results of neighbouring ticks change places before they are written, so that an even tick writes the
    first results of both and an odd tick the second ones (paper 004's tick offsets).
    """

    read: Bits
    write: Bits
    swaps: bool
    exponent: Bits


def straight(width: int) -> Bits:
    return tuple(range(width))


def backwards(width: int) -> Bits:
    """Bit reversal."""
    return tuple(reversed(range(width)))


def pick(tick: Value, order: Bits) -> Value:
    """The row (or exponent) at a tick."""
    return Cat(*(Const(0, 1) if bit is None else tick[bit] for bit in order))


def paired_in_rows(n: int, i: int) -> Stage:
    """Stage i < n - 1 of Cooley and Tukey's transform of 2^n words, in rows of the two words that a butterfly needs.

    It pairs words that differ in bit i. Neighbouring ticks take pairs that differ in bit i + 1, and exchange results:
    rows then hold the pairs of the next stage. Rows have bit i + 1 of the position at bit i, before, and bit i
    there, after; ticks at bit 0. The power of omega is (position mod 2^i) 2^(n-1-i).
    """
    order: Bits = (*range(1, i + 1), 0, *range(i + 1, n - 1))
    exponent: Bits = (*[None] * (n - 1 - i), *range(1, i + 1))
    return Stage(order, order, True, exponent)


def by_stage(module: Module, counter: dict[str, Signal], name: str, orders: dict[int, Bits], width: int) -> Signal:
    """A row or exponent by the order of the counter's stage."""
    result = Signal(width, name=name)
    with module.Switch(counter["stage"]):
        for stage, order in orders.items():
            with module.Case(stage):
                module.d.comb += result.eq(pick(counter["tick"], order))
    return result


def start_next(module: Module, start: Signal, wanted: Value, writing: Value) -> None:
    """Drives ``start``: when a run is wanted, and the one before has written its last word (``writing`` has fallen)."""
    running = Signal()
    wrote = later(module, writing, 1, "wrote")
    module.d.comb += start.eq(~running & wanted)
    with module.If(start):
        module.d.sync += running.eq(1)
    with module.Elif(wrote & ~writing):
        module.d.sync += running.eq(0)


def rows(order: Bits) -> NDArray[np.int64]:
    """The row at each tick of a stage."""
    ticks = np.arange(2 ** len(order), dtype=np.int64)
    result = np.zeros_like(ticks)
    for bit, source in enumerate(order):
        if source is not None:
            result |= ((ticks >> source) & 1) << bit
    return result


def stage_ticks(transitions: Sequence[tuple[Bits, Bits]], delay: int) -> int:
    """How long a stage must last at least, so that each row is written ``delay`` ticks before the next stage reads it.

    ``transitions``: the order a stage writes in, and that in which the next one reads.
    """
    needed = 0
    for written, read in transitions:
        when = np.empty(2 ** len(written), dtype=np.int64)
        when[rows(written)] = np.arange(len(when))
        needed = max(needed, len(when), delay + int(np.max(when[rows(read)] - np.arange(len(when)))))
    return needed


class StageCounter(Block):
    """Counts ticks and stages from ``start``: paper 004's counters j and k. ``valid`` while ticks carry words."""

    def __init__(self, stages: int, length: int, words: int) -> None:
        super().__init__(f"counter_{stages}x{length}_{words}")
        self.stages, self.length, self.words = stages, length, words
        self.declare("start", 0, 1)
        self.declare("busy", 0, 1, is_output=True)
        self.declare("valid", 0, 1, is_output=True)
        self.declare("stage", 0, stages - 1, is_output=True)
        self.declare("tick", 0, words - 1, is_output=True)

    def elaborate(self, platform: Any) -> Module:
        module, port = Module(), self.port
        busy, tick, stage = Signal(), Signal(range(self.length)), Signal(range(self.stages))
        with module.If(tick == self.length - 1):
            module.d.sync += tick.eq(0)
            with module.If(stage == self.stages - 1):
                module.d.sync += busy.eq(0)
            with module.Else():
                module.d.sync += stage.eq(stage + 1)
        with module.Elif(busy):
            module.d.sync += tick.eq(tick + 1)
        with module.If(port["start"]):
            module.d.sync += [busy.eq(1), tick.eq(0), stage.eq(0)]
        module.d.comb += [
            port["busy"].eq(busy),
            port["valid"].eq(busy & (tick < self.words)),
            port["stage"].eq(stage),
            port["tick"].eq(tick),
        ]
        return module
