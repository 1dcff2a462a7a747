# SPDX-License-Identifier: Apache-2.0
"""Circuits on encrypted bits: sorting, the largest, comparisons, and the cipher PRINCE.

    >>> import cyclotome as cy
    >>> params = cy.circuit.Circuit.sort(count=4, bits=3).parameters(security=0)  # 128 by default
    >>> secret, public, evaluation = cy.keygen(params)
    >>> x = cy.circuit.encrypt_lists([5, 1, 7, 1], public, bits=3)
    >>> cy.circuit.decrypt(cy.circuit.sort(x), secret)
    array([1, 1, 5, 7])

A circuit takes all its operands as bits (`encrypt`, `encrypt_lists`) and computes in all slots at once. `Circuit` says
what one takes before anything is encrypted: `Circuit.plan`, `Circuit.parameters`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from . import _core
from .encrypted_numbers import (
    EncryptedNumbers,
    decrypt,
    encrypt,
    encrypt_lists,
    made,
    require_alike,
    require_bits,
    width_of,
    wires,
)
from .errors import ArgumentError, ParameterError
from .keyring import Keyring
from .keys import PublicKey, SecretKey
from .options import Callback, options
from .parameters import Parameters, find_primes
from .values import index, integers

__all__ = [
    "Circuit",
    "EncryptedNumbers",
    "Plan",
    "argmax",
    "decrypt",
    "encrypt",
    "encrypt_lists",
    "equal",
    "less",
    "prince",
    "prince_key",
    "sort",
    "top_k",
]


class Layer(NamedTuple):
    """What one layer of a circuit takes, and leaves."""

    #: Its number; 0 has no products.
    layer: int
    #: Ciphertext primes that it is computed with.
    level: int
    products: int
    relinearizations: int
    additions: int
    #: In how many pieces its products and relinearisations are computed.
    batches: int
    #: log2 of the noise of the noisiest result, and bits that it may grow until decryption refuses.
    log2_noise: float
    headroom: float


class Plan:
    """What a circuit takes with some parameters, before anything is encrypted. `str` shows it as a table."""

    def __init__(self, circuit: _core.Circuit, native: _core.CircuitPlan) -> None:
        """For `Circuit.plan`."""
        self._circuit, self._native = circuit, native

    @property
    def layers(self) -> list[Layer]:
        """Layer by layer, from 0 on."""
        return [
            Layer(
                each.layer,
                each.level,
                each.counts.products,
                each.counts.relinearizations,
                each.counts.additions,
                each.batches,
                each.log2_noise,
                each.headroom,
            )
            for each in self._native.layers
        ]

    @property
    def carried(self) -> bool:
        """Whether the parameters carry the circuit."""
        return self._native.carried

    @property
    def headroom(self) -> float:
        """Bits that the results' noise leaves."""
        return self._native.headroom

    @property
    def level(self) -> int:
        """Ciphertext primes of the results."""
        return self._native.level

    @property
    def peak_bytes(self) -> int:
        """About the most memory that ciphertexts take at one time."""
        return self._native.peak_bytes

    def __str__(self) -> str:
        return self._circuit.explain(self._native).rstrip("\n")

    def __repr__(self) -> str:
        return f"<Plan of {self._circuit.name}: {'carried' if self.carried else 'not carried'}>"


