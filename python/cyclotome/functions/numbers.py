# SPDX-License-Identifier: Apache-2.0
"""Whole numbers encrypted bit by bit: what circuits compare and sort."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .. import _core
from ..arrays.array import EncryptedArray
from ..arrays.decryption import decrypt as decrypt_array
from ..arrays.encryption import encrypt_integers
from ..errors import ArgumentError, MismatchError, MissingKeyError, ParameterError, RangeError, UnsupportedError
from ..keys.keyring import Keyring
from ..keys.kinds import PublicKey, SecretKey
from ..numbers.values import IntArray, index, integers
from ..options import Callback
from ..pickling import pickled_as_file
from .digit_arrays import DigitArray

__all__ = ["EncryptedNumbers", "decrypt", "encrypt", "encrypt_lists"]

#: The most bits that a number has.
MOST_BITS = 64
_MOST_AXES = 32


@pickled_as_file
@dataclass(frozen=True)
class EncryptedNumbers(DigitArray):
    """Numbers of ``bits`` bits each, encrypted digit by digit, made by `encrypt` and `encrypt_lists`.

    Digits are bits, or, in results over plaintext moduli above 2, words of several bits. All numbers that stand at one
    place of their lists lie side by side in the slots of the same ciphertexts: a circuit computes all of them at once.

    Raises:
        ArgumentError: an array that can't be the digits that it is said to be.
        UnsupportedError: something else than an encrypted array.
    """

    #: The digits, of shape (numbers of a list, digits, lists); the least significant digit first.
    digits: EncryptedArray
    #: The shape of the numbers, as in NumPy.
    shape: tuple[int, ...]
    #: Bits of a number; of signed ones, the sign included.
    bits: int
    #: Whether numbers are -2^(bits - 1) to 2^(bits - 1) - 1; else they are 0 to 2^bits - 1.
    signed: bool = False
    #: Whether the last axis is that of lists; else every number is by itself.
    lists: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.digits, EncryptedArray):
            raise UnsupportedError(
                f"EncryptedNumbers take an encrypted array of digits, not {type(self.digits).__name__}; encrypt and "
                "encrypt_lists encrypt numbers"
            )
        fault = _fault_of(self)
        if fault is not None:
            raise ArgumentError(f"these are no EncryptedNumbers: {fault}")

    @property
    def count(self) -> int:
        """How many numbers a list has; 1 if there are no lists."""
        return self.digits.shape[0]

    @property
    def lanes(self) -> int:
        """How many lists, or numbers, are computed with at once."""
        return self.digits.shape[2]

    def __repr__(self) -> str:
        kind = "signed" if self.signed else "unsigned"
        return (
            f"<EncryptedNumbers of shape {self.shape}, {self.bits} bits, {kind}, level {self.level}, noise headroom "
            f"{self.noise_headroom:.0f} bits>"
        )


def _fault_of(numbers: EncryptedNumbers) -> str | None:
    """What keeps an array from being the digits of such numbers; None if nothing does."""
    shape, digits = numbers.shape, numbers.digits
    if digits.ndim != 3 or len(digits.parameters.plain_moduli) != 1:
        return f"the array of shape {digits.shape} holds no digits"
    if not isinstance(shape, tuple) or len(shape) > _MOST_AXES or not all(map(_is_length, shape)):
        return f"their shape {shape!r:.80} is none"
    if not _is_length(numbers.bits) or numbers.bits > MOST_BITS:
        return f"they have {numbers.bits!r:.40} bits, and numbers 1 to {MOST_BITS}"
    if not all(isinstance(said, bool) for said in (numbers.signed, numbers.lists)):
        return "it does not say by true or false whether they are signed, and lists"
    width = digit_bits(numbers)
    fits = math.prod(shape) == numbers.count * numbers.lanes and digits.shape[1] == -(-numbers.bits // width)
    if not fits or (shape[-1:] if numbers.lists else (1,)) != (numbers.count,):
        return f"numbers of shape {shape} and {numbers.bits} bits have no digits of the array's shape {digits.shape}"
    return None


def _is_length(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= 1 << 40


def _checked_bits(bits: object) -> int:
    number = index(bits, "bits")
    if not 1 <= number <= MOST_BITS:
        raise ArgumentError(f"numbers have 1 to {MOST_BITS} bits, not {number}")
    return number


def _in_range(values: IntArray, bits: int, signed: bool) -> None:
    low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)
    for value in (int(values.min()), int(values.max())):
        if not low <= value <= high:
            kind = "signed " if signed else ""
            raise RangeError(
                f"{value} is no {kind}number of {bits} bits, which are {low} to {high}; say more bits"
                + ("" if signed else ", or signed=True")
            )


def _bits_of(values: IntArray, bits: int) -> np.ndarray:
    """Bits, the least significant first, along a new axis behind the first."""
    wide = values.astype(object) & ((1 << bits) - 1)
    return np.stack([(wide >> i) & 1 for i in range(bits)], axis=1).astype(np.int64)


def _digits(values: IntArray, key: PublicKey | SecretKey, progress: Callback | None) -> EncryptedArray:
    """Bits of shape (count, bits, lanes), encrypted so that products act bit by bit."""
    parameters = key.parameters
    if len(parameters.plain_moduli) != 1:
        raise ParameterError(
            f"circuits take parameters with one plaintext modulus, not {len(parameters.plain_moduli)}: "
            f"{parameters.summary()}"
        )
    # Slots over Phi_m hold elements of a field, of which bits are no integers with a bound, and need not wrap.
    field = parameters.field_degree is not None
    if parameters.has_slots and values.shape[-1] > 1:
        return encrypt_integers(values, key, bound=None if field else 1, encoding="slots", progress=progress)
    # Without slots, or for what all slots share, each bit is a constant.
    return encrypt_integers(values, key, wrap=not field, layout="replicated", progress=progress)


def encrypt(
    values: object,
    key: PublicKey | SecretKey,
    *,
    bits: int,
    signed: bool = False,
    progress: Callback | None = None,
) -> EncryptedNumbers:
    """Encrypts whole numbers bit by bit, each by itself: for comparisons and ciphers, which act number by number.

    Args:
        values: integers of any shape.
        key: a public key, or the secret key.
        bits: of each number, 1 to 64. Public.
        signed: whether numbers are in two's complement.
        progress: called as ``progress(done, total, what)``.

    Raises:
        RangeError: a number that has more bits.
        ArgumentError: no values, or another number of bits.
        ParameterError: parameters with several plaintext moduli.
    """
    numbers = integers(values, "encrypt", named_rows=True)
    return _encrypted(numbers, numbers.reshape(1, -1), key, bits, signed, False, progress)


def encrypt_lists(
    values: object,
    key: PublicKey | SecretKey,
    *,
    bits: int,
    signed: bool = False,
    progress: Callback | None = None,
) -> EncryptedNumbers:
    """Encrypts lists of whole numbers, which lie along the last axis, bit by bit: for sorting and selecting.

    Arguments and errors are those of `encrypt`. A single list may be one-dimensional.

    Example:
        >>> import cyclotome as cy
        >>> keys = cy.keygen(cy.circuit.Circuit.sort(count=3, bits=2).parameters(security=0))
        >>> x = cy.circuit.encrypt_lists([2, 0, 1], keys.public, bits=2)
        >>> cy.circuit.decrypt(cy.circuit.sort(x), keys.secret)
        array([0, 1, 2])
    """
    numbers = integers(values, "encrypt_lists", named_rows=True)
    if numbers.ndim == 0 or numbers.size == 0:
        raise ArgumentError(f"encrypt_lists: lists lie along the last axis, which shape {numbers.shape} does not have")
    return _encrypted(numbers, numbers.reshape(-1, numbers.shape[-1]).T, key, bits, signed, True, progress)


def _encrypted(
    numbers: IntArray,
    rows: IntArray,
    key: PublicKey | SecretKey,
    bits: int,
    signed: bool,
    lists: bool,
    progress: Callback | None,
) -> EncryptedNumbers:
    bits = _checked_bits(bits)
    if numbers.size == 0:
        raise ArgumentError("encrypt: there are no values")
    _in_range(numbers, bits, signed)
    digits = _digits(_bits_of(rows, bits), key, progress)
    return EncryptedNumbers(digits, numbers.shape, bits, bool(signed), lists)


def decrypt(numbers: EncryptedNumbers, secret: SecretKey) -> IntArray:
    """The numbers, for the key's owner alone: exact, or a refusal. See `cyclotome.decrypt` for what it raises."""
    digits = np.asarray(decrypt_array(numbers.digits, secret)).astype(object)
    width = digit_bits(numbers)
    values = sum(digits[:, i, :] << (i * width) for i in range(digits.shape[1]))
    values = np.asarray(values, dtype=object)
    if numbers.signed:
        values = np.where(values >> (numbers.bits - 1), values - (1 << numbers.bits), values)
    rows: IntArray = values.T.reshape(numbers.shape)
    fits = numbers.bits < 64 or numbers.signed
    return rows.astype(np.int64) if fits else rows


