# SPDX-License-Identifier: Apache-2.0
"""The folder of a key store: what is in it outlives a power cut, and several services may have it together.

``FINGERPRINT`` holds keys; ``FINGERPRINT.owners`` a line for each time that a client sent them ("+") or gave them up
("-"), by a digest of its name; ``.upload-…`` keys that arrive, locked by whoever writes them. Nothing else is locked: a
race between services is lost by a client that sends its keys once more.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import tempfile
import time
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import IO, Any, NamedTuple

from ..errors import FileError

__all__ = ["KeyFolder", "Stored", "owner_of", "sha256_of"]

#: None on Windows, where unfinished uploads are told by their age.
_locks: Any = None if os.name == "nt" else import_module("fcntl")

_NAME = re.compile(r"[0-9a-f]{64}")
_UNFINISHED, _OWNERS = ".upload-", ".owners"
_OWNER_LINE = re.compile(rb"([+-])([0-9a-f]{32})")
#: Seconds after which an upload that nobody holds locked has been left.
_LEFT = 60.0
_PIECE = 1 << 20


class Stored(NamedTuple):
    """A file of keys as it lies there."""

    nbytes: int
    #: When it was last used by whichever service, in ns.
    used: int


def owner_of(client: str) -> str:
    """What stands for a client's name, which may be an address, in files."""
    return hashlib.sha256(b"cyclotome key owner\0" + client.encode("utf-8", "surrogatepass")).hexdigest()[:32]


