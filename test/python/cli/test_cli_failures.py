# SPDX-License-Identifier: Apache-2.0
"""Every wrong use of the command line: the right exit code, and one message that says what to do."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("typer")

import typer
from cli_runner import make_workspace, run, succeed
from cyclotome.cli import failures, main
from cyclotome.cli.app import app
from cyclotome.cli.option_words import in_options
from cyclotome_study import ProductContext


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_workspace(tmp_path_factory.mktemp("cli"))


@pytest.fixture(scope="module")
def stranger(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Somebody else's keys: other ones of equal parameters in keys/, ones of other parameters in other/."""
    folder = make_workspace(tmp_path_factory.mktemp("stranger"))
    succeed("params", "--depth", 0, "--value-bits", 8, "-o", folder / "other.ct")
    succeed("keygen", folder / "other.ct", "--out", folder / "other", "--rotations", "none")
    return folder


def fail(code: int, message: str, *arguments: object) -> None:
    """Runs a command that must fail with this code and say this; never a traceback."""
    result = run(*arguments)
    assert result.code == code, result.text
    assert message in " ".join(result.text.split()), result.text
    assert "Traceback" not in result.text


def encrypt(place: Path, tmp_path: Path, content: str, *options: object) -> tuple[object, ...]:
    """The arguments that encrypt this CSV text."""
    (tmp_path / "in.csv").write_text(content, encoding="utf-8")
    return "encrypt", tmp_path / "in.csv", "-k", place / "keys/public.key", "-o", tmp_path / "out.ct", *options


@pytest.mark.parametrize(
    ("code", "message", "content", "options"),
    [
        (3, "row 2, column name: 'Ada' is not a number", "name,a\nAda,1\n", ()),
        (3, "nan cannot be encrypted", "a\n1\nnan\n", ()),
        (3, "inf cannot be encrypted", "a\ninf\n", ()),
        (3, "columns b were asked for", "a\n1\n", ("--columns", "b")),
        (3, "no rows", "", ()),
        (6, "floats need --scale", "a\n1.5\n", ()),
        (6, "--round", "a\n1.234\n", ("--scale", "100")),
        (6, "beyond the bound 16383", "a\n16384\n", ()),
        (6, "beyond the bound 10", "a\n11\n", ("--bound", "10")),
        (6, "these parameters hold", "a\n1\n", ("--bound", 10**30)),
        (2, "a positive number, or auto", "a\n1\n", ("--scale", "ten")),
        (2, "a positive number, or auto", "a\n1\n", ("--scale", "0")),
    ],
)
def test_data_that_cannot_be_encrypted(
    place: Path, tmp_path: Path, code: int, message: str, content: str, options: tuple[str, ...]
) -> None:
    fail(code, message, *encrypt(place, tmp_path, content, *options))
    assert not (tmp_path / "out.ct").exists()


def test_files_that_are_not_there_or_of_the_wrong_kind(place: Path, tmp_path: Path) -> None:
    key, out = place / "keys/public.key", tmp_path / "out.ct"
    fail(3, "No such file", "encrypt", tmp_path / "absent.csv", "-k", key, "-o", out)
    fail(3, "must end in .csv, .npy, .parquet", "encrypt", tmp_path / "data.txt", "-k", key, "-o", out)
    fail(3, "absent.key", "encrypt", place / "data.csv", "--columns", "age", "-k", tmp_path / "absent.key", "-o", out)
    fail(3, "absent.ct", "inspect", tmp_path / "absent.ct")
    fail(3, "the folder", "encrypt", place / "data.csv", "-k", key, "-o", tmp_path / "no" / "out.ct")
    fail(3, "a public key, where parameters must be", "keygen", key, "--out", tmp_path / "keys")


