# SPDX-License-Identifier: Apache-2.0
"""Real numbers for others to see: as right as was asked for, counted, refused by public numbers alone."""

from __future__ import annotations

import math
from typing import Any

import cyclotome as cy
import numpy as np
import pytest
from cyclotome import _core, errors
from real_party import encrypted, parameters
from small import HOME


@pytest.fixture(scope="module")
def party() -> cy.Keys:
    return cy.keygen(parameters(degree=256, scale_bits=50, depth=2), device=HOME)


def test_revealed_numbers_are_as_right_as_was_asked_for(party: cy.Keys, rng: np.random.Generator) -> None:
    a = rng.uniform(-1, 1, (3, 100))
    x = encrypted(a, party)
    for made, expected in ((x, a), (x * x, a * a), (x.sum(1), a.sum(1)), (x[1].sum(), a[1].sum())):
        for precision in (1e-3, 0.25):
            given: Any = cy.reveal(made, party.secret, precision=precision, flooding_bits=8)
            assert np.shape(given) == np.shape(expected) and isinstance(given, (np.ndarray, float))
            found = float(np.abs(given - expected).max())
            assert found <= precision
            if np.size(expected) > 50:
                assert found > precision / 200  # flooded as far as that leaves
    turned: Any = cy.reveal(encrypted(a * 1j, party), party.secret, precision=1e-3, flooding_bits=8)
    assert np.abs(turned - a * 1j).max() <= 1e-3


def test_what_there_is_to_flood_with_is_told(party: cy.Keys, rng: np.random.Generator) -> None:
    x = encrypted(rng.uniform(-1, 1, 8), party)
    most = max(bits for bits in range(1, 129) if _core.revealed_error(x.native, bits) <= 1e-3)
    cy.reveal(x, party.secret, precision=1e-3, flooding_bits=most)
    with pytest.raises(errors.NoiseError, match=f"there are {most} bits"):
        cy.reveal(x, party.secret, precision=1e-3, flooding_bits=most + 1)
    with pytest.raises(errors.NoiseError, match="64 bits of flooding"):
        cy.reveal(x, party.secret, precision=1e-3)
    with pytest.raises(errors.NoiseError):
        cy.reveal(x, party.secret, precision=x.error.max / 2, flooding_bits=1)
    # Several ciphertexts in one call share what is promised.
    wide = encrypted(rng.uniform(-1, 1, (4, 8)), party)
    assert _core.revealed_error(wide.native, most - 2) == _core.revealed_error(x.native, most)
    with pytest.raises(errors.NoiseError):
        cy.reveal(wide, party.secret, precision=1e-3, flooding_bits=most)


def test_what_is_no_precision_is_refused(party: cy.Keys) -> None:
    x = encrypted([0.5], party)
    for precision in (0.0, -1.0, math.nan, math.inf, "a", True):
        with pytest.raises(errors.ArgumentError):
            cy.reveal(x, party.secret, precision=precision, flooding_bits=4)  # type: ignore[arg-type]
    for bits in (0, 129, -1):
        with pytest.raises(errors.ArgumentError):
            cy.reveal(x, party.secret, precision=0.1, flooding_bits=bits)
    with pytest.raises(errors.NoiseError, match="hold"):
        cy.reveal(x, party.secret, precision=1e6, flooding_bits=4)
    with pytest.raises(errors.UnsupportedError):
        cy.reveal(x, party.public, precision=0.1, flooding_bits=4)  # type: ignore[arg-type]
    other = cy.keygen(party.public.parameters, device=HOME)
    with pytest.raises(errors.MismatchError):
        cy.reveal(x, other.secret, precision=0.1, flooding_bits=4)


def test_what_is_revealed_is_counted(rng: np.random.Generator) -> None:
    own = cy.keygen(parameters(degree=256, scale_bits=50, depth=1), reveals=5, device=HOME)
    x = encrypted(rng.uniform(-1, 1, (2, 3)), own)
    before = own.secret.reveals.spent
    with pytest.raises(errors.NoiseError):
        cy.reveal(x, own.secret, precision=1e-3, flooding_bits=100)
    assert own.secret.reveals.spent == before  # what everybody knows costs nothing
    cy.reveal(x, own.secret, precision=1e-3, flooding_bits=8)
    cy.reveal(x, own.secret, precision=1e-3, flooding_bits=8)
    assert own.secret.reveals.spent == 4
    with pytest.raises(errors.BudgetError):
        cy.reveal(x, own.secret, precision=1e-3, flooding_bits=8)
    assert own.secret.reveals.spent == 4


def test_parameters_are_suggested_for_it(rng: np.random.Generator) -> None:
    own = cy.Parameters.suggest(scheme="ckks", precision=1e-3, depth=1, flooding_bits=10)
    assert (
        own.security_reached >= 128
        and own.scales[0] > cy.Parameters.suggest(scheme="ckks", precision=1e-3, depth=1).scales[0]
    )
    party = cy.keygen(own, rotations=[])
    a = rng.uniform(-1, 1, 50)
    x = encrypted(a, party)
    given: Any = cy.reveal(x * x, party.secret, precision=1e-3, flooding_bits=10)
    assert np.abs(given - a * a).max() <= 1e-3
    with pytest.raises(errors.ParameterError, match="64 bits of flooding"):
        cy.Parameters.suggest(scheme="ckks", precision=1e-3, depth=1, flooding_bits=64)
