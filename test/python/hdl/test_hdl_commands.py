# SPDX-License-Identifier: Apache-2.0
"""``cyclotome fpga``: what it writes, prints and refuses."""

from __future__ import annotations

import json
from pathlib import Path

import kernels  # noqa: F401  (skips without amaranth)
import pytest

pytest.importorskip("typer")
pytest.importorskip("pyosys", reason="pyosys, which writes Verilog, is not installed")

from cli_runner import run, succeed


def test_verilog_is_written_once(tmp_path: Path) -> None:
    arguments = ("fpga", "verilog", "--design", "pease", "--degree", 64, "--output", tmp_path / "new" / "folder")
    told = succeed(*arguments, "--json").data
    text = Path(told["file"]).read_text()
    assert f"module {told['top']}(" in text
    assert text.count("\nendmodule") == told["modules"]
    assert run(*arguments).code == 2
    assert succeed(*arguments, "--force").code == 0


def test_verilog_says_how_it_reduces(tmp_path: Path) -> None:
    options = ("--design", "cooley-tukey", "--degree", 64, "--reduction", "fold", "--output", tmp_path)
    told = succeed("fpga", "verilog", *options, "--json").data
    assert told["top"] == "cooley_tukey_64_1_63_fold"
    assert "fold_63_32 multiplier" in Path(told["file"]).read_text()
    one = succeed("fpga", "verilog", *options, "--bits", 21, "--modulus", "0x100201", "--json").data
    assert one["top"] == "cooley_tukey_64_1_21_fold_100201"
    assert "montgomery" not in Path(one["file"]).read_text()


def test_report_keeps_what_it_synthesised(tmp_path: Path) -> None:
    record = tmp_path / "record.json"
    report = succeed("fpga", "report", "--table", "6.1", "--record", record, "--json").data
    assert [row["printed"] for row in report["tables"][0]["rows"]] == [True, False, True, False]
    assert set(json.loads(record.read_text())["leaves"]) == {"product_32", "product_64"}
    again = run("fpga", "report", "--table", "6.1", "--record", record)
    assert again.code == 0 and "synthesising" not in again.text
    assert "004: product of 128 bits" in again.text


def test_drawings_are_written(tmp_path: Path) -> None:
    for options in (("--butterfly",), ("--reduction", "barrett"), ("--design", "iterative", "--degree", 64)):
        path = tmp_path / f"{options[0]}.svg"
        succeed("fpga", "draw", *options, "--output", path)
        assert path.read_text().startswith("<svg ")


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("report", "--table", "6.5"), 2, "there are 6.1"),
        (("verilog", "--degree", 100), 4, "power of two"),
        (("verilog", "--reduction", "solinas"), 4, "no reduction 'solinas'"),
        (("verilog", "--reduction", "barrett"), 4, "made for a constant modulus"),
        (("verilog", "--reduction", "barrett", "--modulus", "seven"), 2, "give an integer"),
        (("draw", "--output", "x.svg", "--butterfly", "--reduction", "fold"), 2, "take one"),
        (("draw", "--output", "x.svg", "--reduction", "fold", "--modulus", "seven"), 2, "give an integer"),
        (("draw", "--output", "x.svg", "--reduction", "fold", "--modulus", "0x7fe00001"), 2, "does not end"),
    ],
)
def test_refusals(arguments: tuple[object, ...], code: int, message: str) -> None:
    result = run("fpga", *arguments)
    assert result.code == code
    assert message in result.text
