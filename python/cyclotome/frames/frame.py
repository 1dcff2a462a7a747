# SPDX-License-Identifier: Apache-2.0
"""Encrypted tables: a pandas or Polars frame in, columns to compute with, a pandas frame out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NoReturn, overload

import numpy as np

from ..arrays.array import EncryptedArray
from ..arrays.compounds import Change, Compound, once
from ..arrays.encryption import encrypt
from ..arrays.refusals import unknown
from ..errors import ArgumentError, RangeError, UnsupportedError
from ..keys.kinds import PublicKey, SecretKey
from ..numbers.cells import Cells, as_decimal, cells_of, chosen, decimals_for, one_column, rows_of, scaled
from ..numbers.fixed_point import FixedPoint
from ..numbers.labels import different, labels_of, name_of, place_of
from ..numbers.row_labels import in_order_of, shown
from ..numbers.values import IntArray, integers
from ..options import Callback
from ..parameters.parameters import Parameters
from .columns import EncryptedCategories, EncryptedColumn, Mask, require_alike

__all__ = ["EncryptedFrame", "GroupedFrame", "encrypt_cells", "encrypt_frame"]

Column = EncryptedColumn | EncryptedCategories


@dataclass(frozen=True, eq=False)
class EncryptedFrame(Compound):
    """A table of encrypted columns, each of which lies along rows in the slots of its own ciphertexts; made by
    `encrypt_frame`. ``frame["a"]`` is an `EncryptedColumn`, or `EncryptedCategories`, and ``frame["shop"] == "A"`` a
    column of zeros and ones to multiply by.

    Public: names, the number of rows and what they are called, scales, categories, which columns have missing values,
    and where if their mask is public. Hidden: the values.

    Raises:
        ArgumentError: no columns; names that are no text; columns of several lengths, or whose rows have other names.
        UnsupportedError: something else than columns.
        MismatchError: columns of different parameters or secret keys.
    """

    #: Columns by name, of equal length; nobody changes them.
    columns: Mapping[str, Column]
    #: What the rows are called, public: the groups of a grouped result, or what ``encrypt_frame(index="public")`` kept.
    #: None: numbers from 0. Columns have the same.
    index: tuple[Any, ...] | None = None

    INSTEAD = (
        "encrypted tables have columns, frame['a'], which have + - *, sum and count, and select, assign and groupby; "
        "the rest is pandas', of what cyclotome.decrypt_frame gives"
    )

    # NumPy and pandas leave operations with such an operand to this class.
    __array_ufunc__ = None
    __pandas_priority__ = 5000

    def __post_init__(self) -> None:
        if not isinstance(self.columns, Mapping) or not self.columns:
            raise ArgumentError("a frame takes a mapping from names to columns, at least one")
        columns = dict(self.columns)
        for name, column in columns.items():
            name_of(name, "a frame")
            if not isinstance(column, (EncryptedColumn, EncryptedCategories)):
                raise UnsupportedError(
                    f"a frame has encrypted columns, and {name!r} is {type(column).__name__}; encrypt_frame encrypts "
                    "tables, and cy.EncryptedColumn(array, scale) makes a column of an encrypted array"
                )
        index = self._common_index(columns)
        lengths = {column.rows for column in columns.values()} | ({len(index)} if index is not None else set())
        if len(lengths) != 1:
            raise ArgumentError(f"a frame of columns with {sorted(lengths)} rows; all must have the same")
        require_alike([array for column in columns.values() for array in column.arrays()], "a frame's columns are")
        for name, column in columns.items():
            columns[name] = column if column.index is index else replace(column, index=index)
        object.__setattr__(self, "columns", MappingProxyType(columns))
        object.__setattr__(self, "index", index)

    def _common_index(self, columns: Mapping[str, Column]) -> tuple[Any, ...] | None:
        """What rows are called: as said here, or by the columns."""
        found = None if self.index is None else labels_of(self.index, "names of rows")
        for name, column in columns.items():
            if column.index is not None and found is not None and column.index != found:
                raise ArgumentError(
                    f"a frame's rows have the same names in all columns, and in {name!r:.60} they have others"
                )
            found = column.index if found is None else found
        return found

    @property
    def rows(self) -> int:
        """Number of rows."""
        return self._first.rows

    @property
    def _first(self) -> Column:
        return next(iter(self.columns.values()))

    @property
    def parameters(self) -> Parameters:
        """The parameters it was encrypted under."""
        return self._first.arrays()[0].parameters

    def arrays(self) -> list[EncryptedArray]:
        """The encrypted arrays that it consists of, those that columns share for each of them."""
        return [array for column in self.columns.values() for array in column.arrays()]

    def mapped(self, change: Change) -> EncryptedFrame:
        """The same table with other arrays in place of its own; what columns share they share again."""
        each = once(change)
        return EncryptedFrame({name: column.mapped(each) for name, column in self.columns.items()}, self.index)

    def __reduce__(self) -> tuple[Any, ...]:
        return EncryptedFrame, (dict(self.columns), self.index)

    @property
    def ciphertexts(self) -> int:
        """Number of ciphertexts, masks and those of every plaintext modulus counted."""
        return sum(array.ciphertexts for array in self.arrays())

    @property
    def nbytes(self) -> int:
        """Bytes of its ciphertexts; see `EncryptedArray.nbytes`."""
        return sum(array.nbytes for array in self.arrays())

    def __len__(self) -> int:
        return self.rows

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name in self.columns

    @overload
    def __getitem__(self, name: str) -> Column: ...
    @overload
    def __getitem__(self, name: list[str]) -> EncryptedFrame: ...
    def __getitem__(self, name: str | list[str]) -> Column | EncryptedFrame:
        """A column, or the frame of a list of them.

        Raises:
            ArgumentError: no such column.
            UnsupportedError: no name: rows are not taken out.
        """
        if isinstance(name, list) and all(isinstance(each, str) for each in name):
            return self.select(*name)
        if not isinstance(name, str):
            raise UnsupportedError(
                f"a frame has columns by name, frame['a'] and frame[['a', 'b']], not {name!r:.40}; which rows count is "
                "a column of zeros and ones to multiply by"
            )
        if name not in self.columns:
            raise ArgumentError(f"there is no column {name!r}; the frame has {', '.join(self.columns)}")
        return self.columns[name]

    def assign(self, **columns: Column) -> EncryptedFrame:
        """The frame with these columns added or replaced.

        Raises:
            As the frame itself, for columns that don't belong to it.
        """
        return EncryptedFrame({**self.columns, **columns}, self.index)

    def select(self, *names: str) -> EncryptedFrame:
        """The frame of these columns only. Raises ArgumentError where one is not there."""
        return EncryptedFrame({name: self[name] for name in names}, self.index)

    def groupby(self, key: object) -> GroupedFrame:
        """Rows by groups, whose sums and counts are computed for all groups at once.

        Args:
            key: the name of a column of categories, encrypted; or public labels, one for each row: those of a Series of
                pandas by their names, as `EncryptedColumn` says.

        Raises:
            ArgumentError: no such column, another number of labels, a missing label or one that can't be stored; labels
                of other rows.
            UnsupportedError: a column of numbers; several columns.
        """
        if isinstance(key, str):
            column = self[key]
            if not isinstance(column, EncryptedCategories):
                raise UnsupportedError(f"groupby: {key!r} holds numbers; groups are categories, or public labels")
            return GroupedFrame(self, column.labels, column.selectors)
        if isinstance(key, (list, tuple)) and key and all(each in self for each in key):
            raise UnsupportedError(f"groupby: {key!r:.60} are columns, and groups are those of one, or public labels")
        cells = one_column("groupby", in_order_of(key, self.index, "groupby"))
        if cells.present.size != self.rows or not cells.present.all():
            raise ArgumentError(
                f"groupby: {len(cells.values)} labels that are there, of {cells.present.size}, for {self.rows} rows"
            )
        labels, places = _groups(cells)
        selectors = (places.reshape(-1) == np.arange(len(labels))[:, None]).astype(np.int64)
        return GroupedFrame(self, labels, selectors)

    # --- what encrypted tables can't do -------------------------------------------------------------------------------
    def __eq__(self, other: object) -> NoReturn:
        raise UnsupportedError(
            "comparison of encrypted tables: rows of one category are frame[column] == category, and numbers are "
            "compared by cy.less and cy.equal; or decrypt first"
        )

    __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __eq__
    __hash__ = object.__hash__

    def __add__(self, *_: object) -> NoReturn:
        raise UnsupportedError("arithmetic is that of columns, which have scales of their own: frame['a'] + frame['b']")

    __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __matmul__ = __rmatmul__ = __neg__ = __pow__ = __add__
    __truediv__ = __rtruediv__ = __add__

    def __bool__(self) -> NoReturn:
        raise UnsupportedError(
            "whether an encrypted table is zero can't be told without the secret key; it has len(x) rows"
        )

    if not TYPE_CHECKING:  # what is refused is not there, as of `NoNumber`

        def __array__(self, *_: object, **__: object) -> NoReturn:
            raise UnsupportedError("an encrypted table has no numbers to show; use cyclotome.decrypt_frame(x, secret)")

    def __repr__(self) -> str:
        return f"<EncryptedFrame of {self.rows} rows: {', '.join(self.columns)}; {self.ciphertexts} ciphertexts>"


def _groups(cells: Cells) -> tuple[tuple[Any, ...], Any]:
    """Different labels in order, that of their type where it has one, and the number of each row's."""
    if cells.categories is not None:
        present = set(cells.values.tolist())
        labels = labels_of([each for each in cells.categories if each in present], "groupby")
        return labels, np.array([place_of(labels, value, "groupby") for value in cells.values.tolist()])
    try:
        unique, places = np.unique(cells.values, return_inverse=True)
    except TypeError as error:
        raise ArgumentError(f"groupby: labels of several kinds have no order ({error})") from None
    return different(labels_of(list(unique), "groupby"), "groupby"), places


