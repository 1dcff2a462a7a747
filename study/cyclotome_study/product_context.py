# SPDX-License-Identifier: Apache-2.0
"""Contexts of polynomial products as paper 004 makes them, and products by several arithmetics, for comparison.

The library's own parameters (`cyclotome.Parameters`) need none of this. A context here is what a product in
Z_q[x]/(x^N + 1) needs: primes p_i = 2N r_i + 1 with r_i prime, generators of their units found from that factorisation
(paper 004, Algorithm 9 as corrected), roots of unity, and the coefficients of the Chinese remainder theorem.

    >>> from cyclotome_study import ProductContext
    >>> context = ProductContext.generate(degree=8, modulus_bits=60, prime_bits=32)
    >>> [p % 16 for p in context.primes]
    [1, 1]
    >>> a, b = [0, 0, 0, 0, 1, 0, 0, 0], [0, 0, 0, 0, 0, 3, 0, 0]
    >>> [context.centred(c) for c in context.multiply(a, b)]  # 3 x^9 = -3 x
    [0, -3, 0, 0, 0, 0, 0, 0]
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Literal

from cyclotome import _core
from cyclotome.errors import ArgumentError
from cyclotome.whole_files import path_text

__all__ = ["Arithmetic", "ProductContext", "integer_product", "needed_modulus", "pack", "unpack"]

#: How residues are computed: in 32-bit machine words, or in as many 64-bit words as the primes need.
Arithmetic = Literal["words-32", "multi-word"]
Path = str | os.PathLike[str]

_POWERS = ("phi", "phi^-1", "omega", "omega^-1")


class ProductContext:
    """What products in Z_q[x]/(x^N + 1) need, q the product of the primes. Immutable and checked.

    Args:
        degree: N, a power of two between 2 and 2^17.
        primes: 1 to 256 different primes p = 2N r + 1 with r an odd prime, up to 1024 bits each.
        generators: of the units modulo each prime.

    Raises:
        ParameterError: anything else; a generator of full order proves its prime.
    """

    __slots__ = ("_native",)

    def __init__(self, degree: int, primes: Sequence[int], generators: Sequence[int]) -> None:
        self._native = _core.ProductContext(degree, list(primes), list(generators))

    @classmethod
    def _of(cls, native: _core.ProductContext) -> ProductContext:
        context = cls.__new__(cls)
        context._native = native
        return context

    @property
    def native(self) -> _core.ProductContext:
        """What the library computes with."""
        return self._native

    @classmethod
    def generate(
        cls,
        degree: int,
        modulus_bits: int,
        prime_bits: int | tuple[int, int],
        *,
        search: Literal["below", "above"] = "below",
    ) -> ProductContext:
        """The context of as few primes as give q at least `modulus_bits` bits (paper 004, figure 5.2).

        All primes have the larger length but the first, which makes up what is left and has at least the smaller one.

        Args:
            degree: N.
            modulus_bits: the least bit length of q.
            prime_bits: lengths of the primes, the smallest and the largest, each in [8, 1024].
            search: "below" takes the largest primes of each length, so that q comes out long; "above" the smallest,
                p = 2^(length-1) + c with a small c, which circuits reduce by folding.

        Raises:
            ParameterError: lengths out of range, or too few such primes.
        """
        smallest, largest = (prime_bits, prime_bits) if isinstance(prime_bits, int) else prime_bits
        return cls._of(_core.ProductContext.generate(degree, modulus_bits, smallest, largest, search))

    @classmethod
    def of_lengths(
        cls, degree: int, lengths: Sequence[int], *, search: Literal["below", "above"] = "below"
    ) -> ProductContext:
        """A context of one prime of each of these bit lengths. Raises ParameterError as `generate`."""
        return cls._of(_core.ProductContext.of_lengths(degree, list(lengths), search))

    # --- numbers ------------------------------------------------------------------------------------------------------
    @property
    def degree(self) -> int:
        """N."""
        return self._native.degree

    @property
    def modulus(self) -> int:
        """q."""
        return self._native.modulus

    @property
    def primes(self) -> list[int]:
        """p_i."""
        return self._native.primes

    @property
    def cofactors(self) -> list[int]:
        """r_i = (p_i - 1) / 2N, primes."""
        return self._native.cofactors

    @property
    def generators(self) -> list[int]:
        """g_i, of the units modulo p_i."""
        return self._native.generators

    @property
    def roots(self) -> list[int]:
        """phi_i = g_i^(r_i) mod p_i, of order exactly 2N; omega_i is its square."""
        return self._native.roots

    @property
    def coefficients(self) -> list[int]:
        """b_i = (q/p_i) ((q/p_i)^-1 mod p_i): 1 modulo p_i, 0 modulo the other primes."""
        return self._native.coefficients

    @property
    def root(self) -> int:
        """phi modulo q: phi_i modulo each p_i. omega is its square modulo q."""
        return self._native.root

    @property
    def inverse_root(self) -> int:
        """phi^-1 modulo q."""
        return self._native.inverse_root

    @property
    def inverse_degree(self) -> int:
        """N^-1 modulo q."""
        return self._native.inverse_degree

    def powers(self, of: str = "phi", prime: int | None = None) -> list[int]:
        """Powers 0 to N-1 of "phi", "phi^-1", "omega" or "omega^-1", modulo q or modulo the prime of that number.

        Raises:
            ArgumentError: another name, or no prime of that number.
        """
        if of not in _POWERS:
            raise ArgumentError(f"powers of {of!r}: there are {', '.join(_POWERS)}")
        if prime is not None and not 0 <= prime < len(self.primes):
            raise ArgumentError(f"prime number {prime}: there are {len(self.primes)}, counted from 0")
        modulus = self.modulus if prime is None else self.primes[prime]
        base = (self.inverse_root if of.endswith("^-1") else self.root) % modulus
        if of.startswith("omega"):
            base = base * base % modulus
        powers = [1]
        for _ in range(self.degree - 1):
            powers.append(powers[-1] * base % modulus)
        return powers

    def bit_reversal(self) -> list[int]:
        """Position i with its log2 N bits reversed, for each i below N."""
        order = [0]
        while len(order) < self.degree:
            order = [2 * i for i in order] + [2 * i + 1 for i in order]
        return order

    def residues(self, value: int) -> list[int]:
        """A number modulo each prime."""
        return [value % p for p in self.primes]

    def lift(self, residues: Sequence[int]) -> int:
        """The number in [0, q) with these residues, each in [0, p_i). Raises ArgumentError for others."""
        return self._native.lift(list(residues))

    def centred(self, value: int) -> int:
        """The representative modulo q in (-q/2, q/2)."""
        value %= self.modulus
        return value - self.modulus if value > self.modulus // 2 else value

    # --- products -----------------------------------------------------------------------------------------------------
    def multiply(self, a: Sequence[int], b: Sequence[int], arithmetic: Arithmetic = "multi-word") -> list[int]:
        """a b modulo x^N + 1 and q.

        Args:
            a: N integers, of any sign and size.
            b: as many.
            arithmetic: "words-32" needs primes below 2^32.

        Returns:
            N integers in [0, q).

        Raises:
            ArgumentError: polynomials of another length, or another arithmetic.
            ParameterError: primes too wide for the arithmetic.
        """
        if len(a) != self.degree or len(b) != self.degree:
            raise ArgumentError(f"polynomials of {len(a)} and {len(b)} coefficients, but the degree is {self.degree}")
        product = _core.PolynomialProduct(self._native, arithmetic)
        limbs = product.limbs
        product.load(pack([x % self.modulus for x in a], limbs), pack([x % self.modulus for x in b], limbs), limbs)
        product.decompose()
        product.multiply()
        product.reconstruct()
        return unpack(product.result(), limbs)

    # --- files --------------------------------------------------------------------------------------------------------
    def to_bytes(self) -> bytes:
        """As doc/wire-format.md says, kind 8."""
        return self._native.to_bytes()

    @classmethod
    def from_bytes(cls, data: bytes) -> ProductContext:
        """Reads `to_bytes`, and checks primality, orders of roots, coprimality and products. Raises FormatError."""
        return cls._of(_core.ProductContext.from_bytes(data))

    def save(self, path: Path) -> None:
        """Writes the context to a file, whole or not at all. Raises FileError."""
        self._native.write_file(path_text(path))

    @classmethod
    def load(cls, path: Path) -> ProductContext:
        """Reads a file of `save` with the checks of `from_bytes`. Raises FileError or FormatError."""
        return cls._of(_core.ProductContext.read_file(path_text(path)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ProductContext):
            return NotImplemented
        return self._native.fingerprint == other._native.fingerprint

    def __hash__(self) -> int:
        return hash(self._native.fingerprint)

    def __repr__(self) -> str:
        lengths = sorted({p.bit_length() for p in self.primes})
        sizes = f"{lengths[0]}" if len(lengths) == 1 else f"{lengths[0]} to {lengths[-1]}"
        return (
            f"ProductContext(N = {self.degree}, q of {self.modulus.bit_length()} bits: {len(self.primes)} primes "
            f"of {sizes} bits)"
        )


def needed_modulus(degree: int, a: int, b: int) -> int:
    """The least q from which products in Z[x]/(x^N + 1) can be told: 2 N |a| |b| + 1 for coefficients up to |a|, |b|.

    Paper 004 (6.4.1) asks for q > N coeff^2, half of it: x^N = -1 makes coefficients of either sign.
    """
    return 2 * _core.negacyclic_ring(degree).expansion * abs(a) * abs(b) + 1


def integer_product(
    a: Sequence[int], b: Sequence[int], *, prime_bits: int = 64, arithmetic: Arithmetic = "multi-word"
) -> list[int]:
    """a b modulo x^N + 1 over the integers, with no modulus given (paper 004, 6.4.1): a context wide enough is made.

    Args:
        a: N integers of any sign, N a power of two.
        b: as many.
        prime_bits: length of the primes.
        arithmetic: as in `ProductContext.multiply`.

    Returns:
        N integers, exactly.

    Raises:
        ArgumentError: polynomials of different lengths.
        ParameterError: N no power of two, or no context is wide enough.
    """
    if len(a) != len(b) or not a:
        raise ArgumentError(f"polynomials of {len(a)} and {len(b)} coefficients; both need the same number, at least 2")
    needed = needed_modulus(len(a), max(map(abs, a)), max(map(abs, b)))
    bits = max(needed.bit_length() + 1, prime_bits)
    context = ProductContext.generate(len(a), bits, prime_bits)
    return [context.centred(c) for c in context.multiply(a, b, arithmetic)]


def pack(values: Sequence[int], limbs: int) -> bytes:
    """Integers in [0, 2^(64 limbs)) as `limbs` words of 8 bytes each, least significant byte first."""
    return b"".join(value.to_bytes(8 * limbs, "little") for value in values)


def unpack(data: bytes, limbs: int) -> list[int]:
    """The integers of `pack`."""
    size = 8 * limbs
    return [int.from_bytes(data[i : i + size], "little") for i in range(0, len(data), size)]
