# SPDX-License-Identifier: Apache-2.0
"""What the rows of pandas' objects are called, wherever these meet encrypted ones. Its arithmetic pairs rows of equal
names; taking them by their order instead would give other numbers, without a word, once one was sorted or filtered."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from ..errors import ArgumentError

__all__ = ["in_order_of", "is_a", "is_numbered", "require_numbered", "shown"]


def is_a(value: object, package: str, *kinds: str) -> bool:
    """Whether it is of such a class of a package, which is imported by whoever made such a value."""
    module = sys.modules.get(package)
    return module is not None and any(isinstance(value, getattr(module, kind)) for kind in kinds)


def is_numbered(index: Any) -> bool:
    """Whether an index of pandas numbers rows from 0, in order."""
    return bool(sys.modules["pandas"].RangeIndex(len(index)).equals(index))


def require_numbered(values: object, what: str) -> None:
    """Raises ArgumentError for a Series or DataFrame of pandas that calls its rows something else than 0 to n - 1 in
    order: what it meets has no names of rows."""
    if is_a(values, "pandas", "Series", "DataFrame") and not is_numbered(values.index):  # type: ignore[attr-defined]
        raise ArgumentError(
            f"{what}: rows of a pandas {type(values).__name__} named {shown(values.index.tolist())}, "  # type: ignore[attr-defined]
            "where rows have no names but 0, 1, 2, ... in order: take them by their order with .to_numpy() or "
            ".reset_index(drop=True), or put them in order first with .sort_index()"
        )


def in_order_of(values: Any, labels: tuple[Any, ...] | None, what: str) -> Any:
    """A Series of pandas with its rows in the order of ``labels`` (None: 0, 1, 2, ...), as its arithmetic pairs them.
    Everything else has rows without names and comes back as it is.

    Raises:
        ArgumentError: rows of other names; a name twice, unless all are in order already.
    """
    if labels is None or not is_a(values, "pandas", "Series"):
        require_numbered(values, what)
        return values
    own = sys.modules["pandas"].Index(list(labels), tupleize_cols=False)
    if own.equals(values.index):
        return values
    unique = own.is_unique and values.index.is_unique and len(own) == len(values)
    places = values.index.get_indexer(own) if unique else None
    if places is None or (places < 0).any():
        raise ArgumentError(
            f"{what}: rows of a pandas Series named {shown(values.index.tolist())} meet rows named {shown(labels)}; it "
            "must have just these, in any order: series.reindex(frame.index), or .to_numpy() to take them by their "
            "order"
        )
    return values.iloc[places]


def shown(labels: Sequence[Any]) -> str:
    """The first names, for messages."""
    first = ", ".join(repr(label)[:30] for label in labels[:3])
    return f"[{first}{', ...' if len(labels) > 3 else ''}]"