class Circuit:
    """A circuit by itself: what it counts, and which parameters carry it."""

    def __init__(self, native: _core.Circuit) -> None:
        """For the class methods, which make circuits."""
        self.native = native

    @classmethod
    def prince(cls, *, decrypt: bool = False) -> Circuit:
        """PRINCE: 24 products one after the other."""
        return cls(_core.prince_circuit(bool(decrypt)))

    @classmethod
    def sort(
        cls,
        *,
        count: int,
        bits: int,
        carried: int = 0,
        kept: int = 0,
        signed: bool = False,
        descending: bool = False,
        modulus: int = 2,
    ) -> Circuit:
        """Sorting ``count`` numbers of ``bits`` bits, each with ``carried`` bits that it takes along; the first
        ``kept`` of the result, 0 for all. ``modulus``: 2, or a prime above 64, over which ranks are plain sums."""
        sizes = {"count": count, "bits": bits, "carried": carried, "kept": kept, "modulus": modulus}
        return cls(_core.sort_circuit(**_sizes(sizes), signed=bool(signed), descending=bool(descending)))

    @classmethod
    def argmax(cls, *, count: int, bits: int, signed: bool = False, modulus: int = 2) -> Circuit:
        """The place of the first of the largest numbers."""
        sizes = {"count": count, "bits": bits, "modulus": modulus}
        return cls(_core.argmax_circuit(**_sizes(sizes), signed=bool(signed)))

    @classmethod
    def less(cls, *, bits: int, signed: bool = False, modulus: int = 2) -> Circuit:
        """Whether one number is less than another."""
        sizes = _sizes({"bits": bits, "modulus": modulus})
        return cls(_core.less_circuit(sizes["bits"], bool(signed), sizes["modulus"]))

    @classmethod
    def equal(cls, *, bits: int, modulus: int = 2) -> Circuit:
        """Whether two numbers are equal."""
        sizes = _sizes({"bits": bits, "modulus": modulus})
        return cls(_core.equal_circuit(sizes["bits"], sizes["modulus"]))

    @property
    def depth(self) -> int:
        """Products one after the other."""
        return self.native.depth

    @property
    def modulus(self) -> int:
        """The plaintext modulus that it computes modulo."""
        return self.native.modulus

    @property
    def products(self) -> int:
        """Products of ciphertexts in all: of bits, AND gates."""
        return self.native.counts.products

    @property
    def relinearizations(self) -> int:
        """Relinearisations in all."""
        return self.native.counts.relinearizations

    def plan(self, parameters: Parameters, *, lanes: int = 1, device: str = "cpu") -> Plan:
        """What it takes with these parameters: levels and noise by layer, from fresh encryptions on, and memory.

        Args:
            parameters: with one plaintext modulus, `modulus`.
            lanes: lists, or numbers, to compute with at once.
            device: whose pieces and memory are meant.

        Raises:
            MismatchError: parameters with another plaintext modulus.
            ParameterError: parameters with several.
        """
        slots = parameters.degree if parameters.has_slots else 1
        width = math.ceil(index(lanes, "lanes") / slots)
        return Plan(self.native, self.native.plan(parameters.native, device, max(width, 1)))

    def parameters(
        self,
        *,
        scheme: str = "bgv",
        degree: int | None = None,
        security: int = 128,
        word: int = 32,
        table: str = "guidelines-2024",
    ) -> Parameters:
        """The smallest parameters that carry it.

        Args:
            scheme: "bgv" or "bfv".
            degree: n of x^n + 1; None: the smallest that does.
            security: bits; 0 for tests, in the smallest ring, which hides nothing.
            word: 32 or 64.
            table: see `Parameters`.

        Raises:
            ParameterError: no degree carries it at this security.
        """
        degrees = [degree] if degree is not None else [1024 << i for i in range(8)]
        if security == 0:
            return self._insecure(scheme, degrees[0], word)
        for each in degrees:
            found = _core.circuit_parameters(
                self.native, scheme=scheme, degree=each, word=word, security=security, table=table
            )
            if found is not None:
                return Parameters.of_native(found, None)
        raise ParameterError(
            f"{self.native.name}: no degree of {degrees[0]} to {degrees[-1]} carries {self.depth} products one after "
            f"the other modulo {self.modulus} at {security} bits of security; compute less at once"
        )

    def _insecure(self, scheme: str, degree: int, word: int) -> Parameters:
        """In a ring that is too small for any security, with as many primes as it takes."""
        bits = 29 if word == 32 else 55
        for count in range(2, 80):
            primes = find_primes(degree, [bits] * (count + 1))
            candidate = Parameters(
                scheme=scheme,
                degree=degree,
                plain_moduli=[self.modulus],
                moduli=primes[1:],
                special_moduli=primes[:1],
                word=word,
                security=0,
                allow_insecure=True,
            )
            if self.plan(candidate).carried:
                return candidate
        raise ParameterError(f"{self.native.name}: no modulus of {degree} carries it")

    def __repr__(self) -> str:
        return f"<Circuit: {self.native.name}, depth {self.depth}, {self.products} products>"


def _sizes(values: Mapping[str, object]) -> dict[str, int]:
    numbers = {name: index(value, name) for name, value in values.items()}
    for name, number in numbers.items():
        if not 0 <= number < 1 << 31:
            raise ArgumentError(f"{name} {number} is out of range")
    return numbers


def _compute(
    native: _core.Circuit,
    like: EncryptedNumbers,
    keys: Keyring,
    inputs: Sequence[_core.Ciphertext],
    progress: Callback | None,
) -> list[_core.Ciphertext]:
    assert keys.evaluation is not None
    computed = native.compute(list(inputs), keys.evaluation.native, width_of(like), options(progress))
    return list(computed.outputs)


