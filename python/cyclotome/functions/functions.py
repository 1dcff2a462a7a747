# SPDX-License-Identifier: Apache-2.0
"""Polynomials, comparisons, selections and order of encrypted integers, in all slots at once.

Each is a polynomial over the values that its operands' bounds leave possible: the tighter the bounds, the fewer
products it takes, and the less deep they are. ``bound=(0, largest)`` at `encrypt` says that no value is negative, which
halves what is to be told apart. Results are exact or refused. `plan` says what a call takes before anything is
encrypted.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar, overload

from .. import _core
from ..arrays.array import Distributed, EncryptedArray
from ..arrays.plain import public_integers
from ..errors import ArgumentError, UnsupportedError
from ..keys.keyring import Keyring
from ..numbers.values import index, native, word
from ..options import current
from ..reals.array import RealArray
from .digits import EncryptedDigits

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = [
    "argmax",
    "argmin",
    "equal",
    "is_zero",
    "less",
    "lookup",
    "maximum",
    "minimum",
    "polyval",
    "sort",
    "top_k",
    "where",
    "within_bits",
]

#: Arrays, or numbers of several digits.
_Values = TypeVar("_Values", EncryptedArray, EncryptedDigits)


def _encrypted(operation: str, x: object) -> EncryptedArray:
    if isinstance(x, Distributed):
        raise UnsupportedError(f"{operation} of a sharded array: gather it first, or call {operation} for each shard")
    if isinstance(x, RealArray):
        raise UnsupportedError(
            f"{operation} is of integers, exactly; arrays of real numbers have x.maximum(y), x.greater(y, gap), "
            "x.sign(gap) and x.polynomial(coefficients)"
        )
    if not isinstance(x, EncryptedArray):
        raise UnsupportedError(f"{operation} takes an encrypted array, not {type(x).__name__}; plain values have NumPy")
    return x


def _called(operation: str, function: Callable[..., _core.EncryptedArray], *operands: object) -> EncryptedArray:
    """``function`` of operands of which one at least is encrypted; the others are integers."""
    arrays = [_encrypted(operation, x) for x in operands if isinstance(x, (EncryptedArray, Distributed))]
    if not arrays:
        _encrypted(operation, operands[0])
    keys: Keyring = arrays[0].keyring
    for other in arrays[1:]:
        keys = keys.joined(other.keyring)
    natives = [x.native if isinstance(x, EncryptedArray) else native(public_integers(x, operation)) for x in operands]
    return arrays[0].derived(function(*natives, current.get().native), keys)


def polyval(coefficients: object, x: EncryptedArray) -> EncryptedArray:
    """The polynomial with these coefficients, value by value, as ``numpy.polyval(coefficients, x)``: that of the
    highest power first.

    By Paterson and Stockmeyer's algorithm: of the ways that it leaves, the one with the fewest products of encrypted
    values, and of those the least deep; degree 7 takes 4 of them, 3 one after the other. Where the bound of ``x``
    leaves fewer values than the polynomial has coefficients, one of lower degree takes its place.

    Args:
        coefficients: integers of any size.
        x: an array in slots, or a replicated one.

    Returns:
        An array whose bound is the largest value within the bound of ``x``; with ``wrap=True`` values modulo T.

    Raises:
        RangeError: values that the parameters don't hold.
        NoiseError: the result could not be decrypted.
        MissingKeyError: no relinearisation key: ``keygen(relinearization=True)``, which is what it does unasked.
        ArgumentError: coefficients that are no row of integers.

    Example:
        >>> import cyclotome as cy
        >>> secret, public, _ = cy.keygen(cy.Parameters.suggest(depth=2, value_bits=3, result_bits=14), rotations=[])
        >>> x = cy.encrypt([-2, 0, 5], public, bound=5)
        >>> cy.decrypt(cy.polyval([1, 0, -3, 7], x), secret)  # x^3 - 3x + 7
        array([  5,   7, 117])
    """
    _encrypted("polyval", x)
    row = native(public_integers(coefficients, "polyval"))
    return x.derived(_core.polyval(row, x.native, current.get().native))


def lookup(table: object, x: EncryptedArray) -> EncryptedArray:
    """``table[x]``, value by value: a polynomial of degree below ``len(table)`` where ``x`` is known not to be negative
    (``encrypt(..., bound=(0, len(table) - 1))``), of twice the degree where it may be, since NumPy counts negative
    numbers from the end.

    Raises:
        RangeError: the bound of ``x`` goes beyond the table, or a plaintext modulus does not tell its values apart.
        NoiseError, MissingKeyError: see `polyval`.
        ArgumentError: a table that is no row of integers.

    Example:
        >>> import cyclotome as cy
        >>> secret, public, _ = cy.keygen(cy.Parameters.suggest(depth=3, value_bits=3, result_bits=10), rotations=[])
        >>> x = cy.encrypt([3, 0, 2, 1], public, bound=(0, 3))
        >>> cy.decrypt(cy.lookup([100, -7, 0, 55], x), secret)
        array([ 55, 100,   0,  -7])
    """
    _encrypted("lookup", x)
    return x.derived(_core.lookup(native(public_integers(table, "lookup")), x.native, current.get().native))


# --- comparisons ------------------------------------------------------------------------------------------------------


def _digits(operation: str, *operands: object) -> list[EncryptedDigits] | None:
    """The operands, if they are numbers of several digits.

    Raises:
        ArgumentError: only some are, or of another base or number of digits.
    """
    if not any(isinstance(x, EncryptedDigits) for x in operands):
        return None
    every = [x for x in operands if isinstance(x, EncryptedDigits)]
    if len(every) < len(operands) or len({(x.base, x.count) for x in every}) > 1:
        raise ArgumentError(
            f"{operation}: {', '.join(map(repr, operands))}; numbers of digits meet those of the same base and as many "
            "digits, encrypted alike (encrypt_digits)"
        )
    return every


def _with_axes(digits: EncryptedArray, axes: int) -> EncryptedArray:
    """Digits of numbers with so many axes, which broadcast as those of numbers do and not against the digits'."""
    count, *shape = digits.shape
    return digits.reshape(count, *[1] * (axes - len(shape)), *shape)


