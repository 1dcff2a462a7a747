# SPDX-License-Identifier: Apache-2.0
"""How many ciphertexts a key reveals: planned at its making, counted before values leave, in memory and in a file
beside the key's, by every process that has it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import cyclotome as cy
import numpy as np
import pytest
from cyclotome.errors import ArgumentError, BudgetError, FileError, FormatError, MismatchError, NoiseError
from small import parameters


def made(**options: Any) -> cy.Keys:
    return cy.keygen(parameters((257,)), rotations=[], relinearization=False, **options)


def counter(folder: Path, key: cy.SecretKey) -> Path:
    return folder / f"reveals-{key.key_id[:16]}.count"


def test_a_key_counts_ciphertexts_and_refuses_beyond_what_was_planned() -> None:
    """All of a call or nothing; `decrypt`, which is for the owner, isn't counted."""
    keys = made(reveals=5)
    x = cy.encrypt(np.arange(3), keys.public, bound=9, layout="replicated")
    assert keys.secret.reveals == (5, 0, None) and x.native.batch == 3
    assert cy.reveal(x, keys.secret).tolist() == [0, 1, 2]
    assert keys.secret.reveals == (5, 3, None) and keys.secret.reveals.left == 2
    with pytest.raises(BudgetError, match=r"3 ciphertexts, and 2 are left of the 5 .*; make new keys .*plan_reveals"):
        cy.reveal(x, keys.secret)
    assert keys.secret.reveals.spent == 3
    assert cy.decrypt(x, keys.secret).tolist() == [0, 1, 2]
    assert cy.reveal(x[:2], keys.secret).tolist() == [0, 1]
    keys.secret.plan_reveals(8)
    assert cy.reveal(x, keys.secret.to("cpu:2")).tolist() == [0, 1, 2]
    assert keys.secret.reveals == (8, 8, None)


def test_what_is_planned_unless_said_otherwise_and_what_cannot_be() -> None:
    assert made().secret.reveals == (1 << 20, 0, None)
    for wrong in (0, -1, (1 << 60) + 1):
        with pytest.raises(ArgumentError, match="reveals"):
            made(reveals=wrong)
        with pytest.raises(ArgumentError, match="plan_reveals"):
            made().secret.plan_reveals(wrong)


def test_a_refusal_for_public_reasons_costs_nothing() -> None:
    keys = cy.keygen(parameters((257,), bits=(50, 50)), rotations=[], relinearization=False)
    x = cy.encrypt([1, 2], keys.public, bound=9)
    with pytest.raises(NoiseError):
        cy.reveal(x, keys.secret, flooding_bits=128)
    with pytest.raises(MismatchError):
        cy.reveal(x, made().secret)
    assert keys.secret.reveals.spent == 0


@pytest.mark.parametrize("passphrase", [None, "correct horse"])
def test_the_count_outlives_the_process_and_the_object(tmp_path: Path, passphrase: str | None) -> None:
    keys = made(reveals=7)
    cy.reveal(cy.encrypt([1], keys.public, bound=9), keys.secret)
    cy.save(tmp_path / "my.key", keys.secret, passphrase=passphrase)
    cy.save(tmp_path / "x.ct", cy.encrypt([4, 5], keys.public, bound=9, layout="replicated"))
    text = counter(tmp_path, keys.secret).read_text()
    assert text.startswith(f"cyclotome reveals 1\nkey {keys.secret.key_id}\nplanned 7\nspent 1\n")
    assert os.name != "posix" or counter(tmp_path, keys.secret).stat().st_mode & 0o777 == 0o600
    for spent in (3, 5, 7):
        assert in_a_process(tmp_path, passphrase) == "values 4 5"
        assert f"spent {spent}\n" in counter(tmp_path, keys.secret).read_text()
    refused = in_a_process(tmp_path, passphrase)
    assert refused.startswith("BudgetError") and str(counter(tmp_path, keys.secret)) in refused


