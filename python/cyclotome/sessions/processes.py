# SPDX-License-Identifier: Apache-2.0
"""Processes that work off messages, some at a time; one that dies, or takes too long, is replaced."""

from __future__ import annotations

import contextlib
import threading
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

from ..errors import ArgumentError, BusyError, CyclotomeError, TimeLimitError, WorkerLostError
from .workers import Factory, Host, Late, Line, Lost, Unwanted

__all__ = ["Idle", "Processes"]

#: Seconds between looks whether somebody still waits for what waits itself.
_LOOK = 0.1
#: Processes that may end before they were ready, which is no message's fault, before that is told.
_MOST_UNBORN = 8


class Idle:
    """Lines that have nothing to do. Of the process with the most of them one is taken, the one that was used last: its
    thread, and what an engine keeps for it, are the warmest."""

    def __init__(self) -> None:
        self._lines: list[Line] = []
        self._changed = threading.Condition()

    def put(self, line: Line) -> None:
        with self._changed:
            self._lines.append(line)
            self._changed.notify()

    def get(self) -> Line:
        with self._changed:
            try:
                while not self._lines:
                    self._changed.wait()
            except BaseException:  # Ctrl-C: what this thread was told is for another
                self._changed.notify()
                raise
            free = Counter(line.host for line in self._lines)
            return self._lines.pop(max(range(len(self._lines)), key=lambda i: (free[self._lines[i].host], i)))


class Processes:
    """So many processes, each of which answers messages by what ``factory(*arguments)`` made in it, so many at a time.
    For several threads: `ask` takes the next line that has nothing to do.

    Args:
        count: processes.
        factory, arguments: what each of them makes first; it is called on as many threads as there are lines.
        lines: messages that each process works on at a time.
        retries: how often a message is worked on again whose process died. By itself then, in a process of its own:
            which of several messages brought it down nobody knows, and one that does so always takes no other along.
    """

    def __init__(self, count: int, factory: Factory, *arguments: Any, lines: int = 1, retries: int = 0) -> None:
        for number, what in ((count, "processes"), (lines, "messages at a time")):
            if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= 1024:
                raise ArgumentError(f"{number!r} {what}: say how many, from 1 to 1024")
        self._factory, self._arguments = factory, arguments
        self._idle = Idle()
        self._lock, self._closed, self._retries = threading.Lock(), False, retries
        self._all: set[Host] = set()
        # One message at a time works apart from the others.
        self._apart = threading.Lock()
        self.count, self.lines = count, lines
        #: Processes that had to be replaced.
        self.replaced = 0
        hosts = [self._started(lines) for _ in range(count)]
        for place in range(lines):
            for host in hosts:
                self._idle.put(Line(host, place))

    def _started(self, lines: int) -> Host:
        host = Host(self._factory, self._arguments, lines)
        with contextlib.suppress(OSError):  # then it begins when it is needed
            host.begin()
        with self._lock:
            self._all.add(host)
        return host

    @property
    def pids(self) -> list[int]:
        """The processes' numbers."""
        with self._lock:
            return [host.pid for host in self._all if host.pid is not None]

    def ask(self, message: Any, timeout: float | None = None, gone: Callable[[], bool] | None = None) -> Any:
        """The answer of one process.

        Args:
            message: what can be pickled.
            timeout: seconds that the work may take, from `calls.began` on if it says so; then it is stopped, by ending
                its process where it does not stop by itself. What else ran there runs once more elsewhere.
            gone: whether the answer is not wanted any more; asked ten times a second.

        Raises:
            TimeLimitError: it took longer.
            WorkerLostError: the process ended, and so did those in which it was tried again.
            BusyError: the processes are being closed; or the answer is not wanted any more.
            UnsupportedError: the message can't be sent.
            Whatever the work raised, as an error of this library.
        """
        line = self._idle.get()
        try:
            if self._closed:
                raise BusyError("the server is going down; try again later, or elsewhere")
            return self._asked(line, message, timeout, gone)
        finally:
            self._idle.put(line)

    def _asked(self, line: Line, message: Any, timeout: float | None, gone: Callable[[], bool] | None) -> Any:
        left, spared, unborn = self._retries, True, _MOST_UNBORN
        while True:
            line.move()
            try:
                return self._tried(line, message, timeout, gone)
            except Lost as lost:
                sacrificed = line.host.sacrificed
                self._replace(line.host)
                if sacrificed and spared:  # ended for another's sake
                    spared = False
                elif not line.ready and unborn:  # it never had the message
                    unborn -= 1
                elif not left:
                    raise WorkerLostError(str(lost)) from None
                elif self.lines > 1:
                    return self._alone(left, message, timeout, gone)
                else:
                    left -= 1

    def _tried(self, line: Line, message: Any, timeout: float | None, gone: Callable[[], bool] | None) -> Any:
        """The answer, or `Lost`; what else ends a message ends it for good."""
        try:
            return line.ask(message, timeout, gone)
        except Lost:
            raise
        except Late:
            self._stop(line)
            raise TimeLimitError(f"the job took more than the {timeout:g} s that one may take, and was ended") from None
        except Unwanted:
            self._stop(line)
            raise BusyError("nobody waits for the answer any more") from None
        except CyclotomeError:
            if not line.ready:
                self._replace(line.host)
            raise
        except BaseException:  # Ctrl-C: an answer is on its way that nobody may take for the next one's
            line.host.sacrificed = True
            self._replace(line.host)
            raise

    def _alone(self, tries: int, message: Any, timeout: float | None, gone: Callable[[], bool] | None) -> Any:
        """The answer of a process that has nothing else to do, which is ended then."""
        while not self._apart.acquire(timeout=_LOOK):
            if gone is not None and gone():
                raise BusyError("nobody waits for the answer any more")
        try:
            unborn = _MOST_UNBORN
            while True:
                line = Line(self._started(1), 0)
                try:
                    return self._tried(line, message, timeout, gone)
                except Lost as lost:
                    if not line.ready and unborn:
                        unborn -= 1
                        continue
                    tries -= 1
                    if not tries:
                        raise WorkerLostError(str(lost)) from None
                finally:
                    line.move()
                    with self._lock:
                        self._all.discard(line.host)
                    line.host.end()
                    line.close()
        finally:
            self._apart.release()

    def _stop(self, line: Line) -> None:
        if not line.stopped():
            line.host.sacrificed = True
            self._replace(line.host)

    def _replace(self, host: Host) -> None:
        """Ends a process and begins another in its place, once, whichever of its lines finds out first."""
        with self._lock:
            first = host in self._all
            self._all.discard(host)
            self.replaced += first
        if first:
            host.end()
            host.successor = self._started(host.lines)
        while host.successor is None:  # another line is at it
            time.sleep(0.01)

    def close(self) -> None:
        """Waits for what runs, then ends all processes. What waits is refused."""
        if self._closed:
            return
        self._closed = True
        lines = [self._idle.get() for _ in range(self.count * self.lines)]
        with self._lock:
            hosts, self._all = self._all, set()
        for host in hosts:
            host.end()
        for line in lines:
            line.close()
        for line in lines:
            self._idle.put(line)  # whoever asks finds that there are none
