# SPDX-License-Identifier: Apache-2.0
"""Kernels: circuits written as arithmetic on streams.

A `Stream` stands for one integer each tick. It knows the exact range of that integer, from which the width of its
wires follows, and its latency: how many ticks after the kernel's inputs it comes. Where streams meet, the earlier
ones are delayed, so that a kernel reads like a formula and no register is counted by hand::

    class Difference(Kernel):                   # (a - b) mod p
        def __init__(self, bits):
            super().__init__(f"difference_{bits}")
            top = 2**bits - 1
            a, b, p = self.input("a", 0, top), self.input("b", 0, top), self.static("p", 0, top)
            d = a - b
            self.output("y", (d + p.masked(d.negative)).within(0, top))

Sums and products of streams take ticks; cutting, joining and choosing bits does not. ``back(x, d)`` is x as it was d
ticks before (a stream offset of dataflow languages). The list of operations that makes the circuit also makes its
drawing (`cyclotome_hdl.verilog.drawing`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from amaranth.hdl import Cat, Const, Module, Mux
from cyclotome.errors import ArgumentError

from ..blocks.block import Block, shape_of
from .elaboration import Elaboration, latest

#: Sums of more bits than this are made in two ticks or more, so that no carry runs farther in one.
CARRY = 68

#: Such sums are made from slices of this many bits, the lowest first.
CARRY_SLICE = 64


@dataclass(frozen=True, eq=False)
class Stream:
    """One integer in [low, high] each tick, ``latency`` ticks after the inputs (None: it never changes)."""

    kernel: Kernel = field(repr=False)
    label: str
    low: int
    high: int
    latency: int | None
    operands: tuple[Stream, ...] = field(default=(), repr=False)
    ticks: int = 0
    rule: Callable[..., Any] | None = field(default=None, repr=False)
    offset: int = 0
    placed: tuple[Block, str, str] | None = field(default=None, repr=False)  # block, label, name of the output

    @property
    def width(self) -> int:
        return int(shape_of(self.low, self.high).width)

    @property
    def signed(self) -> bool:
        return self.low < 0

    def __add__(self, other: Stream | int) -> Stream:
        return add(self, self.kernel.stream(other))

    def __radd__(self, other: int) -> Stream:
        return add(self.kernel.stream(other), self)

    def __sub__(self, other: Stream | int) -> Stream:
        return subtract(self, self.kernel.stream(other))

    def __rsub__(self, other: int) -> Stream:
        return subtract(self.kernel.stream(other), self)

    def __rshift__(self, count: int) -> Stream:
        """The floor of x / 2^count; takes no tick."""
        count = min(count, self.width - 1) if self.signed else count
        if count >= self.width:
            return self.kernel.constant(0)
        cut = self.low >> count, self.high >> count
        signed = self.signed
        return self.kernel.wire(f">>{count}", *cut, (self,), lambda x: x[count:].as_signed() if signed else x[count:])

    def __lshift__(self, count: int) -> Stream:
        """x 2^count; takes no tick."""
        if count == 0:
            return self
        signed = self.signed

        def rule(x: Any) -> Any:
            joined = Cat(Const(0, count), x)
            return joined.as_signed() if signed else joined

        return self.kernel.wire(f"<<{count}", self.low << count, self.high << count, (self,), rule)

    def bits(self, start: int, stop: int) -> Stream:
        """Bits start … stop - 1 of the two's complement, as an unsigned integer; takes no tick."""
        if not self.signed:
            stop = min(stop, self.width)
            if start >= stop:
                return self.kernel.constant(0)
        if stop > self.width:
            raise ArgumentError(f"bits {start}…{stop - 1} of a signed stream of {self.width} bits; extend it first")
        whole = start == 0 and not self.signed and stop >= self.width
        top = (
            self.high
            if whole
            else min(self.high >> start, 2 ** (stop - start) - 1)
            if not self.signed
            else (2 ** (stop - start) - 1)
        )
        return self if whole else self.kernel.wire(f"[{stop - 1}:{start}]", 0, top, (self,), lambda x: x[start:stop])

    @property
    def negative(self) -> Stream:
        """1 where x < 0, else 0; takes no tick."""
        if not self.signed:
            return self.kernel.constant(0)
        return self.kernel.wire("<0", 0, 1, (self,), lambda x: x[-1])

    def masked(self, condition: Stream) -> Stream:
        """x where the condition is 1, else 0; takes no tick."""
        return self.kernel.wire(
            "and", min(0, self.low), max(0, self.high), (condition, self), lambda c, x: Mux(c, x, 0)
        )

    def within(self, low: int, high: int) -> Stream:
        """The same integers, known to lie in [low, high]. Takes no tick.

        Simulations on the platform `cyclotome_hdl.kernels.elaboration.Checking` stop where that is not true.
        """
        low, high = max(low, self.low), min(high, self.high)
        if (low, high) == (self.low, self.high):
            return self
        return self.kernel.wire("within", low, high, (self,), None)

    def delayed(self, ticks: int = 1) -> Stream:
        """The same integers, later."""
        stream = self
        for _ in range(ticks):
            stream = self.kernel.operation("=", self.low, self.high, (stream,), lambda x: x)
        return stream


