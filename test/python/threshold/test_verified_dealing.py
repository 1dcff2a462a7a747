# SPDX-License-Identifier: Apache-2.0
"""Verified dealing over files: shares that decrypt in every epoch, refresh and replacement, and dishonest dealers,
receivers and relays, who are named or gain nothing."""

from __future__ import annotations

import hashlib
import hmac
import pickle
import struct
from pathlib import Path
from typing import Any

import cyclotome as cy
import numpy as np
import pytest
from cyclotome import _core
from cyclotome._core.testing import dealing as cheats
from cyclotome._core.testing import rlwe, threshold
from joint_keys import BITS, Joint, parameters
from oracles import curves, sealing, wire_format
from oracles.integers import integers

pytestmark = pytest.mark.skipif(_core.identities() != "ready", reason=_core.identities())

SETS = [("bfv", 50), ("bgv", 50), ("bfv", 28), ("bgv", 28)]  # 64- and 32-bit words


class Circle:
    """A joint key of which any 2 of 3 decrypt, with identities; every message goes through a file."""

    def __init__(self, folder: Path, scheme: str = "bfv", width: int = 50) -> None:
        primes = 5 if width > 30 else 9
        params = parameters(scheme, 16, 3, plain_moduli=(257,) if width < 30 else (786433,), primes=primes, width=width)
        self.joint = Joint(params, threshold=2, rotations=[])
        self.session, self.folder = self.joint.session, folder
        self.identities = {number: cy.threshold.Identity.create() for number in self.session.parties}
        self.public = {number: identity.public for number, identity in self.identities.items()}

    def round(self, **options: Any) -> cy.threshold.DealingRound:
        return cy.threshold.DealingRound(self.session, self.public, **options)

    def through_file(self, message: Any) -> Any:
        path = self.folder / "message.ct"
        cy.save(path, message)
        return cy.load(path, expect=self.session.parameters)

    def keys(self, round_: cy.threshold.DealingRound) -> list[cy.threshold.ReceivingKeys]:
        return [self.through_file(round_.keys(number, one)) for number, one in self.identities.items()]

    def deal(self, round_: cy.threshold.DealingRound) -> tuple[list[Any], dict[int, list[Any]]]:
        keys = self.keys(round_)
        dealings, sealed = [], {number: [] for number in self.session.parties}  # type: ignore[var-annotated]
        for number in round_.dealers:
            dealing, each = round_.deal(self.joint.parties[number], self.identities[number], keys)
            dealings.append(self.through_file(dealing))
            for to, one in each.items():
                sealed[to].append(self.through_file(one))
        return dealings, sealed

    def receive(self, round_: cy.threshold.DealingRound, dealings: list[Any], sealed: dict[int, list[Any]]) -> None:
        for number, party in self.joint.parties.items():
            share = round_.receive(party, self.identities[number], dealings, sealed[number])
            assert (share.receiver, share.sender, share.epoch) == (number, None, round_.epoch)
            path = self.folder / f"share-{number}.key"
            cy.save(path, share, overwrite=True)
            party.take(cy.load(path, expect=self.session.parameters))

    def decrypt(self, x: cy.EncryptedArray, *active: int) -> Any:
        return cy.threshold.decrypt(x, [self.through_file(one) for one in self.joint.shares(x, *active)], self.session)


@pytest.mark.parametrize(("scheme", "width"), SETS)
def test_shares_decrypt_in_every_epoch(tmp_path: Path, scheme: str, width: int, rng: np.random.Generator) -> None:
    circle = Circle(tmp_path, scheme, width)
    values = rng.integers(-5, 6, 16)
    x = circle.joint.encrypt(values, bound=5)
    y = x * x
    first = circle.round()
    circle.receive(first, *circle.deal(first))
    for active in ((1, 2), (1, 3), (2, 3), (1, 2, 3)):
        assert np.array_equal(circle.decrypt(y, *active), values**2)
    old = {
        number: party.decryption_share(y, active=[1, 2], flooding_bits=BITS)
        for number, party in circle.joint.parties.items()
        if number < 3
    }
    before = {number: party.share for number, party in circle.joint.parties.items()}

    refresh = circle.round(what="refresh", epoch=1)
    circle.receive(refresh, *circle.deal(refresh))
    for active in ((1, 2), (1, 3), (2, 3)):
        assert np.array_equal(circle.decrypt(y, *active), values**2)
    new = circle.joint.parties[2].decryption_share(y, active=[1, 2], flooding_bits=BITS)
    assert new.epoch == 1
    with pytest.raises(cy.errors.MismatchError, match="epochs 0 and 1"):
        cy.threshold.decrypt(y, [old[1], new], circle.session)
    assert np.array_equal(cy.threshold.decrypt(y, [old[1], old[2]], circle.session), values**2)
    # The flooding of the new share is another one: the difference of both is not what the shares differ by.
    for number in (1, 2):
        party = circle.joint.parties[number]
        assert party.share is not None and before[number] is not None
        own, other = (np.array(threshold.secret_share_residues(one.native)) for one in (party.share, before[number]))
        assert (own != other).mean() > 0.9

    # Party 3 lost everything: a new holder of its number, with a new identity and no share.
    circle.identities[3] = cy.threshold.Identity.create()
    circle.public[3] = circle.identities[3].public
    circle.joint.parties[3] = cy.threshold.Party(circle.session, 3)
    with pytest.raises(cy.errors.ArgumentError, match="has not shown its first share"):
        circle.joint.parties[3].agree(circle.joint.first)
    circle.joint.parties[3].replace(circle.joint.first)
    replace = circle.round(what="replace", epoch=2, dealers=[1, 2])
    with pytest.raises(cy.errors.ArgumentError, match="no share of the joint secret"):
        replace.deal(circle.joint.parties[3], circle.identities[3], circle.keys(replace))
    circle.receive(replace, *circle.deal(replace))
    for active in ((1, 2), (1, 3), (2, 3)):
        assert np.array_equal(circle.decrypt(y, *active), values**2)


