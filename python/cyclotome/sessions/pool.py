# SPDX-License-Identifier: Apache-2.0
"""Workers that stay: functions of batches, in processes of this machine."""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import threading
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from ..devices.contexts import ACCOUNT, device_name
from ..errors import ArgumentError, BusyError, CyclotomeError, UnsupportedError
from ..keys.keyring import Keyring
from .batches import arrays_within, called, keys_of, mapped_arrays, rejoined
from .checkpoints import Checkpoint, code_of
from .packing import Packed, unpacked
from .tasks import Folded, LocalCrew, Named, Task
from .trees import Progress, combined, result_of

__all__ = ["Pool", "devices_of", "ring_of"]

_Batch = TypeVar("_Batch")
_Result = TypeVar("_Result")

#: Sets of keys that are remembered as they are sent.
_KEYS = 4


class Pool:
    """Workers that hold keys, and compute functions of batches until the pool is closed: processes of this machine.

    They are started by the first batch, and hold functions and keys from then on, so that each batch takes with it no
    more than itself. A worker that dies is replaced, and its batch goes to another. Workers never get a secret key.
    For several threads, and as a context: ``with cy.Pool(...) as pool:``.

    Args:
        workers: how many. None: one for each core, or for each device of a list.
        device: where each computes: "cpu:1" is one core, "cpu:4" a group of four, "cuda" a GPU; or a list, a worker for
            each: ["cuda:0", "cuda:1"].
        keys: public and evaluation keys for the workers, which all that is encrypted under them knows there, however
            it was encrypted. None: those that the arrays of a call's first batch know.
        retries: how often a batch is tried again whose worker died.

    Raises:
        ArgumentError: no such number of workers or retries.
        UnsupportedError: keys of other kinds, secret keys above all.

    Example:
        >>> import cyclotome as cy
        >>> from operator import add, neg
        >>> secret, public, _ = cy.keygen(cy.Parameters.suggest(depth=0, value_bits=9), rotations=[])
        >>> batches = [cy.encrypt([i, 2 * i], public, bound=8) for i in range(4)]
        >>> with cy.Pool(workers=1) as pool:
        ...     negative = [cy.decrypt(y, secret).tolist() for y in pool.imap(neg, batches)]
        ...     total = pool.reduce(add, batches)
        >>> negative, cy.decrypt(total, secret)
        ([[0, 0], [-1, -2], [-2, -4], [-3, -6]], array([ 6, 12]))
    """

    def __init__(
        self,
        *,
        workers: int | None = None,
        device: str | Sequence[str] = "cpu:1",
        keys: object = None,
        retries: int = 2,
    ) -> None:
        if isinstance(retries, bool) or not isinstance(retries, int) or not 0 <= retries <= 100:
            raise ArgumentError(f"retries {retries!r}; a whole number from 0 to 100")
        most = os.cpu_count() or 1 if isinstance(device, str) else len(device)
        self._devices, self._retries = devices_of(device, most if workers is None else workers), retries
        self._ring = None if keys is None else ring_of(keys)
        #: In a process of a pool, which may have none of its own, batches are computed where they are.
        self._here = multiprocessing.current_process().daemon
        self._crew: LocalCrew | None = None
        self._closed = False
        self._tasks: weakref.WeakSet[Future[Any]] = weakref.WeakSet()
        self._sent: dict[tuple[int, ...], tuple[Keyring, Named]] = {}
        self._lock = threading.RLock()

    # --- what it computes ---------------------------------------------------------------------------------------------
    def map(
        self,
        function: Callable[[_Batch], _Result],
        batches: Iterable[_Batch],
        *,
        checkpoint: str | Path | None = None,
    ) -> list[_Result]:
        """``[function(batch) for batch in batches]``: the same values and bits, in the same order.

        Args:
            function: of one batch. Processes import it: it stands in a module, or in a program that begins its own
                work under ``if __name__ == "__main__":``.
            batches: encrypted arrays, numbers, tables or columns, or tuples, lists and dictionaries with some, and
                whatever else can be pickled. They are taken as workers get free, two for each in advance, so that not
                all of them have to be in memory.
            checkpoint: a folder that keeps results, so that a program that died goes on where it was: what was
                computed there by the same function, with the same keys and of the same bytes, is read and not computed
                again. After a change of what the function calls, or of files that it reads, take another folder: of the
                function its own code is compared.

        Returns:
            What the function returned, in the order of the batches; arrays in it know the keys.

        Raises:
            FunctionError: the function failed with an error that is none of this library's; `WorkerLostError`, which
                is one, if workers died more often than ``retries``. Errors of this library come as they are. What
                else was being computed is cancelled.
            UnsupportedError: a function, batch or result can't be sent; with ``checkpoint``, a result can't be kept.
            BusyError: the pool is closed.
            FileError, FormatError: the folder can't be used; it holds what no result does.

        Progress (`cyclotome.progress`) shows "mapping batches".
        """
        return list(self.imap(function, batches, checkpoint=checkpoint))

    def imap(
        self,
        function: Callable[[_Batch], _Result],
        batches: Iterable[_Batch],
        *,
        checkpoint: str | Path | None = None,
    ) -> Iterator[_Result]:
        """The results of `map` one by one, as they are asked for, so that not all of them have to be in memory. An
        iterator that is closed, or left, cancels what is being computed for it.

        Args, errors: as for `map`.
        """
        _require_function(function)
        folder = None if checkpoint is None else Checkpoint(checkpoint)
        return self._results(function, batches, folder, Progress("mapping batches", batches))

    def submit(self, function: Callable[[_Batch], _Result], batch: _Batch) -> Future[_Result]:
        """One batch, which is computed when a worker has nothing else to do.

        Returns:
            A future: ``result()``, which raises as `map` does, ``done()``, ``add_done_callback()``; ``cancel()``, also
            while it is computed: the worker ends that at its next call of this library, or is replaced.
        """
        _require_function(function)
        ring = self._ring_of(batch)
        if self._is_here(batch):
            return _done(lambda: self._called(function, batch, ring))
        crew = self._begun()
        task = Task(self._function(crew, function), self._keys(crew, ring), (crew.pack(batch, "a batch"),))
        task.open = partial(_opened, ring)
        return self._started(crew, task, None)

    def reduce(
        self,
        combine: Callable[[Any, Any], _Result],
        batches: Iterable[_Batch],
        *,
        each: Callable[[_Batch], _Result] | None = None,
        checkpoint: str | Path | None = None,
    ) -> _Result:
        """All batches combined by a tree of workers: ``combine(combine(a, b), combine(c, d))`` of neighbours. Which
        values meet follows from how many there are and not from who is faster, so that the bits are the same each time.
        Values between go from worker to worker unopened, and a few for each level of the tree are kept at a time.

        Args:
            combine: of two values; associative, it need not be commutative.
            batches: as for `map`, at least one.
            each: computed of each batch before.
            checkpoint: as for `map`; values between are kept too.

        Raises:
            ArgumentError: no batches. Whatever `map` raises.

        Progress shows "reducing batches".
        """
        _require_function(combine)
        if each is not None:
            _require_function(each)
        folder = None if checkpoint is None else Checkpoint(checkpoint)
        given = iter(batches)
        first = next(given, _NOTHING)
        if first is _NOTHING:
            raise ArgumentError("reduce of no batches has no value")
        ring = self._ring_of(first)
        told, every = Progress("reducing batches", batches), _chain(first, given)
        if self._is_here(first):
            here = (_done(partial(self._led, each, batch, ring)) for batch in every)
            folded = Folded(combine)
            alone: _Result = combined(here, lambda parts: _done(partial(self._called, folded, [*parts], ring)), 0, told)
            return alone
        crew = self._begun()
        keys, folding = self._keys(crew, ring), self._function(crew, combine, folded=True)
        leading = None if each is None else self._function(crew, each)

        def leaf(batch: Any) -> Future[Any]:
            sent = crew.pack(batch, "a batch")
            if leading is None:
                return _done(lambda: sent)
            return self._started(crew, Task(leading, keys, (sent,)), folder)

        def fold(parts: tuple[Packed, ...]) -> Future[Any]:
            return self._started(crew, Task(folding, keys, parts, many=True), folder)

        found: _Result = _opened(ring, combined(map(leaf, every), fold, 2 * crew.size, told))
        return found

    def close(self) -> None:
        """Cancels what is not done, and ends the workers."""
        with self._lock:
            self._closed, crew, self._crew = True, self._crew, None
            tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        if crew is not None:
            crew.close()

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        state = "closed" if self._closed else "idle" if self._crew is None else f"{self._crew.size} workers"
        return f"<Pool: {state}>"

    # --- how ----------------------------------------------------------------------------------------------------------
    def _begun(self) -> LocalCrew:
        """The workers. Raises BusyError where the pool is closed."""
        with self._lock:
            if self._closed:
                raise BusyError("the pool is closed: its workers have ended; make another one")
            if self._crew is None:
                self._crew = LocalCrew(self._devices, self._retries)
            return self._crew

    def _ring_of(self, batch: Any) -> Keyring:
        return keys_of(batch) if self._ring is None else self._ring

    def _is_here(self, batch: Any) -> bool:
        """Whether batches like this are computed in this process: also those of plans, whose keys are the plan's."""
        return self._here or any(array.device == ACCOUNT for array in arrays_within(batch))

    def _called(self, function: Callable[[Any], Any], batch: Any, ring: Keyring) -> Any:
        return called(function, mapped_arrays(batch, lambda x: rejoined(x, ring)))

    def _led(self, each: Callable[[Any], Any] | None, batch: Any, ring: Keyring) -> Any:
        return batch if each is None else self._called(each, batch, ring)

    def _function(self, crew: LocalCrew, function: Callable[..., Any], folded: bool = False) -> Named:
        """A function as it is sent: its name changes with its code, as far as it can be seen."""
        try:
            value = crew.pack(Folded(function) if folded else function, "a function")
        except UnsupportedError as error:
            raise UnsupportedError(
                f"{error}. A function stands by its name in a module that processes import"
            ) from None
        return Named(hashlib.sha256(value.digest() + code_of(function)).digest(), value)

    def _keys(self, crew: LocalCrew, ring: Keyring) -> Named:
        """Keys as they are sent, packed once as long as they are used."""
        place = tuple(map(id, ring.keys()))
        with self._lock:
            known = self._sent.pop(place, None)
            if known is None:
                value = crew.pack(ring.keys(), "keys")
                known = ring, Named(value.digest(), value)
            self._sent[place] = known
            while len(self._sent) > _KEYS:
                del self._sent[next(iter(self._sent))]
            return known[1]

    def _started(self, crew: LocalCrew, task: Task, folder: Checkpoint | None) -> Future[Any]:
        if folder is not None:
            found = folder.find(task.message)
            if found is not None:
                task.tell(found)
                return task
            task.keep = folder.keeper(task.message)
        with self._lock:
            if self._closed:
                raise BusyError("the pool was closed")
            self._tasks.add(task)
        crew.run(task)
        return task

    def _results(
        self, function: Callable[[Any], Any], batches: Iterable[Any], folder: Checkpoint | None, told: Progress
    ) -> Iterator[Any]:
        given = iter(batches)
        first = next(given, _NOTHING)
        if first is _NOTHING:
            return
        every, ring = _chain(first, given), self._ring_of(first)
        if self._is_here(first):
            for batch in every:
                told.taken()
                result = self._called(function, batch, ring)
                told.done()
                yield result
            return
        crew = self._begun()
        named, keys = self._function(crew, function), self._keys(crew, ring)
        waiting: deque[Future[Any]] = deque()
        try:
            for batch in every:
                told.taken()
                sent = crew.pack(batch, "a batch")
                waiting.append(self._started(crew, Task(named, keys, (sent,)), folder))
                while len(waiting) > 2 * crew.size:
                    yield _opened(ring, _result(waiting, told))
            while waiting:
                yield _opened(ring, _result(waiting, told))
        finally:
            for task in waiting:
                task.cancel()