class KeyFolder:
    """Files of keys and of their owners in one folder, mode 0700.

    Args:
        place: the folder, which is made if it is not there.
        durable: what is written reaches the disk before anybody is told so.

    Raises:
        FileError: it can't be made or read.
    """

    def __init__(self, place: Path, durable: bool = True) -> None:
        self.place, self._durable = place, durable
        try:
            place.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise self._error(error) from None

    def _error(self, error: OSError) -> FileError:
        return FileError(f"the folder of keys {self.place}: {error.strerror or error}")

    def path(self, name: str) -> Path:
        """Where keys of this name lie."""
        return self.place / name

    def all(self) -> list[tuple[str, Stored, set[str]]]:
        """What lies there: names, files and owners, those used longest ago first. Removes what was left behind.

        Raises:
            FileError: the folder can't be read.
        """
        found, owned = [], []
        try:
            with os.scandir(self.place) as entries:
                for entry in entries:
                    if _NAME.fullmatch(entry.name):
                        with contextlib.suppress(FileNotFoundError):
                            facts = entry.stat()
                            found.append((entry.name, Stored(facts.st_size, facts.st_mtime_ns)))
                    elif entry.name.startswith(_UNFINISHED):
                        _remove_left(entry.path)
                    elif entry.name.endswith(_OWNERS):
                        owned.append(entry.name)
        except OSError as error:
            raise self._error(error) from None
        names = {name for name, _ in found}
        for each in owned:
            if each.removesuffix(_OWNERS) not in names:
                self._remove_orphan(each)
        found.sort(key=lambda each: each[1].used)
        named = set(owned)
        return [(name, stored, self.owners(name) if name + _OWNERS in named else set()) for name, stored in found]

    def find(self, name: str) -> Stored | None:
        """The file of this name, whichever service has put it there; None: there is none."""
        if not _NAME.fullmatch(name):
            return None
        try:
            facts = os.stat(self.place / name)
        except OSError:
            return None
        return Stored(facts.st_size, facts.st_mtime_ns)

    def owners(self, name: str) -> set[str]:
        """Who has sent keys of this name and not given them up since; nobody where that can't be read."""
        try:
            return self._owners(name)
        except OSError:
            return set()

    def _owners(self, name: str) -> set[str]:
        """The same; raises OSError where it can't be read."""
        found: set[str] = set()
        try:
            with open(f"{self.place}/{name}{_OWNERS}", "rb") as file:
                lines = file.read().split(b"\n")
        except FileNotFoundError:
            return found
        for line in lines:
            if match := _OWNER_LINE.fullmatch(line):  # others were cut off by a crash
                (found.add if match[1] == b"+" else found.discard)(match[2].decode())
        return found

    def _remove_orphan(self, owners: str) -> None:
        """Removes a file of owners whose keys are not there, unless these may be about to get their name."""
        path = self.path(owners)
        with contextlib.suppress(OSError):
            if time.time() - path.stat().st_mtime > _LEFT and not self.path(owners.removesuffix(_OWNERS)).exists():
                path.unlink()

    def begin(self) -> tuple[Path, IO[bytes]]:
        """A file for keys that arrive. Raises FileError where there can be none."""
        try:
            while True:
                handle, name = tempfile.mkstemp(prefix=_UNFINISHED, dir=self.place)
                file = os.fdopen(handle, "wb", buffering=0)
                try:
                    if self._is_mine(handle):
                        return Path(name), file
                except OSError:
                    with contextlib.suppress(OSError):
                        os.unlink(name)
                    file.close()
                    raise
                file.close()
        except OSError as error:
            raise FileError(f"the server can't store keys: {error.strerror or error}") from None

    def _is_mine(self, handle: int) -> bool:
        """Whether a new upload is locked, and still there: else a service that starts took it for one that was left."""
        if _locks is None:
            return True
        _locks.flock(handle, _locks.LOCK_EX)
        return os.fstat(handle).st_nlink > 0

    def adopt(self, name: str, arrived: Path, file: IO[bytes], owner: str) -> Stored:
        """Names a file that has arrived, and notes its owner.

        Raises:
            FileError: it can't be; nothing was stored.
        """
        try:
            if self._durable:
                os.fsync(file.fileno())
            if owner not in self.owners(name):
                self._note(name, "+", owner)
            if _locks is None:
                file.close()  # Windows renames no open file; elsewhere it stays locked until it has its name
            os.replace(arrived, self.path(name))
            self._sync()
            facts = os.stat(self.path(name))
            return Stored(facts.st_size, facts.st_mtime_ns)
        except OSError as error:
            if self.find(name) is None:
                self.remove(name)
            raise FileError(f"the server can't store the keys: {error.strerror or error}") from None

    def disown(self, name: str, owner: str) -> set[str]:
        """Notes that a client has given keys up; who has not. Raises FileError where that can't be noted, and others
        have them too, or where who has them can't be read."""
        failed: OSError | None = None
        try:
            self._note(name, "-", owner)
        except OSError as error:
            failed = error
        try:
            left = self._owners(name) - {owner}  # read afterwards: of two services that do this, one sees nobody left
        except OSError as error:  # not nobody: their keys would go
            raise self._error(error) from None
        if failed is not None and left:
            raise self._error(failed) from None
        return left

    def _note(self, name: str, sign: str, owner: str) -> None:
        with open(self.path(name + _OWNERS), "ab", buffering=0) as file:
            line = memoryview(f"\n{sign}{owner}\n".encode())
            while line.nbytes:  # a disk that is nearly full takes a part
                line = line[file.write(line) :]
            if self._durable:
                os.fsync(file.fileno())

    def touch(self, name: str) -> Stored | None:
        """Says to other services that these keys are in use."""
        with contextlib.suppress(OSError):
            os.utime(self.path(name))
        return self.find(name)

    def remove(self, name: str) -> None:
        """Removes keys, if they are there."""
        for each in (name, name + _OWNERS):
            with contextlib.suppress(OSError):
                self.path(each).unlink()
        with contextlib.suppress(OSError):
            self._sync()

    def remove_damaged(self, name: str) -> bool:
        """Removes keys whose bytes are not those that gave them their name; whether they were such, or are not there.
        Whoever owned them still does when they are sent again."""
        path = self.path(name)
        before = self.find(name)
        if before is None or sha256_of(path) == name:
            return before is None
        with contextlib.suppress(OSError):
            if self.find(name) == before:  # and not the right ones, which have just arrived
                path.unlink()
        return True

    def _sync(self) -> None:
        if not self._durable or os.name == "nt":
            return
        handle = os.open(self.place, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def sha256_of(path: Path) -> str | None:
    """Of a file's bytes, in hexadecimal; None where it can't be read."""
    digest = hashlib.sha256()
    try:
        with open(path, "rb") as file:
            while piece := file.read(_PIECE):
                digest.update(piece)
    except OSError:
        return None
    return digest.hexdigest()


@contextlib.contextmanager
def _unlocked(path: str) -> Iterator[bool]:
    """Whether nobody writes this file; while this lasts nobody begins to."""
    if _locks is None:
        yield time.time() - os.stat(path).st_mtime > _LEFT
        return
    with open(path, "rb") as file:
        try:
            _locks.flock(file.fileno(), _locks.LOCK_EX | _locks.LOCK_NB)
        except OSError:
            yield False
            return
        yield True


def _remove_left(path: str) -> None:
    """Removes an upload that nobody writes any more."""
    with contextlib.suppress(OSError), _unlocked(path) as left:
        if left:
            os.unlink(path)
