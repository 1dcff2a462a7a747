# SPDX-License-Identifier: Apache-2.0
"""``cyclotome threshold checked``: joint decryption whose values are checked, by parties who send each other files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import typer

import cyclotome as cy
from cyclotome.cli import passphrases
from cyclotome.cli.common import Common, with_common
from cyclotome.cli.console import DeviceOption, emit, note, vacant
from cyclotome.cli.failures import UsageError, command
from cyclotome.cli.joint.identities import IdentitiesOption, IdentityOption, known
from cyclotome.cli.joint.identities import own as own_identity
from cyclotome.cli.joint.parties import (
    ActiveOption,
    FloodingOption,
    InboxOption,
    OutOption,
    PartyOption,
    SecretOption,
    SessionArgument,
    ShareOption,
    folder,
    numbers,
    party_of,
    session_of,
    show_blame,
)
from cyclotome.cli.keys import load_as
from cyclotome.cli.tables import notes, tables
from cyclotome.cli.tables.arrays import put_numbers
from cyclotome.errors import BlameError, FileError, RepeatedAnswerError
from cyclotome.whole_files import write_whole

__all__ = ["app"]

app = typer.Typer(
    name="checked",
    help="Decrypt together so that values which somebody falsified are refused, and who did it can be named.",
    epilog="Each who decrypts runs `step` whenever something came, until it has the numbers. Everything in your folder "
    "whose name ends in .ct or .txt is for all parties. doc/threshold.md says what it shows.",
    no_args_is_help=True,
)


@app.command()
@command
@with_common
def step(
    session: SessionArgument,
    encrypted: Annotated[Path, typer.Argument(help="The encrypted file, the same for all who decrypt.")],
    party: PartyOption,
    secret: SecretOption,
    identity: IdentityOption,
    identities: IdentitiesOption,
    public: Annotated[Path, typer.Option("--key", "-k", help="The joint public.key.")],
    evaluation: Annotated[Path, typer.Option("--keys", help="The joint evaluation.key.")],
    name: Annotated[str, typer.Option(help="What is decrypted, in words that all agreed upon.")],
    inbox: InboxOption,
    out: OutOption,
    share: ShareOption = None,
    active: ActiveOption = None,
    flooding_bits: FloodingOption = 64,
    output: Annotated[
        Path | None, typer.Option("--output", help="A .csv, .npy or .parquet file; by default CSV is printed.")
    ] = None,
    passphrase_file: passphrases.FileOption = None,
    device: DeviceOption = "cpu",
    *,
    common: Common,
) -> None:
    """Do whatever is next: make numbers to check with, once for a key, by all parties; commit, show your share, commit
    to the check, show it; and, at last, the numbers.

    numbers.state in your folder remembers what the check's numbers have been used for: never delete it. The exit status
    is 3 where a share was altered, or a party signed two things.
    """
    agreed = session_of(session, common)
    if output is not None:
        if output.suffix.lower() not in tables.SUFFIXES:
            raise UsageError(f"{output}: the name must end in {', '.join(tables.SUFFIXES)}")
        vacant(output, common.force)
    mine = own_identity(identity, passphrase_file)
    own = party_of(agreed, party, secret, share, passphrase_file, device)
    key = load_as(cy.PublicKey, public, expect=agreed.parameters, device=device)
    letters = _Letters(agreed, inbox, folder(out), party, device)
    people = known(identities)
    try:
        checks = _mac_key(letters, own, mine, key, people)
        if checks is None:
            return _say(letters, common)
        quantity = notes.load_quantity(
            encrypted,
            keys=load_as(cy.EvaluationKeys, evaluation, expect=agreed.parameters, device=device),
            expect=agreed.parameters,
            allow_insecure=common.allow_insecure,
            device=device,
        )
        who = agreed.parties if active is None else tuple(sorted(numbers(active)))
        steps = cy.threshold.CheckedDecryption(
            own, mine, quantity.values, checks, people, name=name, active=who, flooding_bits=flooding_bits
        )
        found = _values(letters, steps, who, len(checks.sums))
    except BlameError as blame:
        show_blame(blame, out)
        raise
    if found is None:
        return _say(letters, common, question=steps.question, decryptions_left=own.decryptions.left)
    put_numbers(np.asarray(found), quantity, output, common.json)
    note(f"the check gave 0: nobody altered these numbers; question {steps.question[:16]}")
    return None


class _Wait(NamedTuple):
    """What is waited for, and from whom."""

    stage: str
    missing: list[int]


class _Letters:
    """What has arrived, and what this party sends: files of two folders."""

    def __init__(self, session: cy.threshold.Session, inbox: Path, out: Path, party: int, device: str) -> None:
        if not inbox.is_dir():
            raise FileError(f"{inbox} is no folder; --in names one with all that has arrived")
        self.session, self.inbox, self.out, self.party, self.device = session, inbox, out, party, device
        self.wait = _Wait("", [])
        self.written: list[Path] = []

    def keep(self, name: str, obj: Any) -> None:
        """Writes what this party sends, which is always the same.

        Raises:
            RepeatedAnswerError: it has sent something else under this name.
        """
        path = self.out / name
        data = f"{obj}\n".encode() if isinstance(obj, cy.threshold.Pledge) else cy.to_bytes(obj)
        if not path.exists():
            write_whole(path, data)
        elif path.read_bytes() != data:
            raise RepeatedAnswerError(
                f"{path} says something else than what this step would: some party's message is not the one that it "
                "was, and two answers to one question could tell of the numbers that are checked with. Decrypt under "
                "another --name, with numbers made anew in another folder"
            )
        self.written.append(path)

    def pledges(self, stage: str, question: bytes, who: Sequence[int]) -> list[cy.threshold.Pledge] | None:
        """The commitments of all; None, and whom it waits for, if some have not come."""
        lines = []
        for path in sorted({*self.inbox.glob("*.txt"), *self.out.glob("*.txt")}):
            lines += [line for line in path.read_text(errors="replace").splitlines() if line.startswith("cycm ")]
        every = [cy.threshold.Pledge(line) for line in dict.fromkeys(lines)]
        found = [one for one in every if (one.stage, one.question) == (stage, question)]
        return found if self.complete(f"{stage} commitments", who, {one.party for one in found}) else None

    def objects(self, kind: type[Any], names: Mapping[int, Sequence[str]], stage: str) -> dict[int, list[Any]] | None:
        """What all have shown; None if some have not."""
        paths = {
            party: [(self.out if party == self.party else self.inbox) / name for name in each]
            for party, each in names.items()
        }
        there = {party for party, each in paths.items() if all(path.exists() for path in each)}
        if not self.complete(stage, tuple(names), there):
            return None
        trust = {"expect": self.session.parameters, "device": self.device}
        return {party: [load_as(kind, path, **trust) for path in each] for party, each in paths.items()}

    def complete(self, stage: str, who: Sequence[int], there: set[int]) -> bool:
        """Whether all have sent theirs; who has not is written down."""
        self.wait = _Wait(stage, [party for party in who if party not in there])
        return not self.wait.missing


def _mac_key(
    letters: _Letters,
    own: cy.threshold.Party,
    identity: cy.threshold.Identity,
    public: cy.PublicKey,
    people: dict[int, cy.threshold.PublicIdentity],
) -> cy.threshold.MacKey | None:
    """The numbers that are checked with, which all parties make."""
    line = letters.out / f"numbers-{own.number}.txt"
    if not line.exists():
        made = cy.threshold.MacShare(own, identity, public)
        for number, array in enumerate(made.arrays, 1):  # held back until all have committed to theirs
            cy.save(letters.out / f"numbers-{own.number}-{number}.own", array)
        letters.keep(line.name, made.commitment)
    mine = cy.threshold.Pledge(line.read_text().strip())
    commitments = letters.pledges("mac", mine.question, own.session.parties)
    if commitments is None:
        return None
    count = len(list(letters.out.glob(f"numbers-{own.number}-*.own")))
    for number in range(1, count + 1):
        held = letters.out / f"numbers-{own.number}-{number}.own"
        letters.keep(f"numbers-{own.number}-{number}.ct", load_as(cy.EncryptedArray, held, expect=public.parameters))
    names = {party: [f"numbers-{party}-{number + 1}.ct" for number in range(count)] for party in own.session.parties}
    arrays = letters.objects(cy.EncryptedArray, names, "numbers")
    if arrays is None:
        return None
    state = letters.out / "numbers.state"
    return cy.threshold.MacKey(own.session, people, public, commitments, arrays, file=state)


def _values(letters: _Letters, steps: cy.threshold.CheckedDecryption, who: Sequence[int], count: int) -> Any | None:
    """The values, once everybody has sent everything."""
    question, me = bytes.fromhex(steps.question), letters.party
    tag = steps.question[:16]
    letters.keep(f"{tag}-share-{me}.txt", steps.commit())
    lines = letters.pledges("share", question, who)
    if lines is None:
        return None
    letters.keep(f"{tag}-share-{me}.ct", steps.reveal(lines))
    kind = cy.threshold.DecryptionShare
    shares = letters.objects(kind, {party: [f"{tag}-share-{party}.ct"] for party in who}, "shares")
    if shares is None:
        return None
    letters.keep(f"{tag}-check-{me}.txt", steps.commit_check([each[0] for each in shares.values()]))
    lines = letters.pledges("check", question, who)
    if lines is None:
        return None
    for number, share in enumerate(steps.reveal_check(lines), 1):
        letters.keep(f"{tag}-check-{me}-{number}.ct", share)
    names = {party: [f"{tag}-check-{party}-{number + 1}.ct" for number in range(count)] for party in who}
    checks = letters.objects(kind, names, "check")
    return None if checks is None else steps.values(list(checks.values()))


def _say(letters: _Letters, common: Common, **facts: Any) -> None:
    """How far it is."""
    waits = {"waits_for": letters.wait.stage, "from": letters.wait.missing}
    emit({"party": letters.party, **facts, **waits, "files": [str(path) for path in letters.written]}, common.json)
