# SPDX-License-Identifier: Apache-2.0
"""The keys that a server was sent: files named by their fingerprints, within quotas."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from ..errors import FileError, QuotaError, UnknownKeysError
from ..streams import Buffer
from ..text import byte_size
from .quotas import Quotas

__all__ = ["KeyStore", "KeyUpload"]

_NAME = re.compile(r"[0-9a-f]{64}")
_UNFINISHED = ".upload-"


@dataclass
class _Held:
    nbytes: int
    clients: set[str] = field(default_factory=set)
    used: float = 0.0


class KeyStore:
    """Files of keys in a folder of their own, mode 0700; what is there from an earlier run is held again. For several
    threads."""

    def __init__(self, folder: Path, quotas: Quotas, clock: Callable[[], float] = time.monotonic) -> None:
        self._folder, self._quotas, self._clock = folder, quotas, clock
        self._lock = threading.RLock()
        self._held: dict[str, _Held] = {}
        self._arriving: dict[str, int] = {}
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            for path in sorted(folder.iterdir()):
                if path.name.startswith(_UNFINISHED):
                    path.unlink()
                elif _NAME.fullmatch(path.name):
                    self._held[path.name] = _Held(path.stat().st_size, used=clock())
        except OSError as error:
            raise FileError(f"the folder of keys {folder}: {error.strerror or error}") from None

    @property
    def nbytes(self) -> int:
        """Bytes of all keys, those that are arriving among them."""
        with self._lock:
            return sum(held.nbytes for held in self._held.values()) + sum(self._arriving.values())

    def __len__(self) -> int:
        with self._lock:
            return len(self._held)

    def path(self, fingerprint: str) -> str:
        """The file of these keys, which counts as a use of them.

        Raises:
            UnknownKeysError: they are not held.
        """
        with self._lock:
            held = self._held.get(fingerprint)
            if held is None:
                raise UnknownKeysError("the server does not hold these keys; send them first")
            held.used = self._clock()
        return str(self._folder / fingerprint)

    def upload(self, client: str) -> KeyUpload:
        """Keys that arrive in pieces."""
        return KeyUpload(self, self._folder, client)

    def arriving(self, client: str, count: int) -> None:
        """Makes room for so many bytes more of a client's.

        Raises:
            QuotaError: there is none.
        """
        quotas = self._quotas
        with self._lock:
            own = sum(held.nbytes for held in self._held.values() if client in held.clients)
            if own + self._arriving.get(client, 0) + count > quotas.client_key_bytes:
                raise QuotaError(
                    f"your keys are more than the {byte_size(quotas.client_key_bytes)} that one client has"
                )
            while self.nbytes + count > quotas.all_key_bytes:
                self._drop_idle()
            self._arriving[client] = self._arriving.get(client, 0) + count

    def _drop_idle(self) -> None:
        """Gives up the keys that were used longest ago, if that is long ago. Raises QuotaError if it is not."""
        name = min(self._held, key=lambda each: self._held[each].used, default=None)
        if name is None or self._clock() - self._held[name].used < self._quotas.key_idle_seconds:
            raise QuotaError(f"the server holds {byte_size(self._quotas.all_key_bytes)} of keys, and no idle ones")
        self._remove(name)

    def arrived(self, client: str, count: int) -> None:
        """So many bytes are arriving no more: they are here, or never will be."""
        with self._lock:
            left = self._arriving.get(client, 0) - count
            if left > 0:
                self._arriving[client] = left
            else:
                self._arriving.pop(client, None)

    def adopt(self, name: str, file: Path, client: str, nbytes: int) -> None:
        """Holds an uploaded file under its fingerprint.

        Raises:
            FileError: it can't be named so.
        """
        with self._lock:
            try:
                os.replace(file, self._folder / name)
            except OSError as error:
                raise FileError(f"the server can't store the keys: {error.strerror or error}") from None
            held = self._held.setdefault(name, _Held(nbytes))
            held.clients.add(client)
            held.used = self._clock()

    def forget(self, fingerprint: str, client: str) -> None:
        """A client wants these keys held no more; they stay while they are another's too.

        Raises:
            UnknownKeysError: it has not sent them.
        """
        with self._lock:
            held = self._held.get(fingerprint)
            if held is None or client not in held.clients:
                raise UnknownKeysError("you have sent no such keys")
            held.clients.discard(client)
            if not held.clients:
                self._remove(fingerprint)

    def _remove(self, name: str) -> None:
        del self._held[name]
        with contextlib.suppress(OSError):
            (self._folder / name).unlink()


class KeyUpload:
    """Keys on their way into a `KeyStore`: `write` pieces, then `finish`; as a context, whatever was not finished is
    removed."""

    def __init__(self, store: KeyStore, folder: Path, client: str) -> None:
        self._store, self._client, self._hash, self._nbytes = store, client, hashlib.sha256(), 0
        try:
            handle, name = tempfile.mkstemp(prefix=_UNFINISHED, dir=folder)
        except OSError as error:
            raise FileError(f"the server can't store keys: {error.strerror or error}") from None
        self.path = Path(name)
        self._file: IO[bytes] = os.fdopen(handle, "wb", buffering=0)

    def write(self, piece: Buffer) -> None:
        """Takes some bytes.

        Raises:
            QuotaError: too many.
            FileError: the disk is full.
        """
        left = memoryview(piece)
        self._store.arriving(self._client, left.nbytes)
        self._nbytes += left.nbytes
        self._hash.update(left)
        try:
            while left.nbytes:
                left = left[self._file.write(left) :]
        except OSError as error:
            raise FileError(f"the server can't store the keys: {error.strerror or error}") from None

    @property
    def fingerprint(self) -> str:
        """Of what was written."""
        return self._hash.hexdigest()

    def finish(self) -> str:
        """Holds the keys; their fingerprint."""
        self._file.close()
        self._store.adopt(self.fingerprint, self.path, self._client, self._nbytes)
        return self.fingerprint

    def __enter__(self) -> KeyUpload:
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(OSError):
            self._file.close()
        with contextlib.suppress(OSError):
            self.path.unlink(missing_ok=True)
        self._store.arrived(self._client, self._nbytes)
