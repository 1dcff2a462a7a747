# SPDX-License-Identifier: Apache-2.0
"""Encrypted tables against pandas and Python's decimals."""

from __future__ import annotations

import pickle
from decimal import Decimal
from fractions import Fraction
from typing import Any

import cyclotome as cy
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

PARAMETERS = cy.Parameters.suggest(depth=3, value_bits=20, terms=64, result_bits=60)
SECRET, PUBLIC, EVALUATION = cy.keygen(PARAMETERS)


def opened(x: Any) -> Any:
    return cy.decrypt_frame(x, SECRET)


def decimals(low: int = -9999, high: int = 9999) -> Any:
    """Decimals of 0 to 3 places."""
    return st.builds(lambda n, places: Decimal(n).scaleb(-places), st.integers(low, high), st.integers(0, 3))


def cells(rows: int) -> Any:
    return st.lists(st.one_of(st.none(), decimals()), min_size=rows, max_size=rows)


# --- in and out -------------------------------------------------------------------------------------------------------
def test_a_column_lies_along_slots(rng: np.random.Generator) -> None:
    parameters = cy.Parameters.suggest(depth=1, value_bits=10, result_bits=30)
    secret, public, _ = cy.keygen(parameters, rotations=[])
    values = rng.integers(-1000, 1000, 5000)
    x = cy.encrypt_frame(pd.DataFrame({"a": values}), public)
    assert x["a"].values.shape == (5000,)
    assert x.ciphertexts == len(parameters.plain_moduli) * -(-5000 // parameters.slots)
    assert x.nbytes == x["a"].values.nbytes
    assert cy.decrypt_frame(x, secret)["a"].tolist() == values.tolist()


def test_pandas_round_trip() -> None:
    table = pd.DataFrame(
        {
            "float": [0.1, -2.25, 1e-3, 300.0],
            "single": np.array([0.1, 0.2, 0.3, -0.7], dtype=np.float32),
            "whole": [1, -2, 3, 4],
            "flag": [True, False, True, True],
            "nullable": pd.array([1, None, 3, 4], dtype="Int64"),
            "kind": pd.Categorical(["b", "a", None, "b"], categories=["a", "b", "c"]),
            "exact": [Decimal("1.50"), Decimal("-0.001"), Decimal(7), Decimal(0)],
        },
        index=[5, 6, 7, 8],
    )
    x = cy.encrypt_frame(table, PUBLIC, missing={"nullable": "public", "kind": "public"}, index="drop")
    exact = opened(x)
    assert list(exact.columns) == list(table.columns)
    assert exact["float"].tolist() == [Decimal("0.1"), Decimal("-2.25"), Decimal("0.001"), Decimal(300)]
    assert exact["single"].tolist() == [Decimal("0.1"), Decimal("0.2"), Decimal("0.3"), Decimal("-0.7")]
    assert exact["flag"].tolist() == [1, 0, 1, 1]
    assert exact["exact"].tolist() == table["exact"].tolist()
    rounded = cy.decrypt_frame(x, SECRET, exact=False)
    for name in ("float", "whole", "nullable", "kind"):
        pd.testing.assert_series_equal(rounded[name], table[name].reset_index(drop=True))


def test_polars_in() -> None:
    table = pl.DataFrame(
        {
            "a": [1.5, None, float("nan")],
            "kind": pl.Series(["p", "q", None], dtype=pl.Enum(["p", "q"])),
            "exact": pl.Series([Decimal("1.20"), None, Decimal(3)]),
            "flag": [True, False, None],
            "whole": pl.Series([1, None, 200], dtype=pl.UInt8),
        }
    )
    result = opened(cy.encrypt_frame(table, PUBLIC, missing="encrypted"))
    assert result["a"].tolist() == [Decimal("1.5"), None, None]
    assert result["kind"].tolist()[:2] == ["p", "q"] and pd.isna(result["kind"][2])
    assert result["exact"].tolist() == [Decimal("1.2"), None, Decimal(3)]
    assert result["flag"].tolist()[:2] == [1, 0] and pd.isna(result["flag"][2])
    assert result["whole"].isna().tolist() == [False, True, False]


def test_values_wider_than_words() -> None:
    parameters = cy.Parameters.suggest(depth=0, value_bits=70)
    keys = cy.keygen(parameters, rotations=[])
    x = cy.encrypt_frame({"a": [2**69 + 1, -3]}, keys.public)
    assert cy.decrypt_frame(x, keys.secret)["a"].tolist() == [2**69 + 1, -3]


def test_sequences_keep_integers_beside_floats() -> None:
    x = cy.encrypt_frame(
        {"a": [2**16 + 1, 0.5], "b": np.ma.masked_array([1, 2], [False, True])}, PUBLIC, missing="public"
    )
    assert opened(x)["a"].tolist() == [Decimal(2**16 + 1), Decimal("0.5")]
    assert opened(x)["b"].isna().tolist() == [False, True]


# --- arithmetic -------------------------------------------------------------------------------------------------------
def number(cell: Any) -> Decimal | None:
    return None if pd.isna(cell) else Decimal(int(cell)) if isinstance(cell, np.integer) else Decimal(cell)


def expected(operation: Any, *columns: list[Decimal | None]) -> list[Decimal | None]:
    return [None if None in row else operation(*row) for row in zip(*columns, strict=True)]


# Each example encrypts and computes, so a failure is shown as it was found.
@settings(max_examples=12, phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(st.data(), st.sampled_from(["public", "encrypted"]), st.integers(1, 6))
def test_scales_and_masks_are_carried(data: Any, way: str, rows: int) -> None:
    a, b, c = (data.draw(cells(rows)) for _ in range(3))
    constant = data.draw(decimals())
    x = cy.encrypt_frame({"a": a, "b": b, "c": c}, PUBLIC, missing=way, bounds=dict.fromkeys("abc", 9999))
    for operation, names in (
        (lambda p, q: p + q, "ab"),
        (lambda p, q, r: p - q + r, "abc"),
        (lambda p, q, r: p * q + r, "abc"),
        (lambda p: constant - p * 3, "a"),
        (lambda p, q: (p + constant) * q, "ab"),
    ):
        columns = {"a": a, "b": b, "c": c}
        result = operation(*(x[name] for name in names))
        wanted = expected(operation, *(columns[name] for name in names))
        there = [value for value in wanted if value is not None]
        assert [number(cell) for cell in opened(result)] == wanted
        assert opened(result.sum()) == sum(there)
        count = result.count()
        assert (count if isinstance(count, int) else opened(count)) == len(there)


def test_decimals_of_results() -> None:
    x = cy.encrypt_frame({"a": [1.25, 3], "b": [0.5, 2]}, PUBLIC, scales={"b": 1})
    a, b = x["a"], x["b"]
    assert [c.decimals for c in (a, b, a + b, a * b, a * 1.07, a + 0.125, a - 1, b**3, -a)] == [
        2,
        1,
        2,
        3,
        4,
        3,
        2,
        3,
        2,
    ]
    assert opened(a**2).tolist() == [Decimal("1.5625"), Decimal(9)]
    assert opened(a * Fraction(1, 8)).tolist() == [Decimal("0.15625"), Decimal("0.375")]
    assert opened(a - a.sum()).tolist() == [Decimal(-3), Decimal("-1.25")]
    assert opened(pd.Series([1, 2]) * a).tolist() == [Decimal("1.25"), Decimal(6)]
    assert opened(np.array([1.5, 2]) - a).tolist() == [Decimal("0.25"), Decimal(-1)]
    assert opened(a * np.float64(2)).tolist() == [Decimal("2.5"), Decimal(6)]


def test_fixed_point_columns_meet_decimal_ones(rng: np.random.Generator) -> None:
    steps = cy.FixedPoint(bits=6)
    table = {"a": rng.normal(0, 20, 40).tolist(), "b": rng.integers(-500, 500, 40) / 10}
    x = cy.encrypt_frame(table, PUBLIC, scales={"a": steps}, bounds={"a": 200, "b": 50})
    a, b = x["a"], x["b"]
    rounded = [Fraction(int(value), 64) for value in steps.encode(table["a"])]
    exact = [Fraction(str(value)) for value in table["b"]]
    for result, wanted, scale in (
        (a, rounded, 64),
        (a + 0.5, [p + Fraction(1, 2) for p in rounded], 64),  # a number of steps already
        (a - b, [p - q for p, q in zip(rounded, exact, strict=True)], 320),
        (a * b, [p * q for p, q in zip(rounded, exact, strict=True)], 640),
        (a + Decimal("0.1"), [p + Fraction(1, 10) for p in rounded], 320),
        (a**2, [p * p for p in rounded], 4096),
    ):
        assert result.scale == scale
        assert [Fraction(value) for value in opened(result)] == wanted
    assert a.decimals == 6
    for odd in (["x"], [float("inf")], [1j]):
        with pytest.raises(cy.errors.CyclotomeError, match=r"row 0 .*'a'|no numbers"):
            cy.encrypt_frame({"a": odd}, PUBLIC, scales=steps)


def test_scales_that_no_decimals_write() -> None:
    thirds = cy.EncryptedColumn(cy.encrypt([1, 6, -4], PUBLIC, bound=9), scale=3)
    assert thirds.decimals is None
    assert opened(thirds).tolist() == [Fraction(1, 3), 2, Fraction(-4, 3)]
    assert cy.decrypt_frame(thirds, SECRET, exact=False).tolist() == [1 / 3, 2, -4 / 3]
    for wrong in (0, -1, 1.5, True):
        with pytest.raises(cy.errors.ArgumentError, match="scale"):
            cy.EncryptedColumn(thirds.values, scale=wrong)  # type: ignore[arg-type]
    with pytest.raises(cy.errors.RangeError, match="4096"):
        cy.EncryptedColumn(thirds.values, scale=10**2000)
    with pytest.raises(cy.errors.RangeError, match="too long"):
        _ = thirds ** (10**9)


def test_values_under_a_mask_are_zero_or_say_so() -> None:
    column = cy.EncryptedColumn(cy.encrypt([1, 2], PUBLIC), mask=np.array([1, 0]), cleared=True)
    with pytest.raises(cy.errors.RangeError, match="missing"):
        opened(column)


def test_sums_that_might_not_fit_are_refused() -> None:
    x = cy.encrypt_frame({"a": [1.5, 2], "b": [1, 2]}, PUBLIC, scales={"a": 3})
    with pytest.raises(cy.errors.RangeError):
        _ = x["b"] + Decimal("1e-29")
    with pytest.raises(cy.errors.RangeError):
        _ = x["a"] ** 4


def test_columns_are_divided_by_public_numbers() -> None:
    x = cy.encrypt_frame({"a": [1.5, None, -2]}, PUBLIC, missing="public")["a"]
    for by in (2, -4, 0.1, Fraction(3, 7), Decimal("12.5"), 3, np.int64(-8)):
        exact = by if isinstance(by, Fraction) else Fraction(str(by))
        got = opened(x / by).tolist()
        assert [None if each is None else Fraction(each) for each in got] == [Fraction(3, 2) / exact, None, -2 / exact]
        assert Fraction(opened((x / by).sum())) == Fraction(-1, 2) / exact
    assert cy.decrypt_frame(x / 3, SECRET, exact=False).tolist()[0] == 0.5
    assert (x / 4).values is x.values


def test_columns_are_not_divided_by_columns() -> None:
    column = cy.encrypt_frame({"a": [1.5, 2]}, PUBLIC)["a"]
    for wrong in (
        lambda: column == "1",
        lambda: bool(column),
        lambda: column / column,
        lambda: column / [1, 2],
        lambda: column / 0,
        lambda: column // 2,
        lambda: 1 / column,
        lambda: np.asarray(column),
        lambda: column + column.values,
        lambda: column + "1",
    ):
        with pytest.raises(cy.errors.UnsupportedError):
            wrong()
    for wrong in (lambda: column * [1, 2, 3], lambda: column**0, lambda: column * [[1, 2]]):
        with pytest.raises((cy.errors.ArgumentError, cy.errors.UnsupportedError)):
            wrong()
    with pytest.raises(cy.errors.RangeError, match="value 1"):
        _ = column * [1, None]
    with pytest.raises(cy.errors.RangeError, match="1/3"):
        _ = column * Fraction(1, 3)


# --- groups -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("way", ["public", "encrypted"])
def test_groups_against_pandas(way: str, rng: np.random.Generator) -> None:
    rows = 200
    labels = ["north", "south", "west", "nobody"]
    table = pd.DataFrame(
        {
            "a": rng.integers(-500, 500, rows) / 4,
            "b": rng.integers(0, 100, rows),
            "place": pd.Categorical(rng.choice(labels[:3], rows), categories=labels),
        }
    )
    table.loc[rng.random(rows) < 0.2, "a"] = np.nan
    x = cy.encrypt_frame(table, PUBLIC, missing={"a": way})
    y = x.assign(c=x["a"] + 1)
    table["c"] = table["a"] + 1
    for key, groups in (("place", labels), (table["place"].to_numpy(dtype=object), sorted(labels[:3]))):
        wanted = table.groupby("place", observed=False)[["a", "b", "c"]].sum().loc[groups]
        sums = cy.decrypt_frame(y.groupby(key).sum(), SECRET, exact=False)
        assert sums.index.tolist() == groups
        assert sums.to_numpy().tolist() == wanted.to_numpy().tolist()
        counts = y.groupby(key).count("c")
        counted = opened(counts)["count"].tolist() if isinstance(counts, cy.EncryptedFrame) else counts.tolist()
        assert counted == table.groupby("place", observed=False)["c"].count().loc[groups].tolist()
    assert y.groupby(["x", "y"] * 100).count().tolist() == [100, 100]


def test_a_group_that_fills_one_ciphertext_of_two() -> None:
    parameters = cy.Parameters.suggest(depth=1, value_bits=4, terms=8200, result_bits=20)
    secret, public, _ = cy.keygen(parameters)
    rows = parameters.slots + 3
    x = cy.encrypt_frame({"a": np.ones(rows, dtype=int)}, public)
    sums = cy.decrypt_frame(x.groupby(np.arange(rows) >= parameters.slots).sum("a"), secret)
    assert sums["a"].tolist() == [parameters.slots, 3]


def test_categories_are_columns() -> None:
    x = cy.encrypt_frame({"kind": ["b", "a", "b"], "a": [1.5, 2, 4]}, PUBLIC, categories={"kind": ["a", "b", "c"]})
    assert opened(x["kind"]["b"] * x["a"]).tolist() == [Decimal("1.5"), 0, 4]
    assert opened(x)["kind"].tolist() == ["b", "a", "b"]
    with pytest.raises(cy.errors.ArgumentError, match="'d' is none of"):
        _ = x["kind"]["d"]
    for wrong in (lambda: x.groupby("a"), lambda: x.groupby("kind").sum("kind")):
        with pytest.raises(cy.errors.UnsupportedError):
            wrong()
    for key in ("nothing", ["a", "b"], ["a", None, "b"], ["a", 1, "b"]):
        with pytest.raises(cy.errors.ArgumentError):
            x.groupby(key)


# --- refusals ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("table", "options", "error", "message"),
    [
        ({"a": [1.5, 2.25]}, {"scales": {"a": 1}}, cy.errors.RangeError, "row 1 .*'a': 2.25 needs 2 decimals"),
        ({"a": [0.1 + 0.2]}, {"scales": 2}, cy.errors.RangeError, "row 0 .*needs 17 decimals"),
        ({"a": [1, None]}, {}, cy.errors.RangeError, "row 1 .*'a' is missing"),
        ({"a": [1.0, float("nan")]}, {}, cy.errors.RangeError, "row 1 .*'a' is missing"),
        ({"a": [Decimal("sNaN")]}, {}, cy.errors.RangeError, "row 0 .*'a' is missing"),
        (pd.DataFrame({"a": ["x", None]}), {"categories": {"a": ["x"]}}, cy.errors.RangeError, "row 1 .*is missing"),
        ({"a": [None, float("inf")]}, {"missing": "public"}, cy.errors.RangeError, "row 1 .*'a': .*finite"),
        ({"a": [Decimal("1e999999")]}, {}, cy.errors.RangeError, "beyond"),
        ({"a": [Fraction(1, 3)]}, {}, cy.errors.RangeError, "row 0 .*1/3 is no decimal"),
        ({"a": [10.5]}, {"bounds": {"a": 10}}, cy.errors.RangeError, "row 0 .*'a': 10.5"),
        ({"a": [0, 2**21]}, {}, cy.errors.RangeError, "row 1 .*'a': 2097152"),
        ({"a": ["p", "q"]}, {"categories": {"a": ["p"]}}, cy.errors.ArgumentError, "row 1 .*'q' is none of"),
        ({"a": [1]}, {"categories": {"a": [True]}}, cy.errors.ArgumentError, "none of the categories True"),
        ({"a": [1, 2], "b": [1]}, {}, cy.errors.ArgumentError, "'b' has 1 rows"),
        ({"a": []}, {}, cy.errors.ArgumentError, "no rows"),
        ({1: [1]}, {}, cy.errors.ArgumentError, "named by int"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), {}, cy.errors.ArgumentError, "two columns"),
        ({"a": np.ones((2, 2))}, {}, cy.errors.ArgumentError, "one axis"),
        ({"a": [1]}, {"scales": {"b": 1}}, cy.errors.ArgumentError, "names a column 'b'"),
        ({"a": [1]}, {"scales": 31}, cy.errors.ArgumentError, "0 to 30"),
        ({"a": [1]}, {"missing": "drop"}, cy.errors.ArgumentError, "missing='drop'"),
        ({"a": [1]}, {"bounds": 5}, cy.errors.ArgumentError, "mapping"),
        ({"a": [1]}, {"bounds": {"a": "x"}}, cy.errors.ArgumentError, "no number"),
        ({"a": [1]}, {"categories": {"a": [1, 1]}}, cy.errors.ArgumentError, "there twice"),
        ({"a": [1]}, {"categories": {"a": 5}}, cy.errors.ArgumentError, "no list of labels"),
        ({"a": ["t"]}, {}, cy.errors.UnsupportedError, "row 0 .*'a': str 't'"),
        (pl.DataFrame({"a": [[1, 2]]}), {}, cy.errors.UnsupportedError, "row 0 .*list"),
        (
            pd.DataFrame({"a": pd.to_datetime(["2020-01-01"])}),
            {"scales": {"a": "week"}},
            cy.errors.ArgumentError,
            "week",
        ),
        ({"a": np.array([1j])}, {}, cy.errors.UnsupportedError, "complex"),
        ({"a": "xyz"}, {}, cy.errors.UnsupportedError, "not a sequence"),
        ([1], {}, cy.errors.UnsupportedError, "DataFrame"),
    ],
)
def test_what_is_refused(table: Any, options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        cy.encrypt_frame(table, PUBLIC, **options)


def test_several_columns_are_a_frame() -> None:
    table = pd.DataFrame({"a": [1, 2], "b": [3, 4], "c": [5, 6]}, index=["x", "y"])
    frame = cy.encrypt_frame(table, PUBLIC, index="public")
    pd.testing.assert_frame_equal(opened(frame[["c", "a"]]), table[["c", "a"]])
    with pytest.raises(cy.errors.ArgumentError, match="no column 'd'"):
        frame[["a", "d"]]
    with pytest.raises(cy.errors.ArgumentError, match="at least one"):
        frame[[]]
    for key in ([0], ("a", "b"), slice(1), 0):
        with pytest.raises(cy.errors.UnsupportedError, match="columns by name"):
            frame[key]


def test_a_public_count_is_a_number() -> None:
    frame = cy.encrypt_frame({"a": [1, None, 3]}, PUBLIC, missing="public")
    assert opened(frame["a"].count()) == 2
    with pytest.raises(cy.errors.UnsupportedError, match="not bool"):
        opened(True)


def test_frames_of_wrong_parts_are_refused() -> None:
    x = cy.encrypt_frame({"a": [1, 2]}, PUBLIC)
    shorter = cy.encrypt_frame({"a": [1]}, PUBLIC)
    for wrong in (
        lambda: x.assign(b=shorter["a"]),
        lambda: x["b"],
        lambda: x.select("b"),
        lambda: x["a"] + shorter["a"],
    ):
        with pytest.raises(cy.errors.ArgumentError):
            wrong()
    with pytest.raises(cy.errors.UnsupportedError):
        cy.encrypt_frame({"a": [1]}, EVALUATION)  # type: ignore[arg-type]
    with pytest.raises(cy.errors.UnsupportedError):
        cy.decrypt_frame(x["a"].values, SECRET)  # type: ignore[arg-type]
    with pytest.raises(cy.errors.MismatchError):
        cy.decrypt_frame(x, cy.keygen(PARAMETERS, rotations=[]).secret)


def test_forged_masks_and_categories_are_refused() -> None:
    twos = cy.encrypt([1, 2, 0], PUBLIC)
    with pytest.raises(cy.errors.ArgumentError, match=r"bound=\(0, 1\)"):
        cy.EncryptedColumn(twos, mask=twos)
    with pytest.raises(cy.errors.CyclotomeError, match=r"not from 0 to 1|beyond|mask"):
        opened(cy.EncryptedColumn(twos, mask=twos.assume_bound((0, 1))))
    for selectors in ([[2, 0]], [[1, 0], [1, 0]], [[-1, 0], [1, 0]]):
        with pytest.raises(cy.errors.ArgumentError, match=r"bound=\(0, 1\)"):
            cy.EncryptedCategories(cy.encrypt(selectors, PUBLIC), tuple("ab"[: len(selectors)]))
        lying = cy.encrypt(selectors, PUBLIC).assume_bound((0, 1))
        with pytest.raises(cy.errors.CyclotomeError, match=r"not from 0 to 1|beyond|categor"):
            opened(cy.EncryptedCategories(lying, tuple("ab"[: len(selectors)])))


def test_pickles_carry_all_but_keys() -> None:
    x = cy.encrypt_frame({"a": [1.5, None], "k": ["p", "q"]}, PUBLIC, missing="encrypted", categories={"k": ["p", "q"]})
    loaded = pickle.loads(pickle.dumps(x))
    pd.testing.assert_frame_equal(opened(loaded), opened(x))
    with pytest.raises(cy.errors.MissingKeyError):
        loaded.groupby("k").sum("a")
    sums = loaded.with_keys(PUBLIC, EVALUATION).groupby("k").sum("a")
    assert opened(sums)["a"].tolist() == [Decimal("1.5"), 0]
