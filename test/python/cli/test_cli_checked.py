# SPDX-License-Identifier: Apache-2.0
"""`cyclotome threshold checked` and `verify`: three people with a folder each decrypt with checks, one of them alters
its share, and what it signed shows it to everybody."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cyclotome as cy
import pytest

pytest.importorskip("typer")

from cli_runner import Result, run, succeed
from cyclotome import _core
from joint_keys import Joint, parameters, shares_digest
from test_checked_decryption import altered
from test_threshold_signatures import NUMBERS

pytestmark = pytest.mark.skipif(_core.identities() != "ready", reason=_core.identities())

INSECURE = "--allow-insecure"


class People:
    """A joint key in files, and an inbox where everything that is for all arrives."""

    def __init__(self, place: Path, threshold: int) -> None:
        self.place, self.inbox, self.session, self.who = place, place / "inbox", place / "session.ct", place / "who.txt"
        self.inbox.mkdir()
        for party in NUMBERS:
            self.folder(party).mkdir()
        params = parameters("bfv", 16, 3, primes=6)
        self.joint = Joint(params, threshold, folder=place, rotations=[])
        cy.save(self.session, self.joint.session)
        cy.save(place / "public.key", self.joint.keys.public)
        cy.save(place / "evaluation.key", self.joint.keys.evaluation)
        self.identities = {party: cy.threshold.Identity.create() for party in NUMBERS}
        self.who.write_text("".join(f"{party} {one.public}\n" for party, one in self.identities.items()))
        for party, identity in self.identities.items():
            cy.save(self.folder(party) / "me.id", identity)
            if threshold < 3:
                share = self.joint.parties[party].share
                assert share is not None
                cy.save(self.folder(party) / "share.key", share)
        (place / "v.csv").write_text("x,y\n3,4\n-1,7\n")
        succeed("encrypt", place / "v.csv", "--key", place / "public.key", "-o", place / "v.ct", INSECURE)

    def folder(self, party: int) -> Path:
        return self.place / f"party{party}"

    def step(self, party: int, *options: object, active: tuple[int, ...] = (), name: str = "May") -> Result:
        folder = self.folder(party)
        share = ("--share", folder / "share.key") if (folder / "share.key").exists() else ()
        chosen = ("--with", ",".join(map(str, active))) if active else ()
        return run(
            "threshold", "checked", "step", self.session, self.place / "v.ct", "--party", party,
            "--secret", self.place / f"{party}.party", "--identity", folder / "me.id", "--identities", self.who,
            "--key", self.place / "public.key", "--keys", self.place / "evaluation.key", "--name", name,
            "--in", self.inbox, "--out", folder, *share, *chosen, INSECURE, *options,
        )  # fmt: skip

    def deliver(self) -> None:
        for party in NUMBERS:
            for path in [*self.folder(party).glob("*.ct"), *self.folder(party).glob("*.txt")]:
                (self.inbox / path.name).write_bytes(path.read_bytes())

    def rounds(self, active: tuple[int, ...], name: str = "May", count: int = 5) -> dict[int, Result]:
        """Everybody who decrypts does what is next, so often; all make numbers to check with, at first."""
        found: dict[int, Result] = {}
        for _ in range(count):
            for party in NUMBERS:
                if party in active or not (self.folder(party) / "numbers.state").exists():
                    found[party] = self.step(party, "--json", active=active, name=name)
            self.deliver()
        return {party: found[party] for party in active}

    def cheat(self, party: int, rng: Any) -> None:
        """The party alters its share before it commits to it, as a dishonest one does."""
        [path] = self.folder(party).glob("*-share-*.txt")
        line = cy.threshold.Pledge(path.read_text().strip())
        own = cy.load(self.place / "honest.ct", allow_insecure=True)
        wrong = altered(own, rng)
        digest = shares_digest([wrong], self.joint.keys.public.key_id)
        signed = cy.threshold.Pledge.sign(party, "share", line.question, digest, self.identities[party])
        (self.inbox / path.name).write_text(f"{signed}\n")
        cy.save(self.inbox / f"{path.name.removesuffix('.txt')}.ct", wrong)


@pytest.mark.parametrize("threshold", [3, 2])
def test_three_people_decrypt_with_checks(tmp_path: Path, threshold: int) -> None:
    people = People(tmp_path, threshold)
    active = NUMBERS if threshold == 3 else (1, 3)
    first = people.step(1, "--json", active=active).data
    assert (first["waits_for"], first["from"]) == ("mac commitments", [2, 3])
    assert not list(people.folder(1).glob("*.ct"))  # its numbers are shown when all have committed
    found = people.rounds(active, count=7)
    for result in found.values():
        assert result.code == 0 and result.data["integers"] == [[3, -1], [4, 7]], result.text
    # Again under another name, with the numbers that there are; at the end it says the same as often as it is asked.
    again = people.rounds(active, "June")
    assert {tuple(map(tuple, each.data["integers"])) for each in again.values()} == {((3, -1), (4, 7))}
    output = tmp_path / "out.csv"
    assert people.step(1, "--output", output, active=active).code == 0
    assert output.read_text() == "x,y\n3,4\n-1,7\n"
    assert "free" in (people.folder(1) / "numbers.state").read_text()


@pytest.mark.parametrize("threshold", [3, 2])
def test_an_altered_share_is_refused_and_named_where_that_is_possible(tmp_path: Path, threshold: int, rng: Any) -> None:
    """Party 3 shows another share, to which it has committed. Where two are enough, other sets name it."""
    people = People(tmp_path, threshold)
    active = NUMBERS if threshold == 3 else (2, 3)
    x = cy.load(tmp_path / "v.ct", allow_insecure=True)
    cy.save(tmp_path / "honest.ct", people.joint.parties[3].decryption_share(x, active=active))
    people.rounds(active, count=2)
    for party in active:
        assert people.step(party, active=active).code == 0  # they commit
    people.deliver()
    people.cheat(3, rng)
    honest = [party for party in active if party != 3]
    for _ in range(2):
        for party in honest:
            result = people.step(party, active=active)
            for path in people.folder(party).glob("*"):
                if path.suffix in (".ct", ".txt"):
                    (people.inbox / path.name).write_bytes(path.read_bytes())
    words = " ".join(result.text.split())
    if result.code == 0:  # one bit that changes no value, or the check, which party 3 doesn't send, is waited for
        assert "waits_for" in words or "check" in words
    else:
        assert result.code in (3, 5), result.text
        assert ("nobody can be named" if threshold == 3 else "sets that differ in one party each") in words
    if threshold == 2:
        good = People(tmp_path / "other", 2) if (tmp_path / "other").mkdir() is None else None
        assert good is not None and all(each.code == 0 for each in good.rounds((1, 2), count=7).values())
        assert cy.threshold.liars([active], [(1, 2)]) == (3,)


def test_a_party_that_commits_to_two_things_is_shown_to_everybody(tmp_path: Path) -> None:
    people = People(tmp_path, 3)
    people.rounds(NUMBERS, count=2)
    for party in NUMBERS:
        people.step(party)
    people.deliver()
    [path] = people.inbox.glob("*-share-3.txt")
    line = cy.threshold.Pledge(path.read_text().strip())
    second = cy.threshold.Pledge.sign(3, "share", line.question, bytes(32), people.identities[3])
    (people.inbox / "second.txt").write_text(f"{second}\n")
    refused = people.step(1)
    evidence = people.folder(1) / "against-3.evidence"
    assert (refused.code, evidence.exists()) == (3, True), refused.text
    words = "threshold", "verify", people.session, evidence, "--identities", people.who, INSECURE, "--json"
    assert succeed(*words).data["guilty"] == 3
    evidence.write_text(f"{line}\n")
    assert succeed(*words).data["guilty"] is None
    forged = cy.threshold.Pledge.sign(3, "share", line.question, bytes(32), people.identities[2])
    evidence.write_text(f"{line}\n{forged}\n")
    assert run(*words).code == 5


def test_a_question_is_not_answered_twice(tmp_path: Path) -> None:
    """Where somebody's message changed, the step would commit to something else than it has."""
    people = People(tmp_path, 3)
    found = people.rounds(NUMBERS, count=7)
    assert found[1].code == 0
    [path] = people.folder(1).glob("*-check-1.txt")
    line = cy.threshold.Pledge(path.read_text().strip())
    other = cy.threshold.Pledge.sign(1, "check", line.question, bytes(32), people.identities[1])
    path.write_text(f"{other}\n")
    refused = people.step(1)
    assert (refused.code, "two answers" in " ".join(refused.text.split())) == (5, True), refused.text


