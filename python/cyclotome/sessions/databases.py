# SPDX-License-Identifier: Apache-2.0
"""Databases that a server answers private queries from: their files, followed as others take their names, and their
outputs, shared by processes."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from .. import pir, search
from ..errors import ArgumentError, CyclotomeError
from ..pir.messages import version_of
from ..pir.scanned import Scanned
from ..pir.stored import head_of
from ..whole_files import path_text
from . import calls

__all__ = ["Databases", "Followed", "Scan", "opened", "scanned"]

#: Seconds that a version is answered after another one took its file's name.
_KEPT_SECONDS = 600.0

#: What a database's description begins with, and what opens such a database.
_KINDS: dict[bytes, Callable[..., Scanned[Any]]] = {
    b"cyPIRd01": pir.Database.open,
    search.Index.MAGIC: search.Index.open,
}


class Scan(NamedTuple):
    """What answers of some outputs are, and took."""

    data: bytes
    seconds: float


def opened(path: str, device: str) -> Scanned[Any]:
    """The database in a file, whichever kind it is of.

    Raises:
        FileError: it can't be read.
        FormatError: it is no database, or not all of one.
    """
    kind = _KINDS.get(head_of(path)[:8], pir.Database.open)  # which says what it is not
    return kind(path, device=device)


class Followed:
    """A database by its file's name. When another file takes the name it is opened, and the one before it goes on
    answering queries to its version for ten minutes; a file that is no database is passed over. For several threads."""

    def __init__(self, path: str, device: str, clock: Callable[[], float] = time.monotonic) -> None:
        self.path, self._device, self._clock = path, device, clock
        self._lock = threading.Lock()
        self._seen = _identity(path)
        self._now = opened(path, device)
        self._before: tuple[Scanned[Any], float] | None = None
        #: Files that took the name, and of them those that could not be opened.
        self.replaced = self.refused = 0

    def current(self) -> Scanned[Any]:
        """What has the name now."""
        with self._lock:
            self._look()
            return self._now

    def of(self, queries: bytes) -> Scanned[Any]:
        """The version that queries are to; where it is not here, the current one, which refuses them."""
        with self._lock:
            self._look()
            before = self._before
            if before is not None and bytes.fromhex(before[0].version) == version_of(queries):
                return before[0]
            return self._now

    def _look(self) -> None:
        identity = _identity(self.path)
        if identity is not None and identity != self._seen:  # None: gone, but what is open is still whole
            self._seen = identity
            self._take()
        if self._before is not None and self._clock() > self._before[1]:
            self._before = None

    def _take(self) -> None:
        try:
            found = opened(self.path, self._device)
        except (CyclotomeError, OSError):
            self.refused += 1
            return
        self.replaced += 1
        if found.version != self._now.version:
            self._before = self._now, self._clock() + _KEPT_SECONDS
        self._now = found


def _identity(path: str) -> tuple[int, ...] | None:
    """By which a file that takes the name of another is told from it."""
    try:
        facts = os.stat(path)
    except OSError:
        return None
    return facts.st_dev, facts.st_ino, facts.st_size, facts.st_mtime_ns


def scanned(database: Followed, queries: bytes, outputs: range | None) -> Scan:
    """Answers of some outputs."""
    calls.began()
    began = time.monotonic()
    data = database.of(queries).answer(queries, outputs=outputs)
    return Scan(data, time.monotonic() - began)


class Databases:
    """A server's databases by name.

    Args:
        places: their files.
        shares: how many processes share the outputs of an answer.

    Raises:
        ArgumentError: a name that is no identifier.
        FileError: a file that can't be read.
        FormatError: one that is no database.
    """

    def __init__(self, places: Mapping[str, str | Path], shares: int) -> None:
        if not isinstance(places, Mapping):
            raise ArgumentError(f"a server's databases are a mapping from names to files, not {type(places).__name__}")
        for name in places:
            if not isinstance(name, str) or not name.isidentifier() or not name.isascii() or len(name) > 64:
                raise ArgumentError(f"a database's name is {name!r}; it must be an identifier of at most 64 letters")
        self.paths = {name: os.path.abspath(path_text(path)) for name, path in places.items()}
        self._followed = {name: Followed(path, "cpu:1") for name, path in self.paths.items()}
        self._shares = shares

    def __iter__(self) -> Any:
        return iter(self.paths)

    def __len__(self) -> int:
        return len(self.paths)

    @property
    def counts(self) -> dict[str, tuple[int, int]]:
        """Of each, how often its file was replaced, and how often by one that is no database."""
        return {name: (each.replaced, each.refused) for name, each in self._followed.items()}

    def get(self, name: str) -> Scanned[Any]:
        """The version that is there now. Raises ArgumentError: there is none of this name."""
        return self._known(name).current()

    def _known(self, name: str) -> Followed:
        if name not in self._followed:
            names = ", ".join(sorted(self._followed)) or "none"
            raise ArgumentError(f"there is no database of this name; there are {names}")
        return self._followed[name]

    def answer(self, name: str, queries: bytes, ask: Callable[[tuple[Any, ...]], Scan]) -> Scan:
        """Answers, of outputs that several processes share: the same bytes, however many there are.

        Args:
            ask: for a part of an answer: sends a message to a process.

        Raises:
            What `Scanned.answer` refuses, and what ``ask`` raises.
        """
        database = self._known(name).of(queries)
        database.check(queries)
        ends = [database.outputs * i // self._shares for i in range(self._shares + 1)]
        parts = [(start, stop) for start, stop in pairwise(ends) if start < stop]
        messages = [("scan", self.paths[name], queries, *part) for part in parts]
        if len(messages) == 1:
            return ask(messages[0])
        with ThreadPoolExecutor(len(messages)) as threads:
            found = list(threads.map(ask, messages))
        return Scan(pir.join(*[each.data for each in found]), max(each.seconds for each in found))
