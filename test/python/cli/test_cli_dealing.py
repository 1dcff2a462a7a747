# SPDX-License-Identifier: Apache-2.0
"""`cyclotome threshold dealing`: three people with a folder each deal, refresh, replace a lost share, and see who dealt
wrongly."""

from __future__ import annotations

import hashlib
import stat
from pathlib import Path

import cyclotome as cy
import pytest

pytest.importorskip("typer")

from cli_runner import run, succeed
from cyclotome import _core
from cyclotome._core.testing import dealing as cheats
from joint_keys import parameters

pytestmark = pytest.mark.skipif(_core.identities() != "ready", reason=_core.identities())

PARTIES = (1, 2, 3)
INSECURE = "--allow-insecure"


class People:
    """A session of which any two decrypt, with a folder for each party."""

    def __init__(self, place: Path) -> None:
        self.place, self.session, self.who = place, place / "session.ct", place / "identities.txt"
        cy.save(place / "params.ct", parameters("bfv", 16, 3))
        options = "--parties", 3, "--threshold", 2, "--rotations", "none"
        succeed("threshold", "new", place / "params.ct", *options, "-o", self.session, INSECURE)
        for party in PARTIES:
            self.folder(party).mkdir()
            succeed("threshold", "identity", "-o", self.folder(party) / "me.id")
        first: list[Path] = []
        for verb, name in (("toss", "toss"), ("commit", "commit"), ("coin", "coin"), ("share", "first")):
            for party in PARTIES:
                own = "--party", party, "--out", self.folder(party), INSECURE
                succeed("threshold", verb, self.session, *first, *own)
            first = [self.folder(party) / f"{name}-{party}.ct" for party in PARTIES]
        second = [place / f"second-{party}.ct" for party in PARTIES]
        for party in PARTIES:
            own = "--party", party, "--secret", self.folder(party) / "secret.key"
            succeed("threshold", "answer", self.session, *first, *own, "-o", second[party - 1], INSECURE)
        succeed("threshold", "combine", self.session, *first, *second, "--out", place / "keys", INSECURE)
        self.introduce()

    def folder(self, party: int) -> Path:
        return self.place / f"party{party}"

    def introduce(self) -> None:
        known = {party: cy.load(self.folder(party) / "me.id").public for party in PARTIES}
        self.who.write_text("".join(f"{party} {public}\n" for party, public in known.items()))

    def common(self, party: int, *options: object) -> tuple[object, ...]:
        identity = self.folder(party) / "me.id"
        return "--identities", self.who, "--party", party, "--identity", identity, INSECURE, "--force", *options

    def deal(self, *options: object, dealers: tuple[int, ...] = PARTIES, shares: bool = False) -> None:
        keys = [self.place / f"keys-{party}.ct" for party in PARTIES]
        rounds = set()
        for party in PARTIES:
            made = succeed(
                "threshold",
                "dealing",
                "keys",
                self.session,
                *self.common(party, *options),
                "-o",
                keys[party - 1],
                "--json",
            )
            rounds.add(made.data["round"])
        assert len(rounds) == 1
        for party in dealers:
            own = "--secret", self.folder(party) / "secret.key", "--out", self.place
            share = ("--share", self.folder(party) / "share.key") if shares else ()
            succeed("threshold", "dealing", "deal", self.session, *keys, *self.common(party, *options), *own, *share)

    def receive(self, party: int, *options: object, dealers: tuple[int, ...] = PARTIES, share: bool = False) -> object:
        messages = [self.place / f"dealing-{dealer}.ct" for dealer in dealers]
        messages += [self.place / f"sealed-{dealer}-to-{party}.ct" for dealer in dealers]
        own = "--secret", self.folder(party) / "secret.key", "-o", self.folder(party) / "share.key"
        before = ("--share", self.folder(party) / "share.key") if share else ()
        return run(
            "threshold", "dealing", "receive", self.session, *messages, *self.common(party, *options), *own, *before
        )

    def decrypted(self, *active: int) -> str:
        shares = []
        for party in active:
            shares.append(self.place / f"decrypt-{party}.ct")
            own = "--secret", self.folder(party) / "secret.key", "--share", self.folder(party) / "share.key"
            succeed(
                "threshold", "decrypt-share", self.session, self.place / "v.ct", "--party", party, *own,
                "--with", ",".join(map(str, active)), "-o", shares[-1], INSECURE, "--force",
            )  # fmt: skip
        return succeed("threshold", "decrypt", self.session, self.place / "v.ct", *shares, INSECURE).text


