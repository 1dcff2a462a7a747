# SPDX-License-Identifier: Apache-2.0
"""The security gate: exactly the cap passes, one bit more is refused, for every row, level and table."""

from __future__ import annotations

import math
from typing import Any

import pytest
from cyclotome import _core
from cyclotome._core import testing
from cyclotome.errors import ParameterError, SecurityError
from literals import Intent, ParametersLiteral
from oracles.integers import some_primes
from oracles.security_tables import GUIDELINES_2024, LEVELS, QUANTUM, STANDARD_2018

B, A = "guidelines-2024", "he-standard-2018"
Q = "quantum-guidelines-2024"
CAPS: dict[Any, dict[int, tuple[int, int, int]]] = {A: STANDARD_2018, B: GUIDELINES_2024}
ROWS = [
    pytest.param(table, n, level, caps[i], id=f"{table}-{n}-{level}")
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
    literal = ParametersLiteral()
    literal.degree, literal.plain_moduli, literal.word = n, [2], 64
    literal.table, literal.security = table, level
    primes = sorted(primes_of_product_bits(n, bits))
    # The largest prime is special where there are several: what counts is QP, not Q.
    literal.moduli, literal.special_moduli = (primes[:-1], primes[-1:]) if len(primes) > 1 else (primes, [])
    return literal


@pytest.mark.parametrize(("table", "n", "level", "cap"), ROWS)
def test_the_cap_passes_and_one_bit_more_is_refused(table: Any, n: int, level: int, cap: int) -> None:
    assert _core.max_modulus_bits(n, level, table) == cap
    if cap:
        parameters = literal_of(n, cap, table, level).made()
        assert parameters.key_modulus_bits == cap and not parameters.insecure
        assert parameters.security_reached >= level
        label = f"{parameters.security_reached}-bit classical security" + (" by he-standard-2018" if table == A else "")
        assert parameters.summary().endswith(label)
    over = literal_of(n, cap + 1 if cap else 20, table, level)
    name = table
    with pytest.raises(
        SecurityError, match=rf"degree {n}, but {level}-bit classical security allows at most {cap} \(table {name}"
    ):
        over.made()
    over.allow_insecure = True
    allowed = over.made()
    assert allowed.security_reached < level
    assert allowed.insecure == (allowed.security_reached < 128) == ("INSECURE" in allowed.summary())
    assert (table == A) == (f" by {name}" in allowed.summary())


@pytest.mark.parametrize(("n", "cap"), QUANTUM.items())
def test_the_quantum_cap_passes_and_one_bit_more_is_refused(n: int, cap: int) -> None:
    assert _core.max_modulus_bits(n, 128, Q) == cap
    parameters = literal_of(n, cap, Q, 128).made()
    assert parameters.key_modulus_bits == cap and parameters.security_reached == 128
    assert parameters.summary().endswith("128-bit quantum security by quantum-guidelines-2024")
    over = literal_of(n, cap + 1, Q, 128)
    message = rf"degree {n}, but 128-bit quantum security allows at most {cap} \(table quantum-guidelines-2024"
    with pytest.raises(SecurityError, match=message):
        over.made()
    over.allow_insecure = True
    assert over.made().summary().endswith("INSECURE by quantum-guidelines-2024")
    assert [testing.security_reached(n, bits, Q) for bits in (1, cap, cap + 1)] == [128, 128, 0]
    literal_of(n, cap + 1, B, 128).made()  # classical attacks allow more


@pytest.mark.parametrize("level", [192, 256])
def test_the_quantum_table_has_one_level(level: int) -> None:
    literal = literal_of(8192, 40, Q, level)
    literal.allow_insecure = True
    intent = Intent()
    intent.table, intent.security = Q, level
    for call in (
        lambda: _core.max_modulus_bits(8192, level, Q),
        lambda: literal.made(),
        lambda: intent.suggested(),
        lambda: literal.with_modulus_bits(60),
    ):
        with pytest.raises(ParameterError, match=f"128 bits of quantum security only, not for {level}; choose 128"):
            call()


def test_each_table_is_at_least_as_strict_as_the_next() -> None:
    """What loading by a named table rests on: the quantum table, the guidelines, the standard of 2018."""
    for n in GUIDELINES_2024:
        for level in LEVELS:
            assert level > 128 or QUANTUM[n] <= GUIDELINES_2024[n][0]
            standard = STANDARD_2018[n][LEVELS.index(level)]
            assert not any(STANDARD_2018[n]) or GUIDELINES_2024[n][LEVELS.index(level)] <= standard


@pytest.mark.parametrize("depth", [0, 1, 3])
@pytest.mark.parametrize("scheme", ["bfv", "bgv"])
def test_plans_for_quantum_attacks_keep_below_the_quantum_cap(depth: int, scheme: Any) -> None:
    intent = Intent()
    intent.table, intent.depth, intent.value_bits, intent.scheme = Q, depth, 6, scheme
    planned = intent.suggested()
    assert planned.key_modulus_bits <= QUANTUM[planned.degree] and planned.security_reached == 128
    assert testing.security_reached(planned.degree, planned.key_modulus_bits, B) >= 128
    base = ParametersLiteral()
    base.degree, base.plain_moduli, base.table, base.scheme = 8192, [65537], Q, scheme
    assert base.with_modulus_bits(120).key_modulus_bits <= 161
    assert base.with_modulus_bits(161).special_moduli == []  # no room for a special prime at the cap
    with pytest.raises(ParameterError, match="table quantum-guidelines-2024 allows log2 QP up to 161"):
        base.with_modulus_bits(162)


def test_explanations_name_the_limit_of_the_default_table_beside_another_one() -> None:
    def line(parameters: Any) -> str:
        (found,) = [line for line in parameters.explain().splitlines() if line.startswith("  security  ")]
        return " ".join(found.split())

    assert line(literal_of(8192, 214, B, 128).made()) == (
        "security 128-bit classical security (log2 QP = 214, table guidelines-2024 allows 214 for 128 bits)"
    )
    assert line(literal_of(8192, 218, A, 128).made()) == (
        "security 128-bit classical security (log2 QP = 218, table he-standard-2018 allows 218 for 128 bits; "
        "table guidelines-2024 allows 214, classical)"
    )
    weak = literal_of(8192, 162, Q, 128)
    weak.allow_insecure = True
    assert line(weak.made()).startswith(
        "security INSECURE: below 128-bit quantum security (log2 QP = 162, table quantum-guidelines-2024 allows 161"
    )


@pytest.mark.parametrize(("table", "n", "level", "cap"), ROWS)
def test_the_level_that_is_reached_is_the_highest_that_the_table_allows(
    table: Any, n: int, level: int, cap: int
) -> None:
    for bits in (cap, cap + 1):
        expected = max((x for x, c in zip(LEVELS, CAPS[table][n], strict=True) if bits <= c), default=0)
        assert testing.security_reached(n, bits, table) == expected


def test_the_default_table_is_the_guidelines_of_2024() -> None:
    literal = ParametersLiteral()
    assert literal.table == B and literal.security == 128 and not literal.allow_insecure
    assert Intent().table == B and Intent().security == 128
    edge = literal_of(8192, 218, A, 128)  # SEAL's own edge: selectable, not the default
    edge.made()
    edge.table = B
    with pytest.raises(SecurityError):
        edge.made()


def test_tables_have_names_and_unknown_ones_are_refused() -> None:
    for table in (A, B, Q):
        assert _core.weaker_table(table, table) == table
    names = "quantum-guidelines-2024, guidelines-2024, he-standard-2018"
    for wrong in ("", "guidelines", "HE-standard-2018", "quantum"):
        with pytest.raises(ParameterError, match=rf"'{wrong}' is unknown; choose one of {names}"):
            _core.max_modulus_bits(8192, 128, wrong)
    for level in (0, 1, 64, 127, 129, 384, 1 << 31):
        with pytest.raises(ParameterError, match="choose 128, 192 or 256"):
            _core.max_modulus_bits(8192, level, B)


def test_degrees_without_a_row_have_no_secure_modulus() -> None:
    for degree in (8, 512, 1 << 18, 1000):
        for table in (A, B, Q):
            assert _core.max_modulus_bits(degree, 128, table) == 0 and testing.security_reached(degree, 1, table) == 0
    literal = ParametersLiteral()
    literal.degree, literal.plain_moduli, literal.moduli = 512, [2], some_primes(14, 1024, 1)
    literal.allow_insecure = True
    assert literal.made().insecure
