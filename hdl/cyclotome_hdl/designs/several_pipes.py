# SPDX-License-Identifier: Apache-2.0
"""Paper 004's Cooley–Tukey multiplier with P = 2 or 4 pipes: 2n + 4 stages of N / (2P) ticks.

RAM i of an operand holds words i N/P … (i+1) N/P - 1, two in a row. While a stage pairs words of one RAM, rows hold the
pairs that it needs, as with one pipe; the last log2 P stages pair rows of different RAMs. To save multipliers, the
butterflies' own do everything (a butterfly with u = 0 multiplies):

* two stages take P words of each operand a tick, times powers of phi, and write them in bit-reversed order;
* n stages transform both operands;
* one stage multiplies them, on the butterflies of both, and writes the products in bit-reversed order. With 4 pipes RAM
  i takes its rows in an order in which bit 0 differs for odd i, so that each row that is written is complete;
* n stages transform back;
* one stage multiplies by N^-1 and powers of phi^-1, on the butterflies of both operands, and hands 2P words a tick out.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from numpy.typing import NDArray

from ..blocks.bank import Bank
from ..blocks.block import place
from ..blocks.control import later
from ..kernels.butterfly import Butterfly
from .design import PRODUCT, Circuit, Design, Layout, Order, TableLane
from .stages import Bits, Stage, StageCounter, backwards, by_stage, paired_in_rows, stage_ticks, start_next, straight


class SeveralPipes(Circuit):
    """The design "cooley-tukey" with more than one pipe."""

    def __init__(self, design: Design) -> None:
        pipes = design.pipes
        super().__init__(design, 2 * pipes, 2 * pipes)
        self.butterfly = Butterfly(design.multiplier(), design.word_bits, "forward")
        self.pipe_bits = pipes.bit_length() - 1
        #: Bits of a position within its RAM; a row has one less.
        self.inner = design.log_degree - self.pipe_bits
        self.height = design.degree // (2 * pipes)
        self.transform = [paired_in_rows(self.inner, i) for i in range(self.inner - 1)]
        line = straight(self.inner - 1)
        restored: Bits = (*range(1, self.inner - 1), 0)
        self.transform.append(Stage(line, restored, True, line))
        self.transform += [Stage(line, line, False, line)] * self.pipe_bits
        self.to_memory = self.butterfly.latency + 4
        n = design.log_degree
        #: Numbers of the stages in which something else than a transform happens, and of the transforms' first ones.
        self.forward_from, self.meeting, self.inverse_from, self.leaving = 2, n + 2, n + 3, 2 * n + 3
        turned: Bits = backwards(self.inner - 1)
        orders = [(turned, self.transform[0].read), (turned, line)]
        orders += [(a.write, b.read) for a, b in zip(self.transform, self.transform[1:], strict=False)]
        # One tick more than rows need by themselves: with 4 pipes half of the RAMs swap neighbouring rows.
        self.stage_ticks = stage_ticks(orders, self.to_memory + 2)

    def product_ticks(self) -> int:
        """2n + 3 stages, N / (2P) ticks of results, and the ticks through a butterfly: (n + 2) N/P and a latency."""
        return (2 * self.design.log_degree + 3) * self.stage_ticks + self.height + self.butterfly.latency + 3

    def product_interval(self) -> int:
        """A product starts when the one before has been written out."""
        return (2 * self.design.log_degree + 4) * self.stage_ticks + self.to_memory + 2

    @property
    def segments(self) -> int:
        """Parts of a pipe's table, of N / (2P) words each: powers of omega for stages within rows and for each stage
        between RAMs, the same of omega^-1, phi (two), and phi^-1 for the first word of a row."""
        return 2 * (1 + self.pipe_bits) + 3

    def layout(self) -> Layout:
        design, pipes, height = self.design, self.design.pipes, self.height
        n, radix = design.degree, self.butterfly.multiplier.radix_bits
        row = np.arange(height, dtype=np.int64)
        exponents, powers, addresses = [], [], []

        def append(memory: int, segment: int, exponent: NDArray[np.int64], power: int) -> None:
            exponents.append(exponent % (2 * n))
            powers.append(np.full(height, power, dtype=np.int64))
            addresses.append(row + ((memory << 8 | segment) << (self.inner - 1)))

        for pipe in range(pipes):
            omega = [2 * pipes * row]
            for m in range(self.pipe_bits):
                # Pipe b takes word (b >> m) & 1 of a row of RAM b without bit m; omega is taken to 2^(n-1-i).
                below = (pipe & (2**m - 1)) << self.inner | 2 * row | (pipe >> m & 1)
                omega.append(below << (self.pipe_bits - m))
            for segment, exponent in enumerate(omega):
                append(pipe, segment, exponent, radix)
                append(pipe, segment + len(omega), -exponent, radix)
            for part in range(2):
                append(pipe, 2 * len(omega) + part, pipes * (part * height + row) + pipe, radix)
            first = (pipe << self.inner) + 2 * row
            append(pipe, 2 * len(omega) + 2, -first, 2 * radix - design.log_degree)
            append(pipes + pipe, 0, -first - 1, 2 * radix - design.log_degree)
        address = np.concatenate(addresses)
        lane = TableLane(address, np.concatenate(exponents), np.concatenate(powers), np.arange(len(address)))
        first_operand = np.arange(n, dtype=np.int64).reshape(-1, pipes)
        inputs = np.concatenate([first_operand, first_operand + n], axis=1)
        lanes = np.arange(2 * pipes)[None, :]
        return Layout([lane], {PRODUCT: Order(inputs, (lanes >> 1 << self.inner) + 2 * row[:, None] + (lanes & 1))})

    def elaborate(self, platform: Any) -> Module:
        module = Module()
        counter = StageCounter(2 * self.design.log_degree + 4, self.stage_ticks, self.height)
        start = Signal()
        self.read = place(module, platform, counter, "reading", {"start": start})
        starts = later(module, start, self.to_memory, "start")
        self.write = place(module, platform, counter, "writing", {"start": starts})
        start_next(module, start, self.port["input_valid"], self.write["busy"])
        loading = self.read["valid"] & (self.read["stage"] < self.forward_from)
        module.d.comb += self.port["input_ready"].eq(later(module, loading, 2, "loading"))
        self.stage = later(module, self.read["stage"], 2, "stage")  # of the words that come out of the memory
        pipes = self.design.pipes
        self.stored = [
            [Signal(self.design.word_bits, name=f"stored{operand}_{lane}") for lane in range(2 * pipes)]
            for operand in range(2)
        ]
        words = self._memory(module, platform)
        results = self._butterflies(module, platform, words)
        self._store(module, results)
        return module

    def _stage_orders(self, which: str) -> dict[int, Bits]:
        """Rows (or exponents) by stage, the same in both directions; in the remaining stages that read, the tick."""
        orders: dict[int, Bits] = {}
        for i, stage in enumerate(self.transform):
            for first in (self.forward_from, self.inverse_from):
                orders[first + i] = getattr(stage, which)
        return orders

    def _memory(self, module: Module, platform: Any) -> list[list[Value]]:
        """Words read, by operand; lane 2 b + w is word w of RAM b."""
        width, pipes, write = self.inner - 1, self.design.pipes, self.write
        line, turned = straight(width), backwards(width)
        reads = self._stage_orders("read") | {self.meeting: line, self.leaving: line}
        writes = self._stage_orders("write") | {0: turned, 1: turned, self.meeting: turned}
        read_order = by_stage(module, self.read, "read_order", reads, width)
        write_order = by_stage(module, write, "write_order", writes, width)
        # With 4 pipes RAM b is read in rows with bit 0 turned by bit 0 of b; and written so that it fits.
        skewed = self.pipe_bits == 2
        meets, met = self.read["stage"] == self.meeting, write["stage"] == self.meeting
        keeps = write["valid"] & (write["stage"] != self.leaving)
        enables = [later(module, keeps & (write["stage"] != 1 - word), 1, f"enable{word}") for word in range(2)]
        # Stages 0 and 1 fill the same half.
        filled = later(module, (write["stage"] != 0) & ~write["stage"][0], 1, "filled")
        half = self.stage[0]  # a stage reads what the one before filled
        words: list[list[Value]] = [[], []]
        for lane in range(2 * pipes):
            ram = lane >> 1
            turn = (ram & 1) if skewed else 0
            read_row, write_row = (Signal(width, name=f"{name}_row{lane}") for name in ("read", "write"))
            # There bit 0 of the row written is that of the source's number; the others are the tick's, reversed.
            meeting_row: Value = write_order
            if skewed:
                meeting_row = Cat(write["tick"][0] ^ turn, *(write["tick"][width - b] for b in range(1, width)))
            module.d.sync += [
                read_row.eq(Mux(meets, read_order ^ turn, read_order)),
                write_row.eq(Mux(met, meeting_row, write_order)),
            ]
            for operand in range(2):
                both = []
                for which in range(2):
                    inputs = {
                        "read": read_row,
                        "write": write_row,
                        "enable": enables[lane & 1] & (filled == which),
                        "data": self.stored[operand][lane],
                    }
                    label = f"ram{operand}_{lane}_{'pong' if which else 'ping'}"
                    both.append(place(module, platform, Bank(self.height, self.design.word_bits), label, inputs)["q"])
                words[operand].append(Mux(half, both[1], both[0]))
        return words

    def _butterflies(self, module: Module, platform: Any, words: list[list[Value]]) -> list[list[Value]]:
        """Results in lanes: 2 b for the sum, 2 b + 1 for the difference of pipe b."""
        bits, pipes, port = self.design.word_bits, self.design.pipes, self.port
        factors, leaving_factors = self._tables(module, platform)
        loading, meeting, leaving = self.stage < 2, self.stage == self.meeting, self.stage == self.leaving
        across = self._across(self.stage)
        results: list[list[Value]] = [[], []]
        for operand in range(2):
            mine, first, second = words[operand], words[0], words[1]
            for pipe in range(pipes):
                u, v, w = (Signal(bits, name=f"{name}{operand}_{pipe}") for name in "uvw")
                above, below = mine[2 * pipe], mine[2 * pipe + 1]
                for m, stage in enumerate(across):
                    low, word = pipe & ~(1 << m), pipe >> m & 1
                    above = Mux(stage, mine[2 * low + word], above)
                    below = Mux(stage, mine[2 * (low | 1 << m) + word], below)
                lane = 2 * pipe + operand  # where both operands' butterflies share the work: word 0 and word 1
                factor = Mux(leaving, leaving_factors[pipe], factors[pipe]) if operand else factors[pipe]
                single = Mux(loading, self.word("input", operand * pipes + pipe), first[lane])
                module.d.sync += [
                    u.eq(Mux(loading | meeting | leaving, 0, above)),
                    v.eq(Mux(loading | meeting | leaving, single, below)),
                    w.eq(Mux(meeting, second[lane], factor)),
                ]
                inputs = {"u": u, "v": v, "w": w, "modulus": port["modulus"]}
                butterfly = place(module, platform, self.butterfly, f"butterfly{operand}_{pipe}", inputs)
                results[operand] += [butterfly["x"], butterfly["y"]]
        return results

    def _store(self, module: Module, results: list[list[Value]]) -> None:
        """Words in the lanes of the memory: exchanged with the next tick's, between RAMs, or as products."""
        pipes, write, log = self.design.pipes, self.write, self.pipe_bits
        swapping = {
            first + i
            for i, each in enumerate(self.transform)
            if each.swaps
            for first in (self.forward_from, self.inverse_from)
        }
        stage, odd = write["stage"], write["tick"][0]
        swaps = Cat(*(Const(int(k in swapping), 1) for k in range(self.leaving + 1))).bit_select(stage, 1)
        across = self._across(stage)
        now = [
            [later(module, word, 1, f"now{operand}_{lane}") for lane, word in enumerate(lanes)]
            for operand, lanes in enumerate(results)
        ]
        for operand in range(2):
            mine, coming = now[operand], results[operand]
            for pipe in range(pipes):
                sum_lane, other_lane = 2 * pipe, 2 * pipe + 1
                before = later(module, mine[other_lane], 1, f"before{operand}_{pipe}")
                low = Mux(swaps & odd, before, mine[sum_lane])
                high = Mux(swaps & ~odd, coming[sum_lane], mine[other_lane])
                for m, chosen in enumerate(across):
                    source, is_upper = pipe & ~(1 << m), pipe >> m & 1
                    low = Mux(chosen, mine[2 * source + is_upper], low)
                    high = Mux(chosen, mine[2 * (source | 1 << m) + is_upper], high)
                # Loading: the word goes to RAM br(pipe); both its words are offered, one is enabled.
                loaded = mine[2 * int(f"{pipe:0{log}b}"[::-1], 2)]
                low, high = Mux(stage < 2, loaded, low), Mux(stage < 2, loaded, high)
                if operand == 0:
                    met = self._met(now, pipe, odd)
                    low, high = Mux(stage == self.meeting, met[0], low), Mux(stage == self.meeting, met[1], high)
                    low = Mux(stage == self.leaving, now[0][sum_lane], low)
                    high = Mux(stage == self.leaving, now[1][sum_lane], high)
                module.d.sync += [self.stored[operand][sum_lane].eq(low), self.stored[operand][other_lane].eq(high)]
        module.d.sync += self.port["output_valid"].eq(write["valid"] & (stage == self.leaving))
        module.d.comb += [self.word("output", lane).eq(self.stored[0][lane]) for lane in range(2 * pipes)]

    def _across(self, stage: Value) -> list[Value]:
        """For each stage between RAMs, whether it is this one."""
        between = range(self.inner, self.design.log_degree)
        return [(stage == self.forward_from + i) | (stage == self.inverse_from + i) for i in between]

    def _met(self, now: list[list[Value]], ram: int, odd: Value) -> list[Value]:
        """The products that RAM ``ram`` takes at the meeting: words w of RAMs 0 and 1, or of two RAMs of one parity."""
        if self.pipe_bits == 1:
            return [now[ram][0], now[ram][2]]
        word, parity = ram >> 1, ram & 1
        even_tick = [now[word][2 * source] for source in (parity, parity + 2)]
        odd_tick = [now[word][2 * source] for source in (1 - parity, 3 - parity)]
        return [Mux(odd, other, one) for one, other in zip(even_tick, odd_tick, strict=True)]

    def _tables(self, module: Module, platform: Any) -> tuple[list[Value], list[Value]]:
        """Factors for the pipes of both operands; and for the second operand's when results leave."""
        width, log = self.inner - 1, self.pipe_bits
        offset = by_stage(module, self.read, "exponent", self._stage_orders("exponent"), width)
        segment = Signal(range(self.segments))
        with module.Switch(self.read["stage"]):
            for i in range(self.design.log_degree):
                part = max(0, i - self.inner + 1)
                with module.Case(self.forward_from + i):
                    module.d.comb += segment.eq(part)
                with module.Case(self.inverse_from + i):
                    module.d.comb += segment.eq(part + 1 + log)
            for part, stage in enumerate((0, 1, self.leaving)):
                with module.Case(stage):
                    module.d.comb += segment.eq(2 * (1 + log) + part)
        plain = (self.read["stage"] < 2) | (self.read["stage"] == self.leaving)
        row = Signal(width + len(segment), name="table_row")
        module.d.sync += row.eq(Cat(Mux(plain, self.read["tick"], offset)[:width], segment))
        where = self.table_address(0)
        tables = []
        for memory in range(2 * self.design.pipes):
            words = self.segments * self.height if memory < self.design.pipes else self.height
            inputs = {
                "read": row if memory < self.design.pipes else row[:width],
                "write": where[: width + 8],
                "enable": self.port["table_enable"] & (where[width + 8 :] == memory),
                "data": self.word("table_data", 0),
            }
            block = Bank(words, self.design.word_bits)
            tables.append(place(module, platform, block, f"table{memory}", inputs)["q"])
        return tables[: self.design.pipes], tables[self.design.pipes :]
