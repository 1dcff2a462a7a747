# SPDX-License-Identifier: Apache-2.0
"""Files of LTV: round trips, what inspect and cyclotome.load say of them, and files that lie."""

from __future__ import annotations

import hashlib
import os
import struct
from pathlib import Path

import cyclotome as cy
import numpy as np
import pytest
from cli_runner import run
from cyclotome.errors import ContradictionError, FileError, FormatError, UnsupportedError
from cyclotome_study import ltv

HEADER, SECTION = 56, 12
NUMBERS = (3, 105, 22, 8)
Files = dict[str, Path]


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> tuple[Files, ltv.Keys]:
    folder = tmp_path_factory.mktemp("ltv")
    params = ltv.Parameters(*NUMBERS)
    keys = ltv.keygen(params, acknowledge_broken=True, rotations=[(0, 1), (1, 1)])
    x = ltv.encrypt([1, 0, 1], keys.public)
    things = {
        "secret": keys.secret,
        "public": keys.public,
        "evaluation": keys.evaluation,
        "array": x,
        "product": x.multiply(x),
        "field": ltv.encrypt([7, 4095], keys.public, level=1, field=True),
    }
    files = {name: folder / f"{name}.cyc" for name in things}
    for name, thing in things.items():
        ltv.save(files[name], thing)
    return files, keys


def test_round_trips(stored: tuple[Files, ltv.Keys], rng: np.random.Generator) -> None:
    files, keys = stored
    loaded = {name: ltv.load(path) for name, path in files.items()}
    secret, public, evaluation = loaded["secret"], loaded["public"], loaded["evaluation"]
    assert isinstance(secret, ltv.SecretKey)
    assert isinstance(public, ltv.PublicKey)
    assert isinstance(evaluation, ltv.EvaluationKeys)
    assert {key.key_id for key in (secret, public, evaluation)} == {keys.secret.key_id}
    assert secret.parameters == keys.secret.parameters
    for name, want in (("array", [1, 0, 1]), ("product", [1, 0, 1]), ("field", [7, 4095])):
        array = loaded[name]
        assert isinstance(array, ltv.LtvArray)
        assert ltv.decrypt(array, secret).tolist() == want
        assert ltv.decrypt(array, keys.secret).tolist() == want
    bits = rng.integers(2, size=secret.parameters.slots.count)
    x = ltv.encrypt(bits, public).with_keys(evaluation)
    assert ltv.decrypt(x * x, keys.secret).tolist() == bits.tolist()
    assert ltv.decrypt(x.rotate(1), secret).shape == bits.shape
    for name, path in files.items():
        again = path.with_name("again.cyc")
        ltv.save(again, loaded[name], overwrite=True)
        assert again.read_bytes() == path.read_bytes(), name
        assert "BROKEN" in repr(loaded[name])


def test_inspect_and_the_command_line_say_broken(stored: tuple[Files, ltv.Keys]) -> None:
    files, keys = stored
    for name, path in files.items():
        found = cy.inspect(path)
        assert found.kind.startswith("LTV")
        assert found.parameters is None
        assert "BROKEN: lattice reduction finds the key" in str(found)
        assert "BROKEN" in str(found.asdict())
        assert found.key_id == keys.secret.key_id
        shown = run("inspect", path)
        assert shown.code == 0, name
        assert "BROKEN" in shown.text


def test_the_library_does_not_load_them(stored: tuple[Files, ltv.Keys]) -> None:
    for path in stored[0].values():
        with pytest.raises(FormatError, match=r"LTV, a scheme that is BROKEN.*cyclotome_study\.ltv\.load"):
            cy.load(path)


def test_secret_files_are_private_and_nothing_is_overwritten(stored: tuple[Files, ltv.Keys]) -> None:
    files, keys = stored
    assert os.stat(files["secret"]).st_mode & 0o077 == 0
    with pytest.raises(FileError):
        ltv.save(files["public"], keys.public)
    with pytest.raises(UnsupportedError, match="not Parameters"):
        ltv.save(files["public"], keys.secret.parameters)  # type: ignore[arg-type]


def forged(data: bytes, offset: int, change: bytes) -> bytes:
    """With other bytes at an offset, and the checksum made right again."""
    body = bytearray(data[:-32])
    body[offset : offset + len(change)] = change
    return bytes(body) + hashlib.sha256(body).digest()


