# SPDX-License-Identifier: Apache-2.0
"""Encrypted columns with names: what tables and statistics have in common, and files hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from ..arrays.array import EncryptedArray
from ..arrays.compounds import Change, Compound, once
from ..errors import ArgumentError, UnsupportedError
from ..numbers.labels import labels_of, name_of
from ..parameters.parameters import Parameters
from .advice import called
from .masks import RowsOfColumn, changed, require_alike

__all__ = ["Table"]

_T = TypeVar("_T", bound="Table")


@dataclass(frozen=True, eq=False)
class Table(Compound):
    """Columns of equal length, under one key. Errors: see `EncryptedFrame`."""

    #: Columns by name, of equal length; nobody changes them.
    columns: Mapping[str, Any]
    #: What the rows are called, public: the groups of a grouped result, or what ``encrypt_frame(index="public")`` kept.
    #: None: numbers from 0. Columns have the same.
    index: tuple[Any, ...] | None = None

    # pandas leaves operations with such an operand to this class.
    __pandas_priority__ = 5000

    def __post_init__(self) -> None:
        if not isinstance(self.columns, Mapping) or not self.columns:
            raise ArgumentError("a frame takes a mapping from names to columns, at least one")
        columns = dict(self.columns)
        for name, column in columns.items():
            name_of(name, "a frame")
            if not isinstance(column, RowsOfColumn):
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
            known = column.index is index and column.name == name
            columns[name] = column if known else changed(column, index=index, name=name)
        object.__setattr__(self, "columns", MappingProxyType(columns))
        object.__setattr__(self, "index", index)

    def _common_index(self, columns: Mapping[str, RowsOfColumn]) -> tuple[Any, ...] | None:
        """What rows are called: as said here, or by the columns."""
        found = None if self.index is None else labels_of(self.index, "names of rows")
        for name, column in columns.items():
            if column.index is not None and found is not None and column.index != found:
                raise ArgumentError(
                    f"a frame's rows have the same names in all columns, and in {name!r:.60} they have others"
                )
            found = column.index if found is None else found
        return found

    def with_columns(self: _T, columns: Mapping[str, Any]) -> _T:
        """The same of other columns with as many rows: for the library itself."""
        return replace(self, columns=columns)

    @property
    def rows(self) -> int:
        """Number of rows, those that filters left out counted."""
        count: int = self._first.rows
        return count

    @property
    def _first(self) -> RowsOfColumn:
        found: RowsOfColumn = next(iter(self.columns.values()))
        return found

    @property
    def parameters(self) -> Parameters:
        """The parameters it was encrypted under."""
        return self._first.arrays()[0].parameters

    def arrays(self) -> list[EncryptedArray]:
        """The encrypted arrays that it consists of, those that columns share for each of them."""
        return [array for column in self.columns.values() for array in column.arrays()]

    def mapped(self: _T, change: Change) -> _T:
        """The same table with other arrays in place of its own; what columns share they share again."""
        each = once(change)
        return self.with_columns({name: column.mapped(each) for name, column in self.columns.items()})

    @property
    def ciphertexts(self) -> int:
        """Number of ciphertexts, masks and those of every plaintext modulus counted."""
        return sum(array.ciphertexts for array in self.arrays())

    @property
    def nbytes(self) -> int:
        """Bytes of its ciphertexts; see `EncryptedArray.nbytes`."""
        return sum(array.nbytes for array in self.arrays())

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name in self.columns

    # --- what encrypted tables can't do -------------------------------------------------------------------------------
    def __eq__(self, other: object) -> NoReturn:
        raise UnsupportedError(
            "comparison of encrypted tables: columns are compared, frame['a'] > 3 and frame['shop'] == 'A'; or decrypt "
            "first"
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

        def __array_ufunc__(self, function, method, *operands, **options):
            return called(self, function, method, operands, options)

        def __array__(self, *_: object, **__: object) -> NoReturn:
            raise UnsupportedError("an encrypted table has no numbers to show; use cyclotome.decrypt_frame(x, secret)")
