# SPDX-License-Identifier: Apache-2.0
"""BGV's operations at every level and correction factor: results against integers, products against the textbook."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import cyclotome_testing as core
import numpy as np
import pytest
from bgv_party import SETS, BgvParty, bgv_literal, party_of
from oracles.integers import random_below
from parties import permuted, product_of_values, slot_prime
from residues import DEVICES

EVERY_SET = pytest.mark.parametrize("case", SETS, ids=str)
WORD = pytest.mark.parametrize("word", [32, 64])


def levels(party: BgvParty, x: Any) -> Iterator[Any]:
    """`x` at all levels that still decrypt, from the top down."""
    for level in range(party.top, 0, -1):
        y = core.bgv.switch_to_level(x, level)
        if core.bgv.noise_headroom(y) < 0:
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
            total, difference = core.bgv.add(a, b), core.bgv.subtract(a, b)
            assert core.bgv.level(total) == min(core.bgv.level(a), core.bgv.level(b))
            assert math.gcd(core.bgv.correction(total), t) == 1
            seen.add(core.bgv.correction(total))
            if core.bgv.noise_headroom(total) >= 0:
                party.reads(total, False, u + v)
                party.reads(difference, False, u - v)
            lower = max(core.bgv.switch_to_level(c, core.bgv.level(total)).noise[0] for c in (a, b))
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
        low = core.bgv.switch_to_level(x, level)
        for total in (core.bgv.add(low, y), core.bgv.add(y, low)):
            assert core.bgv.correction(total) == core.bgv.correction(low) != 1
            assert total.noise[0] <= low.noise[0] + 1.5
            party.reads(total, False, u + v)
        party.reads(core.bgv.subtract(y, low), False, v - u)
        party.reads(core.bgv.subtract(low, y), False, u - v)


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
        party.reads(core.bgv.add(x, y), False, u + v)
        party.reads(core.bgv.subtract(x, y), False, u - v)
        joined = core.bgv.concatenate([x, y, x])
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
        product = core.bgv.multiply(x, y, automatic=False)
        assert core.bgv.level(product) == level and core.bgv.correction(product) == f * g % t
        for item, parts in enumerate(party.parts(product)):
            assert np.array_equal(parts, book.multiply(a[item], b[item]))
        square = core.bgv.square(x, automatic=False)
        assert np.array_equal(square.residues, core.bgv.multiply(x, x, automatic=False).residues)
        one = core.bgv.multiply(party.made(a[:1], level), y, automatic=False)
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
    predicted = core.bgv.levels_by_depth(party.parameters)
    while core.bgv.noise_headroom(power) >= 0:
        if automatic:
            level, bound = predicted[depth]
            assert core.bgv.level(power) == level and power.noise == bound  # bit by bit
        party.reads(power, False, expected)
        product = core.bgv.square(power, automatic=automatic)
        if core.bgv.noise_headroom(product) >= 0:
            party.reads(product, False, product_of_values(expected, expected, False, t))
        power = core.relinearize(product, party.evaluation)
        expected, depth = product_of_values(expected, expected, False, t), depth + 1
        if not automatic and core.bgv.level(power) > 1:
            power = core.bgv.switch_modulus(power)
    with pytest.raises(core.NoiseError, match="bits beyond what level"):
        core.bgv.decrypt(power, party.secret)
    assert depth >= 1 and (not automatic or depth == len(predicted))


@pytest.mark.parametrize(("word", "bits", "special"), [(32, 30, 2), (32, 30, 0), (64, 50, 1), (64, 50, 0)])
def test_a_polynomial_of_mixed_levels_in_slots(rng: np.random.Generator, word: int, bits: int, special: int) -> None:
    """x^3 y - 5 x^2 + 7 y + 3: operands of four levels, automatic, by scheme-generic operations and plain ones."""
    n, t = 64, slot_prime(64, 17)
    party = BgvParty(bgv_literal(word, n, t, 9 if word == 32 else 6, special, bits=bits), int(rng.integers(1 << 60)))
    u, v = random_below(rng, t, (2, 3, n))
    x, y = party.encrypt(u, 1, True), party.encrypt(v, 2, True)

    def times(a: Any, b: Any) -> Any:
        return core.relinearize(core.bgv.multiply(a, b), party.evaluation)

    square = times(x, x)
    cube = times(square, x)
    total = core.bgv.add(times(cube, y), core.multiply_scalar(square, -5))
    total = core.bgv.add(core.multiply_scalar(y, 7), total)
    total = core.bgv.add_plain(total, party.plaintext(np.full((1, n), 3, dtype=object), True))
    party.reads(total, True, u**3 * v - 5 * u**2 + 7 * v + 3)
    both = core.bgv.concatenate([total, x, cube])
    party.reads(both, True, np.concatenate([u**3 * v - 5 * u**2 + 7 * v + 3, u, u**3]))
    lazy = core.bgv.add(core.bgv.multiply(cube, y), core.bgv.multiply(x, y))  # three parts, two levels
    party.reads(lazy, True, u**3 * v + u * v)
    party.reads(core.relinearize(lazy, party.evaluation), True, u**3 * v + u * v)


@EVERY_SET
def test_plain_operands_at_lower_levels(rng: np.random.Generator, case: Any) -> None:
    party = party_of(case, 32, int(rng.integers(1 << 60)))
    t = party.t()
    u, w = random_below(rng, t, (2, 2, 32))
    plain, single = party.plaintext(w, False), party.plaintext(w[:1], False)
    for x in levels(party, party.encrypt(u, 1, False)):
        for operand, rows in ((plain, w), (single, w[:1])):
            outcomes = {
                "add": (core.bgv.add_plain(x, operand), u + rows),
                "subtract": (core.bgv.subtract_plain(x, operand), u - rows),
                "multiply": (core.multiply_plain(x, operand), product_of_values(u, rows, False, t)),
                "negate": (core.negate(x), -u),
                "scale": (core.multiply_scalar(x, -3), -3 * u),
                "combine": (core.linear_combination(x, [2, -1, 0, 1], 2), [2 * u[0] - u[1], u[1]]),
                "groups": (core.sum_groups(x, 2), u[:1] + u[1:]),
                "fresh": (core.bgv.rerandomize(x, party.public, core.Seed(rng.bytes(32))), u),
            }
            for y, expected in outcomes.values():
                if core.bgv.noise_headroom(y) >= 0:
                    party.reads(y, False, expected)
    hidden = core.bgv.rerandomize(core.subtract(x, x), party.public, core.Seed(rng.bytes(32)))
    assert core.is_transparent(core.subtract(x, x)) and not core.is_transparent(hidden)


@WORD
@pytest.mark.parametrize("special", [0, 1, 2])
def test_rotations_and_sums_over_slots_at_every_level(rng: np.random.Generator, word: int, special: int) -> None:
    n, t = 32, slot_prime(32, 12)
    elements = core.slot_sum_elements(n)
    literal = bgv_literal(word, n, t, 5, special, bits=30 if word == 32 else 50)
    party = BgvParty(literal, int(rng.integers(1 << 60)), galois=elements)
    u = random_below(rng, t, (2, n))
    for x in levels(party, party.encrypt(u, 1, True)):
        assert core.bgv.level(x) < party.top or core.bgv.correction(x) == 1
        for element in elements:
            y = core.apply_galois(x, element, party.evaluation)
            if core.bgv.noise_headroom(y) >= 0:
                assert core.bgv.level(y) == core.bgv.level(x) and core.bgv.correction(y) == core.bgv.correction(x)
                party.reads(y, True, permuted(u, element, True, t))
        total = core.sum_slots(x, party.evaluation)
        if core.bgv.noise_headroom(total) >= 0:
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
        square = core.relinearize(core.bgv.square(x), party.evaluation)
        party.reads(square, False, product_of_values(u, u, False, t))
        party.reads(core.bgv.add(square, x), False, product_of_values(u, u, False, t) + u)
        party.reads(core.apply_galois(square, 3, party.evaluation), False,
                    permuted(product_of_values(u, u, False, t), 3, False, t))  # fmt: skip
        other = party.encrypt(u % 257, plain, False, plain=(plain + 1) % 3)
        for operation in (core.bgv.add, core.bgv.subtract, core.bgv.multiply):
            with pytest.raises(core.MismatchError, match="plaintext moduli number"):
                operation(x, other)
        with pytest.raises(core.MismatchError, match="plaintext moduli"):
            core.bgv.concatenate([x, other])


@WORD
def test_every_engine_finds_the_same_bits(rng: np.random.Generator, word: int) -> None:
    literal = bgv_literal(word, 256, slot_prime(256, 17), 4, 2, 2)
    number = int(rng.integers(1 << 60))
    values = random_below(rng, slot_prime(256, 17), (5, 256))
    outcomes = []
    for engine in (core.CpuEngine(1), core.CpuEngine(3), core.ReferenceEngine(2), core.ReferenceEngine(1, 2), *DEVICES):
        party = BgvParty(literal, number, engine, galois=[3, 511])
        x, y = party.encrypt(values, 1, True), party.encrypt(values[::-1], 2, True, symmetric=True)
        product = core.bgv.multiply(x, y)
        small = core.relinearize(product, party.evaluation)
        steps = [x, y, product, small, core.bgv.add(small, x), core.bgv.switch_modulus(y)]
        steps += [core.rotate_rows(small, 1, party.evaluation), core.rotate_columns(x, party.evaluation)]
        steps += [core.multiply_plain(small, party.plaintext(values, True)), core.bgv.square(small)]
        outcomes.append([step.residues for step in steps])
        party.reads(small, True, values * values[::-1])
    for outcome in outcomes[1:]:
        assert all(np.array_equal(mine, first) for mine, first in zip(outcome, outcomes[0], strict=True))
