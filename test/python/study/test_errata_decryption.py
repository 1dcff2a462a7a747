# SPDX-License-Identifier: Apache-2.0
"""BEHZ decryption (specification 5.4): errata 000-9, 000-11, 000-13, 001-8 ... 001-10, and 5.11 (3)."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cyclotome import _core
from cyclotome._core import testing
from cyclotome.errors import ParameterError
from oracles import behz
from oracles.integers import Integers, decompose, integers, random_below, round_half_up, some_primes
from residues import call, on, put, ring_of

DATA = json.loads((Path(__file__).resolve().parents[2] / "data" / "behz_decryption.json").read_text("utf-8"))
WORD = pytest.mark.parametrize("word", [32, 64])
BITS = {32: 30, 64: 60}
WIDE_GAMMA = {32: (1 << 31) - 1, 64: (1 << 61) - 1}
DEGREE = 512


@pytest.fixture
def engine(each_engine: Any) -> Any:
    return each_engine


def decrypt(engine: Any, word: int, moduli: list[int], t: int, gamma: int, phase: Integers) -> Integers:
    """scale_to_plain of a phase in [0, q)."""
    degree = max(2, len(phase))
    padded = np.concatenate([phase, np.zeros(degree - len(phase), dtype=object)])
    q, plain = ring_of(word, degree, moduli), ring_of(word, degree, [t])
    step = testing.PlainScale(q, plain, gamma)
    result = call(on(engine).scale_to_plain, plain, (1, 1), put(engine, q, decompose(padded, moduli)), step)
    return integers(result[0, 0, 0, : len(phase)])


def noisy(rng: np.random.Generator, moduli: list[int], t: int, level: float) -> tuple[Integers, Integers]:
    """Messages, and phases round(q m / t) + v whose invariant noise is t |v| / q = level, both signs."""
    q = math.prod(moduli)
    m = random_below(rng, t, DEGREE)
    v = np.array([int(level * (1 << 60)) * q // (t << 60) * sign for sign in (1, -1)] * (DEGREE // 2), dtype=object)
    return m, (round_half_up(q * m, t) + v) % q


@WORD
@pytest.mark.parametrize("case", DATA["cases"], ids=lambda case: str(case["m"]))
def test_the_published_example(engine: Any, word: int, case: dict[str, Any]) -> None:
    moduli, t, gamma = DATA["moduli"], DATA["t"], DATA["gamma"]
    phase = integers([case["x"], case["x"]])
    assert decompose(phase, moduli)[:, 0].tolist() == case["residues"]
    assert case["out"] == case["m"]
    assert decrypt(engine, word, moduli, t, gamma, phase).tolist() == [case["out"]] * 2
    assert behz.decrypt(phase, moduli, t, gamma).tolist() == [case["out"]] * 2


@WORD
@pytest.mark.parametrize("t", [2, 257, 65537])
@pytest.mark.parametrize("k", [1, 2, 6, 24])
def test_5_11_3_001_10_one_word_of_gamma_decrypts_almost_to_the_half(
    engine: Any, rng: np.random.Generator, word: int, k: int, t: int
) -> None:
    """Paper 001 asks for gamma > q; one word suffices, however wide q is: full noise up to 0.499 q / t."""
    moduli = some_primes(BITS[word], 2, k)
    for level in (0.0, 0.3, 0.499):
        m, phase = noisy(rng, moduli, t, level)
        assert np.array_equal(decrypt(engine, word, moduli, t, WIDE_GAMMA[word], phase), m)
    m, phase = noisy(rng, moduli, t, 0.51)
    assert not np.any(decrypt(engine, word, moduli, t, WIDE_GAMMA[word], phase) == m)


@WORD
def test_5_11_3_000_9_gamma_must_exceed_2k(engine: Any, rng: np.random.Generator, word: int) -> None:
    """Noise up to 1/2 - k/gamma is decrypted, more is not; with k = 6 a gamma of 7 fails at once."""
    k, t = 6, 65537
    moduli = some_primes(BITS[word], 2, k)
    for gamma in (13, 37, 1009):
        margin = 0.5 - k / gamma
        m, phase = noisy(rng, moduli, t, 0.98 * margin)
        assert np.array_equal(decrypt(engine, word, moduli, t, gamma, phase), m), gamma
        m, phase = noisy(rng, moduli, t, min(margin + 0.7 * k / gamma, 0.499))
        assert np.any(decrypt(engine, word, moduli, t, gamma, phase) != m), gamma
    m, phase = noisy(rng, moduli, t, 1e-6)
    failures = np.count_nonzero(decrypt(engine, word, moduli, t, 7, phase) != m)
    assert failures > DEGREE // 10
    m, phase = noisy(rng, moduli, t, 1e-6)
    assert np.array_equal(decrypt(engine, word, moduli, t, 13, phase), m)


@WORD
def test_any_phase_equals_the_oracle(engine: Any, rng: np.random.Generator, word: int) -> None:
    """Also where the noise is too large to decrypt: the algorithm itself is what is compared."""
    for k, t, gamma in [(1, 2, 13), (3, 97, 37), (5, 65537, 11), (4, 1 << 16, WIDE_GAMMA[word])]:
        moduli = some_primes(BITS[word], 2, k)
        phase = random_below(rng, math.prod(moduli), DEGREE)
        assert np.array_equal(decrypt(engine, word, moduli, t, gamma, phase), behz.decrypt(phase, moduli, t, gamma))


@pytest.mark.parametrize(
    "reading",
    [{"centre": False}, {"sign": 1}, {"swapped": True}, {"invert": False}],
    ids=["000-11-not-centred", "000-11-positive-sign", "001-9-indices-swapped", "000-13-001-8-factor-not-inverted"],
)
def test_the_readings_that_the_papers_print_do_not_decrypt(rng: np.random.Generator, reading: dict[str, Any]) -> None:
    moduli, t, gamma = some_primes(30, 2, 6), 65537, WIDE_GAMMA[32]
    m, phase = noisy(rng, moduli, t, 0.2)
    right = decrypt(_core.CpuEngine(1), 32, moduli, t, gamma, phase)
    assert np.array_equal(right, m) and np.array_equal(behz.decrypt(phase, moduli, t, gamma), m)
    printed = behz.decrypt(phase, moduli, t, gamma, **reading)
    # An uncentred residue is right where it is small already, which is for one sign of the noise.
    limit = DEGREE // 2 if reading == {"centre": False} else DEGREE // 50
    assert np.count_nonzero(printed == m) <= limit


def test_001_8_the_printed_inverse_of_q_does_not_exist() -> None:
    """Algorithm 5, line 6 multiplies by q^-1 modulo q_i, but q is 0 modulo every q_i."""
    moduli = some_primes(30, 2, 3)
    for modulus in moduli:
        with pytest.raises(ValueError, match="not invertible"):
            pow(math.prod(moduli), -1, modulus)


@WORD
def test_plain_moduli_and_gammas_that_share_factors_are_refused(word: int) -> None:
    q = ring_of(word, 16, [97, 193])
    for t, gamma in [(97, 1009), (257, 193), (257, 257), (15, 5), (15, 10)]:
        with pytest.raises(ParameterError, match="share"):
            testing.PlainScale(q, ring_of(word, 16, [t]), gamma)
    with pytest.raises(ParameterError, match="one modulus, not 2"):
        testing.PlainScale(q, ring_of(word, 16, [257, 5]), 1009)