_NOTHING = object()


def _chain(first: Any, rest: Iterator[Any]) -> Iterator[Any]:
    yield first
    yield from rest


def _require_function(function: object) -> None:
    if not callable(function):
        raise UnsupportedError(f"a pool computes functions, not {type(function).__name__}")


def ring_of(keys: object) -> Keyring:
    """The keys that were given, one or several. Raises UnsupportedError for what is none that workers may have."""
    return Keyring.of(*(keys if isinstance(keys, (tuple, list)) else [keys]))


def devices_of(device: str | Sequence[str], count: int) -> tuple[str, ...]:
    """Where each of so many workers computes. Raises ArgumentError for what is no such number, EngineError for devices
    that no machine has."""
    if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= 1 << 16:
        raise ArgumentError(f"workers {count!r}; a whole number from 1 to 65536")
    names = [device] if isinstance(device, str) else list(device)
    if not names:
        raise ArgumentError("device=[]: name at least one")
    full = [device_name(name) for name in names]  # refuses names that no machine has
    return tuple(full[i % len(full)] for i in range(count))


def _opened(ring: Keyring, value: Packed) -> Any:
    """A result, with the keys."""
    return mapped_arrays(unpacked(value), lambda x: rejoined(x, ring))


def _result(waiting: deque[Future[Any]], told: Progress) -> Any:
    """The first of those that wait; it stays among them until it is here."""
    found = result_of(waiting[0])
    waiting.popleft()
    told.done()
    return found


def _done(work: Callable[[], Any]) -> Future[Any]:
    """What was computed here."""
    future: Future[Any] = Future()
    try:
        future.set_result(work())
    except CyclotomeError as error:
        future.set_exception(error)
    return future
