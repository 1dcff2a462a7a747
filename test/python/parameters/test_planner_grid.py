# SPDX-License-Identifier: Apache-2.0
"""What `suggest` takes costs at most 1.2 times what the best of a whole grid of parameters does: degrees, schemes,
words and lengths of the modulus, each of which is run. By the model of costs, which is the same everywhere; `make
test-full` times the computations, too."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import cyclotome as cy
import numpy as np
import pytest
from cyclotome import _core
from cyclotome.planning.costs import modelled_seconds
from cyclotome.planning.dry_runs import DryRun

DEGREES = (1024, 2048, 4096, 8192, 16384)
WITHIN = 1.2

_random = np.random.default_rng(20261128)


def _matrix(rows: int, columns: int, bound: int) -> Any:
    return _random.integers(-bound, bound + 1, (rows, columns))


def _matrix_product(rows: int, columns: int, bound: int) -> Callable[..., object]:
    matrix = _matrix(rows, columns, bound)
    return lambda x: matrix @ x


def _of(*shapes: tuple[int, ...], bound: int) -> list[cy.Operand]:
    return [cy.Operand(shape, bound=bound) for shape in shapes]


def _power(exponent: int) -> Callable[..., object]:
    return lambda x: x**exponent


def _polynomial(degree: int) -> Callable[..., object]:
    return lambda x: cy.polyval(list(range(1, degree + 2)), x)


#: Each with its operands; values that the plaintext moduli of the grid hold.
PROGRAMS: dict[str, tuple[Callable[..., Any], list[cy.Operand]]] = {
    **{
        f"dot of {size}, bound {bound}": (lambda x, y: (x * y).sum(), _of((size,), (size,), bound=bound))
        for size in (10, 1000, 10000)
        for bound in (1, 30, 500)
    },
    **{f"sum of {size}": (lambda x: x.sum(), _of((size,), bound=1000)) for size in (10, 1000, 10000)},
    **{f"power {e}": (_power(e), _of((1000,), bound=2)) for e in (2, 3, 4, 6, 8, 12)},
    **{f"polynomial {d}": (_polynomial(d), _of((500,), bound=3)) for d in (2, 3, 5, 8)},
    **{
        f"matrix {rows} x {columns}, bound {bound}": (
            _matrix_product(rows, columns, bound),
            _of((columns,), bound=bound),
        )
        for rows, columns in ((16, 16), (64, 64), (256, 256), (10, 300))
        for bound in (5, 100)
    },
    **{
        f"sums of {count} products": (lambda x, y: (x * y).sum(axis=0), _of((count, 1000), (count, 1000), bound=20))
        for count in (2, 8, 16)
    },
    **{f"less, bound {b}": (cy.less, _of((100,), (100,), bound=b)) for b in (3, 12)},
    **{f"equal, bound {b}": (cy.equal, _of((100,), (100,), bound=b)) for b in (3, 12)},
    "x y + z": (lambda x, y, z: x * y + z, _of((1000,), (1000,), (1000,), bound=99)),
    "(x + y)(x - y)": (lambda x, y: (x + y) * (x - y), _of((1000,), (1000,), bound=99)),
    "shifted": (lambda x: x + x[::-1], _of((1000,), bound=99)),
    "convolved": (lambda x: x[:-2] + 3 * x[1:-1] - x[2:], _of((1000,), bound=99)),
    "plain product": (lambda x: x * np.arange(1000), _of((1000,), bound=99)),
    "differences": (lambda x: x[1:] - x[:-1], _of((8, 100), bound=9)),
    "variance": (lambda x: x.size * (x * x).sum() - x.sum() * x.sum(), _of((100,), bound=20)),
    "distance": (lambda x, y: ((x - y) * (x - y)).sum(axis=0), _of((16, 500), (16, 500), bound=15)),
    "maximum": (cy.maximum, _of((50,), (50,), bound=6)),
    "where": (lambda x, y: cy.where(cy.less(x, 0), x, y), _of((50,), (50,), bound=6)),
}


def _plain_moduli(bits: int, degree: int, word: int) -> Iterator[list[int]]:
    step = 2 * degree
    for count in (1, 2):
        each = max(-(-bits // count), step.bit_length())
        while each < (31 if word == 32 else 51):
            try:
                yield _core.primes_congruent_to_one(each, step, count, [])
                break
            except cy.errors.ParameterError:
                each += 1


def _grid(bits: int) -> Iterator[cy.Parameters]:
    for degree in DEGREES:
        longest = _core.max_modulus_bits(degree, 128, "guidelines-2024")
        for scheme in ("bfv", "bgv"):
            for word in (32, 64):
                for plain in _plain_moduli(bits, degree, word):
                    for length in range(40, min(longest, 330) + 1, 12):
                        try:
                            yield cy.Parameters.from_modulus_bits(
                                degree=degree, modulus_bits=length, plain_moduli=plain, word=word, scheme=scheme
                            )
                        except cy.errors.ParameterError:
                            continue


def _cost(parameters: cy.Parameters, compute: Callable[..., Any], operands: list[cy.Operand]) -> float | None:
    try:
        dry = DryRun(parameters)
        _, results = dry.run(compute, operands)
    except (cy.errors.NoiseError, cy.errors.RangeError):
        return None
    return modelled_seconds(parameters, dry.engine.account) if min(x.noise_headroom for x in results) >= 2 else None


def _best_of_grid(chosen: cy.Parameters, compute: Callable[..., Any], operands: list[cy.Operand]) -> Any:
    bits = sum(t.bit_length() for t in chosen.plain_moduli)
    costs = ((_cost(each, compute, operands), each) for each in _grid(bits))
    return min(((cost, each) for cost, each in costs if cost is not None), key=lambda pair: pair[0])


FEW = (
    "dot of 1000, bound 30",
    "power 8",
    "matrix 64 x 64, bound 5",
    "sums of 16 products",
    "equal, bound 3",
    "x y + z",
)


@pytest.mark.parametrize("name", [n if n in FEW else pytest.param(n, marks=pytest.mark.full) for n in PROGRAMS])
def test_nothing_in_a_grid_is_much_cheaper(name: str) -> None:
    compute, operands = PROGRAMS[name]
    chosen = cy.suggest(compute=compute, inputs=operands)
    cost = _cost(chosen, compute, operands)
    assert cost is not None
    best, parameters = _best_of_grid(chosen, compute, operands)
    assert cost <= WITHIN * best, f"{chosen}: {cost * 1e3:.2f} ms by the model; {parameters}: {best * 1e3:.2f}"


def _measured(parameters: cy.Parameters, compute: Callable[..., Any], operands: list[cy.Operand]) -> float:
    keys = cy.keygen(parameters, device="cpu:1", **cy.plan(compute, parameters, operands).keygen())
    inputs = [
        cy.encrypt(_random.integers(0, int(operand.bound) + 1, operand.shape), keys.public, bound=operand.bound)
        for operand in operands
    ]

    def once() -> float:
        began = time.thread_time()
        compute(*inputs)
        return time.thread_time() - began

    once()
    return min(once() for _ in range(7))


@pytest.mark.full
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_models_best_is_not_much_faster(name: str) -> None:
    """By the thread's time: the best of the grid by the model, beside what was chosen."""
    compute, operands = PROGRAMS[name]
    chosen = cy.suggest(compute=compute, inputs=operands)
    _, parameters = _best_of_grid(chosen, compute, operands)
    pairs = [(_measured(chosen, compute, operands), _measured(parameters, compute, operands)) for _ in range(3)]
    ours, best = (min(side) for side in zip(*pairs, strict=True))
    assert ours <= WITHIN * best + 5e-5, f"{chosen}: {ours * 1e3:.3f} ms; {parameters}: {best * 1e3:.3f}"
