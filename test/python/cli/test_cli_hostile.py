# SPDX-License-Identifier: Apache-2.0
"""What comes from others: notes, names and numbers that want to hang, deceive or take over the terminal."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import cyclotome as cy
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("typer")

from cli_runner import make_workspace, run, succeed
from cyclotome.cli import console, failures, visible
from cyclotome.cli.evaluation import expression
from cyclotome.cli.evaluation.expression import ExpressionError
from cyclotome.cli.numbers.quantity import Quantity
from cyclotome.cli.tables import notes
from cyclotome.errors import ArgumentError, CyclotomeError, FormatError, RangeError
from stopwatch import Stopwatch

#: Colours, a window's title, the clipboard, C1 controls, bidirectional text, markup of Rich, and a line of its own.
ATTACKS = [
    "\x1b[31mred",
    "\x1b]0;title\x07",
    "\x1b]52;c;ZXZpbA==\x1b\\",
    "\x9b31m",
    "a\u202eb",
    "a\u2066b",
    "a\u200bb",
    "a\ufeffb",
    "a\u2028b",
    "a\x00b",
    "a\x7fb",
    "a\rb",
    "a\nerror: b",
    "\U000e0041",
    "\ud800",
]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_workspace(tmp_path_factory.mktemp("cli"))


def calm(text: str) -> bool:
    """Whether nothing in a command's output could act on a terminal (the output is not one, so Rich adds nothing)."""
    return all(c in "\n\t" or not visible._hidden(c) for c in text)


def forged(place: Path, folder: Path, note: dict[str, Any]) -> Path:
    """The workspace's table with another note."""
    x = cy.load(place / "data.ct")
    cy.save(folder / "forged.ct", x, note=note)
    return folder / "forged.ct"


def used_by_everyone(place: Path, folder: Path, file: Path) -> list[Any]:
    """The file decrypted, inspected and computed with."""
    evaluated = (
        "eval",
        "x * 2",
        "-i",
        f"x={file}",
        "-k",
        place / "keys/evaluation.key",
        "-o",
        folder / "o.ct",
        "--force",
    )
    decrypted = "decrypt", file, "-k", place / "keys/secret.key"
    return [run(*decrypted), run("inspect", file), run(*evaluated), run(*decrypted, "--json")]


@pytest.mark.parametrize(
    "scale",
    [
        "1e999999999",
        "1e400",
        "1e1",
        "1E5",
        "1.5",
        "9" * 1235,
        "1/" + "9" * 1235,
        "9" * 5000,
        "0",
        "0/5",
        "1/0",
        "-1",
        "+1",
        "",
        " 1",
        "1_0",
        "\u0661",
        "nan",
        "inf",
        "1//2",
        "1/2/3",
        5,
        1.5,
        None,
        True,
        [1],
        {},
        "1\x1b[31m",
        str(1 << 4097),
    ],
)
def test_scales_that_are_none(scale: object) -> None:
    """Refused at once, with the value named, or what it is."""
    watch = Stopwatch()
    with pytest.raises(FormatError, match=r"f: the note's scale is ") as caught:
        notes.read_note({"scale": scale}, (2, 3), "f")
    assert watch.seconds < 1 and calm(str(caught.value)) and len(str(caught.value)) < 300
    assert not isinstance(scale, str) or visible.visible(scale[:50]) in str(caught.value)


@pytest.mark.parametrize(
    "note",
    [
        {"columns": ["a"]},
        {"columns": ["a", "b", "c"]},
        {"columns": ["a", "a"]},
        {"columns": ["a", 5]},
        {"columns": "ab"},
        {"columns": {"a": 1, "b": 2}},
        {"columns": ["a", ""]},
        {"columns": ["a", "b" * 1001]},
        {"columns": ["a", "b"], "axis": 1},
        {"columns": ["a", "b"], "axis": 2},
        {"columns": ["a", "b"], "axis": -1},
        {"columns": ["a", "b"], "axis": 10**100},
        {"columns": ["a", "b"], "axis": True},
        {"columns": ["a", "b"], "axis": "0"},
        {"name": 5},
        {"name": ""},
        {"name": ["a"]},
        *({"columns": ["a", attack]} for attack in ATTACKS),
        *({"name": attack} for attack in ATTACKS),
    ],
)
def test_names_that_are_none(note: dict[str, Any]) -> None:
    with pytest.raises(FormatError, match=r"f: the note's ") as caught:
        notes.read_note({"scale": "1", **note}, (2, 3), "f")
    assert calm(str(caught.value))


