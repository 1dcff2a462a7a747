# SPDX-License-Identifier: Apache-2.0
"""The keys that a server was sent: files named by their fingerprints, within quotas."""

from __future__ import annotations

import contextlib
import hashlib
import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ..errors import BusyError, CyclotomeError, FileError, QuotaError, UnknownKeysError
from ..streams import Buffer
from ..text import byte_size
from .key_folder import KeyFolder, Stored, owner_of
from .quotas import Counts, Quotas, later

__all__ = ["KeyStore", "KeyUpload"]


@dataclass(slots=True)
class _Held:
    nbytes: int
    owners: set[str]
    #: The time that the file has, as this store last saw it; when this store last set it; when these keys were last
    #: used here.
    stamp: int
    told: float
    used: float


class KeyStore:
    """Files of keys in a folder of their own, mode 0700; what is there from an earlier run is held again, and what
    another service puts there is found when it is asked for. For several threads. Nothing here takes longer the more
    keys or clients there are, but for the start.

    Args:
        folder: where they lie.
        quotas: of all keys, and of one client's.
        clock: seconds.
        durable: keys reach the disk before anybody is told that they are held.

    Raises:
        FileError: the folder can't be read.
    """

    def __init__(
        self, folder: Path, quotas: Quotas, clock: Callable[[], float] = time.monotonic, durable: bool = True
    ) -> None:
        self._quotas, self._clock = quotas, clock
        self.folder = KeyFolder(folder, durable)
        self._lock = threading.RLock()
        #: Those used longest ago first.
        self._held: OrderedDict[str, _Held] = OrderedDict()
        self._arriving, self._own = Counts(), Counts()
        self._total = 0
        for name, stored, owners in self.folder.all():
            self._hold(name, stored, owners)

    def _hold(self, name: str, stored: Stored, owners: set[str]) -> None:
        self._let_go(name)
        self._held[name] = _Held(stored.nbytes, owners, stored.used, -math.inf, self._clock())
        self._total += stored.nbytes
        for owner in owners:
            self._own.add(owner, stored.nbytes)

    def _let_go(self, name: str) -> None:
        """Knows these keys no more; their files are as they were."""
        held = self._held.pop(name, None)
        if held is not None:
            self._total -= held.nbytes
            for owner in held.owners:
                self._own.add(owner, -held.nbytes)

    @property
    def nbytes(self) -> int:
        """Bytes of all keys, those that are arriving among them."""
        return self._total + self._arriving.total

    def __len__(self) -> int:
        return len(self._held)

    def owned(self, client: str) -> int:
        """Bytes of a client's keys that are held."""
        return self._own[owner_of(client)]

    def path(self, fingerprint: str) -> str:
        """The file of these keys, which counts as a use of them.

        Raises:
            UnknownKeysError: they are not held.
        """
        stored = self.folder.find(fingerprint)
        with self._lock:
            held = self._held.get(fingerprint)
            if stored is None:
                self._let_go(fingerprint)
                raise UnknownKeysError("the server does not hold these keys; send them first")
            if held is None:  # another service has put them there
                self._hold(fingerprint, stored, self.folder.owners(fingerprint))
                held = self._held[fingerprint]
            self._held.move_to_end(fingerprint)
            held.used = self._clock()
            if held.used - held.told > self._quotas.key_idle_seconds / 8:
                held.told = held.used
                held.stamp = (self.folder.touch(fingerprint) or stored).used
        return str(self.folder.path(fingerprint))

    def upload(self, client: str) -> KeyUpload:
        """Keys that arrive in pieces."""
        return KeyUpload(self, client)

    def arriving(self, client: str, count: int) -> None:
        """Makes room for so many bytes more of a client's.

        Raises:
            QuotaError: there is none for this client.
            BusyError: there is none at the moment.
        """
        quotas, owner = self._quotas, owner_of(client)
        with self._lock:
            own = self._own[owner] + self._arriving[owner]
            if own + count > quotas.client_key_bytes:
                raise QuotaError(
                    f"your keys are more than the {byte_size(quotas.client_key_bytes)} that one client has"
                )
            if self._arriving[owner] + count > quotas.all_key_bytes:
                raise QuotaError(f"the keys are more than the {byte_size(quotas.all_key_bytes)} of all")
            while self.nbytes + count > quotas.all_key_bytes:
                self._drop_idle()
            self._arriving.add(owner, count)

    def _drop_idle(self) -> None:
        """Gives up the keys that were used longest ago, if that is long ago. Raises BusyError if it is not."""
        idle = self._quotas.key_idle_seconds
        while self._held:
            name, held = next(iter(self._held.items()))
            if (wait := idle - (self._clock() - held.used)) > 0:
                raise later(self._full(), wait)
            stored = self.folder.find(name)
            if stored is None or stored.used == held.stamp:
                self._let_go(name)
                self.folder.remove(name)
                return
            held.stamp, held.used = stored.used, self._clock()  # another service has used them
            self._held.move_to_end(name)
        raise self._full()

    def _full(self) -> BusyError:
        return BusyError(
            f"the server holds {byte_size(self._quotas.all_key_bytes)} of keys, and no idle ones; try again later"
        )

    def arrived(self, client: str, count: int) -> None:
        """So many bytes are arriving no more: they are here, or never will be."""
        with self._lock:
            self._arriving.add(owner_of(client), -count)

    def adopted(self, name: str, stored: Stored, client: str) -> None:
        """Holds keys whose file lies in the folder."""
        owner = owner_of(client)
        with self._lock:
            held = self._held.get(name)
            if held is None or held.nbytes != stored.nbytes:
                self._hold(name, stored, self.folder.owners(name) | {owner})
                held = self._held[name]
            elif owner not in held.owners:
                held.owners.add(owner)
                self._own.add(owner, held.nbytes)
            held.stamp = stored.used
            held.told = held.used = self._clock()
            self._held.move_to_end(name)

    def forget(self, fingerprint: str, client: str) -> None:
        """A client wants these keys held no more; they stay while they are another's too. Takes a while: it waits for
        the disk.

        Raises:
            UnknownKeysError: it has not sent them.
            FileError: they are another's too, and the disk does not take that they are not this client's any more.
        """
        owner = owner_of(client)
        with self._lock:
            held = self._held.get(fingerprint)
            known = held is not None and owner in held.owners
        if self.folder.find(fingerprint) is None or not (known or owner in self.folder.owners(fingerprint)):
            raise UnknownKeysError("you have sent no such keys")
        left = self.folder.disown(fingerprint, owner)
        with self._lock:
            if left:
                stored = self.folder.find(fingerprint)
                if stored is not None:
                    self._hold(fingerprint, stored, left)
            else:
                self._let_go(fingerprint)
                self.folder.remove(fingerprint)

    def drop_damaged(self, fingerprint: str) -> None:
        """Gives keys up whose file can't be read any more as what was sent: they are to be sent again. Takes a while:
        it reads the file."""
        if self.folder.remove_damaged(fingerprint):
            with self._lock:
                if self.folder.find(fingerprint) is None:
                    self._let_go(fingerprint)


