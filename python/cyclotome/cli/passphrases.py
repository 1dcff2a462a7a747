# SPDX-License-Identifier: Apache-2.0
"""Passphrases on the command line: from a file, the environment, or a terminal that does not show them."""

from __future__ import annotations

import getpass
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from cyclotome.errors import FileError, PassphraseError

#: For scripts. Whoever may read this process's environment reads it.
VARIABLE = "CYCLOTOME_PASSPHRASE"

FileOption = Annotated[
    Path | None,
    typer.Option(
        "--passphrase-file",
        help=f"The passphrase of the secret file is this file's first line; else {VARIABLE}, else you are asked.",
    ),
]

Flag = Annotated[
    bool, typer.Option("--passphrase", help="Encrypt the secret file with a passphrase, which you are asked for.")
]

_MOST_BYTES = 4096


def _from_file(path: Path) -> bytes:
    """A file's first line, without its end."""
    with path.open("rb") as file:
        line = file.readline(_MOST_BYTES + 1)
    if len(line) > _MOST_BYTES:
        raise FileError(f"{path}: the first line has more than {_MOST_BYTES} bytes; is this the passphrase?")
    return line.removesuffix(b"\n").removesuffix(b"\r")


def _ask(prompt: str) -> str:
    """What is typed on the terminal, which does not show it. Raises PassphraseError where there is none."""
    if not _has_terminal():
        raise PassphraseError(
            f"a passphrase is needed, and there is no terminal to ask on: name a file by --passphrase-file, or set "
            f"{VARIABLE}"
        )
    return getpass.getpass(prompt)


def _has_terminal() -> bool:
    """Whether there is one that getpass would ask on."""
    if sys.platform == "win32":
        return sys.stdin is not None and sys.stdin.isatty()
    try:
        os.close(os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY))
    except OSError:
        return False
    return True


def to_open(name: str, file: Path | None = None) -> Callable[[], str | bytes]:
    """What `cyclotome.load` calls when a file needs its passphrase."""

    def passphrase() -> str | bytes:
        if file is not None:
            return _from_file(file)
        return os.environ.get(VARIABLE) or _ask(f"Passphrase of {name}: ")

    return passphrase


def wanted(name: str, flag: bool, file: Path | None) -> str | bytes | None:
    """The passphrase that a secret's new file shall have; None: none was asked for."""
    return to_protect(name, file) if flag or file is not None else None


def to_protect(name: str, file: Path | None = None) -> str | bytes:
    """A new passphrase; on the terminal it is asked for twice. Raises PassphraseError when the two differ."""
    if file is not None:
        return _from_file(file)
    given = os.environ.get(VARIABLE)
    if given:
        return given
    first = _ask(f"New passphrase for {name}: ")
    if first != _ask("The same again: "):
        raise PassphraseError("the two passphrases differ; nothing was written")
    return first