@pytest.mark.parametrize(
    "note",
    [
        {"scale": "1e999999999"},
        {"columns": ["a", ATTACKS[1]]},
        {"columns": ["age", "bmi", "bp"]},
        {"name": ATTACKS[4]},
        {"scale": "1", "columns": ["a", "b"], "axis": 10**100},
    ],
)
def test_no_command_takes_a_note_that_makes_no_sense(place: Path, tmp_path: Path, note: dict[str, Any]) -> None:
    watch = Stopwatch()
    for result in used_by_everyone(place, tmp_path, forged(place, tmp_path, note)):
        assert result.code == 3 and "the note's" in result.text and calm(result.text), result.text
    assert watch.seconds < 20


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "scale": _JSON | st.from_regex(r"[0-9]{1,3}(/[0-9]{1,3})?", fullmatch=True),
            "columns": _JSON | st.lists(st.text(max_size=4), min_size=2, max_size=3),
            "name": _JSON,
            "axis": _JSON | st.integers(-1, 2),
            "other": _JSON,
        },
    )
)
def test_any_note_is_understood_or_refused(note: dict[str, Any]) -> None:
    """What is understood fits the array, can be shown, and is written again as it was."""
    try:
        fields = notes.read_note(note, (2, 3), "f")
    except FormatError as error:
        assert calm(str(error))
        return
    quantity = Quantity(np.zeros((2, 3), dtype=np.int64), **fields)
    assert notes.read_note(notes.note_of(quantity), (2, 3), "f") == fields
    assert all(
        calm(name.replace("\u200c", "").replace("\u200d", ""))
        for name in [*(fields["columns"] or ()), fields["name"] or ""]
    )


def test_notes_are_read_again_as_they_were_written(place: Path, tmp_path: Path) -> None:
    markup = {"scale": f"{10**1200}/{7**400}", "columns": ["[red]x[/red]", "=1+1"]}
    for result in used_by_everyone(place, tmp_path, forged(place, tmp_path, markup)):
        assert result.code == 0 and calm(result.text)
    shown = succeed("inspect", tmp_path / "forged.ct").text
    assert "columns [red]x[/red], =1+1" in shown
    data = succeed("decrypt", tmp_path / "forged.ct", "-k", place / "keys/secret.key", "--json").data
    assert data["columns"] == ["[red]x[/red]", "=1+1"] and Fraction(data["scale"]) == Fraction(10**1200, 7**400)


def test_a_note_that_nobody_could_read_is_not_written(place: Path, tmp_path: Path) -> None:
    x = cy.load(place / "data.ct")
    for columns in (("a", "a"), ("a", "\x1b"), ("", "b")):
        with pytest.raises(FormatError, match="the note's column name"):
            notes.save_quantity(tmp_path / "q.ct", Quantity(x, columns=columns), force=False)
    assert not (tmp_path / "q.ct").exists()


@pytest.mark.parametrize("attack", ATTACKS)
def test_messages_cannot_act_on_the_terminal(
    place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], attack: str
) -> None:
    """Whatever is quoted: names in files, names of files, arguments."""
    failures.complain(f"a {attack} b [red]c[/red]")
    console.note(f"a {attack} [bold]b[/bold]")
    console.emit({"a": attack, "b": [attack, "[red]"]}, False)
    console.emit({}, False, visible.visible(attack))
    console.emit({"a": attack}, True)
    taken = capsys.readouterr()
    assert calm(taken.out) and calm(taken.err)
    assert "[red]c[/red]" in taken.err and "\nerror: b" not in taken.err
    named = tmp_path / "t.csv"
    named.write_bytes(f'"{attack}",b\n1,2\n'.encode("utf-8", "replace").replace(b"?", b"\x1b"))
    key = place / "keys/public.key"
    for words in (
        ("encrypt", named, "-k", key, "-o", tmp_path / "o.ct", "--header"),
        ("encrypt", named, "-k", key, "-o", tmp_path / "o.ct", "--columns", "missing", "--header"),
        ("encrypt", named, "-k", key, "-o", tmp_path / "o.ct", "--columns", f"{attack}", "--scale", f"1{attack}"),
        ("eval", f"x['{attack}'] + {attack}", "-i", f"x={attack}", "-k", attack, "-o", tmp_path / "o.ct"),
        ("params", "--preset", attack),
        ("inspect", attack),
        ("inspect", attack, attack),
        ("inspect", f"--{attack}"),
        (attack,),
    ):
        result = run(*words)
        assert result.code in (2, 3, 4) and calm(result.text), result.text


