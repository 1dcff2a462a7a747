# SPDX-License-Identifier: Apache-2.0
"""Processes that work off messages, each with what it holds; one that dies, or takes too long, is replaced."""

from __future__ import annotations

import contextlib
import multiprocessing
import queue
import signal
import threading
from collections.abc import Callable
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

from .. import errors
from ..errors import ArgumentError, BusyError, CyclotomeError, FunctionError, QuotaError, WorkerLostError

__all__ = ["Processes", "described", "raised"]

#: Spawned, on every system: a fork would copy the threads' locks of a server, and its keys.
_METHOD = multiprocessing.get_context("spawn")

#: Makes, in the process, what answers messages.
Factory = Callable[..., Callable[[Any], Any]]


def described(error: BaseException) -> tuple[str, str]:
    """An error as another process, or another machine, is told: nothing of what others raise, which may quote data."""
    if isinstance(error, CyclotomeError):
        return type(error).__name__, str(error)
    if isinstance(error, MemoryError):
        return "MemoryLimitError", "the server has no memory for this; send less at a time"
    frame = error.__traceback__
    while frame is not None and frame.tb_next is not None:
        frame = frame.tb_next
    place = "" if frame is None else f" at {frame.tb_frame.f_code.co_filename.rpartition('/')[2]}:{frame.tb_lineno}"
    return "FunctionError", f"the function failed with {type(error).__name__}{place}"


def raised(name: object, message: object) -> CyclotomeError:
    """The error that was described so."""
    kind = getattr(errors, name, None) if isinstance(name, str) else None
    known = isinstance(kind, type) and issubclass(kind, CyclotomeError)
    return (kind if known else FunctionError)(str(message))  # type: ignore[misc]


def _work(connection: Connection, factory: Factory, arguments: tuple[Any, ...]) -> None:
    """What each process does."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which ends this one
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    try:
        answer = factory(*arguments)
        connection.send((True, None))
    except Exception as error:
        connection.send((False, described(error)))
        return
    with contextlib.suppress(EOFError, KeyboardInterrupt):
        while True:
            message = connection.recv()
            try:
                reply = True, answer(message)
            except Exception as error:
                reply = False, described(error)
            del message
            connection.send(reply)
            del reply


class _Worker:
    """One process, and this end of its pipe; begun when it is first needed, if not before."""

    def __init__(self, factory: Factory, arguments: tuple[Any, ...]) -> None:
        self._work = factory, arguments
        self.process: BaseProcess | None = None
        self.ready = False

    def begin(self) -> None:
        """Starts the process. Raises OSError where the system has none to give."""
        self._connection, other = _METHOD.Pipe()
        process = _METHOD.Process(target=_work, args=(other, *self._work), daemon=True)
        try:
            process.start()
            self.process = process
        except BaseException:
            self._connection.close()
            raise
        finally:
            other.close()

    def reply(self, timeout: float | None) -> Any:
        """The answer to what was sent. Raises TimeoutError, WorkerLostError, and what the work raised."""
        try:
            if not self._connection.poll(timeout):
                raise TimeoutError
            done, value = self._connection.recv()
        except (EOFError, ConnectionError):
            assert self.process is not None
            self.process.join(5)
            code = self.process.exitcode
            raise WorkerLostError(f"the process that worked on it ended (exit code {code}); nothing was done") from None
        if not done:
            raise raised(*value)
        return value

    def ask(self, message: Any, timeout: float | None) -> Any:
        """Sends a message and waits for the answer."""
        if self.process is None:
            try:
                self.begin()
            except OSError as error:
                raise BusyError(f"the system starts no further process ({error.strerror}); try again later") from None
        if not self.ready:
            self.reply(timeout=None)
            self.ready = True
        with contextlib.suppress(ConnectionError):  # what the answer tells as well
            self._connection.send(message)
        return self.reply(timeout)

    def end(self) -> None:
        """Ends the process at once."""
        if self.process is not None:
            self.process.kill()
            self.process.join()
            self.process.close()
            self._connection.close()


class Processes:
    """So many processes, each of which answers messages by what ``factory(*arguments)`` made in it. For several
    threads: `ask` takes the next process that has nothing to do."""

    def __init__(self, count: int, factory: Factory, *arguments: Any) -> None:
        if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= 1024:
            raise ArgumentError(f"{count!r} processes: say how many, from 1 to 1024")
        self._factory, self._arguments = factory, arguments
        self._idle: queue.SimpleQueue[_Worker] = queue.SimpleQueue()
        self._lock, self._closed = threading.Lock(), False
        self._all: set[_Worker] = set()
        self.count = count
        #: Processes that had to be replaced.
        self.replaced = 0
        for _ in range(count):
            self._idle.put(self._started())

    def _started(self) -> _Worker:
        worker = _Worker(self._factory, self._arguments)
        with contextlib.suppress(OSError):  # then it begins when it is needed
            worker.begin()
        with self._lock:
            self._all.add(worker)
        return worker

    @property
    def pids(self) -> list[int]:
        """The processes' numbers."""
        with self._lock:
            processes = [worker.process for worker in self._all]
        return [process.pid for process in processes if process is not None and process.pid is not None]

    def ask(self, message: Any, timeout: float | None = None) -> Any:
        """The answer of one process.

        Args:
            message: what can be pickled.
            timeout: seconds that the work may take; then its process is ended.

        Raises:
            QuotaError: it took longer.
            WorkerLostError: the process ended.
            BusyError: the processes are being closed.
            Whatever the work raised, as an error of this library.
        """
        worker = self._idle.get()
        if self._closed:
            self._idle.put(worker)
            raise BusyError("the server is going down; try again later, or elsewhere")
        keep = False
        try:
            result = worker.ask(message, timeout)
            keep = True
            return result
        except WorkerLostError:
            raise
        except TimeoutError as error:
            if isinstance(error, BusyError):
                keep = True
                raise
            raise QuotaError(f"the job took more than the {timeout:g} s that one may take, and was ended") from None
        except CyclotomeError:
            keep = worker.ready
            raise
        finally:
            self._idle.put(worker if keep else self._replacement(worker))

    def _replacement(self, worker: _Worker) -> _Worker:
        with self._lock:
            self._all.discard(worker)
            self.replaced += 1
        worker.end()
        return self._started()

    def close(self) -> None:
        """Waits for what runs, then ends all processes. What waits is refused."""
        self._closed = True
        for _ in range(self.count):
            worker = self._idle.get()
            with self._lock:
                self._all.discard(worker)
            worker.end()
        self._idle.put(_Closed())  # type: ignore[arg-type]


class _Closed:
    """In place of a process: whoever waits for one finds that there are none."""
