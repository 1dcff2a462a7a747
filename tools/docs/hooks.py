# SPDX-License-Identifier: Apache-2.0
"""MkDocs' hooks: pages from outside doc/, generated ones, links, pictures, and what the navigation can do without."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.nav import Link, Navigation
from mkdocs.structure.pages import Page

sys.path.insert(0, str(Path(__file__).parent))

import generated
from repository import ROOT, linked_sources, outside_pages, record_page, rewritten, source_page

#: Pages that a checkout may be without; the navigation leaves them out then.
OPTIONAL = {
    "coming-from-elsewhere.md",
    "cpp-guide.md",
    "models.md",
    "packages.md",
    "scale.md",
    "services.md",
    "threshold.md",
}
#: Where names are that doc/api doesn't have; none, as a rule.
MORE = "api/more.md"
#: Set by `make docs` where Doxygen puts C++ pages beside these.
CPP_PAGES = "CYCLOTOME_DOCS_CPP"

_PICTURE = re.compile(r"!\[([^\]]*)\]\(([^)\s]*pictures/[\w-]+\.svg)\)")
_STYLE = re.compile(r"<style.*?</style>", re.DOTALL)

#: Path in the repository → path on the site, of everything that has a place there.
_places: dict[str, str] = {}


def _without_missing(items: Any) -> Any:
    """A navigation without optional pages that are not there, and without sections that are empty then."""
    if isinstance(items, str):
        missing = items in OPTIONAL and not (ROOT / "doc" / items).is_file()
        return None if missing or (items == MORE and generated.more_names() is None) else items
    if isinstance(items, dict):
        kept = {title: _without_missing(below) for title, below in items.items()}
        return {title: below for title, below in kept.items() if below} or None
    return [each for each in map(_without_missing, items) if each]


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Prunes the navigation."""
    config.nav = _without_missing(config.nav)
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds pages from outside doc/, sources that pages link to, and generated pages."""
    own = {f"doc/{file.src_uri}": file.src_uri for file in files}
    outside = outside_pages()
    pages = [path for path in own if path.endswith(".md")] + list(outside)
    _places.clear()
    _places.update(own | outside)
    for path in sorted(linked_sources(pages, set(_places))):
        _places[path] = record_page(path) or source_page(path)
        if record_page(path) is None:
            files.append(File.generated(config, source_page(path), content=generated.source(path)))
    for path, place in outside.items():
        files.append(File.generated(config, place, abs_src_path=str(ROOT / path)))
    for notebook in sorted((ROOT / "doc" / "notebooks").glob("*.ipynb")):
        place = f"notebooks/{notebook.stem}.md"
        _places[f"doc/notebooks/{notebook.name}"] = place
        files.append(File.generated(config, place, content=generated.notebook(notebook)))
    files.append(File.generated(config, "cli.md", content=generated.commands()))
    more = generated.more_names()
    for place, text in (generated.records() | ({} if more is None else {MORE: more})).items():
        files.append(File.generated(config, place, content=text))
    return files


def on_nav(nav: Navigation, config: MkDocsConfig, files: Files) -> Navigation:
    """Adds the C++ reference, which is no page of MkDocs."""
    if os.environ.get(CPP_PAGES):
        nav.items.append(Link("C++ reference", "cpp/index.html"))
    return nav


def _drawn(match: re.Match[str]) -> str:
    """A picture inside its page, so that it takes the page's colours, by day and by night."""
    name = match[2].rpartition("/")[2]
    svg = (ROOT / "doc" / "pictures" / name).read_text(encoding="utf-8")
    svg = _STYLE.sub("", svg[svg.index("<svg") :])
    inside = " ".join(line.strip() for line in svg.splitlines())
    return (
        f'<figure class="picture" id="{name.removesuffix(".svg")}">{inside}<figcaption>{match[1]}</figcaption></figure>'
    )


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Rewrites links, and draws pictures."""
    origin = next((path for path, place in _places.items() if place == page.file.src_uri), None)
    if origin is None or origin.startswith("bench/results"):
        return markdown
    return _PICTURE.sub(_drawn, rewritten(markdown, origin, page.file.src_uri, _places))
