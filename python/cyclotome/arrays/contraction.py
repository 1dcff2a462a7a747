# SPDX-License-Identifier: Apache-2.0
"""Sums of products along named axes, and images' convolutions as matrices."""

from __future__ import annotations

import math
import string
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import ArgumentError, UnsupportedError
from ..numbers.values import IntArray, index, integers
from .array import EncryptedArray
from .plain import public_integers

__all__ = ["convolution_matrix", "einsum"]


def einsum(subscripts: str, *operands: Any) -> EncryptedArray:
    """Sums of products along named axes, as ``numpy.einsum``, at least one operand encrypted:
    ``cy.einsum("ij,j->i", weights, x)``. Computed as products of matrices where the axes allow it, else as products
    that are added up; more than two operands from left to right. Axes that trade places with a packed one, diagonals,
    and last axes of two packed arrays that differ cost what `EncryptedArray.transpose` says.

    Args:
        subscripts: a letter for each axis of each operand, and behind "->" those of the result; without "->" those that
            occur once, in alphabetical order. A letter twice in one operand is its diagonal. "..." stands for axes
            without names, which broadcast.
        operands: encrypted arrays and arrays of integers. What `plain` prepared is taken as integers.

    Raises:
        ArgumentError: subscripts that don't fit the operands or one another.
        UnsupportedError: no operand that is encrypted, and what the operations take that it is made of: values in
            coefficients don't move.
        NoiseError: the result could not be decrypted: each product of encrypted operands takes depth.

    Warns:
        PreparedWarning: an operand was prepared, and is encoded anew.

    Example:
        >>> import cyclotome as cy, numpy as np
        >>> secret, public, evaluation = cy.keygen(cy.Parameters.suggest(depth=1, value_bits=4, terms=8))
        >>> x = cy.encrypt([[1, 2, 3], [4, 5, 6]], public)
        >>> cy.decrypt(cy.einsum("ij,kj->ik", x, np.array([[1, 0, 1], [0, 1, 0]])), secret)
        array([[ 4,  2],
               [10,  5]])
    """
    if not any(isinstance(x, EncryptedArray) for x in operands):
        raise UnsupportedError("einsum: no operand is encrypted; numpy.einsum takes those that are not")
    values: list[Any] = [x if isinstance(x, EncryptedArray) else public_integers(x, "einsum") for x in operands]
    terms, out = _parsed(subscripts, values)
    for i, labels in enumerate(terms):
        values[i], terms[i] = _diagonal(values[i], labels)
    while len(values) > 2:
        left = "".join(terms[:2])
        kept = "".join(label for label in dict.fromkeys(left) if label in out + "".join(terms[2:]))
        values[:2] = [_contracted(values[:2], terms[:2], kept)]
        terms[:2] = [kept]
    result = _contracted(values, terms, out)
    assert isinstance(result, EncryptedArray)
    return result


def _contracted(values: list[Any], terms: list[str], out: str) -> Any:
    """One or two operands, each of whose axes has a name of its own."""
    if len(values) == 1:
        return _ordered(*_summed(values[0], terms[0], out), out)
    encrypted = [isinstance(x, EncryptedArray) for x in values]
    if not any(encrypted):
        exact = np.einsum(f"{','.join(terms)}->{out}", *(x.astype(object) for x in values))
        return integers(exact, "einsum")
    for i in (0, 1):  # what only one of them has, and the result has not
        values[i], terms[i] = _summed(values[i], terms[i], out + terms[1 - i])
    if all(encrypted):
        return _ordered(*_encrypted_product(values, terms, out), out)
    x, w = (0, 1) if encrypted[0] else (1, 0)
    return _ordered(*_plain_product(values[x], terms[x], values[w], terms[w], out), out)


def _named(text: str, terms: list[str], out: str | None, values: Sequence[Any]) -> tuple[list[str], str | None]:
    """Letters that nobody uses in place of "...", the same from the right."""
    unused = [c for c in string.ascii_letters if c not in text]
    extra = [x.ndim - len(term.replace("...", "")) for x, term in zip(values, terms, strict=True)]
    most = max((count for count, term in zip(extra, terms, strict=True) if "..." in term), default=0)
    if any(count < 0 for count in extra) or most > len(unused):
        raise ArgumentError(f"einsum: subscripts {text!r} do not fit operands of {[x.ndim for x in values]} axes")
    letters = "".join(unused[:most])
    named = [
        term.replace("...", letters[most - count :] if count else "") for term, count in zip(terms, extra, strict=True)
    ]
    if out is None and most:
        names = "".join(terms).replace("...", "")
        return named, letters + "".join(sorted(c for c in set(names) if names.count(c) == 1))
    return named, None if out is None else out.replace("...", letters)


