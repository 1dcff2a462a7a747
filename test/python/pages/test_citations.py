# SPDX-License-Identifier: Apache-2.0
"""What comments, docstrings and pages cite is there: sections and errata of the specification, papers, pages, files."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest
from pages import FOLDERS, HEADING, ROOT, anchors, broken_links, missing_files, name_of, pages, prose, slug

SPECIFICATION = ROOT / "doc" / "specification.md"

#: Where code and its comments are; data and pages have no citations of this kind.
SOURCES = sorted(
    path
    for folder in FOLDERS
    for path in folder.rglob("*")
    if path.suffix in {".hpp", ".cpp", ".h", ".cuh", ".cu", ".py"} and path.name != "test_citations.py"
)

SECTION = r"\d+(?:\.\d+)+"
ITEM = r"(?: step \d| \(\w\))?"
NEXT = r"(?:,? and |, | to |; )"
#: "specification 5.3 step 2, 5.7, 5.8", "Specification 5.4, 5.8 and 5.11 (6), (8)", "spec 5.5".
CITED_SECTIONS = re.compile(rf"\b[Ss]pec(?:ification)?s? ({SECTION}{ITEM}(?:{NEXT}(?:{SECTION}{ITEM}|\(\w\)))*)")
ERRATUM = r"0\d\d-\d+"
#: "erratum 001-1", "errata 001-4 ... 001-10, 001-13 and 000-9", "errata 002-1 to 002-4".
CITED_ERRATA = re.compile(rf"\b[Ee]rrat(?:um|a) ({ERRATUM}(?:(?:{NEXT}| \.\.\. |, ){ERRATUM})*)")
RANGE = re.compile(rf"({ERRATUM}) (?:\.\.\.|to) ({ERRATUM})")


@cache
def comments(path: Path) -> str:
    """A source with its line ends, and the signs that continue a comment, as single spaces."""
    return re.sub(r"\s*\n[ \t]*(?:///<?|//|#|\*)?[ \t]*", " ", path.read_text(encoding="utf-8"))


@cache
def sections() -> frozenset[str]:
    numbers = [re.match(r"(\d+(?:\.\d+)*)[. ]", heading + " ") for heading in HEADING.findall(prose(SPECIFICATION))]
    return frozenset(number[1].rstrip(".") for number in numbers if number)


@cache
def section_text(number: str) -> str:
    """What stands under the heading of a section, up to the next heading."""
    parts = re.split(r"^#{1,6} +", prose(SPECIFICATION), flags=re.MULTILINE)
    return next(part for part in parts if re.match(rf"{re.escape(number)}\.? ", part))


@cache
def errata() -> frozenset[str]:
    return frozenset(re.findall(rf"^\| ({ERRATUM}) \|", prose(SPECIFICATION), re.MULTILINE))


def cited_errata(text: str) -> set[str]:
    """All errata that a text cites; of ranges, each one in them."""
    found: set[str] = set()
    for cited in CITED_ERRATA.findall(text):
        found |= set(re.findall(ERRATUM, cited))
        for first, last in RANGE.findall(cited):
            paper, start = first.split("-")
            assert last.startswith(paper + "-"), f"a range over two papers: {cited}"
            found |= {f"{paper}-{number}" for number in range(int(start), int(last.split("-")[1]) + 1)}
    return found


def missing_items(cited: str) -> list[str]:
    """What a citation such as "5.3 step 2, 5.7 and 5.11 (4), (8)" names and the specification does not have."""
    missing, section = [], ""
    for number, step, item in re.findall(rf"({SECTION})|step (\d)|\((\w)\)", cited):
        if number:
            section = number
            if number not in sections():
                missing.append(number)
        elif section in sections():
            pattern = rf"^{step}\. " if step else rf"\({item}\)"
            if not re.search(pattern, section_text(section), re.MULTILINE):
                missing.append(f"{section} {'step ' + step if step else f'({item})'}")
    return missing


def test_sections_of_the_specification_that_code_cites_exist() -> None:
    cited, missing = 0, []
    for path in SOURCES:
        for citation in CITED_SECTIONS.findall(comments(path)):
            cited += 1
            missing += [f"{name_of(path)}: specification {item}" for item in missing_items(citation)]
    assert not missing
    assert cited > 30, "the search finds hardly any citation: it must be broken"


def test_errata_that_code_and_pages_cite_exist() -> None:
    cited: dict[str, str] = {}
    for path in SOURCES:
        cited |= dict.fromkeys(cited_errata(comments(path)), name_of(path))
        for paper, number in re.findall(r"\bdef test_(?:5_11_\d+_)?(0\d\d)_(\d+)_", path.read_text(encoding="utf-8")):
            cited[f"{paper}-{number}"] = name_of(path)
    for page in pages():
        cited |= dict.fromkeys(cited_errata(" ".join(prose(page).split())), name_of(page))
    listed = re.findall(
        rf"\b({ERRATUM})\b", "\n".join(re.findall(r"^\| ([^|]+) \|", prose(ROOT / "doc/papers.md"), re.M))
    )
    cited |= dict.fromkeys(listed, "doc/papers.md")
    assert {erratum: path for erratum, path in cited.items() if erratum not in errata()} == {}
    assert len(cited) > 25 and len(listed) > 25


def test_every_erratum_stands_once_and_without_gaps() -> None:
    listed = re.findall(rf"^\| ({ERRATUM}) \|", prose(SPECIFICATION), re.MULTILINE)
    assert len(listed) == len(set(listed))
    for paper in sorted({erratum[:3] for erratum in listed}):
        numbers = [int(erratum[4:]) for erratum in listed if erratum.startswith(paper)]
        assert numbers == list(range(1, len(numbers) + 1))


def test_tests_that_the_specification_asks_for_exist() -> None:
    """Names such as test_5_11_3_... are items of section 5.11, and its table names files that are there."""
    for path in SOURCES:
        for item in re.findall(r"\bdef test_5_11_(\d+)_", path.read_text(encoding="utf-8")):
            assert f"({item})" in section_text("5.11"), f"{name_of(path)}: 5.11 has no item ({item})"


def test_papers_that_code_cites_are_listed() -> None:
    listed = set(re.findall(r"^\| (0\d\d) \|", prose(ROOT / "doc/papers.md"), re.MULTILINE))
    cited = {
        (name_of(path), paper) for path in SOURCES for paper in re.findall(r"[Pp]apers? (0\d\d)\b", comments(path))
    }
    assert {(path, paper) for path, paper in cited if paper not in listed} == set()
    assert len(cited) > 20


def test_pages_that_code_cites_exist() -> None:
    """Paths such as doc/noise.md, and headings after them: doc/architecture.md#randomness, or "..., Randomness"."""
    missing, cited = [], 0
    for path in SOURCES:
        for page, anchor, heading in re.findall(
            r"\b((?:doc|src|test)/[\w./-]+\.md)(?:#([\w-]+)|, ([A-Z][\w ]*\w)\))?", comments(path)
        ):
            cited += 1
            if not (ROOT / page).is_file():
                missing.append(f"{name_of(path)}: {page}")
            elif (anchor or heading) and (anchor or slug(heading)) not in anchors(ROOT / page):
                missing.append(f"{name_of(path)}: {page}, {anchor or heading}")
    assert not missing
    assert cited > 15


