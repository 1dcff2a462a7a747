# SPDX-License-Identifier: Apache-2.0
"""How the streams of a kernel become a module: registers, delays where streams meet, instances of other blocks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from amaranth.hdl import Assert, Module, Signal, Value

from ..blocks.block import place, shape_of
from ..blocks.delay import DelayLine

if TYPE_CHECKING:
    from .flow import Kernel, Stream

#: Delays of at least this many ticks are kept in memory, shorter ones in registers.
MEMORY_DELAY = 32


def latest(operands: tuple[Stream, ...]) -> int | None:
    """When the last of the operands is there; None if none of them ever changes."""
    return max((stream.latency for stream in operands if stream.latency is not None), default=None)


@dataclass(frozen=True)
class Checking:
    """The platform for simulations that check every claim of `Stream.within`: elaborate a kernel on it yourself,
    ``Simulator(Fragment.get(kernel, Checking()))``, and give it inputs from the first tick on."""

    start: int = 0


class Elaboration:
    """One walk over a kernel's streams that makes its module."""

    def __init__(self, kernel: Kernel, platform: Any) -> None:
        self.kernel, self.platform = kernel, platform
        self.module = Module()
        self.values: dict[int, Any] = {}
        self.placed: dict[int, dict[str, Signal]] = {}
        self.later: dict[tuple[int, int], Any] = {}
        self.lines = 0
        self.counter: Signal | None = None

    def run(self) -> Module:
        for stream in self.kernel.live():
            self.values[id(stream)] = self.value(stream)
        for name, stream in self.kernel.results.items():
            lag = self.kernel.latency - stream.latency if stream.latency is not None else 0
            self.module.d.comb += self.kernel.port[name].eq(self.delay(stream, lag))
        return self.module

    def value(self, stream: Stream) -> Any:
        if stream.offset:
            return self.delay(stream.operands[0], stream.offset)
        if stream.placed is not None:
            return self.put(stream)
        if stream.rule is None and not stream.operands:
            return self.kernel.port[stream.label]
        operands = [self.delay(operand, self.lag(stream, operand)) for operand in stream.operands]
        if stream.rule is None:
            (value,) = operands
            self.check(stream, value)
        else:
            value = Value.cast(stream.rule(*operands))
        result = Signal(shape_of(stream.low, stream.high), name=f"s{len(self.values)}")
        (self.module.d.sync if stream.ticks else self.module.d.comb).__iadd__(result.eq(value))
        return result

    def check(self, stream: Stream, value: Any) -> None:
        """Stops a checking simulation where the stream leaves its range; before its first input it may."""
        if isinstance(self.platform, Checking):
            message = f"{self.kernel.name}: a stream left [{stream.low}, {stream.high}]"
            early = self.age() < self.platform.start + (stream.latency or 0)
            self.module.d.sync += Assert(early | ((value >= stream.low) & (value <= stream.high)), message)

    def age(self) -> Signal:
        """Ticks since the simulation began, up to when the kernel's first outputs come."""
        if self.counter is None:
            last = self.platform.start + self.kernel.latency
            self.counter = Signal(range(last + 1), name="age")
            with self.module.If(self.counter < last):
                self.module.d.sync += self.counter.eq(self.counter + 1)
        return self.counter

    @staticmethod
    def lag(stream: Stream, operand: Stream) -> int:
        if operand.latency is None:
            return 0
        last = latest(stream.operands)
        return (last or 0) - operand.latency

    def put(self, stream: Stream) -> Any:
        assert stream.placed is not None
        block, label, output = stream.placed
        if output:
            return self.placed[id(stream.operands[0])][output]
        assert stream.rule is not None
        inputs = {
            name: self.delay(operand, self.lag(stream, operand))
            for name, operand in zip(stream.rule(), stream.operands, strict=True)
        }
        platform = self.platform
        if isinstance(platform, Checking):
            platform = Checking(platform.start + (stream.latency or 0))
        self.placed[id(stream)] = place(self.module, platform, block, label, inputs)
        return None

    def delay(self, stream: Stream, ticks: int) -> Any:
        if ticks == 0:
            return self.values[id(stream)]
        known = self.later.get((id(stream), ticks))
        if known is not None:
            return known
        shape = shape_of(stream.low, stream.high)
        if ticks >= MEMORY_DELAY:
            line = DelayLine(shape.width, ticks)
            self.lines += 1
            inputs = {"x": self.values[id(stream)]}
            out = place(self.module, self.platform, line, f"delay{self.lines}", inputs)["y"]
            value = out.as_signed() if stream.signed else out
        else:
            value = Signal(shape, name=f"s{len(self.values)}_later{ticks}")
            self.module.d.sync += value.eq(self.delay(stream, ticks - 1))
        self.later[(id(stream), ticks)] = value
        return value
