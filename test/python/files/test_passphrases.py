# SPDX-License-Identifier: Apache-2.0
"""Secret keys under a passphrase: opened by it and by nothing else, also by a second implementation."""

from __future__ import annotations

import copy
import hashlib
import os
import pickle
import stat
from pathlib import Path
from typing import Any

import cyclotome as cy
import pytest
from cyclotome import _core
from cyclotome.errors import (
    ArgumentError,
    FileError,
    FormatError,
    MissingKeyError,
    PassphraseError,
    SecretFileWarning,
    UnsupportedError,
)
from oracles import sealing, wire_format
from small import keys, parameters
from stopwatch import Stopwatch

if _core.passphrases() != "ready":
    pytest.skip(_core.passphrases(), allow_module_level=True)

MADE = keys(value_bits=10)
PHRASE = "naïve café"


@pytest.fixture(scope="module")
def protected(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("protected") / "secret.key"
    cy.save(path, MADE.secret, passphrase=PHRASE)
    return path


def load(path: Path, **options: Any) -> Any:
    return cy.load(path, expect=parameters(), device="cpu:1", **options)


@pytest.mark.parametrize(
    "phrase",
    [
        PHRASE,
        "nai\u0308ve cafe\u0301",  # the same on a keyboard that types accents as characters of their own
        PHRASE.encode(),
        bytearray(PHRASE.encode()),
        lambda: PHRASE,
    ],
)
def test_the_passphrase_opens_it(protected: Path, phrase: Any) -> None:
    secret = load(protected, passphrase=phrase)
    assert secret.key_id == MADE.secret.key_id
    assert cy.decrypt(cy.encrypt([1, -2, 3], MADE.public), secret).tolist() == [1, -2, 3]


@pytest.mark.parametrize("phrase", ["", "naive cafe", PHRASE + " ", PHRASE.encode("latin-1"), b"", "x" * 5000])
def test_another_passphrase_is_refused(protected: Path, phrase: Any) -> None:
    with pytest.raises(PassphraseError) as caught:
        load(protected, passphrase=phrase)
    assert isinstance(caught.value, MissingKeyError)
    assert not phrase or str(phrase) not in str(caught.value)


def test_a_passphrase_has_to_be_given(protected: Path) -> None:
    with pytest.raises(PassphraseError, match=r"secret\.key is protected by a passphrase: say passphrase="):
        load(protected)
    with pytest.raises(PassphraseError, match="passphrase"):
        cy.from_bytes(protected.read_bytes(), True)
    with pytest.raises(UnsupportedError, match="not int"):
        load(protected, passphrase=5)


def test_it_is_asked_for_only_where_it_is_needed(tmp_path: Path) -> None:
    def unneeded() -> str:
        raise AssertionError("nobody should be asked")

    for name, obj in {"s": MADE.secret, "p": MADE.public}.items():
        cy.save(tmp_path / name, obj)
        assert load(tmp_path / name, passphrase=unneeded).key_id == MADE.secret.key_id


def test_only_secret_keys_can_be_protected(tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match="protects secret keys, shares and identities, not PublicKey"):
        cy.save(tmp_path / "x", MADE.public, passphrase=PHRASE)
    with pytest.raises(PassphraseError, match="no characters"):
        cy.save(tmp_path / "x", MADE.secret, passphrase="")
    assert not list(tmp_path.iterdir())


def test_the_file_is_private_too(protected: Path, tmp_path: Path) -> None:
    assert stat.S_IMODE(protected.stat().st_mode) == 0o600
    shared = tmp_path / "shared.key"
    shared.write_bytes(protected.read_bytes())
    shared.chmod(0o644)
    with pytest.warns(SecretFileWarning, match="chmod 600"):
        load(shared, passphrase=PHRASE)


def test_inspection_needs_no_passphrase(protected: Path) -> None:
    found = cy.inspect(protected)
    assert found.kind == "protected secret key" and found.key_id == MADE.secret.key_id
    assert found.protection == "scrypt (N = 2^17, r = 8, p = 1), ChaCha20-Poly1305"
    assert "encrypted with a passphrase: scrypt" in str(found)
    assert found.asdict()["protection"] == found.protection


def test_the_documented_format_is_the_file_s(protected: Path, tmp_path: Path) -> None:
    """A second implementation opens it, and finds the coefficients that an open file holds."""
    cy.save(tmp_path / "open.key", MADE.secret)
    expected = wire_format.secret_key(wire_format.read((tmp_path / "open.key").read_bytes()))
    data = protected.read_bytes()
    assert wire_format.opened_secret_key(data, PHRASE.encode()) == expected
    with pytest.raises(AssertionError):
        wire_format.opened_secret_key(data, b"another")


def test_the_oracle_s_cipher_is_that_of_the_rfc() -> None:
    """RFC 8439, 2.8.2."""
    key, nonce = bytes(range(0x80, 0xA0)), bytes.fromhex("070000004041424344454647")
    text = (
        b"Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen "
        b"would be it."
    )
    sealed = sealing.decrypt(key, nonce, text)
    assert sealed[:8].hex() == "d31a8d34648e60db"
    header = bytes.fromhex("50515253c0c1c2c3c4c5c6c7")
    assert sealing.tag(key, nonce, header, sealed).hex() == "1ae10b594f09e26a7e902ecbd0600691"


def _resealed(data: bytearray) -> bytes:
    data[-32:] = hashlib.sha256(data[:-32]).digest()
    return bytes(data)


def test_changes_by_people_are_seen(protected: Path, tmp_path: Path) -> None:
    """With a checksum that fits: the note, the key's id, the salt, the text and the tag are vouched for."""
    whole = protected.read_bytes()
    sealed = whole.index(b"SEAL") + 12
    for position in (whole.index(b"KYID") + 12, whole.index(b"value_bits"), sealed + 20, sealed + 50, -50, -33):
        data = bytearray(whole)
        data[position] ^= 1
        (tmp_path / "x").write_bytes(_resealed(data))
        (tmp_path / "x").chmod(0o600)
        with pytest.raises((PassphraseError, FormatError)):
            load(tmp_path / "x", passphrase=PHRASE)


@pytest.mark.parametrize(("offset", "value"), [(4, 40), (4, 21), (4, 2**32 - 1), (8, 2**30), (12, 2**31), (12, 5)])
def test_a_hostile_file_costs_nothing(protected: Path, tmp_path: Path, offset: int, value: int) -> None:
    data = bytearray(protected.read_bytes())
    start = data.index(b"SEAL") + 12 + offset
    data[start : start + 4] = value.to_bytes(4, "little")
    (tmp_path / "x").write_bytes(_resealed(data))
    (tmp_path / "x").chmod(0o600)
    watch = Stopwatch()
    for call in (lambda: load(tmp_path / "x", passphrase=PHRASE), lambda: cy.inspect(tmp_path / "x")):
        with pytest.raises(FormatError, match="files may ask for"):
            call()
    assert watch.seconds < 0.3


def test_a_key_gets_and_loses_its_passphrase(tmp_path: Path) -> None:
    path = tmp_path / "secret.key"
    cy.save(path, MADE.secret)
    cy.save(path, MADE.secret, passphrase="one", overwrite=True)
    with pytest.raises(PassphraseError):
        load(path, passphrase="two")
    cy.save(path, load(path, passphrase="one"), passphrase="two", overwrite=True)
    assert load(path, passphrase="two").key_id == MADE.secret.key_id
    cy.save(path, MADE.secret, overwrite=True)
    assert cy.inspect(path).kind == "secret key"
    assert os.listdir(tmp_path) == ["secret.key"]  # the same key: no backup, above all none without a passphrase


def test_a_folder_of_keys(tmp_path: Path) -> None:
    written = cy.save_keys(tmp_path, MADE, passphrase="one")
    assert written.backup is None and cy.inspect(written.secret).protection is not None
    assert cy.inspect(written.public).kind == "public key"
    assert load(Path(written.secret), passphrase="one").key_id == MADE.secret.key_id
    with pytest.raises(FileError, match="exists"):
        cy.save_keys(tmp_path, MADE)


@pytest.mark.parametrize("leak", [pickle.dumps, copy.copy, copy.deepcopy])
def test_the_library_s_own_objects_are_not_copied_or_pickled(protected: Path, leak: Any) -> None:
    container = _core.Container.from_file(
        str(protected),
        max_bytes=1 << 20,
        max_expanded_bytes=1 << 24,
        allow_insecure=True,
        security_table="guidelines-2024",
    )
    for obj in (MADE.secret.native, container):
        with pytest.raises(TypeError):
            leak(obj)
        assert repr(obj).startswith("<cyclotome._core.")
