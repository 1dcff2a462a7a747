# SPDX-License-Identifier: Apache-2.0
"""What `cyclotome eval` computes with quantities: exactly, with NumPy's shapes.

Sums bring both sides to one scale, products multiply scales, division by a public number only changes the scale.
Nothing is ever rounded, and no ciphertext is ever divided.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

from cyclotome.cli.numbers import labels
from cyclotome.cli.numbers.labels import Shape
from cyclotome.cli.numbers.quantity import (
    MAX_EXPONENT,
    MAX_PLAIN_BITS,
    MAX_PLAIN_PRODUCTS,
    Quantity,
    plain_bits,
    require_room,
)
from cyclotome.errors import ArgumentError, RangeError
from cyclotome.numbers import scales
from cyclotome.numbers.shapes import broadcast_shape


def _elementwise(what: str, a: Quantity, b: Quantity, scale: Fraction, function: Callable[[], Any]) -> Quantity:
    """The result of a function of a's and b's values, with its labels; shapes are checked before it is called."""
    shape = broadcast_shape(what, a.shape, b.shape)
    if not (a.encrypted or b.encrypted):
        require_room(shape)
    names = labels.elementwise(a.labels, a.shape, b.labels, b.shape, shape)
    return Quantity(function(), scale).labelled(names)


def _times(a: Quantity, factor: int) -> Quantity:
    """``factor`` times the numbers; 1 costs nothing."""
    return a if factor == 1 else replace(a, values=a.values * factor)


def _at_scale(a: Quantity, scale: Fraction) -> Quantity:
    """The same numbers at a scale that is an integer multiple of theirs."""
    return replace(_times(a, int(scale / a.scale)), scale=scale)


def at_one_scale(a: Quantity, b: Quantity) -> tuple[Quantity, Quantity]:
    """Both at the smallest scale that is an integer multiple of each one's."""
    scale = scales.common(a.scale, b.scale)
    return _at_scale(a, scale), _at_scale(b, scale)


def add(a: Quantity, b: Quantity, sign: int = 1) -> Quantity:
    """a + b, or a - b with sign = -1."""
    left, right = at_one_scale(a, b)
    scale = left.scale
    if sign > 0:
        return _elementwise("+", left, right, scale, lambda: left.values + right.values)
    return _elementwise("-", left, right, scale, lambda: left.values - right.values)


def multiply(a: Quantity, b: Quantity) -> Quantity:
    """Product, element by element."""
    return _elementwise("*", a, b, a.scale * b.scale, lambda: a.values * b.values)


def negative(a: Quantity) -> Quantity:
    """-a."""
    return replace(a, values=-a.values)


