# SPDX-License-Identifier: Apache-2.0
"""Files of results: no digit is lost in any format, and every file is whole or not there."""

from __future__ import annotations

import os
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import cyclotome
import numpy as np
import pytest

pytest.importorskip("typer")

from cli_runner import make_workspace, run, succeed
from cyclotome.cli import console
from cyclotome.errors import CyclotomeError


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_workspace(tmp_path_factory.mktemp("cli"))


def test_no_digit_is_lost_in_any_format(place: Path, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    inputs = "-i", f"x={place / 'data.ct'}", "-k", place / "keys/evaluation.key", "-o", tmp_path / "r.ct", "--force"
    decrypted = "decrypt", tmp_path / "r.ct", "-k", place / "keys/secret.key", "--force", "-o"
    succeed("eval", "x / 3", *inputs)
    for name in ("r.npy", "r.parquet"):
        refused = run(*decrypted, tmp_path / name)
        assert refused.code == 6 and "no float64 holds" in refused.text and "--approximate" in refused.text
        assert not (tmp_path / name).exists()
    succeed(*decrypted, tmp_path / "r.csv")
    assert (tmp_path / "r.csv").read_text() == "bmi,age\n10.7,12\n-1081/150,41/3\n61/6,85/3\n"
    succeed(*decrypted, tmp_path / "r.csv", "--approximate", 3)
    assert (tmp_path / "r.csv").read_text() == "bmi,age\n10.7,12\n-7.207,13.667\n10.167,28.333\n"
    assert "rounded to 3 decimals" in succeed(*decrypted[:-2], "--approximate", 3).text
    succeed(*decrypted, tmp_path / "r.npy", "--approximate", 3)
    assert np.load(tmp_path / "r.npy").tolist() == [[10.7, -7.207, 10.167], [12.0, 13.667, 28.333]]
    succeed(*decrypted, tmp_path / "r.parquet", "--approximate", 0)
    succeed("eval", "x * 10 - 30 * 10", *inputs)
    succeed(*decrypted, tmp_path / "r.npy")
    assert np.load(tmp_path / "r.npy").tolist() == [[21.0, -516.2, 5.0], [60.0, 110.0, 550.0]]
    succeed("eval", "x[1] * 10", *inputs)
    succeed(*decrypted, tmp_path / "r.npy")
    assert np.load(tmp_path / "r.npy").dtype == np.int64  # at scale 100, but integers all the same
    succeed("eval", "x * 1e-500", *inputs)
    assert run(*decrypted, tmp_path / "r.npy").code == 6
    assert run(*decrypted[:-2], "--json", "--approximate", 3).code == 2


def test_results_are_plain_inputs_again(place: Path, tmp_path: Path) -> None:
    """Fractions and names come back as they were written: x - mean(x), in two steps."""
    inputs = "-i", f"x={place / 'data.ct'}", "-k", place / "keys/evaluation.key", "-o", tmp_path / "r.ct", "--force"
    decrypted = "decrypt", tmp_path / "r.ct", "-k", place / "keys/secret.key", "-o"
    succeed("eval", "mean(x / 7)", *inputs)
    succeed(*decrypted, tmp_path / "mean.csv")
    succeed("eval", "x - 7 * m", "-i", f"m={tmp_path / 'mean.csv'}", *inputs)
    succeed(*decrypted, tmp_path / "left.csv")
    assert (tmp_path / "left.csv").read_text() == "bmi,age\n18.44,-18\n-35.28,-13\n16.84,31\n"


def with_short_files(*words: object) -> subprocess.CompletedProcess[str]:
    """Runs a command in a process that can write eight bytes to a file, and then fails."""
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (8, 8)); from cyclotome.cli import main; main()"
    return subprocess.run([sys.executable, "-c", limit, *map(str, words)], capture_output=True, text=True)


