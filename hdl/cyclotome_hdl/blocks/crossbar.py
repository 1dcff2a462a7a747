# SPDX-License-Identifier: Apache-2.0
"""The permutations between memory banks and the lanes of butterflies."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Module, Mux, Signal, Value

from .block import Block
from .control import exchanged, rotated


class Crossbar(Block):
    """2^k words, permuted as the low bits of addresses are; no tick.

    To the lanes: y[l] = x[(l turned left by ``turn``) ^ distance], l an index of k bits. To the banks: the inverse.
    """

    def __init__(self, k: int, bits: int, *, to_lanes: bool) -> None:
        super().__init__(f"crossbar_{k}_{bits}_{'lanes' if to_lanes else 'banks'}")
        self.k, self.bits, self.to_lanes = k, bits, to_lanes
        self.declare("distance", 0, 2**k - 1)
        self.declare("turn", 0, k - 1)
        for i in range(2**k):
            self.declare(f"x{i}", 0, 2**bits - 1)
            self.declare(f"y{i}", 0, 2**bits - 1, is_output=True)

    def elaborate(self, platform: Any) -> Module:
        module = Module()
        words: list[Value] = [self.port[f"x{i}"] for i in range(2**self.k)]
        if self.to_lanes:
            words = self._turned(module, exchanged(module, words, self.port["distance"], "exchanged"), 1)
        else:
            words = exchanged(module, self._turned(module, words, -1), self.port["distance"], "exchanged")
        module.d.comb += [self.port[f"y{i}"].eq(word) for i, word in enumerate(words)]
        return module

    def _turned(self, module: Module, words: list[Value], direction: int) -> list[Value]:
        """result[i] = words[i turned by ``direction`` times ``turn``]."""
        result: list[Value] = []
        for place in range(len(words)):
            value = words[place]
            for count in range(1, self.k):
                source = rotated(place, direction * count, self.k)
                if source != place:
                    value = Mux(self.port["turn"] == count, words[source], value)
            result.append(Signal(self.bits, name=f"turned{place}"))
            module.d.comb += result[-1].eq(value)
        return result
