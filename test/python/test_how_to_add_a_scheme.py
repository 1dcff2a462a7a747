# SPDX-License-Identifier: Apache-2.0
"""The page about adding a scheme shows the files of the scheme that the tests add, all of them and as they are."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "doc/how-to-add-a-scheme.md"
FOLDER = ROOT / "test/additive_scheme"

#: A path in backticks, a colon, and the block that shows it.
SHOWN = re.compile(r"^`([^`\n]+)`:\n\n```cpp\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def shown() -> list[tuple[str, str]]:
    """Path and text of every block of C++ on the page."""
    text = PAGE.read_text(encoding="utf-8")
    blocks = SHOWN.findall(text)
    assert len(blocks) == text.count("```cpp") >= 5, "a block of C++ without the path that it is from"
    return blocks


def test_what_the_page_shows_is_in_the_files() -> None:
    for path, text in shown():
        assert text in (ROOT / path).read_text(encoding="utf-8"), f"{path} is not what the page shows of it"


def test_the_page_shows_every_line_of_the_scheme() -> None:
    blocks = shown()
    files = sorted(path for path in FOLDER.iterdir() if path.suffix in {".hpp", ".cpp"})
    assert len(files) == 4
    for file in files:
        name = file.relative_to(ROOT).as_posix()
        text = "".join(block for path, block in blocks if path == name)
        lines = [line for line in file.read_text(encoding="utf-8").splitlines() if line and "SPDX" not in line]
        missing = [line for line in lines if line not in text.splitlines()]
        assert not missing, f"{name}: the page does not show {missing}"


def test_every_name_of_the_library_on_the_page_exists() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for path in re.findall(r"`((?:src|test)/[^`<]+)`", text):
        assert (ROOT / path).exists(), f"the page names {path}, which is not there"
