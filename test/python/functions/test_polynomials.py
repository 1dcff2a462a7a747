# SPDX-License-Identifier: Apache-2.0
"""Encrypted polynomials, as people use them: products for any plaintext modulus, automorphisms, expansion and packing,
bits, files and refusals. The oracle is arithmetic of Python integers."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import cyclotome as cy
import numpy as np
import pytest
from crafted_files import put_together, taken_apart
from small import insecure

DEGREE = 64
MODULI = (2, 1 << 10, 65, (1 << 60) - 1, 65537)


def linear(a: Sequence[int], b: Sequence[int]) -> list[int]:
    out = [0] * (len(a) + len(b) - 1)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            out[i + j] += int(x) * int(y)
    return out


def negacyclic(a: Sequence[int], b: Sequence[int], n: int) -> list[int]:
    out = [0] * n
    for i, value in enumerate(linear(a, b)):
        out[i % n] += value if i // n % 2 == 0 else -value
    return out


def turned(a: Sequence[int], g: int, n: int) -> list[int]:
    out = [0] * n
    for i, value in enumerate(a):
        place = i * g % (2 * n)
        out[place % n] += int(value) if place < n else -int(value)
    return out


def parameters_of(t: int | Sequence[int], scheme: str = "bfv", primes: int = 5, degree: int = DEGREE) -> cy.Parameters:
    plain = [t] if isinstance(t, int) else list(t)
    return insecure(plain, degree, [55] * primes, [56], scheme=scheme)


class World:
    """Keys of one plaintext modulus, with the automorphisms of traces and x -> x^7."""

    def __init__(self, t: int | Sequence[int], scheme: str = "bfv") -> None:
        self.parameters = parameters_of(t, scheme)
        elements = [*cy.polynomials.trace_elements(self.parameters), 7]
        self.secret, self.public, self.evaluation = cy.keygen(self.parameters, galois_elements=elements)

    def encrypted(self, values: Any, **how: Any) -> cy.EncryptedArray:
        return cy.encrypt(values, self.public, encoding="coefficients", **how)

    def opened(self, x: cy.EncryptedArray) -> list[int]:
        return [int(value) for value in np.asarray(cy.decrypt(x, self.secret)).ravel()]


@functools.cache
def world(t: int, scheme: str = "bfv") -> World:
    return World(t, scheme)


# --- products ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("scheme", ["bfv", "bgv"])
@pytest.mark.parametrize("t", MODULI)
def test_products_modulo_t(t: int, scheme: str, rng: np.random.Generator) -> None:
    """Worst values among them, encrypted and plain factors on both sides, squares, and a row times many."""
    w = world(t, scheme)
    how = {} if t == 2 else {"wrap": True}
    a, b = ([int(v) % t for v in rng.integers(0, min(t, 1 << 62), size)] for size in (DEGREE, DEGREE // 2))
    for left, right in ((a, b), ([t - 1] * DEGREE, [t - 1] * DEGREE), ([0] * 5 + [1], [t - 1])):
        x, y = w.encrypted(left, **how), w.encrypted(right, **how)
        expected = [v % t for v in negacyclic(left, right, DEGREE)]
        for made in (
            cy.polynomials.negacyclic_product(x, y),
            cy.polynomials.negacyclic_product(x, right),
            cy.polynomials.negacyclic_product(left, y),
        ):
            assert w.opened(made) == expected and made.shape == (DEGREE,) and made.encoding == "coefficients"
        unswitched = cy.polynomials.negacyclic_product(x, y, relinearize=False)
        assert w.opened(unswitched + unswitched) == [2 * v % t for v in expected]
        assert w.opened(unswitched.relinearized()) == expected
    x = w.encrypted(a, **how)
    assert w.opened(cy.polynomials.negacyclic_product(x, x)) == [v % t for v in negacyclic(a, a, DEGREE)]
    short, other = a[: DEGREE // 2], b[:7]
    u, v = w.encrypted(short, **how), w.encrypted(other, **how)
    for made in (cy.convolve(u, v), cy.convolve(u, other), cy.convolve(short, v)):
        assert w.opened(made) == [c % t for c in linear(short, other)]


@pytest.mark.parametrize("method", cy.bfv.METHODS)
@pytest.mark.parametrize("t", MODULI)
def test_every_method_multiplies_alike(t: int, method: str, rng: np.random.Generator) -> None:
    w = world(t)
    how = {} if t == 2 else {"wrap": True}
    a, b = ([int(v) % t for v in rng.integers(0, min(t, 1 << 62), DEGREE)] for _ in range(2))
    x, y = w.encrypted(a, **how), w.encrypted(b, **how)
    product = cy.bfv.negacyclic_product(x, y, method=method)
    assert w.opened(product) == [v % t for v in negacyclic(a, b, DEGREE)]
    assert w.opened(cy.bfv.negacyclic_product(x, x, method=method)) == [v % t for v in negacyclic(a, a, DEGREE)]
    one = cy.encrypt(a[0], w.public, **how)
    assert w.opened(cy.bfv.multiply(one, one, method=method)) == [a[0] * a[0] % t]
    assert cy.noise_budget(product, w.secret) >= product.noise_headroom


def test_methods_are_refused_by_name_and_by_scheme() -> None:
    x, y = world(65).encrypted([1], bound=1), world(65, "bgv").encrypted([1], bound=1)
    with pytest.raises(cy.errors.ArgumentError, match="behz, hps, hps-leveled"):
        cy.bfv.multiply(x, x, method="toom")
    with pytest.raises(cy.errors.UnsupportedError, match="in BFV, not one in bgv"):
        cy.bfv.multiply(y, y, method="behz")
    with pytest.raises(cy.errors.UnsupportedError, match="not int"):
        cy.bfv.multiply(x, 3, method="behz")  # type: ignore[arg-type]
    with cy.bfv.product_method("behz"):
        with pytest.raises(cy.errors.ArgumentError, match="one way to multiply, and none by the name of 'behz'"):
            cy.polynomials.negacyclic_product(y, y)
        behz = cy.polynomials.negacyclic_product(x, x)
    own = cy.polynomials.negacyclic_product(x, x)
    assert behz.noise_headroom != own.noise_headroom  # it was used, and is not any more
    with cy.bfv.product_method("no"), pytest.raises(cy.errors.ArgumentError, match="'no'"):
        cy.polynomials.negacyclic_product(x, x)


def test_several_moduli_hold_wide_products(rng: np.random.Generator) -> None:
    w = World([40961, 65537, 65])
    a, b = (rng.integers(-(2**15), 2**15, (3, DEGREE)) for _ in range(2))
    x, y = w.encrypted(a, bound=2**15), w.encrypted(b[:, None, :], bound=2**15)
    expected = [negacyclic(a[j], b[i], DEGREE) for i in range(3) for j in range(3)]
    assert w.opened(cy.polynomials.negacyclic_product(x, y)) == [value for row in expected for value in row]
    assert cy.polynomials.negacyclic_product(x, y).bound == DEGREE * 2**30


# --- bounds -----------------------------------------------------------------------------------------------------------
def test_a_bound_is_reached_and_one_more_is_refused() -> None:
    w = world(65537)
    most = w.parameters.capacity
    ones = w.encrypted([1] * DEGREE, bound=1)
    assert w.opened(cy.polynomials.negacyclic_product(ones, [most // DEGREE] * DEGREE))[-1] == most // DEGREE * DEGREE
    with pytest.raises(cy.errors.RangeError, match="would wrap around"):
        cy.polynomials.negacyclic_product(ones, [most // DEGREE + 1] * DEGREE)
    with pytest.raises(cy.errors.RangeError, match="would wrap around"):
        cy.polynomials.negacyclic_product(ones, w.encrypted([1] * DEGREE, bound=most // DEGREE + 1))
    sparse = w.encrypted([0] * (DEGREE - 1) + [1], bound=1, l1_bound=1)
    assert cy.polynomials.negacyclic_product(sparse, w.encrypted([1], bound=most)).bound == most
    assert cy.polynomials.negacyclic_product(sparse, sparse).l1_bound == 1


@pytest.mark.parametrize("t", [257, 1024, 65])
def test_random_programs_stay_within_their_bounds(t: int, rng: np.random.Generator) -> None:
    """Signs, lengths and bounds at random; what is allowed is exact, over the integers."""
    w, allowed = world(t), 0
    for _ in range(40):
        sizes = rng.integers(1, DEGREE, 2)
        bounds = rng.integers(1, 6, 2)
        a, b = (rng.integers(-m, m + 1, s) for m, s in zip(bounds, sizes, strict=True))
        x = w.encrypted(a, bound=int(bounds[0]))
        y: Any = w.encrypted(b, bound=int(bounds[1])) if rng.integers(2) else b
        try:
            z = cy.polynomials.negacyclic_product(x, y)
            g = int(rng.choice([3, 5, 7]))
            z = z.automorphism(g) + 1
        except cy.errors.RangeError:
            continue
        allowed += 1
        expected = [v + 1 for v in turned(negacyclic(a.tolist(), b.tolist(), DEGREE), g, DEGREE)]
        assert w.opened(z) == expected and max(map(abs, expected)) <= (z.bound or 0)
    assert allowed


# --- automorphisms ----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("scheme", ["bfv", "bgv"])
def test_automorphisms_traces_expansions_and_packing(scheme: str, rng: np.random.Generator) -> None:
    w = world(65537, scheme)
    a = rng.integers(-9, 10, (2, 3, DEGREE))
    x = w.encrypted(a, bound=9)
    for g in (3, 7, DEGREE + 1, 7 - 2 * DEGREE):
        assert w.opened(x.automorphism(g)) == [
            value for row in a.reshape(-1, DEGREE) for value in turned(row.tolist(), g, DEGREE)
        ]
    traced = x.trace()
    assert traced.shape == (2, 3) and traced.layout == "replicated" and traced.bound == 9 * DEGREE
    assert w.opened(traced) == (DEGREE * a[..., 0]).ravel().tolist()
    for length in (1, 2, 5, DEGREE):
        part = w.encrypted(a[..., :length], bound=9)
        many = cy.polynomials.expand(part)
        assert many.shape == (2, 3, length) and many.layout == "replicated" and many.bound == 9
        assert w.opened(many) == a[..., :length].ravel().tolist()
        back = cy.polynomials.pack(many)
        assert back.encoding == "coefficients" and back.layout == "packed"
        assert w.opened(back) == a[..., :length].ravel().tolist()
    packed = cy.polynomials.pack(x)
    assert packed.shape == (2, DEGREE)
    expected = np.zeros((2, DEGREE), np.int64)
    expected[:, : 3 * DEGREE // 4 : DEGREE // 4] = a[..., 0]
    assert w.opened(packed) == expected.ravel().tolist()


def test_even_moduli_take_the_scale() -> None:
    w = world(1024)
    x = w.encrypted([3, -2, 1], bound=3)
    with pytest.raises(cy.errors.UnsupportedError, match=r"scaled=True gives 2\^2 times"):
        cy.polynomials.expand(x)
    assert w.opened(cy.polynomials.expand(x, scaled=True)) == [12, -8, 4]
    assert cy.polynomials.expand(x, scaled=True).bound == 12
    assert w.opened(cy.polynomials.pack(x[None], scaled=True))[0] == 3 * DEGREE
    with pytest.raises(cy.errors.RangeError, match="pack: values may reach"):
        cy.polynomials.pack(w.encrypted([[3]], bound=16), scaled=True)
    with pytest.raises(cy.errors.RangeError, match="trace: values may reach"):
        w.encrypted([3], bound=16).trace()


def test_missing_keys_are_named() -> None:
    parameters = parameters_of(65537)
    _, public, evaluation = cy.keygen(parameters, rotations=[], galois_elements=[3, DEGREE + 1])
    assert evaluation.galois_elements == (3, DEGREE + 1)
    x = cy.encrypt([1, 2], public, bound=2, encoding="coefficients")
    assert cy.polynomials.expand(x).shape == (2,)
    with pytest.raises(cy.errors.MissingKeyError, match=r"galois_elements=\[9\]"):
        x.automorphism(9)
    for call in (
        x.trace,
        lambda: cy.polynomials.pack(x[None]),
        lambda: cy.polynomials.expand(cy.encrypt([1] * 3, public, encoding="coefficients")),
    ):
        with pytest.raises(cy.errors.MissingKeyError, match="trace_elements"):
            call()
    for wrong in (2, 0, -1, 2 * DEGREE + 1):
        with pytest.raises(cy.errors.ArgumentError, match="odd"):
            cy.keygen(parameters, galois_elements=[wrong])
    with pytest.raises(cy.errors.ArgumentError, match="whole number"):
        cy.keygen(parameters, galois_elements=[1.5])  # type: ignore[list-item]


# --- refusals ---------------------------------------------------------------------------------------------------------
def test_what_is_no_polynomial_is_refused() -> None:
    w = world(65537)
    x = w.encrypted(range(40), bound=40)
    slots = cy.encrypt(range(40), w.public, bound=40)
    single = cy.encrypt([1, 2], w.public, bound=2, layout="replicated")
    refusals: list[tuple[type[Exception], Callable[[], Any]]] = [
        (cy.errors.UnsupportedError, lambda: cy.polynomials.negacyclic_product(slots, x)),
        (cy.errors.UnsupportedError, lambda: cy.polynomials.negacyclic_product(single, x)),
        (cy.errors.UnsupportedError, lambda: cy.polynomials.negacyclic_product([1], [2])),
        (cy.errors.UnsupportedError, lambda: cy.convolve(x, [0.5])),
        (cy.errors.UnsupportedError, lambda: cy.polynomials.expand(slots)),
        (cy.errors.UnsupportedError, lambda: cy.polynomials.expand([1])),  # type: ignore[arg-type]
        (cy.errors.UnsupportedError, lambda: cy.polynomials.pack(slots)),
        (cy.errors.UnsupportedError, lambda: slots.automorphism(3)),
        (cy.errors.ArgumentError, lambda: cy.polynomials.pack(x)),
        (cy.errors.ArgumentError, lambda: x.automorphism(2)),
        (cy.errors.ArgumentError, lambda: x.automorphism(0)),
        (cy.errors.ArgumentError, lambda: cy.convolve(x, x)),
        (cy.errors.ArgumentError, lambda: cy.convolve(x, [])),
        (cy.errors.ArgumentError, lambda: cy.convolve(x, 3)),
        (cy.errors.ArgumentError, lambda: cy.polynomials.negacyclic_product(x, [1] * (DEGREE + 1))),
        (
            cy.errors.ArgumentError,
            lambda: cy.polynomials.negacyclic_product(w.encrypted(range(DEGREE + 1), bound=99), x),
        ),
        (
            cy.errors.ArgumentError,
            lambda: cy.polynomials.negacyclic_product(w.encrypted([[1]] * 2), w.encrypted([[1]] * 3)),
        ),
        (cy.errors.MismatchError, lambda: cy.polynomials.negacyclic_product(x, world(65).encrypted([1]))),
        (cy.errors.MismatchError, lambda: cy.polynomials.negacyclic_product(x, w.encrypted([1], wrap=True))),
        (
            cy.errors.TransparentError,
            lambda: cy.polynomials.negacyclic_product(cy.encrypt([1], w.secret, encoding="coefficients"), [0]),
        ),
    ]
    for error, call in refusals:
        with pytest.raises(error):
            call()
    assert not any(w.opened(cy.polynomials.negacyclic_product(x, [0])))  # the public key hides what hides nothing
    unswitched = cy.polynomials.negacyclic_product(x, [1], relinearize=False)
    assert unswitched.relinearized().shape == (DEGREE,)
    three = cy.polynomials.negacyclic_product(w.encrypted([1], bound=1), w.encrypted([1], bound=1), relinearize=False)
    for call in (
        lambda: three.automorphism(3),
        three.trace,
        lambda: cy.polynomials.expand(three),
        lambda: three * three,
    ):
        with pytest.raises(cy.errors.CyclotomeError):
            call()
    with pytest.raises(cy.errors.MissingKeyError):
        bare = cy.encrypt([1], w.secret, bound=1, encoding="coefficients")
        cy.polynomials.negacyclic_product(bare, bare)


# --- bits -------------------------------------------------------------------------------------------------------------
def test_bits_are_booleans_and_wrap_by_themselves(tmp_path: Path, rng: np.random.Generator) -> None:
    w = world(2)
    assert w.parameters.holds_bits and not world(1024).parameters.holds_bits
    a, b = rng.integers(0, 2, (2, DEGREE)).astype(bool)
    x, y = w.encrypted(a), cy.encrypt(b.tolist(), w.public)
    assert x.dtype == "bool" and x.is_bits and x.bound is None and "bits" in repr(x)
    for made, expected in (
        (x ^ y, a ^ b), (x + y, a ^ b), (x - y, a ^ b), (x ^ b, a ^ b), (1 - x, ~a), (x - b, a ^ b), (~x, ~a),
        (x & 1, a), (-x, a),
    ):  # fmt: skip
        found = cy.decrypt(made, w.secret)
        assert found.dtype == bool and np.array_equal(found, expected)
    p, q = (cy.encrypt(v, w.public, layout="replicated") for v in (a[:5], b[:5]))
    assert np.array_equal(cy.decrypt(p & q, w.secret), a[:5] & b[:5])
    assert np.array_equal(cy.decrypt(p | q, w.secret), a[:5] | b[:5])
    assert np.array_equal(cy.decrypt((p * q).sum(), w.secret), np.logical_xor.reduce(a[:5] & b[:5]))
    assert cy.decrypt(cy.encrypt(True, w.public), w.secret) is True
    for wrong in ([2], [-1], [0, 1, 5]):
        with pytest.raises(cy.errors.RangeError, match="is no bit"):
            cy.encrypt(wrong, w.public)
    for call in (
        lambda: x + 2,
        lambda: x * 3,
        lambda: cy.polynomials.negacyclic_product(x, [0, 2]),
        lambda: p @ ([2] * 5),
    ):
        with pytest.raises(cy.errors.RangeError, match="is no bit"):
            call()
    with pytest.raises(cy.errors.UnsupportedError, match="coefficients"):
        x & y
    with pytest.raises(cy.errors.ArgumentError, match="have no bound"):
        cy.encrypt([1], w.public, bound=1)
    cy.save(tmp_path / "bits.ct", x)
    loaded = cy.load(tmp_path / "bits.ct", expect=w.parameters, allow_insecure=True)
    assert loaded.is_bits and np.array_equal(cy.decrypt(loaded, w.secret), a)
    assert cy.inspect(tmp_path / "bits.ct").elements == "bits"
    wrapped = cy.encrypt([5, -3, 4], w.public, wrap=True)
    assert not wrapped.is_bits and cy.decrypt(wrapped, w.secret).tolist() == [1, 1, 0]
    assert cy.decrypt(wrapped + 7, w.secret).tolist() == [0, 0, 1]


def test_bits_can_not_be_claimed_by_a_file_of_other_moduli() -> None:
    header, sections = taken_apart(cy.to_bytes(world(65).encrypted([1, 2], bound=2)))
    forged = [
        (tag, data[:2] + b"\x02" + data[3:4] + bytes(4) + data[8:16] if tag == "ARRY" else data)
        for tag, data in sections
    ]
    assert forged != sections
    with pytest.raises(cy.errors.FormatError, match="flag of 2"):
        cy.from_bytes(put_together(header, forged), allow_insecure=True)
