# SPDX-License-Identifier: Apache-2.0
"""The interval that holds an array's values: every operation's holds what NumPy computes of any values within its
operands', at their ends too; it is no wider than interval arithmetic makes it, and files keep it."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import cyclotome as cy
import numpy as np
import pytest
from crafted_files import description, signed, taken_apart, with_section, words
from numpy.typing import NDArray
from small import keys

Interval = tuple[int, int]


def made() -> cy.Keys:
    return keys((65537,))


def encrypted(values: object, interval: Interval, **options: Any) -> cy.EncryptedArray:
    return cy.encrypt(values, made().public, bound=interval, **options)


def opened(x: Any) -> NDArray[Any]:
    return np.asarray(cy.decrypt(x, made().secret))


def within(values: NDArray[Any], x: cy.EncryptedArray) -> bool:
    assert x.interval is not None and x.bound == max(map(abs, x.interval))
    return bool((values >= x.interval[0]).all() and (values <= x.interval[1]).all())


def drawn(rng: np.random.Generator, shape: tuple[int, ...], interval: Interval) -> NDArray[np.int64]:
    """Values within an interval, its ends among them."""
    values: NDArray[np.int64] = rng.integers(interval[0], interval[1] + 1, shape)
    values.flat[0], values.flat[-1] = interval
    return values


def some_interval(rng: np.random.Generator, most: int) -> Interval:
    low, high = sorted(int(end) for end in rng.integers(-most, most + 1, 2))
    return rng.choice(np.array([(low, high), (0, abs(high)), (-abs(low), 0), (high, high)])).tolist()  # type: ignore


#: Of two encrypted operands, and a public one.
CALLS: list[Callable[[Any, Any, Any], Any]] = [
    lambda p, q, w: p + q,
    lambda p, q, w: p - q,
    lambda p, q, w: p * q,
    lambda p, q, w: -p,
    lambda p, q, w: p + w,
    lambda p, q, w: w - p,
    lambda p, q, w: p - w,
    lambda p, q, w: p * w,
    lambda p, q, w: 7 - p,
    lambda p, q, w: p * -3,
    lambda p, q, w: p.sum(axis=0),
    lambda p, q, w: p.sum(axis=1),
    lambda p, q, w: p.sum(),
    lambda p, q, w: (p * q).sum(axis=0),
    lambda p, q, w: p[:, ::-1],
    lambda p, q, w: p[1:],
    lambda p, q, w: p.reshape(15),
    lambda p, q, w: abs(w) @ p.T,
    lambda p, q, w: p @ w.T,
]


@pytest.mark.parametrize("layout", ["packed", "replicated"])
def test_operations_on_arrays(rng: np.random.Generator, layout: str) -> None:
    for _ in range(12):
        first, second = some_interval(rng, 30), some_interval(rng, 30)
        a, b = drawn(rng, (3, 5), tuple(first)), drawn(rng, (3, 5), tuple(second))
        w = drawn(rng, (3, 5), tuple(some_interval(rng, 30)))
        x, y = encrypted(a, first, layout=layout), encrypted(b, second, layout=layout)
        for call in CALLS:
            result, expected = call(x, y, w), np.asarray(call(a, b, w))
            assert np.array_equal(opened(result), expected) and within(expected, result)
        joined = cy.concatenate([x, y])
        assert np.array_equal(opened(joined), np.concatenate([a, b])) and within(np.concatenate([a, b]), joined)


def test_sums_differences_and_products_are_as_tight_as_can_be() -> None:
    ends = (-4, -1, 0, 2, 5)
    intervals = [(low, high) for low, high in product(ends, ends) if low <= high]
    for first, second in product(intervals, intervals):
        x, y = encrypted([first[0]], first), encrypted([second[1]], second)
        corners = list(product(first, second))
        for result, values in (
            (x + y, [a + b for a, b in corners]),
            (x - y, [a - b for a, b in corners]),
            (x * y, [a * b for a, b in corners]),
            (3 - x, [3 - a for a in first]),
        ):
            assert result.interval == (min(values), max(values))


def test_bits_stay_bits() -> None:
    x = encrypted([0, 1, 1], (0, 1))
    for result, expected in ((1 - x, [1, 0, 0]), (1 - (1 - x), [0, 1, 1]), (x * (1 - x), [0, 0, 0])):
        assert result.interval == (0, 1) and opened(result).tolist() == expected
    assert (x - 1).interval == (-1, 0) and (255 - encrypted([9], (0, 255))).interval == (0, 255)
    assert (1 - x).sum().interval == (0, 3)
    picked = cy.where(1 - x, 5, 9)
    assert picked.interval == (5, 9) and opened(picked).tolist() == [5, 9, 9]


@pytest.mark.parametrize("layout", ["packed", "replicated"])
def test_sums_of_rows_that_selections_mix(layout: str) -> None:
    """A row of what is chosen value by value, or put in order, has values of several rows: their sums add up."""
    one, other = np.array([[1, 0, 0], [0, 1, 0]]), np.array([[0, 0, 1], [0, 0, 1]])
    x, y = (encrypted(values, (0, 1), l1_bound=1, layout=layout) for values in (one, other))
    choice = np.array([[1, 1, 0], [0, 1, 0]])
    each, rows = encrypted(choice, (0, 1)), encrypted([[1], [0]], (0, 1), layout="replicated")
    for result, expected in (
        (cy.where(each, x, y), np.where(choice == 1, one, other)),
        (cy.where(each, x, other), np.where(choice == 1, one, other)),
        (cy.where(each, one, other), np.where(choice == 1, one, other)),
        (cy.maximum(x, y), np.maximum(one, other)),
        (cy.sort(x, axis=0), np.sort(one, axis=0)),
        (cy.top_k(x, 1, axis=0), one.max(axis=0, keepdims=True)),
        (cy.where(rows, x, y), np.array([one[0], other[1]])),
    ):
        assert np.array_equal(opened(result), expected)
        assert result.l1_bound is not None and result.l1_bound >= abs(expected).sum(axis=-1).max()
    assert cy.where(rows, x, y).l1_bound == 1  # whole rows stay what they are
    table = [30000, 30000, 30000]
    assert np.array_equal(opened(x @ table), one @ table)
    with pytest.raises(cy.errors.RangeError):  # 60000 wraps around modulo 65537
        cy.maximum(x, y) @ table


def test_zeros_that_become_values() -> None:
    for interval, wider in (((5, 9), (0, 9)), ((-9, -5), (-9, 0)), ((-1, 2), (-1, 2))):
        x = encrypted([interval[0], interval[1]], interval).padded()
        assert x.interval == wider and opened(x).tolist() == [interval[0], interval[1]] + [0] * 14
        turned = x.rotate_rows(1)
        assert turned.interval == wider and opened(turned).tolist()[0] == interval[1]


def test_functions_of_values_in_an_interval(rng: np.random.Generator) -> None:
    for interval in ((-3, 12), (5, 9), (-7, -2), (0, 15), (4, 4)):
        a, b = drawn(rng, (9,), interval), drawn(rng, (9,), (-2, 6))
        x, y = encrypted(a, interval), encrypted(b, (-2, 6))
        for result, expected in (
            (cy.polyval([1, -3, 2], x), a * a - 3 * a + 2),
            (cy.less(x, y), (a < b).astype(int)),
            (cy.less(x, 3), (a < 3).astype(int)),
            (cy.equal(x, y), (a == b).astype(int)),
            (cy.is_zero(x), (a == 0).astype(int)),
            (cy.maximum(x, y), np.maximum(a, b)),
        ):
            assert np.array_equal(opened(result), expected) and within(np.asarray(expected), result)
    values = np.arange(-3, 13)
    tight = cy.polyval([1, -3, 2], encrypted([12], (-3, 12))).interval
    assert tight == (int((values**2 - 3 * values + 2).min()), int((values**2 - 3 * values + 2).max()))
    assert cy.lookup([7, 9, 8], encrypted([2, 0], (0, 2))).interval == (7, 9)


@pytest.mark.parametrize("bits", [20, 61, 62, 63, 64, 70])
def test_comparisons_of_wide_values(bits: int) -> None:
    """Values are told apart by how far they lie from each other, however large they are."""
    own = keys((40961, 65537, 114689, 147457, 163841))
    large = 2**bits

    def wide(values: list[int], interval: Interval) -> cy.EncryptedArray:
        return cy.encrypt(values, own.public, bound=interval, layout="replicated")

    few = wide([large, large - 1], (large - 1, large))
    for result, expected in (
        (cy.equal(few, [large, large]), [1, 0]),
        (cy.less(few, [large, large]), [0, 1]),
        (cy.less(few, wide([-large, -large], (-large, -large))), [0, 0]),
        (cy.less(wide([0], (-large, 0)), [1]), [1]),
        (cy.less(large, few), [0, 0]),
        (cy.maximum(few, large), [large, large]),
        (cy.equal(few, large + 9), [0, 0]),
        (cy.is_zero(few), [0, 0]),
    ):
        assert np.asarray(cy.decrypt(result, own.secret)).tolist() == expected
    either = wide([5, -3], (-large, large))
    for call in (lambda: cy.less(either, either), lambda: cy.equal(either, either), lambda: cy.is_zero(either)):
        with pytest.raises(cy.errors.RangeError, match="not told apart"):
            call()


def test_promises() -> None:
    x = cy.encrypt([3, -4, 5], made().public, bound=180)
    y = x.assume_bound((-4, 9))
    assert (y.interval, y.bound, y.l1_bound) == ((-4, 9), 9, 27)
    assert y.assume_bound(6).interval == (-4, 6) and y.assume_bound((-100, 100)).interval == (-4, 9)
    assert opened(y).tolist() == [3, -4, 5]
    for wrong in ((0, 9), (-4, 4), (-3, 180)):
        with pytest.raises(cy.errors.RangeError, match=r"as the array states|stated bound"):
            opened(x.assume_bound(wrong))
    for bad in ((9, -4), (1, 2, 3), (0.5, 2), (True, 3), ()):
        with pytest.raises(cy.errors.ArgumentError):
            x.assume_bound(bad)  # type: ignore[arg-type]
    with pytest.raises(cy.errors.RangeError, match="no value is both"):
        y.assume_bound((10, 11))
    with pytest.raises(cy.errors.RangeError):
        x.assume_bound((0, 32769))
    for impossible, sums in (((5, 9), 14), ((-9, -5), 14), ((1, 1), 0)):  # of three values
        with pytest.raises(cy.errors.RangeError, match=r"3 values from .* add up to more than"):
            cy.encrypt([5, 6, 7], made().public, wrap=True).assume_bound(impossible, l1_bound=sums)
    assert cy.encrypt([5, 5, 5], made().public, wrap=True).assume_bound((5, 9), l1_bound=15).l1_bound == 15
    free = cy.encrypt([65536, 2], made().public, wrap=True).assume_bound((-1, 2))
    assert free.interval == (-1, 2) and opened(free).tolist() == [-1, 2]


def test_what_is_refused_while_encrypting() -> None:
    for interval, value in (((5, 9), 4), ((5, 9), 10), ((-9, -5), -4), ((-9, -5), 0), ((0, 3), -1)):
        for key in (made().public, made().secret):
            with pytest.raises(cy.errors.RangeError, match="is "):
                cy.encrypt([interval[0], value], key, bound=interval)
    with pytest.raises(cy.errors.RangeError, match="more than these parameters hold"):
        encrypted([0], (0, 32769))


@pytest.mark.parametrize("interval", [(0, 9), (-3, 9), (5, 9), (-9, -5), (0, 0), (-9, 9), (-(2**15), 1)])
def test_files_keep_it(interval: Interval) -> None:
    for key in (made().public, made().secret):
        x = cy.encrypt([interval[0], interval[1]], key, bound=interval)
        y = cy.from_bytes(cy.to_bytes(x), True)
        assert isinstance(y, cy.EncryptedArray) and y.interval == interval and cy.to_bytes(y) == cy.to_bytes(x)
        assert ("from" in repr(y)) == (interval[0] != -interval[1])


def test_files_of_either_sign_are_as_they_were() -> None:
    """What readers from before know, they read: only other intervals are written in a new way."""
    x = encrypted([1, 2], (-9, 9))
    section = dict(taken_apart(cy.to_bytes(x))[1])["ARRY"]
    assert section == description(1, 1, 1, (2,), words(9), words(18))
    counts = encrypted([1, 2], (0, 9))
    section = dict(taken_apart(cy.to_bytes(counts))[1])["ARRY"]
    assert section == description(1, 1, 3, (2,), words(9), words(18), signed(0) + signed(9))
    either = description(1, 1, 1, (2,), words(9), words(18))
    old = cy.from_bytes(with_section(cy.to_bytes(counts), "ARRY", either), True)
    assert isinstance(old, cy.EncryptedArray) and old.interval == (-9, 9)


def test_inspection_says_it(tmp_path: Any) -> None:
    path = tmp_path / "counts"
    cy.save(path, encrypted([1, 2], (0, 9)))
    found = cy.inspect(path)
    assert found.interval == (0, 9) and "values from 0 to 9" in str(found)
