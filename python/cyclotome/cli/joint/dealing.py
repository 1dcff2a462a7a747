# SPDX-License-Identifier: Apache-2.0
"""``cyclotome threshold dealing``: shares of a joint secret that are sealed for their receivers and checked by them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

import cyclotome as cy
from cyclotome.cli import passphrases
from cyclotome.cli.common import Common, with_common
from cyclotome.cli.console import emit, note, vacant
from cyclotome.cli.failures import command
from cyclotome.cli.joint.identities import IdentitiesOption, IdentityOption
from cyclotome.cli.joint.identities import own as own_identity
from cyclotome.cli.joint.parties import (
    DealersOption,
    EpochOption,
    PartyOption,
    SecretOption,
    SessionArgument,
    ShareOption,
    WhatOption,
    dealing_round,
    folder,
    party_of,
    session_of,
)
from cyclotome.cli.keys import load_as
from cyclotome.errors import BlameError

__all__ = ["app"]

app = typer.Typer(
    name="dealing",
    help="Deal shares of the joint secret, where any t of n decrypt: sealed for each receiver, and checked by it.",
    epilog="In this order: keys (each), deal (each who deals), receive (each). All messages are public. "
    "doc/threshold.md says what they show.",
    no_args_is_help=True,
)


def _round(
    session: Path, identities: Path, what: str, epoch: int, dealers: str | None, common: Common
) -> cy.threshold.DealingRound:
    return dealing_round(session_of(session, common), identities, what, epoch, dealers)


def _messages(kind: type[Any], paths: list[Path], round_: cy.threshold.DealingRound) -> list[Any]:
    return [load_as(kind, path, expect=round_.session.parameters) for path in paths]


@app.command()
@command
@with_common
def keys(
    session: SessionArgument,
    identities: IdentitiesOption,
    party: PartyOption,
    identity: IdentityOption,
    output: Annotated[Path, typer.Option("--output", "-o", help="For all, for example keys-1.ct.")],
    what: WhatOption = "secret",
    epoch: EpochOption = 0,
    dealers: DealersOption = None,
    passphrase_file: passphrases.FileOption = None,
    *,
    common: Common,
) -> None:
    """Issue the keys that dealers seal your shares for. Compare the round's id, which is printed."""
    agreed = _round(session, identities, what, epoch, dealers, common)
    vacant(output, common.force)
    cy.save(output, agreed.keys(party, own_identity(identity, passphrase_file)), overwrite=common.force)
    emit({"file": str(output), "round": agreed.id, "party": party}, common.json)
    note(f"all parties should see the same round, {agreed.id[:16]}..., before they go on")


@app.command()
@command
@with_common
def deal(
    session: SessionArgument,
    issued: Annotated[list[Path], typer.Argument(help="The keys that all parties issued.")],
    identities: IdentitiesOption,
    party: PartyOption,
    identity: IdentityOption,
    secret: SecretOption,
    out: Annotated[Path, typer.Option("--out", "-o", help="A folder for dealing-N.ct and sealed-N-to-M.ct.")],
    share: ShareOption = None,
    what: WhatOption = "secret",
    epoch: EpochOption = 0,
    dealers: DealersOption = None,
    passphrase_file: passphrases.FileOption = None,
    *,
    common: Common,
) -> None:
    """Deal: dealing-N.ct is for all parties, each sealed-N-to-M.ct for party M, who alone can open it."""
    agreed = _round(session, identities, what, epoch, dealers, common)
    public = vacant(folder(out) / f"dealing-{party}.ct", common.force)
    paths = {to: vacant(out / f"sealed-{party}-to-{to}.ct", common.force) for to in agreed.session.parties}
    own = party_of(agreed.session, party, secret, share, passphrase_file)
    given = _messages(cy.threshold.ReceivingKeys, issued, agreed)
    dealing, sealed = agreed.deal(own, own_identity(identity, passphrase_file), given)
    for to, message in sealed.items():
        cy.save(paths[to], message, overwrite=common.force)
    cy.save(public, dealing, overwrite=common.force)
    files = [str(path) for path in (public, *paths.values())]
    emit({"round": agreed.id, "party": party, "files": files}, common.json)


