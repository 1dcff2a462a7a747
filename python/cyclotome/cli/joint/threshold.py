# SPDX-License-Identifier: Apache-2.0
"""``cyclotome threshold``: a joint key of several parties, each with a folder of its own, who send each other files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

import cyclotome as cy
from cyclotome.cli import passphrases
from cyclotome.cli.common import Common, with_common
from cyclotome.cli.console import (
    DeviceOption,
    emit,
    note,
    vacant,
)
from cyclotome.cli.failures import command
from cyclotome.cli.joint.checked import app as checked
from cyclotome.cli.joint.dealing import app as dealing
from cyclotome.cli.joint.decrypting import app as decrypting
from cyclotome.cli.joint.identities import KnownOption, SignOption, voice
from cyclotome.cli.joint.judging import app as judging
from cyclotome.cli.joint.parties import (
    InboxOption,
    OutOption,
    PartyOption,
    SecretOption,
    SessionArgument,
    folder,
    numbers,
    party_of,
    session_of,
    show_blame,
)
from cyclotome.cli.keys import load_as, rotation_steps
from cyclotome.cli.visible import visible
from cyclotome.errors import BlameError, FileError

__all__ = ["app"]

app = typer.Typer(
    name="threshold",
    help="A key of several parties: nobody has the secret, all of them, or any t of n, decrypt together.",
    epilog="In this order: new (one party), then each party `step` until it has the keys, or one by one toss, commit, "
    "coin, share, answer, accept, combine; `dealing` (each, where --threshold is below "
    "--parties); then `cyclotome encrypt` and `eval` as ever, decrypt-share (each who decrypts), decrypt. "
    "What a party that does not follow this can do says doc/threshold.md. `advise` looks at old messages.",
    no_args_is_help=True,
)

app.add_typer(decrypting)
app.add_typer(judging)
app.add_typer(dealing)
app.add_typer(checked)

_LINES = (cy.threshold.Coin, cy.threshold.Commitment, cy.threshold.Acceptance)
ClearOption = Annotated[
    bool,
    typer.Option(
        "--deal-in-clear", help="Also deal, not sealed: dealt-N-to-M.key for each party M, SECRET. `dealing` seals."
    ),
]


@app.command()
@command
@with_common
def identity(
    output: Annotated[Path, typer.Option("--output", "-o", help="Your identity, for example me.id. SECRET.")],
    passphrase: passphrases.Flag = False,
    passphrase_file: passphrases.FileOption = None,
    *,
    common: Common,
) -> None:
    """Make your identity, once for any number of sessions: what signs your messages and opens what is sealed for you.

    Its public half is printed: others compare it over a channel that they trust.
    """
    vacant(output, common.force)
    made = cy.threshold.Identity.create()
    phrase = passphrases.wanted(str(output), passphrase, passphrase_file)
    cy.save(output, made, overwrite=common.force, passphrase=phrase)
    emit({"file": str(output), "public": str(made.public)}, common.json)
    note(f"{output} is yours alone (its mode is 0600)")


@app.command()
@command
@with_common
def new(
    parameters: Annotated[Path, typer.Argument(help="A file of `cyclotome params --parties N --flooding-bits B`.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The session, for example session.ct.")],
    parties: Annotated[str, typer.Option(help="How many, numbered from 1; or their numbers, such as 1,2,5.")],
    threshold: Annotated[int | None, typer.Option(help="How many decrypt together; by default all.")] = None,
    rotations: Annotated[
        str, typer.Option(help='Rotation keys: "sums" for what sums need, "none", or steps such as 1,2,-3.')
    ] = "sums",
    decryptions: Annotated[
        int, typer.Option(help="Ciphertexts that each party helps to decrypt in the key's life; then it refuses.")
    ] = 2**20,
    audit: Annotated[
        int,
        typer.Option(help="Candidates of each party for its first share, all but one of which are opened; 1: none."),
    ] = 8,
    *,
    common: Common,
) -> None:
    """Begin a session: who takes part, how many decrypt, which keys there will be. Public; give it to all parties."""
    vacant(output, common.force)
    steps = rotation_steps(rotations)
    chosen = load_as(cy.Parameters, parameters, **common.trust)
    chosen_parties = numbers(parties)
    session = cy.threshold.Session.create(
        chosen,
        parties=chosen_parties[0] if len(chosen_parties) == 1 else chosen_parties,
        threshold=threshold,
        rotations=steps,
        decryptions=decryptions,
        audit=audit,
    )
    cy.save(output, session, overwrite=common.force)
    emit({"file": str(output), **_facts(session)}, common.json)
    note(f"all parties should see the same id, {session.id[:16]}..., before they go on")


@app.command()
@command
@with_common
def toss(
    session: SessionArgument,
    party: PartyOption,
    out: OutOption,
    passphrase: passphrases.Flag = False,
    identity: SignOption = None,
    identities: KnownOption = None,
    passphrase_file: passphrases.FileOption = None,
    device: DeviceOption = "cpu",
    *,
    common: Common,
) -> None:
    """Make your secret.key, and a hash of your part of the coin, toss-N.ct, for all parties.

    The coin, which nobody controls, says later which of your candidates stays closed. A session of --audit 1 has none:
    begin with `commit`.
    """
    agreed = session_of(session, common)
    secret = folder(out) / "secret.key"
    path = vacant(out / f"toss-{party}.ct", common.force)
    signs = voice(identity, identities, passphrase_file)
    own = _own(agreed, party, secret, passphrase, passphrase_file, device, signs)
    cy.save(path, own.toss(), overwrite=common.force)
    emit({"session": agreed.id, "party": party, "files": [str(secret), str(path)]}, common.json)
    note(f"{secret} is yours alone; {path} is for all parties")


@app.command()
@command
@with_common
def commit(
    session: SessionArgument,
    party: PartyOption,
    out: OutOption,
    tosses: Annotated[
        list[Path] | None, typer.Argument(help="What all parties tossed; nothing in a session of --audit 1.")
    ] = None,
    passphrase: passphrases.Flag = False,
    identity: SignOption = None,
    identities: KnownOption = None,
    passphrase_file: passphrases.FileOption = None,
    device: DeviceOption = "cpu",
    *,
    common: Common,
) -> None:
    """Make your commitment, commit-N.ct, for all parties, and your secret.key if it is not there.

    secret.key remembers what you have shown and answered. A second run makes the same commitment again; --force never
    replaces secret.key: for another one take another folder.
    """
    agreed = session_of(session, common)
    given = [load_as(cy.threshold.Coin, path, expect=agreed.parameters) for path in tosses or ()]
    secret = folder(out) / "secret.key"
    paths = [vacant(out / f"commit-{party}.ct", common.force)]
    signs = voice(identity, identities, passphrase_file)
    own = _own(agreed, party, secret, passphrase, passphrase_file, device, signs)
    cy.save(paths[0], own.commit(given), overwrite=common.force)
    emit({"session": agreed.id, "party": party, "files": [str(path) for path in (secret, *paths)]}, common.json)
    note(f"{secret} is yours alone; {paths[0]} is for all parties")


@app.command("coin")
@command
@with_common
def show_coin(
    session: SessionArgument,
    commitments: Annotated[list[Path], typer.Argument(help="The commitments of all parties.")],
    party: PartyOption,
    out: OutOption,
    identity: SignOption = None,
    identities: KnownOption = None,
    passphrase_file: passphrases.FileOption = None,
    device: DeviceOption = "cpu",
    *,
    common: Common,
) -> None:
    """Show your part of the coin, coin-N.ct, to all parties, once all have committed."""
    agreed = session_of(session, common)
    path = vacant(folder(out) / f"coin-{party}.ct", common.force)
    signs = voice(identity, identities, passphrase_file)
    own = party_of(agreed, party, out / "secret.key", None, passphrase_file, device, signs)
    given = [load_as(cy.threshold.Commitment, path, expect=agreed.parameters) for path in commitments]
    cy.save(path, own.show_coin(given), overwrite=common.force)
    emit({"session": agreed.id, "party": party, "files": [str(path)]}, common.json)
    note(f"{path} is for all parties")


@app.command()
@command
@with_common
def share(
    session: SessionArgument,
    before: Annotated[
        list[Path], typer.Argument(help="The coins of all parties; in a session of --audit 1 their commitments.")
    ],
    party: PartyOption,
    out: OutOption,
    deal_in_clear: ClearOption = False,
    identity: SignOption = None,
    identities: KnownOption = None,
    passphrase_file: passphrases.FileOption = None,
    device: DeviceOption = "cpu",
    *,
    common: Common,
) -> None:
    """Show your first share, first-N.ct, to all parties, once all have committed to theirs and shown their coins.

    It holds the seeds of your other candidates, for everybody to draw them again.

    Where fewer than all decrypt, `cyclotome threshold dealing` deals shares of the joint secret, sealed and checked.
    With --deal-in-clear they are files for `receive`, each to be sent to its party alone over an encrypted channel, and
    destroyed once it has arrived; nothing shows whether they are right.
    """
    agreed = session_of(session, common)
    first = vacant(folder(out) / f"first-{party}.ct", common.force)
    receivers = agreed.parties if deal_in_clear and agreed.shares_secrets else ()
    paths = {to: vacant(out / f"dealt-{party}-to-{to}.key", common.force) for to in receivers}
    signs = voice(identity, identities, passphrase_file)
    own = party_of(agreed, party, out / "secret.key", None, passphrase_file, device, signs)
    kind = cy.threshold.Coin if agreed.audit > 1 else cy.threshold.Commitment
    given = [load_as(kind, path, expect=agreed.parameters) for path in before]
    cy.save(first, own.first_share(given), overwrite=common.force)
    _deal(own, paths, common.force)
    emit({"session": agreed.id, "party": party, "files": [str(path) for path in (first, *paths.values())]}, common.json)
    note(f"{first} is for all parties")


@app.command()
@command
@with_common
def step(
    session: SessionArgument,
    party: PartyOption,
    inbox: InboxOption,
    out: OutOption,
    deal_in_clear: ClearOption = False,
    passphrase: passphrases.Flag = False,
    identity: SignOption = None,
    identities: KnownOption = None,
    passphrase_file: passphrases.FileOption = None,
    device: DeviceOption = "cpu",
    *,
    common: Common,
) -> None:
    """Do whatever is next: toss, commit, coin, share, answer, accept or, at last, make the joint keys. Run it again
    when something came.

    Writes toss-N.ct, commit-N.ct, coin-N.ct, first-N.ct, second-N.ct and accept-N.ct for all parties into your folder,
    secret.key beside them, and public.key and evaluation.key once all have accepted them. Whoever uses no other command
    follows the protocol. The exit status is 3, and the message names the party, where somebody does not;
    against-M.evidence shows it to everybody (`verify`) if parties sign.
    """
    agreed = session_of(session, common)
    signs = voice(identity, identities, passphrase_file)
    own = _own(agreed, party, folder(out) / "secret.key", passphrase, passphrase_file, device, signs)
    try:
        progress = own.next([*_messages(agreed, inbox, device), *_own_second(agreed, out, party, device)])
    except BlameError as blame:
        show_blame(blame, out, signed=identity is not None)
        raise
    written = [_kept(out / _name_of(each), each) for each in progress.messages]
    shown = any(isinstance(each, cy.threshold.KeyShare) for each in progress.messages)
    if deal_in_clear and agreed.shares_secrets and shown:
        paths = {to: out / f"dealt-{party}-to-{to}.key" for to in agreed.parties}
        _deal(own, {to: path for to, path in paths.items() if not path.exists()}, False)
        written += paths.values()
    if progress.keys is not None:
        written += [_kept(out / "public.key", progress.keys.public)]
        written += [_kept(out / "evaluation.key", progress.keys.evaluation)]
    facts = {"session": agreed.id, "party": party, "waits_for": progress.stage, "from": list(progress.missing)}
    done = {"key_id": own.key_id, "transcript": progress.transcript} if progress.keys is not None else {}
    emit({**facts, **done, "files": [str(path) for path in written]}, common.json)
    if progress.transcript is not None:
        note(f"all parties should see the same transcript, {grouped(progress.transcript)}, before they use the keys")


@app.command()
@command
@with_common
def status(
    session: SessionArgument,
    inbox: InboxOption,
    device: DeviceOption = "cpu",
    *,
    common: Common,
) -> None:
    """Show what has arrived from whom. Needs no secret."""
    agreed = session_of(session, common)
    sent = _messages(agreed, inbox, device)
    facts: dict[str, Any] = {"session": agreed.id}
    audited = ("toss", "commit", "coin", "first", "second", "accept")
    for stage in audited if agreed.audit > 1 else ("commit", "first", "second", "accept"):
        facts[stage] = sorted({each.party for each in sent if _name_of(each).startswith(stage)})
    emit(facts, common.json)


@app.command("transcript")
@command
@with_common
def show_transcript(
    session: SessionArgument,
    shares: Annotated[list[Path], typer.Argument(help="The first and the second shares of all parties.")],
    device: DeviceOption = "cpu",
    *,
    common: Common,
) -> None:
    """Print what names all that was sent, to be read out to each other before the keys are used."""
    agreed = session_of(session, common)
    given = _shares(agreed, shares, device)
    by_round = [[one for one in given if one.round == number] for number in (1, 2)]
    found = cy.threshold.transcript(agreed, *by_round)
    emit({"session": agreed.id, "transcript": found}, common.json, grouped(found))


@app.command()
@command
@with_common
def answer(
    session: SessionArgument,
    first: Annotated[list[Path], typer.Argument(help="The first shares of all parties.")],
    party: PartyOption,
    secret: SecretOption,
    output: Annotated[Path, typer.Option("--output", "-o", help="Your second share, for example second-1.ct.")],
    identity: SignOption = None,
    identities: KnownOption = None,
    passphrase_file: passphrases.FileOption = None,
    device: DeviceOption = "cpu",
    *,
    common: Common,
) -> None:
    """Answer all first shares with your second one, which the key for products takes.

    Once: secret.key keeps what was answered, and other first shares are refused from then on (exit status 5), --force
    or not. The same ones get the same answer again.
    """
    agreed = session_of(session, common)
    vacant(output, common.force)
    signs = voice(identity, identities, passphrase_file)
    own = party_of(agreed, party, secret, None, passphrase_file, device, signs)
    cy.save(output, own.second_share(_shares(agreed, first, device)), overwrite=common.force)
    emit({"file": str(output), "session": agreed.id, "party": party, "key_id": own.key_id}, common.json)
    note(f"all parties should see the same key id, {own.key_id}")


@app.command()
@command
@with_common
def accept(
    session: SessionArgument,
    shares: Annotated[list[Path], typer.Argument(help="The first and the second shares of all parties.")],
    party: PartyOption,
    secret: SecretOption,
    output: Annotated[Path, typer.Option("--output", "-o", help="Your word, for example accept-1.ct.")],
    identity: SignOption = None,
    identities: KnownOption = None,
    passphrase_file: passphrases.FileOption = None,
    device: DeviceOption = "cpu",
    *,
    common: Common,
) -> None:
    """Say, to all parties, that you have checked all shares and accept the key that they make; and which shares.

    Once: secret.key keeps what was accepted. With accept-N.ct of all parties `combine` makes keys that are accepted.
    """
    agreed = session_of(session, common)
    vacant(output, common.force)
    signs = voice(identity, identities, passphrase_file)
    own = party_of(agreed, party, secret, None, passphrase_file, device, signs)
    given = _shares(agreed, shares, device)
    by_round = [[one for one in given if one.round == number] for number in (1, 2)]
    word = own.accept(*by_round)
    cy.save(output, word, overwrite=common.force)
    emit({"file": str(output), "session": agreed.id, "party": party, "transcript": word.seen}, common.json)
    note(f"{output} is for all parties")


@app.command()
@command
@with_common
def receive(
    session: SessionArgument,
    dealt: Annotated[list[Path], typer.Argument(help="What all parties dealt to you, your own share included.")],
    party: PartyOption,
    secret: SecretOption,
    output: Annotated[Path, typer.Option("--output", "-o", help="Your share, for example share.key. SECRET.")],
    passphrase: passphrases.Flag = False,
    passphrase_file: passphrases.FileOption = None,
    *,
    common: Common,
) -> None:
    """Add up what all parties dealt to you: what you decrypt with. Destroy the dealt files then.

    --passphrase-file opens secret.key, if that is encrypted, and encrypts the share.
    """
    agreed = session_of(session, common)
    vacant(output, common.force)
    own = party_of(agreed, party, secret, None, passphrase_file)
    shares = [load_as(cy.threshold.SecretShare, path, expect=agreed.parameters) for path in dealt]
    phrase = passphrases.wanted(str(output), passphrase, passphrase_file)
    cy.save(output, own.receive(shares), overwrite=common.force, passphrase=phrase)
    emit({"file": str(output), "session": agreed.id, "party": party}, common.json)
    note(f"{output} is yours alone (its mode is 0600); destroy {', '.join(visible(str(path)) for path in dealt)}")


@app.command()
@command
@with_common
def combine(
    session: SessionArgument,
    shares: Annotated[
        list[Path],
        typer.Argument(help="The first and the second shares of all parties, and what all said in `accept`."),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for public.key and evaluation.key.")],
    device: DeviceOption = "cpu",
    *,
    common: Common,
) -> None:
    """Make the joint public.key and evaluation.key, ordinary ones. Anybody can.

    Without accept-*.ct of all parties the keys are made all the same, but are said not to be accepted: then nobody
    knows whether the others have the same ones.
    """
    agreed = session_of(session, common)
    kinds_of = (cy.threshold.KeyShare, cy.threshold.Acceptance)
    every = [load_as(kinds_of, path, expect=agreed.parameters, device=device) for path in shares]
    words = [one for one in every if isinstance(one, cy.threshold.Acceptance)]
    given = [one for one in every if isinstance(one, cy.threshold.KeyShare)]
    folder(out)
    paths = [vacant(out / f"{name}.key", common.force) for name in ("public", "evaluation")]
    by_round = [[one for one in given if one.round == number] for number in (1, 2)]
    keys = cy.threshold.combine(agreed, *by_round, acceptances=words or None, device=device)
    cy.save(paths[0], keys.public, overwrite=common.force)
    cy.save(paths[1], keys.evaluation, overwrite=common.force)
    files = [str(path) for path in paths]
    emit({"session": agreed.id, "key_id": keys.public.key_id, "accepted": bool(words), "files": files}, common.json)
    if not words:
        note("the keys are not accepted: don't use them before accept-N.ct of all parties say that they have the same")


def grouped(digits: str) -> str:
    """In groups of four, as they are read out."""
    return " ".join(digits[at : at + 4] for at in range(0, len(digits), 4))


def _own(
    session: cy.threshold.Session,
    number: int,
    secret: Path,
    passphrase: bool,
    phrase: Path | None,
    device: str,
    voice: Mapping[str, Any],
) -> cy.threshold.Party:
    """The party of secret.key, or a new one."""
    if secret.exists():
        return party_of(session, number, secret, None, phrase, device, voice)
    wanted = passphrases.wanted(str(secret), passphrase, phrase)
    return cy.threshold.Party(session, number, file=secret, passphrase=wanted, device=device, **voice)


def _deal(own: cy.threshold.Party, paths: dict[int, Path], force: bool) -> None:
    """Writes what is dealt to these."""
    if not paths:
        return
    dealt = own.deal()
    for to, path in paths.items():
        cy.save(path, dealt[to], overwrite=force)
    note(f"each dealt-{own.number}-to-M.key is SECRET: send it to party M alone, encrypted, then destroy it")


def _messages(session: cy.threshold.Session, inbox: Path, device: str) -> list[Any]:
    """Coins, commitments, shares and acceptances of a folder."""
    if not inbox.is_dir():
        raise FileError(f"{inbox} is no folder; --in names one with all that has arrived")
    kinds = (*_LINES, cy.threshold.KeyShare)
    paths = [path for path in sorted(inbox.iterdir()) if path.suffix == ".ct" and path.is_file()]
    return [load_as(kinds, path, expect=session.parameters, device=device) for path in paths]


def _own_second(session: cy.threshold.Session, out: Path, party: int, device: str) -> list[Any]:
    """The second share that the party has made, so that it need not make its proof again."""
    path = out / f"second-{party}.ct"
    if not path.is_file():
        return []
    return [load_as(cy.threshold.KeyShare, path, expect=session.parameters, device=device)]


def _name_of(
    message: cy.threshold.Coin | cy.threshold.Commitment | cy.threshold.KeyShare | cy.threshold.Acceptance,
) -> str:
    if isinstance(message, cy.threshold.Acceptance):
        return f"accept-{message.party}.ct"
    if isinstance(message, cy.threshold.Coin):
        return f"{'coin' if message.shown else 'toss'}-{message.party}.ct"
    if isinstance(message, cy.threshold.Commitment):
        return f"commit-{message.party}.ct"
    return f"{'first' if message.round == 1 else 'second'}-{message.party}.ct"


def _kept(path: Path, obj: Any) -> Path:
    """Writes what is not there yet: it would be the same."""
    if not path.exists():
        cy.save(path, obj)
    return path


def _shares(session: cy.threshold.Session, paths: list[Path], device: str) -> list[cy.threshold.KeyShare]:
    return [load_as(cy.threshold.KeyShare, path, expect=session.parameters, device=device) for path in paths]


def _facts(session: cy.threshold.Session) -> dict[str, Any]:
    return {
        "session": session.id,
        "parties": list(session.parties),
        "threshold": session.threshold,
        "relinearization": session.relinearization,
        "galois_elements": list(session.galois_elements),
        "decryptions": session.decryptions,
        "audit": session.audit,
        "parameters": session.parameters.summary(),
    }
