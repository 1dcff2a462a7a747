# SPDX-License-Identifier: Apache-2.0
"""Parameters from intent, by name, and explained: suggestions carry the worst program that they were asked for."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest
from cyclotome import _core
from cyclotome._core import testing
from cyclotome._core.testing import bfv, rlwe
from cyclotome.errors import ParameterError, SecurityError
from hypothesis import given, settings
from hypothesis import strategies as st
from literals import Intent, ParametersLiteral
from oracles.integers import is_prime
from oracles.security_tables import GUIDELINES_2024, LEVELS, STANDARD_2018
from parties import Party, permuted, product_of_values, small_literal

A = "he-standard-2018"
CAPS = {A: STANDARD_2018, "guidelines-2024": GUIDELINES_2024}


def intent_of(**fields: Any) -> Any:
    intent = Intent()
    for name, value in fields.items():
        setattr(intent, name, value)
    return intent


# Depths, widths, sums, plaintext products, levels, tables and words; each is run to its limit below.
INTENTS: list[dict[str, Any]] = [
    {"depth": 0, "value_bits": 1, "terms": 1, "plain_products": 0},
    {"depth": 0, "value_bits": 10},
    {"depth": 0, "value_bits": 40, "plain_products": 0, "terms": 1 << 20},
    {"depth": 0, "value_bits": 12, "plain_products": 3, "word": 32},
    {"depth": 1, "value_bits": 7, "security": 256},
    {"depth": 1, "value_bits": 20, "word": 64},
    {"depth": 1, "value_bits": 16, "word": 32, "table": A},
    {"depth": 1, "value_bits": 3, "terms": 1, "plain_products": 0, "security": 192},
    {"depth": 2, "value_bits": 5},
    {"depth": 2, "value_bits": 8, "result_bits": 16, "slots": False},
    {"depth": 3, "value_bits": 4, "result_bits": 18, "plain_products": 0, "terms": 4},
    {"depth": 5, "value_bits": 1, "result_bits": 17, "plain_products": 0, "terms": 2, "word": 32},
    {"depth": 1, "value_bits": 4, "min_degree": 16384},
]


@pytest.mark.parametrize("fields", INTENTS, ids=str)
def test_suggestions_carry_the_worst_program_that_was_asked_for(
    rng: np.random.Generator, fields: dict[str, Any]
) -> None:
    """Squares of sums of four, plaintext products, a rotation, and a sum of `terms`: it decrypts, exactly modulo t."""
    intent = intent_of(**fields)
    parameters = intent.suggested()
    party = Party(ParametersLiteral.of(parameters), galois=[3])
    n, t = party.n, party.t()
    x = rng.integers(-(1 << min(intent.value_bits, 40)) + 1, 1 << min(intent.value_bits, 40), n)
    expected = x.astype(object) % t
    y, expected = party.encrypt(expected[None], int(rng.integers(1 << 60)), intent.slots), expected[None]
    for _ in range(intent.depth):
        y, expected = rlwe.multiply_scalar(y, 4), 4 * expected
        y = _core.relinearize(bfv.square(y), party.evaluation)
        expected = product_of_values(expected, expected, intent.slots, t)
    for _ in range(intent.plain_products):
        factor = rng.integers(0, t, (1, n)).astype(object)
        y = _core.multiply_plain(y, party.plaintext(factor, intent.slots))
        expected = product_of_values(expected, factor, intent.slots, t)
    y = _core.apply_galois(y, 3, party.evaluation)
    total = rlwe.multiply_scalar(y, intent.terms)
    assert total.noise_headroom >= 0
    assert np.array_equal(party.decrypt(total, intent.slots), permuted(expected, 3, intent.slots, t) * intent.terms % t)
    budget = min(_core.noise_budget(total, party.secret))
    assert budget >= 1
    # Not absurdly generous either: the exact budget that is left stays below a few levels' worth.
    assert budget < 45 + 5 * intent.depth + 6 * intent.plain_products, budget


@pytest.mark.parametrize("fields", INTENTS, ids=str)
def test_suggestions_are_what_they_promise(fields: dict[str, Any]) -> None:
    intent = intent_of(**fields)
    parameters = intent.suggested()
    values = intent.result_bits or (intent.value_bits << intent.depth) + (intent.terms - 1).bit_length()
    assert math.prod(parameters.plain_moduli) > 2 << values  # every value in (-2^values, 2^values) is its own residue
    caps = CAPS[intent.table][parameters.degree]
    assert parameters.key_modulus_bits <= caps[LEVELS.index(intent.security)]
    assert parameters.security_reached >= intent.security and not parameters.insecure
    assert parameters.degree >= max(1024, intent.min_degree) and parameters.special_moduli
    if intent.word is not None:
        assert parameters.word == intent.word
    if intent.slots:
        assert all(is_prime(t) and t % (2 * parameters.degree) == 1 for t in parameters.plain_moduli)
    assert len(testing.noise_by_depth(parameters)) - 1 >= intent.depth


@pytest.mark.parametrize("word", [32, 64])
@pytest.mark.parametrize("degree", [4096, 8192, 16384, 32768, 65536])
def test_no_degree_is_passed_over_for_want_of_plaintext_primes_of_one_width(degree: int, word: int) -> None:
    """There is no 19-bit prime = 1 modulo 2^15, nor one of 20 bits modulo 2^17: other widths do."""
    intent = intent_of(depth=0, result_bits=10, terms=1, plain_products=0, min_degree=degree, word=word)
    parameters = intent.suggested()
    assert parameters.degree == degree
    deeper = intent_of(depth=2, result_bits=10, terms=1, plain_products=0, min_degree=max(degree, 8192), word=word)
    assert deeper.suggested().degree == max(degree, 8192)


@settings(max_examples=30)
@given(
    depth=st.integers(0, 3),
    value_bits=st.integers(1, 12),
    terms=st.sampled_from([1, 3, 1000, 1 << 14]),
    plain_products=st.integers(0, 2),
    security=st.sampled_from([128, 192, 256]),
    word=st.sampled_from([None, 32, 64]),
)
def test_any_intent_is_served_or_refused_with_advice(**fields: Any) -> None:
    chosen = intent_of(**{name: value for name, value in fields.items() if value is not None})
    try:
        parameters = chosen.suggested()
    except ParameterError as error:
        assert "lower depth" in str(error)
        return
    deepest = [noise for _, noise in testing.noise_by_depth(parameters)]
    assert len(deepest) - 1 >= chosen.depth and parameters.security_reached >= chosen.security
    assert math.prod(parameters.plain_moduli).bit_length() > (chosen.value_bits << chosen.depth)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"depth": 65}, r"depth 65 .*at most 64"),
        ({"plain_products": 65}, r"65 plaintext\s+products"),
        ({"value_bits": 0}, r"value_bits 0 .*\[1, 1024\]"),
        ({"value_bits": 1025}, r"value_bits 1025"),
        ({"result_bits": 1025}, r"result_bits 1025"),
        ({"terms": 0}, r"terms 0"),
        ({"depth": 11}, r"at depth 11 .*say result_bits="),
        ({"depth": 60, "result_bits": 20, "security": 256}, r"no degree up to 131072 carries depth 60 .*lower depth"),
        ({"depth": 0, "value_bits": 1000}, r"results of 1014 bits at 128-bit classical security; lower"),
        ({"security": 100}, r"security of 100 bits is not in the tables"),
        ({"min_degree": 1 << 18}, r"no degree up to 131072"),
    ],
)
def test_impossible_intents_are_refused(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        intent_of(**fields).suggested()


SETS = re.compile(r"(000|001|004)-(\d+)-(\d+)$")


@pytest.mark.parametrize("name", _core.preset_names())
def test_presets_are_what_they_are_named_and_insecure_ones_take_saying_so(name: str) -> None:
    parameters = _core.preset(name, True)
    assert parameters.name == name and f"'{name}'" in parameters.summary()
    secure = parameters.key_modulus_bits <= CAPS[A][parameters.degree][0]
    assert parameters.insecure != secure and ("INSECURE" in parameters.summary()) != secure
    if secure:
        assert _core.preset(name, False).moduli == parameters.moduli
    else:
        with pytest.raises(SecurityError, match="allow_insecure=True"):
            _core.preset(name, False)
    if match := SETS.match(name):  # degree and log2 of the largest modulus, as the papers' tables name them
        assert parameters.degree == int(match[2])
        assert abs(parameters.key_modulus_bits - int(match[3])) <= 1
        assert parameters.plain_moduli == [1024 if match[1] == "001" else 2]
    assert rlwe.ciphertext_ring(_core.Context(parameters, _core.CpuEngine(1))).degree == parameters.degree


def test_presets_of_the_papers_are_all_there() -> None:
    """Paper 000, table 4 (its own moduli and SEAL's); paper 001, tables 2 and 7."""
    names = set(_core.preset_names())
    for degree, seal, own in [(2048, 60, 62), (4096, 180, 186), (8192, 360, 372), (16384, 720, 744)]:
        assert {f"000-{degree}-{seal}", f"000-{degree}-{own}"} <= names
    for degree, bits, primes in [(2048, 54, 1), (4096, 109, 3), (8192, 218, 5)]:
        parameters = _core.preset(f"001-{degree}-{bits}", True)
        assert len(parameters.moduli) + len(parameters.special_moduli) == primes
    with pytest.raises(ParameterError, match=r"'nonsense' is unknown; there are .*seal-8192"):
        _core.preset("nonsense", False)


@pytest.mark.parametrize("name", ["seal-4096", "001-8192-218", "000-8192-360"])
def test_explanations_state_the_facts(name: str) -> None:
    parameters = _core.preset(name, True)
    text = parameters.explain()
    n, word = parameters.degree, parameters.word // 8
    k, special = len(parameters.moduli), len(parameters.special_moduli)
    assert text.startswith(parameters.summary() + "\n")
    assert " + ".join(str(q.bit_length()) for q in parameters.moduli) in text
    assert (
        f"log2 QP = {parameters.key_modulus_bits}, table he-standard-2018 allows {CAPS[A][n][0]} for 128 bits" in text
    )
    assert ("INSECURE" in text) == parameters.insecure
    assert ("(no slots)" in text) == (parameters.plain_moduli[0] % (2 * n) != 1)
    sizes = testing.sizes_in_memory(parameters)
    switching = 2 * parameters.digits * (k + special) * n * word
    assert sizes == (2 * k * n * word, 2 * (k + special) * n * word, switching, switching)
    assert f"ciphertext {sizes[0] // 1024} KiB" in text
    assert f"in {parameters.digits} digit" in text and "headroom   fresh" in text


def test_a_composite_plaintext_modulus_has_no_slots_however_it_is_congruent() -> None:
    """2049 = 3 683 is 1 modulo 2048, but there is no root of order 2048 modulo 3."""
    literal = small_literal(64, 1024, 2049, 2, 1)
    parameters = literal.made()
    assert not _core.Context(parameters, _core.CpuEngine(1)).has_slots(0)
    assert "t = 2049 (no slots)" in parameters.explain()


@pytest.mark.parametrize("scheme", ["bfv", "bgv"])
def test_narrower_primes_make_room_for_a_special_prime(scheme: Any) -> None:
    """826 of 881 bits leave room for one special prime beside 28 ciphertext primes, and for two beside 31, with which
    there are about half as many digits. Where there is room enough, there are no more primes than it takes. No bit of
    the length that was asked for is missing."""
    literal = ParametersLiteral()
    literal.scheme, literal.degree, literal.word = scheme, 32768, 32
    literal.plain_moduli, literal.security, literal.table = [786433], 128, A
    for bits, shape in {826: (31, 2, 16), 591: (20, 7, 3)}.items():
        p = literal.with_modulus_bits(bits)
        assert (len(p.moduli), len(p.special_moduli), p.digits) == shape
        assert p.modulus_bits == bits and p.key_modulus_bits <= 881
