# SPDX-License-Identifier: Apache-2.0
"""doc/how-to-add-a-ring.md quotes the code that it follows, and that code is there."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "doc" / "how-to-add-a-ring.md").read_text(encoding="utf-8")

QUOTED = re.compile(r"^<!-- (\S+) -->\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NAMED = re.compile(r"`((?:src|test|tools)/[\w/.]+\.\w+)`")


def test_every_quotation_stands_in_its_file() -> None:
    quotations = QUOTED.findall(PAGE)
    assert len(quotations) == PAGE.count("```") // 2 >= 8, "a block of code names no file"
    for name, text in quotations:
        assert text in (ROOT / name).read_text(encoding="utf-8"), f"{name} no longer says:\n{text}"


def test_every_file_that_the_page_names_exists() -> None:
    names = NAMED.findall(PAGE)
    assert len(names) >= 8
    for name in names:
        assert (ROOT / name).exists(), name


def test_what_the_page_names_in_tests_is_tested() -> None:
    for test in re.findall(r"`(every_verb_\w+)` in `([\w/.]+)`", PAGE):
        assert f"TEST({test[0]})" in (ROOT / test[1]).read_text(encoding="utf-8")
