# SPDX-License-Identifier: Apache-2.0
"""The function in the clear: what it is of public facts, of what degree, and what its results are."""

from __future__ import annotations

import math
import secrets
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..errors import ArgumentError
from ..numbers.values import IntArray, integers
from ..parameters.parameters import Parameters
from ..planning.dry_runs import DryRun, Operand
from .lines import drawn, objects
from .receipts import Receipt

__all__ = ["function_values", "planned", "require_degree"]


def planned(
    compute: Callable[..., Any], receipts: Sequence[Receipt], parameters: Parameters, degree: int
) -> tuple[tuple[int, ...], tuple[int, int]]:
    """The result's shape, and the least and the largest value there may be, by the library's own rules: of a run on an
    engine that only keeps account.

    Raises:
        ArgumentError: the function gives more than one array, or may be of a higher degree: each product of encrypted
            values at most adds up degrees, so that d of them one after the other make at most 2^d.
        RangeError, NoiseError, ...: whatever the function itself raises.
    """
    if not receipts:
        raise ArgumentError("IntegrityKey.decrypt: no receipts; there is one for each argument of the function")
    dry = DryRun(parameters)
    _, results = dry.run(compute, [Operand(each.shape, bound=each.bound) for each in receipts])
    if len(results) != 1:
        raise ArgumentError(f"IntegrityKey.decrypt: the function returns {len(results)} arrays; one can be checked")
    depth = dry.engine.depth
    if 2**depth > degree:
        raise ArgumentError(
            f"IntegrityKey.decrypt: the function has {depth} products of encrypted values one after the other, so that "
            f"its degree may be {2**depth}, and the key is for {degree}; make one with degree={2**depth} and encrypt "
            "with it"
        )
    (result,) = results
    assert result.interval is not None
    return result.shape, result.interval


def function_values(
    function: Callable[..., Any], arguments: Sequence[IntArray], shape: tuple[int, ...] | None, modulus: int
) -> IntArray:
    """What a function gives of arrays of Python integers, modulo T.

    Raises:
        ArgumentError: it can't be computed of these, or gives another shape than of encrypted arrays.
    """
    try:
        computed = integers(function(*(each.copy() for each in arguments)), "the function")
    except Exception as error:
        raise ArgumentError(
            f"IntegrityKey.decrypt: of arrays of Python integers the function raises {type(error).__name__}: {error}; "
            "say with clear= what it is of these"
        ) from error
    if shape is not None and computed.shape != shape:
        raise ArgumentError(
            f"IntegrityKey.decrypt: of integers the function gives the shape {computed.shape}, of encrypted arrays "
            f"{shape}; say with clear= what it is of integers"
        )
    reduced: IntArray = np.asarray(objects(computed) % modulus, dtype=object)
    return reduced


def require_degree(function: Callable[..., Any], shapes: Sequence[tuple[int, ...]], degree: int, modulus: int) -> None:
    """Along a random line the differences of order degree + 1 are zero, as those of a polynomial are.

    Raises:
        ArgumentError: they aren't, so that honest results would be refused: the function is of a higher degree, or no
            polynomial.
    """
    seed = secrets.token_bytes(32)

    def argument(number: int, z: int) -> IntArray:
        start, slope = (
            drawn(seed, part + number.to_bytes(4, "little"), shapes[number], modulus) for part in (b"start", b"slope")
        )
        moved: IntArray = np.asarray((start + z * slope) % modulus, dtype=object)
        return moved

    order = degree + 1
    total: Any = 0
    for z in range(order + 1):
        along = function_values(function, [argument(number, z) for number in range(len(shapes))], None, modulus)
        total = total + (-1) ** z * math.comb(order, z) * along
    if np.any(total % modulus):
        raise ArgumentError(
            f"IntegrityKey.decrypt: of arrays of integers the function is no polynomial of degree {degree} at most; "
            "comparisons, divisions and tables can't be checked so"
        )
