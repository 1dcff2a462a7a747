# SPDX-License-Identifier: Apache-2.0
"""The security gate: exactly the cap passes, one bit more is refused, for every row, level and table."""

from __future__ import annotations

import math
from typing import Any

import cyclotome_testing as core
import pytest
from oracles.integers import some_primes
from oracles.security_tables import GUIDELINES_2024, LEVELS, STANDARD_2018

B, A = core.SecurityTable.guidelines_2024, core.SecurityTable.he_standard_2018
CAPS: dict[Any, dict[int, tuple[int, int, int]]] = {A: STANDARD_2018, B: GUIDELINES_2024}
ROWS = [
    pytest.param(table, n, level, caps[i], id=f"{core.security_table_name(table)}-{n}-{level}")
    for table, rows in CAPS.items()
    for n, caps in rows.items()
    for i, level in enumerate(LEVELS)
]


def primes_of_product_bits(n: int, bits: int) -> list[int]:
    """Distinct primes = 1 mod 2n whose product has exactly this many bits."""
    count = -(-bits // 60)
    sizes = [bits // count + (i < bits % count) for i in range(count)]
    primes = [p for size in sorted(set(sizes)) for p in some_primes(size, 2 * n, sizes.count(size))]
    assert math.prod(primes).bit_length() == bits and len(set(primes)) == count
    return primes


def literal_of(n: int, bits: int, table: Any, level: int) -> Any:
    literal = core.ParametersLiteral()
    literal.degree, literal.plain_moduli, literal.word = n, [2], 64
    literal.table, literal.security = table, level
    primes = sorted(primes_of_product_bits(n, bits))
    # The largest prime is special where there are several: what counts is QP, not Q.
    literal.moduli, literal.special_moduli = (primes[:-1], primes[-1:]) if len(primes) > 1 else (primes, [])
    return literal


@pytest.mark.parametrize(("table", "n", "level", "cap"), ROWS)
def test_the_cap_passes_and_one_bit_more_is_refused(table: Any, n: int, level: int, cap: int) -> None:
    assert core.max_modulus_bits(n, level, table) == cap
    if cap:
        parameters = core.Parameters(literal_of(n, cap, table, level))
        assert parameters.key_modulus_bits == cap and not parameters.insecure
        assert parameters.security_reached >= level
        assert f"{parameters.security_reached}-bit security" in parameters.summary()
    over = literal_of(n, cap + 1 if cap else 20, table, level)
    name = core.security_table_name(table)
    with pytest.raises(
        core.SecurityError, match=rf"degree {n}, but {level}-bit security allows at most {cap} \(table {name}"
    ):
        core.Parameters(over)
    over.allow_insecure = True
    allowed = core.Parameters(over)
    assert allowed.security_reached < level
    assert allowed.insecure == (allowed.security_reached < 128) == ("INSECURE" in allowed.summary())


@pytest.mark.parametrize(("table", "n", "level", "cap"), ROWS)
def test_the_level_that_is_reached_is_the_highest_that_the_table_allows(
    table: Any, n: int, level: int, cap: int
) -> None:
    for bits in (cap, cap + 1):
        expected = max((x for x, c in zip(LEVELS, CAPS[table][n], strict=True) if bits <= c), default=0)
        assert core.security_reached(n, bits, table) == expected


def test_the_default_table_is_the_guidelines_of_2024() -> None:
    literal = core.ParametersLiteral()
    assert literal.table == B and literal.security == 128 and not literal.allow_insecure
    assert core.Intent().table == B and core.Intent().security == 128
    edge = literal_of(8192, 218, A, 128)  # SEAL's own edge: selectable, not the default
    core.Parameters(edge)
    edge.table = B
    with pytest.raises(core.SecurityError):
        core.Parameters(edge)


def test_tables_have_names_and_unknown_ones_are_refused() -> None:
    for table in (A, B):
        assert core.security_table(core.security_table_name(table)) == table
    for wrong in ("", "guidelines", "HE-standard-2018"):
        with pytest.raises(core.ParameterError, match=r"unknown; choose guidelines-2024 or he-standard-2018"):
            core.security_table(wrong)
    for level in (0, 1, 64, 127, 129, 384, 1 << 31):
        with pytest.raises(core.ParameterError, match="choose 128, 192 or 256"):
            core.max_modulus_bits(8192, level, B)


def test_degrees_without_a_row_have_no_secure_modulus() -> None:
    for degree in (8, 512, 1 << 18, 1000):
        for table in (A, B):
            assert core.max_modulus_bits(degree, 128, table) == 0 and core.security_reached(degree, 1, table) == 0
    literal = core.ParametersLiteral()
    literal.degree, literal.plain_moduli, literal.moduli = 512, [2], some_primes(14, 1024, 1)
    literal.allow_insecure = True
    assert core.Parameters(literal).insecure
