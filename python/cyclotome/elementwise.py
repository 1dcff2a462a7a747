# SPDX-License-Identifier: Apache-2.0
"""Sums and products value by value, with NumPy's broadcasting."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from . import _core, slots
from .bounds import Bound, combined, within
from .channels import Channels, each, multiply_relinearized, require_evaluation, take
from .channels import multiply as multiply_channels
from .errors import ArgumentError, UnsupportedError
from .layout import Layout, Shape, broadcast_shape
from .rows import broadcast, order, require_slots, rows_of, with_rows
from .values import IntArray, magnitude, residues

if TYPE_CHECKING:
    from .array import EncryptedArray

__all__ = ["add", "multiply", "multiply_lazily", "multiply_rows", "negate", "power", "subtract"]

#: x ** 65 and beyond is refused: no sensible parameters carry it.
_LARGEST_EXPONENT = 64


def negate(x: EncryptedArray) -> EncryptedArray:
    """-x."""
    return x._derived(each(_core.negate, x._channels), bound=x.bound)


def add(x: EncryptedArray, y: EncryptedArray | IntArray) -> EncryptedArray:
    """x + y."""
    if isinstance(y, np.ndarray):
        return _add_plain(x, y)
    return _add_or_subtract("add", x, y)


def subtract(x: EncryptedArray, y: EncryptedArray | IntArray) -> EncryptedArray:
    """x - y."""
    if isinstance(y, np.ndarray):
        return _add_plain(x, -(y.astype(object) if magnitude(y) > 2**62 else y))
    return _add_or_subtract("subtract", x, y)


def multiply(x: EncryptedArray, y: EncryptedArray | IntArray) -> EncryptedArray:
    """x * y; products of two encrypted arrays are relinearised."""
    if isinstance(y, np.ndarray):
        return multiply_plain(x, y)
    keys = require_evaluation(x._keys.joined(y._keys).evaluation, "multiply")
    return _product(x, y, None, lambda a, b: multiply_relinearized(a, b, keys))


def power(x: EncryptedArray, exponent: object) -> EncryptedArray:
    """x ** exponent for a small whole number, in ceil(log2(exponent)) products one after the other."""
    try:
        count = operator.index(exponent)  # type: ignore[arg-type]
    except TypeError:
        raise UnsupportedError(f"x ** {exponent!r}: exponents are small whole numbers") from None
    if not 0 <= count <= _LARGEST_EXPONENT:
        raise ArgumentError(f"x ** {count}: exponents are whole numbers from 0 to {_LARGEST_EXPONENT}")
    if count == 0:
        return _add_plain(multiply_plain(x, np.array(0)), np.array(1))
    if count == 1:
        return x
    lower = power(x, count // 2)
    return multiply(lower, lower if count % 2 == 0 else power(x, count - count // 2))


# --- two encrypted arrays ---------------------------------------------------------------------------------------------
def _aligned(operation: str, x: EncryptedArray, y: EncryptedArray) -> tuple[Channels, Channels, Layout]:
    """Both operands' ciphertexts in the order of the result's, batches equal or 1, and the layout of their sum."""
    shape = broadcast_shape(operation, x.shape, y.shape)
    if x._layout.packed or y._layout.packed:
        x, y = _in_slots(x, shape), _in_slots(y, shape)
    if x._layout.packed and y._layout.packed and x._layout.slots != y._layout.slots:
        raise ArgumentError(f"{operation}: one operand is encoded in slots and the other in coefficients")
    pattern = x._layout if x._layout.packed else y._layout
    clean = x._layout.zero_padded and y._layout.zero_padded
    layout = pattern.reshaped(shape, clean=clean)
    return broadcast(x, layout), broadcast(y, layout), layout


def _in_slots(x: EncryptedArray, shape: Shape) -> EncryptedArray:
    """``x`` so that it can meet a packed array in a result of this shape."""
    if x._layout.packed:
        return x if x.shape[-1] == shape[-1] else slots.spread(x)
    return x if x.shape[-1:] in ((), (1,)) else slots.packed(x)


def _add_or_subtract(operation: str, x: EncryptedArray, y: EncryptedArray) -> EncryptedArray:
    bounds = combined(operation, x.bound, y.bound)
    bound = None if bounds is None else sum(bounds)
    within(bound, x.parameters, operation)
    if x._layout.packed != y._layout.packed:
        require_slots(operation, x._layout if x._layout.packed else y._layout)
    a, b, layout = _aligned(operation, x, y)
    function = _core.add if operation == "add" else _core.subtract
    return x._result(operation, each(function, a, b), layout=layout, bound=bound, keys=x._keys.joined(y._keys))


def multiply_lazily(x: EncryptedArray, y: EncryptedArray, bound: Bound = None) -> EncryptedArray:
    """x * y without relinearisation: for sums of products, which relinearise once; ``bound`` is that of those sums."""
    return _product(x, y, bound, multiply_channels)


def _product(
    x: EncryptedArray, y: EncryptedArray, bound: Bound, form: Callable[[Channels, Channels], Channels]
) -> EncryptedArray:
    """x * y, the ciphertexts' products made by ``form``; ``bound``: of the sums that it is for, if any."""
    bounds = combined("multiply", x.bound, y.bound)
    own = None if bounds is None else bounds[0] * bounds[1]
    within(own if bound is None else bound, x.parameters, "multiply")
    if x._layout.packed and y._layout.packed:
        require_slots("multiply", x._layout)
        require_slots("multiply", y._layout)
    if x is y:
        a, b, layout = x._channels, x._channels, x._layout
    else:
        a, b, layout = _aligned("multiply", x, y)
        layout = layout.reshaped(layout.shape, clean=x._layout.zero_padded or y._layout.zero_padded)
    return x._result("multiply", form(a, b), layout=layout, bound=own, keys=x._keys.joined(y._keys))


