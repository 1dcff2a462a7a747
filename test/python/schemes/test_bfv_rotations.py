# SPDX-License-Identifier: Apache-2.0
"""Slots and the group that moves them (specification 5.9): 3^j and -1 modulo 2n."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cyclotome import _core
from cyclotome._core import testing
from cyclotome._core.testing import bfv, deterministic, rlwe
from cyclotome.errors import ArgumentError, CyclotomeError, MissingKeyError
from oracles import negacyclic
from oracles.integers import integers, random_below
from parties import Party, galois_group, permuted, slot_prime, slot_roots, small_literal

WORD = pytest.mark.parametrize("word", [32, 64])
DEGREES = pytest.mark.parametrize("degree", [8, 16, 64])


def party_of(word: int, degree: int, rotations: list[int]) -> Party:
    elements = [galois_group(degree).row_rotation(r) for r in rotations] + [2 * degree - 1]
    primes = 6 if word == 32 else 3
    return Party(small_literal(word, degree, slot_prime(degree, 14), primes, 1), galois=elements)


@WORD
@DEGREES
def test_slots_are_values_at_the_roots_in_their_order(rng: np.random.Generator, word: int, degree: int) -> None:
    """Slot i of row 0 is m(psi^(3^i)), of row 1 m(psi^(-3^i)), with the least primitive root psi: SEAL's order."""
    party = party_of(word, degree, [])
    values = random_below(rng, party.t(), (3, degree))
    encoded = integers(rlwe.coefficients(party.plaintext(values, slots=True)))[:, 0, 0]
    assert np.array_equal(encoded, party.message(values, slots=True))
    for row, polynomial in zip(values, encoded, strict=True):
        at_roots = [negacyclic.evaluate(polynomial, root, party.t()) for root in slot_roots(degree, party.t())]
        assert at_roots == row.tolist()
    decoded = _core.decode_residues(party.plaintext(values, slots=True), True)
    assert np.array_equal(integers(decoded) % party.t(), values)


@WORD
@DEGREES
def test_rotations_move_both_rows_and_the_swap_exchanges_them(rng: np.random.Generator, word: int, degree: int) -> None:
    half = degree // 2
    steps = [1, 2, half - 1, -1, 0, half, 3 * half + 1, -(10**9)]
    party = party_of(word, degree, steps)
    values = random_below(rng, party.t(), (2, degree))
    rows = values.reshape(2, 2, half)
    x = party.encrypt(values, 1, slots=True)
    for step in steps:
        rotated = rlwe.rotate_rows(x, step, party.evaluation)
        expected = np.roll(rows, -step % half, axis=2).reshape(2, degree)
        assert np.array_equal(party.decrypt(rotated, slots=True), expected)
        assert np.array_equal(expected, permuted(values, pow(3, step % half, 2 * degree), True, party.t()))
    swapped = rlwe.rotate_columns(x, party.evaluation)
    assert np.array_equal(party.decrypt(swapped, slots=True), rows[:, ::-1].reshape(2, degree))


@WORD
def test_rotations_form_a_group(rng: np.random.Generator, word: int) -> None:
    """Rotations compose by adding steps, the swap is its own inverse, and everything commutes."""
    degree, half = 16, 8
    party = party_of(word, degree, list(range(half)))
    values = random_below(rng, party.t(), (1, degree))
    x, keys = party.encrypt(values, 1, slots=True), party.evaluation

    def show(ciphertext: Any) -> list[int]:
        return party.decrypt(ciphertext, slots=True)[0].tolist()

    for a in range(half):
        rotated = rlwe.rotate_rows(x, a, keys)
        assert show(rlwe.rotate_columns(rotated, keys)) == show(rlwe.rotate_rows(rlwe.rotate_columns(x, keys), a, keys))
        for b in range(half):
            assert show(rlwe.rotate_rows(rotated, b, keys)) == show(rlwe.rotate_rows(x, a + b, keys))
        assert show(rlwe.rotate_rows(rotated, -a, keys)) == values[0].tolist()
    assert show(rlwe.rotate_columns(rlwe.rotate_columns(x, keys), keys)) == values[0].tolist()


