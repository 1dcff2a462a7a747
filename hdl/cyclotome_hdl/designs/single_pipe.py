# SPDX-License-Identifier: Apache-2.0
"""Paper 004's multiplier with one pipe: one butterfly for each operand, 2n + 1 stages of N/2 ticks.

Stage 0 takes two words of each operand a tick, multiplies them by powers of phi and writes them in bit-reversed order.
Stages 1 … n transform both operands side by side; at the last one's results the two meet in a product, which is written
in bit-reversed order too. Stages n+1 … 2n transform back on the first operand's butterfly, while the second one rests;
the last one's results leave as two streams, the lower and the upper half, multiplied by powers of phi^-1 and by N^-1.

Four RAMs hold an operand: two, read and written at the same rows, for the two words of a butterfly, and each twice
(ping and pong), since a stage reads what the one before wrote. In stages where a multiplication is not wanted, the
multipliers after the butterflies multiply by 1.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value

from ..blocks.bank import Bank
from ..blocks.block import place
from ..blocks.control import later
from ..kernels.butterfly import Butterfly
from .design import PRODUCT, Circuit, Design, Layout, Order, TableLane
from .stages import Stage, StageCounter, backwards, by_stage, stage_ticks, start_next


class SinglePipe(Circuit):
    """Either of paper 004's transforms: they differ in the rows that a stage reads and writes, and in powers of omega.

    ``forward`` and ``inverse`` are their n stages each.
    """

    def __init__(self, design: Design, forward: list[Stage], inverse: list[Stage]) -> None:
        super().__init__(design, 4, 2)
        self.butterfly = Butterfly(design.multiplier(), design.word_bits, "forward")
        self.multiplier = self.butterfly.multiplier
        self.stages = [*forward, *inverse]
        n = design.log_degree
        #: Ticks from a word's turn in the schedule to its turn at the second multiplier, and to its turn at the memory.
        self.to_multiplier = self.butterfly.latency + 2
        self.to_memory = self.to_multiplier + self.multiplier.latency + 2
        orders = [(backwards(n - 1), forward[0].read)]
        orders += [(before.write, after.read) for before, after in zip(self.stages, self.stages[1:], strict=False)]
        self.stage_ticks = stage_ticks(orders, self.to_memory + 1)

    def product_ticks(self) -> int:
        """2n stages, N/2 ticks of results, and the ticks through the last multiplier: (2n + 1) N/2 and a latency."""
        n = self.design.log_degree
        return 2 * n * self.stage_ticks + self.design.degree // 2 + self.multiplier.latency + 3

    def product_interval(self) -> int:
        """A product starts when the one before has been written out."""
        n = self.design.log_degree
        return (2 * n + 1) * self.stage_ticks + self.to_memory + 2

    def layout(self) -> Layout:
        """Tables: omega^e and omega^-e for e < N/2; then, for the lower and the upper half, phi^i and N^-1 phi^-i."""
        design = self.design
        n, half, radix = design.degree, design.degree // 2, self.multiplier.radix_bits
        exponent, index = np.arange(half, dtype=np.int64), np.arange(half, dtype=np.int64)
        columns = [2 * exponent, (2 * n - 2 * exponent) % (2 * n)]
        for first in (0, half):
            columns += [index + first, (2 * n - index - first) % (2 * n)]
        powers = [radix, radix] + 2 * [radix, 2 * radix - design.log_degree]
        power = np.repeat(np.array(powers, dtype=np.int64), half)
        address = np.arange(3 * n, dtype=np.int64)
        lane = TableLane(address, np.concatenate(columns), power, address)
        pair = np.stack([index, index + half], axis=1)
        return Layout([lane], {PRODUCT: Order(np.concatenate([pair, pair + n], axis=1), pair)})

    def elaborate(self, platform: Any) -> Module:
        module, n = Module(), self.design.log_degree
        counter = StageCounter(2 * n + 1, self.stage_ticks, self.design.degree // 2)
        start = Signal()
        self.read = place(module, platform, counter, "reading", {"start": start})
        starts = later(module, start, self.to_multiplier, "start")
        self.multiply = place(module, platform, counter, "multiplying", {"start": starts})
        starts = later(module, starts, self.to_memory - self.to_multiplier, "start_writing")
        self.write = place(module, platform, counter, "writing", {"start": starts})
        start_next(module, start, self.port["input_valid"], self.write["busy"])
        module.d.comb += self.port["input_ready"].eq(self.multiply["valid"] & (self.multiply["stage"] == 0))
        half = self.design.degree // 2
        names = [f"{which}{lane}" for which in ("first", "second") for lane in range(2)]
        self.stored = {name: Signal(self.design.word_bits, name=name) for name in names}
        self.factors = [self._table(module, platform, 2 * half, f"factors{lane}", lane + 1) for lane in range(2)]
        words = self._memory(module, platform)
        self._arithmetic(module, platform, words)
        return module

    def _memory(self, module: Module, platform: Any) -> list[list[Value]]:
        """Words read, by operand and lane; a stage reads what the one before wrote."""
        n, half = self.design.log_degree, self.design.degree // 2
        reads = {k + 1: stage.read for k, stage in enumerate(self.stages)}
        writes = {0: backwards(n - 1)} | {k + 1: stage.write for k, stage in enumerate(self.stages)}
        read_row, write_row = Signal(n - 1), Signal(n - 1)
        enable, written_half = Signal(), Signal()
        module.d.sync += [
            read_row.eq(by_stage(module, self.read, "read_order", reads, n - 1)),
            write_row.eq(by_stage(module, self.write, "write_order", writes, n - 1)),
            enable.eq(self.write["valid"] & (self.write["stage"] != 2 * n)),
            written_half.eq(self.write["stage"][0]),
        ]
        pong = later(module, ~self.read["stage"][0], 2, "pong")
        words: list[list[Value]] = []
        for operand in ("first", "second"):
            words.append([])
            for lane in range(2):
                both = []
                for which in range(2):
                    inputs = {
                        "read": read_row,
                        "write": write_row,
                        "enable": enable & (written_half == which),
                        "data": self.stored[f"{operand}{lane}"],
                    }
                    label = f"{operand}_{lane}_{'pong' if which else 'ping'}"
                    both.append(place(module, platform, Bank(half, self.design.word_bits), label, inputs)["q"])
                words[-1].append(Mux(pong, both[1], both[0]))
        return words

    def _arithmetic(self, module: Module, platform: Any, words: list[list[Value]]) -> None:
        """Butterflies, the multipliers after them, and the exchange between neighbouring ticks."""
        n, bits, port = self.design.log_degree, self.design.word_bits, self.port
        omega, modulus = self._omega(module, platform), port["modulus"]
        results: list[list[Value]] = []
        for operand in range(2):
            u, v, w = (Signal(bits, name=f"{name}{operand}") for name in "uvw")
            module.d.sync += [u.eq(words[operand][0]), v.eq(words[operand][1]), w.eq(omega)]
            inputs = {"u": u, "v": v, "w": w, "modulus": modulus}
            butterfly = place(module, platform, self.butterfly, f"butterfly{operand}", inputs)
            results.append([butterfly["x"], butterfly["y"]])
        stage = later(module, self.multiply["stage"], 1, "multiplied_stage")
        loading, meeting, leaving = stage == 0, stage == n, stage == 2 * n
        one = self.factors[0]  # where neither phi nor a product is wanted, factor 0 is read: phi^0
        swapping = Cat(Const(0, 1), *(Const(int(each.swaps), 1) for each in self.stages))
        swaps = swapping.bit_select(self.write["stage"], 1)
        odd = self.write["tick"][0]
        for operand, name in enumerate(("first", "second")):
            delayed = []
            for lane in range(2):
                word = Signal(bits, name=f"input{operand}{lane}")
                module.d.sync += word.eq(self.word("input", 2 * operand + lane))
                factor = Mux(loading | leaving, self.factors[lane], one)
                if operand == 0:
                    factor = Mux(meeting, results[1][lane], factor)
                inputs = self.multiplier.inputs(Mux(loading, word, results[operand][lane]), factor, modulus)
                product = place(module, platform, self.multiplier, f"multiplier{operand}{lane}", inputs)["y"]
                delayed.append([product, later(module, product, 1, f"now{operand}{lane}")])
            # At the turn of tick j the memory's side sees j+1 in [0] and j in [1]; and j-1 one register later.
            (next_x, x), (_, y) = delayed
            before_y = later(module, y, 1, f"before{operand}")
            module.d.sync += [
                self.stored[f"{name}0"].eq(Mux(swaps & odd, before_y, x)),
                self.stored[f"{name}1"].eq(Mux(swaps & ~odd, next_x, y)),
            ]
        module.d.sync += port["output_valid"].eq(self.write["valid"] & (self.write["stage"] == 2 * n))
        module.d.comb += [self.word("output", lane).eq(self.stored[f"first{lane}"]) for lane in range(2)]

    def _omega(self, module: Module, platform: Any) -> Value:
        """The power of omega that belongs to the words read."""
        n = self.design.log_degree
        orders = {k + 1: stage.exponent for k, stage in enumerate(self.stages)}
        address = Signal(n)
        exponent = by_stage(module, self.read, "exponent", orders, n - 1)
        module.d.sync += address.eq(Cat(exponent, self.read["stage"] > n))
        return self._table(module, platform, self.design.degree, "powers", 0, address)

    def _table(self, module: Module, platform: Any, words: int, label: str, number: int, row: Any = None) -> Value:
        """Table ``number`` of N words; the tables of factors are read in the order of the input and output."""
        n = self.design.log_degree
        if row is None:
            stage = self.multiply["stage"]
            leaving = stage == 2 * n
            row = Mux((stage == 0) | leaving, Cat(self.multiply["tick"], leaving), 0)
        where = self.table_address(0)
        inputs = {
            "read": row,
            "write": where[:n],
            "enable": self.port["table_enable"] & (where[n:] == number),
            "data": self.word("table_data", 0),
        }
        return place(module, platform, Bank(words, self.design.word_bits), label, inputs)["q"]
