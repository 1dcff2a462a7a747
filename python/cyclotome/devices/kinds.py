# SPDX-License-Identifier: Apache-2.0
"""The kinds of device there are: what they are called, and how an engine is opened on one.

A new kind is one `DeviceKind` and one entry in `KINDS`; arrays, keys, files and the command line take it from there.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass

from .. import _core
from ..errors import EngineError
from ..parameters.parameters import Parameters
from . import fpga, transform_designs

__all__ = ["CPU", "CUDA", "FPGA", "KINDS", "DeviceKind", "kind_of", "unknown"]


@dataclass(frozen=True)
class DeviceKind:
    """One kind of device; the part of a device's name before the first colon or slash says which."""

    prefix: str
    #: The names it takes, for messages: "'cpu', 'cpu:<threads>'".
    forms: str
    #: The one full name of a device, from a name that a user wrote: equal names share one engine. Raises EngineError
    #: for names that make no sense (`unknown`).
    full_name: Callable[[str], str]
    #: An engine on the device of this full name. Raises EngineError, with advice, where that can't be.
    open: Callable[[str], _core.Engine]
    #: How many threads the engine of the device of this full name serves well at once.
    callers: Callable[[str], int]
    #: Makes an engine of the device of this full name ready for some parameters, where it needs that.
    prepare: Callable[[str, _core.Engine, Parameters], None] | None = None


_CPU = re.compile(r"cpu(?::(?P<threads>[1-9][0-9]{0,3}))?(?P<design>/.*)?")
_CUDA = re.compile(r"cuda(?::(?P<index>0|[1-9][0-9]{0,2}))?(?P<design>/.*)?")


def unknown(device: object) -> EngineError:
    """The error for a name that says no device."""
    forms = ", ".join(kind.forms for kind in KINDS.values())
    return EngineError(f"device {device!r} is unknown; there are {forms} and 'auto'; see `cyclotome doctor`")


def _cpu_name(device: str) -> str:
    match = _CPU.fullmatch(device)
    if not match:
        raise unknown(device)
    return transform_designs.full_name(device) if match["design"] else device


def _open_cpu(device: str) -> _core.Engine:
    match = _CPU.fullmatch(device)
    engine = _core.CpuEngine(int(match["threads"] or 0) if match else 0)
    design = transform_designs.design_of(device)
    return _core.transform_engine(design, engine) if design else engine


def _cpu_callers(device: str) -> int:
    """Each on threads of its own: loops of one engine that has several run one after another."""
    match = _CPU.fullmatch(device)
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, usable // int(match["threads"] or usable)) if match else 1


def _cuda_callers(_device: str) -> int:
    """A stream for each."""
    return int(_core.cuda_streams)


def _one_caller(_device: str) -> int:
    return 1


def _cuda_name(device: str) -> str:
    match = _CUDA.fullmatch(device)
    if not match:
        raise unknown(device)
    name = f"cuda:{match['index'] or 0}"
    return transform_designs.full_name(name + match["design"]) if match["design"] else name


def _open_cuda(device: str) -> _core.Engine:
    match = _CUDA.fullmatch(device)
    index = int(match["index"] or 0) if match else 0
    design = transform_designs.design_of(device)
    return _core.cuda_study_engine(design, index) if design else _core.cuda_engine(index)


CPU = DeviceKind(
    "cpu",
    f"'cpu', 'cpu:<threads>', 'cpu{transform_designs.FORM}'",
    _cpu_name,
    _open_cpu,
    _cpu_callers,
    prepare=transform_designs.prepare,
)
CUDA = DeviceKind(
    "cuda",
    f"'cuda', 'cuda:<index>', 'cuda{transform_designs.FORM}'",
    _cuda_name,
    _open_cuda,
    _cuda_callers,
    prepare=transform_designs.prepare,
)
FPGA = DeviceKind("fpga", fpga.FORMS, fpga.full_name, fpga.open_engine, _one_caller, prepare=fpga.prepare)

#: By prefix. Further kinds of device are added here.
KINDS: dict[str, DeviceKind] = {kind.prefix: kind for kind in (CPU, CUDA, FPGA)}


def kind_of(device: object) -> DeviceKind:
    """The kind that a device's name belongs to.

    Raises:
        EngineError: none does; the message lists those there are.
    """
    kind = KINDS.get(re.split("[:/]", device, maxsplit=1)[0]) if isinstance(device, str) else None
    if kind is None:
        raise unknown(device)
    return kind
