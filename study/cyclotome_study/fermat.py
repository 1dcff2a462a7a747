# SPDX-License-Identifier: Apache-2.0
"""BFV on paper 003's moduli q = 2^(2^x) - 1, for comparison with the library's own parameters.

    >>> from cyclotome_study import fermat
    >>> params = fermat.Parameters(degree=8192, x=7, plain_modulus=163841)
    >>> secret, public, evaluation = fermat.keygen(params)
    >>> x = fermat.encrypt([1, 2, 3], public, bound=100)
    >>> fermat.decrypt(x * x - 2 * x + 1, secret)
    array([0, 1, 4])

The names are the library's (`cyclotome.Parameters`, `keygen`, `encrypt`, `decrypt`, ``+ - *``), and so are the
promises: exact integers or a typed error. Arrays have one axis of up to n values, or rows of as many.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
from cyclotome import _core
from cyclotome.devices.contexts import engine_on
from cyclotome.errors import (
    ArgumentError,
    FormatError,
    MismatchError,
    MissingKeyError,
    RangeError,
    TransparentError,
    UnsupportedError,
)
from cyclotome.files import MAX_BYTES, Path
from cyclotome.whole_files import path_text

from cyclotome_study.fermat_parameters import (
    EvaluationKeys,
    Keys,
    Parameters,
    Products,
    PublicKey,
    SecretKey,
    Version,
    keygen,
)

__all__ = [
    "EvaluationKeys",
    "FermatArray",
    "Keys",
    "Parameters",
    "Products",
    "PublicKey",
    "SecretKey",
    "Version",
    "decrypt",
    "encrypt",
    "keygen",
    "load",
    "save",
]

Values = np.ndarray[Any, np.dtype[np.int64]]


class _Layout(NamedTuple):
    """Where values are: the array's shape, in slots or in coefficients, where products are negacyclic convolutions."""

    shape: tuple[int, ...]
    slots: bool


def _integers(values: object, what: str) -> Values:
    array = np.asarray(values)
    if array.dtype == np.bool_ or array.size == 0:
        array = array.astype(np.int64)
    if not np.issubdtype(array.dtype, np.integer):
        raise UnsupportedError(f"{what} takes whole numbers, not values of type {array.dtype}")
    if array.size and (int(array.max()) > 2**63 - 1 or int(array.min()) < -(2**63)):
        raise RangeError(f"{what}: values beyond 64 bits; the plaintext modulus holds fewer than 31")
    return array.astype(np.int64)


def _rows(array: Values, degree: int, what: str) -> Values:
    if array.ndim not in (1, 2) or not array.size or array.shape[-1] > degree:
        raise ArgumentError(
            f"{what}: an array of shape {array.shape}; it has one axis of 1 to n = {degree} values, or rows"
        )
    return np.ascontiguousarray(array.reshape(-1, array.shape[-1]))


