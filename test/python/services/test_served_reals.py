# SPDX-License-Identifier: Apache-2.0
"""Real numbers served and mapped: what a server or a process computes is what this one would, with the same errors."""

from __future__ import annotations

from typing import Any

import cyclotome as cy
import mapped_jobs
import numpy as np
import pytest
import session_jobs
from cyclotome import errors
from small import HOME

PARAMETERS = cy.Parameters.from_scale_bits(
    degree=256, scale_bits=40, depth=3, result_bound=64, security=0, allow_insecure=True
)


@pytest.fixture(scope="module")
def party() -> cy.Keys:
    return cy.keygen(PARAMETERS, device=HOME)


def test_a_server_computes_with_real_numbers(party: cy.Keys, rng: np.random.Generator) -> None:
    a, b = rng.uniform(-1, 1, (2, 20))
    with cy.Server(session_jobs.FUNCTIONS, parameters=PARAMETERS, allow_insecure=True) as server:
        client = cy.Client(server, party)
        assert np.abs(client.call("product", a, b) - a * b).max() < 1e-6
        found = client.call("several", a, b, bound=1)
        assert np.abs(found[0] - (a + b)).max() < 1e-6 and np.abs(found[1] - (a - b)).max() < 1e-6
        x: Any = cy.encrypt(a, party.public)
        assert np.abs(client.call("product", x, b) - a * b).max() < 1e-6
        with pytest.raises(errors.RangeError):
            client.call("product", [2.0], [1.0])
        exact = cy.keygen(cy.Parameters.suggest(depth=1, value_bits=7), rotations=[])
        with pytest.raises(errors.MismatchError):
            client.request(cy.encrypt([1], exact.public))


def test_processes_compute_with_real_numbers(party: cy.Keys, rng: np.random.Generator) -> None:
    values = rng.uniform(-1, 1, (3, 20))
    batches: list[Any] = [cy.encrypt(row, party.public) for row in values]
    found: list[Any] = cy.map(mapped_jobs.squares, batches, workers=1)
    for row, batch, result in zip(values, batches, found, strict=True):
        here = mapped_jobs.squares(batch)
        assert isinstance(result, cy.RealArray) and result.error == here.error and result.bound == here.bound
        assert abs(cy.decrypt(result, party.secret) - (row * row).sum()) <= result.error.max
        assert abs(cy.decrypt(result * 0.5, party.secret) - (row * row).sum() / 2) <= 1e-6  # it knows its keys
