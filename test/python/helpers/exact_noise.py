# SPDX-License-Identifier: Apache-2.0
"""The exact error of ciphertexts, by the secret key and in Python integers, in the three norms that bounds are stated
in."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from bgv_party import BgvParty
from cyclotome._core.testing import rlwe
from numpy.typing import NDArray
from oracles.integers import Integers, centred, compose
from parties import Party

#: What the measurement itself is off by, in bits: sums and transforms of doubles.
TOLERANCE = 1e-9
NAMES = ("max", "rms", "canonical")


def errors(party: Party, ciphertext: Any) -> tuple[Integers, int]:
    """Rows of integers, and what they are to be divided by: phase - (q/t) m (BFV), or the whole phase (BGV)."""
    residues, moduli = rlwe.phase(party.secret, ciphertext), party.moduli[: ciphertext.limbs]
    if isinstance(party, BgvParty):
        return centred(compose(residues, moduli), math.prod(moduli))[:, 0], 1
    t = party.t(ciphertext.plain)
    return centred(compose(residues, moduli) * t, math.prod(moduli))[:, 0], t


def norms_of_rows(rows: Integers, divisor: int = 1) -> NDArray[np.float64]:
    """log2 of max |e_i|, sqrt(sum e_i^2 / n) and max |e(zeta)| / sqrt(n), for every row; [row][norm]."""
    n = rows.shape[-1]
    twist = np.exp(1j * np.pi * np.arange(n) / n)
    result = []
    for row in rows:
        largest = max(max(abs(int(x)) for x in row), 1)
        shift = max(0, largest.bit_length() - 900)  # beyond that doubles end
        scaled = np.array([float(int(x) >> shift) if shift else float(int(x)) for x in row])
        values = np.abs(np.fft.fft(scaled / float(largest >> shift) * twist)).max() / math.sqrt(n)
        mean = math.sqrt(float(np.mean((scaled / float(largest >> shift)) ** 2)))
        log = math.log2(largest) - math.log2(divisor)
        result.append([log, log + safe_log2(mean), log + safe_log2(float(values))])
    return np.array(result)


def safe_log2(x: float) -> float:
    return math.log2(x) if x > 0 else -math.inf


def norms_of(party: Party, ciphertext: Any) -> NDArray[np.float64]:
    """[item][norm] of a ciphertext array's errors."""
    return norms_of_rows(*errors(party, ciphertext))


def gaps(party: Party, ciphertext: Any) -> NDArray[np.float64]:
    """Bits that the bound is above what is there, by norm, for the worst item; AssertionError if any is negative."""
    measured = norms_of(party, ciphertext).max(axis=0)
    found = np.array(ciphertext.noise) - measured
    assert found.min() >= -TOLERANCE, f"{NAMES[int(found.argmin())]}: measured 2^{measured}, bound 2^{ciphertext.noise}"
    return found
