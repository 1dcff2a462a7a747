# SPDX-License-Identifier: Apache-2.0
"""No number is ever more wrong than its array says: random programs, with messages that are chosen to hurt.

CYCLOTOME_TEST_PROGRAMS sets how many (100 unless told otherwise; thousands by hand). CYCLOTOME_TEST_SEED repeats a run.
The error is measured as the owner can: decrypted numbers against those of complex arithmetic in longer precision.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import cyclotome as cy
import numpy as np
import pytest
from cyclotome import errors
from real_party import DEGREE, Numbers, encrypted, keys

COUNT = int(os.environ.get("CYCLOTOME_TEST_PROGRAMS") or 100)
SLOTS = DEGREE // 2
STEPS = 8

Step = tuple[cy.RealArray, Any]


def messages(rng: np.random.Generator) -> list[Callable[[], Any]]:
    """All of magnitude 1 at most: random ones, and those whose encodings are as large as can be at a root or in a
    coefficient, alike in every slot, or of a shape that errors have."""
    size = SLOTS
    turn = np.exp(2j * np.pi * rng.uniform())
    steps = np.arange(size)
    return [
        lambda: rng.uniform(-1, 1, size),
        lambda: (rng.uniform(-1, 1, size) + 1j * rng.uniform(-1, 1, size)) / np.sqrt(2),
        lambda: np.full(size, turn),
        lambda: np.ones(size),
        lambda: rng.choice([-1.0, 1.0], size),
        lambda: np.exp(2j * np.pi * rng.uniform(size=size)),
        lambda: np.where(steps == rng.integers(size), 1.0, 0.0),
        lambda: np.where(steps % 2 == 0, 1.0, -1.0),
        lambda: np.exp(2j * np.pi * steps * int(rng.integers(1, size)) / size),
        lambda: np.full(size, (2 * rng.integers(0, 2**20) + 1) * 2.0**-41),  # coefficients that are halves
    ]


def wide(values: Any) -> Any:
    """In the longest precision that NumPy has."""
    return np.asarray(values).astype(np.clongdouble)


def measured(x: cy.RealArray, wanted: Any, party: cy.Keys) -> tuple[float, float]:
    """The largest distance, and the root mean square."""
    found = np.abs(wide(cy.decrypt(x, party.secret)) - wanted)
    return float(found.max()), float(np.sqrt((found**2).mean()))


def fresh(rng: np.random.Generator, party: cy.Keys) -> Step:
    values = messages(rng)[rng.integers(10)]()
    key = party.secret if rng.integers(4) == 0 else party.public
    array: Any = cy.encrypt(values, key)
    return array.with_keys(party.public), wide(values)


def stepped(rng: np.random.Generator, pool: list[Step], party: cy.Keys) -> Step:
    """One operation on arrays of the pool."""
    (x, a), (y, b) = (pool[int(rng.integers(len(pool)))] for _ in range(2))
    kind = int(rng.integers(11))
    if kind == 0:
        return x + y, a + b
    if kind == 1:
        return x - y, a - b
    if kind in (2, 3):
        return x * y, a * b
    if kind == 4:
        return x * x.conj(), a * np.conj(a)
    if kind == 5:
        w = messages(rng)[rng.integers(10)]()
        return x * w, a * wide(w)
    if kind == 6:
        c = float(rng.choice([rng.uniform(-1, 1), 3, -1, 1 / 3, 2.0**-20]))
        return x * c, a * np.longdouble(c)
    if kind == 7:
        w = messages(rng)[rng.integers(10)]()
        return x + w, a + wide(w)
    if kind == 8:
        shift = int(rng.integers(1, SLOTS))
        return x.roll(shift), np.roll(a, shift)
    if kind == 9:
        return x.conj(), np.conj(a)
    level = int(rng.integers(0, x.level + 1))
    return x.switch_to_level(level), a


def test_random_programs_stay_within_their_errors(rng: np.random.Generator) -> None:
    party = keys()
    gaps: list[float] = []
    refused = 0
    for _ in range(COUNT):
        pool = [fresh(rng, party) for _ in range(2)]
        for _ in range(STEPS):
            try:
                x, wanted = stepped(rng, pool, party)
            except (errors.NoiseError, errors.RangeError):
                refused += 1
                continue
            largest, rms = measured(x, wanted, party)
            assert largest <= x.error.max, (repr(x), largest)
            assert rms <= x.error.rms, (repr(x), rms)
            assert np.abs(wanted).max() <= x.bound * (1 + 1e-12)
            gaps.append(np.log2(x.error.max / max(largest, 1e-300)))
            pool.append((x, wanted))
    assert len(gaps) > 3 * COUNT
    print(
        f"{len(gaps)} arrays, {refused} refused; bits of the bound above what was measured: least {min(gaps):.1f}, "
        f"median {np.median(gaps):.1f}, most {max(gaps):.1f}"
    )
    # Golden: bounds are worst cases, but no worse than they have to be.
    assert np.median(gaps) <= 6


@pytest.mark.parametrize("depth", [1, 4])
def test_messages_matched_to_errors(rng: np.random.Generator, depth: int) -> None:
    """Plain factors whose signs are those of the error itself, as whoever knows it would choose them, and sums of them:
    what a bound for independent operands would miss."""
    party = keys()
    values = messages(rng)[1]()
    x = encrypted(values, party)
    error = cy.decrypt(x, party.secret) - values
    matched = np.conj(error) / np.maximum(np.abs(error), 1e-300)
    y, wanted = x, wide(values)
    for _ in range(depth):
        y, wanted = y * matched, wanted * wide(matched)
    largest, rms = measured(y, wanted, party)
    assert largest <= y.error.max and rms <= y.error.rms
    total, whole = (x * matched / SLOTS).sum(), (wide(values) * wide(matched) / SLOTS).sum()
    assert abs(complex(cy.decrypt(total, party.secret)) - complex(whole)) <= total.error.max


def test_hill_climbing_does_not_reach_the_bound(rng: np.random.Generator) -> None:
    """A factor's slots are turned one by one as long as the error of the product grows."""
    party = keys()
    x = encrypted(messages(rng)[5](), party)
    factor = rng.choice([-1.0, 1.0], SLOTS)

    def error_of(w: Numbers) -> tuple[float, float]:
        y = (x * w) * x
        wanted = wide(cy.decrypt(x, party.secret)) ** 2 * wide(w)
        return measured(y, wanted, party)[0], y.error.max

    best, bound = error_of(factor)
    for _ in range(40):
        turned = factor.copy()
        turned[rng.integers(SLOTS, size=8)] *= -1
        found, bound = error_of(turned)
        if found > best:
            best, factor = found, turned
    assert best <= bound


def test_sums_of_many_copies(rng: np.random.Generator) -> None:
    party = keys()
    values = rng.uniform(-1, 1, SLOTS) / 1024
    many: Any = cy.encrypt(np.tile(values, (64, 1)), party.secret, bound=1 / 1024)
    total = many.with_keys(party.public).sum(0) * 16
    largest, rms = measured(total, wide(values) * 1024, party)
    assert largest <= total.error.max and rms <= total.error.rms


def test_strict_bounds_are_wider_and_hold(rng: np.random.Generator) -> None:
    own = cy.Parameters.from_scale_bits(
        degree=DEGREE, scale_bits=40, depth=2, security=0, allow_insecure=True, strict=True
    )
    party = cy.keygen(own, rotations=[])
    values = rng.uniform(-1, 1, SLOTS)
    x, usual = encrypted(values, party) ** 3, encrypted(values, keys()) ** 3
    assert measured(x, wide(values) ** 3, party)[0] <= x.error.max and x.error.max > usual.error.max
