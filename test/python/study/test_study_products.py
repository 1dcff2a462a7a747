# SPDX-License-Identifier: Apache-2.0
"""Every way to multiply polynomials, against python-flint and against schoolbook products of Python's integers."""

from __future__ import annotations

import math

import flint
import numpy as np
import pytest
from cyclotome import _core, errors
from cyclotome_study import Arithmetic, ProductContext, integer_product, needed_modulus, pack, unpack

Polynomial = list[int]


def negacyclic(a: Polynomial, b: Polynomial) -> Polynomial:
    """a b modulo x^N + 1 over the integers, by flint."""
    n = len(a)
    product = [int(c) for c in (flint.fmpz_poly(a) * flint.fmpz_poly(b)).coeffs()]
    product += [0] * (2 * n - len(product))
    return [product[i] - product[i + n] for i in range(n)]


def schoolbook(a: Polynomial, b: Polynomial) -> Polynomial:
    out = [0] * len(a)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            k, sign = ((i + j), 1) if i + j < len(a) else (i + j - len(a), -1)
            out[k] += sign * x * y
    return out


def random_polynomial(degree: int, bits: int, rng: np.random.Generator) -> Polynomial:
    return [int.from_bytes(rng.bytes(bits // 8 + 1), "little") >> (8 - bits % 8) for _ in range(degree)]


CONTEXTS = {
    "32": (64, [32] * 5),
    "34 of 32": (128, [32] * 34),
    "30": (64, [30] * 3),
    "61": (64, [61] * 4),
    "64": (128, [64] * 5),
    "one of 64": (64, [64]),
    "one of 65": (64, [65]),
    "96 and 72": (32, [96, 72, 72]),
    "one of 128": (64, [128]),
    "64 and 128": (64, [64, 128, 128]),
    "64 and 256": (64, [64, 256, 256]),
    "one of 256": (16, [256]),
    "64 and 512": (16, [64, 512]),
    "520": (8, [520, 130]),
    "one of 640": (8, [640]),
    "mixed": (32, [20, 64, 33, 200, 63]),
}


@pytest.fixture(scope="module", params=CONTEXTS)
def context(request: pytest.FixtureRequest) -> ProductContext:
    degree, lengths = CONTEXTS[request.param]
    return ProductContext.of_lengths(degree, lengths)


def arithmetics(context: ProductContext) -> list[Arithmetic]:
    narrow = max(context.primes) < 1 << 32
    return ["multi-word", "words-32"] if narrow else ["multi-word"]


def extreme_polynomials(context: ProductContext, rng: np.random.Generator) -> list[Polynomial]:
    n, q = context.degree, context.modulus
    return [
        [q - 1] * n,
        [0] * n,
        [1] + [0] * (n - 1),
        [0] * (n - 1) + [q - 1],
        [context.primes[0]] * n,
        context.coefficients[:1] * n,
        [x % q for x in random_polynomial(n, q.bit_length() + 64, rng)],
        [x % q for x in random_polynomial(n, q.bit_length() + 64, rng)],
        [q // 2] * n,
    ]


def test_products_agree_with_flint(context: ProductContext, rng: np.random.Generator) -> None:
    polynomials = extreme_polynomials(context, rng)
    for a in polynomials:
        for b in (polynomials[0], polynomials[-2], polynomials[-1]):
            expected = [c % context.modulus for c in negacyclic(a, b)]
            for arithmetic in arithmetics(context):
                assert context.multiply(a, b, arithmetic) == expected


def test_the_oracle_agrees_with_the_definition(rng: np.random.Generator) -> None:
    a, b = random_polynomial(16, 70, rng), random_polynomial(16, 70, rng)
    assert negacyclic(a, b) == schoolbook(a, b)
    context = ProductContext.of_lengths(16, [64, 128])
    assert context.multiply(a, b) == [c % context.modulus for c in schoolbook(a, b)]
    assert context.multiply([-x for x in a], b) == [-c % context.modulus for c in schoolbook(a, b)]


@pytest.mark.parametrize("name", ["30", "61", "mixed-61"])
def test_engine_and_own_transforms_agree(name: str, rng: np.random.Generator) -> None:
    degree, lengths = (64, [61, 30, 33, 45]) if name == "mixed-61" else CONTEXTS[name]
    context = ProductContext.of_lengths(degree, lengths)
    product = _core.PolynomialProduct.on_engine(context.native, _core.CpuEngine(1))
    for a in extreme_polynomials(context, rng):
        b = random_polynomial(context.degree, 64 * product.limbs, rng)
        product.load(pack(a, product.limbs), pack(b, product.limbs), product.limbs)
        product.decompose()
        product.multiply()
        product.multiply()  # the factors are still there
        product.reconstruct()
        product.reconstruct()
        assert unpack(product.result(), product.limbs) == context.multiply(a, b)


@pytest.mark.parametrize("limbs", [1, 2, 3, 7, 20])
def test_factors_may_be_shorter_or_longer_than_the_modulus(limbs: int, rng: np.random.Generator) -> None:
    for lengths in ([32] * 4, [64, 128], [200]):
        context = ProductContext.of_lengths(32, lengths)
        a, b = (random_polynomial(32, 64 * limbs, rng) for _ in range(2))
        for arithmetic in arithmetics(context):
            product = _core.PolynomialProduct(context.native, arithmetic)
            product.load(pack(a, limbs), pack(b, limbs), limbs)
            product.decompose()
            product.multiply()
            product.reconstruct()
            expected = [c % context.modulus for c in negacyclic(a, b)]
            assert unpack(product.result(), product.limbs) == expected


@pytest.mark.parametrize(("bits", "prime_bits"), [(1, 16), (64, 32), (128, 64), (256, 64), (100, 128)])
def test_products_of_integers_without_a_modulus(bits: int, prime_bits: int, rng: np.random.Generator) -> None:
    n = 64
    a, b = random_polynomial(n, bits, rng), random_polynomial(n, bits, rng)
    a = [x if rng.integers(2) else -x for x in a]
    assert integer_product(a, b, prime_bits=prime_bits) == negacyclic(a, b)
    most = [(1 << bits) - 1] * n  # both ends of the range: x^0 and x^(N-1) have the largest sums of either sign
    product = integer_product(most, most, prime_bits=prime_bits)
    assert product == negacyclic(most, most)
    assert max(product) == n * most[0] ** 2 and min(product) == -(n - 2) * most[0] ** 2
    if prime_bits <= 32:
        assert integer_product(a, b, prime_bits=prime_bits, arithmetic="words-32") == negacyclic(a, b)


def test_the_papers_bound_is_one_bit_short() -> None:
    """Paper 004, 6.4.1, has q > N coeff^2: enough for coefficients of one sign, which x^N = -1 does not leave."""
    c = ProductContext.of_lengths(64, [20, 22])
    largest = math.isqrt(c.modulus // 64) - 1
    assert 64 * largest**2 < c.modulus < needed_modulus(64, largest, largest)
    most = [largest] * 64
    assert [c.centred(x) for x in c.multiply(most, most)] != negacyclic(most, most)


def test_wrong_arguments_are_refused() -> None:
    context = ProductContext.of_lengths(16, [64, 33])
    with pytest.raises(errors.ArgumentError, match="degree is 16"):
        context.multiply([1] * 16, [1] * 15)
    with pytest.raises(errors.ParameterError, match="more than a 32-bit word"):
        context.multiply([1] * 16, [1] * 16, "words-32")
    with pytest.raises(errors.ArgumentError, match="unknown"):
        context.multiply([1] * 16, [1] * 16, "words-16")  # type: ignore[arg-type]
    with pytest.raises(errors.ParameterError, match="too wide for the engine"):
        _core.PolynomialProduct.on_engine(context.native, _core.CpuEngine(1))
    with pytest.raises(errors.ArgumentError, match="same number"):
        integer_product([1, 2], [1])
    with pytest.raises(errors.ParameterError, match="power of two"):
        integer_product([1, 2, 3], [1, 2, 3])
    product = _core.PolynomialProduct(context.native, "multi-word")
    for step in (product.decompose, product.multiply, product.reconstruct):
        with pytest.raises(errors.ArgumentError):
            step()
    for a, b, limbs in ((b"", b"", 0), (bytes(128), bytes(120), 1), (bytes(64), bytes(64), 1), (bytes(127), b"", 1)):
        with pytest.raises(errors.ArgumentError):
            product.load(a, b, limbs)
    product.load(bytes(128), bytes(128), 1)
    with pytest.raises(errors.ArgumentError, match="decompose"):
        product.multiply()
    product.decompose()
    with pytest.raises(errors.ArgumentError, match="multiply first"):
        product.reconstruct()


@pytest.mark.parametrize(("arithmetic", "lengths"), [("words-32", (32, 32, 24)), ("multi-word", (64, 128, 20))])
def test_schemes_stay_in_residues(arithmetic: Arithmetic, lengths: tuple[int, ...]) -> None:
    """(a u + e) and then minuend - (a u + e) s, against Python's integers, at the bounds of small integers."""
    rng = np.random.default_rng(7)
    context = ProductContext.of_lengths(64, lengths)
    q, limbs = context.modulus, (context.modulus.bit_length() + 63) // 64
    most = min(min(context.primes) - 1, 2**31 - 1)
    a = [int.from_bytes(rng.bytes(40), "little") % q for _ in range(64)]
    u, e, s = (rng.integers(-most, most, 64, endpoint=True).astype(np.int32) for _ in range(3))
    u[0], u[1], e[0], e[1], s[0], s[1] = most, -most, most, -most, -most, 0
    first, second = (_core.PolynomialProduct(context.native, arithmetic) for _ in range(2))
    first.load(pack(a, limbs), bytes(8 * limbs * 64), limbs)
    first.decompose()
    first.set_small(1, u)
    first.multiply()
    first.add_small(e)
    first.reconstruct()
    expected = [(x + int(y)) % q for x, y in zip(negacyclic(a, u.tolist()), e, strict=True)]
    assert unpack(first.result(), limbs) == expected
    second.take(0, first)
    second.set_small(1, s)
    second.multiply()
    second.subtract_from(first)
    second.reconstruct()
    taken = [(x - y) % q for x, y in zip(expected, negacyclic(expected, s.tolist()), strict=True)]
    assert unpack(second.result(), limbs) == taken


def test_residues_of_other_products_are_refused() -> None:
    context, other = ProductContext.of_lengths(64, (30, 31)), ProductContext.of_lengths(64, (30, 32))
    fewer = ProductContext.of_lengths(64, (30,))
    zeros, small = bytes(8 * 64), np.zeros(64, np.int32)

    def made(of: ProductContext, arithmetic: Arithmetic = "words-32") -> _core.PolynomialProduct:
        product = _core.PolynomialProduct(of.native, arithmetic)
        product.load(zeros, zeros, 1)
        product.decompose()
        product.multiply()
        return product

    product = made(context)
    wrong = (
        made(other),
        made(fewer),
        made(context, "multi-word"),
        product,
        _core.PolynomialProduct(context.native, "words-32"),
    )
    for source in wrong:
        with pytest.raises(errors.ArgumentError):
            product.take(0, source)
        with pytest.raises(errors.ArgumentError):
            product.subtract_from(source)
    fresh = _core.PolynomialProduct(context.native, "words-32")
    fresh.set_small(1, small)
    for action in (fresh.multiply, lambda: fresh.add_small(small), lambda: fresh.subtract_from(product)):
        with pytest.raises(errors.ArgumentError):
            action()
    fresh.load(zeros, zeros, 1)
    fresh.set_small(0, small)
    with pytest.raises(errors.ArgumentError):
        fresh.multiply()  # one factor was loaded, and has no residues
    for factor, values in ((2, small), (0, small[:63]), (0, np.full(64, min(context.primes), np.int32))):
        with pytest.raises(errors.ArgumentError):
            product.set_small(factor, values)
    with pytest.raises(errors.ArgumentError):
        product.add_small(np.full(64, -min(context.primes), np.int32))
    engine = _core.PolynomialProduct.on_engine(context.native, _core.CpuEngine(1))
    with pytest.raises(errors.ArgumentError, match="engine"):
        engine.set_small(0, small)