#: Another program with the same files: argv is the folder, the passphrase, and how often.
PROGRAM = """
import sys, cyclotome as cy
folder, passphrase, times = sys.argv[1], sys.argv[2] or None, int(sys.argv[3])
secret = cy.load(folder + "/my.key", allow_insecure=True, passphrase=passphrase)
x = cy.load(folder + "/x.ct", allow_insecure=True)
for _ in range(times):
    try:
        print("values", *cy.reveal(x, secret))
    except cy.errors.BudgetError as error:
        print("BudgetError", error)
"""


def started(folder: Path, passphrase: str | None = None, times: int = 1) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", PROGRAM, str(folder), passphrase or "", str(times)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def in_a_process(folder: Path, passphrase: str | None = None) -> str:
    return started(folder, passphrase).communicate(timeout=300)[0].strip()


def test_processes_at_once_never_reveal_more_than_was_planned(tmp_path: Path) -> None:
    """Three processes that each want 7 times 2 ciphertexts of 30: 15 calls succeed, and the file says 30."""
    keys = made(reveals=30)
    cy.save(tmp_path / "my.key", keys.secret)
    cy.save(tmp_path / "x.ct", cy.encrypt([4, 5], keys.public, bound=9, layout="replicated"))
    running = [started(tmp_path, times=7) for _ in range(3)]
    said = [line for each in running for line in each.communicate(timeout=300)[0].splitlines()]
    assert said.count("values 4 5") == 15 and sum(line.startswith("BudgetError") for line in said) == 6
    assert "spent 30\n" in counter(tmp_path, keys.secret).read_text()


def test_files_that_cannot_count(tmp_path: Path) -> None:
    """Damaged, of another key, in a folder that is none: nothing is revealed, `decrypt` still works, and another file
    can be named."""
    keys = made()
    x = cy.encrypt([3], keys.public, bound=9)
    cy.save(tmp_path / "my.key", keys.secret)
    there = counter(tmp_path, keys.secret)
    assert not there.exists()
    assert cy.reveal(x, keys.secret).tolist() == [3] and there.exists()
    good = there.read_bytes()
    for bad in (b"", good[:-1], good + b"x", good.replace(b"spent 1", b"spent 0"), b"\xff" * 90):
        there.write_bytes(bad)
        with pytest.raises(FormatError, match="damaged"):
            cy.reveal(x, keys.secret)
        assert cy.decrypt(x, keys.secret).tolist() == [3]
    there.write_bytes(good.replace(keys.secret.key_id.encode(), made().secret.key_id.encode()))
    with pytest.raises(MismatchError, match="another key"):
        cy.reveal(x, keys.secret)
    there.write_bytes(good)
    keys.secret.keep_reveals(tmp_path / "nowhere" / "count")
    with pytest.raises(FileError, match="name another file"):
        cy.reveal(x, keys.secret)
    keys.secret.keep_reveals(tmp_path / "elsewhere.count")
    assert cy.reveal(x, keys.secret).tolist() == [3]
    assert keys.secret.reveals == (1 << 20, 2, str(tmp_path / "elsewhere.count"))


def test_a_file_from_before_does_not_bring_back_what_this_process_spent(tmp_path: Path) -> None:
    """Rolled back or deleted while a process has the key: it goes on from what it knows. A copy of the key in another
    folder counts for itself, where another process has it: that is documented."""
    keys = made(reveals=4)
    x = cy.encrypt([3], keys.public, bound=9)
    cy.save(tmp_path / "my.key", keys.secret)
    there = counter(tmp_path, keys.secret)
    before = there.read_bytes()
    for number in range(3):
        cy.reveal(x, keys.secret)
        if number == 1:
            there.unlink()
        else:
            there.write_bytes(before)
    assert keys.secret.reveals.spent == 3
    cy.reveal(x, keys.secret)
    there.write_bytes(before)
    with pytest.raises(BudgetError):
        cy.reveal(x, keys.secret)
    other = tmp_path / "copy"
    other.mkdir()
    shutil.copy(tmp_path / "my.key", other / "my.key")
    cy.save(other / "x.ct", x)
    assert in_a_process(other) == "values 3"
