# SPDX-License-Identifier: Apache-2.0
"""The statistics of a table, by their names in pandas."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..errors import ArgumentError, UnsupportedError
from . import kinds
from .columns import EncryptedColumn
from .fitting import linear_sums
from .statistics.deferred import EncryptedStatistics, Measure
from .statistics.sums import DESCRIBED, checked_ddof, measure_of, quantile_measure, statistics
from .table import Table

__all__ = ["SummarizedTable"]


class SummarizedTable(Table):
    """The part of `EncryptedFrame` that has statistics."""

    # --- statistics, finished at decryption ---------------------------------------------------------------------------
    def _numbers(self, statistic: str) -> dict[str | None, EncryptedColumn]:
        """The columns that have a statistic."""
        no_dates = statistic in ("sum", "var", "std", "sem", "cov", "corr")
        found: dict[str | None, EncryptedColumn] = {
            name: column
            for name, column in self.columns.items()
            if isinstance(column, EncryptedColumn) and not (no_dates and kinds.is_date(column.kind))
        }
        if not found:
            raise ArgumentError(f"{statistic}: the frame has no column of numbers")
        return found

    def _each(self, measure: Measure, title: float | None = None) -> EncryptedStatistics:
        columns = self._numbers(measure[0])
        measures = [(measure[0], j, *measure[1:]) for j in range(len(columns))]
        return statistics(columns, measures, "series", labels_=list(columns), title=title)

    def sum(self) -> EncryptedStatistics:
        """Sums of all columns of numbers, as a Series. Those to compute with are ``frame["a"].sum()``."""
        return self._each(("sum",))

    def count(self) -> EncryptedStatistics:
        """How many values are there in each column of numbers."""
        return self._each(("count",))

    def mean(self) -> EncryptedStatistics:
        """Means of all columns of numbers; see `EncryptedColumn.mean`."""
        return self._each(("mean",))

    def var(self, ddof: int = 1) -> EncryptedStatistics:
        """Variances of all columns of numbers; see `EncryptedColumn.var`."""
        return self._each(("var", checked_ddof(ddof)))

    def std(self, ddof: int = 1) -> EncryptedStatistics:
        """Standard deviations of all columns of numbers; see `EncryptedColumn.var`."""
        return self._each(("std", checked_ddof(ddof)))

    def min(self) -> EncryptedStatistics:
        """The smallest value of each column of numbers, found at decryption; see `EncryptedColumn.min`."""
        return self._each(("min",))

    def max(self) -> EncryptedStatistics:
        """The largest value of each column of numbers, as `min`."""
        return self._each(("max",))

    def median(self) -> EncryptedStatistics:
        """The median of each column of numbers, as `min`."""
        return self._each(("median",))

    def quantile(self, q: object = 0.5, interpolation: str = "linear") -> EncryptedStatistics:
        """A quantile of each column of numbers, as `min`; of a list of probabilities a frame."""
        if not isinstance(q, (list, tuple, np.ndarray)):
            measure = quantile_measure(q, interpolation)
            return self._each(measure, float(str(q)))
        shares = np.asarray(q, dtype=object).tolist()
        wanted = [quantile_measure(each, interpolation) for each in shares]
        return self._table([float(each) for each in shares], wanted)

    def _table(self, titles: Sequence[Any], wanted: Sequence[Measure]) -> EncryptedStatistics:
        """A row for each statistic, a column for each column."""
        columns = self._numbers(wanted[0][0] if len(wanted) == 1 else "count")
        measures: list[Measure | None] = []
        for each in wanted:
            for j, column in enumerate(columns.values()):
                apart = kinds.is_date(column.kind) and each[0] in ("sum", "var", "std", "sem")
                measures.append(None if apart else (each[0], j, *each[1:]))
        if not measures:
            raise ArgumentError("agg: no statistics; name one, 'mean', or several: ['mean', 'std']")
        return statistics(columns, measures, "frame", labels_=list(titles), names=list(columns))

    def describe(self) -> EncryptedStatistics:
        """Count, mean, standard deviation, minimum, quartiles and maximum of each column of numbers or dates, as
        `min`."""
        frame = self._described()
        # pandas has what dates lack last.
        dated = any(isinstance(each, EncryptedColumn) and kinds.is_date(each.kind) for each in frame.columns.values())
        wanted = sorted(DESCRIBED, key=lambda each: dated and each[0] == "std")
        return frame._table([title for title, _ in wanted], [each for _, each in wanted])

    def _described(self) -> SummarizedTable:
        """The table without booleans, which pandas describes by themselves only."""
        numbers = {
            name: column
            for name, column in self.columns.items()
            if isinstance(column, EncryptedColumn) and column.kind != kinds.BOOL
        }
        return SummarizedTable(numbers, self.index) if numbers else self

    def agg(self, functions: Any) -> EncryptedStatistics:
        """Statistics by name: ``agg("mean")``, ``agg(["mean", "std"])``, ``agg({"a": "mean", "b": "max"})``.

        Raises:
            UnsupportedError: a statistic that there is not, or a function.
            ArgumentError: no such column; nothing asked for.
        """
        if isinstance(functions, str):
            return self._each(measure_of(functions))
        if not isinstance(functions, Mapping):
            return self._table(list(functions), [measure_of(each) for each in functions])
        if not functions:
            raise ArgumentError("agg: no statistics; name one, 'mean', or several: ['mean', 'std']")
        columns = {name: self._number(name) for name in functions}
        if all(isinstance(each, str) for each in functions.values()):
            measures = [(each[0], j, *each[1:]) for j, each in enumerate(map(measure_of, functions.values()))]
            return statistics(columns, measures, "series", labels_=list(columns))
        lists = {name: [each] if isinstance(each, str) else list(each) for name, each in functions.items()}
        titles = list(dict.fromkeys(each for wanted in lists.values() for each in wanted))
        cells: list[Measure | None] = []
        for title in titles:
            each = measure_of(title)
            cells += [(each[0], j, *each[1:]) if title in lists[name] else None for j, name in enumerate(lists)]
        return statistics(columns, cells, "frame", labels_=titles, names=list(columns))

    aggregate = agg

    def _number(self, name: str) -> EncryptedColumn:
        if name not in self.columns:
            raise ArgumentError(f"there is no column {name!r}; the frame has {', '.join(self.columns)}")
        column = self.columns[name]
        if not isinstance(column, EncryptedColumn):
            raise UnsupportedError(f"{name!r} holds categories, which have value_counts")
        return column

    def _pairs(self, name: str, *parameters: int) -> EncryptedStatistics:
        columns = self._numbers(name)
        count = len(columns)
        measures = [(name, (i, j), *parameters) for i in range(count) for j in range(count)]
        return statistics(columns, measures, "frame", labels_=list(columns), names=list(columns))

    def cov(self, ddof: int = 1) -> EncryptedStatistics:
        """Covariances of all columns of numbers, each over the rows in which both are there: sums of products.
        ``ddof`` counts where values are missing too, for which pandas takes 1."""
        return self._pairs("cov", checked_ddof(ddof))

    def corr(self) -> EncryptedStatistics:
        """Pearson's correlations of all columns of numbers, as `cov`."""
        return self._pairs("corr")

    def fit(self, target: str, features: Sequence[str] | None = None) -> EncryptedStatistics:
        """Least squares: the coefficients that predict a column of others best, and the intercept, of rows in which all
        are there. The sums of products are computed here, and the equations solved at decryption; what is decrypted is
        a Series. (Logistic regression goes step by step: doc/recipes/training.md.)

        Args:
            target: the column that is predicted.
            features: those that predict it; None: all others of numbers.

        Raises:
            ArgumentError: no such columns.
            RangeError, NoiseError: parameters without room for sums of products.
        """
        names = [n for n in self._numbers("cov") if n != target] if features is None else list(features)
        if not names:
            raise ArgumentError("fit: no columns to predict from")
        return linear_sums({name: self._number(str(name)) for name in [*names, target]}, target)
