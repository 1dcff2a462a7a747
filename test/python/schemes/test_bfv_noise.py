# SPDX-License-Identifier: Apache-2.0
"""The public noise bound against the exact noise: never below it, and not absurdly above it."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from cyclotome import _core
from cyclotome._core import testing
from cyclotome._core.testing import bfv, deterministic, rlwe
from cyclotome.errors import NoiseError
from exact_noise import gaps
from oracles.integers import centred, random_below
from oracles.noise import Ring
from parties import Party, galois_group, literal_of

# word, degree, bits of t, ciphertext primes, special primes, digits, bits of the primes, samples
SETS = [
    (64, 16, 14, 6, 1, 0, 50, 512),
    (64, 64, 17, 5, 1, 0, 55, 256),
    (32, 64, 17, 10, 0, 0, 30, 128),
    (32, 256, 20, 12, 4, 3, 30, 64),
    (64, 1024, 20, 6, 2, 3, 50, 24),
    (32, 1024, 17, 9, 0, 0, 30, 24),
]
METHODS = [bfv.ProductMethod.behz, bfv.ProductMethod.hps_over_q, bfv.ProductMethod.hps_over_q_leveled]
EVERY_METHOD = pytest.mark.parametrize("method", METHODS, ids=["behz", "hps_over_q", "leveled"])


@pytest.fixture(params=SETS, ids=str)
def case(request: pytest.FixtureRequest, rng: np.random.Generator) -> tuple[Party, Any, Any]:
    """A party, its fresh public-key encryptions and their values."""
    *case, samples = request.param
    literal, degree = literal_of(case), case[1]
    party = Party(literal, int(rng.integers(1 << 60)), galois=rlwe.slot_sum_elements(galois_group(degree)))
    values = random_below(rng, party.t(), (samples, degree))
    return party, party.encrypt(values, int(rng.integers(1 << 60)), slots=True), values


def assert_bounded(party: Party, ciphertext: Any, loose_bits: float = 12.0) -> None:
    """The largest coefficient of every sample is below its bound, and at most loose_bits below; the other norms, of a
    few samples, are below theirs."""
    measured = max(_core.measured_noise(ciphertext, party.secret))
    assert measured <= ciphertext.noise[0]
    assert ciphertext.noise[0] - measured <= loose_bits
    gaps(party, _core.take(ciphertext, list(range(min(4, ciphertext.batch)))))


def test_fresh_encryptions(case: Any, rng: np.random.Generator) -> None:
    party, x, values = case
    assert_bounded(party, x, loose_bits=4)
    symmetric = party.encrypt(values, int(rng.integers(1 << 60)), slots=True, symmetric=True)
    assert_bounded(party, symmetric, loose_bits=4)
    assert symmetric.noise[0] < x.noise[0] or party.special > 1
    assert_bounded(party, deterministic.rerandomize(x, party.public, testing.Seed(rng.bytes(32))), loose_bits=5)
    assert_bounded(party, testing.scheme.add_plain(x, party.plaintext(values, slots=True)), loose_bits=5)


def test_the_mean_square_of_a_fresh_ciphertext_is_near_its_bound(case: Any) -> None:
    """Long polynomials' mean squares have hardly a tail: above the measured one by what a rounding's worst case (1/2 in
    place of 1/sqrt(12), and times s by eigenvalues) and the keys' allowances take."""
    party, x, _ = case
    noise = np.concatenate(
        [party.textbook().scaled_noise(c, party.s).astype(float) / party.t() for c in party.parts(x)[:8]]
    )
    tail = float(Ring(party.n).mean_square_tail(Decimal(8)))
    assert 0 < x.noise[1] - math.log2(noise.std()) < 3.5 + math.log2(tail)


