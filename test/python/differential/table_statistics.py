# SPDX-License-Identifier: Apache-2.0
"""What a pandas user asks of a table: conditions, filters, joins and statistics, beside pandas of the same table, or
refused."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from cyclotome.errors import CyclotomeError
from hypothesis import strategies as st

from .recording import api
from .tables import SHOPS, Case, frames

Draw = Callable[[Any], Any]
Program = Callable[[Any, Draw], Any]


def _clear(case: Case) -> pd.DataFrame:
    """The table as floats of pandas."""
    drawn = case.drawn
    shops = pd.Categorical(drawn["shop"], categories=list(SHOPS))
    numbers = {name: [np.nan if cell is None else float(cell) for cell in drawn[name]] for name in ("a", "b")}
    return pd.DataFrame({**numbers, "shop": shops}, index=case.names)


def _is(f: Any) -> bool:
    return isinstance(f, pd.DataFrame)


def _groups(f: Any) -> Any:
    return f.groupby("shop", observed=False) if _is(f) else f.groupby(by="shop")


def _pairs(f: Any) -> Any:
    return f[["a", "b"]]


#: By name: the same of a table of pandas and of an encrypted one; numbers that are drawn come first, and are the same.
NUMBERS: dict[str, Callable[[Any, Any], Any]] = {
    "mean": lambda f, n: f["a"].mean(),
    "var": lambda f, n: f["a"].var(ddof=n["ddof"]),
    "std": lambda f, n: f["b"].std(ddof=n["ddof"]),
    "sem": lambda f, n: f["b"].sem(ddof=n["ddof"]),
    "min": lambda f, n: f["a"].min(),
    "max": lambda f, n: f["a"].max(),
    "median": lambda f, n: f["a"].median(),
    "nunique": lambda f, n: f["a"].nunique(),
    "quantile": lambda f, n: f["a"].quantile(q=n["q"], interpolation=n["interpolation"]),
    "cov": lambda f, n: f["a"].cov(other=f["b"], ddof=n["ddof"]),
    "corr": lambda f, n: f["a"].corr(other=f["b"]),
    "agg": lambda f, n: f["a"].agg("mean") if _is(f) else f["a"].agg(function="mean"),
    "sum of rows": lambda f, n: f[f["shop"] == "A"]["a"].sum(),
    "mean of rows": lambda f, n: f[f["a"] > n["value"]]["b"].mean(),
    "rows between": lambda f, n: f["a"].between(left=-n["value"], right=n["value"]).sum(),
    "rows that are in": lambda f, n: f["b"].isin(values=[n["value"], 1]).sum(),
    "shops that are in": lambda f, n: f["shop"].isin(values=["A", "C"]).sum(),
    "missing": lambda f, n: f["a"].isna().sum(),
    "there": lambda f, n: f["a"].notna().sum(),
    "shops that are missing": lambda f, n: f["shop"].isna().sum(),
    "shops that are there": lambda f, n: f["shop"].notna().sum(),
    "shops counted": lambda f, n: f["shop"].count(),
    "filled": lambda f, n: f["a"].fillna(value=n["value"]).sum(),
    "filled shops": lambda f, n: (f["shop"].fillna(value="A") == "A").sum(),
    "where": lambda f, n: (
        (f["a"].where(f["b"] > 0, n["value"]) if _is(f) else f["a"].where(rows=f["b"] > 0, other=n["value"])).sum()
    ),
    "mapped": lambda f, n: (f["shop"].map({"A": 2.5, "B": -1, "C": 0}).astype(float) if _is(f) else
                            f["shop"].map(values={"A": 2.5, "B": -1, "C": 0})).sum(),
}  # fmt: skip
SERIES: dict[str, Callable[[Any, Any], Any]] = {
    "describe": lambda f, n: f["a"].describe(),
    "several": lambda f, n: f["a"].agg(["mean", "max"]) if _is(f) else f["a"].aggregate(function=["mean", "max"]),
    "shops": lambda f, n: f["shop"].value_counts(normalize=n["normalize"]),
    "truth": lambda f, n: (f["shop"] == "A").value_counts(normalize=n["normalize"]),
    "sums": lambda f, n: _pairs(f).sum(),
    "counts": lambda f, n: _pairs(f).count(),
    "means": lambda f, n: _pairs(f).mean(),
    "variances": lambda f, n: _pairs(f).var(ddof=n["ddof"]),
    "deviations": lambda f, n: _pairs(f).std(ddof=n["ddof"]),
    "minima": lambda f, n: _pairs(f).min(),
    "maxima": lambda f, n: _pairs(f).max(),
    "medians": lambda f, n: _pairs(f).median(),
    "quantiles": lambda f, n: _pairs(f).quantile(q=n["q"], interpolation=n["interpolation"]),
    "by column": lambda f, n: f.agg({"a": "mean", "b": "max"})
    if _is(f)
    else f.agg(functions={"a": "mean", "b": "max"}),
    "groups": lambda f, n: _groups(f)["a"].mean(),
    "sizes": lambda f, n: _groups(f).size(),
}
FRAMES: dict[str, Callable[[Any, Any], Any]] = {
    "description": lambda f, n: _pairs(f).describe(),
    "several": lambda f, n: (
        _pairs(f).agg(["mean", "count"]) if _is(f) else _pairs(f).aggregate(functions=["mean", "count"])
    ),
    "covariances": lambda f, n: _pairs(f).cov(ddof=n["ddof"] if n["whole"] else 1),  # pandas' own, with missing values
    "correlations": lambda f, n: _pairs(f).corr(),
    "of groups": lambda f, n: _groups(f)[["a", "b"]].std(),
    "several of groups": lambda f, n: _groups(f)[["a"]].agg(["mean", "max"]),
    "head": lambda f, n: _pairs(f).head(n=n["n"]),
    "without": lambda f, n: f.drop(columns=["a", "shop"]),
    "renamed": lambda f, n: _pairs(f).rename(columns={"a": "c"}),
    "filled": lambda f, n: _pairs(f).fillna(value=n["value"]),
    "rows": lambda f, n: _pairs(f)[f["shop"] != "B"],
    "some rows": lambda f, n: _pairs(f).loc[list(n["names"])],
    "joined": lambda f, n: (
        f[["b", "shop"]].merge(n["right"], on="shop", how=n["how"], suffixes=("", "_there"))
        if _is(f)
        else f[["b", "shop"]].merge(right=n["right"], on="shop", how=n["how"], validate="m:1", suffixes=("", "_there"))
    )[["b", "b_there"]],
}


def _numbers(draw: Draw, case: Case) -> dict[str, Any]:
    count = draw(st.integers(1, len(case.names)))
    return {
        "ddof": draw(st.integers(0, 2)),
        "q": draw(st.sampled_from([0, 0.25, 0.5, 0.9, 1])),
        "interpolation": draw(st.sampled_from(["linear", "lower", "higher", "midpoint"])),
        "value": draw(st.integers(0, 3)),
        "normalize": draw(st.booleans()),
        "n": draw(st.integers(1, 7)),
        "names": case.names[:count],
        "whole": all(cell is not None for name in ("a", "b") for cell in case.drawn[name]),
        "how": draw(st.sampled_from(["left", "inner"])),
        "right": pd.DataFrame({"shop": ["A", "B"], "b": [draw(st.integers(-9, 9)), 4]}),
    }


def _floats(found: Any) -> Any:
    """Values to compare: floats, NaN where there is none."""
    if isinstance(found, pd.DataFrame):
        return found.apply(_floats).reset_index(drop=True)
    if isinstance(found, pd.Series):
        return (
            found.astype(object)
            .map(lambda cell: np.nan if cell is None or pd.isna(cell) else float(cell))
            .astype(float)
            .reset_index(drop=True)
        )
    return np.nan if found is None or pd.isna(found) else float(found)


def table_statistics(draw: Draw) -> None:
    """Everything that is asked of one table is pandas' answer, or refused."""
    try:
        case = Case(draw(frames()))
    except CyclotomeError:
        return
    table, numbers = _clear(case), _numbers(draw, case)
    for programs in (NUMBERS, SERIES, FRAMES):
        for name, program in programs.items():
            try:
                found = program(case.frame, numbers)
                opened = api.decrypt_frame(found, case.where.keys.secret, exact=False, library="pandas")
            except CyclotomeError:
                continue
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore", RuntimeWarning)
                wanted = program(table, numbers)
            if name in ("shops", "truth"):  # pandas leaves the order of equal counts open
                opened, wanted = opened.sort_index(), wanted.sort_index()
            if name == "joined":  # rows keep their names here
                opened = opened.reset_index(drop=True)
            _compare(opened, wanted, f"{case.drawn}\n{numbers}\n{name}")
    _facts(case, table)


