# SPDX-License-Identifier: Apache-2.0
"""Tables in: frames of pandas and Polars, and columns by name, encrypted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..arrays.encryption import encrypt_integers
from ..errors import ArgumentError, CyclotomeError, UnsupportedError
from ..keys.kinds import PublicKey, SecretKey
from ..numbers.cells import Cells, cells_of, chosen, rows_of
from ..numbers.fixed_point import FixedPoint
from ..numbers.labels import labels_of
from ..numbers.row_labels import shown
from ..numbers.values import integers
from ..options import Callback
from .columns import Column, EncryptedCategories, EncryptedColumn
from .frame import EncryptedFrame
from .preparing import Prepared, prepared
from .proposals import frame_options, written

__all__ = ["encrypt_cells", "encrypt_frame"]


def encrypt_frame(
    table: object,
    key: PublicKey | SecretKey,
    *,
    scales: Mapping[str, int | FixedPoint | str] | int | FixedPoint | None = None,
    bounds: Mapping[str, object] | None = None,
    missing: Mapping[str, str] | str = "refuse",
    categories: Mapping[str, Sequence[object]] | None = None,
    index: str = "refuse",
    leave_out: Sequence[str] = (),
    progress: Callback | None = None,
) -> EncryptedFrame:
    """Encrypts a table, each column along its rows in ciphertexts of its own: 5000 rows of one column take one
    ciphertext of 8192 slots for each plaintext modulus.

    Numbers are decimals, exactly: floats are read as the shortest decimals that name them, and nothing is rounded, but
    in columns whose scale is a `FixedPoint`. Booleans are 0 and 1, dates and durations whole numbers of a unit of time.

    What a column needs and was not told is refused, all of it at once, with the options that would do: those of
    `frame_options`, to be looked at first, as they become public.

    Args:
        table: a pandas or Polars DataFrame, or a mapping from names to sequences. Columns hold integers, booleans,
            floats, `decimal.Decimal` or fractions that are decimals, dates or times without a zone, durations; columns
            of categories also text.
        key: a public key, or the secret key.
        scales: decimals after the point, or a `FixedPoint`, which rounds to steps of 2^-bits; one for all columns or by
            name, public. Of dates and durations a unit, "day" to "microsecond". Where none is given, the fewest
            decimals that all values of the column need, or the largest unit, which tells as much about them.
        bounds: by name, the largest magnitude that a column may have, or the least and the largest value, public; see
            `encrypt`. Tight ones make comparisons cheap. Of dates the first and the last day, from which they are
            counted. None: what the parameters have as a default, counted in steps of the scale, and dates from 1970.
        missing: what becomes of NaN, None and nulls, for all columns or by name: "refuse"; "public": a mask that all
            may read; "encrypted": an encrypted mask, of a column without missing values too.
        categories: by name, all values that a column may hold, public: it becomes `EncryptedCategories`. Those of
            pandas' Categorical and Polars' Enum are known.
        index: what becomes of a pandas index, which often names people, and is not encrypted: "refuse" any that does
            not number rows from 0 in order; "drop": rows are numbered from 0, as after ``reset_index(drop=True)``;
            "public": it is kept, for all to read, and public operands are put into its order.
        leave_out: names of columns that are not encrypted, and not in the result.
        progress: called as ``progress(done, total, what)``, for each column.

    Raises:
        RangeError: a value that needs more decimals than the scale, is infinite, or is beyond the bound; a missing
            value with ``missing="refuse"``. The message names row and column, and what would do.
        UnsupportedError: no such table; text or other values that are no numbers; dates with a time zone.
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
    every = _without(cells_of(table), leave_out)
    names: tuple[Any, ...] | None = None
    errors: list[CyclotomeError] = []
    try:
        names = _row_names(table, index)
    except CyclotomeError as error:
        errors.append(error)
    ready = _prepared(every, key, scales, bounds, missing, categories, errors)
    if errors:
        asked = scales is not None or bounds is not None or missing != "refuse" or categories is not None
        found = _all_of(errors)
        raise found if asked or index not in ("refuse", "drop", "public") else _proposal(found, table, key)
    return EncryptedFrame({each.name: _encrypted(each, key, progress) for each in ready}, names)


def _proposal(error: CyclotomeError, table: object, key: PublicKey | SecretKey) -> CyclotomeError:
    """The error with the options that would do."""
    options = written(frame_options(table, key))
    shortened = options if len(options) <= 1500 else f"{options[:1500]} ..."
    return type(error)(
        f"{error}\nFor all columns at once, to be looked at first, as it becomes public (cy.frame_options finds it):\n"
        f"encrypt_frame(table, key, {shortened})"
    )


def _without(every: list[Cells], names: Sequence[str]) -> list[Cells]:
    if isinstance(names, str) or not all(isinstance(name, str) for name in names):
        raise ArgumentError(f"encrypt_frame: leave_out={names!r:.60}; it is a list of names of columns")
    known = [cells.name for cells in every]
    for name in names:
        if name not in known:
            raise ArgumentError(f"encrypt_frame: leave_out names a column {name!r}; there are {', '.join(known)}")
    left = [cells for cells in every if cells.name not in names]
    if not left:
        raise ArgumentError("encrypt_frame: leave_out names every column, so there is nothing to encrypt")
    return left


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
    errors: list[CyclotomeError] = []
    ready = _prepared(every, key, scales, bounds, missing, categories, errors)
    if errors:
        raise _all_of(errors)
    return EncryptedFrame({each.name: _encrypted(each, key, progress) for each in ready})


def _prepared(
    every: Sequence[Cells],
    key: PublicKey | SecretKey,
    scales: object,
    bounds: object,
    missing: object,
    categories: object,
    errors: list[CyclotomeError],
) -> list[Prepared]:
    """Columns before they are encrypted; what is wrong with each is added to the errors."""
    names = [cells.name for cells in every]
    places, limits = chosen("scales", scales, names, None), chosen("bounds", bounds, names, None, single=False)
    ways, lists = (
        chosen("missing", missing, names, "refuse"),
        chosen("categories", categories, names, None, single=False),
    )
    ready = []
    for cells in every:
        name = cells.name
        try:
            ready.append(prepared(cells, places[name], limits[name], ways[name], lists[name], key.parameters))
        except CyclotomeError as error:
            errors.append(error)
    return ready


def _all_of(errors: list[CyclotomeError]) -> CyclotomeError:
    """What is wrong with each column, as one error."""
    return errors[0] if len(errors) == 1 else type(errors[0])("\n".join(f"- {error}" for error in errors))


def _encrypted(column: Prepared, key: PublicKey | SecretKey, progress: Callback | None) -> Column:
    if column.labels is not None:
        selectors = encrypt_integers(column.values, key, bound=(0, 1), progress=progress)
        return EncryptedCategories(selectors, column.labels)
    rows = np.zeros(column.present.size, dtype=object)
    rows[column.present] = column.values
    bound = column.bound
    if isinstance(bound, tuple):  # missing values are zeros
        bound = (min(0, bound[0]), max(0, bound[1])) if not column.present.all() or column.way == "encrypted" else bound
    values = encrypt_integers(integers(rows, "encrypt_frame"), key, bound=bound, progress=progress)
    present = column.present.astype(np.int64)
    if column.way == "encrypted":
        mask = encrypt_integers(present, key, bound=(0, 1), progress=progress)
        return EncryptedColumn(values, column.scale, mask, True, kind=column.kind)
    public = None if column.present.all() else present
    return EncryptedColumn(values, column.scale, public, True, kind=column.kind)
