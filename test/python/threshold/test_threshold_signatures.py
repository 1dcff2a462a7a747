# SPDX-License-Identifier: Apache-2.0
"""Messages of a joint key that parties sign: what a relay changes, replays or makes is refused, and blames nobody."""

from __future__ import annotations

import hashlib
import hmac
from typing import Any

import cyclotome as cy
import pytest
from crafted_files import put_together, taken_apart
from cyclotome.errors import ArgumentError, BlameError, FormatError, MismatchError, UnsupportedError
from joint_keys import parameters
from test_threshold_attacks import Onlooker, rogue_of
from test_wire_format_joint import share_digest

NUMBERS = (1, 2, 3)


class Key:
    """Signs and verifies with one secret: enough to see what is signed, and by whom."""

    def __init__(self, secret: bytes) -> None:
        self.secret = secret

    def sign(self, domain: str, text: bytes) -> bytes:
        return hmac.new(self.secret, domain.encode() + b"\0" + text, hashlib.sha512).digest()

    def verify(self, domain: str, text: bytes, signature: bytes) -> bool:
        return hmac.compare_digest(signature, self.sign(domain, text))


KEYS = {number: Key(b"party %d" % number) for number in NUMBERS}


#: Scheme, width of primes (in words of 64 and 32 bits), and how many decrypt.
SETS = [("bfv", 50, 3), ("bgv", 50, 2), ("bfv", 28, 2), ("bgv", 28, 3)]


def session_of(scheme: str = "bfv", width: int = 50, threshold: int = 3, audit: int = 1) -> cy.threshold.Session:
    params = parameters(scheme, 16, 3, (97,), width=width)
    return cy.threshold.Session.create(params, parties=3, threshold=threshold, rotations=[], audit=audit)


def party_of(session: cy.threshold.Session, number: int, **options: Any) -> cy.threshold.Party:
    return cy.threshold.Party(session, number, identity=KEYS[number], identities=KEYS, **options)


def shown(parties: list[cy.threshold.Party]) -> tuple[list[Any], list[Any]]:
    commitments = [party.commit() for party in parties]
    return commitments, [party.first_share(commitments) for party in parties]


def without_signature(message: Any) -> Any:
    return resealed(message, None)


def resealed(message: Any, signature: bytes | None) -> Any:
    """The same message with another signature."""
    header, sections = taken_apart(cy.to_bytes(message))
    kept = [(tag, data) for tag, data in sections if tag != "SIGN"]
    return cy.from_bytes(
        put_together(header, kept if signature is None else [*kept, ("SIGN", signature)]),
        allow_insecure=True,
        device="cpu:1",
    )


def signature_of(message: Any) -> bytes:
    return dict(taken_apart(cy.to_bytes(message))[1])["SIGN"]


@pytest.mark.parametrize("audit", [1, 4])
@pytest.mark.parametrize(("scheme", "width", "threshold"), SETS)
def test_signed_messages_make_a_key_and_are_always_the_same(
    scheme: str, width: int, threshold: int, audit: int
) -> None:
    session = session_of(scheme, width, threshold, audit)
    parties = [party_of(session, number) for number in NUMBERS]
    inbox: list[Any] = []
    stages = 4 if audit == 1 else 6
    for _ in range(stages):
        for party in parties:
            inbox += party.next([cy.from_bytes(cy.to_bytes(each), allow_insecure=True) for each in inbox]).messages
    done = [party.next(inbox) for party in parties]
    assert len({progress.transcript for progress in done}) == 1 and all(progress.keys for progress in done)
    names = {cy.to_bytes(each) for each in inbox}
    assert len(names) == 3 * stages
    assert all(len(signature_of(each)) == 64 for each in inbox)


@pytest.mark.parametrize("how", ["none", "zeros", "another's", "another stage's", "another session's"])
@pytest.mark.parametrize(("scheme", "width", "threshold"), SETS)
def test_what_its_sender_did_not_sign_is_refused(how: str, scheme: str, width: int, threshold: int) -> None:
    session, other = session_of(scheme, width, threshold), session_of(scheme, width, threshold)
    parties = [party_of(session, number) for number in NUMBERS]
    commitments, first = shown(parties)
    _, elsewhere = shown([party_of(other, number) for number in NUMBERS])

    def wrong(message: Any, stage: Any, strange: Any, whose: Any) -> Any:
        made = {
            "none": None,
            "zeros": bytes(64),
            "another's": signature_of(whose),
            "another stage's": signature_of(stage),
            "another session's": signature_of(strange),
        }
        return resealed(message, made[how])

    fresh = party_of(session, 1)
    changed = wrong(commitments[1], first[1], elsewhere[1], commitments[2])
    with pytest.raises(MismatchError, match="in the name of party 2 is not signed by it"):
        fresh.first_share([fresh.commit(), changed, commitments[2]])
    with pytest.raises(MismatchError, match="party 2 is not signed"):
        fresh.next([changed])
    share = wrong(first[1], commitments[1], elsewhere[1], first[2])
    for ask_it in (parties[0].second_share, parties[0].agree, lambda shares: parties[0].next([*commitments, *shares])):
        with pytest.raises(MismatchError, match="party 2 is not signed"):
            ask_it([first[0], share, first[2]])
    second = [party.second_share(first) for party in parties]
    answer = wrong(second[2], first[2], elsewhere[2], second[1])
    with pytest.raises(MismatchError, match="party 3 is not signed"):
        parties[0].next([*commitments, *first, *second[:2], answer])
    said = parties[0].next([*commitments, *first, *second]).messages[-1]
    words = [said, *(party.accept(first, second) for party in parties[1:])]
    word = wrong(words[2], first[2], said, words[1])
    with pytest.raises(MismatchError, match="party 3 is not signed"):
        parties[0].next([*commitments, *first, *second, *words[:2], word])
    assert parties[0].next([*commitments, *first, *second, *words]).keys is not None


