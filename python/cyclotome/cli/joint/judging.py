# SPDX-License-Identifier: Apache-2.0
"""``cyclotome threshold verify`` and ``advise``: what messages that were sent show of those who sent them."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Annotated, Any

import typer

import cyclotome as cy
from cyclotome.cli import kinds
from cyclotome.cli.common import Common, with_common
from cyclotome.cli.console import emit
from cyclotome.cli.failures import command
from cyclotome.cli.joint.identities import IdentitiesOption, known
from cyclotome.cli.joint.parties import (
    DealersOption,
    EpochOption,
    SessionArgument,
    WhatOption,
    dealing_round,
    session_of,
)
from cyclotome.failures import BAD_FILE

__all__ = ["app"]

app = typer.Typer()

_SIGNED = (
    cy.threshold.Acceptance,
    cy.threshold.Coin,
    cy.threshold.Commitment,
    cy.threshold.KeyShare,
    cy.threshold.Complaint,
    cy.threshold.Dealing,
)


@app.command()
@command
@with_common
def verify(
    session: SessionArgument,
    evidence: Annotated[
        list[Path], typer.Argument(help="What somebody is blamed with: .evidence, messages, complaints, commitments.")
    ],
    identities: IdentitiesOption,
    what: WhatOption = "secret",
    epoch: EpochOption = 0,
    dealers: DealersOption = None,
    *,
    common: Common,
) -> None:
    """Say who does not follow the protocol, as messages that it signed show to anybody, without a key.

    --what, --epoch and --dealers say the round of complaints and dealings.
    """
    agreed = session_of(session, common)
    shown = [each for path in evidence for each in _signed_in(path, agreed)]
    dealt = any(isinstance(each, (cy.threshold.Complaint, cy.threshold.Dealing)) for each in shown)
    round_ = dealing_round(agreed, identities, what, epoch, dealers) if dealt else None
    verdict = cy.threshold.verify(shown, agreed, known(identities), dealing=round_)
    facts = {"guilty": None, "reason": "these messages show nothing about anybody"}
    emit({"session": agreed.id, **(facts if verdict is None else verdict._asdict())}, common.json)


@app.command()
@command
@with_common
def advise(
    messages: Annotated[
        list[Path], typer.Argument(help="Key shares of any sessions, old ones too: all that were sent.")
    ],
    *,
    common: Common,
) -> None:
    """Say whether messages that were sent give a party's secret away: whether it answered two first rounds.

    The exit status is 3 if one is public.
    """
    found = cy.threshold.advise(messages)
    facts = [{**one._asdict(), "secret_is_public": one.secret_is_public, "advice": one.words} for one in found]
    lines = [f"session {one.session[:8]}: {one.words}" for one in found] or ["no key shares are among these files"]
    emit({"parties": facts}, common.json, "\n".join(lines))
    if any(one.secret_is_public for one in found):
        raise typer.Exit(BAD_FILE)


def _signed_in(path: Path, session: cy.threshold.Session) -> list[Any]:
    """All messages of a file, one after the other; or commitments, a line each."""
    data = path.read_bytes()
    if data.startswith(b"cycm "):
        return [cy.threshold.Pledge(line) for line in data.decode("ascii", "replace").splitlines()]
    stream, found = io.BytesIO(data), []
    while stream.tell() < len(data):
        each = cy.load(stream, expect=session.parameters)
        kinds.require(each, _SIGNED, path)
        found.append(each)
    return found
