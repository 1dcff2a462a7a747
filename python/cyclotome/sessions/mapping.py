# SPDX-License-Identifier: Apache-2.0
"""One function of many batches, in processes of this machine or of a cluster."""

from __future__ import annotations

import multiprocessing
import os
import queue
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

from ..devices.contexts import ACCOUNT, device_name
from ..errors import ArgumentError, UnsupportedError, WorkerLostError
from ..keys.keyring import Keyring
from .batches import Work, arrays_within, called, held_in_worker, keys_of, mapped_arrays, rejoined
from .processes import Processes

__all__ = ["map"]

_Batch = TypeVar("_Batch")
_Result = TypeVar("_Result")

ENGINES = ("local", "ray")


def map(
    function: Callable[[_Batch], _Result],
    batches: Iterable[_Batch],
    *,
    engine: str = "local",
    workers: int | None = None,
    device: str | Sequence[str] = "cpu:1",
    keys: object = None,
    retries: int = 2,
) -> list[_Result]:
    """``[function(batch) for batch in batches]``, computed by several processes at once: the same values, in the same
    order.

    Each worker holds the keys once, and its device; a batch goes to one that has nothing to do, and if that worker
    dies, to another. Batches are taken from their iterator as workers get free, two for each in advance, so that not
    all of them have to be in memory. Workers never get a secret key.

    Args:
        function: of one batch. Processes import it: it stands in a module, or in a program that begins its own work
            under ``if __name__ == "__main__":`` (Ray takes any function).
        batches: encrypted arrays, numbers, tables or columns, or tuples, lists and dictionaries with some, and
            whatever else can be pickled.
        engine: "local", processes of this machine; "ray", those of a Ray cluster (extra "ray"): the one that the
            program or RAY_ADDRESS has joined, or one of this machine that is started now and ended afterwards.
            Ciphertexts go through its object store, and are read where they lie there.
        workers: how many. None: local, one for each core, or for each device of a list; on Ray as many as the cluster
            has cores, or GPUs, for.
        device: where each computes: "cpu:1" is one core, "cpu:4" a group of four, "cuda" a GPU for each worker (Ray
            tells them apart). Locally also a list, a worker for each: ["cuda:0", "cuda:1"].
        keys: public and evaluation keys for the workers, which all that is encrypted under them knows there, however
            it was encrypted. None: those that the arrays of the first batch know.
        retries: how often a batch is tried again whose worker died.

    Returns:
        What the function returned, in the order of the batches; arrays in it know the keys.

    Raises:
        ArgumentError: another engine, or no such number of workers.
        UnsupportedError: keys of other kinds, secret keys above all.
        FunctionError: the function failed with an error that is none of this library's; `WorkerLostError`, which is
            one, if workers died more often than ``retries``. Errors of this library come as they are.
        MissingPackageError: engine "ray", and the extra is not installed.

    Example:
        >>> import cyclotome as cy
        >>> from operator import neg
        >>> secret, public, _ = cy.keygen(cy.Parameters.suggest(depth=0, value_bits=7), rotations=[])
        >>> batches = [cy.encrypt([i, 2 * i], public) for i in range(3)]
        >>> [cy.decrypt(y, secret).tolist() for y in cy.map(neg, batches, workers=1)]
        [[0, 0], [-1, -2], [-2, -4]]
    """
    if engine not in ENGINES:
        raise ArgumentError(f"map: engine {engine!r}; there are 'local' and 'ray'")
    if isinstance(retries, bool) or not isinstance(retries, int) or not 0 <= retries <= 100:
        raise ArgumentError(f"map: retries {retries!r}; a whole number from 0 to 100")
    if not callable(function):
        raise UnsupportedError(f"map takes a function, not {type(function).__name__}")
    given = iter(batches)
    first = next(given, _NOTHING)
    if first is _NOTHING:
        return []
    ring = keys_of(first) if keys is None else Keyring.of(*(keys if isinstance(keys, (tuple, list)) else [keys]))
    if any(array.device == ACCOUNT for array in arrays_within(first)):
        return [called(function, batch) for batch in _chain(first, given)]  # their keys are those of the plan
    if engine == "ray":
        from .ray_workers import ray_map

        devices = _devices(device, 1 if workers is None else workers)
        return ray_map(Work(function, ring, devices, retries), workers, _chain(first, given))
    several = not isinstance(device, str)
    count = (len(device) if several else os.cpu_count() or 1) if workers is None else workers
    work, every = Work(function, ring, _devices(device, count), retries), _chain(first, given)
    return _map_here(work, every) if multiprocessing.current_process().daemon else _local_map(work, every)


_NOTHING = object()


def _chain(first: Any, rest: Iterator[Any]) -> Iterator[Any]:
    yield first
    yield from rest


def _devices(device: str | Sequence[str], count: int) -> tuple[str, ...]:
    if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= 1 << 16:
        raise ArgumentError(f"map: workers {count!r}; a whole number from 1 to 65536")
    names = [device] if isinstance(device, str) else list(device)
    if not names:
        raise ArgumentError("map: device=[]: name at least one")
    full = [device_name(name) for name in names]  # refuses names that no machine has
    return tuple(full[i % len(full)] for i in range(count))


# --- processes of this machine ----------------------------------------------------------------------------------------
class _Worker:
    """In a process: the function, and the keys, which arrays find when they are unpickled, or are given then."""

    def __init__(self, function: Callable[[Any], Any], keys: tuple[Any, ...], device: str) -> None:
        self._function = function
        self._ring = held_in_worker(keys, device)

    def __call__(self, batch: Any) -> Any:
        return called(self._function, mapped_arrays(batch, lambda x: rejoined(x, self._ring)))


def _map_here(work: Work, batches: Iterator[Any]) -> list[Any]:
    """In a process of a pool, which may have none of its own."""
    return [called(work.function, mapped_arrays(batch, lambda x: rejoined(x, work.ring))) for batch in batches]


def _local_map(work: Work, batches: Iterator[Any]) -> list[Any]:
    pools = [Processes(1, _Worker, work.function, work.ring.keys(), device) for device in work.devices]
    free: queue.SimpleQueue[Processes] = queue.SimpleQueue()
    for pool in pools:
        free.put(pool)

    def one(batch: Any) -> Any:
        for attempt in range(work.retries + 1):
            pool = free.get()
            try:
                return pool.ask(batch)
            except WorkerLostError:
                if attempt == work.retries:
                    raise
            finally:
                free.put(pool)

    results: list[Any] = []
    waiting: deque[Future[Any]] = deque()
    try:
        with ThreadPoolExecutor(len(pools)) as threads:
            try:
                for batch in batches:
                    waiting.append(threads.submit(one, batch))
                    while len(waiting) > 2 * len(pools):
                        results.append(waiting.popleft().result())
                while waiting:
                    results.append(waiting.popleft().result())
            finally:
                for future in waiting:
                    future.cancel()
    finally:
        for pool in pools:
            pool.close()
    return [mapped_arrays(result, lambda x: rejoined(x, work.ring)) for result in results]