@dataclass(frozen=True, eq=False)
class GroupedFrame:
    """A frame's rows by groups, made by `EncryptedFrame.groupby`."""

    frame: EncryptedFrame
    #: What the groups are called, public.
    labels: tuple[Any, ...]
    #: Of shape (groups, rows): 1 where a row is in a group.
    selectors: IntArray | EncryptedArray

    def sum(self, *names: str) -> EncryptedFrame:
        """Sums of columns of numbers, all of them unless named, over the rows of each group; missing values count as
        nothing. An encrypted key takes one product in depth, a public one a product with public numbers.

        Raises:
            ArgumentError: no such column, or none of numbers.
            UnsupportedError: a column of categories.
            MissingKeyError, RangeError, NoiseError: see `EncryptedArray.sum`.
        """
        wanted = names or [name for name in self.frame if isinstance(self.frame[name], EncryptedColumn)]
        sums = {name: self._sum(name) for name in wanted}
        if not sums:
            raise ArgumentError("groupby: the frame has no column of numbers to sum")
        return EncryptedFrame(sums, self.labels)

    if not TYPE_CHECKING:  # to a type checker, any name would be one of its own

        def __getattr__(self, name: str) -> NoReturn:
            raise unknown(self, name, "groups have sum and count; a mean is their quotient, of what is decrypted")

    def _sum(self, name: str) -> EncryptedColumn:
        column = self.frame[name]
        if not isinstance(column, EncryptedColumn):
            raise UnsupportedError(f"groupby: {name!r} holds categories, which have no sum")
        return EncryptedColumn((column.filled().values * self.selectors).sum(axis=-1), column.scale)

    def count(self, name: str | None = None) -> IntArray | EncryptedFrame:
        """How many rows each group has; or how many in which a column's value is there: public numbers where both the
        key and the mask are public, else a frame with the column "count"."""
        mask: Mask = None
        if name is not None:
            column = self.frame[name]
            if not isinstance(column, EncryptedColumn):
                raise UnsupportedError(f"groupby: {name!r} holds categories; count the rows of numbers, or of groups")
            mask = column.mask
        counted: Any = self.selectors if mask is None else mask * self.selectors
        totals = counted.sum(axis=-1)
        if isinstance(totals, EncryptedArray):
            return EncryptedFrame({"count": EncryptedColumn(totals)}, self.labels)
        return np.asarray(totals)


