# SPDX-License-Identifier: Apache-2.0
"""The command line on files, step by step: what comes back is what was meant."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("typer")

import cyclotome as cy
from cli_runner import make_workspace, run, succeed
from cyclotome import _core
from cyclotome.devices import cuda
from cyclotome_study import ProductContext


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_workspace(tmp_path_factory.mktemp("cli"))


def evaluated(place: Path, folder: Path, expression: str, *options: object) -> Path:
    """The encrypted result of an expression over x, the table."""
    result = folder / "result.ct"
    succeed(
        "eval", expression, "-i", f"x={place / 'data.ct'}", "-k", place / "keys/evaluation.key", "-o", result, *options
    )
    return result


def decrypted(place: Path, path: Path) -> dict[str, Any]:
    return succeed("decrypt", path, "-k", place / "keys/secret.key", "--json").data


def test_parameters_are_explained_and_saved(place: Path) -> None:
    assert isinstance(cy.load(place / "params.ct"), cy.Parameters)
    shown = run("params", "--depth", 1, "--value-bits", 14, "--terms", 64)
    assert "noise headroom" in shown.text and "security" in shown.text
    data = succeed("params", "--depth", 2, "--value-bits", 5, "--word", 64, "--json").data
    assert data["word"] == 64 and data["security"] >= 128
    assert "seal-8192" in run("params", "--list").text


def test_presets_say_what_they_are(tmp_path: Path) -> None:
    data = succeed("params", "--preset", "seal-4096", "--value-bits", 8, "--json").data
    assert (data["name"], data["degree"], data["value_bits"]) == ("seal-4096", 4096, 8)
    weak = run("params", "--preset", "000-2048-62", "--allow-insecure", "-o", tmp_path / "weak.ct")
    assert weak.code == 0 and "INSECURE" in weak.text
    assert "INSECURE" in run("inspect", tmp_path / "weak.ct").text
    assert run("keygen", tmp_path / "weak.ct", "--out", tmp_path / "keys").code == 4
    assert run("keygen", tmp_path / "weak.ct", "--out", tmp_path / "keys", "--allow-insecure").code == 0


def test_the_secret_key_is_for_its_owner_alone(place: Path) -> None:
    assert stat.S_IMODE(os.stat(place / "keys/secret.key").st_mode) == 0o600
    assert isinstance(cy.load(place / "keys/evaluation.key"), cy.EvaluationKeys)


def test_a_secret_key_that_others_can_read_is_pointed_out(place: Path, tmp_path: Path) -> None:
    copy = tmp_path / "secret.key"
    copy.write_bytes((place / "keys/secret.key").read_bytes())
    copy.chmod(0o644)
    assert "others may read it" in succeed("decrypt", place / "data.ct", "-k", copy).text


def test_a_table_comes_back_as_it_was(place: Path) -> None:
    shown = run("decrypt", place / "data.ct", "-k", place / "keys/secret.key")
    assert shown.code == 0
    assert "bmi,age\n32.1,36\n-21.62,41\n30.5,85\n" in shown.text


def test_an_expression_is_computed_exactly(place: Path, tmp_path: Path) -> None:
    data = decrypted(place, evaluated(place, tmp_path, "x * x + 3 * x"))
    assert data["columns"] == ["bmi", "age"]
    values = np.array([[3210, -2162, 3050], [3600, 4100, 8500]])
    assert (data["scale"], data["integers"]) == ("10000", (values * values + 300 * values).tolist())


def test_statistics_over_rows(place: Path, tmp_path: Path) -> None:
    evaluated(place, tmp_path, "mean(x)")
    succeed("decrypt", tmp_path / "result.ct", "-k", place / "keys/secret.key", "-o", tmp_path / "mean.csv")
    assert (tmp_path / "mean.csv").read_text() == "bmi,age\n13.66,54\n"
    data = decrypted(place, evaluated(place, tmp_path, 'cov(x["bmi"], x["age"])', "--force"))
    bmi, age = np.array([32.1, -21.62, 30.5]), np.array([36, 41, 85])
    expected = (bmi * age).mean() - bmi.mean() * age.mean()
    assert np.isclose(data["integers"] / np.float64(data["scale"]), expected)


def test_plain_files_take_part(place: Path, tmp_path: Path) -> None:
    np.save(tmp_path / "w.npy", np.array([[0.5, -1.0], [2.0, 0.25]]))
    data = decrypted(place, evaluated(place, tmp_path, "w @ x", "-i", f"w={tmp_path / 'w.npy'}"))
    expected = np.array([[0.5, -1.0], [2.0, 0.25]]) @ np.array([[32.1, -21.62, 30.5], [36, 41, 85]])
    assert np.allclose(np.array(data["integers"]) / float(data["scale"]), expected)


def test_results_that_would_hide_nothing_need_the_public_key(place: Path, tmp_path: Path) -> None:
    inputs = "-i", f"x={place / 'data.ct'}", "-k", place / "keys/evaluation.key", "-o", tmp_path / "zero.ct"
    refused = run("eval", "x - x", *inputs)
    assert refused.code != 0 and "hides nothing" in refused.text
    succeed("eval", "x - x", *inputs, "--public", place / "keys/public.key")
    assert decrypted(place, tmp_path / "zero.ct")["integers"] == [[0, 0, 0], [0, 0, 0]]


def test_npy_arrays_keep_their_shape(place: Path, tmp_path: Path) -> None:
    array = np.arange(-12, 12).reshape(2, 3, 4)
    np.save(tmp_path / "a.npy", array)
    secret = place / "keys/secret.key"
    succeed("encrypt", tmp_path / "a.npy", "-k", secret, "-o", tmp_path / "a.ct")  # symmetric: half as large
    succeed("decrypt", tmp_path / "a.ct", "-k", secret, "-o", tmp_path / "b.npy")
    assert np.array_equal(np.load(tmp_path / "b.npy"), array)
    succeed("encrypt", tmp_path / "a.npy", "-k", place / "keys/public.key", "-o", tmp_path / "p.ct")
    assert (tmp_path / "a.ct").stat().st_size < 0.6 * (tmp_path / "p.ct").stat().st_size


def test_parquet_tables(place: Path, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    pyarrow = pytest.importorskip("pyarrow")
    parquet.write_table(pyarrow.table({"a": [1.25, 2.5], "b": [3, 4]}), tmp_path / "t.parquet")
    key = place / "keys/public.key"
    succeed("encrypt", tmp_path / "t.parquet", "-k", key, "-o", tmp_path / "t.ct", "--scale", "auto")
    succeed("decrypt", tmp_path / "t.ct", "-k", place / "keys/secret.key", "-o", tmp_path / "u.parquet")
    assert parquet.read_table(tmp_path / "u.parquet").to_pydict() == {"a": [1.25, 2.5], "b": [3.0, 4.0]}


def test_files_explain_themselves(place: Path) -> None:
    shown = run("inspect", place / "data.ct").text
    assert "columns bmi, age" in shown and "integers / 100" in shown and "noise headroom" in shown
    data = succeed("inspect", place / "data.ct", "--json").data
    assert data["kind"] == "encrypted array" and data["shape"] == [2, 3]
    secret = run("inspect", place / "keys/secret.key").text
    assert secret.startswith("secret key")


def test_product_contexts_explain_themselves(tmp_path: Path) -> None:
    context = ProductContext.generate(64, 300, (64, 128))
    context.save(tmp_path / "context")
    shown = succeed("inspect", tmp_path / "context").text
    assert shown.startswith("product context") and "Z_q[x]/(x^64 + 1)" in shown
    assert all(f"{p:#x}" in shown for p in context.primes) and f"q of {context.modulus.bit_length()} bits" in shown
    data = succeed("inspect", tmp_path / "context", "--json").data
    assert data["kind"] == "product context" and "parameters" not in data
    assert data["nbytes"] == (tmp_path / "context").stat().st_size and data["format_version"] == 2
    about = data["product_context"]
    assert [int(p) for p in about["primes"]] == context.primes and about["degree"] == 64
    assert [int(g) for g in about["generators"]] == context.generators
    assert about["prime_bits"] == [p.bit_length() for p in context.primes]
    assert about["modulus_bits"] == context.modulus.bit_length()


def test_results_are_revealed_to_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same table; by flooding alone, with as many bits as were asked for."""
    intent = "--depth", 0, "--value-bits", 14, "--terms", 4, "--flooding-bits", 64
    succeed("params", *intent, "-o", tmp_path / "params.ct")
    assert cy.load(tmp_path / "params.ct") == cy.Parameters.suggest(depth=0, value_bits=14, terms=4, flooding_bits=64)
    succeed("keygen", tmp_path / "params.ct", "--out", tmp_path / "keys", "--rotations", "none")
    (tmp_path / "data.csv").write_text("a,b\n1.5,-2\n3,4\n", encoding="utf-8")
    data = "encrypt", tmp_path / "data.csv", "--scale", "auto"
    succeed(*data, "-k", tmp_path / "keys/public.key", "-o", tmp_path / "data.ct")
    given = []
    real = _core.reveal

    def noted(array: Any, key: Any, bits: int, options: Any) -> Any:
        given.append(bits)
        return real(array, key, bits, options)

    def refused(*_: Any) -> Any:
        raise AssertionError("decrypt was called")

    monkeypatch.setattr(_core, "reveal", noted)
    monkeypatch.setattr(_core, "decrypt", refused)
    opening = "decrypt", tmp_path / "data.ct", "-k", tmp_path / "keys/secret.key", "--reveal"
    assert "a,b\n1.5,-2\n3,4\n" in succeed(*opening).text
    assert succeed(*opening, "--flooding-bits", 32, "--json").data["integers"] == [[15, 30], [-20, 40]]
    assert given == [64, 32]  # the library adds what several ciphertexts cost together


