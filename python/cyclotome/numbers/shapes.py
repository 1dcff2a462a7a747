# SPDX-License-Identifier: Apache-2.0
"""Shapes and indices as NumPy has them: which values of an encrypted array are meant, for the library to take."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .. import _core
from ..errors import ArgumentError, UnsupportedError
from .values import index

__all__ = ["Selection", "broadcast_shape", "require_rows", "reshaped", "selected", "taken"]

_IN_CIPHERTEXTS = (
    "the last axis lies within ciphertexts, out of which every value takes rotations; take what is wanted by its "
    "index, iterate over another axis, or decrypt"
)


def broadcast_shape(operation: str, a: Sequence[int], b: Sequence[int]) -> tuple[int, ...]:
    """NumPy's broadcast shape of two.

    Raises:
        ArgumentError: they don't fit, or leave no values.
    """
    return _core.broadcast_shape(operation, list(a), list(b))


class Selection(NamedTuple):
    """Which values an index takes, and their shape; or, of whole rows of a packed array, which rows."""

    numbers: list[int]
    shape: list[int]
    rows: bool


def selected(key: object, shape: tuple[int, ...], outer: tuple[int, ...]) -> Selection:
    """What ``x[key]`` takes, as NumPy does it.

    Args:
        key: the index.
        shape: x's.
        outer: the axes of it that number ciphertexts: all, or all but the last.

    Raises:
        ArgumentError: an index that does not fit, or selects nothing.
        UnsupportedError: what is no index; a new axis behind a packed one.
    """
    try:
        entries = tuple(np.asarray(entry) if isinstance(entry, list) else entry for entry in _entries(key))
    except ValueError as error:
        raise ArgumentError(f"index {key!r} is no array ({error})") from None
    met, ellipsis = sum(map(_axes_met, entries)), any(entry is Ellipsis for entry in entries)
    whole = ellipsis or met == len(shape)
    if outer != shape and whole and entries[-1] is None:
        raise UnsupportedError(f"index {key!r}: a new axis can't come after the one that lies within ciphertexts")
    # Where no entry meets the packed axis, rows are numbered and not all that is in them.
    rows = outer != shape and not ellipsis and met < len(shape)
    try:
        chosen = np.arange(math.prod(outer if rows else shape)).reshape(outer if rows else shape)[entries]
    except IndexError as error:
        raise ArgumentError(f"index {key!r} does not fit shape {shape}: {error}") from None
    if chosen.size == 0:
        raise ArgumentError(f"index {key!r} selects nothing of shape {shape}; encrypted arrays are never empty")
    if rows:
        return Selection(np.asarray(chosen).ravel().tolist(), list(np.shape(chosen)), True)
    return taken(np.asarray(chosen), shape, outer)


def taken(places: np.ndarray, shape: tuple[int, ...], outer: tuple[int, ...]) -> Selection:
    """The values at ``places``, counted in C order, of an array of ``shape``."""
    length = shape[-1] if outer != shape else 0
    if places.ndim > 0 and places.shape[-1] == length:
        first = places[..., :1]
        if (first % length == 0).all() and (places == first + np.arange(length)).all():
            return Selection((first // length).ravel().tolist(), list(places.shape[:-1]), True)
    return Selection(places.ravel().tolist(), list(places.shape), False)


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


def require_rows(shape: tuple[int, ...], outer: tuple[int, ...]) -> None:
    """Refuses what can't be iterated over.

    Raises:
        UnsupportedError: the first axis lies within ciphertexts, or there is none.
    """
    if not outer:
        raise UnsupportedError(
            f"iterating over values: {_IN_CIPHERTEXTS}" if shape else "a scalar can't be iterated over"
        )


def reshaped(shape: tuple[int, ...], wanted: Sequence[object]) -> list[int]:
    """The shape that ``x.reshape(*wanted)`` has, -1 filled in.

    Raises:
        ArgumentError: there are more or fewer values.
    """
    if len(wanted) == 1 and isinstance(wanted[0], (tuple, list)):
        wanted = wanted[0]
    lengths = [index(length, "reshape: the length of an axis") for length in wanted]
    try:
        return list(np.empty(shape, dtype=np.bool_).reshape(lengths).shape)
    except ValueError:
        raise ArgumentError(
            f"reshape: {math.prod(shape)} values of shape {shape} have no shape {tuple(lengths)}"
        ) from None