@pytest.mark.parametrize("suffix", ["csv", "npy", "parquet"])
def test_a_full_disk_leaves_old_files_as_they_are(place: Path, tmp_path: Path, suffix: str) -> None:
    """Beyond a limit on file sizes every write fails halfway, as on a full disk."""
    if suffix == "parquet":
        pytest.importorskip("pyarrow")
    old = tmp_path / f"old.{suffix}"
    old.write_bytes(b"mine")
    words = "decrypt", place / "data.ct", "-k", place / "keys/secret.key", "--force", "--approximate", "2", "-o"
    for target in (old, tmp_path / f"new.{suffix}"):
        done = with_short_files(*words, target)
        assert done.returncode == 3 and "can't write" in done.stderr and "Traceback" not in done.stderr, done.stderr
    assert old.read_bytes() == b"mine" and sorted(os.listdir(tmp_path)) == [old.name]


def test_an_encrypted_result_is_whole_or_not_there(place: Path, tmp_path: Path) -> None:
    (tmp_path / "o.ct").write_bytes(b"mine")
    key = place / "keys/public.key"
    words = "encrypt", place / "data.csv", "--columns", "age", "-k", key, "-o", tmp_path / "o.ct", "--force"
    done = with_short_files(*words)
    assert done.returncode == 3 and "can't write" in done.stderr
    assert (tmp_path / "o.ct").read_bytes() == b"mine" and os.listdir(tmp_path) == ["o.ct"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_half_a_result_on_standard_output_is_an_error(place: Path) -> None:
    words = "decrypt", place / "data.ct", "-k", place / "keys/secret.key"
    with open("/dev/full", "wb") as full:
        command = [sys.executable, "-m", "cyclotome", *map(str, words)]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 3 and "can't write to standard output: No space left" in done.stderr
    assert "Traceback" not in done.stderr and "Exception ignored" not in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("words", [("--help",), ("keygen", "--help"), ("--version",), ("doctor",)])
def test_help_that_cannot_be_written_is_an_error(words: tuple[str, ...]) -> None:
    with open("/dev/full", "wb") as full:
        command = [sys.executable, "-m", "cyclotome", *words]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 3 and "No space left" in done.stderr
    assert "Traceback" not in done.stderr and "Exception ignored" not in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="needs a shell")
def test_streams_that_are_closed(place: Path, tmp_path: Path) -> None:
    """They are errors like any stream that fails, and no file that is written gets their numbers."""

    key = f"--key '{place / 'keys/secret.key'}'"

    def done(words: str) -> subprocess.CompletedProcess[str]:
        command = f"exec '{sys.executable}' -m cyclotome {words}"
        return subprocess.run(command, shell=True, stderr=subprocess.PIPE, text=True)

    for words, name in (
        (f"decrypt - {key} <&-", "read standard input"),
        (f"decrypt '{place / 'data.ct'}' {key} >&-", "write to standard output"),
    ):
        refused = done(words)
        assert refused.returncode == 3 and name in refused.stderr and "Traceback" not in refused.stderr
    whole = tmp_path / "whole.ct"
    said = done(f"encrypt '{place / 'data.csv'}' --columns age {key} -o '{whole}' <&- >&- 2>&-")
    assert said.returncode == 3 and cyclotome.inspect(whole).kind == "encrypted array"  # what it says went nowhere
    assert done(f"decrypt '{whole}' {key} -o '{tmp_path / 'ages.csv'}' 2>&-").returncode == 0
    assert (tmp_path / "ages.csv").read_text(encoding="utf-8").splitlines()[0] == "age"


def test_a_result_that_the_terminal_cannot_write_is_an_error(place: Path, tmp_path: Path) -> None:
    """With an encoding that lacks characters: remarks lose them, results never do."""
    (tmp_path / "t.csv").write_text("Größe\n1\n", encoding="utf-8")
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}

    def done(*words: object) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "cyclotome", *map(str, words)]
        return subprocess.run(command, capture_output=True, text=True, env=environment)

    made = done("encrypt", tmp_path / "t.csv", "-k", place / "keys/public.key", "-o", tmp_path / "t.ct")
    assert made.returncode == 0 and "1 row of Gr\\xf6\\xdfe" in made.stdout
    words = "decrypt", tmp_path / "t.ct", "-k", place / "keys/secret.key"
    refused = done(*words)
    assert refused.returncode == 3 and refused.stdout == "" and "standard output takes ascii only" in refused.stderr
    assert done(*words, "--json").returncode == 0
    assert done(*words, "-o", tmp_path / "u.csv").returncode == 0
    assert (tmp_path / "u.csv").read_text(encoding="utf-8") == "Größe\n1\n"


