# SPDX-License-Identifier: Apache-2.0
"""What pages show to be run: their fenced blocks, and the commands in them."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass

from pages import ROOT

_FENCED = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """A fenced block: its language ("" where none is said), the line that it begins at, and its text."""

    page: str
    language: str
    line: int
    text: str


def blocks(page: str, *languages: str) -> list[Block]:
    """The blocks of a page (a path from the root), of these languages if any are given."""
    text = (ROOT / page).read_text(encoding="utf-8")
    found = [
        Block(page, match[1], text.count("\n", 0, match.start()) + 1, match[2]) for match in _FENCED.finditer(text)
    ]
    return [block for block in found if not languages or block.language in languages]


def program(page: str) -> str:
    """All Python blocks of a page as one program, each on the lines where it stands there."""
    lines: list[str] = []
    for block in blocks(page, "python"):
        lines += [""] * (block.line - len(lines))
        lines += block.text.splitlines()
    return "\n".join(lines) + "\n"


def commands(page: str) -> list[list[str]]:
    """The words of each command line of a page."""
    lines = [
        shlex.split(line, comments=True)
        for block in blocks(page, "sh")
        for line in block.text.replace("\\\n", " ").splitlines()
    ]
    return [words for words in lines if words]
