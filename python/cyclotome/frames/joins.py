# SPDX-License-Identifier: Apache-2.0
"""Columns of another table beside the rows of this one, by a key.

A column of categories holds for each of them where it is: so what belongs to a row is the sum over the categories of
zeros and ones times what belongs to the category. Of an encrypted table whose key is a column too, what belongs to a
category is the sum over its rows, which are one at most.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ..arrays.array import EncryptedArray
from ..errors import ArgumentError, UnsupportedError
from ..numbers.cells import cells_of
from ..numbers.labels import labels_of
from . import kinds
from .categories import EncryptedCategories
from .column import EncryptedColumn
from .masks import Mask
from .table import Table

__all__ = ["joined"]


def joined(frame: Any, right: object, on: object, how: object, validate: object, suffixes: Any) -> Any:
    """See `EncryptedFrame.merge`."""
    if how not in ("left", "inner"):
        raise UnsupportedError(f"merge: how={how!r:.40}; there are 'left' and 'inner', of the rows of this frame")
    if validate not in (None, "many_to_one", "m:1"):
        raise UnsupportedError(f"merge: validate={validate!r:.40}; right keys are different: 'many_to_one'")
    key = frame[on]
    if not isinstance(key, EncryptedCategories):
        raise UnsupportedError(f"merge: {on!r} holds numbers; keys are categories")
    if isinstance(right, Table):
        columns, matched = _of_encrypted(key, right, on, validate)
    else:
        columns, matched = _of_public(key, right, on)
    names = _titles([name for name in frame.columns if name != on], list(columns), suffixes)
    left, added = names
    table = {left.get(name, name): column for name, column in frame.columns.items()}
    for name, column in columns.items():
        table[added.get(name, name)] = replace(column, index=frame.index, kept=frame.kept)
    made = type(frame)(table, frame.index)
    return made.filtered(matched) if how == "inner" else made


def _titles(left: list[str], right: list[str], suffixes: Any) -> tuple[dict[str, str], dict[str, str]]:
    shared = set(left) & set(right)
    if not shared:
        return {}, {}
    if not isinstance(suffixes, (tuple, list)) or len(suffixes) != 2 or suffixes[0] == suffixes[1]:
        raise ArgumentError(f"merge: suffixes={suffixes!r:.40}; two different ones, as both have {sorted(shared)}")
    return (
        {name: f"{name}{suffixes[0] or ''}" for name in shared},
        {name: f"{name}{suffixes[1] or ''}" for name in shared},
    )


def _spread(values: EncryptedArray | Any, key: EncryptedCategories, interval: tuple[int, int]) -> EncryptedArray:
    """What belongs to each row, of one value for each category."""
    wide = values.reshape(-1, 1)
    total: EncryptedArray = (key.selectors * wide).sum(axis=0)
    return total.assume_bound((min(0, interval[0]), max(0, interval[1])))


# --- a public table ---------------------------------------------------------------------------------------------------
def _of_public(key: EncryptedCategories, right: Any, on: Any) -> tuple[dict[str, EncryptedColumn], Mask]:
    every = {cells.name: cells for cells in cells_of(right)}
    if on not in every:
        raise ArgumentError(f"merge: the right table has no column {on!r}; it has {', '.join(every)}"[:400])
    keys = every.pop(on)
    if not keys.present.all():
        raise ArgumentError("merge: a key of the right table is missing")
    names = labels_of(keys.values.tolist(), "merge: keys of the right table")
    if len(set(names)) != len(names):
        raise ArgumentError("merge: a key of the right table is there twice; each row of this frame finds one at most")
    places = {label: names.index(label) for label in key.labels if label in names}
    if not places:
        raise ArgumentError(f"merge: none of the categories of {on!r} is among the keys of the right table")
    columns = {name: _public_column(key, cells, places) for name, cells in every.items()}
    matched = None if len(places) == len(key.labels) else _rows_of(key, [label in places for label in key.labels])
    return columns, matched if matched is not None else _rows_of(key, [True] * len(key.labels))


def _public_column(key: EncryptedCategories, cells: Any, places: Mapping[Any, int]) -> EncryptedColumn:
    cell = dict(zip(np.flatnonzero(cells.present).tolist(), cells.values.tolist(), strict=True))
    values = {label: cell[place] for label, place in places.items() if place in cell}
    if not values:
        raise ArgumentError(f"merge: the column {cells.name!r} of the right table has no value for any category")
    if kinds.days_of(list(values.values()), "merge") is not None or any(isinstance(v, str) for v in values.values()):
        raise UnsupportedError(
            f"merge: the column {cells.name!r} of the right table holds no numbers; join those before encryption"
        )
    made = key.map(values)
    if all(isinstance(each, (bool, np.bool_)) for each in values.values()):
        return replace(made, kind=kinds.BOOL)
    return made


def _rows_of(key: EncryptedCategories, which: list[bool]) -> EncryptedArray:
    places = [place for place, wanted in enumerate(which) if wanted]
    found = key.selectors if all(which) else key.selectors[places]
    return found.sum(axis=0).assume_bound((0, 1))


# --- an encrypted one -------------------------------------------------------------------------------------------------
def _of_encrypted(
    key: EncryptedCategories, right: Table, on: Any, validate: object
) -> tuple[dict[str, EncryptedColumn], Mask]:
    of_rows = on not in right.columns
    if of_rows and right.index is None:
        raise ArgumentError(f"merge: the right table has no column {on!r}, and its rows have no names")
    others = {name: column for name, column in right.columns.items() if name != on}
    for name, column in others.items():
        if isinstance(column, EncryptedCategories):
            raise UnsupportedError(f"merge: the column {name!r} of the right table holds categories; leave it out")
    if of_rows:
        return _by_names(key, right, others)
    theirs = right.columns[on]
    if not isinstance(theirs, EncryptedCategories):
        raise UnsupportedError(f"merge: {on!r} of the right table holds numbers; keys are categories")
    if validate is None:
        raise ArgumentError(
            "merge: nobody sees whether the right table's encrypted keys are all different; say that they are: "
            "validate='many_to_one'. What contradicts it is refused at decryption"
        )
    return _by_column(key, theirs, others)


def _by_names(
    key: EncryptedCategories, right: Table, others: Mapping[str, Any]
) -> tuple[dict[str, EncryptedColumn], Mask]:
    """By the names of the right table's rows, as a grouped sum has them."""
    names = list(right.index or ())
    if len(set(names)) != len(names):
        raise ArgumentError("merge: two rows of the right table have one name")
    places = [names.index(label) for label in key.labels if label in names]
    mine = [place for place, label in enumerate(key.labels) if label in names]
    if not places:
        raise ArgumentError("merge: none of the categories is the name of a row of the right table")
    part = key if len(mine) == len(key.labels) else _part(key, mine)
    present = _rows_of(key, [place in mine for place in range(len(key.labels))])
    columns = {}
    for name, column in others.items():
        there = None if column.mask is None else column.mask[places]
        found = present if there is None else _spread(_replicated(there), part, (0, 1))
        values = _spread(_replicated(column.filled().values[places]), part, column.values.interval or (0, 0))
        columns[name] = EncryptedColumn(values, column.scale, found, True, None, column.kind)
    return columns, present


