# SPDX-License-Identifier: Apache-2.0
"""Arrays of encrypted integers."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from .. import _core
from ..devices.contexts import context_from
from ..errors import ArgumentError, MismatchError, UnsupportedError
from ..keys.keyring import Keyring
from ..memory import warn_of_spread
from ..numbers.values import integers, interval_of, magnitude_of, native, word
from ..options import current
from ..pickling import pickled_as_file
from ..reals.array import REALS_AND_INTEGERS, RealArray
from .plain import PlainArray
from .refusals import NoNumber
from .shape import ArrangedArray
from .turns import TurnedArray

__all__ = ["Distributed", "EncryptedArray", "as_sent"]

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    #: What an operator takes; reflected operators of sharded arrays, columns and matrices take those.
    Operand: TypeAlias = "EncryptedArray | PlainArray | ArrayLike"

#: Operations that take what `plain` encoded; others take the integers.
_ENCODED = ("add", "subtract", "multiply", "sum_of_products")


class Distributed:
    """Several arrays that act as one, or a prepared operand: operators of an `EncryptedArray` leave it to their
    reflected methods."""

    __slots__ = ()


def _is_scalar(value: object) -> bool:
    return value.ndim == 0 if isinstance(value, EncryptedArray) else np.ndim(integers(value, "dot")) == 0


def _judged(product: EncryptedArray) -> EncryptedArray:
    """A matrix product, with a remark where it is larger than it need be."""
    if product is not NotImplemented and product.parameters.has_slots and product.encoding == "slots":
        batch = product.native.batch
        warn_of_spread("matmul", product.shape, batch, product.parameters.slots, product.nbytes)
    return product


@pickled_as_file
class EncryptedArray(ArrangedArray, TurnedArray, NoNumber):
    """An n-dimensional array of encrypted integers, made by `encrypt`.

    It follows NumPy where that makes sense: ``shape``, broadcasting, ``+ - * ** @``, ``sum(axis)``, indexing,
    transposing and reshaping, which cost something along the last axis only, as it lies within ciphertexts. Operands
    may be encrypted arrays, NumPy arrays of integers and Python integers. Arrays are immutable; operations return new
    ones.

    What is public about an array: its shape, parameters, ``bound``, noise headroom and the operations that made it.
    What is
    hidden: its values. Plaintext operands are not hidden from whoever decrypts.

    Results are exact or refused: every array has a public ``bound``, the largest magnitude that its values may have,
    which grows with each operation; one whose result could leave what the parameters hold raises `RangeError`, and one
    whose result could not be decrypted `NoiseError`. Layouts, bounds and which operands can meet are the C++ library's
    (``src/cyclotome/value``), the same for every language.
    """

    __slots__ = ()

    _keyring: Keyring
    _native: _core.EncryptedArray

    # NumPy and pandas hand every operation with such an operand over to this class.
    __array_ufunc__ = None
    __pandas_priority__ = 5000

    # --- domains and levels -------------------------------------------------------------------------------------------
    def transformed(self, wanted: bool = True) -> EncryptedArray:
        """The same array with its ciphertexts transformed, or for False as files have them: what operations do by
        themselves, done once before many of them. Products with plaintexts, best made by `plain`, want transforms (as
        after SEAL's ``transform_to_ntt``); BFV's products of encrypted arrays, rotations and levels want coefficients.
        In BGV, which has transforms throughout, it is the array itself. Results are the same bits.

        Example:
            >>> import cyclotome as cy
            >>> params = cy.Parameters.suggest(depth=1, value_bits=7)
            >>> secret, public, _ = cy.keygen(params, rotations=[])
            >>> x = cy.encrypt([1, 2, 3], public).transformed()
            >>> sums = [x * cy.plain(row, params) + row for row in ([1, 0, 2], [3, 4, 5])]
            >>> cy.decrypt(sums[0], secret), sums[1].is_transformed
            (array([2, 0, 8]), True)
        """
        return self.derived(self._native.transformed() if wanted else self._native.in_native_domain())

    def switch_to_level(self, level: int) -> EncryptedArray:
        """The same values in at most ``level`` ciphertext primes: smaller, and faster to compute with. Each prime that
        goes takes its bits of noise headroom.

        BGV's products choose the level that keeps most noise headroom by themselves; BFV's are formed at the lower
        level of their operands. A computation that leaves more headroom than it needs to is faster from a lower level:
        `switch_to_least_level` finds it.

        Raises:
            ArgumentError: above the present level or below 1.
        """
        wanted = max(word(level, "switch_to_level"), 0)  # the library counts from 0
        return self.derived(self._native.switch_to_level(wanted))

    def switch_to_least_level(self, headroom: float = 0) -> EncryptedArray:
        """The same values in the fewest primes that leave ``headroom`` bits of noise headroom. What goes home is as
        small as its noise allows; what a computation begins with, as small as the computation allows: with a ``plan``
        of it that takes ``x``, ``x.switch_to_least_level(x.noise_headroom - plan.noise_headroom + 2)``. As it is where
        no lower level does.

        Raises:
            ArgumentError: a headroom that is no number.

        Example:
            >>> import cyclotome as cy
            >>> secret, public, _ = cy.keygen(cy.Parameters.suggest(depth=2, value_bits=7))
            >>> x = cy.encrypt([1, 2, 3], public)
            >>> y = (x * x).switch_to_least_level()
            >>> y.nbytes < x.nbytes, cy.decrypt(y, secret)
            (True, array([1, 4, 9]))
        """
        if isinstance(headroom, bool) or not isinstance(headroom, (int, float)) or math.isnan(headroom):
            raise ArgumentError(f"switch_to_least_level: headroom {headroom!r} is no number of bits")
        return self.derived(self._native.switch_to_least_level(float(headroom)))

    # --- keys and devices ---------------------------------------------------------------------------------------------
    def with_keys(self, *keys: object) -> EncryptedArray:
        """The same array that knows these public and evaluation keys too: what products, sums over slots and rotations
        take.

        Raises:
            MismatchError: keys of another secret key or other parameters.
            UnsupportedError: a secret key.
        """
        ring = Keyring.of(*keys)
        ring.require(self.key_id, self._parameters)
        return self._holding(self._native, ring.to(self.device).joined(self._keyring))

    def _holding(self, native: _core.EncryptedArray, keys: Keyring) -> EncryptedArray:
        return self.derived(native.with_keys(keys.native()), keys)

    def to(self, device: str) -> EncryptedArray:
        """The same array, its keys included, on another device; the same bits come out of every one."""
        context = context_from(self._context, device, self._parameters)
        if context is self._context:
            return self
        keys = self._keyring.to(context.device)
        moved = self._native.to(context.native, keys.native())
        return EncryptedArray(self._parameters, context, moved, keys)

    def assume_bound(self, bound: int | tuple[int, int], *, l1_bound: int | None = None) -> EncryptedArray:
        """The same array with a tighter bound that you know to hold, in place of what follows from the operations: as a
        selection by comparisons holds one entry of 1 in each row. Nothing can check it while values are encrypted, as
        with the bounds that `encrypt` is told; a wrong one makes wrong results possible, which decryption refuses only
        where the values that it sees are beyond it. A looser one changes nothing. Values that wrap around modulo T get
        a bound, as integers around 0.

        Args:
            bound: the largest magnitude of a value, or the least and the largest value, ``(0, 9)``.
            l1_bound: the largest sum of magnitudes along the last axis; None: what ``bound`` implies.

        Raises:
            ArgumentError: no whole numbers; a magnitude below 0, or an interval whose least comes last.
            RangeError: more than the parameters hold; an interval that has nothing in common with the array's, or whose
                values add up to more than ``l1_bound``.
            UnsupportedError: bits, and elements of a field.
        """
        low, high = interval_of("assume_bound", bound)
        return self.derived(_core.assume_bound(self._native, (low, high), magnitude_of("assume_bound", l1_bound)))

    # --- arithmetic ---------------------------------------------------------------------------------------------------
    def _binary(self, operation: str, function: Callable[..., _core.EncryptedArray], other: object) -> EncryptedArray:
        """``function`` of this array and another operand, encrypted or plain; what it computes, refuses and bounds is
        the library's."""
        if isinstance(other, Distributed):
            return NotImplemented  # type: ignore[no-any-return]  # as operators may
        if isinstance(other, RealArray):
            raise MismatchError(f"{operation}: {REALS_AND_INTEGERS}")
        keys = self._keyring
        if isinstance(other, EncryptedArray):
            if other._keyring is not keys:
                keys = keys.joined(other._keyring)
            result = function(self._native, other._native, current.get().native)
        elif isinstance(other, PlainArray) and operation in _ENCODED:
            if other.parameters != self._parameters:
                raise MismatchError(f"{operation}: {other!r} meets an array of {self._parameters.summary()}")
            encoded = other.on(self._context)
            result = function(self._native, encoded, current.get().native)
            other.require_met(operation, self._native, encoded)
        else:
            result = function(self._native, native(integers(other, operation)), current.get().native)
            if isinstance(other, PlainArray):
                other.unused(operation)
        return EncryptedArray(self._parameters, self._context, result, keys)

    def __neg__(self) -> EncryptedArray:
        return self.derived(_core.negate(self._native))

    def __pos__(self) -> EncryptedArray:
        return self

    def __add__(self, other: Operand) -> EncryptedArray:
        return self._binary("add", _core.add, other)

    __radd__ = __add__

    def __sub__(self, other: Operand) -> EncryptedArray:
        return self._binary("subtract", _core.subtract, other)

    def __rsub__(self, other: Operand) -> EncryptedArray:
        if isinstance(other, PlainArray):
            return -self + other
        return self.derived(_core.subtract(native(integers(other, "subtract")), self._native, current.get().native))

    def __mul__(self, other: Operand) -> EncryptedArray:
        return self._binary("multiply", _core.multiply, other)

    __rmul__ = __mul__

    def __pow__(self, exponent: object) -> EncryptedArray:
        if isinstance(exponent, EncryptedArray) or not hasattr(exponent, "__index__"):
            raise UnsupportedError(f"x ** {exponent!r}: exponents are whole numbers, and public")
        return self.derived(_core.power(self._native, word(exponent, "an exponent"), current.get().native))

    def __floordiv__(self, divisor: object) -> EncryptedArray:
        """Quotients by a public number, rounded down: a table of those of all values that the bound leaves, at most
        2^14, as `lookup` has it. Remainders, ``x % divisor``, have the divisor's sign, as Python's; `divmod` gives
        both, for the work of one.

        Raises:
            ArgumentError: a divisor of 0.
            UnsupportedError: one that is encrypted, or no whole number.
            RangeError: more values; ones that wrap around; more than a plaintext modulus tells apart.

        Example:
            >>> import cyclotome as cy
            >>> secret, public, _ = cy.keygen(cy.Parameters.suggest(depth=4, value_bits=4, result_bits=10))
            >>> x = cy.encrypt([0, 5, 14, 15], public, bound=(0, 15))
            >>> cy.decrypt(x // 7, secret), cy.decrypt(x % 7, secret)
            (array([0, 0, 2, 2]), array([0, 5, 0, 1]))
        """
        return self.derived(_core.floor_divide(self._native, _divisor(divisor), current.get().native))

    def __mod__(self, divisor: object) -> EncryptedArray:
        return self.derived(_core.remainder(self._native, _divisor(divisor), current.get().native))

    def __divmod__(self, divisor: object) -> tuple[EncryptedArray, EncryptedArray]:
        quotient, remainder = _core.divide(self._native, _divisor(divisor), current.get().native)
        return self.derived(quotient), self.derived(remainder)

    def __matmul__(self, other: Operand) -> EncryptedArray:
        """As `numpy.matmul`, with encrypted and public operands. A public matrix times packed values gives packed
        values again, by diagonals and rotations: ``keygen(matrices=[shape])`` makes the keys that serve a shape best,
        and `Matrix` is one that is encoded once for many products.

        Warns:
            PaddingWarning: a result of more than 4 MiB that an eighth of its ciphertexts could hold.
        """
        return _judged(self._binary("matmul", _core.matmul, other))

    def __rmatmul__(self, other: Operand) -> EncryptedArray:
        if isinstance(other, PlainArray):
            other.unused("matmul")
        return _judged(
            self.derived(_core.matmul(native(integers(other, "matmul")), self._native, current.get().native))
        )

    def dot(self, other: Operand) -> EncryptedArray:
        """``self @ other``, or the product with a scalar."""
        return self * other if self.ndim == 0 or _is_scalar(other) else self @ other

    def sum(self, axis: int | tuple[int, ...] | None = None, *, keepdims: bool = False) -> EncryptedArray:
        """Sums over all axes, or those given. Over the last axis of a packed array it takes log2(n) rotations for each
        row. A sum of products, ``(x * y).sum(0)``, takes one relinearisation; as ``x.sum_of_products(y, 0)``, or as
        ``@`` and `einsum` have it, each factor is prepared once and each sum rounded once, too.

        Raises:
            ArgumentError: no such axis.
            MissingKeyError: the rotations' keys are not attached (`keygen` makes them unless told otherwise).
            RangeError: the sum could leave what the parameters hold.
            NoiseError: the result could not be decrypted.
        """
        chosen = range(self.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
        axes = [word(entry, "sum: an axis") for entry in chosen]
        return self.derived(_core.sum(self._native, axes, bool(keepdims), current.get().native))

    def sum_of_products(
        self, other: EncryptedArray | PlainArray, axis: int | Sequence[int] | None = None
    ) -> EncryptedArray:
        """``(self * other).sum(axis)``, faster and in less memory: each factor is prepared once, each sum rounded once.
        Shapes broadcast; other noise, no more than that of the products one by one. With public integers that were
        prepared (`cyclotome.plain`) rows are summed as they are multiplied, and the bits are those of the products and
        their sum.

        Args:
            other: an encrypted array, or what `cyclotome.plain` makes.
            axis: those of the product to sum over; None: all.

        Raises:
            As ``*`` and `sum`.

        Warns:
            PreparedWarning: what was prepared does not meet this array, and is encoded anew.
        """
        if not isinstance(other, (EncryptedArray, PlainArray)):
            raise UnsupportedError(
                "sum_of_products takes two encrypted arrays, or one and what cy.plain(values, parameters) makes of "
                "public integers; others are multiplied with @"
            )
        every = (
            range(max(self.ndim, len(other.shape))) if axis is None else axis if isinstance(axis, Sequence) else (axis,)
        )
        axes = [word(entry, "sum_of_products: an axis") for entry in every]
        return self._binary("sum_of_products", lambda x, y, how: _core.sum_of_products(x, y, axes, how), other)

    def relinearized(self) -> EncryptedArray:
        """The same array in ciphertexts of two parts, which sums take as well. Products, ``x * y``, keep three parts
        until something else than a sum wants two: a product that several sums have is relinearised by each of them,
        unless it was before. So is a product that was made with ``relinearize=False``; other arrays are returned as
        they are.

        Raises:
            MissingKeyError: no relinearisation key is attached.
        """
        return self.derived(_core.relinearized(self._native, current.get().native))

    def refreshed(self) -> EncryptedArray:
        """The same values with noise that does not depend on what was computed before, over all primes: the number of
        products has no end. Exact; takes seconds. EXPERIMENTAL: doc/bootstrapping.md says what its security rests on.

        Raises:
            NoiseError: there is too much noise already; before anything is computed, with how many bits earlier to
                refresh. `EvaluationKeys.refreshing` has the headroom that it takes.
            MissingKeyError: evaluation keys of ``keygen(..., bootstrap=True)`` are not attached.
            UnsupportedError: parameters that can't be refreshed; `Parameters.bootstrappable` can.
        """
        return self.derived(_core.refresh(self._native, current.get().native))

    # --- bits and elements of GF(2^r) ---------------------------------------------------------------------------------
    def __xor__(self, other: Operand) -> EncryptedArray:
        """Sums of bits, and of elements of GF(2^r)."""
        return self._of_bits("exclusive or") + other

    __rxor__ = __xor__

    def __and__(self, other: Operand) -> EncryptedArray:
        """Products of bits; of elements of GF(2^r) the product is ``*``."""
        if not self._of_bits("and").is_bits or (isinstance(other, EncryptedArray) and not other.is_bits):
            raise UnsupportedError("and of elements of GF(2^r), which are no bits; their product is x * y")
        return self._binary("and", _core.multiply, other)

    __rand__ = __and__

    def __or__(self, other: Operand) -> EncryptedArray:
        """x or y is x + y + x y."""
        return (self ^ other) ^ (self & other)

    __ror__ = __or__

    def __invert__(self) -> EncryptedArray:
        """Bits negated: x + 1."""
        if not self._of_bits("not").is_bits:
            raise UnsupportedError("not of elements of GF(2^r), which are no bits; for x + 1 write x ^ 1")
        return self + 1

    def __array_function__(self, function: Any, _: Any, arguments: Any, options: Any) -> Any:
        """NumPy's functions (NEP 18): those that `numpy_functions` has. Found when called, as they build on this."""
        return import_module("cyclotome.functions.numpy_functions").call(function, arguments, options)


def _divisor(divisor: object) -> int:
    """Of a division.

    Raises:
        UnsupportedError: no public whole number.
    """
    if isinstance(divisor, EncryptedArray) or not hasattr(divisor, "__index__"):
        raise UnsupportedError(f"x // {divisor!r}: divisors are whole numbers, and public")
    return word(divisor, "a divisor")


def as_sent(x: EncryptedArray) -> EncryptedArray:
    """As whoever loads it from bytes has it: products that wait to be relinearised are, and others stay as they are, so
    that what is computed from it has the same bits on either side."""
    return x.relinearized() if x.native.waits else x
