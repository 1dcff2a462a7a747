# SPDX-License-Identifier: Apache-2.0
"""The device "fpga:sim": what its name can say, and how its engine gets circuits."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .. import _core
from ..errors import EngineError
from ..extras import FPGA
from ..parameters.parameters import Parameters

__all__ = ["DESIGNS", "FORMS", "Options", "full_name", "open_circuit", "open_engine", "options_of", "prepare", "state"]

FORMS = "'fpga:sim', 'fpga:sim:<option>=<value>,...'"

#: The circuits there are: the thesis's two (paper 004) and this project's two.
DESIGNS = ("pease", "cooley-tukey", "iterative", "streaming")
MODES = ("product", "transform")
#: What its multipliers can reduce by with any number of primes: Montgomery's way, and the thesis's (Algorithm 8).
REDUCTIONS = ("montgomery", "fold")


@dataclass(frozen=True)
class Options:
    """What the name of an FPGA device says after "fpga:sim:", as ``key=value`` with commas between.

    Attributes:
        design: "iterative" or "streaming" (this project's), "pease" or "cooley-tukey" (paper 004's).
        pipes: parallel lanes, 1, 2, 4, ...; which ones a design takes is the design's.
        reduction: of the multipliers: "montgomery" takes any primes; "fold", paper 004's Algorithm 8, those that are
            2^(bits-1) + c with c below 2^32 (`cyclotome_study.ProductContext.generate` with ``search="above"``).
        bits: the circuit's words; its primes lie below 2^bits.
        mode: "product": whole products of polynomials run on the circuit, as in paper 004; "transform": the transforms
            do, and products of what is kept transformed are the processor's.
        boards: in the account of time; primes go to them in turn (paper 004, Figure 5.8).
        clock: of the circuit in MHz: an assumption, no measurement. 100 is that of paper 004's largest circuit; its
            smaller ones have 180.
        link: gigabytes per second between processor and boards, which all share it. 4 is PCI Express gen2 x8 before
            what drivers take; paper 004's 310 microseconds for a product are 2.5.
        library: a shared library with the interface of src/cyclotome/engine/fpga/circuit_abi.h, to use in place of a
            model that is built from the design: a driver of real boards, say. Its path has no comma.
    """

    design: str = "iterative"
    pipes: int = 1
    reduction: str = "montgomery"
    bits: int = 63
    mode: str = "product"
    boards: int = 1
    clock: float = 100.0
    link: float = 4.0
    library: str = ""

    def name(self) -> str:
        """The full name of the device: every option that is not the default, in this order."""
        given = [
            f"{field.name}={_text(getattr(self, field.name))}"
            for field in dataclasses.fields(self)
            if getattr(self, field.name) != field.default
        ]
        return ":".join(["fpga:sim", *([",".join(given)] if given else [])])


def _text(value: object) -> str:
    return f"{value:.12g}" if isinstance(value, float) else str(value)


def _refused(device: object, why: str) -> EngineError:
    keys = ", ".join(field.name for field in dataclasses.fields(Options))
    return EngineError(f"device {device!r}: {why}. There are {FORMS} with the options {keys}")


def _choice(*choices: str) -> Callable[[str], str | None]:
    return lambda text: text if text in choices else None


def _count(text: str) -> int | None:
    return int(text) if re.fullmatch(r"[1-9][0-9]{0,3}", text) and int(text) <= 1024 else None


def _word(text: str) -> int | None:
    bits = _count(text)
    return bits if bits is not None and 8 <= bits <= 63 else None


def _power_of_two(text: str) -> int | None:
    count = _count(text)
    return count if count is not None and count & (count - 1) == 0 else None


def _positive(text: str) -> float | None:
    return float(text) if re.fullmatch(r"[0-9]{1,6}(\.[0-9]{1,6})?", text) and float(text) > 0 else None


#: How an option's text is read, None where it can't be; and what it must be.
_READ: dict[str, tuple[Callable[[str], Any], str]] = {
    "design": (_choice(*DESIGNS), f"one of {', '.join(DESIGNS)}"),
    "pipes": (_power_of_two, "a power of two up to 1024"),
    "reduction": (_choice(*REDUCTIONS), f"one of {', '.join(REDUCTIONS)}"),
    "bits": (_word, "a whole number from 8 to 63"),
    "mode": (_choice(*MODES), f"one of {', '.join(MODES)}"),
    "boards": (_count, "a whole number from 1 to 1024"),
    "clock": (_positive, "a positive number of MHz below a million"),
    "link": (_positive, "a positive number of GB/s below a million"),
    "library": (lambda text: text or None, "the path of a shared library"),
}


def options_of(device: str) -> Options:
    """The options that a device's name states.

    Raises:
        EngineError: the name is no FPGA device's, or an option is unknown, stated twice or out of its range.
    """
    head, _, rest = device.partition(":sim")
    if head != "fpga" or not device.startswith("fpga:sim") or (rest and not rest.startswith(":")):
        raise _refused(device, "boards are simulated here, so it begins with 'fpga:sim'")
    found: dict[str, Any] = {}
    for item in rest[1:].split(",") if rest else []:
        key, equals, text = item.partition("=")
        if key not in _READ or not equals:
            raise _refused(device, f"option {item!r} is unknown")
        if key in found:
            raise _refused(device, f"option {key!r} stands there twice")
        read, what = _READ[key]
        found[key] = read(text)
        if found[key] is None:
            raise _refused(device, f"{key} is {what}, not {text!r}")
    if "library" in found and {"design", "pipes", "reduction", "bits"} & found.keys():
        raise _refused(device, "a library has its own design, pipes, reduction and words; leave those options out")
    return Options(**found)


def full_name(device: str) -> str:
    """The one full name of the device. Raises EngineError as `options_of`."""
    return options_of(device).name()


def open_engine(device: str) -> _core.Engine:
    """An engine for the device; `prepare` gives it circuits."""
    options = options_of(device)
    host = _core.CpuEngine(0)
    return _core.FpgaEngine(host, name=device, transforms=options.mode == "transform", boards=options.boards)


def prepare(device: str, engine: _core.Engine, parameters: Parameters) -> None:
    """`open_circuit` for the parameters' degree."""
    assert isinstance(engine, _core.FpgaEngine)
    open_circuit(device, engine, parameters.degree)


def open_circuit(device: str, engine: _core.FpgaEngine, degree: int) -> None:
    """Opens the circuit of a degree on the device's engine; builds its model first where there is none yet, which takes
    from seconds to minutes and is kept for later.

    Raises:
        EngineError: no simulator, compiler or generator; the message says what to install.
        ParameterError: the design can't be built with these options.
    """
    if engine.is_open(degree):
        return
    options = options_of(device)
    if options.library:
        engine.open(options.library)
        if not engine.is_open(degree):
            raise _refused(device, f"the library has no circuit for polynomials of degree {degree}")
        return
    circuit = FPGA.load("device").model(options.design, degree, options.pipes, options.reduction, options.bits)
    engine.open(str(circuit))


def state() -> str:
    """ "ready", with what builds circuits here; or what is missing and what to do."""
    try:
        found: str = FPGA.load("device").state()
    except EngineError as error:
        return str(error)
    return found
