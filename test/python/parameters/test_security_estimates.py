# SPDX-License-Identifier: Apache-2.0
"""What attacks cost by tools/estimate_security.py: published values, and the table of doc/security.md."""

from __future__ import annotations

import math
import re
import subprocess
import sys
from typing import Any

import pytest
from cyclotome import _core
from pages import ROOT, program

PAGE = (ROOT / "doc" / "security.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def tool() -> Any:
    return program("tools/estimate_security.py")


def rows_of_page() -> list[list[str]]:
    """Ring, bits, level, then estimates, of the page's table."""
    found = table_in(PAGE.partition("### Other rings")[0], r"x\^|Φ_")
    assert len(found) == 10
    return found


def table_in(text: str, names: str = "") -> list[list[str]]:
    """Rows of a table of seven columns, those whose first cell begins so."""
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if re.match(rf"\| ({names})", line)]
    return [row for row in rows if len(row) == 8 and row[1].isdigit()]


def test_core_svp_of_kyber(tool: Any) -> None:
    """118, 182 and 256 bits, 0.292 of the blocks: Kyber's specification for round 3 (2020), table 4."""
    for rank, eta, published in ((2, 3, 118), (3, 2, 182), (4, 2, 256)):
        n, width = 256 * rank, math.sqrt(eta / 2)
        beta, dimension = tool.primal(n, math.log2(3329), width, width, n)
        assert abs(0.292 * beta - published) < 1, (rank, beta)
        assert n < dimension <= 2 * n + 1


def test_more_modulus_is_less_security_and_more_error_is_more(tool: Any) -> None:
    for degree, bits in ((1024, 26), (4096, 106), (32768, 868)):
        (beta, _), (smaller, _) = tool.primal(degree, bits), tool.primal(degree, bits + 2)
        assert smaller < beta < tool.primal(degree, bits, error=8.0)[0]
        assert tool.dual(degree, bits + 2, 0.292) < tool.dual(degree, bits, 0.292)


def test_root_hermite_factors(tool: Any) -> None:
    """Blocks for 1.01, 1.009, ... 1.005: Chen's thesis (2013), as Albrecht, Player and Scott (2015) print them."""
    for beta, published in ((85, 1.01), (106, 1.009), (133, 1.008), (168, 1.007), (216, 1.006), (286, 1.005)):
        assert abs(2 ** tool.root_hermite_factor(beta) - published) < 3e-5, beta


def test_errors_over_cyclotomic_rings(tool: Any) -> None:
    """The volume of Z[x]/Φ_m by the discriminant of its polynomial, for small m; then as the function says."""
    for index, primes in ((15, (3, 5)), (21, (3, 7))):
        phi = math.prod(p - 1 for p in primes)
        roots = [k for k in range(1, index) if math.gcd(k, index) == 1]
        points = [complex(math.cos(2 * math.pi * k / index), math.sin(2 * math.pi * k / index)) for k in roots]
        log_discriminant = sum(math.log(abs(a - b)) for a in points for b in points if a != b)
        width = 3.24 * math.sqrt(index) / math.exp(log_discriminant / (2 * phi))
        assert tool.effective_error(primes) == pytest.approx(width, rel=1e-9)


def test_limits_are_the_librarys(tool: Any) -> None:
    limits = list(tool.own_limits(False))
    assert {(each.degree, each.level) for each in limits} >= {(8192, level) for level in (128, 192, 256)}
    for each in limits:
        assert each.bits == _core.max_modulus_bits(each.degree, each.level, "guidelines-2024")
    for each in tool.own_limits(True):
        assert each.bits == _core.max_modulus_bits(each.degree, 128, "quantum-guidelines-2024")


@pytest.mark.parametrize("quantum", [False, True])
def test_every_limit_keeps_its_promise(tool: Any, quantum: bool) -> None:
    exponent = 0.265 if quantum else 0.292
    for each in tool.own_limits(quantum):
        beta, dimension = tool.primal(each.degree, each.bits, each.error)
        assert tool.sieve_bits(beta, dimension, exponent) >= each.level, each
        assert tool.dual(each.degree, each.bits, exponent, each.error) >= each.level, each


def test_the_page_shows_what_the_tool_prints(tool: Any) -> None:
    limits = [each for each in tool.own_limits(False) if each.level == 128]
    printed = list(tool.rows(limits, False, {}))
    assert [row[:5] for row in rows_of_page()] == printed


def test_both_estimators_agree_on_the_primal_attack_and_none_is_below_the_promise() -> None:
    for ring, _, promised, primal, dual, *theirs in rows_of_page():
        assert len(theirs) == 3
        run = [each for each in theirs if each != "–"]
        assert not run or abs(float(primal) - float(run[0])) <= 0.15, ring
        assert min(map(float, (primal, dual, *run))) >= float(promised), ring


def test_other_rings_joint_keys_and_presets_are_what_the_tool_prints(tool: Any) -> None:
    """Nothing that the library makes without `allow_insecure` and by its own table is below what it promises."""
    section = PAGE.partition("### Other rings")[2].partition("\n## ")[0]
    limits = [limit for make in tool.KINDS.values() for limit in make()]
    printed = [[*row[:2], row[2] if row[2] != "0" else "INSECURE", *row[3:]] for row in tool.rows(limits, False, {})]
    found = table_in(section)
    assert [row[:5] for row in found] == printed and len(found) > 30
    for name, _, promised, *bits in found:
        own = [float(each) for each in bits if each != "–"]
        edge = 0.2 if name.startswith(("00", "seal")) else 0.0  # of the standard of 2018
        assert promised == "INSECURE" or min(own) >= int(promised) - edge, name
        assert len(own) < 3 or abs(own[0] - own[2]) <= 0.15


def test_the_program_prints_a_table() -> None:
    done = subprocess.run(
        [sys.executable, "tools/estimate_security.py", "--rows", "8192"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert re.search(r"^\| x\^8192 \+ 1 \| 214 \| 128 \| \d+\.\d \| \d+\.\d \|$", done.stdout, re.MULTILINE)
    assert "Estimated on" in done.stdout


def test_the_status_of_attacks_has_a_date_and_sources() -> None:
    table = PAGE.partition("## Attacks, and where they stand")[2].partition("\n## ")[0]
    assert re.search(r"As of \d+ \w+ 20\d\d", table)
    rows = [line for line in table.splitlines() if line.startswith("| ") and not line.startswith("| attack")]
    assert len(rows) >= 8
    for row in rows:
        assert "](https://" in row or "CCA" in row, row[:60]
    sources = ("zenodo.org/records/6412487", "2023/302", "2024/555", "2207.04785", "2024/443", "2024/116", "2024/127")
    for source in sources:
        assert source in table, source
