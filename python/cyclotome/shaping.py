# SPDX-License-Identifier: Apache-2.0
"""Indexing, reshaping and joining as NumPy does them: which values, for the library to take."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from .errors import ArgumentError, UnsupportedError
from .options import options
from .values import index, word

if TYPE_CHECKING:
    from .array import EncryptedArray

__all__ = ["broadcast_shape", "concatenate", "iterate", "reshape", "select", "stack"]

_IN_CIPHERTEXTS = (
    "the last axis lies within ciphertexts, so single values can't be taken out of it without the secret key; select "
    "along the other axes, multiply by a 0/1 mask, or decrypt"
)


def broadcast_shape(operation: str, a: Sequence[int], b: Sequence[int]) -> tuple[int, ...]:
    """NumPy's broadcast shape of two.

    Raises:
        ArgumentError: they don't fit, or leave no values.
    """
    return _core.broadcast_shape(operation, list(a), list(b))


# --- selecting --------------------------------------------------------------------------------------------------------
def select(x: EncryptedArray, key: object) -> EncryptedArray:
    """x[key], as NumPy does it, on all axes but a packed one, which only ``:`` may meet."""
    outer = x._native.outer
    numbers = np.arange(math.prod(outer)).reshape(outer)
    try:
        chosen = numbers[_outer_key(x, key)]
    except IndexError as error:
        raise ArgumentError(f"index {key!r} does not fit shape {x.shape}: {error}") from None
    if chosen.size == 0:
        raise ArgumentError(f"index {key!r} selects nothing of shape {x.shape}; encrypted arrays are never empty")
    places = np.asarray(chosen)
    return x._derived(_core.select(x._native, places.ravel().tolist(), list(places.shape)))


def _outer_key(x: EncryptedArray, key: object) -> tuple[Any, ...]:
    """``key`` without what it says about a packed axis."""
    entries = [np.asarray(entry) if isinstance(entry, list) else entry for entry in _entries(key)]
    if x.layout != "packed":
        return tuple(entries)
    missing = x.ndim - sum(_axes_met(entry) for entry in entries)
    if missing < 0:
        raise ArgumentError(f"index {key!r} has more entries than shape {x.shape} has axes")
    ellipses = [i for i, entry in enumerate(entries) if entry is Ellipsis]
    place = ellipses[0] if ellipses else len(entries)
    entries[place : place + 1] = [slice(None)] * missing
    last = entries.pop()
    if last is None:
        raise UnsupportedError(f"index {key!r}: a new axis can't come after the one that lies within ciphertexts")
    if not (isinstance(last, slice) and last == slice(None)):
        raise UnsupportedError(f"index {key!r}: {_IN_CIPHERTEXTS}")
    return tuple(entries)


def _entries(key: object) -> list[Any]:
    entries = list(key) if isinstance(key, tuple) else [key]
    for entry in entries:
        known = isinstance(entry, (int, np.integer, slice, list, np.ndarray)) or entry is None or entry is Ellipsis
        if not known or isinstance(entry, bool):
            raise UnsupportedError(f"index {entry!r}: indices are whole numbers, slices, arrays of them, None and ...")
    return entries


def _axes_met(entry: Any) -> int:
    """How many axes an entry of an index addresses."""
    if entry is None or entry is Ellipsis:
        return 0
    return entry.ndim if isinstance(entry, np.ndarray) and entry.dtype == np.bool_ else 1


def iterate(x: EncryptedArray) -> Iterator[EncryptedArray]:
    """The items along the first axis."""
    if not x._native.outer:
        raise UnsupportedError(
            f"iterating over values: {_IN_CIPHERTEXTS}" if x.shape else "a scalar can't be iterated over"
        )
    return (select(x, i) for i in range(x.shape[0]))


def reshape(x: EncryptedArray, shape: Sequence[object]) -> EncryptedArray:
    """x.reshape(...)."""
    if len(shape) == 1 and isinstance(shape[0], (tuple, list)):
        shape = shape[0]
    lengths = [index(length, "reshape: the length of an axis") for length in shape]
    try:
        wanted = np.empty(x.shape, dtype=np.bool_).reshape(lengths).shape
    except ValueError:
        raise ArgumentError(f"reshape: {x.size} values of shape {x.shape} have no shape {tuple(lengths)}") from None
    return x._derived(_core.reshape(x._native, list(wanted)))


# --- joining ----------------------------------------------------------------------------------------------------------
def concatenate(arrays: Sequence[EncryptedArray], axis: int = 0) -> EncryptedArray:
    """Arrays one after the other along an axis, which must not be a packed one, as ``numpy.concatenate``.

    Args:
        arrays: at least one; equal shapes except along ``axis``, equal layouts, one key.
        axis: negative ones count from the end.

    Raises:
        ArgumentError: shapes or layouts that don't fit.
        MismatchError: other parameters, keys or devices.
    """
    return _joined("concatenate", _core.concatenate, arrays, axis)


def stack(arrays: Sequence[EncryptedArray], axis: int = 0) -> EncryptedArray:
    """Arrays of one shape along a new axis before the packed one, as ``numpy.stack``.

    Raises:
        ArgumentError: shapes or layouts that don't fit.
        MismatchError: other parameters, keys or devices.
    """
    return _joined("stack", _core.stack, arrays, axis)


def _joined(
    operation: str,
    function: Callable[[list[_core.EncryptedArray], int, _core.Options], _core.EncryptedArray],
    arrays: Sequence[EncryptedArray],
    axis: int,
) -> EncryptedArray:
    every = list(arrays)
    if not every or not all(hasattr(x, "_native") and hasattr(x, "_keys") for x in every):
        raise ArgumentError(f"{operation} takes a sequence of at least one encrypted array, and nothing else")
    keys = every[0]._keys
    for x in every[1:]:
        keys = keys.joined(x._keys)
    axis = word(axis, f"{operation}: an axis")
    return every[0]._derived(function([x._native for x in every], axis, options()), keys)
