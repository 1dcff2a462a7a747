# SPDX-License-Identifier: Apache-2.0
"""Tables whose columns have scales, missing values and categories of their own, on the command line."""

from __future__ import annotations

import csv
import io
import re
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("typer")

import cli_runner
import cyclotome as cy
from cli_runner import make_workspace, run, succeed
from cyclotome.cli.tables import csv_files, frames

SALES = 'price,sold,shop\n12.50,3,A\n0.99,7,"B, the other"\nNA,1,A\n3.75,2,A\n'
HOW = ("--missing", "NA", "--scale", "price=3", "--category", 'shop=A,"B, the other"')


@pytest.fixture(scope="module")
def space(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = make_workspace(tmp_path_factory.mktemp("tables"))
    succeed("params", "--depth", 2, "--value-bits", 16, "--terms", 1000, "--result-bits", 40, "-o", folder / "deep.ct")
    succeed("keygen", folder / "deep.ct", "--out", folder / "deep")
    (folder / "sales.csv").write_text(SALES, encoding="utf-8")
    encrypt(folder, "sales.csv", "sales.ct", *HOW)
    return folder


def encrypt(space: Path, table: str, output: str, *options: object) -> Any:
    return succeed(
        "encrypt", space / table, "--key", space / "deep/public.key", "-o", space / output, "--force", *options
    )


def refused(space: Path, text: str | bytes, *options: object) -> str:
    """What a table is refused with; nothing is written."""
    path, output = space / "wrong.csv", space / "wrong.ct"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    result = run("encrypt", path, "--key", space / "deep/public.key", "-o", output, *options)
    assert result.code in (2, 3, 6), result.text
    assert not output.exists()
    return result.text


def decrypted(space: Path, file: str) -> list[list[str]]:
    text = succeed("decrypt", space / file, "--key", space / "deep/secret.key").text
    return [row for row in csv.reader(io.StringIO(text)) if row and not row[0].startswith("numbers are")]


def evaluated(space: Path, formula: str, file: str = "sales.ct") -> list[list[str]]:
    where = "--keys", space / "deep/evaluation.key", "-i", f"t={space / file}"
    succeed("eval", formula, *where, "-o", space / "result.ct", "--force")
    return decrypted(space, "result.ct")


def test_a_table_comes_back(space: Path) -> None:
    wanted = [["price", "sold", "shop"], ["12.5", "3", "A"], ["0.99", "7", "B, the other"], ["", "1", "A"]]
    assert decrypted(space, "sales.ct") == [*wanted, ["3.75", "2", "A"]]
    frame = cy.load(space / "sales.ct")
    assert isinstance(frame, cy.EncryptedFrame)
    assert frame["price"].scale == 1000 and isinstance(frame["price"].mask, cy.EncryptedArray)
    assert frame["sold"].scale == 1 and frame["sold"].mask is None
    shown = succeed("inspect", space / "sales.ct").text
    assert "encrypted frame" in shown and "shop: categories A, B, the other" in shown
    data = succeed("decrypt", space / "sales.ct", "--key", space / "deep/secret.key", "--json").data
    assert data["columns"]["shop"][1] == "B, the other" and data["columns"]["price"][2] is None


def test_python_and_the_command_line_make_the_same_table(space: Path) -> None:
    table = pd.read_csv(io.StringIO(SALES))
    secret = cy.load(space / "deep/secret.key")
    by_hand = cy.encrypt_frame(
        table, secret, missing={"price": "encrypted"}, scales={"price": 3}, categories={"shop": ["A", "B, the other"]}
    )
    loaded = cy.load(space / "sales.ct")
    pd.testing.assert_frame_equal(cy.decrypt_frame(loaded, secret), cy.decrypt_frame(by_hand, secret))
    for name in loaded:
        assert [a.shape for a in loaded[name].arrays()] == [a.shape for a in by_hand[name].arrays()]
        assert [a.bound for a in loaded[name].arrays()] == [a.bound for a in by_hand[name].arrays()]


def test_eval_takes_columns(space: Path) -> None:
    assert evaluated(space, 'sum(filled(t["price"]) * t["sold"])')[1] == ["51.93"]
    assert evaluated(space, 'sum(present(t["price"]))')[1] == ["3"]
    assert evaluated(space, 'sum(t["shop"] * filled(t["price"]))') == [["A", "B, the other"], ["16.25", "0.99"]]
    assert evaluated(space, 't["sold"] * 2 + 1')[1:] == [["7"], ["15"], ["3"], ["5"]]
    assert evaluated(space, 'sum(t["shop"]["A"] * t["sold"])')[1] == ["6"]
    for formula, message in (
        ('t["price"] * 2', "missing values"),
        ('mean(t["price"])', "missing values"),
        ("t * 2", "is a table of columns"),
        ("t[0]", "by name"),
        ('t["nothing"]', "no column 'nothing'"),
        ('filled(t["shop"])', "holds categories"),
        ("filled(t)", "one column"),
        ('filled(t["sold"] * 2)', "one column"),
        ('present(t["sold"])', "not encrypted"),
    ):
        where = "--keys", space / "deep/evaluation.key", "-i", f"t={space / 'sales.ct'}"
        result = run("eval", formula, *where, "-o", space / "none.ct")
        assert result.code == 2 and message in result.text, (formula, result.text)
    taken = run(
        "eval", "filled * 2", "--keys", space / "deep/evaluation.key", "-i", "filled=x.ct", "-o", space / "n.ct"
    )
    assert taken.code == 2 and "taken" in taken.text


def test_parquet_files_in_and_out(space: Path) -> None:
    key = "--key", space / "deep/secret.key"
    succeed("decrypt", space / "sales.ct", *key, "-o", space / "sales.parquet", "--force")
    how = "--missing", "", "--scale", "each", "--category", 'shop=A,"B, the other"', "--mask", "public"
    encrypt(space, "sales.parquet", "again.ct", *how)
    assert decrypted(space, "again.ct") == decrypted(space, "sales.ct")
    frame = cy.load(space / "again.ct")
    assert frame["price"].scale == 100 and isinstance(frame["price"].mask, np.ndarray)
    result = run(
        "encrypt", space / "sales.parquet", "--key", space / "deep/public.key", "-o", space / "n.ct", *how[2:6]
    )
    assert result.code == 6 and "row 3, column price is missing" in result.text and "--missing" in result.text
    wrong = run("decrypt", space / "sales.ct", *key, "-o", space / "sales.npy")
    assert wrong.code == 2 and ".parquet" in wrong.text
    for option in (("--reveal",), ("--approximate", 1, "-o", space / "r.parquet")):
        assert run("decrypt", space / "sales.ct", *key, *option).code == 2
    rounded = succeed("decrypt", space / "sales.ct", *key, "--approximate", 1).text
    assert rounded.startswith("price,sold,shop\n12.5,3,A\n1,7,")


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("a;b\n1,5;2\n-0,25;3\n", ("--decimal", ",")),
        ("a\tb\n1.5\t2\n-0.25\t3\n", ("--delimiter", "tab")),
        ("a|b\r\n1,5|2\r\n-0,25|3\r\n", ("--delimiter", "|", "--decimal", ",")),
        ("\ufeffa;b\r\n1.5;2\r\n-.25;3\r\n", ("--delimiter", ";")),
        ('"a","b"\n"1.5","2"\n"-0.25","3"\n', ()),
    ],
)
def test_dialects(space: Path, text: str, options: tuple[str, ...]) -> None:
    (space / "dialect.csv").write_bytes(text.encode())
    for more in (("--scale", "a=2"), ("--scale", "auto")):
        encrypt(space, "dialect.csv", "dialect.ct", *options, *more)
        assert decrypted(space, "dialect.ct") == [["a", "b"], ["1.5", "2"], ["-0.25", "3"]]


