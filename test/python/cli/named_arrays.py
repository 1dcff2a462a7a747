# SPDX-License-Identifier: Apache-2.0
"""The oracle of random command lines: NumPy arrays of fractions whose every axis has names or none.

Values follow the definitions (a covariance is the mean of products of deviations), and names are carried axis by axis,
so that nothing here resembles how the command line does either.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

Names = tuple[str, ...] | None


class Refused(Exception):
    """NumPy has no such result."""


@dataclass(frozen=True)
class Named:
    """Fractions in their shape; names for each axis; the column that all of it comes of."""

    values: Any
    axes: tuple[Names, ...]
    name: str | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.values.shape)

    @property
    def has_columns(self) -> bool:
        return any(axis is not None for axis in self.axes)


def array(values: Any, axes: Sequence[Names] | None = None, name: str | None = None) -> Named:
    made = np.empty(np.shape(values), dtype=object)
    for place, value in np.ndenumerate(np.asarray(values, dtype=object)):
        made[place] = Fraction(value)
    return Named(made, tuple(axes) if axes is not None else (None,) * made.ndim, name)


def _object(values: Any) -> Any:
    """Reductions of object arrays give bare numbers; here everything is an array."""
    made = np.empty(np.shape(values), dtype=object)
    made[...] = values
    return made


def _padded(x: Named, ndim: int) -> list[tuple[Names, int]]:
    missing = ndim - len(x.shape)
    return [(None, 1)] * missing + list(zip(x.axes, x.shape, strict=True))


def _merged(a: Named, b: Named, shape: tuple[int, ...]) -> tuple[Names, ...]:
    merged: list[Names] = []
    for length, (left, m), (right, n) in zip(shape, _padded(a, len(shape)), _padded(b, len(shape)), strict=True):
        names = {names for names, own in ((left, m), (right, n)) if names is not None and own == length}
        merged.append(names.pop() if len(names) == 1 else None)
    return tuple(merged)


def elementwise(symbol: str, a: Named, b: Named) -> Named:
    try:
        shape = np.broadcast_shapes(a.shape, b.shape)
    except ValueError:
        raise Refused from None
    values = {"+": a.values.__add__, "-": a.values.__sub__, "*": a.values.__mul__}[symbol](b.values)
    name = None
    if not a.has_columns and not b.has_columns:
        known = {x.name for x in (a, b) if x.name is not None}
        name = known.pop() if len(known) == 1 else None
    return Named(_object(values), _merged(a, b, shape), name)


def matmul(a: Named, b: Named) -> Named:
    if not a.shape or not b.shape:
        raise Refused
    try:
        values = _object(a.values @ b.values)
    except ValueError:
        raise Refused from None
    batch_a, batch_b = Named(a.values, a.axes[:-2]), Named(b.values, b.axes[:-2])
    outer: tuple[Names, ...] = batch_a.axes or batch_b.axes
    if batch_a.axes and batch_b.axes:
        outer = (None,) * max(len(batch_a.axes), len(batch_b.axes))
    inner = (*a.axes[-2:-1], *(b.axes[-1:] if len(b.shape) > 1 else ()))
    if None not in inner:  # names both ways: neither is kept
        inner = (None,) * len(inner) if len(inner) == 2 else inner
    return Named(values, (*outer, *inner))


def reduce(x: Named, axis: int | None, mean: bool = False) -> Named:
    if not x.shape or (axis is not None and not -len(x.shape) <= axis < len(x.shape)):
        raise Refused
    values = _object(x.values.sum(axis=axis))
    if mean:
        values = _object(values / Fraction(x.values.size if axis is None else x.shape[axis]))
    gone = range(len(x.shape)) if axis is None else [axis % len(x.shape)]
    return Named(values, tuple(names for i, names in enumerate(x.axes) if i not in gone), x.name)


def covariance(a: Named, b: Named, axis: int | None) -> Named:
    product = elementwise("*", a, b)  # for shape and names
    if not product.shape or (axis is not None and not -len(product.shape) <= axis < len(product.shape)):
        raise Refused
    left, right = (np.broadcast_to(x.values, product.shape) for x in (a, b))
    count = Fraction(product.values.size if axis is None else product.shape[axis])
    deviations = [v - v.sum(axis=axis, keepdims=True) / count for v in (left, right)]
    kept = reduce(product, axis)
    return Named(_object((deviations[0] * deviations[1]).sum(axis=axis) / count), kept.axes, kept.name)


def column(x: Named, name: str) -> Named:
    for axis, names in enumerate(x.axes):
        if names is not None and name in names:
            values = _object(np.take(x.values, names.index(name), axis=axis))
            return Named(values, x.axes[:axis] + x.axes[axis + 1 :], name)
    raise Refused


def item(x: Named, index: int) -> Named:
    if not x.shape or not -x.shape[0] <= index < x.shape[0]:
        raise Refused
    name = x.axes[0][index] if x.axes[0] is not None else x.name
    return Named(_object(x.values[index]), x.axes[1:], name)


def part(x: Named, start: int | None, stop: int | None, step: int | None) -> Named:
    key = slice(start, stop, step)
    if not x.shape or not len(range(x.shape[0])[key]):
        raise Refused
    names = x.axes[0]
    return Named(x.values[key], (None if names is None else names[key], *x.axes[1:]), x.name)
