# SPDX-License-Identifier: Apache-2.0
"""NumPy's indices of arrays of reals: of all axes but the last they choose ciphertexts, of the last one they move
numbers between slots."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import _core
from ..errors import ArgumentError

__all__ = ["indexed"]


def _whole_axis(entry: object, length: int) -> bool:
    return isinstance(entry, slice) and entry.indices(length) == (0, length, 1)


def indexed(x: _core.RealArray, key: Any) -> _core.RealArray:
    """``x[key]``: what of the last axis of packed numbers is chosen by a whole number, a slice or a list of numbers
    takes a level; everything else costs nothing.

    Raises:
        ArgumentError: no index of this shape, or more than one list.
    """
    shape = tuple(x.shape)
    entries = list(key) if isinstance(key, tuple) else [key]
    if sum(entry is Ellipsis for entry in entries) > 1 or any(entry is None for entry in entries):
        raise ArgumentError("index: one ... at most, and no new axes; reshape adds some")
    if Ellipsis in [entry for entry in entries if isinstance(entry, type(Ellipsis))]:
        place = next(i for i, entry in enumerate(entries) if entry is Ellipsis)
        entries[place : place + 1] = [slice(None)] * (len(shape) - len(entries) + 1)
    entries += [slice(None)] * (len(shape) - len(entries))
    if len(entries) != len(shape):
        raise ArgumentError(f"index: {len(entries)} indices for an array of shape {shape}")
    last = None
    if x.packed and not _whole_axis(entries[-1], shape[-1]):
        last = entries[-1]
    outer = tuple(x.outer)
    chosen = entries[: len(outer)]
    if any(not (isinstance(e, slice) and _whole_axis(e, n)) for e, n in zip(chosen, outer, strict=True)):
        picked = _picked(math.prod(outer), outer, tuple(chosen))
        x = _core.select(x, [int(number) for number in picked.flat], list(picked.shape))
    if last is None:
        return x
    numbers = _picked(shape[-1], (shape[-1],), (last,))
    if numbers.ndim > 1:
        raise ArgumentError("index: the last axis takes a whole number, a slice, or one list of numbers")
    found = _core.gather(x, [int(number) for number in np.atleast_1d(numbers)])
    return found if numbers.ndim else _core.select(found, list(range(math.prod(found.shape))), list(found.shape)[:-1])


def _picked(count: int, shape: tuple[int, ...], key: tuple[Any, ...]) -> Any:
    try:
        picked = np.arange(count).reshape(shape)[key]
    except (IndexError, TypeError, ValueError) as error:
        raise ArgumentError(f"index: {error}") from None
    if not np.size(picked):
        raise ArgumentError("index: nothing is left; arrays are never empty")
    return np.asarray(picked)
