# SPDX-License-Identifier: Apache-2.0
"""Refreshing: every slot, every step's noise against its bound, and what is refused, at insecure degrees."""

from __future__ import annotations

import functools
import math
import os
import time
from typing import Any

import cyclotome as cy
import numpy as np
import pytest
from cyclotome import _core
from cyclotome._core import testing
from cyclotome.errors import (
    ContradictionError,
    MismatchError,
    MissingKeyError,
    NoiseError,
    ParameterError,
    SecurityError,
    UnsupportedError,
)
from refreshing import TOLERANCE, Refresher, negacyclic
from residues import ENGINES

DEGREES = [256, 512, 1024]


@functools.cache
def refresher(degree: int = 256) -> Refresher:
    return Refresher(degree, seed=b"a sparse secret that tests know.")


def spent(x: cy.EncryptedArray, needed: float) -> cy.EncryptedArray:
    """Squares, as many as leave the headroom that a refresh takes."""
    while (y := x * x).noise_headroom >= needed:
        x = y
    return x


@pytest.mark.parametrize("degree", DEGREES)
def test_every_slot_stays_through_a_chain(rng: np.random.Generator, degree: int) -> None:
    """Products until there is no room for another, a refresh, and again: values modulo p, fresh keys in each run."""
    party = Refresher(degree)
    facts = party.evaluation.refreshing
    p = party.p
    values = rng.integers(0, p, (2, degree))
    x, products = party.encrypted(values), 0
    for _ in range(3):
        while (y := x * x).noise_headroom >= facts.headroom_needed:
            x, values, products = y, values * values % p, products + 1
        x = x.refreshed()
        assert x.noise_headroom == pytest.approx(facts.headroom_after)
        assert x.level == len(party.moduli)
        np.testing.assert_array_equal(cy.decrypt(x, party.keys.secret) % p, values)
    assert products >= 3
    x, y = x * x, x.sum_of_products(x, axis=-1)
    np.testing.assert_array_equal(cy.decrypt(x, party.keys.secret) % p, values * values % p)
    np.testing.assert_array_equal(cy.decrypt(y, party.keys.secret) % p, (values * values).sum(axis=-1) % p)


