# SPDX-License-Identifier: Apache-2.0
"""Key switching (specification 5.7): its noise against the formula, for every grouping of the primes into digits."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from cyclotome import _core
from cyclotome._core import testing
from cyclotome._core.testing import rlwe
from exact_noise import norms_of_rows
from oracles.integers import centred, compose, integers, random_below, round_half_up
from oracles.noise import Scheme
from oracles.textbook_bfv import negacyclic_product
from parties import Party, small_literal

SIGMA = math.sqrt(10.5)  # centred binomial with 21 pairs
DEGREE, PRIMES = 256, 8
# word, special primes, digits asked for, bits of the primes; digits are those that result
CASES = [
    (word, special, digits, bits)
    for word, sizes in [(32, (30, 27)), (64, (61, 45))]
    for bits in sizes
    for special, digits in [(0, 0), (1, 8), (2, 4), (4, 2), (8, 1), (2, 0), (3, 0), (3, 4), (9, 1), (3, 8)]
]


def digit_products(party: Party) -> list[int]:
    per_digit = -(-len(party.moduli) // party.parameters.digits)
    return [math.prod(party.moduli[i : i + per_digit]) for i in range(0, len(party.moduli), per_digit)]


def predicted_deviation(party: Party) -> float:
    """sqrt(sum over digits of n D_j^2/12 sigma^2) / P, and sqrt((1 + 2n/3)/12) from the division by P."""
    variance = sum(party.n / 12 * (d / party.special * SIGMA) ** 2 for d in digit_products(party))
    if party.special > 1:
        variance += (1 + 2 * party.n / 3) / 12
    return math.sqrt(variance)


def after_noise(party: Party) -> Any:
    """The bound by the oracle."""
    return pytest.approx(Scheme(party.parameters, bgv=False).key_switch().logarithms(), abs=1e-9)


@pytest.mark.parametrize(("word", "special", "digits", "bits"), CASES)
def test_5_11_7_noise_of_a_key_switch_is_within_a_bit_of_the_formula(
    rng: np.random.Generator, word: int, special: int, digits: int, bits: int
) -> None:
    """(0, 0, c2) with uniform c2 is relinearised: the phase moves by the key switch's noise and nothing else."""
    party = Party(small_literal(word, DEGREE, 257, PRIMES, special, digits, bits), int(rng.integers(1 << 60)))
    assert rlwe.digits(party.context) == party.parameters.digits == len(digit_products(party))
    if digits:
        assert party.parameters.digits == digits
    assert rlwe.key_switch_noise(party.context, PRIMES, 0) == after_noise(party)
    c2 = random_below(rng, party.q, (4, DEGREE))
    zero = np.zeros_like(c2)
    before = party.crafted(np.stack([zero, zero, c2], axis=1))
    after = _core.relinearize(before, party.evaluation)
    assert after.parts == 2 and after.noise == after_noise(party)
    differences = []
    for old, new in zip(party.parts(before), party.parts(after), strict=True):
        moved = party.textbook().phase(new, party.s) - party.textbook().phase(old, party.s)
        differences.append(centred(moved, party.q))
    measured = math.log2(np.concatenate(differences).astype(float).std())
    assert abs(measured - math.log2(predicted_deviation(party))) < 1
    stated = rlwe.key_switch_noise(party.context, PRIMES, 0)
    assert np.all(norms_of_rows(np.array(differences, dtype=object)) <= np.array(stated) + 1e-9)


@pytest.mark.parametrize(("word", "special", "digits", "bits"), CASES[::3])
def test_key_switching_is_the_formula_exactly(
    rng: np.random.Generator, word: int, special: int, digits: int, bits: int
) -> None:
    """out = round((sum over j of [c]_{D_j} key_j) / P) in Python integers, digits centred, one key after the other."""
    party = Party(small_literal(word, 32, 257, PRIMES, special, digits, bits), int(rng.integers(1 << 60)))
    c2 = random_below(rng, party.q, 32)
    zero = np.zeros_like(c2)
    (after,) = party.parts(_core.relinearize(party.crafted([zero, zero, c2]), party.evaluation))
    key_moduli = rlwe.key_ring(party.context).basis.moduli
    keys = compose(rlwe.coefficients(rlwe.relinearization(party.evaluation)), key_moduli)
    for b in range(2):
        product = sum(negacyclic_product(centred(c2 % d, d), keys[j, b]) for j, d in enumerate(digit_products(party)))
        product = product % (party.q * party.special)
        assert np.array_equal(after[b], round_half_up(product, party.special) % party.q)


