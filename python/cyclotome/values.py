# SPDX-License-Identifier: Apache-2.0
"""Numbers in and out: exact integers from what a user hands in, residues for the library, and back."""

from __future__ import annotations

import math
import numbers
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import ArgumentError, UnsupportedError

__all__ = ["IntArray", "combine", "index", "integers", "largest_sum", "magnitude", "residues"]

#: Exact integers: int64, or Python integers in an array of objects.
IntArray = NDArray[Any]

_INT64 = np.iinfo(np.int64)
_KINDS = {"c": "complex numbers", "S": "bytes", "U": "text", "M": "dates", "m": "time differences", "V": "records"}


def index(value: object, what: str) -> int:
    """A Python integer from anything that can be an index.

    Raises:
        ArgumentError: it can't.
    """
    try:
        return operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise ArgumentError(f"{what} is a whole number, not {value!r}") from None


def integers(values: object, operation: str) -> IntArray:
    """``values`` as an array of int64, or of Python integers where int64 is too narrow.

    Takes Python and NumPy integers and booleans, nested lists of them, and arrays. Exact: nothing is rounded.

    Raises:
        UnsupportedError: floats (even whole ones), complex numbers, text and anything else that is no integer.
        ArgumentError: ragged lists.
    """
    if isinstance(values, np.ma.MaskedArray):
        raise UnsupportedError(f"{operation}: a masked array; fill it first: array.filled(value)")
    try:
        array = np.asarray(values)
        if not isinstance(values, (np.ndarray, np.generic)) and array.dtype.kind == "f":
            # NumPy makes floats of integers that fit no integer type together, such as [2**63, -1].
            array = np.asarray(values, dtype=object)
    except ValueError as error:
        raise ArgumentError(f"{operation}: the values form no array ({error})") from None
    kind = array.dtype.kind
    if kind in "bi":
        return array.astype(np.int64)
    if kind == "u":
        if array.size == 0 or int(array.max()) <= _INT64.max:
            return array.astype(np.int64)
        return array.astype(object)
    if kind == "O":
        return _exact(array, operation)
    if kind == "f":
        raise _floats(operation)
    raise UnsupportedError(f"{operation}: {_KINDS.get(kind, str(array.dtype))} can't be encrypted; integers can")


def _floats(operation: str) -> UnsupportedError:
    return UnsupportedError(
        f"{operation}: floating-point values in an integer scheme; scale them to integers first, for example "
        "cy.FixedPoint(bits=8).encode(values), or round and convert: np.rint(values).astype(np.int64)"
    )


def _exact(array: NDArray[Any], operation: str) -> IntArray:
    """Python integers out of objects, as int64 if they fit."""
    flat = array.ravel()
    for value in flat:
        if not isinstance(value, (numbers.Integral, np.bool_)):
            if isinstance(value, numbers.Number) and not isinstance(value, complex):
                raise _floats(operation)
            raise UnsupportedError(f"{operation}: {type(value).__name__} {value!r} is no integer")
    exact = np.empty(array.shape, dtype=object)
    exact.ravel()[:] = [int(value) for value in flat]
    if all(_INT64.min <= value <= _INT64.max for value in exact.ravel()):
        return exact.astype(np.int64)
    return exact


def magnitude(values: IntArray) -> int:
    """The largest absolute value; 0 for none."""
    return max(int(values.max()), -int(values.min())) if values.size else 0


def largest_sum(matrix: IntArray, axis: int) -> int:
    """The largest sum of absolute values along an axis of a matrix."""
    if magnitude(matrix) * matrix.shape[axis] >= 2**63:
        matrix = matrix.astype(object)
    return int(np.abs(matrix).sum(axis=axis).max())


def residues(values: IntArray, modulus: int) -> NDArray[np.int64]:
    """``values`` modulo ``modulus`` < 2^60, between -modulus//2 and modulus//2, C-contiguous."""
    if values.dtype == np.int64 and magnitude(values) <= modulus // 2:
        return np.ascontiguousarray(values)
    positive = np.asarray(values % modulus).astype(np.int64)
    return np.ascontiguousarray(np.where(positive > modulus // 2, positive - modulus, positive))


def combine(channels: Sequence[NDArray[np.int64]], moduli: Sequence[int], *, wrap: bool) -> IntArray:
    """The integers modulo T = prod(moduli) from their residues (Garner's algorithm).

    Args:
        channels: for each modulus an array of residues, in any range.
        moduli: pairwise coprime, below 2^60.
        wrap: representatives in [0, T); otherwise in (-T/2, T/2], below for even T.

    Returns:
        int64 if T < 2^63, Python integers otherwise.
    """
    total = math.prod(moduli)
    small = max(moduli) < 2**31  # then no product of two digits leaves int64
    digits: list[NDArray[Any]] = []
    for i, modulus in enumerate(moduli):
        digit: NDArray[Any] = channels[i] % modulus
        if i > 0:
            digit = digit if small else digit.astype(object)
            known, weight = np.zeros_like(digit), 1
            for j in range(i):
                known = (known + digits[j] % modulus * weight) % modulus
                weight = weight * moduli[j] % modulus
            digit = (digit - known) % modulus * pow(weight, -1, modulus) % modulus
        digits.append(digit)
    wide = total >= 2**63
    result: NDArray[Any] = np.zeros(channels[0].shape, dtype=object if wide else np.int64)
    weight = 1
    for digit, modulus in zip(digits, moduli, strict=True):
        result = result + digit.astype(result.dtype) * weight
        weight *= modulus
    return result if wrap else np.where(result > (total - 1) // 2, result - total, result)