def _part(key: EncryptedCategories, places: list[int]) -> EncryptedCategories:
    return replace(key, selectors=key.selectors[places], labels=tuple(key.labels[place] for place in places))


def _replicated(values: Any) -> Any:
    """One value in all slots for each category: sums over groups are so already."""
    if not isinstance(values, EncryptedArray) or values.layout == "replicated":
        return values
    eye = np.eye(values.shape[0], dtype=np.int64)
    return (values * eye).sum(axis=-1)


def _by_column(
    key: EncryptedCategories, theirs: EncryptedCategories, others: Mapping[str, Any]
) -> tuple[dict[str, EncryptedColumn], Mask]:
    """By a column of categories there: what belongs to a category is a sum over the rows that have it."""
    mine = [place for place, label in enumerate(key.labels) if label in theirs.labels]
    places = [theirs.labels.index(key.labels[place]) for place in mine]
    if not places:
        raise ArgumentError("merge: the two keys have no category in common")
    part, chosen = _part(key, mine), theirs.selectors[places]

    def belonging(values: Any, interval: tuple[int, int]) -> EncryptedArray:
        each = (chosen * values).sum(axis=-1)
        within = each.assume_bound((min(0, interval[0]), max(0, interval[1])))  # of one row at most
        return _spread(within, part, interval)

    matched = belonging(1, (0, 1))
    columns = {}
    for name, column in others.items():
        found = matched if column.mask is None else belonging(column.mask, (0, 1))
        values = belonging(column.filled().values, column.values.interval or (0, 0))
        columns[name] = EncryptedColumn(values, column.scale, found, True, None, column.kind)
    return columns, matched
