# SPDX-License-Identifier: Apache-2.0
"""``-`` in place of files: bytes through pipes, nothing else among them, and none for a terminal."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("typer")

import cyclotome as cy
import numpy as np
from cli_runner import make_workspace


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_workspace(tmp_path_factory.mktemp("cli"))


def piped(*arguments: object, data: bytes = b"", code: int = 0, cwd: Path | None = None) -> tuple[bytes, str]:
    """Standard output and standard error of a command that reads these bytes."""
    command = [sys.executable, "-m", "cyclotome", *map(str, arguments)]
    found = [str(Path(each).resolve()) for each in os.environ.get("PYTHONPATH", "").split(os.pathsep) if each]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(found)}
    done = subprocess.run(command, input=data, capture_output=True, cwd=cwd, env=environment)
    assert done.returncode == code, done.stderr.decode()
    return done.stdout, done.stderr.decode()


def test_a_pipeline_of_all_steps(place: Path) -> None:
    public, secret, evaluation = (place / "keys" / f"{name}.key" for name in ("public", "secret", "evaluation"))
    sealed, said = piped("encrypt", "-", "-k", public, "-o", "-", data=b"a,b\n1,2\n3,4\n")
    assert sealed.startswith(b"CYCLOTOM") and "standard output: 2 rows of a, b" in said
    computed, said = piped("eval", "x * x + y", "-i", "x=-", "-i", f"y={place / 'y.csv'}", "-k", evaluation, "-o", "-",
                           data=sealed, code=3)  # fmt: skip
    assert computed == b"" and "y.csv" in said
    (place / "y.csv").write_text("a,b\n1,1\n1,1\n")
    computed, _ = piped("eval", "x * x + y", "-i", "x=-", "-i", f"y={place / 'y.csv'}", "-k", evaluation, "-o", "-",
                        data=sealed)  # fmt: skip
    plain, said = piped("decrypt", "-", "-k", secret, "-o", "-", data=computed)
    assert plain == b"a,b\n2,5\n10,17\n" and "standard output" in said
    assert piped("decrypt", "-", "-k", secret, data=computed)[0] == plain
    facts = json.loads(piped("inspect", "-", "--json", data=computed)[0])
    assert facts["file"] == "standard input" and facts["kind"] == "encrypted array"


def test_facts_for_machines_do_not_mix_with_bytes(place: Path) -> None:
    key = place / "keys/public.key"
    sealed, said = piped("encrypt", "-", "-k", key, "-o", "-", "--json", data=b"1\n2\n")
    assert json.loads(said.splitlines()[-1])["file"] == "standard output"
    x = cy.from_bytes(sealed)
    assert cy.decrypt(x, cy.load(place / "keys/secret.key")).tolist() == [[1, 2]]


def test_formats_are_known_by_their_first_bytes(place: Path, tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.array([[5, 6, 7]]))
    key = place / "keys/public.key"
    sealed, _ = piped("encrypt", "-", "-k", key, "-o", "-", data=(tmp_path / "x.npy").read_bytes())
    assert piped("decrypt", "-", "-k", place / "keys/secret.key", data=sealed)[0] == b"result_0\n5\n6\n7\n"


def test_keys_parameters_and_passphrases_come_through_pipes(place: Path, tmp_path: Path) -> None:
    stored, said = piped("params", "--depth", 0, "--value-bits", 8, "-o", "-")
    assert stored.startswith(b"CYCLOTOM") and "written to standard output" in said
    piped("keygen", "-", "--out", tmp_path / "keys", "--rotations", "none", data=stored)
    sealed, _ = piped("encrypt", place / "data.csv", "--columns", "age", "-k", "-", "-o", "-",
                      data=(tmp_path / "keys/public.key").read_bytes())  # fmt: skip
    (tmp_path / "x.ct").write_bytes(sealed)
    secret = (tmp_path / "keys/secret.key").read_bytes()
    out, said = piped("decrypt", tmp_path / "x.ct", "-k", "-", data=secret)
    assert out == b"age\n36\n41\n85\n" and "others may read" not in said
    piped("keygen", place / "params.ct", "--out", tmp_path / "locked", "--passphrase-file", "-", "--rotations", "none",
          data=b"open sesame\n")  # fmt: skip
    assert cy.inspect(tmp_path / "locked/secret.key").kind == "protected secret key"
    assert cy.load(tmp_path / "locked/secret.key", passphrase="open sesame")


def test_what_dashes_cannot_mean(place: Path, tmp_path: Path) -> None:
    key = place / "keys/public.key"
    assert "read once" in piped("encrypt", "-", "-k", "-", "-o", "-", code=2)[1]
    for arguments in (("encrypt", "-", "-k", key, "-o", "-"), ("decrypt", "-", "-k", place / "keys/secret.key")):
        out, said = piped(*arguments, code=3)  # nothing arrives
        assert out == b"" and "error: " in said and "/tmp" not in said
    out, said = piped("inspect", "-", data=b"garbage", code=3)
    assert out == b"" and "Traceback" not in said
    out, _ = piped("encrypt", "-", "-k", key, "-o", "-", data=b"a\nx\n", code=3)
    assert out == b""
    piped("keygen", place / "params.ct", "--out", "-", "--rotations", "none", cwd=tmp_path)
    assert (tmp_path / "-" / "secret.key").exists()  # a folder's name, as before


def test_no_bytes_for_a_terminal(place: Path) -> None:
    """Encrypted bytes are refused before anything is read; decrypted text is shown."""
    master, terminal = pty.openpty()
    try:
        command = [sys.executable, "-m", "cyclotome", "encrypt", "-", "-k", str(place / "keys/public.key"), "-o", "-"]
        done = subprocess.run(command, input=b"1\n", stdout=terminal, stderr=subprocess.PIPE)
        assert done.returncode == 2 and b"is a terminal" in done.stderr
        command = [sys.executable, "-m", "cyclotome", "decrypt", "-", "-k", str(place / "keys/secret.key"), "-o", "-"]
        done = subprocess.run(command, input=(place / "data.ct").read_bytes(), stdout=terminal, stderr=subprocess.PIPE)
        assert done.returncode == 0 and b"bmi,age" in os.read(master, 1000)
    finally:
        os.close(master)
        os.close(terminal)


def test_a_full_disk_behind_standard_output_is_an_error(place: Path) -> None:
    command = [sys.executable, "-m", "cyclotome", "encrypt", "-", "-k", str(place / "keys/public.key"), "-o", "-"]
    with open("/dev/full", "wb") as full:
        done = subprocess.run(command, input=b"1\n2\n", stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 3 and b"standard output" in done.stderr and b"Traceback" not in done.stderr
