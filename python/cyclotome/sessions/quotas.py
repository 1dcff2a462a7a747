# SPDX-License-Identifier: Apache-2.0
"""What a server takes, from each client and in all."""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields

from ..errors import ArgumentError, BusyError, QuotaError
from ..text import byte_size

__all__ = ["Admission", "Quotas"]


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


class Admission:
    """Who is being served, and what of their quotas is left. For several threads."""

    def __init__(self, quotas: Quotas, clock: Callable[[], float] = time.monotonic) -> None:
        self._quotas, self._clock, self._lock = quotas, clock, threading.Lock()
        self._jobs: dict[str, int] = defaultdict(int)
        self._bytes: dict[str, int] = defaultdict(int)
        # Seconds left of a client's bucket and when that was; clients whose bucket is full are forgotten.
        self._buckets: dict[str, tuple[float, float]] = {}

    @property
    def jobs(self) -> int:
        """Jobs that wait or run."""
        with self._lock:
            return sum(self._jobs.values())

    @property
    def held_bytes(self) -> int:
        """Bytes of requests that are being served."""
        with self._lock:
            return sum(self._bytes.values())

    @contextmanager
    def job(self, client: str) -> Iterator[None]:
        """One of a client's jobs, whose time counts.

        Raises:
            BusyError: the client, or all together, have too many, or the client has used up its time.
        """
        with self._lock:
            quotas = self._quotas
            if sum(self._jobs.values()) >= quotas.all_jobs:
                raise BusyError(f"the server has {quotas.all_jobs} jobs already; try again later")
            if self._jobs[client] >= quotas.client_jobs:
                raise BusyError(f"there are {quotas.client_jobs} of your jobs already; try again later")
            if (left := self._left(client)) <= 0:
                raise BusyError(f"your jobs took their time of this minute; try again in {1 - left:.0f} s or more")
            self._jobs[client] += 1
        began = self._clock()
        try:
            yield
        finally:
            with self._lock:
                self._release(self._jobs, client, 1)
                self._buckets[client] = (self._left(client) - (self._clock() - began), self._clock())

    def _left(self, client: str) -> float:
        """Seconds of a client's bucket."""
        full = self._quotas.client_seconds_per_minute
        now = self._clock()
        for name, (left, since) in [*self._buckets.items()] if len(self._buckets) > 1024 else []:
            if left + (now - since) * full / 60 >= full:
                del self._buckets[name]
        left, since = self._buckets.get(client, (full, now))
        return min(full, left + (now - since) * full / 60)

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
            if sum(self._bytes.values()) + count > quotas.all_bytes:
                raise BusyError(f"the server has {byte_size(quotas.all_bytes)} of requests already; try again later")
            self._bytes[client] += count

    def give_back(self, client: str, count: int) -> None:
        """A request of so many bytes has been served."""
        with self._lock:
            self._release(self._bytes, client, count)

    @staticmethod
    def _release(counts: dict[str, int], client: str, count: int) -> None:
        counts[client] -= count
        if counts[client] <= 0:
            del counts[client]
