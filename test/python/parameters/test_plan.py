# SPDX-License-Identifier: Apache-2.0
"""What a computation takes is what it takes: plans against real runs, and suggestions that never refuse."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import cyclotome as cy
import numpy as np
import pytest

SMALL = cy.Parameters.from_modulus_bits(
    degree=1024, modulus_bits=300, plain_moduli=[12289], security=0, allow_insecure=True
)


def real(compute: Callable[..., Any], parameters: cy.Parameters, inputs: list[cy.Operand], keys: Any) -> Any:
    return compute(*(operand.encrypted(keys.public) for operand in inputs))


@pytest.mark.parametrize("scheme", ["bfv", "bgv"])
def test_a_plan_is_what_happens(scheme: str) -> None:
    parameters = cy.Parameters.from_modulus_bits(
        degree=1024, modulus_bits=300, plain_moduli=[12289], security=0, allow_insecure=True, scheme=scheme
    )
    inputs = [cy.Operand((2, 30), bound=3), cy.Operand((30,), bound=2)]

    def compute(x: Any, y: Any) -> Any:
        return (x * y + x).sum(axis=1), cy.less(x, y)

    plan = cy.plan(compute, parameters, inputs)
    keys = cy.keygen(parameters, **plan.keygen())
    results = real(compute, parameters, inputs, keys)
    assert plan.shapes == tuple(x.shape for x in results)
    assert plan.noise_headroom == min(x.noise_headroom for x in results)
    assert plan.result_bytes == sum(x.nbytes for x in results)
    assert plan.key_bytes == keys.evaluation.nbytes
    assert plan.relinearization and plan.columns and len(plan.rotations) == 9
    assert "relinearisation" in str(plan) and "estimate" in str(plan) and plan.seconds > 0


def test_plans_of_encrypted_arrays_have_their_noise() -> None:
    keys = cy.keygen(SMALL)
    x = cy.encrypt([1, 2], keys.public, bound=2)
    y = x * x
    plan = cy.plan(lambda a: a * a, inputs=[y])
    assert plan.noise_headroom == (y * y).noise_headroom
    assert (plan.depth, plan.products) == (1, 1)


def test_products_by_public_numbers_are_counted_with_their_norms() -> None:
    keys = cy.keygen(SMALL)
    weights = np.arange(40)
    plan = cy.plan(lambda x: x * weights, SMALL, cy.Operand((40,), bound=3))
    x = cy.encrypt(np.zeros(40, dtype=int), keys.public, bound=3)
    assert plan.noise_headroom == (x * weights).noise_headroom
    assert (plan.depth, plan.relinearization, plan.rotations) == (0, False, ())


def test_plans_refuse_what_is_refused() -> None:
    with pytest.raises(cy.errors.NoiseError):
        cy.plan(lambda x: x**4096, SMALL, cy.Operand((3,), wrap=True))
    with pytest.raises(cy.errors.RangeError):
        cy.plan(lambda x: x * 10**6, SMALL, cy.Operand((3,), bound=3))
    with pytest.raises(cy.errors.ArgumentError, match="returns encrypted arrays"):
        cy.plan(lambda x: 3, SMALL, cy.Operand((3,), bound=3))
    with pytest.raises(cy.errors.ArgumentError, match="Operand"):
        cy.plan(lambda x: x, SMALL, [3])
    with pytest.raises(cy.errors.UnsupportedError, match="Parameters"):
        cy.plan(lambda x: x)


def test_plans_find_the_automorphisms() -> None:
    plan = cy.plan(lambda x: x.automorphism(5), SMALL, cy.Operand((7,), bound=3, encoding="coefficients"))
    assert plan.galois_elements == (5,) or plan.rotations
    keys = cy.keygen(SMALL, **plan.keygen())
    x = cy.encrypt(np.arange(7) % 3, keys.public, bound=3, encoding="coefficients")
    assert x.automorphism(5).shape == (1024,)


# --- suggestions ------------------------------------------------------------------------------------------------------


def random_computation(rng: np.random.Generator, steps: int) -> Callable[..., Any]:
    """A chain of operations chosen now, the same in every call."""
    choices = [
        (int(kind), int(number))
        for kind, number in zip(rng.integers(0, 7, steps), rng.integers(1, 4, steps), strict=False)
    ]
    weights = rng.integers(-3, 4, 8)
    weights[0] = 1

    def compute(x: Any, y: Any) -> Any:
        z = x
        for kind, number in choices:
            if kind == 0:
                z = z * y
            elif kind == 1:
                z = z + y * number
            elif kind == 2:
                z = z - number * x
            elif kind == 3:
                z = z * weights
            elif kind == 4:
                z = cy.polyval([1, 0, number], y) + z
            elif kind == 5:
                z = cy.where(cy.less(x, y), z, y)
            else:
                z = z + cy.equal(x, number)
        return z.sum() if choices[0][1] == 1 else z

    return compute


@pytest.mark.parametrize("case", range(5))
def test_suggestions_never_refuse(case: int, rng: np.random.Generator) -> None:
    compute = random_computation(rng, 1 + case % 3)
    inputs = [cy.Operand((8,), bound=(0, 3)), cy.Operand((8,), bound=(0, 3))]
    parameters = cy.suggest(compute=compute, inputs=inputs, scheme="bfv" if case % 2 else "bgv")
    assert parameters.security_reached >= 128
    plan = cy.plan(compute, parameters, inputs)
    keys = cy.keygen(parameters, **plan.keygen())
    a, b = rng.integers(0, 4, 8), rng.integers(0, 4, 8)
    x, y = cy.encrypt(a, keys.public, bound=(0, 3)), cy.encrypt(b, keys.public, bound=(0, 3))
    result = compute(x, y)
    assert (
        result.noise_headroom >= 0 and abs(result.noise_headroom - plan.noise_headroom) < 2
    )  # x - x is encrypted anew
    expected = clear(compute, a, b)
    assert np.array_equal(cy.decrypt(result, keys.secret), expected)


def clear(compute: Callable[..., Any], a: Any, b: Any) -> Any:
    """The same computation of plain integers."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cy, "polyval", lambda c, x: np.polyval(c, x))
        patch.setattr(cy, "where", np.where)
        patch.setattr(cy, "less", lambda x, y: (x < y).astype(int))
        patch.setattr(cy, "equal", lambda x, y: (x == y).astype(int))
        return compute(a, b)


