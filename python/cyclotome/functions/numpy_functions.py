# SPDX-License-Identifier: Apache-2.0
"""NumPy's functions for encrypted arrays: ``np.sum(x)``, ``np.dot(w, x)`` and so on are cyclotome's own, with NumPy's
arguments and defaults (NEP 18). Those that are ufuncs (``np.add``, ``np.matmul``) stay NumPy's: operators do that."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from inspect import signature
from typing import Any

import numpy as np

from ..arrays.array import EncryptedArray
from ..arrays.contraction import einsum
from ..arrays.shaping import concatenate, stack
from ..errors import ArgumentError, UnsupportedError
from ..polynomials import convolve
from .functions import argmax, argmin, polyval, sort, where, within_bits

__all__ = ["answered", "call"]

_Axis = int | tuple[int, ...] | None


def _sum(a: EncryptedArray, axis: _Axis = None, *, keepdims: bool = False) -> EncryptedArray:
    return a.sum(axis, keepdims=keepdims)


def _mean(a: EncryptedArray, *arguments: Any, **options: Any) -> EncryptedArray:
    return a.mean(*arguments, **options)  # whose refusal says what to do


def _dot(a: Any, b: Any) -> Any:
    if np.ndim(a) == 0 or np.ndim(b) == 0:
        return a * b
    if np.ndim(b) > 2:  # the last axis with the last but one of b, and all pairs of the others: matmul's are not those
        raise UnsupportedError(f"numpy.dot of an operand with {np.ndim(b)} axes; @ and cyclotome.einsum name the axes")
    return a @ b


def _polyval(p: Any, x: Any) -> EncryptedArray:
    return polyval(p, x)


def _concatenate(arrays: Sequence[Any], axis: int | None = 0) -> EncryptedArray:
    if axis is None:
        raise UnsupportedError("numpy.concatenate of all values as one list: name the axis")
    return concatenate(arrays, axis)


def _stack(arrays: Sequence[Any], axis: int = 0) -> EncryptedArray:
    return stack(arrays, axis)


def _transpose(a: EncryptedArray, axes: Sequence[int] | None = None) -> EncryptedArray:
    return a.transpose() if axes is None else a.transpose(*axes)


def _reshape(a: EncryptedArray, shape: int | tuple[int, ...]) -> EncryptedArray:
    return a.reshape(shape)


def _where(condition: Any, x: Any, y: Any) -> Any:
    if isinstance(condition, EncryptedArray) and not within_bits(condition):
        raise UnsupportedError(
            f"numpy.where takes all but 0 for true, and this condition may be {condition.interval}: compare first, "
            "1 - cy.is_zero(x), or say that it holds zeros and ones: x.assume_bound((0, 1)); cyclotome.where(x, a, b) "
            "is b + x (a - b) whatever x is"
        )
    return where(condition, x, y)


def _sort(a: EncryptedArray, axis: int | None = -1) -> EncryptedArray:
    if axis is None:
        raise UnsupportedError("numpy.sort of all values as one list: name the axis")
    return sort(a, axis=axis)


def _place(function: Callable[..., EncryptedArray], a: EncryptedArray, axis: int | None) -> EncryptedArray:
    if axis is None and a.ndim > 1:
        raise UnsupportedError(f"numpy.{function.__name__} of {a.ndim} axes as one list: name the axis")
    return function(a, axis=0 if axis is None else axis)


def _argmax(a: EncryptedArray, axis: int | None = None) -> EncryptedArray:
    return _place(argmax, a, axis)


def _argmin(a: EncryptedArray, axis: int | None = None) -> EncryptedArray:
    return _place(argmin, a, axis)


def _convolve(a: Any, v: Any, mode: str = "full") -> EncryptedArray:
    if mode != "full":
        raise UnsupportedError(f"numpy.convolve of encrypted arrays in mode {mode!r}; only 'full' there is")
    if np.ndim(a) > 1 or np.ndim(v) > 1:
        raise UnsupportedError("numpy.convolve is of two lists; cyclotome.convolve is of all along the last axis")
    return convolve(a, v)


def _einsum(subscripts: str, *operands: Any) -> EncryptedArray:
    return einsum(subscripts, *operands)


_FUNCTIONS: Mapping[Any, Callable[..., Any]] = {
    np.argmax: _argmax,
    np.argmin: _argmin,
    np.concatenate: _concatenate,
    np.convolve: _convolve,
    np.dot: _dot,
    np.einsum: _einsum,
    np.mean: _mean,
    np.ndim: lambda a: a.ndim,
    np.polyval: _polyval,
    np.reshape: _reshape,
    np.shape: lambda a: a.shape,
    np.size: lambda a: a.size,
    np.sort: _sort,
    np.stack: _stack,
    np.sum: _sum,
    np.transpose: _transpose,
    np.where: _where,
}


def answered() -> list[Callable[..., Any]]:
    """NumPy's functions that encrypted arrays answer."""
    return list(_FUNCTIONS)


#: Those that add or compare, which NumPy does with integers: of bits it counts, or takes "or" for the sum.
_OF_INTEGERS = frozenset((np.argmax, np.argmin, np.convolve, np.dot, np.einsum, np.polyval, np.sort, np.sum))


def _require_integers(function: Any, name: str, arguments: Sequence[Any]) -> None:
    for each in arguments:
        if function in _OF_INTEGERS and isinstance(each, EncryptedArray) and each.dtype != "int":
            raise UnsupportedError(
                f"numpy.{name} of values of type {each.dtype}, whose sums are modulo 2: operators and methods, @ and "
                "x.sum(axis), take them so, where NumPy would count"
            )


def call(function: Any, arguments: Sequence[Any], options: Mapping[str, Any]) -> Any:
    """What ``function(*arguments, **options)`` is, for a function of NumPy's of which an operand is encrypted.

    Raises:
        UnsupportedError: a function that has no counterpart here.
        ArgumentError: an argument of NumPy's that its counterpart does not have, such as ``out`` and ``dtype``.
        Everything that the counterpart raises.
    """
    name = getattr(function, "__name__", "this function")
    known = _FUNCTIONS.get(function)
    if known is None:
        names = ", ".join(sorted(f.__name__ for f in _FUNCTIONS))
        raise UnsupportedError(
            f"numpy.{name} does not know encrypted arrays; of NumPy's functions these do: {names}. Operators and the "
            "array's methods do the rest"
        )
    # None is NumPy's own "not asked for", but where it is an answer of its own, as for axes.
    given = {key: value for key, value in options.items() if value is not None or key == "axis"}
    try:
        signature(known).bind(*arguments, **given)
    except TypeError as error:
        raise ArgumentError(f"numpy.{name} of encrypted arrays: {error}") from None
    _require_integers(function, name, [*arguments, *given.values()])
    return known(*arguments, **given)
