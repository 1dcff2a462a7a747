# SPDX-License-Identifier: Apache-2.0
"""BGV's operations at every level and correction factor: results against integers, products against the textbook."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from bgv_party import SETS, BgvParty, bgv_literal, party_of
from cyclotome import _core
from cyclotome._core import testing
from cyclotome._core.testing import deterministic, rlwe
from cyclotome.errors import MismatchError, NoiseError
from oracles.integers import random_below
from parties import galois_group, permuted, product_of_values, slot_prime
from residues import DEVICES

EVERY_SET = pytest.mark.parametrize("case", SETS, ids=str)
WORD = pytest.mark.parametrize("word", [32, 64])


def levels(party: BgvParty, x: Any) -> Iterator[Any]:
    """`x` at all levels that still decrypt, from the top down."""
    for level in range(party.top, 0, -1):
        y = testing.scheme.switch_to_level(x, level)
        if y.noise_headroom < 0:
            return
        yield y


@EVERY_SET
def test_sums_of_operands_at_different_levels_and_factors(rng: np.random.Generator, case: Any) -> None:
    """Both come to the lower level, and to one factor that is a unit modulo t, composite ones included."""
    party = party_of(case, 32, int(rng.integers(1 << 60)))
    t = party.t()
    u, v = random_below(rng, t, (2, 3, 32))
    x, y = party.encrypt(u, 1, False), party.encrypt(v, 2, False, symmetric=True)
    seen = set()
    for a in levels(party, x):
        for b in levels(party, y):
            total, difference = _core.add(a, b), testing.scheme.subtract(a, b)
            assert total.limbs == min(a.limbs, b.limbs)
            assert math.gcd(testing.bgv.correction(total), t) == 1
            seen.add(testing.bgv.correction(total))
            if total.noise_headroom >= 0:
                party.reads(total, False, u + v)
                party.reads(difference, False, u - v)
            lower = max(testing.scheme.switch_to_level(c, total.limbs).noise[0] for c in (a, b))
            if (t & (t - 1)) != 0 and t != 36:  # prime: factors of about sqrt(t) at most
                assert total.noise[0] <= lower + math.log2(2 * math.sqrt(t)) + 0.1
    assert t == 2 or len(seen) > 1


@pytest.mark.parametrize(("word", "bits"), [(32, 30), (64, 50)])
def test_a_sum_across_levels_costs_no_more_than_a_sum(rng: np.random.Generator, word: int, bits: int) -> None:
    """The factor of the higher operand is applied before its switch, which divides it away again."""
    party = BgvParty(bgv_literal(word, 64, slot_prime(64, 17), 6, 2, bits=bits), int(rng.integers(1 << 60)))
    u, v = random_below(rng, party.t(), (2, 1, 64))
    x, y = party.encrypt(u, 1, False), party.encrypt(v, 2, False)
    for level in range(5, 2, -1):
        low = testing.scheme.switch_to_level(x, level)
        for total in (_core.add(low, y), _core.add(y, low)):
            assert testing.bgv.correction(total) == testing.bgv.correction(low) != 1
            assert total.noise[0] <= low.noise[0] + 1.5
            party.reads(total, False, u + v)
        party.reads(testing.scheme.subtract(y, low), False, v - u)
        party.reads(testing.scheme.subtract(low, y), False, u - v)


@pytest.mark.parametrize("t", [6, 8, 36, 255, 1024, 4095])
def test_sums_keep_the_whole_message_of_a_composite_modulus(rng: np.random.Generator, t: int) -> None:
    """Crafted factors of every kind: small multipliers that share a factor with t would lose a part of the message."""
    party = BgvParty(bgv_literal(64, 16, t, 2, 1, bits=50))
    units = [f for f in range(1, min(t, 300)) if math.gcd(f, t) == 1]
    for _ in range(60):
        f, g = (int(rng.choice(units)) for _ in range(2))
        u, v = random_below(rng, t, (2, 16))
        a = random_below(rng, party.q, 16)
        zero = np.zeros(16, dtype=object)
        x = party.made(party.book(2).encrypt(f * u, party.s, a, zero), 2, correction=f, log2_max=20.0)
        y = party.made(party.book(2).encrypt(g * v, party.s, a, zero), 2, correction=g, log2_max=20.0)
        party.reads(_core.add(x, y), False, u + v)
        party.reads(testing.scheme.subtract(x, y), False, u - v)
        joined = testing.scheme.concatenate([x, y, x])
        party.reads(joined, False, [u, v, u])


@EVERY_SET
def test_products_are_tensor_products(rng: np.random.Generator, case: Any) -> None:
    """At every level, of any residues: c c' modulo q, and the product of the factors."""
    party = party_of(case, 16)
    t = party.t()
    units = [f for f in range(1, min(t, 1000)) if math.gcd(f, t) == 1]
    for level in range(1, party.top + 1):
        book = party.book(level)
        a, b = random_below(rng, book.q, (2, 3, 2, 16))
        a[0], b[0] = book.q - 1, book.q - 1
        f, g = (int(rng.choice(units)) for _ in range(2))
        x, y = party.made(a, level, correction=f), party.made(b, level, correction=g)
        product = testing.bgv.multiply(x, y, automatic=False)
        assert product.limbs == level and testing.bgv.correction(product) == f * g % t
        for item, parts in enumerate(party.parts(product)):
            assert np.array_equal(parts, book.multiply(a[item], b[item]))
        square = testing.bgv.square(x, automatic=False)
        assert np.array_equal(rlwe.coefficients(square), rlwe.coefficients(testing.bgv.multiply(x, x, automatic=False)))
        one = testing.bgv.multiply(party.made(a[:1], level), y, automatic=False)
        assert np.array_equal(party.parts(one)[2], book.multiply(a[0], b[2]))


