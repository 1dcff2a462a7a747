# SPDX-License-Identifier: Apache-2.0
"""Covariances and column names for every combination of shapes and axes, against exact fractions."""

from __future__ import annotations

import itertools
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("typer")

from cli_runner import make_workspace, run, succeed
from cyclotome.cli.evaluation import expression
from cyclotome.cli.numbers.quantity import Quantity
from cyclotome.cli.tables import notes
from cyclotome.errors import ArgumentError

Exact = np.ndarray[Any, Any]

SHAPES = [(), (1,), (3,), (1, 3), (3, 1), (2, 3), (3, 3), (2, 1, 1), (2, 2, 3), (1, 1)]


def exact(quantity: Quantity) -> Exact:
    """The numbers that a quantity means, as fractions in its shape."""
    flat = [Fraction(int(v)) / quantity.scale for v in np.asarray(quantity.values, dtype=object).ravel()]
    out = np.empty(len(flat), dtype=object)
    out[:] = flat
    return out.reshape(quantity.shape)


def covariance(a: Exact, b: Exact, axis: int | None) -> Any:
    """The definition, term by term: the mean of products of what is left when the means are taken off."""
    a, b = np.broadcast_arrays(a, b)
    left, right = (v - np.mean(v, axis=axis, keepdims=True) for v in (a, b))
    return np.mean(left * right, axis=axis)


@pytest.mark.parametrize(("first", "second"), list(itertools.product(SHAPES, SHAPES)))
def test_covariances_of_all_shapes(rng: np.random.Generator, first: tuple[int, ...], second: tuple[int, ...]) -> None:
    def drawn(shape: tuple[int, ...], scale: int) -> Quantity:
        return Quantity(rng.integers(-9, 10, shape) if shape else int(rng.integers(-9, 10)), Fraction(scale))

    a, b = drawn(first, 1), drawn(second, 10)
    for axis in (None, -4, -3, -2, -1, 0, 1, 2, 3, 10**30):
        text = f"cov(a, b, axis={axis})"
        try:
            shape = np.broadcast_shapes(first, second)
            if not shape:
                raise ValueError
            np.empty(shape).sum(axis=axis)
        except (ValueError, np.exceptions.AxisError, OverflowError):
            with pytest.raises(ArgumentError):
                expression.evaluate(text, {"a": a, "b": b})
            continue
        result = expression.evaluate(text, {"a": a, "b": b})
        expected = np.asarray(covariance(exact(a), exact(b), axis), dtype=object)
        assert result.shape == expected.shape and np.all(exact(result) == expected), text


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Keys, x.ct (columns a, b, three rows), plain files, and a square table s.ct."""
    folder = make_workspace(tmp_path_factory.mktemp("cli"))
    for name, text in {
        "x": "a,b\n1,10\n2,20\n3,60\n",
        "y": "b,a\n1,10\n2,20\n3,60\n",
        "s": "p,q,r\n1,2,3\n4,5,7\n7,8,0\n",
        "t": "age,bmi,bp\n1,2,3\n4,5,6\n7,8,9\n1,1,1\n2,2,2\n",
    }.items():
        (folder / f"{name}.csv").write_text(text)
        succeed("encrypt", folder / f"{name}.csv", "-k", folder / "keys/public.key", "-o", folder / f"{name}.ct")
    arrays = {"v": [100, 10, 1], "w": [[5], [7]], "z": [[[1]], [[100]]], "m": [[1, 0, 2], [0, 1, 0]], "u": [1, 2]}
    for name, values in arrays.items():
        np.save(folder / f"{name}.npy", np.array(values))
    (folder / "named.csv").write_text("score\n3\n5\n")
    return folder


def decrypted(place: Path, text: str) -> tuple[list[str], list[list[Fraction]]]:
    """The header and the rows of a result's CSV."""
    files = {f.stem: f for f in (*place.glob("*.npy"), *place.glob("?.ct"), place / "named.csv")}
    inputs = [word for name, file in files.items() for word in ("-i", f"{name}={file}")]
    keys = "-k", place / "keys/evaluation.key", "--public", place / "keys/public.key"
    succeed("eval", text, *inputs, *keys, "-o", place / "r.out", "--force")
    succeed("decrypt", place / "r.out", "-k", place / "keys/secret.key", "-o", place / "r.csv", "--force")
    header, *rows = (place / "r.csv").read_text().splitlines()
    return header.split(","), [[Fraction(cell) for cell in row.split(",")] for row in rows]


