# SPDX-License-Identifier: Apache-2.0
"""A multiplier without stops: two words of each operand go in and two of the product come out, every tick.

Every stage of the three transforms has its own butterfly, 3n of them, with commutators between (a feed-forward,
multi-path delay commutator). phi is in the twiddles, the inverse takes its words in the order in which the forward
transforms leave them, so that nothing is ever reordered. A product starts every N/2 ticks and several are in flight.

Each may have a prime of its own: a stage has two sets of twiddles and two moduli, of which one is used while the other
is written, and which it is goes through the circuit with the words. The table ports are written at the ticks that
`Streaming.layout` says.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from amaranth.hdl import Array, Cat, Module, Mux, Signal, Value
from numpy.typing import NDArray

from ..blocks.bank import Bank
from ..blocks.block import place
from ..blocks.commutator import Commutator, delayed
from ..blocks.control import later
from ..kernels.butterfly import Butterfly
from .design import PRODUCT, Circuit, Design, Layout, Order, TableLane, reversed_bits

#: The table ports: twiddles of the last stage, which are half of all, have a port of their own in each direction.
FORWARD_PORT, LAST_FORWARD_PORT, INVERSE_PORT, LAST_INVERSE_PORT, MODULUS_PORT = range(5)

#: In the place of an exponent: the word is the modulus itself.
MODULUS = -1


class Streaming(Circuit):
    """The design "streaming": see the module's text."""

    def __init__(self, design: Design) -> None:
        super().__init__(design, 4, 2, 5)
        self.multiplier = design.multiplier(streaming=True)
        self.forward = Butterfly(self.multiplier, design.word_bits, "forward")
        # What the products lack, R, and what the inverse transform has too much, N, are both powers of two: each stage
        # of the inverse scales by its share, by doublings that wait for the multiplication anyway.
        n, lacking = design.log_degree, self.multiplier.radix_bits - design.log_degree
        self.scales = [(lacking * (s + 1)) // n - (lacking * s) // n for s in range(n)]
        self.inverse = [Butterfly(self.multiplier, design.word_bits, "inverse", scale=scale) for scale in self.scales]

    @property
    def several_primes(self) -> bool:
        return self.design.modulus is None

    @property
    def arrivals(self) -> list[int]:
        """Ticks from a product's first words to the tick before they come to each part, when the token does.

        The parts are the forward stages, the products, the inverse stages (the last one first), and the way out.
        """
        n, half = self.design.log_degree, self.design.degree // 2
        distances = [half >> (s + 1) for s in range(n - 1)] + [0]
        ticks = [0]
        for distance in distances:
            ticks.append(ticks[-1] + self.forward.latency + distance)
        ticks.append(ticks[-1] + self.multiplier.latency)
        for butterfly, distance in zip(reversed(self.inverse), [*reversed(distances[:-1]), 0], strict=True):
            ticks.append(ticks[-1] + butterfly.latency + distance)
        return ticks

    def first_output(self) -> int:
        """Ticks from the first words in to the first words out: about N, and the latencies of 2n butterflies."""
        return self.arrivals[-1] + 1

    def product_ticks(self) -> int:
        """N/2 ticks of words, which take `first_output` to pass through."""
        return self.design.degree // 2 + self.first_output()

    def product_interval(self) -> int:
        """Whatever the primes are."""
        return self.design.degree // 2

    def layout(self) -> Layout:
        n, half = self.design.log_degree, self.design.degree // 2
        arrivals = self.arrivals
        lanes = []
        for first, inverse in ((0, False), (n + 1, True)):
            stages = [(s, arrivals[first + (n - 1 - s if inverse else s)]) for s in range(n)]
            lanes += [self._twiddles(stages[:-1], inverse), self._twiddles(stages[-1:], inverse)]
        needed = np.array(arrivals[:-1], dtype=np.int64)
        where = np.arange(len(needed), dtype=np.int64)
        offset = _slots(needed - half, needed, half)
        lanes.append(TableLane(where, np.full(len(needed), MODULUS), np.zeros_like(where), offset))
        tick = np.arange(half, dtype=np.int64)[:, None]
        pair = np.concatenate([tick, tick + half], axis=1)
        return Layout(lanes, {PRODUCT: Order(np.concatenate([pair, pair + 2 * half], axis=1), pair)}, timed=True)

    def _twiddles(self, stages: Sequence[tuple[int, int]], inverse: bool) -> TableLane:
        """psi^br(2^s + i) for group i of stage s; the inverse's are those of the mirrored group, with another sign."""
        n, degree = self.design.log_degree, self.design.degree
        address, source, first, last = ([] for _ in range(4))
        for s, arrival in stages:
            group, ticks = np.arange(2**s, dtype=np.int64), degree >> (s + 1)
            address.append(2**s + group)
            source.append(2**s + (group[::-1] if inverse else group))
            # From when the product before the last has read the word for the last time until this one reads it first.
            first.append(arrival + (group + 1) * ticks - 1 - degree)
            last.append(arrival + group * ticks - 1)
        exponent = reversed_bits(np.concatenate(source), n)
        power = self.multiplier.radix_bits + np.concatenate(
            [np.full(2**s, max(0, self.scales[s]) if inverse else 0, dtype=np.int64) for s, _ in stages]
        )
        offset = _slots(np.concatenate(first), np.concatenate(last), degree // 2)
        return TableLane(np.concatenate(address), exponent, power, offset)

    def elaborate(self, platform: Any) -> Module:
        module, n, port = Module(), self.design.log_degree, self.port
        bits, half = self.design.word_bits, self.design.degree // 2
        # A product's words come one tick after another; a token, a tick ahead of the first, brings the tables it wants.
        remaining, start, bank = Signal(range(half)), Signal(), Signal()
        begins = port["input_valid"] & (remaining == 0)
        module.d.comb += port["input_ready"].eq(1)
        module.d.sync += remaining.eq(Mux(begins, half - 1, Mux(remaining == 0, 0, remaining - 1)))
        module.d.comb += [start.eq(begins), bank.eq(port["input_bank"])]
        words: list[Value] = [Signal(bits, name=f"input{lane}") for lane in range(4)]
        module.d.sync += [word.eq(self.word("input", lane)) for lane, word in enumerate(words)]
        token: Value = Cat(start, bank)
        self.moduli = self._moduli(module)
        for s in range(n):
            words, token = self._stage(module, platform, s, words, token, inverse=False)
        words, token = self._products(module, platform, words, token)
        for s in reversed(range(n)):
            words, token = self._stage(module, platform, s, words, token, inverse=True)
        left = Signal(range(half + 1))
        with module.If(token[0]):
            module.d.sync += left.eq(half)
        with module.Elif(left != 0):
            module.d.sync += left.eq(left - 1)
        module.d.comb += port["output_valid"].eq(left != 0)
        module.d.comb += [self.word("output", lane).eq(word) for lane, word in enumerate(words)]
        return module

    def _moduli(self, module: Module) -> list[list[Signal]]:
        """Two moduli for each part, in the order of `arrivals`."""
        port, where = self.port, self.table_address(MODULUS_PORT)
        moduli = []
        for part in range(2 * self.design.log_degree + 1):
            moduli.append([Signal(self.design.word_bits, name=f"modulus{part}_{bank}") for bank in range(2)])
            for bank, modulus in enumerate(moduli[-1]):
                here = (where == part) & (port["table_bank"][MODULUS_PORT] == bank)
                with module.If(port["table_enable"][MODULUS_PORT] & here):
                    module.d.sync += modulus.eq(self.word("table_data", MODULUS_PORT))
        return moduli

    def _modulus(self, module: Module, part: int, token: Value) -> tuple[Value, Value]:
        """The bank that words with this token use, and, a tick later, with the words, its modulus."""
        held, bank = Signal(name=f"held{part}"), Signal(name=f"bank{part}")
        module.d.comb += bank.eq(Mux(token[0], token[1], held))
        module.d.sync += held.eq(bank)
        return bank, Array(self.moduli[part])[later(module, bank, 1, f"bank{part}")]

    def _stage(
        self, module: Module, platform: Any, s: int, words: list[Value], token: Value, *, inverse: bool
    ) -> tuple[list[Value], Value]:
        """Stage s, whose 2^s groups have a twiddle each, and the commutator after it."""
        n, bits = self.design.log_degree, self.design.word_bits
        part = 2 * n - s if inverse else s
        label = f"{'inverse' if inverse else 'forward'}{s}"
        bank, modulus = self._modulus(module, part, token)
        twiddle = self._table(module, platform, s, token, bank, label, inverse)
        butterfly = self.inverse[s] if inverse else self.forward
        distance = self.design.degree >> (s + 1 if inverse else s + 2)
        commutes = s != (0 if inverse else n - 1)
        token = delayed(module, platform, token, butterfly.latency, f"{label}_token")
        start = later(module, token[0], 1, f"{label}_start")
        results: list[Value] = []
        for pair in range(len(words) // 2):
            u, v = words[2 * pair : 2 * pair + 2]
            # The mirrored group's twiddle is minus the inverse one: so u and v change places.
            inputs = {"u": v if inverse else u, "v": u if inverse else v, "w": twiddle, "modulus": modulus}
            made = place(module, platform, butterfly, f"{label}_butterfly{pair}", inputs)
            mine = [made["x"], made["y"]]
            if commutes:
                inputs = {"x0": mine[0], "x1": mine[1], "start": start}
                made = place(module, platform, Commutator(distance, bits), f"{label}_commutator{pair}", inputs)
                mine = [made["y0"], made["y1"]]
            results += mine
        if commutes:
            token = delayed(module, platform, token, distance, f"{label}_commuted")
        return results, token

    def _table(
        self, module: Module, platform: Any, s: int, token: Value, bank: Value, label: str, inverse: bool
    ) -> Value:
        """The twiddles of stage s, twice; the one for the pair that comes in is there one tick later."""
        n, last = self.design.log_degree, s == self.design.log_degree - 1
        number = (INVERSE_PORT if inverse else FORWARD_PORT) + last
        where = self.table_address(number)
        following, count = Signal(n - 1, name=f"{label}_following"), Signal(n - 1, name=f"{label}_count")
        module.d.comb += count.eq(Mux(token[0], 0, following))
        module.d.sync += following.eq(count + 1)
        inputs = {
            "read": Cat(count[n - 1 - s :], bank),
            "write": Cat(where[:s], self.port["table_bank"][number]),
            "enable": self.port["table_enable"][number] & (where[s:] == 1),
            "data": self.word("table_data", number),
        }
        return place(module, platform, Bank(2 << s, self.design.word_bits), f"{label}_table", inputs)["q"]

    def _products(self, module: Module, platform: Any, words: list[Value], token: Value) -> tuple[list[Value], Value]:
        """The products of what the forward transforms left, times R^-1."""
        _, modulus = self._modulus(module, self.design.log_degree, token)
        results: list[Value] = []
        for lane in range(2):
            inputs = self.multiplier.inputs(words[lane], words[2 + lane], modulus)
            results.append(place(module, platform, self.multiplier, f"product{lane}", inputs)["y"])
        return results, delayed(module, platform, token, self.multiplier.latency, "products_token")


def _slots(first: NDArray[np.int64], last: NDArray[np.int64], period: int) -> NDArray[np.int64]:
    """For each word a tick in [first, last], such that a port has one word a tick, with a product every ``period``.

    Word q has slot c + q of the period, for the first c that serves all.
    """
    order = np.arange(len(first), dtype=np.int64)
    for turn in range(period):
        offset = first + (order + turn - first) % period
        if np.all(offset <= last):
            return offset
    raise AssertionError("words cannot all be written in time")
