# SPDX-License-Identifier: Apache-2.0
"""What parties commit to before they show it, in a joint decryption whose values are checked."""

from __future__ import annotations

from typing import Any

from .. import _core
from ..errors import ArgumentError
from .identities import Identity
from .messages import number_of
from .voices import Verifier

__all__ = ["Pledge"]


class Pledge:
    """A party's signed hash of what it will show once all have committed: a line of text.

    Args:
        text: as ``str(commitment)`` gave it.

    Raises:
        ArgumentError: a text that is none.
    """

    __slots__ = ("_native",)

    def __init__(self, text: str) -> None:
        if not isinstance(text, str) or not text.isascii():  # surrogates have no spelling below Python
            raise ArgumentError("this line is no commitment; ask for it again")
        self._native = _core.Pledge.from_text(text)

    @classmethod
    def of_native(cls, native: _core.Pledge) -> Pledge:
        """Of what the library computes with; for the library itself."""
        made = cls.__new__(cls)
        made._native = native
        return made

    @classmethod
    def sign(cls, party: int, stage: str, question: bytes, digest: bytes, identity: Identity) -> Pledge:
        """By the party itself. ``stage``: "mac", "share" or "check"; ``question`` and ``digest``: 32 bytes each.

        Raises:
            ArgumentError: another stage, or something else than 32 bytes.
        """
        number = number_of(party, "a party's number")
        return cls.of_native(_core.Pledge.sign(number, stage, question, digest, identity.native))

    @property
    def native(self) -> _core.Pledge:
        """What the library computes with; for the library itself."""
        return self._native

    @property
    def party(self) -> int:
        """Who commits."""
        return int(self._native.party)

    @property
    def stage(self) -> str:
        """What is committed to: "mac", numbers to check with; "share", of what is decrypted; "check", of what has to
        be 0."""
        return str(self._native.stage)

    @property
    def question(self) -> bytes:
        """What it is about."""
        return bytes(self._native.question)

    @property
    def digest(self) -> bytes:
        """Of what will be shown."""
        return bytes(self._native.digest)

    @property
    def signature(self) -> bytes:
        """The party's, 64 bytes."""
        return bytes(self._native.signature)

    def signed_by(self, identity: Verifier) -> bool:
        """Whether the party of this identity signed it."""
        return identity.verify(self._native.domain, self._native.signed_bytes, self.signature)

    def __str__(self) -> str:
        return str(self._native.text)

    def __repr__(self) -> str:
        return f"Pledge(party {self.party}, {self.stage}, {self.digest.hex()[:8]}...)"

    def __reduce__(self) -> tuple[Any, ...]:
        return (Pledge, (str(self),))