def choose(condition: Stream, yes: Stream | int, no: Stream | int) -> Stream:
    """``yes`` where the condition is 1, else ``no``; takes no tick."""
    kernel = condition.kernel
    first, second = kernel.stream(yes), kernel.stream(no)
    low, high = min(first.low, second.low), max(first.high, second.high)
    return kernel.wire("choose", low, high, (condition, first, second), lambda c, x, y: Mux(c, x, y))


def join(low: Stream, high: Stream, width: int) -> Stream:
    """low + high 2^width for an unsigned ``low`` below 2^width; takes no tick."""
    if low.signed or low.width > width:
        raise ArgumentError(f"a lower part in [{low.low}, {low.high}] does not fit into {width} unsigned bits")
    signed = high.signed
    shape = shape_of(0, 2**width - 1)

    def rule(x: Any, y: Any) -> Any:
        joined = Cat(x, Const(0, shape.width - len(x)), y) if len(x) < shape.width else Cat(x, y)
        return joined.as_signed() if signed else joined

    if high.low == high.high == 0:
        return low
    bounds = low.low + (high.low << width), low.high + (high.high << width)
    return low.kernel.wire("join", *bounds, (low, high), rule)


def back(stream: Stream, ticks: int) -> Stream:
    """The stream as it was ``ticks`` before: y(t) = x(t - ticks). Before that it is 0."""
    if ticks < 1:
        raise ArgumentError(f"back({ticks}): a stream can be looked back on, by 1 tick or more")
    kernel = stream.kernel
    return kernel.append(
        Stream(
            kernel, f"back {ticks}", min(0, stream.low), max(0, stream.high), stream.latency, (stream,), offset=ticks
        )
    )


def add(x: Stream, y: Stream) -> Stream:
    """x + y: one tick, or more where the carry would run over more than CARRY bits."""
    return _sum(False, x, y, None, x.low + y.low, x.high + y.high)


def subtract(x: Stream, y: Stream) -> Stream:
    """x - y: one tick, or more where the carry would run over more than CARRY bits."""
    return _sum(True, x, y, None, x.low - y.high, x.high - y.low)


def _sum(minus: bool, x: Stream, y: Stream, carry: Stream | None, low: int, high: int) -> Stream:
    kernel, label = x.kernel, "−" if minus else "+"
    carried = () if carry is None else (carry,)

    def rule(a: Any, b: Any, *c: Any) -> Any:
        return sum(c, a - b if minus else a + b)

    if shape_of(low, high).width <= CARRY:
        return kernel.operation(label, low, high, (x, y, *carried), rule)
    top, half = 2**CARRY_SLICE - 1, CARRY_SLICE
    bounds: tuple[int, int] = (-top - 1, top) if minus else (0, 2 * top + 1)
    lower = kernel.operation(label, bounds[0], bounds[1], (low_bits(x, half), low_bits(y, half), *carried), rule)
    upper = _sum(minus, x >> half, y >> half, lower >> half, (low >> half) - 1, (high >> half) + 1)
    return join(lower.bits(0, half), upper, half).within(low, high)


