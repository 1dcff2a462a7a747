# SPDX-License-Identifier: Apache-2.0
"""Products of ciphertexts against the exact round(t c c' / q).

BEHZ: specification 5.5, papers 000 and 003. HPS over Q, in all primes and levelled: specification 5.6.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from cyclotome import _core
from cyclotome._core import testing
from cyclotome._core.testing import bfv, rlwe
from cyclotome.errors import MismatchError, NoiseError
from oracles.integers import centred, random_below, round_half_up
from oracles.noise import Ring
from oracles.textbook_bfv import negacyclic_product
from parties import Party, product_of_values, slot_prime, small_literal
from residues import DEVICES

WORD = pytest.mark.parametrize("word", [32, 64])

# word, plaintext modulus, ciphertext primes, special primes, digits, bits of the primes
SETS = [
    (32, 2, 2, 0, 0, 30),
    (32, 257, 4, 1, 4, 30),
    (32, 1024, 5, 2, 3, 29),
    (32, 65537, 6, 3, 2, 28),
    (32, (1 << 20) - 3, 6, 6, 1, 30),
    (32, (1 << 30) - 35, 8, 2, 4, 30),
    (64, 2, 1, 1, 1, 61),
    (64, 257, 2, 0, 0, 40),
    (64, 1024, 3, 1, 3, 54),
    (64, 65537, 4, 2, 2, 50),
    (64, (1 << 20) - 3, 4, 4, 1, 55),
    (64, (1 << 30) - 35, 3, 1, 3, 61),
    (64, (1 << 59) - 55, 5, 2, 3, 61),
    (64, (1 << 59) - 55, 12, 3, 4, 31),
]
BEHZ, HPS = bfv.ProductMethod.behz, bfv.ProductMethod.hps_over_q
LEVELED = bfv.ProductMethod.hps_over_q_leveled
EVERY_METHOD = pytest.mark.parametrize("method", [BEHZ, HPS, LEVELED], ids=["behz", "hps_over_q", "leveled"])
EVERY_SET = pytest.mark.parametrize("case", SETS, ids=str)


def party_of(case: tuple[int, int, int, int, int, int], degree: int) -> Party:
    word, t, primes, special, digits, bits = case
    return Party(small_literal(word, degree, t, primes, special, digits, bits))


def unambiguous(party: Party) -> int:
    """The largest |x| whose lift by S0 and S1 is certainly x itself: (q/2)(1 - 2k/m~)."""
    m_tilde = testing.behz_m_tilde(party.parameters.word)
    return party.q * (m_tilde - 2 * len(party.moduli)) // (2 * m_tilde) - 1


def assert_within_the_floors_error(party: Party, result: Any, a: Any, b: Any) -> None:
    """BEHZ: S3 gives the real quotient less something in [0, k): the nearest integer less 0 ... k."""
    for item, parts in enumerate(party.parts(result)):
        exact = party.textbook().multiply(a[item % len(a)], b[item % len(b)])
        assert len(parts) == len(exact) == 3
        for part, expected in zip(parts, exact, strict=True):
            error = centred(part - expected, party.q)
            assert -len(party.moduli) <= error.min() and error.max() <= 0, (error.min(), error.max())


def assert_exact_over_q(party: Party, result: Any, a: Any, b: Any, limbs: int | None = None) -> None:
    """HPS over Q: round(t x y' / p) with y' = round(p y / q), exactly; in the first `limbs` primes with x and y divided
    by the others' product and the result multiplied by it."""
    limbs = limbs or len(party.moduli)
    p, q, t = math.prod(bfv.hps_moduli(party.context, limbs)), math.prod(party.moduli[:limbs]), party.t()
    dropped = math.prod(party.moduli[limbs:])
    assert p >= 16 * q
    for item, parts in enumerate(party.parts(result)):
        x = [centred(round_half_up(part, dropped), q) for part in a[item % len(a)]]
        y = [centred(round_half_up(part, dropped), q) for part in b[item % len(b)]]
        y = [round_half_up(p * part, q) for part in y]
        cross = negacyclic_product(x[0], y[1]) + negacyclic_product(x[1], y[0])
        tensor = [negacyclic_product(x[0], y[0]), cross, negacyclic_product(x[1], y[1])]
        for part, exact in zip(parts, tensor, strict=True):
            assert np.array_equal(part, round_half_up(t * exact, p) % q * dropped)


@EVERY_SET
@EVERY_METHOD
@pytest.mark.parametrize("degree", [8, 64])
def test_products_of_any_ciphertexts_are_the_exact_ones_up_to_the_methods_error(
    rng: np.random.Generator, case: Any, degree: int, method: Any
) -> None:
    party = party_of(case, degree)
    check = assert_within_the_floors_error if method == BEHZ else assert_exact_over_q
    top = unambiguous(party)
    a = random_below(rng, 2 * top + 1, (3, 2, degree)) - top
    b = random_below(rng, 2 * top + 1, (3, 2, degree)) - top
    # The largest tensor products there are, of both signs: the auxiliary basis must hold them.
    a[0], b[0], a[1], b[1] = top, top, top, -top
    a[1, :, 1:], b[1, :, 1:] = -top, top
    x, y = party.crafted(a), party.crafted(b)
    check(party, bfv.multiply(x, y, method), a, b)
    check(party, bfv.multiply(x, party.crafted(b[0]), method), a, b[:1])
    check(party, bfv.multiply(party.crafted(a[2]), y, method), a[2:], b)
    squares = bfv.square(x, method)
    check(party, squares, a, a)
    assert np.array_equal(rlwe.coefficients(squares), rlwe.coefficients(bfv.multiply(x, x, method)))


@EVERY_SET
def test_leveled_products_work_in_as_few_primes_as_the_noise_allows(rng: np.random.Generator, case: Any) -> None:
    """The switch's error (rounding a ciphertext, times the dropped primes) stays an eighth of the larger noise."""
    degree, party = 64, party_of(case, 64)
    rounding = float(Ring(degree).rounded().mean)
    top, seen = unambiguous(party), set()
    a = random_below(rng, 2 * top + 1, (2, 2, degree)) - top
    b = random_below(rng, 2 * top + 1, (2, 2, degree)) - top
    for share in (0.0, 0.3, 0.5, 0.7, 0.9):
        larger = 3 + share * math.log2(party.q)
        x, y = party.crafted(a, log2_max=larger), party.crafted(b, log2_max=2.0)
        possible = range(1, len(party.moduli) + 1)
        limbs = min(
            k for k in possible if k == possible[-1] or rounding * math.prod(party.moduli[k:]) <= 2.0 ** (larger - 3)
        )
        assert bfv.product_level(x, y) == bfv.product_level(y, x) == limbs
        product = _core.multiply(x, y)
        assert_exact_over_q(party, product, a, b, limbs)
        assert np.array_equal(rlwe.coefficients(product), rlwe.coefficients(bfv.multiply(x, y, LEVELED)))  # the default
        assert_exact_over_q(party, bfv.square(x), a, a, limbs)
        assert product.noise[0] - bfv.multiply(x, y, HPS).noise[0] < 1
        seen.add(limbs)
    assert len(seen) > 1 or len(party.moduli) < 3


@EVERY_SET
@EVERY_METHOD
def test_coefficients_at_the_edge_may_lift_to_their_neighbour_but_the_product_decrypts(
    rng: np.random.Generator, case: Any, method: Any
) -> None:
    """Within q k/m~ of +-q/2 the lift may pick x - q for x (HPS: even closer): the product changes by t times an
    integer combination of the operands, as good a product. So the phase must be right, not the coefficients."""
    party, n = party_of(case, 64), 64
    t = party.t()
    messages = random_below(rng, t, (2, n))
    zero = np.zeros(n, dtype=object)
    edge = party.q // 2 - random_below(rng, max(party.q >> 40, 2), n)
    operands = []
    for m in messages:  # (round(q m / t) - edge s, edge): hardly any noise, c1 at the edge of its range
        operands.append(party.crafted(party.textbook().encrypt(m, party.s, edge, zero), log2_max=-1.0))
    product = bfv.multiply(*operands, method)
    if product.noise_headroom < 0:
        pytest.skip("this modulus is too small for a product")
    expected = product_of_values(messages[0], messages[1], False, t)
    assert np.array_equal(party.decrypt(product, slots=False), expected)


@EVERY_SET
@pytest.mark.parametrize("slots", [False, True])
def test_products_decrypt_to_products_until_decryption_refuses(
    rng: np.random.Generator, case: Any, slots: bool
) -> None:
    """x, x^2, x^4, ... and x y, x y y, ...: exact at every depth that the bound allows, then NoiseError, never garbage;
    the bound is the one that planning predicts. The methods take turns in the second."""
    word, t, *rest = case
    degree = 64
    if slots:
        bits = t.bit_length() - 1 if t > 1024 else 10
        t = slot_prime(degree, bits)
    party = party_of((word, t, *rest), degree)
    values = random_below(rng, t, (2, 2, degree))
    power, expected = party.encrypt(values[0], int(rng.integers(1 << 60)), slots), values[0]
    other = party.encrypt(values[1], int(rng.integers(1 << 60)), slots)
    predicted = [noise for _, noise in testing.noise_by_depth(party.parameters)]
    chain, chain_expected = power, expected
    for bound in predicted:
        assert power.noise == bound and power.noise_headroom >= 0  # bit by bit
        assert np.array_equal(party.decrypt(power, slots), expected)
        power = _core.relinearize(bfv.square(power), party.evaluation)
        expected = product_of_values(expected, expected, slots, t)
    assert power.noise_headroom < 0
    with pytest.raises(NoiseError):
        _core.decrypt(power, party.secret)
    levels = 0
    while chain.noise_headroom >= 0:
        levels += 1
        assert np.array_equal(party.decrypt(chain, slots), chain_expected)
        product = bfv.multiply(chain, other, (BEHZ, HPS, LEVELED)[levels % 3])
        chain_expected = product_of_values(chain_expected, values[1], slots, t)
        if product.noise_headroom >= 0:  # three parts decrypt without relinearisation
            assert np.array_equal(party.decrypt(product, slots), chain_expected)
        chain = _core.relinearize(product, party.evaluation)
    assert len(predicted) <= levels < 40


def test_depth_is_what_these_parameters_are_known_to_carry() -> None:
    """Independent of the planning code: 438 bits at t = 65537 and n = 16384 carry 10 or so squarings (001's set)."""
    bounds = [noise for _, noise in testing.noise_by_depth(_core.preset("seal-16384", False))]
    assert 8 <= len(bounds) - 1 <= 14


@WORD
def test_every_step_of_a_product_is_independent_of_threads_tiles_and_engine_overrides(
    rng: np.random.Generator, word: int
) -> None:
    literal = small_literal(word, 256, slot_prime(256, 17), 4, 2, 2, bits=30)
    engines = [_core.CpuEngine(1), _core.CpuEngine(2), _core.CpuEngine(5)]
    engines += [testing.ReferenceEngine(2), testing.ReferenceEngine(1, 1), testing.ReferenceEngine(2, 3), *DEVICES]
    number = int(rng.integers(1 << 60))
    values = random_below(rng, slot_prime(256, 17), (7, 256))
    outcomes = []
    for engine in engines:
        party = Party(literal, number, engine, galois=[3, 511])
        x = party.encrypt(values, number, slots=True)
        y = party.encrypt(values[::-1], number + 1, slots=True, symmetric=True)
        product = _core.multiply(x, y)
        steps = [x, y, product, _core.relinearize(product, party.evaluation)]
        noisy = rlwe.multiply_scalar(steps[3], 1 << 20)
        assert bfv.product_level(noisy, x) < len(party.moduli)  # so that dropping and raising primes is among them
        steps += [_core.multiply(noisy, x), *rlwe.apply_galois_hoisted(x, [3, 1, 511], party.evaluation)]
        steps += [bfv.multiply(x, y, BEHZ), bfv.square(x, BEHZ)]
        steps += [rlwe.rotate_rows(x, 1, party.evaluation), rlwe.rotate_columns(y, party.evaluation)]
        steps += [_core.multiply_plain(x, party.plaintext(values, slots=True)), bfv.square(y)]
        steps += [_core.multiply_plain(_core.take(x, [2]), party.plaintext(values, slots=True))]
        outcomes.append([rlwe.coefficients(step) for step in steps])
        assert np.array_equal(party.decrypt(steps[3], slots=True), values * values[::-1] % party.t())
    for outcome in outcomes[1:]:
        assert all(np.array_equal(mine, first) for mine, first in zip(outcome, outcomes[0], strict=True))


@WORD
def test_a_ciphertext_moves_between_engines_with_the_same_bits(rng: np.random.Generator, word: int) -> None:
    literal = small_literal(word, 32, 257, 3, 1)
    here, there = Party(literal), Party(literal, engine=testing.ReferenceEngine(1))
    x = here.encrypt(random_below(rng, 257, (2, 32)), 5, slots=False)
    moved = x.to(there.context)
    assert np.array_equal(rlwe.coefficients(moved), rlwe.coefficients(x)) and moved.noise == x.noise
    assert moved.key == x.key == there.secret.id  # one seed, one key
    with pytest.raises(MismatchError, match=r"different devices.*\.to\(device\)"):
        _core.add(x, moved)
    with pytest.raises(MismatchError, match="can't move"):
        x.to(Party(small_literal(word, 32, 257, 4, 1)).context)
    assert np.array_equal(
        _core.decode_residues(_core.decrypt(moved, there.secret), False),
        _core.decode_residues(_core.decrypt(x, here.secret), False),
    )


def test_several_plaintext_moduli_are_independent_arrays(rng: np.random.Generator) -> None:
    party = Party(small_literal(64, 32, [257, 1024, 65537], 4, 1))
    for plain, t in enumerate([257, 1024, 65537]):
        values = random_below(rng, t, (2, 32))
        x = party.encrypt(values, plain, slots=False, plain=plain)
        product = _core.relinearize(bfv.square(x), party.evaluation)
        assert np.array_equal(party.decrypt(product, slots=False), product_of_values(values, values, False, t))
        other = party.encrypt(values % 257, plain, slots=False, plain=(plain + 1) % 3)
        for operation in (_core.add, testing.scheme.subtract, _core.multiply):
            with pytest.raises(MismatchError, match="plaintext moduli number"):
                operation(x, other)
        with pytest.raises(MismatchError, match="plaintext moduli"):
            testing.scheme.concatenate([x, other])
        for operation in (testing.scheme.add_plain, testing.scheme.subtract_plain, _core.multiply_plain):
            with pytest.raises(MismatchError, match="plaintext moduli number"):
                operation(x, party.plaintext(values % 257, False, (plain + 1) % 3))
