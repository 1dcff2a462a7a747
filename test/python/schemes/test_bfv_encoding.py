# SPDX-License-Identifier: Apache-2.0
"""Plaintexts from numbers and back: exact within [-t/2, t/2], refused beyond, reduced only when asked to."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import numpy as np
import pytest
from cyclotome import _core
from cyclotome._core import testing
from cyclotome._core.testing import bfv, deterministic, rlwe
from cyclotome.errors import ArgumentError, ParameterError, RangeError
from hypothesis import given
from hypothesis import strategies as st
from oracles.integers import centred, integers, random_below
from parties import Party, slot_prime, small_literal

CASES = [(32, 2, False), (32, 1024, False), (32, (1 << 30) - 35, False), (64, 257, False), (64, (1 << 59) - 55, False)]
CASES += [(32, slot_prime(64, 14), True), (64, slot_prime(64, 59), True), (64, slot_prime(64, 20), True)]
EVERY_CASE = pytest.mark.parametrize(("word", "t", "slots"), CASES)


def context_of(word: int, t: int) -> Any:
    return _core.Context(small_literal(word, 64, t, 3, 1).made(), _core.CpuEngine(1))


@EVERY_CASE
def test_encoding_and_decoding_are_inverse(rng: np.random.Generator, word: int, t: int, slots: bool) -> None:
    context = context_of(word, t)
    values = centred(random_below(rng, t, (3, 64)), t).astype(np.int64)
    values[0, :4] = [-(t // 2), (t - 1) // 2, 0, -1 if t > 2 else 0]
    plaintext = _core.encode_residues(context, 0, slots, values)
    assert plaintext.batch == 3 and rlwe.plain_index(plaintext) == 0
    assert np.array_equal(_core.decode_residues(plaintext, slots), values)
    if not slots:
        assert np.array_equal(integers(rlwe.coefficients(plaintext))[:, 0, 0], values.astype(object) % t)


@EVERY_CASE
def test_shorter_rows_are_padded_with_zeros(rng: np.random.Generator, word: int, t: int, slots: bool) -> None:
    context = context_of(word, t)
    values = centred(random_below(rng, t, (2, 5)), t).astype(np.int64)
    decoded = _core.decode_residues(_core.encode_residues(context, 0, slots, values), slots)
    assert np.array_equal(decoded[:, :5], values) and not decoded[:, 5:].any()
    assert not _core.decode_residues(_core.encode_residues(context, 0, slots, values[:, :0]), slots).any()


@EVERY_CASE
def test_values_beyond_the_modulus_are_refused_by_name_and_place(word: int, t: int, slots: bool) -> None:
    context, half = context_of(word, t), t // 2
    for wrong in (half + 1, -half - 1, t, (1 << 63) - 1, -(1 << 63)):
        values = np.zeros((2, 7), dtype=np.int64)
        values[1, 4] = wrong
        with pytest.raises(RangeError, match=rf"value {wrong} at row 1, column 4 .*\[-{half}, {half}\].*{t}"):
            _core.encode_residues(context, 0, slots, values)
        reduced = _core.decode_residues(rlwe.encode_reduced(context, 0, slots, values), slots)
        assert reduced[1, 4] == centred(wrong, t) and np.count_nonzero(reduced) <= 1


def test_the_two_ends_of_an_even_modulus_are_one_residue() -> None:
    for t in (2, 1024):
        context = context_of(64, t)
        decoded = _core.decode_residues(
            _core.encode_residues(context, 0, False, np.array([[t // 2, -(t // 2)]])), False
        )
        assert decoded[0, :2].tolist() == [-(t // 2), -(t // 2)]


def test_shapes_that_do_not_fit_are_refused() -> None:
    context = context_of(64, 257)
    for shape in ((1, 65), (0, 3), (0, 0)):
        with pytest.raises(ArgumentError, match=r"rows of .*at most n = 64"):
            _core.encode_residues(context, 0, False, np.zeros(shape, dtype=np.int64))


@pytest.mark.parametrize("t", [2, 1024, 65539, 257 * 641])
def test_moduli_without_slots_say_so(t: int) -> None:
    context = context_of(64, t)
    assert not context.has_slots(0)
    with pytest.raises(ParameterError, match=rf"{t} has no slots at degree 64.*congruent to 1 modulo 128"):
        _core.encode_residues(context, 0, True, np.zeros((1, 1), dtype=np.int64))
    plaintext = _core.encode_residues(context, 0, False, np.zeros((1, 1), dtype=np.int64))
    with pytest.raises(ParameterError, match="coefficient encoding"):
        _core.decode_residues(plaintext, True)


@given(data=st.data(), case=st.sampled_from(CASES))
def test_reduction_is_modulo_t_for_any_integer(data: st.DataObject, case: tuple[int, int, bool]) -> None:
    word, t, slots = case
    values = data.draw(st.lists(st.integers(-(1 << 63), (1 << 63) - 1), min_size=1, max_size=64))
    decoded = _core.decode_residues(
        rlwe.encode_reduced(context_of(word, t), 0, slots, np.array([values], dtype=np.int64)), slots
    )
    assert decoded[0, : len(values)].tolist() == [centred(v, t) for v in values]


def test_one_plaintext_may_serve_several_threads_at_once(rng: np.random.Generator) -> None:
    """Its norms are found on first use, which several host threads may come to together."""
    party = Party(small_literal(64, 1024, slot_prime(1024, 20), 2, 1), engine=_core.CpuEngine(1))
    x = party.encrypt(random_below(rng, party.t(), (1, 1024)), 1, slots=True)
    values = random_below(rng, party.t(), (4, 1024))
    expected = _core.multiply_plain(x, party.plaintext(values, slots=True))
    with ThreadPoolExecutor(8) as pool:
        for _ in range(20):
            shared, start = party.plaintext(values, slots=True), Barrier(8)

            def product(_: int, shared: Any = shared, start: Barrier = start) -> Any:
                start.wait()
                return _core.multiply_plain(x, shared)

            for result in pool.map(product, range(8)):
                assert np.array_equal(rlwe.coefficients(result), rlwe.coefficients(expected))
                assert result.noise == expected.noise
            assert rlwe.norms(shared) == rlwe.norms(party.plaintext(values, slots=True))


def test_wide_values_come_back_from_several_moduli(rng: np.random.Generator) -> None:
    """x modulo each t_i, added and multiplied there, is the Chinese remainder of the wide result."""
    moduli = [slot_prime(64, 20), 65537, slot_prime(64, 19)]
    party = Party(small_literal(64, 64, moduli, 3, 1))
    x = random_below(rng, 1 << 26, (1, 64))
    total, product = 0, 1
    for plain, t in enumerate(moduli):
        rows = x.astype(np.int64)
        encoded = rlwe.encode_reduced(party.context, plain, True, rows)
        ciphertext = deterministic.encrypt(encoded, party.public, testing.Seed(rng.bytes(32)))
        square = _core.relinearize(bfv.square(ciphertext), party.evaluation)
        residues = party.decrypt(square, slots=True)
        total = total + (residues - total) * pow(product, -1, t) % t * product
        product *= t
    assert product > 1 << 52 and np.array_equal(total, x * x)
