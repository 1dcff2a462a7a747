# SPDX-License-Identifier: Apache-2.0
"""`cyclotome.map` on a Ray cluster (extra "ray"): actors as workers, keys and ciphertexts in the object store."""

from __future__ import annotations

import contextlib
import os
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import numpy as np

from ..errors import CyclotomeError, EngineError, UnsupportedError, WorkerLostError
from ..extras import RAY
from ..files import from_bytes, to_view
from ..frames.columns import EncryptedCategories, EncryptedColumn
from ..functions.digit_arrays import DigitArray
from ..keys.keyring import Keyring
from .batches import Work, called, held_in_worker, mapped_arrays, rejoined
from .workers import raised

__all__ = ["ray_map"]

#: Seconds between looks whether the cluster has room for a worker still.
_LOOK = 5.0
#: Batches that a worker has at a time, so that it need not wait for the next one.
_AHEAD = 2


# --- what goes through the object store -------------------------------------------------------------------------------
@dataclass(frozen=True)
class _Stored:
    """An object's bytes, which Ray leaves in its object store and lends to whoever reads them."""

    data: Any
    allow_insecure: bool
    table: str

    def read(self, device: str) -> Any:
        """The object, with no keys."""
        return from_bytes(self.data, self.allow_insecure, security_table=self.table, device=device)


@dataclass(frozen=True)
class _StoredColumn:
    """A column's arrays, and what else it has: it is no file by itself."""

    kind: type[EncryptedColumn | EncryptedCategories]
    fields: dict[str, Any]

    def read(self, device: str) -> Any:
        """The column, with no keys."""
        return self.kind(
            **{k: each.read(device) if isinstance(each, _Stored) else each for k, each in self.fields.items()}
        )


def _stored(obj: Any) -> _Stored | _StoredColumn:
    if isinstance(obj, EncryptedColumn):
        mask = obj.mask if obj.mask is None or isinstance(obj.mask, np.ndarray) else _stored(obj.mask)
        facts = {"values": _stored(obj.values), "scale": obj.scale, "mask": mask, "cleared": obj.cleared}
        return _StoredColumn(EncryptedColumn, facts)
    if isinstance(obj, EncryptedCategories):
        return _StoredColumn(EncryptedCategories, {"selectors": _stored(obj.selectors), "labels": obj.labels})
    parameters = obj.digits.parameters if isinstance(obj, DigitArray) else obj.parameters
    return _Stored(np.frombuffer(to_view(obj), np.uint8), parameters.allow_insecure, parameters.table)


def _read_all(value: Any, ring: Keyring, device: str) -> Any:
    """What `mapped_arrays(value, _stored)` was made of, with these keys."""
    if isinstance(value, (_Stored, _StoredColumn)):
        return rejoined(value.read(device), ring)
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
        self._ring = held_in_worker(tuple(key.read(device) for key in keys), device)

    def ready(self) -> bool:
        """Whether it is there."""
        return True

    def work(self, batch: Any) -> tuple[bool, Any]:
        """A result, or an error's name and message, which every version of Ray hands on alike."""
        try:
            result = called(self._function, _read_all(batch, self._ring, self._device))
            return True, mapped_arrays(result, _stored)
        except CyclotomeError as error:
            return False, (type(error).__name__, str(error))


# --- workers and batches ----------------------------------------------------------------------------------------------
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
        # Without an address Ray joins whichever cluster began here last, also one that has died.
        address = None if "RAY_ADDRESS" in os.environ else "local"
        ray.init(address, include_dashboard=False, log_to_driver=False, configure_logging=False)
    crew = _Crew(ray, work)
    try:
        crew.begin(_room(ray.cluster_resources(), crew.share) if workers is None else workers)
        found = crew.collected(batches)
        return [_read_all(each, work.ring, "cpu") for each in found]
    finally:
        crew.end()
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


@dataclass(eq=False)
class _Member:
    """A worker, and the batches that it has."""

    actor: Any
    batches: int = 0
    lost: bool = False


@dataclass(eq=False)
class _Batch:
    """A batch as it is sent, kept until its result is here, and how often a worker was lost that had it."""

    place: int
    data: Any
    losses: int = field(default=0)


