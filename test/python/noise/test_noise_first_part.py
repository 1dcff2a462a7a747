# SPDX-License-Identifier: Apache-2.0
"""Rounding errors of c_0 that one plain sum sends wherever somebody wants them: before modulus switches, BFV's
quotient, levelled products and key switches, linear maps; for every plaintext modulus, at every level, and over Phi_m.
The bound counts them with their worst, so that it holds in all three norms, also where they are lined up with the
rest."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import cyclotome as cy
import numpy as np
import pytest
from bgv_party import BgvParty, bgv_literal
from cyclotome import _core
from cyclotome._core import testing
from cyclotome._core.testing import bfv, rlwe
from cyclotomic_party import BitParty, bit_literal
from exact_noise import errors, gaps
from noise_machine import Machine, Value, flattening, loudest_root, matched, peak
from oracles.integers import some_primes
from parties import Party, small_literal
from small import insecure
from steered_sums import centred_parts, every_aim, first_part_canonical, steered, steering_sum

SMALL = [(n, word, special, strict) for n in (64, 256, 1024) for word, special in ((64, 1), (32, 2), (64, 0))
         for strict in (False, True) if not strict or n == 256]  # fmt: skip
LARGE = [pytest.param((n, 64, 1, False), marks=pytest.mark.full) for n in (4096, 8192, 16384)]


@pytest.fixture(params=[False, True], ids=["bfv", "bgv"])
def bgv(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


@pytest.fixture(params=[*SMALL, *LARGE], ids=str)
def machine(request: pytest.FixtureRequest, bgv: bool, rng: np.random.Generator) -> Iterator[Machine]:
    n, word, special, strict = request.param
    case = (word, n, 17 if word == 64 else 14, 5 if word == 64 else 9, special, 0, 50 if word == 64 else 30, strict)
    made = Machine.of(case, bgv, int(rng.integers(1 << 60)))
    yield made
    made.report(request.node.name)


def random_message(machine: Machine, rng: np.random.Generator) -> Any:
    return rng.integers(-(machine.t // 2), machine.t // 2 + 1, machine.n)


def exploited(low: Value) -> None:
    """What makes most of one loud root: its conjugate's product, and factors that line up with the exact error."""
    low.checked()
    half = (low.machine.t - 1) // 2
    row = errors(low.machine.party, low.ciphertext)[0][0]
    for factor in (matched(row, half), flattening(row, half), peak(low.machine.n, loudest_root(row), half)):
        once = low.by(factor).checked()
        if once.headroom >= 0:
            once.times(once, low.machine.how()[0]).checked()
    product = low.times(low.conjugate(), low.machine.how()[-1])
    if product.checked().headroom >= 0:
        product.used_up()


def test_one_plain_sum_steers_the_next_switch(machine: Machine, rng: np.random.Generator) -> None:
    """rho_0 comes as near to its worst as signs do: n/pi on a root, where B sqrt(n/12), of roundings that nobody
    steers, is less from n = 256 on. The switched phase is below its bound all the same, and what is made of it."""
    x = machine.encrypt(random_message(machine, rng))
    unsteered = testing.NoiseCalculus(machine.n, False).rounding_of_polynomial()[2]
    level = machine.top
    while level > 1 and x.headroom >= 0:
        primes = min(level - 1, 1 if machine.n > 1024 else int(rng.integers(1, 3)))
        for y in every_aim(x, primes, rng):
            x = y.at(level - primes)
            exploited(x)
            if machine.n > 1024:
                break
        loud = first_part_canonical(machine.party, y.ciphertext, primes)
        if machine.n > 1024:
            assert loud > unsteered + math.log2(machine.n / 1024) / 2
        elif machine.n > 64:
            loud = first_part_canonical(machine.party, steered(y, primes, peak(machine.n, 5, 1)).ciphertext, primes)
            assert loud > unsteered
        level = x.level


def test_steered_sums_of_products_that_were_switched(machine: Machine, rng: np.random.Generator) -> None:
    """Steered, switched, multiplied, steered again: the same at every depth."""
    x, depth = steered(machine.encrypt(random_message(machine, rng)), 1), 0
    while x.headroom >= 0 and x.level > 1:
        x = x.at(x.level - 1).checked()
        x = x.times(x if depth % 2 else x.conjugate(), machine.how()[depth % 2])
        if x.checked().headroom < 0 or x.level < 2:
            break
        x, depth = steered(x, 1), depth + 1
    assert depth >= 1 or machine.bgv


@pytest.mark.parametrize("bgv", [False], ids=["bfv"], indirect=True)
def test_sums_that_steer_bfvs_quotient(machine: Machine, rng: np.random.Generator) -> None:
    """c_0/q itself, whose fraction a product multiplies the other factor's error by; and what levelled products and key
    switches round away before they begin, at every number of primes."""
    x = machine.encrypt(random_message(machine, rng))
    counts = range(1, machine.top + 1) if machine.n <= 256 else (machine.top - 1, machine.top)
    for primes in counts:
        y = steered(x, primes)
        z = steered(x, primes, peak(machine.n, loudest_root(errors(machine.party, y.ciphertext)[0][0]), 1))
        for how in machine.how():
            product = y.times(z, how).checked()
            if product.headroom < 0:
                continue
            again = steered(product, primes)
            again.turned(3).checked()
            again.times(again, how).checked()
            again.used_up()


