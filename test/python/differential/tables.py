# SPDX-License-Identifier: Apache-2.0
"""Programs of tables: what a pandas user writes, beside pandas over fractions and beside fractions alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
from cyclotome.errors import CyclotomeError
from hypothesis import strategies as st

from .programs import world
from .recording import api

SETTING = "bfv 40961 65537"
SHOPS = ("A", "B", "C")


@st.composite
def frames(draw: Any) -> dict[str, Any]:
    """Columns a and b of numbers, with missing ones, and shop, of categories; and what `encrypt_frame` is told."""
    rows = draw(st.integers(1, 6))
    decimals = draw(st.integers(0, 2))
    whole = st.integers(-50, 50)
    missing = draw(st.sampled_from(["refuse", "public", "encrypted"]))

    def numbers(places: int) -> list[Decimal | None]:
        cell = whole.map(lambda value: Decimal(value).scaleb(-places))
        return draw(st.lists(st.one_of(cell, st.none()) if missing != "refuse" else cell, min_size=rows, max_size=rows))

    return {
        "a": numbers(decimals),
        "b": numbers(0),
        "shop": draw(st.lists(st.sampled_from(SHOPS), min_size=rows, max_size=rows)),
        "scales": draw(st.sampled_from([None, {"a": decimals, "b": 0}, {"a": decimals}])),
        "missing": draw(st.sampled_from([missing, {"a": missing, "b": missing}])),
        "by_secret": draw(st.booleans()),
        "bounds": draw(st.sampled_from([None, {"a": 50, "b": 50}])),
        "labels": draw(st.lists(st.sampled_from(["x", "y"]), min_size=rows, max_size=rows)),
        "order": draw(st.permutations(range(rows))),
        "index": draw(st.sampled_from(["refuse", "drop", "public"])),
        "factor": draw(st.integers(-4, 4)),
        "row": draw(st.lists(whole, min_size=rows, max_size=rows)),
    }


class Case:
    """A table, encrypted, and its numbers as fractions."""

    def __init__(self, drawn: dict[str, Any]) -> None:
        self.drawn, self.where = drawn, world(SETTING)
        self.rows = len(drawn["a"])
        self.clear = {name: [None if cell is None else Fraction(cell) for cell in drawn[name]] for name in ("a", "b")}
        #: What the rows are called where a Series meets them.
        self.names = [f"row {i}" for i in range(self.rows)] if drawn["index"] == "public" else list(range(self.rows))
        table = pd.DataFrame({name: pd.Series(drawn[name], dtype=object) for name in ("a", "b", "shop")})
        if drawn["index"] != "refuse":
            table.index = pd.Index([f"row {i}" for i in range(self.rows)])
        key = self.where.keys.secret if drawn["by_secret"] else self.where.keys.public
        frame = api.encrypt_frame(
            table,
            key,
            scales=drawn["scales"],
            bounds=drawn["bounds"],
            missing=drawn["missing"],
            categories={"shop": list(SHOPS)},
            index=drawn["index"],
            leave_out=(),
            progress=None,
        )
        self.frame = frame.with_keys(self.where.keys.public, self.where.keys.evaluation)

    def opened(self, column: Any) -> Any:
        return api.decrypt_frame(column, self.where.keys.secret, exact=True)


def _sum_of(cells: list[Any]) -> Fraction:
    return sum((cell for cell in cells if cell is not None), Fraction(0))


def _cells(opened: Any) -> list[Fraction | None]:
    return [None if cell is None or pd.isna(cell) else Fraction(cell) for cell in opened]


def _both(operation: Callable[[Any, Any], Any], x: list[Any], y: list[Any]) -> list[Any]:
    return [None if a is None or b is None else operation(a, b) for a, b in zip(x, y, strict=True)]


def columns(case: Case) -> dict[str, tuple[Callable[[], Any], Callable[[], Any]]]:
    """By name: a column of results, and its cells."""
    f, a, b = case.frame, case.clear["a"], case.clear["b"]
    row, factor, order = case.drawn["row"], case.drawn["factor"], case.drawn["order"]
    shops = case.drawn["shop"]
    shuffled = pd.Series([row[i] for i in order], index=[case.names[i] for i in order])  # aligned, row i is row[i]
    times = [Fraction(value) for value in row]
    return {
        "sum": (lambda: f["a"] + f["b"], lambda: _both(lambda x, y: x + y, a, b)),
        "difference": (lambda: f["a"] - f["b"], lambda: _both(lambda x, y: x - y, a, b)),
        "product": (lambda: f["a"] * f["b"], lambda: _both(lambda x, y: x * y, a, b)),
        "negative": (lambda: -f["a"], lambda: [None if cell is None else -cell for cell in a]),
        "scaled": (lambda: factor * f["a"], lambda: [None if cell is None else factor * cell for cell in a]),
        "divided": (
            lambda: f["a"] / (factor or 4),
            lambda: [None if cell is None else cell / (factor or 4) for cell in a],
        ),
        "square": (lambda: f["a"] ** 2, lambda: [None if cell is None else cell * cell for cell in a]),
        "with an array": (lambda: f["a"] * np.asarray(row), lambda: _both(lambda x, y: x * y, a, times)),
        "with a series": (
            lambda: f["a"] + pd.Series(row, index=case.names),
            lambda: _both(lambda x, y: x + y, a, times),
        ),
        "with a shuffled series": (lambda: f["a"] + shuffled, lambda: _both(lambda x, y: x + y, a, times)),
        "filled": (lambda: f["a"].filled(), lambda: [Fraction(0) if cell is None else cell for cell in a]),
        "shop": (lambda: f["shop"] == "A", lambda: [Fraction(each == "A") for each in shops]),
        "another shop": (lambda: f["shop"] != "A", lambda: [Fraction(each != "A") for each in shops]),
        "masked": (
            lambda: f["a"] * (f["shop"] == "A"),
            lambda: [None if cell is None else cell * (each == "A") for cell, each in zip(a, shops, strict=True)],
        ),
        "by hand": (
            lambda: api.EncryptedColumn(
                f["b"].filled().values, 1, mask=[int(cell is not None) for cell in b], cleared=True, index=f["b"].index
            ),
            lambda: b,
        ),
    }


def sums(case: Case) -> dict[str, tuple[Callable[[], Any], Callable[[], Any]]]:
    """By name: something that is summed, and its value: a number, or a number for each label."""
    f, a, b, shops = case.frame, case.clear["a"], case.clear["b"], case.drawn["shop"]
    labels, rows = case.drawn["labels"], range(case.rows)
    order = case.drawn["order"]
    shuffled = pd.Series([labels[i] for i in order], index=[case.names[i] for i in order], dtype=object)

    def by(keys: list[str], cells: list[Any], known: tuple[str, ...] | None = None) -> dict[str, Fraction]:
        return {key: _sum_of([cells[i] for i in rows if keys[i] == key]) for key in known or sorted(set(keys))}

    return {
        "sum": (lambda: f["a"].sum(), lambda: _sum_of(a)),
        "sum of products": (lambda: (f["a"] * f["b"]).sum(), lambda: _sum_of(_both(lambda x, y: x * y, a, b))),
        "sum of a shop": (lambda: (f["shop"] == "A").sum(), lambda: Fraction(shops.count("A"))),
        "by shop": (lambda: f.groupby("shop").sum("a"), lambda: by(shops, a, SHOPS)),
        "by labels": (lambda: f.groupby(labels).sum("a"), lambda: by(labels, a)),
        "by a shuffled series": (lambda: f.groupby(shuffled).sum("a"), lambda: by(labels, a)),
    }


def check(drawn: dict[str, Any], counts: Any) -> None:
    """Everything of one table: exact or refused."""
    try:
        case = Case(drawn)
    except CyclotomeError as error:
        counts[type(error).__name__] += 1
        return
    for name, (encrypted, clear) in columns(case).items():
        column = _outcome(encrypted, counts, name)
        if column is not None:
            found = _cells(case.opened(column))
            assert found == clear(), f"{drawn}\n{name}: {found}, not {clear()}"
    for name, (encrypted, clear) in sums(case).items():
        total = _outcome(encrypted, counts, name)
        if total is not None:
            _check_sum(case, name, total, clear())
    _check_stored(case)
    _check_facts(case)


def _outcome(call: Callable[[], Any], counts: Any, name: str) -> Any:
    try:
        result = call()
    except CyclotomeError as error:
        counts[type(error).__name__] += 1
        return None
    counts[name] += 1
    return result


def _check_sum(case: Case, name: str, total: Any, wanted: Any) -> None:
    opened = case.opened(total)
    if isinstance(wanted, dict):
        found = {str(key): Fraction(value) for key, value in opened["a"].items()}
    else:
        found = Fraction(opened if np.ndim(opened) == 0 else opened.iloc[0])
    assert found == wanted, f"{case.drawn}\n{name}: {found}, not {wanted}"


def _check_stored(case: Case) -> None:
    again = api.from_bytes(api.to_bytes(case.frame), allow_insecure=True, device=case.where.device)
    for name in ("a", "b"):
        assert _cells(case.opened(again[name])) == case.clear[name], f"{case.drawn}\nstored: {name}"


def _check_facts(case: Case) -> None:
    """What a table and its columns say of themselves."""
    frame, rows, drawn = case.frame, case.rows, case.drawn
    a, shop = frame["a"], frame["shop"]
    assert frame.rows == a.rows == shop.rows == len(frame) == rows and frame.parameters == case.where.parameters
    arrays = frame.arrays()
    assert frame.ciphertexts == sum(each.ciphertexts for each in arrays)
    assert frame.nbytes == sum(each.nbytes for each in arrays)
    assert list(frame.select("b", "a")) == ["b", "a"] and list(frame.assign(c=a)) == ["a", "b", "shop", "c"]
    assert a.decimals == len(str(a.scale)) - 1 and len(a.arrays()) in (1, 2) and len(shop.arrays()) == 1
    for each in (frame, a, shop):
        moved = each.to(case.where.device).mapped(lambda array: +array)
        assert [array.shape for array in moved.arrays()] == [array.shape for array in each.arrays()]
    there = sum(cell is not None for cell in case.clear["a"])
    count = a.count()
    found = count if isinstance(count, int) else int(case.opened(count))
    assert found == there, f"{drawn}\ncount: {found}, not {there}"
    mean = _outcome(lambda: a.mean(), Counter(), "mean")
    if mean is not None and there:
        wanted = float(_sum_of(case.clear["a"]) / there)
        assert case.opened(mean) == wanted, f"{drawn}\nmean: not {wanted}"
