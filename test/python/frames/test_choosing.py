# SPDX-License-Identifier: Apache-2.0
"""Rows that are chosen, values that are filled in, tables that are joined, dates: beside pandas."""

from __future__ import annotations

import datetime
import pickle
from collections.abc import Callable
from typing import Any

import cyclotome as cy
import numpy as np
import pandas as pd
import pytest
from cyclotome.errors import ArgumentError, CyclotomeError, NoiseError, RangeError, UnsupportedError
from small import DEGREE, keys, parameters

#: Deep enough for several comparisons one after the other.
DEEP = parameters((40961, 65537), DEGREE, (50,) * 20, value_bits=12)
SECRET, PUBLIC, EVALUATION = cy.keygen(DEEP, device="cpu:1")
ROWS = 24


def opened(x: Any, **options: Any) -> Any:
    return cy.decrypt_frame(x, SECRET, **{"exact": False, **options})


def drawn(rng: np.random.Generator, holes: float = 0.25) -> pd.DataFrame:
    table = pd.DataFrame(
        {
            "price": rng.integers(-8, 9, ROWS) / 2,
            "sold": rng.integers(0, 9, ROWS),
            "flag": rng.random(ROWS) < 0.5,
            "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 20, ROWS), unit="D"),
            "shop": pd.Categorical(rng.choice(["A", "B"], ROWS), categories=["A", "B", "C"]),
        }
    )
    for name in ("price", "shop"):
        table.loc[rng.random(ROWS) < holes, name] = None
    return table


def encrypted(table: pd.DataFrame, way: str, **options: Any) -> cy.EncryptedFrame:
    bounds = {"price": 4, "sold": (0, 8), "day": ("2024-01-01", "2024-01-21")}
    found = cy.encrypt_frame(
        table, PUBLIC, missing=dict.fromkeys(("price", "shop"), way), scales={"price": 1}, bounds=bounds, **options
    )
    return found.with_keys(EVALUATION)


#: The same program for pandas' table and an encrypted one: conditions,
CONDITIONS: dict[str, Callable[[Any], Any]] = {
    "greater": lambda f: f["price"] > 1,
    "at least": lambda f: f["price"] >= 1.5,
    "less": lambda f: f["price"] < -0.25,
    "at most": lambda f: f["price"] <= 0.7,
    "equal": lambda f: f["price"] == 2,
    "equal to no step": lambda f: f["price"] == 2.3,
    "different": lambda f: f["price"] != 2.5,
    "beyond": lambda f: f["sold"] > 100,
    "below all": lambda f: f["sold"] >= -1e9,
    "from the right": lambda f: 3 < f["sold"],  # noqa: SIM300
    "two columns": lambda f: f["price"] < f["sold"],
    "equal columns": lambda f: f["sold"] == f["price"],
    "an array": lambda f: f["sold"] > np.arange(ROWS) % 7,
    "a Series first": lambda f: pd.Series(np.arange(ROWS) % 7) <= f["sold"],
    "between": lambda f: f["sold"].between(2, 5),
    "is in": lambda f: f["sold"].isin([1, 3.0, 3, 77]),
    "truth": lambda f: f["flag"],
    "not": lambda f: ~f["flag"],
    "and": lambda f: (f["price"] > 0) & (f["shop"] == "A"),
    "or": lambda f: f["flag"] | (f["sold"] > 4),
    "either": lambda f: f["flag"] ^ (f["shop"] != "A"),
    "and public": lambda f: f["flag"] & (np.arange(ROWS) % 2 == 0),
    "or public": lambda f: pd.Series(np.arange(ROWS) % 2 == 0) | f["flag"],
    "a category": lambda f: f["shop"] == "B",
    "no category": lambda f: f["shop"] != "B",
    "categories": lambda f: f["shop"].isin(["A", "C", "D"]),
    "missing": lambda f: f["price"].isna(),
    "there": lambda f: f["price"].notna(),
    "no category at all": lambda f: f["shop"].isna(),
    "a date": lambda f: f["day"] >= pd.Timestamp("2024-01-08"),
    "a date as text": lambda f: f["day"] < "2024-01-11",
    "one day": lambda f: f["day"] == np.datetime64("2024-01-05"),
    "a duration": lambda f: f["day"] - pd.Timestamp("2024-01-03") > pd.Timedelta(days=4),
}
#: and what is done with the rows in which one holds.
USES: dict[str, Callable[[Any, Any], Any]] = {
    "sum": lambda f, m: f[m]["sold"].sum(),
    "sum of a column": lambda f, m: f["price"][m].sum(),
    "count": lambda f, m: f[m]["price"].count(),
    "how many": lambda f, m: m.sum(),
    "mean": lambda f, m: f.loc[m, "price"].mean(),
    "variance": lambda f, m: f[m]["sold"].var(),
    "largest": lambda f, m: f[m]["price"].max(),
    "product": lambda f, m: (f["sold"] * m).sum(),
    "rows": lambda f, m: f[m],
    "a column": lambda f, m: f["day"][m],
    "categories": lambda f, m: f["shop"][m],
    "size of groups": lambda f, m: f[m].groupby("shop", **_observed(f)).size(),
    "groups": lambda f, m: f[m].groupby("shop", **_observed(f))["sold"].mean(),
    "filled": lambda f, m: f[m]["price"].fillna(1.5),
    "twice": lambda f, m: f[m][f[m]["sold"] > 2]["sold"].sum(),
    "where": lambda f, m: f["price"].where(m),
    "where else": lambda f, m: f["price"].where(m, -1),
    "computed": lambda f, m: f[m]["sold"] * 2 + f[m]["price"],
    "categories counted": lambda f, m: f[m]["shop"].value_counts().sort_index()
    if _is(f)
    else f[m]["shop"].value_counts(),
    "missing": lambda f, m: f[m]["price"].isna().sum(),
}


