# SPDX-License-Identifier: Apache-2.0
"""Runs ``cyclotome`` commands inside the test's process, and makes a folder with keys and data to run them on."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import typer.main
from click.testing import CliRunner
from cyclotome.cli.app import app

CSV = "name,bmi,age\nAda,32.1,36\nAlan,-21.62,41\nGrace,30.5,85\n"


@dataclass
class Result:
    """What a command said, and its exit code."""

    code: int
    text: str
    data: Any


@cache
def commands() -> Any:
    """All commands, made once: a hundred times what it takes to find one of them and refuse its arguments."""
    return typer.main.get_command(app)


def run(*arguments: object) -> Result:
    """Runs one command; with --json its output is parsed."""
    words = [str(argument) for argument in arguments]
    result = CliRunner().invoke(commands(), words, env={"COLUMNS": "200"})
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    data = json.loads(result.stdout) if "--json" in words and result.exit_code == 0 else None
    return Result(result.exit_code, result.output, data)


def succeed(*arguments: object) -> Result:
    """Runs a command that must succeed."""
    result = run(*arguments)
    assert result.code == 0, result.text
    return result


def make_workspace(folder: Path) -> Path:
    """Parameters, keys, a table and its encryption: params.ct, keys/, data.csv, data.ct."""
    succeed("params", "--depth", 1, "--value-bits", 14, "--terms", 64, "-o", folder / "params.ct")
    succeed("keygen", folder / "params.ct", "--out", folder / "keys")
    (folder / "data.csv").write_text(CSV, encoding="utf-8")
    data = folder / "data.csv", "--columns", "bmi,age", "--scale", "auto"
    succeed("encrypt", *data, "--key", folder / "keys/public.key", "-o", folder / "data.ct")
    return folder
