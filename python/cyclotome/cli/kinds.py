# SPDX-License-Identifier: Apache-2.0
"""What kind of object a file holds, where a command takes another one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from cyclotome.errors import FormatError, MismatchError

__all__ = ["require", "words_of"]

#: By name, as naming a class imports its module.
_KEYS = {
    "SecretKey": "a secret key",
    "PublicKey": "a public key",
    "EvaluationKeys": "evaluation keys",
    "RekeyingKey": "a rekeying key",
    "Acceptance": "an acceptance of a joint key",
    "Coin": "a part of the coin of an audit",
    "Commitment": "a commitment to a share of a public key",
    "KeyShare": "a share of a public key",
    "SecretShare": "a share of a secret key",
    "Identity": "the identity of a party",
}
_OTHERS = {
    "Parameters": "parameters",
    "EncryptedArray": "an encrypted array",
    "EncryptedDigits": "numbers encrypted digit by digit",
    "EncryptedFrame": "an encrypted table",
    "EncryptedStatistics": "statistics of an encrypted table",
    "PlainArray": "a plain array",
    "EncryptedNumbers": "numbers encrypted bit by bit",
    "ReceivingKeys": "keys to deal to",
    "Dealing": "a dealing",
    "SealedShare": "a sealed share",
    "Complaint": "a complaint",
    "Session": "a session of a joint key",
    "DecryptionShare": "a share of a decryption",
}


def words_of(kind: type[Any]) -> str:
    """A kind of object in the words of messages."""
    return _KEYS.get(kind.__name__) or _OTHERS.get(kind.__name__) or kind.__name__


def require(loaded: object, kinds: type[Any] | tuple[type[Any], ...], path: Path, needed: str | None = None) -> None:
    """Refuses what is of none of these kinds; ``needed`` is what they are called, if not by their own names.

    Raises:
        MismatchError: a key is needed: exit code 5, as for a key that does not fit.
        FormatError: something else is: exit code 3, as for a file that is not what it should be.
    """
    wanted = kinds if isinstance(kinds, tuple) else (kinds,)
    if isinstance(loaded, wanted):
        return
    error = MismatchError if all(kind.__name__ in _KEYS for kind in wanted) else FormatError
    words = needed or " or ".join(map(words_of, wanted))
    raise error(f"{path} holds {words_of(type(loaded))}, where {words} must be")
