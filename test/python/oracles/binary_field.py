# SPDX-License-Identifier: Apache-2.0
"""GF(2^r) on Python integers, and slots of polynomials modulo 2 and Phi_m by their definition: values at powers of a
root of unity."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Field:
    """F_2[y]/(polynomial), bit i the coefficient of y^i."""

    polynomial: int

    @property
    def degree(self) -> int:
        return self.polynomial.bit_length() - 1

    def multiply(self, a: int, b: int) -> int:
        product = 0
        while b:
            if b & 1:
                product ^= a
            b >>= 1
            a <<= 1
            if a >> self.degree & 1:
                a ^= self.polynomial
        return product

    def power(self, a: int, exponent: int) -> int:
        result = 1
        while exponent:
            if exponent & 1:
                result = self.multiply(result, a)
            a = self.multiply(a, a)
            exponent >>= 1
        return result

    def trace(self, a: int) -> int:
        total = 0
        for _ in range(self.degree):
            total ^= a
            a = self.multiply(a, a)
        return total


def order(element: int, m: int) -> int:
    """Of a unit modulo m."""
    power, count = element % m, 1
    while power != 1:
        power, count = power * element % m, count + 1
    return count


class Slots:
    """Values of polynomials modulo 2 at the roots that ``dimensions``, generators and lengths, number."""

    def __init__(self, m: int, polynomial: int, dimensions: Sequence[tuple[int, int]]) -> None:
        self.m, self.field = m, Field(polynomial)
        root = self.field.power(2, ((1 << self.field.degree) - 1) // m)
        self.powers = [1]
        for _ in range(m - 1):
            self.powers.append(self.field.multiply(self.powers[-1], root))
        self.units = []
        for exponents in itertools.product(*(range(length) for _, length in dimensions)):
            unit = 1
            for (generator, _), exponent in zip(dimensions, exponents, strict=True):
                unit = unit * pow(generator, exponent, m) % m
            self.units.append(unit)

    def values(self, coefficients: Mapping[int, int]) -> list[int]:
        """Of the sum of coefficients[j] x^j."""
        ones = [j for j, bit in coefficients.items() if bit % 2]
        result = []
        for unit in self.units:
            value = 0
            for j in ones:
                value ^= self.powers[unit * j % self.m]
            result.append(value)
        return result