def test_tables_without_a_header_have_numbers_for_names(space: Path) -> None:
    (space / "bare.csv").write_text("1.5,2\n,3\n", encoding="utf-8")
    encrypt(space, "bare.csv", "bare.ct", "--no-header", "--missing", "", "--scale", "1=1")
    assert decrypted(space, "bare.ct") == [["1", "2"], ["1.5", "2"], ["", "3"]]


def test_a_delimiter_within_quotes_and_formulas_in_texts(space: Path) -> None:
    (space / "quotes.csv").write_text('a,k\n1,"x,y"\n2,=1+1\n3,"say ""hi"""\n', encoding="utf-8")
    encrypt(space, "quotes.csv", "quotes.ct", "--category", 'k="x,y",=1+1,"say ""hi"""')
    # What a spreadsheet would run gets an apostrophe.
    assert [row[1] for row in decrypted(space, "quotes.ct")] == ["k", "x,y", "'=1+1", 'say "hi"']


WRONG: dict[str, tuple[str | bytes, tuple[str, ...], str]] = {
    "ragged": ("a,b\n1,2\n3\n", ("--scale", "each"), "row 3 has 1 cells"),
    "too wide": ("a,b\n1,2\n3,4,5\n", ("--scale", "each"), "row 3 has 3 cells"),
    "NaN": ("a\n1\nnan\n", ("--scale", "each"), "row 3, column a: nan cannot be encrypted"),
    "infinite": ("a\n1\n-inf\n", ("--scale", "each"), "row 3, column a: -inf"),
    "empty cell": ("a,b\n1,\n", ("--scale", "each"), "row 2, column b: '' is not a number: the cell is empty"),
    "unknown category": (
        SALES,
        ("--missing", "NA", "--category", "shop=A"),
        "row 3, column shop: 'B, the other' is none",
    ),
    "missing category": ("k\nA\nNA\n", ("--category", "k=A"), "row 3, column k: 'NA' is none of"),
    "mixed decimals": ("a;b\n1,5;2\n1.5;3\n", ("--decimal", ",", "--scale", "a=1"), "row 3, column a: '1.5' is not"),
    "comma by mistake": ("a;b\n1,5;2\n", ("--delimiter", ";", "--scale", "a=1"), "row 2, column a: .*--decimal ,"),
    "thousands": ("a;b\n1,000,5;2\n", ("--decimal", ",", "--scale", "a=1"), "row 2, column a: '1,000,5' is not"),
    "too few decimals": (SALES, (*HOW[:2], "--scale", "price=1", *HOW[4:]), "row 3, column price: .*--scale price=2"),
    "too large": ("a,b\n1,2\n70000,1\n", ("--scale", "a=0"), "row 3, column a: 70000 at scale 1 .*--scale a="),
    "too large when scaled": ("a\n1\n700\n", ("--scale", "a=2"), "row 3, column a: 700 at scale 100 is 70000 steps"),
    "empty": ("", ("--scale", "each"), "no rows"),
    "header only": ("a,b\n", ("--scale", "each"), "no rows"),
    "two names": ("a,a\n1,2\n", ("--scale", "each"), "column names must be there and differ"),
    "open quote": ('a\n"1\n', ("--scale", "each"), "not CSV"),
    "latin": (b"a\n\xe9\n", ("--scale", "each"), "not UTF-8"),
    "nothing there": ("a\nNA\nNA\n", ("--missing", "NA", "--scale", "b=1"), "names the column b; there are a"),
    "header in doubt": ("1,2,3\n4,5,6\n", ("--scale", "each"), "could be a header"),
    "text": ("a,b\n1,x\n", ("--scale", "each"), "row 2, column b: 'x' is not a number"),
    "terminal": ("a\n\x1b[2J\n", ("--scale", "each"), r"\\x1b\[2J"),
}


