# SPDX-License-Identifier: Apache-2.0
"""Programs made to break the noise bound: operands matched to each other, to rounding errors and to the secret itself.

Whatever is computed, the exact error is below the bound in all three norms, and with the headroom used up to less than
a bit decryption gives the right value; one bit more, and it refuses. CYCLOTOME_NOISE_DEGREE adds a larger degree to
the small ones of every run; `full` runs them at real sizes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from exact_noise import errors
from noise_machine import SMALL, Machine, Value, flattening, loudest_root, matched, patterns, peak, rudin_shapiro

LARGE = int(os.environ.get("CYCLOTOME_NOISE_DEGREE") or 0)
CASES = [*SMALL, *([(64, LARGE, 20, 5, 1, 0, 55, False)] if LARGE else [])]
FULL = [(64, n, 20, 5, 1, 0, 55, False) for n in (4096, 8192, 16384, 32768)] + [(32, 4096, 20, 9, 3, 0, 30, False)]
ALL = [*(pytest.param(case, id=str(case)) for case in CASES)] + [
    pytest.param(case, id=str(case), marks=pytest.mark.full) for case in FULL
]
EVERY_CASE = pytest.mark.parametrize("case", ALL)
BOTH = pytest.mark.parametrize("bgv", [False, True], ids=["bfv", "bgv"])


@pytest.fixture
def machine(request: pytest.FixtureRequest, rng: np.random.Generator, case: Any, bgv: bool) -> Iterator[Machine]:
    made = Machine.of(case, bgv, int(rng.integers(1 << 60)))
    yield made
    made.report(request.node.name)
    assert made.checks > 0


def error_of(value: Value) -> Any:
    """The exact error's coefficients: what an adversary would love to know."""
    rows, _ = errors(value.machine.party, value.ciphertext)
    return rows[0]


