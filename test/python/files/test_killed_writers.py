# SPDX-License-Identifier: Apache-2.0
"""Processes that are killed (SIGKILL) while they write: every file is whole, and what else is there, for the moment in
which one replaces another, the next process that writes there removes. CYCLOTOME_TEST_KILLS says how many are;
doc/testing.md has what was counted."""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from pathlib import Path

import cyclotome as cy
import pytest
from cyclotome import whole_files
from killed_writers import NAMES, TABLE, Writer, child, decrypts

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="files without a name are Linux's")
KILLS = int(os.environ.get("CYCLOTOME_TEST_KILLS", "30"))


def look_at(path: Path) -> None:
    """Raises unless the file is whole."""
    if path.suffix == ".csv":
        assert path.read_text() == TABLE
    else:
        cy.load(path, allow_insecure=True, device="cpu:1")


def test_files_are_whole_and_nothing_else_is_left(tmp_path: Path) -> None:
    seed = int(os.environ.get("CYCLOTOME_TEST_SEED", "0")) or random.SystemRandom().randrange(1 << 32)
    print(f"seed {seed}")
    draw = random.Random(seed)
    place = tmp_path / "made"
    place.mkdir()
    writer, strays, looked = Writer(place), 0, 0
    for number in range(KILLS):
        folder = tmp_path / f"{number}"
        folder.mkdir()
        process = child(writer, folder, number)
        time.sleep(draw.random() * (0.4 if decrypts(number) else 0.1))
        os.kill(process, signal.SIGKILL)
        status = os.waitpid(process, 0)[1]
        assert os.WIFSIGNALED(status), "the writer ended by itself"
        left = [path for path in folder.iterdir() if path.name not in NAMES]
        assert all(path.name.startswith(".cyclotome-") for path in left)
        strays += bool(left)
        whole_files.write_whole(folder / "fresh.csv", TABLE.encode())
        for path in folder.iterdir():
            assert path.name in NAMES, f"{path.name} is left, though somebody wrote here since"
            look_at(path)
            looked += 1
            path.unlink()
        folder.rmdir()
    print(f"{KILLS} kills, {looked} files whole, {strays} times something to remove")
