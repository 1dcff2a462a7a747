# SPDX-License-Identifier: Apache-2.0
"""Shares of a joint secret under a passphrase: opened by it and by nothing else, also by a second implementation."""

from __future__ import annotations

import hashlib
import shutil
import stat
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import cyclotome as cy
import pytest
from cyclotome import _core
from cyclotome.errors import ArgumentError, CyclotomeError, FormatError, PassphraseError, SecretFileWarning
from joint_keys import Joint, parameters, session_id
from oracles import wire_format

if _core.passphrases() != "ready":
    pytest.skip(_core.passphrases(), allow_module_level=True)

PHRASE = "naïve café"
PARAMETERS = parameters("bfv", 16, 3)


FOLDER = tempfile.TemporaryDirectory()


def party_file(number: int) -> Path:
    return Path(FOLDER.name) / f"{number}.party"


@cache
def joint() -> Joint:
    return Joint(PARAMETERS, 2, Path(FOLDER.name), rotations=[], relinearization=False)


def share_of(number: int) -> cy.threshold.SecretShare:
    share = joint().parties[number].share
    assert share is not None
    return share


def load(path: Path, **options: Any) -> Any:
    return cy.load(path, expect=PARAMETERS, device="cpu:1", **options)


@pytest.fixture(scope="module")
def protected(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("protected") / "share.key"
    cy.save(path, share_of(2), passphrase=PHRASE)
    return path


def resealed(data: bytes | bytearray) -> bytes:
    return bytes(data[:-32]) + hashlib.sha256(data[:-32]).digest()


def written(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    path.chmod(0o600)
    return path


def test_the_passphrase_opens_it_and_it_decrypts(protected: Path, tmp_path: Path) -> None:
    share = load(protected, passphrase=lambda: PHRASE)
    assert isinstance(share, cy.threshold.SecretShare)
    assert (share.sender, share.receiver) == (None, 2)
    x = joint().encrypt([3, -2], bound=9)
    file = tmp_path / "2.party"
    shutil.copy(party_file(2), file)
    two = cy.threshold.Party(joint().session, 2, file=file, share=share, device="cpu:1")
    parts = [joint().parties[1].decryption_share(x, active=[1, 2]), two.decryption_share(x, active=[1, 2])]
    assert cy.threshold.decrypt(x, parts, joint().session).tolist() == [3, -2]
    # The same share as without a passphrase, to the byte.
    cy.save(tmp_path / "plain", share_of(2))
    cy.save(tmp_path / "again", share)
    assert (tmp_path / "again").read_bytes() == (tmp_path / "plain").read_bytes()


def test_dealt_shares_have_passphrases_too(tmp_path: Path) -> None:
    dealt = joint().parties[1].deal()[3]
    cy.save(tmp_path / "dealt", dealt, passphrase=b"agreed upon")
    again = load(tmp_path / "dealt", passphrase=b"agreed upon")
    assert (again.sender, again.receiver) == (1, 3)


@pytest.mark.parametrize("phrase", ["", "naive cafe", PHRASE + " ", b"", "x" * 5000, None])
def test_another_passphrase_and_none_are_refused(protected: Path, phrase: Any) -> None:
    with pytest.raises(PassphraseError) as caught:
        load(protected, passphrase=phrase)
    assert not phrase or str(phrase) not in str(caught.value)


def test_a_plain_share_needs_none_and_an_empty_one_protects_nothing(tmp_path: Path) -> None:
    def unneeded() -> str:
        raise AssertionError("nobody should be asked")

    cy.save(tmp_path / "plain", share_of(1))
    assert load(tmp_path / "plain", passphrase=unneeded).receiver == 1
    assert cy.inspect(tmp_path / "plain").protection is None
    with pytest.raises(PassphraseError, match="no characters"):
        cy.save(tmp_path / "x", share_of(1), passphrase="")
    with pytest.raises(ArgumentError, match="protects secret keys, shares and identities, not KeyShare"):
        cy.save(tmp_path / "x", joint().first[0], passphrase=PHRASE)
    assert not (tmp_path / "x").exists()


def test_the_file_is_private_and_tells_the_joint_key_alone(protected: Path, tmp_path: Path) -> None:
    assert stat.S_IMODE(protected.stat().st_mode) == 0o600
    found = cy.inspect(protected)
    assert found.kind == "protected secret share" and found.key_id == session_id(joint().session)
    assert found.protection == "scrypt (N = 2^17, r = 8, p = 1), ChaCha20-Poly1305"
    assert bytes.fromhex(joint().session.id) not in protected.read_bytes()
    shared = written(tmp_path / "shared", protected.read_bytes())
    shared.chmod(0o644)
    with pytest.warns(SecretFileWarning, match="chmod 600"):
        load(shared, passphrase=PHRASE)
    with pytest.raises(CyclotomeError, match="exists"):
        cy.save(protected, share_of(2), passphrase=PHRASE)


def test_the_documented_format_is_the_file_s(protected: Path, tmp_path: Path) -> None:
    """A second implementation opens it, and finds the section that an open file holds."""
    cy.save(tmp_path / "open", share_of(2))
    [(tag, section)] = wire_format.read((tmp_path / "open").read_bytes()).sections
    assert tag == "SSHA" and wire_format.opened(protected.read_bytes(), PHRASE.encode()) == section
    with pytest.raises(AssertionError):
        wire_format.opened(protected.read_bytes(), b"another")


def test_changes_by_people_are_seen(protected: Path, tmp_path: Path) -> None:
    """With a checksum that fits: the key's id, the salt, the nonce, the text and the tag are vouched for."""
    whole = protected.read_bytes()
    sealed = whole.index(b"SEAL") + 12
    for position in (
        whole.index(b"KYID") + 12,
        sealed + 20,
        sealed + 50,
        sealed + 61,
        len(whole) - 50,
        len(whole) - 33,
    ):
        data = bytearray(whole)
        data[position] ^= 1
        with pytest.raises((PassphraseError, FormatError)):
            load(written(tmp_path / "x", resealed(data)), passphrase=PHRASE)


def test_what_is_cut_off_is_refused(protected: Path, tmp_path: Path) -> None:
    whole = protected.read_bytes()
    for length in (0, 10, 56, whole.index(b"SEAL") + 30, len(whole) - 49, len(whole) - 33, len(whole) - 1):
        with pytest.raises(FormatError):
            load(written(tmp_path / "x", whole[:length]), passphrase=PHRASE)
    # A section that says that it is shorter, in a file of that length, with a checksum that fits.
    at = whole.index(b"SEAL") + 4
    data = bytearray(whole[:-40] + bytes(32))
    data[16:24] = len(data).to_bytes(8, "little")
    data[at : at + 8] = (int.from_bytes(whole[at : at + 8], "little") - 8).to_bytes(8, "little")
    with pytest.raises(FormatError):
        load(written(tmp_path / "x", resealed(data)), passphrase=PHRASE)


@pytest.mark.parametrize("kind", [2, 9, 21])
def test_it_passes_for_nothing_else(protected: Path, tmp_path: Path, kind: int) -> None:
    data = bytearray(protected.read_bytes())
    data[10] = kind
    with pytest.raises((FormatError, PassphraseError)):
        load(written(tmp_path / "x", resealed(data)), passphrase=PHRASE)


def test_a_key_s_file_is_no_share_s(tmp_path: Path) -> None:
    cy.save(tmp_path / "key", joint().parties[2].secret, passphrase=PHRASE)
    data = bytearray((tmp_path / "key").read_bytes())
    data[10] = 24
    with pytest.raises(FormatError):
        load(written(tmp_path / "x", resealed(data)), passphrase=PHRASE)


@pytest.mark.parametrize(("offset", "value"), [(0, 2), (4, 21), (4, 2**32 - 1), (8, 2**30), (12, 5)])
def test_a_hostile_file_is_refused_before_anything_is_computed(
    protected: Path, tmp_path: Path, offset: int, value: int
) -> None:
    def unasked() -> str:
        raise AssertionError("nobody should be asked")

    data = bytearray(protected.read_bytes())
    start = data.index(b"SEAL") + 12 + offset
    data[start : start + 4] = value.to_bytes(4, "little")
    with pytest.raises(FormatError, match="protected by a passphrase"):
        load(written(tmp_path / "x", resealed(data)), passphrase=unasked)
