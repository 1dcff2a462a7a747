# SPDX-License-Identifier: Apache-2.0
"""The library's circuits in LTV, which is BROKEN: paper 002's jobs, PRINCE and sorting, for comparison with BGV.

Bits lie as the paper lays them out: a ciphertext for each bit, and in its slots that bit of all blocks, or lists.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from cyclotome import _core
from cyclotome.circuit import Circuit
from cyclotome.devices import contexts
from cyclotome.errors import ArgumentError, EngineError, MismatchError, MissingKeyError, RangeError

from cyclotome_study import ltv

__all__ = ["Machine", "Placed", "compute", "decrypt_numbers", "encrypt_numbers", "prince", "sort"]

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
    return [sum(int(bit) << i for i, bit in enumerate(column)) for column in zip(*rows, strict=True)]


class Placed:
    """Ciphertexts where a machine computes."""

    __slots__ = ("_length", "_machine", "_native")

    def __init__(self, machine: Machine, native: _core.LtvPlaced, length: int) -> None:
        self._machine, self._native, self._length = machine, native, length

    @property
    def native(self) -> _core.LtvPlaced:
        """What the library computes with."""
        return self._native

    @property
    def length(self) -> int:
        """Slots that are used."""
        return self._length

    def get(self) -> Bits:
        """The ciphertexts."""
        parameters, evaluation = self._machine.evaluation.parameters, self._machine.evaluation
        return [ltv.LtvArray(parameters, c, self._length, False, evaluation) for c in self._native.get()]


class Machine:
    """Computes circuits with one set of keys on one device, where the keys stay: for more than one call.

    Args:
        evaluation: keys, of which that of relinearisation is copied there.
        device: "cpu" (one thread computes), or a GPU such as "cuda:0".

    Raises:
        EngineError: the device is absent, or can't compute LTV.
        ParameterError: on a GPU, rings of fewer than 8192 points.
        MemoryLimitError: the key does not fit.
    """

    def __init__(self, evaluation: ltv.EvaluationKeys, device: str = "cpu") -> None:
        self.evaluation = evaluation
        self.device = contexts.device_name(device)
        kind, _, number = self.device.partition(":")
        if kind not in ("cpu", "cuda"):
            raise EngineError(f"{self.device} computes no circuits in LTV; use the device cpu or cuda")
        self._native = _core.LtvMachine.create(evaluation.native, int(number) if kind == "cuda" else None)

    def put(self, bits: Bits) -> Placed:
        """Ciphertexts where this computes, all of one level.

        Raises:
            ArgumentError: different numbers of slots are used, or a product was not relinearised.
            MismatchError: ciphertexts under another key.
        """
        length = bits[0].shape[0] if bits else 0
        if any(bit.shape[0] != length for bit in bits):
            raise ArgumentError("compute: ciphertexts use different numbers of slots")
        if any(bit.parameters != self.evaluation.parameters for bit in bits):
            raise MismatchError("compute: ciphertexts of different parameters")
        return Placed(self, _core.LtvMachine.put(self._native, [bit.native for bit in bits]), length)

    def plan(self, circuit: Circuit, inputs: Sequence[Placed]) -> _core.LtvCounts:
        """What `compute` would take: transforms and products modulo the carrier, bytes read from keys, and the most
        bytes of polynomials at once. Raises as `compute`, but for memory."""
        return _core.LtvMachine.plan(self._native, circuit.native, [each.native for each in inputs])

    def compute(self, circuit: Circuit, inputs: Sequence[Placed], *, progress: Progress | None = None) -> list[Placed]:
        """A circuit, for each of its input ports a ciphertext for each wire; outputs likewise. All slots compute at
        once. Returns when it is done.

        Raises:
            ArgumentError: other numbers of ports or wires, or of slots that are used.
            MismatchError: ciphertexts of another machine, or a circuit that is not modulo 2.
            NoiseError: more products one after the other than there are levels, or noise that LTV's estimate says can't
                be decrypted; before work starts.
            MemoryLimitError: the device has not enough memory; before work starts.
        """
        lengths = {each.length for each in inputs if each.length}
        if len(lengths) > 1:
            raise ArgumentError("compute: ciphertexts use different numbers of slots")
        length = next(iter(lengths), 0)
        options = _core.Options(progress, False)
        outputs = _core.LtvMachine.compute(self._native, circuit.native, [each.native for each in inputs], options)
        return [Placed(self, native, length) for native in outputs]


def compute(
    circuit: Circuit, inputs: Sequence[Bits], *, device: str = "cpu", progress: Progress | None = None
) -> list[Bits]:
    """`Machine.compute` of ciphertexts that lie here, on a machine for this call.

    Raises:
        ArgumentError: there are no ciphertexts.
        MissingKeyError: no key of relinearisation.
        And what `Machine` raises.
    """
    first = next((bit for port in inputs for bit in port), None)
    if first is None:
        raise ArgumentError("compute: there are no ciphertexts")
    if first.evaluation is None:
        raise MissingKeyError("compute: no key of relinearisation; attach it: x.with_keys(keys.evaluation)")
    machine = Machine(first.evaluation, device)
    placed = [machine.put(port) for port in inputs]
    return [output.get() for output in machine.compute(circuit, placed, progress=progress)]


def prince(
    blocks: Bits, k0: Bits, k1: Bits, *, decrypt: bool = False, device: str = "cpu", progress: Progress | None = None
) -> Bits:
    """PRINCE of one block in each slot, under an encrypted key: 64 bits each, the least significant first. Errors: see
    `compute`."""
    circuit = Circuit.prince(decrypt=decrypt)
    (result,) = compute(circuit, [bits[::-1] for bits in (blocks, k0, k1)], device=device, progress=progress)
    return result[::-1]


def sort(numbers: Sequence[Bits], *, device: str = "cpu", progress: Progress | None = None) -> list[Bits]:
    """The numbers in order, in each slot a list of its own. Errors: see `compute`."""
    if not numbers or any(len(bits) != len(numbers[0]) for bits in numbers):
        raise ArgumentError("sort takes numbers of as many bits each, one or more")
    width = len(numbers[0])
    circuit = Circuit.sort(count=len(numbers), bits=width)
    (result,) = compute(circuit, [[bit for bits in numbers for bit in bits]], device=device, progress=progress)
    return [result[i : i + width] for i in range(0, len(result), width)]
