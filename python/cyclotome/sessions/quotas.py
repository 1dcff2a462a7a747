# SPDX-License-Identifier: Apache-2.0
"""What a server takes, from each client and in all."""

from __future__ import annotations

import heapq
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields

from ..errors import ArgumentError, BusyError, QuotaError
from ..text import byte_size

__all__ = ["Admission", "Counts", "Quotas", "later"]


def later(error: BusyError, seconds: float) -> BusyError:
    """The error, which says after how many seconds to ask again."""
    error.retry_after = seconds
    return error


@dataclass(frozen=True)
class Quotas:
    """Limits of a `Server`; all of them are positive. Bytes are those that are sent, unless said otherwise."""

    #: Of one request, of one answer, and of all requests of one client, and of all, that are being served at a time.
    request_bytes: int = 64 << 20
    answer_bytes: int = 256 << 20
    client_bytes: int = 256 << 20
    all_bytes: int = 1 << 30
    #: Of one client's keys, and of all keys. Keys that nobody has used for a while give way to others.
    client_key_bytes: int = 1 << 30
    all_key_bytes: int = 8 << 30
    key_idle_seconds: float = 3600.0
    #: Of keys in the memory of each process that computes; others are read again when they are needed.
    resident_key_bytes: int = 2 << 30
    #: Memory of the jobs that compute at a time in each process, by their plans; others wait for it.
    job_bytes: int = 4 << 30
    #: Encrypted arrays and tables in a request.
    arguments: int = 16
    #: Jobs of one client, and of all, that wait or run at a time.
    client_jobs: int = 64
    all_jobs: int = 256
    #: A job's time by its plan, for one core, before it begins; and its elapsed time, after which its process is ended
    #: (only where it has a process of its own).
    planned_seconds: float = 30.0
    seconds: float = 60.0
    #: Elapsed time of one client's jobs in any minute: a bucket that fills at this rate, and holds as much.
    client_seconds_per_minute: float = 3600.0

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not value > 0:
                raise ArgumentError(f"a server's quota {field.name} is {value!r}; it must be a positive number")


class Counts:
    """Whole numbers by name, those above 0, and their sum: nothing here takes longer the more names there are."""

    def __init__(self) -> None:
        self._each: dict[str, int] = {}
        self.total = 0

    def __getitem__(self, name: str) -> int:
        return self._each.get(name, 0)

    def add(self, name: str, count: int) -> None:
        """Counts so many more, or fewer."""
        self.total += count
        if left := self._each.get(name, 0) + count:
            self._each[name] = left
        else:
            self._each.pop(name, None)


class _Buckets:
    """Seconds that clients have left: each has a bucket that fills at a constant rate. Full ones are not kept; which
    fill up next says a heap, with one entry for each."""

    def __init__(self, full: float) -> None:
        self._full, self._rate = full, full / 60
        #: Seconds left, and when that was.
        self._left: dict[str, tuple[float, float]] = {}
        self._filling: list[tuple[float, str]] = []

    def __len__(self) -> int:
        return len(self._left)

    def left(self, client: str, now: float) -> float:
        """Seconds in a client's bucket."""
        left, since = self._left.get(client, (self._full, now))
        return min(self._full, left + (now - since) * self._rate)

    def take(self, client: str, seconds: float, now: float) -> None:
        """Takes these seconds out, more than there are if need be; forgets buckets that are full by now."""
        known = client in self._left
        self._left[client] = self.left(client, now) - seconds, now
        if not known:
            heapq.heappush(self._filling, (self._full_at(client), client))
        while self._filling and self._filling[0][0] <= now:
            name = self._filling[0][1]
            if (when := self._full_at(name)) > now:  # taken from since
                heapq.heapreplace(self._filling, (when, name))
            else:
                heapq.heappop(self._filling)
                del self._left[name]

    def _full_at(self, client: str) -> float:
        left, since = self._left[client]
        return since + (self._full - left) / self._rate


class Admission:
    """Who is being served, and what of their quotas is left. For several threads."""

    def __init__(self, quotas: Quotas, clock: Callable[[], float] = time.monotonic) -> None:
        self._quotas, self._clock, self._lock = quotas, clock, threading.Lock()
        self._jobs, self._bytes = Counts(), Counts()
        self._buckets = _Buckets(quotas.client_seconds_per_minute)
        self._usual = 0.0

    @property
    def jobs(self) -> int:
        """Jobs that wait or run."""
        return self._jobs.total

    @property
    def held_bytes(self) -> int:
        """Bytes of requests that are being served."""
        return self._bytes.total

    @property
    def filling(self) -> int:
        """Clients whose time is not all there."""
        return len(self._buckets)

    def wait_seconds(self, places: int) -> float:
        """About how long a job that came now would wait, where so many run at a time: as the jobs before it, if each
        takes as long as those did that ended last."""
        return self._usual * max(0, self.jobs - places + 1) / places

    def worked(self, seconds: float) -> None:
        """A job has run for so long, from which others' waiting is estimated."""
        with self._lock:
            self._usual += (seconds - self._usual) / 8 if self._usual else seconds

    @contextmanager
    def job(self, client: str) -> Iterator[None]:
        """One of a client's jobs, whose time counts.

        Raises:
            BusyError: the client, or all together, have too many, or the client has used up its time.
        """
        with self._lock:
            quotas = self._quotas
            if self._jobs.total >= quotas.all_jobs:
                raise BusyError(f"the server has {quotas.all_jobs} jobs already; try again later")
            if self._jobs[client] >= quotas.client_jobs:
                raise BusyError(f"there are {quotas.client_jobs} of your jobs already; try again later")
            if (left := self._buckets.left(client, self._clock())) <= 0:
                wait = 1 - left * 60 / quotas.client_seconds_per_minute
                raise later(BusyError(f"your jobs took their time of this minute; try again in {wait:.0f} s"), wait)
            self._jobs.add(client, 1)
        began = self._clock()
        try:
            yield
        finally:
            with self._lock:
                now = self._clock()
                self._jobs.add(client, -1)
                self._buckets.take(client, now - began, now)

    def take(self, client: str, count: int, held: int) -> None:
        """Counts further bytes of a request that has brought ``held`` already; `give_back` ends it.

        Raises:
            QuotaError: the request is too long.
            BusyError: the client, or all together, are sending too much.
        """
        quotas = self._quotas
        if held + count > quotas.request_bytes:
            raise QuotaError(f"the request has more than the {byte_size(quotas.request_bytes)} that one may have")
        with self._lock:
            if self._bytes[client] + count > quotas.client_bytes:
                raise BusyError(f"your requests are more than {byte_size(quotas.client_bytes)} together; wait for some")
            if self._bytes.total + count > quotas.all_bytes:
                raise BusyError(f"the server has {byte_size(quotas.all_bytes)} of requests already; try again later")
            self._bytes.add(client, count)

    def give_back(self, client: str, count: int) -> None:
        """A request of so many bytes has been served."""
        with self._lock:
            self._bytes.add(client, -count)
