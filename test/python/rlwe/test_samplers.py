# SPDX-License-Identifier: Apache-2.0
"""Samplers: every draw is the one that its address names, and the laws are what they say (errata 001-11, 001-12)."""

from __future__ import annotations

import collections
import math
from typing import Any

import numpy as np
import pytest
from cyclotome import _core
from cyclotome._core import testing
from cyclotome.errors import ArgumentError
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import sampling
from oracles.integers import centred, integers, some_primes
from residues import ENGINES, TRANSFORM, Residues, on, ring_of, transform_primes

WORD = pytest.mark.parametrize("word", [32, 64])
ENGINE = _core.CpuEngine(2)
UNIFORM, TERNARY, ERROR = testing.Law.uniform, testing.Law.ternary, testing.Law.error
STREAM = testing.Stream.switching_key_error  # 5
SEED = bytes(range(100, 132))


def draw(
    ring: Any, law: Any, seed: bytes = SEED, *, shape: tuple[int, int] = (1, 1), stream: Any = STREAM, first: int = 0,
    engine: Any = None, domain: Any = testing.Domain.coefficient
) -> Residues:  # fmt: skip
    """The residues that `engine` draws, or that every engine draws alike."""
    results = []
    for drawing in [engine] if engine else ENGINES.values():
        out = testing.PolyArray(drawing, ring, *shape, domain)
        on(drawing).sample(out.view(), law, testing.Seed(seed), stream, first)
        results.append(out.to_host())
    assert all(np.array_equal(result, results[0]) for result in results)
    return results[0]


def small(residues: Residues, q: int) -> list[int]:
    return [int(x) for x in centred(integers(residues), q)]


