# SPDX-License-Identifier: Apache-2.0
"""The documentation's site as `make docs` builds it, and what its pages hold and link to."""

from __future__ import annotations

import os
import subprocess
import sys
import zlib
from functools import cached_property
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from pages import ROOT

__all__ = ["Built", "Page", "build"]


class Page(HTMLParser):
    """The anchors of a page, its links, and what it loads."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """As the base class."""
        found = {name: value or "" for name, value in attrs}
        self.anchors |= {found[name] for name in ("id", "name") if name in found}
        if tag == "a" and "href" in found:
            self.links.append(found["href"])
        elif "src" in found:
            self.loaded.append(found["src"])
        elif tag == "link" and found.get("rel") in {"stylesheet", "icon", "prev", "next", "preload"}:
            self.loaded.append(found["href"])


class Built:
    """A built site."""

    def __init__(self, folder: Path, said: str) -> None:
        self.folder, self.said = folder, said

    @cached_property
    def pages(self) -> dict[str, Page]:
        """Every page by its path."""
        return {path.relative_to(self.folder).as_posix(): Page(path) for path in sorted(self.folder.rglob("*.html"))}

    @cached_property
    def objects(self) -> set[str]:
        """Names of the reference: its inventory, as Sphinx reads it."""
        packed = (self.folder / "objects.inv").read_bytes().split(b"\n", 4)[4]
        return {line.split(" ", 1)[0] for line in zlib.decompress(packed).decode().splitlines()}

    def broken(self, name: str) -> list[str]:
        """Links of a page, and files that it loads, that are not there. The web is not asked."""
        page, wrong = self.pages[name], []
        for link in page.links + page.loaded:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            path = unquote(parts.path)
            start = self.folder if path.startswith("/") else (self.folder / name).parent  # 404.html is shown anywhere
            target = (start / path.lstrip("/")).resolve() if path else self.folder / name
            place = os.path.relpath(target, self.folder.resolve()) if path else name
            anchors = self.pages[place].anchors if place in self.pages else set()
            if not target.is_file() or (parts.fragment and unquote(parts.fragment) not in anchors):
                wrong.append(link)
        return wrong


def build(folder: Path) -> Built:
    """Builds the site into a folder, in a process of its own, which has the extension's stand-in."""
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=1200)
    assert done.returncode == 0, done.stdout + done.stderr
    return Built(folder, done.stdout + done.stderr)
