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


def by_itself(draw: Draw) -> None:
    """Programs longer than any headroom, and what a plan says of them."""
    keys = _keys(256)
    p = keys.secret.parameters.plain_moduli[0]
    values = np.array(draw(st.lists(st.integers(0, p - 1), min_size=3, max_size=3)), dtype=object)
    steps = draw(st.lists(st.sampled_from(["square", "other", "sum"]), min_size=20, max_size=40))

    def compute(x: Any, y: Any) -> Any:
        for step in steps:
            x = x * x if step == "square" else x * y if step == "other" else x + y
        return x

    x, y = api.encrypt(values, keys.public, wrap=True), api.encrypt(values[::-1], keys.public, wrap=True)
    with api.bootstrap(when="auto"):
        with api.bootstrap(when="never"), suppress(NoiseError):
            compute(x, y)
        plan = api.plan(compute, inputs=[x, y])
        found = compute(x, y)
    right = values
    for step in steps:
        right = (
            right * right if step == "square" else right * values[::-1] if step == "other" else right + values[::-1]
        ) % p
    np.testing.assert_array_equal(api.decrypt(found, keys.secret) % p, right)
    assert plan.keygen()["bootstrap"] == bool(plan.refreshes)
    assert found.noise_headroom == plan.noise_headroom


def suggested_without_end(draw: Draw) -> None:
    """Secure parameters that refresh carry a loop as far as their plan says."""
    bound = draw(st.sampled_from([1, 9, 150]))
    rounds = draw(st.integers(1, 3))

    def compute(x: Any) -> Any:
        for _ in range(rounds):
            x = (x * x).assume_bound(bound)
        return x

    parameters = api.suggest(compute=compute, inputs=[api.Operand((3,), bound=bound)], depth="unlimited")
    assert not parameters.insecure and parameters.plain_product > 2 * bound
    with api.bootstrap("auto"):
        plan = api.plan(compute, parameters, [api.Operand((3,), bound=bound)])
    assert plan.depth == rounds and plan.noise_headroom > 0 and not plan.refreshes, plan


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


SCENARIOS = (refreshes, by_itself, suggested_without_end, other_moduli)