def squared(x: Any, times: int) -> Any:
    for _ in range(times):
        x = x * x
    return x


def test_suggestions_by_intent_are_those_of_parameters() -> None:
    with pytest.warns(DeprecationWarning, match=r"cyclotome\.Parameters\.suggest"):
        assert cy.suggest(depth=1, value_bits=10) == cy.Parameters.suggest(depth=1, value_bits=10)
    with pytest.raises(cy.errors.ArgumentError, match="depth"):
        cy.suggest(compute=lambda x: x, inputs=cy.Operand((3,), bound=3), depth=3)
    with pytest.raises(cy.errors.ArgumentError, match="inputs"):
        cy.suggest(compute=lambda x: x)
    with pytest.raises(cy.errors.ParameterError):
        cy.suggest(compute=lambda x: squared(x, 200), inputs=cy.Operand((1,), wrap=True), plain_moduli=[65537], word=64)


def test_suggestions_are_the_same_every_time() -> None:
    """Both parties may ask: nothing is measured."""
    found = [cy.suggest(compute=lambda x: x * x * x, inputs=cy.Operand((9,), bound=9)) for _ in range(3)]
    assert found[0] == found[1] == found[2]


def test_suggestions_take_moduli_that_hold_the_values() -> None:
    parameters = cy.suggest(compute=lambda x: (x * x).sum(), inputs=cy.Operand((100,), bound=1000), scheme="bfv")
    assert parameters.capacity >= 10**8
    cheap = cy.suggest(compute=lambda x: x + 1, inputs=cy.Operand((100,), bound=1000), scheme="bfv")
    assert cheap.degree <= parameters.degree and cheap.modulus_bits < parameters.modulus_bits


def test_moduli_for_depth() -> None:
    by_speed, by_depth = (
        cy.Parameters.from_modulus_bits(degree=32768, modulus_bits=700, plain_moduli=[65537], scheme="bgv", aim=aim)
        for aim in ("speed", "depth")
    )

    def depth(parameters: cy.Parameters) -> int:
        for wanted in range(1, 40):
            try:
                cy.plan(functools.partial(squared, times=wanted), parameters, [cy.Operand((1,), wrap=True)])
            except cy.errors.NoiseError:
                return wanted - 1
        raise AssertionError("no end of depth")

    assert depth(by_depth) > depth(by_speed)
    assert by_depth.modulus_bits <= 700 and by_depth.security_reached >= 128
    with pytest.raises(cy.errors.ParameterError, match="aim"):
        cy.Parameters.from_modulus_bits(degree=4096, modulus_bits=60, plain_moduli=[40961], aim="size")


@pytest.mark.parametrize("scheme", ["bfv", "bgv"])
def test_plans_name_the_faster_way_to_sum_products(scheme: str) -> None:
    parameters = cy.Parameters.suggest(depth=2, value_bits=4, result_bits=20, scheme=scheme)
    channels = len(parameters.plain_moduli)
    rows = cy.Operand((17, 100), bound=9)

    def summed(compute: Callable[..., Any], inputs: int = 2) -> int:
        plan = cy.plan(compute, parameters, [rows] * inputs)
        assert ("sum_of_products" in str(plan)) == (plan.summed_products > 0)
        return plan.summed_products

    assert summed(lambda x, y: (x * y).sum(0)) == 16 * channels
    assert summed(lambda x: (x**2).sum(0), 1) == 16 * channels
    assert summed(lambda x, y: ((x - y) ** 2).sum()) == 16 * channels
    for compute in (
        lambda x, y: x.sum_of_products(y, 0),
        lambda x, y: cy.einsum("ij,ij->j", x, y),
        lambda x, y: (x * y).sum(1),  # each row is one product: there is nothing to save
        lambda x, y: x.sum(0) * y.sum(0),
        lambda x, y: x * y + x,
        lambda x, y: (x + y).sum(0),
    ):
        assert summed(compute) == 0
    assert summed(lambda x: (x * 3).sum(0), 1) == 0
