# SPDX-License-Identifier: Apache-2.0
"""Automorphisms of an encrypted array's polynomials: of slots, of coefficients and of elements of fields."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np

from .. import _core
from ..errors import UnsupportedError
from ..numbers.values import index, word
from ..options import current
from .facts import ArrayFacts

__all__ = ["TurnedArray"]

_A = TypeVar("_A", bound="TurnedArray")


class TurnedArray(ArrayFacts):
    """The part of `EncryptedArray` that applies automorphisms: rotations, Frobenius maps, traces."""

    __slots__ = ()

    def rotate_rows(self: _A, steps: int | Sequence[int]) -> _A:
        """Every ciphertext's k slots, two rows of k/2, both moved to the left by ``steps`` (to the right if negative).
        Several steps give one array for each along a new first axis, which costs less than one rotation after the other
        (hoisting): ``weights @ x.rotate_rows([0, 1, 2])`` is a convolution.

        The last axis must fill ciphertexts exactly (see `padded`), so that slots and values are the same:
        ``x.reshape(..., 2, parameters.slots // 2)`` becomes ``np.roll(x, -steps, axis=-1)``.

        Raises:
            ArgumentError: an axis that does not fill its ciphertexts; steps that are no whole numbers, or none.
            MissingKeyError: no key for these steps; ask ``keygen(rotations=[...])`` for them.
        """
        row = self._parameters.slot_ring.galois.row_length  # further steps are the same again
        if isinstance(steps, (Sequence, np.ndarray)) and getattr(steps, "ndim", None) != 0:
            several = [index(step, "rotate_rows: steps") % row for step in steps]
            return self.derived(_core.rotate_rows(self._native, several, current.get().native))
        return self.derived(
            _core.rotate_rows(self._native, index(steps, "rotate_rows: steps") % row, current.get().native)
        )

    def rotate_columns(self: _A) -> _A:
        """Every ciphertext's two rows of slots swapped; as `rotate_rows`."""
        return self.derived(_core.rotate_columns(self._native, current.get().native))

    def automorphism(self: _A, element: int) -> _A:
        """Of polynomials, arrays in coefficients: a(x) becomes a(x^element), whose n coefficients are those of a with
        signs, since x^n is -1: coefficient i goes to place i*element modulo 2n. Products of polynomials, traces and
        packing: `negacyclic_product`, `trace`, `expand`, `pack`.

        Raises:
            ArgumentError: an even element; rows of several polynomials that don't fill their ciphertexts.
            MissingKeyError: no key for it; ask ``keygen(galois_elements=[element])``.
            UnsupportedError: an array in slots, which `rotate_rows` rotates, or a replicated one.
        """
        how = current.get().native
        return self.derived(_core.automorphism(self._native, word(element, "automorphism: an element"), how))

    def roll(self: _A, steps: int, dimension: int = -1) -> _A:
        """Every ciphertext's slots, a box of shape ``parameters.slot_shape``, rolled along one dimension by ``steps``
        to the left (to the right if negative): for one ciphertext ``x.reshape(slot_shape)`` becomes ``np.roll(x,
        -steps, axis=dimension)``. The last dimension of Phi_21845 and Phi_65535 takes two rotations and two masks.

        The last axis must fill ciphertexts exactly (see `padded`).

        Raises:
            ArgumentError: an axis that does not fill its ciphertexts; no such dimension.
            MissingKeyError: the rotations' keys are not attached (`keygen` makes them unless told otherwise).
            UnsupportedError: encrypted integers; theirs is `rotate_rows`.
        """
        self._of_field("roll")
        how = current.get().native
        return self.derived(
            _core.roll(self._native, word(dimension, "roll: dimension"), word(steps, "roll: steps"), how)
        )

    def frobenius(self: _A, power: int = 1) -> _A:
        """x^(2^power), element by element; bits stay what they are. Powers may be negative."""
        self._of_field("frobenius")
        return self.derived(_core.frobenius(self._native, word(power, "frobenius: power"), current.get().native))

    def trace(self: _A) -> _A:
        """Of elements of GF(2^r): x + x^2 + x^4 + ... + x^(2^(r-1)), element by element: bits. Of polynomials, arrays
        in coefficients: the sum of a(x^g) over all odd g modulo 2n, which is n times the constant term, one replicated
        value for each; it takes ``keygen(galois_elements=cy.polynomials.trace_elements(parameters))``.
        """
        if self._native.placement == _core.Placement.coefficients:
            return self.derived(_core.coefficient_trace(self._native, current.get().native))
        self._of_field("trace")
        return self.derived(_core.trace(self._native, current.get().native))

    def _of_field(self: _A, operation: str) -> _A:
        if self._parameters.field_degree is None:
            raise UnsupportedError(
                f"{operation} of encrypted integers; for bits take parameters with plaintext modulus 2 over Phi_m: "
                "Parameters.suggest(bits=True)"
            )
        return self

    def _of_bits(self: _A, operation: str) -> _A:
        return self if self.is_bits else self._of_field(operation)
