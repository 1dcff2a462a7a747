# SPDX-License-Identifier: Apache-2.0
"""Files of the study of Fermat moduli: round trips, what inspect and cyclotome.load say of them, and files that lie."""

from __future__ import annotations

import os
import struct
from pathlib import Path

import cyclotome as cy
import numpy as np
import pytest
from cli_runner import run
from cyclotome.errors import (
    ContradictionError,
    FileError,
    FormatError,
    MismatchError,
    SecurityError,
    TransparentError,
    UnsupportedError,
)
from cyclotome_study import fermat
from test_fermat_bfv import to_integers, to_words
from test_ltv_files import HEADER, SECTION, forged

N, X, T = 64, 7, 163841
Files = dict[str, Path]


@pytest.fixture(scope="module", params=[0, 33], ids=["one", "special"])
def stored(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Files, fermat.Keys]:
    folder = tmp_path_factory.mktemp("fermat")
    params = fermat.Parameters(N, X, T, security=0, allow_insecure=True, special_bits=request.param)
    keys = fermat.keygen(params)
    x = fermat.encrypt([1, -2, 3], keys.public, bound=10)
    things = {
        "parameters": params,
        "secret": keys.secret,
        "public": keys.public,
        "evaluation": keys.evaluation,
        "array": x,
        "square": x * x,
        "rows": fermat.encrypt([[5, 6], [7, 8]], keys.secret, wrap=True),
        "coefficients": fermat.encrypt([5], keys.public, bound=5, encoding="coefficients"),
    }
    files = {name: folder / f"{name}.cyc" for name in things}
    for name, thing in things.items():
        fermat.save(files[name], thing)
    return files, keys


def load(path: Path) -> object:
    return fermat.load(path, allow_insecure=True)


def test_round_trips(stored: tuple[Files, fermat.Keys]) -> None:
    files, keys = stored
    loaded = {name: load(path) for name, path in files.items()}
    secret, public, evaluation = loaded["secret"], loaded["public"], loaded["evaluation"]
    assert isinstance(secret, fermat.SecretKey)
    assert isinstance(public, fermat.PublicKey)
    assert isinstance(evaluation, fermat.EvaluationKeys)
    assert loaded["parameters"] == secret.parameters == keys.secret.parameters
    assert {key.key_id for key in (secret, public, evaluation)} == {keys.secret.key_id}
    wanted = {"array": [1, -2, 3], "square": [1, 4, 9], "rows": [[5, 6], [7, 8]], "coefficients": [5] + [0] * (N - 1)}
    for name, want in wanted.items():
        array = loaded[name]
        assert isinstance(array, fermat.FermatArray)
        for key in (secret, keys.secret):
            assert fermat.decrypt(array, key).tolist() == want
    array = loaded["array"]
    assert isinstance(array, fermat.FermatArray) and array.bound == 10
    assert fermat.decrypt(array.with_keys(evaluation) * array, secret).tolist() == [1, 4, 9]
    fresh = fermat.encrypt([4], public, bound=4).with_keys(evaluation)
    assert fermat.decrypt(fresh * fresh, keys.secret).tolist() == [16]
    for name, path in files.items():
        again = path.with_name("again.cyc")
        fermat.save(again, loaded[name], overwrite=True)  # type: ignore[arg-type]
        assert again.read_bytes() == path.read_bytes(), name


def test_inspect_and_the_command_line(stored: tuple[Files, fermat.Keys]) -> None:
    files, keys = stored
    for name, path in files.items():
        found = cy.inspect(path)
        assert found.kind.startswith("Fermat ") and found.parameters is None and found.broken is None
        assert found.key_id == (None if name == "parameters" else keys.secret.key_id)
        assert found.study == keys.secret.parameters.summary() and "INSECURE" in str(found)
        shown = run("inspect", path)
        assert shown.code == 0 and "fermat bfv n=64 q=2^128-1" in shown.text, name


def test_the_library_does_not_load_them(stored: tuple[Files, fermat.Keys]) -> None:
    for path in stored[0].values():
        with pytest.raises(FormatError, match=r"study of Fermat moduli.*cyclotome_study\.fermat\.load"):
            cy.load(path)