@EVERY_SET
@pytest.mark.parametrize("automatic", [True, False])
def test_products_decrypt_to_products_until_decryption_refuses(
    rng: np.random.Generator, case: Any, automatic: bool
) -> None:
    """x, x^2, x^4, ... with automatic levels is what planning predicts; with one level a product it goes on, too."""
    party = party_of(case, 32, int(rng.integers(1 << 60)))
    t = party.t()
    values = random_below(rng, t, (2, 32))
    power, expected, depth = party.encrypt(values, 1, False), values, 0
    predicted = testing.noise_by_depth(party.parameters)
    while power.noise_headroom >= 0:
        if automatic:
            level, bound = predicted[depth]
            assert power.limbs == level and power.noise == bound  # bit by bit
        party.reads(power, False, expected)
        product = testing.bgv.square(power, automatic=automatic)
        if product.noise_headroom >= 0:
            party.reads(product, False, product_of_values(expected, expected, False, t))
        power = _core.relinearize(product, party.evaluation)
        expected, depth = product_of_values(expected, expected, False, t), depth + 1
        if not automatic and power.limbs > 1:
            power = testing.bgv.switch_modulus(power)
    with pytest.raises(NoiseError, match="bits beyond what level"):
        _core.decrypt(power, party.secret)
    assert depth >= 1 and (not automatic or depth == len(predicted))


@pytest.mark.parametrize(("word", "bits", "special"), [(32, 30, 2), (32, 30, 0), (64, 50, 1), (64, 50, 0)])
def test_a_polynomial_of_mixed_levels_in_slots(rng: np.random.Generator, word: int, bits: int, special: int) -> None:
    """x^3 y - 5 x^2 + 7 y + 3: operands of four levels, automatic, by scheme-generic operations and plain ones."""
    n, t = 64, slot_prime(64, 17)
    party = BgvParty(bgv_literal(word, n, t, 9 if word == 32 else 6, special, bits=bits), int(rng.integers(1 << 60)))
    u, v = random_below(rng, t, (2, 3, n))
    x, y = party.encrypt(u, 1, True), party.encrypt(v, 2, True)

    def times(a: Any, b: Any) -> Any:
        return _core.relinearize(testing.bgv.multiply(a, b), party.evaluation)

    square = times(x, x)
    cube = times(square, x)
    total = _core.add(times(cube, y), rlwe.multiply_scalar(square, -5))
    total = _core.add(rlwe.multiply_scalar(y, 7), total)
    total = testing.scheme.add_plain(total, party.plaintext(np.full((1, n), 3, dtype=object), True))
    party.reads(total, True, u**3 * v - 5 * u**2 + 7 * v + 3)
    both = testing.scheme.concatenate([total, x, cube])
    party.reads(both, True, np.concatenate([u**3 * v - 5 * u**2 + 7 * v + 3, u, u**3]))
    lazy = _core.add(testing.bgv.multiply(cube, y), testing.bgv.multiply(x, y))  # three parts, two levels
    party.reads(lazy, True, u**3 * v + u * v)
    party.reads(_core.relinearize(lazy, party.evaluation), True, u**3 * v + u * v)


