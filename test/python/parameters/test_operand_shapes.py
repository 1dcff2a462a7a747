# SPDX-License-Identifier: Apache-2.0
"""What stands for arguments where a computation is only accounted for: like what `encrypt` makes of values, and refused
like it, but without the values. And that the sets which are chosen are those that were chosen when it had them."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from functools import partial
from itertools import product
from typing import Any

import cyclotome as cy
import numpy as np
import pytest
from cyclotome.planning.dry_runs import DryRun

INTEGERS = cy.Parameters.from_modulus_bits(
    degree=1024, modulus_bits=120, plain_moduli=[12289], security=0, allow_insecure=True
)
WIDE = cy.Parameters.from_modulus_bits(
    degree=1024, modulus_bits=120, plain_moduli=[12289, 40961], security=0, allow_insecure=True, scheme="bgv"
)
BITS = cy.Parameters.from_modulus_bits(degree=1024, modulus_bits=60, plain_moduli=[2], security=0, allow_insecure=True)

SHAPES: list[Any] = [(), (1,), (5,), (2000,), (3, 4), (2, 1, 1500), (0,), (2, 0), (-1,), (2.5,), "ab", None, 7, [2, 3]]
DIGITS: list[Any] = [(3, 4), (1, 2), (0, 4), (3, 1), (3, 10**5), (2.5, 4)]
BOUNDS: list[Any] = [None, 0, 9, (0, 9), (5, 9), (-9, -5), (9, 5), -1, 10**30, True, "x"]


def values_for(operand: cy.Operand) -> Any:
    """The values next to 0 that an operand may have."""
    low, high = operand.bound if isinstance(operand.bound, tuple) else (0, 0)
    return np.full(operand.shape, min(max(0, low), high))


def said_of(make: Callable[[], Any]) -> Any:
    """What an array is, as far as it is public; or how it is refused."""
    try:
        x = make()
    except cy.errors.CyclotomeError as error:
        return type(error), str(error)
    if isinstance(x, cy.EncryptedDigits):
        return x.base, x.count, said_of(lambda: x.digits)
    bounds = (x.bound, x.interval, x.wrap, x.is_bits, None if x.wrap else x.native.bound.row)
    return bounds, (x.shape, x.layout, x.encoding, x.ciphertexts, x.nbytes, x.noise_headroom, x.level)


def real(operand: cy.Operand, key: Any) -> Any:
    """By `encrypt`, of values."""
    values = values_for(operand)
    if operand.digits is not None:
        assert operand.base is not None
        return cy.encrypt_digits(values, key, base=operand.base, digits=operand.digits, layout=operand.layout)
    return cy.encrypt(
        values,
        key,
        bound=operand.bound,
        l1_bound=operand.l1_bound,
        wrap=operand.wrap,
        layout=operand.layout,
        encoding=operand.encoding,
    )


@pytest.mark.parametrize("parameters", [INTEGERS, WIDE, BITS], ids=["integers", "wide", "bits"])
def test_shapes_are_like_what_encrypt_makes_of_values(parameters: cy.Parameters) -> None:
    key = DryRun(parameters).public
    operands = [
        cy.Operand(shape, bound=bound, l1_bound=l1_bound, wrap=wrap)
        for shape, bound, l1_bound, wrap in product([(), (5,), (2, 1500)], BOUNDS, [None, 4, 14, -1], [False, True])
    ]
    operands += [cy.Operand(shape, layout=layout) for shape in SHAPES for layout in ("packed", "replicated", "flat")]
    operands += [cy.Operand((5,), encoding=each) for each in ("slots", "coefficients", "field", "text")]
    operands += [
        cy.Operand(shape, digits=digits, base=base, layout=layout)
        for shape in ((), (5,))
        for digits, base in DIGITS
        for layout in ("packed", "replicated", "flat")
    ]
    compared = 0
    for operand in operands:
        try:
            values_for(operand)
        except (TypeError, ValueError):  # nothing that encrypt could be told
            with pytest.raises(cy.errors.ArgumentError, match=r"no shape|no whole number|least, largest"):
                operand.encrypted(key)
            continue
        got, expected = said_of(partial(operand.encrypted, key)), said_of(partial(real, operand, key))
        if isinstance(expected[1], str):  # a bound is read by both in their own name
            got, expected = ((a, b.replace("plan: ", "encrypt: ")) for a, b in (got, expected))
        assert got == expected, operand
        compared += 1
    assert compared > 250


def test_arguments_take_no_memory_for_their_values() -> None:
    key = DryRun(INTEGERS).public
    tracemalloc.start()
    try:
        x = cy.Operand((3, 4_000_000), bound=9).encrypted(key)
        y = cy.Operand((1_000_000,), digits=3, base=4).encrypted(key)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert isinstance(x, cy.EncryptedArray) and x.shape == (3, 4_000_000)
    assert isinstance(y, cy.EncryptedDigits) and y.digits.shape == (3, 1_000_000)
    assert peak < 1_000_000  # of values it would be 96 MB


def test_shapes_that_no_memory_holds_are_refused() -> None:
    key = DryRun(INTEGERS).public
    for shape in [(10**30,), (1 << 62, 1 << 62), (1 << 60,), (3, 1 << 61)]:
        with pytest.raises(cy.errors.ArgumentError, match="is no shape of an array"):
            cy.Operand(shape, bound=1).encrypted(key)
    for layout in ("packed", "replicated"):
        with pytest.raises(cy.errors.MemoryLimitError, match="an account"):
            cy.Operand((1 << 57,), bound=1, layout=layout).encrypted(key)


def test_limits_of_memory_hold_for_shapes_too() -> None:
    key = DryRun(INTEGERS).public
    cy.set_memory_limit(64 << 20)
    try:
        with pytest.raises(cy.errors.MemoryLimitError, match="limit"):
            cy.Operand((10_000_000,), bound=1).encrypted(key)
        cy.Operand((1000,), bound=1).encrypted(key)
    finally:
        cy.set_memory_limit(None)


MATRIX = np.random.default_rng(7).integers(-100, 100, (64, 64))

#: What was chosen when arguments were made of zeros and functions were found anew in each run.
CHOSEN: dict[str, tuple[Callable[..., Any], list[cy.Operand], tuple[str, int, list[int], list[int]]]] = {
    "dot": (
        lambda x, y: (x * y).sum(),
        [cy.Operand((5000,), bound=1000)] * 2,
        ("bfv", 4096, [1073692673, 536813569, 536690689], [188417, 163841]),
    ),
    "dot2d": (
        lambda x, y: (x * y).sum(axis=1),
        [cy.Operand((20, 300), bound=(0, 100))] * 2,
        ("bgv", 4096, [16736257, 16588801, 8380417, 8273921], [16760833]),
    ),
    "less": (
        cy.less,
        [cy.Operand((50,), bound=(0, 100))] * 2,
        (
            "bgv",
            16384,
            [
                267550721,
                267059201,
                266895361,
                265486337,
                133857281,
                132710401,
                132612097,
                132120577,
                131923969,
                131694593,
            ],
            [257],
        ),
    ),
    "equal": (
        cy.equal,
        [cy.Operand((50,), bound=30)] * 2,
        (
            "bgv",
            16384,
            [267550721, 267059201, 266895361, 265486337, 133857281, 132710401, 132612097, 132120577, 131923969],
            [257],
        ),
    ),
    "poly": (
        lambda x: cy.polyval([1, 2, 3, 4, 5], x),
        [cy.Operand((30,), bound=9)],
        ("bgv", 4096, [67084289, 67043329, 66994177, 33538049], [18433]),
    ),
    "matrix": (
        lambda x: MATRIX @ x,
        [cy.Operand((64,), bound=100)],
        ("bfv", 8192, [268189697, 268091393, 268042241], [1785857]),
    ),
    "digits": (
        cy.less,
        [cy.Operand((20,), digits=5, base=4)] * 2,
        ("bfv", 8192, [1073643521, 1073479681, 1073430529, 1073299457, 1073233921, 1073184769], [257]),
    ),
    "l1": (
        lambda m, x: (m * x).sum(axis=-1),
        [cy.Operand((10, 64), bound=(0, 1), l1_bound=1), cy.Operand((10, 64), bound=500)],
        ("bgv", 4096, [35184371884033, 17592186028033], [1409]),
    ),
    "scalar": (lambda x: x * x, [cy.Operand((), bound=7)], ("bgv", 2048, [67104769, 67084289], [257])),
    "max": (
        lambda x: cy.maximum(x[0], x[1]),
        [cy.Operand((2, 20), bound=(0, 20))],
        (
            "bgv",
            16384,
            [267550721, 267059201, 266895361, 265486337, 133857281, 132710401, 132612097, 132120577, 131923969],
            [257],
        ),
    ),
}


@pytest.mark.parametrize("name", CHOSEN)
def test_the_same_sets_are_chosen(name: str) -> None:
    compute, inputs, (scheme, degree, moduli, plain_moduli) = CHOSEN[name]
    parameters = cy.suggest(compute=compute, inputs=inputs)
    assert (parameters.scheme, parameters.degree) == (scheme, degree)
    assert (list(parameters.moduli), list(parameters.plain_moduli)) == (moduli, plain_moduli)
