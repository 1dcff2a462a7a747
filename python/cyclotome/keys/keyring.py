# SPDX-License-Identifier: Apache-2.0
"""The public keys that travel with an array in memory."""

from __future__ import annotations

from dataclasses import dataclass

from .. import _core
from ..errors import MismatchError, UnsupportedError
from ..parameters.parameters import Parameters
from .kinds import EvaluationKeys, PublicKey

__all__ = ["Keyring"]


@dataclass(frozen=True)
class Keyring:
    """The keys an array knows: never a secret one."""

    public: PublicKey | None = None
    evaluation: EvaluationKeys | None = None

    def joined(self, other: Keyring) -> Keyring:
        """What both know together."""
        if other is self:
            return self
        evaluation = self.evaluation
        if other.evaluation is not None and other.evaluation is not evaluation:
            evaluation = other.evaluation if evaluation is None else evaluation.joined(other.evaluation)
        public = self.public if self.public is not None else other.public
        return self if (public, evaluation) == (self.public, self.evaluation) else Keyring(public, evaluation)

    def keys(self) -> tuple[PublicKey | EvaluationKeys, ...]:
        """The keys there are."""
        return tuple(key for key in (self.public, self.evaluation) if key is not None)

    def native(self) -> _core.Keyring:
        """The same keys as the library's arrays carry them."""
        return _core.Keyring(
            None if self.public is None else self.public.native,
            None if self.evaluation is None else self.evaluation.native,
        )

    def to(self, device: str) -> Keyring:
        """The same keys on another device."""
        return Keyring(
            None if self.public is None else self.public.to(device),
            None if self.evaluation is None else self.evaluation.to(device),
        )

    @staticmethod
    def of(*keys: object) -> Keyring:
        """A ring of public and evaluation keys.

        Raises:
            UnsupportedError: anything else, secret keys above all.
        """
        ring = Keyring()
        for key in keys:
            if isinstance(key, PublicKey):
                ring = ring.joined(Keyring(key, key.evaluation))
            elif isinstance(key, EvaluationKeys):
                ring = ring.joined(Keyring(None, key))
            else:
                raise UnsupportedError(
                    f"arrays carry public and evaluation keys, not {type(key).__name__}; whoever computes on them must "
                    "not be able to decrypt"
                )
        return ring

    def require(self, key_id: str, parameters: Parameters) -> None:
        """Refuses keys that belong to other ciphertexts.

        Raises:
            MismatchError: they do.
        """
        for key in self.keys():
            if key.parameters != parameters:
                raise MismatchError(
                    f"the array was encrypted under other parameters ({parameters.summary()}) than {key!r}"
                )
            if key.key_id != key_id:
                raise MismatchError(
                    f"the array was encrypted under key {key_id[:8]}, but {key!r} belongs to another; use the keys "
                    "that were generated together"
                )
