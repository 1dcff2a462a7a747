# SPDX-License-Identifier: Apache-2.0
"""Sums with public constants: the bits that come of encoding every slot, however few are encoded.

The oracle encodes each ciphertext's values one by one, and adds that to each ciphertext by itself.
"""

from __future__ import annotations

import functools
from typing import Any

import cyclotome as cy
import numpy as np
import pytest
from cyclotome import _core
from cyclotome._core import testing
from cyclotome._core.testing import rlwe
from numpy.typing import NDArray
from oracles.integers import centred
from small import insecure

DEGREE = 16
#: Plaintext moduli: with a slot for each coefficient, several, with fewer slots, without slots.
MODULI = [(40961,), (40961, 65537), (17,), (1024,), (40961, 17)]
SCHEMES = ("bfv", "bgv")


@functools.cache
def keys_of(scheme: str, plain: tuple[int, ...]) -> cy.Keys:
    parameters = insecure(plain, DEGREE, scheme=scheme)
    return cy.keygen(parameters, rotations=[], device="cpu:1")


def rows_of(x: cy.EncryptedArray, values: NDArray[Any]) -> NDArray[Any]:
    """What each ciphertext of ``x`` holds of these values, of its shape: one row for each, padded with zeros."""
    if x.layout == "replicated":
        return values.reshape(-1, 1)
    width = x.parameters.degree if x.encoding == "coefficients" else x.parameters.slots
    chunks = -(-values.shape[-1] // width)
    padded = np.zeros((*values.shape[:-1], chunks * width), dtype=object)
    padded[..., : values.shape[-1]] = values
    return padded.reshape(-1, width)


def expected(channels: list[Any], w: Any, result: cy.EncryptedArray) -> list[tuple[Any, Any]]:
    """Residues and noise of ciphertexts ``+ w``, by channel: the rows of all of them are encoded."""
    rows = rows_of(result, np.broadcast_to(np.array(w, dtype=object), result.shape))
    found = []
    for plain, channel in enumerate(channels):
        t = channel.plain_modulus
        residues = np.array([[centred(int(value) % t, t) for value in row] for row in rows], dtype=np.int64)
        slots = result.layout == "packed" and result.encoding == "slots"
        plaintext = _core.encode_residues(result.native.context, plain, slots, residues)
        total = testing.scheme.add_plain(channel, plaintext)
        found.append((rlwe.coefficients(total), total.noise))
    return found


def same_bits(channels: list[Any], w: Any, result: cy.EncryptedArray) -> None:
    for channel, (residues, noise) in zip(result.native.channels, expected(channels, w, result), strict=True):
        assert np.array_equal(rlwe.coefficients(channel), residues)
        assert tuple(channel.noise) == tuple(noise)


def levels_of(x: cy.EncryptedArray) -> list[cy.EncryptedArray]:
    """The same values fresh, transformed, and in fewer primes."""
    return [x, x.transformed(), x.switch_to_level(x.level - 1), x.switch_to_level(x.level - 1).transformed()]


def ways(parameters: cy.Parameters) -> list[dict[str, Any]]:
    every: list[dict[str, Any]] = [{"encoding": "coefficients"}, {"layout": "replicated"}]
    return [*every, {"encoding": "slots"}] if parameters.has_slots else every


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("plain", MODULI, ids=str)
def test_constants_are_the_same_bits_as_rows_of_them(
    scheme: str, plain: tuple[int, ...], rng: np.random.Generator
) -> None:
    keys = keys_of(scheme, plain)
    parameters = keys.public.parameters
    t, slots = parameters.plain_product, parameters.slots if parameters.has_slots else DEGREE
    constants = [1, -1, 0, 5, t // 2, -(t // 2), t, t + 3, -7 * t - 1, 1 << 63, -(1 << 63), (1 << 64) + 1, -(1 << 90)]
    shapes: list[tuple[int, ...]] = [(), (1,), (slots,), (slots - 1,), (3 * slots,), (2 * slots + 1,), (3, slots)]
    shapes += [(9, slots + 1), (2, 2, slots), (12, 2 * slots - 1)]
    for how in ways(parameters):
        for shape in shapes:
            if how.get("encoding") and not shape:
                continue
            values = rng.integers(-1, 2, shape)
            for x in levels_of(cy.encrypt(values, keys.public, wrap=True, **how)):
                for c in rng.choice(np.array(constants, dtype=object), 3):
                    same_bits(x.native.channels, c, x + int(c))
                    same_bits(x.native.channels, -c, x - int(c))
                    same_bits((-x).native.channels, c, int(c) - x)
                    same_bits(x.native.channels, c, x + np.full(shape, c, dtype=object))
                opened = cy.decrypt(x + 1, keys.secret)
                assert np.array_equal(opened, np.vectorize(lambda v: centred(v % t, t), otypes=[object])(values + 1))


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("shape,other", [
    ((3, 16), (3, 1)), ((3, 16), (1, 1)), ((3, 32), (3, 1)), ((16,), (3, 1)), ((3, 5), (3, 1)), ((1, 16), (4, 1)),
    ((2, 3, 16), (3, 1)), ((2, 3, 16), (2, 1, 1)), ((16,), (2, 2, 1)), ((3, 20), (3, 1)), ((5,), (2, 5)),
])  # fmt: skip
def test_a_constant_for_each_row(
    scheme: str, shape: tuple[int, ...], other: tuple[int, ...], rng: np.random.Generator
) -> None:
    keys = keys_of(scheme, (40961, 65537))
    for how in ({"encoding": "slots"}, {"encoding": "coefficients"}, {"layout": "replicated"}):
        x = cy.encrypt(rng.integers(-9, 10, shape), keys.public, bound=9, **how)
        w = rng.integers(-99, 100, other)
        for each in (w, np.full(other, 7)):
            result = x + each
            order = np.broadcast_to(np.arange(x.native.batch).reshape(_axes(x)), _axes(result)).ravel()
            same_bits([_core.take(channel, order.tolist()) for channel in x.native.channels], each, result)
            assert np.array_equal(cy.decrypt(result, keys.secret), cy.decrypt(x, keys.secret) + each)


def _axes(x: cy.EncryptedArray) -> tuple[int, ...]:
    """The axes that number ciphertexts."""
    if x.layout == "replicated":
        return x.shape
    width = x.parameters.degree if x.encoding == "coefficients" else x.parameters.slots
    return (*x.shape[:-1], -(-x.shape[-1] // width))


@pytest.mark.parametrize("scheme", SCHEMES)
def test_scalars_of_every_type(scheme: str, rng: np.random.Generator) -> None:
    keys = keys_of(scheme, (40961, 65537))
    x = cy.encrypt(rng.integers(0, 9, (2, 16)), keys.public, bound=9)
    same = [
        np.int8(3),
        np.uint64(3),
        np.array(3),
        np.array([3]),
        np.array([[3]], dtype=">i8"),
        np.array(3, dtype=object),
    ]
    for scalar in same:
        assert cy.to_bytes(x + scalar) == cy.to_bytes(x + 3), repr(scalar)
        assert cy.to_bytes(scalar + x) == cy.to_bytes(x + 3), repr(scalar)
        assert cy.to_bytes(x * scalar) == cy.to_bytes(x * 3), repr(scalar)
    assert cy.to_bytes(x + True) == cy.to_bytes(x + 1) == cy.to_bytes(x + np.bool_(True))
    for refused in (np.float64(3), 3.0, np.array(3.0), float("nan"), 1j, "3", None, np.datetime64("2026-01-01")):
        with pytest.raises(cy.errors.UnsupportedError):
            x + refused
    for empty in ([], np.zeros((0, 16), dtype=int)):
        with pytest.raises(cy.errors.ArgumentError):
            x + empty
    with pytest.raises(cy.errors.RangeError):
        x + (1 << 90)


def test_slots_of_phi_m_take_bits_and_elements(rng: np.random.Generator) -> None:
    keys = cy.keygen(cy.Parameters.suggest(bits=True, depth=1), rotations=[])
    slots = keys.public.parameters.slots
    for shape in ((slots,), (slots - 1,), (2, slots), (slots + 1,)):
        values = rng.integers(0, 2, shape)
        x = cy.encrypt(values, keys.public)
        for c in (1, 0):
            varied = values ^ c
            assert np.array_equal(cy.decrypt(x ^ c, keys.secret), varied)
        assert np.array_equal(cy.decrypt(~x, keys.secret), 1 - values)
        y = cy.encrypt(values, keys.public, wrap=True)
        assert np.array_equal(cy.decrypt(y ^ 9, keys.secret), values ^ 9)