def is_zero(x: EncryptedArray) -> EncryptedArray:
    """1 where ``x`` is 0, else 0. Errors: see `less`."""
    return _called("is_zero", _core.is_zero, _encrypted("is_zero", x))


def equal(
    x: EncryptedArray | EncryptedDigits | ArrayLike, y: EncryptedArray | EncryptedDigits | ArrayLike
) -> EncryptedArray:
    """1 where x = y, else 0, value by value; shapes broadcast.

    By a polynomial over the differences that the bounds leave, or as 1 - d^(t - 1) modulo the prime t, the only way for
    values that wrap around: whichever takes fewer products of those that the noise allows.

    Args:
        x, y: one of them encrypted; the other may be integers. Or both `EncryptedDigits`.

    Raises:
        RangeError: a plaintext modulus does not tell the differences apart; state tighter bounds, take a larger
            plaintext modulus, or `encrypt_digits`.
        NoiseError, MissingKeyError: see `polyval`.

    Example:
        >>> import cyclotome as cy
        >>> secret, public, _ = cy.keygen(cy.Parameters.suggest(depth=4, value_bits=3, result_bits=5), rotations=[])
        >>> x = cy.encrypt([3, 0, 2, 7], public, bound=(0, 7))
        >>> cy.decrypt(cy.equal(x, [3, 1, 2, 0]), secret)
        array([1, 0, 1, 0])
    """
    pair = _digits("equal", x, y)
    if pair:
        return _called("equal", _core.equal_digits, pair[0].digits, pair[1].digits)
    if not isinstance(x, EncryptedArray):
        x, y = y, x
    return _called("equal", _core.equal, x, y)


def less(
    x: EncryptedArray | EncryptedDigits | ArrayLike, y: EncryptedArray | EncryptedDigits | ArrayLike
) -> EncryptedArray:
    """1 where x < y, else 0, value by value; shapes broadcast: the sign of x - y, an odd polynomial over the values
    that the bounds leave it. For numbers beyond a few hundred take `EncryptedDigits`. Arguments: see `equal`.

    Raises:
        RangeError: values that wrap around, which have no order; differences that a plaintext modulus does not tell
            apart, or more than 2^14 of them.
        NoiseError, MissingKeyError: see `polyval`.
    """
    pair = _digits("less", x, y)
    if pair:
        return _called("less", _core.less_digits, pair[0].digits, pair[1].digits)
    return _called("less", _core.less, x, y)


def _selected(
    operation: str, function: Callable[..., _core.EncryptedArray], x: object, y: object, swap: bool
) -> EncryptedArray | EncryptedDigits:
    pair = _digits(operation, x, y)
    if pair:
        mask = less(pair[1], pair[0]) if swap else less(pair[0], pair[1])
        return where(mask, pair[1], pair[0])
    if not isinstance(x, EncryptedArray):
        x, y = y, x
    return _called(operation, function, x, y)


@overload
def maximum(x: EncryptedDigits, y: EncryptedDigits) -> EncryptedDigits: ...
@overload
def maximum(x: EncryptedArray | ArrayLike, y: EncryptedArray | ArrayLike) -> EncryptedArray: ...
def maximum(x: Any, y: Any) -> EncryptedArray | EncryptedDigits:
    """The larger of both, value by value, as ``numpy.maximum``. Arguments and errors: see `less`.

    Example:
        >>> import cyclotome as cy
        >>> secret, public, _ = cy.keygen(cy.Parameters.suggest(depth=6, value_bits=3, result_bits=7), rotations=[])
        >>> x = cy.encrypt([3, -5, 2], public, bound=7)
        >>> cy.decrypt(cy.maximum(x, 0), secret)
        array([3, 0, 2])
    """
    return _selected("maximum", _core.maximum, x, y, swap=False)


