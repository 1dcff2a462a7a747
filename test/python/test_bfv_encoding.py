# SPDX-License-Identifier: Apache-2.0
"""Plaintexts from numbers and back: exact within [-t/2, t/2], refused beyond, reduced only when asked to."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import cyclotome_testing as core
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.integers import centred, integers, random_below
from parties import Party, slot_prime, small_literal

CASES = [(32, 2, False), (32, 1024, False), (32, (1 << 30) - 35, False), (64, 257, False), (64, (1 << 59) - 55, False)]
CASES += [(32, slot_prime(64, 14), True), (64, slot_prime(64, 59), True), (64, slot_prime(64, 20), True)]
EVERY_CASE = pytest.mark.parametrize(("word", "t", "slots"), CASES)


def context_of(word: int, t: int) -> Any:
    return core.Context(core.Parameters(small_literal(word, 64, t, 3, 1)), core.CpuEngine(1))


@EVERY_CASE
def test_encoding_and_decoding_are_inverse(rng: np.random.Generator, word: int, t: int, slots: bool) -> None:
    context = context_of(word, t)
    values = centred(random_below(rng, t, (3, 64)), t).astype(np.int64)
    values[0, :4] = [-(t // 2), (t - 1) // 2, 0, -1 if t > 2 else 0]
    plaintext = core.encode(context, 0, values, slots)
    assert plaintext.batch == 3 and plaintext.plain == 0
    assert np.array_equal(core.decode(plaintext, slots), values)
    if not slots:
        assert np.array_equal(integers(plaintext.residues)[:, 0, 0], values.astype(object) % t)


@EVERY_CASE
def test_shorter_rows_are_padded_with_zeros(rng: np.random.Generator, word: int, t: int, slots: bool) -> None:
    context = context_of(word, t)
    values = centred(random_below(rng, t, (2, 5)), t).astype(np.int64)
    decoded = core.decode(core.encode(context, 0, values, slots), slots)
    assert np.array_equal(decoded[:, :5], values) and not decoded[:, 5:].any()
    assert not core.decode(core.encode(context, 0, values[:, :0], slots), slots).any()


@EVERY_CASE
def test_values_beyond_the_modulus_are_refused_by_name_and_place(word: int, t: int, slots: bool) -> None:
    context, half = context_of(word, t), t // 2
    for wrong in (half + 1, -half - 1, t, (1 << 63) - 1, -(1 << 63)):
        values = np.zeros((2, 7), dtype=np.int64)
        values[1, 4] = wrong
        with pytest.raises(core.RangeError, match=rf"value {wrong} at row 1, column 4 .*\[-{half}, {half}\].*{t}"):
            core.encode(context, 0, values, slots)
        reduced = core.decode(core.encode(context, 0, values, slots, reduce=True), slots)
        assert reduced[1, 4] == centred(wrong, t) and np.count_nonzero(reduced) <= 1


def test_the_two_ends_of_an_even_modulus_are_one_residue() -> None:
    for t in (2, 1024):
        context = context_of(64, t)
        decoded = core.decode(core.encode(context, 0, np.array([[t // 2, -(t // 2)]]), False), False)
        assert decoded[0, :2].tolist() == [-(t // 2), -(t // 2)]


def test_shapes_that_do_not_fit_are_refused() -> None:
    context = context_of(64, 257)
    for shape in ((1, 65), (0, 3), (0, 0)):
        with pytest.raises(core.ArgumentError, match=r"rows of .*at most n = 64"):
            core.encode(context, 0, np.zeros(shape, dtype=np.int64), False)


@pytest.mark.parametrize("t", [2, 1024, 65539, 257 * 641])
def test_moduli_without_slots_say_so(t: int) -> None:
    context = context_of(64, t)
    assert not context.has_slots(0)
    with pytest.raises(core.ParameterError, match=rf"{t} has no slots at degree 64.*congruent to 1 modulo 128"):
        core.encode(context, 0, np.zeros((1, 1), dtype=np.int64), True)
    plaintext = core.encode(context, 0, np.zeros((1, 1), dtype=np.int64), False)
    with pytest.raises(core.ParameterError, match="coefficient encoding"):
        core.decode(plaintext, True)


@given(data=st.data(), case=st.sampled_from(CASES))
def test_reduction_is_modulo_t_for_any_integer(data: st.DataObject, case: tuple[int, int, bool]) -> None:
    word, t, slots = case
    values = data.draw(st.lists(st.integers(-(1 << 63), (1 << 63) - 1), min_size=1, max_size=64))
    decoded = core.decode(
        core.encode(context_of(word, t), 0, np.array([values], dtype=np.int64), slots, reduce=True), slots
    )
    assert decoded[0, : len(values)].tolist() == [centred(v, t) for v in values]


def test_one_plaintext_may_serve_several_threads_at_once(rng: np.random.Generator) -> None:
    """Its norms are found on first use, which several host threads may come to together."""
    party = Party(small_literal(64, 1024, slot_prime(1024, 20), 2, 1), engine=core.CpuEngine(1))
    x = party.encrypt(random_below(rng, party.t(), (1, 1024)), 1, slots=True)
    values = random_below(rng, party.t(), (4, 1024))
    expected = core.multiply_plain(x, party.plaintext(values, slots=True))
    with ThreadPoolExecutor(8) as pool:
        for _ in range(20):
            shared, start = party.plaintext(values, slots=True), Barrier(8)

            def product(_: int, shared: Any = shared, start: Barrier = start) -> Any:
                start.wait()
                return core.multiply_plain(x, shared)

            for result in pool.map(product, range(8)):
                assert np.array_equal(result.residues, expected.residues)
                assert result.noise == expected.noise
            assert shared.norms == party.plaintext(values, slots=True).norms


def test_wide_values_come_back_from_several_moduli(rng: np.random.Generator) -> None:
    """x modulo each t_i, added and multiplied there, is the Chinese remainder of the wide result."""
    moduli = [slot_prime(64, 20), 65537, slot_prime(64, 19)]
    party = Party(small_literal(64, 64, moduli, 3, 1))
    x = random_below(rng, 1 << 26, (1, 64))
    total, product = 0, 1
    for plain, t in enumerate(moduli):
        rows = x.astype(np.int64)
        encoded = core.encode(party.context, plain, rows, True, reduce=True)
        ciphertext = core.encrypt(encoded, party.public, core.Seed(rng.bytes(32)))
        square = core.relinearize(core.square(ciphertext), party.evaluation)
        residues = party.decrypt(square, slots=True)
        total = total + (residues - total) * pow(product, -1, t) % t * product
        product *= t
    assert product > 1 << 52 and np.array_equal(total, x * x)
