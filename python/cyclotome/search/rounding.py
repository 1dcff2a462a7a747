# SPDX-License-Identifier: Apache-2.0
"""Vectors as small integers, and what that leaves of their inner products."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..errors import ArgumentError, RangeError

__all__ = ["METRICS", "Rounded", "as_vectors", "rounded", "unit"]

METRICS = ("cosine", "inner product")

#: Stored coordinates are within +-127.
_MOST = 127
#: Vectors that are in memory as doubles at a time.
_CHUNK = 1 << 14
#: What sums of doubles here are off by, relatively, is less.
_SLACK = 1 + 1e-9

Floats = npt.NDArray[np.floating]


def as_vectors(values: object, what: str) -> Floats:
    """vectors x coordinates, all of them numbers.

    Raises:
        ArgumentError: no numbers in two axes, or none at all.
        RangeError: one that is infinite or no number.
    """
    array = np.asarray(values)
    if array.dtype.kind in "iub":
        array = array.astype(np.float64)
    if array.dtype.kind != "f" or array.ndim != 2 or not array.size:
        raise ArgumentError(f"{what} are numbers, vectors x coordinates, not {array.dtype} of shape {array.shape}")
    for start in range(0, len(array), _CHUNK):
        bad = ~np.isfinite(array[start : start + _CHUNK])
        if bad.any():
            row, column = (int(each) for each in np.argwhere(bad)[0])
            value = array[start + row, column]
            raise RangeError(f"{what}: vector {start + row} has {value} at coordinate {column}; all are finite numbers")
    return array


def unit(vectors: npt.NDArray[np.float64], what: str, first: int = 0) -> tuple[npt.NDArray[np.float64], Floats]:
    """Vectors of length 1, and the lengths that they had.

    Raises:
        RangeError: one of zeros, which has no direction.
    """
    largest = np.abs(vectors).max(axis=1)
    if not largest.all():
        raise RangeError(f"{what}: vector {first + int(np.argmin(largest))} is all zeros, and has no direction")
    scaled = vectors / largest[:, None]  # squares neither overflow nor vanish
    lengths = np.sqrt((scaled**2).sum(axis=1))
    return scaled / lengths[:, None], lengths * largest


@dataclass(frozen=True)
class Rounded:
    """Vectors as integers: about ``scale`` times what they were."""

    values: npt.NDArray[np.int8]
    scale: float
    #: The largest sum of squares of one's integers; and how far one is at most, by length, from ``values / scale``.
    squares: int
    residual: float


def _chunks(vectors: Floats, *, cosine: bool) -> Iterator[tuple[slice, npt.NDArray[np.float64]]]:
    """Vectors as scores count them."""
    for start in range(0, len(vectors), _CHUNK):
        part = vectors[start : start + _CHUNK].astype(np.float64)
        yield slice(start, start + len(part)), unit(part, "vectors", start)[0] if cosine else part


def rounded(vectors: Floats, metric: str, bound: int) -> Rounded:
    """Vectors as integers, as fine as 8 bits and scores within +-``bound`` allow: a query gets as many steps as they.

    Raises:
        RangeError: numbers too large or small for that; with "cosine", vectors of zeros.
    """
    cosine = metric == "cosine"
    most = longest = 0.0
    for _, part in _chunks(vectors, cosine=cosine):
        with np.errstate(over="ignore"):
            most = max(most, float(np.abs(part).max()))
            longest = max(longest, float(np.sqrt((part**2).sum(axis=1)).max()))
    if most and not (most > 1e-150 and longest < 1e150):
        raise RangeError(f"vectors with numbers up to {most:g}; scale them: from 1e-150 to 1e150 in length is possible")
    scale = min(_MOST / most, math.sqrt(bound) / longest) if most else 1.0
    values = np.empty(vectors.shape, np.int8)
    squares, residual = 0, 0.0
    for where, part in _chunks(vectors, cosine=cosine):
        integers = np.rint(part * scale)
        values[where] = integers
        squares = max(squares, int((integers**2).sum(axis=1).max()))
        residual = max(residual, float(np.sqrt(((part - integers / scale) ** 2).sum(axis=1)).max()))
    return Rounded(values, scale, squares, residual * _SLACK + 1e-12 * longest)