def _is(f: Any) -> bool:
    return isinstance(f, pd.DataFrame)


def _sorted(f: Any, counts: Any) -> Any:
    return counts.sort_index() if _is(f) else counts


def _observed(f: Any) -> dict[str, bool]:
    return {"observed": False} if _is(f) else {}


def same(got: Any, wanted: Any) -> None:
    if isinstance(got, pd.Series) and got.name == "count":
        got = got.sort_index()
    if isinstance(wanted, pd.DataFrame):
        pd.testing.assert_frame_equal(got, wanted, check_dtype=False, check_index_type=False)
    elif isinstance(wanted, pd.Series):
        pd.testing.assert_series_equal(got, wanted, check_dtype=False, check_index_type=False)
    else:
        assert got == pytest.approx(float(wanted), rel=1e-12, nan_ok=True)


@pytest.mark.parametrize("way", ["public", "encrypted"])
@pytest.mark.parametrize("condition", CONDITIONS)
def test_conditions_and_filters_are_pandas(way: str, condition: str, rng: np.random.Generator) -> None:
    table = drawn(rng)
    frame, make = encrypted(table, way), CONDITIONS[condition]
    mask, wanted_mask = make(frame), make(table)
    if isinstance(mask, cy.EncryptedColumn):
        assert mask.kind == "bool" and mask.values.interval in ((0, 1), (0, 0), (1, 1))
        assert opened(mask).dtype == bool and opened(mask).tolist() == wanted_mask.tolist()
    else:  # public, as the mask is
        assert way == "public" and mask.tolist() == wanted_mask.tolist()
    for name in rng.choice(list(USES), 6, replace=False):
        if name == "how many" and not isinstance(mask, cy.EncryptedColumn):
            continue
        try:
            same(opened(USES[name](frame, mask)), USES[name](table, wanted_mask))
        except AssertionError as error:
            raise AssertionError(f"{condition}, {name}, of\n{table}\n{error}") from None


@pytest.mark.parametrize("use", USES)
def test_every_use_of_a_filter_is_pandas(use: str, rng: np.random.Generator) -> None:
    table = drawn(rng)
    for way in ("public", "encrypted"):
        frame = encrypted(table, way)
        for make in (lambda f: f["flag"], lambda f: f["sold"] > 4, lambda f: pd.Series(np.arange(ROWS) % 3 > 0)):
            mask = make(frame)
            if use in ("how many", "product") and not isinstance(mask, cy.EncryptedColumn):
                continue
            same(opened(USES[use](frame, mask)), USES[use](table, make(table)))


