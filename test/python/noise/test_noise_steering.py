# SPDX-License-Identifier: Apache-2.0
"""Roundings and digits that somebody steers: factors that send a ciphertext where its next rounding errors are as
large as they get on one root of unity, factors matched to public rounding errors, digits matched to a switching key's
errors."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from bgv_party import BgvParty, bgv_literal
from cyclotome import _core
from cyclotome._core import testing
from cyclotome._core.testing import rlwe
from exact_noise import TOLERANCE, errors, norms_of_rows
from noise_machine import Machine, Value, flattening, loudest_root, matched, patterns, peak
from oracles.integers import centred, compose, some_primes
from oracles.textbook_bfv import negacyclic_product
from parties import Party, slot_prime, small_literal
from residues import ring_of

FULL = pytest.mark.full
#: degree, word, bits of the primes, special primes, digits, strict
SWITCHES = [
    (n, *case, strict)
    for n in (64, 256, 1024)
    for case in [(64, 50, 0, 0), (32, 29, 0, 0), (64, 50, 1, 0), (64, 50, 2, 2), (32, 28, 1, 0)]
    for strict in (False, True)
] + [pytest.param((n, 64, 50, special, 0, False), marks=FULL) for n in (4096, 8192, 16384, 32768) for special in (0, 1)]


@pytest.fixture
def machine(request: pytest.FixtureRequest, rng: np.random.Generator) -> Iterator[Machine]:
    """BGV with short primes: what is steered is the rounding by one of them."""
    degree, word, strict = request.param
    case = (word, degree, 17 if word == 64 else 20, 9, 1, 0, 31 if word == 64 else 30, strict)
    made = Machine.of(case, True, int(rng.integers(1 << 60)))
    yield made
    made.report(request.node.name)


def inverse_modulo(row: Any, prime: int, n: int) -> Any:
    """The inverse of a polynomial modulo x^n + 1 and a prime with 2n-th roots of unity, by its transform."""
    engine, ring = _core.CpuEngine(1), ring_of(64, n, [prime])
    array = testing.PolyArray(engine, ring, 1, 1)
    array.from_host(np.array([int(x) % prime for x in row], dtype=np.uint64).reshape(1, 1, 1, n))
    array.to_transform()
    values = array.to_host().reshape(-1)
    if not values.all():
        return None
    inverses = np.array([pow(int(v), -1, prime) for v in values], dtype=np.uint64).reshape(1, 1, 1, n)
    result = testing.PolyArray(engine, ring, 1, 1, testing.Domain.transform)
    result.from_host(inverses)
    result.to_coefficient()
    return np.array([int(x) for x in result.to_host().reshape(-1)], dtype=object)


def uniform_part(value: Value) -> Any:
    return value.machine.party.parts(value.ciphertext)[0][1]


def steered(value: Value, target: Any) -> Value | None:
    """value times the M with M c_1 = target modulo the prime that is dropped next."""
    machine = value.machine
    prime = machine.party.moduli[value.level - 1]
    inverse = inverse_modulo(uniform_part(value) % prime, prime, machine.n)
    if inverse is None:
        return None
    factor = centred(negacyclic_product(inverse, target) % prime, prime)
    moved = value.by_any(factor)
    assert np.array_equal(uniform_part(moved) % prime, np.asarray(target, dtype=object) % prime)
    return moved


@pytest.mark.parametrize(
    "machine",
    [(64, 64, False), (256, 64, True), (256, 32, False), (1024, 64, False)]
    + [pytest.param((n, 64, False), marks=FULL, id=f"{n}") for n in (4096, 8192, 16384, 32768)],
    indirect=True,
)
def test_steered_roundings_of_modulus_switching(machine: Machine) -> None:
    """Section 5 of the design: the rounding error of c_1 becomes a peak on the root where the secret is loudest, which
    nobody knows, and where it is as long as can be. The multiplier raises the tracked bound by more."""
    rng = np.random.default_rng(machine.number)
    x = machine.encrypt(patterns(machine.n, machine.t, rng)["small"])
    prime = machine.party.moduli[x.level - 1]
    t_inverse = pow(machine.t, -1, prime)
    loud = loudest_root(machine.party.s)
    for pattern in (peak(machine.n, loud, 1), peak(machine.n, 0, 1), np.ones(machine.n, dtype=np.int64)):
        # delta = t [c/t mod q_l] is as long as can be where c = +-t (q_l - 1)/2
        target = pattern.astype(object) * ((prime - 1) // 2 * machine.t % prime)
        assert all(abs(int(v)) == (prime - 1) // 2 for v in centred(target * t_inverse, prime))
        y = steered(x, target)
        if y is None:
            continue
        low = y.at(x.level - 1).checked()
        low.times(low.conjugate(), False).checked()
        low.by(matched(errors(machine.party, low.ciphertext)[0][0], (machine.t - 1) // 2)).used_up()
        lower = low.at(low.level - 1).checked()
        lower.times(lower, False).checked()


@pytest.mark.parametrize(
    "machine", [(64, 64, False), (256, 64, True), (256, 32, False), (1024, 64, False)], indirect=True
)
def test_factors_matched_to_public_rounding_errors(machine: Machine) -> None:
    """Whoever sees a ciphertext before and after a switch knows what was rounded away, up to the secret: rho_0 + rho_1
    s; factors line up rho_0, rho_1, and, as with the secret at hand, the sum."""
    rng = np.random.default_rng(machine.number)
    half = (machine.t - 1) // 2
    x = machine.encrypt(patterns(machine.n, machine.t, rng)["random"])
    for level in range(machine.top - 1, machine.top - 5, -1):
        before, low = x.at(level + 1), x.at(level).checked()
        prime = machine.party.moduli[level]
        q = math.prod(machine.party.moduli[:level])
        rounded = []
        for old, new in zip(
            machine.party.parts(before.ciphertext)[0], machine.party.parts(low.ciphertext)[0], strict=True
        ):
            rounded.append(centred(new * prime - old, q * prime))  # q_l times t rho
        for part in rounded:
            assert max(abs(int(v)) for v in part) <= prime * machine.t // 2 + machine.t
        whole = rounded[0] + negacyclic_product(rounded[1], machine.party.s)
        for row in (*rounded, whole):
            for factor in (matched(row, half), flattening(row, half), peak(machine.n, loudest_root(row), half)):
                y = low.by(factor).checked()
                if y.headroom >= 0:
                    y.used_up()
                    y.times(low, False).checked()


# --- digits of key switching ------------------------------------------------------------------------------------------
def key_errors(party: Party, key: Any, target: Any) -> list[Any]:
    """The error polynomials of a switching key's digits, which only the key's owner can know."""
    moduli = rlwe.key_ring(party.context).basis.moduli
    modulus = math.prod(moduli)
    found = []
    for j, (body, mask) in enumerate(compose(rlwe.coefficients(key), moduli)):
        gadget = int(compose(np.array(rlwe.gadget_factors(party.context, j), dtype=np.uint64)[:, None], moduli)[0])
        found.append(centred(gadget * target - body - negacyclic_product(mask, party.s), modulus))
    return found


def digit_patterns(row: Any, product: int, rng: np.random.Generator) -> list[Any]:
    """Digits of coefficients up to product/2: signs of the error's conjugate, a peak at its loudest root, what lines up
    its values; and random ones."""
    half, n = product // 2, len(row)
    conjugate = np.concatenate([row[:1], -row[:0:-1]])
    return [
        np.where(conjugate >= 0, 1, -1).astype(object) * half,
        peak(n, loudest_root(row), 1).astype(object) * half,
        flattening(row, 1 << 20).astype(object) * half // (1 << 20),
        np.array([int(v) * half // 1000 for v in rng.integers(-1000, 1001, n)], dtype=object),
    ]


@pytest.mark.parametrize("bgv", [False, True], ids=["bfv", "bgv"])
@pytest.mark.parametrize("case", SWITCHES, ids=str)
def test_digits_steered_into_a_switching_keys_errors(rng: np.random.Generator, case: Any, bgv: bool) -> None:
    """(c_0, c_1) whose digits fit the errors of each digit's key as well as they can: the phase moves by at most the
    key switch's bound. Without special primes this is the whole noise, and within two bits of its bound."""
    n, word, bits, special, digits, strict = case
    t = slot_prime(n, 14 if n <= 1024 else 20)
    literal = (bgv_literal if bgv else small_literal)(word, n, t, 4, special, digits, bits=bits)
    literal.strict = strict
    party = (BgvParty if bgv else Party)(literal, int(rng.integers(1 << 60)), galois=[3])
    turned = np.array([0] * n, dtype=object)
    for i in range(n):
        turned[i * 3 % n] += int(party.s[i]) * (1 if i * 3 % (2 * n) < n else -1)
    per_digit = testing.primes_per_digit(party.parameters)
    products = [math.prod(party.moduli[i : i + per_digit]) for i in range(0, 4, per_digit)]
    multiple = t if bgv and party.special > 1 else 1
    stated = np.array(rlwe.key_switch_noise(party.context, 4, 0))
    found = key_errors(party, rlwe.galois(party.evaluation, 3), turned)
    for row in found:  # errors of one plaintext modulus carry it in BGV
        assert not bgv or not np.any(row % t)
    rows = [row // (t if bgv else 1) for row in found]
    closest = math.inf
    for choice in range(4):
        chosen = [digit_patterns(row, product, rng)[choice] for row, product in zip(rows, products, strict=True)]
        moved_part = compose(
            np.array([[int(v) % q for v in chosen[i // per_digit]] for i, q in enumerate(party.moduli)]), party.moduli
        )
        # c_1 with c_1(x^3) = moved_part
        c1 = np.array([0] * n, dtype=object)
        for i in range(n):
            sign = 1 if i * 3 % (2 * n) < n else -1
            c1[i] = sign * int(moved_part[i * 3 % n])
        before = party.made([0 * c1, c1], 4) if isinstance(party, BgvParty) else party.crafted([0 * c1, c1])
        after = _core.apply_galois(before, 3, party.evaluation)
        old = negacyclic_product(moved_part, turned)
        (parts,) = party.parts(after)
        new = parts[0] + negacyclic_product(parts[1], party.s)
        norms = norms_of_rows(np.array([centred(new - old, party.q)], dtype=object))[0]
        assert np.all(norms <= stated + TOLERANCE), (choice, norms, stated)
        closest = min(closest, float(np.min(stated - norms)))
    print(f"n {n} {'bgv' if bgv else 'bfv'} special {special}: closest {closest:.2f} bits, multiple {multiple}")
    if special == 0:
        assert closest <= 2.0


# --- several plaintext moduli, and correction factors -----------------------------------------------------------------
@pytest.mark.parametrize("special", [0, 1])
@pytest.mark.parametrize("degree", [64, 256])
def test_several_plaintext_moduli_and_sums_of_different_correction_factors(
    rng: np.random.Generator, degree: int, special: int
) -> None:
    """Arrays of every modulus: conjugates, rotations and products, and sums across all levels."""
    moduli = some_primes(17, 2 * degree, 3)
    party = BgvParty(
        bgv_literal(64, degree, moduli, 5, special, bits=50), int(rng.integers(1 << 60)), galois=[3, 2 * degree - 1]
    )
    checks = 0
    for plain, t in enumerate(moduli):
        machine = Machine(party, int(rng.integers(1 << 60)), plain)
        for message in patterns(degree, t, rng).values():
            x = machine.encrypt(message).checked()
            x.conjugate().checked().used_up()
            y = (x * x.conjugate()).checked()
            for a in range(1, party.top + 1):
                for b in range(1, party.top + 1):
                    if y.level >= a and x.at(b).headroom >= 0:
                        (y.at(a) + x.at(b)).checked()
                        (x.at(b) - y.at(a).scaled(3)).checked()
        machine.report(f"modulus {t}")
        checks += machine.checks
    assert checks > 300
