# SPDX-License-Identifier: Apache-2.0
"""Why these special primes and digits: what there was to choose from, what it costs, and why it was not taken."""

from __future__ import annotations

import math
import re
from typing import Any, NamedTuple

import pytest
from cyclotome import _core
from cyclotome._core import testing
from literals import Intent, ParametersLiteral
from oracles.security_tables import GUIDELINES_2024, STANDARD_2018
from parties import small_literal

STANDARD = "he-standard-2018"

PLANNED: list[dict[str, Any]] = [
    {"depth": 0, "value_bits": 10},
    {"depth": 1, "value_bits": 10},
    {"depth": 1, "value_bits": 20, "word": 64, "min_degree": 16384},
    {"depth": 2, "value_bits": 8, "scheme": "bgv"},
    {"depth": 3, "value_bits": 4, "result_bits": 18, "security": 192},
    {"depth": 6, "value_bits": 2, "result_bits": 16, "terms": 4, "plain_products": 0, "table": STANDARD},
]


class Row(NamedTuple):
    """A line of the table."""

    special: int
    digits: int
    length: int
    key: str
    cost: float
    headroom: int
    verdict: str


def table(parameters: Any) -> list[Row]:
    """The table at the end of an explanation."""
    lines = parameters.explain().splitlines()
    head = next(i for i, line in enumerate(lines) if line.split()[:3] == ["special", "primes", "digits"])
    rows = []
    for line in lines[head + 1 :]:
        found = re.fullmatch(r" +(\d+) +(\d+) +(\d+) +([\d.]+ [KM]iB) +([\d.]+) +(-?\d+)  (\S.*)", line)
        assert found, line
        special, digits, length, key, cost, headroom, verdict = found.groups()
        rows.append(Row(int(special), int(digits), int(length), key, float(cost), int(headroom), verdict))
    return rows


def chosen_of(rows: list[Row]) -> Row:
    (chosen,) = [row for row in rows if row.verdict == "chosen"]
    return chosen


def suggested(fields: dict[str, Any]) -> Any:
    intent = Intent()
    for name, value in fields.items():
        setattr(intent, name, value)
    return intent.suggested()


def cap(parameters: Any) -> int:
    literal = ParametersLiteral.of(parameters)
    limits = STANDARD_2018 if literal.table == STANDARD else GUIDELINES_2024
    return int(limits[parameters.degree][literal.security // 64 - 2])


@pytest.mark.parametrize("fields", PLANNED, ids=str)
def test_what_the_planner_chose_is_the_cheapest_that_security_allows(fields: dict[str, Any]) -> None:
    parameters = suggested(fields)
    rows = table(parameters)
    chosen, limit = chosen_of(rows), cap(parameters)
    assert (chosen.special, chosen.digits) == (len(parameters.special_moduli), parameters.digits)
    assert (chosen.length, chosen.cost) == (parameters.key_modulus_bits, 1.0)
    assert [row.special for row in rows] == list(range(min(len(parameters.moduli), 8) + 1))
    for row in rows:
        if row.length > limit:
            bits = ParametersLiteral.of(parameters).security
            assert row.verdict == f"too long for {bits}-bit classical security, by {row.length - limit}"
        elif row.special == 0:
            assert row.verdict == f"noisier, by {chosen.headroom - row.headroom}" and row.headroom < chosen.headroom
        elif row is not chosen:
            assert row.verdict == "not cheaper" and row.cost >= 1


@pytest.mark.parametrize("fields", PLANNED, ids=str)
def test_alternatives_have_the_same_ciphertexts_and_the_fewest_digits(fields: dict[str, Any]) -> None:
    """Digits by their definition: no digit of ceil(k / digits) primes is longer than the special primes together."""
    parameters = suggested(fields)
    primes = list(parameters.moduli)
    for other, _, _, _, _ in testing.key_switch_choices(parameters):
        assert (list(other.moduli), other.plain_moduli) == (primes, parameters.plain_moduli)
        special = math.prod(other.special_moduli).bit_length()
        fitting = len(primes)
        for digits in range(len(primes), 0, -1):
            size = math.ceil(len(primes) / digits)
            parts = [primes[i : i + size] for i in range(0, len(primes), size)]
            if other.special_moduli and all(math.prod(part).bit_length() <= special for part in parts):
                fitting = len(parts)
        assert other.digits == fitting


def test_key_sizes_and_costs_are_those_of_the_alternatives() -> None:
    """seal-8192: four primes; two special primes halve the digits, and would make keys smaller."""
    parameters = _core.preset("seal-8192", False)
    rows = table(parameters)
    assert [(row.special, row.digits, row.length) for row in rows] == [
        (0, 4, 174),
        (1, 4, 218),
        (2, 2, 262),
        (3, 2, 306),
        (4, 1, 350),
    ]
    limb = 8192 * 8
    assert [row.key for row in rows] == [f"{2 * d * (4 + s) * limb // 1024} KiB" for s, d, *_ in rows]
    costs = [relative for _, relative, _, _, _ in testing.key_switch_choices(parameters)]
    assert costs[1] == 1 and all(row.cost == round(c, 2) for row, c in zip(rows, costs, strict=True))
    # The model by hand: 14 k + (d + 2)(k + s) transforms, 9 k^2 + d (k + s)(3 + k/d) + 2 s k terms of conversions,
    # products with a key for 3 in the place of 2.
    by_hand = [(14 * 4 + (d + 2) * (4 + s)) * 13 + 9 * 16 + d * (4 + s) * (3 + 4 / d) + 8 * s for s, d, *_ in rows]
    assert costs == pytest.approx([cost / by_hand[1] for cost in by_hand])


def test_headroom_after_a_product_is_that_of_the_noise_model() -> None:
    parameters = _core.preset("seal-8192", False)
    chosen = chosen_of(table(parameters))
    promised = re.search(r"depth 1 (\d+)", parameters.explain())
    assert promised and chosen.headroom == int(promised[1])


def test_primes_chosen_by_hand_are_told_when_others_were_cheaper() -> None:
    literal = small_literal(64, 2048, 65537, 8, 1)
    rows = table(literal.made())
    cheaper = [row for row in rows if row.cost < 1 and row.special > 1]
    assert cheaper and {row.verdict for row in cheaper} == {"cheaper and allowed; the primes were chosen by hand"}
    best = min(rows[1:], key=lambda row: row.cost)
    literal = small_literal(64, 2048, 65537, 8, best.special)
    again = table(literal.made())
    assert chosen_of(again).special == best.special
    assert all(row.verdict in ("chosen", "not cheaper") for row in again[1:])
