# SPDX-License-Identifier: Apache-2.0
"""BFV's products of ciphertexts in fewer primes, formed in those: exact results and bounds against integers and the
noise oracle, at every pair of levels, by every method, down to refusal; and the same residues everywhere."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from typing import Any

import cyclotome as cy
import numpy as np
import pytest
from cyclotome import _core
from cyclotome._core import testing
from cyclotome._core.testing import bfv, rlwe
from exact_noise import gaps
from oracles.integers import random_below
from oracles.noise import Norms, Scheme, close
from parties import Party, literal_of, product_of_values
from residues import ENGINES
from small import insecure

METHODS = {"behz": bfv.ProductMethod.behz, "hps_over_q": bfv.ProductMethod.hps_over_q,
           "hps_over_q_leveled": bfv.ProductMethod.hps_over_q_leveled}  # fmt: skip
# word, degree, bits of t (1: t = 2), ciphertext primes, special primes, digits (0: as many as fit), bits of the primes
SETS = [
    (32, 64, 17, 9, 3, 0, 30),
    (32, 64, 1, 6, 2, 0, 30),
    (64, 256, 17, 6, 2, 0, 50),
    (64, 64, 20, 5, 0, 0, 54),
    (64, 64, 20, 7, 3, 3, 54),
    (64, 64, 59, 8, 3, 0, 60),
]


@pytest.fixture(params=SETS, ids=str)
def party(request: pytest.FixtureRequest) -> Party:
    return Party(literal_of(request.param), 11)


def norms(ciphertext: Any) -> Norms:
    return Norms(*(Decimal(2) ** Decimal(x) for x in ciphertext.noise))


def checked(party: Party, ciphertext: Any, expected: Any) -> bool:
    """Whether it decrypts, to that; refused otherwise. Its noise is below its bound either way, unless it wrapped."""
    if ciphertext.noise_headroom < 0:
        with pytest.raises(cy.errors.NoiseError):
            _core.decrypt(ciphertext, party.secret)
        return False
    gaps(party, ciphertext)
    assert np.array_equal(party.decrypt(ciphertext, False), expected)
    return True


def test_every_pair_of_levels(party: Party, rng: np.random.Generator) -> None:
    """Fresh factors and squares, in as many primes as each other and not: the product has the fewer ones, the bound is
    the oracle's, and relinearising at once or afterwards gives the same residues."""
    book, top, t = Scheme(party.parameters, bgv=False), len(party.moduli), party.t()
    a, b = (random_below(rng, t, (2, party.n)) for _ in range(2))
    fresh, other = (party.encrypt(v, i, False) for i, v in enumerate((a, b)))
    squared = bfv.square_relinearized(other, party.evaluation)
    right = 0
    for partner, values in ((other, b), (squared, product_of_values(b, b, False, t))):
        expected = product_of_values(a, values, False, t)
        for of_x in range(1, top + 1):
            for of_y in range(1, top + 1) if of_x in (2, top // 2, top) else (of_x,):
                x, y = testing.scheme.switch_to_level(fresh, of_x), testing.scheme.switch_to_level(partner, of_y)
                level = min(of_x, of_y)
                for name, method in METHODS.items():
                    product = bfv.multiply(x, y, method)
                    fused = bfv.multiply_relinearized(x, y, party.evaluation, method)
                    assert product.limbs == fused.limbs == level
                    right += checked(party, product, expected) + checked(party, fused, expected)
                    if name == "behz" and level < top:  # formed at the top
                        continue
                    of = (book.bfv_lowered(norms(z), z.limbs, level) for z in (x, y))
                    assert close(book.bfv_product(*of, name, level), product.noise)
                    done = _core.relinearize(product, party.evaluation)
                    assert np.array_equal(rlwe.coefficients(fused), rlwe.coefficients(done))
                    assert fused.noise == done.noise
    assert right > 6 * top


def test_squares_down_to_refusal_from_every_level(party: Party, rng: np.random.Generator) -> None:
    """The depth that is left is that of the primes that are left, and what is there is used up without a wrong bit."""
    t, top = party.t(), len(party.moduli)
    values = random_below(rng, t, (1, party.n))
    fresh = party.encrypt(values, 3, False)
    depths = []
    for level in range(1, top + 1):
        x, expected, depth = testing.scheme.switch_to_level(fresh, level), values, 0
        while checked(party, x, expected) and depth < 40:
            x = bfv.square_relinearized(x, party.evaluation)
            expected = product_of_values(expected, expected, False, t)
            assert x.limbs == level
            depth += 1
        depths.append(depth)
    assert depths == sorted(depths) and depths[-1] > depths[0] and depths[-1] < 40


def test_the_bound_is_that_of_products_in_all_primes(party: Party, rng: np.random.Generator) -> None:
    """Squares in fewer primes, and by BEHZ, which raises its factors to all primes and brings the product back: less
    than a bit between them at every depth."""
    x = party.encrypt(random_below(rng, party.t(), (1, party.n)), 4, False)
    steps = 0
    for level in range(len(party.moduli) - 1, 0, -1):
        low = testing.scheme.switch_to_level(x, level)
        while low.noise_headroom >= 0:
            here, there = (bfv.multiply(low, low, METHODS[name]) for name in ("hps_over_q_leveled", "behz"))
            assert here.noise[0] - there.noise[0] < 1
            low = _core.relinearize(here, party.evaluation)
            steps += 1
    assert steps > len(party.moduli)


@pytest.mark.parametrize("case", SETS[:3], ids=str)
def test_the_same_residues_on_every_engine(case: Any, rng: np.random.Generator) -> None:
    """Batches, broadcast ones too, on every instruction set, and from two threads at once."""
    number = int(rng.integers(1 << 60))
    values = random_below(rng, 2, (3, case[1]))
    found = []
    for engine in ENGINES.values():
        party = Party(literal_of(case), number, engine)
        x, y = party.encrypt(values, 1, False), party.encrypt(values[:1], 2, False)
        top = len(party.moduli)

        def products(party: Party = party, x: Any = x, y: Any = y, top: int = top) -> list[Any]:
            low = testing.scheme.switch_to_level(x, top - 1)
            first = bfv.multiply_relinearized(low, y, party.evaluation)
            second = bfv.square_relinearized(first, party.evaluation)
            lower = testing.scheme.switch_to_level(second, top - 2)
            return [first, second, bfv.multiply(x, lower), bfv.multiply_relinearized(second, lower, party.evaluation)]

        with ThreadPoolExecutor(2) as pool:
            results = [pool.submit(products) for _ in range(2)]
        found += [[rlwe.coefficients(z) for z in each.result()] for each in results]
    assert len(found) == 2 * len(ENGINES)
    for each in found[1:]:
        assert all(np.array_equal(one, two) for one, two in zip(found[0], each, strict=True))


def test_arrays_and_files_at_lower_levels(tmp_path: Any, rng: np.random.Generator) -> None:
    """Sums of products of factors at two levels, powers and polynomials: exact, and the same bits whether a file lay
    between or not."""
    plain = (40961, 65537)
    parameters = insecure(plain, 64, [50] * 7)
    secret, public, _ = cy.keygen(parameters)
    a, b = rng.integers(-9, 10, (2, 5, 64))
    x, y = cy.encrypt(a, public, bound=9), cy.encrypt(b, public, bound=9)
    for of_x, of_y in ((7, 5), (5, 7), (5, 5), (3, 7)):
        low, other = x.switch_to_level(of_x), y.switch_to_level(of_y)
        level = min(of_x, of_y)
        product = low * other
        for made, expected in (
            (low.sum_of_products(other, 0), (a * b).sum(0)), (product.sum(axis=0), (a * b).sum(0)),
            (low.sum_of_products(other), (a * b).sum()), (product * low, a * b * a),
            (low.sum_of_products(low, 0) * other[0], (a * a).sum(0) * b[0]),
            (cy.polyval([1, -2, 3], low) * other, (a * a - 2 * a + 3) * b),
        ):  # fmt: skip
            assert made.level == level and made.noise_headroom >= 0
            assert np.array_equal(cy.decrypt(made, secret), expected)
        path = tmp_path / f"{of_x}-{of_y}.ct"
        cy.save(path, product)
        loaded = cy.load(path, expect=parameters, allow_insecure=True).with_keys(public)
        one, two = (z * low for z in (product, loaded))
        for mine, theirs in zip(one.native.channels, two.native.channels, strict=True):
            assert np.array_equal(rlwe.coefficients(mine), rlwe.coefficients(theirs)) and mine.noise == theirs.noise
        plan = cy.plan(lambda u, v: (u * v * u).sum(0), None, [low, other])
        assert plan.noise_headroom == ((low * other * low).sum(0)).noise_headroom
