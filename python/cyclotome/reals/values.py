# SPDX-License-Identifier: Apache-2.0
"""Real and complex numbers in and out."""

from __future__ import annotations

import numbers
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core
from ..errors import ArgumentError, UnsupportedError
from ..numbers.values import is_masked

if TYPE_CHECKING:
    from numpy.typing import NDArray

    #: float64 or complex128.
    NumberArray = NDArray[Any]

__all__ = ["from_native", "native", "number", "numbers_of"]


def numbers_of(values: object, operation: str) -> NumberArray:
    """Numbers as float64, or complex128 where they are complex.

    Raises:
        UnsupportedError: values that are no numbers, or have missing ones.
        ArgumentError: no values, or nested lists of different lengths.
    """
    if is_masked(values):
        raise UnsupportedError(f"{operation}: a masked array; fill in what is missing before")
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise ArgumentError(f"{operation}: the values are no array ({error})") from None
    if array.dtype == object:
        found = {type(value).__name__ for value in array.flat if not isinstance(value, numbers.Number)}
        if found:
            raise UnsupportedError(f"{operation}: values of type {', '.join(sorted(found))} are no numbers")
        try:
            array = array.astype(complex if any(isinstance(value, complex) for value in array.flat) else float)
        except (TypeError, ValueError, OverflowError) as error:
            raise UnsupportedError(f"{operation}: the values are no numbers of double precision ({error})") from None
    if array.dtype.kind not in "biufc":
        raise UnsupportedError(f"{operation}: values of type {array.dtype} are no numbers")
    if not array.size:
        raise ArgumentError(f"{operation}: there are no values")
    return np.ascontiguousarray(array, dtype=complex if array.dtype.kind == "c" else float).reshape(array.shape)


def native(values: NumberArray) -> _core.Reals:
    """The same for the library."""
    return _core.Reals(values.astype(complex), values.dtype.kind == "c")


def from_native(values: _core.Reals) -> NumberArray:
    """An array of the library's."""
    array = values.numpy()
    return array if values.complex else array.real.copy()


def number(value: object, what: str) -> float:
    """A Python float.

    Raises:
        ArgumentError: it is no real number.
    """
    if isinstance(value, bool) or not isinstance(value, (numbers.Real, np.floating, np.integer)):
        raise ArgumentError(f"{what} is a real number, not {value!r}")
    return float(value)
