# SPDX-License-Identifier: Apache-2.0
"""The key that results are checked with, and what it counts."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from ..arrays.array import EncryptedArray
from ..arrays.decryption import decrypt, reveal
from ..arrays.encryption import encrypt_integers
from ..errors import (
    ArgumentError,
    ContradictionError,
    FormatError,
    MismatchError,
    RangeError,
    SecrecyError,
    UnsupportedError,
)
from ..keys.kinds import PublicKey, SecretKey
from ..numbers.values import IntArray, index, integers, interval_of
from ..parameters.parameters import Parameters, required_parameters
from ..whole_files import path_text
from .clear import function_values, planned, require_degree
from .copies import beside, shape_of_copies, stacked
from .lines import Lines, lines_for, objects, require_primes
from .receipts import Receipt
from .refusals import Refusals
from .stored import read_key, write_key

if TYPE_CHECKING:
    from ..options import Callback

__all__ = ["IntegrityKey"]

#: What a function may be made of, at most, and how sure a check may have to be.
_MOST_DEGREE, _MOST_BITS, _MOST_FAILURES = 256, 256, 1 << 20


class IntegrityKey:
    """Finds out whether a server computed the function of the arrays that it was asked for, whatever it did instead.

    A wrong result passes with a probability of at most 2^-bits in the key's whole life, also if the server knows the
    values, chose them, or sees which of its answers were refused: 2^-bits bounds the guesses at numbers that nothing
    sent depends on. What has to be secret is this key and, against everything else, the secret key.

    Functions are sums and products, with public numbers too, of up to ``degree`` encrypted factors: polynomials of this
    degree in all their encrypted arguments together. Comparisons, tables and refreshes are of far higher ones, and are
    refused. Arrays, the work of whoever computes, and results are `copies` times as large; the function is also
    computed in the clear, of `copies` random arguments at most, by whoever checks.

    Args:
        parameters: those of the arrays; plaintext moduli are prime.
        degree: of the functions.
        bits: of certainty, 1 to 256.
        failures: results that may be refused before the key is spent, 0 to 2^20. Each tells whoever sent it a little of
            where the known numbers are not; they are counted beforehand, in ``copies``.

    Raises:
        ArgumentError: numbers out of range; moduli that are too small, or composite.
    """

    __slots__ = ("_bits", "_lines", "_refusals")

    def __init__(self, parameters: Parameters, *, degree: int, bits: int = 40, failures: int = 3) -> None:
        if required_parameters("IntegrityKey", parameters).holds_reals:
            raise UnsupportedError("IntegrityKey: parameters for real numbers, whose results are off by a little")
        moduli = parameters.plain_moduli
        self._set_up(secrets.token_bytes(32), moduli, degree, bits, Refusals(_within(failures, 0, _MOST_FAILURES)))

    def _set_up(self, seed: bytes, moduli: tuple[int, ...], degree: int, bits: int, refusals: Refusals) -> None:
        degree, bits = _within(degree, 1, _MOST_DEGREE, "degree"), _within(bits, 1, _MOST_BITS, "bits")
        require_primes(moduli, "IntegrityKey")
        count = lines_for(min(moduli), degree, bits, refusals.most)
        self._bits, self._refusals = bits, refusals
        self._lines = Lines(seed, moduli, degree, count)

    @property
    def degree(self) -> int:
        """Of the functions that it checks, at most."""
        return self._lines.degree

    @property
    def bits(self) -> int:
        """A wrong result passes with probability 2^-bits, in the key's whole life."""
        return self._bits

    @property
    def copies(self) -> int:
        """How many values there are for each one that is encrypted."""
        return self._lines.copies

    @property
    def id(self) -> str:
        """16 hexadecimal digits by which its receipts are known. Public."""
        import hashlib

        return hashlib.sha256(b"cyclotome integrity id" + self._lines.seed).hexdigest()[:16]

    @property
    def refused(self) -> int:
        """Results that it refused, in its file's whole life if it has one."""
        return self._refusals.count

    @property
    def spent(self) -> bool:
        """Whether it refused more than was planned: it checks nothing any more."""
        return self._refusals.spent

    def __repr__(self) -> str:
        return (
            f"IntegrityKey(id {self.id}, degree {self.degree}, 2^-{self.bits}, {self.copies} copies, refused "
            f"{self.refused} of {self._refusals.most})"
        )

    def encrypt(
        self,
        values: object,
        key: PublicKey | SecretKey,
        *,
        bound: int | tuple[int, int] | None = None,
        side_by_side: bool = False,
        progress: Callback | None = None,
    ) -> tuple[EncryptedArray, Receipt]:
        """Encrypts integers with points of secret lines through them.

        Args:
            values: integers, as `encrypt` takes them.
            key: the public or the secret key.
            bound: what values may be, as in `encrypt`; None: the parameters' default bound. It stays in the receipt:
                what is sent wraps around modulo T.
            side_by_side: copies one after the other along the last axis, so that they share ciphertexts: for functions
                of each value by itself, which then cost no more than before where copies fit into the slots. Else they
                are along a new first axis.
            progress: called as ``progress(done, total, what)``.

        Returns:
            What is sent, of shape ``(copies, *shape)`` or ``(..., copies * last)``, and the receipt that stays.

        Raises:
            RangeError: a value beyond the bound.
            MismatchError: a key of other plaintext moduli.
            ArgumentError, UnsupportedError, MemoryLimitError, NoiseError: as `encrypt`.
        """
        if not isinstance(key, (PublicKey, SecretKey)):
            raise UnsupportedError(f"IntegrityKey.encrypt takes a public or secret key, not {type(key).__name__}")
        self._require(key.parameters)
        numbers = integers(values, "IntegrityKey.encrypt", named_rows=True)
        least, largest = self._bound(bound, key.parameters)
        if numbers.size and not least <= int(numbers.min()) <= int(numbers.max()) <= largest:
            outside = int(numbers.min()) if int(numbers.min()) < least else int(numbers.max())
            raise RangeError(f"IntegrityKey.encrypt: the value {outside} is not within the bound ({least}, {largest})")
        if side_by_side and (numbers.ndim == 0 or not numbers.shape[-1]):
            raise ArgumentError(f"IntegrityKey.encrypt: side_by_side=True, and the shape {numbers.shape} has no row")
        nonce = secrets.token_bytes(16)
        receipt = Receipt(numbers.shape, (least, largest), bool(side_by_side), nonce, self.id)
        points = self._lines.points(numbers, nonce)
        sent = encrypt_integers(beside(points) if side_by_side else points, key, wrap=True, progress=progress)
        return sent, receipt.proved(self._lines.seed)

    def questions(self, *receipts: Receipt) -> list[list[IntArray]]:
        """The known numbers: of each line, in the receipts' order, the arguments that its result is checked with.

        For somebody who has the function and shall not see the values: a list of the function's results at these, one
        for each line, is ``expected`` of `decrypt`. They are random, and tell nothing of the values; whoever computes
        with encrypted arrays must not learn them.

        Raises:
            MismatchError: a receipt of another key, or one that was altered.
        """
        for receipt in receipts:
            self._know(receipt)
        return [
            [self._lines.known(line, receipt.nonce, receipt.shape) for receipt in receipts]
            for line in range(self._lines.count)
        ]

    def decrypt(
        self,
        x: EncryptedArray,
        secret: SecretKey,
        compute: Callable[..., Any] | None,
        *receipts: Receipt,
        clear: Callable[..., Any] | None = None,
        expected: Sequence[object] | None = None,
        bound: int | tuple[int, int] | None = None,
        flooding_bits: int | None = None,
        progress: Callback | None = None,
    ) -> IntArray | Any:
        """Decrypts a result, if it is ``compute`` of the arrays that the receipts are of.

        Whether a result was refused tells whoever sent it something of the values, if it chose what it sent with that
        in mind: a bit each time, as any reaction to decrypted results does. `decrypt` has what that means.

        Args:
            x: what came back.
            secret: the secret key.
            compute: the function of encrypted arrays that was asked for; also called with arrays of Python integers,
                unless ``clear`` is given. None where ``expected`` is.
            receipts: of its arguments, in their order.
            clear: the same function of NumPy arrays of Python integers.
            expected: in place of computing it, its results at `questions`.
            bound: with ``expected``, what results may be.
            flooding_bits: decrypt for others to see, as `reveal`.
            progress: called as ``progress(done, total, what)``.

        Returns:
            As `decrypt`.

        Raises:
            ContradictionError: the result is another one, which is counted; or noise that `decrypt` refuses, which says
                nothing of this key and is not.
            BudgetError: the key is spent: make a new one, and encrypt anew. Nothing was decrypted.
            ArgumentError: a function of too high a degree, or one that can't be computed of arrays of integers.
            MismatchError: a receipt of another key, or that was altered; results of another shape or kind.
            RangeError: results of these bounds don't fit the parameters.
            NoiseError, BudgetError, FileError: as `decrypt` and `reveal`.
        """
        if not isinstance(x, EncryptedArray) or not isinstance(secret, SecretKey):
            raise UnsupportedError(
                f"IntegrityKey.decrypt takes an EncryptedArray and the secret key, not {type(x).__name__} and "
                f"{type(secret).__name__}"
            )
        self._require(secret.parameters)
        self._refusals.require()
        questions = self.questions(*receipts)
        if compute is not None and expected is None:
            shape, (least, largest) = planned(compute, receipts, secret.parameters, self.degree)
            function = compute if clear is None else clear
            require_degree(function, [each.shape for each in receipts], self.degree, self._lines.modulus)
            known = [function_values(function, line, shape, self._lines.modulus) for line in questions]
        elif compute is None and expected is not None and clear is None:
            known = [objects(integers(each, "expected")) % self._lines.modulus for each in expected]
            shape, (least, largest) = self._stated(known), self._bound(bound, secret.parameters)
        else:
            raise ArgumentError("IntegrityKey.decrypt takes the function, or with None in its place expected=[...]")
        if not x.wrap:
            raise MismatchError(
                "IntegrityKey.decrypt: values of the result don't wrap around, so that it comes of other arrays than "
                "IntegrityKey.encrypt gave"
            )
        beside_each_other = {receipt.side_by_side for receipt in receipts}
        if len(beside_each_other) > 1:
            raise ArgumentError("IntegrityKey.decrypt: receipts with and without side_by_side; one function has either")
        placed = shape, self.copies, True in beside_each_other
        if x.shape != shape_of_copies(*placed):
            raise MismatchError(
                f"IntegrityKey.decrypt: the result's shape is {x.shape}, and {self.copies} copies of {shape} have "
                f"{shape_of_copies(*placed)}; for functions that don't leave the first axis alone there is "
                "integrity.each"
            )
        opened = (
            decrypt(x, secret, progress=progress)
            if flooding_bits is None
            else reveal(x, secret, flooding_bits=flooding_bits, progress=progress)
        )
        results = objects(stacked(opened, *placed))
        with self._refusals.lock:
            self._refusals.require()
            if not all(
                np.array_equal(self._lines.at_alpha(results, line), values) for line, values in enumerate(known)
            ):
                raise ContradictionError(self._refusals.add("the result is not this function of these arrays"))
        values = np.asarray((results[0] - least) % self._lines.modulus + least, dtype=object)
        if values.size and int(values.max()) > largest:
            raise ContradictionError(f"the result {int(values.max())} is beyond what its bounds allow, {largest}")
        fitting = integers(values, "IntegrityKey.decrypt")
        return fitting if fitting.ndim else int(fitting[()])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the key to a new file of mode 0600. From now on it counts what it refuses in the file of this name and
        ``.refused``, and so does whoever loads it.

        Raises:
            FileError: there is a file already, or it can't be written.
        """
        self._refusals = write_key(path, self._lines, self._bits, self._refusals)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> IntegrityKey:
        """The key of a file, with its count.

        Raises:
            FileError: it can't be read. FormatError: it is no such file.
        """
        seed, moduli, degree, bits, refusals = read_key(path)
        key = cls.__new__(cls)
        try:
            key._set_up(seed, moduli, degree, bits, refusals)
        except ArgumentError as error:
            raise FormatError(f"{path_text(path)} is no file of an integrity key: {error}") from None
        return key

    def _require(self, parameters: Parameters) -> None:
        if parameters.plain_moduli != self._lines.moduli:
            raise MismatchError(
                f"the integrity key is for plaintext moduli {self._lines.moduli}, and these parameters have "
                f"{parameters.plain_moduli}"
            )

    def _know(self, receipt: Receipt) -> None:
        if not isinstance(receipt, Receipt):
            raise UnsupportedError(f"a Receipt is needed, not {type(receipt).__name__}")
        receipt.require(self._lines.seed, self.id)

    def _bound(self, bound: int | tuple[int, int] | None, parameters: Parameters) -> tuple[int, int]:
        default = parameters.default_bound
        least, largest = interval_of("IntegrityKey", default if bound is None else bound)
        if largest - least >= self._lines.modulus:
            raise RangeError(
                f"IntegrityKey: the bound ({least}, {largest}) has more values than the plaintext moduli tell apart, "
                f"{self._lines.modulus}"
            )
        return least, largest

    def _stated(self, known: Sequence[IntArray]) -> tuple[int, ...]:
        shapes = {each.shape for each in known}
        if len(known) != self._lines.count or len(shapes) != 1:
            raise ArgumentError(
                f"IntegrityKey.decrypt: expected has {len(known)} results of {len(shapes)} shapes, and there are "
                f"{self._lines.count} questions, each with one of the same shape"
            )
        return shapes.pop()

    def _refuse(self, *_: object) -> NoReturn:
        raise SecrecyError("an integrity key is not copied or pickled; pass the object itself, or use its save(path)")

    __copy__ = __deepcopy__ = __reduce__ = __reduce_ex__ = __getstate__ = _refuse


def _within(value: object, least: int, most: int, name: str = "failures") -> int:
    number = index(value, f"IntegrityKey: {name}")
    if not least <= number <= most:
        raise ArgumentError(f"IntegrityKey: {name} is {number}, and lies in [{least}, {most}]")
    return number
