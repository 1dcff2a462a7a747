# SPDX-License-Identifier: Apache-2.0
"""Number theory and residue number systems in Python integers. Arrays of dtype object hold Python integers."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[Any]


def is_prime(n: int) -> bool:
    """Miller-Rabin with bases that decide every n < 2^64."""
    small = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)
    if n < 2 or any(n % p == 0 for p in small):
        return n in small
    twos = ((n - 1) & (1 - n)).bit_length() - 1
    for base in small:
        x = pow(base, (n - 1) >> twos, n)
        if x not in (1, n - 1) and all((x := x * x % n) != n - 1 for _ in range(twos - 1)):
            return False
    return True


def primes_below(limit: int, step: int = 1) -> Iterator[int]:
    """Primes p < limit with p = 1 mod step, from the largest down."""
    p = (limit - 2) // step * step + 1
    while p > 1:
        if is_prime(p):
            yield p
        p -= step


def some_primes(bits: int, step: int, count: int, skip: int = 0) -> list[int]:
    """`count` primes below 2^bits that are 1 mod step, after leaving out the `skip` largest."""
    return list(_largest_primes(bits, step, skip + count)[skip:])


@functools.lru_cache
def _largest_primes(bits: int, step: int, count: int) -> tuple[int, ...]:
    return tuple(itertools.islice(primes_below(1 << bits, step), count))


def integers(values: Any) -> Integers:
    """`values` as an array of Python integers."""
    array = values if isinstance(values, np.ndarray) else np.array(values, dtype=object)
    return np.array([int(x) for x in array.reshape(-1)], dtype=object).reshape(array.shape)


def words(values: Any) -> NDArray[np.uint64]:
    """An array of 64-bit words from Python integers."""
    return np.array(values, dtype=np.uint64)


def decompose(x: Integers, moduli: Sequence[int]) -> NDArray[np.uint64]:
    """Residues[..., limb, coefficient] of x[..., coefficient]."""
    return np.stack([(x % q).astype(np.uint64) for q in moduli], axis=-2)


def compose(residues: Any, moduli: Sequence[int]) -> Integers:
    """x[..., coefficient] in [0, q) with the given residues[..., limb, coefficient]."""
    q = math.prod(moduli)
    rows = integers(residues)
    x: Any = 0
    for limb, modulus in enumerate(moduli):
        rest = q // modulus
        x = x + rows[..., limb, :] * (rest * pow(rest, -1, modulus))
    return x % q


def centred(x: Any, q: int) -> Any:
    """The representative of x modulo q in [-q/2, q/2): `-(q // 2) <= result`, and an exact half goes down."""
    return (x + q // 2) % q - q // 2


def round_half_up(a: Any, b: int) -> Any:
    """round(a / b) with halves going up, b > 0."""
    return (2 * a + b) // (2 * b)


def random_below(rng: np.random.Generator, limit: int, shape: int | tuple[int, ...]) -> Integers:
    """Uniform integers in [0, limit), any size."""
    size = int(np.prod(shape))
    chunk = (limit.bit_length() + 64 + 7) // 8
    raw = rng.bytes(chunk * size)
    values = [int.from_bytes(raw[i * chunk : (i + 1) * chunk], "little") % limit for i in range(size)]
    return np.array(values, dtype=object).reshape(shape)


def magnitude(x: Iterable[int]) -> int:
    """The largest absolute value."""
    return max(abs(int(v)) for v in np.asarray(x, dtype=object).reshape(-1))
