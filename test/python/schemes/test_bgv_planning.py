# SPDX-License-Identifier: Apache-2.0
"""Suggested BGV parameters and the sets of paper 004: they carry what they promise. Hoisted rotations at all levels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from bgv_party import BgvParty, bgv_literal
from cyclotome import _core
from cyclotome._core import testing
from cyclotome._core.testing import rlwe
from cyclotome.errors import MissingKeyError, ParameterError, SecurityError
from literals import Intent, ParametersLiteral
from oracles.integers import random_below
from parties import permuted, product_of_values, slot_prime

PAPER_004 = [name for name in _core.preset_names() if name.startswith("004-")]


def intent(**wanted: Any) -> Any:
    result = Intent()
    result.scheme = "bgv"
    for name, value in wanted.items():
        setattr(result, name, value)
    return result


@pytest.mark.parametrize(
    "wanted",
    [
        {"depth": 1, "value_bits": 4, "plain_products": 0, "terms": 1},
        {"depth": 1, "value_bits": 6, "plain_products": 1, "word": 32},
        {"depth": 2, "value_bits": 6, "result_bits": 40, "word": 64},
        {"depth": 3, "value_bits": 2, "word": 32},
        {"depth": 4, "value_bits": 1, "result_bits": 18, "terms": 16},
    ],
    ids=str,
)
def test_suggested_parameters_carry_the_computation(rng: np.random.Generator, wanted: dict[str, int]) -> None:
    """Sums of four before each of `depth` squarings, then plain products, a rotation and `terms` summands: in every
    plaintext modulus, with random residues, which are the worst values that there are."""
    parameters = intent(**wanted).suggested()
    assert not parameters.insecure and parameters.special_moduli
    party = BgvParty(ParametersLiteral.of(parameters), int(rng.integers(1 << 60)), galois=[3])
    for plain, t in enumerate(parameters.plain_moduli):
        values = random_below(rng, t, (1, party.n))
        x, expected = party.encrypt(values, 1, True, plain=plain), values
        for _ in range(wanted["depth"]):
            four = _core.add(_core.add(x, x), _core.add(x, x))
            x = _core.relinearize(testing.bgv.square(four), party.evaluation)
            expected = 16 * expected * expected % t
        for _ in range(wanted.get("plain_products", 1)):
            other = random_below(rng, t, (1, party.n))
            x = _core.multiply_plain(x, party.plaintext(other, True, plain))
            expected = expected * other % t
        x = _core.apply_galois(x, 3, party.evaluation)
        x = rlwe.multiply_scalar(x, wanted.get("terms", 1 << 14))
        expected = permuted(expected, 3, True, t) * wanted.get("terms", 1 << 14) % t
        assert x.noise_headroom >= 0
        assert min(_core.noise_budget(x, party.secret)) >= 1
        assert np.array_equal(party.decrypt(x, True), expected)


def test_more_depth_never_takes_fewer_bits() -> None:
    bits = [intent(depth=d, value_bits=1, result_bits=12, terms=4).suggested().modulus_bits for d in range(5)]
    assert bits == sorted(bits) and bits[0] < bits[-1]


@pytest.mark.parametrize("word", [32, 64])
@pytest.mark.parametrize("modulus_bits", [100, 160, 213, 214])
def test_a_modulus_of_given_length_has_special_primes_while_they_fit(word: int, modulus_bits: int) -> None:
    literal = ParametersLiteral()
    literal.scheme, literal.degree, literal.word = "bgv", 8192, word
    literal.plain_moduli, literal.security = [65537], 128
    p = literal.with_modulus_bits(modulus_bits)
    assert p.modulus_bits == modulus_bits and p.key_modulus_bits <= 214 and not p.insecure
    assert bool(p.special_moduli) == (modulus_bits <= 180)
    literal.plain_moduli = [65537]
    with pytest.raises(ParameterError, match="log q = 215"):
        literal.with_modulus_bits(215)


@pytest.mark.parametrize(("word", "modulus_bits"), [(32, 900), (32, 1360), (64, 1360)])
def test_long_moduli_have_more_special_primes_where_these_pay(word: int, modulus_bits: int) -> None:
    """By the model's own costs: none of the choices that security allows is cheaper than the one that was made."""
    literal = ParametersLiteral()
    literal.scheme, literal.degree, literal.word = "bfv", 65536, word
    literal.plain_moduli, literal.security = [786433], 128
    p = literal.with_modulus_bits(modulus_bits)
    assert p.modulus_bits >= modulus_bits and not p.insecure
    choices = testing.key_switch_choices(p)
    assert len(choices) == min(24, len(p.moduli)) + 1
    assert all(cost >= 1 for _, cost, _, allowed, _ in choices if allowed)
    assert len(p.special_moduli) > 8 or word == 64


def test_paper_004s_sets_multiply_bits(rng: np.random.Generator) -> None:
    """t = 2 without special primes: coefficient encoding, polynomials over GF(2)."""
    assert [int(name.split("-")[2]) for name in PAPER_004] == [64, 320, 576, 1088, 1088]
    for name in ("004-16384-64", "004-16384-320"):
        party = BgvParty(ParametersLiteral.of(_core.preset(name, False)), int(rng.integers(1 << 60)))
        assert party.parameters.name == name and party.t() == 2 and party.special == 1
        values = random_below(rng, 2, (2, party.n))
        x, y = party.encrypt(values[:1], 1, False), party.encrypt(values[1:], 2, False)
        party.reads(_core.add(x, y), False, values[:1] + values[1:])
        product = testing.bgv.multiply(x, y)
        expected = product_of_values(values[:1], values[1:], False, 2)
        if name.endswith("320"):
            party.reads(_core.relinearize(product, party.evaluation), False, expected)
        else:  # one product fits, its relinearisation without special primes does not
            party.reads(product, False, expected)
    for name in PAPER_004[2:]:
        with pytest.raises(SecurityError):
            _core.preset(name, False)
        assert _core.preset(name, True).insecure


@pytest.mark.parametrize("word", [32, 64])
@pytest.mark.parametrize("special", [0, 1, 2])
def test_hoisted_rotations_are_the_same_at_every_level(rng: np.random.Generator, word: int, special: int) -> None:
    n, elements = 64, [3, 1, 127, 9, 3]
    literal = bgv_literal(word, n, slot_prime(n, 14), 5, special, bits=30 if word == 32 else 50)
    party = BgvParty(literal, int(rng.integers(1 << 60)), galois=elements)
    values = random_below(rng, party.t(), (3, n))
    x = party.encrypt(values, 1, True)
    for level in range(party.top, 1, -1):
        y = testing.scheme.switch_to_level(x, level)
        moved = rlwe.apply_galois_hoisted(y, elements, party.evaluation)
        for element, result in zip(elements, moved, strict=True):
            alone = _core.apply_galois(y, element, party.evaluation)
            assert result.limbs == level and testing.bgv.correction(result) == testing.bgv.correction(y)
            assert np.array_equal(rlwe.coefficients(result), rlwe.coefficients(alone))
            assert result.noise == alone.noise
            if result.noise_headroom >= 0:
                party.reads(result, True, permuted(values, element, True, party.t()))
    with pytest.raises(MissingKeyError, match="element 27"):
        rlwe.apply_galois_hoisted(x, [3, 27], party.evaluation)