@pytest.mark.parametrize("what", list(WRONG))
def test_wrong_tables(space: Path, what: str) -> None:
    text, options, message = WRONG[what]
    assert re.search(message, refused(space, text, *options).replace("\n  ", " ")), refused(space, text, *options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--scale", "a=x"), "decimals from 0 to 30"),
        (("--scale", "a=31"), "decimals from 0 to 30"),
        (("--scale", "a=-1"), "decimals from 0 to 30"),
        (("--scale", "a=" + "9" * 5000), "decimals from 0 to 30"),
        (("--scale", "=1"), "COLUMN="),
        (("--scale", "a=1", "--scale", "a=2"), "twice"),
        (("--scale", "a=1", "--scale", "100"), "whole table"),
        (("--scale", "100", "--scale", "10"), "one for the whole table"),
        (("--scale", "auto", "--missing", "NA"), "whole table"),
        (("--scale", "a=1", "--wrap"), "tables of one scale"),
        (("--scale", "a=1", "--bound", "5"), "tables of one scale"),
        (("--mask", "public"), "--missing"),
        (("--missing", "NA", "--mask", "nobody"), "encrypted or public"),
        (("--missing", 'NA,"'), "texts with commas"),
        (("--missing", "NA,NA"), "twice"),
        (("--category", "a"), "COLUMN="),
        (("--category", "a=x,x"), "twice"),
        (("--category", "a=x,\x1b[2J"), "can't be shown"),
        (("--delimiter", "ab"), "one character"),
        (("--delimiter", "1"), "one character"),
        (("--delimiter", '"'), "one character"),
        (("--decimal", "x"), "a point or a comma"),
        (("--decimal", ",", "--delimiter", ","), "both commas"),
    ],
)
def test_wrong_options(space: Path, options: tuple[str, ...], message: str) -> None:
    assert message in refused(space, "a\n1\n", *options)


def test_options_for_other_files(space: Path) -> None:
    np.save(space / "a.npy", np.arange(4))
    for options in (("--scale", "a=1"), ("--delimiter", ";"), ("--decimal", ",")):
        result = run("encrypt", space / "a.npy", "--key", space / "deep/public.key", "-o", space / "n.ct", *options)
        assert result.code == 2 and ".csv" in result.text
    result = run(
        "eval", "t * 1", "--keys", space / "deep/evaluation.key", "-i", f"t={space / 'deep.ct'}", "-o", space / "n"
    )
    assert result.code == 3 and "holds parameters" in result.text