def test_filtered_tables_are_stored_and_pickled(rng: np.random.Generator) -> None:
    table = drawn(rng)
    for way in ("public", "encrypted"):
        x = encrypted(table, way)
        for mask in (x["flag"], np.arange(ROWS) % 3 == 0):
            filtered = x[mask]
            wanted = opened(filtered)
            data = cy.to_bytes(filtered)
            again = cy.from_bytes(data, allow_insecure=True)
            assert cy.to_bytes(again) == data
            for copy in (again, pickle.loads(pickle.dumps(filtered)), filtered.to("cpu:1")):
                pd.testing.assert_frame_equal(opened(copy), wanted)
                hidden = isinstance(mask, cy.EncryptedColumn)
                if hidden:
                    with pytest.raises(UnsupportedError, match="encrypted"):
                        len(copy)
                else:
                    assert copy.shape == wanted.shape and len(copy["shop"]) == len(copy["sold"]) == len(wanted)
            column = pickle.loads(pickle.dumps(filtered["price"]))
            pd.testing.assert_series_equal(opened(column), wanted["price"])


# --- values in place of missing ones ----------------------------------------------------------------------------------
@pytest.mark.parametrize("way", ["public", "encrypted"])
def test_missing_values_are_filled_as_pandas_does(way: str, rng: np.random.Generator) -> None:
    table = drawn(rng)
    frame = encrypted(table, way)
    for value in (0, 2, -0.5, 0.25, 100):
        assert opened(frame["price"].fillna(value)).tolist() == table["price"].fillna(value).tolist()
        assert opened(frame["price"].fillna(value).sum()) == table["price"].fillna(value).sum()
    assert opened(frame["shop"].fillna("C")).tolist() == table["shop"].fillna("C").tolist()
    filled = frame.fillna({"price": 1.5, "shop": "B"})
    pd.testing.assert_frame_equal(opened(filled), table.fillna({"price": 1.5, "shop": "B"}), check_dtype=False)
    assert opened(frame[["price", "sold"]].fillna(7)).equals(table[["price", "sold"]].fillna(7))
    assert opened(frame["day"].fillna("2024-01-01")).tolist() == table["day"].tolist()
    for wrong in (
        lambda: frame["price"].fillna("x"),
        lambda: frame["price"].fillna([1, 2]),
        lambda: frame["shop"].fillna("Z"),
    ):
        with pytest.raises((ArgumentError, UnsupportedError)):
            wrong()


def test_missing_booleans_are_to_be_filled() -> None:
    table = pd.DataFrame({"b": pd.array([True, None, False], dtype="boolean"), "n": [1, 2, 4]})
    for way in ("public", "encrypted"):
        x = cy.encrypt_frame(table, PUBLIC, missing={"b": way}).with_keys(EVALUATION)
        pd.testing.assert_frame_equal(opened(x), table)
        with pytest.raises(UnsupportedError, match=r"fillna\(False\)"):
            x[x["b"]]
        assert opened(x[x["b"].fillna(True)]["n"].sum()) == 3
        assert opened(x["b"].value_counts()).to_dict() == {True: 1, False: 1}
        assert opened(x.groupby("b")["n"].sum()).to_dict() == {False: 4, True: 1}


# --- joins ------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("how", ["left", "inner"])
@pytest.mark.parametrize("kind", ["public", "named rows", "encrypted"])
def test_joins_are_pandas(how: str, kind: str, rng: np.random.Generator) -> None:
    for way in ("public", "encrypted"):
        table = drawn(rng)
        for labels in (["A", "B", "C"], ["B", "D"]):
            size = len(labels)
            right = pd.DataFrame(
                {
                    "shop": rng.permutation(labels),
                    "rent": rng.integers(0, 9, size) / 2,
                    "sold": rng.integers(0, 9, size),
                    "open": rng.random(size) < 0.5,
                }
            )
            if kind != "public":
                right = right.drop(columns="open")
            if kind != "named rows" and size == 3:
                right.loc[0, "rent"] = None
            frame = encrypted(table, way)
            theirs: Any = right
            if kind == "encrypted":
                theirs = cy.encrypt_frame(
                    right,
                    PUBLIC,
                    missing={"rent": way},
                    bounds={"rent": 5, "sold": (0, 9)},
                    categories={"shop": labels},
                )
            elif kind == "named rows":
                theirs = cy.encrypt_frame(
                    right.set_index("shop"), PUBLIC, index="public", bounds={"rent": 5, "sold": 9}
                )
            validate = "many_to_one" if kind == "encrypted" else None
            got = opened(frame.merge(theirs, on="shop", how=how, validate=validate))
            wanted = table.merge(right, on="shop", how=how)
            wanted["shop"] = wanted["shop"].astype(pd.CategoricalDtype(["A", "B", "C"]))
            assert list(got.columns) == list(wanted.columns)
            if "open" in wanted:
                wanted["open"] = wanted["open"].astype(object)
                got["open"] = got["open"].astype(object)
            got = got.reset_index(drop=True).astype(object)
            wanted = wanted.astype(object)
            same(got.where(got.notna(), None), wanted.where(wanted.notna(), None))


