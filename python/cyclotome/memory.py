# SPDX-License-Identifier: Apache-2.0
"""Memory that is announced before it is asked for."""

from __future__ import annotations

import math
import operator
import os
import warnings
from typing import TYPE_CHECKING

from . import _core
from .errors import ArgumentError, PaddingWarning
from .text import byte_size

if TYPE_CHECKING:
    from .contexts import Context
    from .layout import Layout, Shape

__all__ = ["announce", "announce_rest", "memory_limit", "set_memory_limit"]

#: A program's limit before it sets one itself; as `set_memory_limit` takes it.
VARIABLE = "CYCLOTOME_MEMORY_LIMIT"

_UNITS = {"": 0, "K": 10, "M": 20, "G": 30, "T": 40}
#: More padding than this in more bytes than that is worth a warning.
_WASTE, _WORTH_A_WARNING = 0.9, 64 << 20


def set_memory_limit(limit: int | str | None) -> None:
    """Sets the most memory that arrays and keys may take together, on each device.

    Whatever would take more raises `MemoryLimitError` before it begins. Without a limit, that is what happens to work
    that takes more than four fifths of the memory that is free when it begins; on a GPU, to work that it has no room
    for. Working memory of NumPy is not counted.

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


def announce(operation: str, context: Context, layout: Layout, channels: int, spare: float, stacklevel: int) -> None:
    """Refuses fresh ciphertexts of ``layout`` that don't fit into memory, and remarks on much padding.

    Args:
        operation: what the user called.
        context: where.
        layout: of the values.
        channels: number of plaintext moduli.
        spare: what working memory takes, in arrays of one channel.
        stacklevel: of the user's call, as `warnings.warn` in the caller would take it.

    Raises:
        MemoryLimitError: they don't.
    """
    channel = 2 * context.native.polynomial_bytes * layout.batch
    used = layout.length / (layout.chunks * layout.width) if layout.packed else 1.0
    what = f"{operation}: shape {layout.shape} in {layout.batch * channels} ciphertexts of n = {layout.width}"
    if used < 1 - _WASTE:
        what += f", {math.floor(1000 * (1 - used)) / 10:.1f} % of which is padding,"
    advice = _advice(layout, channel // layout.batch * channels)
    context.engine.require_memory(what, round(channel * (channels + spare)), advice)
    if used < 1 - _WASTE and channel * channels > _WORTH_A_WARNING:
        warnings.warn(
            f"{what} takes {byte_size(channel * channels)}; {advice}", PaddingWarning, stacklevel=stacklevel + 1
        )


def announce_rest(what: str, made: _core.Ciphertext, rest: int) -> None:
    """Refuses ``rest`` more ciphertexts like those that were ``made`` first, if they don't fit into memory.

    Raises:
        MemoryLimitError: they don't.
    """
    made.context.engine.require_memory(f"{what}: {rest} more ciphertexts", made.nbytes // made.batch * rest)


def _ciphertexts(shape: Shape, axis: int, width: int) -> int:
    """How many there are with this axis in the slots."""
    return math.prod(shape) // shape[axis] * -(-shape[axis] // width)


def _advice(layout: Layout, each: int) -> str:
    shape = layout.shape
    if not layout.packed and shape:
        packed = min(_ciphertexts(shape, axis, layout.width) for axis in range(len(shape)))
        return f'layout="packed" takes {byte_size(packed * each)}'
    axis = min(range(len(shape)), key=lambda i: _ciphertexts(shape, i, layout.width), default=0)
    if not shape or 2 * _ciphertexts(shape, axis, layout.width) > layout.batch:
        return "encrypt fewer values at a time, or take parameters of a smaller degree"
    better = byte_size(_ciphertexts(shape, axis, layout.width) * each)
    moved = "values.T" if len(shape) == 2 else f"numpy.moveaxis(values, {axis}, -1)"
    return f"put a long axis last: {moved} takes {better}"
