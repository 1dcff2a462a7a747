# SPDX-License-Identifier: Apache-2.0
"""What the documentation shows runs, and prints what it says."""

from __future__ import annotations

import doctest
import re
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[3]

FENCED = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)

OPTIONS = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL | doctest.NORMALIZE_WHITESPACE


def blocks(name: str) -> list[tuple[int, str]]:
    """Line number and text of every Python block of a page."""
    text = (ROOT / name).read_text(encoding="utf-8")
    return [(text.count("\n", 0, match.start(1)), match.group(1)) for match in FENCED.finditer(text)]


@pytest.mark.parametrize(
    ("page", "fewest"),
    [("doc/tutorial.md", 11), ("doc/tutorial-fermat.md", 7), ("doc/transforms.md", 4), ("doc/threshold.md", 3)],
)
def test_the_tutorials_run(page: str, fewest: int) -> None:
    """All blocks of a page, one after the other, in one namespace."""
    namespace: dict[str, Any] = {}
    runner = doctest.DocTestRunner(optionflags=OPTIONS)
    found = blocks(page)
    assert len(found) >= fewest
    for line, text in found:
        test = doctest.DocTestParser().get_doctest(text, namespace, "tutorial", page, line)
        test.globs = namespace  # the parser copied it
        assert test.examples, f"{page}, line {line}: a block without examples"
        runner.run(test, clear_globs=False)
    assert runner.summarize(verbose=False).failed == 0


def test_errors_in_the_tutorial_are_the_named_ones() -> None:
    """IGNORE_EXCEPTION_DETAIL still compares the class: a wrong class fails."""
    text = ">>> raise ValueError('x')\nTraceback (most recent call last):\n    ...\nKeyError: ...\n"
    test = doctest.DocTestParser().get_doctest(text, {}, "wrong", None, 0)
    assert doctest.DocTestRunner(optionflags=OPTIONS, verbose=False).run(test, out=lambda _: None).failed == 1


def test_the_readme_examples_run(capsys: pytest.CaptureFixture[str]) -> None:
    """The ten-line example, as a program of its own, and what goes on from it; the comments say what they print."""
    programs = [text for _, text in blocks("README.md")]
    assert len([line for line in programs[0].splitlines() if line.strip()]) <= 10
    names: dict[str, object] = {"__name__": "__main__"}
    for program in programs:
        exec(compile(program, "README.md", "exec"), names)
        printed = capsys.readouterr().out.split()
        promised = re.findall(r"^print\(.*# (.+)$", program, re.MULTILINE)
        assert promised
        assert printed == [word for line in promised for word in line.split()]


PAGES = [
    "README.md",
    *(
        f"doc/{name}.md"
        for name in (
            "architecture",
            "benchmarks",
            "coming-from-elsewhere",
            "fermat",
            "fpga",
            "papers",
            "scale",
            "services",
            "transforms",
            "answers",
            "data",
            "security",
            "speed",
            "tutorial",
            "tutorial-fermat",
        )
    ),
    *(f"{folder}/README.md" for folder in ("bench", "demo", "hdl", "reader", "study")),
]


@pytest.mark.parametrize("page", PAGES)
def test_what_pages_point_to_is_there(page: str) -> None:
    """Paths in back quotes and links to files; a renamed file must not leave a page behind."""
    text = (ROOT / page).read_text(encoding="utf-8")
    quoted = re.findall(r"`((?:src|test|python|tools|doc|example|bench|demo|hdl|reader|study)/[\w/.]+)`", text)
    linked = [link for link in re.findall(r"\]\(([\w/.-]+)\)", text) if "://" not in link]
    missing = [path for path in quoted if not (ROOT / path).exists()]
    missing += [link for link in linked if not ((ROOT / page).parent / link).exists()]
    assert not missing


@pytest.mark.parametrize("path", sorted((ROOT / "example").glob("*.py")), ids=lambda path: path.name)
def test_examples_run(path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Every example asserts its own result; here it only has to reach its end and say something."""
    pytest.importorskip("sklearn")
    monkeypatch.setattr(sys, "argv", [str(path)])
    exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), {"__name__": "__main__"})
    assert capsys.readouterr().out.strip()