def _whole(numbers: EncryptedNumbers) -> range:
    return range(math.prod(numbers.digits.shape[:2]))


def _modulus(numbers: EncryptedNumbers) -> int:
    return numbers.parameters.plain_moduli[0]


# --- comparisons ------------------------------------------------------------------------------------------------------


def _require_pair(operation: str, x: EncryptedNumbers, y: EncryptedNumbers) -> None:
    for each in (x, y):
        require_bits(operation, each)
    facts = [(each.shape, each.bits, each.signed, each.lists) for each in (x, y)]
    if facts[0] != facts[1]:
        raise ArgumentError(
            f"{operation}: {x!r} and {y!r}; both must have the same shape, bits and sign, and be encrypted alike"
        )


def _compared(
    operation: str, native: _core.Circuit, x: EncryptedNumbers, y: EncryptedNumbers, progress: Callback | None
) -> EncryptedNumbers:
    _require_pair(operation, x, y)
    keys = require_alike(operation, [x, y])
    if x.count != 1:
        raise ArgumentError(f"{operation}: acts number by number; encrypt the numbers with encrypt, not encrypt_lists")
    outputs = _compute(native, x, keys, [wires(x, _whole(x)), wires(y, _whole(y))], progress)
    return EncryptedNumbers(made(x, keys, outputs[0], 1, 1), x.shape, 1)


def less(x: EncryptedNumbers, y: EncryptedNumbers, *, progress: Callback | None = None) -> EncryptedNumbers:
    """1 where x < y, else 0, number by number.

    Raises:
        ArgumentError: operands of different shapes, bits or signs, or lists.
        MissingKeyError: no evaluation keys are attached.
        NoiseError: the operands' level does not carry it; the message says how many levels do.
    """
    return _compared("less", Circuit.less(bits=x.bits, signed=x.signed, modulus=_modulus(x)).native, x, y, progress)


def equal(x: EncryptedNumbers, y: EncryptedNumbers, *, progress: Callback | None = None) -> EncryptedNumbers:
    """1 where x = y, else 0, number by number. Errors: see `less`."""
    return _compared("equal", Circuit.equal(bits=x.bits, modulus=_modulus(x)).native, x, y, progress)


# --- sorting ----------------------------------------------------------------------------------------------------------


def _require_lists(operation: str, x: EncryptedNumbers) -> None:
    require_bits(operation, x)
    if not x.lists:
        raise ArgumentError(f"{operation}: takes lists; encrypt them with encrypt_lists")


