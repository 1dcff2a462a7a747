# SPDX-License-Identifier: Apache-2.0
"""One memory block with a port to read and a port to write."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Module, unsigned
from amaranth.lib.memory import Memory

from .block import Block


class Bank(Block):
    """``words`` words of ``width`` bits: ``q`` stood at ``read`` one tick before; ``data`` goes to ``write``."""

    def __init__(self, words: int, width: int) -> None:
        super().__init__(f"bank_{words}x{width}")
        self.words, self.width = words, width
        self.declare("read", 0, words - 1)
        self.declare("write", 0, words - 1)
        self.declare("enable", 0, 1)
        self.declare("data", 0, 2**width - 1)
        self.declare("q", 0, 2**width - 1, is_output=True)

    def elaborate(self, platform: Any) -> Module:
        module = Module()
        module.submodules.memory = memory = Memory(shape=unsigned(self.width), depth=self.words, init=[])
        write, read = memory.write_port(), memory.read_port(transparent_for=())
        module.d.comb += [
            write.addr.eq(self.port["write"]),
            write.data.eq(self.port["data"]),
            write.en.eq(self.port["enable"]),
            read.addr.eq(self.port["read"]),
            read.en.eq(1),
            self.port["q"].eq(read.data),
        ]
        return module