def low_bits(x: Stream, width: int) -> Stream:
    """x mod 2^width, whatever its sign; takes no tick."""
    if not x.signed or x.width >= width:
        return x.bits(0, width)
    return x.kernel.wire(f"[{width - 1}:0]", 0, 2**width - 1, (x,), lambda a: a)


class Kernel(Block):
    """A block that is a formula on streams: call `input`, `static`, arithmetic and `output` in ``__init__``."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.streams: list[Stream] = []
        self.results: dict[str, Stream] = {}

    def append(self, stream: Stream) -> Stream:
        self.streams.append(stream)
        return stream

    def input(self, name: str, low: int, high: int) -> Stream:
        """A port that brings one integer in [low, high] each tick."""
        self.declare(name, low, high)
        return self.append(Stream(self, name, low, high, 0))

    def static(self, name: str, low: int, high: int) -> Stream:
        """A port whose value stays as it is while a computation runs, so that it need not be delayed."""
        self.declare(name, low, high)
        return self.append(Stream(self, name, low, high, None))

    def constant(self, value: int) -> Stream:
        return self.append(
            Stream(self, str(value), value, value, None, rule=lambda: Const(value, shape_of(value, value)))
        )

    def stream(self, value: Stream | int) -> Stream:
        return value if isinstance(value, Stream) else self.constant(value)

    def output(self, name: str, stream: Stream) -> None:
        """A port that brings the stream out; all outputs come at the same tick."""
        self.declare(name, stream.low, stream.high, is_output=True)
        self.results[name] = stream

    @property
    def latency(self) -> int:
        """Ticks from the inputs to the outputs that belong to them."""
        return max((stream.latency or 0 for stream in self.results.values()), default=0)

    def live(self) -> list[Stream]:
        """The streams that an output depends on, operands first."""
        wanted = {id(stream) for stream in self.results.values()}
        for stream in reversed(self.streams):
            if id(stream) in wanted:
                wanted.update(id(operand) for operand in stream.operands)
        return [stream for stream in self.streams if id(stream) in wanted]

    def wire(self, label: str, low: int, high: int, operands: tuple[Stream, ...], rule: Any) -> Stream:
        """A function of streams that takes no tick."""
        return self.append(Stream(self, label, low, high, latest(operands), operands, 0, rule))

    def operation(self, label: str, low: int, high: int, operands: tuple[Stream, ...], rule: Any) -> Stream:
        """A function of streams, registered: it takes one tick."""
        last = latest(operands)
        return self.append(Stream(self, label, low, high, None if last is None else last + 1, operands, 1, rule))

    def place(self, block: Kernel, label: str, inputs: Mapping[str, Stream]) -> dict[str, Stream]:
        """Puts another kernel into this one; returns its outputs by name."""
        names, operands = tuple(inputs), tuple(inputs.values())
        for name, stream in inputs.items():
            port = block.declared.get(name)
            if port is not None and (stream.low < port.low or stream.high > port.high):
                raise ArgumentError(
                    f"{block.name}.{name} takes [{port.low}, {port.high}]; "
                    f"the stream lies in [{stream.low}, {stream.high}]"
                )
        last = latest(operands)
        latency = (last or 0) + block.latency
        anchor = self.append(Stream(self, label, 0, 0, last, operands, rule=lambda: names, placed=(block, label, "")))
        return {
            port.name: self.append(
                Stream(self, port.name, port.low, port.high, latency, (anchor,), placed=(block, label, port.name))
            )
            for port in block.outputs
        }

    def elaborate(self, platform: Any) -> Module:
        return Elaboration(self, platform).run()
