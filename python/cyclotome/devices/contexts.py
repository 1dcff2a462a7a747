# SPDX-License-Identifier: Apache-2.0
"""Where computation happens: parameters made ready on a device (`devices` says which there are)."""

from __future__ import annotations

import threading
from weakref import WeakValueDictionary

from .. import _core
from ..errors import EngineError
from ..parameters.parameters import Parameters
from .kinds import CPU, CUDA, DeviceKind, kind_of

__all__ = [
    "ACCOUNT",
    "Context",
    "callers_of",
    "companion_on",
    "context_for",
    "context_from",
    "context_on",
    "device_name",
    "engine_on",
]

#: The device of computations that are planned (`planning.DryRun`), which nobody can name.
ACCOUNT = "dry"

# Keys and arrays of equal parameters on one device have to share its engine, so the ones in use are found again here;
# nothing is kept alive by it.
_lock = threading.RLock()
_engines: WeakValueDictionary[str, _core.Engine] = WeakValueDictionary()
_contexts: WeakValueDictionary[tuple[bytes, str], Context] = WeakValueDictionary()


class Context:
    """Parameters on a device: rings, tables and the memory behind them. Shared by all keys and arrays there."""

    __slots__ = ("__weakref__", "companions", "device", "engine", "native")

    def __init__(self, parameters: _core.Parameters, device: str, engine: _core.Engine) -> None:
        self.device = device
        self.engine = engine
        self.native = _core.Context(parameters, engine)
        #: Contexts on other devices that have shared work with this one, by device.
        self.companions: dict[str, Context] = {}


def device_name(device: str) -> str:
    """The full name of a device: "cpu" for all cores, "cpu:2" for two threads, "cuda:0" for "cuda"; "auto" chooses the
    first GPU if this build and the machine have one that works, else "cpu".

    Raises:
        EngineError: an unknown device.
    """
    return _resolved(device)[1]


def callers_of(device: str) -> int:
    """How many threads the engine of a device serves well at once; nothing is opened, but for "auto".

    Raises:
        EngineError: an unknown device.
    """
    kind, name = _resolved(device)
    return kind.callers(name)


def engine_on(device: str) -> _core.Engine:
    """The engine of a device, opened now unless it is in use already.

    Raises:
        EngineError: as `device_name`; or the device is absent, too old, or has no memory left.
    """
    return _opened(*_resolved(device))


def context_on(device: str, parameters: Parameters) -> Context:
    """The context of ``parameters`` on ``device``, made now unless there is one.

    Raises:
        EngineError: as `engine_on`.
    """
    kind, name = _resolved(device)
    engine = _opened(kind, name)
    if kind.prepare is not None:
        kind.prepare(name, engine, parameters)  # this may take long: others need not wait
    with _lock:
        key = (parameters.native.fingerprint, name)
        context = _contexts.get(key)
        if context is None:
            context = _contexts[key] = Context(parameters.native, name, engine)
        return context


def context_for(device: str, parameters: Parameters) -> Context:
    """The context of a public operand on the device of arrays: what is said where these only keep account (`ACCOUNT`)
    is made on the processor, and met there as from any other device.

    Raises:
        EngineError: as `engine_on`.
    """
    return context_on("cpu" if isinstance(device, str) and device == ACCOUNT else device, parameters)


def context_from(here: Context, device: str, parameters: Parameters) -> Context:
    """The context on ``device`` of what lies ``here``: that one itself where it is the device, or where it only keeps
    account of a computation, which goes on there whatever device it asks for.

    Raises:
        EngineError: as `engine_on`.
    """
    if isinstance(device, str) and device == here.device:
        return here
    if here.device == ACCOUNT:
        _resolved(device)  # refuses what is no device
        return here
    return context_on(device, parameters)


def companion_on(device: str, parameters: Parameters, first: Context) -> Context:
    """The context of ``parameters`` on another device that shares the work of ``first``, which keeps it: opening a
    device and making tables there takes longer than many a circuit.

    Raises:
        EngineError: as `engine_on`.
    """
    found = context_on(device, parameters)
    if found is not first:
        first.companions[found.device] = found
    return found


def _resolved(device: str) -> tuple[DeviceKind, str]:
    """A device's kind and its full name."""
    if isinstance(device, str) and device == "auto":
        device = _automatic()
    kind = kind_of(device)
    return kind, kind.full_name(device)


def _automatic() -> str:
    first = CUDA.full_name("cuda")
    try:
        _opened(CUDA, first)
    except EngineError:
        return CPU.full_name("cpu")
    return first


def _opened(kind: DeviceKind, name: str) -> _core.Engine:
    """The engine of the device of this kind and full name."""
    with _lock:
        engine = _engines.get(name)
        if engine is None:
            engine = _engines[name] = kind.open(name)
        return engine
