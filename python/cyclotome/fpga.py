# SPDX-License-Identifier: Apache-2.0
"""What the circuits of an FPGA device did: products, transforms, clock ticks, bytes and microseconds.

    with cy.fpga.measure(public) as spent:
        x = cy.encrypt(values, public)
    print(spent)

Ticks are counted by the circuits, cycle by cycle; microseconds follow from them and from the clock and the link that
the device's name states (`Options`), which are assumptions.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol

from . import _core
from .devices.contexts import device_name, engine_on
from .devices.fpga import Options, options_of
from .errors import ArgumentError, EngineError

__all__ = ["Measurement", "Options", "Statistics", "measure", "reset", "statistics"]


class OnDevice(Protocol):
    """A key or an array."""

    @property
    def device(self) -> str: ...


@dataclass(frozen=True)
class Statistics:
    """What the circuits of a device did.

    Attributes:
        products: products of two polynomials modulo one prime.
        forwards, inverses: transforms of one polynomial modulo one prime.
        ticks: clock ticks of all boards together.
        critical_ticks: clock ticks with the device's boards working at once, each on its primes: until the last is
            ready.
        loads: how often a board was given the tables of another prime.
        transfer_bytes: between processor and boards: operands, results, and N words for each load.
        clock: MHz, as the device's name states.
        link: GB/s, as the device's name states.
    """

    products: int
    forwards: int
    inverses: int
    ticks: int
    critical_ticks: int
    loads: int
    transfer_bytes: int
    clock: float
    link: float

    @property
    def circuit_us(self) -> float:
        """Microseconds of the critical ticks at the stated clock."""
        return self.critical_ticks / self.clock

    @property
    def transfer_us(self) -> float:
        """Microseconds of the bytes over the stated link, which all boards share."""
        return self.transfer_bytes / (1000 * self.link)

    @property
    def us(self) -> float:
        """Circuits and transfers, one after the other."""
        return self.circuit_us + self.transfer_us

    def __sub__(self, earlier: Statistics) -> Statistics:
        """What was done since ``earlier``, on the same device."""
        if (self.clock, self.link) != (earlier.clock, earlier.link):
            raise ArgumentError("statistics of devices with different clocks or links can't be subtracted")
        names = ("products", "forwards", "inverses", "ticks", "critical_ticks", "loads", "transfer_bytes")
        return Statistics(
            **{name: getattr(self, name) - getattr(earlier, name) for name in names}, clock=self.clock, link=self.link
        )

    def __str__(self) -> str:
        work = [
            f"{count:,} {name}{'' if count == 1 else 's'}"
            for count, name in (
                (self.products, "product"),
                (self.forwards, "forward transform"),
                (self.inverses, "inverse transform"),
            )
            if count
        ]
        return (
            f"{', '.join(work) or 'nothing'}; {self.critical_ticks:,} ticks ({self.ticks:,} on all boards): "
            f"{self.circuit_us:,.0f} µs at {self.clock:g} MHz, and {self.transfer_us:,.0f} µs for "
            f"{self.transfer_bytes:,} bytes at {self.link:g} GB/s"
        )


class Measurement:
    """What is done while `measure` lasts; its attributes are those of `Statistics`, up to now or to the end."""

    def __init__(self, device: str, engine: _core.FpgaEngine) -> None:
        self._device, self._engine = device, engine
        self._start = _read(device, engine)
        self._end: Statistics | None = None

    def stop(self) -> None:
        """What is done from now on is no part of it."""
        self._end = _read(self._device, self._engine)

    @property
    def statistics(self) -> Statistics:
        return (self._end or _read(self._device, self._engine)) - self._start

    def __getattr__(self, name: str) -> int | float:
        if name.startswith("_"):
            raise AttributeError(name)
        value: int | float = getattr(self.statistics, name)
        return value

    def __str__(self) -> str:
        return str(self.statistics)


def statistics(where: str | OnDevice) -> Statistics:
    """What the circuits of a device did since it came into use, or since `reset`.

    A device is in use as long as there are keys or arrays on it.

    Args:
        where: an FPGA device's name, or a key or array on it.

    Raises:
        EngineError: another kind of device.
    """
    return _read(*_engine(where))


def reset(where: str | OnDevice) -> None:
    """Counts from zero from now on. Raises EngineError as `statistics`."""
    _engine(where)[1].reset_statistics()


@contextmanager
def measure(where: str | OnDevice) -> Iterator[Measurement]:
    """Measures a block of statements, this thread's and any other's.

    Example:
        >>> import cyclotome as cy
        >>> with cy.fpga.measure("fpga:sim") as spent:
        ...     pass
        >>> spent.products, spent.us
        (0, 0.0)

    Raises:
        EngineError: ``where`` is no FPGA device and lies on none.
    """
    measurement = Measurement(*_engine(where))
    try:
        yield measurement
    finally:
        measurement.stop()


def _engine(where: str | OnDevice) -> tuple[str, _core.FpgaEngine]:
    device = device_name(where if isinstance(where, str) else where.device)
    engine = engine_on(device)
    if not isinstance(engine, _core.FpgaEngine):
        raise EngineError(f"device {device!r} has no circuits; 'fpga:sim' has")
    return device, engine


def _read(device: str, engine: _core.FpgaEngine) -> Statistics:
    options = options_of(device)
    return Statistics(**engine.statistics(), clock=options.clock, link=options.link)
