# SPDX-License-Identifier: Apache-2.0
"""Sets of keys on disks that are full, in processes that are killed: the old set or the new one, and no secret lost."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import cyclotome as cy
import numpy as np
import pytest
from cyclotome.errors import FileError, MismatchError
from full_disks import contents, longest_file
from small import parameters

NAMES = ("secret.key", "public.key", "evaluation.key")


def made(rotations: list[int] | None = None) -> cy.Keys:
    return cy.keygen(parameters(), rotations=rotations or [], device="cpu:1")


def ids(folder: Path) -> list[str | None]:
    return [cy.inspect(folder / name).key_id for name in NAMES]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 64 KiB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(folder)]
    try:
        mounted = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        pytest.skip(f"mounting a small file system: {error}")
    if mounted.returncode != 0:
        pytest.skip(f"mounting a small file system takes rights that this process lacks: {mounted.stderr.strip()}")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_a_set_is_written_and_replaced_whole(tmp_path: Path) -> None:
    old, fresh = made(), made([1, 2])
    written = cy.save_keys(tmp_path, old)
    assert written == cy.KeyFiles(*(str(tmp_path / name) for name in NAMES), None)
    assert ids(tmp_path) == [old.secret.key_id] * 3
    with pytest.raises(FileError, match="keeps another secret key's file as a backup"):
        cy.save_keys(tmp_path, fresh)
    written = cy.save_keys(tmp_path, fresh, overwrite=True)
    assert written.backup == str(tmp_path / f"secret.key.bak-{old.secret.key_id[:8]}")
    assert ids(tmp_path) == [fresh.secret.key_id] * 3
    assert cy.inspect(written.backup).key_id == old.secret.key_id
    assert len(os.listdir(tmp_path)) == 4


def test_a_backup_is_never_overwritten(tmp_path: Path) -> None:
    first, second = made(), made()
    for keys in (first, second, first, second):
        cy.save(tmp_path / "secret.key", keys.secret, overwrite=True)
    kept = {name: cy.inspect(tmp_path / name).key_id for name in os.listdir(tmp_path)}
    assert kept == {
        "secret.key": second.secret.key_id,
        f"secret.key.bak-{first.secret.key_id[:8]}": first.secret.key_id,
        f"secret.key.bak-{second.secret.key_id[:8]}": second.secret.key_id,
        f"secret.key.bak-{first.secret.key_id[:8]}-2": first.secret.key_id,
    }


def test_keys_that_do_not_belong_together_are_no_set(tmp_path: Path) -> None:
    one, other = made(), made()
    with pytest.raises(MismatchError, match="different keys"):
        cy.save_keys(tmp_path, cy.Keys(one.secret, other.public, one.evaluation))
    assert not os.listdir(tmp_path)


@pytest.mark.parametrize("existing", [False, True])
def test_a_limit_on_any_file_leaves_everything_as_it_was(tmp_path: Path, existing: bool) -> None:
    fresh = made([1, 2])
    sizes = [os.path.getsize(path) for path in cy.save_keys(tmp_path, fresh)[:3]]
    for path in tmp_path.iterdir():
        path.unlink()
    if existing:
        cy.save_keys(tmp_path, made())
    before = contents(tmp_path)
    for size in (*(s - 1 for s in sizes), 1, 0):
        with longest_file(size), pytest.raises(FileError, match="File too large"):
            cy.save_keys(tmp_path, fresh, overwrite=True)
        assert contents(tmp_path) == before
    cy.save_keys(tmp_path, fresh, overwrite=True)


def test_a_full_disk_leaves_the_old_set(small_disk: Path) -> None:
    old, fresh = made(), made([1, 2, 3, 5])
    cy.save_keys(small_disk, old)
    free = os.statvfs(small_disk)
    (small_disk / "filler").write_bytes(bytes((free.f_bavail - 3) * free.f_bsize))  # room for two of the three
    before = contents(small_disk)
    with pytest.raises(FileError, match="No space left"):
        cy.save_keys(small_disk, fresh, overwrite=True)
    assert contents(small_disk) == before
    assert (
        cy.decrypt(cy.encrypt([5], old.public, bound=5), cy.load(small_disk / "secret.key", allow_insecure=True)) == 5
    )


@pytest.mark.skipif(os.geteuid() == 0, reason="the administrator may write everywhere")
def test_a_folder_without_rights_leaves_the_old_set(tmp_path: Path) -> None:
    cy.save_keys(tmp_path, made())
    before = contents(tmp_path)
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(FileError, match="Permission denied"):
            cy.save_keys(tmp_path, made(), overwrite=True)
    finally:
        tmp_path.chmod(0o700)
    assert contents(tmp_path) == before


WRITER = """
import sys, cyclotome as cy
from small import parameters
sets = [cy.keygen(parameters(), rotations=[], device="cpu:1") for _ in range(2)]
cy.save_keys(sys.argv[1], sets[0])
print("ready", flush=True)
while True:
    for keys in (sets[1], sets[0]):
        cy.save_keys(sys.argv[1], keys, overwrite=True)
"""


def test_a_killed_process_loses_no_secret(tmp_path: Path, rng: np.random.Generator) -> None:
    """Whenever it is killed, all files are whole, and for every public key its secret key is there."""
    delays = random.Random(int(rng.integers(2**32)))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    for attempt in range(8):
        folder = tmp_path / str(attempt)
        folder.mkdir()
        command = [sys.executable, "-c", WRITER, str(folder)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == b"ready\n"
            time.sleep(delays.uniform(0.0, 0.1))
            process.send_signal(signal.SIGKILL)
        found = {path.name: cy.inspect(path) for path in folder.iterdir()}  # every file is whole
        secrets = {one.key_id for name, one in found.items() if name.startswith("secret.key")}
        assert set(NAMES) <= set(found)
        assert {found[name].key_id for name in NAMES} <= secrets
        for path in folder.iterdir():
            if found[path.name].kind == "secret key":
                assert path.stat().st_mode & 0o077 == 0
