# SPDX-License-Identifier: Apache-2.0
"""Identities of parties: what they sign and open, against curves in Python integers; files; nothing secret in view."""

from __future__ import annotations

import copy
import hashlib
import hmac
import pickle
import stat
from collections.abc import Iterator
from pathlib import Path

import cyclotome as cy
import numpy as np
import pytest
from cyclotome import _core
from oracles import curves, sealing

PHRASE = "correct horse"
DOMAIN = "cyclotome test"

pytestmark = pytest.mark.skipif(_core.identities() != "ready", reason=_core.identities())


def seed_in(path: Path) -> bytes:
    """The secret in an identity's file: the last section before the checksum."""
    data = path.read_bytes()
    assert data[-76:-72] == b"SEED"
    return data[-64:-32]


def derived(seed: bytes, curve: str) -> bytes:
    return hmac.digest(seed, f"cyclotome identity 1\n{curve}\n".encode(), "sha256")


@pytest.fixture
def saved(tmp_path: Path) -> Iterator[tuple[cy.threshold.Identity, Path]]:
    identity = cy.threshold.Identity.create()
    cy.save(tmp_path / "me.id", identity)
    yield identity, tmp_path / "me.id"


def test_the_curves_of_the_oracle_are_those_of_the_rfcs() -> None:
    secret = bytes.fromhex("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb")
    key = bytes.fromhex("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c")
    signature = bytes.fromhex(
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
        "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
    )
    assert curves.ed25519_public(secret) == key
    assert curves.ed25519_verify(key, b"\x72", signature)
    assert not curves.ed25519_verify(key, b"\x73", signature)
    scalar = bytes.fromhex("77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a")
    other = bytes.fromhex("de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f")
    shared = "4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742"
    assert curves.x25519(scalar, other).hex() == shared


def test_both_keys_are_those_that_the_seed_gives(saved: tuple[cy.threshold.Identity, Path]) -> None:
    identity, path = saved
    seed = seed_in(path)
    nine = (9).to_bytes(32, "little")
    assert identity.public.bytes == curves.ed25519_public(derived(seed, "Ed25519")) + curves.x25519(
        derived(seed, "X25519"), nine
    )


def test_what_is_signed_verifies_with_python_integers(
    saved: tuple[cy.threshold.Identity, Path], rng: np.random.Generator
) -> None:
    identity, _ = saved
    text = rng.bytes(int(rng.integers(0, 200)))
    signature = identity.sign(DOMAIN, text)
    assert curves.ed25519_verify(
        identity.public.bytes[:32], b"cyclotome signature 1\n" + DOMAIN.encode() + b"\n" + text, signature
    )
    assert identity.public.verify(DOMAIN, text, signature)
    altered = bytearray(signature)
    altered[int(rng.integers(64))] ^= 1 << int(rng.integers(8))
    for wrong in (bytes(altered), b"", signature[:-1], signature + b"\0"):
        assert not identity.public.verify(DOMAIN, text, wrong)
    assert not identity.public.verify(DOMAIN + "2", text, signature)
    assert not identity.public.verify(DOMAIN, text + b"\0", signature)
    assert not cy.threshold.Identity.create().public.verify(DOMAIN, text, signature)


def test_a_sealed_message_opens_with_python_integers(
    saved: tuple[cy.threshold.Identity, Path], rng: np.random.Generator
) -> None:
    identity, path = saved
    text, context = rng.bytes(100), b"session, from 2 to 1"
    sealed = identity.public.seal(text, context)
    ephemeral, receiver = sealed[:32], identity.public.bytes[32:]
    shared = curves.x25519(derived(seed_in(path), "X25519"), ephemeral)
    extracted = hmac.digest(b"cyclotome sealed message 1", shared, "sha256")
    about = hashlib.sha256(ephemeral + receiver + context).digest()
    key = hmac.digest(extracted, about + b"\1", "sha256")
    assert sealing.tag(key, bytes(12), context, sealed[32:-16]) == sealed[-16:]
    assert sealing.decrypt(key, bytes(12), sealed[32:-16]) == text
    assert identity.open(sealed, context) == text
    altered = bytearray(sealed)
    altered[int(rng.integers(len(sealed)))] ^= 1 << int(rng.integers(8))
    for wrong in (bytes(altered), sealed[:-1], sealed[:40], b""):
        with pytest.raises(cy.errors.ArgumentError, match="does not open"):
            identity.open(wrong, context)
    with pytest.raises(cy.errors.ArgumentError, match="does not open"):
        identity.open(sealed, b"session, from 3 to 1")
    with pytest.raises(cy.errors.ArgumentError, match="does not open"):
        cy.threshold.Identity.create().open(sealed, context)


def test_public_halves_are_text_bytes_and_keys_of_a_dict(saved: tuple[cy.threshold.Identity, Path]) -> None:
    public = saved[0].public
    again = [
        cy.threshold.PublicIdentity(str(public)),
        cy.threshold.PublicIdentity.from_bytes(public.bytes),
        pickle.loads(pickle.dumps(public)),
        copy.deepcopy(public),
    ]
    assert all(one == public and hash(one) == hash(public) for one in again)
    assert {public: "Ada"}[again[0]] == "Ada"
    assert public != cy.threshold.Identity.create().public
    assert public != str(public)
    assert eval(repr(public), {"PublicIdentity": cy.threshold.PublicIdentity}) == public
    odd = str(public)[:-1] + "\udcff"  # a byte of a file that is no UTF-8
    for wrong in (str(public)[:-1], str(public).upper(), "cyid-", str(public).replace("cyid-", "cyid_"), odd):
        with pytest.raises(cy.errors.ArgumentError):
            cy.threshold.PublicIdentity(wrong)
    with pytest.raises(cy.errors.UnsupportedError):
        cy.threshold.PublicIdentity(public.bytes)  # type: ignore[arg-type]