def test_names_and_labels_that_a_terminal_would_act_on(space: Path) -> None:
    """Files of others hold any text; Python writes what the command line would not."""
    public = cy.load(space / "deep/public.key")
    for number, table in enumerate(({"a\x1b[2J": [1]}, {"k": ["x\u202e"]}, {"": [1]})):
        lists = {"k": ["x\u202e"]} if "k" in table else None
        path = space / f"hostile{number}.ct"
        cy.save(path, cy.encrypt_frame(table, public, categories=lists))
        for more in ((), ("--json",), ("-o", space / "hostile.csv")):
            result = run("decrypt", path, "--key", space / "deep/secret.key", *more)
            assert result.code == 3 and "\x1b" not in result.text and "\u202e" not in result.text
        shown = run("inspect", path)
        assert shown.code == 0 and "\x1b" not in shown.text and "\u202e" not in shown.text


def test_many_rows(space: Path, rng: np.random.Generator) -> None:
    rows = 100_000
    prices, there = rng.integers(-9999, 9999, rows), rng.random(rows) < 0.9
    lines = [f"{p / 100:.2f},{'AB'[p & 1]}" if t else f"-,{'AB'[p & 1]}" for p, t in zip(prices, there, strict=True)]
    (space / "many.csv").write_text("price,kind\n" + "\n".join(lines) + "\n", encoding="utf-8")
    encrypt(space, "many.csv", "many.ct", "--missing", "-", "--scale", "price=2", "--category", "kind=A,B")
    frame = cy.load(space / "many.ct")
    opened = cy.decrypt_frame(frame, cy.load(space / "deep/secret.key"))
    wanted = [Decimal(int(p)).scaleb(-2) if t else None for p, t in zip(prices, there, strict=True)]
    assert opened["price"].tolist() == wanted
    assert opened["kind"].tolist() == ["AB"[p & 1] for p in prices]


def test_completion(monkeypatch: pytest.MonkeyPatch) -> None:
    """Typer looks among the parents of a process for its shell, of which a test may have none: so it is told which."""
    monkeypatch.setenv("_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION", "1")
    monkeypatch.setattr(cli_runner, "commands", cli_runner.commands.__wrapped__)  # it is asked when commands are made
    scripts = [run("--show-completion", shell) for shell in ("bash", "zsh", "fish")]
    assert all(script.code == 0 and "_CYCLOTOME_COMPLETE" in script.text for script in scripts)
    assert len({script.text for script in scripts}) == 3
    assert "--install-completion" in run("--help").text


def test_dialects_read_numbers_exactly(rng: np.random.Generator) -> None:
    """Against Python's decimals: what is written with commas is read as what is written with points."""
    german = frames.dialect_of(None, ",")
    assert german.between == ";" and csv_files.COMMAS.between == ","
    for _ in range(300):
        value = Decimal(int(rng.integers(-(10**9), 10**9))).scaleb(-int(rng.integers(0, 7)))
        assert german.number(f"{value:f}".replace(".", ",")) == value == csv_files.COMMAS.number(f"{value:f}")
    assert german.number("1.5") is None and csv_files.COMMAS.number("1,5") is None and german.number("1,2,3") is None


def test_what_python_filtered_and_computed_is_decrypted(space: Path) -> None:
    """Rows that a filter left out are left out; statistics are columns, floats as the shortest decimals."""
    folder = space / "deep"
    keys = cy.load(folder / "public.key"), cy.load(folder / "evaluation.key")
    table = cy.load(space / "sales.ct", keys=keys)
    cy.save(space / "filtered.ct", table[table["shop"] == "A"])
    assert decrypted(space, "filtered.ct") == [
        ["price", "sold", "shop"], ["12.5", "3", "A"], ["", "1", "A"], ["3.75", "2", "A"],
    ]  # fmt: skip
    for statistics, wanted in (
        (table["sold"].mean(), [["value"], ["3.25"]]),
        (table.groupby("shop")["sold"].mean(), [["shop", "sold"], ["A", "2"], ["B, the other", "7"]]),
        (table[["price", "sold"]].count(), [["row", "value"], ["price", "3"], ["sold", "4"]]),
    ):
        cy.save(space / "statistics.ct", statistics)
        assert decrypted(space, "statistics.ct") == wanted
    days = pd.DataFrame({"day": pd.to_datetime(["2024-01-05", "2024-02-01"]), "open": [True, False]})
    cy.save(space / "days.ct", cy.encrypt_frame(days, keys[0], bounds={"day": ("2024-01-01", "2024-12-31")}))
    found = decrypted(space, "days.ct")
    assert [row[0][:10] for row in found] == ["day", "2024-01-05", "2024-02-01"] and [row[1] for row in found[1:]] == [
        "1",
        "0",
    ]