def _parsed(subscripts: str, values: list[Any]) -> tuple[list[str], str]:
    """Names of axes; axes of length 1 that broadcast are taken from the values."""
    if not isinstance(subscripts, str):
        raise ArgumentError(f"einsum: subscripts {subscripts!r} are text, such as 'ij,j->i'")
    text = subscripts.replace(" ", "")
    left, arrow, right = text.partition("->")
    terms, out = left.split(","), right if arrow else None
    if not all(c.isalpha() for c in "".join([*terms, right]).replace("...", "")):
        raise ArgumentError(f"einsum: subscripts {subscripts!r} name axes by letters, and others together by '...'")
    if len(terms) != len(values):
        raise ArgumentError(f"einsum: subscripts {subscripts!r} of {len(terms)} operands, and {len(values)} are given")
    dotted = ["..." in term for term in terms]
    names = set(text.replace("...", ""))
    terms, out = _named(text, terms, out, values)
    if out is None:
        every = "".join(terms)
        out = "".join(sorted(c for c in set(every) if every.count(c) == 1))
    if len(set(out)) != len(out):
        raise ArgumentError(f"einsum: subscripts {subscripts!r} name an axis of the result twice")
    if any(len(term) != x.ndim for term, x in zip(terms, values, strict=True)):
        shapes = [x.shape for x in values]
        raise ArgumentError(f"einsum: subscripts {subscripts!r} do not fit operands of shapes {shapes}")
    lengths: dict[str, int] = {}
    for term, x in zip(terms, values, strict=True):
        for label, length in zip(term, x.shape, strict=True):
            broadcast = label not in names and 1 in (length, lengths.get(label, length))
            if lengths.setdefault(label, length) != length and not broadcast:
                raise ArgumentError(f"einsum: axis {label!r} of {subscripts!r} is {lengths[label]} and {length} long")
            lengths[label] = max(lengths[label], length)
    if any(label not in lengths for label in out):
        raise ArgumentError(f"einsum: the result of {subscripts!r} has an axis that no operand has")
    for i, (term, x) in enumerate(zip(terms, values, strict=True)):
        pairs = list(zip(term, x.shape, strict=True))
        stay = [(c, length) for c, length in pairs if not dotted[i] or c in names or length == lengths[c]]
        if len(stay) < len(pairs):
            terms[i], values[i] = "".join(c for c, _ in stay), x.reshape([length for _, length in stay])
    return terms, out


def _diagonal(x: Any, labels: str) -> tuple[Any, str]:
    """Along axes of one name."""
    for label in dict.fromkeys(labels):
        while labels.count(label) > 1:
            first = labels.index(label)
            second = labels.index(label, first + 1)
            x = x.diagonal(axis1=first, axis2=second)
            labels = labels[:first] + labels[first + 1 : second] + labels[second + 1 :] + label
    return x, labels


def _summed(x: Any, labels: str, kept: str) -> tuple[Any, str]:
    axes = tuple(i for i, label in enumerate(labels) if label not in kept)
    if not axes:
        return x, labels
    # Sums of int64 would wrap around modulo 2^64.
    total = x.sum(axis=axes) if isinstance(x, EncryptedArray) else integers(x.astype(object).sum(axis=axes), "einsum")
    return total, "".join(c for c in labels if c in kept)


def _ordered(x: EncryptedArray, labels: str, out: str) -> EncryptedArray:
    return x if labels == out else x.transpose(tuple(labels.index(label) for label in out))


def _packed(x: Any) -> bool:
    return isinstance(x, EncryptedArray) and x.ndim > 0 and x.layout == "packed"


def _aligned(x: Any, labels: str, order: str) -> Any:
    """x with its axes in this order, those it has not of length 1."""
    own = [label for label in order if label in labels]
    moved = x if list(labels) == own else x.transpose([labels.index(label) for label in own])
    lengths = dict(zip(own, moved.shape, strict=True))
    return moved.reshape([lengths.get(label, 1) for label in order])


def _elementwise(a: Any, la: str, b: Any, lb: str, out: str, last: str) -> tuple[EncryptedArray, str]:
    every = "".join(dict.fromkeys(out + la + lb))
    order = "".join(label for label in every if label != last) + last
    x, y = _aligned(a, la, order), _aligned(b, lb, order)
    axes = [i for i, label in enumerate(order) if label not in out]
    if axes and isinstance(x, EncryptedArray) and isinstance(y, EncryptedArray):
        return x.sum_of_products(y, axes), "".join(label for label in order if label in out)
    return _summed(x * y, order, out)


