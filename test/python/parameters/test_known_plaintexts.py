# SPDX-License-Identifier: Apache-2.0
"""Runs of one search share what they found out about public values (`PlaintextMemory`): each says what it would say by
itself, of the same accounts, noise and refusals, whatever ran before."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import cyclotome as cy
import numpy as np
import pytest
from cyclotome import _core
from cyclotome.planning.dry_runs import DryRun

LENGTH = 70


def _sets() -> list[cy.Parameters]:
    """Of one plaintext modulus with all slots and one with fewer; words, schemes and moduli of other lengths."""
    return [
        cy.Parameters.from_modulus_bits(degree=2048, modulus_bits=bits, plain_moduli=[t], word=word, scheme=scheme)
        for t in (40961, 257)
        for scheme in ("bfv", "bgv")
        for word, bits in ((32, 50), (64, 48), (64, 53))
    ]


def _programs(rng: np.random.Generator) -> dict[str, Callable[[Any], Any]]:
    w, matrix = rng.integers(-3, 4, LENGTH), rng.integers(-1, 2, (LENGTH, LENGTH))
    sparse = np.diag(rng.integers(0, 2, LENGTH))
    return {
        "product": lambda x: x * w + w[::-1],
        "constants": lambda x: 3 * x - 2 + x * 3,
        "matrix": lambda x: matrix @ x,
        "sparse matrix": lambda x: sparse @ x,
        "moved": lambda x: x[::-1] + x,
        "the same twice": lambda x: x * w - x * w,
        "nothing": lambda x: x * np.zeros(LENGTH, dtype=int),
        "no matrix": lambda x: np.zeros((LENGTH, LENGTH), dtype=int) @ x,
        "too large": lambda x: x * (10**6 * w),
    }


def _said(parameters: cy.Parameters, program: Callable[[Any], Any], known: Any) -> Any:
    dry = DryRun(parameters, known)
    try:
        _, (result,) = dry.run(program, [cy.Operand((LENGTH,), bound=1)])
    except cy.errors.CyclotomeError as error:
        return type(error), str(error)
    return (
        result.noise_headroom,
        result.interval,
        dry.engine.account,
        dry.engine.peak_bytes,
        dry.engine.depth,
        sorted(dry.engine.keys_read(dry.evaluation.native)),
    )


def test_what_is_known_changes_nothing(rng: np.random.Generator) -> None:
    known, programs = _core.PlaintextMemory(), _programs(rng)
    tries = [(parameters, name) for parameters in _sets() for name in programs] * 2
    outcomes = set()
    for i in rng.permutation(len(tries)):
        parameters, name = tries[i]
        alone = _said(parameters, programs[name], None)
        assert _said(parameters, programs[name], known) == alone, f"{name} with {parameters}"
        outcomes.add(alone[0] if isinstance(alone[0], type) else "computed")
    assert {"computed", cy.errors.RangeError} <= outcomes


@pytest.mark.parametrize("scheme", ["bfv", "bgv"])
def test_other_values_are_other_values(rng: np.random.Generator, scheme: str) -> None:
    """Bounds on noise follow the values of a plaintext, whatever plaintexts of the same shape were met before."""
    parameters = cy.Parameters.from_modulus_bits(degree=4096, modulus_bits=80, plain_moduli=[40961], scheme=scheme)
    known = _core.PlaintextMemory()
    for size in rng.permutation(60):
        w = rng.integers(-1, 2, LENGTH) * (int(size) + 1)
        w[0] = 1
        assert _said(parameters, lambda x, w=w: x * w, known) == _said(parameters, lambda x, w=w: x * w, None)
