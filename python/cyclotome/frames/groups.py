# SPDX-License-Identifier: Apache-2.0
"""Rows by groups: sums and counts for all groups at once, and the statistics that come of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Generic, NoReturn, TypeVar, overload

import numpy as np

from ..arrays.array import EncryptedArray
from ..arrays.shaping import stack
from ..errors import ArgumentError, UnsupportedError
from ..numbers.cells import Cells
from ..numbers.labels import different, labels_of, place_of
from ..numbers.values import IntArray
from . import kinds
from .advice import instead
from .columns import Column, EncryptedCategories, EncryptedColumn
from .masks import Mask
from .statistics.deferred import EncryptedStatistics, Measure
from .statistics.sums import DESCRIBED, Groups, checked_ddof, measure_of, quantile_measure, statistics
from .table import Table

__all__ = ["GroupedFrame", "grouped_by_column", "grouped_by_labels"]


def grouped_by_column(name: str, column: Column) -> Groups:
    """Groups of a column of categories, or of booleans. Raises UnsupportedError for one of numbers."""
    if isinstance(column, EncryptedCategories):
        return Groups(column.labels, column.selectors, name, column)
    if column.kind != kinds.BOOL:
        raise UnsupportedError(
            f"groupby: {name!r} holds numbers; groups are categories, booleans such as column > 3, or public labels"
        )
    yes = column.filled().values
    no = ((1 if column.mask is None else column.mask) - yes).assume_bound((0, 1))
    selectors = stack([no, yes])
    categories = EncryptedCategories(selectors, (False, True), column.index, column.kept)
    return Groups((False, True), selectors, name, categories, False)


def grouped_by_labels(cells: Cells, name: str | None) -> Groups:
    """Groups of public labels: those that there are, in order, that of their type where it has one."""
    if cells.categories is not None:
        present = set(cells.values.tolist())
        found = labels_of([each for each in cells.categories if each in present], "groupby")
        places = np.array([place_of(found, value, "groupby") for value in cells.values.tolist()])
    else:
        try:
            unique, places = np.unique(cells.values, return_inverse=True)
        except TypeError as error:
            raise ArgumentError(f"groupby: labels of several kinds have no order ({error})") from None
        found = different(labels_of(list(unique), "groupby"), "groupby")
    selectors = (places.reshape(-1) == np.arange(len(found))[:, None]).astype(np.int64)
    return Groups(found, selectors, name)


_T = TypeVar("_T", bound=Table)


@dataclass(frozen=True, eq=False)
class GroupedFrame(Generic[_T]):
    """A frame's rows by groups, made by `EncryptedFrame.groupby`; ``grouped["a"]`` and ``grouped[["a", "b"]]`` are
    columns of it."""

    frame: _T
    #: What the groups are called, public, and which rows are in them.
    groups: Groups
    #: Rows that filters kept.
    kept: Mask = None
    #: The column or columns that were chosen; None: all of them.
    chosen: str | tuple[str, ...] | None = None

    @property
    def labels(self) -> tuple[Any, ...]:
        """What the groups are called, public."""
        return self.groups.labels

    @property
    def selectors(self) -> IntArray | EncryptedArray:
        """Of shape (groups, rows): 1 where a row is in a group."""
        return self.groups.selectors

    @overload
    def __getitem__(self, names: str) -> GroupedColumn[_T]: ...
    @overload
    def __getitem__(self, names: list[str]) -> GroupedFrame[_T]: ...
    def __getitem__(self, names: str | list[str]) -> GroupedFrame[_T]:
        """One column, whose results are Series, or several.

        Raises:
            ArgumentError: no such column.
        """
        for name in [names] if isinstance(names, str) else names:
            self._column(name)
        if isinstance(names, str):
            return GroupedColumn(self.frame, self.groups, self.kept, names)
        return GroupedFrame(self.frame, self.groups, self.kept, tuple(names))

    def _column(self, name: object) -> Column:
        if not isinstance(name, str) or name not in self.frame.columns:
            raise ArgumentError(f"there is no column {name!r}; the frame has {', '.join(self.frame.columns)}")
        column: Column = self.frame.columns[name]
        return column

    def _numbers(self, name: str) -> EncryptedColumn:
        column = self._column(name)
        if not isinstance(column, EncryptedColumn):
            raise UnsupportedError(f"groupby: {name!r} holds categories, which have no sum")
        return column

    def _wanted(self, names: Sequence[str] = (), statistic: str = "sum") -> list[str]:
        """Columns that were named, or chosen, or all of numbers."""
        chosen = [self.chosen] if isinstance(self.chosen, str) else list(self.chosen or ())
        found = list(names) or chosen or [name for name in self.frame if self._has(name, statistic)]
        if not found:
            raise ArgumentError("groupby: the frame has no column of numbers to sum")
        for name in found:
            column = self._numbers(name)
            if kinds.is_date(column.kind) and statistic in ("sum", "var", "std", "sem"):
                raise UnsupportedError(f"groupby: {statistic} of {name!r}, which holds dates")
        return found

    def _has(self, name: str, statistic: str) -> bool:
        column = self.frame.columns[name]
        if not isinstance(column, EncryptedColumn) or name == self.groups.own:
            return False
        return not (kinds.is_date(column.kind) and statistic in ("sum", "var", "std", "sem"))

    # --- sums to compute with -----------------------------------------------------------------------------------------
    def sum(self, *names: str) -> _T:
        """Sums of columns of numbers, all of them unless named, over the rows of each group; missing values count as
        nothing. An encrypted key takes one product in depth, a public one a product with public numbers. A frame to
        compute with, whose rows are the groups.

        Raises:
            ArgumentError: no such column, or none of numbers.
            UnsupportedError: a column of categories or dates.
            MissingKeyError, RangeError, NoiseError: see `EncryptedArray.sum`.
        """
        return self._of_groups({name: self._sum(name) for name in self._wanted(names)})

    def _of_groups(self, columns: Mapping[str, Any]) -> _T:
        return type(self.frame)(columns, self.labels)

    def _sum(self, name: str) -> EncryptedColumn:
        column = self._numbers(name)
        kind = kinds.DURATION if column.kind == kinds.DURATION else kinds.NUMBER
        return EncryptedColumn((column.filled().values * self.selectors).sum(axis=-1), column.scale, kind=kind)

    def count(self, name: str | None = None) -> IntArray | _T:
        """How many rows each group has; or how many in which a column's value is there, of the named column or
        ``grouped["a"]``: public numbers where both the key and the mask are public, else a frame with the column
        "count"."""
        mask: Mask = self.kept
        name = self.chosen if name is None and isinstance(self.chosen, str) else name
        if name is not None:
            column = self._column(name)
            if not isinstance(column, EncryptedColumn):
                raise UnsupportedError(f"groupby: {name!r} holds categories; count the rows of numbers, or of groups")
            mask = column.mask
        elif isinstance(self.selectors, EncryptedArray):  # zeros already where a filter left rows out
            mask = None
        counted: Any = self.selectors if mask is None else mask * self.selectors
        totals = counted.sum(axis=-1)
        if isinstance(totals, EncryptedArray):
            return self._of_groups({"count": EncryptedColumn(totals)})
        return np.asarray(totals)

    # --- statistics, finished at decryption ---------------------------------------------------------------------------
    def _statistic(self, measure: Measure) -> EncryptedStatistics:
        names = self._wanted(statistic=measure[0])
        columns = {name: self.frame.columns[name] for name in names}
        measures = [(measure[0], j, *measure[1:]) for j in range(len(names))]
        if isinstance(self.chosen, str):
            return statistics(columns, measures, "group", title=self.chosen, groups=self.groups)
        return statistics(columns, measures, "groups", names=names, groups=self.groups)

    def mean(self) -> EncryptedStatistics:
        """Means of each group, NaN of groups without values: sums and counts, divided at decryption."""
        return self._statistic(("mean",))

    def var(self, ddof: int = 1) -> EncryptedStatistics:
        """Variances of each group; an encrypted key takes two products in depth. Errors: as `EncryptedColumn.var`."""
        return self._statistic(("var", checked_ddof(ddof)))

    def std(self, ddof: int = 1) -> EncryptedStatistics:
        """Standard deviations of each group, as `var`."""
        return self._statistic(("std", checked_ddof(ddof)))

    def min(self) -> EncryptedStatistics:
        """The smallest value of each group, found at decryption, for which the columns themselves are sent."""
        return self._statistic(("min",))

    def max(self) -> EncryptedStatistics:
        """The largest value of each group, as `min`."""
        return self._statistic(("max",))

    def median(self) -> EncryptedStatistics:
        """The median of each group, as `min`."""
        return self._statistic(("median",))

    def quantile(self, q: object = 0.5, interpolation: str = "linear") -> EncryptedStatistics:
        """A quantile of each group, as `min`. Raises ArgumentError for no single probability."""
        return self._statistic(quantile_measure(q, interpolation))

    def size(self) -> EncryptedStatistics:
        """How many rows each group has, whether values are there or not."""
        ones = EncryptedColumn(self._any_values(), 1, self.kept, None, None, kinds.NUMBER, self.kept)
        name = self.chosen if isinstance(self.chosen, str) else None
        return statistics({name: ones}, [("count", 0)], "group", title=name, groups=self.groups)

    def _any_values(self) -> EncryptedArray:
        for column in self.frame.columns.values():
            if isinstance(column, EncryptedColumn):
                return column.values
        first: EncryptedCategories = next(iter(self.frame.columns.values()))
        return first.selectors[0]

    def agg(self, functions: Any = None, **named: tuple[str, str]) -> EncryptedStatistics:
        """Several statistics of each group by their names, as pandas': ``agg("mean")``, ``agg(["mean", "std"])``,
        ``agg({"price": "mean", "sold": ["sum", "max"]})`` or ``agg(total=("sold", "sum"))``.

        Raises:
            UnsupportedError: a statistic that there is not, or functions that are no names.
            ArgumentError: no such column; nothing asked for.
        """
        if named:
            return self._several([(name, *_named(name, pair)) for name, pair in named.items()])
        if isinstance(functions, str):
            return self._statistic(measure_of(functions))
        if isinstance(functions, Mapping):
            lists = any(not isinstance(each, str) for each in functions.values())
            wanted: list[tuple[Any, str, str]] = [
                ([name, each] if lists else name, name, each)
                for name, chosen in functions.items()
                for each in _listed(chosen)
            ]
            return self._several(wanted)
        single = isinstance(self.chosen, str)
        listed = _listed(functions)
        names = self._wanted(statistic=next((each for each in listed if each in ("sum", "var", "std", "sem")), "count"))
        return self._several([(each if single else [name, each], name, each) for name in names for each in listed])

    aggregate = agg

    def describe(self) -> EncryptedStatistics:
        """Count, mean, standard deviation, minimum, quartiles and maximum of each group, as `min`."""
        single = isinstance(self.chosen, str)
        names = self._wanted(statistic="std")
        columns = {name: self.frame.columns[name] for name in names}
        measures = [(each[0], j, *each[1:]) for j in range(len(names)) for _, each in DESCRIBED]
        titles = [title if single else [name, title] for name in names for title, _ in DESCRIBED]
        return statistics(columns, measures, "groups", names=titles, groups=self.groups)

    def _several(self, wanted: Sequence[tuple[Any, str, str]]) -> EncryptedStatistics:
        """Statistics by what their columns in the result are called, the column's name, and their own."""
        if not wanted:
            raise ArgumentError("agg: no statistics; name one, 'mean', or several: ['mean', 'std']")
        columns: dict[str | None, Column] = {}
        for _, name, statistic in wanted:
            self._wanted([name], statistic)
            columns[name] = self._column(name)
        numbers = {name: j for j, name in enumerate(columns)}
        measures = []
        for _, name, statistic in wanted:
            measure = measure_of(statistic)
            measures.append((measure[0], numbers[name], *measure[1:]))
        return statistics(columns, measures, "groups", names=[title for title, _, _ in wanted], groups=self.groups)

    def __iter__(self) -> NoReturn:
        raise UnsupportedError("groups are not gone through one by one: compute with all at once")

    if not TYPE_CHECKING:  # to a type checker, any name would be one of its own

        def __getattr__(self, name: str) -> NoReturn:
            raise instead(self, name)


class GroupedColumn(GroupedFrame[_T]):
    """One column by groups, whose results are Series."""

    def sum(self, *names: str) -> EncryptedColumn:  # type: ignore[override]
        """Sums over the rows of each group, as a column to compute with. Errors: see `GroupedFrame.sum`."""
        assert isinstance(self.chosen, str)
        self._wanted()
        return replace(self._sum(self.chosen), index=self.labels, name=self.chosen)


def _named(name: str, pair: Any) -> tuple[str, str]:
    if not isinstance(pair, (tuple, list)) or len(pair) != 2 or not all(isinstance(each, str) for each in pair):
        raise ArgumentError(f"agg: {name}=('column', 'statistic'), not {pair!r:.40}")
    return pair[0], pair[1]


def _listed(functions: Any) -> list[str]:
    if isinstance(functions, str):
        return [functions]
    if callable(functions) or not isinstance(functions, Iterable):
        raise UnsupportedError("agg takes statistics by name, 'mean' or ['mean', 'std'], not functions")
    return list(functions)
