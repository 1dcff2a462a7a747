# SPDX-License-Identifier: Apache-2.0
"""Blocks: named modules with ports of known range, which are described once and placed many times.

A block's name stands for its parameters: two blocks of one name are the same circuit. In simulation `place` puts a copy
of the block into the parent; when Verilog is written (`cyclotome_hdl.verilog.emit`), it puts an instance there and
leaves the block's text to be written once.
"""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from amaranth.hdl import ClockSignal, Elaboratable, Fragment, Instance, Module, Shape, Signal, signed, unsigned
from cyclotome.errors import ArgumentError


def shape_of(low: int, high: int) -> Shape:
    """The narrowest shape that holds every integer in [low, high]."""
    if low > high:
        raise ArgumentError(f"the range [{low}, {high}] is empty")
    if low >= 0:
        return unsigned(max(1, high.bit_length()))
    return signed(max((-low - 1).bit_length(), high.bit_length()) + 1)


@dataclass(frozen=True)
class Port:
    """A port and the range of the integers that pass it, both ends included."""

    name: str
    low: int
    high: int
    is_output: bool

    @property
    def shape(self) -> Shape:
        return shape_of(self.low, self.high)


class Block(Elaboratable, ABC):
    """A module with one clock (``sync``, no reset) and ports of known range.

    Subclasses declare their ports in ``__init__``, make every internal signal in ``elaborate`` (a block is elaborated
    once for each copy of it), and read and drive ``self.port[name]`` there.
    """

    # A block may be described and never placed; Amaranth need not warn of that.
    _MustUse__silence = True

    def __init__(self, name: str) -> None:
        self.name = name
        self.declared: dict[str, Port] = {}
        self.port: dict[str, Signal] = {}

    def declare(self, name: str, low: int, high: int, *, is_output: bool = False) -> Signal:
        """Adds a port for integers in [low, high]."""
        if name in self.declared:
            raise ArgumentError(f"{self.name} has a port {name} already; choose another name")
        port = Port(name, low, high, is_output)
        self.declared[name] = port
        self.port[name] = Signal(port.shape, name=name)
        return self.port[name]

    @property
    def outputs(self) -> list[Port]:
        return [port for port in self.declared.values() if port.is_output]

    def duplicate(self) -> Block:
        """The same circuit with ports of its own."""
        other = copy.copy(self)
        other.port = {name: Signal(port.shape, name=name) for name, port in self.declared.items()}
        return other

    @abstractmethod
    def elaborate(self, platform: Any) -> Module:
        """The circuit behind the ports."""


class Definitions:
    """Blocks that are written once each and instantiated by name."""

    def __init__(self) -> None:
        self.blocks: dict[str, Block] = {}
        self.placed: dict[str, Counter[str]] = {}  # block -> how often it holds which other block

    def within(self, name: str) -> Writing:
        """The platform on which the block ``name`` is elaborated: it notes what that block holds."""
        self.placed[name] = Counter()
        return Writing(self, self.placed[name])

    def instances(self, top: str) -> Counter[str]:
        """How often each block occurs in ``top``, itself included, through all levels."""
        total: Counter[str] = Counter({top: 1})
        for name, count in self.placed[top].items():
            for inner, times in self.instances(name).items():
                total[inner] += count * times
        return total

    def define(self, block: Block) -> None:
        known = self.blocks.setdefault(block.name, block)
        if known.declared != block.declared:
            raise ArgumentError(f"two different blocks are called {block.name}; a name must stand for all parameters")


@dataclass(frozen=True)
class Writing:
    """The platform that `Block.elaborate` gets when text is written: other blocks become instances."""

    definitions: Definitions
    holds: Counter[str]

    def add(self, block: Block) -> None:
        self.definitions.define(block)
        self.holds[block.name] += 1


def place(module: Module, platform: Any, block: Block, label: str, inputs: Mapping[str, Any]) -> dict[str, Signal]:
    """Puts ``block`` into ``module`` and connects its inputs; returns its output signals by name.

    ``platform`` is what ``elaborate`` was given. ``inputs`` must name every input port of the block.
    """
    wanted = {port.name for port in block.declared.values() if not port.is_output}
    if set(inputs) != wanted:
        raise ArgumentError(f"{block.name} has the inputs {sorted(wanted)}; given were {sorted(inputs)}")
    if isinstance(platform, Writing):
        platform.add(block)
        driven = {name: Signal(block.declared[name].shape, name=f"{label}_{name}") for name in inputs}
        module.d.comb += [driven[name].eq(value) for name, value in inputs.items()]
        results = {port.name: Signal(port.shape, name=f"{label}_{port.name}") for port in block.outputs}
        connections: dict[str, Any] = {f"i_{name}": signal for name, signal in driven.items()}
        connections |= {f"o_{name}": signal for name, signal in results.items()}
        module.submodules[label] = Instance(block.name, i_clk=ClockSignal("sync"), **connections)
        return results
    duplicate = block.duplicate()
    module.submodules[label] = Fragment.get(duplicate, platform)
    module.d.comb += [duplicate.port[name].eq(value) for name, value in inputs.items()]
    return {port.name: duplicate.port[port.name] for port in block.outputs}