@pytest.mark.parametrize(
    ("text", "header", "rows"),
    [
        ('cov(x, x["a"], axis=None)', ["result"], [[Fraction(26, 3)]]),
        ('cov(x, x["a"], axis=0)', ["result"], [[0], [0], [0]]),
        ('cov(x, x["a"])', ["a", "b"], [[Fraction(2, 3), Fraction(50, 3)]]),
        ('cov(x["a"], x)', ["a", "b"], [[Fraction(2, 3), Fraction(50, 3)]]),
        ("cov(x, w)", ["a", "b"], [[0, 0]]),
        ("cov(x, w, axis=0)", ["result"], [[Fraction(9, 2)], [9], [Fraction(57, 2)]]),
        ("cov(x, v)", ["a", "b"], [[-33, -690]]),
        ("var(x)", ["a", "b"], [[Fraction(2, 3), Fraction(1400, 3)]]),
        ("var(x, axis=None)", ["result"], [[Fraction(1289, 3)]]),
        ("v @ t", ["result"], [[123], [456], [789], [111], [222]]),
        ("u @ x", ["result"], [[21], [42], [123]]),
        ("x @ v", ["a", "b"], [[123, 1260]]),
        ("m @ t", ["result_0", "result_1"], [[7, 2], [16, 5], [25, 8], [3, 1], [6, 2]]),
        ("named @ x", ["score"], [[53], [106], [309]]),
        ('(x * z)["b"]', ["b_0", "b_1"], [[10, 1000], [20, 2000], [60, 6000]]),
        ('sum(x * z)["b"]', ["b"], [[90], [9000]]),
        ("sum(x * z)", ["a", "b"], [[6, 90], [600, 9000]]),
        ("sum(x * z, axis=0)", ["a", "b"], [[101, 1010], [202, 2020], [303, 6060]]),
        ("(x * z)[1]", ["a", "b"], [[100, 1000], [200, 2000], [300, 6000]]),
        ("x[0:1] - x", ["a", "b"], [[0, -9], [0, -18], [0, -57]]),
        ("x[1:2] + w", ["result_0", "result_1"], [[15, 17], [25, 27], [65, 67]]),
        ("x[::-1]", ["b", "a"], [[10, 1], [20, 2], [60, 3]]),
        ('x - x["a"]', ["a", "b"], [[0, 9], [0, 18], [0, 57]]),
        ("x[1]", ["b"], [[10], [20], [60]]),
        ('sum(x + x["a"], axis=0)', ["result"], [[13], [26], [69]]),
        ("mean(x)", ["a", "b"], [[2, 30]]),
        ('mean(x)["b"]', ["b"], [[30]]),
        ("mean(x) * w", ["a", "b"], [[10, 150], [14, 210]]),
        ('(mean(x) * w)["a"]', ["a"], [[10], [14]]),
        ("x * x[0:1] * 0.5", ["a", "b"], [[Fraction(1, 2), 5], [2, 20], [Fraction(9, 2), 90]]),
    ],
)
def test_names_follow_the_axis_they_name(place: Path, text: str, header: list[str], rows: list[list[Fraction]]) -> None:
    """What ``eval`` writes, ``decrypt`` reads, with names where they belong."""
    assert decrypted(place, text) == (header, rows)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("s - mean(s)", "meet the rows of the other"),
        ('s["p"] - mean(s)', "meet the rows of the other"),
        ("mean(s) * s", "meet the rows of the other"),
        ("x + y", "stands at different places"),
        ("x * y", "stands at different places"),
        ("cov(x, y)", "stands at different places"),
        ("dot(x, y)", "stands at different places"),
        ("mean(x) @ y", "stands at different places"),
        ("s + t", "do not broadcast"),
        ('sum(x, axis=0)["a"]', "no column 'a'"),
        ('(v @ t)["age"]', "no column 'age'"),
        ('(x + s[0:1])["a"]["a"]', "no column 'a'"),
        ('(x[1:2] + w)["b"]', "no column 'b'"),
        ("cov(x, t)", "do not broadcast"),
        ("cov(1, 2) * x", "not a single number"),
        ("var(x, axis=2)", "no such axis"),
        ("x[2]", "index 2 of 2 items"),
        ("x[2:]", "selects nothing"),
        ("x[::0]", "selects nothing"),
        ("v[7] * x", "index 7 of 3"),
        ("(v + u) * x", "do not broadcast"),
        ("v @ x", "do not fit"),
        ("x @ 2", "takes arrays on both sides"),
    ],
)
def test_what_does_not_belong_together_is_refused(place: Path, tmp_path: Path, text: str, message: str) -> None:
    inputs = [w for f in (*place.glob("?.npy"), *place.glob("?.ct")) for w in ("-i", f"{f.stem}={f}")]
    result = run("eval", text, *inputs, "-k", place / "keys/evaluation.key", "-o", tmp_path / "r.ct")
    assert result.code == 2 and message in " ".join(result.text.split()), result.text
    assert not (tmp_path / "r.ct").exists()


def test_names_and_values_of_plain_numbers_are_checked_when_a_quantity_is_made() -> None:
    with pytest.raises(ArgumentError, match="3 names do not fit axis 0"):
        Quantity(np.zeros((2, 3), dtype=np.int64), columns=("a", "b", "c"))
    assert Quantity(np.zeros((2, 3), dtype=np.int64), columns=("a", "b", "c"), axis=1).axis == 1
    wide = Quantity(np.array([2**62, 1]))
    assert expression.evaluate("w[0] * 8", {"w": wide}).values == 2**65  # not wrapped around at 64 bits
    assert exact(expression.evaluate("w / w[0]", {"w": wide})).tolist() == [1, Fraction(1, 2**62)]


def test_notes_say_which_axis_has_names(place: Path) -> None:
    labelled = Quantity(np.zeros((2, 3), dtype=np.int64), Fraction(3, 7), ("a", "b", "c"), axis=1)
    note = notes.note_of(labelled)
    assert note == {"scale": "3/7", "columns": ["a", "b", "c"], "axis": 1}
    assert notes.read_note(note, (2, 3), "f") == {
        "scale": Fraction(3, 7), "columns": ("a", "b", "c"), "name": None, "axis": 1
    }  # fmt: skip
    inputs = "-i", f"x={place / 'x.ct'}", "-i", f"z={place / 'z.npy'}"
    succeed("eval", "x * z", *inputs, "-k", place / "keys/evaluation.key", "-o", place / "n.out", "--force")
    assert "columns a, b along axis 1" in succeed("inspect", place / "n.out").text
    data = succeed("decrypt", place / "n.out", "-k", place / "keys/secret.key", "--json").data
    assert (data["columns"], data["axis"]) == (["a", "b"], 1)
