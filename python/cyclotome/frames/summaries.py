# SPDX-License-Identifier: Apache-2.0
"""The statistics of a column, by their names in pandas."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..arrays.array import EncryptedArray
from ..arrays.shaping import stack
from ..errors import ArgumentError, UnsupportedError
from . import kinds
from .masks import Mask, RowsOfColumn
from .statistics.deferred import EncryptedStatistics, Measure
from .statistics.sums import DESCRIBED, checked_ddof, counted, measure_of, quantile_measure, statistics

__all__ = ["SummarizedColumn"]


class SummarizedColumn(RowsOfColumn):
    """The part of `EncryptedColumn` that has statistics."""

    if TYPE_CHECKING:  # what a column has
        kind: str
        mask: Mask
        values: EncryptedArray
        scale: int
        cleared: bool | None

    def _one(self, measure: Measure) -> EncryptedStatistics:
        self._require_rows(measure[0])
        return statistics({None: self}, [(measure[0], 0, *measure[1:])], "number")

    def _require_rows(self, what: str) -> None:
        if not self.values.shape:
            raise UnsupportedError(f"{what} of a single number; columns have one")
        if kinds.is_date(self.kind) and what in ("var", "std", "sem", "cov", "corr"):
            raise UnsupportedError(f"{what} of dates: take that of a duration, x - pandas.Timestamp('2024-01-31')")

    def mean(self) -> EncryptedStatistics:
        """The mean of the values that are there, NaN of none: an encrypted sum and a count, divided at decryption."""
        return self._one(("mean",))

    def var(self, ddof: int = 1) -> EncryptedStatistics:
        """The variance: sums of values and of squares, whose product needs depth 1. NaN of ``ddof`` values or fewer.

        Raises:
            RangeError, NoiseError: parameters without room for the sum of squares.
        """
        return self._one(("var", checked_ddof(ddof)))

    def std(self, ddof: int = 1) -> EncryptedStatistics:
        """The standard deviation, as `var`."""
        return self._one(("std", checked_ddof(ddof)))

    def sem(self, ddof: int = 1) -> EncryptedStatistics:
        """The standard error of the mean, as `var`."""
        return self._one(("sem", checked_ddof(ddof)))

    def min(self) -> EncryptedStatistics:
        """The smallest value, found at decryption: whoever decrypts it is sent the column. Counts of comparisons,
        ``(x < 3).sum()``, tell less."""
        return self._one(("min",))

    def max(self) -> EncryptedStatistics:
        """The largest value, as `min`."""
        return self._one(("max",))

    def median(self) -> EncryptedStatistics:
        """The median, as `min`."""
        return self._one(("median",))

    def nunique(self) -> EncryptedStatistics:
        """How many different values there are, as `min`."""
        return self._one(("nunique",))

    def quantile(self, q: object = 0.5, interpolation: str = "linear") -> EncryptedStatistics:
        """Quantiles, as `min`: a number, or of a list of probabilities a Series.

        Raises:
            ArgumentError: no probability; an interpolation that pandas does not have.
        """
        self._require_rows("quantile")
        if not isinstance(q, (list, tuple, np.ndarray)):
            return self._one(quantile_measure(q, interpolation))
        shares: Iterable[Any] = np.asarray(q, dtype=object).tolist()
        measures = [("quantile", 0, *quantile_measure(each, interpolation)[1:]) for each in shares]
        if not measures:
            raise ArgumentError("quantile: no probabilities")
        return statistics({None: self}, measures, "series", labels_=[float(each) for each in shares], title=self.name)

    def describe(self) -> EncryptedStatistics:
        """Count, mean, standard deviation, minimum, quartiles and maximum, as `min`."""
        self._require_rows("describe")
        chosen = [(name, each) for name, each in DESCRIBED if not (kinds.is_date(self.kind) and name == "std")]
        measures = [(each[0], 0, *each[1:]) for _, each in chosen]
        return statistics({None: self}, measures, "series", labels_=[name for name, _ in chosen], title=self.name)

    def agg(self, function: str | list[str]) -> EncryptedStatistics:
        """A statistic by its name, or a Series of several. Raises UnsupportedError for others."""
        if not isinstance(function, (list, tuple)):
            return self._one(measure_of(function))
        for each in function:
            self._require_rows(str(each))
        measures = [(each[0], 0, *each[1:]) for each in map(measure_of, function)]
        if not measures:
            raise ArgumentError("agg: no statistics; name one, 'mean', or several: ['mean', 'std']")
        return statistics({None: self}, measures, "series", labels_=[str(each) for each in function], title=self.name)

    aggregate = agg

    def _pair(self, name: str, other: object, *parameters: int) -> EncryptedStatistics:
        if not isinstance(other, SummarizedColumn):
            raise UnsupportedError(f"{name} takes another encrypted column, not {type(other).__name__}")
        self._require_rows(name)
        other._require_rows(name)
        if self.rows != other.rows:
            raise ArgumentError(f"{name}: columns of {self.rows} and {other.rows} rows")
        return statistics({"x": self, "y": other}, [(name, (0, 1), *parameters)], "number")

    def cov(self, other: object, ddof: int = 1) -> EncryptedStatistics:
        """The covariance with another column, over rows in which both are there; as `var`."""
        return self._pair("cov", other, checked_ddof(ddof))

    def corr(self, other: object) -> EncryptedStatistics:
        """Pearson's correlation with another column, over rows in which both are there; as `var`."""
        return self._pair("corr", other)

    def value_counts(self, normalize: bool = False) -> EncryptedStatistics:
        """How often each value occurs, the most frequent first: of booleans, encrypted sums.

        Raises:
            UnsupportedError: numbers, whose values are not known here: encrypt them as categories, or compare,
                ``(x == 3).sum()``.
        """
        if self.kind != kinds.BOOL:
            raise UnsupportedError(
                "value_counts of numbers: which values there are is encrypted. Encrypt the column as categories, "
                "categories={name: [...]}, or count by comparisons: (x == 3).sum()"
            )
        truth: Any = self
        truth = truth.fillna(False) if self.mask is not self.kept else truth
        no = ~truth if self.mask is self.kept else (self.mask - truth.values).assume_bound((0, 1))
        counts = [no.values.sum() if isinstance(no, SummarizedColumn) else no.sum(), truth.values.sum()]
        values = replace(truth, values=stack(counts), mask=None, cleared=True, index=None, kind=kinds.NUMBER, kept=None)
        return counted(values, (False, True), self.name, normalize, False)
