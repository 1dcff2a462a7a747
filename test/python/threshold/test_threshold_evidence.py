# SPDX-License-Identifier: Apache-2.0
"""What a blamed party signed shows its fault to anybody, out of files and without a key; and nothing else does."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import cyclotome as cy
import pytest
from cyclotome import _core
from cyclotome.errors import ArgumentError, BlameError, MismatchError, UnsupportedError
from joint_keys import parameters
from test_threshold_attacks import Onlooker, rogue_of
from test_threshold_signatures import KEYS, NUMBERS, SETS, party_of, resealed, session_of, shown, without_signature
from test_wire_format_joint import share_digest


def through_files(messages: Any, folder: Path) -> list[Any]:
    """As somebody gets them who takes no part: several objects in one file."""
    path = folder / "shown.evidence"
    with path.open("wb") as file:
        for each in messages:
            cy.save(file, each)
    found, stream = [], io.BytesIO(path.read_bytes())
    while stream.tell() < path.stat().st_size:
        found.append(cy.load(stream, allow_insecure=True))
    return found


def signed_rogue(session: cy.threshold.Session, first: list[Any]) -> Any:
    """Another first share of party 3, which it signs."""
    onlooker = Onlooker(session)
    altered = rogue_of(onlooker, first)
    return resealed(altered, KEYS[3].sign("cyclotome joint key 2", share_digest(onlooker.content(altered), onlooker.p)))


@pytest.mark.parametrize(("scheme", "width", "threshold"), SETS)
def test_a_share_that_was_not_committed_to_is_evidence(scheme: str, width: int, threshold: int, tmp_path: Path) -> None:
    session = session_of(scheme, width, threshold)
    parties = [party_of(session, number) for number in NUMBERS]
    commitments, first = shown(parties)
    rogue = signed_rogue(session, first)
    evil = [*first[:2], rogue]
    ways = [
        lambda: parties[0].second_share(evil),
        lambda: parties[0].agree(evil),
        lambda: parties[1].next([*commitments, *evil]),
    ]
    for way in ways:
        with pytest.raises(BlameError) as caught:
            way()
        reason = "it signed another first share than it committed to"
        assert cy.threshold.verify(caught.value, session, KEYS) == (3, reason)
        found = through_files(caught.value.messages, tmp_path)
        verdict = cy.threshold.verify(found, session, KEYS)
        assert verdict is not None and verdict.guilty == 3
    assert cy.threshold.verify([*commitments, *first], session, KEYS) is None
    assert cy.threshold.verify([rogue], session, KEYS) is None  # by itself it shows nothing


def test_two_messages_of_one_stage_are_evidence(tmp_path: Path) -> None:
    session = session_of()
    parties = [party_of(session, number) for number in NUMBERS]
    commitments, first = shown(parties)
    other = party_of(session, 3).commit()  # party 3 runs twice
    with pytest.raises(BlameError) as caught:
        parties[0].next([*commitments, other])
    assert [each.party for each in caught.value.messages] == [3, 3]
    verdict = cy.threshold.verify(through_files(caught.value.messages, tmp_path), session, KEYS)
    assert verdict == (3, 'it signed two messages of stage "commit"')
    pair = [first[2], signed_rogue(session, first)]
    assert cy.threshold.verify(pair, session, KEYS) == (3, 'it signed two messages of stage "first"')
    second = [party.second_share(first) for party in parties]
    assert cy.threshold.verify([second[0], second[0], *second], session, KEYS) is None


def test_what_was_not_signed_shows_nothing() -> None:
    """A relay, or an accuser, that makes messages in somebody's name."""
    session, elsewhere = session_of(), session_of()
    parties = [party_of(session, number) for number in NUMBERS]
    commitments, first = shown(parties)
    forged = rogue_of(Onlooker(session), first)
    for changed in (forged, without_signature(forged), resealed(forged, bytes(64))):
        with pytest.raises(MismatchError, match="party 3 is not signed by it"):
            cy.threshold.verify([commitments[2], changed], session, KEYS)
    with pytest.raises(MismatchError, match="not signed"):
        cy.threshold.verify([without_signature(commitments[0])], session, KEYS)
    with pytest.raises(MismatchError, match="session"):
        cy.threshold.verify([party_of(elsewhere, 3).commit(), commitments[2]], session, KEYS)
    swapped = {**KEYS, 3: KEYS[1]}
    with pytest.raises(MismatchError):
        cy.threshold.verify(commitments, session, swapped)
    with pytest.raises(ArgumentError, match="identity of party 3"):
        cy.threshold.verify(commitments, session, {1: KEYS[1], 2: KEYS[2]})
    with pytest.raises(ArgumentError, match="no messages"):
        cy.threshold.verify([], session, KEYS)
    with pytest.raises(ArgumentError, match="no messages"):
        cy.threshold.verify(BlameError("by digests alone"), session, KEYS)
    with pytest.raises(UnsupportedError, match="Session"):
        cy.threshold.verify([session], session, KEYS)  # type: ignore[list-item]


@pytest.mark.skipif(_core.identities() != "ready", reason=_core.identities())
def test_pledges_and_complaints_are_evidence(tmp_path: Path) -> None:
    session = session_of(threshold=2)
    own = {number: cy.threshold.Identity.create() for number in NUMBERS}
    known = {number: one.public for number, one in own.items()}
    question = bytes(range(32))
    both = [cy.threshold.Pledge.sign(2, "check", question, bytes([n]) * 32, own[2]) for n in (1, 2)]
    verdict = cy.threshold.verify([cy.threshold.Pledge(str(one)) for one in both], session, known)
    assert verdict is not None and (verdict.guilty, "signed both" in verdict.reason) == (2, True)
    other = cy.threshold.Pledge.sign(2, "check", bytes(32), bytes(32), own[2])
    stage = cy.threshold.Pledge.sign(2, "share", question, bytes(32), own[2])
    assert cy.threshold.verify([both[0], other, stage], session, known) is None
    with pytest.raises(MismatchError, match="shows nothing"):
        cy.threshold.verify([cy.threshold.Pledge.sign(2, "check", question, bytes(32), own[1])], session, known)

    parties = [cy.threshold.Party(session, number) for number in NUMBERS]
    dealing = cy.threshold.DealingRound(session, known)
    issued = [dealing.keys(number, one) for number, one in own.items()]
    dealt = [dealing.deal(party, own[party.number], issued) for party in parties]
    again = dealing.deal(parties[2], own[3], issued)[0]
    messages = through_files([dealt[2][0], again], tmp_path)
    verdict = cy.threshold.verify(messages, session, known, dealing=dealing)
    assert verdict is not None and (verdict.guilty, "two dealings" in verdict.reason) == (3, True)
    assert cy.threshold.verify([one for one, _ in dealt], session, known, dealing=dealing) is None
    with pytest.raises(ArgumentError, match="of a round"):
        cy.threshold.verify([again], session, known)


def test_who_took_no_part_needs_no_party() -> None:
    session = session_of()
    stranger = cy.threshold.Session.create(parameters("bfv", 16, 3, (97,)), parties=3, rotations=[])
    with pytest.raises(MismatchError):
        cy.threshold.verify([party_of(session, 1).commit()], stranger, KEYS)
