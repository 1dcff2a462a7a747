# SPDX-License-Identifier: Apache-2.0
"""Products of public matrices and packed arrays, against NumPy: every shape around the slots of a ciphertext, with
which keys, at which levels, and within which noise."""

from __future__ import annotations

import math
import warnings
from functools import cache
from typing import Any

import cyclotome as cy
import numpy as np
import pytest
from cyclotome import _core
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import wire_format
from small import DEGREE, HOME, NARROW, insecure, keys, parameters

SCHEMES = ["bfv", "bgv"]
seeds = st.integers(0, 2**32)
#: One row of slots, one ciphertext, and both with one more or less.
lengths = st.one_of(st.integers(1, 2 * DEGREE + 3), st.sampled_from([7, 8, 9, 15, 16, 17]))


def numbers(seed: int, *shape: int, bound: int = 9) -> np.ndarray:
    return np.random.default_rng(seed).integers(-bound, bound, shape, endpoint=True)


def world(scheme: str) -> cy.Keys:
    return keys(NARROW, scheme=scheme)


def opened(y: cy.EncryptedArray, made: cy.Keys) -> np.ndarray:
    """What it decrypts to, and a check that its noise, measured with the key, is below its bound."""
    for channel in y.native.channels:
        assert max(_core.measured_noise(channel, made.secret.native)) <= channel.noise[0]
    return np.asarray(cy.decrypt(y, made.secret))


def residues(x: cy.EncryptedArray) -> list[bytes]:
    """The stored residues of every channel, without the sections' heads, which hold the noise bound."""
    return [data[56:] for tag, data in wire_format.read(cy.to_bytes(x)).sections if tag == "CIPH"]


