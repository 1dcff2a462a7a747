# SPDX-License-Identifier: Apache-2.0
"""Paper 003's basis: Lemmas 1 to 3 as the errata correct them, arithmetic modulo 2^G +- 1, and what is refused."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from cyclotome._core import testing
from cyclotome.errors import ParameterError
from oracles import fermat
from test_ring_big_unsigned import number as big

BASES = fermat.all_bases(15)
SMALL = [(x, f) for x, f in BASES if x <= 4]


def limb_of(x: int, f: int, i: int) -> testing.FermatLimb:
    return testing.FermatBasis(x, f).limbs[i]


def interesting(modulus: int, bits: int, rng: np.random.Generator, count: int = 6) -> list[int]:
    """0, 1, the ends, 2^G, and what sends carries and borrows through all words."""
    values = {0, 1, 2, modulus - 1, modulus - 2, modulus >> 1, (modulus >> 1) + 1, 1 << bits, (1 << bits) - 1}
    for w in range(64, bits, max(64, bits // 8 // 64 * 64)):
        values |= {1 << w, (1 << w) - 1, (1 << w) + 1, modulus - (1 << w), modulus - (1 << w) - 1}
    values |= {int.from_bytes(rng.bytes(bits // 8 + 1), "little") % modulus for _ in range(count)}
    return sorted(v for v in values if 0 <= v < modulus)


@pytest.mark.parametrize(("x", "f"), BASES)
def test_lemma_1_q_is_the_product_of_its_pairwise_coprime_factors(x: int, f: int) -> None:
    basis = testing.FermatBasis(x, f)
    moduli = fermat.moduli(x, f)
    assert [big(limb.modulus) for limb in basis.limbs] == moduli
    assert big(basis.modulus) == math.prod(moduli) == (1 << (1 << x)) - 1
    assert all(math.gcd(a, b) == 1 for i, a in enumerate(moduli) for b in moduli[:i])
    for i, limb in enumerate(basis.limbs):
        assert big(basis.punctured(i)) == math.prod(moduli) // moduli[i]
        # 2^G is a residue modulo 2^G + 1: it takes a bit, and from 64 bits on a word, more (erratum 003-7).
        assert limb.words == ((moduli[i] - 1).bit_length() + 63) // 64
        assert limb.first_word == sum(other.words for other in basis.limbs[:i])
    assert basis.words == sum(limb.words for limb in basis.limbs)


@pytest.mark.parametrize(("x", "f"), BASES)
def test_lemma_2_inverses_are_powers_of_two(x: int, f: int) -> None:
    """Erratum 003-1: the last one's exponent is g/2^f - f; the printed one, for i = f + 1, is wrong in every case."""
    g = 1 << x
    for i, limb in enumerate(testing.FermatBasis(x, f).limbs):
        modulus = fermat.moduli(x, f)[i]
        assert pow(2, limb.exponent, modulus) == fermat.inverse(x, f, i)
        assert limb.exponent >= 0
    if f and (g >> f + 1) >= f + 1:
        assert pow(2, (g >> f + 1) - (f + 1), fermat.moduli(x, f)[f]) != fermat.inverse(x, f, f)


def test_counter_examples_to_lemmas_2_and_3_as_printed() -> None:
    last = limb_of(2, 1, 1)  # q = 15 = 5 * 3
    assert (big(last.modulus), last.exponent, last.shift) == (3, 1, 1)
    last = limb_of(3, 1, 1)  # q = 255 = 17 * 15
    assert (big(last.modulus), last.shift) == (15, 1)
    assert 2 * fermat.inverse(3, 1, 1) // 15 == 2 >> last.shift == 1 != 2 >> 2
    for method in ("none", "multiplication", "reduction", "both"):
        p = testing.Punctured.fermat(testing.FermatBasis(3, 1), method, "own")
        assert p.apply([0, 2])[1] == 2 * 8 % 15


