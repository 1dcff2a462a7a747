# SPDX-License-Identifier: Apache-2.0
"""One process that works off messages, some at a time: what runs in it, and the ends of its lines on this side."""

from __future__ import annotations

import contextlib
import math
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from multiprocessing.reduction import ForkingPickler
from typing import Any

from .. import errors
from ..errors import BusyError, CyclotomeError, FunctionError, MemoryLimitError, UnsupportedError
from . import calls

__all__ = ["Factory", "Host", "Late", "Line", "Lost", "Unwanted", "described", "raised"]

#: Spawned, on every system: a fork would copy the threads' locks of a server, and its keys.
_METHOD = multiprocessing.get_context("spawn")

#: Seconds between looks whether an answer is still wanted; and for work that was stopped to end by itself.
_LOOK, _GRACE = 0.1, 1.0

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


class _Stop:
    """Sent in the middle of an answer: nobody waits for it any more."""


#: What comes back: the work has its turn and its time counts from now, and how it ended.
_BEGAN, _DONE, _FAILED, _STOPPED = range(4)


def _work(connections: list[Connection], factory: Factory, arguments: tuple[Any, ...]) -> None:
    """What each process does: answers what comes on its lines, each on a thread of its own."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which ends this one
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_leave_with_parent, daemon=True).start()
    try:
        answer = factory(*arguments)
    except Exception as error:
        for connection in connections:
            connection.send((_FAILED, 0, described(error)))
        return
    for connection in connections[1:]:
        threading.Thread(target=_answer, args=(connection, answer), daemon=True).start()
    _answer(connections[0], answer)
    # Other lines' threads may compute still, and Python's own end would take away what they use.
    os._exit(0)


def _leave_with_parent() -> None:
    """Ends this process when the one that started it has ended, whatever is computed: nobody waits for it."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _pickled(message: Any, what: str) -> Any:
    """The bytes of a message.

    Raises:
        UnsupportedError: it can't be sent; errors of this library, a secret key's above all, come as they are.
    """
    try:
        return ForkingPickler.dumps(message, 5)
    except CyclotomeError:
        raise
    except MemoryError:
        raise MemoryLimitError(f"there is no memory to send {what}; send less at a time") from None
    except Exception as error:
        raise UnsupportedError(f"{what} can't be sent between processes: {type(error).__name__}: {error}") from error


def _answer(connection: Connection, answer: Callable[[Any], Any]) -> None:
    """Messages of one line, until the other end is closed."""

    def check() -> None:
        if connection.poll(0):  # `_Stop`, or nobody there
            raise calls.Stopped

    number = 0

    def told() -> None:
        connection.send((_BEGAN, number, None))

    with contextlib.suppress(EOFError, OSError, KeyboardInterrupt):  # of the line itself: nobody is there
        connection.send((_DONE, 0, None))
        while True:
            data: Any = connection.recv_bytes()
            number += 1  # as the other end counts; what is read may be unreadable
            received: Any = None
            try:
                received = ForkingPickler.loads(data)
                data = None
                if isinstance(received, _Stop):  # came after the answer
                    number -= 1
                    continue
                number = received[0]
                value = calls.attended(answer, received[1], check, told)
                received = None
                reply = _pickled((_DONE, number, value), "what the function returned")
                del value
            except calls.Stopped:
                reply = _pickled((_STOPPED, number, None), "")
            except BaseException as error:  # a thread that ended would answer nobody any more
                reply = _pickled((_FAILED, number, described(error)), "")
            data = received = None
            connection.send_bytes(reply)
            del reply


class Late(Exception):
    """The answer did not come in time."""


class Unwanted(Exception):
    """Nobody waits for the answer."""


class Lost(Exception):
    """The process has ended; the message says how. Not what a function raises that lost a process of its own."""


