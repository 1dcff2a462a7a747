# SPDX-License-Identifier: Apache-2.0
"""What parameters say of themselves."""

from __future__ import annotations

import math

from .. import _core
from .checks import text

__all__ = ["ParameterFacts"]

_INSECURE_STYLE = "color:#b00020;font-weight:bold"


class ParameterFacts:
    """The facts of `Parameters`, all of them public, how they are shown, and when two are equal."""

    __slots__ = ("_native", "_value_bits")

    _native: _core.Parameters
    _value_bits: int | None

    @property
    def native(self) -> _core.Parameters:
        """What the library computes with; for the library itself."""
        return self._native

    @property
    def scheme(self) -> str:
        """ "bfv" or "bgv"; "ckks" of parameters for real numbers."""
        return self._native.scheme

    @property
    def holds_reals(self) -> bool:
        """Whether they are for real numbers (doc/reals.md), and arrays of integers have no meaning under them."""
        return _core.holds_reals(self._native)

    @property
    def real_bound(self) -> float | None:
        """Of those, the largest magnitude of a number that is encrypted unless ``encrypt`` is told another; else
        None."""
        return _core.real_bound(self._native) if self.holds_reals else None

    @property
    def scales(self) -> tuple[float, ...]:
        """Of those, what numbers are multiplied by at each level, the lowest first; else empty."""
        return tuple(_core.scales(self._native)) if self.holds_reals else ()

    @property
    def has_levels(self) -> bool:
        """Whether ciphertexts may have fewer primes than ``moduli``: those of "bgv" and "ckks" may."""
        return self._native.has_levels

    @property
    def degree(self) -> int:
        """n, the degree of the ring's polynomial: x^n + 1, or Phi_m where ``cyclotomic`` is m."""
        return self._native.degree

    @property
    def cyclotomic(self) -> int | None:
        """m of Phi_m; None: the ring is that of x^n + 1."""
        return self._native.cyclotomic or None

    @property
    def slots(self) -> int:
        """Values that a ciphertext holds in slots: n where every plaintext modulus is a prime congruent to 1 modulo 2n,
        k where that is so modulo 2k only, for the largest power of two k < n, and of bits and elements of GF(2^r) n/r.
        Without slots (`has_slots`) n, the coefficients. Of real numbers n/2."""
        return self.degree // 2 if self.holds_reals else self._native.slots

    @property
    def slot_degree(self) -> int:
        """The degree of a slot: 1, or that of the extension of the residues modulo t, or of GF(2), that it is. Integers
        in slots of a degree n/k are its constants; `slots` times this is n."""
        return self._native.slot_degree

    @property
    def slots_by_default(self) -> bool:
        """Whether arrays go into slots unless told otherwise. Where there are fewer than 64 slots of integers, and more
        coefficients, they do not: so few hold little, and every 64th prime has them by accident."""
        return self._native.slots_by_default

    @property
    def slot_shape(self) -> tuple[int, ...] | None:
        """The box that bits and elements of GF(2^r) form in a ciphertext, whose dimensions `EncryptedArray.roll` rolls;
        None of integers."""
        return tuple(self._native.slot_shape) or None

    @property
    def field_degree(self) -> int | None:
        """r where values are bits and elements of GF(2^r): plaintext modulus 2 over Phi_m. None of integers."""
        return self._native.field_degree or None

    @property
    def holds_bits(self) -> bool:
        """True where values are bits unless told otherwise: the only plaintext modulus is 2. In slots over Phi_m they
        are elements of GF(2^r), in coefficients polynomials over GF(2), replicated ones bits by themselves."""
        return self.plain_moduli == (2,)

    @property
    def field_polynomial(self) -> int | None:
        """f of GF(2^r) = F_2[y]/(f), bit i the coefficient of y^i; elements are written likewise. None of integers."""
        return self._native.field_polynomial or None

    @property
    def ring(self) -> _core.RingShape:
        """The ring without its moduli: what automorphisms there are, and which primes have a transform."""
        return self._native.ring

    @property
    def slot_ring(self) -> _core.RingShape:
        """The ring whose transform holds slots of integers, and whose automorphisms rotate them: `ring`, or of k < n
        slots Z[y]/(y^k + 1) within it, y = x^(n/k)."""
        return self._native.slot_ring

    @property
    def plain_moduli(self) -> tuple[int, ...]:
        """The plaintext moduli t_1, ...; values live modulo their product."""
        return tuple(self._native.plain_moduli)

    @property
    def plain_product(self) -> int:
        """T, the product of the plaintext moduli."""
        return math.prod(self._native.plain_moduli)

    @property
    def capacity(self) -> int:
        """The largest magnitude (T - 1)//2 that a value can have, results included."""
        return (self.plain_product - 1) // 2

    @property
    def value_bits(self) -> int | None:
        """Bits of the values that are encrypted, without sign; None if they were not stated."""
        return self._value_bits

    @property
    def default_bound(self) -> int:
        """The bound that ``encrypt`` assumes for values: 2^value_bits - 1, or the capacity if value_bits is None."""
        return self.capacity if self._value_bits is None else min(2**self._value_bits - 1, self.capacity)

    @property
    def has_slots(self) -> bool:
        """True if sums and products can act value by value: every plaintext modulus is a prime congruent to 1 modulo 4,
        or 2 over Phi_m."""
        return self._native.has_slots

    @property
    def moduli(self) -> tuple[int, ...]:
        """The ciphertext primes."""
        return tuple(self._native.moduli)

    @property
    def special_moduli(self) -> tuple[int, ...]:
        """The special primes of key switching."""
        return tuple(self._native.special_moduli)

    @property
    def digits(self) -> int:
        """Digits of key switching."""
        return self._native.digits

    @property
    def word(self) -> int:
        """Bits of the words that residues are kept in."""
        return self._native.word

    @property
    def modulus_bits(self) -> int:
        """Bit length of q, the product of the ciphertext primes."""
        return self._native.modulus_bits

    @property
    def key_modulus_bits(self) -> int:
        """Bit length of q times the special primes, on which security depends."""
        return self._native.key_modulus_bits

    @property
    def security(self) -> int:
        """The demanded level in bits."""
        return self._native.security

    @property
    def security_reached(self) -> int:
        """The highest of 128, 192 and 256 bits that the table grants, or 0."""
        return self._native.security_reached

    @property
    def table(self) -> str:
        """The table of the security limits."""
        return self._native.table

    @property
    def attacks(self) -> str:
        """ "classical" or "quantum": the attacks that the table counts."""
        return "quantum" if self._native.counts_quantum_attacks else "classical"

    def security_by(self, table: str) -> int:
        """The highest of 128, 192 and 256 bits that this table grants, or a stricter one; 0 for none.

        Example:
            >>> import cyclotome as cy
            >>> p = cy.Parameters.preset("seal-8192")
            >>> p.security_by("he-standard-2018"), p.security_by("guidelines-2024")
            (128, 0)
        """
        return self._native.security_by(text("table", table))

    @property
    def insecure(self) -> bool:
        """True below 128 bits of security by the parameters' own table."""
        return self._native.insecure

    @property
    def allow_insecure(self) -> bool:
        """Whether the check of the demanded level was waived."""
        return self._native.allow_insecure

    @property
    def strict(self) -> bool:
        """Noise bounds assume nothing about rounding errors (doc/noise.md)."""
        return self._native.strict

    @property
    def parties(self) -> int:
        """Parties of a joint key that noise bounds allow for; 1: keys of one owner."""
        return self._native.parties

    @property
    def name(self) -> str:
        """The label, often empty."""
        return self._native.name

    @property
    def fingerprint(self) -> str:
        """SHA-256 over everything but name and value_bits, in hexadecimal; every key and ciphertext carries it."""
        return self._native.fingerprint.hex()

    @property
    def lattice_fingerprint(self) -> str:
        """SHA-256 over what keys depend on, in hexadecimal: in BFV all of that but the plaintext moduli. Keys of one
        secret serve all parameters that have it in common (`EvaluationKeys.for_parameters`)."""
        return self._native.lattice_fingerprint.hex()

    def summary(self) -> str:
        """One line; INSECURE parameters say so, and a table that is not the default is named."""
        return self._native.summary()

    def explain(self) -> str:
        """Several lines: primes, sizes of keys and ciphertexts, security and its limit, noise headroom by depth, and a
        table of the numbers of special primes and digits there were to choose from, with what each costs and why it was
        chosen or not."""
        return self._native.explain()

    def __repr__(self) -> str:
        values = "" if self._value_bits is None else f", values of {self._value_bits} bits"
        return f"Parameters({self.summary()}{values})"

    def _repr_html_(self) -> str:
        warning = f'<p style="{_INSECURE_STYLE}">INSECURE parameters: for experiments only</p>' if self.insecure else ""
        from html import escape  # notebooks alone need it

        return f"{warning}<pre>{escape(self.explain())}</pre>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ParameterFacts):
            return NotImplemented
        return self._native.fingerprint == other._native.fingerprint

    def __hash__(self) -> int:
        return hash(self._native.fingerprint)
