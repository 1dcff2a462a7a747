# SPDX-License-Identifier: Apache-2.0
"""Sums that statistics are made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from ...arrays.array import EncryptedArray
from ...errors import ArgumentError, NoiseError, RangeError, UnsupportedError
from ...numbers import labels
from ...numbers.values import IntArray, index
from .. import kinds
from ..masks import Mask, both, common_rows
from .deferred import ENDS, MOMENTS, PAIRS, EncryptedStatistics, Measure

__all__ = [
    "DESCRIBED",
    "Groups",
    "checked_ddof",
    "count_name",
    "counted",
    "measure_of",
    "moment_name",
    "quantile_measure",
    "statistics",
]

#: What `describe` says.
DESCRIBED: tuple[tuple[str, Measure], ...] = (
    ("count", ("count",)),
    ("mean", ("mean",)),
    ("std", ("std", 1)),
    ("min", ("min",)),
    ("25%", ("quantile", "1/4", "linear")),
    ("50%", ("quantile", "1/2", "linear")),
    ("75%", ("quantile", "3/4", "linear")),
    ("max", ("max",)),
)


class Groups(NamedTuple):
    """Groups of rows."""

    #: What they are called, public.
    labels: tuple[Any, ...]
    #: Of shape (groups, rows): 1 where a row is in a group.
    selectors: IntArray | EncryptedArray
    #: What the key is called.
    name: str | None
    #: The column of the key, of categories, where it is encrypted.
    column: Any = None
    #: Whether it was one of categories before, too.
    categorical: bool = True
    #: The frame's column that is the key, of which there are no statistics then.
    own: str | None = None


def measure_of(name: object, ddof: int | None = None) -> Measure:
    """A statistic by its name. Raises UnsupportedError for others."""
    if not isinstance(name, str) or name not in {**MOMENTS, **ENDS} or name == "quantile":
        known = ", ".join(each for each in {**MOMENTS, **ENDS} if each != "quantile")
        raise UnsupportedError(f"the statistic {name!r:.40}: there are {known}, by name, and quantile(q)")
    return (name, *([1 if ddof is None else ddof] if MOMENTS.get(name) else []))


def checked_ddof(ddof: object) -> int:
    """What is taken off the count in a variance. Raises ArgumentError for no whole number."""
    found = index(ddof, "ddof")
    if abs(found) >= 2**31:
        raise ArgumentError(f"ddof={found} is no small number")
    return found


def quantile_measure(q: object, interpolation: object) -> Measure:
    """Raises ArgumentError for no probability, or an interpolation that there is not."""
    try:
        share = q if isinstance(q, Fraction) else Fraction(repr(float(q)))  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        raise ArgumentError(f"quantile: {q!r:.40} is no number from 0 to 1") from None
    if not 0 <= share <= 1:
        raise ArgumentError(f"quantile: {q!r:.40} is not from 0 to 1")
    if interpolation not in ("linear", "lower", "higher", "midpoint", "nearest"):
        raise ArgumentError(f"quantile: interpolation={interpolation!r:.40}; there are linear, lower, higher, midpoint")
    return "quantile", f"{share.numerator}/{share.denominator}", str(interpolation)


def statistics(
    columns: Mapping[Any, Any],
    measures: Sequence[Measure | None],
    layout: str,
    *,
    labels_: Sequence[Any] = (),
    names: Sequence[Any] = (),
    groups: Groups | None = None,
    title: str | float | None = None,
) -> EncryptedStatistics:
    """Statistics of columns: ``measures`` have the numbers of columns after their names.

    Raises:
        RangeError, NoiseError: sums that parameters have no room for.
    """
    rows = any(each is not None and each[0] in ENDS for each in measures)
    every = list(columns.values())
    parts = _Sums(every, groups)
    used = sorted({j for each in measures if each for j in ([each[1]] if isinstance(each[1], int) else each[1])})
    made: dict[str, Any] = {}
    if rows:
        made = {f"rows {j}": replace(every[j], index=None) for j in used}
        if groups is not None and groups.column is not None:
            made["groups"] = replace(groups.column, index=None)
    else:
        for each in measures:
            if each is not None:
                parts.add(each)
        made = dict(parts.made)
        if not made:  # of public counts alone: a ciphertext says under which key they are
            made = {"key": parts.anything()}
    recipe = {
        "layout": layout,
        "title": title,
        "names": list(columns),
        "kinds": [column.kind for column in every],
        "measures": [
            each if each is None else [list(p) if isinstance(p, tuple) else p for p in each] for each in measures
        ],
        "labels": list(labels_),
        "columns": list(names),
        "groups": None if groups is None else _written(groups, rows),
        "counts": {} if rows else parts.counts,
        "rows": rows,
    }
    return EncryptedStatistics(made, None, recipe)


def _written(groups: Groups, rows: bool) -> dict[str, Any]:
    of = None
    if rows and groups.column is None:
        assert isinstance(groups.selectors, np.ndarray)
        of = groups.selectors.argmax(axis=0).tolist()
    return {
        "labels": [labels.written(each) for each in groups.labels],
        "name": groups.name,
        "of": of,
        "categorical": groups.column is not None and groups.categorical,
    }


class _Sums:
    """Sums over rows, or those of each group, each computed once."""

    def __init__(self, columns: Sequence[Any], groups: Groups | None) -> None:
        self._columns, self._groups = columns, groups
        self.made: dict[str, Any] = {}
        self.counts: dict[str, list[int]] = {}

    def add(self, measure: Measure) -> None:
        """What a statistic is made of."""
        name, column = measure[:2]
        if name in PAIRS:
            i, j = column
            self._count(i, j)
            self._moment("product", i, j)
            for one, other in ((i, j), (j, i)):
                self._moment("sum", one, other)
                if name == "corr":
                    self._moment("squares", one, other)
        else:
            if name != "sum":
                self._count(column)
            if name != "count":
                self._moment("sum", column)
            if name in ("var", "std", "sem"):
                self._moment("squares", column)

    def anything(self) -> Any:
        """A column of as many rows as there are groups."""
        return self._total(self._columns[0].filled().values, 1)

    def _present(self, i: int, j: int | None) -> Mask:
        column = self._columns[i]
        if j is None or j == i:
            return column.mask  # type: ignore[no-any-return]
        other = self._columns[j]
        common_rows("columns", column, other)
        return both(column.mask, other.mask)

    def _count(self, i: int, j: int | None = None) -> None:
        name = count_name(i, j)
        if name in self.made or name in self.counts:
            return
        mask = self._present(i, j)
        selectors: Any = 1 if self._groups is None else self._groups.selectors
        ones: Any = np.ones(self._columns[i].rows, dtype=np.int64) if mask is None else mask
        totals = (ones * selectors).sum(axis=-1)
        if isinstance(totals, EncryptedArray):
            self.made[name] = self._column(totals, 1)
        else:
            self.counts[name] = [int(each) for each in np.reshape(totals, -1)]

    def _moment(self, kind: str, i: int, j: int | None = None) -> None:
        """A sum, of squares or of products, over rows where both columns are there."""
        name = moment_name(kind, i, j)
        if name in self.made:
            return
        x = self._columns[i].filled()
        scale = x.scale
        if kind == "sum":
            values = x.values
        else:
            y = x if kind == "squares" or j is None else self._columns[j].filled()
            scale *= y.scale
            try:
                values = x.values * y.values
            except (RangeError, NoiseError) as error:
                raise type(error)(
                    f"{kind} for a statistic: {error}. Variances and correlations are sums of products: suggest "
                    "parameters with depth=1 or more and result_bits for them, or give fewer decimals, tighter bounds"
                ) from None
        if kind != "product" and j is not None and j != i and self._columns[j].mask is not self._columns[i].mask:
            mask = self._columns[j].mask
            values = values if mask is None else values * mask
        self.made[name] = self._total(values, scale)

    def _total(self, values: EncryptedArray, scale: int) -> Any:
        if self._groups is None:
            return self._column(values.sum(), scale)
        return self._column((values * self._groups.selectors).sum(axis=-1), scale)

    def _column(self, values: EncryptedArray, scale: int) -> Any:
        like = self._columns[0]
        return replace(
            like, values=values, scale=scale, mask=None, cleared=True, index=None, kind=kinds.NUMBER, kept=None
        )


def count_name(i: int, j: int | None = None) -> str:
    """Where the count of rows is in which a column is there, or two of them are."""
    return f"count {i}" if j is None or i == j else f"count {min(i, j)} {max(i, j)}"


def moment_name(kind: str, i: int, j: int | None = None) -> str:
    """Where a sum is: of column i, where column j is there too."""
    if kind == "product":
        return f"product {min(i, j or 0)} {max(i, j or 0)}" if j is not None else f"squares {i}"
    return f"{kind} {i}" if j is None or i == j else f"{kind} {i} with {j}"


def counted(
    values: Any, found: tuple[Any, ...], name: str | None, normalize: object, categorical: bool
) -> EncryptedStatistics:
    """How often each of some values occurs, of a column of these counts."""
    if not isinstance(normalize, bool):
        raise ArgumentError(f"value_counts: normalize={normalize!r:.40} is neither true nor false")
    recipe = {
        "layout": "counts",
        "title": "proportion" if normalize else "count",
        "names": [name],
        "kinds": [kinds.NUMBER],
        "measures": [["value_counts", 0, normalize]],
        "labels": [],
        "columns": [],
        "groups": {
            "labels": [labels.written(each) for each in found],
            "name": name,
            "of": None,
            "categorical": categorical,
        },
        "counts": {},
        "rows": False,
    }
    return EncryptedStatistics({"count 0": values}, None, recipe)
