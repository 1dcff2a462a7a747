# SPDX-License-Identifier: Apache-2.0
"""Files: every object comes back as it was, and what is damaged, foreign or false is refused."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cyclotome as cy
import numpy as np
import pytest
from crafted_files import with_metadata
from cyclotome import _core
from cyclotome.errors import (
    ArgumentError,
    CyclotomeError,
    FileError,
    FormatError,
    MismatchError,
    SecretFileWarning,
    SecurityError,
    UnsupportedError,
)
from small import DEGREE, keys, parameters

MADE = keys(value_bits=10)
VALUES = np.arange(3 * (DEGREE + 1)).reshape(3, -1)


def array(**options: Any) -> cy.EncryptedArray:
    return cy.encrypt(VALUES, MADE.public, **options)


def load(path: Path, **options: Any) -> Any:
    return cy.load(path, expect=parameters(), device="cpu:1", **options)


def test_three_parties_share_only_files(tmp_path: Path) -> None:
    """The owner writes keys, anybody encrypts, the server computes without the secret key, the owner decrypts."""
    for name, key in zip(("secret", "public", "evaluation"), MADE, strict=True):
        cy.save(tmp_path / f"{name}.key", key)
    public = load(tmp_path / "public.key")
    assert public.parameters.value_bits == 10 and public.evaluation is None
    x = cy.encrypt(VALUES, public)
    assert x.bound == 1023
    cy.save(tmp_path / "x.ct", x)
    evaluation = load(tmp_path / "evaluation.key")
    y = load(tmp_path / "x.ct", keys=evaluation)
    cy.save(tmp_path / "y.ct", (y * y + 1).sum(axis=1))
    result = cy.decrypt(load(tmp_path / "y.ct"), load(tmp_path / "secret.key"))
    np.testing.assert_array_equal(result, (VALUES * VALUES + 1).sum(axis=1))


@pytest.mark.parametrize(
    "made",
    [
        array,
        lambda: array(bound=5000),
        lambda: array(wrap=True),
        lambda: array(l1_bound=2000),
        lambda: array(layout="replicated"),
        lambda: array(encoding="coefficients"),
        lambda: cy.encrypt(VALUES, MADE.secret),
        lambda: cy.encrypt(-7, MADE.public),
        lambda: array() + cy.encrypt(1, MADE.public),
    ],
)
def test_arrays_come_back_as_they_were(tmp_path: Path, made: Callable[[], cy.EncryptedArray]) -> None:
    x = made()
    cy.save(tmp_path / "x.ct", x)
    y = load(tmp_path / "x.ct")
    assert (y.shape, y.layout, y.encoding, y.native.clean) == (x.shape, x.layout, x.encoding, x.native.clean)
    assert (y.bound, y.l1_bound, y.key_id, y.noise_headroom) == (x.bound, x.l1_bound, x.key_id, x.noise_headroom)
    np.testing.assert_array_equal(cy.decrypt(y, MADE.secret), cy.decrypt(x, MADE.secret))
    assert cy.to_bytes(y) == (tmp_path / "x.ct").read_bytes() == cy.to_bytes(x)


def test_parameters_and_keys_come_back_as_they_were(tmp_path: Path) -> None:
    params = cy.Parameters.suggest(depth=1, value_bits=12)
    cy.save(tmp_path / "p", params)
    again = cy.load(tmp_path / "p")
    assert again == params and again.value_bits == 12 and again.explain() == params.explain()
    cy.save(tmp_path / "e", MADE.evaluation)
    evaluation = load(tmp_path / "e")
    assert (evaluation.rotations, evaluation.columns, evaluation.relinearization) == ((1, 2, 4), True, True)


class TestSecretKeyFiles:
    def test_are_for_their_owner_only(self, tmp_path: Path) -> None:
        previous = os.umask(0)
        try:
            cy.save(tmp_path / "secret.key", MADE.secret)
        finally:
            os.umask(previous)
        assert stat.S_IMODE((tmp_path / "secret.key").stat().st_mode) == 0o600

    def test_are_not_overwritten_unasked(self, tmp_path: Path) -> None:
        path = tmp_path / "secret.key"
        cy.save(path, MADE.secret)
        before = path.read_bytes()
        with pytest.raises(FileError, match=r"overwrite=True, which keeps .* a backup"):
            cy.save(path, MADE.secret)
        assert path.read_bytes() == before
        cy.save(path, MADE.secret, overwrite=True)

    def test_that_others_can_read_come_with_a_warning(self, tmp_path: Path) -> None:
        cy.save(tmp_path / "secret.key", MADE.secret)
        (tmp_path / "secret.key").chmod(0o644)
        with pytest.warns(SecretFileWarning, match="chmod 600"):
            load(tmp_path / "secret.key")


def test_overwriting_can_be_forbidden(tmp_path: Path) -> None:
    cy.save(tmp_path / "x", parameters())
    cy.save(tmp_path / "x", array())
    with pytest.raises(FileError, match="overwrite=True"):
        cy.save(tmp_path / "x", array(), overwrite=False)


def test_paths_that_can_not_be_used(tmp_path: Path) -> None:
    for path in (tmp_path / "none", tmp_path):
        with pytest.raises(FileError, match=str(path)):
            cy.load(path)
    with pytest.raises(FileError, match="folder"):
        cy.save(tmp_path / "folder" / "x", parameters())
    with pytest.raises(UnsupportedError, match="can be stored, not dict"):
        cy.save(tmp_path / "x", {})  # type: ignore[arg-type]


class TestExpectations:
    def test_other_parameters_are_refused(self, tmp_path: Path) -> None:
        cy.save(tmp_path / "x", array())
        with pytest.raises(MismatchError, match="belongs to"):
            cy.load(tmp_path / "x", expect=parameters((65537,)))
        with pytest.raises(MismatchError):
            cy.load(tmp_path / "x", keys=keys((65537,)).evaluation)

    def test_another_kind_is_refused(self, tmp_path: Path) -> None:
        cy.save(tmp_path / "x", array())
        frame = cy.encrypt_frame({"a": [1, 2]}, MADE.public)
        for made, kind, other in ((array(), cy.EncryptedArray, cy.PublicKey), (frame, cy.EncryptedFrame, cy.Matrix)):
            cy.save(tmp_path / "x", made)
            for read in (
                lambda kind: cy.load(tmp_path / "x", kind=kind, allow_insecure=True),
                lambda kind: cy.from_bytes((tmp_path / "x").read_bytes(), True, kind=kind),
            ):
                assert type(read(kind)) is kind
                with pytest.raises(MismatchError, match=f"an object of {kind.__name__}, not of {other.__name__}"):
                    read(other)
                with pytest.raises(ArgumentError, match="it is a class"):
                    read("encrypted array")
        me = cy.threshold.Identity.create()
        cy.save(tmp_path / "me", me)
        assert cy.load(tmp_path / "me", kind=cy.threshold.Identity).public == me.public
        with pytest.raises(MismatchError, match="not of SecretKey"):
            cy.load(tmp_path / "me", kind=cy.SecretKey)

    def test_keys_of_another_secret_key_are_refused(self, tmp_path: Path) -> None:
        cy.save(tmp_path / "x", array())
        other = cy.keygen(parameters(), device="cpu:1")
        with pytest.raises(MismatchError, match="belongs to another"):
            cy.load(tmp_path / "x", keys=other.evaluation)
        with pytest.raises(UnsupportedError, match="must not be able to decrypt"):
            cy.load(tmp_path / "x", keys=MADE.secret)

    def test_insecure_parameters_are_taken_when_asked_for(self, tmp_path: Path) -> None:
        cy.save(tmp_path / "x", array())
        with pytest.raises(SecurityError):
            cy.load(tmp_path / "x")
        for options in ({"allow_insecure": True}, {"expect": parameters()}, {"keys": MADE.evaluation}):
            assert cy.load(tmp_path / "x", **options).shape == VALUES.shape
        assert cy.inspect(tmp_path / "x").parameters.insecure

    def test_long_files_are_refused(self, tmp_path: Path) -> None:
        cy.save(tmp_path / "x", array())
        for call in (load, lambda path, max_bytes: cy.inspect(path, max_bytes=max_bytes)):
            with pytest.raises(FormatError):
                call(tmp_path / "x", max_bytes=1000)


class TestInspection:
    def test_of_an_array(self, tmp_path: Path) -> None:
        x = array()
        cy.save(tmp_path / "x", x, note={"columns": ["a", "ß"], "scale": 100})
        found = cy.inspect(tmp_path / "x")
        assert (found.kind, found.shape, found.layout, found.encoding, found.bound) == (
            "encrypted array",
            VALUES.shape,
            "packed",
            "slots",
            1023,
        )
        assert found.key_id == x.key_id == MADE.secret.key_id
        assert found.note == {"columns": ["a", "ß"], "scale": 100}
        assert found.ciphertexts == x.ciphertexts and found.nbytes == (tmp_path / "x").stat().st_size
        assert found.noise_headroom == pytest.approx(x.noise_headroom, abs=1e-3)
        assert "noise headroom" in str(found) and "INSECURE" in str(found)
        assert json.loads(json.dumps(found.asdict()))["shape"] == list(VALUES.shape)

    def test_of_keys_and_parameters(self, tmp_path: Path) -> None:
        for name, obj in {"s": MADE.secret, "p": MADE.public, "e": MADE.evaluation, "q": parameters()}.items():
            cy.save(tmp_path / name, obj)
        kinds = [cy.inspect(tmp_path / name).kind for name in "speq"]
        assert kinds == ["secret key", "public key", "evaluation keys", "parameters"]
        found = cy.inspect(tmp_path / "e")
        assert (found.relinearization, found.galois_keys, found.shape) == (True, 4, None)
        assert "4 rotation keys" in str(found) and found.key_id == MADE.evaluation.key_id
        assert cy.inspect(tmp_path / "q").key_id is None

    @pytest.mark.parametrize("note", [{"a": {1, 2}}, {"x": float("nan")}, ["no mapping"], {"long": "x" * 2**21}])
    def test_notes_are_json_objects_of_limited_length(self, tmp_path: Path, note: Any) -> None:
        with pytest.raises(ArgumentError):
            cy.save(tmp_path / "x", parameters(), note=note)
        assert not (tmp_path / "x").exists()


def test_damaged_files_never_load(tmp_path: Path, rng: np.random.Generator) -> None:
    x = cy.encrypt(VALUES[0, :4], MADE.public)
    whole = cy.to_bytes(x)
    cuts = [whole[:length] for length in (0, 1, 7, 8, 40, len(whole) // 2, len(whole) - 1)] + [whole + b"\0"]
    flips = []
    for position in rng.integers(0, len(whole) * 8, 200):
        data = bytearray(whole)
        data[position // 8] ^= 1 << (position % 8)
        flips.append(bytes(data))
    for data in cuts + flips:
        with pytest.raises(FormatError):
            cy.from_bytes(data, allow_insecure=True)
    (tmp_path / "x").write_bytes(cuts[5])
    with pytest.raises(FormatError):
        cy.inspect(tmp_path / "x")


CORPUS = Path(__file__).resolve().parents[2] / "fuzz" / "corpus"
#: What version 1 said of an array in JSON; of the corpus, eight coefficients modulo 17 * 97.
GOOD: dict[str, Any] = {"shape": [8], "packed": True, "slots": False, "clean": True, "bound": "824"}


def of_version_1(metadata: bytes) -> bytes:
    """The corpus' bundle, which was written in version 1, with these metadata."""
    return with_metadata((CORPUS / "format1-u32-hybrid-bundle").read_bytes(), metadata)


