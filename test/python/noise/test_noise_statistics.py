# SPDX-License-Identifier: Apache-2.0
"""What is drawn, against the tails that its bounds are made of: encryptions' errors, keys that are checked, and
squares of rounding errors. Some thousands in every run; `full` counts as many as show events of probability 10^-5."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from bgv_party import BgvParty, bgv_literal
from cyclotome import _core
from cyclotome._core import testing
from cyclotome._core.testing import deterministic, rlwe
from cyclotome.errors import CyclotomeError
from numpy.typing import NDArray
from oracles.noise import ERROR_SQUARE, WEIGHT, Ring, error_is_fit, secret_is_fit
from parties import Party, seed, slot_prime, small_literal

SIZES = [pytest.param(2000, id="2000"), pytest.param(100_000, id="100000", marks=pytest.mark.full)]
VARIANCE = 10.5
BATCH = 2000


def one_prime(n: int, t: int, bgv: bool = False) -> Any:
    """Without special primes and with one ciphertext prime, a phase is a row of 64-bit integers."""
    return (bgv_literal if bgv else small_literal)(64, n, t, 1, 0, 0, 55)


def phases(party: Party, ciphertext: Any) -> NDArray[np.float64]:
    """[item][coefficient], centred, where there is one prime."""
    residues = rlwe.phase(party.secret, ciphertext)[:, 0, 0].astype(np.int64)
    q = party.moduli[0]
    return np.where(residues > q // 2, residues - q, residues).astype(np.float64)


def squares_on_roots(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """|a(zeta)|^2 of every row, for one zeta of each pair; [item][root]."""
    n = rows.shape[1]
    return np.abs(np.fft.fft(rows * np.exp(1j * np.pi * np.arange(n) / n), axis=1)[:, : n // 2]) ** 2


def most(expected: float) -> float:
    """What a count of rare events with this expectation stays below, except with probability 10^-9 or so: events of one
    polynomial come together, so six deviations of clusters of 30."""
    return expected + 6 * math.sqrt(30 * expected) + 120


def check_tails(rows: NDArray[np.float64], variance: float, largest: float, n: int) -> None:
    """The three tails of section "atoms": variance V of a coefficient, and at most `largest` W on roots (over n)."""
    total = rows.size
    for x in (2.0, 3.0, 4.0, 5.0):  # P(|a_i| > x sqrt(V)) <= 2 e^(-x^2/2)
        seen = int(np.count_nonzero(np.abs(rows) > x * math.sqrt(variance)))
        assert seen <= most(total * 2 * math.exp(-x * x / 2)), (x, seen)
    values = squares_on_roots(rows)
    for y in (2.0, 4.0, 7.0, 11.0):  # P(|a(zeta)|^2 > y n W) <= y e^(1-y)
        seen = int(np.count_nonzero(values > y * n * largest))
        assert seen <= most(values.size * y * math.exp(1 - y)), (y, seen)
    mean = np.mean(rows**2, axis=1)
    for tail in (2.0, 4.0, 8.0):  # P(E^2 > V h^2) <= e^-tail
        x = largest / variance * tail / n
        seen = int(np.count_nonzero(mean > variance * (1 + 2 * math.sqrt(x) + 2 * x)))
        expected = len(mean) * math.exp(-tail)  # of independent polynomials
        assert seen <= expected + 6 * math.sqrt(expected) + 6, (tail, seen)


@pytest.mark.parametrize("count", SIZES)
@pytest.mark.parametrize("n", [64, 256, 1024])
def test_errors_of_encryptions_have_the_tails_of_their_bounds(rng: np.random.Generator, n: int, count: int) -> None:
    """Fresh keys for every batch. w = e u + e_0 + e_1 s has V and W as the page computes them from what keys passed."""
    ring = Ring(n)
    square = float(ring.check) ** 2
    variance = n * (2 / 3 * float(ERROR_SQUARE) * VARIANCE + VARIANCE * float(WEIGHT)) + VARIANCE
    largest = n * (2 / 3 * square * VARIANCE + VARIANCE * 2 / 3 * square) + VARIANCE
    items = min(count, BATCH * 64 // n)
    bound = np.array(testing.NoiseCalculus(n).public_key_encryption())
    for _ in range(max(1, count // items)):
        party = Party(one_prime(n, 2), int(rng.integers(1 << 60)))
        zero = _core.encode_residues(party.context, 0, False, np.zeros((items, n), dtype=np.int64))
        rows = phases(party, deterministic.encrypt(zero, party.public, testing.Seed(rng.bytes(32))))
        check_tails(rows, variance, largest, n)
        measured = [
            np.log2(np.abs(rows).max()),
            np.log2(np.mean(rows**2, axis=1).max()) / 2,
            np.log2(squares_on_roots(rows).max() / n) / 2,
        ]
        assert np.all(np.array(measured) <= bound)
        assert np.all(np.array(measured) >= bound - 5)
        own = phases(party, deterministic.encrypt(zero, party.secret, testing.Seed(rng.bytes(32))))
        assert np.abs(own).max() <= 21 and abs(own.mean()) < 0.1 and abs(own.var() / VARIANCE - 1) < 0.05
        check_tails(own, VARIANCE, VARIANCE, n)


@pytest.mark.parametrize("count", SIZES)
@pytest.mark.parametrize("n", [64, 256, 1024])
def test_squares_of_switched_ciphertexts_stay_below_their_bounds(rng: np.random.Generator, n: int, count: int) -> None:
    """Rounding errors times (1 + s), squared and times their conjugate: where averages over random operands failed,
    tails of the product are not those of a Gaussian, and the bound does not take them to be."""
    t = slot_prime(n, 14)
    party_literal = bgv_literal(64, n, t, 3, 0, 0, 55)
    items = min(count, BATCH * 64 // n)
    ratios = []
    for _ in range(max(1, count // items) if count <= 10_000 else 20):
        party = BgvParty(party_literal, int(rng.integers(1 << 60)))
        rows = rng.integers(-(t // 2), t // 2 + 1, (items, n))
        encoded = _core.encode_residues(party.context, 0, False, rows)
        fresh = deterministic.encrypt(encoded, party.public, testing.Seed(rng.bytes(32)))
        low = testing.scheme.switch_to_level(fresh, 1)
        values = phases(party, low)
        bound = np.array(low.noise)
        on_roots = squares_on_roots(values)
        assert np.log2(np.abs(values).max()) <= bound[0] and np.log2(on_roots.max() / n) / 2 <= bound[2]
        assert np.log2(np.mean(values**2, axis=1).max()) / 2 <= bound[1]
        product = testing.bgv.multiply(low, low, automatic=False)
        twist = np.exp(1j * np.pi * np.arange(n) / n)
        spectrum = np.fft.fft(values * twist, axis=1)
        squared = (np.fft.ifft(spectrum**2, axis=1) * np.conj(twist)).real
        norms = (np.fft.ifft(np.abs(spectrum) ** 2, axis=1) * np.conj(twist)).real  # x times its conjugate
        for polynomial in (squared, norms):
            assert np.log2(np.abs(polynomial).max()) <= product.noise[0] + 1e-9
            assert np.log2(np.mean(polynomial**2, axis=1).max()) / 2 <= product.noise[1] + 1e-9
        assert np.log2(on_roots.max() / math.sqrt(n)) <= product.noise[2] + 1e-9
        ratios.append(product.noise[0] - np.log2(np.abs(norms).max()))
    print(f"n {n}: x times its conjugate comes within {min(ratios):.2f} bits")
    assert min(ratios) < 6


# --- keys -------------------------------------------------------------------------------------------------------------
def ternary(rng: np.random.Generator, n: int) -> NDArray[np.int64]:
    return rng.integers(-1, 2, n)


def binomial(rng: np.random.Generator, n: int) -> NDArray[np.int64]:
    """Centred, of 21 pairs."""
    return rng.binomial(21, 0.5, n) - rng.binomial(21, 0.5, n)


@pytest.mark.parametrize(
    ("n", "count"),
    [
        (1024, 400),
        (8192, 100),
        *(pytest.param(n, 4000, marks=pytest.mark.full) for n in (1024, 4096, 8192, 16384, 32768)),
    ],
)
def test_keys_are_accepted_nineteen_times_in_twenty(rng: np.random.Generator, n: int, count: int) -> None:
    """Of fresh draws; the library's own check says the same as the rule of the page."""
    literal = one_prime(n, 2)
    party = Party(literal)
    secrets = [ternary(rng, n) for _ in range(count)]
    accepted = [secret_is_fit(s) for s in secrets]
    share = sum(accepted) / count
    errors = sum(error_is_fit(binomial(rng, n)) for _ in range(count)) / count
    print(f"n {n}: {share:.4f} of secrets and {errors:.4f} of errors pass")
    slack = 5 * math.sqrt(0.05 * 0.95 / count)
    assert 0.95 - slack - 0.015 <= share <= 0.95 + slack + 0.02
    assert 0.95 - slack - 0.015 <= errors <= 0.95 + slack + 0.02
    for s, fits in list(zip(secrets, accepted, strict=True))[: 100 if n <= 8192 else 20]:
        checked = [int(x) for x in s]
        if fits:
            assert rlwe.coefficients(rlwe.secret_key(party.context, checked, bytes(16), True)) == checked
        else:
            with pytest.raises(CyclotomeError):
                rlwe.secret_key(party.context, checked, bytes(16), True)
            rlwe.secret_key(party.context, checked, bytes(16), False)


