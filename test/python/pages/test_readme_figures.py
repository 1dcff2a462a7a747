# SPDX-License-Identifier: Apache-2.0
"""The speed page's figures are those of the records that it names; what the README is to readers."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from pages import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
SPEED = (ROOT / "doc" / "speed.md").read_text(encoding="utf-8")
DEGREES = (4096, 8192, 16384, 32768)


def records(name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((ROOT / "bench" / "results" / name).read_text(encoding="utf-8"))["records"]
    return found


def only(found: list[dict[str, Any]]) -> dict[str, Any]:
    assert len(found) == 1
    return found[0]


def rounds_to(value: float, shown: str) -> bool:
    """Whether a figure is shown to the digits that it has, halves either way."""
    decimals = len(shown.partition(".")[2])
    return abs(value - float(shown)) <= 0.5001 * 10**-decimals


@pytest.mark.parametrize(
    ("row", "scheme", "operations"),
    [
        ("BFV multiply + relinearise", "bfv", ["multiply_relinearize"]),
        ("BFV encrypt / decrypt", "bfv", ["encrypt", "decrypt"]),
        ("BGV multiply + relinearise", "bgv", ["multiply_relinearize"]),
    ],
)
def test_the_table_beside_seal(row: str, scheme: str, operations: list[str]) -> None:
    line = re.search(rf"^\| {re.escape(row)} \| (.+) \|$", SPEED, re.MULTILINE)
    assert line is not None
    record = records("x86-64-2core-zen4.json")
    for degree, cell in zip(DEGREES, line[1].split(" | "), strict=True):
        for operation, shown in zip(operations, cell.split(" / "), strict=True):
            figure = re.fullmatch(r"([\d.]+) \(([\d.]+)×, ([\d.]+)×\)", shown)
            assert figure is not None
            wanted = {"set": f"seal-{degree}", "chain": "same", "threads": 1, "batch": 1}
            wanted |= {"scheme": scheme, "operation": operation}
            found = only([r for r in record if wanted.items() <= r.items()])
            assert rounds_to(found["median_us"] / 1000, figure[1]), (degree, operation, found["median_us"])
            with_hexl = found["others"]["SEAL 4.4.3 with HEXL"]["median_us"] / found["median_us"]
            assert rounds_to(with_hexl, figure[2]), (degree, operation, with_hexl)
            assert rounds_to(found["ratio"], figure[3]), (degree, operation, found["ratio"])


def test_the_products_of_a_gpu() -> None:
    said = re.search(
        r"On an H200 a BFV product with relinearisation takes ([\d, ]+)\s+and (\d+) µs with SEAL's moduli \(QP of "
        r"([\d, ]+) and (\d+) bits, n = 4096 … 32768, 32-bit words\), and ([\d., ]+) and (\d+) µs each in "
        r"batches of 64",
        SPEED,
    )
    assert said is not None
    one, bits, many = ([*said[i].split(", "), said[i + 1]] for i in (1, 3, 5))
    record = records("seal-nvidia-h200.json")
    for degree, log_q, single, each in zip(DEGREES, bits, one, many, strict=True):
        wanted = {
            "set": f"seal-{degree}",
            "log_q": int(log_q),
            "word": 32,
            "scheme": "bfv",
            "operation": "multiply_relinearize",
        }
        found = {r["batch"]: r for r in record if wanted.items() <= r.items()}
        assert rounds_to(found[1]["median_us"], single), found[1]["median_us"]
        assert rounds_to(found[64]["us_each"], each), found[64]["us_each"]


def test_the_readme_is_read_in_five_minutes() -> None:
    """One screen for each question; what takes longer has a page, to which every reader finds the way."""
    assert len(README.splitlines()) <= 120
    ways = README.partition("## Where to go on")[2].partition("\n## ")[0]
    for reader in ("Python engineer", "C++ engineer", "researcher", "operator", "hardware designer"):
        assert f"**{reader}**" in ways, reader
    for page in ("tutorial", "data", "answers", "cpp-guide", "security", "speed", "services", "fpga"):
        assert f"](doc/{page}.md)" in ways, page


def test_the_readme_says_how_long_its_commands_take() -> None:
    """As figures with a date, which tools/check_figures.py asks for; a newcomer waits for both."""
    told = README.partition("## Two commands")[2].partition("\n## ")[0]
    assert "make demo" in told and "make test" in told
    assert re.search(r"`make demo` took \d+ minutes", told) and re.search(r"took \d+ minutes of processor time", told)
    assert "<!-- figures: noted" in told
