# SPDX-License-Identifier: Apache-2.0
"""`cyclotome.map` on a Ray cluster (extra "ray"): actors as workers, keys and ciphertexts in the object store."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from ..array import EncryptedArray
from ..digit_arrays import DigitArray
from ..errors import CyclotomeError, EngineError, WorkerLostError
from ..extras import RAY
from ..files import from_bytes, to_view
from ..keyring import Keyring
from .mapping import Work, called, mapped_arrays, rejoined
from .workers import raised

__all__ = ["ray_map"]


@dataclass(frozen=True)
class _Stored:
    """An array's bytes, which Ray leaves in its object store and lends to whoever reads them."""

    data: Any
    allow_insecure: bool
    table: str

    def read(self, ring: Keyring, device: str) -> Any:
        """The array, with the keys."""
        found = from_bytes(self.data, self.allow_insecure, security_table=self.table, device=device)
        return rejoined(found, ring) if isinstance(found, (EncryptedArray, DigitArray)) else found


def _stored(obj: Any) -> _Stored:
    parameters = obj.parameters
    return _Stored(np.frombuffer(to_view(obj), np.uint8), parameters.allow_insecure, parameters.table)


def _read_all(value: Any, ring: Keyring, device: str) -> Any:
    """What `mapped_arrays(value, _stored)` was made of."""
    if isinstance(value, _Stored):
        return value.read(ring, device)
    if isinstance(value, (list, tuple)):
        parts = [_read_all(each, ring, device) for each in value]
        return parts if isinstance(value, list) else type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    if isinstance(value, dict):
        return {key: _read_all(each, ring, device) for key, each in value.items()}
    return value


class _Worker:
    """An actor: the function and the keys, read once from the object store."""

    def __init__(self, function: Callable[[Any], Any], device: str, *keys: _Stored) -> None:
        self._function, self._device = function, device
        self._ring = Keyring.of(*(key.read(Keyring(), device) for key in keys)) if keys else Keyring()

    def work(self, batch: Any) -> tuple[bool, Any]:
        """A result, or an error's name and message, which every version of Ray hands on alike."""
        try:
            result = called(self._function, _read_all(batch, self._ring, self._device))
            return True, mapped_arrays(result, _stored)
        except CyclotomeError as error:
            return False, (type(error).__name__, str(error))


def _share(device: str) -> tuple[str, dict[str, float]]:
    """A worker's device as it sees it, and what it takes of the cluster."""
    if device.startswith("cuda"):
        _, slash, transform = device.partition("/")
        return f"cuda:0{slash}{transform}", {"num_cpus": 1, "num_gpus": 1}  # Ray shows it one GPU only
    cores = device.partition("/")[0].partition(":")[2]
    return device, {"num_cpus": float(cores) if cores.isdigit() else 1.0}


def ray_map(work: Work, workers: int | None, batches: Iterator[Any]) -> list[Any]:
    """As `cyclotome.map`, whose arguments these are; ``workers`` None: as many as the cluster has room for."""
    RAY.require()
    ray: Any = import_module("ray")
    begun = not ray.is_initialized()
    if begun:
        ray.init(include_dashboard=False, log_to_driver=False, configure_logging=False)
    actors: list[Any] = []
    try:
        device, share = _share(work.devices[0])
        count = _room(ray.cluster_resources(), share) if workers is None else workers
        kind: Any = ray.remote(max_restarts=work.retries, max_task_retries=work.retries, **share)(_Worker)
        held = work.ring.keys()
        keys = [ray.put(_stored(key)) for key in held]
        function = ray.put(work.function)
        actors += [kind.remote(function, device, *keys) for _ in range(count)]
        found = _collected(ray, actors, batches)
        return [_read_all(each, work.ring, "cpu") for each in found]
    finally:
        for actor in actors:
            with contextlib.suppress(Exception):
                ray.kill(actor)
        if begun:
            ray.shutdown()


def _room(resources: dict[str, float], share: dict[str, float]) -> int:
    """How many workers a cluster has room for.

    Raises:
        EngineError: none.
    """
    names = {"num_cpus": "CPU", "num_gpus": "GPU"}
    count = min(int(resources.get(names[name], 0) // amount) for name, amount in share.items())
    if count < 1:
        raise EngineError(f"the Ray cluster has {resources}, and a worker takes {share}: take a smaller device")
    return count


def _collected(ray: Any, actors: list[Any], batches: Iterator[Any]) -> list[Any]:
    """Results in the order of their batches; each actor has two at a time."""
    results: dict[int, Any] = {}
    pending: dict[Any, tuple[int, Any]] = {}
    idle = [actor for actor in actors for _ in range(2)]
    numbered = enumerate(batches)
    exhausted = False
    while pending or not exhausted:
        while idle and not exhausted:
            place, batch = next(numbered, (-1, None))
            if place < 0:
                exhausted = True
                break
            actor = idle.pop(0)
            pending[actor.work.remote(mapped_arrays(batch, _stored))] = place, actor
        if not pending:
            break
        done, _ = ray.wait(list(pending), num_returns=1)
        place, actor = pending.pop(done[0])
        results[place] = _result(ray, done[0])
        idle.append(actor)
    return [results[place] for place in sorted(results)]


def _result(ray: Any, reference: Any) -> Any:
    try:
        right, value = ray.get(reference)
    except (ray.exceptions.RayActorError, ray.exceptions.WorkerCrashedError) as error:
        raise WorkerLostError(
            f"a worker of the Ray cluster died, and so did those that took its place: {error}"
        ) from None
    except ray.exceptions.RayTaskError as error:  # what could not be pickled, or a lack of memory
        raise raised("FunctionError", f"a worker of the Ray cluster failed: {error.cause}") from None
    if not right:
        raise raised(*value)
    return value