def test_dealing_refreshing_and_replacing(tmp_path: Path) -> None:
    people = People(tmp_path)
    (tmp_path / "v.csv").write_text("x,y\n3,4\n-1,7\n")
    succeed("encrypt", tmp_path / "v.csv", "--key", tmp_path / "keys/public.key", "-o", tmp_path / "v.ct", INSECURE)
    people.deal()
    for party in PARTIES:
        assert people.receive(party).code == 0  # type: ignore[attr-defined]
        assert stat.S_IMODE((people.folder(party) / "share.key").stat().st_mode) == 0o600
    assert "x,y\n3,4\n-1,7\n" in people.decrypted(1, 3)

    refresh = "--what", "refresh", "--epoch", 1
    old = (people.folder(1) / "share.key").read_bytes()
    people.deal(*refresh)
    for party in PARTIES:
        assert people.receive(party, *refresh, share=True).code == 0  # type: ignore[attr-defined]
    assert (people.folder(1) / "share.key").read_bytes() != old
    assert "x,y\n3,4\n-1,7\n" in people.decrypted(2, 3)

    # Party 3 lost its folder: a new one, with a new identity. Others have its first share still.
    kept = [tmp_path / f"kept-{party}.ct" for party in PARTIES]
    for party, path in zip(PARTIES, kept, strict=True):
        path.write_bytes((people.folder(party) / f"first-{party}.ct").read_bytes())
    for path in people.folder(3).iterdir():
        path.unlink()
    succeed("threshold", "toss", people.session, "--party", 3, "--out", people.folder(3), INSECURE)
    succeed("threshold", "identity", "-o", people.folder(3) / "me.id")
    people.introduce()
    replace = "--what", "replace", "--epoch", 2, "--dealers", "1,2"
    people.deal(*replace, dealers=(1, 2), shares=True)
    first = [option for path in kept for option in ("--first", path)]
    for party in PARTIES:
        taking = first if party == 3 else []
        assert people.receive(party, *replace, *taking, dealers=(1, 2)).code == 0  # type: ignore[attr-defined]
    for active in ((1, 2), (1, 3), (2, 3)):
        assert "x,y\n3,4\n-1,7\n" in people.decrypted(*active)


def test_who_dealt_wrongly_is_named_to_everybody(tmp_path: Path) -> None:
    people = People(tmp_path)
    people.deal()
    session = cy.load(people.session, allow_insecure=True)
    identities = {party: cy.load(people.folder(party) / "me.id") for party in PARTIES}
    agreed = cy.threshold.DealingRound(session, {party: one.public for party, one in identities.items()})
    party = cy.threshold.Party(session, 2, file=people.folder(2) / "secret.key")
    keys = [cy.load(tmp_path / f"keys-{one}.ct", allow_insecure=True).native for one in PARTIES]
    dealt = cheats.cheating_deal(agreed._native, 2, identities[2].native, party.secret.native, keys, [3], 0, 1)
    cy.save(tmp_path / "dealing-2.ct", cy.threshold.Dealing(session.parameters, dealt.dealing))
    for one in dealt.sealed:
        sealed = cy.threshold.SealedShare(session.parameters, one)
        cy.save(tmp_path / f"sealed-2-to-{sealed.receiver}.ct", sealed)
    assert people.receive(1).code == 0  # type: ignore[attr-defined]
    refused = people.receive(3)
    assert refused.code == 3 and "party 2" in refused.text  # type: ignore[attr-defined]
    evidence = people.folder(3) / "complaint-3-about-2.ct"
    judged = succeed(
        "threshold", "dealing", "judge", people.session, evidence, "--identities", people.who, INSECURE, "--json"
    ).data
    assert judged["guilty"] == 2
    assert not (people.folder(3) / "share.key").exists()
    # What a relay changes convicts nobody.
    data = bytearray(evidence.read_bytes()[:-32])
    data[-100] ^= 1
    evidence.write_bytes(bytes(data) + hashlib.sha256(data).digest())
    again = run("threshold", "dealing", "judge", people.session, evidence, "--identities", people.who, INSECURE)
    assert again.code in (0, 5)
    if again.code == 0:
        assert "guilty: 3" in again.text or '"guilty": 3' in again.text or "3" in again.text