def digit_bits(numbers: EncryptedNumbers) -> int:
    """Bits of a digit: 1, or those of a word."""
    if numbers.digits.shape[1] == numbers.bits:
        return 1
    return _core.circuit_word_bits(numbers.parameters.plain_moduli[0])


# --- for circuits -----------------------------------------------------------------------------------------------------


def require_alike(operation: str, numbers: Sequence[EncryptedNumbers]) -> Keyring:
    """The keys of all of them.

    Raises:
        MismatchError: other parameters, keys or devices.
        MissingKeyError: no evaluation keys.
    """
    head = numbers[0].digits
    keys = head.keyring
    for other in (each.digits for each in numbers[1:]):
        if other.parameters != head.parameters or other.key_id != head.key_id or other.context is not head.context:
            raise MismatchError(f"{operation}: operands of different parameters, keys or devices")
        keys = keys.joined(other.keyring)
    if keys.evaluation is None:
        raise MissingKeyError(
            f"{operation} takes evaluation keys: x = x.with_keys(evaluation), with what keygen made beside the secret"
        )
    return keys


def require_bits(operation: str, numbers: EncryptedNumbers) -> None:
    """Raises ArgumentError for results in words, whose bits are not there any more."""
    if numbers.digits.shape[1] != numbers.bits:
        raise ArgumentError(
            f"{operation}: these numbers are words of several bits, results of a circuit over a large "
            "plaintext modulus; a circuit takes bits"
        )


def wires(numbers: EncryptedNumbers, order: Sequence[int]) -> _core.Ciphertext:
    """Ciphertexts of the digits with these numbers, counted through all numbers of a list."""
    channel = numbers.digits.native.channels[0]
    each = channel.batch // math.prod(numbers.digits.shape[:2])
    if list(order) == list(range(math.prod(numbers.digits.shape[:2]))):
        return channel
    return _core.take(channel, [wire * each + i for wire in order for i in range(each)])


def width_of(numbers: EncryptedNumbers) -> int:
    """Ciphertexts for each digit."""
    return numbers.digits.native.batch // math.prod(numbers.digits.shape[:2])


def made(
    like: EncryptedNumbers, keys: Keyring, ciphertext: _core.Ciphertext, count: int, digits: int
) -> EncryptedArray:
    """An array of results with the lanes of ``like``."""
    shape = (count, digits, like.lanes)
    native = _core.EncryptedArray([ciphertext], shape, like.digits.native.placement, False, None)
    return like.digits.derived(native.with_keys(keys.native()), keys)
