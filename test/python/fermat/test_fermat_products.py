# SPDX-License-Identifier: Apache-2.0
"""Ring products modulo wide limbs in four ways, against python-flint, and programs that use each."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cyclotome import _core, errors
from cyclotome._core import testing
from cyclotome._core.testing import fermat as internals
from cyclotome_bench.fermat.fermat import limb_moduli
from cyclotome_study import fermat
from test_fermat_bfv import context, negacyclic, some_integers, to_integers, to_words

METHODS = ["primes", "tree", "kronecker", "schoenhage", "fastest"]
ARITHMETICS = ["own"] + ["gmp"] * (testing.gmp_name() is not None)


def edges(q: int, n: int, f: int, x: int) -> list[list[int]]:
    """What fills every digit: all q - 1, all 2^G modulo every limb, one coefficient alone at each end."""
    moduli = limb_moduli(x, f + 1)
    # -1 modulo every limb 2^G + 1 is 2^G, its longest residue; q - 1 is -1 modulo all.
    alone = [[0] * n for _ in range(2)]
    alone[0][0], alone[1][-1] = q - 1, q - 1
    some = [sum(2 ** (m.bit_length() - 1) % m * (q // m) * pow(q // m, -1, m) for m in moduli if m > 1) % q] * n
    return [[q - 1] * n, [0] * n, [1] * n, some, *alone, [(q - 1) * (i % 2) for i in range(n)]]


@pytest.mark.parametrize(("n", "x", "f"), [(8, 6, 0), (16, 7, 1), (64, 8, 2), (64, 9, 5), (256, 9, 3), (32, 12, 6)])
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("arithmetic", ARITHMETICS)
def test_products_against_flint(n: int, x: int, f: int, method: str, arithmetic: str, rng: np.random.Generator) -> None:
    q = (1 << (1 << x)) - 1
    c = context(n, x, f, 1024, "both")
    values = edges(q, n, f, x)
    pairs = [(a, b) for a in values for b in values[: 4 if x < 12 else 1]]
    pairs += [(some_integers(n, q, rng), some_integers(n, q, rng)) for _ in range(3)]
    for a, b in pairs:
        got = internals.ring_product(c, method, arithmetic, to_words(x, f, a), to_words(x, f, b))
        assert to_integers(x, f, got, n) == [v % q for v in negacyclic(a, b)]


@pytest.mark.parametrize("x", [8, 10])
@pytest.mark.parametrize("products", METHODS)
def test_programs_have_the_same_bits(products: fermat.Products, x: int) -> None:
    """At 1024 bits the first limb has 8n bits, where "fastest" takes another way than for the others."""
    common: dict[str, Any] = {"degree": 64, "x": x, "plain_modulus": 163841, "security": 0, "allow_insecure": True}
    first = fermat.Parameters(**common, products="primes")
    params = fermat.Parameters(**common, products=products)
    assert params == first and params.context.products == products
    keys = fermat.keygen(first)
    array = fermat.encrypt([3, -4], keys.public, bound=10)
    moved = array.native.in_context(params.context)
    square, other = (a.multiply(a, keys.evaluation.native) for a in (array.native, moved))
    assert internals.items(square) == internals.items(other)
    assert np.array_equal(keys.secret.native.decrypt(other, True).view(np.int64)[0][:2], [9, 16])


def test_names_and_what_positional_integers_refuse() -> None:
    with pytest.raises(errors.ArgumentError, match=r'no way "fft" .* primes, tree, kronecker, schoenhage, fastest'):
        context_with("fft", None)
    with pytest.raises(errors.ParameterError, match="positional integers are multiplied by primes"):
        context_with("kronecker", 0)


def context_with(products: Any, splits: int | None) -> fermat.Parameters:
    return fermat.Parameters(64, 8, 163841, splits=splits, products=products, security=0, allow_insecure=True)


@pytest.mark.parametrize("method", METHODS)
def test_what_is_timed_is_the_product(method: str, rng: np.random.Generator) -> None:
    n, x, f = 64, 7, 1
    q = (1 << 128) - 1
    product = _core.FermatProduct(x, n, method, _core.CpuEngine(1))
    a, b = (some_integers(n, q, rng) for _ in range(2))
    rows = [np.array(to_words(x, f, v), dtype=np.uint64).reshape(-1, n) for v in (a, b)]
    product.load(*rows)
    product.run()
    got = [int(w) for w in product.result().ravel()]
    assert to_integers(x, f, got, n) == [v % q for v in negacyclic(a, b)]
    with pytest.raises(errors.ArgumentError, match="not below their moduli"):
        product.load(np.full_like(rows[0], 2**64 - 1), rows[1])
    with pytest.raises(errors.ArgumentError, match="3 rows of 64 words are needed, not 2 of 64"):
        product.load(rows[0][:2].copy(), rows[1])
