# SPDX-License-Identifier: Apache-2.0
"""Who computes next, and in how much memory: fair between clients, and bounded."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager

from ..errors import BusyError, QuotaError
from ..text import byte_size
from . import calls

__all__ = ["Room", "Turn", "Turns"]

#: Seconds between looks whether somebody still waits for a job that waits for memory.
_LOOK = 0.05


class Turn:
    """One job's wait for a place: `future` is done when it has one."""

    def __init__(self, client: str) -> None:
        self.client = client
        self.future: Future[None] = Future()
        self.granted = False


class Turns:
    """So many places for jobs. A place that becomes free goes to the client with the fewest jobs that run, among those
    with equally many to the one that was served longest ago, and of its jobs to the one that waits longest: a client
    with a hundred jobs in the queue delays another's first by no more than one. For several threads.

    How many may wait is not decided here (`Admission`)."""

    def __init__(self, places: int) -> None:
        self.places = places
        self._lock, self._free, self._served = threading.Lock(), places, 0
        self._waiting: dict[str, deque[Turn]] = {}
        self._running: dict[str, int] = {}
        #: Of clients that wait or run: when they got their last place, or came.
        self._last: dict[str, float] = {}

    @property
    def running(self) -> int:
        """Jobs that have a place."""
        return self.places - self._free

    def ask(self, client: str) -> Turn:
        """Waits for a place without a thread, by the turn's `future`; `leave` ends that, or gives the place back."""
        turn = Turn(client)
        with self._lock:
            # Who comes is before who was served last, and behind those who have waited longer: somebody who comes anew
            # with each job would otherwise always be first.
            self._last.setdefault(client, self._served - 0.5)
            self._waiting.setdefault(client, deque()).append(turn)
            granted = self._granted()
        _tell(granted)
        return turn

    def leave(self, turn: Turn) -> None:
        """Of a job that has ended, or is given up."""
        with self._lock:
            if turn.granted:
                self._free += 1
                self._running[turn.client] -= 1
                if not self._running[turn.client]:
                    del self._running[turn.client]
            else:
                self._waiting[turn.client].remove(turn)
                if not self._waiting[turn.client]:
                    del self._waiting[turn.client]
            if turn.client not in self._running and turn.client not in self._waiting:
                self._last.pop(turn.client, None)
            granted = self._granted()
        _tell(granted)

    def _granted(self) -> list[Turn]:
        """Gives free places away."""
        given = []
        while self._free and self._waiting:
            client = min(self._waiting, key=lambda each: (self._running.get(each, 0), self._last.get(each, 0)))
            turn = self._waiting[client].popleft()
            if not self._waiting[client]:
                del self._waiting[client]
            self._served += 1
            self._last[client] = self._served
            self._running[client] = self._running.get(client, 0) + 1
            self._free -= 1
            turn.granted = True
            given.append(turn)
        return given

    @contextmanager
    def place(self, client: str) -> Iterator[None]:
        """A place, for which this thread waits."""
        turn = self.ask(client)
        try:
            turn.future.result()
            yield
        finally:
            self.leave(turn)


def _tell(granted: list[Turn]) -> None:
    for turn in granted:
        if turn.future.set_running_or_notify_cancel():
            turn.future.set_result(None)


class Room:
    """Memory of the jobs that compute at a time in one process; who finds too little waits, in order of arrival. For
    several threads."""

    def __init__(self, nbytes: int, seconds: float) -> None:
        self._nbytes, self._seconds = nbytes, seconds
        self._changed = threading.Condition()
        self._held = 0
        self._queue: deque[object] = deque()

    @property
    def held(self) -> int:
        """Bytes that jobs have taken."""
        return self._held

    @contextmanager
    def hold(self, nbytes: int | None) -> Iterator[None]:
        """Holds so many bytes; None: nobody knows how many, so that all of them are.

        Raises:
            QuotaError: more than there are.
            BusyError: there was no room in time.
            Stopped: nobody waits for the job any more.
        """
        wanted = self._nbytes if nbytes is None else nbytes
        if wanted > self._nbytes:
            raise QuotaError(
                f"the job takes about {byte_size(wanted)} of memory, more than the {byte_size(self._nbytes)} that jobs "
                "have here; ask less at a time"
            )
        self._take(wanted)
        try:
            yield
        finally:
            with self._changed:
                self._held -= wanted
                self._changed.notify_all()

    def _take(self, wanted: int) -> None:
        me, until = object(), time.monotonic() + self._seconds
        with self._changed:
            self._queue.append(me)
            try:
                while self._queue[0] is not me or self._held + wanted > self._nbytes:
                    self._changed.wait(_LOOK)
                    calls.go_on()
                    if time.monotonic() > until:
                        raise BusyError(f"other jobs took the server's memory for {self._seconds:g} s; try again later")
                self._held += wanted
            finally:
                self._queue.remove(me)
                self._changed.notify_all()
