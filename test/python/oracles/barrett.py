# SPDX-License-Identifier: Apache-2.0
"""Barrett's product of paper 001, Algorithm 7, as printed and as erratum 001-1 corrects it, in Python integers.

Both return the value before the conditional subtraction and the value after it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def printed(a: int, b: int, q: int) -> tuple[int, int]:
    """mu = floor(2^(2w) / q), shifts w-2 and w+2."""
    return _product(a, b, q, extra=0)


def corrected(a: int, b: int, q: int) -> tuple[int, int]:
    """mu = floor(2^(2w+1) / q), shifts w-2 and w+3."""
    return _product(a, b, q, extra=1)


def _product(a: int, b: int, q: int, extra: int) -> tuple[int, int]:
    w = q.bit_length()
    mu = (1 << (2 * w + extra)) // q
    c = a * b - ((((a * b) >> (w - 2)) * mu) >> (w + 2 + extra)) * q
    return c, c - q if c >= q else c


def printed_all(a: NDArray[np.uint64], b: NDArray[np.uint64], q: int) -> NDArray[np.uint64]:
    """The printed product before its subtraction for whole rows; w <= 20, so that 64-bit words hold everything."""
    w = np.uint64(q.bit_length())
    mu = np.uint64((1 << (2 * int(w))) // q)
    x = a * b
    return x - (((x >> (w - np.uint64(2))) * mu) >> (w + np.uint64(2))) * np.uint64(q)


def printed_bound(q: int) -> float:
    """What c / q of the printed product stays below: 1 + rho^2 frac(2^(2w) / q) + mu / 2^(w+2), rho = q / 2^w."""
    w = q.bit_length()
    return 1 + (q / (1 << w)) ** 2 * ((1 << (2 * w)) % q / q) + ((1 << (2 * w)) // q) / (1 << (w + 2))