def encrypt_frame(
    table: object,
    key: PublicKey | SecretKey,
    *,
    scales: Mapping[str, int | FixedPoint] | int | FixedPoint | None = None,
    bounds: Mapping[str, object] | None = None,
    missing: Mapping[str, str] | str = "refuse",
    categories: Mapping[str, Sequence[object]] | None = None,
    index: str = "refuse",
    progress: Callback | None = None,
) -> EncryptedFrame:
    """Encrypts a table, each column along its rows in ciphertexts of its own: 5000 rows of one column take one
    ciphertext of 8192 slots for each plaintext modulus.

    Numbers are decimals, exactly: floats are read as the shortest decimals that name them, and nothing is rounded, but
    in columns whose scale is a `FixedPoint`.

    Args:
        table: a pandas or Polars DataFrame, or a mapping from names to sequences. Columns hold integers, booleans,
            floats, `decimal.Decimal` or fractions that are decimals; columns of categories also text and dates.
        key: a public key, or the secret key.
        scales: decimals after the point, or a `FixedPoint`, which rounds to steps of 2^-bits; one for all columns or by
            name, public. Where none is given, the fewest decimals that all values of the column need, which tells as
            much about them.
        bounds: by name, the largest magnitude that a column may have, public; see `encrypt`. None: what the parameters
            have as a default, counted in steps of the scale.
        missing: what becomes of NaN, None and nulls, for all columns or by name: "refuse"; "public": a mask that all
            may read; "encrypted": an encrypted mask, of a column without missing values too.
        categories: by name, all values that a column may hold, public: it becomes `EncryptedCategories`. Those of
            pandas' Categorical and Polars' Enum are known.
        index: what becomes of a pandas index, which often names people, and is not encrypted: "refuse" any that does
            not number rows from 0 in order; "drop": rows are numbered from 0, as after ``reset_index(drop=True)``;
            "public": it is kept, for all to read, and public operands are put into its order.
        progress: called as ``progress(done, total, what)``, for each column.

    Raises:
        RangeError: a value that needs more decimals than the scale, is infinite, or is beyond the bound; a missing
            value with ``missing="refuse"``. The message names row and column.
        UnsupportedError: no such table; text, dates or other values that are no numbers.
        ArgumentError: columns of several lengths; no rows; names that are not different text; a value that is none of
            the categories; rows with names, of which ``index`` does not say what becomes; names and categories that
            can't be stored; options that name no column or make no sense.

    Example:
        >>> import cyclotome as cy
        >>> secret, public, _ = cy.keygen(cy.Parameters.suggest(depth=1, value_bits=16, result_bits=40))
        >>> x = cy.encrypt_frame({"price": [12.5, 0.99], "sold": [3, 7]}, public)
        >>> x["price"].decimals, (x["price"] * x["sold"] + 1.125).decimals
        (2, 3)
    """
    if not isinstance(key, (PublicKey, SecretKey)):
        raise UnsupportedError(f"encrypt_frame takes a public or secret key, not {type(key).__name__}")
    every, names = cells_of(table), _row_names(table, index)
    frame = encrypt_cells(every, key, scales, bounds, missing, categories, progress)
    return frame if names is None else EncryptedFrame(frame.columns, names)


