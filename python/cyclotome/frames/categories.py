# SPDX-License-Identifier: Apache-2.0
"""Columns of categories, encrypted as zeros and ones for each of them."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from ..arrays.array import EncryptedArray
from ..arrays.compounds import Change, Compound
from ..arrays.shaping import stack
from ..errors import ArgumentError, UnsupportedError
from ..numbers.labels import different, labels_of, place_of
from ..numbers.operands import operand_numbers
from ..numbers.values import integers
from . import kinds
from .choosing import condition, public_booleans
from .column import EncryptedColumn
from .masks import Mask, RowsOfColumn, both, checked_rows, masked, require_numbers, require_ones, row_names
from .statistics.deferred import EncryptedStatistics
from .statistics.sums import counted

__all__ = ["EncryptedCategories"]


@dataclass(frozen=True, eq=False)
class EncryptedCategories(RowsOfColumn):
    """A column of categories, encrypted as one column of zeros and ones for each category; all zeros where the value is
    missing. ``column == "A"`` is 1 in rows of category A and 0 in others: a column to multiply by. Public: the
    categories. Hidden: which row has which.

    Raises:
        UnsupportedError: something else than an array of numbers within bounds in slots.
        ArgumentError: no array of shape (categories, rows) with ``bound=(0, 1)``; categories that are not different, or
            no labels (text, integers, floats, booleans, decimals, dates); rows of another number of names.
    """

    #: Of shape (categories, rows), rows along slots.
    selectors: EncryptedArray
    #: What the categories are called.
    labels: tuple[Any, ...]
    #: What the rows are called, public; None: numbers from 0.
    index: tuple[Any, ...] | None = None

    #: Rows that filters kept, zeros everywhere else; None: all of them.
    kept: Mask = None
    #: The name that it has in its table.
    name: str | None = None

    INSTEAD = (
        "columns of categories have ==, !=, isin, value_counts, isna, fillna and map; the rest is pandas', of what "
        "cyclotome.decrypt_frame gives"
    )

    def __post_init__(self) -> None:
        require_numbers(self.selectors, "a column of categories")
        labels = different(labels_of(self.labels, "categories"), "categories")
        if self.selectors.ndim != 2 or self.selectors.shape[0] != len(labels):
            raise ArgumentError(
                f"{len(labels)} categories of an array of shape {self.selectors.shape}; it is (categories, rows)"
            )
        require_ones(self.selectors, "categories")
        object.__setattr__(self, "labels", labels)
        if self.index is not None:
            object.__setattr__(self, "index", row_names(self.index, self.rows))
        if self.kept is not None:
            object.__setattr__(self, "kept", checked_rows(self.kept, self.selectors))

    if TYPE_CHECKING:  # what only `EncryptedColumn` has, so that ``frame["a"].sum()`` is one whatever the table is

        @property
        def values(self) -> NoReturn: ...
        @property
        def scale(self) -> NoReturn: ...
        @property
        def mask(self) -> NoReturn: ...
        @property
        def cleared(self) -> NoReturn: ...
        @property
        def decimals(self) -> NoReturn: ...
        @property
        def kind(self) -> NoReturn: ...
        def filled(self) -> NoReturn: ...
        def sum(self) -> NoReturn: ...
        def mean(self) -> NoReturn: ...
        def var(self, ddof: int = 1) -> NoReturn: ...
        def std(self, ddof: int = 1) -> NoReturn: ...
        def median(self) -> NoReturn: ...
        def min(self) -> NoReturn: ...
        def max(self) -> NoReturn: ...
        def quantile(self, q: object = 0.5, interpolation: str = "linear") -> NoReturn: ...
        def describe(self) -> NoReturn: ...
        def agg(self, function: str | list[str]) -> NoReturn: ...
        def cov(self, other: object, ddof: int = 1) -> NoReturn: ...
        def corr(self, other: object) -> NoReturn: ...
        def between(self, left: object, right: object) -> NoReturn: ...
        def where(self, rows: object, other: object = None) -> NoReturn: ...

    @property
    def rows(self) -> int:
        """Number of rows."""
        return self.selectors.shape[1]

    def arrays(self) -> list[EncryptedArray]:
        """The encrypted arrays that it consists of."""
        return [self.selectors, *([self.kept] if isinstance(self.kept, EncryptedArray) else [])]

    def mapped(self, change: Change) -> EncryptedCategories:
        """The same column with another array in place of its own."""
        kept = change(self.kept) if isinstance(self.kept, EncryptedArray) else self.kept
        return replace(self, selectors=change(self.selectors), kept=kept)

    def __reduce__(self) -> tuple[Any, ...]:
        return EncryptedCategories, (self.selectors, self.labels, self.index, self.kept, self.name)

    def __len__(self) -> int:
        if isinstance(self.kept, EncryptedArray):
            raise UnsupportedError("how many rows a filter kept is encrypted: decrypt x.count()")
        return self.rows if self.kept is None else int(self.kept.sum())

    def _bits(self, bits: EncryptedArray) -> EncryptedColumn:
        return EncryptedColumn(bits, 1, self.kept, True, self.index, kinds.BOOL, self.kept)

    def __getitem__(self, label: Any) -> Any:
        """True for rows of this category, the same as ``==``; or, of a condition on rows, these rows.

        Raises:
            ArgumentError: no such category, or a condition on other rows.
        """
        if isinstance(label, EncryptedColumn) or public_booleans(self, label, "rows of a column") is not None:
            mask = condition(self, label, "rows of a column")
            return self.chosen(mask, both(self.kept, mask))
        return self._rows_of(label)

    def chosen(self, mask: Mask, kept: Mask) -> EncryptedCategories:
        """The rows of a mask, of which with those of earlier filters ``kept`` are left: for the library itself."""
        return replace(self, selectors=masked(self.selectors, mask), kept=kept)

    def _rows_of(self, label: object) -> EncryptedColumn:
        if isinstance(label, (Compound, EncryptedArray, np.ndarray)) or not isinstance(label, Hashable):
            raise UnsupportedError(
                f"categories are compared with one category, not with {type(label).__name__}; sums of columns are 1 "
                "where there is any of several: (x == 'A') + (x == 'B')"
            )
        return self._bits(self.selectors[place_of(self.labels, label, "categories")])

    def _present(self) -> EncryptedArray:
        return self.selectors.sum(axis=0).assume_bound((0, 1))

    def isin(self, values: object) -> EncryptedColumn:
        """True for rows of one of several categories; those that the column does not have count for none.

        Raises:
            ArgumentError: no list of categories, or none that the column has.
        """
        if isinstance(values, (str, bytes)) or not isinstance(values, (list, tuple, set, frozenset, np.ndarray)):
            raise ArgumentError(f"isin takes a list of categories, not {type(values).__name__}")
        wanted = labels_of(list(values), "isin")
        same = [any(type(each) is type(label) and each == label for each in wanted) for label in self.labels]
        places = [place for place, found in enumerate(same) if found]
        if not places:
            raise ArgumentError(f"isin: none of the categories {', '.join(map(repr, self.labels))}"[:400])
        total = self.selectors[places[0]]
        for place in places[1:]:
            total = total + self.selectors[place]
        return self._bits(total.assume_bound((0, 1)))

    def notna(self) -> EncryptedColumn:
        """True for rows that have a category: a sum over the categories."""
        return self._bits(self._present())

    def isna(self) -> EncryptedColumn:
        """True for rows that have none."""
        return ~self.notna()

    def fillna(self, value: object) -> EncryptedCategories:
        """A category where there is none, which is one of the column's. Raises ArgumentError for others."""
        place = place_of(self.labels, value, "fillna")
        rest = (1 if self.kept is None else self.kept) - self._present()
        rows = [self.selectors[i] + rest if i == place else self.selectors[i] for i in range(len(self.labels))]
        return replace(self, selectors=stack(rows).assume_bound((0, 1)))

    def count(self) -> EncryptedColumn:
        """How many rows have a category."""
        return EncryptedColumn(self.selectors.sum())

    def value_counts(self, normalize: bool = False) -> EncryptedStatistics:
        """How often each category occurs, the most frequent first, those that never do too; with ``normalize`` as
        shares."""
        counts = EncryptedColumn(self.selectors.sum(axis=-1))
        return counted(counts, self.labels, self.name, normalize, True)

    def map(self, values: Mapping[Any, Any]) -> EncryptedColumn:
        """A public number for each category, of a mapping that may leave some out, which are missing then: products
        with public numbers.

        Raises:
            ArgumentError: no mapping, or one of no category.
            UnsupportedError, RangeError: values that are no numbers.
        """
        if not isinstance(values, Mapping):
            raise ArgumentError(f"map takes a mapping from categories to numbers, not {type(values).__name__}")
        places = [i for i, label in enumerate(self.labels) if label in values]
        if not places:
            raise ArgumentError(f"map: none of the categories {', '.join(map(repr, self.labels))}"[:400])
        numbers, decimals = operand_numbers("map", [values[self.labels[i]] for i in places])
        present = self.selectors[places] if len(places) < len(self.labels) else self.selectors
        whole = integers(numbers, "map")
        total = (present * whole.reshape(-1, 1)).sum(axis=0)
        total = total.assume_bound((min(0, int(whole.min())), max(0, int(whole.max()))))
        return EncryptedColumn(
            total, 10**decimals, present.sum(axis=0).assume_bound((0, 1)), True, self.index, kept=self.kept
        )

    def __eq__(self, label: object) -> EncryptedColumn:  # type: ignore[override]
        """True for rows of this category; False also where the value is missing."""
        return self._rows_of(label)

    def __ne__(self, label: object) -> EncryptedColumn:  # type: ignore[override]
        """False for rows of this category; True also where the value is missing, as in pandas."""
        return ~self._rows_of(label)

    __hash__ = object.__hash__

    def __lt__(self, other: object) -> NoReturn:
        raise UnsupportedError(
            "categories have no order; sums of columns are 1 where there is any of several: (x == 'A') + (x == 'B')"
        )

    __le__ = __gt__ = __ge__ = __lt__

    def __add__(self, *_: object) -> NoReturn:
        raise UnsupportedError("categories are no numbers; the rows of one are: column == category")

    __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __neg__ = __truediv__ = __rtruediv__ = __pow__ = __add__

    def __bool__(self) -> NoReturn:
        raise UnsupportedError("whether an encrypted column holds something can't be told without the secret key")

    def __contains__(self, label: object) -> NoReturn:
        raise UnsupportedError("what a column of categories may hold are its x.labels; what it holds is encrypted")

    def __iter__(self) -> NoReturn:
        raise UnsupportedError("categories are looked up, not iterated over: x[label] for label in x.labels")

    if not TYPE_CHECKING:

        def __array__(self, *_: object, **__: object) -> NoReturn:
            raise UnsupportedError(
                "encrypted categories have no values to show; use cyclotome.decrypt_frame(x, secret)"
            )

    def __repr__(self) -> str:
        return f"<EncryptedCategories of {self.rows} rows, {len(self.labels)} categories>"
