# SPDX-License-Identifier: Apache-2.0
"""BGV's encryption, modulus switching and correction factors against a textbook in Python integers.

Specification 5.4, 5.8 and 5.11 (6), (8); errata 002-1 to 002-4 and 004-2.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from bgv_party import SETS, BgvParty, bgv_literal, party_of
from cyclotome import _core
from cyclotome._core import testing
from cyclotome._core.testing import rlwe
from cyclotome.errors import ArgumentError, MismatchError
from oracles.integers import centred, magnitude, random_below
from oracles.textbook_bgv import TextbookBgv
from parties import slot_prime

EVERY_SET = pytest.mark.parametrize("case", SETS, ids=str)
WORD = pytest.mark.parametrize("word", [32, 64])


@EVERY_SET
def test_phases_are_messages_modulo_t(rng: np.random.Generator, case: Any) -> None:
    party = party_of(case, 32, int(rng.integers(1 << 60)))
    t = party.t()
    values = random_below(rng, t, (4, 32))
    values[0], values[1] = 0, t - 1
    for symmetric in (False, True):
        x = party.encrypt(values, int(rng.integers(1 << 60)), False, symmetric=symmetric)
        assert x.limbs == party.top and testing.bgv.correction(x) == 1 and x.parts == 2
        assert np.array_equal(party.phases(x) % t, values)
        party.reads(x, False, values)


@EVERY_SET
def test_a_textbook_ciphertext_decrypts_at_every_level_and_factor(rng: np.random.Generator, case: Any) -> None:
    """Phases up to q/2, less what fixed-point quotients resolve: they are centred before they are reduced modulo t."""
    party = party_of(case, 16)
    t, n = party.t(), 16
    for level in range(1, party.top + 1):
        book = party.book(level)
        factor = next(f for f in range(int(rng.integers(1, t)), 2 * t) if math.gcd(f, t) == 1) % t or 1
        edge = book.q // 2 - (book.q >> 26) - 1
        phase = random_below(rng, 2 * edge + 1, n) - edge
        phase[:4] = [edge, -edge, 0, -1]
        a = random_below(rng, book.q, n)
        ciphertext = book.encrypt(phase, party.s, a, np.zeros(n, dtype=object))
        x = party.made(ciphertext, level, correction=factor)
        found = _core.decode_residues(testing.scheme.decrypt_unchecked(x, party.secret), False)[0] % t
        assert np.array_equal(found, phase * pow(factor, -1, t) % t)
        assert np.array_equal(found, book.decrypt(ciphertext, party.s, factor))


@EVERY_SET
@pytest.mark.parametrize("parts", [2, 3])
def test_modulus_switching_is_exact(rng: np.random.Generator, case: Any, parts: int) -> None:
    """Every coefficient is (c - delta) / q_l with delta = c modulo q_l, delta = 0 modulo t, |delta| <= t q_l / 2."""
    party = party_of(case, 16)
    t = party.t()
    rows = random_below(rng, party.q, (3, parts, 16))
    rows[0, :, :4] = [0, 1, party.q - 1, party.q // 2]
    x = party.made(rows, party.top)
    while x.limbs > 1:
        level, prime = x.limbs, party.moduli[x.limbs - 1]
        book, before = party.book(level), party.parts(x)
        y = testing.bgv.switch_modulus(x)
        assert y.limbs == level - 1
        assert testing.bgv.correction(y) * prime % t == testing.bgv.correction(x) % t
        for old, new in zip(before, party.parts(y), strict=True):
            for c, result, expected in zip(old, new, book.switch_modulus(old, prime), strict=True):
                delta = book.multiple(c, prime)
                assert not np.any((c - delta) % prime) and not np.any(delta % t)
                assert 2 * magnitude(delta) <= t * prime
                assert np.array_equal(result, expected)
                assert np.array_equal((result * prime + delta) % (book.q // prime), c % (book.q // prime))
        x = y
    with pytest.raises(ArgumentError, match="no level left"):
        testing.bgv.switch_modulus(x)


@EVERY_SET
@pytest.mark.parametrize("parts", [2, 3])
def test_switching_by_several_primes_is_one_exact_division(rng: np.random.Generator, case: Any, parts: int) -> None:
    """As by one prime, with the product of all that are dropped."""
    party = party_of(case, 16)
    rows = random_below(rng, party.q, (2, parts, 16))
    rows[0, :, :4] = [0, 1, party.q - 1, party.q // 2]
    x = party.made(rows, party.top)
    before, step, t, book = party.parts(x), x, party.t(), party.book(party.top)
    for level in range(party.top - 1, 0, -1):
        dropped = math.prod(party.moduli[level : party.top])
        y, step = testing.scheme.switch_to_level(x, level), testing.bgv.switch_modulus(step)
        assert y.limbs == level and testing.bgv.correction(y) == testing.bgv.correction(step)
        for old, new in zip(before, party.parts(y), strict=True):
            for c, result, expected in zip(old, new, book.switch_modulus(old, dropped), strict=True):
                delta = centred((np.asarray(c, dtype=object) - result * dropped) % book.q, book.q)
                assert not np.any((c - delta) % dropped) and not np.any(delta % t)
                # A lift of several primes may be a neighbour this close to the middle (doc/noise.md).
                assert magnitude(delta) * (1 << 25) <= t * dropped * ((1 << 24) + 1)
                near = [abs(2 * abs(int(d)) - t * dropped) << 22 <= t * dropped for d in book.multiple(c, dropped)]
                assert np.array_equal(np.asarray(result)[np.invert(near)], np.asarray(expected)[np.invert(near)])
                assert sum(near) <= 4


@WORD
@pytest.mark.parametrize("t", [2, 3, 257, 65537])
def test_the_rounding_of_a_switch_has_mean_zero(rng: np.random.Generator, word: int, t: int) -> None:
    """epsilon = delta / q_l is uniform in (-t/2, t/2): mean 0 and variance t^2/12, for t = 2 as well (002-1)."""
    n = 1024
    party = BgvParty(bgv_literal(word, n, t, 2, bits=30 if word == 32 else 50))
    rows = random_below(rng, party.q, (4, 2, n))
    x = party.made(rows, 2)
    prime, book = party.moduli[1], party.book(1)
    new = np.array(party.parts(testing.bgv.switch_modulus(x)), dtype=object)
    epsilon = centred(rows - new * prime, party.q)
    assert not np.any(epsilon % t)
    epsilon = epsilon.astype(float) / prime
    assert np.abs(epsilon).max() <= t / 2 and np.abs(epsilon).max() > 0.99 * t / 2
    count, deviation = epsilon.size, t / math.sqrt(12)
    assert abs(epsilon.mean()) < 6 * deviation / math.sqrt(count)
    assert epsilon.std() == pytest.approx(deviation, rel=0.04)
    assert book.q == party.moduli[0]


@EVERY_SET
def test_the_chain_of_correction_factors(rng: np.random.Generator, case: Any) -> None:
    """Down all levels the factor is the inverse of the dropped primes modulo t, and the message stays (5.11 (8))."""
    party = party_of(case, 32)
    t = party.t()
    values = random_below(rng, t, (2, 32))
    x, dropped = party.encrypt(values, int(rng.integers(1 << 60)), False), 1
    for level in range(party.top, 0, -1):
        assert x.limbs == level and testing.bgv.correction(x) == pow(dropped, -1, t)
        if x.noise_headroom < 0:
            break
        party.reads(x, False, values)
        direct = testing.scheme.switch_to_level(party.encrypt(values, 1, False), level)
        assert testing.bgv.correction(direct) == testing.bgv.correction(x)
        if level > 1:
            dropped *= party.moduli[level - 1]
            x = testing.bgv.switch_modulus(x)
    assert party.t() == 2 or testing.bgv.correction(testing.scheme.switch_to_level(x, 1)) != 1


def test_levels_only_fall() -> None:
    party = BgvParty(bgv_literal(64, 16, 257, 3, 1))
    x = testing.scheme.switch_to_level(party.encrypt([1], 1, False), 2)
    assert np.array_equal(rlwe.coefficients(testing.scheme.switch_to_level(x, 2)), rlwe.coefficients(x))
    for level in (0, 3, 4):
        with pytest.raises(ArgumentError, match="levels only fall"):
            testing.scheme.switch_to_level(x, level)


@EVERY_SET
def test_budget_and_measured_noise_are_those_of_big_integers(rng: np.random.Generator, case: Any) -> None:
    party = party_of(case, 32)
    x = party.encrypt(random_below(rng, party.t(), (6, 32)), int(rng.integers(1 << 60)), False)
    while True:
        level = x.limbs
        budgets, measured = _core.noise_budget(x, party.secret), _core.measured_noise(x, party.secret)
        for item, parts in enumerate(party.parts(x)):
            assert budgets[item] == party.book(level).noise_budget(parts, party.s)
            assert measured[item] == pytest.approx(math.log2(magnitude(party.phases(x)[item])), abs=1e-9)
        if level == 1:
            break
        x = testing.bgv.switch_modulus(x)


def test_what_does_not_belong_to_bgv_is_refused() -> None:
    party = BgvParty(bgv_literal(64, 16, 257, 3, 1))
    stranger = BgvParty(bgv_literal(64, 16, 257, 2, 1))
    x = party.encrypt([1, 2, 3], 1, False)
    with pytest.raises(MismatchError, match="different parameters"):
        _core.decrypt(x, stranger.secret)
    with pytest.raises(MismatchError, match="different parameters"):
        _core.add(x, stranger.encrypt([1], 1, False))
    with pytest.raises(MismatchError, match="different keys"):
        testing.bgv.multiply(x, rlwe.crafted(party.context, bytes(16), 0, np.ascontiguousarray(rlwe.coefficients(x))))
    with pytest.raises(MismatchError, match="BFV"):
        testing.bfv.multiply(x, x)
    with pytest.raises(MismatchError, match="levels 3 and 2"):
        rlwe.add_at_one_level(x, testing.bgv.switch_modulus(x))


def test_the_textbook_itself() -> None:
    """The oracle by hand: n = 2, q = 97 x 13, t = 5."""
    book = TextbookBgv(2, 97 * 13, 5)
    s = np.array([1, -1], dtype=object)
    c = book.encrypt([3, 4], s, np.array([500, 77], dtype=object), [1, -1])
    assert list(book.phase(c, s)) == [8, -1] and list(book.decrypt(c, s)) == [3, 4]
    assert book.noise_budget(c, s) == 11 - 4 - 1
    switched = TextbookBgv(2, 97, 5)
    assert list(switched.decrypt(book.switch_modulus(c, 13), s, pow(13, -1, 5))) == [3, 4]
    square = book.multiply(c, c)
    assert list(book.decrypt(square, s)) == [(9 - 16) % 5, 24 % 5]
    assert slot_prime(2, 5) % 4 == 1
