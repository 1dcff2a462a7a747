# SPDX-License-Identifier: Apache-2.0
"""Encrypted columns beside pandas' own: filters by category, and rows that meet rows of the same name, or none."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import cyclotome as cy
import numpy as np
import pandas as pd
import polars as pl
import pytest
from cyclotome.errors import ArgumentError, CyclotomeError, RangeError, UnsupportedError
from small import keys

MADE = keys((40961, 65537, 114689), value_bits=8)
TABLE = pd.DataFrame({"sold": [3, 7, 1, 2], "shop": ["A", "B", "A", "A"]})
FRAME = cy.encrypt_frame(TABLE, MADE.public, categories={"shop": ["A", "B"]}).with_keys(MADE.evaluation)
SOLD, SHOP = FRAME["sold"], FRAME["shop"]
#: Rows of groups: named "A" and "B".
SUMS = FRAME.groupby("shop").sum()


def opened(x: Any) -> Any:
    return cy.decrypt_frame(x, MADE.secret)


# --- filters ----------------------------------------------------------------------------------------------------------
def test_rows_of_a_category_are_what_pandas_says(rng: np.random.Generator) -> None:
    labels = ["north", 7, True, 2.5, Decimal("1.5"), datetime.date(2020, 2, 29)]
    cells = [None if rng.random() < 0.2 else labels[int(rng.integers(len(labels)))] for _ in range(40)]
    x = cy.encrypt_frame({"k": cells, "n": list(range(40))}, MADE.public, missing="encrypted", categories={"k": labels})
    x = x.with_keys(MADE.evaluation)
    for label in labels:
        is_it = np.array([type(cell) is type(label) and cell == label for cell in cells])
        for got, wanted in ((x["k"] == label, is_it), (label == x["k"], is_it), (x["k"] != label, ~is_it)):
            assert got.values.interval == (0, 1)
            assert opened(got).tolist() == wanted.astype(int).tolist()
            assert opened((x["n"] * got).sum()) == int((np.arange(40) * wanted).sum())
    assert opened(x["k"] == np.int64(7)).tolist() == opened(x["k"] == 7).tolist()


@pytest.mark.parametrize("made", [np.str_, str, lambda text: np.array([text])[0]])
def test_numpys_text_is_text(made: Callable[[str], Any]) -> None:
    assert opened(made("A") == SHOP).tolist() == opened(made("A") == SHOP).tolist() == [1, 0, 1, 1]
    assert opened(made("A") != SHOP).tolist() == opened(made("A") != SHOP).tolist() == [0, 1, 0, 0]


NO_ANSWERS: dict[str, Callable[[], Any]] = {
    "another category": lambda: SHOP == "Z",
    "not another category": lambda: SHOP != "Z",
    "a list": lambda: SHOP == ["A", "B", "A", "A"],
    "a Series": lambda: TABLE["shop"] == SHOP,
    "a Series first": lambda: TABLE["shop"] == SHOP,
    "an array first": lambda: np.array(["A", "B", "A", "A"]) != SHOP,
    "categories": lambda: SHOP == SHOP,
    "order": lambda: SHOP < "B",
    "order backwards": lambda: SHOP >= "B",
    "categories in": lambda: "A" in SHOP,
    "categories' truth": lambda: bool(SHOP),
    "if not": lambda: not SHOP,
    "categories one by one": lambda: list(SHOP),
    "categories as numbers": lambda: SOLD * SHOP,
    "categories as numbers first": lambda: SHOP * SOLD,
    "minus categories": lambda: -SHOP,
    "a frame's comparison": lambda: FRAME == "A",
    "a frame's difference": lambda: FRAME != FRAME,
    "a frame's order": lambda: FRAME < 1,
    "a frame's truth": lambda: bool(FRAME),
    "a frame's arithmetic": lambda: FRAME + 1,
    "a frame's arithmetic backwards": lambda: 1 - FRAME,
    "a frame's product": lambda: FRAME @ SOLD.values,
    "a column times a frame": lambda: SOLD * FRAME,
    "minus a frame": lambda: -FRAME,
    "rows by numbers": lambda: FRAME[SOLD],
    "rows by categories": lambda: FRAME[SHOP],
    "a number": lambda: FRAME[0],
    "no column": lambda: FRAME["no"],
    "a column's truth": lambda: bool(SOLD),
    "a column and text": lambda: SOLD == "A",
    "a column and an array": lambda: SOLD.values > SOLD,
    "a column and categories": lambda: SOLD == SHOP,
    "numbers in a condition": lambda: (SHOP == "A") & SOLD,
    "in a column": lambda: 3 in SOLD,
    "a column one by one": lambda: list(SOLD),
    "a row": lambda: SOLD[0],
    "several rows": lambda: SOLD[1:],
    "a frame for pandas": lambda: pd.DataFrame(FRAME),
    "a column for pandas": lambda: pd.Series(SOLD),
    "categories for pandas": lambda: pd.Series(SHOP),
    "a column of a DataFrame": lambda: pd.DataFrame({"a": SOLD}),
    "a new column": lambda: TABLE.assign(new=SOLD),
    "a frame for NumPy": lambda: np.array(FRAME),
    "a column for NumPy": lambda: np.asarray(SOLD),
    "categories for NumPy": lambda: np.asarray(SHOP),
    "columns for NumPy": lambda: np.array([SOLD, SOLD]),
    "a new column in place": lambda: FRAME.__setitem__("new", SOLD),
    "a column away": lambda: FRAME.__delitem__("sold"),
    "rounded": lambda: round(SOLD, 1),
    "without sign": lambda: abs(SOLD),
    "remainders": lambda: SOLD % 2,
    "by a column": lambda: 1 / SOLD,
    "into an array": lambda: np.add(np.arange(4), SOLD, out=np.arange(4)),
    "numpy.sum": lambda: np.sum(SOLD),
    "numpy.where": lambda: np.where(SHOP == "A", 1, 0),
    "numpy.concatenate": lambda: np.concatenate([SOLD, SOLD]),
    "numpy.sum of a frame": lambda: np.sum(FRAME),
    "a DataFrame": lambda: SOLD * TABLE,
    "a DataFrame first": lambda: TABLE[["sold"]] * SOLD,
    "a Polars DataFrame": lambda: SOLD * pl.DataFrame({"a": [1, 2, 3, 4]}),
}


@pytest.mark.parametrize("what", list(NO_ANSWERS))
def test_what_has_no_answer_is_refused_with_advice(what: str) -> None:
    with pytest.raises((UnsupportedError, ArgumentError)) as error:
        NO_ANSWERS[what]()
    assert len(str(error.value)) > 30


@pytest.mark.parametrize("make", [lambda: pl.Series(SOLD), lambda: pl.DataFrame(FRAME), lambda: pl.Series([1]) * SOLD])
def test_polars_refuses_what_it_does_not_know(make: Callable[[], Any]) -> None:
    with pytest.raises(TypeError):
        make()


def test_floats_of_many_digits_are_rounded_and_decimals_are_not() -> None:
    """1/3 is 0.3333333333333333 as a decimal; who writes it as a float means fewer, as a decimal all of them."""
    sold = TABLE["sold"].tolist()
    for factor, wanted in (
        (1 / 3, Decimal("0.333333")),
        (0.1 + 0.2, Decimal("0.3")),
        (-2 / 3e5, Decimal("-0.00000666667")),
        (0.0625, Decimal("0.0625")),
        (np.float32(0.1), Decimal("0.1")),
    ):
        assert opened(SOLD * factor).tolist() == [each * wanted for each in sold]
        assert opened(factor * SOLD).tolist() == [each * wanted for each in sold]
    assert opened(SOLD + 1 / 3).tolist() == [each + Decimal("0.333333") for each in sold]
    assert opened(SOLD * pd.Series([1 / 3, 0.5, 2, 1])).tolist()[:2] == [Decimal("0.999999"), Decimal("3.5")]
    with pytest.raises(RangeError, match=r"as they are written.*round\(x, 4\)"):
        _ = SOLD * Decimal("0.3333333333333333")


def test_every_name_of_pandas_is_there_or_answered_with_advice() -> None:
    """All that a pandas user may write; what is there is computed in test_statistics.py and test_choosing.py."""
    groups = FRAME.groupby("shop")
    pairs = (
        (FRAME, pd.DataFrame(TABLE)), (SOLD, TABLE["sold"]), (SHOP, TABLE["shop"]), (FRAME.mean(), TABLE["sold"]),
        (groups, TABLE.groupby("shop")), (groups["sold"], TABLE.groupby("shop")["sold"]),
    )  # fmt: skip
    for x, theirs in pairs:
        names = [name for name in dir(theirs) if not name.startswith("_") and name not in ("sold", "shop")]
        assert len(names) > 50
        for name in names:
            if name in dir(x):
                continue
            with pytest.raises(AttributeError, match=rf"has no attribute '{name}'; .{{12}}"):
                getattr(x, name)
        with pytest.raises(AttributeError, match=r"has no attribute '__dataframe__'$"):
            x.__dataframe__  # noqa: B018


def test_every_function_of_numpy_is_answered_with_advice() -> None:
    """Those of one or two operands, and those that go by `__array_function__`; operators' own are operators."""
    operators = {"add", "subtract", "multiply", "equal", "not_equal", "less", "less_equal", "greater", "greater_equal"}
    operators |= {"negative", "positive"}
    for x in (FRAME, SOLD, SHOP, FRAME.mean()):
        functions = {name: each for name in dir(np) if isinstance(each := getattr(np, name), np.ufunc)}
        for name, function in functions.items():
            if name in operators:
                continue
            with pytest.raises((UnsupportedError, ArgumentError)) as error:
                function(*[x] * function.nin)
            assert len(str(error.value)) > 40 and "__array" not in str(error.value)
        for function in (np.mean, np.std, np.quantile, np.corrcoef, np.sort, np.unique, np.clip, np.cumsum):
            with pytest.raises((UnsupportedError, TypeError)) as error:
                function(x, 1) if function is np.quantile else function(x)
            assert len(str(error.value)) > 40


