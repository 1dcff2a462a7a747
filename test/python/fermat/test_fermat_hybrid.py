# SPDX-License-Identifier: Apache-2.0
"""Relinearisation with special primes: exact noise below its bound, against the printed gadget, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cyclotome import _core, errors
from cyclotome._core.testing import fermat as internals
from cyclotome_study import fermat
from test_fermat_bfv import Party, centred, check_noise, negacyclic, to_integers

TABLE = _core.default_security_table()


def party_of(n: int, x: int, f: int | None, t: int, digit_bits: int, special: int, variant: str = "both") -> Party:
    parameters = _core.FermatParameters(n, x, f, t, digit_bits, "standard", 128, TABLE, True, False, special)
    return Party(_core.FermatContext.create(parameters, _core.CpuEngine(1), variant), n, t)


def added_noise(party: Party, a: Any, x: int, f: int) -> int:
    """The largest coefficient of what relinearisation adds to the phase of a product, exactly."""
    n, q = party.n, (1 << (1 << x)) - 1
    product = internals.tensor(a, a)
    narrow = internals.relinearize(product, party.relinearization)
    before, after = (to_integers(x, f, internals.phase(c, 0, party.secret), n) for c in (product, narrow))
    return max(abs(centred(v - u, q)) for u, v in zip(before, after, strict=True))


@pytest.mark.parametrize(("x", "f", "t"), [(7, 1, 1024), (8, 4, 2), (9, 3, 163841), (9, 0, 786433), (6, 1, 11)])
@pytest.mark.parametrize(("digit_bits", "special"), [(0, 60), (0, 180), (59, 60), (59, 35), (30, 86), (7, 60)])
def test_products_and_their_noise(
    x: int, f: int, t: int, digit_bits: int, special: int, rng: np.random.Generator
) -> None:
    n, variant = 64, "both" if f else "positional"
    bits = 1 << x
    if special > bits + 60 or (f == 0 and digit_bits == 0 and special <= bits):
        with pytest.raises(errors.ParameterError, match="special"):
            party_of(n, x, f, t, digit_bits, special, variant)
        return
    party = party_of(n, x, f, t, digit_bits, special, variant)
    m = [[int(v) for v in rng.integers(t, size=n)] for _ in range(2)]
    product = party.multiply(*(party.encrypt(v) for v in m))
    value = [v % t for v in negacyclic(*m)]
    for _ in range(6):
        check_noise(party, product, value, x, f, t)
        if product.headroom < 0:
            break
        assert party.decrypt(product) == value
        product, value = party.multiply(product, product), [v % t for v in negacyclic(value, value)]


@pytest.mark.parametrize(("x", "f"), [(8, 2), (9, 3), (11, 5)])
def test_special_primes_divide_what_a_digit_adds(x: int, f: int, rng: np.random.Generator) -> None:
    """One digit a limb adds about 2^(g/2) (specification 5.10); with P as long, rounding alone is left: n/2 + 1/2."""
    n, t, bits = 64, 1024, 1 << x
    message = [int(v) for v in rng.integers(t, size=n)]
    added = {}
    for special in (0, 60, bits // 2 + 10):
        party = party_of(n, x, f, t, 0, special)
        added[special] = added_noise(party, party.encrypt(message), x, f).bit_length()
    printed, one, whole = added.values()
    assert bits // 2 + 3 <= printed <= bits // 2 + 12, "sum of 64 products of 2^(g/2) and errors of 3.24"
    assert abs((printed - one) - 60) <= 3 or one <= 7
    assert 1 <= whole <= 6, "an error of 1/2 in both parts, times a secret of 64 coefficients: at most 32 and a half"


def test_positional_integers_with_one_digit() -> None:
    """P longer than q carries even a digit of all of q."""
    party = party_of(64, 8, 0, 1024, 0, 266, "positional")
    a = party.encrypt([3] * 64)
    assert party.decrypt(party.multiply(a, a)) == [v % 1024 for v in negacyclic([3] * 64, [3] * 64)]
    assert added_noise(party, a, 8, 0) <= 64


def test_keys_hold_p_times_the_gadget_and_zero_modulo_p() -> None:
    """(b + a s) is P g s^2 - e modulo q, and -e modulo every special prime: the same small e."""
    n, x, f = 32, 7, 1
    party = party_of(n, x, f, 1024, 0, 100)
    primes = party.context.parameters.special_primes
    q, whole = (1 << 128) - 1, primes[0] * primes[1]
    s = internals.secret(party.secret)
    square = negacyclic(s, s)
    for digit, modulus in enumerate([(1 << 64) + 1, (1 << 64) - 1]):
        (b, b_rest), (a, a_rest) = (internals.key_residues(party.relinearization, digit, part) for part in (0, 1))
        masked = negacyclic(to_integers(x, f, a, n), s)
        gadget = q // modulus
        error = [
            centred(u + v - whole * gadget * w, q)
            for u, v, w in zip(to_integers(x, f, b, n), masked, square, strict=True)
        ]
        assert 0 < max(map(abs, error)) <= 21
        for j, p in enumerate(primes):
            row = slice(j * n, (j + 1) * n)
            masked = negacyclic(a_rest[row], s)
            assert [centred(u + v, p) for u, v in zip(b_rest[row], masked, strict=True)] == error
        assert len(set(a)) > n and len(set(a_rest)) == 2 * n


def test_special_primes_are_coprime_to_q_and_counted_by_security() -> None:
    params = fermat.Parameters(32768, 9, 786433, digit_bits=0, special_bits=258)
    primes = params.native.special_primes
    assert len(set(primes)) == 5
    assert all(p.bit_length() == 52 and p % 65536 == 1 and pow(2, 1 << 15, p) != 1 for p in primes)
    assert params.native.key_bits == 512 + 5 * 52 and params.native.security_reached == 128
    assert "P of 260 bits" in params.summary() and "keys modulo q P of 772 bits" in params.explain()
    assert params != fermat.Parameters(32768, 9, 786433, digit_bits=0)
    with pytest.raises(
        errors.SecurityError, match=r"and special primes, 932 bits in all, at degree 32768, .*special_bits"
    ):
        fermat.Parameters(32768, 9, 786433, special_bits=420)
    for bits in (29, 573):
        with pytest.raises(errors.ParameterError, match=rf"special primes of {bits} bits in all: .* take 30 to 572"):
            fermat.Parameters(32768, 9, 786433, special_bits=bits, allow_insecure=True)


def test_special_primes_that_divide_q_are_refused() -> None:
    """2424833 divides 2^(2^9) + 1, and so 2^1024 - 1."""
    on = party_of(64, 10, None, 1024, 30, 0).context
    with pytest.raises(errors.ParameterError, match=r"special prime 2424833 shares the factor 2424833 with q"):
        internals.special_modulus(on, [2424833])
    assert internals.special_modulus(on, [786433]) == 1


@pytest.mark.parametrize("special", [0, 258])
def test_depth_with_one_digit_a_limb(special: int) -> None:
    """The paper's job, ten squarings at 512 bits: special primes carry it, the printed gadget does not. Every squaring
    within the predicted depth decrypts."""
    params = fermat.Parameters(64, 9, 786433, digit_bits=0, special_bits=special, security=0, allow_insecure=True)
    keys = fermat.keygen(params)
    depth = params.depth
    x, value = fermat.encrypt([2], keys.public, wrap=True), 2
    for _ in range(depth):
        x, value = x * x + 1, (value * value + 1) % 786433
        assert int(fermat.decrypt(x, keys.secret)[0]) % 786433 == value
    with pytest.raises(errors.NoiseError):
        fermat.decrypt(x * x, keys.secret)
    assert depth >= 10 if special else depth <= 10


def test_depth_of_the_papers_largest_secure_set() -> None:
    """At (32768, 512), by the bound: the printed relinearisation does not reach ten squarings, the others do."""
    depths = {
        (digit_bits, special): fermat.Parameters(32768, 9, 786433, digit_bits=digit_bits, special_bits=special).depth
        for digit_bits, special in ((0, 0), (30, 0), (59, 60), (0, 258))
    }
    assert depths[0, 0] < 10 <= min(depths[30, 0], depths[59, 60], depths[0, 258])
    assert depths[0, 258] >= depths[30, 0] - 1
