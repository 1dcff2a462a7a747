# SPDX-License-Identifier: Apache-2.0
"""``cyclotome threshold decrypt-share`` and ``decrypt``: what several parties open together."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import numpy as np
import typer

import cyclotome as cy
from cyclotome.cli import passphrases
from cyclotome.cli.common import Common, with_common
from cyclotome.cli.console import DeviceOption, emit, progress_bar, vacant
from cyclotome.cli.failures import UsageError, command
from cyclotome.cli.joint.parties import (
    ActiveOption,
    FloodingOption,
    PartyOption,
    SecretOption,
    SessionArgument,
    ShareOption,
    numbers,
    party_of,
    session_of,
)
from cyclotome.cli.keys import load_as
from cyclotome.cli.tables import notes, tables
from cyclotome.cli.tables.arrays import put_numbers

__all__ = ["app"]

app = typer.Typer()


@app.command("decrypt-share")
@command
@with_common
def decrypt_share(
    session: SessionArgument,
    encrypted: Annotated[Path, typer.Argument(help="The encrypted file, the same for all who decrypt.")],
    party: PartyOption,
    secret: SecretOption,
    output: Annotated[Path, typer.Option("--output", "-o", help="Your decryption share, for example decrypt-1.ct.")],
    share: ShareOption = None,
    active: ActiveOption = None,
    flooding_bits: FloodingOption = 64,
    passphrase_file: passphrases.FileOption = None,
    device: DeviceOption = "cpu",
    *,
    common: Common,
) -> None:
    """Give your part in decrypting a file. Whoever gets enough of these has the numbers: be sure what is decrypted."""
    agreed = session_of(session, common)
    vacant(output, common.force)
    own = party_of(agreed, party, secret, share, passphrase_file, device)
    quantity = notes.load_quantity(
        encrypted, expect=agreed.parameters, allow_insecure=common.allow_insecure, device=device
    )
    chosen = None if active is None else numbers(active)
    with progress_bar():
        made = own.decryption_share(quantity.values, active=chosen, flooding_bits=flooding_bits)
    cy.save(output, made, overwrite=common.force)
    facts = {"session": agreed.id, "party": party, "with": list(made.active), "decryptions_left": own.decryptions.left}
    emit({"file": str(output), **facts}, common.json)


@app.command()
@command
@with_common
def decrypt(
    session: SessionArgument,
    encrypted: Annotated[Path, typer.Argument(help="The encrypted file.")],
    shares: Annotated[list[Path], typer.Argument(help="The decryption shares of all who decrypt.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="A .csv, .npy or .parquet file; by default CSV is printed.")
    ] = None,
    device: DeviceOption = "cpu",
    *,
    common: Common,
) -> None:
    """Decrypt a file with the shares of enough parties: the numbers, exactly, or a refusal."""
    agreed = session_of(session, common)
    if output is not None:
        if output.suffix.lower() not in tables.SUFFIXES:
            raise UsageError(f"{output}: the name must end in {', '.join(tables.SUFFIXES)}")
        vacant(output, common.force)
    quantity = notes.load_quantity(
        encrypted, expect=agreed.parameters, allow_insecure=common.allow_insecure, device=device
    )
    given = [load_as(cy.threshold.DecryptionShare, path, expect=agreed.parameters, device=device) for path in shares]
    with progress_bar():
        integers = np.asarray(cy.threshold.decrypt(quantity.values, given, agreed))
    put_numbers(integers, quantity, output, common.json)
