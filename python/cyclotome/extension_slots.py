# SPDX-License-Identifier: Apache-2.0
"""Slots as what they are where there are fewer than coefficients: elements of GF(t^d), encrypted as polynomials.

Modulo a prime t = 1 modulo 2k the polynomial x^n + 1 is a product of k of degree d = n/k, so that Z_t[x]/(x^n + 1) is k
copies of a field K = Z_t[z]/(z^d - zeta). `cyclotome.encrypt` puts integers there, the constants of K; here all of K
is used, d times as much. Elements are arrays of integers of shape (..., k, d), coefficient j that of z^j.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from . import _core
from .arrays.array import EncryptedArray
from .arrays.decryption import decrypt
from .arrays.encryption import encrypt_integers
from .devices.contexts import context_on
from .errors import ArgumentError, MismatchError, ParameterError, UnsupportedError
from .keys.kinds import PublicKey, SecretKey
from .numbers.values import IntArray, index, integers
from .options import Callback
from .parameters.parameters import Parameters, required_parameters
from .polynomials import negacyclic_product

__all__ = ["ExtensionArray", "ExtensionSlots"]


class ExtensionSlots:
    """The k slots of degree d that parameters with one plaintext modulus have, and arrays of their elements.

    Args:
        parameters: of x^n + 1, with one plaintext modulus, a prime t = 1 modulo 4.

    Raises:
        ParameterError: several plaintext moduli, or one without slots; a ring of Phi_m.

    Example:
        >>> import cyclotome as cy, numpy as np
        >>> parameters = cy.Parameters.from_modulus_bits(degree=4096, modulus_bits=100, plain_moduli=[257])
        >>> slots = cy.extension_slots.ExtensionSlots(parameters)
        >>> slots.count, slots.degree, slots.modulus, slots.root
        (128, 32, 257, 3)
        >>> secret, public, _ = cy.keygen(parameters, galois_elements=slots.galois_elements)
        >>> a = np.zeros(slots.shape, dtype=int)
        >>> a[:, 31] = 1  # z^31
        >>> x = slots.encrypt(a, public)
        >>> slots.decrypt(x * x, secret)[0, 28:]  # z^62 = 3 z^30
        array([0, 0, 3, 0])
    """

    __slots__ = ("_native", "parameters")

    def __init__(self, parameters: Parameters) -> None:
        required_parameters("ExtensionSlots", parameters)
        if len(parameters.plain_moduli) != 1:
            raise ParameterError(
                f"ExtensionSlots takes parameters with one plaintext modulus, not {len(parameters.plain_moduli)}: "
                f"{parameters.summary()}"
            )
        #: The parameters.
        self.parameters = parameters
        self._native = _core.ExtensionSlots(context_on("cpu", parameters).native, 0)

    @property
    def count(self) -> int:
        """k, the slots of a polynomial."""
        return self._native.count

    @property
    def degree(self) -> int:
        """d, the degree of a slot over the residues modulo t."""
        return self._native.degree

    @property
    def shape(self) -> tuple[int, int]:
        """(k, d): the last two axes of every array of elements."""
        return self.count, self.degree

    @property
    def modulus(self) -> int:
        """t."""
        return self.parameters.plain_moduli[0]

    @property
    def root(self) -> int:
        """zeta: elements are polynomials in z modulo t and z^d - zeta."""
        return self._native.root

    @property
    def galois_elements(self) -> list[int]:
        """What ``keygen(galois_elements=...)`` takes for `ExtensionArray.rotate_rows`, `rotate_columns`, `frobenius`
        and `trace`: automorphisms of powers of two of steps, and those of what wraps around."""
        group, row = self.parameters.ring.galois, self.count // 2
        turn = group.row_rotation(1)
        steps = [pow(turn, 1 << i, group.index) for i in range((row - 1).bit_length())]
        powers = [pow(self.modulus, 1 << i, group.index) for i in range((self.degree - 1).bit_length())]
        wrap = pow(turn, -row, group.index)
        return sorted({*steps, *powers, wrap, group.column_rotation()} - {1})

    def encrypt(
        self, values: object, key: PublicKey | SecretKey, *, progress: Callback | None = None
    ) -> ExtensionArray:
        """Encrypts elements.

        Args:
            values: integers of shape (..., k, d), which stand for their residues modulo t.
            key: as `cyclotome.encrypt` takes it.
            progress: called as ``progress(done, total, what)``.

        Raises:
            ArgumentError: another shape.
            MismatchError: a key of other parameters.
            UnsupportedError: values that are no integers.
        """
        self.require(key.parameters if isinstance(key, (PublicKey, SecretKey)) else None, "a key")
        polynomials = self.polynomials(values)
        return self.of(encrypt_integers(polynomials, key, wrap=True, encoding="coefficients", progress=progress))

    def decrypt(self, x: ExtensionArray, key: SecretKey, *, progress: Callback | None = None) -> IntArray:
        """The elements, residues in [0, t) of shape (..., k, d); errors are those of `cyclotome.decrypt`."""
        if not isinstance(x, ExtensionArray):
            raise UnsupportedError(f"ExtensionSlots.decrypt takes an ExtensionArray, not {type(x).__name__}")
        return self.elements(decrypt(x.polynomials, key, progress=progress))

    def of(self, polynomials: EncryptedArray) -> ExtensionArray:
        """An array of the elements that encrypted polynomials are: of n coefficients along the last axis, modulo t
        (``wrap=True``). ``x.polynomials`` goes into files, and comes back by this.

        Raises:
            ArgumentError: an array in slots, a replicated one, or of another length; values with a bound.
            MismatchError: other parameters.
        """
        if not isinstance(polynomials, EncryptedArray):
            raise UnsupportedError(f"ExtensionSlots.of takes an EncryptedArray, not {type(polynomials).__name__}")
        self.require(polynomials.parameters, "an array")
        n = self.parameters.degree
        fits = polynomials.layout == "packed" and polynomials.encoding == "coefficients"
        if not fits or polynomials.shape[-1:] != (n,) or not polynomials.wrap:
            raise ArgumentError(
                f"ExtensionSlots.of takes polynomials of n = {n} coefficients that wrap around modulo t, "
                "encrypt(..., encoding='coefficients', wrap=True), not " + repr(polynomials)
            )
        return ExtensionArray(self, polynomials)

    def polynomials(self, values: object) -> IntArray:
        """The coefficients of polynomials with these elements: int64 in [0, t), shape (..., n) of (..., k, d)."""
        numbers = integers(values, "ExtensionSlots")
        if numbers.shape[-2:] != self.shape or numbers.size == 0:
            raise ArgumentError(
                f"elements of shape {numbers.shape}; the last two axes are (k, d) = {self.shape}: {self.count} slots "
                f"of {self.degree} coefficients"
            )
        rows = (numbers % self.modulus).astype(np.int64).reshape(-1, self.parameters.degree)
        made = self._native.polynomials(np.ascontiguousarray(rows)) % self.modulus
        return made.reshape(*numbers.shape[:-2], self.parameters.degree)

    def elements(self, polynomials: object) -> IntArray:
        """The elements of polynomials, (..., k, d) of (..., n): the inverse of `polynomials`."""
        numbers, n = integers(polynomials, "ExtensionSlots"), self.parameters.degree
        if numbers.shape[-1:] != (n,) or numbers.size == 0:
            raise ArgumentError(f"polynomials of shape {numbers.shape}; the last axis has n = {n} coefficients")
        rows = (numbers % self.modulus).astype(np.int64).reshape(-1, n)
        made = self._native.elements(np.ascontiguousarray(rows)) % self.modulus
        return made.reshape(*numbers.shape[:-1], *self.shape)

    def constant(self, value: int) -> IntArray:
        """The same integer as element of every slot, of shape (k, d)."""
        made = np.zeros(self.shape, dtype=object)
        made[:, 0] = value
        return made

    def require(self, parameters: Parameters | None, what: str) -> None:
        """Raises MismatchError for other parameters than these slots'."""
        if parameters != self.parameters:
            raise MismatchError(f"{what} of other parameters than {self.parameters.summary()}")


