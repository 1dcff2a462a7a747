# SPDX-License-Identifier: Apache-2.0
"""Where copies of an array stand: along a new first axis, or beside each other along the last one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..arrays.array import EncryptedArray
from ..arrays.shaping import stack
from ..errors import ArgumentError, MismatchError
from ..numbers.values import IntArray

__all__ = ["beside", "each", "shape_of_copies", "stacked"]


def each(compute: Callable[..., EncryptedArray], *arrays: EncryptedArray) -> EncryptedArray:
    """What whoever computes does of arrays of `IntegrityKey.encrypt`: the function of each of their copies by itself.

    Functions that leave the first axis alone (``x * y + 1``, ``x @ W``, ``x.sum(axis=-1)``) can be called with the
    arrays themselves, which is the same and takes one call.

    Args:
        compute: a function of encrypted arrays that returns one.
        arrays: with copies along their first axis, all of one key.

    Raises:
        ArgumentError: no arrays, or of different numbers of copies.
    """
    counts = {array.shape[:1] for array in arrays}
    if len(counts) != 1 or () in counts:
        raise ArgumentError(
            f"integrity.each: arrays of {sorted(counts)} copies; all have as many, along their first axis"
        )
    (copies,) = counts.pop()
    return stack([compute(*(array[number] for array in arrays)) for number in range(copies)])


def shape_of_copies(shape: tuple[int, ...], copies: int, side_by_side: bool) -> tuple[int, ...]:
    """The shape of an array with its copies."""
    return (*shape[:-1], copies * shape[-1]) if side_by_side else (copies, *shape)


def beside(points: IntArray) -> IntArray:
    """Copies of a first axis, one after the other along the last one."""
    moved: IntArray = np.concatenate(list(points), axis=-1)
    return moved


def stacked(values: Any, shape: tuple[int, ...], copies: int, side_by_side: bool) -> IntArray:
    """Decrypted copies along a first axis again.

    Raises:
        MismatchError: they have not the shape that results of this shape have.
    """
    expected = shape_of_copies(shape, copies, side_by_side)
    given: IntArray = np.asarray(values)
    if given.shape != expected:
        raise MismatchError(
            f"integrity: the result's shape is {given.shape}; {copies} copies of {shape} have {expected}: it is "
            "no result of this function of these arrays"
        )
    if not side_by_side:
        return given
    parted: IntArray = np.stack(np.split(given, copies, axis=-1))
    return parted
