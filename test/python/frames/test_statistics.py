# SPDX-License-Identifier: Apache-2.0
"""Statistics of encrypted tables, beside what pandas says of the same table: values, names, order and types."""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import cyclotome as cy
import numpy as np
import pandas as pd
import pytest
from cyclotome.errors import ArgumentError, CyclotomeError, FormatError, RangeError, UnsupportedError
from cyclotome.frames import descriptions
from small import keys

MADE = keys((40961, 65537, 114689, 147457), value_bits=12)
SHOPS = ["A", "B", "C"]


def opened(x: Any, **options: Any) -> Any:
    return cy.decrypt_frame(x, MADE.secret, **{"exact": False, **options})


def drawn(rng: np.random.Generator, rows: int, holes: float) -> pd.DataFrame:
    table = pd.DataFrame(
        {
            "price": np.round(rng.uniform(-9, 9, rows), 1),
            "sold": rng.integers(0, 9, rows),
            "flag": rng.random(rows) < 0.4,
            "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 366, rows), unit="D"),
            "shop": pd.Categorical(rng.choice(SHOPS[:2], rows), categories=SHOPS),
        }
    )
    for name in ("price", "shop"):
        table.loc[rng.random(rows) < holes, name] = None
    return table


def encrypted(table: pd.DataFrame, way: str) -> cy.EncryptedFrame:
    missing = {name: way for name in table if table[name].isna().any()}
    bounds = {"price": 10, "sold": (0, 9), "day": ("2024-01-01", "2024-12-31")}
    x = cy.encrypt_frame(table, MADE.public, missing=missing, scales={"price": 1}, bounds=bounds)
    return x.with_keys(MADE.evaluation)


def same(got: Any, wanted: Any, index_type: bool = True) -> None:
    """What pandas' own comparison calls equal, floats to 12 digits: pandas' sums are not exact."""
    if isinstance(wanted, pd.DataFrame):
        pd.testing.assert_frame_equal(got, wanted, rtol=1e-12, atol=1e-12, check_categorical=index_type)
    elif isinstance(wanted, pd.Series):
        pd.testing.assert_series_equal(got, wanted, rtol=1e-12, atol=1e-12, check_categorical=index_type)
    elif isinstance(wanted, (pd.Timestamp, pd.Timedelta)):
        assert abs(got - wanted) <= pd.Timedelta(1, "us")  # pandas divides floats
    else:
        assert got == pytest.approx(float(wanted), rel=1e-12, abs=1e-12, nan_ok=True)


