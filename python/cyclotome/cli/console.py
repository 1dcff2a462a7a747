# SPDX-License-Identifier: Apache-2.0
"""What all commands share: options, output, progress, files that are never overwritten by accident."""

from __future__ import annotations

import json
import os
import sys
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
from cyclotome.whole_files import is_stream
from cyclotome.whole_files import write_whole as write_whole

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
    """`path`, if it may be written: a pipe always, since nothing is lost.

    Raises:
        UsageError: it exists, and no `force`.
        FileError: its folder does not exist, or it is something else than a file.
    """
    if is_stream(path):
        return path
    if path.is_dir():
        raise FileError(f"{path} is a folder; name a file")
    if os.path.lexists(path) and not force:
        raise UsageError(f"{path} exists already; choose another name, or --force to overwrite it")
    if path.exists() and not path.is_file():
        raise FileError(f"{path} is not a regular file; name one")
    if not path.absolute().parent.is_dir():
        raise FileError(f"the folder {path.absolute().parent} does not exist; make it first")
    return path


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
