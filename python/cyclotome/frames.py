# SPDX-License-Identifier: Apache-2.0
"""Encrypted tables: a pandas or Polars frame in, columns to compute with, a pandas frame out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from .array import EncryptedArray
from .encryption import encrypt
from .errors import ArgumentError, RangeError, UnsupportedError
from .fixed_point import FixedPoint
from .frame_cells import Cells, as_decimal, cells_of, chosen, decimals_for, one_column, scaled
from .frame_columns import EncryptedCategories, EncryptedColumn, Mask, place_of
from .keys import PublicKey, SecretKey
from .options import Callback
from .parameters import Parameters
from .values import IntArray, integers

__all__ = ["EncryptedFrame", "GroupedFrame", "encrypt_cells", "encrypt_frame"]

Column = EncryptedColumn | EncryptedCategories


@dataclass(frozen=True, eq=False)
class EncryptedFrame:
    """A table of encrypted columns, each of which lies along rows in the slots of its own ciphertexts; made by
    `encrypt_frame`. ``frame["a"]`` is an `EncryptedColumn`, or `EncryptedCategories`.

    Public: names, the number of rows, scales, categories, which columns have missing values, and where if their mask is
    public. Hidden: the values.
    """

    #: Columns by name, of equal length.
    columns: Mapping[str, Column]
    #: What the rows are called, public: the groups of a grouped result. None: numbers from 0.
    index: tuple[Any, ...] | None = None

    def __post_init__(self) -> None:
        lengths = {column.rows for column in self.columns.values()}
        if self.index is not None:
            lengths.add(len(self.index))
        if len(lengths) != 1 or not self.columns:
            raise ArgumentError(f"a frame of columns with {sorted(lengths)} rows; all must have the same")

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

    @property
    def ciphertexts(self) -> int:
        """Number of ciphertexts, masks and those of every plaintext modulus counted."""
        return sum(array.ciphertexts for column in self.columns.values() for array in column.arrays())

    @property
    def nbytes(self) -> int:
        """Bytes of its ciphertexts; see `EncryptedArray.nbytes`."""
        return sum(array.nbytes for column in self.columns.values() for array in column.arrays())

    def __len__(self) -> int:
        return self.rows

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __getitem__(self, name: str) -> Any:
        """A column.

        Raises:
            ArgumentError: no such column.
        """
        if name not in self.columns:
            raise ArgumentError(f"there is no column {name!r}; the frame has {', '.join(self.columns)}")
        return self.columns[name]

    def assign(self, **columns: Column) -> EncryptedFrame:
        """The frame with these columns added or replaced.

        Raises:
            ArgumentError: columns of another number of rows.
        """
        return EncryptedFrame({**self.columns, **columns}, self.index)

    def select(self, *names: str) -> EncryptedFrame:
        """The frame of these columns only. Raises ArgumentError where one is not there."""
        return EncryptedFrame({name: self[name] for name in names}, self.index)

    def with_keys(self, *keys: object) -> EncryptedFrame:
        """The same frame that knows these keys too. Errors: see `EncryptedArray.with_keys`."""
        return EncryptedFrame({name: column.with_keys(*keys) for name, column in self.columns.items()}, self.index)

    def groupby(self, key: object) -> GroupedFrame:
        """Rows by groups, whose sums and counts are computed for all groups at once.

        Args:
            key: the name of a column of categories, encrypted; or public labels, one for each row.

        Raises:
            ArgumentError: no such column, another number of labels, or a missing label.
            UnsupportedError: a column of numbers.
        """
        if isinstance(key, str):
            column = self[key]
            if not isinstance(column, EncryptedCategories):
                raise UnsupportedError(f"groupby: {key!r} holds numbers; groups are categories, or public labels")
            return GroupedFrame(self, column.labels, column.selectors)
        cells = one_column("groupby", key)
        if cells.present.size != self.rows or not cells.present.all():
            raise ArgumentError(
                f"groupby: {len(cells.values)} labels that are there, of {cells.present.size}, for {self.rows} rows"
            )
        try:
            labels, places = np.unique(cells.values, return_inverse=True)
        except TypeError as error:
            raise ArgumentError(f"groupby: labels of several kinds have no order ({error})") from None
        selectors = (places.reshape(-1) == np.arange(len(labels))[:, None]).astype(np.int64)
        return GroupedFrame(self, tuple(labels.tolist()), selectors)

    def __repr__(self) -> str:
        return f"<EncryptedFrame of {self.rows} rows: {', '.join(self.columns)}; {self.ciphertexts} ciphertexts>"


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
    table: Any,
    key: PublicKey | SecretKey,
    *,
    scales: Mapping[str, int | FixedPoint] | int | FixedPoint | None = None,
    bounds: Mapping[str, Any] | None = None,
    missing: Mapping[str, str] | str = "refuse",
    categories: Mapping[str, Sequence[Any]] | None = None,
    progress: Callback | None = None,
) -> EncryptedFrame:
    """Encrypts a table, each column along its rows in ciphertexts of its own: 5000 rows of one column take one
    ciphertext of 8192 slots for each plaintext modulus.

    Numbers are decimals, exactly: floats are read as the shortest decimals that name them, and nothing is rounded, but
    in columns whose scale is a `FixedPoint`. The index of a pandas frame is not kept.

    Args:
        table: a pandas or Polars DataFrame, or a mapping from names to sequences. Columns hold integers, booleans,
            floats, `decimal.Decimal` or fractions that are decimals; columns of categories anything.
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
        progress: called as ``progress(done, total, what)``, for each column.

    Raises:
        RangeError: a value that needs more decimals than the scale, is infinite, or is beyond the bound; a missing
            value with ``missing="refuse"``. The message names row and column.
        UnsupportedError: no such table; text, dates or other values that are no numbers.
        ArgumentError: columns of several lengths; no rows; names that are not different text; a value that is none of
            the categories; options that name no column or make no sense.

    Example:
        >>> import cyclotome as cy
        >>> secret, public, _ = cy.keygen(cy.Parameters.suggest(depth=1, value_bits=16, result_bits=40))
        >>> x = cy.encrypt_frame({"price": [12.5, 0.99], "sold": [3, 7]}, public)
        >>> x["price"].decimals, (x["price"] * x["sold"] + 1.125).decimals
        (2, 3)
    """
    if not isinstance(key, (PublicKey, SecretKey)):
        raise UnsupportedError(f"encrypt_frame takes a public or secret key, not {type(key).__name__}")
    return encrypt_cells(cells_of(table), key, scales, bounds, missing, categories, progress)


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
        return EncryptedColumn(values, scale, encrypt(present, key, bound=1, progress=progress))
    return EncryptedColumn(values, scale, None if cells.present.all() else present)


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
    if not isinstance(labels, Iterable):
        raise ArgumentError(f"encrypt_frame: the categories of {cells.name!r} are {labels!r}, not a list of values")
    known = tuple(labels)
    if not known or any(known.index(label) != i for i, label in enumerate(known)):
        raise ArgumentError(f"encrypt_frame: the categories of {cells.name!r} are none, or not different: {labels!r}")
    selectors = np.zeros((len(known), cells.present.size), dtype=np.int64)
    places = np.flatnonzero(cells.present)
    for i, value in enumerate(cells.values.tolist()):
        selectors[_place(known, value, cells, i), places[i]] = 1
    return EncryptedCategories(encrypt(selectors, key, bound=1, progress=progress), known)
