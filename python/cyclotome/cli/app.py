# SPDX-License-Identifier: Apache-2.0
"""The commands, put together."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

import cyclotome
from cyclotome.cli import doctor, inspection, keys, pir, seal, search, service
from cyclotome.cli.circuits import circuits
from cyclotome.cli.circuits import roles as circuit_roles
from cyclotome.cli.commands import COMMANDS, of_extra
from cyclotome.cli.evaluation import evaluate
from cyclotome.cli.joint import threshold
from cyclotome.cli.tables import arrays
from cyclotome.cli.visible import visible

EXIT_CODES = (
    "Exit codes: 0 done; 1 another failure (a wrong answer, a failed self-test); 2 wrong usage; 3 a bad file; "
    "4 parameters or security; 5 a key that is missing or does not fit; 6 noise, or values out of range; "
    "130 interrupted."
)


class Commands(TyperGroup):
    """This package's commands and those of packages beside it. Messages on wrong usage, which quote arguments such as
    file names, are safe to show."""

    def list_commands(self, ctx: Any) -> list[str]:
        """As the base class."""
        return [*super().list_commands(ctx), *COMMANDS]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """As the base class."""
        return of_extra(cmd_name) if cmd_name in COMMANDS else super().get_command(ctx, cmd_name)

    def make_context(self, *args: Any, **kwargs: Any) -> Any:
        """As the base class."""
        with _shown_safely():
            return super().make_context(*args, **kwargs)

    def invoke(self, *args: Any, **kwargs: Any) -> Any:
        """As the base class."""
        with _shown_safely():
            return super().invoke(*args, **kwargs)


@contextmanager
def _shown_safely() -> Iterator[None]:
    try:
        yield
    except Exception as error:
        if hasattr(error, "format_message") and isinstance(vars(error).get("message"), str):
            vars(error)["message"] = visible(vars(error)["message"], lines=True)
        raise


app = typer.Typer(
    name="cyclotome",
    cls=Commands,
    help="Compute on encrypted data, exactly.",
    epilog=EXIT_CODES,
    no_args_is_help=True,
    add_completion=True,  # --install-completion, --show-completion
    pretty_exceptions_show_locals=False,  # locals may be secret
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"cyclotome {cyclotome.__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Compute on encrypted data, exactly."""


app.command("params")(keys.params)
app.command("keygen")(keys.keygen)
app.command("encrypt")(arrays.encrypt)
app.command("eval")(evaluate.evaluate)
app.command("decrypt")(arrays.decrypt)
app.command("prince")(circuits.prince)
app.command("sort")(circuits.sort)
app.add_typer(circuit_roles.app)
app.add_typer(seal.app)
app.add_typer(pir.app)
app.add_typer(search.app)
app.add_typer(threshold.app)
app.command("inspect")(inspection.inspect)
app.command("doctor")(doctor.doctor)
app.command("serve")(service.serve)
app.command("call")(service.call)