def test_columns_are_no_attributes() -> None:
    with pytest.raises(AttributeError, match=r"frame\['sold'\]"):
        FRAME.sold  # noqa: B018
    assert opened(FRAME.assign(twice=lambda f: f["sold"] * 2)["twice"]).tolist() == [6, 14, 2, 4]


def test_what_python_asks_of_containers() -> None:
    assert "sold" in FRAME and "no" not in FRAME and SOLD not in FRAME and list(FRAME) == ["sold", "shop"]
    assert len(FRAME) == len(SOLD) == len(SHOP) == 4
    assert SOLD in [SOLD] and {SOLD: 1}[SOLD] == 1 and len({SHOP, SHOP, FRAME}) == 2
    with pytest.raises(UnsupportedError):
        len(SOLD.sum())


# --- rows -------------------------------------------------------------------------------------------------------------
INDICES: list[Callable[[np.random.Generator, int], Any]] = [
    lambda rng, n: range(n),
    lambda rng, n: rng.permutation(n),
    lambda rng, n: rng.integers(0, n, n),
    lambda rng, n: np.arange(n, dtype=float),
    lambda rng, n: np.arange(1, n + 1),
    lambda rng, n: list("abcdefghij"[:n]),
    lambda rng, n: rng.permutation(list("abcdefghij"[:n])),
    lambda rng, n: pd.CategoricalIndex(list("abcdefghij"[:n])[::-1]),
    lambda rng, n: pd.Index(list("abcdefghij"[:n])[::-1], dtype=object),
    lambda rng, n: pd.date_range("2020-01-01", periods=n),
    lambda rng, n: pd.MultiIndex.from_tuples([(1, i) for i in range(n)]),
    lambda rng, n: [1, *range(1, n)],
    lambda rng, n: [None, *range(1, n)],
]
OPERATIONS: list[Callable[[Any, Any], Any]] = [
    lambda a, b: a * b, lambda a, b: b * a, lambda a, b: a + b, lambda a, b: b - a, lambda a, b: a - b,
]  # fmt: skip


