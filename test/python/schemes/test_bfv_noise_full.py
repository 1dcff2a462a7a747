# SPDX-License-Identifier: Apache-2.0
"""Noise statistics at full size: real 128-bit parameters, many samples, some minutes. Run by `make test-full`.

Millions of coefficients say that the noise stays below the bound, not far below it, and, where it is a sum of
independent terms, below 6.5 of its measured deviations (a Gaussian exceeds 6.5 with probability 2^-33): tails are what
the atoms' bounds take them for.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from cyclotome import _core
from cyclotome._core import testing
from cyclotome._core.testing import bfv, deterministic, rlwe
from exact_noise import gaps, norms_of
from literals import Intent, ParametersLiteral
from parties import Party, galois_group

pytestmark = pytest.mark.full

SAMPLES = {8192: 512, 16384: 256}
GAUSSIAN = math.log2(6.5)


def suggested(word: int, degree: int) -> Any:
    intent = Intent()
    intent.depth, intent.value_bits, intent.result_bits = 2 if degree == 8192 else 4, 8, 16
    intent.terms, intent.plain_products, intent.word, intent.min_degree = 4, 0, word, degree
    parameters = intent.suggested()
    assert parameters.degree == degree and parameters.security_reached >= 128
    return ParametersLiteral.of(parameters)


SETS = {
    "seal-8192": lambda: ParametersLiteral.of(_core.preset("seal-8192", False)),
    "seal-16384": lambda: ParametersLiteral.of(_core.preset("seal-16384", False)),
    "suggested-8192-32": lambda: suggested(32, 8192),
    "suggested-8192-64": lambda: suggested(64, 8192),
    "suggested-16384-32": lambda: suggested(32, 16384),
    "suggested-16384-64": lambda: suggested(64, 16384),
}


@pytest.fixture(scope="module", params=SETS)
def party(request: pytest.FixtureRequest) -> Party:
    literal = SETS[request.param]()
    return Party(literal, galois=rlwe.slot_sum_elements(galois_group(literal.degree)))


@pytest.fixture
def fresh(party: Party, rng: np.random.Generator) -> tuple[Any, Any]:
    """Many public-key encryptions of random values, and the values in [-t/2, t/2)."""
    t = party.t()
    values = rng.integers(-(t // 2), (t + 1) // 2, (SAMPLES[party.n], party.n))
    encoded = _core.encode_residues(party.context, 0, True, values)
    return deterministic.encrypt(encoded, party.public, testing.Seed(rng.bytes(32))), values


def assert_bounded(party: Party, ciphertext: Any, loose_bits: float, gaussian: bool = False) -> None:
    measured = _core.measured_noise(ciphertext, party.secret)
    print(f"bound 2^{ciphertext.noise[0]:.2f}, largest of {len(measured)} samples 2^{max(measured):.2f}")
    assert max(measured) <= ciphertext.noise[0]
    assert ciphertext.noise[0] - max(measured) <= loose_bits
    few = _core.take(ciphertext, list(range(min(8, ciphertext.batch))))
    gaps(party, few)
    if gaussian:
        deviation = math.log2(np.sqrt(np.mean(4.0 ** norms_of(party, few)[:, 1])))
        assert max(measured) <= deviation + GAUSSIAN


def some(party: Party, ciphertext: Any, count: int) -> Any:
    return _core.take(ciphertext, list(range(min(count, ciphertext.batch))))


def test_fresh_noise_is_gaussian_in_its_deviation(party: Party, fresh: Any, rng: np.random.Generator) -> None:
    x, values = fresh
    assert_bounded(party, x, 6, gaussian=True)
    assert np.array_equal(_core.decode_residues(_core.decrypt(x, party.secret), True), values)
    encoded = _core.encode_residues(party.context, 0, True, values)
    symmetric = deterministic.encrypt(encoded, party.secret, testing.Seed(rng.bytes(32)))
    assert_bounded(party, symmetric, 2.5, gaussian=True)


def test_rotations_and_sums_of_all_slots(party: Party, fresh: Any) -> None:
    x, values = some(party, fresh[0], 64), fresh[1][:64]
    assert_bounded(party, rlwe.rotate_rows(x, 1, party.evaluation), 8, gaussian=True)
    total = rlwe.sum_slots(x, party.evaluation)
    assert_bounded(party, total, 9)
    t = party.t()
    expected = (values.sum(axis=1, keepdims=True) + t // 2) % t - t // 2
    assert np.array_equal(
        _core.decode_residues(_core.decrypt(total, party.secret), True), np.broadcast_to(expected, values.shape)
    )


@pytest.mark.parametrize("method", ["behz", "hps_over_q", "hps_over_q_leveled"])
def test_powers_stay_below_their_bounds_and_decrypt(party: Party, fresh: Any, method: str) -> None:
    x, values = some(party, fresh[0], 64), fresh[1][:64].astype(object)
    t, depth = party.t(), 0
    while True:
        x = _core.relinearize(bfv.square(x, getattr(bfv.ProductMethod, method)), party.evaluation)
        if x.noise_headroom < 0:
            break
        depth, values = depth + 1, values * values % t
        assert_bounded(party, x, 5 + 5 * depth)
        assert np.array_equal(_core.decode_residues(_core.decrypt(x, party.secret), True) % t, values)
    assert depth == len(testing.noise_by_depth(party.parameters)) - 1 >= 2


def test_products_with_one_ciphertext_stay_below_their_bounds(party: Party, fresh: Any) -> None:
    x, depth = some(party, fresh[0], 32), 0
    constant = _core.take(x, [0])
    while True:
        x = _core.relinearize(_core.multiply(x, constant), party.evaluation)
        if x.noise_headroom < 0:
            break
        depth += 1
        assert_bounded(party, x, 5 + 5 * depth)
    assert depth >= 2


def test_plaintext_products_stay_below_their_bounds(party: Party, fresh: Any, rng: np.random.Generator) -> None:
    x, n, half = some(party, fresh[0], 32), party.n, party.t() // 2
    peaked = [half * round(math.cos(math.pi * 9 * j / n)) for j in range(n)]
    for m in [[half] * n, [0] * (n - 1) + [half], rng.choice([-half, half], n).tolist(), peaked]:
        plaintext = _core.encode_residues(party.context, 0, False, np.array([m], dtype=np.int64))
        assert_bounded(party, _core.multiply_plain(x, plaintext), 12)
