# SPDX-License-Identifier: Apache-2.0
"""Products without end: programs of products and refreshes, beside integers modulo p; keys for other moduli."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import Any

import cyclotome as cy
import numpy as np
from cyclotome.errors import NoiseError
from hypothesis import strategies as st
from small import HOME

from .recording import api

Draw = Callable[[st.SearchStrategy[Any]], Any]


@cache
def _keys(degree: int) -> cy.Keys:
    parameters = api.Parameters.bootstrappable(degree=degree, allow_insecure=True, value_bits=3)
    return api.keygen(parameters, rotations=[1], bootstrap=True, device=HOME)


def refreshes(draw: Draw) -> None:
    """Any order of products, sums and refreshes is exact or refused; who refreshes in time is never refused."""
    keys = _keys(draw(st.sampled_from([256, 512])))
    facts, p = keys.evaluation.refreshing, keys.secret.parameters.plain_moduli[0]
    assert keys.evaluation.refreshes and facts.weight == 32 and facts.products == 12
    assert facts.headroom_after > facts.headroom_needed > 0
    rows = draw(st.integers(1, 2))
    values = np.array(draw(st.lists(st.integers(0, p - 1), min_size=rows * 5, max_size=rows * 5))).reshape(rows, 5)
    x = api.encrypt(values, keys.public, wrap=True)
    for step in draw(st.lists(st.sampled_from(["product", "sum", "refresh"]), max_size=14)):
        if step == "refresh":
            x = x.refreshed()
        elif step == "sum":
            x, values = x + 3 * x, 4 * values % p
        else:
            with suppress(NoiseError):
                y = x * x
                if y.noise_headroom >= facts.headroom_needed:
                    x, values = y, values * values % p
    np.testing.assert_array_equal(api.decrypt(x, keys.secret) % p, values)


def other_moduli(draw: Draw) -> None:
    """Keys of one secret serve every plaintext modulus of a lattice."""
    keys = _keys(256)
    own = keys.secret.parameters
    t = draw(st.sampled_from([7681, 12289, 2**20, 7]))
    other = api.Parameters(
        degree=256,
        plain_moduli=[t],
        moduli=own.moduli,
        special_moduli=own.special_moduli,
        security=0,
        allow_insecure=True,
    )
    assert other.lattice_fingerprint == own.lattice_fingerprint and other != own
    public = keys.public.for_parameters(parameters=other)
    evaluation = keys.evaluation.for_parameters(parameters=other)
    secret = keys.secret.for_parameters(parameters=other)
    values = draw(st.lists(st.integers(-1, 1), min_size=1, max_size=9))
    x = api.encrypt(values, public, bound=1).with_keys(evaluation)
    assert api.decrypt(x + x, secret).tolist() == [2 * value for value in values]


SCENARIOS = (refreshes, other_moduli)
