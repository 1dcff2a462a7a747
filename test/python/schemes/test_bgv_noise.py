# SPDX-License-Identifier: Apache-2.0
"""BGV's public noise bound against the exact phase: never below it, and not absurdly above it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from bgv_party import BgvParty, bgv_literal
from cyclotome import _core
from cyclotome._core import testing
from cyclotome._core.testing import deterministic, rlwe
from exact_noise import gaps, norms_of_rows
from oracles.integers import centred, random_below
from oracles.noise import Ring, Scheme
from parties import galois_group, literal_of

# word, degree, bits of t (1: t = 2), ciphertext primes, special primes, digits, bits of the primes, samples
SETS = [
    (64, 16, 14, 6, 1, 0, 50, 256),
    (64, 64, 1, 6, 0, 0, 55, 256),
    (64, 64, 17, 5, 1, 0, 55, 256),
    (32, 64, 17, 10, 0, 0, 30, 128),
    (32, 256, 20, 12, 4, 3, 30, 48),
    (64, 1024, 20, 6, 2, 3, 50, 16),
    (32, 1024, 1, 8, 2, 0, 30, 16),
]


@pytest.fixture(params=SETS, ids=str)
def case(request: pytest.FixtureRequest, rng: np.random.Generator) -> tuple[BgvParty, Any, Any]:
    """A party, its fresh public-key encryptions and their values."""
    *case, samples = request.param
    literal, degree = literal_of(case, bgv_literal), case[1]
    party = BgvParty(literal, int(rng.integers(1 << 60)), galois=rlwe.slot_sum_elements(galois_group(degree)))
    t = party.t()
    values = random_below(rng, t, (samples, degree))
    values[0] = values[0] * 0 + t // 2  # the longest message in the directions that powers grow in
    return party, party.encrypt(values, int(rng.integers(1 << 60)), slots=False), values


def assert_bounded(party: BgvParty, ciphertext: Any, loose_bits: float = 12.0) -> None:
    """The largest coefficient of every sample is below its bound, and at most loose_bits below; the other norms, of a
    few samples, are below theirs."""
    measured, bound = max(_core.measured_noise(ciphertext, party.secret)), ciphertext.noise[0]
    assert measured <= bound, (measured, bound)
    assert bound - measured <= loose_bits, (measured, bound)
    gaps(party, _core.take(ciphertext, list(range(min(4, ciphertext.batch)))))


def test_fresh_encryptions(case: Any, rng: np.random.Generator) -> None:
    """At most a message's worst case above: n t/2 on a root of unity, where a random one has sqrt(n/12) t."""
    party, x, values = case
    message = 0.5 * math.log2(party.n) + 2  # the message counts with its largest canonical norm
    assert_bounded(party, x, loose_bits=4 + message)
    symmetric = party.encrypt(values, int(rng.integers(1 << 60)), slots=False, symmetric=True)
    assert_bounded(party, symmetric, loose_bits=4 + message)
    assert_bounded(
        party, deterministic.rerandomize(x, party.public, testing.Seed(rng.bytes(32))), loose_bits=5 + message
    )
    assert_bounded(party, testing.scheme.add_plain(x, party.plaintext(values, slots=False)), loose_bits=6 + message)


def test_sums_of_one_ciphertext_with_itself_and_of_many(case: Any) -> None:
    party, x, _ = case
    loose = 6 + 0.5 * math.log2(party.n)
    total = x
    for _ in range(6):
        total = _core.add(total, total)
    assert_bounded(party, total, loose)
    assert_bounded(party, rlwe.multiply_scalar(x, -1000), loose)
    assert_bounded(party, rlwe.sum_groups(_core.take(x, [0] * 8 + [1] * 8), 8), loose)
    same = _core.take(x, [0] * x.batch)
    assert_bounded(party, rlwe.linear_combination(same, [1] * x.batch, 1), loose)


@pytest.mark.parametrize("parts", [2, 3])
def test_switches_down_to_the_last_level(case: Any, parts: int) -> None:
    """The floor that rounding leaves, t sqrt((1 + 2n/3)/12), and more for s^2 in a product of three parts."""
    party, x, _ = case
    y = x if parts == 2 else testing.bgv.multiply(x, _core.take(x, [0]), automatic=False)
    while y.limbs > 1 and y.noise_headroom >= 0:
        y = testing.bgv.switch_modulus(y)
        assert_bounded(party, y, loose_bits=12 + 0.5 * math.log2(party.n))
    floor = Ring(party.n).rounded(parts).times(party.t()).logarithms()
    assert y.noise[0] <= floor[0] + 1 or y.noise_headroom < 0


