# SPDX-License-Identifier: Apache-2.0
"""The last stage of a joint key: everybody says which messages it has seen and that it accepts the key which they make;
before all have, there are no keys. By lying, silent and repeating parties, by relays, and over files."""

from __future__ import annotations

import hashlib
import os
import shutil
import struct
from pathlib import Path
from typing import Any

import cyclotome as cy
import pytest
from crafted_files import put_together, taken_apart
from cyclotome.errors import (
    ArgumentError,
    BlameError,
    FormatError,
    MismatchError,
    UnsupportedError,
)
from joint_keys import first_round, parameters
from test_share_proofs import cheating
from test_threshold_audit import content_of, sealed
from test_threshold_signatures import KEYS, party_of, resealed
from test_threshold_signatures import session_of as signing_session

SCHEMES = ["bfv", "bgv"]
Share = cy.threshold.KeyShare


def session_of(scheme: str = "bfv", parties: int = 2, **options: Any) -> cy.threshold.Session:
    options.setdefault("audit", 1)
    return cy.threshold.Session.create(parameters(scheme, 16, 3, (97,)), parties=parties, rotations=[], **options)


def both_rounds(*parties: cy.threshold.Party) -> tuple[list[Share], list[Share]]:
    first = first_round(*parties)
    if parties[0].session.relinearization:
        return first, [party.second_share(first) for party in parties]
    for party in parties:
        party.agree(first)
    return first, []


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("relinearization", [True, False])
def test_a_key_is_accepted_once_all_have_said_so(scheme: str, relinearization: bool, tmp_path: Path) -> None:
    session = session_of(scheme, relinearization=relinearization)
    ada, ben = (cy.threshold.Party(session, number, file=tmp_path / f"{number}") for number in (1, 2))
    with pytest.raises(ArgumentError, match="has not shown its first share"):
        ada.accept([], [])
    first, second = both_rounds(ada, ben)
    with pytest.raises(ArgumentError, match="has not accepted the key itself"):
        ada.seal([])
    words = [ada.accept(first, second), ben.accept(first, second)]
    assert {word.seen for word in words} == {cy.threshold.transcript(session, first, second)}
    assert [word.party for word in words] == [1, 2] and "party 1" in repr(words[0])
    assert not ada.accepted
    for wrong in (words[:1], [words[0], words[0]], [*words, words[1]]):
        with pytest.raises(ArgumentError, match="party"):
            ada.seal(wrong)
    for wrong in (first, words[0], [1]):
        with pytest.raises(UnsupportedError):
            ada.seal(wrong)  # type: ignore[arg-type]
    ada.seal(words)
    again = cy.threshold.Party(session, 1, file=tmp_path / "1")
    assert ada.accepted and again.accepted and not ben.accepted
    assert cy.to_bytes(again.accept(first, second)) == cy.to_bytes(words[0])
    again.seal(words)
    keys = cy.threshold.combine(session, first, second, acceptances=words)
    assert keys.public.key_id == ada.key_id
    for each in words:
        assert cy.to_bytes(cy.from_bytes(cy.to_bytes(each), allow_insecure=True)) == cy.to_bytes(each)


