# SPDX-License-Identifier: Apache-2.0
"""Which sources are compiled as one (`tools/unity_groups.py`): none that gives a name which another gives or sees."""

from __future__ import annotations

from pathlib import Path

import pytest
from pages import ROOT, program

groups = program("tools/unity_groups.py")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("namespace a { namespace { int f(int x) { int y = x; return y; } } int g(); }", {"f"}),
        ("namespace {\nconstexpr double a = 1.0, b = 0.5;\n}\n", {"a", "b"}),
        ("namespace {\ntemplate <class T, int n>\nstd::array<T, n> filled(T x) {\n}\n}\n", {"filled"}),
        (
            "namespace { class Engine final : public a::Engine { int size = 0; }; enum class Kind { one }; }",
            {"Engine", "Kind"},
        ),
        (
            'namespace { using Words = std::vector<int>; const char* texts[] = {"namespace {", "};"}; }',
            {"Words", "texts"},
        ),
        ("#define TWICE(x) \\\n  ((x) + (x))\nint h() { return 1; }\n", {"TWICE"}),
        (
            "namespace { [[nodiscard]] inline bool is_any(const std::set<std::pair<int, int>>& all) noexcept; }",
            {"is_any"},
        ),
    ],
)
def test_names_that_a_file_gives_for_itself_are_seen(text: str, names: set[str]) -> None:
    assert groups.own_names(text) == names


def grouped(folder: Path, **files: str) -> list[set[str]]:
    for name, text in files.items():
        path = folder / name.replace("_hpp", ".hpp")
        (path if path.suffix else path.with_suffix(".cpp")).write_text(text)
    found = groups.groups(groups.Source(file, folder) for file in sorted(folder.glob("*.cpp")))
    return [{source.file.stem for source in group} for group in found]


def test_equal_names_stay_apart(tmp_path: Path) -> None:
    files = {"a": "namespace { int f(); }", "b": "namespace { int f(int); }", "c": "namespace { int g(); }"}
    assert grouped(tmp_path, **files) == [{"a", "c"}, {"b"}]


def test_a_name_of_a_header_that_another_file_sees_stays_apart(tmp_path: Path) -> None:
    """It would be ambiguous there; in a namespace that the file is not in, or in a header that nobody here sees, it
    is not."""
    (tmp_path / "deep.hpp").write_text("namespace a {\nint f();\n}\nnamespace b {\nint g();\n}\n")
    seen = '#include "through.hpp"\nnamespace a::inner {\n}\n'
    files = {
        "through_hpp": '#include "deep.hpp"\n',
        "u": seen,
        "v": "namespace { int f(); }",
        "w": "namespace { int g(); }",
    }
    assert grouped(tmp_path, **files) == [{"u", "w"}, {"v"}]


def test_whoever_takes_in_a_namespace_stays_alone(tmp_path: Path) -> None:
    assert grouped(tmp_path, a="using namespace x;\n", b="int f();\n", c="int g();\n") == [{"a"}, {"b", "c"}]


def test_each_source_of_the_library_is_in_one_group() -> None:
    sources = sorted((ROOT / "src").rglob("*.cpp"))
    made = groups.groups(groups.Source(file, ROOT / "src") for file in sources)
    assert sorted(source.file for group in made for source in group) == sources
    assert max(map(len, made)) <= groups.MOST and 2 * len(made) < len(sources) / 2
