# SPDX-License-Identifier: Apache-2.0
"""What an encrypted array is, and what is public about it."""

from __future__ import annotations

import math
from typing import TypeVar

from .. import _core
from ..devices.contexts import Context
from ..keys.keyring import Keyring
from ..parameters.parameters import Parameters
from ..text import byte_size, extent_of, html_table, plural

__all__ = ["ArrayFacts"]

_A = TypeVar("_A", bound="ArrayFacts")


class ArrayFacts:
    """Ciphertexts with their parameters, their context and the keys that they know: what `EncryptedArray` holds, and
    its facts, all of them public."""

    __slots__ = ("_context", "_keyring", "_native", "_parameters")

    def __init__(self, parameters: Parameters, context: Context, native: _core.EncryptedArray, keys: Keyring) -> None:
        """For the library itself; `encrypt` and `load` make arrays. ``native`` carries the same keys."""
        self._parameters, self._context, self._native, self._keyring = parameters, context, native, keys

    # --- facts --------------------------------------------------------------------------------------------------------
    @property
    def shape(self) -> tuple[int, ...]:
        """Lengths of the axes, as in NumPy."""
        return self._native.shape

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of values."""
        return math.prod(self.shape)

    @property
    def dtype(self) -> str:
        """ "int": integers of any width; "bool": bits; "GF(2^r)", such as "GF(2^16)": elements of a field."""
        if self._parameters.field_degree is None and not self.is_bits:
            return "int"
        return "bool" if self.is_bits else f"GF(2^{self._parameters.field_degree})"

    @property
    def layout(self) -> str:
        """ "packed": the last axis lies in slots (or coefficients); "replicated": one ciphertext for each value."""
        return "replicated" if self._native.placement == _core.Placement.replicated else "packed"

    @property
    def encoding(self) -> str:
        """ "slots": arithmetic value by value; "coefficients": sums and scalar products only."""
        return "coefficients" if self._native.placement == _core.Placement.coefficients else "slots"

    @property
    def bound(self) -> int | None:
        """The largest magnitude that a value may have; None if values wrap around modulo T by intent. Public."""
        return None if self.wrap else self._native.bound.largest

    @property
    def interval(self) -> tuple[int, int] | None:
        """The least and the largest value that there may be; None if values wrap around. Public."""
        return None if self.wrap else self._native.bound.values

    @property
    def l1_bound(self) -> int | None:
        """The largest sum of magnitudes along the last axis; None if values wrap around. Public."""
        return None if self.wrap else self._native.bound.row

    @property
    def wrap(self) -> bool:
        """True for values modulo T, in [0, T), and for bits and elements of GF(2^r)."""
        return self._native.bound.wraps

    @property
    def is_bits(self) -> bool:
        """True for bits, which `decrypt` gives as booleans: of parameters with plaintext modulus 2, what was not
        encrypted as elements of the field over Phi_m, or with ``wrap=True``, and traces."""
        return self._native.bound.is_bits

    @property
    def parameters(self) -> Parameters:
        """The parameters it was encrypted under."""
        return self._parameters

    @property
    def device(self) -> str:
        """Where it computes: "cpu", "cpu:<threads>"."""
        return self._context.device

    @property
    def key_id(self) -> str:
        """Id of the secret key that decrypts it."""
        return self._native.key.hex()

    @property
    def nbytes(self) -> int:
        """Bytes of its ciphertexts, the same however it is used: what it is to send, before files pack residues to
        their bits (and hold a fresh secret-key encryption by half)."""
        return self._native.nbytes

    @property
    def held_bytes(self) -> int:
        """Bytes that it takes in memory now: `nbytes`, and the transforms that a second product with plaintexts keeps
        beside its ciphertexts, which copies of it share."""
        return self._native.held_bytes

    @property
    def ciphertexts(self) -> int:
        """Number of ciphertexts, those of every plaintext modulus counted."""
        return self._native.batch * len(self._parameters.plain_moduli)

    @property
    def noise_headroom(self) -> float:
        """Bits by which the public bound on the noise may grow until `decrypt` refuses; negative: it refuses."""
        return self._native.noise_headroom

    @property
    def level(self) -> int:
        """Number of ciphertext primes. `switch_to_level` lowers it, and in BGV products do; where plaintext moduli
        differ in it, the highest."""
        return self._native.level

    @property
    def is_transformed(self) -> bool:
        """Whether its ciphertexts are transforms: BGV's always, BFV's after products with plaintexts, and sums of
        these, until something needs coefficients, which brings them back by itself. Files are the same either way."""
        return self._native.is_transformed

    # --- for the library itself ---------------------------------------------------------------------------------------
    @property
    def native(self) -> _core.EncryptedArray:
        """What the library computes with; it carries the keys of `keyring`."""
        return self._native

    @property
    def context(self) -> Context:
        """Where it lies."""
        return self._context

    @property
    def keyring(self) -> Keyring:
        """The keys it knows."""
        return self._keyring

    def derived(self: _A, native: _core.EncryptedArray, keys: Keyring | None = None) -> _A:
        """What the library made of this array, and of others whose keys are joined in ``keys``."""
        return type(self)(self._parameters, self._context, native, self._keyring if keys is None else keys)

    # --- display ------------------------------------------------------------------------------------------------------
    def _facts(self) -> dict[str, str]:
        headroom = self.noise_headroom
        extent = f"{plural(self.ciphertexts, 'ciphertext')}, {byte_size(self.nbytes)}"
        if self._parameters.has_levels or self.level < len(self._parameters.moduli):
            extent += f", level {self.level} of {len(self._parameters.moduli)}"
        return {
            "shape": str(self.shape),
            "values": "bits"
            if self.is_bits
            else f"in {self.dtype}"
            if self._parameters.field_degree is not None
            else "modulo T"
            if self.bound is None
            else extent_of(*self._native.bound.values),
            "layout": f"{self.layout} in {self.encoding}, {extent}",
            "noise headroom": f"{headroom:.0f} bits" if headroom >= 0 else f"none ({headroom:.0f} bits): undecryptable",
            "key": self.key_id[:8],
            "parameters": self._parameters.summary(),
        }

    def __repr__(self) -> str:
        facts = self._facts()
        return (
            f"EncryptedArray(shape={facts['shape']}, {facts['values']}, {facts['layout']}, noise headroom "
            f"{facts['noise headroom']}, {facts['parameters']})"
        )

    def _repr_html_(self) -> str:
        return html_table("EncryptedArray", self._facts())