@app.command()
@command
@with_common
def receive(
    session: SessionArgument,
    messages: Annotated[list[Path], typer.Argument(help="dealing-N.ct and sealed-N-to-YOU.ct of all who deal.")],
    identities: IdentitiesOption,
    party: PartyOption,
    identity: IdentityOption,
    secret: SecretOption,
    output: Annotated[Path, typer.Option("--output", "-o", help="Your share, for example share.key. SECRET.")],
    share: ShareOption = None,
    first: Annotated[
        list[Path] | None,
        typer.Option("--first", help="The first shares of all parties, once each: if you take a lost party's place."),
    ] = None,
    complaints: Annotated[
        Path | None, typer.Option("--complaints", help="A folder for complaints, if there are any; for all parties.")
    ] = None,
    what: WhatOption = "secret",
    epoch: EpochOption = 0,
    dealers: DealersOption = None,
    passphrase: passphrases.Flag = False,
    passphrase_file: passphrases.FileOption = None,
    *,
    common: Common,
) -> None:
    """Check what all dealt to you, and keep your share of the joint secret. Destroy the one of the epoch before.

    Where somebody dealt wrongly, its number is printed, and complaint-N-about-M.ct written that shows it to everybody.
    """
    agreed = _round(session, identities, what, epoch, dealers, common)
    vacant(output, common.force)
    own = party_of(agreed.session, party, secret, share, passphrase_file)
    if first:
        own.replace(_messages(cy.threshold.KeyShare, first, agreed))
    loaded = [
        load_as((cy.threshold.Dealing, cy.threshold.SealedShare), path, expect=agreed.session.parameters)
        for path in messages
    ]
    dealings = [one for one in loaded if isinstance(one, cy.threshold.Dealing)]
    sealed = [one for one in loaded if isinstance(one, cy.threshold.SealedShare)]
    try:
        received = agreed.receive(own, own_identity(identity, passphrase_file), dealings, sealed)
    except BlameError as blame:
        folder = output.parent if complaints is None else complaints
        folder.mkdir(parents=True, exist_ok=True)
        for one in blame.evidence:
            assert isinstance(one, cy.threshold.Complaint)
            path = folder / f"complaint-{one.accuser}-about-{one.dealer}.ct"
            cy.save(path, one)
            note(f"{path} shows it; send it to all parties")
        raise
    phrase = passphrases.wanted(str(output), passphrase, passphrase_file)
    cy.save(output, received, overwrite=common.force, passphrase=phrase)
    transcript = agreed.transcript(dealings)
    facts = {"round": agreed.id, "transcript": transcript, "party": party, "epoch": received.epoch}
    emit({"file": str(output), **facts}, common.json)
    note(f"all parties should see the same transcript, {transcript[:16]}..., before they use their shares")
    note(f"{output} is yours alone (its mode is 0600)")


@app.command()
@command
@with_common
def judge(
    session: SessionArgument,
    evidence: Annotated[Path, typer.Argument(help="A complaint, or a dealing-N.ct.")],
    identities: IdentitiesOption,
    what: WhatOption = "secret",
    epoch: EpochOption = 0,
    dealers: DealersOption = None,
    *,
    common: Common,
) -> None:
    """Say who lied: anybody can, without a key."""
    agreed = _round(session, identities, what, epoch, dealers, common)
    shown = load_as((cy.threshold.Complaint, cy.threshold.Dealing), evidence, expect=agreed.session.parameters)
    verdict = agreed.judge(shown)
    facts = {"guilty": None, "reason": "nothing is wrong with it that shows in the open"}
    emit({"round": agreed.id, **(facts if verdict is None else verdict._asdict())}, common.json)
