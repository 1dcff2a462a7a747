# SPDX-License-Identifier: Apache-2.0
"""HPS over Q, in all primes and in as few as the noise allows, beside BEHZ: equal results and noise of one size, from
fresh ciphertexts down to the last bit (specification 5.6)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from cyclotome import _core
from cyclotome._core import testing
from cyclotome._core.testing import bfv, rlwe
from exact_noise import gaps
from oracles.integers import centred, random_below
from parties import Party, literal_of, product_of_values, slot_prime, small_literal

BEHZ, HPS, LEVELED = (getattr(bfv.ProductMethod, name) for name in ("behz", "hps_over_q", "hps_over_q_leveled"))
# word, degree, bits of t (1: t = 2), ciphertext primes, special primes, bits of the primes
SETS = [
    (32, 256, 17, 12, 3, 30),
    (32, 64, 1, 8, 2, 30),
    (64, 256, 17, 8, 2, 50),
    (64, 64, 20, 7, 2, 54),
    (64, 1024, 20, 8, 2, 54),
    (64, 64, 59, 12, 3, 60),
]


@pytest.fixture(params=SETS, ids=str)
def party(request: pytest.FixtureRequest, rng: np.random.Generator) -> Party:
    *sizes, bits = request.param
    return Party(literal_of((*sizes, 0, bits)), int(rng.integers(1 << 60)))


def mean_noise(party: Party, x: Any) -> float:
    return float(np.mean(_core.measured_noise(x, party.secret)))


def test_levels_cost_little_of_the_bound(party: Party, rng: np.random.Generator) -> None:
    """At every depth, from the same operand: an eighth of its bound for each factor, which says how low a product may
    go. What is measured is far below that bound, and may come nearer to it; without levels it is of one size."""
    values = random_below(rng, party.t(), (8, party.n))
    x, expected, fewest = party.encrypt(values, 1, False), values, len(party.moduli)
    for _ in range(7):
        level = bfv.product_level(x, x)
        fewest = min(fewest, level)
        results = {m: _core.relinearize(bfv.square(x, m), party.evaluation) for m in (BEHZ, HPS, LEVELED)}
        expected = product_of_values(expected, expected, False, party.t())
        if min(y.noise_headroom for y in results.values()) < 0:
            break
        for y in results.values():
            assert np.array_equal(party.decrypt(y, False), expected)
            gaps(party, y)
        noises = {m: mean_noise(party, y) for m, y in results.items()}
        assert results[LEVELED].noise[0] - results[HPS].noise[0] < 1.0, (level, noises)
        assert noises[HPS] - noises[BEHZ] < 0.5
        x = results[LEVELED]
    assert fewest < len(party.moduli)


def test_digits_of_dropped_primes_are_left_out_without_a_trace(party: Party, rng: np.random.Generator) -> None:
    """Product and relinearisation in one program leave out the digits that are zero; one after the other they can't
    know. The same residues, for squares and products, from the top level down to the lowest that is reached."""
    t, n = party.t(), party.n
    x = party.encrypt(random_below(rng, t, (2, n)), 1, False)
    y = party.encrypt(random_below(rng, t, (2, n)), 1, False)
    levels = set()
    for _ in range(7):
        levels.add(bfv.product_level(x, y))
        fused = [bfv.multiply_relinearized(x, y, party.evaluation), bfv.square_relinearized(x, party.evaluation)]
        parted = [_core.relinearize(z, party.evaluation) for z in (bfv.multiply(x, y), bfv.square(x))]
        for one, two in zip(fused, parted, strict=True):
            assert np.array_equal(rlwe.coefficients(one), rlwe.coefficients(two))
            assert one.noise == two.noise
        x, y = fused
        if x.noise_headroom < 0:
            break
    assert min(levels) < len(party.moduli)


def test_near_the_noise_limit_all_methods_agree(party: Party, rng: np.random.Generator) -> None:
    """Operands as noisy as their product allows: crafted, so that the product's exact noise is q/(2t) up to a few bits,
    and equal results as long as the textbook's own product decrypts."""
    t, n = party.t(), party.n
    book = party.textbook()
    growth = math.log2(t) + math.log2(n) + 2
    for slack in (14, 8, 4, 2):
        log2_noise = math.log2(party.q) - math.log2(t) - growth - slack
        if log2_noise < 1:
            continue
        m = random_below(rng, t, (2, n))
        crafted, operands = [], []
        for row in m:
            e = random_below(rng, 2 << int(log2_noise), n) - (1 << int(log2_noise))
            crafted.append(book.encrypt(row, party.s, random_below(rng, party.q, n), e))
            operands.append(party.crafted(crafted[-1], log2_max=log2_noise))
        exact = book.multiply(*crafted)
        expected = product_of_values(m[0], m[1], False, t)[0]
        assert np.array_equal(book.decrypt(exact, party.s), expected)
        exact_noise = max(abs(int(w)) for w in book.scaled_noise(exact, party.s))
        for method in (BEHZ, HPS, LEVELED):
            product = bfv.multiply(*operands, method)
            found = _core.decode_residues(testing.scheme.decrypt_unchecked(product, party.secret), False)[0] % t
            assert np.array_equal(found, expected), (slack, method)
            noise = max(abs(int(w)) for w in book.scaled_noise(party.parts(product)[0], party.s))
            assert math.log2(noise) - math.log2(exact_noise) < 0.5


@pytest.mark.parametrize("word", [32, 64])
def test_the_error_against_the_exact_quotient(rng: np.random.Generator, word: int) -> None:
    """round(t c c' / q) within what rounding the second factor to p and the result can do: n (t/2 + 1) (q/p) + 1, and
    within the dropped primes times the same at lower levels."""
    n, t = 64, slot_prime(64, 14)
    party = Party(small_literal(word, n, t, 6, 1, bits=29 if word == 32 else 50))
    rows = random_below(rng, party.q, (2, 3, 2, n))
    rows = centred(rows, party.q) * 15 // 16
    a, b = (party.crafted(part, log2_max=3.0) for part in rows)
    p = math.prod(bfv.hps_moduli(party.context, len(party.moduli)))
    allowed = 2 * n * (t + 1) * party.q // (2 * p) + 2
    product = bfv.multiply(a, b, HPS)
    assert np.array_equal(
        rlwe.coefficients(product), rlwe.coefficients(bfv.multiply(a, b, LEVELED))
    )  # too little noise to drop a prime
    for item, parts in enumerate(party.parts(product)):
        exact = party.textbook().multiply(rows[0, item], rows[1, item])
        for part, expected in zip(parts, exact, strict=True):
            assert abs(centred(part - expected, party.q)).max() <= allowed
