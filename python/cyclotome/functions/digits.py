# SPDX-License-Identifier: Apache-2.0
"""Numbers wider than what comparisons tell apart: encrypted digit by digit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays.array import EncryptedArray
from ..arrays.decryption import decrypt
from ..arrays.encryption import encrypt_integers, encrypt_shape
from ..errors import ArgumentError, RangeError, UnsupportedError
from ..keys.kinds import PublicKey, SecretKey
from ..numbers.values import IntArray, index, integers
from ..options import Callback
from ..pickling import pickled_as_file
from .digit_arrays import DigitArray

__all__ = ["EncryptedDigits", "decrypt_digits", "encrypt_digits", "encrypt_digits_shape"]

#: The most digits that a number has.
MOST_DIGITS = 1024
#: The largest base.
LARGEST_BASE = 1 << 14


@pickled_as_file
@dataclass(frozen=True)
class EncryptedDigits(DigitArray):
    """Numbers from 0 to base^count - 1, made by `encrypt_digits`: what `less`, `equal`, `maximum`, `minimum`, `where`,
    `sort`, `top_k` and `argmax` compare where the numbers themselves are too many to be told apart.

    Public: shape, base and number of digits. Hidden: the numbers.

    Raises:
        ArgumentError: digits that may be others than 0 to base - 1, by their interval; no first axis of 1 to 1024
            digits; no base from 2 to 2^14.
        UnsupportedError: something else than an encrypted array.
    """

    #: Of shape (digits, *shape), the least significant digit first; each from 0 to base - 1.
    digits: EncryptedArray
    base: int

    def __post_init__(self) -> None:
        if not isinstance(self.digits, EncryptedArray):
            raise UnsupportedError(
                f"EncryptedDigits take an encrypted array of digits, not {type(self.digits).__name__}; encrypt_digits "
                "encrypts numbers"
            )
        fault = fault_of(self.digits.shape, self.digits.interval, self.base)
        if fault is not None:
            raise ArgumentError(f"these are no EncryptedDigits: {fault}")

    @property
    def count(self) -> int:
        """Digits of a number."""
        return self.digits.shape[0]

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the numbers."""
        return self.digits.shape[1:]

    @property
    def bound(self) -> int:
        """The largest number, base^count - 1. Public."""
        return int(self.base**self.count - 1)

    def number(self) -> EncryptedArray:
        """The numbers as an ordinary array: the sum of digits times powers of the base.

        Raises:
            RangeError: the parameters don't hold numbers of so many digits.
        """
        weights = np.array([self.base**i for i in range(self.count)], dtype=object)
        total = self.digits[0]
        for i, weight in enumerate(weights[1:], start=1):
            total = total + self.digits[i] * int(weight)
        return total

    def __repr__(self) -> str:
        return f"<EncryptedDigits of shape {self.shape}, {self.count} digits in base {self.base}>"


def fault_of(shape: tuple[int, ...], interval: tuple[int, int] | None, base: object) -> str | None:
    """What keeps an array of this shape, with values in this interval, from being digits in this base; None if
    nothing does."""
    if isinstance(base, bool) or not isinstance(base, int) or not 2 <= base <= LARGEST_BASE:
        return f"their base is no whole number in [2, {LARGEST_BASE}]"
    if not shape or shape[0] > MOST_DIGITS:
        return f"an array of shape {shape} has no first axis of 1 to {MOST_DIGITS} digits"
    if interval is None or interval[0] < 0 or interval[1] >= base:
        values = "any value modulo T" if interval is None else f"{interval[0]} to {interval[1]}"
        return f"digits in base {base} are 0 to {base - 1}, and these may be {values}"
    return None


def _counted(name: str, value: object, low: int, high: int) -> int:
    number = index(value, f"encrypt_digits: {name}")
    if not low <= number <= high:
        raise ArgumentError(f"encrypt_digits: {name} {number} must lie in [{low}, {high}]")
    return number


def encrypt_digits(
    values: object,
    key: PublicKey | SecretKey,
    *,
    base: int,
    digits: int,
    layout: str = "packed",
    progress: Callback | None = None,
) -> EncryptedDigits:
    """Encrypts numbers digit by digit, for comparisons: `less` of two digits takes a polynomial of degree about
    ``base``, and one or two products more put two digits together. Base 4 to 16 is a good choice.

    Args:
        values: integers of any shape, from 0 to base^digits - 1.
        key: a public key, or the secret key.
        base: at least 2; every plaintext modulus must be a prime above twice as much. Public.
        digits: of each number. Public.
        layout: see `encrypt`. The digits of a single number are always replicated.
        progress: called as ``progress(done, total, what)``.

    Raises:
        RangeError: a number that has more digits, or is negative.
        ArgumentError: no values; a base or a number of digits that make no sense.

    Example:
        >>> import cyclotome as cy
        >>> secret, public, _ = cy.keygen(cy.Parameters.suggest(depth=6, value_bits=2, result_bits=8), rotations=[])
        >>> x = cy.encrypt_digits([999, 17, 500], public, base=4, digits=5)
        >>> y = cy.encrypt_digits([998, 18, 500], public, base=4, digits=5)
        >>> cy.decrypt(cy.less(x, y), secret)
        array([0, 1, 0])
    """
    base, digits = _counted("base", base, 2, LARGEST_BASE), _counted("digits", digits, 1, MOST_DIGITS)
    numbers = integers(values, "encrypt_digits", named_rows=True)
    largest = base**digits - 1
    if numbers.size and not 0 <= int(numbers.min()) <= int(numbers.max()) <= largest:
        wrong = int(numbers.min()) if numbers.min() < 0 else int(numbers.max())
        raise RangeError(f"encrypt_digits: {wrong} has no {digits} digits in base {base}, which are 0 to {largest}")
    wide = numbers.astype(object)
    each = np.stack([np.asarray(wide // base**i % base) for i in range(digits)])
    layout = _layout_of_digits(numbers.shape, layout)
    return EncryptedDigits(encrypt_integers(each, key, bound=(0, base - 1), layout=layout, progress=progress), base)


def encrypt_digits_shape(
    shape: tuple[int, ...], key: PublicKey, *, base: int, digits: int, layout: str = "packed"
) -> EncryptedDigits:
    """What `encrypt_shape` is to `encrypt`, of `encrypt_digits`. Errors: see there."""
    base, digits = _counted("base", base, 2, LARGEST_BASE), _counted("digits", digits, 1, MOST_DIGITS)
    layout = _layout_of_digits(shape, layout)
    return EncryptedDigits(encrypt_shape((digits, *shape), key, bound=(0, base - 1), layout=layout), base)


def _layout_of_digits(shape: tuple[int, ...], layout: str) -> str:
    """Digits of one number, along slots, could not be told apart."""
    return "replicated" if shape == () and layout == "packed" else layout


def decrypt_digits(x: EncryptedDigits, secret: SecretKey) -> IntArray:
    """The numbers, for the key's owner alone. Errors: see `decrypt`.

    Raises:
        ArgumentError: no digits.
    """
    if not isinstance(x, EncryptedDigits):
        raise ArgumentError(f"decrypt_digits takes EncryptedDigits, not {type(x).__name__}; arrays have decrypt")
    digits = np.asarray(decrypt(x.digits, secret)).astype(object)
    values = np.asarray(sum(digits[i] * x.base**i for i in range(x.count)), dtype=object)
    return values.astype(np.int64) if x.bound < 1 << 63 else values
