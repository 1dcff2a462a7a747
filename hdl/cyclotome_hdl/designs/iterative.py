# SPDX-License-Identifier: Apache-2.0
"""A multiplier that keeps every butterfly busy in all three transforms, and loads and unloads while it computes.

Q = 2 pipes butterflies transform the first operand, then the second, in place; multiply; and transform back: n passes
of N / (2Q) ticks three times, and N / Q ticks of products. phi is merged into the twiddles (papers 001, 004), N^-1 into
butterflies that halve. Three buffers are enough: the second operand's is free again after the products, and the third
one, which holds the result before, is emptied and filled with the next first operand at once.

Q words of a come each tick, then one of b; Q words of results leave (`cyclotome_hdl.designs.iterative_traffic`). The
Montgomery factor that the pointwise products lack is given to b on its way in, by doublings. Forward and inverse
transforms alone use the same passes.

There are two sets of twiddles and two moduli: the tables of the next prime are written while a product is computed. The
first transform modulo another prime waits until the butterflies are empty, so that moduli need not travel with words.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from amaranth.hdl import Cat, Module, Mux, Signal, Value

from ..blocks.bank import Bank
from ..blocks.block import place
from ..blocks.control import exchanged, fold, later, selected
from ..blocks.crossbar import Crossbar
from ..kernels.butterfly import Butterfly
from ..kernels.scaling import Doublings
from .design import FORWARD, INVERSE, PRODUCT, Circuit, Design, Layout, Order, TableLane, reversed_bits
from .iterative_schedule import FORWARD_PASSES, INVERSE_PASSES, POINTWISE, Geometry, Schedule
from .iterative_traffic import Traffic

SECOND = 2  # the buffer of second operands; 0 and 1 hold first operands and results by turns


class Iterative(Circuit):
    """The design "iterative": see the module's text."""

    def __init__(self, design: Design) -> None:
        butterfly = Butterfly(design.multiplier(), design.word_bits)
        self.geometry = Geometry(design, butterfly.latency)
        lanes = self.geometry.lanes
        super().__init__(design, lanes, lanes)
        self.butterfly = butterfly
        self.doublings = Doublings(design.word_bits, butterfly.multiplier.radix_bits)

    @property
    def operations(self) -> tuple[int, ...]:
        return (PRODUCT, FORWARD, INVERSE)

    @property
    def several_primes(self) -> bool:
        return self.design.modulus is None

    def product_interval(self) -> int:
        """3n passes, and one more and N/(2Q) ticks for the pointwise products: (3n + 2) N / (2Q) unless N is small."""
        g = self.geometry
        return 3 * g.n * g.pass_ticks + g.pointwise_ticks

    def change_ticks(self) -> int:
        """The butterflies are empty before the first words modulo the next prime."""
        return self.geometry.behind + 1

    def product_ticks(self) -> int:
        """N/Q ticks of a, computation, N/Q ticks of the result, and the ticks on the way.

        b comes in while a is transformed, and holds the computation up where that is over sooner.
        """
        g, n = self.geometry, self.design.degree
        late = max(0, n + self.doublings.latency + 1 - g.n * g.pass_ticks)
        return 2 * n // g.lanes + self.product_interval() + late + g.behind + 4

    def transform_interval(self) -> int:
        """Ticks from one transform to the next: n passes, in which its words can come and go."""
        return self.geometry.n * self.geometry.pass_ticks

    def layout(self) -> Layout:
        n, lanes = self.design.degree, self.geometry.lanes
        place_of = np.arange(n, dtype=np.int64)
        radix = np.full(n, self.butterfly.multiplier.radix_bits, dtype=np.int64)
        lane = TableLane(place_of, reversed_bits(place_of, self.design.log_degree), radix, place_of)
        one = place_of.reshape(-1, lanes)
        second = np.full((n, lanes), -1, dtype=np.int64)
        second[:, 0] = n + place_of
        both = np.concatenate([one, second])
        return Layout([lane], {PRODUCT: Order(both, one), FORWARD: Order(one, one), INVERSE: Order(one, one)})

    def elaborate(self, platform: Any) -> Module:
        module, g = Module(), self.geometry
        self.start, self.start_kind, self.start_target = Signal(), Signal(2), Signal(2)
        orders = {"start": self.start, "start_kind": self.start_kind, "start_target": self.start_target}
        self.read = place(module, platform, Schedule(g), "reading", orders)
        delayed = {name: later(module, value, g.behind, name) for name, value in orders.items()}
        self.write = place(module, platform, Schedule(g), "writing", delayed)
        self.traffic = Traffic(self, g, self.doublings)
        self.traffic.connect(module, platform)
        self._control(module)
        results: list[Value] = [Signal(self.design.word_bits, name=f"result{bank}") for bank in range(g.banks)]
        self._buffers(module, platform, results)
        self._butterflies(module, platform, results)
        return module

    def _control(self, module: Module) -> None:
        """What is computed next, as soon as its operand is there and the schedule is free."""
        read, write, traffic = self.read, self.write, self.traffic
        product, inverse = self.port["operation"] == PRODUCT, self.port["operation"] == INVERSE
        next_phase = Signal(2)  # transform the first operand, the second; multiply; transform back
        self.computing_bank = Signal()
        free = ~read["busy"] | read["last"]
        same = traffic.loading_bank == self.computing_bank
        clear = same | ~(read["busy"] | write["busy"])
        kind, target, possible = self.start_kind, self.start_target, Signal()
        with module.Switch(next_phase):
            with module.Case(0):
                module.d.comb += possible.eq(traffic.filled & clear)
                module.d.comb += [kind.eq(Mux(inverse, INVERSE_PASSES, FORWARD_PASSES)), target.eq(~traffic.front)]
            with module.Case(1):
                module.d.comb += [possible.eq(traffic.second_filled), kind.eq(FORWARD_PASSES), target.eq(SECOND)]
            with module.Case(2):
                module.d.comb += [possible.eq(1), kind.eq(POINTWISE), target.eq(traffic.front)]
            with module.Case(3):
                module.d.comb += [possible.eq(1), kind.eq(INVERSE_PASSES), target.eq(traffic.front)]
        module.d.comb += self.start.eq(free & possible)
        with module.If(read["last"] & (read["kind_now"] == POINTWISE)):
            module.d.sync += [traffic.second_filled.eq(0), traffic.second_open.eq(1)]
        with module.If(self.start):
            with module.If(product):
                module.d.sync += next_phase.eq(next_phase + 1)
            with module.If(next_phase == 0):
                module.d.sync += [traffic.front.eq(~traffic.front), traffic.filled.eq(0)]
                module.d.sync += traffic.holds.bit_select(~traffic.front, 1).eq(1)
                module.d.sync += self.computing_bank.eq(traffic.loading_bank)
        with module.If(write["last"] & (~product | (write["kind_now"] == INVERSE_PASSES))):
            module.d.sync += traffic.ready.bit_select(write["target_now"][0], 1).eq(1)
        self.modulus = Signal(self.design.word_bits)
        module.d.sync += self.modulus.eq(traffic.moduli[self.computing_bank])

    def _buffers(self, module: Module, platform: Any, results: list[Value]) -> None:
        """Three buffers of 2Q banks; each is computed on, or emptied and filled."""
        g, traffic = self.geometry, self.traffic
        self.words: list[list[Value]] = []
        second_bank = Signal(g.k)
        module.d.comb += second_bank.eq(fold(traffic.second_place, g.k))
        for buffer in range(3):
            emptied, leaving_row = traffic.reads(buffer) if buffer != SECOND else (0, 0)
            computed = later(module, self.write["target"] == buffer, 1, f"computed{buffer}")
            self.words.append([])
            for bank in range(g.banks):
                if buffer == SECOND:
                    filled, here = traffic.load_second, second_bank == bank
                    row, word = traffic.second_place[g.k :], traffic.second_word
                else:
                    filled, here, row, word = traffic.writes(buffer, bank)
                inputs = {
                    "read": Mux(emptied, leaving_row, self.read[f"row{bank}"]),
                    "write": Mux(filled, row, self.write[f"row{bank}"]),
                    "enable": Mux(filled, here, computed & self.write["enable"][bank]),
                    "data": Mux(filled, word, results[bank]),
                }
                block = Bank(g.rows, self.design.word_bits)
                self.words[buffer].append(place(module, platform, block, f"buffer{buffer}_{bank}", inputs)["q"])
        traffic.leave(module, self.words)

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
            inputs = {"u": u, "v": v, "w": w, "modulus": self.modulus}
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
        """psi^br(i) in the multiplier's form: Q tables side by side, so that Q neighbours are read at once; twice."""
        g, bits = self.geometry, self.geometry.k - 1
        address = self.table_address(0)[: g.n]
        words = []
        for i in range(g.butterflies):
            inputs = {
                "read": Cat(self.read["twiddle_row"], self.computing_bank),
                "write": Cat(address[bits:], self.port["table_bank"]),
                "enable": self.port["table_enable"] & (address[:bits] == i),
                "data": self.word("table_data", 0),
            }
            block = Bank(2 * self.design.degree // g.butterflies, self.design.word_bits)
            words.append(place(module, platform, block, f"twiddles{i}", inputs)["q"])
        return words
