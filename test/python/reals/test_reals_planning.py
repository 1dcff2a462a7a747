# SPDX-License-Identifier: Apache-2.0
"""What computations with real numbers take, found by running them on an engine that only keeps account: the same
levels, bounds and errors as with ciphertexts; and parameters under which results are right to what was asked for."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import cyclotome as cy
import numpy as np
import pytest
from cyclotome import errors
from real_party import encrypted, parameters
from small import HOME

W = np.linspace(-1, 1, 15).reshape(5, 3)

COMPUTATIONS: list[tuple[Callable[..., Any], tuple[int, ...]]] = [
    (lambda x: x * x + 0.5 * x, (20,)),
    (lambda x: (x * x).mean(), (20,)),
    (lambda x: x @ W, (2, 5)),
    (lambda x: [x**4, x.roll(3)], (12,)),
    (lambda x: {"tanh": x.tanh((-1, 1), 1e-3)}, (3, 4)),
    (lambda x: x.sign(0.2, 1e-2) * x, (4,)),
]


@pytest.mark.parametrize("number", range(len(COMPUTATIONS)))
def test_a_plan_is_what_happens(number: int, rng: np.random.Generator) -> None:
    compute, shape = COMPUTATIONS[number]
    own = parameters(degree=256, depth=11)
    planned = cy.plan(compute, own, [cy.Operand(shape, bound=0.75)])
    made = cy.keygen(own, device=HOME, **planned.keygen())  # these keys are enough
    result: Any = compute(encrypted(rng.uniform(-0.75, 0.75, shape), made, bound=0.75))
    results = list(result.values()) if isinstance(result, dict) else result if isinstance(result, list) else [result]
    assert planned.shapes == tuple(x.shape for x in results)
    assert planned.level == min(x.level for x in results)
    assert planned.error == max(x.error.max for x in results)
    assert planned.result_bytes == sum(x.nbytes for x in results) and planned.seconds > 0
    assert planned.depth >= 0 and "right to ±2^-" in str(planned)
    from_arrays = cy.plan(compute, inputs=[encrypted(np.zeros(shape), cy.keygen(own, device=HOME), bound=0.75)])
    assert from_arrays.error == planned.error and from_arrays.shapes == planned.shapes


def test_plans_refuse_what_arrays_refuse() -> None:
    own = parameters(degree=256, depth=2)
    with pytest.raises(errors.NoiseError, match="no level is left"):
        cy.plan(lambda x: x**16, own, cy.Operand((3,)))
    with pytest.raises(errors.RangeError):
        cy.plan(lambda x: x * 1e6, own, cy.Operand((3,)))
    with pytest.raises(errors.ArgumentError, match="bound on magnitudes"):
        cy.plan(lambda x: x, own, cy.Operand((3,), bound=(0, 1)))


def test_suggested_parameters_make_results_as_right_as_was_asked_for(rng: np.random.Generator) -> None:
    def compute(x: Any, y: Any) -> Any:
        return (x * y).sum().tanh((-1.5, 1.5), 2e-4)

    inputs = [cy.Operand((30,), bound=0.2), cy.Operand((30,), bound=0.2)]
    own = cy.suggest(compute=compute, inputs=inputs, precision=1e-3)
    assert own.scheme == "ckks" and own.holds_reals and own.security_reached >= 128
    made = cy.keygen(own, **cy.plan(compute, own, inputs).keygen())
    a, b = rng.uniform(-0.2, 0.2, (2, 30))
    z = compute(encrypted(a, made, bound=0.2), encrypted(b, made, bound=0.2))
    assert abs(cy.decrypt(z, made.secret) - np.tanh(a @ b)) <= z.error.max <= 1e-3
    # It is the smallest: a scale of one bit less is not enough.
    levels = len(own.moduli) - 1
    bits = round(np.log2(own.scales[0]))
    fewer = cy.Parameters.from_scale_bits(
        degree=own.degree, scale_bits=bits - 1, depth=levels, bound=0.2, result_bound=16.0
    )
    with contextlib.suppress(errors.RangeError):
        assert (cy.plan(compute, fewer, inputs).error or 0) > 1e-3
    flooded = cy.suggest(compute=lambda x: x * x, inputs=cy.Operand((4,)), precision=1e-2, flooding_bits=12)
    keys = cy.keygen(flooded, rotations=[])
    given: Any = cy.reveal(encrypted([0.5], keys) * [0.5], keys.secret, precision=1e-2, flooding_bits=12)
    assert np.abs(given - 0.25).max() <= 1e-2


def test_what_nothing_serves_is_said() -> None:
    x = cy.Operand((4,))
    with pytest.raises(errors.ParameterError, match="the best that there are, to"):
        cy.suggest(compute=lambda v: v * v, inputs=x, precision=1e-16)
    with pytest.raises(errors.ParameterError, match="precision"):
        cy.suggest(compute=lambda v: v, inputs=x, precision=0.0)
    for options in ({"value_bits": 3}, {"word": 32}, {"scheme": "bfv"}, {"parties": 2}, {"depth": "unlimited"}):
        with pytest.raises(errors.ArgumentError, match="precision"):
            cy.suggest(compute=lambda v: v, inputs=x, precision=0.1, **options)
    with pytest.raises(errors.ArgumentError, match="precision"):
        cy.suggest(compute=lambda v: v, inputs=x, scheme="ckks")
    with pytest.raises(errors.ArgumentError, match="shapes"):
        cy.suggest(compute=lambda v: v @ np.ones((3, 2)), inputs=x, precision=0.1)
    with pytest.raises(ZeroDivisionError):
        cy.suggest(compute=lambda v: v * (1 / 0), inputs=x, precision=0.1)
