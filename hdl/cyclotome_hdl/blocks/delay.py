# SPDX-License-Identifier: Apache-2.0
"""A delay line in memory, for delays that would be too many registers."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Module, Signal
from cyclotome.errors import ArgumentError

from .bank import Bank
from .block import Block, place


class DelayLine(Block):
    """y(t) = x(t - ticks) for words of ``width`` bits; zero before the first word. ``ticks`` is at least 3."""

    def __init__(self, width: int, ticks: int) -> None:
        if ticks < 3:
            raise ArgumentError(f"a delay line of {ticks} ticks: use registers below 3")
        super().__init__(f"delay_{width}x{ticks}")
        self.latency = ticks
        self.bank = Bank(ticks - 1, width)  # reading takes one of the ticks
        self.declare("x", 0, 2**width - 1)
        self.declare("y", 0, 2**width - 1, is_output=True)

    def elaborate(self, platform: Any) -> Module:
        module = Module()
        address = Signal(range(self.bank.words))
        module.d.sync += address.eq(0)
        with module.If(address != self.bank.words - 1):
            module.d.sync += address.eq(address + 1)
        inputs = {"enable": 1, "write": address, "data": self.port["x"], "read": address}
        module.d.comb += self.port["y"].eq(place(module, platform, self.bank, "bank", inputs)["q"])
        return module
