# SPDX-License-Identifier: Apache-2.0
"""Which ciphertexts an array consists of: indexing, reshaping and joining."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .bounds import combined
from .channels import concatenate as concatenate_channels
from .channels import take
from .errors import ArgumentError, UnsupportedError
from .layout import Indices
from .values import index

if TYPE_CHECKING:
    from .array import EncryptedArray

__all__ = ["concatenate", "iterate", "reshape", "select", "stack"]

_IN_CIPHERTEXTS = (
    "the last axis lies within ciphertexts, so single values can't be taken out of it without the secret key; select "
    "along the other axes, multiply by a 0/1 mask, or decrypt"
)


# --- selecting --------------------------------------------------------------------------------------------------------
def select(x: EncryptedArray, key: object) -> EncryptedArray:
    """x[key], as NumPy does it, on all axes but a packed one, which only ``:`` may meet."""
    numbers: Indices = np.arange(math.prod(x._layout.outer)).reshape(x._layout.outer)
    try:
        chosen = numbers[_outer_key(x, key)]
    except IndexError as error:
        raise ArgumentError(f"index {key!r} does not fit shape {x.shape}: {error}") from None
    if chosen.size == 0:
        raise ArgumentError(f"index {key!r} selects nothing of shape {x.shape}; encrypted arrays are never empty")
    return _chosen(x, np.asarray(chosen))


def _chosen(x: EncryptedArray, chosen: Indices) -> EncryptedArray:
    chunks = x._layout.chunks
    channels = take(x._channels, chosen.reshape((-1, 1)) * chunks + np.arange(chunks))
    shape = (*chosen.shape, x.shape[-1]) if x._layout.packed else chosen.shape
    return x._derived(channels, layout=x._layout.reshaped(shape), bound=x.bound)


def _outer_key(x: EncryptedArray, key: object) -> tuple[Any, ...]:
    """``key`` without what it says about a packed axis."""
    entries = [np.asarray(entry) if isinstance(entry, list) else entry for entry in _entries(key)]
    if not x._layout.packed:
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
    if not x._layout.outer:
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
    if x._layout.packed and wanted[-1:] != x.shape[-1:]:
        raise UnsupportedError(
            f"reshape: from {x.shape} to {wanted}, but the last axis lies within ciphertexts and stays as long as it "
            "is; shape the values as needed before they are encrypted"
        )
    return x._derived(x._channels, layout=x._layout.reshaped(wanted), bound=x.bound)


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
    head, *tail = _require_arrays("concatenate", arrays)
    position = _axis("concatenate", head, axis)
    for x in tail:
        if x.ndim != head.ndim or any(
            a != b for i, (a, b) in enumerate(zip(x.shape, head.shape, strict=True)) if i != position
        ):
            raise ArgumentError(
                f"concatenate: shapes {head.shape} and {x.shape} differ in another axis than {position}"
            )
        if (x._layout.packed, x._layout.slots) != (head._layout.packed, head._layout.slots):
            raise ArgumentError(
                f"concatenate: layouts {head.layout}/{head.encoding} and {x.layout}/{x.encoding} differ"
            )
    if not tail:
        return head
    bounds, keys, first, orders = head.bound, head._keys, 0, []
    for x in tail:
        pair = combined("concatenate", bounds, x.bound)
        bounds, keys = None if pair is None else max(pair), keys.joined(x._keys)
    for x in (head, *tail):
        orders.append(x._layout.indices() + first)
        first += x._layout.batch
    layout = head._layout.reshaped(
        tuple(sum(x.shape[i] for x in (head, *tail)) if i == position else n for i, n in enumerate(head.shape)),
        clean=all(x._layout.clean for x in (head, *tail)),
    )
    channels = concatenate_channels([x._channels for x in (head, *tail)])
    return head._derived(take(channels, np.concatenate(orders, axis=position)), layout=layout, bound=bounds, keys=keys)


def stack(arrays: Sequence[EncryptedArray], axis: int = 0) -> EncryptedArray:
    """Arrays of one shape along a new axis before the packed one, as ``numpy.stack``.

    Raises:
        ArgumentError: shapes or layouts that don't fit.
        MismatchError: other parameters, keys or devices.
    """
    every = _require_arrays("stack", arrays)
    ndim = every[0].ndim + 1
    axis = index(axis, "stack: an axis")
    position = axis + ndim if axis < 0 else axis
    if not 0 <= position <= len(every[0]._layout.outer):
        raise ArgumentError(f"stack: axis {axis} for arrays of shape {every[0].shape}, layout {every[0].layout}")
    return concatenate([x.reshape((*x.shape[:position], 1, *x.shape[position:])) for x in every], position)


def _require_arrays(operation: str, arrays: Sequence[EncryptedArray]) -> list[EncryptedArray]:
    every = list(arrays)
    if not every or not all(hasattr(x, "_channels") for x in every):
        raise ArgumentError(f"{operation} takes a sequence of at least one encrypted array, and nothing else")
    return every


def _axis(operation: str, x: EncryptedArray, axis: int) -> int:
    axis = index(axis, f"{operation}: an axis")
    position = axis + x.ndim if axis < 0 else axis
    if not 0 <= position < x.ndim:
        raise ArgumentError(f"{operation}: axis {axis} of an array of shape {x.shape}")
    if position >= len(x._layout.outer):
        raise UnsupportedError(
            f"{operation}: axis {axis} lies within ciphertexts, and joining along it would move values between slots; "
            "join along another axis (stack makes a new one), or encrypt the values together"
        )
    return position