def _sorted(
    operation: str,
    x: EncryptedNumbers,
    carry: EncryptedNumbers | None,
    kept: int,
    descending: bool,
    progress: Callback | None,
) -> EncryptedNumbers | tuple[EncryptedNumbers, EncryptedNumbers]:
    everything = [x] if carry is None else [x, carry]
    for each in everything:
        _require_lists(operation, each)
        if each.shape != x.shape:
            raise ArgumentError(f"{operation}: what is carried along has shape {each.shape}, the numbers {x.shape}")
    keys = require_alike(operation, everything)
    circuit = Circuit.sort(
        count=x.count,
        bits=x.bits,
        carried=0 if carry is None else carry.bits,
        kept=kept,
        signed=x.signed,
        descending=descending,
        modulus=_modulus(x),
    )
    outputs = _compute(circuit.native, x, keys, [wires(each, _whole(each)) for each in everything], progress)
    places = kept or x.count
    results = [
        replace(each, digits=made(x, keys, output, places, wire_count // places), shape=(*x.shape[:-1], places))
        for each, output, (_, wire_count) in zip(everything, outputs, circuit.native.outputs, strict=True)
    ]
    return results[0] if carry is None else (results[0], results[1])


def sort(
    x: EncryptedNumbers,
    *,
    descending: bool = False,
    carry: EncryptedNumbers | None = None,
    progress: Callback | None = None,
) -> EncryptedNumbers | tuple[EncryptedNumbers, EncryptedNumbers]:
    """Every list in order, as ``numpy.sort(kind="stable")`` along the last axis; equal numbers stay in their order.

    Args:
        x: lists of 1 to 64 numbers, made by `encrypt_lists`.
        descending: the largest first.
        carry: lists of the same shape whose numbers move along; then a pair is returned.
        progress: called as ``progress(done, total, what)``, with the layer as ``what``.

    Raises:
        ArgumentError: no lists, too many numbers, other shapes.
        MissingKeyError: no evaluation keys are attached.
        NoiseError: before work starts, if the parameters do not carry it; the message says how many levels do.
    """
    return _sorted("sort", x, carry, 0, descending, progress)


def top_k(
    x: EncryptedNumbers,
    k: int,
    *,
    carry: EncryptedNumbers | None = None,
    progress: Callback | None = None,
) -> EncryptedNumbers | tuple[EncryptedNumbers, EncryptedNumbers]:
    """The ``k`` largest numbers of every list, the largest first; of equal ones, those that come first. Arguments and
    errors: see `sort`."""
    if not 1 <= index(k, "k") <= x.count:
        raise ArgumentError(f"top_k: k {k} must lie in [1, {x.count}], the numbers of a list")
    return _sorted("top_k", x, carry, index(k, "k"), True, progress)


def argmax(x: EncryptedNumbers, *, progress: Callback | None = None) -> EncryptedNumbers:
    """The place of the largest number of every list, of equal ones the first: ``numpy.argmax`` along the last axis.

    Raises:
        ArgumentError: no lists, or lists of one number, whose place is known.
        MissingKeyError, NoiseError: see `sort`.
    """
    _require_lists("argmax", x)
    keys = require_alike("argmax", [x])
    circuit = Circuit.argmax(count=x.count, bits=x.bits, signed=x.signed, modulus=_modulus(x))
    output = _compute(circuit.native, x, keys, [wires(x, _whole(x))], progress)[0]
    digits = made(x, keys, output, 1, circuit.native.outputs[0][1])
    return EncryptedNumbers(digits, x.shape[:-1], (x.count - 1).bit_length())


# --- PRINCE -----------------------------------------------------------------------------------------------------------


def prince_key(k0: int, k1: int, key: PublicKey | SecretKey) -> EncryptedNumbers:
    """The two halves of a key of PRINCE, encrypted for all slots.

    Raises:
        RangeError: halves that are no numbers of 64 bits.
    """
    return encrypt_lists([index(k0, "k0"), index(k1, "k1")], key, bits=64)


def prince(
    blocks: object,
    key: EncryptedNumbers,
    *,
    decrypt: bool = False,
    progress: Callback | None = None,
) -> EncryptedNumbers:
    """PRINCE of 64-bit blocks under an encrypted key: whoever computes learns neither.

    Args:
        blocks: encrypted numbers of 64 bits (`encrypt`), or public ones: integers, which are encrypted first, so that
            the key's public key must be at hand. With ``decrypt=True`` that is how a server turns blocks that a client
            sent under PRINCE into homomorphic ciphertexts.
        key: from `prince_key`.
        decrypt: the other way.
        progress: called as ``progress(done, total, what)``, with the layer as ``what``.

    Raises:
        ArgumentError: blocks or keys of other sizes.
        RangeError: public blocks that are no numbers of 64 bits.
        MissingKeyError: no evaluation keys; for public blocks, no public key.
        NoiseError: before work starts, if the parameters do not carry 24 products one after the other.
    """
    if key.bits != 64 or key.count != 2 or key.lanes != 1:
        raise ArgumentError(f"prince: the key is {key!r}; make it with prince_key(k0, k1, public)")
    if not isinstance(blocks, EncryptedNumbers):
        blocks = _public_blocks(blocks, key)
    if blocks.bits != 64 or blocks.count != 1:
        raise ArgumentError(f"prince: blocks are {blocks!r}; they are numbers of 64 bits, made by encrypt")
    keys = require_alike("prince", [blocks, key])
    first = range(63, -1, -1)  # the cipher counts bits from the most significant one
    inputs = [wires(blocks, first), wires(key, first), wires(key, [64 + bit for bit in first])]
    output = _compute(Circuit.prince(decrypt=decrypt).native, blocks, keys, inputs, progress)[0]
    result = replace(blocks, digits=made(blocks, keys, output, 1, 64))
    return replace(result, digits=made(blocks, keys, wires(result, first), 1, 64))


def _public_blocks(blocks: object, key: EncryptedNumbers) -> EncryptedNumbers:
    public = key.digits.keyring.public
    if public is None:
        raise ArgumentError("prince: public blocks are encrypted first; attach the public key: key.with_keys(public)")
    numbers = integers(blocks, "prince")
    return encrypt(np.atleast_1d(numbers), public, bits=64)
