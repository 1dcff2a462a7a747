# SPDX-License-Identifier: Apache-2.0
"""Random expressions over random tables through the command line: exactly the fractions that NumPy computes, under the
names that belong to them, or a refusal with an exit code that says why.

CYCLOTOME_CLI_PROGRAMS is how many there are (a long run: 20000); every run prints its seed and counts.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import cyclotome as cy
import named_arrays as oracle
import numpy as np
import pytest

pytest.importorskip("typer")

from cli_runner import run, succeed
from cyclotome.cli.tables import csv_files
from named_arrays import Named, Refused

PROGRAMS = int(os.environ.get("CYCLOTOME_CLI_PROGRAMS", "80"))
#: Expressions for each set of tables.
SHARE = 20
COLUMNS = ("a", "b", "c")
#: Why an expression that has a value may be refused: unsupported layouts and names that are mixed up, results that hide
#: nothing, values or noise out of range.
REASONS = {2: "usage", 5: "key", 6: "range"}


@dataclass
class World:
    """Files of one set of tables, and what they mean."""

    folder: Path
    meaning: dict[str, Named]
    rows: int

    def inputs(self) -> list[str]:
        files = {file.stem: file for file in self.folder.iterdir() if file.suffix in (".ct", ".npy", ".csv")}
        return [word for name in self.meaning for word in ("-i", f"{name}={files[name]}")]


@pytest.fixture(scope="module")
def all_keys(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two sets of keys, one for wide values and one whose values and noise end soon. Of a small degree, so that tables
    of more than 16 rows take several ciphertexts: insecure, and fast."""
    return [
        _make_keys(tmp_path_factory.mktemp("wide"), [30, 31, 32, 33], 8),
        _make_keys(tmp_path_factory.mktemp("narrow"), [24, 25], 4),
    ]


def _make_keys(folder: Path, plain_bits: list[int], primes_of_55_bits: int) -> Path:
    plain = cy.bfv.find_primes(16, plain_bits)
    primes = cy.bfv.find_primes(16, [*[55] * primes_of_55_bits, 56], avoid=plain)
    facts = {"moduli": primes[:-1], "special_moduli": primes[-1:], "security": 0, "allow_insecure": True}
    parameters = cy.Parameters(degree=16, plain_moduli=plain, **facts)
    made = cy.keygen(parameters, device="cpu:1")
    for name in ("secret", "public", "evaluation"):
        cy.save(folder / f"{name}.key", getattr(made, name))
    return folder


def make_world(rng: np.random.Generator, folder: Path, keys: Path) -> World:
    """x and y: tables with columns a, b, c; e: an encrypted array; p, v, w: plain arrays; t: a plain table."""
    rows = int(rng.choice([1, 2, 3, 3, 5, 20]))
    meaning: dict[str, Named] = {}
    key = "-k", keys / "public.key", "--allow-insecure"

    def table(name: str, count: int) -> list[list[Fraction]]:
        numbers = [
            [Fraction(int(rng.integers(-99, 100)), 10 ** int(rng.integers(3))) for _ in COLUMNS] for _ in range(count)
        ]
        lines = [",".join(COLUMNS), *(",".join(map(str, map(float, row))) for row in numbers)]
        (folder / f"{name}.csv").write_text("\n".join(lines) + "\n")
        meaning[name] = oracle.array(np.array(numbers, dtype=object).T, (COLUMNS, None))
        return numbers

    for name in ("x", "y"):
        table(name, rows)
        succeed(
            "encrypt", folder / f"{name}.csv", *key, "--scale", "auto", "--bound", 9900, "-o", folder / f"{name}.ct"
        )
        (folder / f"{name}.csv").unlink()
    table("t", int(rng.choice([1, rows])))
    shapes = {
        "e": (2, rows),
        "p": (3, 1),
        "v": (rows,),
        "w": [(2, 3), (2, 1, 1), (1, rows), (3, 3)][int(rng.integers(4))],
    }
    for name, shape in shapes.items():
        values = rng.integers(-9, 10, shape)
        np.save(folder / f"{name}.npy", values)
        meaning[name] = oracle.array(values)
    succeed("encrypt", folder / "e.npy", *key, "--bound", 9, "-o", folder / "e.ct")
    (folder / "e.npy").unlink()
    return World(folder, meaning, rows)


