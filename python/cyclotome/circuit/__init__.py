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
from collections.abc import Sequence
from dataclasses import replace
from typing import overload

import numpy as np

from .. import _core
from ..devices.contexts import companion_on, device_name
from ..errors import ArgumentError, MissingKeyError
from ..functions.numbers import (
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
from ..keys.keyring import Keyring
from ..keys.kinds import PublicKey, SecretKey
from ..numbers.values import index, integers
from ..options import Callback, options
from .plan import Circuit, Layer, Plan

__all__ = [
    "Circuit",
    "EncryptedNumbers",
    "Layer",
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


#: Names of devices that share the work; None: the one that the operands lie on.
Devices = Sequence[str] | None


def _compute(
    native: _core.Circuit,
    like: EncryptedNumbers,
    keys: Keyring,
    inputs: Sequence[_core.Ciphertext],
    progress: Callback | None,
    devices: Devices,
) -> list[_core.Ciphertext]:
    assert keys.evaluation is not None
    first = like.digits.context
    others = [companion_on(device, like.parameters, first).native for device in (devices or [])[1:]]
    computed = native.compute(list(inputs), keys.evaluation.native, width_of(like), options(progress), others)
    return list(computed.outputs)


def _moved(devices: Devices, *numbers: EncryptedNumbers) -> list[EncryptedNumbers]:
    """The operands on the first device."""
    if devices is None:
        return list(numbers)
    if isinstance(devices, str) or not devices:
        raise ArgumentError(f"devices={devices!r}: name at least one, such as ['cuda:0', 'cuda:1']")
    names = [device_name(device) for device in devices]  # unknown ones show before any work is done
    return [each.to(names[0]) for each in numbers]


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
    operation: str,
    native: _core.Circuit,
    x: EncryptedNumbers,
    y: EncryptedNumbers,
    progress: Callback | None,
    devices: Devices,
) -> EncryptedNumbers:
    _require_pair(operation, x, y)
    x, y = _moved(devices, x, y)
    keys = require_alike(operation, [x, y])
    if x.count != 1:
        raise ArgumentError(f"{operation}: acts number by number; encrypt the numbers with encrypt, not encrypt_lists")
    outputs = _compute(native, x, keys, [wires(x, _whole(x)), wires(y, _whole(y))], progress, devices)
    return EncryptedNumbers(made(x, keys, outputs[0], 1, 1), x.shape, 1)


def less(
    x: EncryptedNumbers, y: EncryptedNumbers, *, progress: Callback | None = None, devices: Devices = None
) -> EncryptedNumbers:
    """1 where x < y, else 0, number by number. ``devices``: see `sort`.

    Raises:
        ArgumentError: operands of different shapes, bits or signs, or lists.
        MissingKeyError: no evaluation keys are attached.
        NoiseError: the operands' level does not carry it; the message says how many levels do.
    """
    circuit = Circuit.less(bits=x.bits, signed=x.signed, modulus=_modulus(x))
    return _compared("less", circuit.native, x, y, progress, devices)


def equal(
    x: EncryptedNumbers, y: EncryptedNumbers, *, progress: Callback | None = None, devices: Devices = None
) -> EncryptedNumbers:
    """1 where x = y, else 0, number by number. ``devices``: see `sort`. Errors: see `less`."""
    circuit = Circuit.equal(bits=x.bits, modulus=_modulus(x))
    return _compared("equal", circuit.native, x, y, progress, devices)


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
    devices: Devices,
) -> EncryptedNumbers | tuple[EncryptedNumbers, EncryptedNumbers]:
    everything = [x] if carry is None else [x, carry]
    for each in everything:
        _require_lists(operation, each)
        if each.shape != x.shape:
            raise ArgumentError(f"{operation}: what is carried along has shape {each.shape}, the numbers {x.shape}")
    everything = _moved(devices, *everything)
    x = everything[0]
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
    inputs = [wires(each, _whole(each)) for each in everything]
    outputs = _compute(circuit.native, x, keys, inputs, progress, devices)
    places = kept or x.count
    results = [
        replace(each, digits=made(x, keys, output, places, wire_count // places), shape=(*x.shape[:-1], places))
        for each, output, (_, wire_count) in zip(everything, outputs, circuit.native.outputs, strict=True)
    ]
    return results[0] if carry is None else (results[0], results[1])


@overload
def sort(
    x: EncryptedNumbers,
    *,
    descending: bool = False,
    carry: None = None,
    progress: Callback | None = None,
    devices: Devices = None,
) -> EncryptedNumbers: ...
@overload
def sort(
    x: EncryptedNumbers,
    *,
    descending: bool = False,
    carry: EncryptedNumbers,
    progress: Callback | None = None,
    devices: Devices = None,
) -> tuple[EncryptedNumbers, EncryptedNumbers]: ...
def sort(
    x: EncryptedNumbers,
    *,
    descending: bool = False,
    carry: EncryptedNumbers | None = None,
    progress: Callback | None = None,
    devices: Devices = None,
) -> EncryptedNumbers | tuple[EncryptedNumbers, EncryptedNumbers]:
    """Every list in order, as ``numpy.sort(kind="stable")`` along the last axis; equal numbers stay in their order.

    Args:
        x: lists of 1 to 64 numbers, made by `encrypt_lists`.
        descending: the largest first.
        carry: lists of the same shape whose numbers move along; then a pair is returned.
        progress: called as ``progress(done, total, what)``, with the layer as ``what``.
        devices: full or short names, such as ["cuda:0", "cuda:1"]: the work is shared out among them, and the result
            lies on the first. Its bytes do not depend on them. One that is named twice takes two shares. None: where
            the operands lie.

    Work that outgrows memory, or `set_memory_limit`, is done in as many sections as it takes; `Circuit.plan` tells.

    Raises:
        ArgumentError: no lists, too many numbers, other shapes, no devices.
        EngineError: an unknown or absent device.
        MissingKeyError: no evaluation keys are attached.
        NoiseError: before work starts, if the parameters do not carry it; the message says how many levels do.
        MemoryLimitError: before work starts, if it fits in no number of sections.
    """
    return _sorted("sort", x, carry, 0, descending, progress, devices)


@overload
def top_k(
    x: EncryptedNumbers,
    k: int,
    *,
    carry: None = None,
    progress: Callback | None = None,
    devices: Devices = None,
) -> EncryptedNumbers: ...
@overload
def top_k(
    x: EncryptedNumbers,
    k: int,
    *,
    carry: EncryptedNumbers,
    progress: Callback | None = None,
    devices: Devices = None,
) -> tuple[EncryptedNumbers, EncryptedNumbers]: ...
def top_k(
    x: EncryptedNumbers,
    k: int,
    *,
    carry: EncryptedNumbers | None = None,
    progress: Callback | None = None,
    devices: Devices = None,
) -> EncryptedNumbers | tuple[EncryptedNumbers, EncryptedNumbers]:
    """The ``k`` largest numbers of every list, the largest first; of equal ones, those that come first. Arguments and
    errors: see `sort`."""
    if not 1 <= index(k, "k") <= x.count:
        raise ArgumentError(f"top_k: k {k} must lie in [1, {x.count}], the numbers of a list")
    return _sorted("top_k", x, carry, index(k, "k"), True, progress, devices)


def argmax(x: EncryptedNumbers, *, progress: Callback | None = None, devices: Devices = None) -> EncryptedNumbers:
    """The place of the largest number of every list, of equal ones the first: ``numpy.argmax`` along the last axis.
    ``devices``: see `sort`.

    Raises:
        ArgumentError: no lists, or lists of one number, whose place is known.
        MissingKeyError, NoiseError: see `sort`.
    """
    _require_lists("argmax", x)
    (x,) = _moved(devices, x)
    keys = require_alike("argmax", [x])
    circuit = Circuit.argmax(count=x.count, bits=x.bits, signed=x.signed, modulus=_modulus(x))
    output = _compute(circuit.native, x, keys, [wires(x, _whole(x))], progress, devices)[0]
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
    devices: Devices = None,
) -> EncryptedNumbers:
    """PRINCE of 64-bit blocks under an encrypted key: whoever computes learns neither.

    Args:
        blocks: encrypted numbers of 64 bits (`encrypt`), or public ones: integers, which are encrypted first, so that
            the key's public key must be at hand. With ``decrypt=True`` that is how a server turns blocks that a client
            sent under PRINCE into homomorphic ciphertexts.
        key: from `prince_key`.
        decrypt: the other way.
        progress: called as ``progress(done, total, what)``, with the layer as ``what``.
        devices: see `sort`.

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
    blocks, key = _moved(devices, blocks, key)
    keys = require_alike("prince", [blocks, key])
    first = range(63, -1, -1)  # the cipher counts bits from the most significant one
    inputs = [wires(blocks, first), wires(key, first), wires(key, [64 + bit for bit in first])]
    output = _compute(Circuit.prince(decrypt=decrypt).native, blocks, keys, inputs, progress, devices)[0]
    result = replace(blocks, digits=made(blocks, keys, output, 1, 64))
    return replace(result, digits=made(blocks, keys, wires(result, first), 1, 64))


def _public_blocks(blocks: object, key: EncryptedNumbers) -> EncryptedNumbers:
    public = key.digits.keyring.public
    if public is None:
        raise MissingKeyError("prince: public blocks are encrypted first; attach the public key: key.with_keys(public)")
    numbers = integers(blocks, "prince")
    return encrypt(np.atleast_1d(numbers), public, bits=64)