def _encrypted_product(values: list[Any], terms: list[str], out: str) -> tuple[EncryptedArray, str]:
    (a, b), (la, lb) = values, terms
    for x, lx, y, ly in ((a, la, b, lb), (b, lb, a, la)):
        shared = set(lx) & set(ly)
        if len(ly) == 2 and lx and shared == {lx[-1]} == {ly[0]} and lx[-1] not in out:
            return x @ y, lx[:-1] + ly[1]
    lasts = [labels[-1] for x, labels in ((a, la), (b, lb)) if _packed(x)]
    # Of two axes that lie within ciphertexts the result's last one stays there.
    last = next((label for label in lasts if out.endswith(label)), lasts[0] if lasts else "")
    return _elementwise(a, la, b, lb, out, last)


def _plain_product(x: EncryptedArray, lx: str, w: IntArray, lw: str, out: str) -> tuple[EncryptedArray, str]:
    shared = [label for label in lx if label in lw]
    if len(shared) == 1 and shared[0] not in out:
        label = shared[0]
        free = lw.replace(label, "")
        matrix = np.moveaxis(w, lw.index(label), -1)
        lengths = matrix.shape[:-1]
        rows = matrix.reshape(math.prod(lengths), -1)
        if label == lx[-1]:
            y, labels = x @ rows.T, lx[:-1]
            return y.reshape(*x.shape[:-1], *lengths), labels + free
        rest = lx.replace(label, "")
        y = rows @ _aligned(x, lx, rest[:-1] + label + rest[-1])
        return y.reshape(*y.shape[:-2], *lengths, y.shape[-1]), rest[:-1] + free + rest[-1]
    return _elementwise(x, lx, w, lw, out, lx[-1] if _packed(x) else "")


def convolution_matrix(shape: tuple[int, int], kernel: object, *, mode: str = "valid", stride: int = 1) -> IntArray:
    """The public matrix of a convolution of images with a kernel, as networks mean it (the kernel is not turned round):
    ``images.reshape(..., h * w) @ convolution_matrix((h, w), kernel)`` are the results, row after row. Best as a
    `Matrix`, which is prepared once.

    Args:
        shape: height and width of the images.
        kernel: integers with two axes.
        mode: "valid": where the kernel lies within the image; "same": as large as the image, with zeros around it.
        stride: takes every so-manieth row and column of results.

    Returns:
        Integers of shape (h w, number of results).

    Raises:
        ArgumentError: a kernel or an image without values, a kernel larger than the image, another mode or stride.

    Example:
        >>> import cyclotome as cy, numpy as np
        >>> edges = cy.convolution_matrix((3, 3), [[1, -1]])
        >>> (np.arange(9) ** 2 @ edges).reshape(3, 2)
        array([[ -1,  -3],
               [ -7,  -9],
               [-13, -15]])
    """
    weights = integers(kernel, "convolution_matrix")
    height, width = (index(length, "convolution_matrix: height and width") for length in shape)
    step = index(stride, "convolution_matrix: a stride")
    if weights.ndim != 2 or weights.size == 0 or mode not in ("valid", "same") or step < 1:
        raise ArgumentError(
            f"convolution_matrix: a kernel of shape {weights.shape}, mode {mode!r}, stride {step}; kernels have two "
            "axes, modes are 'valid' and 'same', strides at least 1"
        )
    rows, columns = weights.shape
    top, left = ((rows - 1) // 2, (columns - 1) // 2) if mode == "same" else (0, 0)
    tall, wide = (height, width) if mode == "same" else (height - rows + 1, width - columns + 1)
    if min(height, width, tall, wide) < 1:
        raise ArgumentError(f"convolution_matrix: a kernel of shape {weights.shape} on images of {height} x {width}")
    ys, xs = np.meshgrid(np.arange(0, tall, step), np.arange(0, wide, step), indexing="ij")
    matrix = np.zeros((height * width, ys.size), dtype=weights.dtype)
    for i in range(rows):
        for j in range(columns):
            y, x = ys.ravel() + i - top, xs.ravel() + j - left
            inside = (y >= 0) & (y < height) & (x >= 0) & (x < width)
            matrix[(y * width + x)[inside], np.flatnonzero(inside)] = weights[i, j]
    return matrix