def test_galois_elements_are_powers_of_three_and_minus_one() -> None:
    for degree in (8, 16, 1024, 1 << 17):
        order, half = 2 * degree, degree // 2
        for steps in (0, 1, 2, half - 1, half, -1, -half, 5 * half + 3, 2**62, -(2**62)):
            assert galois_group(degree).row_rotation(steps) == pow(3, steps % half, order)
        assert galois_group(degree).column_rotation() == order - 1
        powers = [galois_group(degree).row_rotation(1 << i) for i in range(half.bit_length() - 1)]
        assert rlwe.slot_sum_elements(galois_group(degree)) == [*powers, order - 1]
    generated = {galois_group(64).row_rotation(i) * sign % 128 for i in range(32) for sign in (1, 127)}
    assert generated == set(range(1, 128, 2))  # the whole group


@WORD
@DEGREES
def test_every_slot_of_a_sum_holds_the_sum(rng: np.random.Generator, word: int, degree: int) -> None:
    party = party_of(word, degree, [1 << i for i in range((degree // 2).bit_length() - 1)])
    values = random_below(rng, party.t(), (2, degree))
    total = rlwe.sum_slots(party.encrypt(values, 1, slots=True), party.evaluation)
    expected = np.broadcast_to(values.sum(axis=1, keepdims=True) % party.t(), values.shape)
    assert np.array_equal(party.decrypt(total, slots=True), expected)


@WORD
def test_automorphisms_act_on_coefficients_with_their_sign(rng: np.random.Generator, word: int) -> None:
    party = Party(small_literal(word, 32, 1024, 4, 2), galois=list(range(3, 64, 2)))
    values = random_below(rng, 1024, (2, 32))
    x = party.encrypt(values, 1, slots=False)
    for element in range(1, 64, 2):
        moved = _core.apply_galois(x, element, party.evaluation)
        assert np.array_equal(party.decrypt(moved, slots=False), permuted(values, element, False, 1024))
    same = _core.apply_galois(x, 1, party.evaluation)
    assert np.array_equal(rlwe.coefficients(same), rlwe.coefficients(x)) and same.noise == x.noise


@WORD
@pytest.mark.parametrize("special", [0, 1, 3])
def test_hoisted_rotations_are_the_same_rotations(rng: np.random.Generator, word: int, special: int) -> None:
    """One decomposition for several elements: an automorphism of centred digits is the digits of the automorphism, so
    that even the residues are those of one rotation after the other."""
    elements = [3, 1, 9, 127, 3]
    party = Party(small_literal(word, 64, slot_prime(64, 14), 6, special), galois=elements)
    values = random_below(rng, party.t(), (3, 64))
    x = party.encrypt(values, 1, slots=True)
    hoisted = rlwe.apply_galois_hoisted(x, elements, party.evaluation)
    assert len(hoisted) == len(elements)
    for element, moved in zip(elements, hoisted, strict=True):
        alone = _core.apply_galois(x, element, party.evaluation)
        assert np.array_equal(rlwe.coefficients(moved), rlwe.coefficients(alone)) and moved.noise == alone.noise
        assert np.array_equal(party.decrypt(moved, slots=True), permuted(values, element, True, party.t()))
    assert rlwe.apply_galois_hoisted(x, [], party.evaluation) == []
    with pytest.raises(MissingKeyError, match="element 27"):
        rlwe.apply_galois_hoisted(x, [3, 27], party.evaluation)
    with pytest.raises(ArgumentError, match="relinearise first"):
        rlwe.apply_galois_hoisted(bfv.square(x), [3], party.evaluation)


@WORD
def test_rotations_refuse_what_they_cannot_do(word: int) -> None:
    party = party_of(word, 16, [1])
    x = party.encrypt([[1] * 16], 1, slots=True)
    with pytest.raises(MissingKeyError, match=r"no Galois key for element 9 .*keygen\(parameters, rotations=\[2\]\)"):
        rlwe.rotate_rows(x, 2, party.evaluation)
    with pytest.raises(MissingKeyError, match="element 9"):
        rlwe.sum_slots(x, party.evaluation)
    with pytest.raises(ArgumentError, match=r"2 parts, not 3; relinearise first"):
        rlwe.rotate_rows(bfv.square(x), 1, party.evaluation)
    for element in (2, 0, 32, 33):
        with pytest.raises(ArgumentError, match=f"Galois element {element} must be odd and below 2n = 32"):
            deterministic.generate_evaluation_keys(party.secret, True, [element], testing.Seed(bytes(32)))
        with pytest.raises(CyclotomeError):
            _core.apply_galois(x, element, party.evaluation)
