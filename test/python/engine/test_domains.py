# SPDX-License-Identifier: Apache-2.0
"""Arrays whose ciphertexts are transforms: the same values, and the same bytes in files, as without."""

from __future__ import annotations

import copy
import functools
import operator
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cyclotome as cy
import numpy as np
import pytest
from cyclotome._core.testing import shapes
from cyclotomic_party import smallest_primes
from small import insecure

SHAPE = (3, 40)


@functools.cache
def party(scheme: str, cyclotomic: bool = False) -> tuple[cy.Parameters, Any]:
    if cyclotomic:
        step = shapes.cyclotomic(85).transform_step
        moduli = smallest_primes(step, 6, 2**40)
        parameters = cy.Parameters(
            cyclotomic=85, plain_moduli=smallest_primes(step, 1, 2**16), moduli=moduli[:5], special_moduli=moduli[5:],
            scheme=scheme, security=0, allow_insecure=True,
        )  # fmt: skip
    else:
        parameters = insecure([65537, 40961], 64, [50] * 5, [50], scheme=scheme)
    return parameters, cy.keygen(parameters)


def operands(scheme: str, rng: np.random.Generator) -> tuple[Any, ...]:
    parameters, keys = party(scheme)
    values = [rng.integers(-9, 10, SHAPE) for _ in range(2)]
    x, y = (cy.encrypt(v, keys.public, bound=9) for v in values)
    return parameters, keys, *values, x.with_keys(keys.evaluation), y.with_keys(keys.evaluation)


OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "negate": lambda a, b: -a - b,
    "rows": lambda a, b: a[0] + b[1:],
    "slices": lambda a, b: a[:, 3:20] - b[:, :17],
    "column": lambda a, b: a[:, 5] * 2 + b[:, 7],
    "sum": lambda a, b: a.sum(axis=0) + b.sum(axis=(0, 1)),
    "stack": lambda a, b: np.stack([a, b, a]).sum(axis=0),
    "concatenate": lambda a, b: np.concatenate([a, b]),
    "transpose": lambda a, b: a[:, :4].T + b[:, :4].T,
    "matrix": lambda a, b: np.arange(6).reshape(2, 3) @ a,
    "right matrix": lambda a, b: (a + b) @ np.arange(120).reshape(40, 3),
    "vector": lambda a, b: a @ np.arange(40),
    "weights": lambda a, b: a * np.arange(40) + b * np.arange(120).reshape(SHAPE) - np.arange(3)[:, None],
    "square": lambda a, b: a**2 + b,
}


@pytest.mark.parametrize("name", list(OPERATIONS))
@pytest.mark.parametrize("scheme", ["bfv", "bgv"])
def test_any_mixture_gives_the_same_file(scheme: str, name: str, rng: np.random.Generator) -> None:
    _, keys, a, b, x, y = operands(scheme, rng)
    operation = OPERATIONS[name]
    clear, expected = operation(a, b), operation(x, y)
    assert np.array_equal(cy.decrypt(expected, keys.secret), clear)
    for u, v in ((x.transformed(), y), (x, y.transformed()), (x.transformed(), y.transformed())):
        got = operation(u, v)
        assert cy.to_bytes(got) == cy.to_bytes(expected)
        assert got.bound == expected.bound and got.noise_headroom == expected.noise_headroom
        assert np.array_equal(cy.decrypt(got, keys.secret), clear)


@pytest.mark.parametrize("scheme", ["bfv", "bgv"])
def test_sums_of_products_take_either(scheme: str, rng: np.random.Generator) -> None:
    _, keys, a, b, x, y = operands(scheme, rng)
    expected = x.sum_of_products(y, axis=0)
    got = x.transformed().sum_of_products(y.transformed(), axis=0)
    assert cy.to_bytes(got) == cy.to_bytes(expected)
    assert np.array_equal(cy.decrypt(got, keys.secret), (a * b).sum(axis=0))
    mixed = cy.einsum("ij,ij->j", x.transformed(), y)
    assert np.array_equal(cy.decrypt(mixed, keys.secret), (a * b).sum(axis=0))


@pytest.mark.parametrize("scheme", ["bfv", "bgv"])
def test_files_pickles_and_copies_are_the_same(scheme: str, tmp_path: Path, rng: np.random.Generator) -> None:
    _, keys, a, _, x, _ = operands(scheme, rng)
    moved = x.transformed()
    assert moved.is_transformed and x.is_transformed == (scheme == "bgv")
    assert moved.transformed(False).is_transformed == x.is_transformed
    assert cy.to_bytes(moved) == cy.to_bytes(x)
    for again in (cy.from_bytes(cy.to_bytes(moved), True), pickle.loads(pickle.dumps(moved)), copy.deepcopy(moved)):
        assert again.is_transformed == x.is_transformed
        assert np.array_equal(cy.decrypt(again, keys.secret), a)
    cy.save(tmp_path / "x", moved * np.arange(40))
    loaded = cy.load(tmp_path / "x", allow_insecure=True)
    assert np.array_equal(cy.decrypt(loaded, keys.secret), a * np.arange(40))
    assert cy.inspect(tmp_path / "x").noise_headroom == pytest.approx((x * np.arange(40)).noise_headroom, abs=1e-4)
    # Under the secret key files hold a seed in place of half.
    own = cy.encrypt(a, keys.secret, bound=9)
    assert cy.to_bytes(own.transformed()) == cy.to_bytes(own)
    assert cy.to_bytes(moved.to("cpu:1")) == cy.to_bytes(x)
    assert moved.to("cpu:1").is_transformed