@EVERY_CASE
@pytest.mark.parametrize("bgv", [False], ids=["bfv"])
@pytest.mark.parametrize("symmetric", [True, False])
def test_plaintexts_matched_to_the_rounding_of_messages(machine: Machine, case: Any, symmetric: bool) -> None:
    """round(q m / t) - q m / t has coefficients of almost a half at will: signs as flat as can be, then a factor that
    lines up all its values; after 0 ... 500 sums with the same plaintext the rounding errors are all there is."""
    n, t = machine.n, machine.t
    inverse = pow(machine.party.q, -1, t)
    for signs in (rudin_shapiro(n), np.ones(n, dtype=np.int64), peak(n, 1, 1)):
        p = np.array([int(s) * ((t - 1) // 2) * inverse % t for s in signs], dtype=object)
        p = np.where(p > t // 2, p - t, p)
        delta = [-((machine.party.q % t * int(v) + t // 2) % t - t // 2) for v in p]
        assert min(abs(d) for d in delta) == (t - 1) // 2
        for count in (0, 1, 20, 500):
            x = machine.encrypt(p, symmetric)
            for _ in range(count if n <= 64 else min(count, 20)):
                x = x.plus(p)
            for factor in (flattening(delta, t // 2 - 1), matched(delta, t // 2 - 1)):
                x.by(factor).used_up()
                (x.by(factor) * x).checked()


@EVERY_CASE
@BOTH
def test_products_with_conjugates(machine: Machine, case: Any, bgv: bool) -> None:
    """x x', (x + x')^2, (x x')^2, with x' the conjugate: all values on roots of unity are real and of one sign."""
    rng = np.random.default_rng(machine.number)
    for message in patterns(machine.n, machine.t, rng).values():
        x = machine.encrypt(message)
        for how in machine.how():
            y = x.times(x.conjugate(), how).checked()
            both = x + x.conjugate()
            both.times(both, how).checked()
            y.times(y, how).checked()
            y.times(y.conjugate(), how).checked()
        y.used_up()


@EVERY_CASE
@pytest.mark.parametrize("bgv", [True], ids=["bgv"])
def test_products_with_conjugates_after_switches_to_every_level(machine: Machine, case: Any, bgv: bool) -> None:
    """There, phases are rounding errors: the square of one is its mean square at one root and everything at once."""
    rng = np.random.default_rng(machine.number)
    for message in list(patterns(machine.n, machine.t, rng).values())[: 4 if machine.n >= 1024 else None]:
        x = machine.encrypt(message)
        for level in range(1, machine.top + 1):
            low = x.at(level).checked()
            y = low.times(low.conjugate(), False).used_up()
            both = low + low.conjugate()
            both.times(both, False).checked()
            y = low.times(low.conjugate(), False)
            y.times(y, False).checked()
            for below in range(1, level):
                z = y.at(below).checked()
                z.times(z.conjugate(), False).checked()


@EVERY_CASE
@BOTH
def test_sums_of_products_that_are_relinearised_once(machine: Machine, case: Any, bgv: bool) -> None:
    """Sums of equal products, of those with conjugates, times plaintexts that line up their errors, in three parts: as
    they are, relinearised once, and as factors of the next product."""
    rng = np.random.default_rng(machine.number)
    for message in patterns(machine.n, machine.t, rng).values():
        x = machine.encrypt(message)
        c = x.conjugate()
        for how in machine.how():
            total = (x.times(x, how, False) + c.times(c, how, False) + x.times(c, how, False)).checked()
            factor = matched(error_of(total), machine.t // 2 - 1)
            for many in (total, total.by(factor), doubled(total, 6), total - x.times(x, how, False) + x):
                once = many.checked().relinearized().checked()
                once.times(once, how).checked()
            (doubled(total, 3).relinearized() * c).checked()
        total.used_up()
        total.relinearized().used_up()
        doubled(total, 6).relinearized().used_up()


def doubled(value: Value, times: int) -> Value:
    """A sum of 2^times of it."""
    for _ in range(times):
        value = value + value
    return value


@EVERY_CASE
@BOTH
def test_powers_by_one_factor_at_a_time_and_by_squaring(machine: Machine, case: Any, bgv: bool) -> None:
    rng = np.random.default_rng(machine.number)
    for name in ("peak", "rudin-shapiro", "small"):
        x = machine.encrypt(patterns(machine.n, machine.t, rng)[name])
        for how in machine.how():
            power = x
            for _ in range(8):
                power = power.times(x, how).checked()
                if power.headroom < 0:
                    break
            power = x
            while power.headroom >= 0:
                last, power = power, power.times(power, how).checked()
            last.used_up()


@EVERY_CASE
@BOTH
def test_sums_and_differences_of_one_ciphertext(machine: Machine, case: Any, bgv: bool) -> None:
    rng = np.random.default_rng(machine.number)
    x = machine.encrypt(patterns(machine.n, machine.t, rng)["random"])
    doubled = x
    for _ in range(7):
        doubled = (doubled + doubled).checked()
    doubled.used_up()
    (x - x.conjugate()).checked()
    (x - x).checked()
    (x - x.scaled(-1000)).checked()
    alternating = x
    for i in range(6):  # x + x' x^(i): automorphisms of one error, added with both signs
        turned = alternating.turned(3)
        alternating = (alternating + turned if i % 2 else alternating - turned).checked()
    alternating.times(alternating).checked()


@EVERY_CASE
@BOTH
def test_factors_matched_to_the_exact_error(machine: Machine, case: Any, bgv: bool) -> None:
    """More than any adversary can do: the factor is the error's own conjugate (Cauchy and Schwarz with equality), a
    peak at its loudest root, or what lines up all of its values; of fresh ciphertexts, products and switched ones."""
    rng = np.random.default_rng(machine.number)
    half = (machine.t - 1) // 2
    for name in ("small", "rudin-shapiro"):
        x = machine.encrypt(patterns(machine.n, machine.t, rng)[name])
        square = x * x
        starts = [x, square, x.conjugate()]
        if bgv:
            starts += [x.at(level) for level in range(1, machine.top)]
        for start in starts:
            row = error_of(start)
            for factor in (matched(row, half), flattening(row, half), peak(machine.n, loudest_root(row), half)):
                once = start.by(factor).checked()
                if once.headroom < 0:
                    continue
                once.used_up()
                again = once.by(matched(error_of(once), half)).checked()
                if again.headroom >= 0:
                    again.times(again).checked()


@EVERY_CASE
@BOTH
def test_extreme_plaintexts_as_messages_and_factors(machine: Machine, case: Any, bgv: bool) -> None:
    rng = np.random.default_rng(machine.number)
    all_patterns = patterns(machine.n, machine.t, rng)
    for message in all_patterns.values():
        x = machine.encrypt(message).checked()
        for factor in all_patterns.values():
            y = x.by(factor).checked().plus(factor).checked()
        y.used_up()
        (x * y).checked()
