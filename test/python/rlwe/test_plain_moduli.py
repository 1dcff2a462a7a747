# SPDX-License-Identifier: Apache-2.0
"""Plaintext moduli at the edge of what ciphertext moduli hold: exact integers, or a typed refusal."""

from __future__ import annotations

import math
from typing import Any

import cyclotome as cy
import numpy as np
import pytest
from cyclotome.errors import CyclotomeError, NoiseError, ParameterError
from hypothesis import given, settings
from hypothesis import strategies as st
from small import insecure

DEGREE = 1024
SCHEMES = ["bfv", "bgv"]


def made(scheme: str, plain_moduli: list[int], bits: list[int], special: list[int]) -> cy.Parameters:
    return insecure(plain_moduli, DEGREE, bits, special, scheme=scheme)


def exact_or_refused(parameters: cy.Parameters, rng: np.random.Generator) -> int:
    """Encrypts the largest values there are, computes, and compares; returns how many results came out."""
    secret, public, _ = cy.keygen(parameters, rotations=[])
    capacity, came_out = parameters.capacity, 0
    values = [capacity, -capacity, 0, 1, *(int(v) % (capacity + 1) for v in rng.integers(1 << 62, size=12))]
    halves, factors = (
        [v - v // 2 if v < 0 else v // 2 for v in values],
        [v % (math.isqrt(capacity) + 1) for v in values],
    )
    for key in (public, secret):
        for a, compute, expected in (
            (values, lambda x: x, values),
            (halves, lambda x: x + x, [2 * v for v in halves]),
            (factors, lambda x: x * x, [v * v for v in factors]),
        ):
            try:
                x = cy.encrypt(a, key, bound=max(map(abs, a)))
                result = cy.decrypt(compute(x), secret)
            except CyclotomeError:
                continue
            assert [int(v) for v in result] == expected
            came_out += 1
    return came_out


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("bits", [[30], [20, 20], [59]])
def test_nothing_wrong_comes_out_at_the_largest_plaintext_modulus(
    scheme: str, bits: list[int], rng: np.random.Generator
) -> None:
    """One prime, none of them special, and t up to q/43, where even a fresh ciphertext is on the edge."""
    largest = (math.prod(cy.bfv.find_primes(DEGREE, bits)) - 1) // 43
    for t in (largest, largest - 1, largest // 2, largest // 64):
        exact_or_refused(made(scheme, [t], bits, []), rng)
    for t in (largest + 1, 2 * largest, 43 * largest):
        if t < 1 << 60:
            with pytest.raises(ParameterError, match=f"plaintext modulus {t} .*is too large for ciphertext moduli"):
                made(scheme, [t], bits, [])


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("t", [(1 << 40) - 87, 1 << 40, (1 << 40) + 1, 3**25, *cy.bfv.find_primes(DEGREE, [40])])
def test_plaintext_moduli_wider_than_every_prime(scheme: str, t: int, rng: np.random.Generator) -> None:
    """Only their product has to be above t: even and composite t, primes of 25 bits."""
    parameters = made(scheme, [t], [25] * 7, [25] * 4)
    assert max(parameters.moduli) < t < math.prod(parameters.moduli)
    assert exact_or_refused(parameters, rng) >= 4


@pytest.mark.parametrize("t", [(1 << 40) - 87, 1 << 40])
def test_levels_of_bgv_below_the_plaintext_modulus_are_refused_when_decrypted(t: int) -> None:
    parameters = made("bgv", [t], [25] * 6, [26])
    secret, public, _ = cy.keygen(parameters, rotations=[])
    values = [-((t - 1) // 2), t // 2 - 1, 12345]
    x = cy.encrypt(values, public)
    exact = 0
    for level in range(len(parameters.moduli), 0, -1):
        switched = x.switch_to_level(level)
        if math.prod(parameters.moduli[:level]) < 43 * t:
            with pytest.raises(NoiseError):
                cy.decrypt(switched, secret)
        else:
            try:
                assert cy.decrypt(switched, secret).tolist() == values
                exact += 1
            except NoiseError:
                pass
    assert exact >= 3


def test_products_of_plaintext_moduli_longer_than_q() -> None:
    """T may exceed q: BFV keeps each t_i in ciphertexts of its own; BGV's keys carry T, and refuse where it drowns."""
    moduli = [65537, 65539, 65543, 65551, 65557]
    values = [math.prod(moduli) // 2, -(math.prod(moduli) // 2), 7]
    for scheme in SCHEMES:
        parameters = made(scheme, moduli, [30, 30], [30])
        assert math.prod(moduli) > math.prod(parameters.moduli)
        secret, public, _ = cy.keygen(parameters, rotations=[])
        for key in (public, secret):
            try:
                assert [int(v) for v in cy.decrypt(cy.encrypt(values, key), secret)] == values
            except CyclotomeError:
                assert scheme == "bgv"


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"plain_moduli": [65537, 65537]}, "65537"),
        ({"plain_moduli": [6, 10]}, r"6.*10|10.*6"),
        ({"moduli": "repeat"}, "share|coprime|common"),
        ({"special_moduli": "of q"}, "share|coprime|common"),
        ({"plain_moduli": "of q"}, "share|coprime|common"),
        ({"plain_moduli": "of P"}, "share|coprime|common"),
        ({"moduli": "beyond the word"}, "below"),
        ({"special_moduli": "narrow"}, "fewer than the widest ciphertext prime"),
        ({"digits": 1}, "with 1 digits a digit of 3 primes is wider"),
        ({"digits": 4}, "4 digits for 3 primes"),
        ({"plain_moduli": [1 << 60]}, r"must lie in \[2, "),
        ({"plain_moduli": [(1 << 59) - 1]}, None),
        ({"scheme": "ntru"}, "'bfv', 'bgv' and 'ckks'"),
        ({"scheme": 1}, "scheme is a name, not 1"),
        ({"table": 2}, "table is a name, not 2"),
    ],
    ids=str,
)
def test_contradictions_among_moduli_are_refused_for_both_schemes(
    scheme: str, change: dict[str, Any], message: str | None
) -> None:
    primes = cy.bfv.find_primes(DEGREE, [40] * 4)
    literal: dict[str, Any] = {"plain_moduli": [65537], "moduli": primes[1:], "special_moduli": primes[:1]}
    literal |= {"scheme": scheme, "degree": DEGREE, "security": 0, "allow_insecure": True}
    cy.Parameters(**literal)
    words: dict[Any, list[int]] = {
        "repeat": [primes[1], primes[1]],
        "of q": [primes[2]],
        "of P": [primes[0]],
        "beyond the word": [(1 << 61) + 1],
        "narrow": cy.bfv.find_primes(DEGREE, [39]),
    }
    for name, value in change.items():
        literal[name] = words.get(value, value) if isinstance(value, str) else value
    if message is None:  # q of 120 bits holds 59
        assert cy.Parameters(**literal).plain_moduli == ((1 << 59) - 1,)
        return
    with pytest.raises(ParameterError, match=message):
        cy.Parameters(**literal)


@settings(max_examples=25)
@given(
    scheme=st.sampled_from(SCHEMES),
    widths=st.lists(st.integers(20, 59), min_size=1, max_size=3),
    plain_bits=st.integers(2, 59),
    special=st.booleans(),
    offset=st.integers(0, 1 << 20),
)
def test_any_plaintext_modulus_gives_exact_integers_or_a_refusal(
    scheme: str, widths: list[int], plain_bits: int, special: bool, offset: int
) -> None:
    t = max(2, (1 << plain_bits) - 1 - offset % (1 << (plain_bits - 1)))
    try:
        parameters = made(scheme, [t], widths, [max(widths)] if special else [])
    except ParameterError:
        return
    assert t * 43 < math.prod(parameters.moduli)
    exact_or_refused(parameters, np.random.default_rng(offset))