@pytest.mark.parametrize(("scheme", "width"), SETS)
@pytest.mark.parametrize("victims", [(1,), (1, 3), (1, 2, 3)])
def test_a_dealer_who_changes_one_bit_is_named(
    tmp_path: Path, scheme: str, width: int, victims: tuple[int, ...], rng: np.random.Generator
) -> None:
    """Whatever receivers get it; a third person reaches the same verdict from the complaint's file."""
    circle = Circle(tmp_path, scheme, width)
    first = circle.round()
    dealings, sealed = circle.deal(first)
    word = 8 if width > 30 else 4
    residues = 16 * len(circle.session.parameters.moduli)
    place = word * int(rng.integers(residues))
    keys = [one.native for one in circle.keys(first)]
    dealt = cheats.cheating_deal(
        first._native,
        2,
        circle.identities[2].native,
        circle.joint.parties[2].secret.native,
        keys,
        list(victims),
        place,
        1,
    )
    params = circle.session.parameters
    dealings[1] = circle.through_file(cy.threshold.Dealing(params, dealt.dealing))
    for one in dealt.sealed:
        sealed[one.receiver][1] = circle.through_file(cy.threshold.SealedShare(params, one))
    for number, party in circle.joint.parties.items():
        if number not in victims:
            first.receive(party, circle.identities[number], dealings, sealed[number])
            continue
        with pytest.raises(cy.errors.BlameError, match="party 2") as blame:
            first.receive(party, circle.identities[number], dealings, sealed[number])
        assert blame.value.parties == (2,)
        again = pickle.loads(pickle.dumps(blame.value))
        assert again.parties == (2,)
        for complaint in (*blame.value.evidence, *again.evidence):
            assert isinstance(complaint, cy.threshold.Complaint)
            evidence = circle.through_file(complaint)
            elsewhere = cy.threshold.DealingRound(circle.session, circle.public)
            verdict = elsewhere.judge(evidence)
            assert verdict is not None and verdict.guilty == 2
            with pytest.raises(cy.errors.MismatchError, match="another round"):
                circle.round(what="refresh", epoch=1).judge(evidence)
        # Others' shares stay closed: the complaint has no key to them.
        data = cy.to_bytes(blame.value.evidence[0])
        assert all(cy.to_bytes(one)[-60:-32] not in data for one in sealed[number] if one.dealer != 2)


def test_a_false_complaint_names_who_complains(tmp_path: Path) -> None:
    circle = Circle(tmp_path)
    first = circle.round()
    dealings, sealed = circle.deal(first)
    made = cheats.complain(first._native, 1, circle.identities[1].native, dealings[1].native, sealed[1][1].native)
    verdict = first.judge(circle.through_file(cy.threshold.Complaint(circle.session.parameters, made)))
    assert verdict is not None and verdict.guilty == 1
    assert first.judge(dealings[1]) is None


def test_a_dealer_that_deals_twice_is_seen_by_comparing(tmp_path: Path) -> None:
    """Each of two dealings is right by itself; transcripts differ, and both signatures show whose they are."""
    circle = Circle(tmp_path)
    first = circle.round()
    dealings, sealed = circle.deal(first)
    again, other = circle.deal(first)
    shown = {1: [*dealings], 2: [dealings[0], again[1], dealings[2]]}
    boxes = {1: sealed[1], 2: [sealed[2][0], other[2][1], sealed[2][2]]}
    for number in (1, 2):
        first.receive(circle.joint.parties[number], circle.identities[number], shown[number], boxes[number])
    assert first.transcript(shown[1]) != first.transcript(shown[2])
    assert first.transcript(shown[1]) == circle.round().transcript(list(reversed(shown[1])))
    verdict = first.judge_both(shown[1][1], circle.through_file(shown[2][1]))
    assert verdict is not None and verdict.guilty == 2
    assert first.judge_both(shown[1][0], shown[2][0]) is None
    with pytest.raises(cy.errors.ArgumentError):
        first.judge_both(shown[1][0], shown[1][1])
    for wrong in (dealings[:2], [dealings[0], *dealings], [dealings[0], dealings[0], dealings[1]]):
        with pytest.raises(cy.errors.ArgumentError):
            first.transcript(wrong)