def test_insecure_files_are_asked_for(stored: tuple[Files, fermat.Keys], tmp_path: Path) -> None:
    for path in stored[0].values():
        with pytest.raises(SecurityError, match=r"INSECURE.*allow_insecure=True"):
            fermat.load(path)
    secure = fermat.Parameters(8192, 7, 163841)
    fermat.save(tmp_path / "secure.cyc", secure)
    assert fermat.load(tmp_path / "secure.cyc") == secure


def test_secret_files_are_private_and_nothing_is_overwritten(stored: tuple[Files, fermat.Keys]) -> None:
    files, keys = stored
    assert os.stat(files["secret"]).st_mode & 0o077 == 0
    with pytest.raises(FileError):
        fermat.save(files["public"], keys.public)
    with pytest.raises(UnsupportedError, match="not int"):
        fermat.save(files["public"], 7)  # type: ignore[arg-type]
    # Neither secrets nor their shifted bytes stand in another file.
    body = files["secret"].read_bytes()[-32 - N : -32]
    assert set(body) <= {0, 1, 2}
    assert all(body not in files[name].read_bytes() for name in files if name != "secret")


def test_damage_is_noticed(stored: tuple[Files, fermat.Keys], tmp_path: Path, rng: np.random.Generator) -> None:
    path = tmp_path / "damaged.cyc"
    for name in ("parameters", "secret", "array"):
        data = stored[0][name].read_bytes()
        for offset in {0, 8, 10, 24, 60, len(data) - 1, *(int(i) for i in rng.integers(len(data), size=20))}:
            path.write_bytes(data[:offset] + bytes([data[offset] ^ 1]) + data[offset + 1 :])
            with pytest.raises(FormatError):
                load(path)
        for length in {0, 10, HEADER, len(data) - 1, *(int(i) for i in rng.integers(len(data), size=5))}:
            path.write_bytes(data[:length])
            with pytest.raises(FormatError):
                load(path)


HEAD = HEADER + SECTION
DATA = HEAD + 40 + SECTION
ROWS = DATA + 44
ONES = b"\xff" * 8


@pytest.mark.parametrize(
    ("name", "offset", "change", "why"),
    [
        ("array", HEAD, b"\x05", "an object of kind 5"),
        ("array", HEAD, b"\x03", "more bytes"),
        ("array", HEAD, b"\x01", "bytes too many"),
        ("array", HEAD + 1, b"\x05", "impossible.*x must lie"),
        ("array", HEAD + 1, b"\x10", "impossible.*x must lie"),
        ("array", HEAD + 1, b"\x08", "fingerprint"),
        ("array", HEAD + 2, b"\x06", "impossible"),
        ("array", HEAD + 2, b"\x02", "fingerprint"),
        ("array", HEAD + 3, b"\x3c", "impossible.*digits of 60 bits"),
        ("array", HEAD + 4, b"\x08", "flags 8"),
        ("array", HEAD + 4, b"\x00", "impossible.*allow_insecure"),
        ("array", HEAD + 5, b"\x09", "security table 9"),
        ("array", HEAD + 8, struct.pack("<I", 96), "impossible.*power of two"),
        ("array", HEAD + 8, struct.pack("<I", 2**31), "impossible.*degree"),
        ("array", HEAD + 12, struct.pack("<I", 2**31), "impossible.*special primes"),
        ("array", HEAD + 16, struct.pack("<Q", 65537), "impossible.*shares the factor 65537"),
        ("array", HEAD + 16, struct.pack("<Q", 2**63), "impossible.*plaintext modulus"),
        ("array", HEADER - 32, b"\0" * 32, "fingerprint"),
        ("array", DATA, b"\x04", "4 parts"),
        ("array", DATA, b"\x03", "more bytes"),
        ("array", DATA + 1, b"\x0e", "description of an array"),
        ("array", DATA + 1, b"\x02", "description of an array"),
        ("array", DATA + 1, b"\x04", "description of an array"),
        ("array", DATA + 2, b"\x01", "description of an array"),
        ("array", DATA + 4, struct.pack("<I", 0), "0 items"),
        ("array", DATA + 4, struct.pack("<I", 2), "2 items"),
        ("rows", DATA + 4, struct.pack("<I", 2**20), "more bytes"),
        ("rows", DATA + 4, struct.pack("<I", 2**31), "2147483648 items"),
        ("rows", DATA + 4, struct.pack("<I", 1), "bytes too many"),
        ("array", DATA + 8, struct.pack("<I", 65), "65 values"),
        ("array", DATA + 12, struct.pack("<Q", 81921), "within 81921"),
        ("array", DATA + 12, struct.pack("<Q", 2**63 + 1), "description of an array"),
        ("array", DATA + 20, struct.pack("<d", float("nan")), "noise 2"),
        ("array", DATA + 36, struct.pack("<d", float("inf")), "description of an array"),
        # Limbs of 2^64 + 1, two words, and 2^64 - 1.
        ("array", ROWS + 8 * N, struct.pack("<Q", 2), "not below its modulus"),
        ("array", ROWS + 16 * N, ONES, "not below its modulus"),
        ("public", DATA + 8 * N, ONES, "not below its modulus"),
        ("evaluation", DATA + 16 * N, ONES, "not below its modulus"),
        ("secret", DATA, b"\x03", "secret key is none"),
        ("secret", DATA, b"\x00" * N, "fails the check"),
    ],
)
def test_files_that_lie(
    name: str, offset: int, change: bytes, why: str, stored: tuple[Files, fermat.Keys], tmp_path: Path
) -> None:
    path = tmp_path / "forged.cyc"
    path.write_bytes(forged(stored[0][name].read_bytes(), offset, change))
    with pytest.raises(FormatError, match=why):
        load(path)


