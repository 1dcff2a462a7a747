# SPDX-License-Identifier: Apache-2.0
"""The published known answers: the second reader computes each of them, the library makes the same of their seeds, and
what is spoiled is found."""

from __future__ import annotations

import base64
import copy
import hashlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import cyclotome as cy
import numpy as np
import pytest
from cyclotome_reader import answers, files
from pages import program

ROOT = Path(__file__).resolve().parents[3]
RECORDS = {record["name"]: record for record in answers.published()}
SMALL = [name for name, record in RECORDS.items() if "answers" in record and "seeds" in record]


#: Some six seconds each.
LONG = ("large-bfv-8192", "large-bgv-8192")


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.full if name in LONG else ()) for name in RECORDS]
)
def test_the_reader_finds_what_is_published(name: str) -> None:
    assert answers.faults(RECORDS[name]) == []


def test_there_is_every_scheme_ring_word_level_and_kind() -> None:
    read = [
        files.read(base64.b64decode(record["parameters"])).parameters
        for record in RECORDS.values()
        if "parameters" in record
    ]
    assert {(p.scheme, p.word, bool(p.index)) for p in read} == {
        (scheme, word, ring) for scheme in ("bfv", "bgv") for word in (32, 64) for ring in (False, True)
    }
    kinds = {
        files.read(base64.b64decode(each)).kind
        for record in RECORDS.values()
        for each in record.get("files", {}).values()
    }
    assert kinds | {"parameters", "encrypted array", "decryption share"} == set(files.KINDS.values())
    for name in SMALL:
        arrays = [files.read(base64.b64decode(answer["file"])) for answer in RECORDS[name]["answers"]]
        p = arrays[0].parameters
        levels = {files.ciphertexts(body, p).level for each in arrays for tag, body in each.sections if tag == "CIPH"}
        assert len(levels) >= len(p.moduli) - 1 and max(levels) == len(p.moduli), name


@pytest.mark.parametrize("name", SMALL)
def test_the_library_decrypts_them_to_the_same(name: str, tmp_path: Path) -> None:
    record = RECORDS[name]
    (tmp_path / "secret").write_bytes(base64.b64decode(record["files"]["secret key"]))
    (tmp_path / "secret").chmod(0o600)
    secret = cy.load(tmp_path / "secret", allow_insecure=True)
    for answer in record["answers"]:
        x = cy.from_bytes(base64.b64decode(answer["file"]), allow_insecure=True)
        found = np.asarray(cy.decrypt(x, secret), dtype=object)
        assert [int(v) for v in found.reshape(-1)] == answer["values"] and list(found.shape) == answer["shape"]


@pytest.mark.parametrize("name", ["bfv-64", "bgv-64-bits-15", "large-bfv-4096"])
def test_the_script_makes_the_same_of_the_seeds(name: str) -> None:
    """Keys byte for byte: a library that drew otherwise would open no old backup of a seed."""
    script = program("test/vectors/make_vectors.py")
    made = script.keys_of(script.World({**script.SETS, **script.LARGE}[name]()))
    assert {key: json.loads(json.dumps(value)) for key, value in made.items()} == {
        key: RECORDS[name][key] for key in made
    }


def spoiled(record: dict[str, Any], at: int, bit: int) -> dict[str, Any]:
    """With one bit of the first answer's ciphertext changed, and the checksum mended."""

    changed = copy.deepcopy(record)
    data = bytearray(base64.b64decode(changed["answers"][0]["file"]))
    data[at] ^= 1 << bit
    data[-32:] = hashlib.sha256(data[:-32]).digest()
    changed["answers"][0]["file"] = base64.b64encode(data).decode()
    return changed


@pytest.mark.parametrize("name", ["bfv-64", "bgv-32", "bgv-64-bits-15", "bfv-64-integers-15"])
def test_a_changed_bit_is_found(name: str, rng: np.random.Generator) -> None:
    """In residues and noise bounds; what is refused as unreadable is found too."""
    record = RECORDS[name]
    whole = base64.b64decode(record["answers"][0]["file"])
    begin = whole.index(b"CIPH") + 12 + 32
    for _ in range(12):
        changed = spoiled(record, int(rng.integers(begin, len(whole) - 32)), int(rng.integers(8)))
        assert answers.faults(changed) != []


def test_wrong_records_are_found() -> None:
    record = RECORDS["bfv-64"]
    for change in (
        {"secret": record["secret"][::-1]}, {"key id": "00" * 16}, {"message": [1]}, {"galois": [3, 5]},
        {"seeds": {**record["seeds"], "public": "07" * 32}}, {"symmetric c0": "0" * 64},
    ):  # fmt: skip
        assert answers.faults({**record, **change}) != [], change
    first, *rest = record["answers"]
    for change in (
        {"values": [first["values"][0] + 1, *first["values"][1:]]}, {"shape": [1]}, {"stated": [[0.0, 0.0, 0.0]]},
        {"measured": [[x + 0.001 for x in first["measured"][0]]]},
    ):  # fmt: skip
        assert answers.faults({**record, "answers": [{**first, **change}, *rest]}) != [], change
    large = RECORDS["large-bfv-4096"]
    assert answers.faults({**large, "digests": {**large["digests"], "relinearisation": "0" * 64}}) != []
    joint = RECORDS["joint-bfv-64"]
    [fault] = answers.faults({**joint, "secrets": [joint["secrets"][0]] * 3})
    assert "public key" in fault


def test_the_program_needs_nothing_but_python(tmp_path: Path) -> None:
    """Without site-packages: no NumPy, no cyclotome."""
    (tmp_path / "bfv-64.json").write_text(json.dumps(RECORDS["bfv-64"]), encoding="utf-8")
    code = f"import sys; sys.path.insert(0, {str(ROOT / 'reader')!r}); from cyclotome_reader.command import main; "
    code += "status = main(['answers', sys.argv[1]]); assert 'numpy' not in sys.modules; sys.exit(status)"
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code, tmp_path], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "bfv-64: right\n", "")
