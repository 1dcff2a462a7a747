# SPDX-License-Identifier: Apache-2.0
"""Who a party of a joint key is: what signs its messages, and what others seal messages for it with."""

from __future__ import annotations

import os
from typing import Any, NoReturn

from .. import _core
from ..errors import ArgumentError, FileError, SecrecyError, UnsupportedError

__all__ = ["Identity", "PublicIdentity", "is_identity_file"]


#: The builtin, which a property of the class below has the name of.
_Bytes = bytes


class PublicIdentity:
    """What others know of a party: a key that signs (Ed25519) and one that messages are sealed for (X25519). Compare
    its text once, over a channel that you trust. Equal ones are equal, and it can be a key of a dict.

    Args:
        text: as ``str(identity)`` gave it: ``cyid-`` and 138 hexadecimal digits.

    Raises:
        ArgumentError: a text that was mistyped, or keys that no identity has (of small order: anybody could sign).
        EngineError: the system has no OpenSSL.
    """

    __slots__ = ("_native",)

    def __init__(self, text: str) -> None:
        if not isinstance(text, str):
            raise UnsupportedError(f"an identity is text, not {type(text).__name__}")
        if not text.isascii():  # surrogates, of bytes that are no UTF-8, have no spelling below Python
            raise ArgumentError("an identity has a letter that is no hexadecimal digit")
        self._native = _core.PublicIdentity.from_text(text)

    @classmethod
    def from_bytes(cls, data: _Bytes) -> PublicIdentity:
        """Of the 64 bytes of both keys. Raises ArgumentError as the constructor does."""
        return cls.of_native(_core.PublicIdentity.from_bytes(bytes(data)))

    @classmethod
    def of_native(cls, native: _core.PublicIdentity) -> PublicIdentity:
        """Of what the library computes with; for the library itself."""
        made = cls.__new__(cls)
        made._native = native
        return made

    @property
    def native(self) -> _core.PublicIdentity:
        """What the library computes with; for the library itself."""
        return self._native

    @property
    def bytes(self) -> _Bytes:
        """The 64 bytes of both keys: Ed25519's first."""
        data: _Bytes = self._native.both_keys
        return data

    def verify(self, domain: str, text: _Bytes, signature: _Bytes) -> bool:
        """Whether the owner signed ``text`` in this domain (`Identity.sign`). What is no signature at all is none."""
        return bool(self._native.verify(domain, text, signature))

    def seal(self, text: _Bytes, context: _Bytes = b"") -> _Bytes:
        """``text``, encrypted so that the owner alone reads it (`Identity.open`); 48 bytes longer.

        It does not tell who sealed it: sign it. ``context`` is not sent, and needed to open: it says what the message
        is, so that it can't pass for another.
        """
        sealed: _Bytes = self._native.seal(context, text)
        return sealed

    def __str__(self) -> str:
        text: str = self._native.text
        return text

    def __repr__(self) -> str:
        return f"PublicIdentity({str(self)!r})"

    def __eq__(self, other: object) -> bool:
        return self.bytes == other.bytes if isinstance(other, PublicIdentity) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.bytes)

    def __reduce__(self) -> tuple[Any, ...]:
        return (PublicIdentity, (str(self),))


class Identity:
    """What a party keeps to sign with and to open what was sealed for it. **Secret**; made once by `create`, for any
    number of sessions. ``cy.save`` writes it with mode 0600, under a passphrase if you like, and ``cy.load`` reads it;
    nothing else gives it away.

    The curves are those of the system's OpenSSL (libcrypto): `create` and reading raise EngineError where there is
    none.
    """

    __slots__ = ("_native",)

    def __init__(self, native: _core.Identity) -> None:
        if not isinstance(native, _core.Identity):
            raise UnsupportedError("an identity is made by Identity.create(), or read by cyclotome.load")
        self._native = native

    @classmethod
    def create(cls) -> Identity:
        """A new one, of the operating system's generator.

        Raises:
            EngineError: the system has no OpenSSL 1.1.1 or newer; the message says what to install.
        """
        return cls(_core.Identity.create())

    @property
    def native(self) -> _core.Identity:
        """What the library computes with; for the library itself."""
        return self._native

    @property
    def public(self) -> PublicIdentity:
        """What others need to know it by: it goes into the session."""
        return PublicIdentity.of_native(self._native.public)

    def sign(self, domain: str, text: bytes) -> bytes:
        """A signature of ``text``, 64 bytes. ``domain``: a line that says what such signatures are for; in another
        domain it doesn't verify."""
        signature: bytes = self._native.sign(domain, text)
        return signature

    def open(self, sealed: bytes, context: bytes = b"") -> bytes:
        """What `PublicIdentity.seal` sealed for this identity in this context.

        Raises:
            ArgumentError: sealed for somebody else, in another context, or altered.
        """
        text: bytes = self._native.open(context, sealed)
        return text

    def __repr__(self) -> str:
        return f"Identity(SECRET, public {str(self.public)[:21]}...)"

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise SecrecyError("an identity is written to a file only: cyclotome.save(path, identity)")


def is_identity_file(path: str) -> bool:
    """Whether a file begins as that of an identity. Raises FileError if it can't be read."""
    if not os.path.isfile(path):
        return False
    try:
        with open(path, "rb") as file:
            return bool(_core.names_identity(file.read(_core.header_bytes)))
    except OSError as error:
        raise FileError(f"{path}: {error.strerror or error}") from None