def one_bit(share: Share, section: bytes, place: int) -> Share:
    """A share with one bit of a section changed, its checksum mended."""
    data = bytearray(cy.to_bytes(share)[:-32])
    data[data.index(section) + 64 + place] ^= 1
    loaded = cy.from_bytes(bytes(data) + hashlib.sha256(data).digest(), allow_insecure=True)
    assert isinstance(loaded, Share)
    return loaded


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("signs", [False, True])
def test_a_second_share_is_found_among_what_arrived(scheme: str, signs: bool, tmp_path: Path) -> None:
    """A party that ends and comes back says the same, whether its own message is there or not; one that somebody
    altered is not taken for its own."""
    session = signing_session(scheme) if signs else session_of(scheme)

    def ada() -> cy.threshold.Party:
        keys = {"identity": KEYS[1], "identities": KEYS} if signs else {}
        return cy.threshold.Party(session, 1, file=tmp_path / "1", **keys)  # type: ignore[arg-type]

    others = [party_of(session, n) if signs else cy.threshold.Party(session, n) for n in session.parties[1:]]
    known: dict[bytes, Any] = {}
    for _ in range(10):
        for party in (ada(), *others):
            known.update((cy.to_bytes(each), each) for each in party.next(known.values()).messages)
    done = ada().next(known.values())
    own = next(each for each in done.messages if isinstance(each, Share) and each.round == 2)
    rest = [each for each in known.values() if not (isinstance(each, Share) and each.party == 1 and each.round == 2)]
    sent = [cy.to_bytes(each) for each in done.messages]
    for inbox in ([*rest, own], [own, own, *rest], rest):
        again = ada().next(inbox)
        assert again.keys is not None and again.transcript == done.transcript
        assert [cy.to_bytes(each) for each in again.messages] == sent
    for section in (b"KSHA", b"KPRF"):
        wrong = one_bit(own, section, 40)
        with pytest.raises(MismatchError, match="in the name of party 1 is not the one that it sent"):
            ada().next([*rest, wrong])
        with pytest.raises(MismatchError, match="in the name of party 1 is not the one that it sent"):
            ada().next([*rest, own, wrong])


def test_keys_are_there_only_when_all_have_accepted() -> None:
    """Whoever withholds its word stops the session, and is named as missing."""
    session = session_of(audit=2)
    ada, ben = (cy.threshold.Party(session, number) for number in (1, 2))
    inbox: list[Any] = []
    for _ in range(6):
        inbox = [*ada.next(inbox).messages, *ben.next(inbox).messages]
    held = [each for each in inbox if not (isinstance(each, cy.threshold.Acceptance) and each.party == 2)]
    waiting = ada.next(held)
    assert (waiting.stage, waiting.missing, waiting.keys, waiting.transcript) == ("accept", (2,), None, None)
    assert isinstance(waiting.messages[-1], cy.threshold.Acceptance)
    done = ada.next(inbox)
    assert (done.stage, done.missing) == ("done", ()) and done.keys is not None
    assert done.transcript == waiting.messages[-1].seen


@pytest.mark.parametrize("scheme", SCHEMES)
def test_who_sends_different_shares_to_different_parties_makes_no_key(scheme: str) -> None:
    """Two second shares of one party, of errors that differ by a little and each with its proof: no party accepts a key
    that another has not, and both of them together name who made them."""
    session = session_of(scheme, parties=3)
    ada, ben, cleo = (cy.threshold.Party(session, number) for number in (1, 2, 3))
    commitments = [one.commit() for one in (ada, ben, cleo)]
    first, second = both_rounds(ada, ben, cleo)
    twin = cheating(session, first, cleo, 97 if scheme == "bgv" else 1, device="cpu")
    words = [ada.accept(first, second), ben.accept(first, [*second[:2], twin])]
    assert words[0].seen != words[1].seen
    for own, said in ((ada, words[0]), (ben, words[1])):
        liar = sealed(said, {"KACC": content_of(said, "KACC")[:32] + struct.pack("<I", 3) + bytes.fromhex(said.seen)})
        with pytest.raises(MismatchError, match=f"party {3 - own.number} accepts a key of other messages"):
            own.seal([*words, liar])
        assert not own.accepted
    with pytest.raises(MismatchError, match="party 2 accepts a key of other messages"):
        cy.threshold.combine(session, first, second, acceptances=[*words, liar])
    with pytest.raises(BlameError, match='two different messages of stage "second"') as caught:
        ada.next([*commitments, *first, *second, twin])
    assert (caught.value.parties, caught.value.stage) == ((3,), "second")
    other = sealed(liar, {"KACC": content_of(liar, "KACC")[:36] + os.urandom(32)})
    with pytest.raises(BlameError, match='two different messages of stage "accept"') as caught:
        ada.next([*commitments, *first, *second, liar, other])
    assert (caught.value.parties, caught.value.stage) == ((3,), "accept")
    with pytest.raises(MismatchError, match="not the one that it sent"):
        own = sealed(words[0], {"KACC": content_of(words[0], "KACC")[:36] + os.urandom(32)})
        ada.next([*commitments, *first, *second, own])