def test_a_grouped_sum_joins_its_table(rng: np.random.Generator) -> None:
    table = drawn(rng, holes=0)
    frame = encrypted(table, "public")
    sums = frame.groupby("shop").sum("sold")
    got = opened(frame.merge(sums, on="shop", suffixes=("", "_of_shop"))["sold_of_shop"])
    assert got.tolist() == table.groupby("shop", observed=False)["sold"].transform("sum").tolist()


def test_joins_that_make_no_sense_are_refused(rng: np.random.Generator) -> None:
    frame = encrypted(drawn(rng, 0), "public")
    right = pd.DataFrame({"shop": ["A", "B"], "rent": [1, 2]})
    twice = cy.encrypt_frame({"shop": ["A", "A"], "rent": [1, 2]}, PUBLIC, categories={"shop": ["A", "B"]})
    refused: dict[str, Callable[[], Any]] = {
        "an outer join": lambda: frame.merge(right, on="shop", how="outer"),
        "a key of numbers": lambda: frame.merge(right, on="sold"),
        "no key": lambda: frame.merge(right, on="city"),
        "a key that the right one has not": lambda: frame.merge(right[["rent"]], on="shop"),
        "a key twice": lambda: frame.merge(pd.concat([right, right]), on="shop"),
        "text": lambda: frame.merge(right.assign(name="x"), on="shop"),
        "no common key": lambda: frame.merge(right.assign(shop=["X", "Y"]), on="shop"),
        "encrypted keys of which nothing is said": lambda: frame.merge(twice, on="shop"),
        "another claim": lambda: frame.merge(right, on="shop", validate="one_to_one"),
        "equal suffixes": lambda: frame.merge(right.assign(sold=1), on="shop", suffixes=("", "")),
    }
    for name, call in refused.items():
        with pytest.raises((ArgumentError, UnsupportedError)) as error:
            call()
        assert len(str(error.value)) > 30, name
    with pytest.raises(CyclotomeError):  # a key that is there twice, though it was said not to be
        opened(frame.merge(twice, on="shop", validate="m:1"))


# --- rows and columns by name -----------------------------------------------------------------------------------------
def test_rows_by_public_names_are_pandas(rng: np.random.Generator) -> None:
    table = drawn(rng, 0)
    named = table.set_axis([f"row {i}" for i in range(ROWS)])
    for data, way in ((table, "drop"), (named, "public")):
        frame = encrypted(data, "public", index=way)
        names = data.index.tolist()
        for rows in (
            names[2:9:3],
            [names[5]],
            slice(names[3], names[7]),
            slice(None, names[2]),
            slice(names[20], None),
        ):
            pd.testing.assert_frame_equal(opened(frame.loc[rows]), data.loc[rows], check_dtype=False)
            assert opened(frame.loc[rows, "sold"].sum()) == data.loc[rows, "sold"].sum()
            got = opened(frame.loc[rows, ["sold", "flag"]])
            pd.testing.assert_frame_equal(got, data.loc[rows, ["sold", "flag"]], check_dtype=False)
        for name in names[::7]:
            assert opened(frame.loc[name, "price"]) == data.loc[name, "price"]
            assert opened(frame.loc[name, "day"]) == data.loc[name, "day"]
            assert opened(frame.loc[name, "flag"]) is bool(data.loc[name, "flag"])
        for n in (1, 5, 30, -4):
            pd.testing.assert_frame_equal(opened(frame.head(n)), data.head(n), check_dtype=False)
        assert frame.shape == data.shape and len(frame.drop("sold").columns) == 4
        renamed = frame.rename(columns={"sold": "pieces"})
        pd.testing.assert_frame_equal(opened(renamed), data.rename(columns={"sold": "pieces"}), check_dtype=False)
        for wrong in (
            lambda f=frame, n=names: f.loc[n[3]],
            lambda f=frame, n=names: f.loc[[n[3], n[1]]],
            lambda f=frame, n=names: f.loc[[n[3], n[3]]],
            lambda f=frame: f.loc[["none"]],
            lambda f=frame: f.loc[[]],
            lambda f=frame, n=names: f.loc[n[0] : n[9] : 2],
            lambda f=frame, n=names: f.loc[n[0], "shop"],
            lambda f=frame: f.head(0),
            lambda f=frame: f.drop("none"),
            lambda f=frame: f.rename(columns={"sold": "price"}),
            lambda f=frame: f[f["flag"]].head(2),
        ):
            with pytest.raises((ArgumentError, UnsupportedError)):
                wrong()


