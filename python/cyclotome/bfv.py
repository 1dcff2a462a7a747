# SPDX-License-Identifier: Apache-2.0
"""The scheme BFV (Brakerski 2012; Fan and Vercauteren 2012) with RNS arithmetic after BEHZ: exact integers."""

from __future__ import annotations

from typing import Any

from . import _core
from .arrays.array import EncryptedArray
from .errors import ArgumentError, UnsupportedError
from .options import product_method
from .parameters import parameters
from .parameters.parameters import find_primes
from .polynomials import negacyclic_product as _negacyclic_product

__all__ = ["METHODS", "Parameters", "find_primes", "multiply", "negacyclic_product", "product_method"]

#: Ways to multiply: "behz" (Bajard, Eynard, Hasan and Zucca 2016; Algorithm 3 of paper 000), "hps" (Halevi, Polyakov
#: and Shoup over Q), "hps-leveled" (the same in as few primes as the operands' noise allows: what ``x * y`` does).
METHODS: tuple[str, ...] = tuple(_core.bfv_product_methods())


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


def multiply(x: EncryptedArray, y: EncryptedArray, *, method: str = "hps-leveled") -> EncryptedArray:
    """``x * y`` of encrypted arrays by one of `METHODS`. All give the same values, with noise that differs by about a
    bit; within ``with cy.bfv.product_method(method):`` every product is computed so, those in ``@`` and ``**`` too.

    Raises:
        ArgumentError: no such method.
        UnsupportedError: an operand that is not encrypted, or not in BFV.
        Exception: what ``x * y`` raises.

    Example:
        >>> import cyclotome as cy
        >>> secret, public, _ = cy.keygen(cy.Parameters.suggest(depth=1, value_bits=4))
        >>> x = cy.encrypt([1, 2, 3], public)
        >>> cy.decrypt(cy.bfv.multiply(x, x, method="behz"), secret)
        array([1, 4, 9])
    """
    _require("multiply", method, x, y)
    with product_method(method):
        return x * y


def negacyclic_product(
    x: EncryptedArray, y: EncryptedArray, *, method: str = "hps-leveled", relinearize: bool = True
) -> EncryptedArray:
    """`cyclotome.polynomials.negacyclic_product` of encrypted polynomials by one of `METHODS`; errors as `multiply`."""
    _require("negacyclic_product", method, x, y)
    with product_method(method):
        return _negacyclic_product(x, y, relinearize=relinearize)


def _require(operation: str, method: str, *operands: object) -> None:
    if method not in METHODS:
        raise ArgumentError(f"{operation}: method {method!r}; there are {', '.join(METHODS)}")
    for x in operands:
        if not isinstance(x, EncryptedArray) or x.parameters.scheme != "bfv":
            what = f"one in {x.parameters.scheme}" if isinstance(x, EncryptedArray) else type(x).__name__
            raise UnsupportedError(f"bfv.{operation} takes encrypted arrays in BFV, not {what}")