@EVERY_SET
def test_plain_operands_at_lower_levels(rng: np.random.Generator, case: Any) -> None:
    party = party_of(case, 32, int(rng.integers(1 << 60)))
    t = party.t()
    u, w = random_below(rng, t, (2, 2, 32))
    plain, single = party.plaintext(w, False), party.plaintext(w[:1], False)
    for x in levels(party, party.encrypt(u, 1, False)):
        for operand, rows in ((plain, w), (single, w[:1])):
            outcomes = {
                "add": (testing.scheme.add_plain(x, operand), u + rows),
                "subtract": (testing.scheme.subtract_plain(x, operand), u - rows),
                "multiply": (_core.multiply_plain(x, operand), product_of_values(u, rows, False, t)),
                "negate": (rlwe.negate(x), -u),
                "scale": (rlwe.multiply_scalar(x, -3), -3 * u),
                "combine": (rlwe.linear_combination(x, [2, -1, 0, 1], 2), [2 * u[0] - u[1], u[1]]),
                "groups": (rlwe.sum_groups(x, 2), u[:1] + u[1:]),
                "fresh": (deterministic.rerandomize(x, party.public, testing.Seed(rng.bytes(32))), u),
            }
            for y, expected in outcomes.values():
                if y.noise_headroom >= 0:
                    party.reads(y, False, expected)
    hidden = deterministic.rerandomize(testing.scheme.subtract(x, x), party.public, testing.Seed(rng.bytes(32)))
    assert _core.is_transparent(testing.scheme.subtract(x, x)) and not _core.is_transparent(hidden)


@WORD
@pytest.mark.parametrize("special", [0, 1, 2])
def test_rotations_and_sums_over_slots_at_every_level(rng: np.random.Generator, word: int, special: int) -> None:
    n, t = 32, slot_prime(32, 12)
    elements = rlwe.slot_sum_elements(galois_group(n))
    literal = bgv_literal(word, n, t, 5, special, bits=30 if word == 32 else 50)
    party = BgvParty(literal, int(rng.integers(1 << 60)), galois=elements)
    u = random_below(rng, t, (2, n))
    for x in levels(party, party.encrypt(u, 1, True)):
        assert x.limbs < party.top or testing.bgv.correction(x) == 1
        for element in elements:
            y = _core.apply_galois(x, element, party.evaluation)
            if y.noise_headroom >= 0:
                assert y.limbs == x.limbs and testing.bgv.correction(y) == testing.bgv.correction(x)
                party.reads(y, True, permuted(u, element, True, t))
        total = rlwe.sum_slots(x, party.evaluation)
        if total.noise_headroom >= 0:
            party.reads(total, True, np.repeat(u.sum(axis=1)[:, None], n, axis=1))


def test_several_plaintext_moduli_share_keys(rng: np.random.Generator) -> None:
    """Keys' errors carry the product of all moduli, ciphertexts only their own."""
    moduli = [257, 1024, 65537]
    party = BgvParty(bgv_literal(64, 32, moduli, 6, 2, bits=55), galois=[3])
    for plain, t in enumerate(moduli):
        u = random_below(rng, t, (2, 32))
        x = party.encrypt(u, plain, False, plain=plain)
        for symmetric in (False, True):
            party.reads(party.encrypt(u, plain, False, plain=plain, symmetric=symmetric), False, u)
        square = _core.relinearize(testing.bgv.square(x), party.evaluation)
        party.reads(square, False, product_of_values(u, u, False, t))
        party.reads(_core.add(square, x), False, product_of_values(u, u, False, t) + u)
        party.reads(_core.apply_galois(square, 3, party.evaluation), False,
                    permuted(product_of_values(u, u, False, t), 3, False, t))  # fmt: skip
        other = party.encrypt(u % 257, plain, False, plain=(plain + 1) % 3)
        for operation in (_core.add, testing.scheme.subtract, testing.bgv.multiply):
            with pytest.raises(MismatchError, match="plaintext moduli number"):
                operation(x, other)
        with pytest.raises(MismatchError, match="plaintext moduli"):
            testing.scheme.concatenate([x, other])


@WORD
def test_every_engine_finds_the_same_bits(rng: np.random.Generator, word: int) -> None:
    literal = bgv_literal(word, 256, slot_prime(256, 17), 4, 2, 2)
    number = int(rng.integers(1 << 60))
    values = random_below(rng, slot_prime(256, 17), (5, 256))
    outcomes = []
    for engine in (
        _core.CpuEngine(1),
        _core.CpuEngine(3),
        testing.ReferenceEngine(2),
        testing.ReferenceEngine(1, 2),
        *DEVICES,
    ):
        party = BgvParty(literal, number, engine, galois=[3, 511])
        x, y = party.encrypt(values, 1, True), party.encrypt(values[::-1], 2, True, symmetric=True)
        product = testing.bgv.multiply(x, y)
        small = _core.relinearize(product, party.evaluation)
        steps = [x, y, product, small, _core.add(small, x), testing.bgv.switch_modulus(y)]
        steps += [rlwe.rotate_rows(small, 1, party.evaluation), rlwe.rotate_columns(x, party.evaluation)]
        steps += [_core.multiply_plain(small, party.plaintext(values, True)), testing.bgv.square(small)]
        outcomes.append([rlwe.coefficients(step) for step in steps])
        party.reads(small, True, values * values[::-1])
    for outcome in outcomes[1:]:
        assert all(np.array_equal(mine, first) for mine, first in zip(outcome, outcomes[0], strict=True))
