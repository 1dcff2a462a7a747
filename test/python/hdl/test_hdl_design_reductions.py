# SPDX-License-Identifier: Apache-2.0
"""Every design works with every reduction, and a wrong constant in one shows."""

from __future__ import annotations

from pathlib import Path

import circuits
import numpy as np
import pytest
from circuits import expected, label, polynomials, root_of
from cyclotome.errors import EngineError
from cyclotome_hdl.boards.board import a_prime, count_ticks
from cyclotome_hdl.designs.design import DESIGN_REDUCTIONS, PIPES, RUN_TIME, Design, build
from cyclotome_hdl.kernels import arithmetic, flow

pytestmark = pytest.mark.slow

#: A prime for every reduction: 2^20 + 513 is 1 modulo 128, and folding takes it.
SMALL_PRIME = 2**20 + 513
EVERY_REDUCTION = [
    Design(name, 64, pipes, 21, reduction, modulus)
    for name, counts in PIPES.items()
    for pipes in counts
    for reduction in DESIGN_REDUCTIONS
    for modulus in ((None, SMALL_PRIME) if reduction in RUN_TIME else (SMALL_PRIME,))
]


def check_reduction(design: Design, rng: np.random.Generator) -> bool:
    """Whether a circuit's products are those of integers; its ticks must be as stated."""
    model, circuit = circuits.Model(design), build(design)
    model.load(SMALL_PRIME, root_of(design, SMALL_PRIME))
    a, b = (polynomials(rng, design, SMALL_PRIME, 3) for _ in range(2))
    made = model.multiply(a, b)
    assert made.interval == circuit.product_interval()
    assert model.multiply(a[:1], b[:1]).ticks == circuit.product_ticks()
    if design.reduction != "montgomery" or design.modulus is not None:
        with pytest.raises(EngineError, match=f"does not fit this circuit .*{design.reduction}"):
            model.load(3 * 128 + 1 if design.modulus is None else 257 * 2**8 + 1, 2)
    return made.words.tolist() == expected(a, b, SMALL_PRIME)


#: One number of pipes of each design; `full` has all.
@pytest.mark.parametrize("design", [d for d in EVERY_REDUCTION if d.pipes == 1], ids=label)
def test_every_design_with_every_reduction(design: Design, rng: np.random.Generator) -> None:
    assert check_reduction(design, rng)


@pytest.mark.parametrize("name", ["iterative", "streaming"])
def test_folding_with_a_prime_for_each_product(name: str, rng: np.random.Generator) -> None:
    """Words bring their moduli to the folds; all primes are 2^20 + c."""
    design = Design(name, 64, 1, 21, "fold")
    circuit, least = build(design), SMALL_PRIME - 512
    primes = [p for p in range(least, least + 40 * 128, 128) if all(pow(b, p - 1, p) == 1 for b in (2, 3, 5, 7))]
    moduli = [primes[i] for i in (0, 1, 1, 2, 0)]
    a, b = (np.concatenate([polynomials(rng, design, p, 2)[:1] for p in moduli]) for _ in range(2))
    made = circuits.Model(design).multiply_each(moduli, [root_of(design, p) for p in moduli], a, b)
    for k, p in enumerate(moduli):
        assert made.words[k : k + 1].tolist() == expected(a[k : k + 1], b[k : k + 1], p)
    assert made.ticks == circuit.product_ticks() + 4 * circuit.product_interval() + 3 * circuit.change_ticks()


@pytest.mark.full
@pytest.mark.parametrize("design", [d for d in EVERY_REDUCTION if d.pipes > 1], ids=label)
def test_several_pipes_with_every_reduction(design: Design, rng: np.random.Generator) -> None:
    assert check_reduction(design, rng)


@pytest.fixture(scope="module")
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("circuits")


@pytest.mark.parametrize("reduction", DESIGN_REDUCTIONS)
def test_a_corrupted_reduction_is_noticed(
    reduction: str, own_cache: Path, monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator
) -> None:
    """The largest constant that the multiplier is made with (p or what is left of it, c, its digits, or Barrett's
    estimate), one bit wrong."""
    monkeypatch.setenv("CYCLOTOME_CIRCUIT_CACHE", str(own_cache))
    design = Design("cooley-tukey", 64, 1, 21, reduction, SMALL_PRIME)
    wrong = {
        "montgomery": SMALL_PRIME,
        "modulus": SMALL_PRIME,
        "shift-subtract": SMALL_PRIME,
        "fold": SMALL_PRIME - 2**20,
        "barrett": 2**45 // SMALL_PRIME,
    }
    if reduction == "fold-shift-add":
        monkeypatch.setattr(arithmetic, "signed_digits", lambda value: [(0, False), (8, False)])
    else:
        constant = flow.Kernel.constant
        monkeypatch.setattr(
            flow.Kernel,
            "constant",
            lambda self, value: constant(self, value ^ 256 if value == wrong[reduction] else value),
        )
    assert not check_reduction(design, rng)


def test_counted_ticks_are_the_formulas(rng: np.random.Generator) -> None:
    for design in (Design("cooley-tukey", 64), Design("pease", 64, 1, 21, "fold")):
        circuit = build(design)
        assert count_ticks(design) == (circuit.product_ticks(), circuit.product_interval())
        assert design.moduli[0] <= a_prime(design) <= design.moduli[1]
