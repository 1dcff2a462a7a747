# SPDX-License-Identifier: Apache-2.0
"""Where computation happens: devices, and parameters made ready on one of them."""

from __future__ import annotations

import re
import threading
from weakref import WeakValueDictionary

from . import _core
from .errors import EngineError
from .parameters import Parameters

__all__ = ["Context", "context_on", "device_name"]

_CPU = re.compile(r"cpu(?::([1-9][0-9]{0,3}))?")

# Keys and arrays of equal parameters on one device have to share its engine, so the ones in use are found again here;
# nothing is kept alive by it.
_lock = threading.Lock()
_engines: WeakValueDictionary[str, _core.Engine] = WeakValueDictionary()
_contexts: WeakValueDictionary[tuple[bytes, str], Context] = WeakValueDictionary()


class Context:
    """Parameters on a device: rings, tables and the memory behind them. Shared by all keys and arrays there."""

    __slots__ = ("__weakref__", "device", "engine", "native")

    def __init__(self, parameters: _core.Parameters, device: str, engine: _core.Engine) -> None:
        self.device = device
        self.engine = engine
        self.native = _core.Context(parameters, engine)


def device_name(device: str) -> str:
    """The full name of a device: "cpu" for all cores, "cpu:2" for two threads; "auto" chooses.

    Raises:
        EngineError: an unknown device, or one that this build does not have.
    """
    if device == "auto":
        return "cpu"
    if isinstance(device, str) and _CPU.fullmatch(device):
        return device
    if isinstance(device, str) and device.split(":")[0] in {"cuda", "gpu"}:
        raise EngineError(
            f"device {device!r}: this build of cyclotome computes on CPUs only; use device='cpu'. "
            "`cyclotome doctor` tells which devices there are and what is missing for others"
        )
    raise EngineError(f"device {device!r} is unknown; there are 'cpu', 'cpu:<threads>' and 'auto'")


def _engine(device: str) -> _core.Engine:
    engine = _engines.get(device)
    if engine is None:
        match = _CPU.fullmatch(device)
        assert match is not None
        engine = _engines[device] = _core.CpuEngine(int(match[1] or 0))
    return engine


def context_on(device: str, parameters: Parameters) -> Context:
    """The context of ``parameters`` on ``device``, made now unless there is one.

    Raises:
        EngineError: as `device_name`.
    """
    device = device_name(device)
    with _lock:
        key = (parameters._native.fingerprint, device)
        context = _contexts.get(key)
        if context is None:
            context = _contexts[key] = Context(parameters._native, device, _engine(device))
        return context
