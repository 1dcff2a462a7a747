# SPDX-License-Identifier: Apache-2.0
"""Joining encrypted arrays, as NumPy does it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from .. import _core
from ..errors import ArgumentError
from ..numbers.values import word
from ..options import current
from .array import EncryptedArray

__all__ = ["concatenate", "stack"]


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
    every = list(arrays) if isinstance(arrays, Sequence | Iterator) else []
    if not every or not all(isinstance(x, EncryptedArray) for x in every):
        raise ArgumentError(f"{operation} takes a sequence of at least one encrypted array, and nothing else")
    keys = every[0].keyring
    for x in every[1:]:
        keys = keys.joined(x.keyring)
    axis = word(axis, f"{operation}: an axis")
    return every[0].derived(function([x.native for x in every], axis, current.get().native), keys)
