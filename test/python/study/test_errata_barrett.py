# SPDX-License-Identifier: Apache-2.0
"""Erratum 001-1: Barrett's product of paper 001, Algorithm 7, needs another constant than the printed one."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cyclotome._core import testing
from oracles import barrett
from oracles.integers import primes_below, words

DATA = json.loads((Path(__file__).resolve().parents[2] / "data" / "barrett_counterexamples.json").read_text("utf-8"))
BARRETT = {32: testing.Barrett32, 64: testing.Barrett64}
MODULUS = {32: testing.Modulus32, 64: testing.Modulus64}
CASES = DATA["cases"] + DATA["small_primes"]


def words_for(case: dict[str, Any]) -> list[int]:
    """The words whose stand-alone Barrett product takes this modulus: 30 bits in 32-bit words, 61 in 64-bit words."""
    return [32, 64] if case["w"] <= 30 else [64]


@pytest.mark.parametrize("case", DATA["cases"], ids=lambda case: str(case["q"]))
def test_001_1_the_printed_product_is_wrong_on_the_published_counterexamples(case: dict[str, Any]) -> None:
    lazy, result = barrett.printed(case["a"], case["b"], case["q"])
    assert (lazy, result) == (case["c_before_subtraction"], case["alg7_returns"])
    assert result >= case["q"]  # one subtraction did not reduce it
    assert result % case["q"] == case["correct"]


@pytest.mark.parametrize("case", DATA["small_primes"], ids=lambda case: str(case["q"]))
def test_001_1_the_printed_product_is_wrong_for_small_primes_too(case: dict[str, Any]) -> None:
    lazy, result = barrett.printed(case["a"], case["b"], case["q"])
    assert lazy == case["c"] and result >= case["q"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["q"]))
def test_001_1_the_corrected_product_passes_the_counterexamples(case: dict[str, Any]) -> None:
    q, a, b = case["q"], case["a"], case["b"]
    for word in words_for(case):
        product = BARRETT[word](q)
        lazy = int(product.multiply_lazy(words([a]), words([b]))[0])
        assert lazy == barrett.corrected(a, b, q)[0]
        assert 4 * lazy < 7 * q
        assert product.multiply(words([a]), words([b]))[0] == a * b % q
        assert MODULUS[word](q).multiply(words([a]), words([b]))[0] == a * b % q


@pytest.mark.parametrize("word", [32, 64])
def test_001_1_every_pair_of_every_odd_modulus_up_to_nine_bits(word: int) -> None:
    """The corrected value stays below 1.75 q everywhere; the printed one reaches 2 q for nine bits and never below."""
    failing = []
    for q in range(3, 512, 2):
        residues = np.arange(q, dtype=np.uint64)
        a, b = (side.reshape(-1) for side in np.meshgrid(residues, residues))
        lazy = BARRETT[word](q).multiply_lazy(a, b)
        assert np.array_equal(lazy % np.uint64(q), a * b % np.uint64(q)), q
        assert 4 * int(lazy.max()) < 7 * q, q
        if barrett.printed_all(a, b, q).max() >= 2 * q:
            failing.append(q)
    assert failing and min(failing) >= 256 and {481, 491} <= set(failing)


@pytest.mark.parametrize(("word", "bits"), [(32, 30), (64, 55), (64, 61)])
def test_001_1_wide_primes_that_fail_as_printed_pass_as_corrected(
    word: int, bits: int, rng: np.random.Generator
) -> None:
    """Random operands close to q of the wide primes whose printed bound on c / q exceeds 2."""
    failures = 0
    candidates = itertools.islice(primes_below(1 << bits, 1 << 17), 2000)
    for q in itertools.islice((q for q in candidates if barrett.printed_bound(q) > 2.14), 20):
        a, b = (q - 1 - rng.integers(0, q // 20, 300, dtype=np.uint64) for _ in range(2))
        operands = [(int(x), int(y)) for x, y in zip(a, b, strict=True)]
        exact = words([x * y % q for x, y in operands])
        failures += sum(barrett.printed(x, y, q)[1] >= q for x, y in operands)
        assert 4 * int(BARRETT[word](q).multiply_lazy(a, b).max()) < 7 * q
        assert np.array_equal(BARRETT[word](q).multiply(a, b), exact)
        assert np.array_equal(MODULUS[word](q).multiply(a, b), exact)
    assert failures > 0