@dataclass
class Node:
    """Part of an expression: its text, and how its value is made from a world's tables."""

    text: str
    value: Callable[[World], Named]


def draw(rng: np.random.Generator, depth: int) -> Node:
    """A random expression; whether NumPy has a value for it shows when it is asked for."""
    if depth == 0 or rng.random() < 0.15:
        return _leaf(rng)
    kinds = {_binary: 6, _column: 3, _part: 2, _matmul: 2, _power: 1, _divide: 1, _reduce: 3, _covariance: 6}
    weights = np.array(list(kinds.values())) / sum(kinds.values())
    made = list(kinds)[int(rng.choice(len(kinds), p=weights))]
    return made(rng, draw(rng, depth - 1), depth)


def _leaf(rng: np.random.Generator) -> Node:
    if rng.random() < 0.12:
        number = str(rng.choice(["2", "-3", "0.5", "1e-2", "7", "1.25"]))
        return Node(f"({number})", lambda world: oracle.array(Fraction(number)))
    name = str(rng.choice(["x", "x", "x", "x", "y", "y", "y", "e", "e", "t", "p", "v", "w"]))
    return Node(name, lambda world: world.meaning[name])


def _binary(rng: np.random.Generator, a: Node, depth: int) -> Node:
    b, symbol = draw(rng, depth - 1), str(rng.choice(["+", "-", "*"]))
    return Node(f"({a.text} {symbol} {b.text})", lambda w: oracle.elementwise(symbol, a.value(w), b.value(w)))


def _matmul(rng: np.random.Generator, a: Node, depth: int) -> Node:
    b = draw(rng, depth - 1)
    return Node(f"({a.text} @ {b.text})", lambda w: oracle.matmul(a.value(w), b.value(w)))


def _covariance(rng: np.random.Generator, a: Node, depth: int) -> Node:
    (axis, suffix), function = _axis(rng), str(rng.choice(["cov", "cov", "var", "dot"]))
    if function == "var":
        return Node(f"var({a.text}{suffix})", lambda w: oracle.covariance(a.value(w), a.value(w), axis))
    b = draw(rng, depth - 1)
    text = f"{function}({a.text}, {b.text}{suffix})"
    if function == "dot":
        return Node(text, lambda w: oracle.reduce(oracle.elementwise("*", a.value(w), b.value(w)), axis))
    return Node(text, lambda w: oracle.covariance(a.value(w), b.value(w), axis))


def _column(rng: np.random.Generator, a: Node, depth: int) -> Node:
    name = str(rng.choice(COLUMNS))
    return Node(f'{a.text}["{name}"]', lambda w: oracle.column(a.value(w), name))


def _part(rng: np.random.Generator, a: Node, depth: int) -> Node:
    if rng.random() < 0.5:
        index = int(rng.integers(-2, 3))
        return Node(f"{a.text}[{index}]", lambda w: oracle.item(a.value(w), index))
    start, stop, step = (int(rng.integers(-3, 4)) if rng.random() < 0.5 else None for _ in range(3))
    step = step or None
    written = ":".join("" if each is None else str(each) for each in (start, stop, step))
    return Node(f"{a.text}[{written}]", lambda w: oracle.part(a.value(w), start, stop, step))


def _power(rng: np.random.Generator, a: Node, depth: int) -> Node:
    return Node(f"({a.text}) ** 2", lambda w: oracle.elementwise("*", a.value(w), a.value(w)))


def _divide(rng: np.random.Generator, a: Node, depth: int) -> Node:
    number = int(rng.choice([-3, 2, 7, 10]))
    part = oracle.array(Fraction(1, number))
    return Node(f"({a.text} / {number})", lambda w: oracle.elementwise("*", a.value(w), part))


def _reduce(rng: np.random.Generator, a: Node, depth: int) -> Node:
    (axis, suffix), mean = _axis(rng), bool(rng.random() < 0.5)
    return Node(f"{'mean' if mean else 'sum'}({a.text}{suffix})", lambda w: oracle.reduce(a.value(w), axis, mean))


