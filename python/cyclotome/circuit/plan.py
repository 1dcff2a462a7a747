# SPDX-License-Identifier: Apache-2.0
"""Circuits by themselves: what they count, what they take with some parameters, and which parameters carry them."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from .. import _core
from ..errors import ArgumentError, ParameterError
from ..numbers.values import index
from ..parameters.parameters import Parameters

__all__ = ["Circuit", "Layer", "Plan"]


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
        """About the most memory that ciphertexts take at one time, inputs included, on the device that takes most."""
        return self._native.peak_bytes

    @property
    def key_bytes(self) -> int:
        """What keys hold there beside them: the secret and the public key, and that of relinearisation. Keys that the
        circuit does not need, such as those of rotations, are not counted."""
        return self._native.key_bytes

    @property
    def sections(self) -> int:
        """Into how many sections the circuit is cut, which are computed one after the other to save memory."""
        return self._native.sections

    @property
    def keys_spread(self) -> bool:
        """Whether devices share the key's digits, which they fetch from each other; else each has a copy."""
        return self._native.keys_spread

    @property
    def devices(self) -> int:
        """How many devices are given something to do: of small circuits, fewer than there are."""
        return self._native.devices

    @property
    def by_lanes(self) -> bool:
        """Whether devices share the lanes, each of which computes the whole circuit; else they share its gates."""
        return self._native.by_lanes

    def __str__(self) -> str:
        return self._circuit.explain(self._native).rstrip("\n")

    def __repr__(self) -> str:
        return f"<Plan of {self._circuit.name}: {'carried' if self.carried else 'not carried'}>"


class Circuit:
    """A circuit by itself: what it counts, and which parameters carry it."""

    def __init__(
        self, native: _core.Circuit, companions: Sequence[_core.Circuit] = (), shared: Sequence[str] = ()
    ) -> None:
        """For the class methods, which make circuits. ``companions``: what its parameters carry as well; ``shared``:
        inputs that all lanes have in common."""
        self.native, self._companions, self._shared = native, tuple(companions), frozenset(shared)

    @classmethod
    def prince(cls, *, decrypt: bool = False) -> Circuit:
        """PRINCE: 24 products one after the other. Its `parameters` carry both directions, under one encrypted key."""
        return cls(_prince(bool(decrypt)), [_prince(not decrypt)], ["k0", "k1"])

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
        return cls(_sort(**_sizes(sizes), signed=bool(signed), descending=bool(descending)))

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

    def plan(self, parameters: Parameters, *, lanes: int = 1, devices: int = 1, memory: int | None = None) -> Plan:
        """What it takes with these parameters: levels and noise by layer, from fresh encryptions on, and memory.

        Args:
            parameters: with one plaintext modulus, `modulus`.
            lanes: lists, or numbers, to compute with at once.
            devices: how many share the work: the lanes, where each gets a ciphertext or more of every wire, else the
                gates. Noise and levels do not depend on it.
            memory: bytes on each device, for keys, inputs and what is computed: what fits runs under
                `set_memory_limit(memory)`, on a device that holds nothing else. The circuit is cut into as few sections
                as fit, or, if none do, as take least. None: one, whatever it takes.

        Raises:
            ArgumentError: no device.
            MismatchError: parameters with another plaintext modulus.
            ParameterError: parameters with several.
        """
        slots = parameters.slots if parameters.has_slots else 1
        width = math.ceil(index(lanes, "lanes") / slots)
        sizes = index(devices, "devices"), None if memory is None else index(memory, "memory")
        if sizes[0] < 1 or (sizes[1] is not None and sizes[1] < 0):
            raise ArgumentError(f"plan: devices={devices}, memory={memory}; one device or more, and bytes or None")
        shared = [name in self._shared for name, _ in self.native.inputs]
        return Plan(self.native, self.native.plan(parameters.native, max(width, 1), *sizes, shared))

    def parameters(
        self,
        *,
        scheme: str = "bgv",
        degree: int | None = None,
        cyclotomic: int | None = None,
        security: int = 128,
        word: int = 32,
        table: str = "guidelines-2024",
        also: Sequence[Circuit] = (),
    ) -> Parameters:
        """The cheapest parameters that carry it, from fresh encryptions on. Another circuit may need others.

        Args:
            scheme: "bgv" or "bfv".
            degree: n of x^n + 1; None: the smallest that does, unless ``cyclotomic`` is given. Modulo 2 there are no
                slots: one list, or number, at a time.
            cyclotomic: m of Phi_m, for slots modulo 2: 21845 has 1024 slots and carries sorting, 65535 has 2048 and
                carries PRINCE.
            security: bits; 0 for tests, in the smallest ring, which hides nothing.
            word: 32 or 64.
            table: see `Parameters`.
            also: other circuits of the same modulus that the same keys shall serve.

        Raises:
            ParameterError: no ring carries them at this security.
            MismatchError: circuits of different moduli.
        """
        rings = self._rings(degree, cyclotomic, security)
        circuits = [native for circuit in (self, *also) for native in (circuit.native, *circuit._companions)]
        for n, m in rings:
            found = _core.circuit_parameters(
                circuits, scheme=scheme, degree=n, cyclotomic=m, word=word, security=security, table=table
            )
            if found is not None:
                return Parameters.of_native(found, None)
        tried = f"Phi_{cyclotomic}" if cyclotomic is not None else f"degree of {rings[0][0]} to {rings[-1][0]}"
        depth = max(each.depth for each in circuits)
        raise ParameterError(
            f"{self.native.name}: no {tried} carries {depth} products one after the other modulo {self.modulus} "
            f"at {security} bits of security; compute less at once{', or take word=64' if word == 32 else ''}"
        )

    @staticmethod
    def _rings(degree: int | None, cyclotomic: int | None, security: int) -> list[tuple[int, int]]:
        """n and m of the rings to try."""
        if cyclotomic is not None:
            return [(0, _sizes({"cyclotomic": cyclotomic})["cyclotomic"])]
        if degree is not None:
            return [(_sizes({"degree": degree})["degree"], 0)]
        return [(1024 << i, 0) for i in range(1 if security == 0 else 8)]

    def __repr__(self) -> str:
        return f"<Circuit: {self.native.name}, depth {self.depth}, {self.products} products>"


# What was written down lately is found again, and with it what was planned for it.
_prince = functools.lru_cache(maxsize=2)(_core.prince_circuit)
_sort = functools.lru_cache(maxsize=8)(_core.sort_circuit)


def _sizes(values: Mapping[str, object]) -> dict[str, int]:
    numbers = {name: index(value, name) for name, value in values.items()}
    for name, number in numbers.items():
        if not 0 <= number < 1 << 31:
            raise ArgumentError(f"{name} {number} is out of range")
    return numbers
