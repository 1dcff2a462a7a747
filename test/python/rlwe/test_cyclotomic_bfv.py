# SPDX-License-Identifier: Apache-2.0
"""BFV over Phi_m: every product method, operands made to break the noise bound, and decryption by its definition, in
exact integers and on the roots of Phi_m. Whatever is computed, the exact error is below the bound in all three norms;
with the headroom used up to less than a bit decryption is right, and one bit more is refused."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from cyclotome import _core
from cyclotome._core import testing
from cyclotome._core.testing import bfv, rlwe, shapes
from cyclotome.errors import ContradictionError, NoiseError
from cyclotomic_party import BitParty, bit_literal, smallest_primes
from literals import ParametersLiteral
from oracles import cyclotomic
from oracles.behz import auxiliary_suffices
from oracles.integers import compose, decompose, round_half_up

METHODS = [bfv.ProductMethod.behz, bfv.ProductMethod.hps_over_q, bfv.ProductMethod.hps_over_q_leveled]
EVERY_METHOD = pytest.mark.parametrize("method", METHODS, ids=["behz", "hps_over_q", "hps_over_q_leveled"])
#: m, word, primes, special primes, above
CASES = [(15, 64, 4, 1, 1 << 48), (105, 32, 7, 2, 1 << 28), (1105, 64, 5, 1, 1 << 48), (4369, 32, 7, 2, 1 << 28)]


class Bits(BitParty):
    """A party, and what it encrypts: rows of elements of the field."""

    def __init__(self, case: tuple[int, int, int, int, int], strict: bool = False) -> None:
        m, word, primes, special, above = case
        literal = bit_literal(m, primes, special, word, above, scheme="bfv")
        literal.strict = strict
        super().__init__(literal, galois=[2, m - 1])
        self.m, self.n = m, self.shape.degree
        self.field = testing.BinaryField(self.slots.degree)
        self.refused = self.checks = 0
        self.closest = np.full(3, np.inf)

    def elements(self, polynomial: Any) -> Any:
        """The slots of a polynomial modulo 2 in the normal basis."""
        return np.array([self.slots.decode([int(c) & 1 for c in polynomial])])

    def polynomial(self, elements: Any) -> Any:
        return np.array(self.slots.encode(self.n, [int(x) for x in elements]))

    def times(self, a: Any, b: Any) -> Any:
        return np.vectorize(lambda x, y: int(self.field.multiply(int(x), int(y))), otypes=[np.int64])(a, b)

    def turned(self, rows: Any, element: int) -> Any:
        """What an automorphism makes of messages."""
        sources = [int(source) for source, _ in shapes.coefficients(self.shape.galois, element)]
        return np.concatenate([self.elements(self.polynomial(row)[sources]) for row in rows])

    def checked(self, ciphertext: Any, expected: Any) -> bool:
        """Bounded and right; or refused, and False."""
        if ciphertext.noise_headroom < 0:
            with pytest.raises(NoiseError):
                _core.decrypt(ciphertext, self.secret)
            self.refused += 1
            return False
        self.closest = np.minimum(self.closest, self.assert_bounded(ciphertext))
        self.checks += 1
        assert np.array_equal(self.decrypt(ciphertext), expected)
        return True

    def used_up(self, ciphertext: Any, expected: Any) -> None:
        """Times odd numbers, which keep bits, until less than two bits of headroom are left; then once more."""
        while self.checked(ciphertext, expected):
            factor = max(3, int(min(2.0**ciphertext.noise_headroom, 2.0**40)) // 2 * 2 - 1)
            ciphertext = rlwe.multiply_scalar(ciphertext, factor)


@pytest.fixture(scope="module", params=CASES, ids=lambda case: f"Phi_{case[0]}")
def party(request: pytest.FixtureRequest) -> Bits:
    return Bits(request.param)


def rows_of(party: Bits, rng: np.random.Generator) -> Any:
    top, count = 1 << party.slots.degree, party.slots.count
    return np.array([rng.integers(0, top, count), np.ones(count), np.full(count, top - 1), np.zeros(count)]).astype(int)


# --- operations -------------------------------------------------------------------------------------------------------
@EVERY_METHOD
def test_every_operation_stays_below_its_bound(party: Bits, rng: np.random.Generator, method: Any) -> None:
    rows = rows_of(party, rng)
    x, y = party.encrypt(rows, 7), party.encrypt(rows[::-1], 9, symmetric=True)
    mask = _core.encode_residues(party.context, 0, True, np.atleast_2d(np.arange(party.slots.count) % 2))
    for each in (x, y):
        assert party.checked(each, rows if each is x else rows[::-1])
    assert party.checked(_core.add(x, x), 0 * rows)
    assert party.checked(_core.add(x, y), rows ^ rows[::-1])
    assert party.checked(testing.scheme.subtract(x, y), rows ^ rows[::-1])
    assert party.checked(_core.apply_galois(x, 2, party.evaluation), party.times(rows, rows))
    conjugate = party.turned(rows, party.m - 1)
    assert party.checked(_core.apply_galois(x, party.m - 1, party.evaluation), conjugate)
    assert party.checked(_core.multiply_plain(x, mask), rows * (np.arange(party.slots.count) % 2))
    assert party.checked(testing.scheme.add_plain(x, mask), rows ^ (np.arange(party.slots.count) % 2))
    for other, values in ((x, rows), (y, rows[::-1])):
        three = bfv.multiply(x, other, method)
        assert party.checked(three, party.times(rows, values))
        two = bfv.multiply_relinearized(x, other, party.evaluation, method)
        assert party.checked(two, party.times(rows, values))
        assert np.array_equal(rlwe.coefficients(two), rlwe.coefficients(_core.relinearize(three, party.evaluation)))
    assert (party.closest < 40).all()  # the bound says something


@EVERY_METHOD
def test_products_in_a_row_until_refusal(party: Bits, rng: np.random.Generator, method: Any) -> None:
    """Squares, and one factor at a time, of random elements and of all ones."""
    rows = rows_of(party, rng)[:3]
    for by_squaring in (True, False):
        first = x = party.encrypt(rows, 3)
        values, depth = rows, 0
        while party.checked(x, values):
            x = bfv.multiply_relinearized(x, x if by_squaring else first, party.evaluation, method)
            values, depth = party.times(values, values if by_squaring else rows), depth + 1
        assert depth >= 3


@EVERY_METHOD
@pytest.mark.parametrize("strict", [False, True])
def test_products_with_conjugates(rng: np.random.Generator, method: Any, strict: bool) -> None:
    """x x', (x + x')^2, (x x')^2 with x' the conjugate, whose values on all roots are real and of one sign; the
    headroom used up behind each."""
    for case in CASES[:3]:
        party = Bits(case, strict)
        rows = rows_of(party, rng)[:2]
        conjugate = party.turned(rows, party.m - 1)
        x = party.encrypt(rows, 11)
        turned = _core.apply_galois(x, party.m - 1, party.evaluation)
        product = bfv.multiply_relinearized(x, turned, party.evaluation, method)
        values = party.times(rows, conjugate)
        party.used_up(product, values)
        both = _core.add(x, turned)
        party.used_up(
            bfv.square_relinearized(both, party.evaluation, method), party.times(rows ^ conjugate, rows ^ conjugate)
        )
        party.used_up(bfv.square_relinearized(product, party.evaluation, method), party.times(values, values))
        assert party.refused > 0 and party.checks > 6


def test_plaintexts_matched_to_rounding_errors_and_to_the_exact_error(party: Bits, rng: np.random.Generator) -> None:
    """round(q m/2) - q m/2 is a half wherever m is odd: bits chosen as signs of a root's cosine, after 50 sums with the
    same plaintext; then factors matched to the error itself, which no adversary sees: its conjugate, and what
    lines all of its values up at one coefficient."""
    units, places, m, n = party.embedding.units, party.embedding.places, party.m, party.n
    loud = np.zeros(n, dtype=int)
    loud[places] = np.cos(2 * np.pi * units / m) > 0
    for polynomial in (loud, np.ones(n, dtype=int), rng.integers(0, 2, n)):
        elements = party.elements(polynomial)
        plaintext = _core.encode_residues(party.context, 0, True, elements)
        x = party.encrypt(elements, 13)
        values = elements
        for _ in range(50):
            x, values = testing.scheme.add_plain(x, plaintext), values ^ elements
        assert party.checked(x, values)
        square = bfv.square_relinearized(x, party.evaluation)
        for start, message in ((x, values), (square, party.times(values, values))):
            row = party.errors(start)[0][0]
            for factor in matched(party, row):
                elements_of_factor = party.elements(factor)
                plain = _core.encode_residues(party.context, 0, True, elements_of_factor)
                once = _core.multiply_plain(start, plain)
                found = party.times(message, elements_of_factor)
                assert party.checked(once, found)
                if start is x:
                    party.checked(bfv.multiply_relinearized(once, once, party.evaluation), party.times(found, found))
                party.used_up(once, found)


def matched(party: Bits, row: Any) -> list[Any]:
    """Polynomials of bits, as large as they can be where they meet a row."""
    largest = max(abs(int(x)) for x in row)
    error = np.array([int(x) / largest for x in row])
    conjugate = [int(source) for source, _ in shapes.coefficients(party.shape.galois, party.m - 1)]
    values = party.embedding.values(error)
    phases = np.zeros(party.m, dtype=complex)
    phases[party.embedding.units] = np.conj(values) / np.maximum(np.abs(values), 1e-300)
    lined_up = np.zeros(party.n)
    lined_up[party.embedding.places] = np.fft.ifft(phases).real[party.embedding.units]
    peak = int(party.embedding.units[np.argmax(np.abs(values))])
    loudest = np.zeros(party.n)
    loudest[party.embedding.places] = np.cos(2 * np.pi * party.embedding.units * peak / party.m)
    bits = [(each > 0).astype(int) for each in (error[conjugate], lined_up, loudest)]
    return [each for each in bits if each.any()]


def test_repeated_sums_of_one_ciphertext(party: Bits, rng: np.random.Generator) -> None:
    rows = rows_of(party, rng)
    doubled = x = party.encrypt(rows, 21)
    for _ in range(6):
        doubled = _core.add(doubled, doubled)
        assert party.checked(doubled, 0 * rows)
    turned, values = x, rows
    for _ in range(4):
        turned = _core.add(turned, _core.apply_galois(turned, 2, party.evaluation))
        values = values ^ party.times(values, values)
        assert party.checked(turned, values)
    assert party.checked(testing.scheme.subtract(x, x), 0 * rows)


# --- decryption and sizes ---------------------------------------------------------------------------------------------
def test_decryption_is_the_rounded_quotient(party: Bits, rng: np.random.Generator) -> None:
    """round(t phase/q) modulo t by Python's integers, coefficient by coefficient, of fresh ones and products."""
    x = party.encrypt(rows_of(party, rng), 5)
    q = math.prod(party.moduli)
    for each in (x, bfv.multiply(x, x)):
        phases = compose(rlwe.phase(party.secret, each), party.moduli)[:, 0]
        expected = np.array([[int(v) % 2 for v in round_half_up(row * 2, q)] for row in phases])
        assert np.array_equal(rlwe.coefficients(_core.decrypt(each, party.secret))[:, 0, 0], expected)


def test_noise_beyond_the_limit_or_the_bound_is_a_contradiction(party: Bits, rng: np.random.Generator) -> None:
    """(q/t) m + e with a chosen e: right up to 15/16 of the limit, an error of its own beyond; and beyond the bound
    that a ciphertext states, however small both are."""
    q, n = math.prod(party.moduli), party.n
    slack = Fraction(len(party.moduli), 2 ** (29 if party.parameters.word == 32 else 60))
    limit = Fraction(q, 2) * (Fraction(1, 2) - slack)
    message = rng.integers(0, 2, n)
    mask = np.array([int(v) for v in rng.integers(0, 1 << 62, n)], dtype=object) * 3**20 % q
    turned = cyclotomic_product(party, mask, rlwe.coefficients(party.secret), q)

    def crafted(error: Any, log2_max: float) -> Any:
        scaled = np.array([(q * int(v) + 1) // 2 for v in message], dtype=object)
        parts = np.array([[(scaled + error - turned) % q, mask]], dtype=object)
        residues = np.ascontiguousarray(decompose(parts, party.moduli))
        return rlwe.crafted(party.context, party.secret.id, 0, residues, log2_max)

    stated = math.log2(limit) + math.log2(15 / 16) - 1e-6
    for part, passes in ((Fraction(1, 2), True), (Fraction(14, 16), True), (Fraction(31, 32), False), (1, False)):
        single, signs = np.zeros(n, dtype=object), rng.choice([-1, 1], n).astype(object) * int(limit * part)
        single[int(rng.integers(n))] = -int(limit * part)
        for error in (single, signs):
            ciphertext = crafted(error, stated)
            if passes:
                assert np.array_equal(party.decrypt(ciphertext), party.elements(message))
                with pytest.raises(ContradictionError, match="more noise than the bound"):
                    _core.decrypt(crafted(error, math.log2(limit * part) - 0.5), party.secret)
            else:
                with pytest.raises(ContradictionError, match="more noise than the bound"):
                    _core.decrypt(ciphertext, party.secret)


def cyclotomic_product(party: Bits, a: Any, b: Any, q: int) -> Any:
    """a b modulo Phi_m and q, in the normal basis, by Python's integers: convolution of exponents modulo m."""
    units, places, m = party.embedding.units, party.embedding.places, party.m
    one, two = (np.array([int(x) for x in v], dtype=object) for v in (a, b))
    spread = np.zeros(m, dtype=object)
    for unit, place in zip(units.tolist(), places.tolist(), strict=True):
        if two[place]:
            spread[(units + unit) % m] += two[place] * one[places]
    result = np.zeros(party.n, dtype=object)
    normal = cyclotomic.normal(dict(enumerate(spread.tolist())), m)
    for unit, place in zip(units.tolist(), places.tolist(), strict=True):
        result[place] = normal[unit] % q
    return result


@pytest.mark.parametrize("word", [32, 64])
@pytest.mark.parametrize("m", [105, 4369, 21845])
def test_auxiliary_bases_are_sized_by_the_rings_expansion(m: int, word: int) -> None:
    """Products over Phi_m have coefficients up to prod (2 p - 3) times their factors', not n times: BEHZ's basis is the
    smallest that suffices for that."""
    shape = shapes.cyclotomic(m)
    delta = math.prod(2 * p - 3 for p in cyclotomic.prime_factors(m))
    assert shapes.expansion(shape) == delta > shape.degree
    above = (1 << 28) if word == 32 else (1 << 58)
    q = smallest_primes(shape.transform_step, 4, above)
    m_tilde = testing.behz_m_tilde(word)
    for t in (2, 65537):
        basis = testing.behz_auxiliary_basis_of(shape, testing.Basis(word, q), t, m_tilde, q).moduli
        assert auxiliary_suffices(q, basis, delta, t, m_tilde)
        assert not auxiliary_suffices(q, basis[:-1], delta, t, m_tilde)
        assert all(p % shape.transform_step == 1 for p in basis)


@EVERY_METHOD
def test_integers_in_slots(rng: np.random.Generator, method: Any) -> None:
    """A plaintext modulus with a transform: products modulo t slot by slot, and factors of the largest residues."""
    m = 105
    step = shapes.cyclotomic(m).transform_step
    t = smallest_primes(step, 1, 1 << 14)[0]
    literal = ParametersLiteral(scheme="bfv", cyclotomic=m, word=64, plain_moduli=[t], security=0, allow_insecure=True)
    primes = smallest_primes(step, 6, 1 << 48)
    literal.moduli, literal.special_moduli = primes[:5], primes[5:]
    party = Integers(literal)
    n = party.n
    half = t // 2
    rows = np.array(
        [rng.integers(-half, half + 1, n), np.full(n, half), np.full(n, -half), half * (-1) ** np.arange(n)]
    )
    x, y = party.encrypt(rows, 3), party.encrypt(rows[::-1], 4)
    for other, values in ((x, rows), (y, rows[::-1])):
        product, expected = bfv.multiply_relinearized(x, other, party.evaluation, method), rows * values % t
        party.assert_bounded(product)
        assert np.array_equal(party.decrypt(product) % t, expected)
        product = bfv.multiply_relinearized(product, other, party.evaluation, method)
        party.assert_bounded(product)
        assert np.array_equal(party.decrypt(product) % t, expected * values % t)


class Integers(BitParty):
    """The same with integers in slots."""

    def __init__(self, literal: Any) -> None:
        super().__init__(literal)
        self.n = self.shape.degree
