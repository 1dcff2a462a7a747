# SPDX-License-Identifier: Apache-2.0
"""The workers of a pool on this machine: a process for each."""

from __future__ import annotations

import queue
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from ..errors import BusyError, CyclotomeError, WorkerLostError
from .packing import Packed, packed
from .processes import Processes
from .tasks import Missing, Task, Worker

__all__ = ["LocalCrew"]


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
