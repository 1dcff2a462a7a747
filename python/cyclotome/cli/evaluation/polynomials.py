# SPDX-License-Identifier: Apache-2.0
"""What `cyclotome eval` computes with polynomials: encrypted quantities in coefficients, along the last axis. A table's
columns number them; their names stay while that axis does."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import cyclotome as cy
from cyclotome.cli.numbers import labels
from cyclotome.cli.numbers.labels import Labels, Shape
from cyclotome.cli.numbers.quantity import Quantity
from cyclotome.errors import ArgumentError

_PRODUCTS: Mapping[str, Callable[..., cy.EncryptedArray]] = {
    "negacyclic": cy.polynomials.negacyclic_product,
    "convolve": cy.convolve,
}
_CONVERSIONS: Mapping[str, Callable[[Any], cy.EncryptedArray]] = {
    "trace": cy.EncryptedArray.trace,
    "expand": cy.polynomials.expand,
    "pack": cy.polynomials.pack,
}


def _require_encrypted(function: str, *operands: Quantity) -> None:
    if not any(operand.encrypted for operand in operands):
        raise ArgumentError(f"{function}() takes an encrypted array; compute with plain ones before")


def _outer(a: Quantity) -> Labels:
    """Names, but for those of coefficients."""
    return labels.NONE if a.labels.axis == -1 else a.labels


def _beside(shape: Shape, length: int) -> Shape:
    """The shape with another last axis."""
    return (*shape[:-1], length)


def product(function: str, a: Quantity, b: Quantity, relinearize: bool) -> Quantity:
    """The product of polynomials, whose scales multiply."""
    _require_encrypted(function, a, b)
    result = _PRODUCTS[function](a.values, b.values, relinearize=relinearize)
    length = result.shape[-1]
    names = labels.elementwise(
        _outer(a), _beside(a.shape, length), _outer(b), _beside(b.shape, length), tuple(result.shape)
    )
    return Quantity(result, a.scale * b.scale).labelled(names)


def automorphism(a: Quantity, element: int) -> Quantity:
    """a(x^element)."""
    _require_encrypted("turn", a)
    return Quantity(a.values.automorphism(element), a.scale).labelled(_outer(a))


def converted(function: str, a: Quantity) -> Quantity:
    """Traces, expansions and packing, some of which take the last axis but one, or the last, away."""
    _require_encrypted(function, a)
    result = _CONVERSIONS[function](a.values)
    names = a.labels
    if len(result.shape) < len(a.shape):
        gone = len(a.shape) - (1 if function == "trace" else 2)
        names = labels.reduced(a.labels, a.shape, gone)
    return Quantity(result, a.scale).labelled(names)