def test_the_floor_is_that_of_rounding(case: Any) -> None:
    """Of fresh ciphertexts far above it, one switch leaves t sqrt((1 + 2n/3)/12) and no more: within half a bit, and
    what the weight of one secret and a sample of one size allow: 4 / sqrt(n) bits are more than five deviations."""
    party, _, values = case
    big = rlwe.multiply_scalar(party.encrypt(values * 0, 1, slots=False), 1)
    y = testing.bgv.switch_modulus(big)
    phases = party.phases(y).astype(float)
    spread = 4 / math.sqrt(party.n)
    deviation = party.t() * math.sqrt((1 + 2 * party.n / 3) / 12)
    assert math.log2(phases.std()) == pytest.approx(math.log2(deviation), abs=0.5 + spread)
    assert y.noise[1] >= math.log2(phases.std())


def deepen(party: BgvParty, x: Any, step: Callable[[Any], Any], levels: int) -> None:
    """Bounded at every level and degree, since nothing is taken to be random but what was drawn."""
    for level in range(1, levels + 1):
        x = _core.relinearize(step(x), party.evaluation)
        assert x.noise_headroom >= 0 or level > 1
        if x.noise_headroom < 0:
            return
        assert_bounded(party, x, loose_bits=14.0 + 0.5 * math.log2(party.n) if level <= 2 else 90.0)


@pytest.mark.parametrize("automatic", [True, False])
def test_powers_by_squaring(case: Any, automatic: bool) -> None:
    """x^2, x^4, ...: the two factors' phases are the same; without switches their moments grow as factorials."""
    party, x, _ = case
    deepen(party, x, lambda y: testing.bgv.square(y, automatic=automatic), 3)


@pytest.mark.parametrize("automatic", [True, False])
def test_products_with_one_ciphertext_again_and_again(case: Any, automatic: bool) -> None:
    """x c, x c c, ...: the phase of c repeats."""
    party, x, _ = case
    constant = _core.take(x, [0])
    deepen(party, x, lambda y: testing.bgv.multiply(y, constant, automatic=automatic), 3)


def test_one_switch_after_every_product(case: Any) -> None:
    party, x, _ = case

    def step(y: Any) -> Any:
        product = testing.bgv.square(y, automatic=False)
        return testing.bgv.switch_modulus(product) if product.limbs > 1 else product

    deepen(party, x, step, 3)


def test_sums_and_rotations_at_lower_levels(case: Any) -> None:
    party, x, _ = case
    y = testing.scheme.switch_to_level(x, party.top - 1)
    assert_bounded(party, _core.add(x, y), 12 + math.log2(party.n))
    assert_bounded(party, _core.apply_galois(y, 3, party.evaluation), 8 + math.log2(party.n))
    total = rlwe.sum_slots(y, party.evaluation)
    if total.noise_headroom >= 0:
        assert_bounded(party, total, 10 + 2 * math.log2(party.n))


def test_a_key_switch_adds_what_the_formula_says(rng: np.random.Generator) -> None:
    """Of a noiseless ciphertext: t sqrt(sum n D^2/12) sigma / P and the rounding, within a bit (5.11 (7)); the bound is
    the oracle's, above that by digits' and roundings' worst cases."""
    for word, bits, special, t in [(64, 50, 1, 257), (64, 50, 0, 257), (32, 30, 2, 65537), (32, 30, 0, 2)]:
        n = 512
        party = BgvParty(bgv_literal(word, n, t, 4, special, bits=bits), int(rng.integers(1 << 60)), galois=[3])
        for level in (4, 3, 2):
            a = random_below(rng, party.book(level).q, (6, n))
            zero = np.zeros(n, dtype=object)
            rows = [party.book(level).encrypt(zero, party.s, row, zero) for row in a]
            y = _core.apply_galois(party.made(rows, level), 3, party.evaluation)
            phases = party.phases(y)
            assert not np.any(phases % t)
            deviation = math.log2(centred(phases, party.book(level).q).astype(float).std())
            variance = sum(n / 12 * 10.5 * (d / party.special) ** 2 for d in digits_of(party, level))
            variance += (1 + 2 * n / 3) / 12 if special else 0
            assert abs(deviation - math.log2(t * math.sqrt(variance))) <= 1, (word, special, level)
            stated = rlwe.key_switch_noise(party.context, level, 0)
            assert stated == pytest.approx(Scheme(party.parameters, bgv=True).key_switch(level).logarithms(), abs=1e-9)
            assert np.all(norms_of_rows(phases) <= np.array(stated) + 1e-9)


def digits_of(party: BgvParty, level: int) -> list[int]:
    """Products of the primes of each digit that is present at a level."""
    per_digit = testing.primes_per_digit(party.parameters)
    return [math.prod(party.moduli[i : min(level, i + per_digit)]) for i in range(0, level, per_digit)]