@pytest.mark.parametrize(("x", "f"), SMALL)
@pytest.mark.parametrize("method", ["none", "multiplication", "reduction", "both"])
def test_lemma_3_for_every_residue(x: int, f: int, method: str) -> None:
    moduli = fermat.moduli(x, f)
    assert all(m <= 1 << 16 for m in moduli)
    p = testing.Punctured.fermat(testing.FermatBasis(x, f), method, "own")
    for i, modulus in enumerate(moduli):
        inverse, shift = fermat.inverse(x, f, i), testing.FermatBasis(x, f).limbs[i].shift
        residues = range(modulus)
        if f:  # with one limb the inverse 2^g is 1
            assert all((v - (i < f and v > 0)) >> shift == v * inverse // modulus for v in residues)
        flat = [v if j == i else 0 for v in residues for j in range(f + 1)]
        assert p.apply(flat)[i :: f + 1] == [v * inverse % modulus for v in residues]


@pytest.mark.parametrize(("x", "f"), [(5, 1), (5, 2)])
@pytest.mark.parametrize("method", ["reduction", "both"])
def test_lemma_3_for_every_residue_modulo_f4(x: int, f: int, method: str) -> None:
    p = testing.Punctured.fermat(testing.FermatBasis(x, f), method, "own")
    inverse = fermat.inverse(x, f, 0)
    assert p.apply([word for v in range(65537) for word in (v, *[0] * f)])[:: f + 1] == [
        v * inverse % 65537 for v in range(65537)
    ]


@pytest.mark.parametrize(("x", "f"), [(x, f) for x, f in BASES if x >= 5])
def test_all_ways_to_puncture_agree_with_python(x: int, f: int, rng: np.random.Generator) -> None:
    """To x = 15, at 0, 1, q_i - 1, 2^G and with carries through all words."""
    basis = testing.FermatBasis(x, f)
    ways = [testing.Punctured.fermat(basis, "both", "own")]
    for arithmetic in ["own"] + ["gmp"] * (testing.gmp_name() is not None):
        ways += [testing.Punctured.fermat(basis, m, arithmetic) for m in ("none", "multiplication", "reduction")]
    moduli = fermat.moduli(x, f)
    tried = [interesting(m, limb.bits, rng, 2) for m, limb in zip(moduli, basis.limbs, strict=True)]
    tried = tried if x < 13 else [t[:8] + t[-8:] for t in tried]
    for i in range(max(map(len, tried))):
        column = [t[i % len(t)] for t in tried]
        flat = [w for v, limb in zip(column, basis.limbs, strict=True) for w in fermat.words(v, limb.words)]
        expected = [
            w
            for j, (v, limb) in enumerate(zip(column, basis.limbs, strict=True))
            for w in fermat.words((v << limb.exponent) % moduli[j], limb.words)
        ]
        for way in ways:
            assert way.apply(flat) == expected


#: One limb of each kind and size: in less than a word, in whole words, with a word for 2^G alone.
LIMBS = [
    (x, f, i) for x, f in [(1, 0), (3, 1), (5, 1), (6, 0), (6, 1), (7, 0), (7, 1), (9, 3), (13, 1)] for i in (0, f)
]


@pytest.mark.parametrize(("x", "f", "i"), sorted(set(LIMBS)))
def test_arithmetic_of_a_limb(x: int, f: int, i: int, rng: np.random.Generator) -> None:
    limb, modulus = limb_of(x, f, i), fermat.moduli(x, f)[i]
    values = interesting(modulus, limb.bits, rng)

    def is_right(row: list[int], value: int) -> bool:
        return row == fermat.words(value % modulus, limb.words)

    rows = {v: fermat.words(v, limb.words) for v in values}
    for a, b in product(values, repeat=2):
        assert is_right(limb.add(rows[a], rows[b]), a + b), (a, b)
        assert is_right(limb.subtract(rows[a], rows[b]), a - b), (a, b)
    for a in values:
        assert is_right(limb.negate(rows[a]), -a), a
        for factor in (0, 1, 2, 3, 1 << 32, (1 << 63) + 1, (1 << 64) - 1, int(rng.integers(1 << 63))):
            assert is_right(limb.scale(rows[a], factor), a * factor), (a, factor)
    whole = [0, modulus, modulus - 1, 2 * modulus, 1 << limb.bits, modulus * modulus, modulus * modulus - 1]
    whole += [(1 << 64 * w) - 1 for w in range(1, 4 * limb.words + 2)] + [modulus << 64 * w for w in range(5)]
    whole += [int.from_bytes(rng.bytes(size), "little") for size in range(1, 32 * limb.words, max(1, 3 * limb.words))]
    for value in whole:
        row = fermat.words(value, (value.bit_length() + 63) // 64 + int(rng.integers(2)))
        assert is_right(limb.reduce(row), value), value


@pytest.mark.parametrize("x", range(1, 16))
def test_the_paper_chooses_a_last_limb_of_one_word(x: int) -> None:
    """Table 1: k = 1 + log2(bit(q)/64)."""
    basis = testing.FermatBasis(x)
    assert len(basis.limbs) == 1 + max(0, x - 6) == 1 + math.ceil(math.log2(math.ceil(basis.bits / 64)))
    assert basis.limbs[-1].words == 1


@pytest.mark.parametrize("x", [0, 16, 1 << 31])
def test_x_out_of_range_is_refused(x: int) -> None:
    with pytest.raises(ParameterError, match=rf"x = {x}: x must lie in \[1, 15\]"):
        testing.FermatBasis(x)


@pytest.mark.parametrize("x", range(1, 16))
def test_too_many_splits_are_refused(x: int) -> None:
    most = fermat.most_splits(x)
    testing.FermatBasis(x, most)
    for f in (most + 1, 40, (1 << 32) - 1):
        with pytest.raises(ParameterError, match=rf"split {f} times: .*allows up to f = {most}"):
            testing.FermatBasis(x, f)


def test_moduli_that_divide_a_fermat_number_are_refused() -> None:
    """Erratum 003-9: 65537 = F4, 114689 | F12, 2424833 | F9, ...: also as factors of composite moduli."""
    for divisor, least in ((3, 1), (5, 2), (17, 3), (257, 4), (65537, 5), (641, 6), (2424833, 10), (114689, 13)):
        for x in range(1, 16):
            basis = testing.FermatBasis(x)
            for m in (divisor, 2 * divisor, divisor * 1000003):
                assert basis.modulus_mod(m) == ((1 << (1 << x)) - 1) % m
                if x >= least:
                    with pytest.raises(ParameterError, match=rf"{m} shares the factor \d+ with q = 2\^{1 << x} - 1"):
                        basis.require_coprime(m)
                elif m in (divisor, 2 * divisor):
                    assert (x >= 1 and math.gcd(m, (1 << (1 << x)) - 1) == 1) and basis.require_coprime(m) is None
    for good in (1, 2, 1 << 32, 1024, 163841, 557057, 786433):
        testing.FermatBasis(15).require_coprime(good)


def test_auxiliary_primes_leave_out_those_that_divide_q() -> None:
    """At n = 32768 four of the primes below 2^30 fail, among them 2424833."""
    step = 1 << 16
    failing = [p for p in range(step + 1, 1 << 30, step) if pow(2, p - 1, p) == 1 and pow(2, 1 << 15, p) == 1]
    primes = [p for p in failing if all(p % d for d in range(3, int(p**0.5) + 1, 2))]
    assert 2424833 in primes and len(primes) == 4
    for p in primes:
        bits = p.bit_length()
        found = testing.FermatBasis(15).coprime_primes(bits, step, 1, [])[0] if bits > 18 else 0
        assert found != p and (not found or pow(2, 1 << 15, found) != 1)
    all_22 = [p for p in range((1 << 21) // step * step + 1, 1 << 22, step) if p > 1 << 21 and pow(2, p - 1, p) == 1]
    all_22 = [p for p in all_22 if all(p % d for d in range(3, int(p**0.5) + 1, 2))]
    got = testing.FermatBasis(15).coprime_primes(22, step, len(all_22) - 1, [])
    assert sorted(got) == sorted(set(all_22) - {2424833})
    with pytest.raises(ParameterError):
        testing.FermatBasis(15).coprime_primes(22, step, len(all_22), [])


@pytest.mark.parametrize(("x", "f"), [(x, f) for x, f in BASES if f])
def test_one_shift_off_by_one_is_noticed(x: int, f: int) -> None:
    """Every limb's exponent or shift one more or one less gives other residues than those that the tests compare with,
    already at 1 and at q_i - 1."""
    for i, limb in enumerate(testing.FermatBasis(x, f).limbs):
        modulus, inverse = fermat.moduli(x, f)[i], fermat.inverse(x, f, i)
        for wrong in (limb.exponent - 1, limb.exponent + 1):
            assert wrong < 0 or all(
                v * pow(2, wrong, modulus) % modulus != v * inverse % modulus for v in (1, modulus - 1)
            )
        # Lemma 3's quotient, which is always 0 where the inverse is 1: then a longer shift is as right.
        for shift in (limb.shift - 1, limb.shift + 1)[: 1 if limb.exponent == 0 else 2]:
            values = range(modulus) if modulus < 300 else [modulus - 1, modulus - 2, modulus >> 1, (modulus >> 1) + 1]
            assert any((v - (i < f and v > 0)) >> shift != v * inverse // modulus for v in values)
