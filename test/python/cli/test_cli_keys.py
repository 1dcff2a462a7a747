# SPDX-License-Identifier: Apache-2.0
"""`cyclotome keygen` and the secret key's file on the command line: sets, backups, passphrases."""

from __future__ import annotations

from pathlib import Path

import cyclotome as cy
import pytest

pytest.importorskip("typer")

from cli_runner import Result, run, succeed
from cyclotome import _core
from cyclotome.cli import passphrases
from full_disks import contents, longest_file

NAMES = ("secret.key", "public.key", "evaluation.key")
needs_libcrypto = pytest.mark.skipif(_core.passphrases() != "ready", reason=_core.passphrases())


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with parameters and numbers, and nobody who could be asked."""
    monkeypatch.delenv(passphrases.VARIABLE, raising=False)
    succeed("params", "--depth", 0, "--value-bits", 4, "--terms", 1, "-o", tmp_path / "params.ct")
    (tmp_path / "v.csv").write_text("3\n4\n")
    return tmp_path


def make_keys(place: Path, *options: object) -> Result:
    return succeed("keygen", place / "params.ct", "--out", place / "k", "--rotations", "none", *options)


def encrypt(place: Path, key: str = "public.key") -> None:
    succeed("encrypt", place / "v.csv", "--key", place / "k" / key, "-o", place / "v.ct", "--force")


def test_a_replaced_secret_key_stays_and_still_decrypts(place: Path) -> None:
    make_keys(place)
    encrypt(place)
    old = cy.inspect(place / "k/secret.key").key_id
    assert old is not None
    said = make_keys(place, "--force").text
    backup = f"{place}/k/secret.key.bak-{old[:8]}"
    assert f"is now {backup}: what was encrypted for it needs it" in said
    another = cy.inspect(place / "k/secret.key").key_id
    assert another is not None
    assert make_keys(place, "--force", "--json").data["backup"] == f"{place}/k/secret.key.bak-{another[:8]}"
    assert run("decrypt", place / "v.ct", "-k", place / "k/secret.key").code == 5
    assert "3\n4\n" in succeed("decrypt", place / "v.ct", "-k", backup).text


def test_a_set_that_does_not_fit_leaves_the_old_one(place: Path) -> None:
    make_keys(place)
    before = contents(place / "k")
    succeed("params", "--depth", 1, "--value-bits", 20, "--terms", 4, "-o", place / "wide.ct")
    for size in (*(len(before[name]) for name in NAMES), 100):
        with longest_file(size):
            result = run("keygen", place / "wide.ct", "--out", place / "k", "--force")
        assert result.code == 3 and "File too large" in result.text
        assert contents(place / "k") == before


@needs_libcrypto
class TestPassphrases:
    def test_from_a_file(self, place: Path) -> None:
        (place / "phrase").write_text("correct horse\nand more\n")
        assert "with its passphrase" in make_keys(place, "--passphrase-file", place / "phrase").text
        encrypt(place)
        decrypt = "decrypt", place / "v.ct", "-k", place / "k/secret.key"
        assert "3\n4\n" in succeed(*decrypt, "--passphrase-file", place / "phrase").text
        (place / "phrase").write_text("correct house")
        wrong = run(*decrypt, "--passphrase-file", place / "phrase")
        assert wrong.code == 5 and "does not open" in wrong.text and "house" not in wrong.text
        assert run(*decrypt, "--passphrase-file", place / "absent").code == 3
        (place / "phrase").write_text("x" * 5000)
        assert run(*decrypt, "--passphrase-file", place / "phrase").code == 3

    def test_from_the_environment(self, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv(passphrases.VARIABLE, "battery staple")
        make_keys(place)
        assert cy.inspect(place / "k/secret.key").kind == "secret key"  # it has to be asked for
        make_keys(place, "--force", "--passphrase")
        assert cy.inspect(place / "k/secret.key").kind == "protected secret key"
        encrypt(place, "secret.key")  # commands that only encrypt with it, too
        decrypt = "decrypt", place / "v.ct", "-k", place / "k/secret.key"
        assert "3\n4\n" in succeed(*decrypt).text
        monkeypatch.setenv(passphrases.VARIABLE, "battery")
        assert run(*decrypt).code == 5

    def test_on_a_terminal(self, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        asked: list[str] = []
        answers = iter(["one", "two", "one", "one", "one"])

        def ask(prompt: str) -> str:
            asked.append(prompt)
            return next(answers)

        monkeypatch.setattr(passphrases, "_ask", ask)
        keygen = "keygen", place / "params.ct", "--out", place / "k", "--rotations", "none", "--passphrase"
        different = run(*keygen)
        assert different.code == 5 and "differ" in different.text and not any((place / "k").iterdir())
        succeed(*keygen)
        encrypt(place)
        assert "3\n4\n" in succeed("decrypt", place / "v.ct", "-k", place / "k/secret.key").text
        assert [prompt.split()[0] for prompt in asked] == ["New", "The", "New", "The", "Passphrase"]

    def test_where_nobody_can_be_asked(self, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def no_terminal(path: str, *_: object) -> int:
            raise OSError(6, "No such device or address", path)

        monkeypatch.setattr(passphrases.os, "open", no_terminal)
        result = run("keygen", place / "params.ct", "--out", place / "k", "--passphrase")
        assert result.code == 5 and "--passphrase-file" in result.text and passphrases.VARIABLE in result.text

    def test_is_seen_without_it(self, place: Path) -> None:
        (place / "phrase").write_text("correct horse")
        make_keys(place, "--passphrase-file", place / "phrase")
        found = succeed("inspect", place / "k/secret.key")
        assert "protected secret key" in found.text and "encrypted with a passphrase: scrypt" in found.text
        assert "scrypt" in succeed("inspect", place / "k/secret.key", "--json").data["protection"]


def test_the_doctor_says_how_secrets_are_kept() -> None:
    facts = succeed("doctor", "--json").data["secrets"]
    assert facts["passphrases"] == _core.passphrases()
    assert (facts["refused"] == 0) == (facts["memory"] == "locked")
    assert "memory of keys" in " ".join(succeed("doctor").text.split())


def test_the_doctor_says_when_memory_can_not_be_locked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_core, "secret_memory", lambda: {"mapped": 1 << 20, "locked": 0, "refused": 3})
    result = succeed("doctor")
    assert "NOT all locked" in result.text and "ulimit -l" in result.text


def test_params_by_this_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    wanted = ("params", "--json", "--depth", 1, "--value-bits", 6, "--terms", 4, "--measure")
    chosen = succeed(*wanted, "--scheme", "bgv", "--word", 64).data  # nothing is left to be chosen
    assert (chosen["scheme"], chosen["word"]) == ("bgv", 64)
    assert succeed(*wanted).data["degree"] >= 1024
    assert "leave it out" in run(*wanted, "--bits").text
    assert "leave out measure" in run("params", "--measure", "--preset", "x").text
