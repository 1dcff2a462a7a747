# SPDX-License-Identifier: Apache-2.0
"""Encrypted arrays under BGV: the operations of the Python package at whatever level products leave them."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import cyclotome as cy
import numpy as np
import pytest
from small import DEGREE, keys

KEYS = keys(scheme="bgv")
BOUND = 20


def numbers(seed: int, shape: int | tuple[int, ...]) -> Any:
    return np.random.default_rng(seed).integers(-BOUND, BOUND, shape, endpoint=True)


def encrypted(values: Any, **options: Any) -> cy.EncryptedArray:
    return cy.encrypt(values, KEYS.public, bound=BOUND, **options)


def same(x: cy.EncryptedArray, expected: Any) -> None:
    assert x.shape == np.shape(expected)
    np.testing.assert_array_equal(cy.decrypt(x, KEYS.secret), expected)


def lowered(x: cy.EncryptedArray) -> list[cy.EncryptedArray]:
    """`x` at all levels that keep a little headroom."""
    levels = [x.switch_to_level(level) for level in range(x.level, 0, -1)]
    return [y for y in levels if y.noise_headroom > 20]


def test_arithmetic_of_all_levels_with_all_levels() -> None:
    a, b = numbers(1, (2, DEGREE + 3)), numbers(2, DEGREE + 3)
    lows = lowered(encrypted(a))
    assert {x.level for x in lows} >= {4, 3, 2}
    for x in lows:
        for y in lowered(encrypted(b)):
            same(x + y, a + b)
            same(y - x, b - a)
            if min(x.level, y.level) > 2:
                same(x * y, a * b)
        same(-x, -a)
        same(x + b, a + b)
        same(7 - x, 7 - a)
        same(3 * x, 3 * a)
        same(x * b, a * b)
        same(x[1], a[1])


@pytest.mark.parametrize("drop", [0, 1])
def test_reductions_and_matrices_at_lower_levels(drop: int) -> None:
    a, m = numbers(3, (3, DEGREE)), numbers(4, (DEGREE, 2))
    x = encrypted(a)
    x = x.switch_to_level(x.level - drop)
    same(x.sum(axis=0), a.sum(axis=0))
    same(x.sum(axis=1), a.sum(axis=1))
    same(x.sum(), a.sum())
    same(numbers(5, (2, 3)) @ x, numbers(5, (2, 3)) @ a)
    same(x @ m, a @ m)
    same(x**2, a**2)
    same(x @ encrypted(a[0]), a @ a[0])
    half = DEGREE // 2
    rolled = np.roll(a.reshape(3, 2, half), -1, axis=-1).reshape(3, DEGREE)
    same(x.rotate_rows(1), rolled)
    same(x.rotate_columns(), a.reshape(3, 2, half)[:, ::-1].reshape(3, DEGREE))
    replicated = encrypted(a[:, :2], layout="replicated")
    same(replicated.switch_to_level(3) @ numbers(6, (2, 2)), a[:, :2] @ numbers(6, (2, 2)))


def test_products_fall_and_their_bytes_with_them() -> None:
    a = numbers(7, DEGREE) % 5 - 2
    x = cy.encrypt(a, KEYS.public, bound=2)
    power = ((x**2) ** 2) ** 2
    assert x.level == len(KEYS.public.parameters.moduli) > power.level >= 1
    assert power.nbytes < x.nbytes and len(cy.to_bytes(power)) < len(cy.to_bytes(x))
    same(power, a**8)
    same(power + x, a**8 + a)
    assert "bgv" in repr(x).lower() and f"level {power.level} of {x.level}" in repr(power)
    assert f"level {power.level} of {x.level}" in power._repr_html_()


def test_arrays_of_different_levels_join() -> None:
    a = numbers(8, (2, DEGREE))
    x = encrypted(a)
    square = x * x
    assert square.level <= x.level
    low = square.switch_to_level(square.level - 1)
    same(cy.concatenate([x, low, square]), np.concatenate([a, a**2, a**2]))
    same(cy.stack([low, x]), np.stack([a**2, a]))


def test_what_hides_nothing_is_encrypted_anew_at_its_level() -> None:
    x = encrypted(numbers(9, DEGREE)).switch_to_level(2)
    nothing = x - x
    same(nothing, np.zeros(DEGREE, dtype=int))
    assert nothing.level == 2
    same(nothing + x, numbers(9, DEGREE))


def test_levels_are_kept_by_files_pickles_and_inspection(tmp_path: Path) -> None:
    a = numbers(10, (2, DEGREE))
    x = (encrypted(a) * encrypted(a)).switch_to_level(2)
    path = tmp_path / "low.ct"
    cy.save(path, x)
    for y in (cy.load(path, allow_insecure=True), pickle.loads(pickle.dumps(x)), x.to("cpu:2")):
        assert y.level == 2 and y.noise_headroom == pytest.approx(x.noise_headroom)
        np.testing.assert_array_equal(cy.decrypt(y, KEYS.secret), a * a)
    same(cy.load(path, allow_insecure=True, keys=KEYS.evaluation).to("cpu:1") + 1, a * a + 1)
    assert "bgv" in str(cy.inspect(path)).lower()


def test_levels_out_of_range_are_refused() -> None:
    x = encrypted(numbers(11, DEGREE)).switch_to_level(3)
    for level in (0, -1, 4):
        with pytest.raises(cy.errors.ArgumentError, match=r"must lie in \[1, 3\]"):
            x.switch_to_level(level)
    with pytest.raises(cy.errors.ArgumentError, match="whole number"):
        x.switch_to_level(1.5)  # type: ignore[arg-type]
    bfv = cy.encrypt([1], keys().public, bound=1)
    assert bfv.level == 4
    assert "level" not in repr(bfv) and "level 2 of 4" in repr(bfv.switch_to_level(2))


def test_exhaustion_ends_in_a_typed_error() -> None:
    x = cy.encrypt(np.ones(DEGREE, dtype=int), KEYS.public, bound=1).switch_to_level(2)
    with pytest.raises(cy.errors.NoiseError, match="more levels"):
        for _ in range(8):
            x = x * x
    with cy.allow_undecryptable(), pytest.raises(cy.errors.NoiseError, match="more levels"):
        for _ in range(8):
            x = x * x
            cy.decrypt(x, KEYS.secret)


def test_parameters_of_bgv_from_every_source() -> None:
    primes = cy.bgv.find_primes(4096, [36, 36, 37])
    explicit = cy.bgv.Parameters(degree=4096, plain_moduli=[40961], moduli=primes[:2], special_moduli=primes[2:],
                                 security=0, allow_insecure=True)  # fmt: skip
    assert explicit.scheme == "bgv" and "bgv" in repr(explicit)
    assert explicit == pickle.loads(pickle.dumps(explicit))
    suggested = cy.Parameters.suggest(scheme="bgv", depth=2, value_bits=8)
    assert suggested.scheme == "bgv" and not suggested.insecure
    sized = cy.Parameters.from_modulus_bits(scheme="bgv", degree=8192, modulus_bits=160, plain_moduli=[65537])
    assert (sized.scheme, sized.modulus_bits, sized.insecure) == ("bgv", 160, False)
    assert sized.special_moduli and sized.key_modulus_bits <= 214
    with pytest.raises(cy.errors.ParameterError, match="log q = 215"):
        cy.Parameters.from_modulus_bits(scheme="bgv", degree=8192, modulus_bits=215, plain_moduli=[65537])
    with pytest.raises(cy.errors.ParameterError, match="narrower than one prime"):
        cy.Parameters.from_modulus_bits(degree=8192, modulus_bits=12, plain_moduli=[65537])
    for name in (name for name in cy.Parameters.presets() if name.startswith("004-")):
        preset = cy.Parameters.preset(name, allow_insecure=True)
        assert preset.scheme == "bgv" and preset.plain_moduli == (2,) and not preset.special_moduli
        assert preset.modulus_bits == int(name.split("-")[2]) and preset.degree == int(name.split("-")[1])
        assert preset.insecure == (preset.modulus_bits > 500)