def test_series_meet_rows_of_their_names_or_are_refused(rng: np.random.Generator) -> None:
    """What is answered is what pandas answers; what pandas would answer with missing values is refused."""
    answered = 0
    for _ in range(400):
        n = int(rng.integers(2, 8))
        table = pd.DataFrame({"a": rng.integers(-50, 50, n)}, index=INDICES[int(rng.integers(len(INDICES)))](rng, n))
        other = pd.Series(rng.integers(-50, 50, n), index=INDICES[int(rng.integers(len(INDICES)))](rng, n))
        if rng.random() < 0.3:
            other = other.set_axis(table.index)
        if rng.random() < 0.3:
            other = other.sample(frac=float(rng.choice([1, 0.5])), random_state=int(rng.integers(1000)))
        operation = OPERATIONS[int(rng.integers(len(OPERATIONS)))]
        try:
            x = cy.encrypt_frame(table, MADE.public, index=str(rng.choice(["refuse", "public"])))
            got = opened(operation(x["a"], other))
        except (ArgumentError, UnsupportedError):
            continue
        answered += 1
        wanted = operation(table["a"], other)
        if not table.index.equals(other.index):
            wanted = wanted.reindex(table.index)
        assert got.tolist() == wanted.tolist()
        assert got.index.tolist() == table.index.tolist()
    assert answered > 40


