# SPDX-License-Identifier: Apache-2.0
"""A design of transforms in a device's name: "cpu/d5", "cuda:0/dgt". The bits are the same; what is timed is not."""

from __future__ import annotations

from .. import _core
from ..errors import ArgumentError, EngineError
from ..parameters.parameters import Parameters

__all__ = ["FORM", "NTT", "design_of", "full_name", "names", "prepare"]

#: What follows the device's own name, for messages.
FORM = "/<transform>"
#: The device's own transform: no name is as good.
NTT = "ntt"


def names() -> tuple[str, ...]:
    """The names there are, the device's own transform first."""
    return (NTT, *(name for name, _, _ in _core.transform_designs()))


def full_name(device: str) -> str:
    """A device's name with a design in its one full form: that of the device alone for the device's own transform.

    Raises:
        EngineError: there is no such design; the message lists those there are.
    """
    plain, _, design = device.partition("/")
    if design not in names():
        raise EngineError(f"device {device!r}: there is no transform {design!r}; there are {', '.join(names())}")
    return plain if design == NTT else device


def design_of(device: str) -> str:
    """The design in the full name of a device; empty for the device's own transform."""
    return device.partition("/")[2]


def prepare(device: str, engine: _core.Engine, parameters: Parameters) -> None:
    """Refuses parameters whose polynomials the design of a device can't transform.

    Raises:
        EngineError: it can't; the message has the limits.
    """
    if "/" not in device:
        return
    design = design_of(device)
    if parameters.native.cyclotomic:
        raise EngineError(f"device {device!r}: transform designs are for rings modulo x^n + 1; leave the design out")
    try:
        _core.require_transform_design(design, parameters.degree, parameters.native.word)
    except ArgumentError as error:
        raise EngineError(f"device {device!r}: {error}") from error
