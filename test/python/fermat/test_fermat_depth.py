# SPDX-License-Identifier: Apache-2.0
"""Depth against prediction for q of 128 to 16384 bits, primes that give slots, and memory that is not there."""

from __future__ import annotations

import math

import numpy as np
import pytest
from cyclotome import errors
from cyclotome_study import fermat

INSECURE = {"security": 0, "allow_insecure": True}


def squarings(params: fermat.Parameters, most: int) -> tuple[int, list[float]]:
    """How many squarings in a row come out right without a look at any bound, at most so many; headrooms on the way."""
    keys, t = fermat.keygen(params), params.plain_modulus
    value = np.arange(2, 2 + params.degree, dtype=np.int64) % t
    x = fermat.encrypt(value, keys.public, wrap=True, encoding="slots")
    headrooms = [x.headroom]
    for done in range(most):
        native = x.native.multiply(x.native, keys.evaluation.native)
        x, value = fermat.FermatArray(params, native, x.layout, None, keys.evaluation), value * value % t
        headrooms.append(x.headroom)
        if not np.array_equal(keys.secret.native.decrypt_unchecked(native, True).view(np.int64)[0] % t, value):
            return done, headrooms
    return most, headrooms


@pytest.mark.parametrize("x", [7, 8, 9, 10])
@pytest.mark.parametrize("splits", [None, 0])
def test_depth_is_what_was_predicted(x: int, splits: int | None) -> None:
    """Every squaring that the bound allows comes out right; the first ones that don't are not far beyond it."""
    params = fermat.Parameters(16, x, 163841, splits=splits, digit_bits=59 if splits == 0 else 30, **INSECURE)  # type: ignore[arg-type]
    depth = params.depth
    measured, _ = squarings(params, 2 * depth + 4)
    assert 0 < depth <= measured <= 1.5 * depth + 2


@pytest.mark.parametrize("x", [11, 12, 13, 14])
def test_depth_of_long_moduli(x: int) -> None:
    """Each squaring takes as many bits as log2(q/t) over the predicted depth, to 16384 bits; some are computed."""
    params = fermat.Parameters(16, x, 163841, digit_bits=59, **INSECURE)  # type: ignore[arg-type]
    measured, headrooms = squarings(params, 6)
    assert measured == 6
    losses = -np.diff(headrooms)
    # The first squaring meets the noise of relinearisation, the others cost log2 of 2 n t r, r a rounding's norm.
    assert np.ptp(losses[1:]) < 0.5
    predicted = 1 + math.floor((headrooms[1]) / losses[1])
    assert abs(params.depth - predicted) <= 1 + predicted // 50
    assert 15 + 17 < losses[1] + 10 < 60


@pytest.mark.parametrize("t", [163841, 557057, 786433])
def test_primes_that_divide_no_such_q_give_slots(t: int, rng: np.random.Generator) -> None:
    params = fermat.Parameters(64, 8, t, **INSECURE)  # type: ignore[arg-type]
    keys = fermat.keygen(params)
    values = rng.integers(-200, 201, size=64)
    x = fermat.encrypt(values, keys.public, bound=200)
    assert params.has_slots and np.array_equal(fermat.decrypt(x * x, keys.secret), values * values)


@pytest.mark.parametrize(("t", "x"), [(65537, 7), (114689, 13)])
def test_primes_that_divide_q_are_refused(t: int, x: int) -> None:
    with pytest.raises(
        errors.ParameterError, match=rf"plaintext modulus {t} shares the factor {t}.*786433 are coprime"
    ):
        fermat.Parameters(64, x, t, **INSECURE)  # type: ignore[arg-type]


def test_wide_limbs_beyond_memory_are_refused() -> None:
    """A relinearisation key of terabytes is refused before anything is made."""
    with pytest.raises(errors.MemoryLimitError, match=r"relinearisation key on wide limbs .*"):
        fermat.Parameters(131072, 15, 786433, **INSECURE)  # type: ignore[arg-type]
