# SPDX-License-Identifier: Apache-2.0
"""Sums of products that least squares need, over rows that lack nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..arrays.array import EncryptedArray
from ..errors import NoiseError, RangeError, UnsupportedError
from . import kinds
from .column import EncryptedColumn
from .masks import Mask, both, masked
from .statistics.deferred import EncryptedStatistics
from .statistics.sums import count_name, moment_name

__all__ = ["complete_rows", "linear_sums"]


def complete_rows(columns: list[EncryptedColumn]) -> Mask:
    """Rows in which all of these are there."""
    present: Mask = None
    for column in columns:
        present = both(present, column.mask)
    return present


def linear_sums(columns: Mapping[str, EncryptedColumn], target: str) -> EncryptedStatistics:
    """Features, and the target last; see `EncryptedFrame.fit`."""
    names = [name for name in columns if name != target]
    every = [columns[name] for name in (*names, target)]
    for name, column in zip((*names, target), every, strict=True):
        if kinds.is_date(column.kind):
            raise UnsupportedError(f"fit: {name!r} holds dates; take a duration, x - pandas.Timestamp('2024-01-31')")
    present = complete_rows(every)
    values = [column.filled().values for column in every]
    alone = all(column.mask is present for column in every)
    whole = values if alone else [masked(each, present) for each in values]
    made: dict[str, Any] = {}

    def add(name: str, total: EncryptedArray, scale: int) -> None:
        made[name] = EncryptedColumn(total, scale)

    counts: dict[str, list[int]] = {}
    if isinstance(present, EncryptedArray):
        add(count_name(0), present.sum(), 1)
    else:
        counts[count_name(0)] = [every[0].rows if present is None else int(present.sum())]
    try:
        for i, left in enumerate(every):
            add(moment_name("sum", i), whole[i].sum(), left.scale)
            for j in range(i, len(every)):
                add(moment_name("product", i, j), (whole[i] * values[j]).sum(), left.scale * every[j].scale)
    except (RangeError, NoiseError) as error:
        raise type(error)(
            f"fit: {error}. Least squares are sums of products: suggest parameters with depth=1 or more and "
            "result_bits for them, or give fewer decimals and tighter bounds"
        ) from None
    recipe = {
        "layout": "solution",
        "title": None,
        "names": [*names, target],
        "kinds": [column.kind for column in every],
        "measures": [["solve", list(range(len(every)))]],
        "labels": [*names, "intercept"],
        "columns": [],
        "groups": None,
        "counts": counts,
        "rows": False,
    }
    return EncryptedStatistics(made, None, recipe)
