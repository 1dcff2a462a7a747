# SPDX-License-Identifier: Apache-2.0
"""A multiplier that keeps every butterfly busy in all three transforms, and loads and unloads while it computes.

Q = 2 pipes butterflies transform the first operand, then the second, in place; multiply; and transform back: n passes
of N / (2Q) ticks three times, and N / Q ticks of products. phi is merged into the twiddles (papers 001, 004), N^-1 into
butterflies that halve. Three buffers are enough: the second operand's is free again after the products, and the third
one, which holds the result before, is emptied and filled with the next first operand at once.

Words come one each tick, a then b; results leave one each tick. The Montgomery factor that the pointwise products lack
is given to b on its way in, by doublings. Forward and inverse transforms alone use the same passes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from amaranth.hdl import Cat, Module, Mux, Signal, Value

from .bank import Bank
from .block import place
from .butterfly import Butterfly
from .control import exchanged, fold, later, selected
from .crossbar import Crossbar
from .design import FORWARD, INVERSE, PRODUCT, Circuit, Design, Layout, Order, TableLane, reversed_bits
from .iterative_schedule import FORWARD_PASSES, INVERSE_PASSES, POINTWISE, Geometry, Schedule
from .scaling import Doublings

SECOND = 2  # the buffer of second operands; 0 and 1 hold first operands and results by turns


class Iterative(Circuit):
    """The design "iterative": see the module's text."""

    def __init__(self, design: Design) -> None:
        super().__init__(design, f"iterative_{design.degree}_{design.pipes}_{design.word_bits}", 1, 1)
        self.butterfly = Butterfly(design.word_bits, design.ones)
        self.doublings = Doublings(design.word_bits, self.butterfly.multiplier.radix_bits)
        self.geometry = Geometry(design, self.butterfly.latency)

    @property
    def operations(self) -> tuple[int, ...]:
        return (PRODUCT, FORWARD, INVERSE)

    def product_interval(self) -> int:
        """3n passes, and one more and N/(2Q) ticks for the pointwise products: (3n + 2) N / (2Q) unless N is small."""
        g = self.geometry
        return 3 * g.n * g.pass_ticks + g.pointwise_ticks

    def product_ticks(self) -> int:
        """N ticks of a, computation, N ticks of the result, and the ticks on the way.

        b comes in while a is transformed, and holds the computation up where that is over sooner.
        """
        g, n = self.geometry, self.design.degree
        late = max(0, n + self.doublings.latency + 1 - g.n * g.pass_ticks)
        return 2 * n + self.product_interval() + late + g.behind + 4

    def transform_interval(self) -> int:
        """Ticks from one transform to the next: n passes, or as long as its words take to come and go."""
        return max(self.geometry.n * self.geometry.pass_ticks, self.design.degree + 1)

    def layout(self) -> Layout:
        n = self.design.degree
        place_of = np.arange(n, dtype=np.int64)
        radix = np.full(n, self.butterfly.multiplier.radix_bits, dtype=np.int64)
        lane = TableLane(place_of, reversed_bits(place_of, self.design.log_degree), radix, place_of)
        one, both = place_of[:, None], np.arange(2 * n, dtype=np.int64)[:, None]
        return Layout([lane], {PRODUCT: Order(both, one), FORWARD: Order(one, one), INVERSE: Order(one, one)})

    def elaborate(self, platform: Any) -> Module:
        module, g = Module(), self.geometry
        self.start, self.start_kind, self.start_target = Signal(), Signal(2), Signal(2)
        orders = {"start": self.start, "start_kind": self.start_kind, "start_target": self.start_target}
        self.read = place(module, platform, Schedule(g), "reading", orders)
        delayed = {name: later(module, value, g.behind, name) for name, value in orders.items()}
        self.write = place(module, platform, Schedule(g), "writing", delayed)
        self._streams(module, platform)
        self._control(module)
        results: list[Value] = [Signal(self.design.word_bits, name=f"result{bank}") for bank in range(g.banks)]
        self._buffers(module, platform, results)
        self._butterflies(module, platform, results)
        return module

    def _streams(self, module: Module, platform: Any) -> None:
        """Words that come and go: where the next one belongs, and which buffers are full."""
        port, n, last_word = self.port, self.design.log_degree, self.design.degree - 1
        self.front = Signal(init=1)  # the buffer of the first operand that is computed on; the other one is filled
        self.filled, self.second_filled = Signal(), Signal()
        self.holds, self.ready = Signal(2), Signal(2)  # buffer has a result or will have; the result is complete
        self.second_open = Signal(init=1)
        self.unloading, self.unload_buffer, self.unload_place = Signal(), Signal(), Signal(n)
        position, product = Signal(n + 1), port["operation"] == PRODUCT
        second, back = position[n], ~self.front
        emptied = self.unloading & (self.unload_buffer == back) & (position[:n] < self.unload_place)
        free = ~self.filled & (~self.holds.bit_select(back, 1) | emptied)
        accept = port["input_valid"] & port["input_ready"]
        module.d.comb += port["input_ready"].eq(Mux(second, self.second_open, free))
        with module.If(accept):
            module.d.sync += position.eq(position + 1)
            with module.If((position[:n] == last_word) & second):
                module.d.sync += self.second_open.eq(0)
            with module.If((position[:n] == last_word) & ~second):
                module.d.sync += self.filled.eq(1)
                with module.If(~product):
                    module.d.sync += position.eq(0)
        # One tick later the word goes to its buffer; or on its way through the doublings.
        self.load_first, self.load_buffer, self.load_place = Signal(), Signal(), Signal(n)
        self.load_word, to_second = Signal(self.design.word_bits), Signal()
        module.d.sync += [
            self.load_first.eq(accept & ~second),
            to_second.eq(accept & second),
            self.load_buffer.eq(back),
            self.load_place.eq(position),
            self.load_word.eq(self.word("input", 0)),
        ]
        scaled = place(module, platform, self.doublings, "doublings", {"x": self.load_word, "modulus": port["modulus"]})
        self.second_word = scaled["y"]
        passing = Signal(self.doublings.latency)
        module.d.sync += passing.eq(Cat(to_second, passing[:-1]))
        self.load_second, self.second_place = passing[-1], Signal(n)
        with module.If(self.load_second):
            module.d.sync += self.second_place.eq(self.second_place + 1)
            with module.If(self.second_place == last_word):
                module.d.sync += self.second_filled.eq(1)
        finishing = self.unloading & (self.unload_place == last_word)
        with module.If(self.unloading):
            module.d.sync += self.unload_place.eq(self.unload_place + 1)
        with module.If(finishing):
            module.d.sync += [self.unloading.eq(0), self.holds.bit_select(self.unload_buffer, 1).eq(0)]
        for buffer in range(2):
            with module.If(self.ready[buffer] & (~self.unloading | finishing)):
                module.d.sync += [self.unloading.eq(1), self.unload_buffer.eq(buffer), self.ready[buffer].eq(0)]

    def _control(self, module: Module) -> None:
        """What is computed next, as soon as its operand is there and the schedule is free."""
        read, write = self.read, self.write
        product, inverse = self.port["operation"] == PRODUCT, self.port["operation"] == INVERSE
        next_phase = Signal(2)  # transform the first operand, the second; multiply; transform back
        free = ~read["busy"] | read["last"]
        kind, target, possible = self.start_kind, self.start_target, Signal()
        with module.Switch(next_phase):
            with module.Case(0):
                module.d.comb += [possible.eq(self.filled), kind.eq(Mux(inverse, INVERSE_PASSES, FORWARD_PASSES))]
                module.d.comb += target.eq(~self.front)
            with module.Case(1):
                module.d.comb += [possible.eq(self.second_filled), kind.eq(FORWARD_PASSES), target.eq(SECOND)]
            with module.Case(2):
                module.d.comb += [possible.eq(1), kind.eq(POINTWISE), target.eq(self.front)]
            with module.Case(3):
                module.d.comb += [possible.eq(1), kind.eq(INVERSE_PASSES), target.eq(self.front)]
        module.d.comb += self.start.eq(free & possible)
        with module.If(read["last"] & (read["kind_now"] == POINTWISE)):
            module.d.sync += [self.second_filled.eq(0), self.second_open.eq(1)]
        with module.If(self.start):
            with module.If(product):
                module.d.sync += next_phase.eq(next_phase + 1)
            with module.If(next_phase == 0):
                module.d.sync += [self.front.eq(~self.front), self.filled.eq(0)]
                module.d.sync += self.holds.bit_select(~self.front, 1).eq(1)
        with module.If(write["last"] & (~product | (write["kind_now"] == INVERSE_PASSES))):
            module.d.sync += self.ready.bit_select(write["target_now"][0], 1).eq(1)

    def _buffers(self, module: Module, platform: Any, results: list[Value]) -> None:
        """Three buffers of 2Q banks; each is computed on, or emptied and filled."""
        g, bits = self.geometry, self.design.word_bits
        self.words: list[list[Value]] = []
        for buffer in range(3):
            emptied = self.unloading & (self.unload_buffer == buffer) if buffer != SECOND else 0
            if buffer == SECOND:
                filled, where, word = self.load_second, self.second_place, self.second_word
            else:
                filled, where, word = self.load_first & (self.load_buffer == buffer), self.load_place, self.load_word
            here, row = Signal(g.k, name=f"bank_of_load{buffer}"), where[g.k :]
            module.d.comb += here.eq(fold(where, g.k))
            computed = later(module, self.write["target"] == buffer, 1, f"computed{buffer}")
            self.words.append([])
            for bank in range(g.banks):
                inputs = {
                    "read": Mux(emptied, self.unload_place[g.k :], self.read[f"row{bank}"]),
                    "write": Mux(filled, row, self.write[f"row{bank}"]),
                    "enable": Mux(filled, here == bank, computed & self.write["enable"][bank]),
                    "data": Mux(filled, word, results[bank]),
                }
                bank_block = Bank(g.rows, bits)
                self.words[buffer].append(place(module, platform, bank_block, f"buffer{buffer}_{bank}", inputs)["q"])
        leaving = later(module, self.unloading, 1, "leaving")
        from_buffer = later(module, self.unload_buffer, 1, "from_buffer")
        from_bank = later(module, fold(self.unload_place, g.k), 1, "from_bank")
        both = [Mux(from_buffer, one, zero) for zero, one in zip(self.words[0], self.words[1], strict=True)]
        module.d.sync += [self.port["output_valid"].eq(leaving), self.word("output", 0).eq(selected(both, from_bank))]

    def _butterflies(self, module: Module, platform: Any, results: list[Value]) -> None:
        g, read, write = self.geometry, self.read, self.write
        fetched = {
            name: later(module, read[name], 2, f"fetched_{name}")
            for name in ("kind", "target", "half", "turn", "distance", "twiddle_word", "twiddle_spread")
        }
        pointwise, inverse = fetched["kind"] == POINTWISE, fetched["kind"] == INVERSE_PASSES
        half, distance = fetched["half"], fetched["distance"]
        target = [selected([*each, each[2]], fetched["target"]) for each in zip(*self.words, strict=True)]
        lanes = self._crossed(module, platform, target, distance, fetched["turn"], to_lanes=True)
        q = g.butterflies
        upper = half ^ distance[g.k - 1]
        second = [Mux(upper, self.words[SECOND][i + q], self.words[SECOND][i]) for i in range(q)]
        second = exchanged(module, second, distance[: g.k - 1], "second")
        twiddles = self._twiddles(module, platform)
        outputs: list[Value] = [*lanes]
        for i in range(q):
            twiddle = selected(twiddles, fetched["twiddle_word"] ^ (fetched["twiddle_spread"] & i))
            u, v, w = (Signal(self.design.word_bits, name=f"{name}{i}") for name in "uvw")
            module.d.sync += [
                u.eq(Mux(pointwise, 0, Mux(inverse, lanes[i + q], lanes[i]))),
                v.eq(Mux(inverse | (pointwise & ~half), lanes[i], lanes[i + q])),
                w.eq(Mux(pointwise, second[i], twiddle)),
            ]
            inputs = {"u": u, "v": v, "w": w, "modulus": self.port["modulus"]}
            inputs["inverse"] = later(module, inverse, 1, f"inverse{i}")
            result = place(module, platform, self.butterfly, f"butterfly{i}", inputs)
            outputs[i] = result["x"]
            outputs[i + q] = Mux(write["kind"] == POINTWISE, result["x"], result["y"])
        banks = self._crossed(module, platform, outputs, write["distance"], write["turn"], to_lanes=False)
        module.d.sync += [result.eq(bank) for result, bank in zip(results, banks, strict=True)]

    def _crossed(
        self, module: Module, platform: Any, words: list[Value], distance: Value, turn: Value, *, to_lanes: bool
    ) -> list[Value]:
        crossbar = Crossbar(self.geometry.k, self.design.word_bits, to_lanes=to_lanes)
        inputs = {f"x{i}": word for i, word in enumerate(words)} | {"distance": distance, "turn": turn}
        crossed = place(module, platform, crossbar, "to_lanes" if to_lanes else "to_banks", inputs)
        return [crossed[f"y{i}"] for i in range(len(words))]

    def _twiddles(self, module: Module, platform: Any) -> list[Value]:
        """psi^br(i) in Montgomery form: Q tables side by side, so that Q neighbours are read at once."""
        g, bits = self.geometry, self.geometry.k - 1
        address = self.table_address(0)[: g.n]
        words = []
        for i in range(g.butterflies):
            inputs = {
                "read": self.read["twiddle_row"],
                "write": address[bits:],
                "enable": self.port["table_enable"] & (address[:bits] == i),
                "data": self.word("table_data", 0),
            }
            block = Bank(self.design.degree // g.butterflies, self.design.word_bits)
            words.append(place(module, platform, block, f"twiddles{i}", inputs)["q"])
        return words