def test_what_step_is_refused_for(tmp_path: Path) -> None:
    people = People(tmp_path, 3)
    assert people.step(1, "--output", tmp_path / "out.txt").code == 2
    people.inbox.rmdir()
    assert people.step(1).code == 3


@pytest.mark.parametrize("signs", [True, False])
def test_blame_while_a_key_is_made_is_shown_to_everybody(tmp_path: Path, signs: bool) -> None:
    session, inbox, who = tmp_path / "session.ct", tmp_path / "inbox", tmp_path / "who.txt"
    inbox.mkdir()
    cy.save(session, cy.threshold.Session.create(parameters("bfv", 16, 3), parties=3, rotations=[]))
    own = {party: cy.threshold.Identity.create() for party in NUMBERS}
    known = {party: one.public for party, one in own.items()}
    who.write_text("".join(f"{party} {one}\n" for party, one in known.items()))
    cy.save(tmp_path / "me.id", own[1])
    agreed = cy.load(session, allow_insecure=True)

    def party(number: int) -> cy.threshold.Party:
        voice: dict[str, Any] = {"identity": own[number], "identities": known} if signs else {}
        return cy.threshold.Party(agreed, number, **voice)

    for number in (2, 3):
        cy.save(inbox / f"toss-{number}.ct", party(number).toss())
    cy.save(inbox / "again.ct", party(3).toss())
    voice = ("--identity", tmp_path / "me.id", "--identities", who) if signs else ()
    words = "threshold", "step", session, "--party", 1, "--in", inbox, "--out", tmp_path / "ada", INSECURE, *voice
    refused = run(*words)
    evidence = tmp_path / "ada" / "against-3.evidence"
    assert (refused.code, "party 3" in refused.text, evidence.exists()) == (3, True, signs)
    if signs:
        options = "--identities", who, INSECURE, "--json"
        shown = succeed("threshold", "verify", session, evidence, *options).data
        assert (shown["guilty"], "two messages" in shown["reason"]) == (3, True)
        alone = succeed("threshold", "verify", session, inbox / "again.ct", *options).data
        assert alone["guilty"] is None
        wrong = run("threshold", "verify", session, session, "--identities", who, INSECURE)
        assert wrong.code == 3
