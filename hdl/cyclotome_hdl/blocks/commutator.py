# SPDX-License-Identifier: Apache-2.0
"""Between the stages of a streaming transform: the words that meet next are brought together."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Module, Mux, Signal, Value

from .block import Block, place
from .control import later
from .delay import DelayLine


def delayed(module: Module, platform: Any, value: Value, ticks: int, label: str) -> Value:
    """The value as it was ``ticks`` before: from memory where that is more than a few."""
    if ticks < 8:
        return later(module, value, ticks, label)
    return place(module, platform, DelayLine(len(value), ticks), label, {"x": value})["y"]


class Commutator(Block):
    """Two lanes in which words a stride of 2D apart come together, turned into two where words D apart do, or back.

    ``start`` is 1 with the first pair of a polynomial; D = ``distance`` ticks later its first pair leaves. Of each 2D
    ticks the first D words of the lower lane leave on the upper one, and the last D of the upper one on the lower one.
    """

    def __init__(self, distance: int, bits: int) -> None:
        super().__init__(f"commutator_{distance}_{bits}")
        self.distance, self.bits = distance, bits
        self.declare("start", 0, 1)
        for name in ("x0", "x1"):
            self.declare(name, 0, 2**bits - 1)
        for name in ("y0", "y1"):
            self.declare(name, 0, 2**bits - 1, is_output=True)

    def elaborate(self, platform: Any) -> Module:
        module, port = Module(), self.port
        following, count = Signal(range(2 * self.distance)), Signal(range(2 * self.distance))
        module.d.comb += count.eq(Mux(port["start"], 0, following))
        module.d.sync += following.eq(count + 1)
        crossing = count[-1]
        waiting = delayed(module, platform, port["x1"], self.distance, "lower")
        upper = Signal(self.bits)
        module.d.comb += upper.eq(Mux(crossing, waiting, port["x0"]))
        module.d.comb += port["y1"].eq(Mux(crossing, port["x0"], waiting))
        module.d.comb += port["y0"].eq(delayed(module, platform, upper, self.distance, "upper"))
        return module
