# SPDX-License-Identifier: Apache-2.0
"""Products of matrices in the benchmark: they run, and are compared with NumPy's."""

from __future__ import annotations

import pytest
from cyclotome_bench import matrix_products
from cyclotome_bench.timing import Budget


def test_a_small_matrix(capsys: pytest.CaptureFixture[str]) -> None:
    matrix_products.main(["12x20", "--degree", "64", "--no-peer", "--seconds", "0.05"])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2 + 4 and all(line.split("|")[4].strip() == "1" for line in lines[2:])


def test_beside_its_peer() -> None:
    pytest.importorskip("tenseal")
    rows = matrix_products.measure((12, 20), Budget(seconds=0.05, fewest=1, most=2))
    assert {row.who for row in rows} >= {"TenSEAL, CKKS", "cyclotome, bgv, prepared"}
    assert all(row.timing.samples for row in rows)
