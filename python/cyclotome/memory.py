# SPDX-License-Identifier: Apache-2.0
"""Memory that is announced before it is asked for."""

from __future__ import annotations

import inspect
import math
import operator
import os
import warnings
from pathlib import Path

from . import _core
from .errors import ArgumentError, PaddingWarning
from .text import byte_size

__all__ = ["level_of_caller", "memory_limit", "set_memory_limit", "warn_of_padding", "warn_of_spread"]

#: A program's limit before it sets one itself; as `set_memory_limit` takes it.
VARIABLE = "CYCLOTOME_MEMORY_LIMIT"

_UNITS = {"": 0, "K": 10, "M": 20, "G": 30, "T": 40}
#: More padding than this in more bytes than that is worth a warning.
_WASTE, _WORTH_A_WARNING = 0.9, 64 << 20
#: Where the library's modules lie.
_LIBRARY = str(Path(__file__).parent) + os.sep
#: A result of more bytes than this that takes so many times the ciphertexts that it could.
_WORTH_ANOTHER_LAYOUT, _SPREAD = 4 << 20, 8


def set_memory_limit(limit: int | str | None) -> None:
    """Sets the most memory that arrays and keys may take together, on each device.

    Whatever would take more raises `MemoryLimitError` before it begins. Without a limit, that is what happens to work
    that takes more than four fifths of the memory that is free when it begins. Working memory of NumPy is not counted.

    Args:
        limit: bytes, or text such as "512M", "8G", "8GiB" (powers of 1024); None for no limit. The environment variable
            ``CYCLOTOME_MEMORY_LIMIT`` sets it before the program does.

    Raises:
        ArgumentError: no such number.

    Example:
        >>> import cyclotome as cy
        >>> cy.set_memory_limit("1G")
        >>> cy.memory_limit()
        1073741824
        >>> cy.set_memory_limit(None)
    """
    _core.set_memory_limit(None if limit is None else _bytes(limit, "set_memory_limit"))


def memory_limit() -> int | None:
    """The limit that `set_memory_limit` set, in bytes; None for none."""
    limit: int | None = _core.memory_limit()
    return limit


def _bytes(limit: int | str, what: str) -> int:
    try:
        if isinstance(limit, str):
            digits = limit.strip().upper().removesuffix("B").removesuffix("I")
            number = digits.rstrip("".join(_UNITS))
            value = int(number) << _UNITS[digits[len(number) :]]
        else:
            value = operator.index(limit)
        if isinstance(limit, bool) or not 0 <= value < 1 << 63:
            raise ValueError
    except (KeyError, TypeError, ValueError):
        raise ArgumentError(f'{what}: {limit!r} is no number of bytes; say for example 8 << 30 or "8G"') from None
    return value


if os.environ.get(VARIABLE):
    _core.set_memory_limit(_bytes(os.environ[VARIABLE], VARIABLE))


def level_of_caller() -> int:
    """Of the line outside this library that called it, as `warnings.warn` counts from where this is called."""
    frame, level = inspect.currentframe(), 0
    while frame is not None and frame.f_code.co_filename.startswith(_LIBRARY):
        frame, level = frame.f_back, level + 1
    return level


def warn_of_padding(operation: str, shape: tuple[int, ...], width: int, each: int) -> None:
    """Remarks on much padding in much memory: packed values of ``shape`` in ciphertexts of ``width`` values and
    ``each`` bytes (of all plaintext moduli)."""
    if not shape or 0 in shape:
        return
    axis = min(range(len(shape)), key=lambda i: _ciphertexts(shape, i, width))
    batch, best = (_ciphertexts(shape, i, width) for i in (len(shape) - 1, axis))
    used = math.prod(shape) / (batch * width)
    if used >= 1 - _WASTE or batch * each <= _WORTH_A_WARNING:
        return
    part = math.floor(1000 * (1 - used)) / 10
    what = f"{operation}: {part:.1f} % of {byte_size(batch * each)} for shape {shape} is padding"
    if 2 * best <= batch:
        moved = "values.T" if len(shape) == 2 else f"numpy.moveaxis(values, {axis}, -1)"
        what += f"; put a long axis last: {moved} takes {byte_size(best * each)}"
    warnings.warn(what, PaddingWarning, stacklevel=level_of_caller())


def warn_of_spread(operation: str, shape: tuple[int, ...], batch: int, width: int, nbytes: int) -> None:
    """Remarks on a result of ``shape`` in ``batch`` ciphertexts, ``nbytes`` in all, that a few of ``width`` values
    could hold."""
    if not shape or nbytes <= _WORTH_ANOTHER_LAYOUT:
        return
    best = min(_ciphertexts(shape, axis, width) for axis in range(len(shape)))
    if best * _SPREAD > batch:
        return
    what = (
        f"{operation}: a result of shape {shape} in {batch} ciphertexts, {byte_size(nbytes)}, which {best} could hold. "
        "Encrypt the contracted axis last and packed: matrix @ x of vectors and x @ matrix give packed results; "
        "x.packed() packs replicated ones"
    )
    warnings.warn(what, PaddingWarning, stacklevel=level_of_caller())


def _ciphertexts(shape: tuple[int, ...], axis: int, width: int) -> int:
    """How many there are with this axis in the slots."""
    return math.prod(shape) // shape[axis] * -(-shape[axis] // width)
