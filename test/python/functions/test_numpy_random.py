# SPDX-License-Identifier: Apache-2.0
"""Every function of NumPy's that encrypted arrays answer, with random operands and arguments, beside NumPy itself: the
same numbers of the same shape, or a typed refusal; and where NumPy refuses, a refusal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cache
from typing import Any

import cyclotome as cy
import numpy as np
import pytest
from cyclotome.errors import CyclotomeError, UnsupportedError
from cyclotome.functions import numpy_functions
from small import keys
from test_bits import parameters_of

MADE = keys((40961, 65537, 114689))
LETTERS = "ijk"


@cache
def ordered() -> cy.Keys:
    """For comparisons: a plaintext modulus of few values, without security."""
    primes = cy.bfv.find_primes(16, [50] * 17, [257])
    options: dict[str, Any] = {"security": 0, "allow_insecure": True}
    return cy.keygen(
        cy.Parameters(degree=16, plain_moduli=[257], moduli=primes[:16], special_moduli=primes[16:], **options)
    )


class Drawn:
    """Operands, in the clear and encrypted."""

    def __init__(self, rng: np.random.Generator, made: cy.Keys = MADE, bound: int = 9) -> None:
        self.rng, self.made, self.bound = rng, made, bound

    def shape(self, most: int = 3) -> tuple[int, ...]:
        return tuple(int(n) for n in self.rng.integers(1, 4, int(self.rng.integers(0, most + 1))))

    def pair(self, shape: tuple[int, ...], low: int | None = None, high: int | None = None, **options: Any) -> Any:
        """The same numbers twice: encrypted (or not, one time in four), and in the clear."""
        least, largest = -self.bound if low is None else low, self.bound if high is None else high
        values = np.asarray(self.rng.integers(least, largest + 1, shape))
        if not options and self.rng.random() < 0.25:
            return values, values
        options.setdefault("layout", str(self.rng.choice(["packed", "replicated"])) if shape else "replicated")
        if options.get("encoding") == "coefficients":
            options["layout"] = "packed"
        x = cy.encrypt(values, self.made.public, bound=(least, largest), **options)
        return x.with_keys(self.made.evaluation), values

    def one(self, *choices: Any) -> Any:
        return choices[int(self.rng.integers(len(choices)))]

    def axis(self, axes: int) -> Any:
        return self.one(None, *range(-axes - 1, axes + 1))


Call = tuple[Callable[..., Any], tuple[Any, ...], tuple[Any, ...], dict[str, Any]]


def sums(d: Drawn) -> Call:
    x, values = d.pair(d.shape(), layout="packed")
    axes = values.ndim
    axis = d.one(d.axis(axes), tuple(d.rng.permutation(axes)[: int(d.rng.integers(0, axes + 1))].tolist()), (0, 0))
    return np.sum, (x,), (values,), d.one({}, {"axis": axis}, {"axis": axis, "keepdims": d.one(True, False)})


def dots(d: Drawn) -> Call:
    a, b = d.pair(d.shape()), d.pair(d.shape())
    return np.dot, (a[0], b[0]), (a[1], b[1]), {}


def concatenations(d: Drawn) -> Call:
    shape = d.shape()
    every = [d.pair(d.one(shape, d.shape()) if d.rng.random() < 0.2 else shape, layout="packed") for _ in range(2)]
    options = d.one({}, {"axis": d.axis(len(shape))})
    return d.one(np.concatenate, np.stack), ([x for x, _ in every],), ([v for _, v in every],), options


def transpositions(d: Drawn) -> Call:
    x, values = d.pair(d.shape(), layout="packed")
    axes = d.rng.permutation(values.ndim).tolist()
    return np.transpose, (x,), (values,), d.one({}, {"axes": d.one(axes, tuple(axes), None, [0, 0], [-1])})


def reshapes(d: Drawn) -> Call:
    x, values = d.pair(d.shape(), layout="packed")
    shape = d.one(-1, values.size, values.shape[::-1], (1, -1), (-1, 1), (2, -1), (), (values.size, 1), (-1, -1))
    return np.reshape, (x, shape), (values, shape), d.one({}, {}, {"order": "F"}, {"order": "C"})


def choices(d: Drawn) -> Call:
    shape, (low, high) = d.shape(2), d.one((0, 1), (0, 1), (0, 1), (-1, 1), (0, 5), (1, 1), (0, 0))
    mask = d.pair(d.one(shape, shape[-1:], ()), low, high, layout="replicated")
    x, y = (d.pair(shape, layout="replicated") if d.rng.random() < 0.7 else (n, n) for n in (7, -2))
    return np.where, (mask[0], x[0], y[0]), (mask[1], x[1], y[1]), {}


def polynomials(d: Drawn) -> Call:
    x, values = d.pair(d.shape(2), layout="packed")
    row = d.one([2, -3, 5], [4], np.array([1, 0]), [], 3, [[1, 2]], [0, 0])
    return np.polyval, (row, x), (row, values), {}


def convolutions(d: Drawn) -> Call:
    shape = d.one((1,), (3,), (4,), (2, 3), ())
    x, values = d.pair(shape, encoding="coefficients") if shape else d.pair(())
    other = d.one([1, -2], [3], [1, 2, 3, 4, 5], [[1]], 2, [])
    both = [(x, other), (values, other)] if d.rng.random() < 0.5 else [(other, x), (other, values)]
    return np.convolve, *both, d.one({}, {"mode": "full"}, {"mode": "same"}, {"mode": "valid"})


def contractions(d: Drawn) -> Call:
    lengths = {label: int(d.rng.integers(1, 4)) for label in LETTERS}
    terms = ["".join(d.rng.choice(list(LETTERS), int(d.rng.integers(1, 3)))) for _ in range(int(d.rng.integers(1, 3)))]
    text = ",".join(terms)
    if d.rng.random() < 0.7:
        out = sorted(set("".join(terms)))
        text += "->" + "".join(d.rng.permutation(out)[: int(d.rng.integers(0, len(out) + 1))].tolist())
    every = [d.pair(tuple(lengths[label] for label in term), layout="packed") for term in terms]
    if d.rng.random() < 0.2:
        text = d.one("...i->...", "i...,i...", "ii->i", "i,i", "i->j", "ij->ji", "i,j->ji")
    return np.einsum, (text, *[x for x, _ in every]), (text, *[v for _, v in every]), {}


def facts(d: Drawn) -> Call:
    x, values = d.pair(d.shape(), layout="packed")
    return d.one(np.ndim, np.shape, np.size, np.mean), (x,), (values,), d.one({}, {}, {"axis": 0})


def orders(d: Drawn) -> Call:
    d = Drawn(d.rng, ordered(), 3)
    x, values = d.pair(d.one((3,), (2, 2), (2, 1), ()), layout=str(d.one("packed", "replicated")))
    return d.one(np.sort, np.argmax, np.argmin), (x,), (values,), d.one({}, {"axis": d.axis(values.ndim)})


#: How many of each: those of comparisons are slow.
DRAWS = {
    sums: 150, dots: 250, concatenations: 150, transpositions: 100, reshapes: 150, choices: 250, polynomials: 100,
    convolutions: 120, contractions: 200, facts: 60, orders: 60,
}  # fmt: skip


def outcome(function: Callable[..., Any], arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """What NumPy itself says; None where it refuses."""
    try:
        return np.asarray(function(*arguments, **options))
    except (ValueError, TypeError, IndexError):
        return None


@pytest.mark.slow
@pytest.mark.parametrize("draw", DRAWS, ids=lambda draw: draw.__name__)
def test_what_numpy_says(draw: Callable[[Drawn], Call], rng: np.random.Generator) -> None:
    counts: Counter[str] = Counter()
    for _ in range(DRAWS[draw]):
        function, given, clear, options = draw(Drawn(rng))
        every = [each for x in given for each in (x if isinstance(x, list) else [x])]
        if not any(isinstance(each, cy.EncryptedArray) for each in every):
            continue
        what = f"{function.__name__}({', '.join(str(getattr(x, 'shape', x)) for x in clear)}, {options})"
        made = ordered() if draw is orders else MADE
        try:
            got = function(*given, **options)
        except CyclotomeError:
            counts["refused"] += 1
            continue
        except TypeError:  # NumPy's own, for an argument that it does not have
            assert outcome(function, clear, options) is None, what
            continue
        wanted = outcome(function, clear, options)
        assert wanted is not None, f"{what}: NumPy refuses it"
        found = np.asarray(cy.decrypt(got, made.secret) if isinstance(got, cy.EncryptedArray) else got)
        assert found.shape == wanted.shape and np.array_equal(found, wanted), f"{what}\n{clear}\n{found}\n{wanted}"
        counts["answered"] += 1
    print(dict(counts))
    assert counts["answered"] > 3, counts


def test_every_function_is_drawn(rng: np.random.Generator) -> None:
    drawn: set[Any] = set()
    for draw in DRAWS:
        drawn |= {draw(Drawn(rng))[0] for _ in range(40)}
    assert drawn == set(numpy_functions.answered())


def test_where_takes_zeros_and_ones_only() -> None:
    x = cy.encrypt([0, 1, 2, 5], MADE.public, bound=(0, 5))
    for odd in (x, x - 5, cy.encrypt([0, 1], MADE.public, bound=1), cy.encrypt([0, 1], MADE.public, wrap=True)):
        with pytest.raises(UnsupportedError, match=r"cy\.is_zero"):
            np.where(odd, 10, 20)
    bits = cy.encrypt([0, 1, 1], MADE.public, bound=(0, 1))
    for mask, clear in ((bits, [0, 1, 1]), (1 - bits, [1, 0, 0])):
        assert cy.decrypt(np.where(mask, 10, 20), MADE.secret).tolist() == np.where(clear, 10, 20).tolist()


def test_bits_are_not_counted() -> None:
    """NumPy's sum of booleans is how many are true, and its dot product "or": sums modulo 2 are neither."""
    made = cy.keygen(parameters_of(105), rotations=[])
    x = cy.encrypt([[1, 0], [1, 1]], made.public)
    assert x.is_bits
    for count in (
        lambda: np.sum(x), lambda: np.sum(x, axis=0), lambda: np.dot([1, 1], x), lambda: np.einsum("ij->j", x),
        lambda: np.polyval([1, 1], x), lambda: np.sort(x, axis=0), lambda: np.argmax(x, axis=0),
    ):  # fmt: skip
        with pytest.raises(UnsupportedError, match="modulo 2"):
            count()
    assert cy.decrypt(x.sum(0), made.secret).astype(int).tolist() == [0, 1]
    assert cy.decrypt(np.stack([x, x]), made.secret).shape == (2, 2, 2)