def test_keys_of_small_order_are_nobodys(saved: tuple[cy.threshold.Identity, Path]) -> None:
    """Each point whose eightfold is neutral, in every spelling of 32 bytes."""
    public = saved[0].public.bytes
    eighth = next(
        curves._encoded(point)
        for y in range(2, 200)
        for point in [curves._times(curves.ORDER, _point(y))]
        if curves._times(4, point) != (0, 1)
    )
    ys = {curves._decoded(curves._encoded(curves._times(k, curves._decoded(eighth))))[1] for k in range(8)}
    assert len(ys) == 5
    spellings = [y + shift for y in ys for shift in (0, curves.P) if y + shift < 1 << 255]
    for number in (spelling | sign << 255 for spelling in spellings for sign in (0, 1)):
        with pytest.raises(cy.errors.ArgumentError, match="nobody's identity"):
            cy.threshold.PublicIdentity.from_bytes(number.to_bytes(32, "little") + public[32:])
    us = [(1 + y) * pow(1 - y, -1, curves.P) % curves.P for y in ys if y != 1] + [0, 1]
    for number in (u | sign << 255 for u in us for sign in (0, 1)):
        with pytest.raises(cy.errors.ArgumentError, match="nobody's identity"):
            cy.threshold.PublicIdentity.from_bytes(public[:32] + number.to_bytes(32, "little"))


def _point(y: int) -> tuple[int, int]:
    while True:
        try:
            return curves._x(y, 0), y
        except AssertionError:
            y += 1000


def test_an_identity_is_in_its_file_alone(saved: tuple[cy.threshold.Identity, Path], tmp_path: Path) -> None:
    identity, path = saved
    seed = seed_in(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    shown = repr(identity) + str(identity)
    assert "SECRET" in shown and seed.hex() not in shown
    for refused in (pickle.dumps, copy.copy, copy.deepcopy, cy.to_bytes):
        with pytest.raises(cy.errors.SecrecyError):
            refused(identity)  # type: ignore[operator]
    with pytest.raises(cy.errors.SecrecyError), (tmp_path / "stream").open("wb") as stream:
        cy.save(stream, identity)
    with pytest.raises(cy.errors.FileError, match="exists"):
        cy.save(path, cy.threshold.Identity.create())
    assert seed_in(path) == seed
    again = cy.load(path)
    assert isinstance(again, cy.threshold.Identity)
    assert again.public == identity.public
    assert again.sign(DOMAIN, b"x") == identity.sign(DOMAIN, b"x")
    found = cy.inspect(path)
    assert (found.kind, found.identity, found.parameters) == ("identity", str(identity.public), None)
    assert str(identity.public) in str(found) and seed.hex() not in str(found.asdict())
    path.chmod(0o644)
    with pytest.warns(cy.errors.SecretFileWarning, match="identity"):
        cy.load(path)


def test_a_passphrase_keeps_an_identity(tmp_path: Path) -> None:
    identity, path = cy.threshold.Identity.create(), tmp_path / "me.id"
    cy.save(path, identity, passphrase=PHRASE)
    assert cy.load(path, passphrase=PHRASE).public == identity.public
    found = cy.inspect(path)
    assert (found.kind, found.identity) == ("protected identity", str(identity.public))
    with pytest.raises(cy.errors.PassphraseError):
        cy.load(path)
    with pytest.raises(cy.errors.PassphraseError):
        cy.load(path, passphrase="another")
    with pytest.raises(cy.errors.ArgumentError, match="note"):
        cy.save(tmp_path / "noted.id", identity, note={"a": 1})


def test_an_identity_belongs_to_no_parameters(saved: tuple[cy.threshold.Identity, Path]) -> None:
    params = cy.Parameters.suggest(depth=1, value_bits=8, terms=4)
    with pytest.raises(cy.errors.MismatchError, match="no parameters"):
        cy.load(saved[1], expect=params)
    with pytest.raises(cy.errors.FormatError, match="identity of a party"):
        cy.from_bytes(saved[1].read_bytes())


def test_cut_and_altered_files_are_refused(saved: tuple[cy.threshold.Identity, Path], rng: np.random.Generator) -> None:
    """With the checksum as it was, and mended."""
    _, path = saved
    data = path.read_bytes()
    for length in range(0, len(data), 7):
        path.write_bytes(data[:length])
        with pytest.raises(cy.errors.FormatError):
            cy.load(path)
    for _ in range(200):
        altered = bytearray(data[:-32])
        altered[int(rng.integers(len(altered)))] ^= 1 << int(rng.integers(8))
        for end in (data[-32:], hashlib.sha256(altered).digest()):
            path.write_bytes(bytes(altered) + end)
            with pytest.raises(cy.errors.CyclotomeError) as refusal:
                cy.load(path)
            assert isinstance(refusal.value, (cy.errors.FormatError, cy.errors.PassphraseError))


def test_the_command_line_makes_one(tmp_path: Path) -> None:
    pytest.importorskip("typer")
    from cli_runner import run, succeed

    path, phrase = tmp_path / "me.id", tmp_path / "phrase"
    made = succeed("threshold", "identity", "-o", path, "--json").data
    assert str(cy.load(path).public) == made["public"]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert run("threshold", "identity", "-o", path).code != 0
    phrase.write_text(PHRASE + "\n")
    again = succeed("threshold", "identity", "-o", path, "--force", "--passphrase-file", phrase, "--json").data
    assert again["public"] != made["public"]
    assert str(cy.load(path, passphrase=PHRASE).public) == again["public"]
    shown = succeed("inspect", path, "--json").data
    assert (shown["kind"], shown["identity"]) == ("protected identity", again["public"])