def test_every_plaintext_modulus_steers_its_own_sums(bgv: bool, rng: np.random.Generator) -> None:
    """Three moduli, BGV's correction factors other than 1, differences of levels."""
    for special in (0, 1):
        moduli = some_primes(17, 512, 2) + some_primes(13, 512, 1)
        literal = (bgv_literal if bgv else small_literal)(64, 256, moduli, 5, special, bits=50)
        party = (BgvParty if bgv else Party)(literal, int(rng.integers(1 << 60)), galois=[3, 511])
        for plain in range(3):
            machine = Machine(party, int(rng.integers(1 << 60)), plain)
            x = machine.encrypt(random_message(machine, rng))
            while x.level > 1:
                for y in every_aim(x, 1, rng):
                    exploited(y.at(x.level - 1))
                x = y.at(x.level - 1)
            assert not bgv or testing.bgv.correction(x.ciphertext) != 1
            machine.report(f"modulus {machine.t}, special {special}")
            assert machine.checks > 50


def party_of(keys: cy.Keys) -> Any:
    """What `gaps` and steering ask of a party."""
    native = keys.secret.native
    kind = BgvParty if keys.secret.parameters.scheme == "bgv" else Party
    party = kind.__new__(kind)
    party.parameters, party.secret = keys.secret.parameters.native, native
    party.moduli, party.n = list(party.parameters.moduli), party.parameters.degree
    party.s = np.array(rlwe.coefficients(native), dtype=object)
    return party


@pytest.mark.parametrize("special", [0, 1, 2])
def test_linear_maps_of_steered_sums(bgv: bool, special: int, rng: np.random.Generator) -> None:
    """Matrices times packed vectors, whose rotations start by switching down where the noise allows; before and after a
    square, for every number of primes."""
    n, t = 256, 65537
    parameters = insecure([t], n, [50] * 5, [51] * special, scheme="bgv" if bgv else "bfv")
    keys = cy.keygen(parameters, matrices=[(16, n)])
    party, w = party_of(keys), rng.integers(-30000, 30001, (16, n))
    fresh = cy.encrypt(rng.integers(0, t, n), keys.public, wrap=True)
    checks = 0
    for x in (fresh, fresh * fresh):
        for count in range(1, x.native.channels[0].limbs):
            [channel] = x.native.channels
            signs = peak(n, int(rng.integers(n // 2)), 1)
            polynomial = steering_sum(party, channel, count, signs)
            plain = _core.encode_residues(
                keys.secret.native.context, 0, False, np.atleast_2d(polynomial.astype(np.int64))
            )
            y = x + np.array(_core.decode_residues(plain, True))[0].astype(np.int64)
            [channel] = y.native.channels
            assert all(int(v) * int(s) > 0 for v, s in zip(centred_parts(party, channel, count)[0], signs, strict=True))
            expected = np.asarray(cy.decrypt(y, keys.secret)).astype(object)
            try:
                z = w @ y
            except cy.errors.NoiseError:
                continue
            gaps(party, z.native.channels[0])
            np.testing.assert_array_equal(np.asarray(cy.decrypt(z, keys.secret)) % t, w.astype(object) @ expected % t)
            checks += 1
    assert checks >= 3


# --- over Phi_m -------------------------------------------------------------------------------------------------------
def peak_signs(party: BitParty, root: int) -> Any:
    """Signs of the basis's real parts on one root of Phi_m."""
    embedding = party.embedding
    signs = np.zeros(embedding.n, dtype=int)
    signs[embedding.places] = np.where(np.cos(2 * np.pi * embedding.units * root / embedding.m) >= 0, 1, -1)
    return signs


@pytest.mark.parametrize("case", [(15, 64, 1 << 48), (105, 32, 1 << 28), (1105, 64, 1 << 48), (4369, 32, 1 << 28)],
                         ids=lambda case: f"Phi_{case[0]}")  # fmt: skip
def test_sums_of_bits_steer_over_other_rings(bgv: bool, case: tuple[int, int, int], rng: np.random.Generator) -> None:
    """t = 2 leaves two places for each coefficient, half a unit apart: signs can be chosen, lengths cannot."""
    m, word, above = case
    literal = bit_literal(m, 6, 2, word, above, scheme="bgv" if bgv else "bfv")
    party = BitParty(literal, int(rng.integers(1 << 60)), galois=[2, m - 1])
    n = party.shape.degree
    x = party.encrypt(rng.integers(0, 1 << party.slots.degree, party.slots.count), 3)
    closest = np.full(3, np.inf)
    while x.limbs > 1:
        for signs in (peak_signs(party, int(rng.choice(party.embedding.units))), np.ones(n, dtype=int)):
            polynomial = steering_sum(party, x, 1, signs)
            elements = np.array([party.slots.decode([int(c) & 1 for c in polynomial])])
            y = testing.scheme.add_plain(x, _core.encode_residues(party.context, 0, True, elements))
            found = centred_parts(party, y, 1)[0]
            assert all(int(v) * int(s) >= 0 for v, s in zip(found, signs, strict=True))
            low = testing.scheme.switch_to_level(y, x.limbs - 1)
            closest = np.minimum(closest, party.assert_bounded(low))
            conjugate = _core.apply_galois(low, m - 1, party.evaluation)
            multiply = testing.bgv.multiply if bgv else bfv.multiply
            for product in (multiply(low, conjugate), multiply(low, low)):
                if product.noise_headroom >= 0:
                    closest = np.minimum(closest, party.assert_bounded(_core.relinearize(product, party.evaluation)))
        x = low
    print(f"Phi_{m} {'bgv' if bgv else 'bfv'}: closest {np.round(closest, 2)}")
    assert closest.max() < 40
