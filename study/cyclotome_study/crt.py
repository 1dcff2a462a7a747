# SPDX-License-Identifier: Apache-2.0
"""Integers as residues and back, on any device: paper 000's CRT, and its three reconstructions.

>>> from cyclotome_study.crt import Crt
>>> crt = Crt([40961, 65537], degree=4)
>>> residues = crt.decompose([1, 40961, 2**70, 0])
>>> residues.tolist()
[[1, 0, 21457, 0], [1, 40961, 64, 0]]
>>> crt.reconstruct(residues) == [1, 40961, 2**70 % crt.modulus, 0]
True
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from cyclotome import _core
from cyclotome.devices.contexts import device_name, engine_on
from cyclotome.errors import ArgumentError

__all__ = ["Crt", "Reconstruction"]

#: Garner's algorithm; or Equation 1 with one division by the modulus at the end, or with a subtraction after each term.
Reconstruction = Literal["garner", "division", "subtraction"]


class Crt:
    """The Chinese remainder theorem for a polynomial's coefficients.

    Args:
        moduli: pairwise coprime, 2 only as the first; below 2^31 in words of 32 bits, below 2^61 in words of 64.
        degree: n, a power of two: how many integers there are.
        device: where; as everywhere in the library.
        word: 32 or 64; None takes 32 where all moduli fit.

    Raises:
        ParameterError: other moduli or degrees.
        EngineError: no such device.
    """

    def __init__(self, moduli: Sequence[int], degree: int, device: str = "cpu", word: int | None = None) -> None:
        self.moduli, self.degree, self.device = tuple(moduli), degree, device_name(device)
        narrow = all(0 < q < 1 << 31 for q in self.moduli)
        self._native = _core.Residues(engine_on(device), word or (32 if narrow else 64), list(self.moduli), degree)

    @property
    def modulus(self) -> int:
        """The product of the moduli."""
        return math.prod(self.moduli)

    def decompose(self, integers: Sequence[int]) -> np.ndarray[Any, np.dtype[np.uint64]]:
        """The residues of n integers, shape (moduli, n). Integers from 0 on, of any size: none has to be below the
        product of the moduli.

        Raises:
            ArgumentError: another number of integers, or a negative one.
        """
        if len(integers) != self.degree or any(x < 0 for x in integers):
            raise ArgumentError(f"{len(integers)} integers; {self.degree} are needed, none below 0")
        size = max(1, -(-max(x.bit_length() for x in integers) // 64))
        self._native.set_integers(b"".join(x.to_bytes(8 * size, "little") for x in integers))
        self._native.decompose()
        return np.array(self._native.residues(), np.uint64).reshape(len(self.moduli), self.degree)

    def reconstruct(self, residues: np.ndarray[Any, np.dtype[np.uint64]], how: Reconstruction = "garner") -> list[int]:
        """The n integers in [0, product of the moduli) with these residues, shape (moduli, n).

        Raises:
            ArgumentError: another shape, or no such way.
            RangeError: a residue that is not below its modulus.
            ParameterError: the two others than "garner" take up to 64 moduli below 2^31, in words of 32 bits.
            UnsupportedError: they run on cores and GPUs only.
        """
        if residues.shape != (len(self.moduli), self.degree):
            raise ArgumentError(f"residues of shape {residues.shape}, not {(len(self.moduli), self.degree)}")
        self._native.set_residues(residues.reshape(-1).tolist())
        self._native.reconstruct(how)
        data, size = self._native.integers(), 8 * self._native.words
        return [int.from_bytes(data[i : i + size], "little") for i in range(0, len(data), size)]

    def nanoseconds(self, what: Literal["decompose"] | Reconstruction, repetitions: int = 10) -> float:
        """Of one call on what the last one left: the host's clock, on a GPU CUDA events without launches."""
        if what == "decompose":
            return self._native.decompose_nanoseconds(repetitions)
        return self._native.reconstruct_nanoseconds(what, repetitions)

    def __repr__(self) -> str:
        return f"Crt({len(self.moduli)} moduli, {self.modulus.bit_length()} bits, n = {self.degree}, {self.device})"