def test_damage_is_noticed(stored: tuple[Files, ltv.Keys], tmp_path: Path, rng: np.random.Generator) -> None:
    """Every byte that is changed, with a checksum that says so; and every length that is cut off."""
    path = tmp_path / "damaged.cyc"
    for name in ("secret", "array"):
        data = stored[0][name].read_bytes()
        for offset in {0, 8, 10, 24, 60, len(data) - 1, *(int(i) for i in rng.integers(len(data), size=20))}:
            path.write_bytes(data[:offset] + bytes([data[offset] ^ 1]) + data[offset + 1 :])
            with pytest.raises(FormatError):
                ltv.load(path)
        for length in {0, 10, HEADER, len(data) - 1, *(int(i) for i in rng.integers(len(data), size=5))}:
            path.write_bytes(data[:length])
            with pytest.raises(FormatError):
                ltv.load(path)


HEAD = HEADER + SECTION
DATA = HEAD + 28 + SECTION


@pytest.mark.parametrize(
    ("name", "offset", "change", "why"),
    [
        ("array", HEAD, b"\x07", "LTV object of kind 7"),
        ("array", HEAD + 1, b"\x3f", "impossible"),
        ("array", HEAD + 2, b"\x09", "fingerprint"),
        ("array", HEAD + 4, struct.pack("<I", 2**31), "impossible"),
        ("array", HEAD + 4, struct.pack("<I", 4), "fingerprint"),
        ("array", HEAD + 8, struct.pack("<I", 104), "impossible"),
        ("array", HEAD + 8, struct.pack("<I", 65535), "too few for n = 32768"),
        ("array", HEADER - 32, b"\0" * 32, "fingerprint"),
        ("array", DATA, struct.pack("<I", 0), "description of an LTV array"),
        ("array", DATA, struct.pack("<I", 4), "description of an LTV array"),
        ("array", DATA, struct.pack("<I", 2), "bytes too many"),
        ("array", DATA + 4, struct.pack("<I", 49), "description of an LTV array"),
        ("array", DATA + 4, struct.pack("<I", 5), "slots"),
        ("array", DATA + 8, b"\3", "description of an LTV array"),
        ("array", DATA + 9, b"\2", "description of an LTV array"),
        ("array", DATA + 10, struct.pack("<d", float("nan")), "description of an LTV array"),
        ("array", DATA + 10, struct.pack("<d", float("inf")), "description of an LTV array"),
        ("array", DATA + 18, struct.pack("<I", 2**22), "not below its prime"),
        ("secret", DATA, b"\3", "none of 0, 1 and 2"),
        ("evaluation", DATA, struct.pack("<I", 2**31), "2048 at most"),
        ("evaluation", DATA, struct.pack("<I", 3), "more bytes"),
        ("evaluation", DATA + 4, struct.pack("<I", 3), "not prime to"),
    ],
)
def test_files_that_lie(
    name: str, offset: int, change: bytes, why: str, stored: tuple[Files, ltv.Keys], tmp_path: Path
) -> None:
    path = tmp_path / "forged.cyc"
    path.write_bytes(forged(stored[0][name].read_bytes(), offset, change))
    with pytest.raises(FormatError, match=why):
        ltv.load(path)


def test_a_noise_bound_that_lies_is_noticed(stored: tuple[Files, ltv.Keys], tmp_path: Path) -> None:
    files, keys = stored
    path = tmp_path / "forged.cyc"
    path.write_bytes(forged(files["product"].read_bytes(), DATA + 10, struct.pack("<d", 2.0)))
    array = ltv.load(path)
    assert isinstance(array, ltv.LtvArray)
    with pytest.raises(ContradictionError, match="more noise than it states"):
        ltv.decrypt(array, keys.secret)


def test_other_kinds_are_not_read_here(tmp_path: Path) -> None:
    keys = cy.keygen(cy.Parameters.suggest(depth=0), rotations=[])
    cy.save(tmp_path / "public.cyc", keys.public)
    with pytest.raises(FormatError, match=r"not one of LTV"):
        ltv.load(tmp_path / "public.cyc")
    with pytest.raises(FileError):
        ltv.load(tmp_path / "none.cyc")
