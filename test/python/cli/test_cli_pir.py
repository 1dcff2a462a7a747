# SPDX-License-Identifier: Apache-2.0
"""``cyclotome pir``: from lines to an opened answer; what contradicts itself, and what is no file of it."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from cli_runner import run, succeed

LINES = b"zero\n\nt\xff\xfetwo\nthree"
ENTRIES = "Paris;FR\nRome;IT;x\n;empty\n"


def asked(folder: Path, *which: object) -> tuple[Path, Path, Path]:
    """description, secret, answer."""
    description, secret, answer = folder / "d", folder / "secret", folder / "answer"
    succeed("pir", "query", description, *which, "-o", folder / "query", "--secret", secret, "--force")
    succeed("pir", "answer", folder / "db", folder / "query", "-o", answer, "--force", "--device", "cpu:1")
    return description, secret, answer


@pytest.fixture(scope="module")
def listed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("lines")
    (folder / "lines").write_bytes(LINES)
    said = succeed("pir", "build", folder / "lines", "-o", folder / "db", "--description", folder / "d", "--json")
    assert said.data["records"] == 4 and said.data["outputs"] == 1
    return folder


@pytest.fixture(scope="module")
def keyed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("keyed")
    (folder / "lines").write_text(ENTRIES)
    succeed("pir", "build", folder / "lines", "-o", folder / "db", "--description", folder / "d", "--separator", ";")
    return folder


def test_lines_are_read_by_number(listed: Path) -> None:
    for number, line in enumerate(LINES.split(b"\n")):
        paths = asked(listed, "--index", number)
        assert succeed("pir", "open", *paths, "--json").data == {"found": True, "hexadecimal": line.hex()}
    succeed("pir", "open", *paths, "-o", listed / "record")
    assert (listed / "record").read_bytes() == b"three"
    assert succeed("pir", "open", *paths).text == "three\n"
    for name in ("secret", "record"):
        assert stat.S_IMODE(os.stat(listed / name).st_mode) == 0o600


def test_entries_are_read_by_key_and_misses_end_with_1(keyed: Path) -> None:
    for key, record in (("Paris", b"FR"), ("Rome", b"IT;x"), ("", b"empty")):
        assert succeed("pir", "open", *asked(keyed, "--key", key), "--json").data["hexadecimal"] == record.hex()
    missed = run("pir", "open", *asked(keyed, "--key", "Oslo"))
    assert missed.code == 1 and "no such key" in missed.text
    assert run("pir", "open", *asked(keyed, "--key", "Oslo"), "--json").code == 1


def test_records_of_one_size_come_from_any_file(tmp_path: Path) -> None:
    (tmp_path / "bytes").write_bytes(bytes(range(200)))
    build = (
        "pir",
        "build",
        tmp_path / "bytes",
        "-o",
        tmp_path / "db",
        "--description",
        tmp_path / "d",
        "--record-bytes",
    )
    assert run(*build, 7).code == 3
    succeed(*build, 8, "--rows", 2048)
    paths = asked(tmp_path, "--index", 24)
    assert succeed("pir", "open", *paths, "--json").data["hexadecimal"] == bytes(range(192, 200)).hex()
    assert succeed("pir", "check", tmp_path / "db", "--json").data["damaged_outputs"] == []
    content = bytearray((tmp_path / "db").read_bytes())
    content[1 << 20] ^= 1
    (tmp_path / "db").write_bytes(content)
    said = run("pir", "check", tmp_path / "db")
    assert said.code == 1 and "damaged outputs" in said.text


def test_wrong_usage_and_wrong_files(listed: Path, keyed: Path, tmp_path: Path) -> None:
    query = ("pir", "query", listed / "d", "-o", tmp_path / "q", "--secret", tmp_path / "s")
    assert run(*query).code == 2
    assert run(*query, "--index", 1, "--key", "a").code == 2
    assert run(*query, "--index", 4).code == run(*query, "--key", "a").code == 2
    assert list(tmp_path.iterdir()) == []
    asked(listed, "--index", 1)
    assert run("pir", "answer", keyed / "db", listed / "query", "-o", tmp_path / "a").code != 0
    assert run("pir", "answer", listed / "db", listed / "d", "-o", tmp_path / "a").code == 3
    assert run("pir", "answer", listed / "d", listed / "query", "-o", tmp_path / "a").code == 3
    assert run("pir", "open", listed / "d", listed / "secret", listed / "query").code == 3
    assert run("pir", "open", keyed / "d", listed / "secret", listed / "answer").code != 0
    assert run("pir", "open", listed / "d", listed / "d", listed / "answer").code == 3
    assert run("pir", "open", tmp_path / "none", listed / "secret", listed / "answer").code == 3
    (tmp_path / "lines").write_text("a;1\nb")
    build = ("pir", "build", tmp_path / "lines", "-o", tmp_path / "db", "--description", tmp_path / "d")
    assert "line 2" in run(*build, "--separator", ";").text
    assert run(*build, "--separator", "").code == run(*build, "--separator", ";", "--record-bytes", 2).code == 2
    (tmp_path / "lines").write_text("a;1\na;2")
    assert "was there before" in run(*build, "--separator", ";").text
    assert not (tmp_path / "db").exists()
    assert run(*build[:5], listed / "d", "--description", tmp_path / "d").code == 2  # it exists
