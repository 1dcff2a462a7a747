# SPDX-License-Identifier: Apache-2.0
"""What other libraries' tests compute, as data in test/python/programs. Of SEAL's evaluator the operands and published
results, polynomials modulo t (seal_evaluator.json); of TenSEAL, HEIR and Lattigo the programs, as expressions that
NumPy and cyclotome both evaluate (expressions.json)."""

from __future__ import annotations

import functools
import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cyclotome as cy
import numpy as np
import pytest
from small import insecure

PROGRAMS = Path(__file__).parents[1] / "programs"
SEAL = json.loads((PROGRAMS / "seal_evaluator.json").read_text(encoding="utf-8"))
EXPRESSIONS = json.loads((PROGRAMS / "expressions.json").read_text(encoding="utf-8"))


@functools.cache
def party(scheme: str, degree: int, plain: int, primes: int) -> cy.Keys:
    parameters = insecure([plain], degree, [50] * primes, [50], scheme=scheme)
    return cy.keygen(parameters)


# --- SEAL: polynomials ------------------------------------------------------------------------------------------------


def polynomial(text: str, degree: int) -> np.ndarray:
    """SEAL's notation, "3Fx^2 + 1", as coefficients."""
    values = np.zeros(degree, dtype=object)
    for term in text.split(" + "):
        coefficient, _, power = term.partition("x^")
        values[int(power or 0)] = int(coefficient, 16)
    return values


def applied(case: dict[str, Any], x: list[Any], plain: list[np.ndarray]) -> Any:
    """The operation of a case on encrypted polynomials, the second one public where it says so."""
    operation = case["operation"]
    if operation == "negate":
        return -x[0]
    if operation in ("add", "subtract"):
        return x[0] + x[1] if operation == "add" else x[0] - x[1]
    if operation in ("add_plain", "subtract_plain"):
        return x[0] + plain[1] if operation == "add_plain" else x[0] - plain[1]
    if operation == "multiply_plain":
        return cy.polynomials.negacyclic_product(x[0], plain[1])
    if operation == "add_many":
        return functools.reduce(lambda a, b: a + b, x)
    if operation == "switch":
        return x[0].switch_to_level(1)
    factors = {"square": 2, "exponentiate": case.get("exponent", 0), "relinearize": 2 ** case.get("squarings", 0)}
    return functools.reduce(cy.polynomials.negacyclic_product, x * factors.get(operation, 1))


@pytest.mark.parametrize("number", range(len(SEAL)))
def test_seals_evaluator(number: int) -> None:
    case = SEAL[number]
    degree, t = case["degree"], case["plain_modulus"]
    keys = party(case["scheme"], min(degree, 128), t, 6 + 2 * t.bit_length() // 50)
    plain = [polynomial(text, min(degree, 128)) for text in case["operands"]]
    x = [cy.encrypt(p, keys.public, wrap=True, encoding="coefficients") for p in plain]
    result = cy.decrypt(applied(case, x, plain), keys.secret)
    assert np.array_equal(np.asarray(result, dtype=object) % t, polynomial(case["expected"], len(plain[0])))


def test_every_operation_of_seals_is_there() -> None:
    sums = {"add", "add_many", "add_plain", "negate", "subtract", "subtract_plain"}
    products = {"exponentiate", "multiply", "multiply_many", "multiply_plain", "relinearize", "square"}
    assert {case["operation"] for case in SEAL} == sums | products | {"switch"}
    assert {case["scheme"] for case in SEAL} == {"bfv", "bgv"} and len(SEAL) > 150


# --- TenSEAL, HEIR, Lattigo: arrays -----------------------------------------------------------------------------------


def instances() -> Iterator[tuple[dict[str, Any], dict[str, Any], str]]:
    for program in EXPRESSIONS:
        given = program.get("choices", {})
        choices = [dict(zip(given, values, strict=True)) for values in itertools.product(*given.values())]
        pairs = [dict(zip("xy", pair, strict=True)) for pair in program.get("pairs", [])]
        for names in pairs or choices:
            for layout in program.get("layouts", ["packed", "replicated"]):
                if layout == "packed" or np.prod(names.get("x", [0])) <= 64:
                    yield program, names, layout


CASES = list(instances())


@pytest.mark.parametrize("scheme", ["bfv", "bgv"])
@pytest.mark.parametrize(
    ("program", "names", "layout"), CASES, ids=[f"{p['source']}-{i}-{layout}" for i, (p, _, layout) in enumerate(CASES)]
)
def test_programs_mean_what_numpy_says(
    program: dict[str, Any], names: dict[str, Any], layout: str, scheme: str, rng: np.random.Generator
) -> None:
    keys = party(scheme, 64, 2147473409, 14 if program.get("deep") else 6)
    magnitude = program.get("magnitude", 20)
    plain: dict[str, Any] = {"np": np, "sum": sum}
    encrypted = dict(plain)
    for name, value in names.items():
        if name not in ("x", "y", "bit"):
            public = {"w": np.array, "shape": tuple}.get(name)
            plain[name] = encrypted[name] = public(value) if public else value
            continue
        low, high = (0, 1) if name == "bit" else (-magnitude, magnitude)
        plain[name] = rng.integers(low, high + 1, value)
        plain[name].flat[0] = high  # at the bound
        bound = (0, 1) if name == "bit" else magnitude
        encrypted[name] = cy.encrypt(plain[name], keys.public, bound=bound, layout=layout)
    want = eval(program["expression"], plain)
    got = eval(program["expression"], encrypted)
    assert got.shape == np.shape(want)
    values = cy.decrypt(got, keys.secret)
    assert np.array_equal(values, want)
    assert np.all(np.abs(np.asarray(values, dtype=object)) <= got.bound)
