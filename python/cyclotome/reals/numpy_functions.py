# SPDX-License-Identifier: Apache-2.0
"""NumPy's names for what arrays of reals do: ``np.exp(x)``, ``np.add(w, x)`` (NEP 13) and ``np.sum(x)`` (NEP 18)."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from inspect import signature
from typing import Any

import numpy as np

from ..errors import ArgumentError, UnsupportedError
from .array import RealArray

__all__ = ["applied", "called"]


def _ordered(function: Callable[[RealArray, Any], RealArray]) -> Callable[[Any, Any], RealArray]:
    """Of two operands whose order doesn't matter: the encrypted one first."""
    return lambda a, b: function(a, b) if isinstance(a, RealArray) else function(b, a)


def _swapped(plain: Callable[[Any, Any], Any], reflected: str) -> Callable[[Any, Any], Any]:
    """An operator; where the first operand is none of ours, what Python would call of the second."""
    return lambda a, b: plain(a, b) if isinstance(a, RealArray) else getattr(b, reflected)(a)


_UFUNCS: Mapping[Any, Callable[..., Any]] = {
    np.absolute: lambda x: x.absolute(),
    np.add: _ordered(operator.add),
    np.conjugate: lambda x: x.conj(),
    np.divide: _swapped(operator.truediv, "__rtruediv__"),
    np.exp: lambda x: x.exp(),
    np.matmul: _swapped(operator.matmul, "__rmatmul__"),
    np.maximum: _ordered(RealArray.maximum),
    np.minimum: _ordered(RealArray.minimum),
    np.multiply: _ordered(operator.mul),
    np.negative: operator.neg,
    np.positive: operator.pos,
    np.power: lambda x, exponent: x**exponent,
    np.square: lambda x: x * x,
    np.subtract: _swapped(operator.sub, "__rsub__"),
    np.tanh: lambda x: x.tanh(None),
}

#: What needs more than NumPy's arguments say.
_STATED: Mapping[Any, str] = {
    np.log: "x.log((low, high)), within which x lies, above 0",
    np.reciprocal: "x.inverse((low, high)), within which x lies, above 0",
    np.sign: "x.sign(gap), from which on numbers are told from 0",
    np.sqrt: "x.sqrt((low, high)), within which x lies, above 0",
    np.greater: "(x - y).greater(0, gap), which is 0 or 1 where they are farther apart than the gap",
    np.less: "(y - x).greater(0, gap), which is 0 or 1 where they are farther apart than the gap",
}


def applied(function: Any, method: str, operands: Sequence[Any], options: Mapping[str, Any]) -> Any:
    """What a ufunc of NumPy's is of operands of which one is an array of reals.

    Raises:
        UnsupportedError: one that has no counterpart here; one that has to be told more than NumPy does, with what; a
            method of one, such as ``np.add.reduce``.
        ArgumentError: an option, such as ``out``.
        Everything that the counterpart raises.
    """
    name = getattr(function, "__name__", "this function")
    if method != "__call__":
        raise UnsupportedError(f"numpy.{name}.{method} does not know encrypted arrays; x.sum(axis) and x.mean(axis) do")
    if function in _STATED:
        raise UnsupportedError(f"numpy.{name} of encrypted numbers has to be told where they lie: {_STATED[function]}")
    known = _UFUNCS.get(function)
    if known is None:
        raise UnsupportedError(
            f"numpy.{name} does not know encrypted real numbers; of NumPy's ufuncs these do: {_names(_UFUNCS)}. "
            "x.polynomial is for others, and cyclotome.decrypt gives an array of NumPy's"
        )
    if options:
        raise ArgumentError(
            f"numpy.{name} of encrypted arrays takes no {', '.join(sorted(options))}; arrays never change"
        )
    return known(*operands)


_Axis = int | tuple[int, ...] | None


def _sum(a: RealArray, axis: _Axis = None, *, keepdims: bool = False) -> RealArray:
    return a.sum(axis, keepdims=keepdims)


def _mean(a: RealArray, axis: _Axis = None, *, keepdims: bool = False) -> RealArray:
    return a.mean(axis, keepdims=keepdims)


def _dot(a: Any, b: Any) -> Any:
    if np.ndim(a) == 0 or np.ndim(b) == 0:
        return a * b
    if isinstance(a, RealArray) and isinstance(b, RealArray):
        if a.ndim > 1 or b.ndim > 1:
            raise UnsupportedError("numpy.dot of two encrypted arrays is of vectors")
        return a.dot(b)
    if np.ndim(b) > 2:  # the last axis with the last but one of b, and all pairs of the others: matmul's are not those
        raise UnsupportedError(f"numpy.dot of an operand with {np.ndim(b)} axes; x @ w is of a matrix")
    return a @ b


def _convolve(a: Any, v: Any, mode: str = "full") -> RealArray:
    if isinstance(v, RealArray):
        a, v = v, a
    if isinstance(v, RealArray):
        raise UnsupportedError("numpy.convolve of two encrypted arrays; one of both is public")
    result: RealArray = a.convolve(v, mode)
    return result


def _roll(a: RealArray, shift: int, axis: int | None = None) -> RealArray:
    if axis not in (-1, a.ndim - 1) and (axis is not None or a.ndim > 1):
        raise UnsupportedError(f"numpy.roll along axis {axis}; the last one turns")
    return a.roll(shift)


_FUNCTIONS: Mapping[Any, Callable[..., Any]] = {
    np.convolve: _convolve,
    np.dot: _dot,
    np.mean: _mean,
    np.ndim: lambda a: a.ndim,
    np.roll: _roll,
    np.shape: lambda a: a.shape,
    np.size: lambda a: a.size,
    np.sum: _sum,
}


def called(function: Any, arguments: Sequence[Any], options: Mapping[str, Any]) -> Any:
    """What ``function(*arguments, **options)`` is, for a function of NumPy's that is no ufunc.

    Raises:
        UnsupportedError: a function that has no counterpart here.
        ArgumentError: an argument of NumPy's that its counterpart does not have, such as ``out`` and ``dtype``.
        Everything that the counterpart raises.
    """
    name = getattr(function, "__name__", "this function")
    known = _FUNCTIONS.get(function)
    if known is None:
        raise UnsupportedError(
            f"numpy.{name} does not know encrypted real numbers; of NumPy's functions these do: {_names(_FUNCTIONS)}. "
            "Operators and the array's methods do the rest"
        )
    given = {key: value for key, value in options.items() if value is not None or key == "axis"}
    try:
        signature(known).bind(*arguments, **given)
    except TypeError as error:
        raise ArgumentError(f"numpy.{name} of encrypted arrays: {error}") from None
    return known(*arguments, **given)


def _names(functions: Mapping[Any, Any]) -> str:
    return ", ".join(sorted(function.__name__ for function in functions))