def test_files_that_a_relay_alters_name_nobody(tmp_path: Path, rng: np.random.Generator) -> None:
    """Checksum mended: each is refused, by its format, its signature, or the hash of what was sealed."""
    circle = Circle(tmp_path)
    first = circle.round()
    dealings, sealed = circle.deal(first)
    party, identity, path = circle.joint.parties[1], circle.identities[1], tmp_path / "altered.ct"
    header = len(cy.to_bytes(sealed[1][0])) - len(cy.to_bytes(sealed[1][0])[cy.to_bytes(sealed[1][0]).index(b"SLSH") :])
    for which in ("dealing", "sealed"):
        for _ in range(40):
            message = dealings[1] if which == "dealing" else sealed[1][1]
            data = bytearray(cy.to_bytes(message)[:-32])
            data[int(rng.integers(header, len(data)))] ^= 1 << int(rng.integers(8))
            path.write_bytes(bytes(data) + hashlib.sha256(data).digest())
            changed_dealings, changed_sealed = list(dealings), list(sealed[1])
            with pytest.raises(cy.errors.CyclotomeError) as refusal:
                altered = cy.load(path, allow_insecure=True)
                (changed_dealings if which == "dealing" else changed_sealed)[1] = altered
                first.receive(party, identity, changed_dealings, changed_sealed)
            assert isinstance(refusal.value, (cy.errors.FormatError, cy.errors.MismatchError, cy.errors.ArgumentError))
    data = cy.to_bytes(dealings[1])
    for length in range(0, len(data), 97):
        path.write_bytes(data[:length])
        with pytest.raises(cy.errors.FormatError):
            cy.load(path, allow_insecure=True)


def test_messages_that_do_not_belong_are_refused(tmp_path: Path) -> None:
    circle = Circle(tmp_path)
    first, party, own = circle.round(), circle.joint.parties[1], circle.identities[1]
    dealings, sealed = circle.deal(first)
    keys = circle.keys(first)
    for wrong in ([], keys[:2], [*keys, keys[0]], [keys[0], keys[0], keys[1]]):
        with pytest.raises(cy.errors.ArgumentError):
            first.deal(party, own, wrong)
    with pytest.raises(cy.errors.ArgumentError, match="identity"):
        first.deal(party, circle.identities[2], keys)
    with pytest.raises(cy.errors.ArgumentError):
        first.receive(party, own, dealings[:2], sealed[1])
    with pytest.raises(cy.errors.MismatchError, match="ask for it again"):
        first.receive(party, own, dealings, sealed[2])
    other = circle.round(what="refresh", epoch=1)
    with pytest.raises(cy.errors.MismatchError, match="another round"):
        other.receive(party, own, dealings, sealed[1])
    again, _ = circle.deal(first)  # the same dealers, a second time
    with pytest.raises(cy.errors.MismatchError, match="ask for it again"):
        first.receive(party, own, [again[0], *dealings[1:]], sealed[1])
    for options in ({"epoch": 1}, {"what": "refresh"}, {"what": "replace", "epoch": 1, "dealers": [1]}, {"what": "x"}):
        with pytest.raises(cy.errors.ArgumentError):
            circle.round(**options)
    with pytest.raises(cy.errors.ArgumentError):
        cy.threshold.DealingRound(circle.session, {1: circle.public[1]})
    everybody = Joint(parameters("bfv", 16, 2), rotations=[])
    with pytest.raises(cy.errors.ArgumentError, match="together"):
        cy.threshold.DealingRound(everybody.session, {1: circle.public[1], 2: circle.public[2]})
    with pytest.raises(cy.errors.UnsupportedError):
        first.receive(party, own, sealed[1], dealings)  # type: ignore[arg-type]


