# SPDX-License-Identifier: Apache-2.0
"""How many there are of what pages count: verbs, operations of algebras, questions to a scheme, kinds of leaks."""

from __future__ import annotations

import re

import pytest
import test_machine_code
import test_machine_code_aarch64
from pages import FOLDERS, ROOT, program

machine_code = program("tools/machine_code.py")

SOURCE = ROOT / "src" / "cyclotome"
WORDS = {"two": 2, "three": 3, "four": 4, "five": 5, "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13}
CODE = {".hpp", ".cpp", ".h", ".cuh", ".cu", ".py"}


def pure(header: str, pattern: str = r"\w+") -> int:
    """Functions of a header that a class must have, whose names match."""
    text = (SOURCE / header).read_text(encoding="utf-8")
    return len(re.findall(rf"virtual [^;{{]*?\b{pattern}\([^;{{]*\)[^;{{]*= 0;", text))


VERBS = pure("engine/engine.hpp", r"do_\w+")
STATED = [
    ("doc/glossary.md", r"one of an engine's (\w+) operations on polynomials", VERBS),
    (
        "doc/decisions/0014-no-coarse-verbs.md",
        r"# 14\. An engine has (\w+) typed",
        VERBS,
    ),
    ("src/cyclotome/circuit/README.md", r"the (\w+) operations that a circuit", pure("circuit/algebra.hpp")),
    ("doc/how-to-add-a-scheme.md", r"it asks (\w+) questions", pure("scheme/exact_context.hpp")),
    ("doc/constant-time.md", r"shows it (\d+) kinds of leaks", len(test_machine_code.LEAKS)),
    ("doc/constant-time.md", r"shows it (\d+) kinds of leaks", len(test_machine_code_aarch64.LEAKS)),
    ("doc/constant-time.md", r"so are (\w+) kinds\s+of\s+arrays", len(machine_code.PUBLIC_ARRAYS)),
    (
        "README.md",
        r"(\w+) programs in the order in which one reads them",
        len(list((ROOT / "example" / "cpp").glob("[0-9]*_*.cpp"))),
    ),
]


@pytest.mark.parametrize(("page", "statement", "count"), STATED)
def test_pages_count_right(page: str, statement: str, count: int) -> None:
    found = re.search(statement, (ROOT / page).read_text(encoding="utf-8"))
    assert found is not None, f"{page} no longer says {statement!r}"
    assert (WORDS[found[1]] if found[1] in WORDS else int(found[1])) == count


def test_files_are_short_as_contributors_are_told() -> None:
    said = re.search(r"(\d+) of 100 files have at most (\d+) lines", (ROOT / "CONTRIBUTING.md").read_text("utf-8"))
    assert said is not None
    least, most = map(int, said.groups())
    files = [path for folder in FOLDERS for path in folder.rglob("*") if path.suffix in CODE]
    short = [path for path in files if path.read_bytes().count(b"\n") <= most]
    assert len(files) > 1000
    assert 100 * len(short) >= least * len(files), f"{len(files) - len(short)} of {len(files)} are longer"