@WORD
@pytest.mark.parametrize("degree", [2, 4, 8, 512, 2048])
def test_uniform_draws_are_the_ones_their_addresses_name(word: int, degree: int) -> None:
    ring = ring_of(word, degree, [2, 3, *some_primes(31 if word == 32 else 61, 1, 1)])
    result = draw(ring, UNIFORM, shape=(2, 3), first=7)
    for b, p, limb, c in [
        *np.ndindex(2, 3, 3, 2),
        (1, 2, 2, degree - 1),
        (0, 1, 2, degree // 2),
        (1, 0, 1, degree - 2),
    ]:
        assert result[b, p, limb, c] == sampling.uniform(SEED, 5, p, 7 + b, limb, c, ring.basis.moduli[limb])


@WORD
@pytest.mark.parametrize("law", [TERNARY, ERROR], ids=["ternary", "error"])
@pytest.mark.parametrize("degree", [2, 4, 8, 128, 2048])
def test_small_draws_are_one_integer_polynomial_in_all_limbs(word: int, law: Any, degree: int) -> None:
    value = sampling.ternary if law == TERNARY else sampling.error
    moduli = [1 << 20, 65537, 97]
    result = draw(ring_of(word, degree, moduli), law, shape=(2, 2), first=3)
    for b, p in np.ndindex(2, 2):
        for c in {0, 1, degree // 2, degree - 1}:
            expected = value(sampling.small_random(SEED, 5, p, 3 + b, c))
            assert [int(x) for x in result[b, p, :, c]] == [expected % q for q in moduli]


@WORD
@pytest.mark.parametrize("law", [UNIFORM, TERNARY, ERROR], ids=["uniform", "ternary", "error"])
def test_a_part_of_a_draw_can_be_drawn_alone(word: int, law: Any) -> None:
    """First limbs, first parts and any items: the same residues as in the larger draw, on any number of threads."""
    ring = ring_of(word, 4096, transform_primes(word, 4096, 4))
    whole = draw(ring, law, shape=(4, 2), first=10, engine=_core.CpuEngine(1))
    assert np.array_equal(draw(ring, law, shape=(4, 2), first=10, engine=_core.CpuEngine(3)), whole)
    assert np.array_equal(draw(ring.slice(0, 2), law, shape=(4, 2), first=10), whole[:, :, :2])
    assert np.array_equal(draw(ring, law, shape=(2, 2), first=12), whole[2:])
    assert np.array_equal(draw(ring, law, shape=(4, 1), first=10), whole[:, :1])
    out = testing.PolyArray(ENGINE, ring, 4, 2)
    on(ENGINE).clear(out.view())
    on(ENGINE).sample(out.view().items(1, 2), law, testing.Seed(SEED), STREAM, 11)
    assert np.array_equal(out.to_host()[1:3], whole[1:3]) and not out.to_host()[::3].any()


@pytest.mark.parametrize("law", [UNIFORM, TERNARY, ERROR], ids=["uniform", "ternary", "error"])
def test_seeds_streams_items_and_parts_give_other_polynomials(law: Any) -> None:
    ring = ring_of(64, 256, [65537])
    streams = [testing.Stream(i) for i in range(1, 11)]
    draws = [draw(ring, law, shape=(3, 2), stream=stream) for stream in streams]
    draws.append(draw(ring, law, bytes([1, *SEED[1:]]), shape=(3, 2)))
    draws.append(draw(ring, law, bytes([*SEED[:-1], 0]), shape=(3, 2)))
    rows = np.concatenate([d.reshape(6, 256) for d in draws])
    assert len({row.tobytes() for row in rows}) == len(rows)


def test_a_uniform_draw_may_be_declared_a_transform() -> None:
    ring = ring_of(32, 64, transform_primes(32, 64, 2))
    assert np.array_equal(draw(ring, UNIFORM, domain=TRANSFORM), draw(ring, UNIFORM))
    for law in (TERNARY, ERROR):
        with pytest.raises(ArgumentError, match="coefficient domain"):
            draw(ring, law, domain=TRANSFORM)


def test_residues_that_the_law_does_not_fit_are_refused() -> None:
    """An error of 21 has no small residue modulo 21 or less."""
    for moduli in ([97, 21], [2], [13]):
        with pytest.raises(ArgumentError, match=r"up to 21 are no residues modulo \d+"):
            draw(ring_of(32, 8, moduli), ERROR)
    assert set(small(draw(ring_of(32, 1024, [22]), ERROR)[0, 0, 0], 22)) <= set(range(-11, 11))
    assert set(draw(ring_of(32, 64, [2]), TERNARY)[0, 0, 0].tolist()) == {0, 1}


def test_addresses_that_would_repeat_are_refused() -> None:
    ring = ring_of(32, 4, [97])
    last = draw(ring, UNIFORM, first=(1 << 32) - 1)
    assert last[0, 0, 0, 0] == sampling.uniform(SEED, 5, 0, (1 << 32) - 1, 0, 0, 97)
    with pytest.raises(ArgumentError, match="4294967296"):
        draw(ring, UNIFORM, shape=(2, 1), first=(1 << 32) - 1)
    with pytest.raises(ArgumentError, match="65536"):
        draw(ring, UNIFORM, shape=(1, 65537))


def test_001_11_ternary_draws_are_balanced() -> None:
    """As printed 254 of 256 draws would be zero; here each value has probability 1/3."""
    ring = ring_of(64, 1 << 15, [65537])
    counts = collections.Counter(x for row in draw(ring, TERNARY, shape=(4, 1))[:, 0, 0] for x in small(row, 65537))
    assert set(counts) == {-1, 0, 1}
    statistic, degrees = sampling.chi_square(counts, sampling.TERNARY_LAW)
    assert statistic < sampling.chi_square_limit(degrees)
    assert testing.ternary_value(0) == -1 and testing.ternary_value((1 << 64) - 1) == 1
    thirds = [(1 << 64) // 3, (1 << 64) * 2 // 3]
    assert [testing.ternary_value(x + d) for x in thirds for d in (0, 1)] == [-1, 0, 0, 1]


def test_the_error_law_is_centred_binomial_with_21_pairs() -> None:
    ring = ring_of(64, 1 << 15, [65537])
    values = [x for row in draw(ring, ERROR, shape=(6, 1))[:, 0, 0] for x in small(row, 65537)]
    statistic, degrees = sampling.chi_square(collections.Counter(values), sampling.ERROR_LAW)
    assert degrees > 15 and statistic < sampling.chi_square_limit(degrees)
    deviation = math.sqrt(sum(p * x * x for x, p in sampling.ERROR_LAW.items()))
    assert testing.error_deviation == pytest.approx(deviation, rel=1e-12) and testing.error_bound == 21
    assert np.std(values) == pytest.approx(deviation, rel=0.02)
    # Neighbouring coefficients have nothing to do with each other.
    assert abs(np.corrcoef(values[:-1], values[1:])[0, 1]) < 6 / math.sqrt(len(values))


@settings(max_examples=300)
@given(st.integers(0, (1 << 64) - 1))
def test_small_values_of_any_random_word(random: int) -> None:
    assert testing.ternary_value(random) == sampling.ternary(random)
    assert testing.error_value(random) == sampling.error(random)


def test_error_values_at_their_ends() -> None:
    low = (1 << 21) - 1
    assert testing.error_value(low) == 21 and testing.error_value(low << 21) == -21
    assert testing.error_value(((1 << 64) - 1) ^ low) == -21 and testing.error_value((1 << 64) - 1) == 0


@settings(max_examples=300)
@given(st.integers(0, (1 << 64) - 1), st.integers(0, (1 << 64) - 1), st.integers(2, (1 << 61) - 1))
def test_uniform_residues_of_any_random_words(low: int, high: int, q: int) -> None:
    assert testing.uniform_residue(low, high, q) == ((high << 64) + low) * q >> 128


@pytest.mark.parametrize("q", [2, 3, 12289, (1 << 31) - 1, *some_primes(55, 1, 1), (1 << 61) - 1])
def test_001_12_every_residue_can_be_drawn(q: int) -> None:
    """Each by as many of the 2^128 random numbers, give or take one; q - 1 too, which the printed law never gives."""
    top = (1 << 64) - 1
    assert testing.uniform_residue(top, top, q) == q - 1 and testing.uniform_residue(0, 0, q) == 0
    for residue in {1, q // 2, q - 1} - {0}:
        first = -(-(residue << 128) // q)  # the smallest random number that gives this residue
        assert testing.uniform_residue(first % (1 << 64), first >> 64, q) == residue
        assert testing.uniform_residue((first - 1) % (1 << 64), (first - 1) >> 64, q) == residue - 1
    printed = int(math.nextafter(1.0, 0.0) * (q - 1))  # the largest double below 1 times q - 1
    assert printed < q - 1


@WORD
def test_uniform_draws_are_uniform(word: int) -> None:
    moduli = [5, 97, *some_primes(31 if word == 32 else 61, 1, 1)]
    degree = 1 << 15
    result = draw(ring_of(word, degree, moduli), UNIFORM, shape=(3, 1))[:, 0]
    for limb, q in enumerate(moduli):
        values = result[:, limb].reshape(-1)
        cells = min(q, 64)
        counts = collections.Counter(int(v) * cells // q for v in values)
        edges = [-(-cell * q // cells) for cell in range(cells + 1)]
        law = {cell: (edges[cell + 1] - edges[cell]) / q for cell in range(cells)}
        statistic, degrees = sampling.chi_square(counts, law)
        assert statistic < sampling.chi_square_limit(degrees), q
        assert values.max() < q
    # The top prime lies next to a power of two, so each bit of its residues is set half of the time, the lowest too.
    wide = result[:, 2].reshape(-1)
    for bit in range(moduli[2].bit_length()):
        ones = np.count_nonzero(wide >> np.uint64(bit) & np.uint64(1))
        assert abs(ones - len(wide) / 2) < 6.5 * math.sqrt(len(wide) / 4), bit
    assert abs(np.corrcoef(result[0, 1].astype(float), result[0, 2].astype(float))[0, 1]) < 6.5 / math.sqrt(degree)


def test_system_seeds_differ() -> None:
    seeds = [testing.Seed.from_system().bytes for _ in range(8)]
    assert len(set(seeds)) == 8 and all(len(seed) == 32 for seed in seeds)
