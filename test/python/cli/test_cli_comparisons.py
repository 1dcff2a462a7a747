# SPDX-License-Identifier: Apache-2.0
"""Comparisons and selections on the command line: scales, names and refusals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("typer")

import cyclotome as cy
import numpy as np
from cli_runner import run, succeed
from small import insecure


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Parameters deep enough, keys, and a table of two short columns of halves."""
    folder = tmp_path_factory.mktemp("comparisons")
    parameters = insecure([12289], 1024, [50] * 7)
    cy.save(folder / "params.ct", parameters)
    succeed("keygen", folder / "params.ct", "--out", folder, "--allow-insecure")
    (folder / "table.csv").write_text("a,b\n1.5,2\n-0.5,-0.5\n0,1\n", encoding="utf-8")
    table = folder / "table.csv", "-k", folder / "public.key", "-o", folder / "x.ct", "--scale", "2", "--bound", "5"
    succeed("encrypt", *table, "--allow-insecure")
    return folder


def computed(place: Path, folder: Path, expression: str) -> Any:
    inputs = "-i", f"x={place / 'x.ct'}", "-k", place / "evaluation.key"
    succeed("eval", expression, *inputs, "-o", folder / "z.ct", "--allow-insecure", "--force")
    succeed(
        "decrypt", folder / "z.ct", "-k", place / "secret.key", "-o", folder / "z.csv", "--allow-insecure", "--force"
    )
    return np.loadtxt(folder / "z.csv", delimiter=",", skiprows=1)


@pytest.mark.parametrize(
    "expression,expected",
    [
        ('equal(x["a"], x["b"])', [0, 1, 0]),
        ('less(x["a"], x["b"])', [1, 0, 1]),
        ('less(x["a"], 0.25)', [0, 1, 1]),
        ('maximum(x["a"], 0.5)', [1.5, 0.5, 0.5]),
        ('minimum(x["a"], x["b"])', [1.5, -0.5, 0]),
        ('where(less(x["a"], x["b"]), x["b"], 7)', [2, 7, 1]),
    ],
)
def test_numbers_are_compared_at_one_scale(place: Path, tmp_path: Path, expression: str, expected: Any) -> None:
    assert np.array_equal(computed(place, tmp_path, expression), expected)


@pytest.mark.parametrize("expression", ["less(x)", "less(x, x, axis=0)", "where(x, 1)", "equal(1, 2) + x", "sort(x)"])
def test_refusals(place: Path, tmp_path: Path, expression: str) -> None:
    inputs = "-i", f"x={place / 'x.ct'}", "-k", place / "evaluation.key"
    assert run("eval", expression, *inputs, "-o", tmp_path / "z.ct", "--allow-insecure").code != 0