@pytest.mark.parametrize(("word", "special", "digits", "bits"), CASES[::3])
def test_switching_keys_satisfy_their_equation_modulo_every_prime(
    rng: np.random.Generator, word: int, special: int, digits: int, bits: int
) -> None:
    """b_j = -(a_j s + e_j) + P g_j w with small e_j; P g_j = P modulo the primes of digit j and 0 modulo all others;
    a_j expands from the seed that is stored in its place. w = s^2, and s(x^g) for Galois keys."""
    n = 64
    party = Party(
        small_literal(word, n, 257, PRIMES, special, digits, bits), int(rng.integers(1 << 60)), galois=[3, 127]
    )
    ring, s = rlwe.key_ring(party.context), party.s
    modulus = math.prod(ring.basis.moduli)
    per_digit = testing.primes_per_digit(party.parameters)
    rotated = {g: np.array([0] * n, dtype=object) for g in (3, 127)}
    for g, target in rotated.items():
        for i in range(n):
            target[i * g % n] += int(s[i]) * (1 if i * g % (2 * n) < n else -1)
    for key, target in [
        (rlwe.relinearization(party.evaluation), negacyclic_product(s, s)),
        (rlwe.galois(party.evaluation, 3), rotated[3]),
        (rlwe.galois(party.evaluation, 127), rotated[127]),
    ]:
        residues = rlwe.coefficients(key)
        assert residues.shape == (party.parameters.digits, 2, ring.limbs, n)
        assert np.array_equal(
            residues[:, 1], rlwe.expand_uniform(party.context, party.parameters.digits, rlwe.uniform_seed(key))[:, 0]
        )
        keys = compose(residues, ring.basis.moduli)
        for j in range(party.parameters.digits):
            factors = rlwe.gadget_factors(party.context, j)
            chosen = [special + i for i in range(j * per_digit, min((j + 1) * per_digit, PRIMES))]
            for limb, q in enumerate(ring.basis.moduli):
                assert factors[limb] == (party.special % q if limb in chosen else 0)
            gadget = int(compose(np.array(factors, dtype=np.uint64)[:, None], ring.basis.moduli)[0])
            error = centred(gadget * target - keys[j, 0] - negacyclic_product(keys[j, 1], s), modulus)
            assert max(abs(int(e)) for e in error) <= 21 and len(set(error)) > 5


@pytest.mark.parametrize("word", [32, 64])
def test_switching_keys_of_different_elements_share_nothing(word: int) -> None:
    """Every key and every digit has errors and uniform halves of its own: equal ones would reveal the secret."""
    party = Party(small_literal(word, 64, 257, 4, 1), galois=[3, 9, 127])
    keys = [rlwe.relinearization(party.evaluation), *(rlwe.galois(party.evaluation, g) for g in (3, 9, 127))]
    uniform = [rlwe.residues(key)[j, 1].tobytes() for key in keys for j in range(4)]
    uniform.append(rlwe.residues(party.public)[0, 1].tobytes())
    assert len(set(uniform)) == len(uniform)
    seeds = {rlwe.uniform_seed(key).bytes for key in keys} | {rlwe.uniform_seed(party.public).bytes}
    assert len(seeds) == 5
    errors: list[Any] = []
    for key in keys:
        for pair in compose(rlwe.coefficients(key), rlwe.key_ring(party.context).basis.moduli):
            masked = integers(pair[0] + negacyclic_product(pair[1], party.s))
            errors.append(tuple(int(x) % party.special for x in masked))  # the gadget vanishes modulo P
    assert len(set(errors)) == len(errors) == 16
