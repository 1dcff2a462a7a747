# SPDX-License-Identifier: Apache-2.0
"""Numbers in: encryption."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypedDict

from .. import _core
from ..errors import ArgumentError, MismatchError, UnsupportedError
from ..keys.keyring import Keyring
from ..keys.kinds import PublicKey, SecretKey
from ..memory import warn_of_padding
from ..numbers.values import integers, interval_of, magnitude_of, native
from ..options import Callback, options
from ..parameters.parameters import Parameters
from ..reals.array import RealArray
from .array import EncryptedArray

__all__ = ["EncryptOptions", "encrypt", "encrypt_integers", "encrypt_shape"]


class EncryptOptions(TypedDict, total=False):
    """The options of `encrypt`, where a function hands them on."""

    bound: int | tuple[int, int] | None
    l1_bound: int | None
    wrap: bool
    layout: str
    encoding: str | None
    progress: Callback | None


def encrypt(
    values: object,
    key: PublicKey | SecretKey,
    *,
    bound: float | tuple[int, int] | None = None,
    l1_bound: int | None = None,
    wrap: bool = False,
    layout: str = "packed",
    encoding: str | None = None,
    progress: Callback | None = None,
) -> EncryptedArray:
    """Encrypts integers; under parameters for real numbers (``scheme="ckks"``, EXPERIMENTAL, doc/reals.md) real and
    complex ones, of which ``bound`` is the largest magnitude, and nothing else is stated: `RealArray.encrypt`, which
    has the type of what it gives.

    Args:
        values: a Python or NumPy integer, an array of integers or booleans, or nested lists of integers of any width.
        key: a public key, which anybody may have, or the secret key: then noise is lower and files take half the space.
        bound: the largest magnitude that the values may have, for this and any other data in their place. It is public
            and travels with the array. None: ``parameters.default_bound``. A tighter bound lets longer computations
            pass. A pair is the least and the largest value: ``(0, largest)`` says that no value is negative, which
            halves what comparisons and tables have to tell apart.
        l1_bound: the largest sum of magnitudes along the last axis, public as well. None: what ``bound`` implies. Rows
            that select one value each, such as [0, 0, 1, 0], have 1: then ``(mask * x).sum(axis=-1)`` is bounded by
            what one ``x`` may be, not by all of them together.
        wrap: values and results are meant modulo T, in [0, T); nothing has a bound, and ``decrypt`` gives residues. For
            circuits over small moduli, and polynomials whose products are meant modulo T. Where T is 2, values are bits
            without it, whose sums are exclusive ors.
        layout: "packed": the last axis goes into ciphertexts of ``parameters.slots`` values each, or n coefficients;
            "replicated": one ciphertext for each value. Scalars are always replicated.
        encoding: "slots" or "coefficients" for packed arrays; None: slots if the parameters have some, of
            integers at least 64 or n (``parameters.slots_by_default``). Where parameters
            hold bits (plaintext modulus 2 over Phi_m), "field": values are elements of GF(2^r), whole numbers from 0 to
            2^r - 1 whose bit i is the coefficient of y^i; else they are bits, 0 and 1 or False and True.
        progress: called as ``progress(done, total, what)``.

    Returns:
        `EncryptedArray` of the same shape, or `RealArray` (which of both follows from parameters, and no type checker
        sees it). With a public key fresh from `keygen` it knows the
        evaluation keys.

    Raises:
        RangeError: a value beyond the bound, or a bound beyond what the parameters hold; a value that is no bit, or no
            element of the field.
        UnsupportedError: values that are no integers; evaluation keys in place of a public one.
        ArgumentError: no values.
        MemoryLimitError: the ciphertexts don't fit into memory, or not within `set_memory_limit`.
        NoiseError: parameters that can't decrypt even a fresh encryption.

    Warns:
        PaddingWarning: more than 64 MiB of ciphertexts, and more than nine tenths of them padding.

    Example:
        >>> import cyclotome as cy, numpy as np
        >>> secret, public, evaluation = cy.keygen(cy.Parameters.suggest(depth=1, value_bits=7, terms=16))
        >>> x = cy.encrypt(np.array([[1, 2, 3], [4, 5, 6]]), public)
        >>> cy.decrypt(x * x + 3 * x, secret)
        array([[ 4, 10, 18],
               [28, 40, 54]])
    """
    if not isinstance(key, (PublicKey, SecretKey)):
        raise UnsupportedError(f"encrypt takes a public or secret key, not {type(key).__name__}")
    if isinstance(values, (EncryptedArray, RealArray)):
        raise UnsupportedError("encrypt: the values are encrypted already")
    if key.parameters.holds_reals:
        if (l1_bound, bool(wrap), layout, encoding) != (None, False, "packed", None) or isinstance(bound, tuple):
            raise UnsupportedError("encrypt: of real numbers a bound on magnitudes is stated, and nothing else")
        reals: Any = RealArray.encrypt(values, key, bound=bound, progress=progress)
        return reals  # type: ignore[no-any-return]  # of the other class
    if isinstance(bound, float):
        raise ArgumentError(f"encrypt: bound {bound!r} is no whole number, and bounds of integers are")
    return encrypt_integers(values, key, bound, l1_bound, wrap, layout, encoding, progress)


def encrypt_integers(
    values: object,
    key: PublicKey | SecretKey,
    bound: int | tuple[int, int] | None = None,
    l1_bound: int | None = None,
    wrap: bool = False,
    layout: str = "packed",
    encoding: str | None = None,
    progress: Callback | None = None,
) -> EncryptedArray:
    """What `encrypt` does of integers; for the library's modules that are about these.

    Raises:
        MismatchError: parameters for real numbers.
    """
    if key.parameters.holds_reals:
        raise MismatchError(
            f"encrypt: {key.parameters.summary()} are for real numbers, and these are integers of an exact scheme; "
            "take parameters of bfv or bgv"
        )
    numbers = integers(values, "encrypt", named_rows=True)
    stated = _Statement.of(key.parameters, bound, l1_bound, wrap, layout, encoding)
    array = _core.encrypt(
        native(numbers),
        key.native,
        None,
        stated.rows,
        stated.wrap,
        stated.placement,
        options(progress),
        stated.interval,
    )
    _warn(key, stated, numbers.shape, layout)
    keys = Keyring() if isinstance(key, SecretKey) else Keyring.of(key)
    return EncryptedArray(key.parameters, key.context, array.with_keys(keys.native()), keys)


def encrypt_shape(
    shape: tuple[int, ...],
    key: PublicKey,
    *,
    bound: int | tuple[int, int] | None = None,
    l1_bound: int | None = None,
    wrap: bool = False,
    layout: str = "packed",
    encoding: str | None = None,
) -> EncryptedArray:
    """An array like any that `encrypt` makes of values of this shape, without a word for each of them: what stands for
    arguments where a computation is only accounted for. Errors and warnings: those of `encrypt`."""
    stated = _Statement.of(key.parameters, bound, l1_bound, wrap, layout, encoding)
    array = _core.encrypt_shape(
        shape, key.native, stated.rows, stated.wrap, stated.placement, options(None), stated.interval
    )
    _warn(key, stated, shape, layout)
    keys = Keyring.of(key)
    return EncryptedArray(key.parameters, key.context, array.with_keys(keys.native()), keys)


@dataclass(frozen=True)
class _Statement:
    """What is said of values before they are encrypted, as the core takes it."""

    interval: tuple[int, int] | None
    rows: int | None
    wrap: bool
    placement: _core.Placement | None

    @classmethod
    def of(
        cls,
        parameters: Parameters,
        bound: int | tuple[int, int] | None,
        l1_bound: int | None,
        wrap: bool,
        layout: str,
        encoding: str | None,
    ) -> _Statement:
        """Of the arguments of `encrypt`. Raises what it does of them."""
        stated = None if bound is None else interval_of("encrypt", bound)
        rows = magnitude_of("encrypt", l1_bound)
        if isinstance(encoding, str) and encoding == "field":
            if parameters.field_degree is None:
                raise ArgumentError(f"encrypt: encoding='field', but {parameters.summary()} hold integers")
            encoding, wrap = "slots", True
        if stated is None and not wrap and not parameters.holds_bits:
            stated = (-parameters.default_bound, parameters.default_bound)
        return cls(stated, rows, bool(wrap), _placement(parameters, layout, encoding))


def _warn(key: PublicKey | SecretKey, stated: _Statement, shape: tuple[int, ...], layout: str) -> None:
    if layout != "packed":
        return
    parameters = key.parameters
    each = 2 * key.context.native.polynomial_bytes * len(parameters.plain_moduli)
    slots = stated.placement == _core.Placement.slots or (stated.placement is None and parameters.slots_by_default)
    width = parameters.slots if slots else parameters.degree
    warn_of_padding("encrypt", shape, width, each)


def _placement(parameters: Parameters, layout: str, encoding: str | None) -> _core.Placement | None:
    if not isinstance(layout, str) or layout not in ("packed", "replicated"):
        raise ArgumentError(f"encrypt: layout {layout!r}; there are 'packed' and 'replicated'")
    if encoding is not None and (not isinstance(encoding, str) or encoding not in ("slots", "coefficients")):
        raise ArgumentError(f"encrypt: encoding {encoding!r}; there are 'slots' and 'coefficients'")
    if encoding == "slots" and not parameters.has_slots:
        raise ArgumentError(
            f"encrypt: plaintext moduli {parameters.plain_moduli} have no slots at degree {parameters.degree}; they "
            f"must be primes congruent to 1 modulo {parameters.ring.slot_condition}. Use encoding='coefficients' or "
            "other parameters"
        )
    if layout == "replicated":
        return _core.Placement.replicated
    return None if encoding is None else _core.Placement[encoding]
