# SPDX-License-Identifier: Apache-2.0
"""Exit codes that mean something, and errors as one message without a traceback."""

from __future__ import annotations

import functools
import inspect
import os
import sys
from collections.abc import Callable, Mapping
from typing import ParamSpec, TypeVar

import typer
from rich.console import Console
from rich.text import Text

from cyclotome import errors, failures
from cyclotome.cli.option_words import in_options
from cyclotome.cli.standard_streams import StreamUseError, abandon_output, standing_in
from cyclotome.cli.visible import shortened, visible
from cyclotome.failures import BAD_FILE as BAD_FILE
from cyclotome.failures import OTHER as OTHER
from cyclotome.failures import USAGE as USAGE

P = ParamSpec("P")
R = TypeVar("R")

#: Ctrl-C, as shells count it.
INTERRUPTED = 130


#: Characters of a message that are shown: those of files can be long.
LONGEST_MESSAGE = 4000


class UsageError(errors.CyclotomeError, ValueError):
    """A command that contradicts itself, or would overwrite a file."""


def exit_code(error: BaseException) -> int:
    """The exit code of an error, as `cyclotome.failures` has it for those of the library."""
    return USAGE if isinstance(error, (UsageError, StreamUseError)) else failures.exit_code(error)


def complain(message: str) -> None:
    """One error message on standard error, with options as commands have them. What files say in it cannot act on the
    terminal, nor begin a line that looks like another message."""
    message = in_options(message)
    if len(message) > LONGEST_MESSAGE:
        message = message[:LONGEST_MESSAGE] + "…"
    shown = visible(message, lines=True).replace("\n", "\n  ")
    Console(stderr=True, soft_wrap=True).print(Text.assemble(("error: ", "bold red"), shown))


def flowing(doc: str | None) -> str | None:
    """A docstring whose paragraphs are a line each, which help then breaks where the terminal ends: it keeps the lines
    of the source otherwise, and breaks them once more."""
    if doc is None:
        return None
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in inspect.cleandoc(doc).split("\n\n"))


def command(function: Callable[P, R]) -> Callable[P, R]:
    """A command whose errors become one message and an exit code; with ``debug=True`` a traceback."""

    @functools.wraps(function)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            _require_text(kwargs)
            # What decrypts writes text.
            with standing_in(kwargs, text=function.__name__ == "decrypt") as given:
                result = function(*args, **given)
            put("")
            return result
        except BrokenPipeError:  # the reader of our output has gone, as in `cyclotome decrypt … | head`
            abandon_output()
            raise typer.Exit(OTHER) from None
        except KeyboardInterrupt:
            if kwargs.get("debug"):
                raise
            complain("interrupted; no file was left half written")
            raise typer.Exit(INTERRUPTED) from None
        except errors.CyclotomeError as error:
            if kwargs.get("debug"):
                raise
            complain(str(error))
            raise typer.Exit(exit_code(error)) from None
        except (typer.Exit, typer.Abort, typer.BadParameter):
            raise
        except Exception as error:
            if kwargs.get("debug"):
                raise
            complain(_text(error))
            raise typer.Exit(BAD_FILE if isinstance(error, OSError) else OTHER) from None

    guarded.__doc__ = flowing(function.__doc__)
    return guarded


def put(text: str) -> None:
    """Writes text to standard output, all of it. Raises FileError where it can't, so that half a result passes for
    none."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except UnicodeEncodeError:
        raise errors.FileError(
            f"standard output takes {sys.stdout.encoding} only, which lacks characters of the result: name a file with "
            "--output, or set PYTHONUTF8=1"
        ) from None
    except OSError as error:
        abandon_output()
        raise errors.FileError(f"can't write to standard output: {error.strerror or error}") from None


def _require_text(arguments: Mapping[str, object]) -> None:
    """Raises UsageError for an argument whose bytes are no UTF-8, which Python keeps as surrogates, unless it names a
    file, whose name may have any bytes."""
    for value in arguments.values():
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, str) and any("\ud800" <= c <= "\udfff" for c in _but_path(part)):
                raise UsageError(f"{shortened(part)} is not UTF-8 text; write it anew")


def _but_path(text: str) -> str:
    """What `cyclotome eval --input` takes as NAME=FILE, without the file, if there is a file; else all of it."""
    name, equals, path = text.partition("=")
    return name if equals and name.isidentifier() and os.path.exists(path) else text


def _text(error: Exception) -> str:
    if isinstance(error, MemoryError):
        return "out of memory: take smaller files, or fewer columns at a time"
    if isinstance(error, OSError):
        return f"{error.filename}: {error.strerror}" if error.filename else str(error)
    return f"{type(error).__name__}: {error}; this should not happen, and --debug shows where it did"