def _axis(rng: np.random.Generator) -> tuple[int | None, str]:
    axis = [-1, -1, 0, 0, 1, None][int(rng.integers(6))]
    return axis, "" if axis == -1 and rng.random() < 0.7 else f", axis={axis}"


def check(world: World, keys: Path, text: str, expected: Named) -> None:
    """The result's values and names, as JSON and as CSV, are the expected ones."""
    key = "-k", keys / "secret.key", "--allow-insecure"
    shown = run("decrypt", world.folder / "r.out", *key, "--json")
    if shown.code != 0:
        assert shown.code == 6, f"eval wrote what decrypt refuses: {text}: {shown.text}"
        raise _TooNoisy
    data = shown.data
    scale = Fraction(data["scale"])
    values = np.asarray(data["integers"], dtype=object)
    assert values.shape == expected.shape == tuple(data["shape"]), text
    assert all(
        Fraction(int(value)) / scale == wanted for value, wanted in zip(values.flat, expected.values.flat, strict=True)
    ), text
    named = [axis for axis, names in enumerate(expected.axes) if names is not None]
    if len(named) == 1:
        assert (tuple(data["columns"] or ()), data.get("axis", 0)) == (expected.axes[named[0]], named[0]), text
    elif not named:
        assert data["columns"] is None and data["name"] == expected.name, text
    if len(expected.shape) <= 2:
        _check_csv(world, key, text, expected, data)


def _check_csv(world: World, key: tuple[Any, ...], text: str, expected: Named, data: dict[str, Any]) -> None:
    succeed("decrypt", world.folder / "r.out", *key, "-o", world.folder / "r.out.csv", "--force")
    written = (world.folder / "r.out.csv").read_text()
    (world.folder / "r.out.csv").unlink()
    values, header, _ = csv_files.read(written, "r.csv", None, True)
    table = np.atleast_1d(expected.values)
    if data["columns"] is not None:
        table = np.moveaxis(table, data.get("axis", 0), 0)
        assert header == tuple(data["columns"]), text
    columns = table.reshape((1, -1)) if table.ndim == 1 and data["columns"] is None else table.reshape((len(table), -1))
    assert [[Fraction(cell) for cell in column] for column in values] == columns.tolist(), text


class _TooNoisy(Exception):
    """Decryption refused for noise, by its exit code."""


def outcome(rng: np.random.Generator, world: World, keys: Path) -> str:
    """One program: what became of it."""
    for _ in range(3):  # most random expressions have no value, which is soon said
        node = draw(rng, int(rng.integers(1, 5)))
        text, expected = node.text, _value(node, world)
        if expected is not None:
            break
    options = "-k", keys / "evaluation.key", "--allow-insecure", "--public", keys / "public.key", "--force"
    result = run("eval", text, *world.inputs(), *options, "-o", world.folder / "r.out")
    assert "should not happen" not in result.text and "Traceback" not in result.text, text
    if expected is None:
        assert result.code in REASONS, f"{text} has no value, but: {result.text}"
        return "no value, refused"
    if result.code != 0:
        assert result.code in REASONS, f"{text}: {result.text}"
        words = " ".join(result.text.split())
        if "nothing encrypted" in words or "not encrypted" in words:
            return "plain only"
        mixed = "meet the rows" in words or "different places" in words
        return "refused: names are mixed up" if mixed else f"refused: {REASONS[result.code]}"
    try:
        check(world, keys, text, expected)
    except _TooNoisy:
        return "refused: noise"
    return "exact"


def _value(node: Node, world: World) -> Named | None:
    try:
        return node.value(world)
    except Refused:
        return None


def test_programs(rng: np.random.Generator, all_keys: list[Path], tmp_path: Path) -> None:
    counts: Counter[str] = Counter()
    for number in range(-(-PROGRAMS // SHARE)):
        folder, keys = tmp_path / str(number), all_keys[number % len(all_keys)]
        folder.mkdir()
        world = make_world(rng, folder, keys)
        for _ in range(min(SHARE, PROGRAMS - number * SHARE)):
            counts[outcome(rng, world, keys)] += 1
    print(f"{PROGRAMS} programs: " + ", ".join(f"{count} {what}" for what, count in counts.most_common()))
    assert counts["exact"] >= PROGRAMS // 5, counts