def test_the_doctor_tests_this_machine() -> None:
    data = succeed("doctor", "--json").data
    assert data["self_test"]["passed"] is True
    assert data["devices"]["cpu"] == "ready" and data["self_test"]["devices"][0] == "cpu"
    state = data["devices"]["cuda"]
    assert ("not in this build" in state and "make install-cuda" in state) != _core.cuda_built
    assert state.startswith("ready") == bool(cuda.usable()) == (len(data["self_test"]["devices"]) > 1)
    assert data["instruction_sets"][0] == "scalar"
    assert "self test" in run("doctor").text


def test_as_a_process_results_and_remarks_are_kept_apart(place: Path) -> None:
    """Results on standard output, everything else on standard error."""
    words = ["decrypt", place / "data.ct", "-k", place / "keys/secret.key", "--json"]
    command = [sys.executable, "-m", "cyclotome", *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["shape"] == [2, 3]
    assert "integers / 100" in done.stderr
    failed = subprocess.run([sys.executable, "-m", "cyclotome", "inspect", "absent.ct"], capture_output=True, text=True)
    assert (failed.returncode, failed.stdout) == (3, "")
    assert "error:" in failed.stderr and "Traceback" not in failed.stderr


def test_version_and_help() -> None:
    assert cy.__version__ in run("--version").text
    for command in ("demo", "params", "keygen", "encrypt", "eval", "decrypt", "inspect", "doctor"):
        assert run(command, "--help").code == 0


def test_help_breaks_lines_where_the_terminal_ends() -> None:
    """Not where those of the source end, too."""
    from cyclotome.cli import failures, service
    from cyclotome.cli.evaluation import evaluate
    from cyclotome.cli.tables import arrays

    for function in (arrays.encrypt, arrays.decrypt, evaluate.evaluate, service.serve, service.call):
        paragraphs = (function.__doc__ or "").split("\n\n")
        assert len(paragraphs) > 1 and not any("\n" in paragraph for paragraph in paragraphs)
    assert failures.flowing("""One\n    line.\n\n    Another,\n    of two.\n    """) == "One line.\n\nAnother, of two."
    assert failures.flowing(None) is None
