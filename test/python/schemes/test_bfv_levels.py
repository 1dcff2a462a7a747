# SPDX-License-Identifier: Apache-2.0
"""BFV in fewer primes: exact rounding against Python integers, the noise bound, and arrays that mix levels."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import cyclotome as cy
import numpy as np
import pytest
from cyclotome import _core
from cyclotome._core import testing
from cyclotome._core.testing import rlwe
from oracles.integers import compose
from parties import Party, small_literal
from small import insecure

DEGREE, PRIMES = 32, 4


@pytest.fixture(scope="module", params=[32, 64])
def party(request: pytest.FixtureRequest) -> Party:
    return Party(small_literal(request.param, DEGREE, [257, 12289], PRIMES, 1))


def is_rounded(found: int, value: int, divisor: int, modulus: int) -> bool:
    """Whether it is the nearest integer to value/divisor; next to a half, which fixed-point quotients don't resolve,
    either neighbour."""
    below, rest = divmod(value, divisor)
    nearest = {below} if rest < divisor // 2 else {below + 1}
    if abs(rest - divisor // 2) <= divisor >> 20:
        nearest = {below, below + 1}
    return found in {number % modulus for number in nearest}


def test_a_switch_rounds_every_coefficient(party: Party, rng: np.random.Generator) -> None:
    """Of any residues, 2 parts and 3: round(c q'/q) modulo q'."""
    for parts in (2, 3):
        rows = [[int(rng.integers(1 << 62)) * int(rng.integers(1 << 62)) % party.q for _ in range(DEGREE)]] * parts
        rows[0] = [0, 1, party.q - 1, party.q // 2, party.q // 2 + 1, *rows[0][5:]]
        x = party.crafted(rows)
        before, moduli = compose(rlwe.coefficients(x), party.moduli), party.moduli
        for level in range(PRIMES - 1, 0, -1):
            y = testing.scheme.switch_to_level(x, level)
            q, dropped = math.prod(moduli[:level]), math.prod(moduli[level:])
            found = compose(rlwe.coefficients(y), moduli[:level])
            assert y.limbs == level and y.parts == parts
            for new, old in zip(np.ravel(found), np.ravel(before), strict=True):
                assert is_rounded(int(new) % q, int(old), dropped, q)
        with pytest.raises(cy.errors.ArgumentError, match="levels only fall"):
            testing.scheme.switch_to_level(testing.scheme.switch_to_level(x, 2), 3)


def test_the_bound_covers_the_noise_at_every_level(party: Party, rng: np.random.Generator) -> None:
    """Fresh ones, products and rotations, of both plaintext moduli; the bound is met within what is stated, and what it
    refuses is not decrypted."""
    decrypted = refused = 0
    for plain in (0, 1):
        t = party.t(plain)
        a, b = (rng.integers(0, t, DEGREE) for _ in range(2))
        x, y = (party.encrypt(v, int(rng.integers(1 << 30)), False, plain) for v in (a, b))
        product = _core.multiply_relinearized(x, y, party.evaluation)
        whole = np.convolve(a.astype(object), b.astype(object))
        values = np.append(whole[:DEGREE], 0)[:DEGREE]
        values[: DEGREE - 1] -= whole[DEGREE:]
        for ciphertext, expected in ((x, a), (_core.multiply(x, y), values), (product, values)):
            for level in range(1, PRIMES + 1):
                low = testing.scheme.switch_to_level(ciphertext, level)
                assert max(_core.measured_noise(low, party.secret)) <= low.noise[0]
                if low.noise_headroom < 0:
                    refused += 1
                    with pytest.raises(cy.errors.NoiseError):
                        _core.decrypt(low, party.secret)
                    continue
                decrypted += 1
                assert np.array_equal(party.decrypt(low, False)[0], expected % t)
                again = _core.add(low, ciphertext)  # brought to the lower level
                assert again.limbs == level and np.array_equal(party.decrypt(again, False)[0], 2 * expected % t)
    assert decrypted > 12


# --- arrays -----------------------------------------------------------------------------------------------------------
def keys(plain: Any = (40961, 65537), degree: int = 64, primes: int = 5) -> tuple[cy.Parameters, cy.Keys]:
    parameters = insecure(plain, degree, [50] * primes)
    return parameters, cy.keygen(parameters)


def test_arrays_compute_at_every_level_as_at_the_top(tmp_path: Path, rng: np.random.Generator) -> None:
    parameters, (secret, public, _) = keys()
    a, b = rng.integers(-50, 51, (2, 3, 64))
    x, y = cy.encrypt(a, public, bound=50), cy.encrypt(b, public, bound=50)
    assert x.level == 5 and not parameters.has_levels
    for level in range(1, 6):
        low = x.switch_to_level(level)
        assert low.level == level and low.nbytes == x.nbytes * level // 5
        for made, expected in (
            (low, a), (low + y, a + b), (y - low, b - a), (low + b, a + b), (low * 3, 3 * a), (low * b, a * b),
            (-low, -a), (low.rotate_rows(1), np.roll(a.reshape(3, 2, 32), -1, axis=2).reshape(3, 64)),
            (low * y, a * b), (low * low, a * a), (low.sum(axis=-1), a.sum(axis=-1)), (low * low + x, a * a + a),
            (cy.concatenate([low, y]), np.concatenate([a, b])), (low @ b[0], a @ b[0]),
        ):  # fmt: skip
            assert made.level == level
            if made.noise_headroom < 0:  # level 1 has no room for all of these
                with pytest.raises(cy.errors.NoiseError):
                    cy.decrypt(made, secret)
                continue
            assert np.array_equal(cy.decrypt(made, secret), expected)
            assert cy.noise_budget(made, secret) >= made.noise_headroom
        cy.save(tmp_path / "low.ct", low, overwrite=True)
        loaded = cy.load(tmp_path / "low.ct", expect=parameters, allow_insecure=True)
        assert loaded.level == level and np.array_equal(cy.decrypt(loaded, secret), a)
        hidden = (low * 0).with_keys(public) if level > 1 else low - low
        assert hidden.level == level and not np.any(cy.decrypt(hidden, secret))  # zeros encrypted anew, at that level
    with pytest.raises(cy.errors.ArgumentError, match=r"must lie in \[1, 2\]"):
        x.switch_to_level(2).switch_to_level(3)
    for level in (0, -1, 6):
        with pytest.raises(cy.errors.ArgumentError, match=r"must lie in \[1, 5\]"):
            x.switch_to_level(level)


def test_answers_go_home_in_as_few_primes_as_their_noise_allows(rng: np.random.Generator) -> None:
    parameters, (secret, public, _) = keys()
    a = rng.integers(-50, 51, (2, 64))
    x = cy.encrypt(a, public, bound=50)
    for made, expected in ((x, a), (x * x, a * a), ((x * x) * 3, 3 * a * a)):
        least = made.switch_to_least_level()
        assert np.array_equal(cy.decrypt(least, secret), expected) and least.noise_headroom >= 0
        assert least.level < made.level and least.nbytes < made.nbytes
        if least.level > 1:
            assert made.switch_to_level(least.level - 1).noise_headroom < 0
        room = made.switch_to_least_level(40)
        assert room.noise_headroom >= 40 and room.level > least.level - 1
        assert np.array_equal(cy.reveal(made.switch_to_least_level(60), secret, flooding_bits=40), expected)
        assert made.switch_to_least_level(10**6).level == made.level
    for wrong in (float("nan"), "1", True):
        with pytest.raises(cy.errors.ArgumentError, match="no number of bits"):
            x.switch_to_least_level(wrong)  # type: ignore[arg-type]
    with cy.allow_undecryptable():
        spent = x
        while spent.noise_headroom >= 0:
            spent = spent * 1000 if (spent.bound or 0) * 1000 < parameters.capacity else spent * spent * 0 + spent
            if spent.bound and spent.bound * 1000 >= parameters.capacity:
                break
    assert spent.switch_to_least_level().level <= spent.level


def test_polynomials_and_bits_come_down_too(rng: np.random.Generator) -> None:
    _, (secret, public, _) = keys((2,))
    a, b = rng.integers(0, 2, (2, 64)).astype(bool)
    product = cy.polynomials.negacyclic_product(cy.encrypt(a, public), cy.encrypt(b, public))
    least = product.switch_to_least_level()
    assert least.level == 1 and np.array_equal(cy.decrypt(least, secret), cy.decrypt(product, secret))
