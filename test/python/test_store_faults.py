# SPDX-License-Identifier: Apache-2.0
"""The store of a service's keys while its disk fails, or the service ends, at each call of the system in turn: what a
client was told holds, everybody else is refused by a type, and whoever starts afterwards finds a store that works.

Every call that the store's two modules make counts, from the first to the last; so this is the whole of it, no sample.
"""

from __future__ import annotations

import builtins
import errno
import hashlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cyclotome import errors
from cyclotome.sessions import key_folder
from cyclotome.sessions.key_store import KeyStore
from cyclotome.sessions.quotas import Quotas

KEYS = {name: name.encode() * 50 for name in ("first", "second")}
NAMES = {name: hashlib.sha256(data).hexdigest() for name, data in KEYS.items()}
#: What is done, one after the other: who, and with which keys.
STEPS = (("send", "ada", "first"), ("send", "ben", "first"), ("send", "ada", "second"), ("forget", "ada", "first"))
CALLS = ("open", "close", "fsync", "replace", "stat", "fstat", "scandir", "utime")


class Disk:
    """Counts calls; the one with this number fails, by an error, by half of a write, or by the end of the process."""

    def __init__(self, number: int, way: str) -> None:
        self.number, self.way, self.calls = number, way, 0

    def hit(self) -> bool:
        self.calls += 1
        if self.calls != self.number:
            return False
        if self.way == "end":
            os._exit(7)
        return True

    def failing(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def called(*arguments: Any, **options: Any) -> Any:
            if self.hit() and self.way == "error":
                raise OSError(errno.EIO, os.strerror(errno.EIO))
            return function(*arguments, **options)

        return called


class File:
    """A file whose writes count, too."""

    def __init__(self, disk: Disk, file: Any) -> None:
        self._disk, self._file = disk, file

    def write(self, data: Any) -> int:
        if self._disk.hit():
            if self._disk.way == "error":
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            data = bytes(data)[: len(data) // 2]  # as where a disk is nearly full
        return int(self._file.write(data))

    def __enter__(self) -> File:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


class System:
    """`os` for the store's modules."""

    def __init__(self, disk: Disk) -> None:
        self._disk = disk

    def __getattr__(self, name: str) -> Any:
        found = getattr(os, name)
        return self._disk.failing(found) if name in CALLS else found

    def fdopen(self, *arguments: Any, **options: Any) -> File:
        return File(self._disk, os.fdopen(*arguments, **options))


def on_disk(disk: Disk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(key_folder, "os", System(disk))
    opened = disk.failing(builtins.open)
    monkeypatch.setattr(key_folder, "open", lambda *a, **o: File(disk, opened(*a, **o)), raising=False)


def step(store: KeyStore, what: str, client: str, keys: str) -> str:
    """How it ended: done, or the type that it was refused by."""
    try:
        if what == "forget":
            store.forget(NAMES[keys], client)
        else:
            with store.upload(client) as upload:
                upload.write(KEYS[keys])
                upload.finish()
    except errors.CyclotomeError as error:
        assert isinstance(error, (errors.FileError, errors.UnknownKeysError)), repr(error)
        return type(error).__name__
    return "done"


def steps(folder: Path, told: Callable[[int, str], None]) -> None:
    """All of it; a store that can't be opened is opened again."""
    try:
        store = KeyStore(folder, Quotas())
    except errors.FileError:
        store = KeyStore(folder, Quotas())
    for place, each in enumerate(STEPS):
        told(place, step(store, *each))


def owned(folder: Path) -> dict[tuple[str, str], bool]:
    """Whose each of the keys are, as a store finds that starts now: right bytes, and an owner that counts."""
    store = KeyStore(folder, Quotas())
    strange = [path.name for path in folder.iterdir() if path.name.startswith(".upload-")]
    assert not strange, strange
    found = {}
    for keys, name in NAMES.items():
        path = folder / name
        held = path.exists()
        if held:
            assert path.read_bytes() == KEYS[keys], "keys that are others than their name"
            assert store.path(name) == str(path)
        for client in ("ada", "ben"):
            found[client, keys] = held and key_folder.owner_of(client) in store.folder.owners(name)
    return found


def check(folder: Path, ends: list[str]) -> None:
    """What was told holds now, and all of it can be done again."""
    found = owned(folder)
    wanted: dict[tuple[str, str], bool] = {}
    for (what, client, keys), end in zip(STEPS, [*ends, "ended in the middle"], strict=False):
        if end == "done":
            wanted[client, keys] = what == "send"
        else:  # refused, or never told: either is right
            wanted.pop((client, keys), None)
    for each, there in wanted.items():
        assert found[each] == there, f"{each} was told otherwise: {ends}"
    again: list[str] = []
    steps(folder, lambda _, end: again.append(end))
    assert set(again) == {"done"}, again
    assert owned(folder) == {
        ("ada", "first"): False,
        ("ben", "first"): True,
        ("ada", "second"): True,
        ("ben", "second"): False,
    }


def count(folder: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    """Calls where none fails."""
    disk, ends = Disk(0, "error"), []  # type: ignore[var-annotated]
    with monkeypatch.context() as patched:
        on_disk(disk, patched)
        steps(folder, lambda _, end: ends.append(end))
    assert set(ends) == {"done"}
    check(folder, ends)
    return disk.calls


@pytest.mark.parametrize("way", ["error", "half"])
def test_every_call_that_fails(way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = count(tmp_path / "counted", monkeypatch)
    assert calls > 30
    for number in range(1, calls + 1):
        folder, ends = tmp_path / str(number), []  # type: ignore[var-annotated]
        with monkeypatch.context() as patched:
            on_disk(Disk(number, way), patched)
            steps(folder, lambda _, end, ends=ends: ends.append(end))  # type: ignore[misc]
        check(folder, ends)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes that end in the middle are forked")
def test_every_call_at_which_the_service_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = count(tmp_path / "counted", monkeypatch)
    for number in range(1, calls + 1):
        folder = tmp_path / str(number)
        with tempfile.TemporaryFile() as said:
            process = os.fork()
            if process == 0:
                try:
                    on_disk(Disk(number, "end"), monkeypatch)
                    steps(folder, lambda _, end, said=said: os.write(said.fileno(), end.encode() + b"\n"))  # type: ignore[misc]
                finally:
                    os._exit(1)
            assert os.WEXITSTATUS(os.waitpid(process, 0)[1]) == 7
            said.seek(0)
            ends = said.read().decode().split()
        check(folder, ends)