# --- dates ------------------------------------------------------------------------------------------------------------
def test_dates_and_durations_are_pandas(rng: np.random.Generator) -> None:
    days = pd.Series(pd.Timestamp("2024-02-27") + pd.to_timedelta(rng.integers(0, 9, ROWS), unit="D"))
    hours = pd.Series(pd.Timestamp("2024-02-27") + pd.to_timedelta(rng.integers(0, 200, ROWS), unit="h"))
    gap = pd.Series(pd.to_timedelta(rng.integers(-9, 9, ROWS) * 12, unit="h"))
    table = pd.DataFrame({"day": days, "hour": hours, "gap": gap})
    bounds = {"day": ("2024-02-27", "2024-03-07"), "hour": ("2024-02-20", "2024-03-09"), "gap": pd.Timedelta(days=5)}
    x = cy.encrypt_frame(table, PUBLIC, bounds=bounds).with_keys(EVALUATION)
    assert (x["day"].scale, x["hour"].scale, x["day"].kind) == (1, 24, "date 2024-02-27")
    programs: list[Callable[[Any], Any]] = [
        lambda f: f["day"],
        lambda f: f["hour"] - f["day"],
        lambda f: f["day"] - f["hour"],
        lambda f: f["day"] + f["gap"],
        lambda f: f["gap"] + f["hour"],
        lambda f: f["day"] - f["gap"],
        lambda f: f["gap"] * 3,
        lambda f: -f["gap"] + f["gap"] * f["gap"].notna().astype(int) if _is(f) else -f["gap"] + f["gap"],
        lambda f: f["day"] + pd.Timedelta(hours=7),
        lambda f: f["hour"] - datetime.datetime(2024, 2, 28, 1, 30),
        lambda f: pd.Timestamp("2024-03-01 12:00") - f["hour"],
        lambda f: pd.Timestamp("2024-03-01 12:00") - f["gap"],
        lambda f: f["day"] - np.datetime64("1999-12-31"),
        lambda f: f["gap"].sum(),
        lambda f: (f["hour"] - f["day"]).max(),
        lambda f: f["hour"].median(),
        lambda f: (f["hour"] >= f["day"]).sum(),
        lambda f: (f["day"] > datetime.date(2024, 3, 1)).sum() if not _is(f) else (f["day"] > "2024-03-01").sum(),
    ]
    for place, program in enumerate(programs):
        got, wanted = opened(program(x)), program(table)
        if isinstance(wanted, pd.Series):
            pd.testing.assert_series_equal(got, wanted, check_dtype=False, check_names=False, obj=str(place))
        else:
            assert got == wanted, place
    refused: list[Callable[[], Any]] = [
        lambda: x["day"] + x["hour"], lambda: x["day"] * 2, lambda: -x["day"], lambda: x["day"] + 1,
        lambda: x["gap"] + 1,
        lambda: x["gap"] * x["gap"], lambda: x["day"] > 5, lambda: x["gap"] < pd.Timestamp("2024-01-01"),
        lambda: x["day"] == "yesterday", lambda: x["day"] * (x["day"] > "2024-03-01"), lambda: 1 - x["gap"],
        lambda: x["day"] - pd.Timestamp("2024-01-01", tz="UTC"),
    ]  # fmt: skip
    for call in refused:
        with pytest.raises((UnsupportedError, ArgumentError)):
            call()


