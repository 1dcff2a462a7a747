# SPDX-License-Identifier: Apache-2.0
"""The project's pages in Markdown: which there are, their headings as anchors, their links, and the files they name."""

from __future__ import annotations

import importlib
import re
import sys
from functools import cache
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parents[3]

#: Folders at the root that hold sources and pages; build trees, environments and outputs do not.
FOLDERS = sorted(
    path
    for path in ROOT.iterdir()
    if path.is_dir() and path.name[0] != "." and path.name not in {"build", "dist", "demo-output"}
)


def program(path: str) -> ModuleType:
    """A program of this checkout as a module, which finds those beside it: "tools/check_rings.py"."""
    file = ROOT / path
    sys.path.insert(0, str(file.parent))
    try:
        return importlib.import_module(file.stem)
    finally:
        sys.path.remove(str(file.parent))


FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^#{1,6} +(.+?) *$", re.MULTILINE)
LINK = re.compile(r"\]\(([^)\s]+)\)")
QUOTED = re.compile(r"`([^`\n]+)`")


@cache
def pages() -> list[Path]:
    """Every Markdown file of the project."""
    found = list(ROOT.glob("*.md"))
    for folder in FOLDERS:
        found += folder.rglob("*.md")
    return sorted(found)


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@cache
def prose(page: Path) -> str:
    """A page without its blocks of code."""
    return FENCE.sub("", page.read_text(encoding="utf-8"))


def slug(heading: str) -> str:
    """The anchor that a heading gets where Markdown is shown: lower case, hyphens for spaces, no punctuation."""
    plain = re.sub(r"\[([^\]]+)\]\([^)]*\)", r"\1", heading).replace("`", "").replace("*", "")
    return "".join(c for c in plain.lower().replace(" ", "-") if c.isalnum() or c in "-_")


@cache
def anchors(page: Path) -> frozenset[str]:
    """Anchors of all headings of a page; equal headings are numbered from the second one on."""
    found: dict[str, int] = {}
    names = set()
    for heading in HEADING.findall(prose(page)):
        name = slug(heading)
        names.add(f"{name}-{found[name]}" if name in found else name)
        found[name] = found.get(name, 0) + 1
    return frozenset(names)


def broken_links(page: Path) -> list[str]:
    """Links of a page to files or headings that are not there. The web is not asked."""
    broken = []
    for link in LINK.findall(prose(page)):
        if "://" in link or link.startswith("mailto:"):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists() or (anchor and target.suffix == ".md" and anchor not in anchors(target)):
            broken.append(link)
    return broken


def missing_files(page: Path) -> list[str]:
    """Files and folders that a page names in back quotes, from the root, and that are not there."""
    first = {path.name for path in FOLDERS}
    named = [text for text in QUOTED.findall(prose(page)) if re.fullmatch(r"[\w.-]+(?:/[\w.*-]+)+/?", text)]
    return [text for text in named if text.split("/")[0] in first and not any(ROOT.glob(text.rstrip("/")))]
