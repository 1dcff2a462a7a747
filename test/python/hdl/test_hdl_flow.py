# SPDX-License-Identifier: Apache-2.0
"""Streams compute what integers compute; ranges are exact, delays balance, and false claims about ranges are caught."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import kernels
import numpy as np
import pytest
from cyclotome.errors import ArgumentError
from cyclotome_hdl.blocks.block import shape_of
from cyclotome_hdl.kernels.arithmetic import low_product, multiples, product, signed_digits, total
from cyclotome_hdl.kernels.flow import Kernel, Stream, back, choose, join
from oracles.integers import random_below

#: Ranges of two operands: unsigned, signed, wider than one carry, not powers of two.
RANGES = [
    ((0, 2**64 - 1), (0, 2**64 - 1)),
    ((-(2**70), 2**70), (0, 2**150)),
    ((-5, 1000), (-(2**200), 3)),
    ((0, 2**128), (-(2**128), 2**128)),
]


class Formula(Kernel):
    """A kernel of two inputs, x and y, with the outputs that ``formula`` names."""

    def __init__(
        self, x: tuple[int, int], y: tuple[int, int], formula: Callable[[Stream, Stream], dict[str, Stream]]
    ) -> None:
        super().__init__("formula")
        for name, stream in formula(self.input("x", *x), self.input("y", *y)).items():
            self.output(name, stream)


def drawn(rng: np.random.Generator, bounds: tuple[int, int], count: int = 40) -> list[int]:
    low, high = bounds
    return [low, high, max(low, min(high, 0)), *(low + each for each in random_below(rng, high - low + 1, count))]


@pytest.mark.parametrize(("x_range", "y_range"), RANGES)
def test_sums_and_products_of_any_width(
    x_range: tuple[int, int], y_range: tuple[int, int], rng: np.random.Generator
) -> None:
    kernel = Formula(
        x_range,
        y_range,
        lambda x, y: {"sum": x + y, "difference": x - y, "reverse": 7 - y, "product": product(x, y), "half": x >> 3},
    )
    vectors = [{"x": x, "y": y} for x, y in zip(drawn(rng, x_range), drawn(rng, y_range), strict=True)]
    vectors += [{"x": x, "y": y} for x, y in itertools.product(x_range, y_range)]
    expected = [
        {"sum": x + y, "difference": x - y, "reverse": 7 - y, "product": x * y, "half": x >> 3}
        for x, y in ((each["x"], each["y"]) for each in vectors)
    ]
    assert kernels.outputs(kernel, vectors) == expected


def test_sums_of_shifted_terms_of_both_signs(rng: np.random.Generator) -> None:
    factor = 0x809F0001F1
    bounds = (-(2**40), 2**44)
    kernel = Formula(
        bounds, (0, 2**50), lambda x, y: {"z": total([*multiples(x, factor), *multiples(y, 3, negative=True)])}
    )
    vectors = [{"x": x, "y": y} for x, y in zip(drawn(rng, bounds), drawn(rng, (0, 2**50)), strict=True)]
    assert [each["z"] for each in kernels.outputs(kernel, vectors)] == [v["x"] * factor - 3 * v["y"] for v in vectors]


def test_signed_digits_are_canonical() -> None:
    for value in range(600):
        digits = signed_digits(value)
        assert sum((-1) ** minus * 2**shift for shift, minus in digits) == value
        assert all(second - first > 1 for (first, _), (second, _) in itertools.pairwise(digits))


def test_low_product(rng: np.random.Generator) -> None:
    bounds = (0, 2**63 - 1)
    kernel = Formula(bounds, bounds, lambda x, y: {"z": low_product(x, y, 50)})
    vectors = [{"x": x, "y": y} for x, y in zip(drawn(rng, bounds), drawn(rng, bounds), strict=True)]
    assert [each["z"] for each in kernels.outputs(kernel, vectors)] == [v["x"] * v["y"] % 2**50 for v in vectors]


@pytest.mark.parametrize("ticks", [1, 2, 31, 32, 33, 100])
def test_back_looks_at_earlier_values_at_no_latency(ticks: int) -> None:
    kernel = Formula((-9, 500), (0, 500), lambda x, y: {"z": back(x, ticks) - y})
    assert kernel.latency == 1
    values = list(range(-9, 300))
    results = kernels.outputs(kernel, [{"x": x, "y": 1} for x in values])
    assert [each["z"] for each in results] == [-1] * ticks + [x - 1 for x in values[: len(values) - ticks]]


def test_paths_of_different_latency_meet_at_the_right_tick() -> None:
    kernel = Formula((0, 99), (0, 99), lambda x, y: {"z": x.delayed(40) - y, "w": join(x.bits(0, 3), y, 3)})
    vectors = [{"x": tick % 100, "y": tick % 7} for tick in range(60)]
    assert kernels.outputs(kernel, vectors) == [{"z": v["x"] - v["y"], "w": v["x"] % 8 + 8 * v["y"]} for v in vectors]
    assert kernel.latency == 41


def test_a_false_claim_is_caught() -> None:
    honest = Formula((0, 99), (0, 99), lambda x, y: {"z": (x + y).within(0, 150)})
    assert kernels.outputs(honest, [{"x": 99, "y": 51}]) == [{"z": 150}]
    with pytest.raises(AssertionError, match="left \\[0, 150\\]"):
        kernels.outputs(honest, [{"x": 99, "y": 52}, {"x": 0, "y": 0}])


def test_choose_and_negative() -> None:
    kernel = Formula((-9, 9), (0, 9), lambda x, y: {"z": choose(x.negative, y, x).delayed(), "m": y.masked(x.negative)})
    vectors = [{"x": x, "y": y} for x in (-9, -1, 0, 9) for y in (0, 9)]
    assert kernels.outputs(kernel, vectors) == [
        {"z": v["y"] if v["x"] < 0 else v["x"], "m": v["y"] if v["x"] < 0 else 0} for v in vectors
    ]


@pytest.mark.parametrize(
    ("low", "high", "width", "signed"), [(0, 0, 1, False), (0, 2**64, 65, False), (-1, 0, 1, True), (-4, 4, 4, True)]
)
def test_shapes_are_the_narrowest(low: int, high: int, width: int, signed: bool) -> None:
    shape = shape_of(low, high)
    assert (shape.width, shape.signed) == (width, signed)


def test_refusals() -> None:
    kernel = Kernel("refusals")
    x = kernel.input("x", -5, 5)
    inner = Formula((0, 3), (0, 3), lambda x, y: {"z": x + y})
    for action, message in [
        (lambda: kernel.input("x", 0, 1), "has a port x already"),
        (lambda: back(x, 0), "back\\(0\\)"),
        (lambda: join(x, x, 3), "does not fit into 3 unsigned bits"),
        (lambda: shape_of(1, 0), "empty"),
        (lambda: kernel.place(inner, "inner", {"x": x, "y": x}), "takes \\[0, 3\\]"),
        (lambda: total([]), "no terms"),
    ]:
        with pytest.raises(ArgumentError, match=message):
            action()
