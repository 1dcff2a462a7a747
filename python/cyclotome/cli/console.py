# SPDX-License-Identifier: Apache-2.0
"""What all commands share: options, output, progress, files that are never overwritten by accident."""

from __future__ import annotations

import json
import os
import stat
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

import cyclotome as cy
from cyclotome.cli.failures import UsageError, put
from cyclotome.cli.standard_streams import named
from cyclotome.cli.visible import visible
from cyclotome.errors import FileError

JsonFlag = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
DebugFlag = Annotated[bool, typer.Option("--debug", help="Show a traceback when something fails.")]
ForceFlag = Annotated[bool, typer.Option("--force", help="Overwrite files that exist.")]
InsecureFlag = Annotated[
    bool, typer.Option("--allow-insecure", help="Take parameters and keys below 128 bits of security.")
]
TableOption = Annotated[
    str | None,
    typer.Option(
        "--security-table",
        help='Judge files by this table, not "guidelines-2024": "he-standard-2018", "quantum-guidelines-2024".',
    ),
]
DeviceOption = Annotated[
    str,
    typer.Option(
        "--device",
        help='Where to compute: "cpu", "cpu:2" (threads), "cuda", "cuda:1", "fpga:sim", "auto"; "cpu/d5", "cuda:0/dgt" '
        "say which transform too.",
    ),
]


def emit(data: Mapping[str, Any], as_json: bool, lines: str | None = None) -> None:
    """Prints a result: as JSON (whose strings escape what is not ASCII), as the given text, or as a table of names and
    values. Whatever of it came from files has no control characters afterwards."""
    if as_json:
        put(named(json.dumps(data, default=str)) + "\n")
    elif lines is not None:
        encoding = sys.stdout.encoding or "utf-8"
        shown = visible(named(lines.rstrip("\n")), lines=True)
        put(shown.encode(encoding, "backslashreplace").decode(encoding) + "\n")
    else:
        grid = Table.grid(padding=(0, 2))
        grid.add_column(style="dim")
        grid.add_column(overflow="fold")
        for name, value in data.items():
            shown = named(", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value))
            grid.add_row(name.replace("_", " "), cell(shown))
        Console().print(grid)


def cell(text: str) -> Text:
    """Text for Rich to print as it is: no markup is found in it, and no control character left."""
    return Text(visible(text))


def note(message: str) -> None:
    """A remark for people, on standard error."""
    Console(stderr=True, soft_wrap=True).print(Text(visible(named(message)), style="dim"))


@contextmanager
def account(device: str) -> Iterator[None]:
    """Remarks afterwards what circuits did, where the device has some."""
    if not device.startswith("fpga"):
        yield
        return
    with cy.fpga.measure(device) as spent:
        yield
    note(f"circuits: {spent}")


def vacant(path: Path, force: bool) -> Path:
    """`path`, if it may be written.

    Raises:
        UsageError: it exists, and no `force`.
        FileError: its folder does not exist, or it is something else than a file.
    """
    if path.is_dir():
        raise FileError(f"{path} is a folder; name a file")
    if os.path.lexists(path) and not force:
        raise UsageError(f"{path} exists already; choose another name, or --force to overwrite it")
    if path.exists() and not path.is_file():
        raise FileError(f"{path} is not a regular file; name one")
    if not path.absolute().parent.is_dir():
        raise FileError(f"the folder {path.absolute().parent} does not exist; make it first")
    return path


def write_whole(path: Path, data: bytes) -> None:
    """Writes a file completely or not at all: under a temporary name first, renamed when it has reached the disk.

    A file that was there keeps its mode, and one behind a symbolic link is replaced where it lies.

    Raises:
        FileError: it can't be written; a file that was there is as it was.
    """
    target = Path(os.path.realpath(path))
    temporary = None
    try:
        mode = _mode(target)
        handle, temporary = tempfile.mkstemp(prefix=".cyclotome-", suffix=".tmp", dir=target.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, mode)
        os.replace(temporary, target)
    except BaseException as error:
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise FileError(f"can't write {path}: {error.strerror or error}; nothing was changed there") from None
        raise


def _mode(path: Path) -> int:
    """The mode of a file, or the one that a new file gets."""
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except FileNotFoundError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask


@contextmanager
def progress_bar() -> Iterator[None]:
    """Draws the progress of long operations on standard error while it is a terminal."""
    if not sys.stderr.isatty():
        yield
        return
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.completed:.0f}/{task.total:.0f}"))
    with Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True) as bars:
        lines: dict[str, TaskID] = {}

        def show(done: int, total: int, what: str) -> None:
            if what not in lines:
                lines[what] = bars.add_task(what, total=total)
            bars.update(lines[what], completed=done, total=total)

        with cy.progress(show):
            yield