class Host:
    """A process, begun when it is first needed if not before, and this side's ends of its lines."""

    def __init__(self, factory: Factory, arguments: tuple[Any, ...], lines: int) -> None:
        self._work, self.lines = (factory, arguments), lines
        self._lock = threading.Lock()
        self._process: BaseProcess | None = None
        self._pid: int | None = None
        self._code: int | None = None
        self._ended = False
        self.connections: list[Connection] = []
        #: What took its place, once it has ended; and whether it was ended for the sake of one of its lines.
        self.successor: Host | None = None
        self.sacrificed = False

    def begin(self) -> None:
        """Starts the process, unless it was.

        Raises:
            OSError: the system has none to give.
            UnsupportedError: a process can't be sent what it is to do.
        """
        with self._lock:
            if self._process is not None:
                return
            if multiprocessing.current_process().daemon:
                raise UnsupportedError(
                    "a process of a pool has none of its own: within a served or mapped function compute where it is "
                    "(cyclotome.map does), or serve with workers=0"
                )
            pipes = [_METHOD.Pipe() for _ in range(self.lines)]
            own, others = [pipe[0] for pipe in pipes], [pipe[1] for pipe in pipes]
            process = _METHOD.Process(target=_work, args=(others, *self._work), daemon=True)
            try:
                process.start()
                self._process, self._pid, self.connections = process, process.pid, own
            except BaseException as error:
                for connection in own:
                    connection.close()
                if isinstance(error, Exception) and not isinstance(error, (OSError, CyclotomeError)):
                    raise UnsupportedError(
                        f"processes can't be sent what they are to do ({type(error).__name__}: {error}): a function "
                        "stands by its name in a module that they can import"
                    ) from error
                raise
            finally:
                for connection in others:
                    connection.close()

    @property
    def pid(self) -> int | None:
        """Its number, if it has begun."""
        return self._pid

    def exit_code(self) -> int | None:
        """Of a process that has ended, or is about to."""
        with self._lock:
            if self._process is not None and not self._ended:
                self._process.join(5)
                self._code = self._process.exitcode
            return self._code

    def end(self) -> None:
        """Ends the process at once. Lines stay open, as others may be waiting at theirs."""
        with self._lock:
            if self._process is None or self._ended:
                return
            self._ended = True
            self._process.kill()
            self._process.join()
            self._code = self._process.exitcode
            self._process.close()


class Line:
    """One of a process's lines: a message at a time."""

    def __init__(self, host: Host, place: int) -> None:
        self.host, self._place, self.ready = host, place, False
        # Of the message that is being answered: what answers another one is nobody's.
        self._number = 0

    @property
    def _connection(self) -> Connection:
        return self.host.connections[self._place]

    def move(self) -> None:
        """To what took the place of its process, if that has ended."""
        while self.host.successor is not None:
            self.close()
            self.host, self.ready, self._number = self.host.successor, False, 0

    def close(self) -> None:
        """Closes this end."""
        if self.host.connections:
            self._connection.close()

    def ask(self, message: Any, timeout: float | None, gone: Callable[[], bool] | None) -> Any:
        """Sends a message and waits for the answer; errors: see `_reply`; UnsupportedError: it can't be sent."""
        try:
            self.host.begin()
        except OSError as error:
            raise BusyError(f"the system starts no further process ({error.strerror}); try again later") from None
        if not self.ready:
            self._reply(None, None)
            self.ready = True
        data = _pickled((self._number + 1, message), "what a process is asked")
        self._number += 1
        with contextlib.suppress(OSError):  # what the answer tells as well
            self._connection.send_bytes(data)
        del data
        return self._reply(timeout, gone)

    def _reply(self, timeout: float | None, gone: Callable[[], bool] | None) -> Any:
        """The answer to what was sent. Raises Late, Unwanted, Lost, and what the work raised."""
        until = math.inf if timeout is None else time.monotonic() + timeout
        while True:
            left = until - time.monotonic()
            kind, value = self._received(left if gone is None else min(left, _LOOK))
            if kind is None:
                if gone is not None and gone():
                    raise Unwanted
                if time.monotonic() >= until:
                    raise Late
            elif kind == _BEGAN:
                until = math.inf if timeout is None else time.monotonic() + timeout
            elif kind == _FAILED:
                raise raised(*value)
            elif kind == _STOPPED:
                raise Unwanted
            else:
                return value

    def _received(self, timeout: float) -> tuple[int | None, Any]:
        """What came within so many seconds; None for nothing."""
        try:
            if not self._connection.poll(None if timeout == math.inf else max(timeout, 0.0)):
                return None, None
            data = self._connection.recv_bytes()
        except (EOFError, OSError):  # of a process that ends in the middle of its answer OSError itself
            code = self.host.exit_code()
            raise Lost(f"the process that worked on it ended (exit code {code}); nothing was done") from None
        try:
            kind, number, value = ForkingPickler.loads(data)
        except CyclotomeError:
            raise
        except Exception as error:
            raise FunctionError(f"an answer can't be read in this process: {type(error).__name__}: {error}") from error
        if number != self._number:
            raise Lost("the process answered another message than it was sent, and was ended; nothing was done")
        return kind, value

    def stopped(self) -> bool:
        """Tells the process that the answer is not wanted any more; whether it gave the work up, or finished it."""
        until = time.monotonic() + _GRACE
        try:
            self._connection.send(_Stop())
            kind: int | None = _BEGAN
            while kind == _BEGAN:
                kind, _ = self._received(until - time.monotonic())
        except (OSError, Lost):
            return False
        except CyclotomeError:  # an answer that can't be read is an answer
            return True
        return kind is not None