def test_a_party_accepts_one_key(tmp_path: Path) -> None:
    """Other second shares are refused after that, also by who comes back; its own must be its own."""
    session = session_of(audit=1)
    ada, ben = cy.threshold.Party(session, 1, file=tmp_path / "ada"), cy.threshold.Party(session, 2)
    first, second = both_rounds(ada, ben)
    with pytest.raises(BlameError):
        ada.accept(first, [second[0], sealed(second[1], {"KPRF": bytes(32) + content_of(second[1], "KPRF")[32:]})])
    other = sealed(second[0], {"KPRF": bytes(32) + content_of(second[0], "KPRF")[32:]})
    with pytest.raises(MismatchError, match="not the one that it made"):
        ada.accept(first, [other, second[1]])
    word = ada.accept(first, second)
    foreign = session_of()
    with pytest.raises(MismatchError, match="session"):
        ada.seal([word, both_words(foreign)[1]])
    data = bytearray(content_of_party(tmp_path / "ada"))
    flags, transcript = struct.unpack_from("<I", data, 36)[0], bytes(data[76 + 32 : 76 + 64])
    assert (flags, transcript.hex()) == (3, word.seen)


def both_words(session: cy.threshold.Session) -> list[cy.threshold.Acceptance]:
    ada, ben = (cy.threshold.Party(session, number) for number in (1, 2))
    first, second = both_rounds(ada, ben)
    return [ada.accept(first, second), ben.accept(first, second)]


def content_of_party(path: Path) -> bytes:
    return dict(taken_apart(path.read_bytes())[1])["PRTY"]


def test_files_from_before_there_was_acceptance_are_read(tmp_path: Path) -> None:
    """A party's file that has answered, and nothing else: it goes on, and its key is said not to be accepted. Flags
    that can't be are refused."""
    session = session_of()
    file = tmp_path / "ada"
    ada, ben = cy.threshold.Party(session, 1, file=file), cy.threshold.Party(session, 2)
    first, second = both_rounds(ada, ben)
    shutil.copy(file, tmp_path / "before")
    words = [ada.accept(first, second), ben.accept(first, second)]
    ada.seal(words)
    before = cy.threshold.Party(session, 1, file=tmp_path / "before")
    assert before.key_id == ada.key_id and not before.accepted
    before.accept(first, second)
    before.seal(words)
    assert before.accepted
    header, sections = taken_apart(file.read_bytes())
    for flags in (2, 4, 5, 6, 8, 9, 15):
        data = bytearray(dict(sections)["PRTY"])
        struct.pack_into("<I", data, 36, flags)
        (tmp_path / "damaged").write_bytes(put_together(header, [("PRTY", bytes(data))]))
        (tmp_path / "damaged").chmod(0o600)
        with pytest.raises(FormatError):
            cy.threshold.Party(session, 1, file=tmp_path / "damaged")


def test_what_its_sender_did_not_sign_is_no_acceptance() -> None:
    """Of parties that sign, a relay's word in somebody's name is refused, and names nobody."""
    session = signing_session()
    parties = [party_of(session, number) for number in session.parties]
    first, second = both_rounds(*parties)
    words = [party.accept(first, second) for party in parties]
    altered = sealed(words[1], {"KACC": content_of(words[1], "KACC")[:36] + bytes(32)})
    for wrong in (resealed(words[1], bytes(64)), resealed(words[1], None), altered):
        with pytest.raises(MismatchError, match="not signed by it"):
            parties[0].seal([words[0], wrong, words[2]])
        with pytest.raises(MismatchError, match="shows nothing"):
            cy.threshold.verify([words[1], wrong], session, KEYS)
    parties[0].seal(words)
    assert cy.threshold.verify([words[1]], session, KEYS) is None
