# SPDX-License-Identifier: Apache-2.0
"""Words that come to the design "iterative" and leave it while it computes, and the primes they belong to.

First operands and results pass L = Q words a tick, half of a row of all banks: words x with the same x >> log2 L lie in
different banks, and which of them has which is the XOR with fold(x). Second operands come one word a tick, since they
pass the doublings; there is time for them while first operands are transformed.
"""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal, Value

from ..blocks.block import place
from ..blocks.control import exchanged, fold, later, selected
from ..kernels.scaling import Doublings
from .design import PRODUCT, Circuit
from .iterative_schedule import Geometry


class Traffic:
    """The state of what comes and goes, for the circuit to look at and to change.

    Buffers 0 and 1 hold first operands and results by turns: ``front`` is the one that is computed on, the other one is
    emptied and filled. ``filled`` and ``second_filled`` say that an operand is complete; ``holds`` that a buffer has a
    result or will have, ``ready`` that it is complete. ``loading_bank`` is the set of tables of the product coming in.
    """

    def __init__(self, circuit: Circuit, geometry: Geometry, doublings: Doublings) -> None:
        self.circuit, self.geometry, self.doublings = circuit, geometry, doublings
        self.lanes = geometry.lanes
        self.beats = circuit.design.degree // self.lanes
        bits = circuit.design.word_bits
        self.front, self.second_open = Signal(init=1), Signal(init=1)
        self.filled, self.second_filled = Signal(), Signal()
        self.holds, self.ready = Signal(2), Signal(2)
        self.loading_bank, self.second_bank = Signal(), Signal()
        self.moduli = Array([Signal(bits, name=f"modulus{bank}") for bank in range(2)])
        self.unloading, self.unload_buffer, self.unload_place = Signal(), Signal(), Signal(range(self.beats))

    def connect(self, module: Module, platform: Any) -> None:
        """Drives all signals but those that the sequencer does: ``front``, and when operands are used up."""
        accept, second, position = self._accept(module)
        self._load(module, platform, accept, second, position)
        self._unload(module)

    def _accept(self, module: Module) -> tuple[Value, Value, Value]:
        """Whether a word is taken now, whether it is the second operand's, and its number or that of its row."""
        port, design = self.circuit.port, self.circuit.design
        position, second = Signal(design.log_degree), Signal()
        back = ~self.front
        emptied = self.unloading & (self.unload_buffer == back) & (position < self.unload_place)
        free = ~self.filled & (~self.holds.bit_select(back, 1) | emptied)
        accept = port["input_valid"] & port["input_ready"]
        module.d.comb += port["input_ready"].eq(Mux(second, self.second_open, free))
        with module.If(accept):
            module.d.sync += position.eq(position + 1)
            with module.If(second & (position == design.degree - 1)):
                module.d.sync += [second.eq(0), position.eq(0), self.second_open.eq(0)]
            with module.If(~second & (position == self.beats - 1)):
                module.d.sync += [second.eq(port["operation"] == PRODUCT), position.eq(0), self.filled.eq(1)]
            with module.If(~second & (position == 0)):
                module.d.sync += self.loading_bank.eq(port["input_bank"])
                module.d.sync += self.moduli[port["input_bank"]].eq(port["modulus"])
            with module.If(second & (position == 0)):
                module.d.sync += self.second_bank.eq(self.loading_bank)
        return accept, second, position

    def _load(self, module: Module, platform: Any, accept: Value, second: Value, position: Value) -> None:
        """One tick later words go to their buffer; or on their way through the doublings."""
        design, g = self.circuit.design, self.geometry
        self.load_first, self.load_buffer, self.load_place = Signal(), Signal(), Signal(range(self.beats))
        to_second = Signal()
        words: list[Value] = [Signal(design.word_bits, name=f"loaded{lane}") for lane in range(self.lanes)]
        module.d.sync += [
            self.load_first.eq(accept & ~second),
            to_second.eq(accept & second),
            self.load_buffer.eq(~self.front),
            self.load_place.eq(position),
        ]
        module.d.sync += [word.eq(self.circuit.word("input", lane)) for lane, word in enumerate(words)]
        self.load_distance = self._distance(self.load_place)
        self.loaded = exchanged(module, words, self.load_distance[: g.k - 1], "loaded")
        inputs = {"x": words[0], "modulus": self.moduli[self.second_bank]}
        self.second_word = place(module, platform, self.doublings, "doublings", inputs)["y"]
        self.load_second = later(module, to_second, self.doublings.latency, "to_second")
        self.second_place = Signal(design.log_degree)
        with module.If(self.load_second):
            module.d.sync += self.second_place.eq(self.second_place + 1)
            with module.If(self.second_place == design.degree - 1):
                module.d.sync += self.second_filled.eq(1)

    def _unload(self, module: Module) -> None:
        finishing = self.unloading & (self.unload_place == self.beats - 1)
        with module.If(self.unloading):
            module.d.sync += self.unload_place.eq(self.unload_place + 1)
        with module.If(finishing):
            module.d.sync += [self.unloading.eq(0), self.holds.bit_select(self.unload_buffer, 1).eq(0)]
        for buffer in range(2):
            with module.If(self.ready[buffer] & (~self.unloading | finishing)):
                module.d.sync += [self.unloading.eq(1), self.unload_buffer.eq(buffer), self.ready[buffer].eq(0)]

    def _distance(self, beat: Value) -> Value:
        """fold(x) of the first word x of a beat: its highest bit says which half of the banks."""
        k = self.geometry.k
        return fold(Cat(Const(0, k - 1), beat), k)

    def writes(self, buffer: int, bank: int) -> tuple[Value, Value, Value, Value]:
        """What a bank of buffer 0 or 1 takes: whether the buffer is filled, the bank's turn, its row and its word."""
        k = self.geometry.k
        filled = self.load_first & (self.load_buffer == buffer)
        here = self.load_distance[k - 1] == bank >> (k - 1)
        return filled, here, self.load_place[1:], self.loaded[bank % self.lanes]

    def reads(self, buffer: int) -> tuple[Value, Value]:
        """Whether buffer 0 or 1 is emptied, and the row that is read for that."""
        return self.unloading & (self.unload_buffer == buffer), self.unload_place[1:]

    def leave(self, module: Module, words: list[list[Value]]) -> None:
        """Results, from the words that the banks of buffers 0 and 1 give, to the way out."""
        k = self.geometry.k
        leaving = later(module, self.unloading, 1, "leaving")
        from_buffer = later(module, self.unload_buffer, 1, "from_buffer")
        distance = later(module, self._distance(self.unload_place), 1, "from_distance")
        both = [Mux(from_buffer, one, zero) for zero, one in zip(words[0], words[1], strict=True)]
        half = [selected(each, distance[k - 1]) for each in zip(both[: self.lanes], both[self.lanes :], strict=True)]
        results = exchanged(module, half, distance[: k - 1], "leaving")
        module.d.sync += self.circuit.port["output_valid"].eq(leaving)
        module.d.sync += [self.circuit.word("output", lane).eq(word) for lane, word in enumerate(results)]
