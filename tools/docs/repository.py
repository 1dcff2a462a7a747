# SPDX-License-Identifier: Apache-2.0
"""Where each file of the repository stands on the site, and links from page to page rewritten for it.

Pages of doc/ keep their places. Other pages (README, CONTRIBUTING, the rooms' READMEs) get one here, and so does every
source that a page links to: the site leads nowhere but into itself.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable
from pathlib import Path

__all__ = ["LINK", "OUTSIDE", "ROOT", "linked_sources", "outside_pages", "record_page", "rewritten", "source_page"]

ROOT = Path(__file__).resolve().parents[2]

#: Pages outside doc/ and their places.
OUTSIDE = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "reporting.md",
    "CHANGELOG.md": "changelog.md",
    "bench/README.md": "packages/bench.md",
    "demo/README.md": "packages/demo.md",
    "hdl/README.md": "packages/hdl.md",
    "study/README.md": "packages/study.md",
    "reader/README.md": "packages/reader.md",
}

FENCE = re.compile(r"^( *)```.*?^\1```$", re.MULTILINE | re.DOTALL)
#: The target of a Markdown link or picture.
LINK = re.compile(r"(?<=\]\()([^)\s]+)(?=\))")


def outside_pages() -> dict[str, str]:
    """`OUTSIDE` and the READMEs of the rooms: path in the repository → page of the site."""
    rooms = sorted((ROOT / "src" / "cyclotome").rglob("README.md"))
    found = {path.relative_to(ROOT).as_posix(): "" for path in rooms}
    for path in found:
        found[path] = f"rooms/{path.removeprefix('src/cyclotome/').removesuffix('/README.md')}.md"
    return {path: page for path, page in OUTSIDE.items() if (ROOT / path).is_file()} | found


def record_page(path: str) -> str | None:
    """The page of a committed record of measurements; None for other files."""
    return f"records/{Path(path).name}.md" if posixpath.dirname(path) == "bench/results" else None


def source_page(path: str) -> str:
    """The page that shows a source file, or the files of a folder."""
    return f"source/{path}.md"


def _prose(text: str, change: Callable[[str], str]) -> str:
    """A page with what stands outside its blocks of code changed."""
    parts, end = [], 0
    for block in FENCE.finditer(text):
        parts += [change(text[end : block.start()]), block[0]]
        end = block.end()
    return "".join([*parts, change(text[end:])])


def _target(link: str, page: str) -> str | None:
    """The path in the repository that a link of the page at ``page`` (a path there too) leads to; None for the web and
    for anchors of the page itself."""
    path = link.partition("#")[0]
    if not path or re.match(r"[a-z]+:", link):
        return None
    return posixpath.normpath(posixpath.join(posixpath.dirname(page), path))


def linked_sources(pages: Iterable[str], known: set[str]) -> set[str]:
    """Files and folders that pages (paths in the repository) link to and that are no pages themselves."""
    found = set()
    for page in pages:
        text = FENCE.sub("", (ROOT / page).read_text(encoding="utf-8"))
        targets = {_target(link, page) for link in LINK.findall(text)}
        found |= {target for target in targets if target and target not in known and (ROOT / target).exists()}
    return found


def rewritten(text: str, page: str, at: str, places: dict[str, str]) -> str:
    """A page's text with its links leading to where files stand on the site.

    Args:
        text: Markdown.
        page: its path in the repository, from which links start.
        at: its path on the site.
        places: path in the repository → path on the site.
    """

    def moved(match: re.Match[str]) -> str:
        target = _target(match[1], page)
        if target is None or target not in places:
            return match[1]
        _, sign, anchor = match[1].partition("#")
        return posixpath.relpath(places[target], posixpath.dirname(at) or ".") + sign + anchor

    return _prose(text, lambda part: LINK.sub(moved, part))
