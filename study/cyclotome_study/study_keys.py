# SPDX-License-Identifier: Apache-2.0
"""What parameters and keys of studied schemes have in common, as the library's own do."""

from __future__ import annotations

from typing import Any, Generic, TypeVar

from cyclotome.errors import SecrecyError

__all__ = ["StudyKey", "StudyParameters", "StudyPublicKey", "StudySecretKey"]


class StudyParameters:
    """What the library computes with; equal if its fingerprints are."""

    __slots__ = ()

    _native: Any

    def summary(self) -> str:
        """One line."""
        line: str = self._native.summary
        return line

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.summary()})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and bool(self._native.fingerprint == other._native.fingerprint)

    def __hash__(self) -> int:
        return hash(self._native.fingerprint)


P = TypeVar("P", bound=StudyParameters)
E = TypeVar("E")


class StudyKey(Generic[P]):
    """Parameters and the library's key."""

    __slots__ = ("_native", "_parameters")

    def __init__(self, parameters: P, native: Any) -> None:
        self._parameters, self._native = parameters, native

    @property
    def parameters(self) -> P:
        """What the key was made for."""
        return self._parameters

    @property
    def native(self) -> Any:
        """What the library computes with."""
        return self._native

    @property
    def key_id(self) -> str:
        """32 hexadecimal digits, the same for all keys of one secret. Not a secret."""
        identity: bytes = self._native.id
        return identity.hex()

    def __repr__(self) -> str:
        return f"{type(self).__name__}(id {self.key_id[:8]}, {self._parameters.summary()})"


class StudySecretKey(StudyKey[P]):
    """Never copied or pickled."""

    __slots__ = ()

    def _refuse(self, *_: object) -> Any:
        raise SecrecyError("a secret key is not copied or pickled, so that it cannot end up where it should not be")

    __copy__ = __deepcopy__ = __reduce__ = __reduce_ex__ = _refuse


class StudyPublicKey(StudyKey[P], Generic[P, E]):
    """Parameters, the library's key and, if it is fresh, the evaluation keys made with it."""

    __slots__ = ("_evaluation",)

    def __init__(self, parameters: P, native: Any, evaluation: E | None = None) -> None:
        super().__init__(parameters, native)
        self._evaluation = evaluation

    @property
    def evaluation(self) -> E | None:
        """The evaluation keys made with it."""
        return self._evaluation
