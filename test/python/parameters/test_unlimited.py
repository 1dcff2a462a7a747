# SPDX-License-Identifier: Apache-2.0
"""Parameters for computations without end: the cheapest that can be refreshed, or a refusal that says what there is."""

from __future__ import annotations

from typing import Any

import cyclotome as cy
import pytest
from cyclotome.errors import ParameterError, RangeError


@pytest.mark.parametrize(
    ("asked", "degree"),
    [
        ({"value_bits": 8}, 32768),
        ({"value_bits": 15}, 32768),
        ({"value_bits": 16}, 65536),
        ({"value_bits": 8, "result_bits": 18}, 65536),
        ({"value_bits": 8, "min_degree": 40000}, 65536),
    ],
)
def test_described_ones(asked: dict[str, int], degree: int) -> None:
    parameters = cy.Parameters.suggest(depth="unlimited", **asked)
    assert parameters.degree == degree and parameters.value_bits == asked["value_bits"]
    assert parameters == cy.Parameters.bootstrappable(degree, value_bits=asked["value_bits"])


@pytest.mark.parametrize(
    "asked",
    [
        {"value_bits": 19},
        {"min_degree": 65537},
        {"security": 192},
        {"table": "he-standard-2018"},
        {"word": 32},
        {"slots": False},
        {"scheme": "bgv"},
        {"strict": True},
        {"parties": 2},
        {"bits": True},
        {"flooding_bits": 64},
    ],
)
def test_what_nothing_can_be_refreshed_with(asked: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match="depth='unlimited'"):
        cy.Parameters.suggest(depth="unlimited", **{"value_bits": 8, **asked})


def loop(x: Any) -> Any:
    for _ in range(150):
        x = x * x - 1
    return x


def test_a_loop_that_no_parameters_carry() -> None:
    """Refused, with the way out; found with it; and the plan of what was found has its refreshes and keys."""
    inputs = [cy.Operand((100,), wrap=True)]
    with pytest.raises(ParameterError, match="unlimited"):
        cy.suggest(compute=loop, inputs=inputs, plain_moduli=[65537], scheme="bfv", word=64, min_degree=32768)
    parameters = cy.suggest(compute=loop, inputs=inputs, depth="unlimited")
    assert parameters == cy.Parameters.bootstrappable(32768)
    with cy.bootstrap("auto"):
        plan = cy.plan(loop, parameters, inputs)
        again = cy.suggest(compute=loop, inputs=inputs, plain_moduli=[65537], scheme="bfv", word=64, min_degree=32768)
    assert again == parameters
    assert len(plan.refreshes) >= 30 and plan.keygen()["bootstrap"] and plan.noise_headroom > 90
    with pytest.raises(RangeError):
        cy.suggest(compute=lambda x: x * 10**6, inputs=[cy.Operand((3,), bound=9)], depth="unlimited")
    with pytest.raises(ParameterError, match="plaintext moduli"):
        cy.suggest(compute=loop, inputs=inputs, plain_moduli=[257], depth="unlimited")