@pytest.mark.parametrize("n", [64, 1024])
@pytest.mark.parametrize("count", [pytest.param(60, id="60"), pytest.param(2000, id="2000", marks=pytest.mark.full)])
def test_the_law_of_accepted_secrets(rng: np.random.Generator, n: int, count: int) -> None:
    """Generated keys all pass; coefficients stay as likely as each other, neighbours independent, and only weights
    above 0.7 n and peaks on roots are missing."""
    party = Party(one_prime(n, 2))
    keys = [deterministic.generate_secret_key(party.context, seed(int(rng.integers(1 << 60)), 7)) for _ in range(count)]
    rows = np.array([rlwe.coefficients(key) for key in keys])
    assert all(secret_is_fit(row) for row in rows)
    total = rows.size
    deviation = math.sqrt(2 / 9 / total)
    for value in (-1, 1):  # conditioned on small weights, which lie a little lower
        assert abs(np.count_nonzero(rows == value) / total - 1 / 3) < 6 * deviation + (0.02 if n == 64 else 0.003)
    assert abs(rows.mean()) < 6 * math.sqrt(2 / 3 / total)
    neighbours = rows[:, 1:] * rows[:, :-1]
    assert abs(neighbours.mean()) < 6 * math.sqrt(4 / 9 / neighbours.size)
    by_place = rows.mean(axis=0)
    assert np.abs(by_place).max() < 6 * math.sqrt(2 / 3 / count)
    assert len({row.tobytes() for row in rows}) == count