@overload
def minimum(x: EncryptedDigits, y: EncryptedDigits) -> EncryptedDigits: ...
@overload
def minimum(x: EncryptedArray | ArrayLike, y: EncryptedArray | ArrayLike) -> EncryptedArray: ...
def minimum(x: Any, y: Any) -> EncryptedArray | EncryptedDigits:
    """The smaller of both, value by value, as ``numpy.minimum``. Arguments and errors: see `less`."""
    return _selected("minimum", _core.minimum, x, y, swap=True)


def within_bits(mask: EncryptedArray) -> bool:
    """Whether it is known to hold zeros and ones."""
    return mask.interval is not None and mask.interval[0] >= 0 and mask.interval[1] <= 1


@overload
def where(mask: EncryptedArray, a: EncryptedDigits, b: EncryptedDigits) -> EncryptedDigits: ...
@overload
def where(mask: EncryptedArray, a: EncryptedArray | ArrayLike, b: EncryptedArray | ArrayLike) -> EncryptedArray: ...
def where(mask: EncryptedArray, a: Any, b: Any) -> EncryptedArray | EncryptedDigits:
    """``a`` where the mask is 1, ``b`` where it is 0: b + mask (a - b), one product; shapes broadcast.

    Args:
        mask: what comparisons make, or 0 and 1 encrypted with ``bound=(0, 1)``: then the result is bounded by ``a`` and
            ``b``. Any other mask is what the formula makes of it, and bounded accordingly (``numpy.where``, which takes
            all but 0 for true, refuses such).
        a, b: encrypted arrays or integers; or both `EncryptedDigits`.

    Raises:
        ArgumentError: digits, and a mask that may be something else than 0 and 1.
        RangeError, NoiseError, MissingKeyError: see `polyval`.
    """
    pair = _digits("where", a, b)
    if pair:
        if not within_bits(_encrypted("where", mask)):
            raise ArgumentError(
                f"where of numbers in digits: the mask may be {mask.interval}, and digits times others than 0 and 1 "
                "are no digits; encrypt it with bound=(0, 1), or say what you know of it: mask.assume_bound((0, 1))"
            )
        axes = max(mask.ndim, *(x.digits.ndim - 1 for x in pair))
        return replace(pair[0], digits=where(mask, *(_with_axes(x.digits, axes) for x in pair)))
    return _called("where", _core.where, _encrypted("where", mask), a, b)


# --- order ------------------------------------------------------------------------------------------------------------


def _ordered(
    operation: str, function: Callable[..., _core.EncryptedArray], x: object, axis: object, descending: bool, kept: int
) -> EncryptedArray:
    digits = isinstance(x, EncryptedDigits)
    array = x.digits if isinstance(x, EncryptedDigits) else _encrypted(operation, x)
    number = word(axis, f"{operation}: an axis")
    return array.derived(function(array.native, number, descending, kept, digits, current.get().native))


def _like(x: _Values, array: EncryptedArray) -> _Values:
    return replace(x, digits=array) if isinstance(x, EncryptedDigits) else array


def sort(x: _Values, *, axis: int = 0, descending: bool = False) -> _Values:
    """The values along ``axis`` in order, as ``numpy.sort(x, axis, kind="stable")``, in all slots at once: every pair
    is compared (`less`), and a value's rank is a sum of comparisons.

    Args:
        x: an array, or `EncryptedDigits`, with 1 to 64 values along the axis.
        axis: one that numbers ciphertexts: any but the last of a packed array. A single list is encrypted with
            ``layout="replicated"``.
        descending: the largest first.

    Raises:
        UnsupportedError: the axis lies within ciphertexts.
        ArgumentError: no such axis, or too many values along it.
        RangeError, NoiseError, MissingKeyError: see `less`.
    """
    return _like(x, _ordered("sort", _core.sorted, x, axis, bool(descending), 0))


def top_k(x: _Values, k: int, *, axis: int = 0) -> _Values:
    """The ``k`` largest values along ``axis``, the largest first. Arguments and errors: see `sort`."""
    wanted = index(k, "top_k: k")
    if wanted < 1:
        raise ArgumentError(f"top_k: k {wanted} must be at least 1")
    return _like(x, _ordered("top_k", _core.sorted, x, axis, True, wanted))


def argmax(x: EncryptedArray | EncryptedDigits, *, axis: int = 0) -> EncryptedArray:
    """The place of the largest value along ``axis``, of equal ones the first, as ``numpy.argmax``. Arguments and
    errors: see `sort`.

    Example:
        >>> import cyclotome as cy
        >>> params = cy.Parameters.suggest(depth=7, value_bits=3, result_bits=6, scheme="bgv")
        >>> secret, public, _ = cy.keygen(params, rotations=[])
        >>> scores = cy.encrypt([[1, 3], [2, 2], [0, 3]], public, bound=(0, 3))
        >>> cy.decrypt(cy.argmax(scores), secret)
        array([1, 0])
    """
    return _ordered("argmax", _core.first_place, x, axis, True, 0)


def argmin(x: EncryptedArray | EncryptedDigits, *, axis: int = 0) -> EncryptedArray:
    """The place of the smallest value along ``axis``, of equal ones the first, as ``numpy.argmin``. Arguments and
    errors: see `sort`."""
    return _ordered("argmin", _core.first_place, x, axis, False, 0)
