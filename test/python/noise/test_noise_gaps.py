# SPDX-License-Identifier: Apache-2.0
"""How far the bound is above the exact noise of random squarings, recorded in test/data/noise_gaps.json, so that a
formula that gets looser, or tighter without a word, shows. Seeds are fixed, and results the same on every machine.

`CYCLOTOME_RECORD_GAPS=1 pytest -m "full or not full" test/python/noise/test_noise_gaps.py` writes the file anew.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from bgv_party import BgvParty, bgv_literal
from cyclotome import _core
from cyclotome._core import testing
from exact_noise import gaps
from pages import program
from parties import Party, small_literal

ROOT = Path(__file__).resolve().parents[3]
RECORD = ROOT / "test" / "data" / "noise_gaps.json"
RECORDING = os.environ.get("CYCLOTOME_RECORD_GAPS") == "1"
DEPTHS = (0, 1, 2, 4, 8)
DEGREES = [256, 1024, *(pytest.param(n, marks=pytest.mark.full) for n in (4096, 8192, 16384, 32768))]
#: Ciphertext primes of 55 bits that carry 8 squarings at t = 65537 and every degree.
PRIMES = {"bfv": 7, "bgv": 10}


def measured(scheme: str, degree: int, strict: bool) -> dict[str, list[float]]:
    """By depth: log2 of the bound on the largest coefficient, and the three gaps."""
    bgv = scheme == "bgv"
    literal = (bgv_literal if bgv else small_literal)(64, degree, 65537, PRIMES[scheme], 2, 0, 55)
    literal.strict = strict
    party: Any = (BgvParty if bgv else Party)(literal, 20240229)
    functions: Any = testing.bgv if bgv else testing.bfv
    values = np.random.default_rng(1).integers(0, 65537, (2, degree))
    x, found = party.encrypt(values, 3, slots=True), {}
    for depth in range(max(DEPTHS) + 1):
        if depth:
            x = _core.relinearize(functions.square(x), party.evaluation)
        if x.noise_headroom < 0:
            break
        if depth in DEPTHS:
            found[str(depth)] = [round(float(v), 3) for v in (x.noise[0], *gaps(party, x))]
    return found


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("degree", DEGREES)
@pytest.mark.parametrize("scheme", ["bfv", "bgv"])
def test_the_gap_is_the_recorded_one(scheme: str, degree: int, strict: bool) -> None:
    name = f"{scheme} {degree}{' strict' if strict else ''}"
    record = json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.exists() else {}
    found = measured(scheme, degree, strict)
    assert found and all(min(row[1:]) >= 0 for row in found.values())
    if RECORDING:
        record[name] = found
        lines = [f"  {json.dumps(key)}: {json.dumps(record[key])}" for key in sorted(record)]
        RECORD.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
        return
    assert found.keys() == record[name].keys()
    for depth, row in record[name].items():
        assert found[depth] == pytest.approx(row, abs=0.0015), (depth, found[depth], row)


def price_table() -> dict[int, dict[int, list[int]]]:
    """The table of doc/noise.md: by degree and depth, bits of BFV, strict BFV, BGV and strict BGV."""
    text = (ROOT / "doc" / "noise.md").read_text(encoding="utf-8").split("## What it costs")[1]
    found: dict[int, dict[int, list[int]]] = {}
    degree = 0
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 7 and cells[1].isdigit():
            degree = int(cells[0]) if cells[0] else degree
            found.setdefault(degree, {})[int(cells[1])] = [int(cell) for cell in cells[2:6]]
    return found


@pytest.mark.parametrize("degree", [4096, 8192, *(pytest.param(n, marks=pytest.mark.full) for n in (16384, 32768))])
def test_the_price_is_the_documented_one(degree: int) -> None:
    """tools/noise_price.py says what the page says."""
    price = program("tools/noise_price.py")
    documented = price_table()[degree]
    columns = [price.smallest(scheme, degree, strict) for scheme in ("bfv", "bgv") for strict in (False, True)]
    assert documented and all([c[depth] for c in columns] == row for depth, row in documented.items())
