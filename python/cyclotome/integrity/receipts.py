# SPDX-License-Identifier: Apache-2.0
"""What remains of values that were encrypted with their lines: enough to draw the known numbers again."""

from __future__ import annotations

import hmac
import json
from dataclasses import dataclass
from typing import Any

from ..errors import FormatError, MismatchError

__all__ = ["Receipt"]

_FORMAT = "cyclotome integrity receipt 1"
_MOST_CHARACTERS = 1 << 16


@dataclass(frozen=True)
class Receipt:
    """Of one array that `IntegrityKey.encrypt` made. No secret, and a few bytes whatever the array holds; with it, and
    without the values, results are checked.

    It says which array is meant, so keep it where the server can't exchange it for another one's.
    """

    #: The shape of the values, without copies.
    shape: tuple[int, ...]
    #: The least and the largest value that there may be.
    bound: tuple[int, int]
    #: Whether copies stand beside each other along the last axis.
    side_by_side: bool
    #: Drawn for this array, never for another one.
    nonce: bytes
    #: Which key made it; public.
    key: str
    #: That key's proof.
    proof: bytes = b""

    def proved(self, secret: bytes) -> Receipt:
        """With its proof; for the key."""
        return Receipt(self.shape, self.bound, self.side_by_side, self.nonce, self.key, self._proof(secret))

    def require(self, secret: bytes, key: str) -> None:
        """Raises MismatchError unless the key made it, and nobody altered it."""
        if self.key != key:
            raise MismatchError(f"the receipt is of the integrity key {self.key}, and this one is {key}")
        if not hmac.compare_digest(self.proof, self._proof(secret)):
            raise MismatchError("the receipt was altered since the integrity key made it")

    def _proof(self, secret: bytes) -> bytes:
        said = json.dumps(self._facts(), sort_keys=True).encode()
        return hmac.digest(secret, b"receipt" + said, "sha256")

    def _facts(self) -> dict[str, Any]:
        return {
            "format": _FORMAT,
            "shape": list(self.shape),
            "bound": [str(each) for each in self.bound],
            "side_by_side": self.side_by_side,
            "nonce": self.nonce.hex(),
            "key": self.key,
        }

    def to_json(self) -> str:
        """As text, to be kept in a file or a database."""
        return json.dumps({**self._facts(), "proof": self.proof.hex()})

    @classmethod
    def from_json(cls, text: str) -> Receipt:
        """What `to_json` wrote. Whether a key made it, the key says when it is used.

        Raises:
            FormatError: it is something else.
        """
        if not isinstance(text, str) or len(text) > _MOST_CHARACTERS:
            raise FormatError(f"a receipt is text of at most {_MOST_CHARACTERS} characters")
        try:
            facts = json.loads(text)
            if facts.pop("format") != _FORMAT or set(facts) != {*cls.__annotations__}:
                raise ValueError("other keys than a receipt has")
            shape, bound, beside = facts["shape"], facts["bound"], facts["side_by_side"]
            if not isinstance(shape, list) or not isinstance(bound, list):
                raise ValueError("no lists")
            if not all(type(each) is int and 0 <= each < 1 << 48 for each in shape) or type(beside) is not bool:
                raise ValueError("no shape of values")
            least, largest = (int(each) for each in bound if isinstance(each, str))
            nonce, proof = bytes.fromhex(facts["nonce"]), bytes.fromhex(facts["proof"])
            if not isinstance(facts["key"], str) or len(nonce) != 16 or len(proof) != 32:
                raise ValueError("other lengths than a receipt has")
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise FormatError(f"no receipt of an integrity key: {error!r:.200}") from None
        return cls(tuple(shape), (least, largest), beside, nonce, facts["key"], proof)
