# SPDX-License-Identifier: Apache-2.0
"""Tables in CSV, npy and Parquet files: read and written exactly, refused with the place named."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("typer")

from cyclotome.cli.numbers import decimals
from cyclotome.cli.tables import tables
from cyclotome.errors import FileError, FormatError, RangeError


def written(folder: Path, text: str) -> Path:
    path = folder / "data.csv"
    path.write_text(text, encoding="utf-8")
    return path


def test_decimals_are_taken_as_they_are_written(tmp_path: Path) -> None:
    table = tables.read_table(written(tmp_path, "a,b\n0.1,12.30\n-2,1e-2\n"))
    integers, scale = decimals.quantise(table.values, automatic=True)
    assert table.columns == ("a", "b")
    assert (integers.tolist(), scale) == ([[10, -200], [1230, 1]], 100)


def test_a_first_row_of_numbers_is_no_header(tmp_path: Path) -> None:
    table = tables.read_table(written(tmp_path, "1,2\n3,4\n"))
    assert table.columns is None
    assert decimals.quantise(table.values)[0].tolist() == [[1, 3], [2, 4]]


def test_columns_are_chosen_before_text_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, "name,age\nAda,36\nAlan,41\n")
    assert decimals.quantise(tables.read_table(path, ["age"]).values)[0].tolist() == [[36, 41]]
    with pytest.raises(FormatError, match="row 2, column name: 'Ada' is not a number"):
        tables.read_table(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no rows"),
        ("a,b\n", "no rows"),
        ("a,b\n1\n", "row 2 has 1 cells"),
        ("a,a\n1,2\n", "column names"),
        ("a\nnan\n", "row 2, column a: nan"),
        ("a\n-inf\n", "row 2, column a: -inf"),
        ("a\n1_000\n", "'1_000' is not a number"),
        ("a,b\n1,\n", "column b: '' is not a number"),
        ('a\n"1\n', "not CSV"),
    ],
)
def test_what_is_no_table_of_numbers_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        tables.read_table(written(tmp_path, text))


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="No such file"):
        tables.read_table(tmp_path / "absent.csv")
    with pytest.raises(FormatError, match="must end in"):
        tables.read_table(tmp_path / "data.xlsx")
    latin = tmp_path / "latin.csv"
    latin.write_bytes(b"a\xe9\n1\n")
    with pytest.raises(FormatError, match="not UTF-8"):
        tables.read_table(latin)
    broken = tmp_path / "broken.npy"
    np.save(broken, np.arange(100))
    broken.write_bytes(broken.read_bytes()[:-1])
    with pytest.raises(FormatError, match=r"broken\.npy"):
        tables.read_table(broken)


def test_npy_files_may_not_hold_objects_or_text(tmp_path: Path) -> None:
    path = tmp_path / "data.npy"
    np.save(path, np.array([{"a": 1}], dtype=object), allow_pickle=True)
    with pytest.raises(FormatError):
        tables.read_table(path)
    for bad in (np.array(["1"]), np.array([1j]), np.array(3), np.zeros((0, 2))):
        np.save(path, bad)
        with pytest.raises(FormatError):
            tables.read_table(path)
    np.save(path, np.array([[1.0, np.nan]]))
    with pytest.raises(FormatError, match=r"nan at \[0, 1\]"):
        tables.read_table(path)


def test_numbers_that_are_no_integers_at_the_scale_are_refused(tmp_path: Path) -> None:
    table = tables.read_table(written(tmp_path, "a\n0.125\n-0.375\n"))
    with pytest.raises(RangeError, match="--scale 100"):
        decimals.quantise(table.values)
    with pytest.raises(RangeError, match="--round"):
        decimals.quantise(table.values, Fraction(100))
    assert decimals.quantise(table.values, Fraction(100), rounding=True)[0].tolist() == [[12, -38]]
    assert decimals.quantise(table.values, Fraction(8))[0].tolist() == [[1, -3]]


def test_short_text_never_stands_for_endless_digits(tmp_path: Path) -> None:
    for cell in ("1e999999999", "1e-999999999"):
        with pytest.raises(RangeError, match="beyond 10"):
            tables.read_table(written(tmp_path, f"a\n{cell}\n"))
        for options in ({}, {"automatic": True}, {"scale": Fraction(10)}):
            with pytest.raises(RangeError):
                decimals.quantise(np.array([Decimal(cell)], dtype=object), **options)


@given(st.lists(st.decimals(-(10**6), 10**6, allow_nan=False, places=5), min_size=1, max_size=20))
def test_csv_text_reads_back_as_the_same_numbers(numbers: list[object]) -> None:
    exact = [Fraction(str(number)) for number in numbers]
    integers = np.array([int(value * 10**5) for value in exact])
    lines = tables.csv_text(integers, Fraction(10**5), name="a").splitlines()
    assert lines[0] == "a"
    assert [Fraction(line) for line in lines[1:]] == exact


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(5), "5"),
        (Fraction(-123, 100), "-1.23"),
        (Fraction(-1, 8), "-0.125"),
        (Fraction(0), "0"),
        (Fraction(1, 3), "1/3"),
        (Fraction(-3000000000000000004, 3), "-3000000000000000004/3"),
        (Fraction(-7, 10**30), f"-0.{'7':0>30}"),
        (Fraction(-7, 10**31), "-7e-31"),
        (Fraction(10**18 + 1, 10**500), "1.000000000000000001e-482"),
        (Fraction(10**40 + 1, 2 * 10**35), f"5{'5':0>40}e4".replace("5", "5.", 1)),
        (Fraction(2**200), str(2**200)),
        (Fraction(1, 2**4000), None),
    ],
)
def test_decimal_text_says_exactly_the_number(value: Fraction, text: str | None) -> None:
    written = decimals.decimal_text(value)
    assert text is None or written == text
    assert Fraction(written) == value


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (Fraction(1, 3), 4, "0.3333"),
        (Fraction(-2, 3), 0, "-1"),
        (Fraction(1, 8), 2, "0.12"),  # ties to even
        (Fraction(3, 8), 2, "0.38"),
        (Fraction(3000000000000000004, 3), 2, "1000000000000000001.33"),
        (Fraction(1, 4), 6, "0.25"),
        (Fraction(1, 10**40), 6, "0"),
    ],
)
def test_rounding_is_by_request(value: Fraction, digits: int, text: str) -> None:
    assert decimals.decimal_text(value, digits) == text


def test_columns_become_columns_again() -> None:
    assert tables.csv_text(np.array([[1, 2], [3, 4]]), Fraction(1), ["a", "b"]) == "a,b\n1,3\n2,4\n"
    assert tables.csv_text(np.array([1, 2]), Fraction(2), ["a", "b"]) == "a,b\n0.5,1\n"
    assert tables.csv_text(np.array(7), Fraction(1)) == "result\n7\n"
    with pytest.raises(FormatError, match=r"\.npy"):
        tables.csv_text(np.zeros((2, 2, 2), dtype=np.int64), Fraction(1))


def test_parquet_keeps_names_and_numbers(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    path = tmp_path / "data.parquet"
    path.write_bytes(tables.parquet_bytes(np.array([[1.5, -2.0], [3.0, 4.25]]), ("a", "b"), None))
    table = tables.read_table(path)
    assert table.columns == ("a", "b")
    assert decimals.quantise(table.values, automatic=True)[0].tolist() == [[150, -200], [300, 425]]
    assert tables.read_table(path, ["b"]).columns == ("b",)
    with pytest.raises(FormatError, match="no column 'c'"):
        tables.read_table(path, ["c"])


def test_npy_keeps_its_shape_and_wide_integers_ask_for_csv() -> None:
    assert tables.array_of(np.array([[1], [3]]), Fraction(2)).tolist() == [[0.5], [1.5]]
    wide = np.array([2**70], dtype=object)
    with pytest.raises(RangeError, match=r"\.csv"):
        tables.array_of(wide, Fraction(1))
    assert tables.csv_text(wide, Fraction(1)) == f"result\n{2**70}\n"
