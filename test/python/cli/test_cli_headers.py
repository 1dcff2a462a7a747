# SPDX-License-Identifier: Apache-2.0
"""CSV files: no row is lost and none is made up, whatever the first row looks like."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("typer")

from cli_runner import make_workspace, run, succeed
from cyclotome.cli.numbers import decimals
from cyclotome.cli.tables import csv_files
from cyclotome.errors import FormatError, RangeError


def read(text: str, header: bool | None = None) -> tuple[list[str] | None, list[list[Fraction]], str | None]:
    """Names, rows and the remark of a CSV text."""
    values, columns, remark = csv_files.read(text, "f.csv", None, header)
    rows = [[Fraction(value) for value in row] for row in values.T]
    return None if columns is None else list(columns), rows, remark


@pytest.mark.parametrize(
    "first",
    [
        "a,b",
        "age,bmi",
        " a , b ",
        '"a","b"',
        "x1,x2",
        "s5,s6",
        "blood sugar,BMI (kg/m2)",
        "Größe,体重",
        "e5,Q1",
        "-log10p,b",
    ],
)
def test_a_row_without_numbers_is_a_header(first: str) -> None:
    names, rows, remark = read(f"{first}\n1,2\n")
    assert names == [cell.strip().strip('"') for cell in first.split(",")]
    assert rows == [[1, 2]] and remark is None


@pytest.mark.parametrize(
    "first", ["1,2", "5,6", "-1,0", "1.5,2.5", "1,1", "1e3,2", "2019.5,3", "0,2", "3", "1", "17,5,4"]
)
def test_a_row_of_numbers_is_data_with_a_remark(first: str) -> None:
    names, rows, remark = read(f"{first}\n{first}\n")
    assert names is None and rows == [[Fraction(cell) for cell in first.split(",")]] * 2
    assert remark is not None and first.split(",")[0] in remark and "--no-header" in remark


@pytest.mark.parametrize(
    "first",
    [
        "2019,2020",
        "2019",
        "1999,2005,2030",
        "2020,2019",
        "0",
        "0,1",
        "0,1,2",
        "1,2,3",
        "10,20,30",
        "202001,202002,202003",
        " 2019 ,2020",
        "001,002,003",
    ],
)
def test_numbers_that_columns_are_often_called_must_be_stated(first: str) -> None:
    other = ",".join("7" for _ in first.split(","))
    with pytest.raises(FormatError, match=r"row 1 .* could be a header as well as numbers; say --header"):
        read(f"{first}\n{other}\n")
    names, rows, remark = read(f"{first}\n{other}\n", header=True)
    assert names == [cell.strip() for cell in first.split(",")] and len(rows) == 1 and remark is None
    names, rows, remark = read(f"{first}\n{other}\n", header=False)
    assert names is None and rows[0] == [int(cell) for cell in first.split(",")] and remark is None


@pytest.mark.parametrize(
    ("first", "place"),
    [
        ("1O,2", 1),
        ("2,1O", 2),
        ("1O,2O", 1),
        ("O1,l2", 1),
        ("a,2", 1),
        ("2019,total", 2),
        ("a,1_000", 2),
        ("1_000,a", 1),
        ("a,", 2),
        (",a", 1),
        ("a,nan", 2),
        ("Inf,-inf", 1),
        ("a,-", 2),
        ("a,#N/A", 2),
        ("a,NULL", 2),
        ("\u0661,\u0662", 1),
        ("\uff11,\uff12", 1),
        ("$5,$6", 1),
        ("5%,6%", 1),
        ("1 000,2 000", 1),
        ("1\u00a0000,2\u00a0000", 1),
        ('"1,000",2', 1),
        ("\u22125,a", 1),
        ("0x10,0x20", 1),
        ("1;2,3;4", 1),
        ("2019Q1,2019Q2", 1),
        ("12abc,x", 1),
        (".5x,x", 1),
        ("1e,x", 1),
        ("4/2,a", 1),
        ("\u00bd,a", 1),
        ("\u4e09,\u56db", 1),
        ("~5,a", 1),
        ("(5),a", 1),
        ("true,false", 1),
        ("--,a", 1),
    ],
)
def test_a_row_with_something_like_a_number_is_refused(first: str, place: int) -> None:
    with pytest.raises(FormatError, match=rf"row 1, cell {place}\b.*--header"):
        read(f"{first}\n5,6\n")
    with pytest.raises(FormatError, match=r"row 1, column \d: .*(is not a number|cannot be encrypted)"):
        read(f"{first}\n5,6\n", header=False)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("v\n1\n\n3\n", "row 3, column v: '' is not a number: the cell is empty"),
        ("v\n1\n3\n\n", "row 4, column v: '' is not a number"),
        ("v\n\n1\n", "row 2, column v"),
        ("\nv\n1\n", "row 1 is empty; remove the line"),
        ("\n\n", "row 1, cell 1 is empty"),
        ("a,b\n1,2\n\n3,4\n", "row 3 is empty"),
        ("a,b\n1,2\n\n", "row 3 is empty"),
        ("\na,b\n1,2\n", "row 1 is empty"),
        ('v\n""\n1\n', "row 2, column v"),
        ("v\n \n1\n", "row 2, column v"),
        ("a,b\n1,2,3\n", "row 2 has 3 cells"),
        ("a,b\n1,2\n3\n", "row 3 has 1 cells"),
        ("a,b,\n1,2,\n", "row 1, cell 3 is empty"),
        ("a,a\n1,2\n", "column names must be there and differ"),
        ("a, a\n1,2\n", "column names must be there and differ"),
        ("a\n1,000\n", "row 2 has 2 cells"),
        ('a\n"1,000"\n', "'1,000' is not a number"),
        ("a\n1 000\n", "'1 000' is not a number"),
        ("a\n\u0661\u0662\n", "is not a number"),
        ("a\n\uff15\n", "is not a number"),
        ("a\n1\u00a0\n", "is not a number"),
        ("a\n10/12\n", "'10/12' is not a number"),
        ("a\n4/2\n", "'4/2' is not a number"),
        ("a\n3/1\n", "'3/1' is not a number"),
        ("a\n1/0\n", "'1/0' is not a number"),
        ("a\n1/-3\n", "'1/-3' is not a number"),
        ("a\nInfinity\n", "Infinity cannot be encrypted"),
        ("a\n-nan\n", "-nan cannot be encrypted"),
        ('a\n"1\n2"\n', "is not a number"),
        ("a\n'5\n", "is not a number"),
        ("a;b\n1;2\n", "'1;2' is not a number"),
        ("a\n1\x00\n", r"is not a number|NUL"),
        ("a\x1b[31m\n1\n", r"the column name 'a\\x1b\[31m' .* can't be used: it holds \\x1b"),
        ("a\u202eb\n1\n", r"holds \\u202e \(right-to-left override\)"),
        ('"a\nb"\n1\n', r"holds \\x0a"),
        ("a" * 1001 + "\n1\n", "the limit is 1000"),
    ],
)
def test_every_row_counts(text: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        read(text)


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_line_ends_do_not_matter(ending: str) -> None:
    for last in ("", ending):
        assert read(ending.join(["a,b", "1,2", '" 3 ",+4.5']) + last)[1] == [[1, 2], [3, Fraction(9, 2)]]


def test_numbers_of_any_length_are_bounded_before_they_are_computed_with() -> None:
    for cell in (
        "1e999999999",
        "1e-999999999",
        "1e" + "9" * 5000,
        "9" * 5000,
        "0." + "0" * 5000 + "1",
        "1/" + "3" * 5000,
    ):
        for text in (f"a\n{cell}\n", f"{cell}\n5\n"):
            with pytest.raises(RangeError, match=r"beyond 10|the limit is 700"):
                read(text)
    with pytest.raises(FormatError, match="not CSV"):
        read("a\n" + "9" * 200000 + "\n")


def test_fractions_are_read_as_they_are_written() -> None:
    names, rows, _ = read("a,b\n4/3,-7/6\n0.5,2\n")
    assert (names, rows) == (["a", "b"], [[Fraction(4, 3), Fraction(-7, 6)], [Fraction(1, 2), 2]])
    values = np.array([Fraction(4, 3), Fraction(-7, 6), 2], dtype=object)
    integers, scale = decimals.quantise(values, automatic=True, fractions=True)
    assert (integers.tolist(), scale) == ([8, -7, 12], 6)
    assert decimals.quantise(values, Fraction(6))[0].tolist() == [8, -7, 12]
    with pytest.raises(RangeError, match="no decimals write 4/3: --scale 3, if it is no date"):
        decimals.quantise(values, automatic=True)
    with pytest.raises(RangeError, match="4/3 × 1 is not an integer"):
        decimals.quantise(values)


@given(
    st.lists(st.lists(st.fractions(-1000, 1000, max_denominator=50), min_size=2, max_size=2), min_size=1, max_size=9)
)
def test_what_is_written_is_read_back(rows: list[list[Fraction]]) -> None:
    cells = [[decimals.decimal_text(value) for value in column] for column in zip(*rows, strict=True)]
    assert read(csv_files.write(["a", "b"], cells)) == (["a", "b"], rows, None)


@given(st.text(max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    """Nothing else happens: where a text is read, every line of numbers in it became a row."""
    for header in (None, True, False):
        try:
            names, rows, _ = read(text, header)
        except (FormatError, RangeError):
            continue
        assert len(rows) + (names is not None) >= 1 and (names is None or len(names) == len(rows[0]))


def test_names_that_spreadsheets_would_run_are_quoted() -> None:
    assert csv_files.write(["=1+1", "@a", "-b", "+c", "d=e"], [["-1"]] * 5) == "'=1+1,'@a,'-b,'+c,d=e\n-1,-1,-1,-1,-1\n"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_workspace(tmp_path_factory.mktemp("cli"))


def test_headers_are_stated_on_the_command_line(place: Path, tmp_path: Path) -> None:
    (tmp_path / "years.csv").write_text("2019,2020\n5,6\n7,8\n")
    command = "encrypt", tmp_path / "years.csv", "-k", place / "keys/public.key", "-o", tmp_path / "y.ct"
    refused = run(*command)
    assert refused.code == 3 and "--no-header" in refused.text and not (tmp_path / "y.ct").exists()
    secret = place / "keys/secret.key"
    assert succeed(*command, "--header", "--json").data["columns"] == ["2019", "2020"]
    assert "2019,2020\n5,6\n7,8\n" in succeed("decrypt", tmp_path / "y.ct", "-k", secret).text
    assert succeed(*command, "--no-header", "--force", "--json").data["shape"] == [2, 3]
    assert "result_0,result_1\n2019,2020\n5,6\n7,8\n" in succeed("decrypt", tmp_path / "y.ct", "-k", secret).text
    evaluated = "eval", "x * y", "-i", f"x={tmp_path / 'y.ct'}", "-i", f"y={tmp_path / 'years.csv'}"
    options = "-k", place / "keys/evaluation.key", "-o", tmp_path / "r.ct"
    assert run(*evaluated, *options).code == 3
    succeed(*evaluated, *options, "--no-header")
    assert run("eval", "x", *evaluated[2:4], *options, "--header", "--force").code == 2
    np.save(tmp_path / "a.npy", np.arange(4))
    assert run("encrypt", tmp_path / "a.npy", *command[2:4], "-o", tmp_path / "a.ct", "--header").code == 2


def test_a_guess_is_remarked(place: Path, tmp_path: Path) -> None:
    (tmp_path / "n.csv").write_text("5,6\n7,8\n")
    command = "encrypt", tmp_path / "n.csv", "-k", place / "keys/public.key", "-o", tmp_path / "n.ct"
    assert "row 1 (5, 6) is taken as numbers" in " ".join(succeed(*command).text.split())
    assert "taken as numbers" not in succeed(*command, "--no-header", "--force").text


def test_columns_are_taken_in_the_order_that_is_asked_for(place: Path, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text('a,b,"c,d"\n1,2,3\n')
    command = "encrypt", tmp_path / "t.csv", "-k", place / "keys/public.key", "-o", tmp_path / "t.ct", "--json"
    assert succeed(*command, "--columns", '"c,d", a').data["columns"] == ["c,d", "a"]
    for wrong in ("a,a", "", "a,,b", '"a'):
        assert run(*command, "--force", "--columns", wrong).code == 2
    parquet, pyarrow = pytest.importorskip("pyarrow.parquet"), pytest.importorskip("pyarrow")
    parquet.write_table(pyarrow.table({"a": [1, 2], "b": [3, 4]}), tmp_path / "t.parquet")
    command = "encrypt", tmp_path / "t.parquet", *command[2:-1], "--force", "--columns", "b,a"
    succeed(*command)
    assert "b,a\n3,1\n4,2\n" in succeed("decrypt", tmp_path / "t.ct", "-k", place / "keys/secret.key").text