def test_tracebacks_cannot_act_on_the_terminal_either() -> None:
    command = [sys.executable, "-m", "cyclotome", "inspect", "\x1b]0;title\x07", "--debug"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1 and "Traceback" in done.stderr and "\\x1b]0;title" in done.stderr and calm(done.stderr)


def test_names_of_files_are_shown_escaped(place: Path, tmp_path: Path) -> None:
    odd = tmp_path / "r\x1b[31m\u202e.ct"
    succeed("encrypt", place / "data.csv", "--columns", "age", "-k", place / "keys/public.key", "-o", odd)
    for words in (("inspect", odd), ("decrypt", odd, "-k", place / "keys/secret.key", "-o", f"{odd}.csv")):
        assert calm(succeed(*words).text) and calm(
            succeed(*words[:1], *words[1:], "--json", *(["--force"] * (len(words) > 2))).text
        )


@pytest.mark.parametrize(
    "text",
    [
        "1e999999999 * x",
        "x * 1e-999999999",
        "x + 1e99999999999999999999",
        "x * 1e601",
        "x / 1e601",
        "x * " + "9" * 3000,
        "x * 0." + "0" * 800 + "1",
        "x * 0x" + "f" * 4000,
        "x * (9 ** 64) ** 64",
        "x * ((2 ** 64) ** 64)",
        "(x * 1e-500) ** 64",
        "x * 1e-500 * 1e-500 * 1e-500",
        "x + w ** 64 * w ** 64",
        "x ** 1000000000000000000000",
        "x ** -1",
        "x ** " + "9" * 3000,
        "x * 1 << 1000000",
        "x * 10 ** 1000000000",
        "x * 2 ** 3 ** 4 ** 5",
        "x[" + "9" * 3000 + "]",
        "sum(x, axis=" + "9" * 3000 + ")",
        "(" * 1000 + "x" + ")" * 1000,
        "-" * 3000 + "x",
        "x" + "[0:]" * 1000,
        "sum(" * 500 + "x" + ")" * 500,
        "+".join(["x"] * 1000),
        "tall * wide * x",
        "tall @ wide * x",
        "(square @ square) @ x",
        "x" * 5000,
        "\u0661 * x",
        "x * \uff11",
    ],
)
def test_no_expression_hangs(text: str) -> None:
    inputs = {
        "x": Quantity(np.arange(6).reshape(2, 3), Fraction(10), columns=("a", "b")),
        "w": Quantity(np.full((2, 3), 2**40)),
        "tall": Quantity(np.ones((5000, 1), dtype=np.int64)),
        "wide": Quantity(np.ones((1, 5000), dtype=np.int64)),
        "square": Quantity(np.ones((600, 600), dtype=np.int64)),
    }
    watch = Stopwatch()
    with pytest.raises((ExpressionError, ArgumentError, RangeError)) as caught:
        expression.evaluate(text, inputs)
    assert watch.seconds < 10
    assert isinstance(caught.value, CyclotomeError) and len(str(caught.value)) < 500


def test_nesting_that_python_itself_cannot_walk_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "setrecursionlimit", sys.setrecursionlimit)
    limit = sys.getrecursionlimit()
    depth = len(__import__("inspect").stack())
    try:
        sys.setrecursionlimit(depth + 120)
        with pytest.raises(ExpressionError, match="nested too deeply"):
            expression.evaluate("-(" * 100 + "x" + ")" * 100, {"x": Quantity(1)})
    finally:
        sys.setrecursionlimit(limit)


def test_numbers_far_from_one_are_exact(place: Path, tmp_path: Path) -> None:
    inputs = "-i", f"x={place / 'data.ct'}", "-k", place / "keys/evaluation.key", "-o", tmp_path / "r.ct", "--force"
    for text, factor in (
        ("x * 1e-500", Fraction(1, 10**500)),
        ("x / 7 / 11", Fraction(1, 77)),
        ("x / 3e300", Fraction(1, 3 * 10**300)),
        ("x * 0x10 / 2 ** 64", Fraction(16, 2**64)),
    ):
        succeed("eval", text, *inputs)
        shown = succeed(
            "decrypt", tmp_path / "r.ct", "-k", place / "keys/secret.key", "-o", tmp_path / "r.csv", "--force"
        )
        assert calm(shown.text)
        rows = [[Fraction(cell) for cell in row.split(",")] for row in (tmp_path / "r.csv").read_text().split()[1:]]
        assert rows == [
            [Fraction(a) * factor, Fraction(b) * factor] for a, b in (("32.1", 36), ("-21.62", 41), ("30.5", 85))
        ]


def test_values_modulo_t_have_no_fractions(place: Path, tmp_path: Path) -> None:
    """A mean of residues is not the residue of a mean."""
    public = cy.load(place / "keys/public.key")
    cy.save(tmp_path / "w.ct", cy.encrypt([[1, 2, 5]], public, wrap=True))
    inputs = "-i", f"x={tmp_path / 'w.ct'}", "-k", place / "keys/evaluation.key", "-o", tmp_path / "r.ct", "--force"
    for text in ("mean(x)", "x / 2", "x * 0.5", "var(x)"):
        refused = run("eval", text, *inputs)
        assert refused.code == 2 and "no fractions" in refused.text
    succeed("eval", "x * x - 7", *inputs)
    shown = succeed("decrypt", tmp_path / "r.ct", "-k", place / "keys/secret.key")
    t = public.parameters.plain_product
    assert f"numbers are modulo {t}" in shown.text and f"\n{t - 6}\n{t - 3}\n18\n" in shown.text
    cy.save(tmp_path / "w.ct", cy.encrypt([[1, 2, 5]], public, wrap=True), note={"scale": "10"})
    assert run("decrypt", tmp_path / "w.ct", "-k", place / "keys/secret.key").code == 3


def test_long_messages_are_cut(capsys: pytest.CaptureFixture[str]) -> None:
    failures.complain("x" * 10**6)
    assert len(capsys.readouterr().err) < 5000
