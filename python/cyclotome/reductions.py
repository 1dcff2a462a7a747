# SPDX-License-Identifier: Apache-2.0
"""Sums over axes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from . import _core
from .bounds import Bound, within
from .channels import relinearize, require_evaluation, sum_slots, take
from .errors import ArgumentError
from .rows import require_slots
from .slots import cleaned
from .values import index

if TYPE_CHECKING:
    from .array import EncryptedArray

__all__ = ["sum_over", "total"]


def total(x: EncryptedArray, axis: int | tuple[int, ...] | None, keepdims: bool) -> EncryptedArray:
    """x.sum(axis, keepdims=keepdims)."""
    axes = _normalized(x, axis)
    count = math.prod(x.shape[i] for i in axes)
    result = sum_over(x, axes, None if x.bound is None else x.bound * count)
    if keepdims:
        result = result.reshape(tuple(1 if i in axes else n for i, n in enumerate(x.shape)))
    return result


def _normalized(x: EncryptedArray, axis: int | tuple[int, ...] | None) -> tuple[int, ...]:
    if axis is None:
        return tuple(range(x.ndim))
    axes = []
    for entry in axis if isinstance(axis, tuple) else (axis,):
        position = index(entry, "sum: an axis")
        if not -x.ndim <= position < x.ndim:
            raise ArgumentError(f"sum: axis {position} of an array of shape {x.shape}")
        axes.append(position % x.ndim)
    if len(set(axes)) != len(axes):
        raise ArgumentError(f"sum: axes {axis} name one twice")
    return tuple(sorted(axes))


def sum_over(x: EncryptedArray, axes: tuple[int, ...], bound: Bound) -> EncryptedArray:
    """The sum over these axes, whose result is known to stay within ``bound``; relinearised if ``x`` was not yet."""
    within(bound, x.parameters, "sum")
    over_slots = x._layout.packed and x.ndim - 1 in axes
    if over_slots:
        require_slots("sum over the last axis", x._layout)
    x = _sum_outer(x, tuple(i for i in axes if i < len(x._layout.outer)), bound)
    if x._channels[0].parts > 2:
        keys = require_evaluation(x._keys.evaluation, "sum of products")
        x = x._derived(relinearize(x._channels, keys), bound=x.bound)
    return _sum_slots(x, bound) if over_slots else x


def _sum_outer(x: EncryptedArray, axes: tuple[int, ...], bound: Bound) -> EncryptedArray:
    if not axes:
        return x
    indices = x._layout.indices()
    innermost = np.moveaxis(indices, axes, range(indices.ndim - len(axes), indices.ndim))
    count = math.prod(x.shape[i] for i in axes)
    channels = tuple(_core.sum_groups(channel, count) for channel in take(x._channels, innermost))
    shape = tuple(n for i, n in enumerate(x.shape) if i not in axes)
    return x._result("sum", channels, layout=x._layout.reshaped(shape), bound=bound)


def _sum_slots(x: EncryptedArray, bound: Bound) -> EncryptedArray:
    keys = require_evaluation(x._keys.evaluation, "sum over the last axis")
    channels = tuple(_core.sum_groups(channel, x._layout.chunks) for channel in cleaned(x)._channels)
    layout = x._layout.reshaped(x.shape[:-1], packed=False)
    return x._result("sum", sum_slots(channels, keys), layout=layout, bound=bound)