def _compare(opened: Any, wanted: Any, what: str) -> None:
    if isinstance(wanted, (pd.DataFrame, pd.Series)):
        assert [str(each) for each in opened.index] == [str(each) for each in wanted.index], what
    found, right = _floats(opened), _floats(wanted)
    # Covariances of as few rows as ddof: NumPy divides by zero, ours are missing as variances are in pandas.
    right = np.where(np.isinf(np.asarray(right, dtype=float)), np.nan, np.asarray(right, dtype=float))
    close = np.isclose(
        np.asarray(found, dtype=float), np.asarray(right, dtype=float), rtol=1e-9, atol=1e-9, equal_nan=True
    )
    assert np.all(close), f"{what}: {opened}, not {wanted}"


def _facts(case: Case, table: pd.DataFrame) -> None:
    frame = case.frame
    assert frame.kept is None and frame.shape == table.shape
    try:
        fitted = frame.fit(target="b", features=["a"])
    except CyclotomeError:
        return
    assert api.EncryptedStatistics(fitted.columns, None, fitted.recipe).arrays()
    polars = api.decrypt_frame(frame[["b"]], case.where.keys.secret, exact=False, library="polars")
    assert polars.height == len(table)


def table_options(draw: Draw) -> None:
    """What is proposed for a table encrypts it, and comes back within the steps that it states."""
    rows = draw(st.integers(1, 5))
    table = pd.DataFrame(
        {
            "x": draw(st.lists(st.floats(-90, 90), min_size=rows, max_size=rows)),
            "flag": draw(st.lists(st.booleans(), min_size=rows, max_size=rows)),
            "city": draw(st.lists(st.sampled_from(["P", "Q"]), min_size=rows, max_size=rows)),
            "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(range(rows), unit="D"),
            "name": [f"n{i}" for i in range(rows)],
        }
    )
    parameters = api.Parameters.suggest(depth=0, value_bits=12)
    keys = api.keygen(parameters, rotations=[])
    options = api.frame_options(table, draw(st.sampled_from([keys.public, parameters])))
    options["leave_out"] = ["name"]
    options.get("categories", {}).pop("name", None)
    frame = api.encrypt_frame(table, keys.public, **options)
    found = api.decrypt_frame(frame, keys.secret, exact=False)
    step = 1 / frame["x"].scale
    assert (abs(found["x"] - table["x"]) <= step).all() and list(found) == ["x", "flag", "city", "day"]
    for name in ("flag", "day", "city"):
        assert found[name].tolist() == table[name].tolist(), name
