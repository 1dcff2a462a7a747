# SPDX-License-Identifier: Apache-2.0
"""What papers 000, 001 and 004 draw secrets and errors from: for comparing their cost and noise, and nothing else.

Keys and ciphertexts of `cyclotome` know none of these; only the studied schemes (`textbook`) take them, and say so.

    >>> from cyclotome_study import laws
    >>> laws.PAPER_000
    Laws(paper 000: secret binary, mask binary, errors Box-Muller 8 up to 48; FOR STUDY, NOT FOR DATA)
    >>> laws.BINARY.draw(8, seed=bytes(32)).tolist()
    [0, 0, 0, 1, 1, 0, 0, 1]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from cyclotome import _core
from cyclotome.devices.contexts import engine_on
from cyclotome.errors import ArgumentError

__all__ = [
    "BINARY",
    "BINOMIAL",
    "LAWS",
    "LIBRARY",
    "PAPER_000",
    "PAPER_001",
    "PAPER_004",
    "TERNARY",
    "ZERO_ONE",
    "Law",
    "Laws",
    "box_muller",
    "inverse_cdf",
]

#: What every repr says of laws that this library does not draw from.
WARNING = "FOR STUDY, NOT FOR DATA"


@dataclass(frozen=True)
class Law:
    """A law of small integers. Make one with `box_muller` or `inverse_cdf`, or take one of this module's.

    Attributes:
        name: "binary", "zero-one", "box-muller", "inverse-cdf", "ternary" or "binomial".
        deviation: of the normal numbers before they are rounded; 0 where there are none.
        bound: numbers beyond it are drawn again; 0: none is.
    """

    name: str
    deviation: float = 0
    bound: int = 0

    def draw(self, count: int, seed: bytes = b"") -> np.ndarray[Any, np.dtype[np.int32]]:
        """`count` numbers; the same for the same seed of 32 bytes, fresh ones without.

        Raises:
            ArgumentError: a deviation not in (0, 1000], a bound below it, a seed of another length.
        """
        return _core.draw_numbers(self.name, self.deviation, self.bound, seed, count)

    def nanoseconds(self, count: int = 1 << 14, repetitions: int = 10, device: str = "cpu:1") -> float:
        """Of one number: on one thread, or on a GPU by CUDA events."""
        engine = engine_on(device)
        return _core.draw_nanoseconds(engine, self.name, self.deviation, self.bound, count, repetitions)

    @property
    def variance(self) -> float:
        """Of the numbers, as they are rounded; a bound's effect, below 10^-6 from 5 deviations on, left out."""
        known = {"binary": 0.25, "zero-one": 0.5, "ternary": 2 / 3, "binomial": 10.5}
        return known[self.name] if self.name in known else self.deviation**2 + 1 / 12

    @property
    def mean_square(self) -> float:
        """Of the numbers: binary ones have a mean."""
        return self.variance + (0.25 if self.name == "binary" else 0)

    def __str__(self) -> str:
        shown = {"zero-one": "ZO(1/2)", "box-muller": "Box-Muller", "inverse-cdf": "inverse CDF of Salsa20"}
        number = f" {self.deviation:g}" if self.deviation else ""
        return shown.get(self.name, self.name) + number + (f" up to {self.bound}" if self.bound else "")


def box_muller(deviation: float, bound: int = 0) -> Law:
    """Normal numbers, rounded: 000 has deviation 8 and bound 48, 004 has 3.2."""
    if not 0 < deviation <= 1000:
        raise ArgumentError(f"a deviation of {deviation}; it is in (0, 1000]")
    return Law("box-muller", float(deviation), bound)


def inverse_cdf(deviation: float, bound: int = 0) -> Law:
    """The same by the inverse distribution function of Salsa20's stream: 001 has 3.2."""
    if not 0 < deviation <= 1000:
        raise ArgumentError(f"a deviation of {deviation}; it is in (0, 1000]")
    return Law("inverse-cdf", float(deviation), bound)


#: 0 or 1, evenly.
BINARY = Law("binary")
#: ZO(1/2): 0 half of the time, else -1 or 1.
ZERO_ONE = Law("zero-one")
#: This library's own.
TERNARY = Law("ternary")
BINOMIAL = Law("binomial")


@dataclass(frozen=True, repr=False)
class Laws:
    """What one scheme draws from.

    Attributes:
        source: whose they are.
        secret: of the key.
        mask: of the polynomial u that an encryption multiplies the public key with.
        error: of every error.
    """

    source: str
    secret: Law
    mask: Law
    error: Law

    def __repr__(self) -> str:
        warning = "" if self == LIBRARY else f"; {WARNING}"
        return f"Laws({self.source}: secret {self.secret}, mask {self.mask}, errors {self.error}{warning})"


LIBRARY = Laws("cyclotome", TERNARY, TERNARY, BINOMIAL)
PAPER_000 = Laws("paper 000", BINARY, BINARY, box_muller(8, 48))
PAPER_001 = Laws("paper 001", TERNARY, TERNARY, inverse_cdf(3.2))
PAPER_004 = Laws("paper 004", box_muller(3.2), ZERO_ONE, box_muller(3.2))

#: By the number of the paper; "library" is this library's.
LAWS = {"library": LIBRARY, "000": PAPER_000, "001": PAPER_001, "004": PAPER_004}