def _row_names(table: Any, index: object) -> tuple[Any, ...] | None:
    if index not in ("refuse", "drop", "public"):
        raise ArgumentError(f"encrypt_frame: index={index!r}; there are 'refuse', 'drop' and 'public'")
    names = None if index == "drop" else rows_of(table)
    if names is None or index == "public":
        return None if names is None else labels_of(names, "encrypt_frame: names of rows")
    raise ArgumentError(
        f"encrypt_frame: the table's rows are named {shown(names)}, which is not "
        "encrypted: index='drop' numbers them from 0, index='public' keeps their names, for all to read"
    )


def encrypt_cells(
    every: Sequence[Cells],
    key: PublicKey | SecretKey,
    scales: object,
    bounds: object,
    missing: object,
    categories: object,
    progress: Callback | None = None,
) -> EncryptedFrame:
    """Columns of cells, which say how messages name places, as `encrypt_frame` encrypts them."""
    names = [cells.name for cells in every]
    places, limits = chosen("scales", scales, names, None), chosen("bounds", bounds, names, None, single=False)
    ways, lists = (
        chosen("missing", missing, names, "refuse"),
        chosen("categories", categories, names, None, single=False),
    )
    columns: dict[str, Column] = {}
    for cells in every:
        name = cells.name
        _require_present(cells, ways[name])
        labels = cells.categories if lists[name] is None else lists[name]
        if labels is not None:
            columns[name] = _categories(cells, labels, key, progress)
            continue
        whole, scale = _steps(cells, places[name])
        columns[name] = _numbers(cells, whole, scale, limits[name], ways[name], key, progress)
    return EncryptedFrame(columns)


