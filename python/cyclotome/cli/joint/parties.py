# SPDX-License-Identifier: Apache-2.0
"""What commands of parties of a joint key take, and the party that it makes: `cyclotome threshold` and those under
it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any

import typer

import cyclotome as cy
from cyclotome.cli import passphrases
from cyclotome.cli.common import Common
from cyclotome.cli.console import note
from cyclotome.cli.failures import UsageError
from cyclotome.cli.joint.identities import known
from cyclotome.cli.keys import load_as, noted_warnings
from cyclotome.errors import BlameError, FileError
from cyclotome.whole_files import write_whole

__all__ = [
    "ActiveOption",
    "DealersOption",
    "EpochOption",
    "FloodingOption",
    "InboxOption",
    "OutOption",
    "PartyOption",
    "SecretOption",
    "SessionArgument",
    "ShareOption",
    "WhatOption",
    "dealing_round",
    "folder",
    "numbers",
    "party_of",
    "session_of",
    "show_blame",
]

SessionArgument = Annotated[Path, typer.Argument(help="The session, the same file for all parties.")]
PartyOption = Annotated[int, typer.Option("--party", "-p", help="Your number.")]
OutOption = Annotated[Path, typer.Option("--out", "-o", help="Your folder; made if it does not exist.")]
InboxOption = Annotated[Path, typer.Option("--in", "-i", help="Folder of all that has arrived so far, from everybody.")]
SecretOption = Annotated[
    Path, typer.Option("--secret", "-s", help="Your own secret.key, which `toss` or `commit` wrote.")
]
ShareOption = Annotated[
    Path | None, typer.Option("--share", help="Your share of the joint secret, if you have one: `receive` wrote it.")
]
ActiveOption = Annotated[
    str | None, typer.Option("--with", help="Numbers of all who decrypt, yours included; by default everybody.")
]
FloodingOption = Annotated[int, typer.Option(help="Statistical security of the flooding, the same for all.")]
WhatOption = Annotated[
    str, typer.Option("--what", help='"secret" at the beginning; "refresh"; "replace" for parties who lost a share.')
]
EpochOption = Annotated[int, typer.Option("--epoch", help="Of the shares that come of it; 0 at the beginning.")]
DealersOption = Annotated[str | None, typer.Option("--dealers", help="Numbers of those who deal; by default all.")]


def session_of(path: Path, common: Common) -> cy.threshold.Session:
    """The session of a file."""
    session = load_as(cy.threshold.Session, path, **common.trust)
    assert isinstance(session, cy.threshold.Session)
    return session


def numbers(text: str) -> list[int]:
    """Parties as they are typed. Raises UsageError."""
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise UsageError(f"{text!r}: write numbers of parties, such as 1,3") from None


def party_of(
    session: cy.threshold.Session,
    number: int,
    secret: Path,
    share: Path | None = None,
    phrase: Path | None = None,
    device: str = "cpu",
    voice: Mapping[str, Any] = MappingProxyType({}),
) -> cy.threshold.Party:
    """The party of secret.key, with its share of the joint secret if there is one.

    Raises:
        FileError: there is no such file.
    """
    if not secret.exists():
        raise FileError(f"{secret} does not exist; `cyclotome threshold toss` makes it, once, or `commit`")
    dealt = None
    if share is not None:
        opened = passphrases.to_open(str(share), phrase)
        trust = {"expect": session.parameters, "device": device}
        dealt = load_as(cy.threshold.SecretShare, share, passphrase=opened, **trust)
    to_open = passphrases.to_open(str(secret), phrase)
    with noted_warnings():
        return cy.threshold.Party(session, number, file=secret, passphrase=to_open, share=dealt, device=device, **voice)


def dealing_round(
    session: cy.threshold.Session, identities: Path, what: str, epoch: int, dealers: str | None
) -> cy.threshold.DealingRound:
    """The round of dealing that these options say."""
    chosen = None if dealers is None else numbers(dealers)
    return cy.threshold.DealingRound(session, known(identities), what=what, epoch=epoch, dealers=chosen)


def folder(out: Path) -> Path:
    """Somebody's folder, made if it is not there. Raises UsageError for a file."""
    if out.exists() and not out.is_dir():
        raise UsageError(f"{out} is a file; --out names a folder")
    out.mkdir(parents=True, exist_ok=True)
    return out


def show_blame(blame: BlameError, out: Path, signed: bool = True) -> None:
    """Writes what shows to everybody whom a party blames, if they sign."""
    if not signed or not blame.messages:
        return
    path = out / f"against-{'-'.join(map(str, blame.parties))}.evidence"
    write_whole(path, b"".join(_bytes_of(each) for each in blame.messages))
    note(f"{path} shows it to everybody: `cyclotome threshold verify`")


def _bytes_of(message: Any) -> bytes:
    return f"{message}\n".encode() if isinstance(message, cy.threshold.Pledge) else cy.to_bytes(message)
