# SPDX-License-Identifier: Apache-2.0
"""Quotients and remainders by public numbers are Python's, for every value that the bound leaves, or a refusal."""

from __future__ import annotations

import functools
from typing import Any

import cyclotome as cy
import numpy as np
import pytest
from cyclotome.errors import ArgumentError, RangeError, UnsupportedError
from small import HOME


@functools.cache
def keys(scheme: str, value_bits: int = 8) -> cy.Keys:
    parameters = cy.Parameters.suggest(depth=9, value_bits=value_bits, result_bits=16, scheme=scheme, terms=1)
    return cy.keygen(parameters, rotations=[], device=HOME)


@pytest.mark.parametrize("scheme", ["bfv", "bgv"])
@pytest.mark.parametrize("divisor", [1, 2, 7, -3, 255, 256, 1000, -1000])
def test_all_values_of_eight_bits(scheme: str, divisor: int) -> None:
    values = np.arange(-100, 156)
    party = keys(scheme)
    x = cy.encrypt(values, party.public, bound=(-100, 155))
    quotient, rest = divmod(x, divisor)
    np.testing.assert_array_equal(cy.decrypt(quotient, party.secret), values // divisor)
    np.testing.assert_array_equal(cy.decrypt(rest, party.secret), values % divisor)
    # The bounds are those of the values that there may be.
    assert quotient.interval == ((values // divisor).min(), (values // divisor).max())
    assert rest.interval[0] <= (values % divisor).min() and rest.interval[1] >= (values % divisor).max()
    assert max(map(abs, rest.interval)) < max(abs(divisor), 156)


def test_random_bounds_layouts_and_divisors(rng: np.random.Generator) -> None:
    party = keys("bfv")
    for layout in ("packed", "replicated"):
        low, high = sorted(int(v) for v in rng.integers(-200, 200, 2))
        divisor = int(rng.choice([-9, -2, 3, 5, 50]))
        values = rng.integers(low, high + 1, (2, 3))
        x = cy.encrypt(values, party.public, bound=(low, high), layout=layout)
        np.testing.assert_array_equal(cy.decrypt(x // divisor, party.secret), values // divisor)
        np.testing.assert_array_equal(cy.decrypt(x % divisor, party.secret), values % divisor)


def test_digits_of_a_number_one_after_the_other(rng: np.random.Generator) -> None:
    """Bounds shrink with quotients, so that a loop ends by itself; refreshed on its way."""
    parameters = cy.Parameters.bootstrappable(256, allow_insecure=True)
    party = cy.keygen(parameters, bootstrap=True, rotations=[], device=HOME)
    values = rng.integers(0, 1000, 256)
    x = cy.encrypt(values, party.public, bound=(0, 999))
    digits: list[Any] = []
    with cy.bootstrap("auto"):
        while x.interval != (0, 0) and len(digits) < 9:
            x, digit = divmod(x, 10)
            digits.append(digit)
    assert len(digits) == 3
    found = sum(10**i * cy.decrypt(digit, party.secret) for i, digit in enumerate(digits))
    np.testing.assert_array_equal(found, values)


def test_what_is_no_division_is_refused() -> None:
    party = keys("bfv")
    x = cy.encrypt([1, 2], party.public, bound=9)
    for divisor in (0, np.int64(0)):
        with pytest.raises(ArgumentError, match="division by 0"):
            x // divisor
    for divisor in (x, 2.0, "3", None):
        with pytest.raises(UnsupportedError, match="public"):
            x % divisor
    with pytest.raises(RangeError, match="no bound"):
        cy.encrypt([1, 2], party.public, wrap=True) // 3
    with pytest.raises(RangeError, match="16384"):
        divmod(cy.encrypt([1, 2], party.public, bound=20000), 3)
    with pytest.raises(UnsupportedError):
        7 // x  # type: ignore[operator]