def test_sources_that_comments_name_exist() -> None:
    """A header or source named with its folder, from the root, from src/cyclotome or python/cyclotome, or beside it."""
    missing = []
    for path in SOURCES:
        if path.is_relative_to(ROOT / "test"):
            continue  # tests make up names
        text = "\n".join(re.findall(r"(?://|# |\"\"\").*$", path.read_text(encoding="utf-8"), re.MULTILINE))
        for name in re.findall(r"(?<![\w./-])((?:[a-z_]\w*/)+[a-z_]\w*\.(?:hpp|cpp|cuh|cu|h|py))\b", text):
            roots = (
                ROOT,
                ROOT / "src",
                ROOT / "src/cyclotome",
                ROOT / "python",
                ROOT / "python/cyclotome",
                path.parent,
            )
            if not any((root / name).is_file() for root in roots):
                missing.append(f"{name_of(path)}: {name}")
    assert not missing


@pytest.mark.parametrize("page", pages(), ids=name_of)
def test_links_and_files_of_every_page_are_there(page: Path) -> None:
    assert broken_links(page) == []
    assert missing_files(page) == []


def test_targets_of_make_that_pages_name_exist() -> None:
    targets = set(re.findall(r"^([a-z][\w-]*):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    named = {
        (name_of(page), target)
        for page in pages()
        for block in re.findall(r"`[^`\n]*`|^```.*?^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
        for target in re.findall(r"\bmake ([a-z][\w-]*)", block)
    }
    assert {(page, target) for page, target in named if target not in targets} == set()
    assert len(named) > 10


def test_nothing_cites_what_a_stranger_does_not_have() -> None:
    """Absolute paths of somebody's machine, and numbers of issues, lead nowhere for whoever clones this."""
    outside = re.compile(r"(?<![\w/.])/(?:home|root|Users|mnt)/\w+|\b(?:issue|ticket|PR) #?\d+\b", re.IGNORECASE)
    found = {}
    for path in [*SOURCES, *pages()]:
        if match := outside.search(path.read_text(encoding="utf-8")):
            found[name_of(path)] = match[0]
    assert found == {}


# The searches themselves: each of them finds what it should and refuses what is not there.


def test_citations_are_found_across_lines_and_in_lists() -> None:
    text = re.sub(
        r"\s*\n[ \t]*(?:///<?|//|#|\*)?[ \t]*", " ", "/// (specification\n  /// 5.3 step 2, 5.7 and 5.11 (4), (8))"
    )
    assert CITED_SECTIONS.findall(text) == ["5.3 step 2, 5.7 and 5.11 (4), (8)"]
    assert missing_items("5.3 step 2, 5.7 and 5.11 (4), (8)") == []
    assert missing_items("5.3 step 9, 5.12 and 5.5 (A), (Z)") == ["5.3 step 9", "5.12", "5.5 (Z)"]
    assert missing_items("6.1") == ["6.1"]


def test_ranges_of_errata_are_all_of_them() -> None:
    assert cited_errata("errata 001-8 ... 001-10, 000-9") == {"001-8", "001-9", "001-10", "000-9"}
    assert cited_errata("errata 002-1 to 002-3 and 004-2") == {"002-1", "002-2", "002-3", "004-2"}
    assert "001-99" not in errata() and "001-1" in errata()


def test_anchors_and_broken_links_are_seen(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "# One `two`\n\n## 5.1 Base\n\n[a](#51-base) [b](#none) [c](gone.md) [d](https://x.y/z) [e](page.md)\n"
    )
    assert anchors(page) == {"one-two", "51-base"}
    assert broken_links(page) == ["#none", "gone.md"]
