# SPDX-License-Identifier: Apache-2.0
"""What `Parameters` are handed, made sure of: numbers, names and primes, with errors that say what is wrong."""

from __future__ import annotations

import operator
from collections.abc import Sequence

from .. import _core
from ..errors import ParameterError

__all__ = ["count", "degree_of", "find_primes", "index_of", "moduli_of", "real", "text"]


def count(name: str, value: object, low: int, high: int = 2**63 - 1) -> int:
    """A whole number within limits, ParameterError for what is none."""
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise ParameterError(f"{name} is a whole number, not {value!r}") from None
    if not low <= number <= high:
        raise ParameterError(f"{name} = {number} must lie in [{low}, {high}]")
    return number


def moduli_of(name: str, values: Sequence[int]) -> list[int]:
    """Whole numbers from 2, ParameterError for what is none."""
    try:
        items = list(values)
    except TypeError:
        raise ParameterError(f"{name} is a sequence of whole numbers, not {values!r}") from None
    return [count(f"{name}[{i}]", value, 2) for i, value in enumerate(items)]


def text(name: str, value: object) -> str:
    """A name, ParameterError for what is none."""
    if not isinstance(value, str):
        raise ParameterError(f"{name} is a name, not {value!r}")
    return value


def real(name: str, value: object) -> float:
    """A real number, ParameterError for what is none."""
    if isinstance(value, (bool, complex)) or not hasattr(value, "__float__"):
        raise ParameterError(f"{name} is a real number, not {value!r}")
    return float(value)


def index_of(cyclotomic: object) -> int:
    """m of Phi_m; 0 for x^n + 1."""
    return 0 if cyclotomic is None else count("cyclotomic", cyclotomic, 1, 1 << 60)


def degree_of(degree: object, cyclotomic: object) -> int:
    """n of x^n + 1; 0 where the ring is named by m of Phi_m."""
    if degree is None and cyclotomic is None:
        raise ParameterError("neither degree, n of x^n + 1, nor cyclotomic, m of Phi_m, was given; say one of them")
    return 0 if degree is None else count("degree", degree, 0)


def find_primes(
    degree: int | None, bits: Sequence[int], avoid: Sequence[int] = (), *, cyclotomic: int | None = None
) -> list[int]:
    """Distinct primes with a transform in a ring: of each bit length the largest not taken, nor in ``avoid``.

    Args:
        degree: n of x^n + 1, a power of two; None with ``cyclotomic``.
        bits: bit lengths, each in [2, 61].
        avoid: numbers that must not be among them, such as plaintext moduli.
        cyclotomic: m of Phi_m.

    Raises:
        ParameterError: there are too few primes of a length.

    Example:
        >>> find_primes(1024, [30, 30, 17])
        [1073707009, 1073698817, 120833]
    """
    ring = (
        _core.negacyclic_ring(count("degree", degree, 1, 1 << 17))
        if cyclotomic is None
        else _core.cyclotomic_ring(index_of(cyclotomic))
    )
    step = ring.transform_step
    primes: list[int] = []
    for length in bits:
        taken = [*map(int, avoid), *primes]
        primes += _core.primes_congruent_to_one(count("bits", length, 2, 61), step, 1, taken)
    return primes
