# SPDX-License-Identifier: Apache-2.0
"""Products without end on the command line: parameters, keys, and refresh() in expressions."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("typer")

from cli_runner import run, succeed


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Small parameters that can be refreshed, keys, and three numbers."""
    place = tmp_path_factory.mktemp("refreshing")
    made = succeed("params", "--bootstrappable", 256, "--allow-insecure", "-o", place / "params.ct")
    assert "INSECURE" in made.text
    succeed("keygen", place / "params.ct", "--out", place / "keys", "--bootstrap", "--allow-insecure")
    (place / "data.csv").write_text("a\n1\n-2\n3\n", encoding="utf-8")
    key = "-k", place / "keys/public.key", "--allow-insecure"
    succeed("encrypt", place / "data.csv", *key, "-o", place / "data.ct", "--bound", 9)
    return place


def test_an_expression_refreshes(folder: Path) -> None:
    trust = ("--allow-insecure",)
    seen = succeed("inspect", folder / "keys/evaluation.key")
    assert "refresh (experimental)" in seen.text
    inputs = "-i", f"x={folder / 'data.ct'}", "-k", folder / "keys/evaluation.key"
    succeed("eval", "refresh(x * x) * x + refresh(x)", *inputs, "-o", folder / "out.ct", *trust)
    opened = succeed("decrypt", folder / "out.ct", "-k", folder / "keys/secret.key", "--json", *trust)
    assert opened.data["columns"] == ["a"] and opened.data["integers"] == [[2, -10, 30]]


def test_an_expression_refreshes_by_itself_where_there_is_no_room(folder: Path) -> None:
    """What would end for noise goes on with --bootstrap, to the same numbers as Python's."""
    key = "-k", folder / "keys/public.key", "--allow-insecure"
    succeed("encrypt", folder / "data.csv", *key, "-o", folder / "wrapped.ct", "--wrap")
    inputs = "-i", f"x={folder / 'wrapped.ct'}", "-k", folder / "keys/evaluation.key", "--allow-insecure"
    formula = "((((x ** 64) ** 64 + 1) ** 64) ** 64) ** 16"  # 28 squarings
    refused = run("eval", formula, *inputs, "-o", folder / "deep.ct")
    assert refused.code != 0 and not (folder / "deep.ct").exists()
    made = succeed("eval", formula, *inputs, "-o", folder / "deep.ct", "--bootstrap", "--json")
    assert sum(each["ciphertexts"] for each in made.data["refreshes"]) >= 1
    assert all(each["operation"] for each in made.data["refreshes"])
    opened = succeed("decrypt", folder / "deep.ct", "-k", folder / "keys/secret.key", "--json", "--allow-insecure")
    assert opened.data["integers"] == [[pow(pow(v, 2**12, 65537) + 1, 2**16, 65537) for v in (1, -2, 3)]]
    # Where there is room nothing is refreshed, and nothing said of it.
    usual = succeed("eval", "x + x", *inputs, "-o", folder / "sum.ct", "--bootstrap", "--json")
    assert "refreshes" not in usual.data
    spoken = succeed("eval", formula, *inputs, "-o", folder / "again.ct", "--bootstrap")
    assert "refreshed" in spoken.text


@pytest.mark.parametrize("text", ["refresh(x, x)", "refresh()", "refresh(x, axis=0)", "refresh(2)"])
def test_what_is_no_array_is_refused(folder: Path, text: str) -> None:
    inputs = "-i", f"x={folder / 'data.ct'}", "-k", folder / "keys/evaluation.key"
    assert run("eval", text, *inputs, "-o", folder / "none.ct", "--allow-insecure").code != 0
    assert not (folder / "none.ct").exists()


def test_options_that_do_not_go_together(folder: Path) -> None:
    for words in (("--bootstrappable", 32768, "--depth", 2), ("--bootstrappable", 32768, "--preset", "seal-8192")):
        assert run("params", *words).code != 0
    assert "allow" in run("params", "--bootstrappable", 1024).text
    succeed("params", "--depth", 1, "--value-bits", 8, "-o", folder / "usual.ct")
    refused = run("keygen", folder / "usual.ct", "--out", folder / "other", "--bootstrap")
    assert refused.code != 0 and "bootstrappable" in refused.text
