# SPDX-License-Identifier: Apache-2.0
"""Commands that packages beside this one bring: found by name, imported when they are asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

import typer

from cyclotome.cli.failures import command
from cyclotome.errors import CyclotomeError
from cyclotome.extras import BENCH, DEMO, FPGA, Extra

__all__ = ["COMMANDS", "of_extra"]

#: By name. Each package has its command in a module ``command``, as a Typer application ``app``.
COMMANDS: Mapping[str, Extra] = {"demo": DEMO, "bench": BENCH, "fpga": FPGA}


def of_extra(name: str) -> Any:
    """The command, or one of the same name that says what is missing."""
    try:
        return typer.main.get_command(COMMANDS[name].load("command").app)
    except CyclotomeError as error:
        return _refusing(name, error)


def _refusing(name: str, error: CyclotomeError) -> Any:
    """A command that takes all arguments, and raises ``error``."""
    app = typer.Typer(add_completion=False)
    anything = {"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []}

    @app.command(name, help="Not installed; called, it says what is missing.", context_settings=anything)
    @command
    def refuse() -> NoReturn:
        raise error

    return typer.main.get_command(app)
