# SPDX-License-Identifier: Apache-2.0
"""The command line: ``cyclotome demo | params | keygen | encrypt | eval | decrypt | inspect | doctor | bench | fpga``.

Results go to standard output (``--json`` for machines), progress and errors to standard error.

Exit codes: 0 done, 1 another failure (a wrong answer in the demo, a failed self-test), 2 wrong usage, 3 a file that
cannot be read or written or is not what it should be, 4 parameters or security, 5 a missing or wrong key, 6 noise, or
values out of range, 130 interrupted by Ctrl-C.
"""

from __future__ import annotations

import os
import sys
import traceback
from typing import NoReturn

from cyclotome.cli.closed_streams import hold_closed_streams

__all__ = ["main"]


def main() -> None:
    """Run the command line with the arguments of this process, and exit."""
    hold_closed_streams()
    try:
        _run()
        sys.stdout.flush()
    except BrokenPipeError:  # whoever read has gone
        _leave(1)
    except OSError as error:  # of help and versions; commands tell their own
        print(f"error: can't write to standard output: {error.strerror or error}", file=sys.stderr)
        _leave(3)
    except KeyboardInterrupt:  # before a command began, or after it ended
        print("error: interrupted", file=sys.stderr)
        raise SystemExit(130) from None


def _leave(code: int) -> NoReturn:
    """Exits, with nothing left to be written at exit, which would fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    raise SystemExit(code)


def _run() -> None:
    if sys.argv[1:] == ["--version"]:  # asked by scripts, again and again: not worth loading every command
        import cyclotome

        print(f"cyclotome {cyclotome.__version__}")
        return
    try:
        import rich  # noqa: F401
        import typer  # noqa: F401
    except ImportError as error:
        print(f"cyclotome's command line needs {error.name} of its extra cli: pip install typer rich", file=sys.stderr)
        raise SystemExit(1) from None
    from cyclotome.cli.app import app
    from cyclotome.cli.visible import visible

    try:
        app(prog_name="cyclotome")
    except Exception as error:  # --debug asked for the traceback, which may quote files
        if isinstance(error, OSError) and "--debug" not in sys.argv:
            raise
        print(visible(traceback.format_exc(), lines=True), file=sys.stderr, end="")
        raise SystemExit(1) from None
