# SPDX-License-Identifier: Apache-2.0
"""Conversions from and to wide limbs, in all versions, against Python's integers; and general arithmetic."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from cyclotome._core import testing
from cyclotome.errors import ArgumentError, ParameterError
from oracles import fermat
from oracles.integers import some_primes
from test_fermat_basis import interesting

METHODS = ["none", "multiplication", "reduction", "both"]
ARITHMETICS = ["own"] + ["gmp"] * (testing.gmp_name() is not None)
WAYS = [("both", "own"), *product(METHODS[:3], ARITHMETICS)]
#: m~ of BEHZ (or a plaintext modulus that is a power of two), and primes up to the largest.
TARGETS = [1 << 32, (1 << 61) - 1, 40961, 1000000007, (1 << 60) - 93]
#: Odd ones below 2^31 and powers of two up to 2^32: converted in one pass, without what is punctured.
NARROW = [1 << 32, 40961, (1 << 31) - 1, 3]
BASES = [
    (1, 0),
    (3, 1),
    (5, 2),
    (6, 0),
    (6, 3),
    (7, 1),
    (8, 2),
    (8, 0),
    (9, 3),
    (9, 5),
    (11, 5),
    (14, 8),
    (15, 9),
    (15, 11),
]


def columns(x: int, f: int, rng: np.random.Generator, count: int) -> list[list[int]]:
    """Residues of coefficients: every limb's edges meet other limbs' edges."""
    basis, moduli = testing.FermatBasis(x, f), fermat.moduli(x, f)
    tried = [interesting(m, limb.bits, rng, 3) for m, limb in zip(moduli, basis.limbs, strict=True)]
    same = [[t[i] if i >= 0 else t[-1] for t in tried] for i in (0, 1, -1)]
    return (same + [[t[int(rng.integers(len(t)))] for t in tried] for _ in range(count)])[:count]


def run(
    p: testing.Punctured, residues: list[list[int]], counts: list[int], target: list[int], factors: list[int]
) -> list:
    rows = fermat.rows([list(r) for r in zip(*residues, strict=True)], counts)
    return p.convert(testing.Basis(64, target), rows, factors).T.tolist()


@pytest.mark.parametrize(("x", "f"), BASES)
def test_every_version_of_fast_base_conversion(x: int, f: int, rng: np.random.Generator) -> None:
    basis, moduli = testing.FermatBasis(x, f), fermat.moduli(x, f)
    q = math.prod(moduli)
    target = TARGETS
    # More coefficients than a tile has, and no multiple of it, for the small ones.
    residues = columns(x, f, rng, 7 if x > 12 else 70 if x > 8 else 131)
    expected = [fermat.fast_conversion(r, moduli, target) for r in residues]
    values = [sum(r * (q // m) * pow(q // m, -1, m) for r, m in zip(rs, moduli, strict=True)) % q for rs in residues]
    for value, got in zip(values, expected, strict=True):  # x + a q, 0 <= a < k
        assert any(got == [(value + a * q) % m for m in target] for a in range(f + 1))
    factors = [int(v) for v in rng.integers(1 << 62, size=len(target))]
    counts = [limb.words for limb in basis.limbs]
    for method, arithmetic in WAYS:
        p = testing.Punctured.fermat(basis, method, arithmetic)
        assert run(p, residues, counts, target, []) == expected, (method, arithmetic)
        scaled = [[v * g % m for v, g, m in zip(row, factors, target, strict=True)] for row in expected]
        assert run(p, residues, counts, target, factors) == scaled, (method, arithmetic)


@pytest.mark.parametrize(("x", "f"), BASES)
def test_short_targets_in_one_pass(x: int, f: int, rng: np.random.Generator) -> None:
    basis, moduli = testing.FermatBasis(x, f), fermat.moduli(x, f)
    residues = columns(x, f, rng, 11 if x > 12 else 300)  # more than a tile, and no multiple of it
    counts = [limb.words for limb in basis.limbs]
    p = testing.Punctured.fermat(basis, "both", "own")
    for target in (NARROW, NARROW[1:3], [1024], [2, 2147483647]):
        expected = [fermat.fast_conversion(r, moduli, target) for r in residues]
        assert run(p, residues, counts, target, []) == expected, target
        factors = [int(v) for v in rng.integers(1 << 62, size=len(target))]
        scaled = [[v * g % m for v, g, m in zip(row, factors, target, strict=True)] for row in expected]
        assert run(p, residues, counts, target, factors) == scaled, target


def test_the_positional_limb_needs_no_correction(rng: np.random.Generator) -> None:
    """f = 0: conversion is exact, whatever the version."""
    x = 9
    q = (1 << 512) - 1
    values = interesting(q, 512, rng, 40)
    for method, arithmetic in WAYS:
        p = testing.Punctured.fermat(testing.FermatBasis(x, 0), method, arithmetic)
        got = run(p, [[v] for v in values], [8], TARGETS, [])
        assert got == [[v % m for m in TARGETS] for v in values]


@pytest.mark.parametrize("limbs", [1, 2, 9])
def test_ordinary_limbs(limbs: int, rng: np.random.Generator) -> None:
    moduli = some_primes(60, 64, limbs)
    target = TARGETS[:3]
    residues = [[0] * limbs, [1] * limbs, [m - 1 for m in moduli]]
    residues += [[int(rng.integers(m)) for m in moduli] for _ in range(100)]
    p = testing.Punctured.ordinary(testing.Basis(64, moduli))
    assert run(p, residues, [1] * limbs, target, []) == [fermat.fast_conversion(r, moduli, target) for r in residues]
    with pytest.raises(ParameterError, match="64-bit words"):
        testing.Punctured.ordinary(testing.Basis(32, [12289]))


@pytest.mark.parametrize("words", [1, 2, 5, 129])
def test_integers_as_they_are(words: int, rng: np.random.Generator) -> None:
    values = [0, 1, (1 << 64 * words) - 1, 1 << 64 * words - 1]
    values += [int.from_bytes(rng.bytes(8 * words), "little") for _ in range(12)]
    got = run(testing.Punctured.integers(words), [[v] for v in values], [words], TARGETS, [])
    assert got == [[v % m for m in TARGETS] for v in values]


@pytest.mark.parametrize(
    ("x", "f"), [(3, 1), (5, 1), (6, 0), (6, 1), (7, 0), (7, 1), (8, 2), (10, 4), (13, 7), (14, 0)]
)
@pytest.mark.parametrize("primes", [1, 3, 20])
def test_conversion_to_a_limb(x: int, f: int, primes: int, rng: np.random.Generator) -> None:
    source = some_primes(60, 64, primes)
    whole = math.prod(source)
    basis = testing.Basis(64, source)
    inverses = testing.fermat_inverses(basis)
    assert inverses == [pow(whole // p, -1, p) for p in source]
    edges = [
        0,
        1,
        -1,
        whole // 4,
        -(whole // 4),
        *(v - whole // 2 for v in interesting(whole, whole.bit_length() - 1, rng)),
    ]
    edges = [v for v in edges if abs(v) <= whole // 2 - (whole >> 45)]
    y = [[v * inverse % p for v in edges] for p, inverse in zip(source, inverses, strict=True)]
    rows = np.array(y, dtype=np.uint64)
    wraps = testing.fermat_centred_wraps(basis, rows)
    assert wraps == [
        (sum(c * (whole // p) for c, p in zip(column, source, strict=True)) - v) // whole
        for column, v in zip(zip(*y, strict=True), edges, strict=True)
    ]
    moved = [int(rng.integers(-(1 << 61), 1 << 61)) for _ in edges]  # Shenoy and Kumaresan's wraps have either sign
    for i, limb in enumerate(testing.FermatBasis(x, f).limbs):
        modulus = fermat.moduli(x, f)[i]
        out = limb.to_limb(basis, rows, wraps)
        assert [fermat.number(column) for column in out.T] == [v % modulus for v in edges]
        out = limb.to_limb(basis, rows, [w + m for w, m in zip(wraps, moved, strict=True)])
        assert [fermat.number(c) for c in out.T] == [
            (v - m * whole) % modulus for v, m in zip(edges, moved, strict=True)
        ]


@pytest.mark.parametrize("arithmetic", ARITHMETICS)
def test_general_arithmetic(arithmetic: str, rng: np.random.Generator) -> None:
    def some(size: int) -> int:
        kind = rng.integers(4)
        if kind == 0:
            return (1 << 64 * size) - 1
        if kind == 1:
            return 1 << 64 * size - 1 - int(rng.integers(64))
        if kind == 2:  # long runs of zeros and ones, where quotients' digits are guessed wrong
            return sum(((1 << 64) - 1 if rng.integers(2) else int(rng.integers(3))) << 64 * w for w in range(size))
        return int.from_bytes(rng.bytes(8 * size), "little")

    for _ in range(3000):
        a_words, b_words = (int(v) for v in rng.integers(1, 12, size=2))
        a, b = some(a_words), some(b_words)
        out = testing.general_product(arithmetic, fermat.words(a, a_words), fermat.words(b, b_words))
        assert fermat.number(out) == a * b
        if b >> 64 * (b_words - 1):
            rest = testing.general_remainder(arithmetic, fermat.words(a, a_words), fermat.words(b, b_words))
            assert fermat.number(rest) == a % b
    # TAOCP 4.3.1, exercise 21: where the divisor must be added back.
    value, divisor = (0x7FFF_8000_0000_0000 << 192) | 0, (0x8000_0000_0000_0000 << 128) | 1
    rest = testing.general_remainder(arithmetic, fermat.words(value, 4), fermat.words(divisor, 3))
    assert fermat.number(rest) == value % divisor


def test_targets_of_other_words_and_wrong_numbers_of_factors_are_refused() -> None:
    p = testing.Punctured.fermat(testing.FermatBasis(7), "both", "own")
    rows = np.zeros((p.words, 4), dtype=np.uint64)
    with pytest.raises(ParameterError, match="64-bit words"):
        p.convert(testing.Basis(32, [12289]), rows, [])
    with pytest.raises(ArgumentError, match="3 factors for 1 moduli"):
        p.convert(testing.Basis(64, [12289]), rows, [1, 2, 3])
