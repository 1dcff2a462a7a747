# SPDX-License-Identifier: Apache-2.0
"""Passphrases of the files of secret keys and shares: from whatever a caller has to the bytes that open them."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ..errors import PassphraseError, UnsupportedError

__all__ = ["Passphrase", "typed", "typed_if_any"]

#: Text (its UTF-8 in normal form NFC, so that it is the same on every keyboard), bytes as they are, or a function that
#: returns either, which is called only if a passphrase is needed.
Passphrase = str | bytes | bytearray | Callable[[], str | bytes | bytearray]


@contextmanager
def typed(passphrase: Passphrase | None, name: str) -> Iterator[bytearray]:
    """The bytes of a passphrase for the file ``name``, wiped afterwards. What the caller holds, Python can't wipe.

    Raises:
        PassphraseError: there is none, or an empty one.
        UnsupportedError: something else than text, bytes, or a function that returns them.
    """
    given = passphrase() if callable(passphrase) else passphrase
    if given is None:
        raise PassphraseError(f"{name} is protected by a passphrase: say passphrase=...")
    if isinstance(given, str):
        secret = bytearray(unicodedata.normalize("NFC", given), "utf-8")
    elif isinstance(given, (bytes, bytearray)):
        secret = bytearray(given)
    else:
        raise UnsupportedError(f"a passphrase is text or bytes, not {type(given).__name__}")
    try:
        if not secret:
            raise PassphraseError(f"{name}: a passphrase of no characters protects nothing")
        yield secret
    finally:
        secret[:] = bytes(len(secret))


@contextmanager
def typed_if_any(passphrase: Passphrase | None, name: str) -> Iterator[bytearray | None]:
    """The same, or None for None."""
    if passphrase is None:
        yield None
        return
    with typed(passphrase, name) as secret:
        yield secret