def test_dates_in_all_their_units() -> None:
    bounds = {"t": ("2024-01-01", "2024-02-01")}
    for unit, step in (("day", pd.Timedelta(days=1)), ("hour", pd.Timedelta(hours=1))):
        moments = pd.Series([pd.Timestamp("2024-01-01") + i * step for i in (0, 1, 7, 25)])
        x = cy.encrypt_frame({"t": moments}, PUBLIC, bounds=bounds, scales={"t": unit})
        pd.testing.assert_series_equal(opened(x)["t"], moments, check_names=False, check_dtype=False)
    wide = cy.keygen(cy.Parameters.suggest(depth=0, value_bits=60), rotations=[])
    for text in ("1969-12-31 23:59:59.999999", "2262-01-01", "1700-01-01 12:30", "2024-02-29 00:00:00.000001"):
        table = pd.DataFrame({"t": [pd.Timestamp(text)]})
        x = cy.encrypt_frame(table, wide.public, scales={"t": "microsecond"})
        assert cy.decrypt_frame(x, wide.secret)["t"].tolist() == table["t"].tolist()
    for options, message in (
        ({"scales": {"t": "fortnight"}}, "fortnight"),
        ({"scales": {"t": "day"}}, "no whole number of days"),
        ({"bounds": {"t": 5}}, "the first and the last"),
        ({"bounds": {"t": ("2024-01-01", "2024-01-02")}}, "beyond"),
    ):
        with pytest.raises(CyclotomeError, match=message):
            cy.encrypt_frame({"t": [datetime.datetime(2024, 5, 1, 12)]}, PUBLIC, **options)  # type: ignore[arg-type]
    with pytest.raises(UnsupportedError, match="tz_convert"):
        cy.encrypt_frame(pd.DataFrame({"t": pd.to_datetime(["2024-01-01"]).tz_localize("UTC")}), PUBLIC)


# --- what conditions refuse -------------------------------------------------------------------------------------------
def test_conditions_that_make_no_sense_are_refused(rng: np.random.Generator) -> None:
    frame = encrypted(drawn(rng, 0), "public")
    other = encrypted(drawn(rng, 0), "public")
    one, two = frame[frame["flag"]], frame[frame["sold"] > 3]
    refused: dict[str, Callable[[], Any]] = {
        "numbers": lambda: frame[frame["sold"]],
        "numbers as a mask": lambda: frame["sold"] & frame["flag"],
        "too few": lambda: frame[[True, False]],
        "rows of other names": lambda: frame[pd.Series([True] * ROWS, index=range(1, ROWS + 1))],
        "text": lambda: frame["sold"] > "many",
        "a list of nothing": lambda: frame["sold"].isin([]),
        "text for a list": lambda: frame["shop"].isin("AB"),
        "no category": lambda: frame["shop"].isin(["X"]),
        "two filters": lambda: one["sold"] > two["sold"],
        "columns of two filters": lambda: one.assign(x=two["sold"]),
        "a condition of another filter": lambda: (one["sold"] > 2) & (two["sold"] > 2),
        "an order of categories": lambda: frame["shop"] < "B",
        "python's and": lambda: (frame["sold"] > 2) and (frame["sold"] < 5),
        "a chain": lambda: 2 < frame["sold"] < 5,
    }
    for name, call in refused.items():
        with pytest.raises((UnsupportedError, ArgumentError, RangeError)) as error:
            call()
        assert len(str(error.value)) > 30, name
    assert opened(frame[other["flag"]]["sold"].sum()) >= 0


def test_comparisons_that_parameters_have_no_room_for_say_what_would_do() -> None:
    shallow = keys((40961, 65537), value_bits=12)
    x = cy.encrypt_frame({"a": [1, 2000]}, shallow.public)["a"].with_keys(shallow.evaluation)
    with pytest.raises((NoiseError, RangeError), match=r"bounds=\{name: \(least, largest\)\}.*suggest\(compute"):
        _ = x > 5
