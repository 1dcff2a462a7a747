# SPDX-License-Identifier: Apache-2.0
"""Tutorials for people who extend the library: the code they show is that of real files, and lists are complete."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pages import QUOTED, ROOT, name_of

GUIDE = ROOT / "doc/cpp-guide.md"
TUTORIALS = [*sorted((ROOT / "doc").glob("how-to-*.md")), GUIDE]
SHOWN = re.compile(r"^From `([^`]+)`:\n\n```cpp\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def lines(text: str) -> list[str]:
    return [" ".join(line.split()) for line in text.splitlines() if line.strip()]


def missing_lines(shown: str, source: str) -> list[str]:
    """Lines of an excerpt that its source does not have, or not after those before; an excerpt may leave lines out."""
    rest, missing = lines(source), []
    for line in lines(shown):
        if line in rest:
            rest = rest[rest.index(line) + 1 :]
        else:
            missing.append(line)
    return missing


def engine_header() -> Path:
    return next(
        path for path in (ROOT / "src/cyclotome").rglob("engine.hpp") if "class Engine " in path.read_text("utf-8")
    )


@pytest.mark.parametrize("page", TUTORIALS, ids=name_of)
def test_code_that_a_tutorial_shows_is_code_of_the_file_it_names(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for name, shown in SHOWN.findall(text):
        assert missing_lines(shown, (ROOT / name).read_text(encoding="utf-8")) == []


def test_the_engine_tutorial_shows_nothing_but_code_of_files() -> None:
    text = (ROOT / "doc/how-to-add-an-engine.md").read_text(encoding="utf-8")
    assert len(SHOWN.findall(text)) == text.count("```cpp") > 0


def test_the_guide_goes_through_every_example() -> None:
    """In their order, one section each, and with nothing but their code."""
    text = GUIDE.read_text(encoding="utf-8")
    shown = [name for name, _ in SHOWN.findall(text)]
    assert len(shown) == text.count("```cpp")
    numbered = sorted((ROOT / "example/cpp").glob("[1-9]*_*.cpp"), key=lambda path: int(path.name.split("_")[0]))
    examples = [path.relative_to(ROOT).as_posix() for path in numbered]
    assert list(dict.fromkeys(shown)) == examples and len(examples) == 11
    assert [int(number) for number in re.findall(r"^## (\d+)[.] ", text, re.MULTILINE)] == list(range(1, 12))
    built = (ROOT / "example/cpp/CMakeLists.txt").read_text(encoding="utf-8")
    for path in (ROOT / "example/cpp").glob("*.cpp"):
        assert f"    {path.stem}\n" in built


def test_the_guide_names_every_error() -> None:
    """And says of each what it is a kind of, as the headers do."""
    headers = ("math/errors.hpp", "rlwe/joint/joint_errors.hpp")
    header = "".join((ROOT / "src/cyclotome" / name).read_text(encoding="utf-8") for name in headers)
    rows = re.findall(r"^[|] `(\w+)`(?:, an? `(\w+)`)? [|]", GUIDE.read_text(encoding="utf-8"), re.MULTILINE)
    classes = re.findall(r"^class (\w+) : public (\w+) {", header, re.MULTILINE)
    assert len(classes) > 10
    assert {name: base or "Error" for name, base in rows} == dict(classes)


def test_the_scheme_tutorial_shows_every_line_of_its_scheme() -> None:
    text = (ROOT / "doc/how-to-add-a-scheme.md").read_text(encoding="utf-8")
    blocks = SHOWN.findall(text)
    assert len(blocks) == text.count("```cpp") > 0
    files = sorted(path for path in (ROOT / "test/additive_scheme").iterdir() if path.suffix in {".hpp", ".cpp"})
    assert len(files) == 4
    for file in files:
        shown = "".join(block for name, block in blocks if name == file.relative_to(ROOT).as_posix())
        source = file.read_text(encoding="utf-8").removeprefix("// SPDX-License-Identifier: Apache-2.0\n")
        assert missing_lines(source, shown) == []


def test_the_tutorial_lists_every_verb_that_an_engine_must_have() -> None:
    header = engine_header().read_text(encoding="utf-8")
    verbs = re.findall(r"virtual void do_(\w+)\([^;]*\) = 0;", header)
    assert len(verbs) > 10
    rows = re.findall(
        r"^\| (`.+?) \|", (ROOT / "doc/how-to-add-an-engine.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert sorted(QUOTED.findall(" ".join(rows))) == sorted(verbs)


def test_an_excerpt_that_is_not_in_its_file_is_seen() -> None:
    assert missing_lines("int a;\nint c;", "int a;\nint b;\nint c;\n") == []
    assert missing_lines("int c;\nint a;", "int a;\nint b;\nint c;\n") == ["int a;"]
    assert missing_lines("int  a = 1;", "int a;\n") == ["int a = 1;"]