#: What is the same program for a table of pandas and an encrypted one.
NUMBERS = ["price", "sold"]
PROGRAMS: dict[str, Callable[[Any], Any]] = {
    "mean": lambda f: f["price"].mean(),
    "var": lambda f: f["price"].var(),
    "population variance": lambda f: f["price"].var(ddof=0),
    "std": lambda f: f["sold"].std(),
    "sem": lambda f: f["price"].sem(),
    "min": lambda f: f["price"].min(),
    "max": lambda f: f["sold"].max(),
    "median": lambda f: f["price"].median(),
    "quantile": lambda f: f["price"].quantile(0.3),
    "lower quantile": lambda f: f["price"].quantile(0.3, interpolation="lower"),
    "higher quantile": lambda f: f["price"].quantile(0.3, interpolation="higher"),
    "quantile between": lambda f: f["price"].quantile(0.3, interpolation="midpoint"),
    "nearest quantile": lambda f: f["price"].quantile(0.37, interpolation="nearest"),
    "quantiles": lambda f: f["price"].quantile([0.1, 0.5, 1]),
    "nunique": lambda f: f["sold"].nunique(),
    "describe": lambda f: f["price"].describe(),
    "agg": lambda f: f["price"].agg(["mean", "std", "max", "count"]),
    "agg of sums": lambda f: f["price"].agg(["mean", "std", "count"]),
    "agg of one": lambda f: f["price"].agg("var"),
    "cov": lambda f: f["price"].cov(f["sold"]),
    "corr": lambda f: f["price"].corr(f["sold"]),
    "mean of truth": lambda f: f["flag"].mean(),
    "first day": lambda f: f["day"].min(),
    "last day": lambda f: f["day"].max(),
    "mean day": lambda f: f["day"].mean(),
    "mean duration": lambda f: (f["day"] - pd.Timestamp("2024-03-01")).mean(),
    "counts of categories": lambda f: f["shop"].value_counts(sort=False) if _is(f) else f["shop"].value_counts(),
    "shares of categories": lambda f: f["shop"].value_counts(normalize=True),
    "counts of truth": lambda f: f["flag"].value_counts(),
    "means": lambda f: f[NUMBERS].mean(),
    "variances": lambda f: f[NUMBERS].var(),
    "deviations": lambda f: f[NUMBERS].std(ddof=0),
    "sums": lambda f: f[NUMBERS].sum(),
    "counts": lambda f: f[NUMBERS].count(),
    "minima": lambda f: f[NUMBERS].min(),
    "maxima": lambda f: f[NUMBERS].max(),
    "medians": lambda f: f[NUMBERS].median(),
    "quantile of each": lambda f: f[NUMBERS].quantile(0.25),
    "quantiles of each": lambda f: f[NUMBERS].quantile([0.25, 0.5]),
    "description": lambda f: f[NUMBERS].describe(),
    "description of all": lambda f: f.describe(),
    "correlations": lambda f: f[[*NUMBERS, "flag"]].corr(),
    "covariances": lambda f: f[NUMBERS].cov(),
    "agg of a frame": lambda f: f[NUMBERS].agg(["sum", "mean"]),
    "agg by column": lambda f: f.agg({"price": "mean", "sold": "max"}),
    "agg by columns": lambda f: f.agg({"price": ["mean", "max"], "sold": ["max"]}),
}
#: Those of groups; pandas names no group that has no rows unless it is asked to.
GROUPED: dict[str, Callable[[Any], Any]] = {
    "mean": lambda g: g["price"].mean(),
    "var": lambda g: g["price"].var(),
    "std": lambda g: g["sold"].std(),
    "min": lambda g: g["price"].min(),
    "max": lambda g: g["price"].max(),
    "median": lambda g: g["sold"].median(),
    "quantile": lambda g: g["price"].quantile(0.75),
    "size": lambda g: g.size(),
    "means": lambda g: g[NUMBERS].mean(),
    "deviations": lambda g: g[NUMBERS].std(),
    "maxima": lambda g: g[NUMBERS].max(),
    "agg": lambda g: g["price"].agg(["mean", "count"]),
    "agg of several": lambda g: g[NUMBERS].agg(["mean", "std"]),
    "agg by column": lambda g: g.agg({"price": "mean", "sold": "sum"}),
    "agg by columns": lambda g: g.agg({"price": ["mean", "min"], "sold": "sum"}),
    "agg by names": lambda g: g.agg(total=("sold", "sum"), middle=("price", "median")),
    "last day": lambda g: g["day"].max(),
}


def _is(f: Any) -> bool:
    return isinstance(f, pd.DataFrame)


@pytest.mark.parametrize("way", ["public", "encrypted"])
def test_statistics_are_pandas(way: str, rng: np.random.Generator) -> None:
    for rows, holes in ((30, 0.2), (int(rng.integers(2, 6)), 0.5), (1, 0.0), (9, 1.0)):
        table = drawn(rng, rows, holes)
        table["price"] = table["price"].astype(float)
        frame = encrypted(table, way)
        for name, program in PROGRAMS.items():
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore", RuntimeWarning)
                wanted = program(table)
            if name.startswith(("counts of", "shares of")):  # pandas leaves the order of equal counts open
                got = opened(program(frame))
                # Lists would compare a nan with another by identity.
                right = np.array_equal(got, sorted(wanted.tolist(), reverse=True), equal_nan=True)
                assert right or rows == 9, (got.tolist(), wanted.tolist())
                same(got.sort_index(), wanted.sort_index())
                continue
            try:
                got = opened(program(frame))
                same(got, wanted)
            except AssertionError as error:
                raise AssertionError(f"{name}, of\n{table}\n{error}") from None


@pytest.mark.parametrize("way", ["public", "encrypted"])
@pytest.mark.parametrize("key", ["shop", "flag", "labels", "condition"])
def test_statistics_of_groups_are_pandas(way: str, key: str, rng: np.random.Generator) -> None:
    rows = 24
    table = drawn(rng, rows, 0.2)
    frame = encrypted(table, way)
    labels = pd.Series(rng.choice(["x", "y"], rows), name="side")
    ours, theirs = (labels, labels) if key == "labels" else (key, key)
    if key == "condition":
        ours, theirs = frame["shop"] == "A", table["shop"] == "A"
    for name, program in GROUPED.items():
        wanted = program(table.groupby(theirs, observed=False))
        got = opened(program(frame.groupby(ours)))
        try:
            if key in ("flag", "condition"):
                got = got.reindex(wanted.index)
            same(got, wanted)
        except AssertionError as error:
            raise AssertionError(f"{name}, of\n{table}\n{error}") from None