def test_residues_of_special_primes_are_looked_at(stored: tuple[Files, fermat.Keys], tmp_path: Path) -> None:
    files, keys = stored
    if not keys.public.parameters.native.special_primes:
        return
    path = tmp_path / "forged.cyc"
    path.write_bytes(forged(files["evaluation"].read_bytes(), DATA + 3 * 8 * N, ONES))
    with pytest.raises(FormatError, match="not below its special prime"):
        load(path)


def test_noise_beyond_the_stated_bound_is_noticed(stored: tuple[Files, fermat.Keys], tmp_path: Path) -> None:
    """0.4 q/t added to every coefficient of the body: it would decrypt, but no honest program made it."""
    files, keys = stored
    q, data = 2**128 - 1, files["array"].read_bytes()
    words = np.frombuffer(data[ROWS : ROWS + 3 * 8 * N], "<u8")
    moved = [v + 2 * q // (5 * T) for v in to_integers(X, 1, [int(w) for w in words], N)]
    path = tmp_path / "forged.cyc"
    path.write_bytes(forged(data, ROWS, np.array(to_words(X, 1, moved), dtype="<u8").tobytes()))
    array = load(path)
    assert isinstance(array, fermat.FermatArray)
    with pytest.raises(ContradictionError, match="more noise than"):
        fermat.decrypt(array, keys.secret)


def test_an_array_that_hides_nothing_is_refused(stored: tuple[Files, fermat.Keys], tmp_path: Path) -> None:
    path = tmp_path / "forged.cyc"
    data = stored[0]["array"].read_bytes()
    path.write_bytes(forged(data, ROWS + 3 * 8 * N, b"\0" * (3 * 8 * N)))
    with pytest.raises(TransparentError, match="hide nothing"):
        load(path)


def test_other_parameters_and_other_kinds_are_refused(stored: tuple[Files, fermat.Keys], tmp_path: Path) -> None:
    files, _ = stored
    other = fermat.keygen(fermat.Parameters(N, X, 557057, security=0, allow_insecure=True))
    array = load(files["array"])
    assert isinstance(array, fermat.FermatArray)
    with pytest.raises(MismatchError):
        fermat.decrypt(array, other.secret)
    library = cy.keygen(cy.Parameters.suggest(depth=0), rotations=[])
    cy.save(tmp_path / "public.cyc", library.public)
    with pytest.raises(FormatError, match="not one of the study of Fermat moduli"):
        load(tmp_path / "public.cyc")
    with pytest.raises(FileError):
        load(tmp_path / "none.cyc")
    with pytest.raises(FormatError, match="limit of 100"):
        fermat.load(files["public"], max_bytes=100, allow_insecure=True)
