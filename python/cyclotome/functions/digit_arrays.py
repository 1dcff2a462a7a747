# SPDX-License-Identifier: Apache-2.0
"""Numbers that are arrays of digits: what those of circuits and those of comparisons share."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from ..arrays.array import EncryptedArray
from ..arrays.compounds import Change, Compound
from ..parameters.parameters import Parameters

__all__ = ["DigitArray"]

_D = TypeVar("_D", bound="DigitArray")


class DigitArray(Compound):
    """An array of digits and what they mean: a frozen dataclass with a field ``digits``. A file of one is that of the
    array, with what is said about it in the metadata."""

    __slots__ = ()

    if TYPE_CHECKING:
        digits: EncryptedArray

    @property
    def parameters(self) -> Parameters:
        """The parameters they were encrypted under."""
        return self.digits.parameters

    @property
    def noise_headroom(self) -> float:
        """Bits by which the public bound on the noise may grow until decryption refuses."""
        return self.digits.noise_headroom

    @property
    def level(self) -> int:
        """Number of ciphertext primes."""
        return self.digits.level

    def arrays(self) -> list[EncryptedArray]:
        """The encrypted array that it consists of."""
        return [self.digits]

    def mapped(self: _D, change: Change) -> _D:
        """The same numbers with another array of digits."""
        return replace(self, digits=change(self.digits))  # type: ignore[type-var]