def test_arrays_of_version_1_are_read_and_written_as_version_2(tmp_path: Path) -> None:
    (tmp_path / "old.ct").write_bytes(of_version_1(json.dumps({**GOOD, "note": {"from": "version 1"}}).encode()))
    about = cy.inspect(tmp_path / "old.ct")
    assert (about.format_version, about.shape, about.encoding, about.bound) == (1, (8,), "coefficients", 824)
    assert about.note == {"from": "version 1"}
    x = cy.load(tmp_path / "old.ct", allow_insecure=True)
    (tmp_path / "secret.key").write_bytes((CORPUS / "format1-u32-hybrid-secret_key").read_bytes())
    (tmp_path / "secret.key").chmod(0o600)
    secret = cy.load(tmp_path / "secret.key", allow_insecure=True, allow_unfit_key=True)
    values = cy.decrypt(x, secret)
    assert (x.shape, x.layout, x.encoding, x.bound) == ((8,), "packed", "coefficients", 824)
    cy.save(tmp_path / "new.ct", x)
    assert cy.inspect(tmp_path / "new.ct").format_version == 2
    np.testing.assert_array_equal(cy.decrypt(cy.load(tmp_path / "new.ct", allow_insecure=True), secret), values)


@pytest.mark.parametrize(
    "change",
    [
        {"shape": [16]},
        {"shape": [9]},
        {"shape": [2, 8]},
        {"shape": [-8]},
        {"shape": [8.0]},
        {"shape": "8"},
        {"shape": None},
        {"shape": []},
        {"shape": [1] * 40},
        {"shape": [2**40, 2**40]},
        {"shape": [True, 8]},
        {"packed": 1},
        {"packed": False},
        {"clean": None},
        {"clean": False},
        {"bound": 1023},
        {"bound": "-1"},
        {"bound": "1" * 900},
        {"bound": "1" * 9000},
        {"bound": "²"},
        {"value_bits": 0},
        {"value_bits": "10"},
        {"value_bits": 10**9},
    ],
    ids=repr,
)
def test_false_descriptions_are_refused(change: dict[str, Any]) -> None:
    assert cy.from_bytes(of_version_1(json.dumps(GOOD).encode()), True).shape == (8,)
    with pytest.raises(FormatError):
        cy.from_bytes(of_version_1(json.dumps({**GOOD, **change}).encode()), True)


