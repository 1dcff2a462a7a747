# SPDX-License-Identifier: Apache-2.0
"""Tasks of a pool: what a worker is sent, what it does, the future that somebody waits for, and who gives them out."""

from __future__ import annotations

import contextlib
import queue
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError, ThreadPoolExecutor
from typing import Any, NamedTuple

from ..errors import BusyError, CyclotomeError, WorkerLostError
from ..keys.held import hold_keys, release_keys
from ..keys.keyring import Keyring
from .batches import called, held_in_worker, mapped_arrays, rejoined
from .packing import Packed, packed, unpacked
from .processes import Processes

__all__ = ["NOTHING_MISSING", "Folded", "LocalCrew", "Message", "Missing", "Named", "Task", "Worker"]

#: Functions, and sets of keys, that a worker keeps; a task that needs another one is sent it once more.
_FUNCTIONS, _KEYS = 16, 4


class Named(NamedTuple):
    """What workers are sent once, under a name that nothing else has."""

    name: bytes
    value: Packed


class Message(NamedTuple):
    """A task as a worker gets it: by name what it may hold already."""

    function: bytes
    keys: bytes
    parts: tuple[Packed, ...]
    #: Whether the function is of a list of the parts, or of the only one.
    many: bool


class Missing(NamedTuple):
    """What a worker answers that has to be sent these first."""

    function: bool
    keys: bool


NOTHING_MISSING = Missing(False, False)


class Folded:
    """A function of two values as one of a list: of neighbours, then of what these gave, so that depth and noise grow
    as little as they can."""

    def __init__(self, combine: Callable[[Any, Any], Any]) -> None:
        self._combine = combine

    def __call__(self, values: list[Any]) -> Any:
        """The value of all of them, in their order."""
        while len(values) > 1:
            pairs = [self._combine(*values[i : i + 2]) for i in range(0, len(values) - 1, 2)]
            values = pairs + values[2 * len(pairs) :]
        return values[0]


class Worker:
    """In a process: functions and keys that were sent, and its device."""

    def __init__(self, device: str) -> None:
        hold_keys(device=device)
        self._device = device
        self._functions: OrderedDict[bytes, Callable[[Any], Any]] = OrderedDict()
        self._rings: OrderedDict[bytes, Keyring] = OrderedDict()

    def __call__(self, sent: tuple[Message, Packed | None, Packed | None]) -> Packed | Missing:
        """The packed result of a message, sent with function and keys where the worker has asked for them.

        Raises:
            FunctionError: the function failed; errors of this library come as they are.
        """
        message, function, keys = sent
        if keys is not None and message.keys not in self._rings:
            self._hold(message.keys, unpacked(keys))
        if function is not None:
            self._functions[message.function] = unpacked(function)
            while len(self._functions) > _FUNCTIONS:
                self._functions.popitem(last=False)
        missing = Missing(message.function not in self._functions, message.keys not in self._rings)
        if any(missing):
            return missing
        self._functions.move_to_end(message.function)
        self._rings.move_to_end(message.keys)
        ring = self._rings[message.keys]
        values = [mapped_arrays(unpacked(part), lambda x: rejoined(x, ring)) for part in message.parts]
        result = called(self._functions[message.function], values if message.many else values[0])
        return packed(result, "what the function returned")

    def _hold(self, name: bytes, keys: tuple[Any, ...]) -> None:
        self._rings[name] = held_in_worker(keys, self._device)
        if len(self._rings) > _KEYS:
            self._rings.popitem(last=False)
            release_keys()
            hold_keys(device=self._device)
            for ring in self._rings.values():
                hold_keys(*ring.keys(), device=self._device)


class Task(Future[Any]):
    """A task that a pool has taken. It can be cancelled at any time before its result is here: then its worker is told.

    Args:
        function, keys: what it needs.
        parts: the values that the function is of.
        many: whether it is of a list of them, or of the only one.
    """

    def __init__(self, function: Named, keys: Named, parts: tuple[Packed, ...], many: bool = False) -> None:
        super().__init__()
        self.function, self.keys = function, keys
        self.message = Message(function.name, keys.name, parts, many)
        #: What keeps the packed result, and what opens it for whoever waits.
        self.keep: Callable[[Packed], None] | None = None
        self.open: Callable[[Packed], Any] | None = None
        #: How often a worker was lost that had it.
        self.losses = 0

    def sent(self, missing: Missing = NOTHING_MISSING) -> tuple[Message, Packed | None, Packed | None]:
        """What a worker is sent that lacks this."""
        return (
            self.message,
            self.function.value if missing.function else None,
            self.keys.value if missing.keys else None,
        )

    def cancel(self) -> bool:
        """As the base class; a task that is computed can be cancelled, too."""
        if self.cancelled() or not super().cancel():
            return self.cancelled()
        with contextlib.suppress(InvalidStateError, RuntimeError):
            self.set_running_or_notify_cancel()  # tells whoever waits for several
        return True

    def tell(self, result: Packed, kept: bool = False) -> None:
        """Its result is here: kept, if it is to be and is not, before anybody is told."""
        if self.cancelled():
            return
        try:
            if self.keep is not None and not kept:
                self.keep(result)
            value = result if self.open is None else self.open(result)
        except Exception as error:
            self.fail(error)
            return
        with contextlib.suppress(InvalidStateError):  # cancelled meanwhile
            self.set_result(value)

    def fail(self, error: BaseException) -> None:
        """It has failed, for good."""
        with contextlib.suppress(InvalidStateError):
            self.set_exception(error)


class LocalCrew:
    """A process for each device, and a thread that waits for it. A task goes to one that has nothing to do, and if that
    is lost, to another.

    Args:
        devices: where each computes.
        retries: how often a task is tried again whose process died.
    """

    def __init__(self, devices: tuple[str, ...], retries: int) -> None:
        self._retries = retries
        self._processes = [Processes(1, Worker, device) for device in devices]
        self._free: queue.SimpleQueue[Processes] = queue.SimpleQueue()
        for each in self._processes:
            self._free.put(each)
        self._threads = ThreadPoolExecutor(len(devices), thread_name_prefix="cyclotome-pool")

    @property
    def size(self) -> int:
        """How many workers there are."""
        return len(self._processes)

    def pack(self, value: Any, what: str) -> Packed:
        """A value as workers get it. Errors: see `packed`."""
        return packed(value, what)

    def run(self, task: Task) -> None:
        """Works on a task when a worker has nothing else to do."""
        try:
            self._threads.submit(self._work, task)
        except RuntimeError:  # closed meanwhile
            task.fail(BusyError("the pool was closed"))

    def _work(self, task: Task) -> None:
        try:
            if not task.cancelled():
                task.tell(self._answer(task))
        except CyclotomeError as error:
            task.fail(BusyError("the task was cancelled") if task.cancelled() else error)
        except BaseException as error:
            task.fail(error)

    def _answer(self, task: Task) -> Any:
        while True:
            process = self._free.get()
            try:
                answer = process.ask(task.sent(), gone=task.cancelled)
                if isinstance(answer, Missing):
                    answer = process.ask(task.sent(answer), gone=task.cancelled)
                if not isinstance(answer, Missing):
                    return answer
            except WorkerLostError:
                task.losses += 1
                if task.losses > self._retries:
                    raise
            finally:
                self._free.put(process)

    def close(self) -> None:
        """Ends the processes; tasks are cancelled before."""
        self._threads.shutdown(cancel_futures=True)
        for each in self._processes:
            each.close()