def divide(a: Quantity, b: Quantity) -> Quantity:
    """a / b for a single public number b: only the scale and the sign change."""
    if not isinstance(b.values, int):
        raise ArgumentError(
            "division is by single public numbers only: decrypt and divide then, or let the client send the quotient"
        )
    if b.values == 0:
        raise ArgumentError("division by zero")
    reciprocal = Fraction(b.scale) / b.values
    factor, scale = reciprocal.numerator, a.scale * reciprocal.denominator
    shared = math.gcd(abs(factor), scale.numerator)  # x / 0.5 of scale 10 is x of scale 5
    return replace(_times(a, factor // shared), scale=scale / shared)


def power(a: Quantity, exponent: int) -> Quantity:
    """a to a power in [1, MAX_EXPONENT]."""
    if not 1 <= exponent <= MAX_EXPONENT:
        raise ArgumentError(f"an exponent must be an integer in [1, {MAX_EXPONENT}]")
    bits = max(a.scale.numerator.bit_length(), a.scale.denominator.bit_length())
    bits = bits if a.encrypted else max(bits, plain_bits(a.values))
    if (bits - 1) * exponent >= MAX_PLAIN_BITS:  # before it is computed
        raise RangeError(f"a power of {bits} bits to the {exponent} has more than {MAX_PLAIN_BITS} bits, the limit")
    return replace(a, values=a.values**exponent, scale=a.scale**exponent)


def matmul(a: Quantity, b: Quantity) -> Quantity:
    """Matrix product, by numpy's rules."""
    shape = _product_shape(a.shape, b.shape)
    if not (a.encrypted or b.encrypted):
        require_room(shape)
        require_room((*shape, a.shape[-1]), MAX_PLAIN_PRODUCTS)
    names = labels.matmul(a.labels, a.shape, b.labels, b.shape, shape)
    return Quantity(a.values @ b.values, a.scale * b.scale).labelled(names)


def _product_shape(a: Shape, b: Shape) -> Shape:
    if not a or not b:
        raise ArgumentError("@ takes arrays on both sides; use * for a single number")
    if a[-1] != b[-2 if len(b) > 1 else -1]:
        raise ArgumentError(f"@: shapes {a} and {b} do not fit: {a[-1]} columns meet other rows")
    outer = broadcast_shape("@", a[:-2], b[:-2])
    return (*outer, *a[-2:-1], *(b[-1:] if len(b) > 1 else ()))


def _place(what: str, shape: Shape, axis: int | None) -> int | None:
    """An axis counted from the front; None for all."""
    if not shape:
        raise ArgumentError(f"{what} takes an array, not a single number")
    if axis is None:
        return None
    if not -len(shape) <= axis < len(shape):
        raise ArgumentError(f"{what}: there is no such axis of an array with {len(shape)} axes")
    return axis % len(shape)


def total(a: Quantity, axis: int | None) -> Quantity:
    """Sum over one axis, or over everything."""
    place = _place("sum", a.shape, axis)
    return Quantity(a.values.sum(axis=place), a.scale).labelled(labels.reduced(a.labels, a.shape, place))


def _count(shape: Shape, axis: int | None) -> int:
    """How many numbers a sum over an axis, from the front, adds up for each result."""
    return math.prod(shape) if axis is None else shape[axis]


def mean(a: Quantity, axis: int | None) -> Quantity:
    """The mean over one axis, or everything: the sum, with the count in the scale."""
    place = _place("mean", a.shape, axis)
    return divide(total(a, place), Quantity(_count(a.shape, place)))


def covariance(a: Quantity, b: Quantity, axis: int | None) -> Quantity:
    """The population covariance (n sum(a b) - sum(a) sum(b)) / n^2 of a and b, broadcast to one shape; one ciphertext
    product deep."""
    shape = broadcast_shape("cov", a.shape, b.shape)
    place = _place("cov", shape, axis)
    product = total(multiply(a, b), place)
    n = _count(shape, place)
    left = _broadcast_total(a, shape, place)
    right = left if b is a else _broadcast_total(b, shape, place)
    difference = add(_times(product.labelled(labels.NONE), n), multiply(left, right), sign=-1)
    return divide(difference, Quantity(n * n)).labelled(product.labels)


def _broadcast_total(a: Quantity, shape: Shape, place: int | None) -> Quantity:
    """The sum over an axis of ``shape``, counted from its front, of a broadcast to it: what broadcasting repeats is
    counted as often as it repeats it. Without labels."""
    bare = a.labelled(labels.NONE)
    if place is None:
        summed = total(bare, None) if bare.shape else bare
        return _times(summed, math.prod(shape) // math.prod(a.shape))
    own = place - len(shape) + len(a.shape)  # the same axis, counted from a's front
    if own < 0:
        return _times(bare, shape[place])
    return _times(total(bare, own), shape[place] // a.shape[own])


def refreshed(a: Quantity) -> Quantity:
    """The same numbers with fresh noise."""
    if not a.encrypted:
        raise ArgumentError("refresh() takes an encrypted array; numbers in the clear have no noise")
    return replace(a, values=a.values.refreshed())
