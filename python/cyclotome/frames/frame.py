# SPDX-License-Identifier: Apache-2.0
"""Encrypted tables: columns to compute with, filters, groups, joins and statistics."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NoReturn, overload

from ..arrays.array import EncryptedArray
from ..arrays.refusals import unknown
from ..errors import ArgumentError, UnsupportedError
from ..numbers.cells import one_column
from ..numbers.row_labels import in_order_of
from .advice import instead
from .choosing import condition, public_booleans
from .columns import Column, EncryptedColumn
from .frame_summaries import SummarizedTable
from .groups import GroupedFrame, grouped_by_column, grouped_by_labels
from .joins import joined
from .masks import Mask, RowsOfColumn, alike, both, changed, common_rows
from .places import Loc
from .statistics.sums import Groups

__all__ = ["EncryptedFrame"]


@dataclass(frozen=True, eq=False)
class EncryptedFrame(SummarizedTable):
    """A table of encrypted columns, each of which lies along rows in the slots of its own ciphertexts; made by
    `encrypt_frame`. ``frame["a"]`` is an `EncryptedColumn`, or `EncryptedCategories`; ``frame["a"] > 3`` and
    ``frame["shop"] == "A"`` are columns of booleans, and ``frame[frame["a"] > 3]`` the rows in which one holds.

    Public: names, the number of rows before filters and what they are called, scales, categories, which columns have
    missing values, and where if their mask is public. Hidden: the values, and which rows a filter kept.

    Raises:
        ArgumentError: no columns; names that are no text; columns of several lengths, or whose rows have other names,
            or of which filters kept other rows.
        UnsupportedError: something else than columns.
        MismatchError: columns of different parameters or secret keys.
    """

    #: Columns by name, of equal length; nobody changes them.
    columns: Mapping[str, Column]

    INSTEAD = (
        "encrypted tables have columns, frame['a'], conditions, groupby, merge and statistics; the rest is pandas', of "
        "what cyclotome.decrypt_frame gives"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        kept = self._first.kept
        if not all(alike(column.kept, kept) for column in self.columns.values()):
            raise ArgumentError(
                "a frame of columns of which filters kept other rows: filter the frame, frame[condition], or all of "
                "its columns alike"
            )
        if any(column.kept is not kept for column in self.columns.values()):  # public ones, which become one object
            shared = {name: changed(column, kept=kept) for name, column in self.columns.items()}
            object.__setattr__(self, "columns", MappingProxyType(shared))

    def __reduce__(self) -> tuple[Any, ...]:
        return EncryptedFrame, (dict(self.columns), self.index)

    @property
    def kept(self) -> Mask:
        """Rows that filters kept, public or encrypted; None: all of them."""
        return self._first.kept

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns. Raises UnsupportedError where an encrypted filter hides how many rows there are."""
        return len(self), len(self.columns)

    def __len__(self) -> int:
        if isinstance(self.kept, EncryptedArray):
            raise UnsupportedError("how many rows a filter kept is encrypted: decrypt column.count()")
        return self.rows if self.kept is None else int(self.kept.sum())

    # --- columns and rows ---------------------------------------------------------------------------------------------
    @overload
    def __getitem__(self, name: str) -> Column: ...
    @overload
    def __getitem__(self, name: list[str]) -> EncryptedFrame: ...
    @overload
    def __getitem__(self, name: EncryptedColumn | Sequence[bool]) -> EncryptedFrame: ...
    def __getitem__(self, name: Any) -> Column | EncryptedFrame:
        """A column, the frame of a list of them, or the rows in which a condition holds: a column of booleans, or
        public ones. Rows stay where they are: others have become missing, and decryption leaves them out.

        Raises:
            ArgumentError: no such column; booleans of other rows.
            UnsupportedError: no name.
        """
        if isinstance(name, list) and all(isinstance(each, str) for each in name):
            return self.select(*name)
        if isinstance(name, EncryptedColumn) or (
            not isinstance(name, (str, slice)) and public_booleans(self._first, name, "rows of a frame") is not None
        ):
            return self.filtered(condition(self._first, name, "rows of a frame"))
        if not isinstance(name, str):
            raise UnsupportedError(
                f"a frame has columns by name, frame['a'] and frame[['a', 'b']], and rows by a condition, "
                f"frame[frame['a'] > 3], not {name!r:.40}"
            )
        if name not in self.columns:
            raise ArgumentError(f"there is no column {name!r}; the frame has {', '.join(self.columns)}")
        return self.columns[name]

    def filtered(self, mask: Mask) -> EncryptedFrame:
        """The rows of a mask: for the library itself."""
        kept = both(self.kept, mask)
        return EncryptedFrame({name: column.chosen(mask, kept) for name, column in self.columns.items()}, self.index)

    def assign(self, **columns: Column | Callable[[EncryptedFrame], Column]) -> EncryptedFrame:
        """The frame with these columns added or replaced, or what functions make of the frame; of a filtered frame, the
        rows that it kept.

        Raises:
            As the frame itself, for columns that don't belong to it.
        """
        made = {name: each(self) if callable(each) else each for name, each in columns.items()}
        fitting = {name: self._as_kept(column) for name, column in made.items()}
        return EncryptedFrame({**self.columns, **fitting}, self.index)

    def _as_kept(self, column: Any) -> Column:
        if not isinstance(column, RowsOfColumn) or alike(column.kept, self.kept):
            known: Column = column
            return known
        if column.kept is not None:
            raise ArgumentError("assign: a column of which a filter kept other rows than of the frame")
        own: Any = column
        made: Column = own.chosen(self.kept, self.kept)
        return made

    def select(self, *names: str) -> EncryptedFrame:
        """The frame of these columns only. Raises ArgumentError where one is not there."""
        return EncryptedFrame({name: self[name] for name in names}, self.index)

    def drop(self, columns: str | Sequence[str]) -> EncryptedFrame:
        """The frame without these columns. Raises ArgumentError where one is not there, or none is left."""
        names = [columns] if isinstance(columns, str) else list(columns)
        for name in names:
            self[name]
        return self.select(*(name for name in self.columns if name not in names))

    def rename(self, columns: Mapping[str, str]) -> EncryptedFrame:
        """The frame with other names of columns, as pandas' ``rename(columns={"old": "new"})``.

        Raises:
            ArgumentError: no mapping; two columns of one name.
        """
        if not isinstance(columns, Mapping):
            raise ArgumentError(f"rename: columns={columns!r:.40}; it is a mapping from old names to new ones")
        names = [columns.get(name, name) for name in self.columns]
        if len(set(names)) != len(names):
            raise ArgumentError(f"rename: two columns of one name, of {', '.join(map(str, names))}"[:400])
        return EncryptedFrame(dict(zip(names, self.columns.values(), strict=True)), self.index)

    def fillna(self, value: object) -> EncryptedFrame:
        """A public value where values are missing: one for all columns of numbers, or a mapping by name.

        Raises:
            ArgumentError, UnsupportedError, RangeError: see `EncryptedColumn.fillna`.
        """
        chosen: Mapping[str, object] = (
            value
            if isinstance(value, Mapping)
            else {name: value for name in self.columns if isinstance(self.columns[name], EncryptedColumn)}
        )
        filled = {name: self[name].fillna(each) for name, each in chosen.items()}
        return EncryptedFrame({**self.columns, **filled}, self.index)

    def head(self, n: int = 5) -> EncryptedFrame:
        """The first rows, which costs nothing. Raises UnsupportedError after a filter, which hides which these are."""
        made: EncryptedFrame = Loc(self).rows_from(n)
        return made

    @property
    def loc(self) -> Loc[EncryptedFrame]:
        """Rows by their public names, and columns: ``f.loc[names]``, ``f.loc[a:b, "price"]``, ``f.loc[name, "price"]``;
        or by a condition. See `cyclotome.frames.places.Loc`."""
        return Loc(self)

    def merge(
        self,
        right: object,
        *,
        on: str,
        how: str = "left",
        validate: str | None = None,
        suffixes: tuple[str, str] = ("_x", "_y"),
    ) -> EncryptedFrame:
        """The columns of another table beside each row of this one, by a key: a column of categories here, and there a
        column of the same name, or the names of its rows.

        Each row of this frame finds at most one there: ``how="left"`` keeps rows that find none, with missing values,
        "inner" leaves them out. A public table (pandas or Polars) takes products with public numbers; an encrypted one
        a product in depth, and two where its key is a column of categories. That keys of such a column are all
        different is for the caller to say, ``validate="many_to_one"``: decryption of its columns refuses what
        contradicts it. Rows keep their names.

        Args:
            right: a pandas or Polars DataFrame, or an encrypted frame, as a grouped sum is one.
            on: the key.
            how: "left" or "inner".
            validate: "many_to_one", or "m:1".
            suffixes: what is put after names that both have.

        Raises:
            UnsupportedError: keys of numbers; text, or categories of a right table; another ``how``.
            ArgumentError: no such key, or one that is there twice.
            NoiseError, RangeError: no room for the products.
        """
        made: EncryptedFrame = joined(self, right, on, how, validate, suffixes)
        return made

    # --- groups -------------------------------------------------------------------------------------------------------
    def groupby(self, by: object) -> GroupedFrame[EncryptedFrame]:
        """Rows by groups, whose sums, counts and statistics are computed for all groups at once.

        Args:
            by: the name of a column of categories or booleans, encrypted, or such a column, as a condition is; or
                public labels, one for each row: those of a Series of pandas by their names, as `EncryptedColumn` says.

        Raises:
            ArgumentError: no such column, another number of labels, a missing label or one that can't be stored; labels
                of other rows.
            UnsupportedError: a column of numbers; several columns.
        """
        if isinstance(by, str):
            return GroupedFrame(self, grouped_by_column(by, self[by])._replace(own=by), self.kept)
        if isinstance(by, RowsOfColumn):
            return GroupedFrame(self, self._groups_of(by), self.kept)
        if isinstance(by, (list, tuple)) and by and all(each in self for each in by):
            if len(by) == 1:
                return self.groupby(by[0])
            raise UnsupportedError(f"groupby: {by!r:.60} are columns, and groups are those of one, or public labels")
        name = getattr(by, "name", None)
        cells = one_column("groupby", in_order_of(by, self.index, "groupby"))
        if cells.present.size != self.rows or not cells.present.all():
            raise ArgumentError(
                f"groupby: {len(cells.values)} labels that are there, of {cells.present.size}, for {self.rows} rows"
            )
        return GroupedFrame(self, grouped_by_labels(cells, name if isinstance(name, str) else None), self.kept)

    def _groups_of(self, key: Any) -> Groups:
        """Those of a column that is no column of the frame, such as a condition."""
        if key.rows != self.rows:
            raise ArgumentError(f"groupby: a column of {key.rows} rows, for {self.rows} rows")
        common_rows("groupby", self._first, key)
        if not alike(key.kept, self.kept):
            raise ArgumentError("groupby: a column of which a filter kept other rows than of the frame")
        return grouped_by_column(key.name or "", key)._replace(name=key.name)

    if not TYPE_CHECKING:  # to a type checker, any name would be one of its own

        def __getattr__(self, name: str) -> NoReturn:
            if name in self.columns:
                raise unknown(self, name, f"columns are taken by frame[{name!r}]")
            raise instead(self, name, self.INSTEAD)

        def __setitem__(self, name: object, column: object) -> NoReturn:
            raise UnsupportedError(
                f"a frame never changes: frame = frame.assign(**{{{name!r:.40}: column}}) is one with another column"
            )

        def __delitem__(self, name: object) -> NoReturn:
            raise UnsupportedError(f"a frame never changes: frame.drop({name!r:.40}) is one without a column")

    def __repr__(self) -> str:
        return f"<EncryptedFrame of {self.rows} rows: {', '.join(self.columns)}; {self.ciphertexts} ciphertexts>"
