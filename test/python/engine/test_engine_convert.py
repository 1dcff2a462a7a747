# SPDX-License-Identifier: Apache-2.0
"""Base conversions against the integers that the residues stand for (specification 5.1)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from cyclotome import _core
from cyclotome._core import testing
from cyclotome.errors import ParameterError
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.integers import Integers, centred, compose, decompose, integers, magnitude, random_below, some_primes
from residues import everywhere, put, ring_of

ENGINE = _core.CpuEngine(2)
FAST, CENTRED = testing.Lift.fast, testing.Lift.centred
WORD = pytest.mark.parametrize("word", [32, 64])
TOP_BITS = {32: 31, 64: 61}
# Where a centred lift may return the neighbour: |x/q - 1/2| < k 2^-SLACK_BITS.
SLACK_BITS = {32: 32, 64: 54}


def moduli_of(word: int, count: int, skip: int = 0, bits: int | None = None) -> list[int]:
    """The largest primes below 2^31 or 2^61: conversions need no transform."""
    return some_primes(bits or TOP_BITS[word], 1, count, skip)


def convert(
    word: int, source: list[int], target: list[int], lift: Any, x: Integers, f: Any = None, g: Any = None
) -> Integers:
    """The residues of the converted polynomial, [target limb][coefficient]; x as integers in [0, q)."""
    degree = 1 << max(1, (len(x) - 1).bit_length())
    padded = np.concatenate([x, np.zeros(degree - len(x), dtype=object)])
    ring, wanted = ring_of(word, degree, source), ring_of(word, degree, target)
    step = testing.BaseConversion(ring.basis, wanted.basis, lift, f or [], g or [])
    result = everywhere("convert", wanted, (1, 1), put(ENGINE, ring, decompose(padded, source)), step)
    return integers(result[0, 0])[:, : len(x)]


def lifted(word: int, source: list[int], lift: Any, x: Integers, skip: int = 300) -> Integers:
    """The signed integers that the converted residues stand for, read off a target basis wide enough for them."""
    target = moduli_of(word, len(source) + 2, skip)
    return centred(compose(convert(word, source, target, lift, x), target), math.prod(target))


@WORD
@pytest.mark.parametrize("limbs", [1, 2, 3, 6, 12, 40])
def test_5_11_1_the_fast_lift_is_x_plus_alpha_q_with_alpha_below_k(
    rng: np.random.Generator, word: int, limbs: int
) -> None:
    source = moduli_of(word, limbs)
    q = math.prod(source)
    x = random_below(rng, q, 256)
    x[:3] = [0, 1, q - 1]
    excess = lifted(word, source, FAST, x) - x
    assert not (excess % q).any()
    alpha = excess // q
    assert alpha.min() >= 0 and alpha.max() <= limbs - 1
    assert limbs == 1 or alpha.max() > 0  # the overflow is real: this conversion is not exact


@WORD
@pytest.mark.parametrize("limbs", [1, 2, 3, 12, 128])
def test_the_centred_lift_is_exact(rng: np.random.Generator, word: int, limbs: int) -> None:
    source = moduli_of(word, limbs)
    q = math.prod(source)
    x = random_below(rng, q, 256)
    x[:3] = [0, 1, q - 1]
    assert np.array_equal(lifted(word, source, CENTRED, x), centred(x, q))


@WORD
@pytest.mark.parametrize("limbs", [1, 2, 6, 128])
def test_the_centred_lift_next_to_half_of_q(rng: np.random.Generator, word: int, limbs: int) -> None:
    """Exact outside the stated distance from q/2; inside it off by at most one q, and still within the stated bound."""
    source = moduli_of(word, limbs)
    q = math.prod(source)
    unsure = (q * limbs >> SLACK_BITS[word]) + 1
    offsets = [d for base in (0, unsure) for d in range(base, base + 8)]
    offsets += [int(v) % (2 * unsure) for v in random_below(rng, 2 * unsure, 16)] + [q >> s for s in range(2, 20)]
    x = np.array([q // 2 + sign * d for d in offsets for sign in (1, -1)], dtype=object) % q
    result = lifted(word, source, CENTRED, x)
    assert not ((result - x) % q).any()
    assert 2 * magnitude(result) <= q + 2 * unsure
    certain = np.array([abs(int(v) - q // 2) > unsure or limbs == 1 for v in x])
    assert certain.any() and np.array_equal(result[certain], centred(x, q)[certain])


@WORD
def test_a_tie_of_a_single_even_modulus_goes_down(word: int) -> None:
    for q in (2, 16, 1 << 16, 1 << (TOP_BITS[word] - 1), 10):
        x = np.array([0, 1, q // 2 - 1, q // 2, q // 2 + 1, q - 1], dtype=object) % q
        assert np.array_equal(lifted(word, [q], CENTRED, x), centred(x, q))
        assert lifted(word, [q], CENTRED, x)[3] == -(q // 2)


@WORD
@pytest.mark.parametrize("lift", [FAST, CENTRED], ids=["fast", "centred"])
def test_powers_of_two_may_be_source_and_target(rng: np.random.Generator, word: int, lift: Any) -> None:
    source = [1 << (TOP_BITS[word] - 1), *moduli_of(word, 3), 15]
    q = math.prod(source)
    x = random_below(rng, q, 64)
    result = lifted(word, source, lift, x)
    assert not ((result - x) % q).any()
    assert result.max() < 5 * q and (lift == FAST or np.array_equal(result, centred(x, q)))
    power = 1 << 16
    odd = moduli_of(word, 3)
    x = random_below(rng, math.prod(odd), 64)
    assert np.array_equal(convert(word, odd, [power], lift, x)[0], lifted(word, odd, lift, x) % power)


@WORD
@settings(max_examples=30)
@given(data=st.data())
def test_factors_of_sources_and_targets(word: int, data: st.DataObject) -> None:
    """out_j = g_j lift(f x), f by source limb, g by target limb, each any 64-bit value."""
    k = data.draw(st.integers(1, 5))
    lift = data.draw(st.sampled_from([FAST, CENTRED]))
    source, target = moduli_of(word, k, bits=data.draw(st.integers(20, 30))), moduli_of(word, 4, skip=200)
    factor = st.one_of(st.sampled_from([0, 1, (1 << 64) - 1]), st.integers(0, (1 << 64) - 1))
    f, g = (data.draw(st.lists(factor, min_size=size, max_size=size)) for size in (k, 4))
    q = math.prod(source)
    x = np.array(data.draw(st.lists(st.integers(0, q - 1), min_size=8, max_size=8)), dtype=object)
    scaled = compose(decompose(x, source).astype(object) * integers(f)[:, None], source)
    near_half = [abs(2 * int(v) - q) <= (2 * k * q >> SLACK_BITS[word]) + 2 for v in scaled]
    expected = lifted(word, source, lift, scaled)
    if lift == CENTRED and k > 1:
        expected = np.array(
            [int(e) if h else int(centred(v, q)) for e, v, h in zip(expected, scaled, near_half, strict=True)]
        )
    result = convert(word, source, target, lift, x, f, g)
    for limb, b in enumerate(target):
        assert result[limb].tolist() == [g[limb] * int(e) % b for e in expected]


@WORD
@pytest.mark.parametrize("lift", [FAST, CENTRED], ids=["fast", "centred"])
def test_a_target_modulus_of_the_source_is_copied(rng: np.random.Generator, word: int, lift: Any) -> None:
    source = moduli_of(word, 4)
    target = [*moduli_of(word, 2, skip=50), source[2], source[0], 1 << 10]
    ring, wanted = ring_of(word, 8, source), ring_of(word, 8, target)
    assert testing.BaseConversion(ring.basis, wanted.basis, lift).copies == [-1, -1, 2, 0, -1]
    x = random_below(rng, math.prod(source), 8)
    f, g = [3, 5, 7, 11], [2, 3, 5, 7, 9]
    assert np.array_equal(convert(word, source, target, lift, x)[2:4], np.stack([x % source[2], x % source[0]]))
    result = convert(word, source, target, lift, x, f, g)
    assert np.array_equal(result[2:4], np.stack([7 * 5 * x % source[2], 3 * 7 * x % source[0]]))


@WORD
@pytest.mark.parametrize("lift", [FAST, CENTRED], ids=["fast", "centred"])
@pytest.mark.parametrize("limbs", [2, 3, 4, 5, 61, 62, 63, 64, 65, 128])
def test_lazy_sums_of_the_widest_primes_do_not_overflow(word: int, lift: Any, limbs: int) -> None:
    """All y_i at q_i - 1, which is x = -sum of q/q_i; as many products are summed as the double word holds."""
    source, target = moduli_of(word, limbs), moduli_of(word, 6, skip=130)
    q = math.prod(source)
    total = sum(q // s for s in source)
    x = np.array([-total % q, (total * 2) % q, 0], dtype=object)
    result = convert(word, source, target, lift, x)
    fast = np.array([limbs * q - total, total * 2, 0], dtype=object)
    expected = fast if lift == FAST else centred(fast, q)
    assert np.array_equal(result, np.stack([expected % b for b in target]))
    basis, wanted = testing.Basis(word, source), testing.Basis(word, target)
    lazy = testing.BaseConversion(basis, wanted, lift).lazy_terms
    product = (max(source) - 1) * (max(target) - 1)
    assert lazy * product < 1 << (2 * word) and (lazy + 1) * product >= 1 << (2 * word)


@WORD
def test_every_item_part_and_tile_is_converted(rng: np.random.Generator, word: int) -> None:
    source, target = moduli_of(word, 3), moduli_of(word, 2, skip=100)
    ring, wanted = ring_of(word, 2048, source), ring_of(word, 2048, target)
    x = random_below(rng, math.prod(source), (2, 2, 2048))
    array = put(ENGINE, ring, decompose(x, source))
    step = testing.BaseConversion(ring.basis, wanted.basis, CENTRED)
    expected = decompose(centred(x, math.prod(source)), target)
    assert np.array_equal(everywhere("convert", wanted, (2, 2), array, step), expected)
    assert np.array_equal(
        everywhere("convert", wanted, (2, 2), array.view().items(1).part(0), step)[0, 1], expected[1, 0]
    )


def test_conversions_that_cannot_be_are_refused() -> None:
    one, many = testing.Basis(32, [97]), testing.Basis(32, moduli_of(32, 129))
    with pytest.raises(ParameterError, match="words of one size"):
        testing.BaseConversion(one, testing.Basis(64, [5]), FAST)
    with pytest.raises(ParameterError, match="1 to 128 source limbs, not 129"):
        testing.BaseConversion(many, one, FAST)
    with pytest.raises(ParameterError, match="1 to 128 source limbs, not 0"):
        testing.BaseConversion(testing.Basis(32, []), one, FAST)
    for f, g in (([1, 2], []), ([], [1, 2])):
        with pytest.raises(ParameterError, match="factors"):
            testing.BaseConversion(one, testing.Basis(32, [5]), FAST, f, g)
