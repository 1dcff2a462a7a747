# SPDX-License-Identifier: Apache-2.0
"""Keys of look-ups by keyword."""

from __future__ import annotations

from ..errors import ArgumentError

__all__ = ["key_bytes"]


def key_bytes(key: object) -> bytes:
    """A key's bytes; text is its UTF-8.

    Raises:
        ArgumentError: neither text nor bytes, or text that has no UTF-8.
    """
    if isinstance(key, str):
        try:
            return key.encode()
        except UnicodeEncodeError:
            raise ArgumentError(f"the key {key!r:.60} has characters without UTF-8; give its bytes") from None
    if isinstance(key, (bytes, bytearray)):
        return bytes(key)
    raise ArgumentError(f"a key is text or bytes, not {type(key).__name__} {key!r:.60}")
