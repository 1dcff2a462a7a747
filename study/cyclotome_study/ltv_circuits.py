# SPDX-License-Identifier: Apache-2.0
"""The library's circuits in LTV, which is BROKEN: paper 002's jobs, PRINCE and sorting, for comparison with BGV.

Bits lie as the paper lays them out: a ciphertext for each bit, and in its slots that bit of all blocks, or lists.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from cyclotome import _core
from cyclotome.circuit import Circuit
from cyclotome.errors import ArgumentError, MismatchError, MissingKeyError, RangeError

from cyclotome_study import ltv

__all__ = ["compute", "decrypt_numbers", "encrypt_numbers", "prince", "sort"]

Progress = Callable[[int, int, str], None]
Bits = list[ltv.LtvArray]


def encrypt_numbers(values: Sequence[int], bits: int, key: ltv.PublicKey) -> Bits:
    """Numbers, one in each slot: a ciphertext for each bit, the least significant first.

    Raises:
        ArgumentError: no numbers, more than there are slots, or no number of bits from 1 to 64.
        RangeError: a number that has more bits, or is below 0.
    """
    if not 1 <= bits <= 64:
        raise ArgumentError(f"numbers have 1 to 64 bits, not {bits}")
    for value in values:
        if not 0 <= value < 1 << bits:
            raise RangeError(f"{value} is no number of {bits} bits, which are 0 to {(1 << bits) - 1}")
    rows = [np.array([value >> i & 1 for value in values], dtype=np.uint8) for i in range(bits)]
    return [ltv.encrypt(row, key) for row in rows]


def decrypt_numbers(bits: Bits, secret: ltv.SecretKey) -> list[int]:
    """The numbers of all slots, from their bits."""
    rows = [np.asarray(ltv.decrypt(bit, secret)).astype(object) for bit in bits]
    return [int(value) for value in sum(row << i for i, row in enumerate(rows))]


def compute(circuit: Circuit, inputs: Sequence[Bits], *, progress: Progress | None = None) -> list[Bits]:
    """A circuit, for each of its input ports a ciphertext for each wire; outputs likewise. All slots compute at once.

    Raises:
        ArgumentError: other numbers of ports or wires, or of slots that are used.
        MissingKeyError: no key of relinearisation.
        MismatchError: ciphertexts under different keys, or a circuit that is not modulo 2.
        NoiseError: more products one after the other than there are levels, before work starts; or noise that LTV's
            estimate says can't be decrypted.
    """
    first = next((bit for port in inputs for bit in port), None)
    if first is None:
        raise ArgumentError("compute: there are no ciphertexts")
    length = first.shape[0]
    if any(bit.shape[0] != length for port in inputs for bit in port):
        raise ArgumentError("compute: ciphertexts use different numbers of slots")
    evaluation = first.evaluation
    if evaluation is None:
        raise MissingKeyError("compute: no key of relinearisation; attach it: x.with_keys(keys.evaluation)")
    if any(bit.parameters != first.parameters for port in inputs for bit in port):
        raise MismatchError("compute: ciphertexts of different parameters")
    options = _core.Options(progress, False)
    outputs = _core.ltv_compute(
        circuit.native, [[bit.native for bit in port] for port in inputs], evaluation.native, options
    )
    return [[ltv.LtvArray(first.parameters, c, length, False, evaluation) for c in port] for port in outputs]


def prince(blocks: Bits, k0: Bits, k1: Bits, *, decrypt: bool = False, progress: Progress | None = None) -> Bits:
    """PRINCE of one block in each slot, under an encrypted key: 64 bits each, the least significant first. Errors: see
    `compute`."""
    circuit = Circuit.prince(decrypt=decrypt)
    (result,) = compute(circuit, [bits[::-1] for bits in (blocks, k0, k1)], progress=progress)
    return result[::-1]


def sort(numbers: Sequence[Bits], *, progress: Progress | None = None) -> list[Bits]:
    """The numbers in order, in each slot a list of its own. Errors: see `compute`."""
    if not numbers or any(len(bits) != len(numbers[0]) for bits in numbers):
        raise ArgumentError("sort takes numbers of as many bits each, one or more")
    width = len(numbers[0])
    circuit = Circuit.sort(count=len(numbers), bits=width)
    (result,) = compute(circuit, [[bit for bits in numbers for bit in bits]], progress=progress)
    return [result[i : i + width] for i in range(0, len(result), width)]
