# SPDX-License-Identifier: Apache-2.0
"""Paper 002's arithmetic: the carrier field and its transform, domains, Barrett and products, against python-flint."""

from __future__ import annotations

import flint
import numpy as np
import pytest
from cyclotome._core.testing import ltv as core
from cyclotome.errors import ArgumentError, MismatchError, ParameterError, RangeError
from cyclotome_study import ltv
from cyclotome_study.ltv_arithmetic import Arithmetic
from oracles.ltv import P, cyclotomic, integers, mean_square, padded, product, remainder

INDICES = [15, 21, 105, 1105, 4369]
#: (m, primes, bits): the paper's rings with its primes.
LARGE = [(8191, 4, 22), (21845, 3, 25)]


def edges(rng: np.random.Generator, count: int) -> np.ndarray:
    values = [0, 1, 2, 2**32 - 2, 2**32 - 1, 2**32, 2**32 + 1, P - 2**32, P - 2, P - 1, 2**63, P // 2]
    return np.array([*values, *integers(count, P, rng)], dtype=np.uint64)


def test_the_field_against_integers(rng: np.random.Generator) -> None:
    values = edges(rng, 50)
    a, b = (v.ravel() for v in np.meshgrid(values, values))
    pairs = [(int(x), int(y)) for x, y in zip(a, b, strict=True)]
    assert core.carrier_modulus == P
    assert [int(v) for v in core.carrier_add(a, b)] == [(x + y) % P for x, y in pairs]
    assert [int(v) for v in core.carrier_subtract(a, b)] == [(x - y) % P for x, y in pairs]
    assert [int(v) for v in core.carrier_multiply(a, b)] == [x * y % P for x, y in pairs]
    wide = np.array([0, 1, 2**32 - 1, 2**32, 2**64 - 2**32, 2**64 - 1, P, P - 1], dtype=np.uint64)
    high, low = (v.ravel() for v in np.meshgrid(wide, wide))
    want = [((int(h) << 64) + int(v)) % P for h, v in zip(high, low, strict=True)]
    assert [int(v) for v in core.carrier_reduce(high, low)] == want
    for x in edges(rng, 5):
        assert core.carrier_shifts(int(x)) == [(int(x) << s) % P for s in range(192)]


@pytest.mark.parametrize("points", [64 << i for i in range(11)])
def test_transforms_by_definition(points: int, rng: np.random.Generator) -> None:
    transform = core.CarrierTransform(points)
    root = transform.root
    assert pow(root, points // 2, P) == P - 1
    assert pow(root, points // 64, P) == 8
    for values in (
        edges(rng, 0),
        np.full(points, P - 1, dtype=np.uint64),
        np.array(integers(points, P, rng), dtype=np.uint64),
    ):
        row = np.zeros(points, dtype=np.uint64)
        row[: min(points, len(values))] = values[:points]
        out = transform.forward(row)
        polynomial = [int(v) for v in row]
        for k in {0, 1, 63 % points, points // 2 + 1, points - 1, int(rng.integers(points))}:
            x, value = pow(root, k, P), 0
            for c in reversed(polynomial):
                value = (value * x + c) % P
            assert int(out[k]) == value
        assert np.array_equal(transform.inverse(out), row)


@pytest.mark.parametrize("points", [0, 32, 96, 1 << 17])
def test_other_transforms_are_refused(points: int) -> None:
    with pytest.raises(ParameterError, match="powers of two from 64 to 65536"):
        core.CarrierTransform(points)


@pytest.mark.parametrize("points", [64, 1024, 16384])
def test_a_wrong_twiddle_is_noticed(points: int, rng: np.random.Generator) -> None:
    """Products through a table with one wrong power go wrong, wherever it is used."""
    good = core.CarrierTransform(points)
    a, b = (np.array(integers(points // 2, 2**20, rng) + [0] * (points // 2), dtype=np.uint64) for _ in range(2))
    want = padded([int(c) for c in (flint.fmpz_poly(a.tolist()) * flint.fmpz_poly(b.tolist())).coeffs()], points)

    def through(t: core.CarrierTransform) -> list[int]:
        return [int(v) for v in t.inverse(core.carrier_multiply(t.forward(a), t.forward(b)))]

    assert through(good) == want
    columns, rest = min(points // 64, 64), max(points // 4096, 1)
    used = {k * c * rest for k in range(64) for c in range(columns)} | {k * r for k in range(4096) for r in range(rest)}
    used = {place for place in used if 0 < place < points}
    for place in sorted(used)[:: max(1, len(used) // 3)]:
        table = list(good.twiddles)
        table[place] = (table[place] + 1) % P
        assert through(core.CarrierTransform.with_twiddles(table)) != want, place


@pytest.mark.parametrize("m", [3, 15, 21, 105, 1105, 8191])
def test_cyclotomic_polynomials(m: int, rng: np.random.Generator) -> None:
    ring, phi = core.CyclotomicPolynomial(m), cyclotomic(m)
    n = len(phi) - 1
    assert ring.coefficients == phi
    assert ring.reciprocal == [
        int(c) for c in (flint.fmpz_poly([0] * (2 * n - 1) + [1]) // flint.fmpz_poly(phi)).coeffs()
    ]
    for length in {1, n - 1, n, n + 1, min(2 * n - 1, m), m}:
        f = [int(v) for v in rng.integers(-1000, 1000, size=length)]
        want = padded([int(c) for c in (flint.fmpz_poly(f) % flint.fmpz_poly(phi)).coeffs()], n)
        assert ring.reduce(f) == want
        normal = ring.to_normal(want)
        assert ring.reduce(normal) == want
        assert all(v == 0 for j, v in enumerate(normal) if np.gcd(j, m) != 1)
        assert ring.mean_square(list(map(float, f))) == pytest.approx(mean_square(f, m), rel=1e-9)


@pytest.mark.parametrize(
    ("m", "why"), [(0, "odd"), (16, "odd"), (45, "divisible by 3"), (131073, "odd and in"), (131071, "degree 131070")]
)
def test_other_rings_are_refused(m: int, why: str) -> None:
    with pytest.raises(ParameterError, match=why):
        Arithmetic(m, [65521])


@pytest.mark.parametrize(("m", "primes", "bits"), [*((m, 3, 25) for m in INDICES), *LARGE])
def test_products_and_domains_against_flint(m: int, primes: int, bits: int, rng: np.random.Generator) -> None:
    """Random, all q - 1 and all p - 1, alone and with one another."""
    ring = Arithmetic.of(ltv.Parameters(primes, m, bits, 8))
    phi, n, native = cyclotomic(m), ring.degree, ring.native
    for count in {1, primes}:
        q = ring.modulus(count)
        operands = [integers(n, q, rng), [q - 1] * n, [max(ring.primes) - 1] * n]
        converted = [ring.polynomial(a, primes=count) for a in operands]
        for a, x in zip(operands, converted, strict=True):
            assert ring.coefficients(x) == a
            assert [[int(v) for v in row] for row in x.words()] == [[c % p for c in a] for p in ring.primes[:count]]
            assert ring.coefficients(native.to(x, "NTT")) == a  # back by way of Barrett, from 2n - 1 coefficients
        for i in range(3):
            for j in range(i, 3):
                got = ring.coefficients(ring.multiply(converted[i], converted[j]))
                assert got == product(operands[i], operands[j], phi, q), (i, j, count)


@pytest.mark.parametrize(("m", "primes", "bits"), [*((m, 2, 25) for m in INDICES), *LARGE])
def test_barrett_against_flint(m: int, primes: int, bits: int, rng: np.random.Generator) -> None:
    """Unreduced products, whose 2n - 1 coefficients are the largest there are."""
    ring = Arithmetic.of(ltv.Parameters(primes, m, bits, 8))
    phi, n, native = cyclotomic(m), ring.degree, ring.native
    q = ring.modulus()
    for a, b in [(integers(n, q, rng), [max(ring.primes) - 1] * n), ([q - 1] * n, [q - 1] * n)]:
        x, y = (native.to(ring.polynomial(v), "NTT") for v in (a, b))
        f = native.intt(native.dot(x, y))
        reduced = native.barrett(f)
        assert np.array_equal(native.reduced(f).words(), reduced.words())
        for row, out, p in zip(f.words(), reduced.words(), ring.primes, strict=True):
            coefficients = [int(v) for v in row]
            assert len(coefficients) == 2 * n - 1
            want = padded([int(c) for c in (flint.nmod_poly(a, p) * flint.nmod_poly(b, p)).coeffs()], 2 * n - 1)
            assert coefficients == want
            assert [int(v) for v in out] == remainder(coefficients, phi, p)


def barrett_by_hand(
    transform: core.CarrierTransform, f: list[int], phi: list[int], p: int, *, reduce: bool
) -> list[int]:
    """Algorithm 3 over one prime, perhaps without reducing the first product modulo p."""
    n, size = len(phi) - 1, transform.points
    mu = [int(c) % p for c in (flint.fmpz_poly([0] * (2 * n - 1) + [1]) // flint.fmpz_poly(phi)).coeffs()]

    def row(values: list[int]) -> np.ndarray:
        return transform.forward(np.array(padded(values, size), dtype=np.uint64))

    first = transform.inverse(core.carrier_multiply(row(f[n:]), row(mu)))
    quotient = [int(v) % p if reduce else int(v) for v in first[n - 1 : 2 * n - 1]]
    multiple = transform.inverse(core.carrier_multiply(row(quotient), row([c % p for c in phi])))
    return [(f[i] - int(multiple[i])) % p for i in range(n)]


def test_a_reduction_left_out_is_noticed(rng: np.random.Generator) -> None:
    """Algorithm 3 step by step is right; without the reduction modulo p between its products it is not."""
    m = 1105
    phi, p = cyclotomic(m), Arithmetic.of(ltv.Parameters(1, m, 25, 8)).primes[0]
    n = len(phi) - 1
    f = integers(2 * n - 1, p, rng)
    transform = core.CarrierTransform(2048)
    assert barrett_by_hand(transform, f, phi, p, reduce=True) == remainder(f, phi, p)
    assert barrett_by_hand(transform, f, phi, p, reduce=False) != remainder(f, phi, p)


def test_exactness_is_checked_to_the_bit() -> None:
    """n (p - 1)^2 < P: 25 bits at n = 16384 by 3 parts in a million, and not at 32768 (erratum 002-12)."""
    assert 16384 * (33554393 - 1) ** 2 < P < 16384 * 33554467**2
    Arithmetic(21845, [33554393])
    with pytest.raises(ParameterError, match=r"n \(p - 1\)\^2 = 16384 \* 33554466\^2 is not below P"):
        Arithmetic(21845, [33554467])  # the first prime above 2^25
    with pytest.raises(ParameterError, match=r"n \(p - 1\)\^2 = 32768"):
        ltv.Parameters(3, 65535, 25, 16)
    Arithmetic(65535, [16777213])  # 24 bits


def test_sums_that_could_reach_the_carrier_are_refused(rng: np.random.Generator) -> None:
    ring = Arithmetic(1105, [33554393])
    native = ring.native
    x = native.to(ring.polynomial(integers(768, 33554393, rng)), "NTT")
    total = native.ntt_zero(1)
    possible = (P - 1) // (768 * (33554393 - 1) ** 2)
    for _ in range(possible):
        native.multiply_add(total, x, x)
    with pytest.raises(ArgumentError, match="beyond P"):
        native.multiply_add(total, x, x)
    want = product([c * possible for c in ring.coefficients(x)], ring.coefficients(x), cyclotomic(1105), 33554393)
    assert ring.coefficients(total) == want
    with pytest.raises(ArgumentError, match="beyond P"):
        native.dot(total, x)


@pytest.mark.parametrize("window", [1, 7, 8, 16])
def test_digits_add_up(window: int, rng: np.random.Generator) -> None:
    ring = Arithmetic.of(ltv.Parameters(5, 105, 25, 8))
    q, native = ring.modulus(), ring.native
    values = [0, 1, q - 1, q // 2, *integers(44, q, rng)]
    raw = ring.polynomial(values, domain="RAW")
    count = -(-q.bit_length() // window)
    digits = [ring.coefficients(native.digit_ntt(raw, i, window)) for i in range(count)]
    assert max(max(d) for d in digits) < 2**window
    assert [sum(d[i] << (window * k) for k, d in enumerate(digits)) for i in range(len(values))] == values


def switch_error(a: int, delta: int, p: int) -> float:
    return delta / p


@pytest.mark.parametrize("p", [3, 5, 1021, 33554393])
def test_modulus_switching_is_unbiased_and_even(p: int, rng: np.random.Generator) -> None:
    """Specification 5.11 (6): |epsilon| < 1 with mean 0. As printed, Algorithm 4 reaches 3/2 and has mean 1/2."""
    residues = range(p) if p < 2000 else [0, 1, 2, p - 1, p - 2, p // 2, p // 2 + 1, *rng.integers(p, size=20000)]

    def acceptable(rule) -> bool:
        deltas = [rule(int(a), p) for a in residues]
        right = all(d % 2 == 0 and (d - int(a)) % p == 0 for d, a in zip(deltas, residues, strict=True))
        errors = np.array(deltas) / p
        return right and bool(np.abs(errors).max() < 1) and abs(errors.mean()) < (0.05 if p > 10 else 0.35)

    assert acceptable(core.even_remainder)
    assert not acceptable(core.printed_remainder)


def test_switching_divides_and_keeps_parity(rng: np.random.Generator) -> None:
    ring = Arithmetic.of(ltv.Parameters(4, 105, 25, 8))
    q, p = ring.modulus(), ring.primes[-1]
    values = [0, 1, q - 1, p, p - 1, *integers(43, q, rng)]
    smaller = ring.native.switched(ring.polynomial(values))
    out, q_next = ring.coefficients(smaller), ring.modulus(3)
    for value, got in zip(values, out, strict=True):
        a = value % p
        delta = a - p if a % 2 else a
        assert got == (value - delta) // p % q_next
    with pytest.raises(ArgumentError, match="no level left"):
        ring.native.switched(ring.polynomial([1], primes=1))


@pytest.mark.parametrize(("m", "bits"), [(15, 25), (21, 25), (105, 20), (1105, 22)])
def test_inverses(m: int, bits: int, rng: np.random.Generator) -> None:
    ring = Arithmetic.of(ltv.Parameters(2, m, bits, 8))
    small = [int(v) for v in rng.integers(-3, 4, size=ring.degree)]
    x = ring.polynomial([2 * v + (i == 0) for i, v in enumerate(small)])
    assert ring.coefficients(ring.multiply(x, ring.native.inverse(x))) == padded([1], ring.degree)


@pytest.mark.parametrize("m", [15, 105, 4369])
def test_both_ways_to_invert_agree(m: int, rng: np.random.Generator) -> None:
    p = next(p for p in range(m * 1000 + 1, 2**30, m) if flint.fmpz(p).is_prime())
    n = len(cyclotomic(m)) - 1
    a = integers(n, p, rng)
    inverse = core.inverse_by_values(m, p, a)
    assert inverse == core.inverse_by_euclid(m, p, a)
    assert product(a, inverse, cyclotomic(m), p) == padded([1], n)
    # A polynomial with a root of Phi_m has none.
    root = next(
        r
        for h in range(2, p)
        for r in [pow(h, (p - 1) // m, p)]
        if all(pow(r, m // f, p) != 1 for f in (3, 5, 7, 17, 257) if m % f == 0)
    )
    zero = product([-root % p, 1], a, cyclotomic(m), p)
    assert core.inverse_by_values(m, p, zero) == []
    assert core.inverse_by_euclid(m, p, zero) == []


def test_a_polynomial_without_inverse_is_an_error() -> None:
    ring = Arithmetic(105, [65521, 65519])
    with pytest.raises(ArgumentError, match="modulo the prime 65521, so it has no inverse"):
        ring.native.inverse(ring.polynomial([65521 * 3]))


@pytest.mark.parametrize("m", [15, 105, 1105])
def test_automorphisms(m: int, rng: np.random.Generator) -> None:
    ring = Arithmetic.of(ltv.Parameters(2, m, 22, 8))
    phi, q = cyclotomic(m), ring.modulus()
    a = integers(ring.degree, q, rng)
    field = flint.fmpz_mod_poly_ctx(flint.fmpz_mod_ctx(q))
    for k in (1, 2, 4, m - 1, m + 2):
        moved = [0] * m
        for i, c in enumerate(a):
            moved[i * k % m] = c
        want = padded([int(c) for c in (field(moved) % field(phi)).coeffs()], ring.degree)
        assert ring.coefficients(ring.native.automorphism(ring.polynomial(a), k)) == want
    with pytest.raises(ArgumentError, match="k is prime to m"):
        ring.native.automorphism(ring.polynomial(a), 5)


def test_polynomials_of_flint_go_in_and_out(rng: np.random.Generator) -> None:
    ring = Arithmetic(21, [65521, 65519])
    values = [int(v) for v in rng.integers(-(2**40), 2**40, size=12)]
    want = [v % ring.modulus() for v in values]
    assert ring.to_flint(ring.polynomial(flint.fmpz_poly(values))) == flint.fmpz_poly(want)
    context = flint.fmpz_mod_poly_ctx(flint.fmpz_mod_ctx(ring.modulus()))
    assert ring.coefficients(ring.polynomial(context(values))) == want
    with pytest.raises(ArgumentError, match="13 coefficients"):
        ring.polynomial([1] * 13)


def test_domains_rings_and_levels_are_not_mixed() -> None:
    ring, other = Arithmetic(105, [65521, 65519]), Arithmetic(1105, [65521, 65519])
    native, x = ring.native, ring.polynomial([1])
    with pytest.raises(ArgumentError, match="RAW domain; convert it to the CRT"):
        native.add(native.to(x, "RAW"), x)
    with pytest.raises(ArgumentError, match="NTT domain"):
        native.barrett(native.to(x, "NTT"))
    with pytest.raises(ArgumentError, match="NTT domain"):
        native.reduced(native.to(x, "NTT"))
    with pytest.raises(ArgumentError, match="BARRETT: 48 coefficients"):
        native.barrett(x)
    with pytest.raises(MismatchError, match="2 and 1 primes"):
        native.add(x, ring.polynomial([1], primes=1))
    with pytest.raises((MismatchError, ArgumentError)):
        native.multiply(x, other.polynomial([1]))
    with pytest.raises(MismatchError, match="another ring"):
        native.dot(native.to(x, "NTT"), other.native.to(other.polynomial([1]), "NTT"))
    with pytest.raises(ArgumentError, match="domains are"):
        native.to(x, "FFT")
    with pytest.raises(RangeError, match="coefficient 3 is not below q"):
        words = np.zeros((48, 1), dtype=np.uint32)
        words[3] = ring.modulus() % 2**32
        ring.native.raw(words, 2)


@pytest.mark.parametrize("primes", [[], [65521, 65521], [65520], [2], [2**31 - 1]])
def test_other_primes_are_refused(primes: list[int]) -> None:
    with pytest.raises(ParameterError):
        Arithmetic(15, primes)