class _Crew:
    """Workers on a cluster. One that is lost, with its process or its node, is replaced wherever there is room; its
    batches go to others, each to one that has nothing else, as nobody knows which of them brought it down. Ray's own
    retries stay with an actor and its node, and are not used."""

    def __init__(self, ray: Any, work: Work) -> None:
        self._ray, self._work = ray, work
        self._device, self.share = _share(work.devices[0])
        self._kind: Any = ray.remote(max_restarts=0, max_task_retries=0, **self.share)(_Worker)
        self._members: list[_Member] = []
        self._starting: dict[Any, _Member] = {}
        self._pending: dict[Any, tuple[_Batch, _Member]] = {}
        self._again: deque[_Batch] = deque()
        #: Workers in a row that were lost before they were there.
        self._stillborn = 0
        self._given: list[Any] = []
        self._more = True

    def begin(self, count: int) -> None:
        """Starts so many workers.

        Raises:
            UnsupportedError: the function can't be sent.
        """
        self._put()
        for _ in range(count):
            self._start()

    def _put(self) -> None:
        """Function and keys, into the object store of this machine: what lay elsewhere may be lost."""
        with _sending("the function"):
            put, keys = self._ray.put, self._work.ring.keys()
            self._given = [put(self._work.function), self._device, *(put(_stored(key)) for key in keys)]

    def _start(self) -> None:
        member = _Member(self._kind.remote(*self._given))
        self._members.append(member)
        self._starting[member.actor.ready.remote()] = member

    def end(self) -> None:
        """Ends all workers."""
        for member in self._members:
            with contextlib.suppress(Exception):
                self._ray.kill(member.actor)

    def collected(self, batches: Iterator[Any]) -> list[Any]:
        """Results in the order of their batches."""
        results: dict[int, Any] = {}
        fresh = self._sent(batches)
        while self._assign(fresh) or self._pending or self._again:
            done, _ = self._ray.wait([*self._starting, *self._pending], num_returns=1, timeout=_LOOK)
            if not done:
                self._require_room()
            for reference in done:
                if reference in self._starting:
                    self._started(reference)
                else:
                    self._ended(reference, results)
        return [results[place] for place in sorted(results)]

    def _sent(self, batches: Iterator[Any]) -> Iterator[_Batch]:
        for place, batch in enumerate(batches):
            yield _Batch(place, mapped_arrays(batch, _stored))

    def _assign(self, fresh: Iterator[_Batch]) -> bool:
        """Gives workers what they have room for; whether there may be further fresh batches."""
        there = [member for member in self._members if not member.lost and member not in self._starting.values()]
        for member in there:
            if self._again and not member.batches:
                self._give(self._again.popleft(), member, _AHEAD)
        for member in sorted(there, key=lambda each: each.batches):
            while self._more and not self._again and member.batches < _AHEAD:
                batch = next(fresh, None)
                if batch is None:
                    self._more = False
                else:
                    self._give(batch, member, 1)
        return self._more

    def _give(self, batch: _Batch, member: _Member, room: int) -> None:
        with _sending("a batch"):
            self._pending[member.actor.work.remote(batch.data)] = batch, member
        member.batches += room

    def _started(self, reference: Any) -> None:
        member = self._starting.pop(reference)
        try:
            self._ray.get(reference)
            self._stillborn = 0
        except self._ray.exceptions.RayError as error:
            self._stillborn += 1
            if self._stillborn > self._work.retries:
                raise WorkerLostError(f"the Ray cluster can't start a worker: {error}") from None
            self._replace(member)

    def _ended(self, reference: Any, results: dict[int, Any]) -> None:
        batch, member = self._pending.pop(reference)
        member.batches = sum(_AHEAD if each.losses else 1 for each, of in self._pending.values() if of is member)
        exceptions = self._ray.exceptions
        try:
            right, value = self._ray.get(reference)
        except exceptions.RayTaskError as error:  # what could not be pickled, or a lack of memory
            raise raised("FunctionError", f"a worker of the Ray cluster failed: {error.cause}") from None
        except exceptions.RayError as error:  # of the worker, its node, or the store that had its result
            batch.losses += 1
            if batch.losses > self._work.retries:
                raise WorkerLostError(
                    f"a worker of the Ray cluster was lost, and so were those that took its place: {error}"
                ) from None
            self._again.append(batch)
            self._replace(member)
            return
        if not right:
            raise raised(*value)
        results[batch.place] = value

    def _replace(self, member: _Member) -> None:
        """Another worker for one that is lost; once, whichever of its batches tells first."""
        if member.lost:
            return
        member.lost = True
        self._members.remove(member)
        with contextlib.suppress(Exception):  # it may be back some day
            self._ray.kill(member.actor)
        self._put()
        self._start()

    def _require_room(self) -> None:
        """Raises WorkerLostError where nobody works, and what is left of the cluster has room for nobody."""
        if len(self._starting) == len(self._members):
            try:
                _room(self._ray.cluster_resources(), self.share)
            except EngineError as error:
                raise WorkerLostError(f"no worker is left: {error}") from None


@contextlib.contextmanager
def _sending(what: str) -> Iterator[None]:
    """Raises UnsupportedError for what can't be pickled; errors of this library come as they are."""
    try:
        yield
    except CyclotomeError:
        raise
    except Exception as error:  # Ray tells of what pickling raised
        told: BaseException | None = error
        while told is not None:
            if isinstance(told, CyclotomeError):
                raise told from None
            told = told.__cause__ or told.__context__
        raise UnsupportedError(f"{what} can't be sent to a Ray cluster: {error}") from error
