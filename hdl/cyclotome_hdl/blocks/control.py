# SPDX-License-Identifier: Apache-2.0
"""Small pieces that sequencers share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from amaranth.hdl import Const, Module, Mux, Signal, Value, unsigned


def later(module: Module, value: Any, ticks: int, name: str) -> Value:
    """The value as it was ``ticks`` before, through registers."""
    current = Value.cast(value)
    for tick in range(ticks):
        register = Signal(unsigned(len(current)), name=f"{name}_later{tick + 1}")
        module.d.sync += register.eq(current)
        current = register
    return current


def fold(value: Value, width: int) -> Value:
    """The XOR of the digits of ``width`` bits; one to one on each window of ``width`` neighbouring bits."""
    result: Value = Const(0, width)
    for start in range(0, len(value), width):
        result = result ^ value[start : start + width]
    return result[:width]


def exchanged(module: Module, words: Sequence[Value], distance: Value, name: str) -> list[Value]:
    """result[i] = words[i ^ distance], in one layer of multiplexers for each bit of the distance."""
    result = list(words)
    for bit in range(len(distance)):
        step = 1 << bit
        layer = [Signal(len(word), name=f"{name}_{bit}_{i}") for i, word in enumerate(result)]
        module.d.comb += [layer[i].eq(Mux(distance[bit], result[i ^ step], result[i])) for i in range(len(layer))]
        result = list(layer)
    return result


def rotated(index: int, count: int, width: int) -> int:
    """The ``width``-bit index turned left by ``count`` bits."""
    count %= width
    return (index << count | index >> (width - count)) & ((1 << width) - 1)


def selected(words: Sequence[Value], index: Value) -> Value:
    """words[index]; there are 2^len(index) words."""
    result = list(words)
    for bit in range(len(index)):
        result = [Mux(index[bit], odd, even) for even, odd in zip(result[::2], result[1::2], strict=True)]
    return result[0]
