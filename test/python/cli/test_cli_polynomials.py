# SPDX-License-Identifier: Apache-2.0
"""Polynomials on the command line: products, automorphisms, expansion and packing; names, scales and refusals."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("typer")

import cyclotome as cy
from cli_runner import run, succeed
from small import insecure

N = 1024


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Parameters of three primes, keys for traces, and a table of two short columns."""
    folder = tmp_path_factory.mktemp("polynomials")
    parameters = insecure([40961], N, [40] * 3, [41])
    cy.save(folder / "params.ct", parameters)
    succeed("keygen", folder / "params.ct", "--out", folder, "--galois", "traces", "--allow-insecure")
    (folder / "table.csv").write_text("a,b\n1.5,2\n-0.5,3\n0,1\n", encoding="utf-8")
    table = folder / "table.csv", "-k", folder / "public.key", "-o", folder / "x.ct", "--scale", "2", "--bound", "9"
    succeed("encrypt", *table, "--polynomials", "--allow-insecure")
    np.save(folder / "y.npy", np.array([2, 0, -1]))
    return folder


def evaluated(place: Path, folder: Path, expression: str, *options: object) -> dict[str, Any]:
    inputs = "-i", f"x={place / 'x.ct'}", "-i", f"y={place / 'y.npy'}", "-k", place / "evaluation.key"
    out = folder / "out.ct"
    succeed("eval", expression, *inputs, "-o", out, "--allow-insecure", "--force", *options)
    return succeed("decrypt", out, "-k", place / "secret.key", "--json", "--allow-insecure").data  # type: ignore[no-any-return]


def test_products_keep_columns_and_multiply_scales(place: Path, tmp_path: Path) -> None:
    found = evaluated(place, tmp_path, "convolve(x, y)")
    assert found["columns"] == ["a", "b"] and found["scale"] == "2" and found["shape"] == [2, 5]
    assert found["integers"] == [[6, -2, -3, 1, 0], [8, 12, 0, -6, -2]]
    square = evaluated(place, tmp_path, "convolve(x, x)", "--product-method", "behz", "--smallest")
    assert square["columns"] == ["a", "b"] and square["scale"] == "4"
    assert square["integers"] == [np.convolve(c, c).tolist() for c in ([3, -1, 0], [4, 6, 2])]
    column = evaluated(place, tmp_path, 'negacyclic(x["a"], x["b"])')
    assert column["shape"] == [N] and column["integers"][:5] == np.convolve([3, -1, 0], [4, 6, 2]).tolist()


def test_automorphisms_expansion_and_packing(place: Path, tmp_path: Path) -> None:
    turned = evaluated(place, tmp_path, "turn(x, 3)")
    assert turned["columns"] == ["a", "b"] and turned["integers"][1][:7] == [4, 0, 0, 6, 0, 0, 2]
    assert evaluated(place, tmp_path, "trace(x)")["integers"] == [3 * N, 4 * N]
    assert evaluated(place, tmp_path, "pack(expand(x))")["integers"] == [[3, -1, 0], [4, 6, 2]]
    packed = evaluated(place, tmp_path, "pack(x)")
    assert packed["shape"] == [N] and packed["columns"] is None
    assert packed["integers"][:: N // 2] == [3, 4] and sum(map(abs, packed["integers"])) == 7


def test_a_smaller_answer_holds_the_same(place: Path, tmp_path: Path) -> None:
    trust = "-i", f"x={place / 'x.ct'}", "-k", place / "evaluation.key", "--allow-insecure"
    succeed("eval", "x + x", *trust, "-o", tmp_path / "whole.ct")
    succeed("eval", "x + x", *trust, "-o", tmp_path / "small.ct", "--smallest")
    assert (tmp_path / "small.ct").stat().st_size < 0.5 * (tmp_path / "whole.ct").stat().st_size
    found = succeed("decrypt", tmp_path / "small.ct", "-k", place / "secret.key", "--json", "--allow-insecure").data
    assert found["integers"] == [[6, -2, 0], [8, 12, 4]]


@pytest.mark.parametrize(
    ("expression", "reason"),
    [
        ("negacyclic(x)", "must have 2 array"),
        ("turn(x, x)", "whole number"),
        ("turn(x, 2)", "must be odd"),
        ("turn(x, 7)", "galois_elements=\\[7\\]"),
        ("convolve(x, y, axis=0)", "must have 2 array"),
        ("x * x", "coefficients"),
        ("convolve(y, y)", "nothing encrypted|encrypted array"),
        ("fold(x)", "not a function"),
    ],
)
def test_what_is_refused(place: Path, tmp_path: Path, expression: str, reason: str) -> None:
    inputs = "-i", f"x={place / 'x.ct'}", "-i", f"y={place / 'y.npy'}", "-k", place / "evaluation.key"
    result = run("eval", expression, *inputs, "-o", tmp_path / "out.ct", "--allow-insecure")
    assert result.code != 0 and re.search(reason, " ".join(result.text.split())), result.text
    assert not (tmp_path / "out.ct").exists()


def test_options_that_make_no_sense(place: Path, tmp_path: Path) -> None:
    out = "-k", place / "evaluation.key", "-o", tmp_path / "out.ct", "--allow-insecure"
    assert run("eval", "x", "-i", f"x={place / 'x.ct'}", *out, "--product-method", "toom").code == 2
    keygen = "keygen", place / "params.ct", "--out", tmp_path / "keys", "--allow-insecure", "--galois"
    assert run(*keygen, "some").code == 2 and run(*keygen, "3,4").code != 0
    named = run("eval", "turn", "-i", f"turn={place / 'x.ct'}", *out)
    assert named.code == 2 and "is taken" in named.text
    encrypt = "encrypt", place / "y.npy", "-k", place / "public.key", "-o", tmp_path / "e.ct", "--allow-insecure"
    assert run(*encrypt, "--wrap", "--bound", "5").code != 0
    assert run(*encrypt, "--bound", "5", "--l1-bound", "2").code != 0  # magnitudes add up to 3