@pytest.mark.parametrize("scheme", ["bfv", "bgv"])
def test_keys_levels_and_noise(scheme: str, rng: np.random.Generator) -> None:
    parameters, keys, a, b, x, y = operands(scheme, rng)
    moved = x.transformed()
    assert cy.to_bytes(moved.switch_to_level(2)) == cy.to_bytes(x.switch_to_level(2))
    assert cy.to_bytes(moved.switch_to_least_level(5)) == cy.to_bytes(x.switch_to_least_level(5))
    low = moved.switch_to_level(2).transformed()
    assert np.array_equal(cy.decrypt(low + y, keys.secret), a + b)
    assert np.array_equal(cy.decrypt(low * np.arange(40) + moved, keys.secret), a * np.arange(40) + a)
    other = cy.keygen(parameters, rotations=[])
    bridge = cy.rekeying.rekeying_key(keys.secret, other.secret)
    assert cy.to_bytes(cy.rekeying.rekey(moved, bridge)) == cy.to_bytes(cy.rekeying.rekey(x, bridge))
    assert np.array_equal(cy.decrypt(cy.rekeying.rerandomize(moved, keys.public), keys.secret), a)
    assert cy.noise_budget(moved, keys.secret) == cy.noise_budget(x, keys.secret)
    assert np.array_equal(cy.reveal(moved, keys.secret, flooding_bits=8), a)


@pytest.mark.parametrize("scheme", ["bfv", "bgv"])
def test_rotations_of_transforms(scheme: str, rng: np.random.Generator) -> None:
    *_, x, _ = operands(scheme, rng)
    whole, moved = x.padded(), x.padded().transformed()
    for steps in (1, -3, [0, 1, 5, 9]):
        assert cy.to_bytes(moved.rotate_rows(steps)) == cy.to_bytes(whole.rotate_rows(steps))
    assert cy.to_bytes(moved.rotate_columns()) == cy.to_bytes(whole.rotate_columns())


def test_memory_is_accounted_for(rng: np.random.Generator, tmp_path: Path) -> None:
    parameters, *_, x, _ = operands("bfv", rng)
    alone = x.nbytes
    w = cy.plain(rng.integers(-5, 6, 40), parameters)
    first = x * w
    assert x.held_bytes == alone and first.is_transformed and first.held_bytes == alone
    second = x * w
    assert x.held_bytes == 2 * alone
    assert cy.to_bytes(first) == cy.to_bytes(second)
    assert first.held_bytes == alone  # asked back for once
    cy.to_bytes(first)
    assert first.held_bytes == 2 * alone
    # What there is to send stays what it was, as what a file says of itself and what comes out of it.
    cy.save(tmp_path / "x", x)
    said, loaded = cy.inspect(tmp_path / "x").expanded_nbytes, cy.load(tmp_path / "x", allow_insecure=True)
    assert isinstance(loaded, cy.EncryptedArray)
    assert x.nbytes == first.nbytes == alone == said == loaded.nbytes
    assert cy.sharding.shard(x, ["cpu:1"]).nbytes == alone


@pytest.mark.parametrize("scheme", ["bfv", "bgv"])
def test_plans_tell_what_is_sent_from_what_is_held(scheme: str, rng: np.random.Generator) -> None:
    parameters, *_, x, _ = operands(scheme, rng)
    w = cy.plain(rng.integers(-5, 6, 40), parameters)
    plan = cy.plan(lambda a: [a * w, a * w], inputs=[x])
    assert plan.input_bytes == x.nbytes
    assert plan.peak_bytes >= x.nbytes + plan.result_bytes + (x.nbytes if scheme == "bfv" else 0)


@pytest.mark.parametrize("scheme", ["bfv", "bgv"])
def test_over_other_rings(scheme: str, rng: np.random.Generator) -> None:
    _, keys = party(scheme, True)
    a, w = rng.integers(-9, 10, (2, 30)), rng.integers(-9, 10, 30)
    x = cy.encrypt(a, keys.public, bound=9)
    for y in (x, x.transformed()):
        assert np.array_equal(cy.decrypt(y * w + x, keys.secret), a * w + a)
        assert cy.to_bytes(y * w) == cy.to_bytes(x * w)
        assert np.array_equal(cy.decrypt((y * w).sum(axis=0), keys.secret), (a * w).sum(axis=0))


def test_prepared_operands_of_every_operator(rng: np.random.Generator) -> None:
    parameters, keys, a, _, x, _ = operands("bfv", rng)
    w, v = rng.integers(-9, 10, SHAPE), rng.integers(-9, 10, 40)
    matrix = rng.integers(-3, 4, (40, 5))
    pw, pv, pm = (cy.plain(each, parameters) for each in (w, v, matrix))
    for y in (x, x.transformed()):
        for got, expected in (
            (y + pw, a + w), (pw + y, a + w), (y - pv, a - v), (pv - y, v - a), (y * pw, a * w), (pv * y, v * a),
        ):  # fmt: skip
            assert np.array_equal(cy.decrypt(got, keys.secret), expected)
        for product, wanted in (
            (lambda y=y: y @ pv, a @ v), (lambda y=y: y @ pm, a @ matrix), (lambda y=y: y.dot(pv), a @ v),
            (lambda y=y: cy.plain(w.T, parameters) @ y, w.T @ a), (lambda y=y: cy.einsum("ij,j->i", y, pv), a @ v),
            (lambda y=y: cy.einsum("ij,jk->ik", y, pm), a @ matrix),
        ):  # fmt: skip
            with pytest.warns(cy.errors.PreparedWarning, match="takes the integers"):
                got = product()
            assert np.array_equal(cy.decrypt(got, keys.secret), wanted)