def test_files_are_replaced_where_they_lie_with_the_mode_they_have(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "real").chmod(0o600)
    (tmp_path / "link").symlink_to("real")
    console.write_whole(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink() and (tmp_path / "real").read_bytes() == b"new"
    assert (tmp_path / "real").stat().st_mode & 0o777 == 0o600
    os.mkfifo(tmp_path / "pipe.ct")
    assert console.vacant(tmp_path / "pipe.ct", force=False) == tmp_path / "pipe.ct"  # nothing is lost
    with pytest.raises(CyclotomeError, match="not a regular file"):
        console.vacant(Path(os.devnull), force=True)
    (tmp_path / "dangling").symlink_to("nowhere")
    with pytest.raises(CyclotomeError, match="exists already"):
        console.vacant(tmp_path / "dangling", force=False)
    mask = os.umask(0o027)
    try:
        console.write_whole(tmp_path / "fresh", b"new")
    finally:
        os.umask(mask)
    assert (tmp_path / "fresh").stat().st_mode & 0o777 == 0o640
    assert sorted(os.listdir(tmp_path)) == ["dangling", "fresh", "link", "pipe.ct", "real"]


# --- npy and Parquet --------------------------------------------------------------------------------------------------
def test_npy_headers_are_not_trusted(place: Path, tmp_path: Path) -> None:
    path = tmp_path / "h.npy"
    for shape in ((10**12,), (2**62, 2), (-1,), (10**30,), (2,) * 200):
        head = f"{{'descr': '<i8', 'fortran_order': False, 'shape': {shape}, }}".encode()
        head += b" " * (118 - len(head) % 64) + b"\n"
        path.write_bytes(b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head + bytes(64))
        result = run("encrypt", path, "-k", place / "keys/public.key", "-o", tmp_path / "o.ct")
        assert result.code == 3, result.text
    for head in (b"{'descr': '\0'", b"{'shape': (1}", b"(" * 60 + b"\n", b"[" * 60000, b"\\\n", b"'" * 3):
        path.write_bytes(b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head)
        result = run("encrypt", path, "-k", place / "keys/public.key", "-o", tmp_path / "o.ct")
        assert result.code == 3 and "should not happen" not in result.text, (head[:20], result.text)
    np.savez(tmp_path / "z.npz", a=np.arange(3))
    (tmp_path / "z.npz").rename(path)
    result = run("encrypt", path, "-k", place / "keys/public.key", "-o", tmp_path / "o.ct")
    assert result.code == 3 and "magic string" in result.text


def test_parquet_columns_that_hold_no_numbers(place: Path, tmp_path: Path) -> None:
    parquet, pyarrow = pytest.importorskip("pyarrow.parquet"), pytest.importorskip("pyarrow")
    path = tmp_path / "t.parquet"
    for column in (["1"], [[1, 2]], [{"a": 1}], [None, 1], [True], [b"1"], [float("nan")]):
        parquet.write_table(pyarrow.table({"a": column}), path)
        result = run("encrypt", path, "-k", place / "keys/public.key", "-o", tmp_path / "o.ct", "--force")
        assert result.code == (0 if column == [True] else 3), result.text
    parquet.write_table(pyarrow.table([[1], [2]], names=["a", "a"]), path)
    assert run("encrypt", path, "-k", place / "keys/public.key", "-o", tmp_path / "o.ct", "--force").code == 3
    exact = pyarrow.array([Decimal("1.25"), Decimal("-3.10")], pyarrow.decimal128(30, 2))
    parquet.write_table(pyarrow.table({"a": exact}), path)
    succeed("encrypt", path, "-k", place / "keys/public.key", "-o", tmp_path / "o.ct", "--force", "--scale", "auto")
    assert "a\n1.25\n-3.1\n" in succeed("decrypt", tmp_path / "o.ct", "-k", place / "keys/secret.key").text