@pytest.mark.parametrize("seed", range(6))
def test_special_values_and_seeds(rng: np.random.Generator, seed: int) -> None:
    party, p = refresher(), refresher().p
    rows = [np.zeros(256), np.full(256, p - 1), np.full(256, p // 2), np.arange(256) * 257 % p, rng.integers(0, p, 256)]
    values = np.array(rows).astype(np.int64)
    x = (
        spent(party.encrypted(values), party.evaluation.refreshing.headroom_needed)
        if seed == 0
        else party.encrypted(values)
    )
    before = cy.decrypt(x, party.keys.secret)
    np.testing.assert_array_equal(cy.decrypt(x.refreshed(), party.keys.secret), before)


def test_layouts_signs_and_bounds_stay(rng: np.random.Generator) -> None:
    party = refresher()
    values = rng.integers(-99, 100, (2, 3))
    for layout in ("packed", "replicated"):
        x = cy.encrypt(values, party.keys.public, bound=99, layout=layout).with_keys(party.evaluation)
        y = x.refreshed()
        assert (y.shape, y.bound, y.layout) == (x.shape, 99, x.layout)
        np.testing.assert_array_equal(cy.decrypt(y, party.keys.secret), values)
    product = x * x
    np.testing.assert_array_equal(cy.decrypt(product.refreshed(), party.keys.secret), values * values)


def test_bounds_hold_after_each_step(rng: np.random.Generator) -> None:
    """In all three norms, and the digit is what the theorem says."""
    party = refresher()
    n, p = party.n, party.p
    needed = party.evaluation.refreshing.headroom_needed
    x = spent(party.encrypted(rng.integers(0, p, (2, n))), needed)
    a = party.on_small(x)

    coefficients = party.steps.slots_to_coefficients(a, party.small)
    measured, messages = party.measured(coefficients, squared=False)
    assert (np.array(coefficients.noise) - measured).min() >= -TOLERANCE

    low = party.steps.lowered(coefficients, party.small)
    q = party.moduli[0]
    rows = np.array(low.residues, dtype=object).reshape(2, 2, n)
    residues = np.array(party.steps.rounded(low), dtype=object).reshape(2, 2, n)
    for item in range(2):
        phase = rows[item][0] + negacyclic(rows[item][1], party.sparse)
        error = (phase * p - messages[item] * q) % (p * q)
        error = np.where(error > p * q // 2, error - p * q, error)
        assert math.log2(max(abs(int(e)) for e in error)) - math.log2(p) <= low.noise[0] + TOLERANCE
        digit = (residues[item][0] + negacyclic(residues[item][1], party.sparse) - p * messages[item]) % p**2
        digit = np.where(digit > p**2 // 2, digit - p**2, digit)
        assert max(abs(int(e)) for e in digit) <= 16

    raised = party.steps.raised(party.steps.rounded(low), party.large)
    measured, lifted = party.measured(raised, squared=True)
    assert (np.array(raised.noise) - measured).min() >= -TOLERANCE
    np.testing.assert_array_equal(lifted[0], (residues[0][0] + negacyclic(residues[0][1], party.sparse)) % p**2)

    slots = party.steps.coefficients_to_slots(raised, party.large)
    measured, _ = party.measured(slots, squared=True)
    assert (np.array(slots.noise) - measured).min() >= -TOLERANCE

    done = party.steps.without_digit(slots, party.large)
    measured, last = party.measured(done, squared=True)
    assert (np.array(done.noise) - measured).min() >= -TOLERANCE
    assert done.noise == pytest.approx(party.steps.refreshed_noise)
    assert all(int(m) % p == 0 for row in last for m in row)


def steered(party: Refresher, digit: int, place: int) -> list[int]:
    """Residues modulo p^2 whose phase under the sparse secret is p m + e, with e = `digit` in one coefficient."""
    n, square = party.n, party.p**2
    part = np.zeros(n, dtype=object)
    part[place] = digit
    return [int(c) % square for c in [*part, *np.zeros(n, dtype=object)]]


@pytest.mark.parametrize("sign", [1, -1])
def test_a_digit_at_the_bound_goes_and_one_beyond_is_contradicted(rng: np.random.Generator, sign: int) -> None:
    """What a forged bound could let through is noise that decryption sees: it never returns a wrong value silently."""
    party = refresher()
    results = {}
    for digit in (16, 17, 40):
        raised = party.steps.raised(steered(party, sign * digit, int(rng.integers(party.n))), party.large)
        # One coefficient's digit is every slot's: its value times a root of unity.
        slots = party.steps.coefficients_to_slots(raised, party.large)
        results[digit] = party.steps.without_digit(slots, party.large)
    _, last = party.measured(results[16], squared=True)
    assert not last.any()
    for digit in (17, 40):
        residues = testing.rlwe.coefficients(results[digit])
        forged = testing.rlwe.crafted(party.steps.context, party.secret.id, 0, residues, results[digit].noise[0])
        with pytest.raises(ContradictionError):
            _core.decrypt(forged, party.secret)


def test_the_last_admissible_noise_and_one_bit_beyond(rng: np.random.Generator) -> None:
    """Beyond it nothing is computed, and the message says how many bits too late it is."""
    party = refresher()
    x = party.encrypted(rng.integers(0, party.p, party.n))
    a = party.on_small(x)
    residues = testing.rlwe.coefficients(a)

    def with_noise(bits: float) -> Any:
        return testing.rlwe.crafted(party.steps.context, party.secret.id, 0, residues, bits)

    low, high = 0.0, 800.0
    while high - low > 2**-10:
        middle = (low + high) / 2
        low, high = (middle, high) if party.steps.late_by(with_noise(middle)) == 0 else (low, middle)
    assert party.steps.late_by(with_noise(low + 1)) == pytest.approx(1, abs=0.1)
    late = x
    while True:
        try:
            late = late * late
        except NoiseError:
            break
    with pytest.raises(NoiseError, match=r"refresh: [0-9.]+ bits too late.*instead of its result"):
        late.refreshed()


def test_keys_of_others_and_missing_ones(rng: np.random.Generator) -> None:
    party, other = refresher(), Refresher()
    x = cy.encrypt(rng.integers(0, 9, party.n), party.keys.public, bound=9)
    with pytest.raises(MismatchError):
        x.with_keys(other.evaluation)
    usual = cy.keygen(party.parameters)
    y = cy.encrypt([1, 2], usual.public)
    with pytest.raises(MissingKeyError, match="bootstrap=True"):
        y.refreshed()
    with pytest.raises(MissingKeyError):
        cy.encrypt([1, 2], cy.keygen(party.parameters, relinearization=False).public).refreshed()
    with pytest.raises(MissingKeyError):
        cy.from_bytes(cy.to_bytes(x), allow_insecure=True).refreshed()


def test_foreign_encapsulation_never_gives_a_wrong_value(rng: np.random.Generator) -> None:
    """Keys through another owner's sparse secret, put together by force, end in a contradiction at decryption."""
    party, other = refresher(), Refresher()
    x = party.on_small(party.encrypted(rng.integers(0, party.p, party.n)))
    low = party.steps.lowered(party.steps.slots_to_coefficients(x, party.small), party.small)
    raised = party.steps.raised(party.steps.rounded(low), other.large)
    slots = other.steps.coefficients_to_slots(raised, other.large)
    done = other.steps.without_digit(slots, other.large)
    residues = testing.rlwe.coefficients(done)
    forged = testing.rlwe.crafted(party.steps.context, party.secret.id, 0, residues, done.noise[0])
    with pytest.raises(ContradictionError):
        _core.decrypt(forged, party.secret)


def test_parameters_that_cannot_be_refreshed() -> None:
    usual = cy.Parameters.suggest(depth=1, value_bits=8)
    with pytest.raises(UnsupportedError):
        cy.keygen(usual, bootstrap=True)
    with pytest.raises(UnsupportedError):
        cy.encrypt([1], cy.keygen(usual).public).refreshed()
    bgv = cy.Parameters.suggest(depth=1, value_bits=8, scheme="bgv")
    with pytest.raises(UnsupportedError, match="BFV"):
        cy.keygen(bgv, bootstrap=True)
    with pytest.raises(UnsupportedError, match="relinearization"):
        cy.keygen(refresher().parameters, bootstrap=True, relinearization=False)
    with pytest.raises(SecurityError, match="allow_insecure"):
        cy.Parameters.bootstrappable(4096)
    for degree in (128, 1000, 131072):
        with pytest.raises(ParameterError):
            cy.Parameters.bootstrappable(degree, allow_insecure=True)
    narrow = cy.Parameters(
        degree=256,
        plain_moduli=[65537],
        moduli=cy.bfv.find_primes(256, [38, 57, 57, 57, 57, 57, 57, 57, 57]),
        special_moduli=cy.bfv.find_primes(256, [60, 60]),
        security=0,
        allow_insecure=True,
    )
    with pytest.raises(ParameterError, match="no room"):
        _ = cy.keygen(narrow, bootstrap=True).evaluation.refreshing


def test_all_engines_give_the_same_bits(rng: np.random.Generator) -> None:
    """Scalar and vector code of every instruction set here, and an engine that has only its verbs."""
    party = refresher()
    (channel,) = party.encrypted(rng.integers(0, party.p, party.n)).native.channels
    bits = {}
    for name, engine in ENGINES.items():
        context = _core.Context(party.parameters.native, engine)
        refreshed = testing.bfv.refresh(channel.to(context), party.native.to(context))
        bits[name] = testing.rlwe.coefficients(refreshed).tobytes()
    assert len(bits) > 1 and len(set(bits.values())) == 1, sorted(bits)


def test_an_array_of_several_ciphertexts_and_a_lower_level(rng: np.random.Generator) -> None:
    """Item by item the same as alone, whatever primes it comes in."""
    party = refresher()
    values = rng.integers(0, party.p, (5, party.n))
    x = party.encrypted(values)
    for level in (6, 4):
        refreshed = x.switch_to_level(level).refreshed()
        np.testing.assert_array_equal(cy.decrypt(refreshed, party.keys.secret), cy.decrypt(x, party.keys.secret))


@pytest.mark.skipif("CYCLOTOME_TEST_FULL_SIZE" not in os.environ, reason="gigabytes of keys: set it to 32768 or 65536")
def test_full_size(rng: np.random.Generator) -> None:
    """Every slot at a degree with 128 bits of security, and products until the next refresh; prints what it took."""
    parameters = cy.Parameters.bootstrappable(int(os.environ["CYCLOTOME_TEST_FULL_SIZE"]))
    p = parameters.plain_moduli[0]
    keys = cy.keygen(parameters, bootstrap=True, rotations=[], device="cpu:1")
    start = time.process_time()
    facts = keys.evaluation.refreshing
    print(f"\n{parameters.summary()}: {facts}, tables {time.process_time() - start:.2f} s")
    values = rng.integers(0, p, parameters.degree).astype(object)
    x = cy.encrypt(values, keys.public, wrap=True)
    for _ in range(2):
        products = 0
        while (y := x * x).noise_headroom >= facts.headroom_needed:
            x, values, products = y, values * values % p, products + 1
        start = time.process_time()
        x = x.refreshed()
        print(f"after {products} products: {time.process_time() - start:.2f} s, headroom {x.noise_headroom:.1f}")
        np.testing.assert_array_equal(cy.decrypt(x, keys.secret), values)
