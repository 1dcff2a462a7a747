# SPDX-License-Identifier: Apache-2.0
"""The values of an array from the decryption shares of several parties."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from .. import _core
from ..arrays.array import EncryptedArray
from ..devices.contexts import Context
from ..errors import UnsupportedError
from ..numbers.values import IntArray, from_native
from ..options import Callback, options
from .messages import DecryptionShare, Message, Session

__all__ = ["decrypt", "natives_of", "require_array", "shown_values"]


def decrypt(
    x: EncryptedArray,
    shares: Sequence[DecryptionShare],
    session: Session,
    *,
    progress: Callback | None = None,
) -> IntArray | Any:
    """The values of an array, from the shares of all who decrypt.

    Whoever gets the values may be told why it failed, too: the flooding hides what the noise was.

    Nothing here tells an altered share from an honest one as long as what it adds looks like flooding: then **the
    values are wrong**, in nine of ten cases of one changed bit. Where somebody could alter a share, a party or who
    relays it, use `CheckedDecryption`, which refuses it.

    Args:
        x: the array that the shares were made for.
        shares: one of each of those who decrypt.
        session: the session.
        progress: called as ``progress(done, total, what)``.

    Returns:
        As `cyclotome.decrypt`.

    Raises:
        ArgumentError: a share is missing or repeated, or there are too few.
        MismatchError: shares of another session, array, set of parties or flooding.
        ContradictionError: shares that give more noise than flooding explains: one was altered by much, or the array
            is not what it claims to be.
        RangeError: the values are beyond the array's own bound.
    """
    require_array(x)
    if not isinstance(session, Session):
        raise UnsupportedError(f"threshold.decrypt takes a Session, not {type(session).__name__}")
    natives = natives_of(shares, DecryptionShare, x.context)
    return shown_values(_core.threshold_decrypt(session.native, x.native, natives, options(progress)), x)


def shown_values(native: Any, x: EncryptedArray) -> IntArray | Any:
    """What the library decrypted of an array, as `cyclotome.decrypt` gives it."""
    values = from_native(native)
    if x.is_bits:
        values = values.astype(bool)
        return values if values.ndim else bool(values[()])
    return values if values.ndim else int(values[()])


def natives_of(messages: Any, kind: type[Message], context: Context) -> list[Any]:
    """The library's objects behind messages of one kind, on a context. Raises UnsupportedError for something else."""
    if isinstance(messages, Message) or not isinstance(messages, Iterable):
        raise UnsupportedError(f"a list of {kind.__name__} is needed, not {type(messages).__name__}")
    every = list(messages)
    for message in every:
        if not isinstance(message, kind):
            raise UnsupportedError(f"a {kind.__name__} is needed, not {type(message).__name__}")
    return [message.on(context) for message in every]


def require_array(x: EncryptedArray) -> None:
    """Raises UnsupportedError unless it is an array."""
    if not isinstance(x, EncryptedArray):
        raise UnsupportedError(f"threshold decryption takes an EncryptedArray, not {type(x).__name__}")