def test_sums_of_one_ciphertext_with_itself_and_of_many(case: Any) -> None:
    party, x, _ = case
    total = x
    for _ in range(6):
        total = _core.add(total, total)
    assert_bounded(party, total, loose_bits=4)
    assert_bounded(party, rlwe.multiply_scalar(x, -1000), loose_bits=4)
    assert_bounded(party, testing.scheme.subtract(x, rlwe.multiply_scalar(x, -3)), loose_bits=4)
    assert_bounded(party, rlwe.sum_groups(_core.take(x, [0] * 8 + [1] * 8), 8), loose_bits=5)
    row = [3, -5, 7, 2] * (x.batch // 4)
    assert_bounded(party, rlwe.linear_combination(x, row, 1))
    same = _core.take(x, [0] * x.batch)
    assert_bounded(party, rlwe.linear_combination(same, [1] * x.batch, 1), loose_bits=5)


def deepen(party: Party, x: Any, step: Callable[[Any], Any], levels: int) -> int:
    """Bounded at every level; operands that are as good as random leave about 4.5 bits of it unused at each. Returns
    the levels that decrypt.

    In tiny rings one key or one ciphertext is far from the average, and more so with every power of it.
    """
    per_level = 5.0 if party.n >= 64 else 7.0
    for level in range(1, levels + 1):
        x = _core.relinearize(step(x), party.evaluation)
        if x.noise_headroom < 0:
            return level - 1
        assert_bounded(party, x, loose_bits=4 + per_level * level)
    return levels


@EVERY_METHOD
def test_powers_by_squaring(case: Any, method: Any) -> None:
    """x^2, x^4, ...: the two factors' noises are the same, and so are secret and quotients."""
    party, x, _ = case
    assert deepen(party, x, lambda y: bfv.square(y, method), 5) >= 3


@EVERY_METHOD
def test_products_with_one_ciphertext_again_and_again(case: Any, method: Any) -> None:
    """x c, x c c, ...: the secret and the quotient of c repeat, which is where moments grow as factorials."""
    party, x, _ = case
    constant = _core.take(x, [0])
    assert deepen(party, x, lambda y: bfv.multiply(y, constant, method), 6) >= 3
    assert deepen(party, x, lambda y: bfv.multiply(constant, y, method), 3) == 3


@EVERY_METHOD
def test_products_of_quiet_doubled_and_mixed_operands(case: Any, method: Any) -> None:
    party, x, values = case
    quietest = party.encrypt(values, 1, slots=True, symmetric=True)
    assert_bounded(party, bfv.multiply(quietest, quietest, method), loose_bits=10)
    assert_bounded(party, bfv.multiply(x, _core.take(x, list(range(x.batch))[::-1]), method), loose_bits=9)
    doubled = _core.add(x, x)
    assert_bounded(party, bfv.multiply(doubled, doubled, method), loose_bits=9)
    assert_bounded(party, _core.add(bfv.square(x, method), x), loose_bits=9)
    # Factors with hardly any noise, so that what the method itself adds is what is measured.
    quiet = rlwe.multiply_scalar(testing.scheme.subtract(x, x), 1)
    body = party.plaintext(np.ones(party.n, dtype=object), slots=False)
    assert_bounded(party, bfv.multiply(testing.scheme.add_plain(quiet, body), x, method), loose_bits=20)


def adversarial_plaintexts(party: Party, rng: np.random.Generator) -> dict[str, Any]:
    """Plaintexts that make the most of noise: flat, peaked on one root of unity, or as long as coefficients allow."""
    n, half = party.n, party.t() // 2
    peaked = np.array([half * round(math.cos(math.pi * 5 * j / n)) for j in range(n)], dtype=object)
    monomial = np.zeros(n, dtype=object)
    monomial[n - 1] = -half
    constant = np.zeros(n, dtype=object)
    constant[0] = half
    return {
        "constant": constant,
        "monomial": monomial,
        "ones": np.ones(n, dtype=object),
        "halves": np.full(n, half, dtype=object),
        "signs": rng.choice([-half, half], n).astype(object),
        "peaked": peaked,
        "random": random_below(rng, party.t(), n),
    }


def test_products_with_adversarial_plaintexts(case: Any, rng: np.random.Generator) -> None:
    party, x, _ = case
    square = _core.relinearize(bfv.square(x), party.evaluation)
    for m in adversarial_plaintexts(party, rng).values():
        plaintext = party.plaintext(m, slots=False)
        once = _core.multiply_plain(x, plaintext)
        assert_bounded(party, once)
        assert_bounded(party, _core.multiply_plain(once, plaintext))
        assert_bounded(party, _core.multiply_plain(square, plaintext), loose_bits=14)
        # A plaintext that is correlated with the message, and so with the rounding of q m / t.
        again = party.encrypt(m, int(rng.integers(1 << 60)), slots=False, symmetric=True)
        assert_bounded(party, _core.multiply_plain(again, plaintext))


def test_plaintexts_norms_are_those_of_their_centred_polynomials(case: Any, rng: np.random.Generator) -> None:
    """By definition: the largest |m(zeta)| over the roots zeta of x^n + 1, and the lengths of the coefficients'
    vector."""
    party, _, _ = case
    n, t = party.n, party.t()
    odd = np.arange(1, 2 * n, 2)
    for m in adversarial_plaintexts(party, rng).values():
        signed = centred(np.asarray(m, dtype=object), t).astype(np.float64)
        exponents = np.outer(odd, np.arange(n)) % (2 * n)
        values = np.abs(np.exp(1j * np.pi * exponents / n) @ signed)
        found = rlwe.norms(party.plaintext(m, slots=False))
        assert found == testing.norms_of([int(x) for x in signed])
        one, squares = int(np.abs(signed).sum()), sum(int(x) ** 2 for x in signed)
        for norm, exact in zip(found, [values.max(), math.sqrt(squares), one], strict=True):
            assert exact * (1 - 1e-9) <= norm <= max(1, exact * (1 + 1e-5) + 1e-6)
        assert Fraction(found[1]) ** 2 >= squares and Fraction(found[2]) >= one


def test_rotations_and_sums_over_slots(case: Any) -> None:
    party, x, _ = case
    assert_bounded(party, rlwe.rotate_rows(x, 1, party.evaluation), loose_bits=6)
    assert_bounded(party, rlwe.rotate_columns(x, party.evaluation), loose_bits=6)
    assert_bounded(party, rlwe.sum_slots(x, party.evaluation))
    square = _core.relinearize(bfv.square(x), party.evaluation)
    assert_bounded(party, rlwe.sum_slots(square, party.evaluation))


def test_noise_budget_and_measured_noise_equal_the_big_integer_computation(case: Any) -> None:
    """SEAL's definition of the budget, from composed integers; 0 when there is none left."""
    party, x, _ = case
    few = _core.take(x, [0, 1])
    seen = set()
    for ciphertext in [few, bfv.square(few), _core.relinearize(bfv.square(few), party.evaluation)]:
        budgets, measured = _core.noise_budget(ciphertext, party.secret), _core.measured_noise(ciphertext, party.secret)
        for item, c in enumerate(party.parts(ciphertext)):
            assert budgets[item] == party.textbook().noise_budget(c, party.s)
            largest = max(abs(int(w)) for w in party.textbook().scaled_noise(c, party.s))
            assert measured[item] == pytest.approx(math.log2(largest) - math.log2(party.t()), abs=1e-9)
            seen.add(budgets[item])
    assert len(seen) > 1 and min(seen) > 0
    garbage = rlwe.multiply_scalar(few, party.q // party.t() % (1 << 62))
    for _ in range(5):
        garbage = _core.add(rlwe.multiply_scalar(garbage, (1 << 62) - 1), few)
    assert max(_core.noise_budget(garbage, party.secret)) <= 1
    for item, c in enumerate(party.parts(garbage)):
        assert _core.noise_budget(garbage, party.secret)[item] == party.textbook().noise_budget(c, party.s)


def test_headroom_predicts_how_often_the_noise_may_double(case: Any) -> None:
    """Sums x + x + ... decrypt while headroom lasts, are refused after, and the refusal comes before garbage."""
    party, x, values = case
    few, expected = _core.take(x, [0]), values[:1]
    start = few.noise_headroom
    for doublings in range(1, 400):
        few, expected = _core.add(few, few), expected * 2 % party.t()
        assert few.noise_headroom == pytest.approx(start - doublings, abs=1e-6)
        if few.noise_headroom < 0:
            break
        assert np.array_equal(party.decrypt(few, slots=True), expected)
    assert doublings == math.floor(start) + 1
    with pytest.raises(NoiseError, match=r"1 bits beyond"):
        _core.decrypt(few, party.secret)
