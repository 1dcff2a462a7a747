# SPDX-License-Identifier: Apache-2.0
"""``cyclotome inspect``: what a file holds, without any key."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import cyclotome as cy
from cyclotome.cli.console import DebugFlag, JsonFlag, emit
from cyclotome.cli.failures import command
from cyclotome.cli.tables import notes
from cyclotome.cli.visible import shown


@command
def inspect(
    file: Annotated[Path, typer.Argument(help="Parameters, a key, an encrypted file or a product context.")],
    json: JsonFlag = False,
    debug: DebugFlag = False,
) -> None:
    """Show what a file holds: kind, parameters, shape, noise headroom, sizes. Needs no key and shows no secret."""
    found = cy.inspect(file)
    lines = [str(found)]
    if found.shape is not None and found.note:
        meaning = notes.read_note(found.note, found.shape, str(file))
        if meaning["columns"] is not None:
            along = f" along axis {meaning['axis']}" if meaning["axis"] else ""
            lines.append(f"  columns {', '.join(meaning['columns'])}{along}")
        if meaning["name"] is not None:
            lines.append(f"  of column {meaning['name']}")
        if meaning["scale"] != 1:
            lines.append(f"  numbers are integers / {shown(meaning['scale'])}")
    if found.kind == "parameters" and found.parameters is not None:
        lines.append(found.parameters.explain())
    emit({"file": str(file), **found.asdict()}, json, "\n".join(lines))
