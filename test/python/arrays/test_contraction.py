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
    matches(cy.einsum(subscripts, x, y), np.einsum(subscripts, a, b))


def same_of(subscripts: str, *shapes: tuple[int, ...], layout: str = "packed", plain: int = -1) -> None:
    values = [np.random.default_rng(i).integers(-3, 4, shape) for i, shape in enumerate(shapes)]
    operands = [v if i == plain else encrypted(v, 3, layout=layout) for i, v in enumerate(values)]
    matches(cy.einsum(subscripts, *operands), np.einsum(subscripts, *values))


@pytest.mark.parametrize("layout", ["packed", "replicated"])
def test_diagonals(layout: str) -> None:
    for subscripts, shapes in (
        ("ii->i", [(3, 3)]), ("ii", [(3, 3)]), ("iij->ij", [(3, 3, 2)]), ("iji->ij", [(3, 2, 3)]),
        ("iii->i", [(2, 2, 2)]), ("ii,i->i", [(3, 3), (3,)]), ("ii,ij->j", [(3, 3), (3, 2)]),
    ):  # fmt: skip
        same_of(subscripts, *shapes, layout=layout)
        for plain in range(len(shapes)):
            if len(shapes) > 1:
                same_of(subscripts, *shapes, layout=layout, plain=plain)
    x = encrypted(np.arange(12).reshape(3, 4), 12, layout=layout)
    matches(x.diagonal(), np.arange(12).reshape(3, 4).diagonal())
    matches(x.diagonal(axis1=1, axis2=0), np.arange(12).reshape(3, 4).diagonal())
    for wrong in ((0, 0), (0, 2), ("a", 1)):
        with pytest.raises(cy.errors.ArgumentError):
            x.diagonal(axis1=wrong[0], axis2=wrong[1])  # type: ignore[arg-type]


@pytest.mark.parametrize("layout", ["packed", "replicated"])
def test_axes_without_names(layout: str) -> None:
    for subscripts, shapes in (
        ("...j->...", [(2, 3, 4)]), ("i...->...i", [(2, 3)]), ("...ij,...jk->...ik", [(2, 2, 3), (2, 3, 4)]),
        ("...,...->...", [(2, 3), (3,)]), ("...i,i", [(2, 3), (3,)]), ("...i,...i->...", [(2, 3), (1, 3)]),
        ("i...,i...->...", [(3, 2), (3, 1)]), ("...,", [(2, 3), ()]),
    ):  # fmt: skip
        for plain in (-1, 0, 1) if len(shapes) > 1 else (-1,):
            same_of(subscripts, *shapes, layout=layout, plain=plain)


@pytest.mark.parametrize("layout", ["packed", "replicated"])
def test_several_operands(layout: str) -> None:
    for plain in (0, 1, 2):
        same_of("ij,jk,k->i", (2, 3), (3, 4), (4,), layout=layout, plain=plain)
        same_of("i,i,i->", (3,), (3,), (3,), layout=layout, plain=plain)
    a, b, c = (np.random.default_rng(i).integers(-3, 4, (2, 2)) for i in range(3))
    matches(cy.einsum("ij,jk,kl->il", a, b, encrypted(c, 3)), a @ b @ c)
    with pytest.raises(cy.errors.UnsupportedError, match="encrypted"):
        cy.einsum("ij,jk,kl->il", a, b, c)


@pytest.mark.parametrize(
    ("subscripts", "error"),
    [
        ("ij,jk->il", "ArgumentError"), ("ij->i", "ArgumentError"), ("i,jk->i", "ArgumentError"),
        ("ij,ij,ij->i", "ArgumentError"), ("ii,jk->i", "ArgumentError"), ("ijk...,jk->i", "ArgumentError"),
        ("ij,kj->ik", "ArgumentError"), ("ij,jk->ii", "ArgumentError"), ("i.,jk->i", "ArgumentError"),
        ("i*,jk->i", "ArgumentError"), (3, "ArgumentError"),
    ],
)  # fmt: skip
def test_subscripts_that_do_not_fit(subscripts: str, error: str) -> None:
    x = encrypted(numbers("ij", 1), 9)
    with pytest.raises(getattr(cy.errors, error)):
        cy.einsum(subscripts, x, numbers("ij", 1).T)


def test_operands_that_are_not_taken() -> None:
    for operands in ([np.ones((2, 3), int)], []):
        with pytest.raises(cy.errors.UnsupportedError):
            cy.einsum("ij->i", *operands)
    with pytest.raises(cy.errors.ArgumentError):
        cy.einsum("ij->i", *[encrypted([1], 1)] * 3)
    x = encrypted(np.ones((2, 3), int), 1, encoding="coefficients")
    with pytest.raises(cy.errors.UnsupportedError, match="coefficients"):
        cy.einsum("ij->ji", x)
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
