# SPDX-License-Identifier: Apache-2.0
"""Batches of whatever kind: the arrays in them, and the keys that these know."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ..arrays.array import EncryptedArray, as_sent
from ..arrays.compounds import once
from ..errors import CyclotomeError, FunctionError
from ..frames.columns import EncryptedCategories, EncryptedColumn
from ..frames.table import Table
from ..functions.digit_arrays import DigitArray
from ..keys.held import held_for, hold_keys
from ..keys.keyring import Keyring
from ..reals.array import RealArray
from .messages import arrays_of

__all__ = ["arrays_within", "called", "held_in_worker", "keys_of", "mapped_arrays", "rejoined"]


def keys_of(batch: Any) -> Keyring:
    """The keys that the arrays of a batch know, all together."""
    ring = Keyring()
    for array in arrays_within(batch):
        ring = ring.joined(array.keyring)
    return ring


#: What consists of encrypted arrays, and is given keys as a whole.
_KINDS = (EncryptedArray, RealArray, DigitArray, Table, EncryptedColumn, EncryptedCategories)


def arrays_within(value: Any) -> Iterator[Any]:
    """All encrypted arrays in a batch."""
    if isinstance(value, (EncryptedColumn, EncryptedCategories)):
        yield from value.arrays()
    elif isinstance(value, (EncryptedArray, RealArray, DigitArray, Table)):
        yield from arrays_of(value)
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from arrays_within(each)
    elif isinstance(value, dict):
        for each in value.values():
            yield from arrays_within(each)


def mapped_arrays(value: Any, change: Callable[[Any], Any]) -> Any:
    """The same with ``change`` of all encrypted arrays, numbers, tables and columns in it, in lists, tuples and
    dictionaries."""
    if isinstance(value, _KINDS):
        return change(value)
    if isinstance(value, list):
        return [mapped_arrays(each, change) for each in value]
    if isinstance(value, tuple):
        parts = [mapped_arrays(each, change) for each in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    if isinstance(value, dict):
        return {key: mapped_arrays(each, change) for key, each in value.items()}
    return value


def _as_sent(x: Any) -> Any:
    if isinstance(x, RealArray):
        return x
    return as_sent(x) if isinstance(x, EncryptedArray) else x.mapped(once(as_sent))


def called(function: Callable[[Any], Any], batch: Any) -> Any:
    """What the function returns, of arrays and in arrays as they are sent, though it may be called where the batch is.

    Raises:
        FunctionError: for errors that are none of this library's.
    """
    try:
        return mapped_arrays(function(mapped_arrays(batch, _as_sent)), _as_sent)
    except CyclotomeError:
        raise
    except Exception as error:
        raise FunctionError(f"the function failed with {type(error).__name__}: {error}") from error


def held_in_worker(keys: tuple[Any, ...], device: str) -> Keyring:
    """Holds keys in this process, so that arrays in whatever is unpickled find them; all of them, on the device."""
    hold_keys(*keys, device=device)
    held = held_for(keys[0].key_id, keys[0].parameters.native.fingerprint) if keys else None
    return Keyring() if held is None else held


def rejoined(x: Any, ring: Keyring) -> Any:
    """An array, numbers, a table or a column with these keys; what is under others stays as it is."""
    keys = ring.keys()
    fits = all(
        key.key_id == own.key_id and key.parameters == own.parameters for own in arrays_within(x) for key in keys
    )
    return x.with_keys(*keys) if keys and fits else x
