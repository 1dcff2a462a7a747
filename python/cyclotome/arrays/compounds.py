# SPDX-License-Identifier: Apache-2.0
"""What consists of encrypted arrays and says what they mean: numbers in digits, columns, tables."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar, NoReturn, TypeVar

from ..errors import UnsupportedError
from .array import EncryptedArray
from .refusals import unknown

__all__ = ["Change", "Compound", "once"]

#: An array in the place of another.
Change = Callable[[EncryptedArray], EncryptedArray]

_C = TypeVar("_C", bound="Compound")


def once(change: Change) -> Change:
    """The same, computed once for each array: what several columns share they share afterwards."""
    # With the arrays themselves, lest another one be made where one was.
    made: dict[int, tuple[EncryptedArray, EncryptedArray]] = {}

    def changed(array: EncryptedArray) -> EncryptedArray:
        if id(array) not in made:
            made[id(array)] = array, change(array)
        return made[id(array)][1]

    return changed


class Compound(ABC):
    """An object around arrays, immutable, which goes wherever they go."""

    __slots__ = ()

    #: What does instead of what it does not have, for messages.
    INSTEAD: ClassVar[str] = "decrypt it, or compute with its arrays: x.arrays()"

    @abstractmethod
    def arrays(self) -> list[EncryptedArray]:
        """The encrypted arrays that it consists of."""

    @abstractmethod
    def mapped(self: _C, change: Change) -> _C:
        """The same with other arrays, of the same shapes, in place of its own."""

    def with_keys(self: _C, *keys: object) -> _C:
        """The same that knows these public and evaluation keys too.

        Raises:
            MismatchError: keys of another secret key or other parameters.
            UnsupportedError: a secret key.
        """
        return self.mapped(once(lambda array: array.with_keys(*keys)))

    def to(self: _C, device: str) -> _C:
        """The same, keys included, on another device."""
        return self.mapped(once(lambda array: array.to(device)))

    if not TYPE_CHECKING:  # to a type checker, any name would be one of its own

        def __getattr__(self, name: str) -> NoReturn:
            raise unknown(self, name, self.INSTEAD)

    def __array_function__(self, function: object, *_: object) -> NoReturn:
        """NumPy's functions would take it for an object, or for a list."""
        raise UnsupportedError(
            f"numpy.{getattr(function, '__name__', 'this function')} does not know {type(self).__name__}: it has "
            "operators and methods of its own, and cyclotome has functions; NumPy's take encrypted arrays, x.arrays()"
        )
