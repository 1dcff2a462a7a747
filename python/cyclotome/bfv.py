# SPDX-License-Identifier: Apache-2.0
"""The scheme BFV (Brakerski 2012; Fan and Vercauteren 2012) with RNS arithmetic after BEHZ: exact integers."""

from __future__ import annotations

from typing import Any

from . import parameters
from .parameters import find_primes

__all__ = ["Parameters", "find_primes"]


def Parameters(**options: Any) -> parameters.Parameters:
    """`cyclotome.Parameters` with ``scheme="bfv"``; the same arguments and errors.

    Example:
        >>> import cyclotome as cy
        >>> p = cy.bfv.Parameters(degree=4096, plain_moduli=[40961], moduli=cy.bfv.find_primes(4096, [34, 34]),
        ...                       special_moduli=cy.bfv.find_primes(4096, [35]))
        >>> p.scheme
        'bfv'
    """
    return parameters.of_scheme("bfv", options)
