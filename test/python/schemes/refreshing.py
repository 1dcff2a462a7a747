# SPDX-License-Identifier: Apache-2.0
"""Keys that refresh at a small degree, their sparse secret, and the exact errors of each step in Python integers."""

from __future__ import annotations

import functools
import math
from typing import Any

import cyclotome as cy
import numpy as np
from cyclotome._core import testing
from cyclotome._core.testing import rlwe
from exact_noise import norms_of_rows
from numpy.typing import NDArray
from oracles.integers import Integers, centred, compose

#: What a measurement in doubles is off by, in bits.
TOLERANCE = 1e-9


class Refresher:
    """One owner's keys, and the tables and steps of a refresh, on contexts modulo p and modulo p^2."""

    def __init__(self, degree: int = 256, seed: bytes | None = None, engine: Any = None) -> None:
        self.parameters = cy.Parameters.bootstrappable(degree, allow_insecure=True)
        self.keys = cy.keygen(self.parameters, bootstrap=True)
        self.n, self.p = degree, self.parameters.plain_moduli[0]
        self.moduli = list(self.parameters.moduli)
        self.native = self.keys.evaluation.native
        self.seed = seed
        if seed is not None:  # so that the sparse secret is known
            self.native = testing.bfv.with_encapsulation(self.native, self.keys.secret.native, testing.Seed(seed))
        self.evaluation = cy.EvaluationKeys(self.parameters, self.keys.evaluation.context, self.native)
        self.steps = testing.bfv.bootstrapping(self.parameters.native, self.keys.secret.context.engine)
        self.small = self.native.on_context(self.steps.context)
        self.large = self.native.on_context(self.steps.companion)
        self.secret = self.keys.secret.native.on_context(self.steps.context)
        self.squared_secret = self.keys.secret.native.on_context(self.steps.companion)

    @functools.cached_property
    def sparse(self) -> NDArray[np.int64]:
        """The sparse secret, drawn once more as it was."""
        assert self.seed is not None
        derived = testing.rlwe.derive_seed(
            testing.Seed(self.seed), self.parameters.native, 21, 0, bytes.fromhex(self.keys.secret.key_id), 0, 0
        )
        return np.array(testing.bfv.draw_sparse_secret(self.n, 32, derived))

    def encrypted(self, values: Any) -> cy.EncryptedArray:
        return cy.encrypt(values, self.keys.public, wrap=True).with_keys(self.evaluation)

    def on_small(self, x: cy.EncryptedArray) -> Any:
        """An array's ciphertext on the steps' own context, which has the same parameters."""
        (channel,) = x.native.channels
        return channel.to(self.steps.context)

    def measured(self, ciphertext: Any, squared: bool) -> tuple[NDArray[np.float64], Integers]:
        """The largest norms of all items' errors, and the messages modulo t, by item."""
        secret, t = (self.squared_secret, self.p**2) if squared else (self.secret, self.p)
        moduli = self.moduli[: ciphertext.limbs]
        q = math.prod(moduli)
        phases = compose(rlwe.phase(secret, ciphertext), moduli)[:, 0] * t
        errors = centred(phases, q)
        return norms_of_rows(errors, t).max(axis=0), ((phases - errors) // q) % t


def negacyclic(a: Any, b: Any) -> Integers:
    """The product of two polynomials modulo x^n + 1, in integers; b has few coefficients that are not 0."""
    n, out = len(a), np.zeros(len(a), dtype=object)
    doubled = np.concatenate([-np.asarray(a, dtype=object), np.asarray(a, dtype=object)])
    for place in np.flatnonzero(b):
        out += int(b[place]) * doubled[n - place : 2 * n - place]
    return out