class KeyUpload:
    """Keys on their way into a `KeyStore`: `write` pieces, then `finish`; as a context, whatever was not finished is
    removed."""

    def __init__(self, store: KeyStore, client: str) -> None:
        self._store, self._client, self._hash, self._nbytes = store, client, hashlib.sha256(), 0
        self.path, self._file = store.folder.begin()
        # A thread may be writing when the upload is given up.
        self._lock = threading.Lock()

    def write(self, piece: Buffer) -> None:
        """Takes some bytes.

        Raises:
            QuotaError: too many.
            BusyError: there is no room for so many now.
            FileError: the disk is full.
        """
        left = memoryview(piece)
        try:
            with self._lock:
                if self._file.closed:
                    raise FileError("the upload has ended")
                self._store.arriving(self._client, left.nbytes)
                self._nbytes += left.nbytes
                self._hash.update(left)
                while left.nbytes:
                    left = left[self._file.write(left) :]
        except CyclotomeError:
            raise
        except OSError as error:
            raise FileError(f"the server can't store the keys: {error.strerror or error}") from None

    @property
    def fingerprint(self) -> str:
        """Of what was written."""
        return self._hash.hexdigest()

    def finish(self) -> str:
        """Holds the keys, once they have reached the disk; their fingerprint.

        Raises:
            FileError: they can't be stored.
        """
        name = self.fingerprint
        stored = self._store.folder.adopt(name, self.path, self._file, owner_of(self._client))
        self._file.close()
        self._store.adopted(name, stored, self._client)
        return name

    def __enter__(self) -> KeyUpload:
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(OSError), self._lock:
            self._file.close()
        with contextlib.suppress(OSError):
            self.path.unlink(missing_ok=True)
        self._store.arrived(self._client, self._nbytes)
