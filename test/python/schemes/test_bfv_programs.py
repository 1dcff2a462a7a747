# SPDX-License-Identifier: Apache-2.0
"""Homomorphism of every operation: random programs at random parameters against the same programs in Python integers.

After every step the public bound is at least the measured noise, and decryption gives the expected values or refuses.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from cyclotome import _core
from cyclotome._core import testing
from cyclotome._core.testing import bfv, deterministic, rlwe
from cyclotome.errors import NoiseError
from exact_noise import gaps
from hypothesis import assume, given, note, settings
from hypothesis import strategies as st
from oracles.integers import Integers, random_below
from parties import Party, galois_group, permuted, product_of_values, slot_prime, small_literal

COMMON_MODULI = {
    32: [2, 3, 257, 1024, 65537, (1 << 30) - 35],
    64: [2, 257, 1000, 65537, (1 << 30) - 35, (1 << 59) - 55],
}


@st.composite
def setups(draw: st.DrawFn) -> tuple[Any, ...]:
    word = draw(st.sampled_from([32, 64]))
    degree = 1 << draw(st.sampled_from([4, 5, 5, 6, 6, 7, 10]))
    slots = draw(st.booleans())
    t = slot_prime(degree, draw(st.integers(14, 29))) if slots else draw(st.sampled_from(COMMON_MODULI[word]))
    primes = draw(st.integers(2, 8 if word == 32 else 4))
    special = draw(st.integers(0, 3))
    least = 1 if special == 0 else -(-primes // special)
    digits = 0 if special == 0 else draw(st.integers(least, primes))
    bits = draw(st.sampled_from([26, 29, 30] if word == 32 else [31, 40, 50, 61]))
    assume(43 * t < 1 << primes * (bits - 1))  # or parameters refuse: nothing could be decrypted
    return word, degree, t, primes, special, digits, bits, slots


def rotated_slots(degree: int, t: int) -> int:
    """k, where rotations are automorphisms with exponents modulo 2k: the slots that t has by accident, or n."""
    slots: int = _core.negacyclic_ring(degree).slots(t)
    return slots if slots > 1 else degree


@functools.lru_cache(maxsize=64)
def party_of(word: int, degree: int, t: int, primes: int, special: int, digits: int, bits: int) -> Party:
    group = galois_group(rotated_slots(degree, t))
    steps = [group.row_rotation(s) for s in (3, -1, degree // 4)]
    literal = small_literal(word, degree, t, primes, special, digits, bits)
    return Party(literal, number=degree, galois=[*rlwe.slot_sum_elements(group), *steps])


class Program:
    """Pairs of a ciphertext array and the values it should hold; each step appends one more."""

    def __init__(self, party: Party, slots: bool, rng: np.random.Generator) -> None:
        self.party, self.slots, self.rng, self.t = party, slots, rng, party.t()
        self.arrays: list[tuple[Any, Integers]] = []
        for batch, symmetric in [(3, False), (1, True), (3, True)]:
            values = random_below(rng, self.t, (batch, party.n))
            number = int(rng.integers(1 << 60))
            self.arrays.append((party.encrypt(values, number, slots, symmetric=symmetric), values))

    def pick(self) -> tuple[Any, Integers]:
        return self.arrays[int(self.rng.integers(len(self.arrays)))]

    def pick_two_parts(self) -> tuple[Any, Integers]:
        candidates = [a for a in self.arrays if a[0].parts == 2]
        return candidates[int(self.rng.integers(len(candidates)))]

    def pick_fitting(self, batch: int, two_parts: bool = False) -> tuple[Any, Integers]:
        fits = [a for a in self.arrays if a[0].batch in (1, batch) or batch == 1]
        fits = [a for a in fits if not two_parts or a[0].parts == 2]
        return fits[int(self.rng.integers(len(fits)))]

    def method(self) -> Any:
        names = ["behz", "hps_over_q", "hps_over_q_leveled"]
        return getattr(bfv.ProductMethod, names[int(self.rng.integers(3))])

    def row(self, batch: int) -> tuple[Any, Integers]:
        """A plaintext array that fits a batch, and its values."""
        rows = 1 if self.rng.integers(2) else batch
        values = random_below(self.rng, self.t, (rows, self.party.n))
        return self.party.plaintext(values, self.slots), values

    def step(self, name: str) -> None:
        ciphertext, values = STEPS[name](self)
        self.arrays.append((ciphertext, values % self.t))

    def check(self, ciphertext: Any, values: Integers) -> None:
        secret = self.party.secret
        assert ciphertext.batch == len(values)
        if ciphertext.noise_headroom < 0:
            with pytest.raises(NoiseError):
                _core.decrypt(ciphertext, secret)
            return
        gaps(self.party, ciphertext)
        assert np.array_equal(self.party.decrypt(ciphertext, self.slots), values)


def _binary(operation: Callable[..., Any], combine: Callable[[Any, Any], Any]) -> Callable[[Program], tuple[Any, Any]]:
    def step(p: Program) -> tuple[Any, Any]:
        (a, x), (b, y) = (first := p.pick()), p.pick_fitting(first[0].batch)
        return operation(a, b), combine(x, y)

    return step


def _plain(operation: Callable[..., Any], combine: Callable[[Any, Any], Any]) -> Callable[[Program], tuple[Any, Any]]:
    def step(p: Program) -> tuple[Any, Any]:
        a, x = p.pick()
        m, y = p.row(a.batch)
        return operation(a, m), combine(x, y)

    return step


def _negate(p: Program) -> tuple[Any, Any]:
    a, x = p.pick()
    return rlwe.negate(a), -x


def _multiply(p: Program) -> tuple[Any, Any]:
    a, x = p.pick_two_parts()
    b, y = p.pick_fitting(a.batch, two_parts=True)
    return bfv.multiply(a, b, p.method()), product_of_values(x, y, p.slots, p.t)


def _square(p: Program) -> tuple[Any, Any]:
    a, x = p.pick_two_parts()
    return bfv.square(a, p.method()), product_of_values(x, x, p.slots, p.t)


def _relinearize(p: Program) -> tuple[Any, Any]:
    three = [a for a in p.arrays if a[0].parts == 3] or p.arrays
    a, x = three[int(p.rng.integers(len(three)))]
    result = _core.relinearize(a, p.party.evaluation)
    assert result.parts == 2
    return result, x


def _multiply_relinearized(p: Program) -> tuple[Any, Any]:
    a, x = p.pick_two_parts()
    b, y = p.pick_fitting(a.batch, two_parts=True)
    method, keys = p.method(), p.party.evaluation
    result = bfv.multiply_relinearized(a, b, keys, method)
    assert np.array_equal(
        rlwe.coefficients(result), rlwe.coefficients(_core.relinearize(bfv.multiply(a, b, method), keys))
    )
    return result, product_of_values(x, y, p.slots, p.t)


def _square_relinearized(p: Program) -> tuple[Any, Any]:
    a, x = p.pick_two_parts()
    method, keys = p.method(), p.party.evaluation
    result = bfv.square_relinearized(a, keys, method)
    assert np.array_equal(rlwe.coefficients(result), rlwe.coefficients(_core.relinearize(bfv.square(a, method), keys)))
    return result, product_of_values(x, x, p.slots, p.t)


def _multiply_plain(p: Program) -> tuple[Any, Any]:
    a, x = p.pick()
    m, y = p.row(a.batch)
    return _core.multiply_plain(a, m), product_of_values(x, y, p.slots, p.t)


def _multiply_scalar(p: Program) -> tuple[Any, Any]:
    a, x = p.pick()
    factor = int(p.rng.choice([0, 1, -1, 2, -3, 100, -(1 << 20), int(p.rng.integers(-(1 << 63), (1 << 63) - 1))]))
    return rlwe.multiply_scalar(a, factor), x * factor


def _linear_combination(p: Program) -> tuple[Any, Any]:
    a, x = p.pick()
    rows = int(p.rng.integers(1, 4))
    matrix = p.rng.integers(-50, 50, (rows, a.batch))
    return rlwe.linear_combination(a, matrix.reshape(-1).tolist(), rows), matrix.astype(object) @ x


def _rotate(p: Program) -> tuple[Any, Any]:
    a, x = p.pick_two_parts()
    n, k = p.party.n, rotated_slots(p.party.n, p.t)
    steps = int(p.rng.choice([0, 1, 2, 3, -1, n // 4, n // 2, 1 - n // 2]))
    element = pow(3, steps % max(k // 2, 1), 2 * k)
    return rlwe.rotate_rows(a, steps, p.party.evaluation), permuted(x, element, p.slots, p.t)


def _swap(p: Program) -> tuple[Any, Any]:
    a, x = p.pick_two_parts()
    group = galois_group(rotated_slots(p.party.n, p.t))
    swap = group.column_rotation()
    if p.rng.integers(2):
        hoisted = rlwe.apply_galois_hoisted(a, [group.row_rotation(1), swap], p.party.evaluation)
        return hoisted[1], permuted(x, swap, p.slots, p.t)
    return rlwe.rotate_columns(a, p.party.evaluation), permuted(x, swap, p.slots, p.t)


def _sum_slots(p: Program) -> tuple[Any, Any]:
    a, x = p.pick_two_parts()
    if p.slots:
        return rlwe.sum_slots(a, p.party.evaluation), np.broadcast_to(x.sum(axis=1, keepdims=True), x.shape)
    total = x  # of fewer slots than coefficients, what the exponents are modulo 2k matters to polynomials
    for element in rlwe.slot_sum_elements(galois_group(rotated_slots(p.party.n, p.t))):
        total = total + permuted(total, element, False, p.t)
    return rlwe.sum_slots(a, p.party.evaluation), total


def _take(p: Program) -> tuple[Any, Any]:
    a, x = p.pick()
    indices = p.rng.integers(0, a.batch, int(p.rng.choice([1, 3]))).tolist()
    return _core.take(a, indices), x[indices]


def _concatenate(p: Program) -> tuple[Any, Any]:
    chosen = [p.pick() for _ in range(int(p.rng.integers(1, 4)))]
    joined = testing.scheme.concatenate([a for a, _ in chosen])
    keep = [0, joined.batch // 2, joined.batch - 1]  # back to three items, so that arrays go on fitting each other
    return _core.take(joined, keep), np.concatenate([x for _, x in chosen])[keep]


def _sum_groups(p: Program) -> tuple[Any, Any]:
    (a, x), (b, y) = p.pick(), p.pick()
    joined, values = testing.scheme.concatenate([a, b, a]), np.concatenate([x, y, x])
    group = int(p.rng.choice([g for g in range(1, joined.batch + 1) if joined.batch % g == 0]))
    summed = values.reshape(-1, group, values.shape[1]).sum(axis=1)
    result = rlwe.sum_groups(joined, group)
    return _core.take(result, [0] * 3), summed[[0] * 3]


def _rerandomize(p: Program) -> tuple[Any, Any]:
    a, x = p.pick()
    fresh = deterministic.rerandomize(a, p.party.public, testing.Seed(p.rng.bytes(32)))
    assert not np.array_equal(rlwe.coefficients(fresh), rlwe.coefficients(a))
    return fresh, x


STEPS: dict[str, Callable[[Program], tuple[Any, Any]]] = {
    "add": _binary(_core.add, lambda x, y: x + y),
    "subtract": _binary(testing.scheme.subtract, lambda x, y: x - y),
    "negate": _negate,
    "add_plain": _plain(testing.scheme.add_plain, lambda x, y: x + y),
    "subtract_plain": _plain(testing.scheme.subtract_plain, lambda x, y: x - y),
    "multiply": _multiply,
    "square": _square,
    "relinearize": _relinearize,
    "multiply_relinearized": _multiply_relinearized,
    "square_relinearized": _square_relinearized,
    "multiply_plain": _multiply_plain,
    "multiply_scalar": _multiply_scalar,
    "linear_combination": _linear_combination,
    "rotate_rows": _rotate,
    "rotate_columns": _swap,
    "sum_slots": _sum_slots,
    "take": _take,
    "concatenate": _concatenate,
    "sum_groups": _sum_groups,
    "rerandomize": _rerandomize,
}


@pytest.mark.slow
@settings(max_examples=600)
@given(
    setup=setups(), names=st.lists(st.sampled_from(sorted(STEPS)), min_size=1, max_size=8), number=st.integers(0, 2**32)
)
def test_random_programs_compute_what_they_say(setup: tuple[Any, ...], names: list[str], number: int) -> None:
    *parameters, slots = setup
    party = party_of(*parameters)
    note(party.parameters.summary())
    if party.n > 128 and not slots:
        names = [name for name in names if name != "sum_slots"]  # its oracle is quadratic in n
    program = Program(party, slots, np.random.default_rng(number))
    for pair in program.arrays:
        program.check(*pair)
    for name in names:
        program.step(name)
        note(f"{name}: headroom {program.arrays[-1][0].noise_headroom:.1f} bits")
        program.check(*program.arrays[-1])


@settings(max_examples=600)
@given(setups(), st.sampled_from(sorted(STEPS)), st.integers(0, 2**32))
def test_every_operation_alone_keeps_room_and_is_exact(setup: tuple[Any, ...], name: str, number: int) -> None:
    """With moduli that certainly leave room, so that no check is skipped for lack of it."""
    word, degree, t, _, special, _, _, slots = setup
    degree = min(degree, 64)
    t = slot_prime(degree, 17) if slots else t
    party = party_of(word, degree, t, 8 if word == 32 else 5, special, 0, 30 if word == 32 else 61)
    program = Program(party, slots, np.random.default_rng(number))
    program.step(name)
    ciphertext, values = program.arrays[-1]
    if special > 0 and t < 1 << 29 and name != "multiply_scalar":
        assert ciphertext.noise_headroom > 0
    program.check(ciphertext, values)