def _require_present(cells: Cells, way: object) -> None:
    if way not in ("refuse", "public", "encrypted"):
        raise ArgumentError(f"encrypt_frame: missing={way!r}; there are 'refuse', 'public' and 'encrypted'")
    if way == "refuse" and not cells.present.all():
        row = int(np.flatnonzero(~cells.present)[0])
        raise RangeError(f"{cells.at(row)} is missing (NaN, None or null): {cells.words.missing.format()}")


def _steps(cells: Cells, given: object) -> tuple[IntArray, int]:
    """The cells as integers, and their scale."""
    if isinstance(given, FixedPoint):
        for i, value in enumerate(cells.values.tolist()):
            as_decimal(value, cells, i)  # refuses what is no finite number, and says where
        return given.encode(cells.values), given.scale
    decimals = None if given is None else decimals_for(given, f"encrypt_frame: the scale of {cells.name!r}")
    whole, decimals = scaled(cells, decimals)
    return whole, int(10**decimals)


def _numbers(
    cells: Cells,
    whole: IntArray,
    scale: int,
    limit: Any,
    way: str,
    key: PublicKey | SecretKey,
    progress: Callback | None,
) -> EncryptedColumn:
    bound = key.parameters.default_bound if limit is None else _bound(cells.name, limit, scale)
    for i, value in enumerate(whole):
        if bound is not None and abs(value) > bound:
            raise RangeError(
                f"{cells.where(i)}: {cells.values[i]} at scale {scale} is {value} steps, beyond the bound of "
                f"{bound}; give {cells.words.bound.format(name=cells.name)}, or suggest parameters for more bits"
            )
    rows = np.zeros(cells.present.size, dtype=object)
    rows[cells.present] = whole
    values = encrypt(integers(rows, "encrypt_frame"), key, bound=bound, progress=progress)
    present = cells.present.astype(np.int64)
    if way == "encrypted":
        return EncryptedColumn(values, scale, encrypt(present, key, bound=(0, 1), progress=progress), True)
    return EncryptedColumn(values, scale, None if cells.present.all() else present, True)


def _bound(name: str, limit: Any, scale: int) -> int:
    try:
        stated = Fraction(str(limit))
    except (ValueError, ZeroDivisionError):
        raise ArgumentError(f"encrypt_frame: the bound {limit!r} of column {name!r} is no number") from None
    if stated < 0:
        raise ArgumentError(f"encrypt_frame: the bound {limit!r} of column {name!r} is negative")
    return int(stated * scale)


def _place(known: tuple[Any, ...], value: object, cells: Cells, place: int) -> int:
    try:
        return place_of(known, value, "")
    except ArgumentError:
        return place_of(known, value, cells.where(place))  # which takes time, and names the place


def _categories(
    cells: Cells, labels: Sequence[Any], key: PublicKey | SecretKey, progress: Callback | None
) -> EncryptedCategories:
    what = f"encrypt_frame: the categories of {cells.name!r}"
    known = different(labels_of(labels, what), what)
    if not known:
        raise ArgumentError(f"{what} are none")
    selectors = np.zeros((len(known), cells.present.size), dtype=np.int64)
    places = np.flatnonzero(cells.present)
    for i, value in enumerate(cells.values.tolist()):
        selectors[_place(known, value, cells, i), places[i]] = 1
    return EncryptedCategories(encrypt(selectors, key, bound=(0, 1), progress=progress), known)
