# SPDX-License-Identifier: Apache-2.0
"""BFV's key switches in as few primes as the noise allows (specification 5.7): results and bounds against integers and
the noise oracle, at every depth, and residues that depend on nothing but the operands'."""

from __future__ import annotations

import math
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import cyclotome as cy
import numpy as np
import pytest
from cyclotome import _core
from cyclotome._core.testing import bfv, rlwe
from exact_noise import gaps
from oracles.integers import random_below
from oracles.noise import Norms, Scheme, close
from parties import Party, literal_of, permuted, product_of_values, slot_prime, small_literal

# word, degree, bits of t (1: t = 2), ciphertext primes, special primes, digits (0: as many as fit), bits of the primes
SETS = [
    (32, 256, 17, 12, 3, 0, 30),
    (32, 64, 1, 9, 2, 0, 30),
    (64, 256, 17, 8, 2, 0, 50),
    (64, 64, 20, 7, 0, 0, 54),
    (64, 64, 20, 9, 4, 3, 54),
    (64, 64, 59, 12, 3, 0, 60),
]
ELEMENTS = [3, 9, 1, 27]


@pytest.fixture(params=SETS, ids=str)
def party(request: pytest.FixtureRequest) -> Party:
    return Party(literal_of(request.param), 7, galois=ELEMENTS)


def squares(party: Party, values: Any) -> Iterator[tuple[Any, Any]]:
    """A ciphertext and its values, and squares of it, while they decrypt."""
    x, expected = party.encrypt(values, 1, False), values
    while x.noise_headroom >= 0:
        yield x, expected
        x = bfv.square_relinearized(x, party.evaluation)
        expected = product_of_values(expected, expected, False, party.t())


def multiple_from(residues: Any) -> int:
    """How many first limbs are not zero."""
    present = np.any(np.asarray(residues) != 0, axis=(0, 1, 3))
    return int(np.max(np.flatnonzero(present))) + 1


def norms(ciphertext: Any) -> Norms:
    return Norms(*(Decimal(2) ** Decimal(x) for x in ciphertext.noise))


def test_rotations_are_levelled_as_the_bound_says(party: Party, rng: np.random.Generator) -> None:
    """Level and bound are the oracle's; the result decrypts to the rotation, its noise is below the bound, and it is
    zero modulo the primes that went."""
    book, all_limbs, lowest = Scheme(party.parameters, bgv=False), len(party.moduli), len(party.moduli)
    for x, expected in squares(party, random_below(rng, party.t(), (2, party.n))):
        at = book.switch_level(norms(x), all_limbs, 2, relinearization=False)
        turned = _core.apply_galois(x, 3, party.evaluation)
        assert close(book.key_switched(norms(x), all_limbs, 2, relinearization=False), turned.noise)
        assert turned.noise[0] - x.noise[0] < math.log2(1 + 2.0**-8) or at == all_limbs
        assert multiple_from(rlwe.coefficients(turned)) == at
        if turned.noise_headroom >= 0:
            gaps(party, turned)
            assert np.array_equal(party.decrypt(turned, False), permuted(expected, 3, False, party.t()))
        lowest = min(lowest, at)
    assert lowest < all_limbs


def test_relinearisation_is_levelled_by_the_products_noise(party: Party, rng: np.random.Generator) -> None:
    book, all_limbs, lowest = Scheme(party.parameters, bgv=False), len(party.moduli), len(party.moduli)
    for x, expected in squares(party, random_below(rng, party.t(), (1, party.n))):
        product = bfv.square(x)
        at = book.switch_level(norms(product), all_limbs, 3, relinearization=True)
        done = _core.relinearize(product, party.evaluation)
        assert close(book.key_switched(norms(product), all_limbs, 3, relinearization=True), done.noise)
        assert multiple_from(rlwe.coefficients(done)) == at
        assert multiple_from(rlwe.coefficients(product)) == bfv.product_level(x, x)
        fused = bfv.square_relinearized(x, party.evaluation)
        assert np.array_equal(rlwe.coefficients(fused), rlwe.coefficients(done))
        if done.noise_headroom >= 0:
            gaps(party, done)
            squared = product_of_values(expected, expected, False, party.t())
            assert np.array_equal(party.decrypt(done, False), squared)
        lowest = min(lowest, at)
    assert lowest < all_limbs


def test_hoisted_rotations_have_the_residues_of_one_after_the_other(party: Party, rng: np.random.Generator) -> None:
    for x, _ in squares(party, random_below(rng, party.t(), (3, party.n))):
        for element, one in zip(ELEMENTS, rlwe.apply_galois_hoisted(x, ELEMENTS, party.evaluation), strict=True):
            alone = _core.apply_galois(x, element, party.evaluation)
            assert np.array_equal(rlwe.coefficients(one), rlwe.coefficients(alone))
            assert one.noise == alone.noise


