# SPDX-License-Identifier: Apache-2.0
"""Sums of products along named axes, and convolutions of images, against NumPy."""

from __future__ import annotations

from typing import Any

import cyclotome as cy
import numpy as np
import pytest
from small import decrypted, encrypted

LENGTHS = {"i": 2, "j": 3, "k": 4, "l": 5, "m": 20}


def numbers(labels: str, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(-9, 10, [LENGTHS[c] for c in labels])


def matches(y: cy.EncryptedArray, expected: Any) -> None:
    assert y.shape == np.shape(expected)
    np.testing.assert_array_equal(decrypted(y), expected)


@pytest.mark.parametrize("layout", ["packed", "replicated"])
@pytest.mark.parametrize(
    "subscripts",
    ["ij->ji", "ij->j", "ij->", "ij", "ji", "ijk->ki", "m->", "ijm->mi"],
)
def test_one_operand(subscripts: str, layout: str) -> None:
    a = numbers(subscripts.split("->")[0], 1)
    matches(cy.einsum(subscripts, encrypted(a, 9, layout=layout)), np.einsum(subscripts, a))


TWO = [
    "ij,j->i", "ij,kj->ik", "kj,ij->ik", "ij,ij->ij", "ij,ij->", "ij,ij->i", "ij,ij->j", "ij,ik->jk", "ij,jk",
    "jk,ij->ik",    "i,j->ij", "i,j->ji", "m,lm->l", "lm,m->l", "ijm,jm->im", "ij,jkl->ikl",
    "ijk,j->ik", "ij,kl->jl", "i,i", "ij,->ij",
]  # fmt: skip


@pytest.mark.parametrize("layout", ["packed", "replicated"])
@pytest.mark.parametrize("subscripts", TWO)
def test_public_with_encrypted_operands(subscripts: str, layout: str) -> None:
    left, right = subscripts.split("->")[0].split(",")
    a, b = numbers(left, 1), numbers(right, 2)
    expected = np.einsum(subscripts, a, b)
    x, y = encrypted(a, 9, layout=layout), encrypted(b, 9, layout=layout)
    matches(cy.einsum(subscripts, x, b), expected)
    matches(cy.einsum(subscripts, a, y), expected)


@pytest.mark.parametrize("layout", ["packed", "replicated"])
@pytest.mark.parametrize("subscripts", TWO)
def test_encrypted_operands(subscripts: str, layout: str) -> None:
    left, right = subscripts.split("->")[0].split(",")
    a, b = numbers(left, 1), numbers(right, 2)
    x, y = encrypted(a, 9, layout=layout), encrypted(b, 9, layout=layout)
    try:
        found = cy.einsum(subscripts, x, y)
    except cy.errors.UnsupportedError as error:
        assert layout == "packed" and "both lie within ciphertexts" in str(error)
        return
    matches(found, np.einsum(subscripts, a, b))


@pytest.mark.parametrize(
    ("subscripts", "error"),
    [
        ("ij,jk->il", "ArgumentError"), ("ij->i", "ArgumentError"), ("i,jk->i", "ArgumentError"),
        ("ij,ij,ij->i", "ArgumentError"), ("ii,jk->i", "UnsupportedError"), ("i...,jk->i", "UnsupportedError"),
        ("ij,kj->ik", "ArgumentError"),
    ],
)  # fmt: skip
def test_subscripts_that_do_not_fit(subscripts: str, error: str) -> None:
    x = encrypted(numbers("ij", 1), 9)
    with pytest.raises(getattr(cy.errors, error)):
        cy.einsum(subscripts, x, numbers("ij", 1).T)


def test_operands_that_are_not_taken() -> None:
    for operands in ([np.ones((2, 3), int)], [], [encrypted([1], 1)] * 3):
        with pytest.raises(cy.errors.UnsupportedError):
            cy.einsum("ij->i", *operands)
    with pytest.raises(cy.errors.UnsupportedError):
        cy.einsum("i,i", encrypted([1], 1), [0.5])


def convolved(image: np.ndarray, kernel: np.ndarray, mode: str, stride: int) -> np.ndarray:
    rows, columns = kernel.shape
    if mode == "same":
        above, left = (rows - 1) // 2, (columns - 1) // 2
        image = np.pad(image, ((above, rows - 1 - above), (left, columns - 1 - left)))
    windows = np.lib.stride_tricks.sliding_window_view(image, kernel.shape)
    return np.einsum("yxij,ij->yx", windows, kernel)[::stride, ::stride]


@pytest.mark.parametrize("mode", ["valid", "same"])
@pytest.mark.parametrize("stride", [1, 2, 3])
@pytest.mark.parametrize("kernel", [(1, 1), (2, 3), (3, 3), (4, 1)], ids=str)
def test_images(kernel: tuple[int, int], stride: int, mode: str) -> None:
    rng = np.random.default_rng(5)
    images, weights = rng.integers(-9, 10, (2, 5, 6)), rng.integers(-3, 4, kernel)
    matrix = cy.convolution_matrix((5, 6), weights, mode=mode, stride=stride)
    expected = np.stack([convolved(image, weights, mode, stride).ravel() for image in images])
    x = encrypted(images.reshape(2, 30), 9)
    matches(x @ matrix, expected)
    matches(x @ cy.Matrix(matrix, x.parameters, device=x.device), expected)


@pytest.mark.parametrize(
    "wrong", [{"mode": "full"}, {"stride": 0}, {"kernel": np.ones((7, 1), int)}, {"kernel": [1]}], ids=str
)
def test_convolutions_that_there_are_not(wrong: dict[str, Any]) -> None:
    told = {"kernel": [[1, 2]], **wrong}
    with pytest.raises(cy.errors.ArgumentError):
        cy.convolution_matrix((5, 6), told.pop("kernel"), **told)