class ExtensionArray:
    """Encrypted elements of GF(t^d), k of them in each ciphertext; made by `ExtensionSlots`.

    ``+``, ``-`` and ``*`` act element by element, with arrays of elements, public ones of shape (..., k, d), and
    integers, which are constants of every slot; leading axes broadcast. Everything is modulo t, so nothing has a bound.
    Errors are those of `EncryptedArray`.
    """

    __slots__ = ("polynomials", "slots")
    __array_ufunc__ = None

    def __init__(self, slots: ExtensionSlots, polynomials: EncryptedArray) -> None:
        #: What elements these are.
        self.slots = slots
        #: The encrypted polynomials, an array in coefficients: what is saved, moved to other devices, indexed, summed.
        self.polynomials = polynomials

    @property
    def shape(self) -> tuple[int, ...]:
        """(..., k, d)."""
        return (*self.polynomials.shape[:-1], *self.slots.shape)

    def __repr__(self) -> str:
        return f"ExtensionArray(shape={self.shape}, GF({self.slots.modulus}^{self.slots.degree}))"

    def __add__(self, other: object) -> ExtensionArray:
        return self._of(self.polynomials + self._operand(other))

    __radd__ = __add__

    def __sub__(self, other: object) -> ExtensionArray:
        return self._of(self.polynomials - self._operand(other))

    def __rsub__(self, other: object) -> ExtensionArray:
        return self._of(self._operand(other) - self.polynomials)

    def __neg__(self) -> ExtensionArray:
        return self._of(-self.polynomials)

    def __mul__(self, other: object) -> ExtensionArray:
        if np.ndim(other) == 0 and not isinstance(other, ExtensionArray):  # type: ignore[arg-type]
            return self._of(self.polynomials * (index(other, "an element") % self.slots.modulus))
        return self._of(negacyclic_product(self.polynomials, self._operand(other)))

    __rmul__ = __mul__

    def rotate_rows(self, steps: int) -> ExtensionArray:
        """The k slots, two rows of k/2, both moved to the left by ``steps``: along axis -2, ``np.roll`` of both halves.
        What wraps around comes by another automorphism, and both times a mask: a public product.

        Raises:
            MissingKeyError: ``keygen(galois_elements=slots.galois_elements)`` makes the keys.
        """
        row = self.slots.count // 2
        step = index(steps, "rotate_rows: steps") % row
        if step == 0:
            return self
        group = self.slots.parameters.ring.galois
        turn = group.row_rotation(1)
        moved = self._turned(turn, step)
        if self.slots.degree == 1:
            return moved
        wrapped = moved._turned(pow(turn, -row, group.index), 1)
        stays = np.arange(self.slots.count) % row < row - step
        masks = [self.slots.constant(1) * mask[:, None] for mask in (stays, ~stays)]
        result: ExtensionArray = moved * masks[0] + wrapped * masks[1]
        return result

    def rotate_columns(self) -> ExtensionArray:
        """The two rows of k/2 slots swapped: one automorphism."""
        return self._turned(self.slots.parameters.ring.galois.column_rotation(), 1)

    def frobenius(self, power: int = 1) -> ExtensionArray:
        """Every element to the power t^power, modulo the degree of the field: automorphisms, no products."""
        return self._turned(self.slots.modulus, index(power, "frobenius: a power") % self.slots.degree)

    def trace(self) -> ExtensionArray:
        """The sum of an element's d conjugates, an integer modulo t, in place of each: log2(d) automorphisms."""
        result = self
        for i in range(int(math.log2(self.slots.degree))):
            result = result + result.frobenius(1 << i)
        return result

    def _of(self, polynomials: EncryptedArray) -> ExtensionArray:
        return ExtensionArray(self.slots, polynomials)

    def _operand(self, other: object) -> Any:
        """What meets the polynomials: others, or public ones."""
        if isinstance(other, ExtensionArray):
            self.slots.require(other.slots.parameters, "an operand")
            return other.polynomials
        if isinstance(other, EncryptedArray):
            raise UnsupportedError("elements meet an ExtensionArray; ExtensionSlots.of makes one of polynomials")
        values = integers(other, "an element")
        return self.slots.polynomials(self.slots.constant(int(values)) if values.ndim == 0 else values)

    def _turned(self, base: int, exponent: int) -> ExtensionArray:
        """The automorphism x -> x^(base^exponent), by keys for powers of two of exponents."""
        polynomials, order = self.polynomials, self.slots.parameters.ring.galois.index
        whole = pow(base, exponent, order)
        evaluation = polynomials.keyring.evaluation
        if whole == 1:
            return self
        if evaluation is not None and whole in evaluation.galois_elements:
            return self._of(polynomials.automorphism(whole))
        for i in range(exponent.bit_length()):
            if exponent >> i & 1:
                polynomials = polynomials.automorphism(pow(base, 1 << i, order))
        return self._of(polynomials)