def untold(party: Party, x: Any) -> Any:
    """The same residues and bound, of which nobody knows that they were raised: a sum with zeros from elsewhere."""
    zeros = np.zeros((x.batch, 2, party.n), dtype=object)
    return _core.add(x, party.crafted(zeros))


def test_what_is_known_of_zeros_changes_no_result(rng: np.random.Generator) -> None:
    """Limbs that are known to be zero are not read. Fixed numbers: a division's lift may differ where a coefficient is
    within 2^-25 of the middle, and does not for these."""
    party = Party(small_literal(64, 64, slot_prime(64, 17), 8, 2, 0, 50), 11, galois=[3])
    values = np.arange(2 * 64, dtype=object).reshape(2, 64) % party.t()
    for x, _ in squares(party, values):
        y = untold(party, x)
        assert y.noise == x.noise and np.array_equal(rlwe.coefficients(y), rlwe.coefficients(x))
        for of in (
            lambda a: bfv.square_relinearized(a, party.evaluation),
            bfv.square,
            lambda a: _core.apply_galois(a, 3, party.evaluation),
            lambda a, x=x: bfv.multiply_relinearized(a, x, party.evaluation),
        ):
            assert np.array_equal(rlwe.coefficients(of(x)), rlwe.coefficients(of(y)))


def test_sums_of_levels_and_operations_between(party: Party, rng: np.random.Generator) -> None:
    """What has been raised goes through every operation with others that were not, or from other levels: nothing may be
    taken for zero that is not."""
    keys, t = party.evaluation, party.t()
    fresh_values = random_below(rng, t, (2, party.n))
    fresh = party.encrypt(fresh_values, 3, False)
    for x, expected in squares(party, random_below(rng, t, (2, party.n))):
        turned, moved = _core.apply_galois(x, 9, keys), permuted(expected, 9, False, t)
        for mixed, value in (
            (_core.add(turned, fresh), moved + fresh_values),
            (_core.add(fresh, turned), moved + fresh_values),
            (_core.add(turned, x), moved + expected),
            (rlwe.negate(turned), -moved),
            (rlwe.multiply_scalar(turned, -3), -3 * moved),
            (rlwe.sum_groups(turned, 2), moved.sum(axis=0, keepdims=True)),
        ):
            again = _core.apply_galois(mixed, 3, keys)
            if again.noise_headroom >= 0:
                assert np.array_equal(party.decrypt(again, False), permuted(value % t, 3, False, t))
            squared = bfv.square_relinearized(mixed, keys)
            if squared.noise_headroom >= 0:
                assert np.array_equal(party.decrypt(squared, False), product_of_values(value, value, False, t) % t)


def test_decryption_comes_down_to_where_a_result_was_raised_from(party: Party, rng: np.random.Generator) -> None:
    """The same values as of the same residues of which nobody knows that they were raised, at every depth; and as
    strict a look at the noise once it is near its limit: a bound below what is there is refused, one above is not."""
    lowest, seen = len(party.moduli), 0
    for x, expected in squares(party, random_below(rng, party.t(), (2, party.n))):
        product = bfv.multiply(x, x)  # three parts
        squared = product_of_values(expected, expected, False, party.t())
        for result, values in ((x, expected), (product, squared)):
            if result.noise_headroom < 0:
                continue
            known, not_known = result, untold(party, result)
            assert np.array_equal(party.decrypt(known, False), values)
            assert np.array_equal(party.decrypt(not_known, False), values)
        lowest = min(lowest, multiple_from(rlwe.coefficients(product)))
    assert 2 * lowest <= len(party.moduli)
    for x, expected in squares(party, random_below(rng, party.t(), (2, party.n))):
        while x.noise_headroom > 1:
            x, expected = _core.add(x, x), 2 * expected % party.t()
        if (measured := max(_core.measured_noise(x, party.secret))) < math.log2(party.q / party.t()) - 20:
            continue  # decryption sees noise modulo a prime of 30 bits
        low, high = (rlwe.with_bound(x, measured + bits) for bits in (-0.5, 0.5))
        assert np.array_equal(party.decrypt(high, False), expected)
        for one in (low, _core.add(low, party.crafted(np.zeros((x.batch, 2, party.n), dtype=object)))):
            with pytest.raises(cy.errors.ContradictionError):
                _core.decrypt(one, party.secret)
        seen += 1
    assert seen > 0