def test_groups_by_a_series_are_pandas_groups(rng: np.random.Generator) -> None:
    answered = 0
    for _ in range(60):
        n = int(rng.integers(2, 8))
        table = pd.DataFrame({"a": rng.integers(-50, 50, n)}, index=INDICES[int(rng.integers(len(INDICES)))](rng, n))
        labels = pd.Series(rng.choice(["x", "y", "z"], n), index=table.index)
        if rng.random() < 0.5:
            labels = labels.sample(frac=1, random_state=int(rng.integers(1000)))
        if rng.random() < 0.3:
            labels = labels.astype(pd.CategoricalDtype(["z", "y", "x"]))
        try:
            x = cy.encrypt_frame(table, MADE.public, index="public").with_keys(MADE.evaluation)
            got = opened(x.groupby(labels).sum("a"))["a"]
        except (ArgumentError, UnsupportedError):
            continue
        answered += 1
        wanted = table.groupby(labels, observed=True)["a"].sum()
        assert got.to_dict() == wanted.to_dict() and got.index.tolist() == wanted.index.tolist()
    assert answered > 5


@pytest.mark.parametrize("made", [pd.Series, pd.Index, pd.array, np.array, list, tuple, pl.Series])
def test_what_has_no_names_goes_by_its_order(made: Callable[[Any], Any]) -> None:
    assert opened(SOLD * made([1, 2, 3, 4])).tolist() == [3, 14, 3, 8]
    assert opened(SUMS["sold"] * [1, 2]).to_dict() == {"A": 6, "B": 14}
    assert opened(FRAME.groupby(made(["x", "x", "y", "y"])).sum("sold"))["sold"].to_dict() == {"x": 10, "y": 3}


def test_groups_have_names() -> None:
    groups = SUMS["sold"]
    assert groups.index == SUMS.index == ("A", "B")
    for weights in (pd.Series([1, 2], index=["A", "B"]), pd.Series([2, 1], index=["B", "A"])):
        assert opened(groups * weights).to_dict() == opened(weights * groups).to_dict() == {"A": 6, "B": 14}
    for weights in (
        pd.Series([1, 2]), pd.Series([1, 2, 3], index=list("ABC")), pd.Series([1], index=["A"]),
        pd.Series([1, 2], index=["A", "A"]), pd.Series([1, 2], index=["A", None]),
    ):  # fmt: skip
        with pytest.raises(ArgumentError, match="named"):
            _ = groups * weights
    total = SOLD.sum()
    assert opened(groups * total).to_dict() == opened(total * groups).to_dict() == {"A": 78, "B": 91}
    assert opened(groups.filled() + groups).to_dict() == {"A": 12, "B": 14}
    with pytest.raises(ArgumentError, match="other names"):
        _ = groups + cy.EncryptedColumn(groups.values)
    assert opened(SUMS.assign(c=cy.EncryptedColumn(groups.values))["c"] + groups).to_dict() == {"A": 12, "B": 14}
    loaded = cy.from_bytes(cy.to_bytes(SUMS), allow_insecure=True)
    assert loaded["sold"].index == ("A", "B")
    with pytest.raises(ArgumentError, match="named"):
        _ = total * pd.Series([1, 2], index=[1, 0])


