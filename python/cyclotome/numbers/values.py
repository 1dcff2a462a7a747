# SPDX-License-Identifier: Apache-2.0
"""Numbers in and out: exact integers from what a user hands in, for the library, and back."""

from __future__ import annotations

import numbers
import operator
import sys
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core
from ..errors import ArgumentError, UnsupportedError
from .row_labels import require_numbered

if TYPE_CHECKING:  # it takes longer than everything else that a first call imports
    from numpy.typing import NDArray

    #: Exact integers: int64, or Python integers in an array of objects.
    IntArray = NDArray[Any]
else:
    IntArray = np.ndarray

__all__ = [
    "DURATION",
    "IntArray",
    "from_native",
    "frozen",
    "index",
    "integers",
    "interval_of",
    "is_integral",
    "is_masked",
    "magnitude_of",
    "native",
    "word",
]

_INT64 = np.iinfo(np.int64)
#: NumPy's time differences.
DURATION: Any = np.timedelta64
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


def word(value: object, what: str) -> int:
    """As `index`, if it fits the library's integers.

    Raises:
        ArgumentError: it doesn't.
    """
    number = index(value, what)
    if not _INT64.min <= number <= _INT64.max:
        raise ArgumentError(f"{what} is {number}, far out of range")
    return number


def is_masked(values: object) -> bool:
    """Whether it is a masked array of NumPy, whose module is not imported to find out: whoever has one did that."""
    masked = sys.modules.get("numpy.ma")
    return masked is not None and isinstance(values, masked.MaskedArray)


def is_integral(value: object) -> bool:
    """Whether it is an integer, also of NumPy, which counts time differences among them."""
    return isinstance(value, numbers.Integral) and not isinstance(value, DURATION)


def _is_whole(value: object) -> bool:
    return hasattr(value, "__index__") and not isinstance(value, bool)


def interval_of(operation: str, bound: object) -> tuple[int, int]:
    """The least and the largest value that a bound allows: a magnitude, or a pair of them.

    Raises:
        ArgumentError: it is neither, or the least comes last.
    """
    if not isinstance(bound, (tuple, list)):
        if not _is_whole(bound) or index(bound, "bound") < 0:
            raise ArgumentError(f"{operation}: bound {bound!r} is no whole number of at least 0")
        return -index(bound, "bound"), index(bound, "bound")
    if len(bound) != 2 or not all(map(_is_whole, bound)) or index(bound[0], "bound") > index(bound[1], "bound"):
        raise ArgumentError(f"{operation}: bound {bound!r}; a pair is (least, largest), whole numbers in that order")
    return index(bound[0], "bound"), index(bound[1], "bound")


def magnitude_of(operation: str, l1_bound: object) -> int | None:
    """A bound on sums of magnitudes, or None.

    Raises:
        ArgumentError: it is neither.
    """
    if l1_bound is None:
        return None
    if not _is_whole(l1_bound) or index(l1_bound, "l1_bound") < 0:
        raise ArgumentError(f"{operation}: l1_bound {l1_bound!r} is no whole number of at least 0")
    return index(l1_bound, "l1_bound")


def integers(values: object, operation: str, *, named_rows: bool = False) -> IntArray:
    """``values`` as an array of int64, or of Python integers where int64 is too narrow.

    Takes Python and NumPy integers and booleans, nested lists of them, and arrays; of pandas what numbers its rows from
    0 in order, as arrays have no other names of rows. Exact: nothing is rounded.

    Args:
        values: what is given.
        operation: what for, in messages.
        named_rows: take rows of pandas by their order whatever they are called, where they meet no others.

    Raises:
        UnsupportedError: floats (even whole ones), complex numbers, text and anything else that is no integer.
        ArgumentError: ragged lists; rows of pandas with other names.
    """
    if not named_rows:
        require_numbered(values, operation)
    if is_masked(values):
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
    every = array.ravel().tolist()
    kinds = set(map(type, every))
    if not all(issubclass(kind, (numbers.Integral, np.bool_)) and kind is not DURATION for kind in kinds):
        value = next(value for value in every if not isinstance(value, np.bool_) and not is_integral(value))
        if isinstance(value, numbers.Number) and not isinstance(value, (complex, DURATION)):
            raise _floats(operation)
        raise UnsupportedError(f"{operation}: {type(value).__name__} {value!r} is no integer")
    whole = every if kinds == {int} else [int(value) for value in every]
    least, largest = _INT64.min, _INT64.max
    fits = not whole or (least <= min(whole) and max(whole) <= largest)
    exact = np.empty(array.shape, dtype=np.int64 if fits else object)
    exact.ravel()[:] = whole
    return exact


def frozen(values: IntArray) -> IntArray:
    """A copy that nobody can change. An array that owns its memory is made writable again by whoever has it; words lie
    in `bytes` therefore, which nobody makes writable."""
    if values.dtype == object:
        copied: IntArray = values.copy()
        copied.flags.writeable = False
        view: IntArray = copied.view()  # which its holder can't make writable, but by what it is a view of
        return view
    words: IntArray = np.ndarray(values.shape, values.dtype, values.tobytes())
    return words


def native(values: IntArray) -> _core.Integers:
    """``values`` as the library takes them."""
    if values.dtype != object:
        return _core.Integers(values.astype(np.int64, order="C", copy=False))
    every: list[int] = values.ravel().tolist()
    words = max((value.bit_length() for value in every), default=0) // 64 + 1
    data = b"".join(value.to_bytes(8 * words, "little", signed=True) for value in every)
    return _core.Integers.wide(list(values.shape), words, data)


def from_native(values: _core.Integers) -> IntArray:
    """What the library gives: int64 where one word holds a value, else Python integers."""
    if values.words == 1:
        return values.numpy().view(np.int64)
    data, step = values.to_bytes(), 8 * values.words
    exact = np.empty(values.shape, dtype=object)
    exact.ravel()[:] = [int.from_bytes(data[i : i + step], "little", signed=True) for i in range(0, len(data), step)]
    return exact
