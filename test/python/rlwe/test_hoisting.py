# SPDX-License-Identifier: Apache-2.0
"""Several rotations of one array: the same residues as one after the other, at the price of one decomposition."""

from __future__ import annotations

from typing import Any

import cyclotome as cy
import numpy as np
import pytest
from oracles import wire_format
from small import DEGREE, HOME, keys, parameters

HALF = DEGREE // 2
SCHEMES = pytest.mark.parametrize("scheme", ["bfv", "bgv"])
STEPS: list[list[int]] = [[1], [0, 1, 2, 3], [3, -1, 0, 3, 8, -6], list(range(HALF))]


def filled(rng: np.random.Generator, scheme: str, rows: int = 3) -> tuple[Any, cy.EncryptedArray]:
    """Rows of numbers that fill ciphertexts of two channels."""
    values = rng.integers(-99, 100, (rows, 2 * DEGREE))
    return values, cy.encrypt(values, keys(scheme=scheme).public, bound=99)


def asked(x: cy.EncryptedArray, steps: Any) -> list[int]:
    """How many rotations each decomposition was made for, by what was reported of them."""
    made: list[int] = []

    def noted(done: int, total: int, what: str) -> None:
        if done == 0 and what == "rotating":
            made.append(total // x.ciphertexts)

    with cy.progress(noted):
        x.rotate_rows(steps)
    return made


def residues(x: cy.EncryptedArray) -> list[bytes]:
    """The stored residues of every channel, without the sections' heads, which hold the noise bound."""
    return [data[56:] for tag, data in wire_format.read(cy.to_bytes(x)).sections if tag == "CIPH"]


def rolled(values: Any, step: int) -> Any:
    """Every row of n/2 slots moved to the left."""
    shape = (*values.shape[:-1], -1, HALF)
    return np.roll(values.reshape(shape), -step, axis=-1).reshape(values.shape)


@SCHEMES
@pytest.mark.parametrize("steps", STEPS, ids=str)
def test_several_rotations_are_the_single_ones(rng: np.random.Generator, scheme: str, steps: list[int]) -> None:
    """Along a new first axis; even the residues are the same."""
    values, x = filled(rng, scheme)
    together = x.rotate_rows(steps)
    assert together.shape == (len(steps), *x.shape) and together.bound == 99
    decrypted = cy.decrypt(together, keys(scheme=scheme).secret)
    np.testing.assert_array_equal(decrypted, np.stack([rolled(values, step) for step in steps]))
    for i, step in enumerate(steps):
        if step % HALF:
            assert residues(together[i]) == residues(x.rotate_rows(step))
    assert residues(x.rotate_rows(np.array(steps))) == residues(together)


@SCHEMES
def test_digits_too_large_for_one_pass_are_turned_limb_by_limb(rng: np.random.Generator, scheme: str) -> None:
    """Five ciphertexts of degree 4096 in four digits take 640 KiB for each limb, above half of what is done at once."""
    own = cy.keygen(parameters(degree=4096, scheme=scheme), rotations=[1, 2, 4], columns=False, device=HOME)
    x = cy.encrypt(rng.integers(-9, 10, (5, 4096)), own.public, bound=9)
    together = x.rotate_rows([4, 1, 2])
    for i, step in enumerate([4, 1, 2]):
        assert residues(together[i]) == residues(x.rotate_rows(step))


@SCHEMES
def test_each_array_on_the_way_is_decomposed_once(rng: np.random.Generator, scheme: str) -> None:
    """All eight rotations by keys for 1, 2 and 4: seven key switches, as many as there are rotations, from the four
    arrays 0, 1, 2 and 3."""
    _, x = filled(rng, scheme)
    assert sorted(asked(x, range(HALF))) == [1, 1, 2, 3]
    assert asked(x, [7, 3, 7]) == [1] * 3


def test_a_key_for_the_very_rotation_is_taken() -> None:
    own = cy.keygen(parameters(), rotations=[1, 2, 3, -1], device=HOME)
    x = cy.encrypt(np.arange(DEGREE), own.public, bound=DEGREE)
    moved = cy.decrypt(x.rotate_rows([3, 2, -1, 1]), own.secret)
    assert asked(x, [3, 2, -1, 1]) == [4]
    np.testing.assert_array_equal(moved, [rolled(np.arange(DEGREE), step) for step in (3, 2, -1, 1)])


def test_a_convolution_is_weights_times_rotations(rng: np.random.Generator) -> None:
    values = rng.integers(-9, 10, DEGREE)
    x = cy.encrypt(values, keys().public, bound=9)
    weights = np.array([1, -2, 3])
    smoothed = cy.decrypt(weights @ x.rotate_rows([0, 1, 2]), keys().secret)
    np.testing.assert_array_equal(smoothed, sum(w * rolled(values, i) for i, w in enumerate(weights)))


def test_what_can_not_be_rotated_is_refused(rng: np.random.Generator) -> None:
    _, x = filled(rng, "bfv")
    with pytest.raises(cy.errors.ArgumentError, match="no steps"):
        x.rotate_rows([])
    with pytest.raises(cy.errors.ArgumentError, match="whole number"):
        x.rotate_rows([1, 0.5])  # type: ignore[list-item]
    with pytest.raises(cy.errors.ArgumentError, match="whole number"):
        x.rotate_rows("1")  # type: ignore[arg-type]
    few = cy.keygen(parameters(), rotations=[2], device=HOME)
    y = cy.encrypt(np.arange(DEGREE), few.public, bound=DEGREE)
    with pytest.raises(cy.errors.MissingKeyError, match="no keys for 3 steps"):
        y.rotate_rows([2, 3])
