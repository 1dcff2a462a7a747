# SPDX-License-Identifier: Apache-2.0
"""Exit codes that mean something, and errors as one message without a traceback."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable
from typing import ParamSpec, TypeVar

import typer
from rich.console import Console
from rich.text import Text

from cyclotome import errors
from cyclotome.cli.expression import ExpressionError

P = ParamSpec("P")
R = TypeVar("R")

OTHER, USAGE, BAD_FILE, BAD_PARAMETERS, BAD_KEY, OUT_OF_RANGE = 1, 2, 3, 4, 5, 6
#: Ctrl-C, as shells count it.
INTERRUPTED = 130


class UsageError(errors.CyclotomeError, ValueError):
    """A command that contradicts itself, or would overwrite a file."""


#: The first class that fits decides.
CODES: tuple[tuple[type[Exception], int], ...] = (
    (UsageError, USAGE),
    (ExpressionError, USAGE),
    (errors.UnsupportedError, USAGE),
    (errors.ArgumentError, USAGE),
    (errors.FileError, BAD_FILE),
    (errors.FormatError, BAD_FILE),
    (errors.ParameterError, BAD_PARAMETERS),
    (errors.MismatchError, BAD_KEY),
    (errors.MissingKeyError, BAD_KEY),
    (errors.NoiseError, OUT_OF_RANGE),
    (errors.RangeError, OUT_OF_RANGE),
)


def exit_code(error: BaseException) -> int:
    """The exit code of an error; 1 for those without one of their own."""
    return next((code for kind, code in CODES if isinstance(error, kind)), OTHER)


def complain(message: str) -> None:
    """One error message on standard error."""
    Console(stderr=True, soft_wrap=True).print(Text.assemble(("error: ", "bold red"), message))


def command(function: Callable[P, R]) -> Callable[P, R]:
    """A command whose errors become one message and an exit code; with ``debug=True`` a traceback."""

    @functools.wraps(function)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except BrokenPipeError:  # the reader of our output has gone, as in `cyclotome decrypt … | head`
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
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

    return guarded


def _text(error: Exception) -> str:
    if isinstance(error, MemoryError):
        return "out of memory: take smaller files, or fewer columns at a time"
    if isinstance(error, OSError):
        return f"{error.filename}: {error.strerror}" if error.filename else str(error)
    return f"{type(error).__name__}: {error}; this should not happen, and --debug shows where it did"
