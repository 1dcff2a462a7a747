# SPDX-License-Identifier: Apache-2.0
"""LTV/DHS as paper 002 (cuHE) has it: levelled encryption of bits over Phi_m with NTRU keys. BROKEN.

Lattice reduction finds the key of every set of parameters, so nothing here hides anything; for bits use
`cyclotome.Parameters(cyclotomic=...)`. `keygen` wants ``acknowledge_broken=True``.

    >>> from cyclotome_study import ltv
    >>> params = ltv.Parameters(primes=3, cyclotomic=105, prime_bits=22, window=8)
    >>> secret, public, evaluation = ltv.keygen(params, acknowledge_broken=True)
    >>> x = ltv.encrypt([1, 1, 0], public)
    >>> y = ltv.encrypt([1, 0, 1], public)
    >>> ltv.decrypt(x * y + 1, secret)
    array([0, 1, 1], dtype=uint8)

``+`` is XOR and ``*`` AND, slot by slot. The paper's arithmetic of polynomials is `cyclotome_study.ltv_arithmetic`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from cyclotome import _core
from cyclotome.errors import (
    ArgumentError,
    FormatError,
    MissingKeyError,
    RangeError,
    TransparentError,
    UnsupportedError,
)
from cyclotome.files import MAX_BYTES, Path
from cyclotome.whole_files import path_text

from cyclotome_study.ltv_parameters import (
    EvaluationKeys,
    Keys,
    Parameters,
    Precomputation,
    PublicKey,
    SecretKey,
    keygen,
)

__all__ = [
    "BROKEN",
    "EvaluationKeys",
    "Keys",
    "LtvArray",
    "Parameters",
    "Precomputation",
    "PublicKey",
    "SecretKey",
    "decrypt",
    "encrypt",
    "keygen",
    "load",
    "save",
]

#: What stands wherever something of this scheme is shown.
BROKEN = "BROKEN: lattice reduction finds the key"

Values = np.ndarray[Any, np.dtype[np.uint8]]
Elements = np.ndarray[Any, np.dtype[np.uint32]]


class LtvArray:
    """Encrypted bits, one for each slot that is used. ``+`` (or ``^``) is XOR and ``*`` (or ``&``) is AND.

    ``*`` relinearises and switches to the next level; `multiply`, `relinearize` and `switch` are its steps, for
    circuits that relinearise sums. Operands are at one level: see `at_level`.
    """

    __slots__ = ("_evaluation", "_field", "_length", "_native", "_parameters")
    __array_ufunc__ = None

    def __init__(
        self, parameters: Parameters, native: Any, length: int, field: bool, evaluation: EvaluationKeys | None
    ) -> None:
        if native.transparent:
            raise TransparentError("this result is 0 as a ciphertext, as x * 0 is; encrypt zeros in its place")
        self._parameters, self._native = parameters, native
        self._length, self._field, self._evaluation = length, field, evaluation

    @property
    def parameters(self) -> Parameters:
        """Of the key."""
        return self._parameters

    @property
    def native(self) -> Any:
        """What the library computes with."""
        return self._native

    @property
    def shape(self) -> tuple[int]:
        """Of what decryption gives."""
        return (self._length,)

    @property
    def field(self) -> bool:
        """Whether values are elements of GF(2^r); else bits."""
        return self._field

    @property
    def level(self) -> int:
        """How many primes were dropped."""
        return int(self._native.level)

    @property
    def relinearized(self) -> bool:
        """Whether it may be a factor."""
        return bool(self._native.key_power == 1)

    @property
    def headroom(self) -> float:
        """Bits that the noise may grow until decryption refuses: by an estimate for independent operands, not a bound
        (doc/ltv.md says why there is none)."""
        return float(self._native.headroom)

    @property
    def evaluation(self) -> EvaluationKeys | None:
        """The keys it knows."""
        return self._evaluation

    def with_keys(self, evaluation: EvaluationKeys) -> LtvArray:
        """The same array, multiplying with these keys."""
        return LtvArray(self._parameters, self._native, self._length, self._field, evaluation)

    def measured_noise(self, secret: SecretKey) -> _core.LtvMeasuredPhase:
        """How large the phase is: `log2_mean_square` over the canonical embedding and `log2_largest` coefficient."""
        measured: _core.LtvMeasuredPhase = self._native.measure_phase(_native_secret(secret))
        return measured

    def _like(self, native: Any, other: LtvArray | None = None) -> LtvArray:
        return LtvArray(self._parameters, native, self._length, self._field, self._keys(other))

    def _keys(self, other: LtvArray | None = None) -> EvaluationKeys | None:
        return self._evaluation or (other._evaluation if other else None)

    def _require_keys(self, operation: str, other: LtvArray | None = None) -> EvaluationKeys:
        keys = self._keys(other)
        if keys is None:
            raise MissingKeyError(f"{operation}: no evaluation keys are known; say x.with_keys(evaluation)")
        return keys

    def _partner(self, other: LtvArray, operation: str) -> Any:
        if other._length != self._length or other._field != self._field:
            raise ArgumentError(
                f"{operation}: arrays of shapes {self.shape} and {other.shape}, or one of bits, one of field elements"
            )
        return other._native

    def _plain(self, values: object, operation: str) -> Values:
        array = np.asarray(values)
        if array.ndim == 0:
            array = np.full(self._length, array)
        if array.shape != self.shape:
            raise ArgumentError(f"{operation}: arrays of shapes {self.shape} and {array.shape}")
        return _polynomial(self._parameters, array, self._field, operation)

    def __add__(self, other: object) -> LtvArray:
        if isinstance(other, LtvArray):
            return self._like(self._native.add(self._partner(other, "add")), other)
        return self._like(self._native.add_plain(self._plain(other, "add")))

    __radd__ = __xor__ = __rxor__ = __sub__ = __rsub__ = __add__

    def __invert__(self) -> LtvArray:
        if self._field:
            raise UnsupportedError("~ is for bits; add an element of the field in its place")
        return self + 1

    def multiply(self, other: object) -> LtvArray:
        """AND, not relinearised: it may be added to others, and has to be relinearised before it is a factor."""
        if isinstance(other, LtvArray):
            return self._like(self._native.multiply(self._partner(other, "multiply")), other)
        return self._like(self._native.multiply_plain(self._plain(other, "multiply")))

    def relinearize(self) -> LtvArray:
        """Fit to be a factor again; a sum of products needs it once."""
        return self._like(self._native.relinearize(self._require_keys("relinearise").native))

    def switch(self) -> LtvArray:
        """One level further: noise and modulus divided by a prime.

        Raises:
            ArgumentError: this is the last level.
        """
        return self._like(self._native.switch_modulus())

    def at_level(self, level: int) -> LtvArray:
        """At a later level, by switching.

        Raises:
            ArgumentError: an earlier level, or none.
        """
        if not self.level <= level < self._parameters.levels:
            raise ArgumentError(
                f"at_level: from level {self.level} to {level}; levels go up to {self._parameters.levels - 1}"
            )
        result = self
        while result.level < level:
            result = result.switch()
        return result

    def reduced_to(self, level: int) -> LtvArray:
        """At a later level by plain reduction, noise as it is: for fresh encryptions, as of round keys."""
        return self._like(self._native.reduce_to(level))

    def __mul__(self, other: object) -> LtvArray:
        if not isinstance(other, LtvArray):
            return self.multiply(other)
        keys = self._require_keys("multiply", other)
        product = self._native.multiply(self._partner(other, "multiply"))
        return self._like(product.relinearize(keys.native).switch_modulus(), other)

    __and__ = __mul__

    def __rmul__(self, other: object) -> LtvArray:
        return self.multiply(other)

    __rand__ = __rmul__

    def rotate(self, steps: int, *, dimension: int = 0) -> LtvArray:
        """Slots moved to the left, along one dimension of `parameters.slots`; all of them, also unused ones.

        Raises:
            MissingKeyError: `keygen` made no key for this rotation.
            UnsupportedError: elements of the field, along a dimension that wraps around with a Frobenius map.
        """
        slots = self._parameters.slots
        element = slots.rotation(dimension, steps)
        if self._field and not slots.dimensions[dimension].exact:
            raise UnsupportedError(
                f"rotate: along dimension {dimension} elements of GF(2^{slots.field_bits}) that wrap around come back "
                "as powers of themselves; rotate bits, or another dimension"
            )
        if element == 1:
            return self
        keys = self._require_keys("rotate")
        if element not in keys.galois:
            raise MissingKeyError(
                f"rotate: there is no key for {steps} steps along dimension {dimension}; say "
                f"keygen(..., rotations=[({dimension}, {steps})])"
            )
        native = self._native.automorphism(keys.galois[element])
        return LtvArray(self._parameters, native, slots.count, self._field, self._evaluation)

    def __repr__(self) -> str:
        what = "field elements" if self._field else "bits"
        state = "" if self.relinearized else ", not relinearised"
        return (
            f"LtvArray({self._length} {what}, level {self.level}{state}, headroom {self.headroom:.1f} bits, {BROKEN})"
        )


def _polynomial(parameters: Parameters, array: np.ndarray[Any, Any], field: bool, what: str) -> Values:
    slots = parameters.slots
    if array.size and array.dtype != np.bool_ and not np.issubdtype(array.dtype, np.integer):
        raise UnsupportedError(f"{what} takes bits or whole numbers, not values of type {array.dtype}")
    if array.ndim != 1 or not 1 <= array.size <= slots.count:
        raise ArgumentError(
            f"{what}: an array of shape {array.shape}; a ciphertext has one axis of 1 to {slots.count} slots, so use "
            "several for more"
        )
    largest = (1 << slots.field_bits) - 1 if field else 1
    if int(array.min()) < 0 or int(array.max()) > largest:
        raise RangeError(
            f"{what}: values {int(array.min())} to {int(array.max())}; "
            + (f"elements of GF(2^{slots.field_bits}) are 0 to {largest}" if field else "bits are 0 and 1")
        )
    return slots.encode(np.ascontiguousarray(array, dtype=np.uint32)).reshape(-1)


def encrypt(values: object, key: PublicKey, *, level: int = 0, field: bool = False) -> LtvArray:
    """Encrypts bits, one for each slot.

    Args:
        values: up to `parameters.slots.count` bits, booleans or 0 and 1; unused slots hold 0.
        key: the public key.
        level: where the array begins.
        field: values are elements of GF(2^r), numbers below 2^r.

    Raises:
        RangeError: a value that is no bit, or no element of the field.
        UnsupportedError: values that are no integers, or another key.
        ArgumentError: no values, too many, or a level that there is not.
    """
    if not isinstance(key, PublicKey):
        raise UnsupportedError(f"encrypt takes a public key, not {type(key).__name__}")
    array = np.asarray(values)
    array = array.reshape(1) if array.ndim == 0 else array
    if not 0 <= level < key.parameters.levels:
        raise ArgumentError(f"encrypt: level {level}; there are 0 to {key.parameters.levels - 1}")
    bits = _polynomial(key.parameters, array, field, "encrypt")
    native = _core.LtvCiphertext.encrypt(bits, key.native, level)
    return LtvArray(key.parameters, native, array.size, field, key.evaluation)


def _native_secret(key: SecretKey) -> Any:
    if not isinstance(key, SecretKey):
        raise UnsupportedError(f"decrypt takes a secret key, not {type(key).__name__}")
    return key.native


def decrypt(array: LtvArray, key: SecretKey) -> Values | Elements:
    """The bits, or the elements of the field.

    Raises:
        NoiseError: the noise may be more than the level corrects.
        ContradictionError: there is more noise than the array states.
        MismatchError: another key's array.
    """
    polynomial = array.native.decrypt(_native_secret(key)).reshape(-1)
    values = array.parameters.slots.decode(polynomial).reshape(-1)[: array.shape[0]]
    return values.copy() if array.field else values.astype(np.uint8)


def save(path: Path, thing: SecretKey | PublicKey | EvaluationKeys | LtvArray, *, overwrite: bool = False) -> None:
    """Writes a key or an array to a file, whole or not at all. `cyclotome inspect` says of it that it is BROKEN.

    A secret key is not protected: whoever has the public key can find it.

    Raises:
        FileError: it can't be written, or is there already and `overwrite` is not said.
        UnsupportedError: anything else.
    """
    to = path_text(path)
    if isinstance(thing, SecretKey):
        _core.write_ltv_secret_key(to, thing.native, overwrite)
    elif isinstance(thing, PublicKey):
        _core.write_ltv_public_key(to, thing.native, overwrite)
    elif isinstance(thing, EvaluationKeys):
        _core.write_ltv_evaluation_keys(to, thing.native, list(thing.galois.values()), overwrite)
    elif isinstance(thing, LtvArray):
        _core.write_ltv_array(to, thing.native, thing.shape[0], thing.field, overwrite)
    else:
        raise UnsupportedError(f"save takes a key or an array of LTV, not {type(thing).__name__}")


def load(path: Path, *, max_bytes: int = MAX_BYTES) -> SecretKey | PublicKey | EvaluationKeys | LtvArray:
    """Reads a file of `save`. What comes out says BROKEN as what went in did; an array knows no keys.

    Raises:
        FileError: no such file, or it can't be read.
        FormatError: damaged, cut off, too long, or no object of LTV.
    """
    found = _core.read_ltv(path_text(path), max_bytes)
    if isinstance(found, _core.LtvStoredArray):
        native = found.ciphertext
        parameters = Parameters.of_native(native.parameters)
        if found.length > parameters.slots.count:
            raise FormatError(f"the array has {found.length} values, but there are {parameters.slots.count} slots")
        return LtvArray(parameters, native, found.length, found.field, None)
    if isinstance(found, _core.LtvEvaluationKeys):
        relinearization = found.relinearization
        galois = {key.element: key for key in found.galois}
        return EvaluationKeys(Parameters.of_native(relinearization.parameters), relinearization, galois)
    kind = SecretKey if isinstance(found, _core.LtvSecretKey) else PublicKey
    return kind(Parameters.of_native(found.parameters), found)
