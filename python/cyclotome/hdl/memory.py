# SPDX-License-Identifier: Apache-2.0
"""Memories as blocks of their own, so that reports count their bits instead of synthesising them."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Module, unsigned
from amaranth.lib.memory import Memory

from cyclotome.errors import ArgumentError

from .block import Block


class Ram(Block):
    """``depth`` words of ``width`` bits, with one port to write and one to read; zero at the start.

    Ports: ``write_enable``, ``write_address``, ``write_data``; ``read_address``, ``read_data``. A word that is read
    comes at the next tick; if it is written in the same tick, the old word comes. This is what a block of memory of an
    FPGA does; a table with two readers is two of these, written together.
    """

    latency = 1

    def __init__(self, width: int, depth: int) -> None:
        if width < 1 or depth < 2:
            raise ArgumentError(f"a memory of {depth} words of {width} bits: it needs two words of one bit at least")
        super().__init__(f"ram_{width}x{depth}")
        self.width, self.depth = width, depth
        self.declare("write_enable", 0, 1)
        self.declare("write_address", 0, depth - 1)
        self.declare("write_data", 0, 2**width - 1)
        self.declare("read_address", 0, depth - 1)
        self.declare("read_data", 0, 2**width - 1, is_output=True)

    def elaborate(self, platform: Any) -> Module:
        module = Module()
        module.submodules.memory = memory = Memory(shape=unsigned(self.width), depth=self.depth, init=[])
        write, read = memory.write_port(), memory.read_port(transparent_for=())
        module.d.comb += [
            write.en.eq(self.port["write_enable"]),
            write.addr.eq(self.port["write_address"]),
            write.data.eq(self.port["write_data"]),
            read.en.eq(1),
            read.addr.eq(self.port["read_address"]),
            self.port["read_data"].eq(read.data),
        ]
        return module