def test_results_are_exact_before_they_are_floats() -> None:
    """pandas sums floats; the encrypted sums are exact, and rounded once."""
    values = [0.1] * 7 + [0.3]
    x = cy.encrypt_frame({"a": values}, MADE.public)["a"].with_keys(MADE.evaluation)
    exact = [Fraction(1, 10)] * 7 + [Fraction(3, 10)]
    mean = sum(exact) / 8
    variance = sum((each - mean) ** 2 for each in exact) / 7
    assert opened(x.mean()) == float(mean) and opened(x.var()) == float(variance)
    assert opened(x.max(), exact=True) == opened(x.sum(), exact=True) - opened(x * 7, exact=True)[0]
    assert opened(cy.encrypt_frame({"a": [3, 3, 3]}, MADE.public)["a"].with_keys(MADE.evaluation).std()) == 0


def test_statistics_are_stored_sent_and_pickled(rng: np.random.Generator) -> None:
    table = drawn(rng, 40, 0.2)
    frame = encrypted(table, "encrypted")
    for x in (
        frame.mean(),
        frame["price"].quantile([0.5]),
        frame.groupby("shop").agg(["mean", "max"]),
        frame.fit("sold"),
    ):
        wanted = opened(x)
        again = cy.from_bytes(cy.to_bytes(x), allow_insecure=True)
        assert isinstance(again, cy.EncryptedStatistics) and cy.to_bytes(again) == cy.to_bytes(x)
        for copy in (again, pickle.loads(pickle.dumps(x)), x.to("cpu:1"), x.with_keys(MADE.public)):
            same(opened(copy), wanted)


def test_forged_recipes_are_refused(rng: np.random.Generator) -> None:
    x = encrypted(drawn(rng, 8, 0.3), "encrypted").groupby("shop").agg(["mean", "var"])
    facts, arrays = descriptions.described(x)
    recipe = facts["statistics"]
    changes: list[dict[str, Any]] = [
        {"layout": "other"}, {"layout": "series"}, {"measures": []}, {"measures": [["mean", 99]]},
        {"measures": [["exec", 0]]}, {"measures": [["max", 0]]}, {"measures": [None, None]}, {"labels": ["x"]},
        {"groups": None}, {"groups": {**recipe["groups"], "labels": [["str", "A"]]}},
        {"counts": {"count 0": [-1, 0, 0]}},
        {"names": [1]}, {"kinds": ["text"]}, {"rows": True}, {"rows": 1}, {"title": 3}, {"more": 1},
        {"columns": ["a", "b", "c", "d", "e"]},
    ]  # fmt: skip
    for change in changes:
        with pytest.raises(FormatError):
            descriptions.rebuilt({**facts, "statistics": {**recipe, **change}, "arrays": []}, arrays)
    assert isinstance(descriptions.rebuilt({**facts, "arrays": []}, arrays), cy.EncryptedStatistics)


def test_what_statistics_refuse(rng: np.random.Generator) -> None:
    frame = encrypted(drawn(rng, 6, 0.0), "public")
    refused: dict[str, Callable[[], Any]] = {
        "a mean to compute with": lambda: frame["price"] - frame["price"].mean(),
        "a statistic that there is not": lambda: frame["price"].agg("kurtosis"),
        "a function": lambda: frame.groupby("shop").agg(np.mean),
        "the mean of categories": lambda: frame.groupby("flag")["shop"].mean(),
        "a variance of dates": lambda: frame["day"].var(),
        "a sum of dates": lambda: frame["day"].sum(),
        "a share above one": lambda: frame["price"].quantile(1.5),
        "no share": lambda: frame["price"].quantile("half"),
        "an interpolation": lambda: frame["price"].quantile(0.5, interpolation="cubic"),
        "the mean of a number": lambda: frame["price"].sum().mean(),
        "counts of numbers": lambda: frame["price"].value_counts(),
        "correlation with an array": lambda: frame["price"].corr([1, 2, 3, 4, 5, 6]),
        "rows of statistics": lambda: len(frame.mean()),
        "another column": lambda: frame.agg({"other": "mean"}),
        "a column of groups": lambda: frame.groupby("shop")["other"],
        "nothing": lambda: frame.groupby("shop").agg({}),
        "a name without a column": lambda: frame.groupby("shop").agg(total="sold"),
        "another library": lambda: opened(frame.mean(), library="spark"),
    }
    for name, call in refused.items():
        with pytest.raises((UnsupportedError, ArgumentError, AttributeError)) as error:
            call()
        assert len(str(error.value)) > 30, name