def test_what_is_sealed_shows_no_share(tmp_path: Path) -> None:
    """No residue of a dealt share stands in its file, and no two dealings of one secret have a common part."""
    circle = Circle(tmp_path)
    first = circle.round()
    _, sealed = circle.deal(first)
    circle.receive(first, *(dealt := circle.deal(first)))
    share = circle.joint.parties[1].share
    assert share is not None
    residues = integers(np.array(threshold.secret_share_residues(share.native), dtype=np.uint64))
    data = b"".join(cy.to_bytes(one) for one in sealed[1])
    assert not any(int(one).to_bytes(8, "little") in data for one in residues.reshape(-1) if one > 1 << 40)
    first_bytes, second_bytes = cy.to_bytes(sealed[1][0]), cy.to_bytes(dealt[1][1][0])
    assert first_bytes[-200:-100] != second_bytes[-200:-100]
    found = cy.inspect(tmp_path / "message.ct")
    assert found.kind == "dealing message"
    assert rlwe is not None


def test_another_reader_opens_and_checks_a_share_by_the_page(tmp_path: Path) -> None:
    """By doc/wire-format.md alone, in Python integers: keys, signatures, sealed message, rows and functionals."""
    circle = Circle(tmp_path)
    cy.save(tmp_path / "me.id", circle.identities[2])
    seed = (tmp_path / "me.id").read_bytes()[-64:-32]
    first = circle.round()
    dealings, sealed = circle.deal(first)
    digest = bytes.fromhex(first.id)
    public = {number: identity.bytes for number, identity in circle.public.items()}
    number = struct.Struct("<I").pack
    text = b"cyclotome dealing 1\n" + bytes.fromhex(circle.session.id)
    text += number(1) + number(0) + number(3) + b"".join(map(number, (1, 2, 3)))
    assert hashlib.sha256(text + b"".join(public.values())).digest() == digest

    def section(message: Any, tag: bytes) -> bytes:
        data = cy.to_bytes(message)
        at = data.index(tag)
        return data[at + 12 : at + 12 + int.from_bytes(data[at + 4 : at + 12], "little")]

    deal = section(dealings[0], b"DEAL")
    assert deal[:40] == digest + number(1) + number(3)
    keys = [deal[40 + 128 * i :][:128] for i in range(3)]
    at = 40 + 3 * 128
    assert deal[at : at + 4] == number(3)
    hashes = [deal[at + 4 + 32 * i :][:32] for i in range(3)]
    at += 4 + 3 * 32
    count = int.from_bytes(deal[at : at + 4], "little")
    values = struct.unpack(f"<{count}Q", deal[at + 4 : at + 4 + 8 * count])
    signature = deal[at + 4 + 8 * count :]
    committed = digest + number(1) + number(3) + b"".join(key[:64] for key in keys) + number(3) + b"".join(hashes)
    signed = committed + b"".join(key[64:] for key in keys)
    signed += struct.pack("<Q", count) + struct.pack(f"<{count}Q", *values)
    domain = b"cyclotome signature 1\ncyclotome dealing 1|"
    assert curves.ed25519_verify(public[1][:32], domain + b"dealing\n" + signed, signature)
    issued = digest + number(2) + number(1) + keys[1][:64]
    assert curves.ed25519_verify(public[2][:32], domain + b"key\n" + issued, keys[1][64:])

    context = b"cyclotome identity 1\nderived\ncyclotome dealing 1\n" + digest + number(1)
    derived = hmac.digest(seed, context, "sha256")
    secret = hmac.digest(derived, b"cyclotome identity 1\nX25519\n", "sha256")
    own = section(sealed[2][0], b"SLSH")
    assert own[:40] == digest + number(1) + number(2)
    body = own[40:]
    assert hashlib.sha256(body).digest() == hashes[1]
    context = digest + number(1) + number(2)
    extracted = hmac.digest(b"cyclotome sealed message 1", curves.x25519(secret, body[:32]), "sha256")
    about = hashlib.sha256(body[:32] + keys[1][32:64] + context).digest()
    key = hmac.digest(extracted, about + b"\1", "sha256")
    assert sealing.tag(key, bytes(12), context, body[32:-16]) == body[-16:]
    opened = sealing.decrypt(key, bytes(12), body[32:-16])

    moduli, n = list(circle.session.parameters.moduli), 16
    residues = struct.unpack(f"<{n * len(moduli)}Q", opened[: 8 * n * len(moduli)])
    rows = -(-192 // (min(moduli).bit_length() - 1))
    masks = struct.unpack(f"<{rows * len(moduli)}Q", opened[8 * n * len(moduli) :])
    rows_seed = hashlib.sha256(b"cyclotome dealing 1|rows\n" + committed).digest()
    for row in range(rows):
        expanded = wire_format.expand(rows_seed, wire_format.KEY_STREAM, row, n, moduli)
        for limb, q in enumerate(moduli):
            place = limb * rows + row
            share = residues[limb * n : (limb + 1) * n]
            inner = sum(int(a) * b for a, b in zip(expanded[limb], share, strict=True))
            polynomial = values[2 * place] + 2 * values[2 * place + 1]
            assert (inner + masks[place] - polynomial) % q == 0