def test_damaged_files(place: Path, tmp_path: Path) -> None:
    whole = (place / "data.ct").read_bytes()
    secret = place / "keys/secret.key"
    flipped = bytearray(whole)
    flipped[len(whole) // 2] ^= 4
    for name, content in {"flip": bytes(flipped), "cut": whole[:-7], "empty": b"", "text": b"a,b\n1,2\n"}.items():
        path = tmp_path / f"{name}.ct"
        path.write_bytes(content)
        assert run("inspect", path).code == 3
        assert run("decrypt", path, "-k", secret).code == 3
        assert (
            run("eval", "x", "-i", f"x={path}", "-k", place / "keys/evaluation.key", "-o", tmp_path / "o.ct").code == 3
        )


def test_keys_that_do_not_fit(place: Path, stranger: Path, tmp_path: Path) -> None:
    fail(5, "key", "decrypt", place / "data.ct", "-k", stranger / "keys/secret.key")
    fail(5, "belongs to", "decrypt", place / "data.ct", "-k", stranger / "other/secret.key")
    x = f"x={place / 'data.ct'}"
    for keys in ("keys", "other"):
        fail(5, "", "eval", "x * x", "-i", x, "-k", stranger / keys / "evaluation.key", "-o", tmp_path / "o.ct")
    mixed = "-i", x, "-i", f"y={stranger / 'data.ct'}", "-k", place / "keys/evaluation.key", "-o", tmp_path / "o.ct"
    fail(5, "", "eval", "x + y", *mixed)


def test_keys_that_are_missing(place: Path, tmp_path: Path) -> None:
    succeed("keygen", place / "params.ct", "--out", tmp_path / "keys", "--rotations", "none")
    data = "encrypt", place / "data.csv", "--columns", "age", "-k", tmp_path / "keys/public.key"
    succeed(*data, "-o", tmp_path / "d.ct")
    keys = "-k", tmp_path / "keys/evaluation.key", "-o", tmp_path / "o.ct"
    fail(5, "rotation", "eval", "sum(x)", "-i", f"x={tmp_path / 'd.ct'}", *keys)


def test_revealing_has_limits(place: Path, tmp_path: Path) -> None:
    decrypt = "decrypt", place / "data.ct", "-k", place / "keys/secret.key"
    fail(2, "--flooding-bits goes with --reveal", *decrypt, "--flooding-bits", 20)
    for bits in (0, 129):
        fail(2, f"--flooding-bits {bits} must lie in", *decrypt, "--reveal", "--flooding-bits", bits)
    fail(6, "suggest with --flooding-bits", *decrypt, "--reveal", "--flooding-bits", 128)
    fail(4, "--flooding-bits = 129", "params", "--flooding-bits", 129)
    fail(2, "--preset fixes everything", "params", "--preset", "seal-4096", "--flooding-bits", 20)


def test_damaged_product_contexts_are_refused(tmp_path: Path) -> None:
    data = bytearray(ProductContext.generate(64, 100, (20, 32)).to_bytes())
    for length in (11, 40, len(data) - 1):
        (tmp_path / "cut").write_bytes(data[:length])
        fail(3, "", "inspect", tmp_path / "cut")
    data[70] ^= 1
    (tmp_path / "damaged").write_bytes(data)
    fail(3, "damaged", "inspect", tmp_path / "damaged")


def test_parameters_that_do_not_exist(tmp_path: Path) -> None:
    fail(4, "preset 'nonsense' is unknown; there are", "params", "--preset", "nonsense")
    fail(4, "--allow-insecure", "params", "--preset", "000-2048-62")
    fail(4, "no degree up to", "params", "--depth", 40, "--value-bits", 20, "--result-bits", 900)
    fail(4, "", "params", "--security", 100)
    fail(2, "--preset fixes everything", "params", "--preset", "seal-4096", "--depth", 3)
    fail(2, "Invalid value", "params", "--depth", "deep")


def test_computations_that_do_not_fit(place: Path, tmp_path: Path) -> None:
    x = "-i", f"x={place / 'data.ct'}", "-k", place / "keys/evaluation.key", "-o", tmp_path / "o.ct"
    fail(6, "to the power 8 take about", "eval", "x ** 8", *x)
    succeed("params", "--preset", "seal-4096", "--value-bits", 2, "-o", tmp_path / "shallow.ct")
    named = "--security-table", "he-standard-2018"
    succeed("keygen", tmp_path / "shallow.ct", "--out", tmp_path / "keys", *named)
    (tmp_path / "ones.csv").write_text("1\n-1\n")
    key = tmp_path / "keys"
    ones = "encrypt", tmp_path / "ones.csv", "-k", key / "public.key", "-o", tmp_path / "ones.ct", "--bound", 1
    succeed(*ones, *named)
    inputs = "-i", f"x={tmp_path / 'ones.ct'}", "-k", key / "evaluation.key", "-o", tmp_path / "deep.ct"
    deep = " * ".join(["x"] * 16)  # the values fit, the noise does not; x ** 16 knows that it is x ** 2 of such values
    fail(6, "could not be decrypted", "eval", deep, *inputs, *named)
    assert not (tmp_path / "deep.ct").exists()


@pytest.mark.parametrize(
    "expression", ["__import__('os')", "x.real", "x if x else 1", "open('f')", "x //", "x > 1", "[x]"]
)
def test_expressions_outside_the_language(place: Path, tmp_path: Path, expression: str) -> None:
    x = "-i", f"x={place / 'data.ct'}", "-k", place / "keys/evaluation.key", "-o", tmp_path / "o.ct"
    fail(2, "", "eval", expression, *x)
    assert not (tmp_path / "o.ct").exists()


def test_inputs_that_are_missing_or_not_encrypted(place: Path, tmp_path: Path) -> None:
    keys = "-k", place / "keys/evaluation.key", "-o", tmp_path / "o.ct"
    fail(2, "add --input y=FILE", "eval", "x + y", "-i", f"x={place / 'data.ct'}", *keys)
    fail(2, "write NAME=FILE", "eval", "x", "-i", "data.ct", *keys)
    fail(2, "taken", "eval", "sum(sum)", "-i", f"sum={place / 'data.ct'}", *keys)
    fail(2, "nothing encrypted", "eval", "1 + 2", *keys)
    np.save(tmp_path / "p.npy", np.arange(3))
    fail(2, "nothing encrypted", "eval", "p", "-i", f"p={tmp_path / 'p.npy'}", *keys)


def test_nothing_is_overwritten_without_force(place: Path, tmp_path: Path) -> None:
    before = (place / "keys/secret.key").read_bytes()
    fail(2, "--force", "keygen", place / "params.ct", "--out", place / "keys")
    assert (place / "keys/secret.key").read_bytes() == before
    fail(2, "--force", *encrypt(place, tmp_path, "1\n")[:-1], place / "data.ct")
    fail(2, "--force", "params", "-o", place / "params.ct")
    taken = tmp_path / "taken.csv"
    taken.write_text("mine")
    fail(2, "--force", "decrypt", place / "data.ct", "-k", place / "keys/secret.key", "-o", taken)
    assert taken.read_text() == "mine"
    succeed("decrypt", place / "data.ct", "-k", place / "keys/secret.key", "-o", taken, "--force")
    assert taken.read_text().startswith("bmi,age")


def test_devices_that_are_not_there(place: Path, tmp_path: Path) -> None:
    fail(1, "cyclotome doctor", *encrypt(place, tmp_path, "1\n", "--device", "cuda:999"))


def test_debug_shows_where(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="absent"):
        run("inspect", tmp_path / "absent.ct", "--debug")


def test_unexpected_errors_are_one_message_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr("cyclotome.cli.doctor.self_test", broken)
    fail(1, "ZeroDivisionError: a bug; this should not happen", "doctor")


def test_a_failed_self_test_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cyclotome.cli.doctor._computes", lambda device: False)
    fail(1, "FAILED: do not trust results on this machine: cpu: wrong results", "doctor")


def test_without_typer_the_command_line_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "typer", None)
    with pytest.raises(SystemExit) as stopped:
        main()
    assert stopped.value.code == 1
    assert "pip install typer rich" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("command", "message", "said"),
    [
        ("params", "say allow_insecure=True to mean it", "say --allow-insecure to mean it"),
        ("params", "for tests from 256 on, with allow_insecure", "for tests from 256 on, with --allow-insecure"),
        ("params", "larger values; say result_bits=", "larger values; say --result-bits"),
        ("inspect", "pass allow_insecure=True to load it", "pass --allow-insecure to load it"),
        ("eval", "encrypt with wrap=True for powers modulo T", "encrypt with --wrap for powers modulo T"),
        ("eval", "for wider results: suggest(result_bits=...)", "for wider results: cyclotome params --result-bits …"),
        ("eval", "over Phi_m: Parameters.suggest(bits=True)", "over Phi_m: cyclotome params --bits"),
        ("eval", "keygen(parameters, bootstrap=True)", "cyclotome keygen --bootstrap"),
        ("encrypt", "or say missing='public'", "or say --missing 'public'"),
        ("encrypt", "k exists: say overwrite=True, or", "k exists: say --force, or"),
        # What is no option, or only looks like one, stays.
        ("encrypt", "say cy.suggest(compute=...)", "say cy.suggest(compute=...)"),
        ("encrypt", "'allow_insecure', /tmp/force=7, keys=a.csv", "'allow_insecure', /tmp/force=7, keys=a.csv"),
        ("eval", "sum(x, axis=1) of the key and the device", "sum(x, axis=1) of the key and the device"),
    ],
)
def test_messages_of_the_library_name_options_as_commands_have_them(command: str, message: str, said: str) -> None:
    root: Any = typer.main.get_command(app)
    assert in_options(message) == message  # outside of commands
    with typer.Context(root) as outer, typer.Context(root.commands[command], parent=outer):
        assert in_options(message) == said


def test_a_refusal_below_names_the_option() -> None:
    fail(4, "with --allow-insecure", "params", "--bootstrappable", 1000)
    fail(4, "say --result-bits", "params", "--value-bits", 90, "--depth", 30)


def test_every_error_class_has_the_code_that_the_documentation_promises() -> None:
    from cyclotome import errors

    expected = {
        "FileError": 3, "FormatError": 3, "ParameterError": 4, "SecurityError": 4, "MismatchError": 5,
        "MissingKeyError": 5, "NoiseError": 6, "RangeError": 6, "ArgumentError": 2, "UnsupportedError": 2,
        "TransparentError": 5, "EngineError": 1, "SecrecyError": 1, "QuotaError": 1, "BusyError": 1,
        "FunctionError": 1, "ServiceError": 3, "UnknownKeysError": 5, "UnauthorizedError": 5, "WorkerLostError": 1,
        "TimeLimitError": 1,
    }  # fmt: skip
    for name, code in expected.items():
        assert failures.exit_code(getattr(errors, name)("x")) == code