def test_sums_of_squares_that_do_not_fit_are_refused() -> None:
    narrow = keys((40961, 65537), value_bits=14)
    x = cy.encrypt_frame({"a": [9000, -9000] * 8}, narrow.public)["a"].with_keys(narrow.evaluation)
    assert cy.decrypt_frame(x.mean(), narrow.secret) == 0
    with pytest.raises(RangeError, match=r"sums of products: suggest parameters"):
        (x * 9).var()


def test_forged_counts_do_not_become_statistics(rng: np.random.Generator) -> None:
    x = encrypted(drawn(rng, 6, 0.4), "encrypted")["price"].mean()
    forged = {name: x.columns[name] for name in x.columns}
    name = next(each for each in forged if each.startswith("count"))
    forged[name] = cy.EncryptedColumn(cy.encrypt(-3, MADE.public, bound=9))
    with pytest.raises(CyclotomeError):
        opened(cy.EncryptedStatistics(forged, None, x.recipe))


# --- least squares ----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("way", ["public", "encrypted"])
def test_least_squares_are_numpys(way: str, rng: np.random.Generator) -> None:
    table = drawn(rng, 40, 0.2)
    frame = encrypted(table, way)
    for features in (["price"], ["price", "flag"], None):
        names = features or ["price", "flag"]
        whole = table[[*names, "sold"]].dropna().astype(float)
        matrix = np.column_stack([whole[names], np.ones(len(whole))])
        wanted = np.linalg.lstsq(matrix, whole["sold"], rcond=None)[0]
        got = opened(frame.fit("sold", features))
        assert got.index.tolist() == [*names, "intercept"]
        np.testing.assert_allclose(got, wanted, rtol=1e-9)
    twice = frame.assign(again=frame["price"] * 2)
    with pytest.raises(RangeError, match="combination"):
        opened(twice.fit("sold", ["price", "again"]))
    for wrong in (lambda: frame.fit("none"), lambda: frame.fit("sold", ["day"]), lambda: frame.fit("sold", ["shop"])):
        with pytest.raises((ArgumentError, UnsupportedError)):
            wrong()


def test_polars_comes_back_where_it_is_asked_for(rng: np.random.Generator) -> None:
    table = drawn(rng, 12, 0.2)
    frame = encrypted(table, "encrypted")
    found = opened(frame, library="polars")
    assert found.columns == list(table) and found["sold"].to_list() == table["sold"].tolist()
    assert found["shop"].to_list() == [None if pd.isna(each) else each for each in table["shop"]]
    assert found["day"].to_list() == table["day"].tolist() and found["flag"].to_list() == table["flag"].tolist()
    means = opened(frame.groupby("shop")["price"].mean(), library="polars")
    assert means.columns == ["shop", "price"] and means["shop"].to_list() == SHOPS
    assert opened(frame["sold"], library="polars").name == "sold"
    assert opened(frame["sold"].sum(), library="polars") == table["sold"].sum()
    assert opened(frame[frame["flag"]], library="polars").height == int(table["flag"].sum())
    several = opened(frame.groupby("shop").agg({"sold": ["mean", "max"]}), library="polars")
    assert several.columns == ["shop", "sold_mean", "sold_max"]


def test_hostile_shares_are_refused_at_once(rng: np.random.Generator) -> None:
    """Powers of ten without end in a file are no probability."""
    facts, arrays = descriptions.described(encrypted(drawn(rng, 4, 0), "public")["sold"].quantile(0.5))
    for share in ("1e999999999/1", "1/" + "9" * 500, "1/0", "2/1", "-1/2", 0.5, None):
        measures = [["quantile", 0, share, "linear"]]
        recipe = {**facts["statistics"], "measures": measures}
        with pytest.raises(FormatError):
            descriptions.rebuilt({**facts, "statistics": recipe, "arrays": []}, arrays)