def of_plan(m: int, k: int) -> tuple[int, int]:
    """Ciphertexts of an operand and of a result."""
    return -(-k // DEGREE), -(-m // DEGREE)


@pytest.mark.parametrize("scheme", SCHEMES)
@given(lengths, lengths, seeds)
@settings(max_examples=120)
def test_a_matrix_times_a_vector_is_one_packed_vector(scheme: str, m: int, k: int, seed: int) -> None:
    made = world(scheme)
    w, a = numbers(seed, m, k), numbers(seed + 1, k)
    x = cy.encrypt(a, made.public, bound=9)
    y = w @ x
    np.testing.assert_array_equal(opened(y, made), w @ a)
    assert y.bound == min(9 * int(np.abs(w).sum(axis=1).max()), int(np.abs(w).max()) * 9 * k)
    assert (x.ciphertexts, y.ciphertexts) == tuple(len(NARROW) * count for count in of_plan(m, k))
    assert y.layout == ("packed" if m > 1 else "replicated")


@given(st.integers(1, 3), lengths, lengths, seeds, st.booleans())
@settings(max_examples=60)
def test_rows_times_a_matrix(rows: int, k: int, m: int, seed: int, prepared: bool) -> None:
    made = world("bfv")
    a, w = numbers(seed, rows, k), numbers(seed + 1, k, m)
    x = cy.encrypt(a, made.public, bound=9)
    y = x @ (cy.Matrix(w, x.parameters, device=x.device) if prepared else w)
    np.testing.assert_array_equal(opened(y, made), a @ w)


@given(lengths, lengths, seeds)
@settings(max_examples=60)
def test_what_stands_beside_values_does_not_get_in(m: int, k: int, seed: int) -> None:
    """A sum with a constant fills all slots, those beside the values too."""
    made = world("bfv")
    w, a = numbers(seed, m, k), numbers(seed + 1, k)
    x = cy.encrypt(np.concatenate([a, numbers(seed + 2, 20)]), made.public, bound=9)[:k]
    assert x.native.clean == (k % DEGREE == 0 or k == 1)  # a single value is in all slots
    np.testing.assert_array_equal(opened(w @ x, made), w @ a)


@pytest.mark.parametrize("shape", [(1, 1), (2, 2), (8, 8), (16, 16), (3, 16), (16, 3), (9, 9), (33, 5), (5, 33)])
def test_every_matrix_unit_takes_its_own_place(shape: tuple[int, int]) -> None:
    """No entry is met twice, or never: with units each entry shows alone."""
    made = world("bfv")
    m, k = shape
    a = 1 + np.arange(k)
    x = cy.encrypt(a, made.public, bound=k)
    for j in range(k):
        w = np.zeros(shape, int)
        w[j % m, j] = 1
        np.testing.assert_array_equal(cy.decrypt(w @ x, made.secret), w @ a)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("shape", [(6, 6), (16, 16), (12, 5), (5, 12), (3, 40), (100, 100)])
def test_prepared_once_and_multiplied_often(scheme: str, shape: tuple[int, int]) -> None:
    made = world(scheme)
    w = numbers(5, *shape)
    matrix = cy.Matrix(w, made.public.parameters, device=made.public.device)
    assert matrix.nbytes == 0 and matrix.shape == shape
    for seed in range(3):
        a, b = numbers(seed, shape[1]), numbers(seed, 2, shape[0])
        x, y = cy.encrypt(a, made.public, bound=9), cy.encrypt(b, made.public, bound=9)
        np.testing.assert_array_equal(cy.decrypt(matrix @ x, made.secret), w @ a)
        np.testing.assert_array_equal(cy.decrypt(y @ matrix, made.secret), b @ w)
        alone, kept = w @ x, matrix @ x
        assert alone.bound == kept.bound
        assert residues(alone) == residues(kept)
    assert matrix.nbytes > 0


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("shape", [(16, 16), (7, 30), (30, 7), (8, 3)])
def test_keys_for_a_shape_and_keys_of_sums(scheme: str, shape: tuple[int, int]) -> None:
    w, a = numbers(1, *shape), numbers(2, shape[1])
    own = cy.keygen(parameters(scheme=scheme), rotations=[], matrices=[shape], device=HOME)
    x = cy.encrypt(a, own.public, bound=9)
    np.testing.assert_array_equal(opened(w @ x, own), w @ a)
    none = cy.keygen(parameters(scheme=scheme), rotations=[], device=HOME)
    y = cy.encrypt(a, none.public, bound=9)
    with pytest.raises(cy.errors.MissingKeyError, match=r"matrices="):
        w @ y
    with pytest.raises(cy.errors.MissingKeyError):
        cy.encrypt(a, none.secret, bound=9) @ w.T


@pytest.mark.parametrize(
    "shapes",
    [[(0, 3)], [(3,)], [3], [(3, -1)], [(2.5, 2)], ["ab"]],
    ids=["empty", "one", "number", "less", "half", "text"],
)
def test_shapes_that_no_matrix_has(shapes: Any) -> None:
    with pytest.raises(cy.CyclotomeError):
        cy.keygen(parameters(), matrices=shapes)


def test_matrices_take_slots() -> None:
    even = cy.Parameters(
        degree=DEGREE, plain_moduli=(1024,), moduli=parameters().moduli, security=0, allow_insecure=True
    )
    with pytest.raises(cy.errors.ArgumentError, match="two rows of slots"):
        cy.keygen(even, matrices=[(2, 2)])
    with pytest.raises(cy.errors.UnsupportedError, match="two rows"):
        cy.Matrix([[1, 2]], even)
    with pytest.raises(cy.errors.ArgumentError, match="two axes"):
        cy.Matrix([1, 2], parameters())
    with pytest.raises(cy.errors.UnsupportedError):
        cy.Matrix([[0.5]], parameters())


def test_a_matrix_of_other_parameters_or_of_another_size() -> None:
    made = world("bfv")
    x = cy.encrypt(np.arange(4), made.public, bound=9)
    matrix = cy.Matrix(np.ones((2, 4), int), made.public.parameters, device=x.device)
    with pytest.raises(cy.errors.MismatchError):
        cy.Matrix(np.ones((2, 4), int), parameters(scheme="bgv"), device=x.device) @ x
    with pytest.raises(cy.errors.ArgumentError, match="do not fit"):
        matrix @ x[:3]
    with pytest.raises(cy.errors.ArgumentError, match="do not fit"):
        x @ matrix
    with pytest.raises(TypeError):
        matrix @ [1, 2, 3, 4]  # type: ignore[operator]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_bounds_at_the_limit(scheme: str) -> None:
    made = keys((65537,), scheme=scheme)
    x = cy.encrypt(np.full(16, 128), made.public, bound=128)
    w = np.full((16, 16), 16)
    np.testing.assert_array_equal(opened(w @ x, made), np.full(16, 32768))
    np.testing.assert_array_equal(opened(-w @ x, made), np.full(16, -32768))
    w[3, 4] = 17
    with pytest.raises(cy.errors.RangeError, match="result_bits"):
        w @ x


@pytest.mark.parametrize("scheme", SCHEMES)
def test_layers_until_the_noise_is_used_up(scheme: str) -> None:
    """Matrix after matrix, each exact until one is refused."""
    made = keys((65537,), scheme=scheme)
    rng = np.random.default_rng(7)
    a = rng.integers(0, 65537, 11)
    x = cy.encrypt(a, made.public, wrap=True)
    layers = 0
    while layers < 40:
        w = rng.integers(-30000, 30000, (11, 11))
        try:
            x = w @ x
        except cy.errors.NoiseError:
            break
        a = w @ a % 65537
        np.testing.assert_array_equal(opened(x, made) % 65537, a)
        layers += 1
    assert 2 <= layers < 40


@pytest.mark.parametrize("special", [0, 1, 2])
@pytest.mark.parametrize("scheme", SCHEMES)
def test_every_kind_of_key_switch(scheme: str, special: int) -> None:
    """Without special primes, with one, with digits of two; one plaintext modulus, and two that share keys."""
    for plain in (NARROW[:1], NARROW):
        chosen = insecure(plain, DEGREE, special=[51] * special, scheme=scheme)
        for wanted in ((), [(6, 16)]):
            made = cy.keygen(chosen, device=HOME, matrices=wanted)
            w, a = numbers(1, 6, 16), numbers(2, 16)
            x = cy.encrypt(a, made.public, bound=9)
            np.testing.assert_array_equal(opened(w @ x, made), w @ a)
            low = (x * x if scheme == "bfv" else (x * x).switch_to_level(2)) - 1
            np.testing.assert_array_equal(opened(w @ low, made), w @ (a * a - 1))


def test_the_same_bits_from_any_number_of_items_and_threads() -> None:
    made = world("bfv")
    w, a = numbers(1, 6, 9), numbers(2, 5, 9)
    x = cy.encrypt(a, made.public, bound=9)
    together = x @ w.T
    for i in range(5):
        alone = x[i] @ w.T
        assert residues(alone) == residues(together[i])
    elsewhere = x.to("cpu:2") @ w.T
    assert residues(elsewhere) == residues(together)


def test_sums_of_products_that_were_not_relinearised() -> None:
    made = world("bfv")
    w, a = numbers(1, 3, 9, bound=3), numbers(2, 9)
    x = cy.encrypt(a, made.public, bound=9)
    np.testing.assert_array_equal(opened(w @ (x * x), made), w @ (a * a))


@cache
def large() -> cy.Keys:
    return cy.keygen(cy.Parameters.suggest(depth=1, value_bits=4, terms=300), matrices=[(200, 384)])


def test_two_hundred_scores_of_384_dimensions() -> None:
    """One ciphertext where there were two hundred, at parameters of 128 bits."""
    made = large()
    rng = np.random.default_rng(3)
    w, a = rng.integers(-3, 4, (200, 384)), rng.integers(-7, 8, 384)
    y = w @ cy.encrypt(a, made.public, bound=7)
    assert y.ciphertexts == len(y.parameters.plain_moduli)
    np.testing.assert_array_equal(opened(y, made), w @ a)
    assert math.isfinite(y.noise_headroom) and y.noise_headroom >= 0


# --- values out of a packed axis --------------------------------------------------------------------------------------


@given(st.integers(1, 3), lengths, seeds, st.data())
@settings(max_examples=80)
def test_indices_along_every_axis(rows: int, length: int, seed: int, data: st.DataObject) -> None:
    made = world("bfv")
    a = numbers(seed, rows, length)
    x = cy.encrypt(a, made.public, bound=9)
    start = data.draw(st.integers(0, length - 1))
    stop = data.draw(st.integers(start + 1, length))
    i = data.draw(st.integers(-length, length - 1))
    picks = data.draw(st.lists(st.integers(0, length - 1), min_size=1, max_size=6))
    keys_of: list[Any] = [np.s_[:, start:stop], np.s_[0, i], np.s_[..., i], np.s_[:, picks], np.s_[0, start:stop:2]]
    keys_of += [np.s_[:, ::-1]] if length < 10 else []
    for key in keys_of:
        y = x[key]
        assert y.shape == a[key].shape
        np.testing.assert_array_equal(opened(y, made), a[key])
        assert y.bound is not None and y.bound >= int(np.abs(a[key]).max())


def test_slices_and_products_go_on_from_there() -> None:
    made = world("bfv")
    a = numbers(1, 30)
    x = cy.encrypt(a, made.public, bound=9)
    part = x[3:8]
    np.testing.assert_array_equal(opened(part * part, made), a[3:8] ** 2)
    np.testing.assert_array_equal(opened(part.sum(), made), a[3:8].sum())
    np.testing.assert_array_equal(opened(part[1:][2], made), a[6])
    np.testing.assert_array_equal(opened(np.ones((2, 5), int) @ part, made), np.ones((2, 5), int) @ a[3:8])
    assert x[:5].noise_headroom == x.noise_headroom  # a beginning is free
    assert x[[0, 0, 0]].bound == 9


@pytest.mark.parametrize("shape", [(2, 3), (5, 4), (3, 2, 4), (1, 9), (9, 1)])
def test_transposed_and_reshaped(shape: tuple[int, ...]) -> None:
    made = world("bfv")
    a = numbers(4, *shape)
    for layout in ("packed", "replicated"):
        x = cy.encrypt(a, made.public, bound=9, layout=layout)
        np.testing.assert_array_equal(opened(x.T, made), a.T)
        np.testing.assert_array_equal(opened(x.reshape(-1), made), a.reshape(-1))
        np.testing.assert_array_equal(opened(x.reshape(*shape[::-1]), made), a.reshape(shape[::-1]))
    if len(shape) == 3:
        y = x.transpose(1, 0, 2)
        np.testing.assert_array_equal(opened(y, made), a.transpose(1, 0, 2))
        assert y.noise_headroom == x.noise_headroom  # only ciphertexts change places
    with pytest.raises(cy.errors.ArgumentError, match="transpose"):
        x.transpose(5, 6)
    with pytest.raises(cy.errors.ArgumentError):
        x.reshape(7, 11)


@pytest.mark.parametrize("layouts", [("packed", "packed"), ("packed", "replicated"), ("replicated", "packed")], ids=str)
def test_encrypted_matrices(layouts: tuple[str, str]) -> None:
    made = world("bfv")
    a, b = numbers(1, 3, 5), numbers(2, 5, 4)
    x, y = (cy.encrypt(v, made.public, bound=9, layout=layout) for v, layout in zip((a, b), layouts, strict=True))
    np.testing.assert_array_equal(opened(x @ y, made), a @ b)
    np.testing.assert_array_equal(opened(x[0] @ y, made), a[0] @ b)


def test_an_answer_that_is_larger_than_it_need_be_is_remarked_on() -> None:
    """One ciphertext for each score, where one could hold all."""
    params = cy.Parameters.suggest(depth=0, value_bits=4, terms=20)
    made = cy.keygen(params, rotations=[], device=HOME)
    columns = cy.encrypt(np.ones((20, 1), int), made.public, bound=7)
    each = columns.nbytes // 20
    w = np.ones(((5 << 20) // each, 20), int)
    with pytest.warns(cy.errors.PaddingWarning, match="could hold"):
        w @ columns
    with pytest.warns(cy.errors.PaddingWarning, match=r"x\.packed\(\)"):
        w @ cy.encrypt(np.ones(20, int), made.public, bound=7, layout="replicated")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        w[:3] @ columns


@pytest.mark.parametrize("scheme", SCHEMES)
def test_little_room_for_noise(scheme: str) -> None:
    """Where the bound on the noise of the cheapest way is too much, the quiet way is gone."""
    made = keys((65537,), scheme=scheme)
    rng = np.random.default_rng(7)
    a = rng.integers(0, 65537, 6)
    w = rng.integers(-30000, 30000, (6, 6))
    x = cy.encrypt(a, made.public, wrap=True)
    matrix = cy.Matrix(w, made.public.parameters, device=made.public.device)
    used: list[float] = []
    try:
        while True:
            x, a = matrix @ x, w @ a % 65537
            used.append(x.noise_headroom)
            np.testing.assert_array_equal(opened(x, made) % 65537, a)
    except cy.errors.NoiseError:
        pass
    assert used == sorted(used, reverse=True)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_what_row_after_row_has_room_for_has_room_as_a_matrix(scheme: str) -> None:
    """Down to the last bits, where only the quiet way passes: one rotation more before products costs more bits."""
    degree = 256
    least, price = math.inf, 0.0
    rng = np.random.default_rng(9)
    w, a = rng.integers(-30, 31, (40, 50)), rng.integers(-9, 10, 50)
    for bits in range(36, 60):
        chosen = insecure((65537,), degree, [bits], [bits + 1], scheme=scheme)
        made = cy.keygen(chosen, device=HOME)
        x = cy.encrypt(a, made.public, bound=9)
        try:
            alone = (w[0] @ x).noise_headroom
        except cy.errors.NoiseError:
            continue
        if alone >= 1:
            y = w @ x
            np.testing.assert_array_equal(opened(y, made), w @ a)
            least, price = min(least, alone), alone - y.noise_headroom  # of the cheap way, where there is room
    assert 1 <= least < price, "no parameters were tight"


def rotations(plan: cy.Plan) -> int:
    return sum(each.ciphertexts for each in plan.operations if "turn" in each.name or each.name == "apply_galois")


@pytest.mark.parametrize("shape", [(2, 2), (3, 5), (5, 3), (8, 8), (7, 8), (2, 3, 4), (4, 1, 6), (9, 8), (3, 9)])
def test_transposes(rng: np.random.Generator, shape: tuple[int, ...]) -> None:
    """Columns of packed rows that become rows, within half of the slots (8 here) and beyond."""
    made = keys((65537,))
    a = rng.integers(-9, 10, shape)
    x = cy.encrypt(a, made.public, bound=9)
    for axes in (tuple(reversed(range(a.ndim))), (a.ndim - 1, *range(a.ndim - 1)), tuple(range(a.ndim))):
        y = x.transpose(axes)
        assert np.array_equal(cy.decrypt(y, made.secret), a.transpose(axes)) and y.bound == 9
    dirty = (x + 1) - 1  # ones stood beside the values
    assert np.array_equal(cy.decrypt(dirty.T + dirty.T, made.secret), a.T + a.T)
    assert np.array_equal(cy.decrypt(x.T.T * x, made.secret), a * a)


def test_transposes_take_a_rotation_for_each_row() -> None:
    made = cy.keygen(parameters((65537,), degree=64), rotations=range(1, 32), device=HOME)
    x = cy.encrypt(np.arange(20 * 30).reshape(20, 30), made.public, bound=600)
    plan = cy.plan(lambda x: x.T, None, [x])
    assert rotations(plan) == 19 + 29
    np.testing.assert_array_equal(cy.decrypt(x.T, made.secret), np.arange(20 * 30).reshape(20, 30).T)