class FermatArray:
    """Encrypted integers with a public bound of their magnitude. ``+ - *`` with arrays, integers and plain arrays.

    In slots products act value by value; in coefficients they are negacyclic convolutions of n values.
    """

    __slots__ = ("_bound", "_evaluation", "_layout", "_native", "_parameters")
    __array_ufunc__ = None

    def __init__(
        self, parameters: Parameters, native: Any, layout: _Layout, bound: int | None, evaluation: EvaluationKeys | None
    ) -> None:
        if bound is not None and 2 * bound >= parameters.plain_modulus:
            raise RangeError(
                f"results may reach {bound}, but plaintext modulus {parameters.plain_modulus} holds magnitudes below "
                f"{(parameters.plain_modulus + 1) // 2}; use a larger one, state a smaller bound, or encrypt with "
                "wrap=True for values modulo t"
            )
        if native is not None and native.transparent:
            raise TransparentError(
                "this result would hide nothing, as x - x or 0 * x does not; if it is what you mean, add "
                "encrypt(zeros, public) to it before"
            )
        self._parameters, self._native, self._layout = parameters, native, layout
        self._bound, self._evaluation = bound, evaluation

    @property
    def parameters(self) -> Parameters:
        """Of the key."""
        return self._parameters

    @property
    def native(self) -> Any:
        """What the library computes with."""
        return self._native

    @property
    def layout(self) -> _Layout:
        """Shape, and whether values are in slots."""
        return self._layout

    @property
    def shape(self) -> tuple[int, ...]:
        """Of what decryption gives."""
        return self._layout.shape

    @property
    def bound(self) -> int | None:
        """Largest magnitude that values may have; None: they are meant modulo t."""
        return self._bound

    @property
    def evaluation(self) -> EvaluationKeys | None:
        """The keys that it multiplies with."""
        return self._evaluation

    @property
    def headroom(self) -> float:
        """Bits that the noise may grow until decryption refuses."""
        return float(self._native.headroom)

    def with_keys(self, evaluation: EvaluationKeys) -> FermatArray:
        """The same array, multiplying with these keys."""
        return FermatArray(self._parameters, self._native, self._layout, self._bound, evaluation)

    def _like(self, native: Any, bound: int | None, other: FermatArray | None = None) -> FermatArray:
        evaluation = self._evaluation or (other.evaluation if other else None)
        return FermatArray(self._parameters, native, self._layout, bound, evaluation)

    def _joined(self, other: FermatArray, bound: int | None, operation: str) -> int | None:
        if other.layout != self._layout:
            raise ArgumentError(
                f"{operation}: arrays of shapes {self.shape} and {other.shape}, or one in slots and one not"
            )
        if (self._bound is None) != (other.bound is None):
            raise MismatchError(f"{operation}: one array's values are meant modulo t, the other's are bounded")
        return bound

    def _plain(self, other: object, operation: str) -> Values:
        array = _integers(other, operation)
        if array.ndim == 0 and not self._layout.slots and operation == "multiply":
            array = np.array([int(array)])  # a constant polynomial
        elif array.ndim == 0:
            array = np.full(self.shape[-1:], int(array))
        rows_differ = array.ndim > 1 and array.shape[:-1] != self.shape[:-1]
        if rows_differ or (self._layout.slots and array.shape[-1] != self.shape[-1]):
            raise ArgumentError(f"{operation}: arrays of shapes {self.shape} and {array.shape}")
        if self._bound is None:
            t = self._parameters.plain_modulus
            array = (array + t // 2) % t - t // 2
        return _rows(array, self._parameters.degree, operation)

    def __add__(self, other: object) -> FermatArray:
        if isinstance(other, FermatArray):
            bound = None if self._bound is None or other.bound is None else self._bound + other.bound
            return self._like(self._native.add(other.native), self._joined(other, bound, "add"), other)
        plain = self._plain(other, "add")
        bound = None if self._bound is None else self._bound + int(np.abs(plain).max())
        self._like(self._native, bound)  # refuses before the values are encoded
        return self._like(self._native.add_plain(plain, self._layout.slots), bound)

    __radd__ = __add__

    def __neg__(self) -> FermatArray:
        return self._like(self._native.negate(), self._bound)

    def __sub__(self, other: object) -> FermatArray:
        if isinstance(other, FermatArray):
            bound = None if self._bound is None or other.bound is None else self._bound + other.bound
            return self._like(self._native.subtract(other.native), self._joined(other, bound, "subtract"), other)
        return self + (-_integers(other, "subtract"))

    def __rsub__(self, other: object) -> FermatArray:
        return -self + other

    def __mul__(self, other: object) -> FermatArray:
        terms = 1 if self._layout.slots else self._parameters.degree
        if not isinstance(other, FermatArray):
            plain = self._plain(other, "multiply")
            sizes = np.abs(plain.astype(object))
            factor = int(sizes.max() if self._layout.slots else sizes.sum(axis=-1).max())
            bound = None if self._bound is None else self._bound * factor
            self._like(self._native, bound)
            return self._like(self._native.multiply_plain(plain, self._layout.slots), bound)
        bound = None if self._bound is None or other.bound is None else terms * self._bound * other.bound
        bound = self._joined(other, bound, "multiply")
        self._like(self._native, bound)
        key = self._evaluation or other.evaluation
        if key is None:
            raise MissingKeyError("multiply: no evaluation keys are known; say x.with_keys(evaluation)")
        return self._like(self._native.multiply(other.native, key.native), bound, other)

    __rmul__ = __mul__

    def __repr__(self) -> str:
        place = "slots" if self._layout.slots else "coefficients"
        return f"FermatArray(shape {self.shape} in {place}, bound {self._bound}, headroom {self.headroom:.1f} bits)"


def encrypt(
    values: object,
    key: PublicKey | SecretKey,
    *,
    bound: int | None = None,
    wrap: bool = False,
    encoding: Literal["slots", "coefficients"] | None = None,
) -> FermatArray:
    """Encrypts integers: up to n of them, or rows of up to n.

    Args:
        values: whole numbers.
        key: public, or secret.
        bound: the largest magnitude that values may have; public. None: ``parameters.default_bound``.
        wrap: values and results are meant modulo t, and nothing has a bound.
        encoding: "slots" or "coefficients"; None: slots if there are any.

    Raises:
        RangeError: a value beyond the bound, or a bound beyond t/2.
        UnsupportedError: values that are no integers, or another key.
        ArgumentError: no values, or too many.
    """
    if not isinstance(key, (PublicKey, SecretKey)):
        raise UnsupportedError(f"encrypt takes a public or secret key, not {type(key).__name__}")
    parameters = key.parameters
    if encoding not in (None, "slots", "coefficients"):
        raise ArgumentError(f"encrypt: encoding {encoding!r}; there are 'slots' and 'coefficients'")
    if encoding == "slots" and not parameters.has_slots:
        raise ArgumentError(
            f"encrypt: plaintext modulus {parameters.plain_modulus} has no slots at degree {parameters.degree}; use a "
            f"prime that is 1 modulo {parameters.ring.transform_step} and divides no such q, as 786433, or coefficients"
        )
    slots = parameters.has_slots if encoding is None else encoding == "slots"
    array = _integers(values, "encrypt")
    array = array.reshape(1) if array.ndim == 0 else array
    rows = _rows(array, parameters.degree, "encrypt")
    t = parameters.plain_modulus
    if wrap:
        stated = None
        rows = (rows + t // 2) % t - t // 2
    else:
        stated = parameters.default_bound if bound is None else int(bound)
        largest = max(int(rows.max()), -int(rows.min()))
        if largest > stated:
            raise RangeError(
                f"encrypt: a value of magnitude {largest} is beyond the bound {stated}; state a larger one"
            )
    width = array.shape[-1] if slots else parameters.degree
    layout = _Layout((*array.shape[:-1], width), slots)
    evaluation = key.evaluation if isinstance(key, PublicKey) else None
    # The bound is looked at before anything is encrypted.
    FermatArray(parameters, None, layout, stated, evaluation)
    return FermatArray(parameters, key.native.encrypt(rows, slots), layout, stated, evaluation)


def decrypt(array: FermatArray, key: SecretKey) -> Values:
    """The integers, exactly; representatives in [-t/2, t/2) for arrays that wrap around. Arrays in coefficients have
    all n of them.

    Raises:
        NoiseError: the noise may be more than q corrects.
        ContradictionError: there is more noise than the array states.
        MismatchError: another key's array.
    """
    if not isinstance(key, SecretKey):
        raise UnsupportedError(f"decrypt takes a secret key, not {type(key).__name__}")
    rows = key.native.decrypt(array.native, array.layout.slots)
    return np.ascontiguousarray(rows[:, : array.shape[-1]]).view(np.int64).reshape(array.shape)


def save(
    path: Path,
    thing: Parameters | SecretKey | PublicKey | EvaluationKeys | FermatArray,
    *,
    overwrite: bool = False,
) -> None:
    """Writes parameters, a key or an array to a file, whole or not at all. `cyclotome inspect` says what it is.

    A secret key's file is readable by its owner alone, and not encrypted: keep it as you keep the key.

    Raises:
        FileError: it can't be written, or is there already and `overwrite` is not said.
        UnsupportedError: anything else.
    """
    native: Any
    if isinstance(thing, FermatArray):
        rows = len(thing.shape) == 2
        native = _core.FermatStoredArray(thing.native, thing.shape[-1], rows, thing.layout.slots, thing.bound)
    elif isinstance(thing, (Parameters, SecretKey, PublicKey, EvaluationKeys)):
        native = thing.native
    else:
        raise UnsupportedError(f"save takes parameters, a key or an array, not {type(thing).__name__}")
    _core.write_fermat(path_text(path), native, overwrite)


def load(
    path: Path,
    *,
    allow_insecure: bool = False,
    version: Version | None = None,
    device: str = "cpu",
    max_bytes: int = MAX_BYTES,
) -> Any:
    """Reads a file of `save`; what it is says the file: `Parameters`, a key, or a `FermatArray`. A public key and an
    array know no evaluation keys: `FermatArray.with_keys`.

    Args:
        path: the file.
        allow_insecure: take parameters that are INSECURE.
        version: as for `Parameters`.
        device: as for `Parameters`.
        max_bytes: longer files are refused.

    Raises:
        FileError: no such file, or it can't be read.
        FormatError: damaged, cut off, too long, or no object of this study.
        SecurityError: INSECURE parameters that are not allowed.
    """
    engine = engine_on(device)
    found: Any = _core.read_fermat(path_text(path), max_bytes, allow_insecure, engine, version)
    if isinstance(found, _core.FermatContext):
        return Parameters.of_context(found, engine)
    if isinstance(found, _core.FermatStoredArray):
        native = found.ciphertext
        shape = (native.items, found.width) if found.rows else (found.width,)
        parameters = Parameters.of_context(native.context, engine)
        if found.slots and not parameters.has_slots:
            raise FormatError(f"an array in slots, which plaintext modulus {parameters.plain_modulus} does not have")
        return FermatArray(parameters, native, _Layout(shape, found.slots), found.bound, None)
    parameters = Parameters.of_context(found.context, engine)
    if isinstance(found, _core.FermatSecretKey):
        return SecretKey(parameters, found)
    if isinstance(found, _core.FermatPublicKey):
        return PublicKey(parameters, found)
    return EvaluationKeys(parameters, found)