@pytest.mark.parametrize(("scheme", "width", "threshold"), SETS)
def test_a_relay_can_have_nobody_blamed(scheme: str, width: int, threshold: int) -> None:
    """What it alters is refused without a name; the same by the party itself is blamed on it."""
    session = session_of(scheme, width, threshold)
    parties = [party_of(session, number) for number in NUMBERS]
    commitments, first = shown(parties)
    onlooker = Onlooker(session)
    altered = rogue_of(onlooker, first)
    for changed in (altered, resealed(altered, signature_of(first[2]))):
        with pytest.raises(MismatchError, match="party 3 is not signed"):
            parties[0].next([*commitments, *first[:2], changed])
    by_itself = KEYS[3].sign("cyclotome joint key 2", share_digest(onlooker.content(altered), onlooker.p))
    with pytest.raises(BlameError) as caught:
        parties[0].next([*commitments, *first[:2], resealed(altered, by_itself)])
    assert caught.value.parties == (3,)
    with pytest.raises(BlameError, match="two different messages"):
        parties[0].next([*commitments, *first, resealed(altered, by_itself)])


def test_identities_that_are_missing_or_none() -> None:
    session = session_of()
    with pytest.raises(ArgumentError, match="both"):
        cy.threshold.Party(session, 1, identity=KEYS[1])
    with pytest.raises(ArgumentError, match="both"):
        cy.threshold.Party(session, 1, identities=KEYS)
    with pytest.raises(ArgumentError, match="party 3 is missing"):
        cy.threshold.Party(session, 1, identity=KEYS[1], identities={1: KEYS[1], 2: KEYS[2]})
    with pytest.raises(UnsupportedError, match="int does not"):
        cy.threshold.Party(session, 1, identity=3, identities=KEYS)  # type: ignore[arg-type]
    with pytest.raises(UnsupportedError, match="party 1 verifies"):
        cy.threshold.Party(session, 1, identity=KEYS[1], identities=dict.fromkeys(NUMBERS, 3))  # type: ignore[arg-type]

    class Short(Key):
        def sign(self, domain: str, text: bytes) -> bytes:
            return super().sign(domain, text)[:63]

    with pytest.raises(ArgumentError, match="63 bytes"):
        cy.threshold.Party(session, 1, identity=Short(b""), identities=KEYS).commit()

    class Broken(Key):
        def verify(self, domain: str, text: bytes, signature: bytes) -> bool:
            raise ZeroDivisionError(domain)

    broken = cy.threshold.Party(session, 1, identity=KEYS[1], identities={**KEYS, 2: Broken(b"")})
    with pytest.raises(ZeroDivisionError, match="cyclotome joint key 2"):
        broken.next([party_of(session, 2).commit()])


def test_signatures_of_other_lengths_are_no_messages() -> None:
    message = party_of(session_of(), 1).commit()
    for signature in (b"", bytes(63), bytes(65)):
        with pytest.raises(FormatError, match="SIGN"):
            resealed(message, signature)


def test_keys_of_parties_that_sign_elsewhere() -> None:
    """The library's own identities, which sign by Ed25519, where this build has them."""
    made = getattr(cy.threshold, "Identity", None)
    if made is None:
        pytest.skip("no identities in this build")
    own = {number: made.create() for number in NUMBERS}
    known = {number: identity.public for number, identity in own.items()}
    session = session_of()
    parties = [cy.threshold.Party(session, number, identity=own[number], identities=known) for number in NUMBERS]
    commitments, first = shown(parties)
    second = [party.second_share(first) for party in parties]
    words = [party.accept(first, second) for party in parties]
    assert parties[0].next([*commitments, *first, *second, *words]).keys is not None
    with pytest.raises(MismatchError, match="party 2 is not signed"):
        parties[0].next([without_signature(commitments[1])])
