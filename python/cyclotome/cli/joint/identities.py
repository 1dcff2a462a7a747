# SPDX-License-Identifier: Apache-2.0
"""Options that say who parties of a joint key are: `cyclotome threshold` and its `dealing` share them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

import cyclotome as cy
from cyclotome.cli import passphrases
from cyclotome.cli.failures import UsageError
from cyclotome.cli.keys import load_as

__all__ = ["IdentitiesOption", "IdentityOption", "KnownOption", "SignOption", "known", "own", "voice"]

_OWN, _KNOWN = "Your own identity. SECRET.", "A text file, the same for all: a line `1 cyid-...` for each party."
IdentityOption = Annotated[Path, typer.Option("--identity", "-i", help=_OWN)]
IdentitiesOption = Annotated[Path, typer.Option("--identities", help=_KNOWN)]
#: Where parties may sign what they send, and need not.
SignOption = Annotated[Path | None, typer.Option("--identity", help=f"{_OWN} Signs what you send; takes --identities.")]
KnownOption = Annotated[
    Path | None, typer.Option("--identities", help=f"{_KNOWN} What they have not signed is refused.")
]


def known(path: Path) -> dict[int, cy.threshold.PublicIdentity]:
    """The identities of a text file, by the numbers of parties.

    Raises:
        UsageError: a line that is none, or a party that is there twice.
        ArgumentError: a text that is no identity.
    """
    found: dict[int, cy.threshold.PublicIdentity] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        words = line.split()
        if not words:
            continue
        if len(words) != 2 or not words[0].isdigit():
            raise UsageError(f"{path}: {line[:40]!r} is no line such as `1 cyid-...`")
        if int(words[0]) in found:
            raise UsageError(f"{path}: party {words[0]} is there twice")
        found[int(words[0])] = cy.threshold.PublicIdentity(words[1])
    return found


def own(path: Path, phrase: Path | None) -> cy.threshold.Identity:
    """A party's own identity, from its file."""
    made = load_as(cy.threshold.Identity, path, passphrase=passphrases.to_open(str(path), phrase))
    assert isinstance(made, cy.threshold.Identity)
    return made


def voice(identity: Path | None, identities: Path | None, phrase: Path | None) -> dict[str, Any]:
    """What `cyclotome.threshold.Party` takes to sign and to refuse what is not signed; nothing without both files.

    Raises:
        UsageError: one without the other.
    """
    if (identity is None) != (identities is None):
        raise UsageError("--identity signs and --identities checks: a party that does one does both")
    if identity is None or identities is None:
        return {}
    return {"identity": own(identity, phrase), "identities": known(identities)}
