# SPDX-License-Identifier: Apache-2.0
"""``-`` in place of a file: standard input, and standard output.

Both are kept in memory (in private files where the system has none in memory) under names of their own, so that
commands read and write them as any file; what a command writes to ``-`` goes out when it is whole. A command that is
killed leaves nothing of them. Everything else that it says goes to standard error then, and prompts go to the terminal
always. ``/dev/stdout`` is ``-``.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, redirect_stdout
from pathlib import Path
from typing import IO, Any

from cyclotome.errors import CyclotomeError, FileError

__all__ = ["StreamUseError", "abandon_output", "named", "standing_in"]

DASH = Path("-")
#: Other names of standard output.
_STANDARD_OUTPUT = tuple(map(Path, ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1")))
#: Parameters that name what a command writes, and folders; all others that name a file name one to read.
_OUTPUTS, _FOLDERS = ("output",), ("out", "keys_folder")
#: What a file begins with, and how commands know its format by name; other text is CSV.
_SUFFIXES = ((b"CYCLOTOM", ".ct"), (b"\x93NUMPY", ".npy"), (b"PAR1", ".parquet"))
_MOST_BYTES = 4 << 30
_PIECE = 1 << 20

#: Files that stand for a stream, and what to call them.
_names: dict[str, str] = {}


class StreamUseError(CyclotomeError, ValueError):
    """Standard input twice, or bytes for a terminal."""


def named(text: str) -> str:
    """The text, with streams called by their names."""
    for path, name in _names.items():
        text = text.replace(path, name)
    return text


@contextmanager
def standing_in(arguments: Mapping[str, Any], *, text: bool) -> Iterator[dict[str, Any]]:
    """The arguments of a command, with files in place of every ``-``; what was written to one goes to standard output
    at the end.

    Args:
        text: whether the command writes text, which a terminal may show.

    Raises:
        StreamUseError: standard input twice, or standard output is a terminal and would get bytes.
        FileError: a stream can't be read or written.
    """
    inputs, output = _dashes(arguments)
    if not inputs and output is None:
        yield dict(arguments)
        return
    if len(inputs) > 1:
        raise StreamUseError("standard input (-) can be read once; name files for the others")
    if output is not None and not text and sys.stdout.isatty():
        raise StreamUseError(
            "standard output is a terminal, which takes no encrypted bytes: redirect it, or name a file"
        )
    given = dict(arguments)
    with ExitStack() as stack, _calling_by_name():
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="cyclotome-")))
        if inputs:
            _replace(given, inputs[0], _arrived(folder, stack))
        if output is None:
            yield given
            return
        path = given[output] = _leaving(folder, stack)
        _names[str(path)] = "standard output"
        with redirect_stdout(sys.stderr):
            yield given
        _send(path)


@contextmanager
def _calling_by_name() -> Iterator[None]:
    """Errors call streams by their names, too; afterwards there are none."""
    try:
        yield
    except CyclotomeError as error:
        error.args = (named(str(error)),)
        raise
    finally:
        _names.clear()


def abandon_output() -> None:
    """Sends what is left in standard output's buffer nowhere, or Python fails again when it exits."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _dashes(arguments: Mapping[str, Any]) -> tuple[list[tuple[str, int | None]], str | None]:
    """Where standard input is meant, by parameter and place in a list, and which parameter standard output is."""
    inputs: list[tuple[str, int | None]] = []
    output = None
    for name, value in arguments.items():
        if name in _OUTPUTS and (value == DASH or value in _STANDARD_OUTPUT):
            output = name
        elif name not in _FOLDERS and value == DASH:
            inputs.append((name, None))
        elif isinstance(value, list):
            inputs += [(name, i) for i, each in enumerate(value) if each == DASH or _is_named_dash(each)]
    return inputs, output


def _is_named_dash(value: object) -> bool:
    """NAME=-, as `cyclotome eval --input` takes it."""
    return isinstance(value, str) and value.endswith("=-") and value[:-2].isidentifier()


def _replace(given: dict[str, Any], where: tuple[str, int | None], path: Path) -> None:
    name, place = where
    if place is None:
        given[name] = path
        return
    values = given[name] = list(given[name])
    values[place] = path if values[place] == DASH else f"{values[place][:-1]}{path}"


def _arrived(folder: Path, stack: ExitStack) -> Path:
    """All of standard input, as a file whose name says the format."""
    file, place = _unnamed(folder, "arriving", stack)
    try:
        known = 0
        while piece := sys.stdin.buffer.read(_PIECE):
            known += len(piece)
            if known > _MOST_BYTES:
                raise FileError(f"standard input has more than {_MOST_BYTES} bytes; name a file")
            file.write(piece)
        file.seek(0)
        beginning = file.read(8)
    except OSError as error:
        if isinstance(error, FileError):
            raise
        raise FileError(f"can't read standard input: {error.strerror or error}") from None
    suffix = next((suffix for magic, suffix in _SUFFIXES if beginning.startswith(magic)), ".csv")
    path = folder / f"input{suffix}"
    path.symlink_to(place)
    _names[str(path)] = "standard input"
    return path


def _leaving(folder: Path, stack: ExitStack) -> Path:
    """A file for what will go to standard output."""
    path = folder / "output.csv"
    path.symlink_to(_unnamed(folder, "leaving", stack)[1])
    return path


def _unnamed(folder: Path, name: str, stack: ExitStack) -> tuple[IO[bytes], Path]:
    """An open file in memory, and a path to it; where the system has none, one in the folder."""
    if hasattr(os, "memfd_create"):
        handle = os.memfd_create(f"cyclotome-{name}")
        os.fchmod(handle, 0o600)
        place = Path(f"/proc/self/fd/{handle}")
    else:
        place = folder / name
        handle = os.open(place, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    return stack.enter_context(os.fdopen(handle, "r+b")), place


def _send(path: Path) -> None:
    """Copies what a command wrote to standard output."""
    sys.stdout.flush()
    try:
        with path.open("rb") as file:
            shutil.copyfileobj(file, sys.stdout.buffer, _PIECE)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        abandon_output()
        raise FileError(f"can't write to standard output: {error.strerror or error}") from None
