# SPDX-License-Identifier: Apache-2.0
"""The scheme BGV (Brakerski, Gentry and Vaikuntanathan 2012) with RNS arithmetic: exact integers, levels that fall."""

from __future__ import annotations

from typing import Any

from .parameters import parameters
from .parameters.parameters import find_primes

__all__ = ["Parameters", "find_primes"]


def Parameters(**options: Any) -> parameters.Parameters:
    """`cyclotome.Parameters` with ``scheme="bgv"``; the same arguments and errors.

    Example:
        >>> import cyclotome as cy
        >>> p = cy.bgv.Parameters(degree=4096, plain_moduli=[40961], moduli=cy.bgv.find_primes(4096, [34, 34]),
        ...                       special_moduli=cy.bgv.find_primes(4096, [35]))
        >>> p.scheme
        'bgv'
    """
    return parameters.of_scheme("bgv", options)