def test_arrays_have_no_names_of_rows() -> None:
    x, odd = cy.encrypt([1, 2, 3], MADE.public), pd.Series([1, 2, 3], index=[2, 1, 0])
    parameters = MADE.secret.parameters
    for refused in (
        lambda: x + odd, lambda: odd - x, lambda: cy.equal(x, odd), lambda: x * pd.DataFrame([[1, 2, 3]], index=["a"]),
        lambda: x @ odd, lambda: cy.plain(odd, parameters), lambda: cy.Matrix(odd.to_frame(), parameters),
        lambda: cy.where(cy.encrypt([1, 0, 1], MADE.public, bound=(0, 1)), x, odd), lambda: cy.polyval(odd, x),
        lambda: np.dot(x, odd), lambda: np.einsum("i,i->i", x, odd),
    ):  # fmt: skip
        with pytest.raises(ArgumentError, match=r"to_numpy\(\)"):
            refused()
    even = odd.sort_index()
    assert cy.decrypt(x + even, MADE.secret).tolist() == cy.decrypt(even + x, MADE.secret).tolist() == [4, 4, 4]
    # What is encrypted by itself has no rows to be mistaken for.
    assert cy.decrypt(cy.encrypt(odd, MADE.public), MADE.secret).tolist() == [1, 2, 3]


# --- what becomes of an index -----------------------------------------------------------------------------------------
def test_an_index_is_refused_dropped_or_public() -> None:
    table = pd.DataFrame({"a": [10, 20, 30]}, index=["x", "y", "z"])
    with pytest.raises(ArgumentError, match=r"\['x', 'y', 'z'\].*index='drop'.*index='public'"):
        cy.encrypt_frame(table, MADE.public)
    dropped, public = (cy.encrypt_frame(table, MADE.public, index=way) for way in ("drop", "public"))
    assert dropped.index is None and public.index == ("x", "y", "z")
    pd.testing.assert_frame_equal(opened(public), table)
    pd.testing.assert_frame_equal(opened(dropped), table.reset_index(drop=True))
    assert opened(public["a"] * pd.Series([3, 2, 1], index=["z", "y", "x"])).tolist() == [10, 40, 90]
    again = cy.from_bytes(cy.to_bytes(public), allow_insecure=True)
    assert again.index == public.index and b"xyz".isalpha() and b'["str","y"]' in cy.to_bytes(public)
    assert cy.encrypt_frame(TABLE[["sold"]], MADE.public, index="public").index is None
    for odd in (pd.Timestamp(0), (1, 2), None):
        with pytest.raises(ArgumentError, match="label"):
            cy.encrypt_frame(pd.DataFrame({"a": [1]}, index=pd.Index([odd], dtype=object)), MADE.public, index="public")
    for wrong in ("keep", None, True):
        with pytest.raises(ArgumentError, match="'refuse', 'drop' and 'public'"):
            cy.encrypt_frame(table, MADE.public, index=wrong)  # type: ignore[arg-type]


def test_mappings_of_series_have_the_names_of_their_rows() -> None:
    a, b = pd.Series([1, 2]), pd.Series([3, 4], index=[1, 0])
    with pytest.raises(ArgumentError, match=r"pandas\.DataFrame"):
        cy.encrypt_frame({"a": a, "b": b}, MADE.public)
    with pytest.raises(ArgumentError, match="index='drop'"):
        cy.encrypt_frame({"b": b, "c": b + 1}, MADE.public)
    assert opened(cy.encrypt_frame({"b": b, "c": [7, 8]}, MADE.public, index="public")).to_dict() == {
        "b": {1: 3, 0: 4}, "c": {1: 7, 0: 8},
    }  # fmt: skip


def test_groupby_takes_one_column() -> None:
    assert FRAME.groupby(["shop"]).labels == ("A", "B")
    for several in (["sold", "shop"], ("shop", "sold")):
        with pytest.raises(UnsupportedError, match="those of one"):
            FRAME.groupby(several)
    for stamps in (pd.Series(pd.to_datetime(["2020-01-01"] * 4)), np.array(["2020-01-01"] * 4, "datetime64[ns]")):
        with pytest.raises(CyclotomeError, match="datetime64"):  # and no groups named by nanoseconds
            FRAME.groupby(stamps)
    days = pd.to_datetime(pd.Series(["2020-01-01", "2020-01-02"] * 2)).dt.date
    assert opened(FRAME.groupby(days).sum("sold"))["sold"].tolist() == [4, 9]
