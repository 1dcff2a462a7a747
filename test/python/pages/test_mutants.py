# SPDX-License-Identifier: Apache-2.0
"""The tools that spoil sources and compare wheels see what they should."""

from __future__ import annotations

import ast
import json
import zipfile
from pathlib import Path

import pytest
from pages import ROOT, program

PYTHON = '''"""A text with 1 < 2."""
def f(x: int = 3, *, flag: bool = True) -> int:
    """Not 4 + 5."""
    if not x <= 7 and flag:
        raise ValueError(f"above {x + 1}")
    return min(x, 2) - x
'''
CPLUSPLUS = """// a < b
#include <vector>
double f(double a, double b) {
  if (a < b && a >= 2) return std::min(a, b) * 1.5;
  throw ArgumentError("a + b");
}
"""


@pytest.fixture(autouse=True)
def importable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "test" / "mutation"))


def test_python_is_spoiled_one_fault_at_a_time() -> None:
    mutants = list(program("test/mutation/mutants.py").of_python(PYTHON))
    assert {each.what for each in mutants} == {
        "3 + 1", "True -> False", "not left out", "<= -> <", "7 + 1", "and -> or", "refusal left out", "min -> max",
        "2 + 1", "- -> +",
    }  # fmt: skip
    for each in mutants:
        ast.parse(each.text)
        assert sum(a != b for a, b in zip(PYTHON.splitlines(), each.text.splitlines(), strict=True)) == 1
        assert '"""A text with 1 < 2."""' in each.text and "{x + 1}" in each.text.replace("pass", "{x + 1}")


def test_cplusplus_is_spoiled_outside_of_comments_and_texts() -> None:
    mutants = list(program("test/mutation/mutants.py").of_cplusplus(CPLUSPLUS))
    assert {each.line for each in mutants} == {4}
    assert {"< -> <=", "&& -> ||", ">= -> >", "* -> +", "std::min -> std::max"} <= {each.what for each in mutants}
    assert any("1.01 * 1.5" in each.text for each in mutants)


def test_files_that_are_spoiled_and_their_tests_are_there() -> None:
    runner = program("test/mutation/run.py")
    explained = json.loads((ROOT / "test" / "mutation" / "explained.json").read_text(encoding="utf-8"))
    for files in (runner.PYTHON, runner.CPLUSPLUS):
        for file, tests in files.items():
            assert (ROOT / file).is_file()
            assert all((ROOT / "test" / "python" / each).exists() for each in tests.split())
    names = {case.name for files in (runner.PYTHON, runner.CPLUSPLUS) for case in runner.cases(files, "")}
    assert len(names) > 500 and set(explained) <= names, set(explained) - names
    assert all(len(reason) > 20 for reason in explained.values())


def test_wheels_that_differ_are_told_by_member(tmp_path: Path) -> None:
    differences = program("tools/reproduce.py").differences

    def wheel(name: str, members: dict[str, str], year: int = 2026) -> Path:
        with zipfile.ZipFile(tmp_path / name, "w") as file:
            for member, text in members.items():
                file.writestr(zipfile.ZipInfo(member, (year, 1, 1, 0, 0, 0)), text)
        return tmp_path / name

    one = wheel("one.whl", {"a.py": "1", "b.py": "2"})
    assert differences(one, wheel("same.whl", {"a.py": "1", "b.py": "2"})) == []
    assert differences(one, wheel("other.whl", {"a.py": "1", "b.py": "3", "c.py": ""})) == ["c.py", "b.py"]
    assert differences(one, wheel("later.whl", {"a.py": "1", "b.py": "2"}, 2027)) != []
