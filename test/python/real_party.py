# SPDX-License-Identifier: Apache-2.0
"""Small keys for tests of real numbers: insecure, so that a product takes a millisecond."""

from __future__ import annotations

from functools import cache
from typing import Any

import cyclotome as cy
import numpy as np
from numpy.typing import NDArray
from small import HOME

#: n, of which half are slots.
DEGREE = 1024

Numbers = NDArray[Any]


@cache
def parameters(
    degree: int = DEGREE, scale_bits: int = 40, depth: int = 4, bound: float = 1.0, result_bound: float = 16.0
) -> cy.Parameters:
    return cy.Parameters.from_scale_bits(
        degree=degree,
        scale_bits=scale_bits,
        depth=depth,
        bound=bound,
        result_bound=result_bound,
        security=0,
        allow_insecure=True,
    )


@cache
def keys(degree: int = DEGREE, scale_bits: int = 40, depth: int = 4) -> cy.Keys:
    """With the rotations of sums, at `HOME`."""
    return cy.keygen(parameters(degree, scale_bits, depth), device=HOME)


def encrypted(values: Any, party: cy.Keys, **options: Any) -> cy.RealArray:
    """As `cyclotome.encrypt` has it, whose type says integers."""
    array: Any = cy.encrypt(values, party.public, **options)
    assert isinstance(array, cy.RealArray)
    return array


def distances(x: cy.RealArray, expected: Any, party: cy.Keys) -> Numbers:
    """Of what ``x`` decrypts to from what it should be, which has its shape."""
    wanted = np.asarray(expected)
    decrypted: Any = cy.decrypt(x, party.secret)
    assert x.shape == wanted.shape == np.shape(decrypted), (x.shape, wanted.shape, np.shape(decrypted))
    assert isinstance(decrypted, np.ndarray if wanted.ndim else (float, complex))
    found: Numbers = np.abs(np.asarray(decrypted) - wanted)
    return found


def near(x: cy.RealArray, expected: Any, party: cy.Keys, slack: float = 0.0) -> None:
    """``x`` is ``expected`` up to the error that it states (and what doubles of ``expected`` are off by), and within
    its bound."""
    error = x.error
    assert 0 < error.max < 1
    assert distances(x, expected, party).max() <= error.max + slack
    assert np.abs(np.asarray(expected)).max() <= x.bound * (1 + 1e-12) + slack