@pytest.mark.parametrize(
    "data", [b"", b"{", b"[1]", b"\xff", b"[" * 100000, b"null", b'{"shape":' + b"9" * 5000 + b"}"]
)
def test_metadata_that_are_no_description_are_refused(data: bytes) -> None:
    with pytest.raises(FormatError):
        cy.from_bytes(of_version_1(data), True)


def test_ciphertexts_that_form_no_array_are_refused() -> None:
    other = cy.encrypt(VALUES, keys((65537,)).public)
    a, b = array().native.channels
    short = cy.encrypt(VALUES[:2], MADE.public).native.channels[1]
    slots = _core.Placement.slots
    for channels in ([], [a], [b], [a, short], [b, a], [a, other.native.channels[0]]):
        with pytest.raises(CyclotomeError):
            _core.EncryptedArray(channels, [3, 17], slots, True, 1023)
    for shape, bound in (([3, 16], 1023), ([], 1023), ([0], 0), ([2**61], 1), ([1] * 33, 1), ([3, 17], 2**40)):
        with pytest.raises(CyclotomeError):
            _core.EncryptedArray([a, b], shape, slots, True, bound)


def test_a_note_that_is_no_object_is_refused(tmp_path: Path) -> None:
    _core.write_file(str(tmp_path / "x"), parameters().native, b'{"note": 5}')
    with pytest.raises(FormatError, match="note"):
        cy.inspect(tmp_path / "x")
