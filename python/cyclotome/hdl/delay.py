# SPDX-License-Identifier: Apache-2.0
"""A delay line in memory, for delays that would be too many registers."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Module, Signal, unsigned
from amaranth.lib.memory import Memory

from cyclotome.errors import ArgumentError

from .block import Block


class DelayLine(Block):
    """y(t) = x(t - ticks) for words of ``width`` bits; zero before the first word. ``ticks`` is at least 3."""

    def __init__(self, width: int, ticks: int) -> None:
        if ticks < 3:
            raise ArgumentError(f"a delay line of {ticks} ticks: use registers below 3")
        super().__init__(f"delay_{width}x{ticks}")
        self.width, self.ticks = width, ticks
        self.latency = ticks
        self.declare("x", 0, 2**width - 1)
        self.declare("y", 0, 2**width - 1, is_output=True)

    @property
    def words(self) -> int:
        """Depth of the memory: reading takes one of the ticks."""
        return self.ticks - 1

    def elaborate(self, platform: Any) -> Module:
        module = Module()
        module.submodules.memory = memory = Memory(shape=unsigned(self.width), depth=self.words, init=[])
        write, read = memory.write_port(), memory.read_port(transparent_for=())
        address = Signal(range(self.words))
        module.d.sync += address.eq(0)
        with module.If(address != self.words - 1):
            module.d.sync += address.eq(address + 1)
        module.d.comb += [
            write.addr.eq(address),
            write.data.eq(self.port["x"]),
            write.en.eq(1),
            read.addr.eq(address),
            read.en.eq(1),
            self.port["y"].eq(read.data),
        ]
        return module
