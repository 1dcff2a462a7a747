# SPDX-License-Identifier: Apache-2.0
"""The error law and noise bounds over Phi_m: what is drawn, what the basis does to norms, and every operation's bound
against exact integers."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from cyclotome import _core
from cyclotome._core import testing
from cyclotome._core.testing import deterministic, rlwe, shapes
from cyclotome.errors import ArgumentError, NoiseError
from cyclotomic_party import BitParty, Embedding, bit_literal
from oracles import cyclotomic
from oracles.integers import some_primes
from parties import default_engine, seed
from residues import on

RINGS = (15, 21, 105, 1105, 4369)


def ring_of(m: int) -> Any:
    shape = shapes.cyclotomic(m)
    return testing.Ring.cyclotomic(m, testing.Basis(64, some_primes(50, shape.transform_step, 2)))


def drawn(m: int, law: Any, items: int, number: int = 1) -> Any:
    """[item][place], centred."""
    ring = ring_of(m)
    out = testing.PolyArray(default_engine(), ring, items, 1)
    on(default_engine()).sample(out.view(), law, seed(number), testing.Stream.encryption_error)
    residues = out.to_host()[:, 0]
    signed = []
    for limb, q in enumerate(ring.basis.moduli):
        values = residues[:, limb].astype(np.int64)
        signed.append(np.where(values > q // 2, values - np.int64(q), values))
    assert np.array_equal(signed[0], signed[1])  # one integer polynomial in all limbs
    return signed[0]


# --- the error law ----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("m", RINGS)
def test_errors_are_polynomials_modulo_x_m_minus_1_reduced(m: int) -> None:
    """m numbers of the stream are coefficients of 1, x, ..., x^(m-1), and what is drawn is their sum modulo Phi_m."""
    shape = shapes.cyclotomic(m)
    draws, terms, addresses, bound = shapes.errors(shape)
    assert (draws, terms) == (m, 1 << len(cyclotomic.prime_factors(m))) and bound == 21 * terms
    assert len(addresses) == terms * shape.degree and max(addresses) < m
    # The numbers themselves are those that x^n + 1 takes for its coefficients, n >= m.
    n = 1 << (m - 1).bit_length()
    other = testing.Ring.negacyclic(n, testing.Basis(64, some_primes(50, 2 * n, 1)))
    plain = testing.PolyArray(default_engine(), other, 1, 1)
    on(default_engine()).sample(plain.view(), testing.Law.error, seed(1), testing.Stream.encryption_error)
    (q,) = other.basis.moduli
    numbers = [int(x) - (q if int(x) > q // 2 else 0) for x in plain.to_host()[0, 0, 0, :m]]
    found = drawn(m, testing.Law.error, 1)[0]
    big = some_primes(50, 2, 1)[0]
    group = shape.galois
    by_exponent = {j: int(found[shapes.slot(group, shapes.inverse(group, j))]) for j in cyclotomic.units(m)}
    assert cyclotomic.reduced(by_exponent, m, big) == cyclotomic.reduced(dict(enumerate(numbers)), m, big)


@pytest.mark.parametrize("m", [105, 1105, 4369])
def test_errors_are_spherical(m: int) -> None:
    """The variance at every root is m sigma^2, and a coefficient's 2^k sigma^2; a secret's is n 2/3 and 2/3."""
    embedding, items = Embedding(shapes.cyclotomic(m)), 400
    k = len(cyclotomic.prime_factors(m))
    for law, variance, coefficient in (
        (testing.Law.error, 10.5 * m, 10.5 * 2**k),
        (testing.Law.ternary, 2 / 3 * embedding.n, 2 / 3),
    ):
        rows = drawn(m, law, items)
        assert np.mean(rows.astype(float) ** 2) == pytest.approx(coefficient, rel=0.1)
        squares = np.abs([embedding.values(row) for row in rows]) ** 2
        assert np.mean(squares) == pytest.approx(variance, rel=0.05)
        # Of each root: 400 draws of an exponential law, 5 of its deviations off at most, and no root is narrow.
        each = squares.mean(axis=0) / variance
        assert 1 - 6 / math.sqrt(items) < each.min() and each.max() < 1 + 6 / math.sqrt(items)


def test_moduli_that_errors_do_not_fit_are_refused() -> None:
    shape = shapes.cyclotomic(105)
    ring = testing.Ring.cyclotomic(105, testing.Basis(64, [167]))
    with pytest.raises(ArgumentError, match="up to 168 are no residues modulo 167"):
        on(default_engine()).sample(testing.PolyArray(default_engine(), ring, 1, 1).view(), testing.Law.error, seed(1),
                                testing.Stream.secret)  # fmt: skip
    assert shapes.errors(shape)[3] == 168


# --- norms ------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("m", RINGS)
def test_the_geometry_is_that_of_the_basis(rng: np.random.Generator, m: int) -> None:
    """The Gram matrix' eigenvalues and its inverse's diagonal, or at large m that vectors reach what is stated."""
    shape = shapes.cyclotomic(m)
    dual, gram, turn, skew = shapes.geometry(shape)
    embedding = Embedding(shape)
    n = shape.degree
    assert turn == 2 ** len(cyclotomic.prime_factors(m)) and skew == 1
    assert dual == pytest.approx(n * turn / m) and gram == pytest.approx(m / n)
    if n <= 1000:
        rows = np.array([embedding.values(unit) for unit in np.eye(n)])
        matrix = (rows @ rows.conj().T).real
        assert np.allclose(np.diag(matrix), n)
        assert np.linalg.eigvalsh(matrix)[-1] == pytest.approx(gram * n)
        assert np.linalg.inv(matrix).diagonal().max() == pytest.approx(dual / n)
        assert np.abs((rows**2).sum(axis=0)).max() == pytest.approx(skew)
    for _ in range(20):
        a = rng.integers(-9, 10, n)
        squares = float(np.sum(np.abs(embedding.values(a)) ** 2))
        assert squares <= gram * n * float(np.sum(a**2)) * (1 + 1e-9)
        assert float(np.max(a**2)) <= dual / n * squares * (1 + 1e-9)
    one = np.full(n, 1.0)
    assert np.allclose(np.abs(embedding.values(one)), 1)


@pytest.mark.parametrize("m", [*RINGS, 8191, 21845, 65535])
def test_norms_of_polynomials(rng: np.random.Generator, m: int) -> None:
    """From NumPy's FFT: never below, and by rounding only above."""
    shape = shapes.cyclotomic(m)
    embedding = Embedding(shape)
    n, turn = shape.degree, shapes.geometry(shape)[2]
    for a in (
        rng.integers(-1, 2, n), rng.integers(-(1 << 20), 1 << 20, n), np.ones(n, dtype=int), -rng.integers(0, 2, n),
        (np.arange(n) == n // 2).astype(int),
    ):  # fmt: skip
        canonical, two, one = testing.norms_in(shape, [int(x) for x in a])
        values = np.abs(embedding.values(a))
        total = float(np.sum(np.abs(a)))
        assert values.max() * (1 - 1e-12) <= canonical <= math.sqrt(values.max() ** 2 + 2**-28 * total**2)
        mean = math.sqrt(float(np.mean(values**2)))
        assert mean * (1 - 1e-12) <= two <= math.sqrt(mean**2 + 2**-28 * total**2) * (1 + 1e-9)
        assert one == pytest.approx(turn * total)


@pytest.mark.parametrize("m", [15, 105, 1105])
def test_no_product_passes_the_calculus(rng: np.random.Generator, m: int) -> None:
    """Polynomials random, constant, matched to each other and of one root, multiplied in exact integers."""
    shape = shapes.cyclotomic(m)
    calculus, embedding = testing.NoiseCalculus.of(shape), Embedding(shape)
    group, n = shape.galois, shape.degree
    root = np.rint(1000 * embedding.values(np.eye(n)[0]).real).astype(int)
    aligned = np.zeros(n, dtype=int)
    aligned[embedding.places] = root
    conjugate = [int(source) for source, _ in shapes.coefficients(group, m - 1)]
    some = rng.integers(-50, 51, n)
    big = some_primes(60, 2, 1)[0]

    def product(a: Any, b: Any) -> Any:
        pairs = list(zip(embedding.units.tolist(), embedding.places.tolist(), strict=True))
        polynomials = [cyclotomic.reduced({j: int(x[p]) for j, p in pairs}, m, big) for x in (a, b)]
        found = polynomials[0] * polynomials[1] % cyclotomic.modulus(m, big)
        return cyclotomic_normal(found, m, big, embedding)

    for a, b in itertools.product((some, aligned, np.ones(n, dtype=int), some[conjugate]), repeat=2):
        exact = embedding.norms(product(a, b))
        of_a, of_b = ([float(x) for x in embedding.norms(v)] for v in (a, b))
        stated = calculus.product(of_a, of_b)
        assert all(x <= y + 1e-9 for x, y in zip(exact, stated, strict=True)), (exact, stated)
        by_plain = calculus.times_plain(of_a, testing.norms_in(shape, [int(x) for x in b]))
        assert all(x <= y + 1e-6 for x, y in zip(exact, by_plain, strict=True)), (exact, by_plain)
        tidied = calculus.tidy(of_a)
        assert tidied == pytest.approx(of_a, abs=1e-9)  # what is true is never lowered


def cyclotomic_normal(polynomial: Any, m: int, q: int, embedding: Embedding) -> list[int]:
    """Coefficients of the normal basis, by place, centred, of a polynomial modulo Phi_m and q."""
    normal = cyclotomic.normal({j: int(c) for j, c in enumerate(polynomial.coeffs())}, m)
    result = [0] * embedding.n
    for j, place in zip(embedding.units.tolist(), embedding.places.tolist(), strict=True):
        value = normal[j] % q
        result[place] = value - (q if value > q // 2 else 0)
    return result


# --- keys and operations ----------------------------------------------------------------------------------------------
@pytest.mark.parametrize("m", [105, 1105, 4369])
def test_keys_pass_the_check_that_bounds_rest_on(m: int) -> None:
    """Secrets and the values that are drawn: mean square and largest value at a root, as stated."""
    party = BitParty(bit_literal(m, 2, 1))
    embedding, n = party.embedding, party.shape.degree
    kappa = math.log(n / 2) + 3
    for number in range(20):
        secret = deterministic.generate_secret_key(party.context, seed(number, 1))
        squares = np.abs(embedding.values(rlwe.coefficients(secret))) ** 2
        assert squares.max() <= n * 2 / 3 * kappa and squares.mean() <= 0.7 * n
    law = embedding.norms(rlwe.coefficients(party.secret))
    assert all(law <= np.array(testing.NoiseCalculus.of(party.shape).secret()) + 1e-9)


@pytest.fixture(scope="module", params=[(15, 64, 0), (105, 32, 0), (1105, 64, 1 << 30), (4369, 32, 0)],
                ids=lambda case: f"Phi_{case[0]}")  # fmt: skip
def party(request: pytest.FixtureRequest) -> BitParty:
    m, word, above = request.param
    return BitParty(bit_literal(m, 6, 3, word, above), galois=[2])


def test_every_operation_stays_below_its_bound(party: BitParty, rng: np.random.Generator) -> None:
    """Fresh, sums, products of equal and of other operands, of all ones, key switches, plain factors, every level."""
    top = 1 << party.slots.degree
    count = party.slots.count
    rows = np.array([rng.integers(0, top, count), np.ones(count), np.full(count, top - 1), np.zeros(count)])
    public, symmetric = (party.encrypt(rows, 7 + s, symmetric=bool(s)) for s in range(2))
    for x in (public, symmetric):
        party.assert_bounded(x)
        assert np.array_equal(party.decrypt(x), rows)
    x, y = public, party.encrypt(rows[::-1], 9)
    party.assert_bounded(_core.add(x, x))
    party.assert_bounded(_core.apply_galois(x, 2, party.evaluation))
    mask = _core.encode_residues(party.context, 0, True, np.atleast_2d(np.arange(count) % 2))
    party.assert_bounded(_core.multiply_plain(x, mask))
    party.assert_bounded(testing.scheme.add_plain(x, mask))
    for other in (x, y):
        three = testing.bgv.multiply(x, other, automatic=False)
        party.assert_bounded(three)
        two = _core.relinearize(three, party.evaluation)
        gap = party.assert_bounded(two)
        assert gap.max() < 40
        level = two
        while level.limbs > 1:
            level = testing.bgv.switch_modulus(level)
            party.assert_bounded(level)
        others = rows if other is x else rows[::-1]
        pairs = zip(rows.astype(int).ravel().tolist(), others.astype(int).ravel().tolist(), strict=True)
        expected = np.array([product(party, a, b) for a, b in pairs]).reshape(rows.shape)
        assert np.array_equal(party.decrypt(level), expected)


def product(party: BitParty, a: int, b: int) -> int:
    return int(testing.BinaryField(party.slots.degree).multiply(a, b))


def test_squares_in_a_row_until_refusal(party: BitParty) -> None:
    """Automatic levels: bounded and right at each depth, or refused; no bound is off by more than is recorded."""
    count = party.slots.count
    top = (1 << party.slots.degree) - 1
    x = party.encrypt([[top] * count], 3)
    value = top
    for _ in range(6):
        x = _core.relinearize(testing.bgv.square(x), party.evaluation)
        value = product(party, value, value)
        if x.noise_headroom < 0:
            with pytest.raises(NoiseError):
                _core.decrypt(x, party.secret)
            break
        gaps = party.assert_bounded(x)
        assert gaps.max() < 45
        assert np.array_equal(party.decrypt(x), [[value] * count])


def test_the_formulas_of_independent_operands_lie_within_a_bit() -> None:
    """Root mean squares at the roots over Phi_4369 against variances: fresh 4 V_e + n/2 (secret key) and after a switch
    (n/3)(1 + 2n/3), as worked out for the ring; the library's bound is above both."""
    party = BitParty(bit_literal(4369, 4, 2, 32))
    n, m = party.shape.degree, 4369
    rng = np.random.default_rng(5)
    x = party.encrypt(rng.integers(0, 2, (4, party.slots.count)), 5, symmetric=True)

    def measured(ciphertext: Any) -> float:
        rows = [np.abs(party.embedding.values(row)) ** 2 for row in party.phases(ciphertext)]
        return 0.5 * math.log2(float(np.mean(rows)))

    assert measured(x) == pytest.approx(0.5 * math.log2(4 * 10.5 * m + n / 2), abs=0.2)
    down = testing.bgv.switch_modulus(x)
    assert measured(down) == pytest.approx(0.5 * math.log2(n / 3 * (1 + 2 / 3 * n)), abs=0.5)
    assert all(c.noise[1] + 0.5 * math.log2(n) >= measured(c) for c in (x, down))