# --- an encrypted and a plaintext array -------------------------------------------------------------------------------
def _expanded(operation: str, x: EncryptedArray, w: IntArray) -> tuple[EncryptedArray, Layout]:
    """``x`` and the layout of its sum or product with ``w``, the former broadcast unless it is a single ciphertext."""
    shape = broadcast_shape(operation, x.shape, w.shape)
    if w.ndim and w.shape[-1] > 1 and x.shape[-1:] in ((), (1,)) and x.parameters.has_slots:
        x = slots.spread(x) if x._layout.packed else x
        return x, x._layout.reshaped(shape, packed=True, slots=True, clean=False)
    if x._layout.packed and shape[-1] != x.shape[-1]:
        raise UnsupportedError(f"{operation}: a column in coefficients can't be broadcast to shape {shape}")
    return x, x._layout.reshaped(shape)


def _add_plain(x: EncryptedArray, w: IntArray) -> EncryptedArray:
    bound = None if x.bound is None else x.bound + magnitude(w)
    within(bound, x.parameters, "add")
    x, layout = _expanded("add", x, w)
    made = with_rows("adding", _core.add_plain, x, layout, *rows_of(layout, w))
    return x._result("add", made, layout=layout, bound=bound)


def multiply_plain(x: EncryptedArray, w: IntArray) -> EncryptedArray:
    """x * w for public integers, the cheapest way: a scalar, a factor for each row, or vectors in slots."""
    bound = None if x.bound is None else x.bound * magnitude(w)
    within(bound, x.parameters, "multiply")
    if w.size and (w == w.flat[0]).all():
        return _multiply_by_scalar(x, w, bound)
    return multiply_rows(x, w, bound)


def _multiply_by_scalar(x: EncryptedArray, w: IntArray, bound: Bound) -> EncryptedArray:
    layout = x._layout
    if w.size > 1 or w.ndim > x.ndim:
        x, layout = _expanded("multiply", x, w)
    channels = x._channels if x._layout.batch == layout.batch else take(x._channels, order(x._layout, layout))
    scalar = w.ravel()[:1]
    factors = [int(residues(scalar, t)[0]) for t in x.parameters.plain_moduli]
    return x._result("multiply", each(_core.multiply_scalar, channels, factors), layout=layout, bound=bound)


def multiply_rows(x: EncryptedArray, w: IntArray, bound: Bound) -> EncryptedArray:
    """x * w with plaintext polynomials; ``bound`` is the result's."""
    x, layout = _expanded("multiply", x, w)
    if layout.packed and (w.ndim == 0 or w.shape[-1] == 1):
        # One factor for each row: constants, which add least noise.
        factors = np.broadcast_to(w, (*layout.outer, 1)).ravel()
        rows, in_slots = np.repeat(factors, layout.chunks).reshape((-1, 1)), False
    else:
        if layout.packed:
            require_slots("multiply", layout)
            layout = layout.reshaped(layout.shape, clean=True)
        rows, in_slots = rows_of(layout, w)
    made = with_rows("multiplying", _core.multiply_plain, x, layout, rows, in_slots)
    return x._result("multiply", made, layout=layout, bound=bound)
