# SPDX-License-Identifier: Apache-2.0
"""CKKS as in the paper, on Python integers and one modulus: encodings, sums, plain products, rescaling and alignment
are the same residues; phases of everything, products and rotations among it, hold the same numbers."""

from __future__ import annotations

from typing import Any

import cyclotome as cy
import numpy as np
import pytest
from cyclotome._core import testing
from real_party import encrypted, parameters

DEGREE = 32
SLOTS = DEGREE // 2
DEPTH = 3

Poly = list[int]


@pytest.fixture(scope="module")
def party() -> cy.Keys:
    return cy.keygen(parameters(DEGREE, depth=DEPTH))


def product(moduli: Any) -> int:
    whole = 1
    for q in moduli:
        whole *= q
    return whole


def composed(residues: Any, moduli: list[int]) -> Poly:
    """Coefficients modulo the product of the moduli, by the Chinese remainder theorem."""
    whole = product(moduli)
    parts = [whole // q * pow(whole // q, -1, q) for q in moduli]
    return [sum(int(residues[i][j]) * part for i, part in enumerate(parts)) % whole for j in range(DEGREE)]


def centred(a: Poly, q: int) -> Poly:
    return [x - q if x > q // 2 else x for x in (y % q for y in a)]


def multiplied(a: Poly, b: Poly) -> Poly:
    """Modulo x^n + 1."""
    out = [0] * DEGREE
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            sign = -1 if i + j >= DEGREE else 1
            out[(i + j) % DEGREE] += sign * x * y
    return out


def rounded(a: int, q: int) -> int:
    """a/q to the nearest integer."""
    return (2 * a + q) // (2 * q)


def moduli_of(x: cy.RealArray) -> list[int]:
    return list(x.parameters.moduli[: x.level + 1])


def parts(x: cy.RealArray) -> list[Poly]:
    residues = testing.rlwe.coefficients(testing.ckks.ciphertext(x.native))
    return [composed(residues[0][part], moduli_of(x)) for part in range(2)]


def phase(x: cy.RealArray, party: cy.Keys) -> Poly:
    residues = testing.rlwe.phase(party.secret.native, testing.ckks.ciphertext(x.native))
    moduli = moduli_of(x)
    return centred(composed(residues[0][0], moduli), product(moduli))


def roots() -> Any:
    """zeta^(3^i), in long double."""
    exponents = [pow(3, i, 2 * DEGREE) for i in range(SLOTS)]
    angles = np.pi * np.array(exponents, dtype=np.longdouble) / DEGREE
    return np.exp(1j * angles.astype(np.clongdouble))


def embedded(a: Any) -> Any:
    """Values at the slots' roots, by definition."""
    powers = np.array([roots() ** j for j in range(DEGREE)])
    return (np.array(a, dtype=np.clongdouble)[:, None] * powers).sum(0)


def encoded(values: Any, scale: float) -> Poly:
    """round(scale / n times the sum over all n roots), by definition."""
    z = roots()
    out = []
    for j in range(DEGREE):
        terms = np.asarray(values, dtype=np.clongdouble) * np.conj(z) ** j
        out.append(int(np.rint(np.longdouble(scale) * 2 * terms.real.sum() / DEGREE)))
    return out


def numbers(rng: np.random.Generator) -> Any:
    return (rng.uniform(-1, 1, SLOTS) + 1j * rng.uniform(-1, 1, SLOTS)) / np.sqrt(2)


def same(x: cy.RealArray, expected: list[Poly]) -> None:
    whole = product(moduli_of(x))
    assert parts(x) == [[c % whole for c in part] for part in expected]


def test_encodings(party: cy.Keys, rng: np.random.Generator) -> None:
    context = party.public.context.native
    for scale in (2.0**20, 2.0**30, 2.0**40, 2.0**45 / 3):
        values = numbers(rng)
        plain = testing.ckks.encode(context, list(values), scale)
        found = centred([int(c) for c in testing.rlwe.coefficients(plain)[0, 0, 0]], 1 << 60)
        assert found == encoded(values, scale)
        back = np.array(testing.ckks.decode(plain, scale))
        np.testing.assert_allclose(back, embedded(found).astype(complex) / scale, rtol=0, atol=1e-13)


def test_sums_and_negatives(party: cy.Keys, rng: np.random.Generator) -> None:
    x, y = (encrypted(numbers(rng), party) for _ in range(2))
    (a, b), (c, d) = parts(x), parts(y)
    same(x + y, [[i + j for i, j in zip(a, c, strict=True)], [i + j for i, j in zip(b, d, strict=True)]])
    same(x - y, [[i - j for i, j in zip(a, c, strict=True)], [i - j for i, j in zip(b, d, strict=True)]])
    same(-x, [[-i for i in a], [-i for i in b]])
    same(x * 5, [[5 * i for i in a], [5 * i for i in b]])
    w = numbers(rng)
    same(x + w, [[i + j for i, j in zip(a, encoded(w, x.native.scale), strict=True)], b])


def rescaled(part: Poly, moduli: list[int]) -> Poly:
    """Divided by the last modulus: the residue that goes is centred."""
    whole, last = product(moduli), moduli[-1]
    inverse = pow(last, -1, whole // last)
    return [(c - centred([c], last)[0]) * inverse % (whole // last) for c in part]


def factor_scale(x: cy.RealArray) -> float:
    scales, level = x.parameters.scales, x.level
    return x.parameters.moduli[level] * scales[level - 1] / scales[level]


def test_plain_products_and_constants(party: cy.Keys, rng: np.random.Generator) -> None:
    x = encrypted(numbers(rng), party)
    while x.level:
        w, moduli, own = numbers(rng), moduli_of(x), parts(x)
        same(x * w, [rescaled(multiplied(part, encoded(w, factor_scale(x))), moduli) for part in own])
        c = float(rng.uniform(-1, 1))
        factor = int(np.rint(c * factor_scale(x)))
        same(x * c, [rescaled([factor * i for i in part], moduli) for part in own])
        x = x * c


def test_alignment(party: cy.Keys, rng: np.random.Generator) -> None:
    x = encrypted(numbers(rng), party)
    scales = x.parameters.scales
    for level in range(x.level):
        moduli = list(x.parameters.moduli[: level + 2])
        factor = round(moduli[-1] * scales[level] / scales[x.level])
        restricted = [[i % product(moduli) for i in part] for part in parts(x)]
        same(x.switch_to_level(level), [rescaled([factor * i for i in part], moduli) for part in restricted])


def test_phases_hold_the_numbers(party: cy.Keys, rng: np.random.Generator) -> None:
    """Scale times message plus error: for the error a longer one than that of the transform in doubles would show."""
    a, b = numbers(rng), numbers(rng)
    x, y = encrypted(a, party), encrypted(b, party)
    cases: list[tuple[cy.RealArray, Any]] = [
        (x, a),
        (x * y, a * b),
        (x * y * x, a * b * a),
        (x.roll(3), np.roll(a, 3)),
        (x.conj(), a.conj()),
        (x @ np.diag(b), a * b),
        ((x * y).switch_to_level(0), a * b),
    ]
    for array, wanted in cases:
        exact = embedded(phase(array, party)) / array.native.scale
        assert np.abs(exact - wanted).max() <= array.error.max
        np.testing.assert_allclose(cy.decrypt(array, party.secret), exact.astype(complex), rtol=0, atol=1e-13)
        log2_max, log2_rms, log2_canonical = testing.ckks.approximation(array.native)
        error = exact * array.native.scale - np.asarray(wanted, dtype=np.clongdouble) * array.native.scale
        assert np.abs(error).max() <= 2.0**log2_canonical * np.sqrt(DEGREE) * (1 + 1e-9)
        assert np.sqrt((np.abs(error) ** 2).mean() / DEGREE) <= 2.0**log2_rms * (1 + 1e-9)
        assert log2_rms <= log2_canonical and log2_max <= log2_rms + np.log2(DEGREE)


def quotient(x: cy.RealArray, given: Any) -> Poly:
    """What (m - c0)/c1 is, m the encoding of decrypted numbers: the secret key, if m is the phase."""
    q = x.parameters.moduli[0]
    (c0, c1), m = parts(x), encoded(given, x.native.scale)
    root = next(r for r in (pow(g, (q - 1) // (2 * DEGREE), q) for g in range(2, 99)) if pow(r, DEGREE, q) == q - 1)
    points = [pow(root, 2 * i + 1, q) for i in range(DEGREE)]

    def values(a: Poly) -> Poly:
        return [sum(c * pow(z, j, q) for j, c in enumerate(a)) % q for z in points]

    at = zip(values(m), values(c0), values(c1), strict=True)
    quotients = [(u - v) * pow(w, -1, q) % q for u, v, w in at]
    unit = pow(DEGREE, -1, q)
    terms = [[v * pow(z, -j, q) for v, z in zip(quotients, points, strict=True)] for j in range(DEGREE)]
    return centred([sum(each) * unit for each in terms], q)


def test_decrypted_numbers_tell_the_secret(party: cy.Keys, rng: np.random.Generator) -> None:
    """Li and Micciancio (2021): what `decrypt` gives away is c0 + c1 s without a rounding, so that s is a quotient.
    That is why it is for the owner."""
    x = encrypted(numbers(rng), party).switch_to_level(0)
    secret = quotient(x, cy.decrypt(x, party.secret))
    assert set(secret) <= {-1, 0, 1}  # the key: it decrypts what nobody showed
    hidden = numbers(rng)
    y = encrypted(hidden, party).switch_to_level(0)
    b0, b1 = parts(y)
    found = centred([i + j for i, j in zip(b0, multiplied(b1, secret), strict=True)], y.parameters.moduli[0])
    assert np.abs(embedded(found) / y.native.scale - hidden).max() <= y.error.max


def test_revealed_numbers_do_not_tell_the_secret(party: cy.Keys, rng: np.random.Generator) -> None:
    """The same attack on what `reveal` gives, which is as right as it was asked for. Also by somebody who sees many,
    and takes their mean: what is left of the flooding is far above the error."""
    exact = numbers(rng)
    x = encrypted(exact, party).switch_to_level(0)
    given = [cy.reveal(x, party.secret, precision=1e-3, flooding_bits=10) for _ in range(64)]
    for each in given:
        assert np.abs(each - exact).max() <= 1e-3
        assert len(set(quotient(x, each)) - {-1, 0, 1}) > DEGREE / 4
    assert len({each.tobytes() for each in given}) == len(given)
    assert len(set(quotient(x, np.mean(given, axis=0))) - {-1, 0, 1}) > DEGREE / 4
    # How much is added follows from the precision alone, not from the error that an array states.
    spread = [np.std(np.array(given) - exact)]
    near = encrypted(exact, party, bound=1.0).switch_to_level(0) + x
    twice = [cy.reveal(near, party.secret, precision=1e-3, flooding_bits=9) for _ in range(64)]
    spread.append(np.std(np.array(twice) - 2 * exact))
    assert 0.9 < spread[0] / spread[1] < 1.1 and spread[0] > 2**10 * x.error.rms / DEGREE


def test_scales_are_those_of_the_paper(party: cy.Keys) -> None:
    own = party.public.parameters
    for level in range(1, DEPTH + 1):
        assert own.scales[level] ** 2 / own.moduli[level] == pytest.approx(own.scales[level - 1], rel=2**-50)
    above = [q for q in own.moduli[1:] if q > 2**40]
    assert len(above) == 2 and all(abs(q - 2**40) < 2**22 for q in own.moduli[1:])


def test_equal_bits_on_all_instruction_sets(rng: np.random.Generator) -> None:
    from cyclotome import _core

    own = parameters(1024, depth=2)
    values = rng.uniform(-1, 1, 512)
    party = cy.keygen(own)
    x = encrypted(values, party)
    results = []
    for name in _core.instruction_sets():
        context = _core.Context(own.native, _core.CpuEngine(1, instruction_set=name))
        evaluation = party.evaluation.native.to(context)
        ring = _core.Keyring(None, evaluation)
        y = x.native.to(context, ring)
        z = _core.multiply(_core.multiply(y, y), y)
        made = (z, _core.sum(y, [0], False), _core.gather(y, list(range(3, 200))), _core.multiply(y, y))
        results.append([testing.rlwe.coefficients(testing.ckks.ciphertext(each)).tolist() for each in made])
    assert len(results) >= 2 or _core.instruction_sets() == ["scalar"]
    assert all(each == results[0] for each in results)
