# SPDX-License-Identifier: Apache-2.0
"""How parties of a joint key sign what they send, with whatever keys they have of each other."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Protocol, runtime_checkable

from .. import _core
from ..errors import ArgumentError, UnsupportedError
from .messages import Session

__all__ = ["Signer", "Verifier", "speak", "verifying"]

#: What signatures of these messages are for, and no others.
_DOMAIN = "cyclotome joint key 2"


@runtime_checkable
class Signer(Protocol):
    """What a party signs with: always the same 64 bytes for the same text, as Ed25519 does."""

    def sign(self, domain: str, text: bytes, /) -> bytes:
        """The signature of a text, in a domain: one of another domain doesn't verify."""
        ...


@runtime_checkable
class Verifier(Protocol):
    """What others know of a party."""

    def verify(self, domain: str, text: bytes, signature: bytes, /) -> bool:
        """Whether this is the party's signature of the text in this domain. What is no signature is none."""
        ...


def speak(
    party: _core.JointParty, session: Session, identity: Signer | None, identities: Mapping[int, Verifier] | None
) -> None:
    """Has a party sign what it sends and refuse what is not signed; without both it does neither.

    Raises:
        ArgumentError: one without the other; somebody's identity is missing.
        UnsupportedError: objects that neither sign nor verify.
    """
    if identity is None and identities is None:
        return
    if identity is None or identities is None:
        raise ArgumentError("a party that signs takes both its identity and the identities of all parties")
    if not isinstance(identity, Signer):
        raise UnsupportedError(f"an identity signs, which {type(identity).__name__} does not")
    for number in session.parties:
        if number not in identities:
            raise ArgumentError(f"the identity of party {number} is missing")
        if not isinstance(identities[number], Verifier):
            raise UnsupportedError(f"the identity of party {number} verifies, not {type(identities[number]).__name__}")
    known = {number: identities[number] for number in session.parties}
    party.speak_with(partial(_signed, identity), verifying(known))


def verifying(identities: Mapping[int, Verifier]) -> Callable[[int, bytes, bytes], bool]:
    """Whether a party, of those whose identities these are, signed a digest."""
    return partial(_is_signed, identities)


def _signed(identity: Signer, digest: bytes) -> bytes:
    return bytes(identity.sign(_DOMAIN, digest))


def _is_signed(identities: Mapping[int, Verifier], party: int, digest: bytes, signature: bytes) -> bool:
    return party in identities and bool(identities[party].verify(_DOMAIN, digest, signature))
