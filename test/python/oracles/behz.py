# SPDX-License-Identifier: Apache-2.0
"""BEHZ decryption of paper 000, Algorithm 2, and paper 001, Algorithm 5, in Python integers, right and as printed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from .integers import Integers, centred


def decrypt(
    x: Integers,
    moduli: Sequence[int],
    t: int,
    gamma: int,
    *,
    centre: bool = True,
    sign: int = -1,
    swapped: bool = False,
    invert: bool = True,
) -> Any:
    """round(t x / q) mod t. Each keyword off its default is one way to read a paper as it is printed:
    `centre`, `sign` (000-11), `swapped` (001-9), `invert` (000-13, 001-8).
    """
    q = math.prod(moduli)
    sums = {}
    for b in (t, gamma):
        total: Any = 0
        for q_i in moduli:
            factor = pow(q // q_i, -1, q_i) if invert else q // q_i
            total = total + (x % q_i * t * gamma * factor % q_i) * (q // q_i)
        sums[b] = total * (sign * pow(q, -1, b)) % b
    s_gamma = centred(sums[gamma], gamma) if centre else sums[gamma]
    difference = s_gamma - sums[t] if swapped else sums[t] - s_gamma
    return difference * pow(gamma, -1, t) % t


def auxiliary_suffices(
    q: Sequence[int], auxiliary: Sequence[int], degree: int, t: int, m_tilde: int, terms: int = 1
) -> bool:
    """Conditions (A) and (B) of specification 5.5 with `terms` summed products (C), in exact fractions."""
    k, base = len(q), auxiliary[:-1]
    growth = (1 + Fraction(2 * k, m_tilde)) ** 2
    reach = terms * t * degree * math.prod(q) * growth
    wraps = math.ceil((reach / 2 + k) / math.prod(base))
    return math.prod(auxiliary) > reach + 2 * k and auxiliary[-1] >= 2 * (len(base) + wraps)
