# SPDX-License-Identifier: Apache-2.0
"""A process that writes files until it is killed: for test_killed_writers.py, which says what may be left."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import cyclotome as cy
from cli_runner import run
from cyclotome import whole_files
from small import parameters

#: What a folder may hold, each of them whole.
NAMES = ("x.ct", "t.ct", "s.key", "secret.key", "public.key", "evaluation.key", "out.csv", "fresh.csv")
TABLE = "\n".join(["a", *map(str, range(1, 9))]) + "\n"


class Writer:
    """Everything that is written, made beforehand."""

    def __init__(self, folder: Path) -> None:
        self.keys = cy.keygen(parameters(), rotations=[1], device="cpu:1")
        self.array = cy.encrypt(range(1, 9), self.keys.public, bound=9)
        self.frame = cy.encrypt_frame({"a": range(1, 9)}, self.keys.public, bounds={"a": 9})
        self.source, self.key = folder / "source.ct", folder / "source.key"
        cy.save(self.source, self.frame)
        cy.save(self.key, self.keys.secret)

    def write(self, folder: Path) -> None:
        """One round, in which most files replace others, and one doesn't."""
        cy.save(folder / "x.ct", self.array)
        cy.save(folder / "t.ct", self.frame)
        cy.save(folder / "s.key", self.keys.secret, overwrite=True)
        cy.save_keys(folder, self.keys, overwrite=True)
        whole_files.write_whole(folder / "fresh.csv", TABLE.encode())
        (folder / "fresh.csv").unlink()

    def decrypt(self, folder: Path) -> None:
        """By the command, which writes numbers in the clear."""
        words = "decrypt", self.source, "--key", self.key, "-o", folder / "out.csv", "--force", "--allow-insecure"
        result = run(*words)
        assert result.code == 0, result.text


def decrypts(seed: int) -> bool:
    """Whether this child runs the command, too, whose first run takes some 0.2 s."""
    return seed % 3 == 0


def child(writer: Writer, folder: Path, seed: int) -> int:
    """The number of a process that writes into this folder from now on."""
    process = os.fork()
    if process:
        return process
    try:
        while True:
            writer.write(folder)
            if decrypts(seed):
                writer.decrypt(folder)
    except BaseException as error:  # said before it ends, and by its status
        print(error, file=sys.stderr)
    os._exit(1)
