# SPDX-License-Identifier: Apache-2.0
"""The command line: ``cyclotome demo | params | keygen | encrypt | eval | decrypt | inspect | doctor | bench | fpga``.

Results go to standard output (``--json`` for machines), progress and errors to standard error.

Exit codes: 0 done, 1 another failure (a wrong answer in the demo, a failed self-test), 2 wrong usage, 3 a file that
cannot be read or written or is not what it should be, 4 parameters or security, 5 a missing or wrong key, 6 noise, or
values out of range, 130 interrupted by Ctrl-C.
"""

from __future__ import annotations

import sys
import traceback

__all__ = ["main"]


def main() -> None:
    """Run the command line with the arguments of this process, and exit."""
    try:
        _run()
    except KeyboardInterrupt:  # before a command began, or after it ended
        print("error: interrupted", file=sys.stderr)
        raise SystemExit(130) from None


def _run() -> None:
    if sys.argv[1:] == ["--version"]:  # asked by scripts, again and again: not worth loading every command
        import cyclotome

        print(f"cyclotome {cyclotome.__version__}")
        return
    try:
        import rich  # noqa: F401
        import typer  # noqa: F401
    except ImportError as error:
        print(f"cyclotome's command line needs {error.name}: pip install 'cyclotome[cli]'", file=sys.stderr)
        raise SystemExit(1) from None
    from cyclotome.cli.app import app
    from cyclotome.cli.visible import visible

    try:
        app(prog_name="cyclotome")
    except Exception:  # --debug asked for the traceback, which may quote files
        print(visible(traceback.format_exc(), lines=True), file=sys.stderr, end="")
        raise SystemExit(1) from None
