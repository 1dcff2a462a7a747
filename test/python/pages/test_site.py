# SPDX-License-Identifier: Apache-2.0
"""The documentation's site: it builds without the extension, every link leads somewhere, the reference is complete, and
pages can be read in a browser at the width of a desk and of a telephone."""

from __future__ import annotations

import functools
import http.server
import json
import os
import re
import threading
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import browser
import cyclotome as cy
import pytest
from pages import ROOT, program

pytest.importorskip("mkdocs", reason="mkdocs, which builds the site, is not installed (dependency group docs)")
pytest.importorskip("material", reason="mkdocs-material is not installed (dependency group docs)")
pytest.importorskip("mkdocstrings_handlers.python", reason="mkdocstrings is not installed (dependency group docs)")

from built_site import Built, build

DESKTOP, TELEPHONE = 1280, 390
#: Pages that are looked at: the start, prose with tables, pictures, code, the reference, commands, a record's list.
SEEN = [
    "index.html",
    "tutorial.html",
    "answers.html",
    "security.html",
    "layouts.html",
    "threat-model.html",
    "recipes/statistics.html",
    "notebooks/table.html",
    "api/arrays.html",
    "cli.html",
    "records/index.html",
    "records/x86-64-2core-zen4.json.html",
    "specification.html",
]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Built:
    return build(tmp_path_factory.mktemp("site"))


@pytest.fixture(scope="module")
def address(site: Built) -> Iterator[str]:
    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: Any) -> None:
            pass

    handler = functools.partial(Quiet, directory=str(site.folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def test_every_page_is_there(site: Built) -> None:
    sources = [path.relative_to(ROOT / "doc") for path in (ROOT / "doc").rglob("*.md")]
    wanted = {path.with_suffix(".html").as_posix().replace("README.html", "index.html") for path in sources}
    wanted |= {"index.html", "contributing.html", "reporting.html", "changelog.html", "cli.html", "records/index.html"}
    wanted |= {f"records/{path.name}.html" for path in (ROOT / "bench/results").iterdir()}
    wanted |= {f"notebooks/{path.stem}.html" for path in (ROOT / "doc/notebooks").glob("*.ipynb")}
    assert wanted - set(site.pages) == set()
    assert "WARNING" not in site.said


def test_every_link_and_anchor_leads_somewhere(site: Built) -> None:
    assert {name: wrong for name in site.pages if (wrong := site.broken(name))} == {}
    assert sum(len(page.links) for page in site.pages.values()) > 3000


def test_nothing_is_loaded_from_elsewhere(site: Built) -> None:
    for name, page in site.pages.items():
        assert [each for each in page.loaded if re.match(r"(\w+:)?//", each)] == [], name
    for path in site.folder.rglob("*.css"):
        assert not re.search(r"url\(['\"]?https?:|@import", path.read_text(encoding="utf-8")), path


def test_broken_links_are_seen(site: Built, tmp_path: Path) -> None:
    text = '<p id="a">x</p><a href="#a"></a><a href="#b"></a><a href="c.html"></a><img src="https://x.y/z.png">'
    (tmp_path / "index.html").write_text(text, encoding="utf-8")
    bad = Built(tmp_path, "")
    assert bad.broken("index.html") == ["#b", "c.html"]
    assert bad.pages["index.html"].loaded == ["https://x.y/z.png"]


def test_the_reference_has_every_public_name(site: Built) -> None:
    names = {f"cyclotome.{name}" for name in cy.__all__ if name != "__version__"}
    rooms = (cy.circuit, cy.extension_slots, cy.polynomials, cy.rekeying, cy.sessions, cy.sharding)
    names |= {f"{room.__name__}.{name}" for room in rooms for name in room.__all__} - {"cyclotome.polynomials.convolve"}
    methods = [name for name in dir(cy.EncryptedArray) if not name.startswith("_")]
    names |= {f"cyclotome.EncryptedArray.{name}" for name in methods}
    assert len(methods) > 20
    assert names - site.objects == set()


def test_examples_in_the_reference_are_code(site: Built) -> None:
    text = (site.folder / "api/arrays.html").read_text(encoding="utf-8")
    assert text.count('class="gp"') > 50, "prompts are shown as quotations"
    assert "<blockquote>" not in text


def test_the_page_of_commands_has_every_option(site: Built) -> None:
    pytest.importorskip("typer")
    import typer.main
    from cyclotome.cli.app import app

    text = (site.folder / "cli.html").read_text(encoding="utf-8")

    def walk(command: Any, name: str) -> Iterator[str]:
        for option in command.params:
            yield from (each for each in option.opts if each.startswith("--"))
        for below in getattr(command, "commands", {}):
            yield f"{name} {below}"
            yield from walk(command.commands[below], f"{name} {below}")

    wanted = list(walk(typer.main.get_command(app), "cyclotome"))
    assert len(wanted) > 80
    assert [each for each in wanted if each not in text] == []


#: What is wider than the window and can't be scrolled by itself.
_WIDE = """
const width = document.documentElement.clientWidth;
const cut = e => ['auto', 'scroll', 'hidden'].includes(getComputedStyle(e).overflowX);
const inside = e => e != document.documentElement && (cut(e) || inside(e.parentElement));
return [...document.querySelectorAll('.md-content *')]
  .filter(e => e.getBoundingClientRect().right > width + 1 && !inside(e.parentElement) && !e.closest('svg'))
  .map(e => e.outerHTML.slice(0, 80));
"""
_PICTURES = """
return [...document.querySelectorAll('figure.picture svg, .md-content img')].map(e => {
  const box = e.getBoundingClientRect();
  return {left: box.left, right: box.right, height: box.height, ink: getComputedStyle(e).color,
          text: getComputedStyle(e.closest('.md-typeset')).color,
          loaded: e.tagName != 'IMG' || e.naturalWidth > 0};
});
"""


@pytest.mark.parametrize("width", [DESKTOP, TELEPHONE])
@pytest.mark.parametrize("name", SEEN)
def test_pages_can_be_read(name: str, width: int, address: str, window: browser.Page) -> None:
    window.visit(f"{address}/{name}", width)
    assert window.ask("return document.documentElement.scrollWidth") <= width, "the page is wider than its window"
    assert window.ask(_WIDE) == []
    assert window.ask("return document.querySelector('h1').textContent").strip("¶ ")
    for picture in window.ask(_PICTURES):
        assert picture["loaded"] and 0 <= picture["left"] < picture["right"] <= width and picture["height"] > 100
    assert window.complaints() == []


@pytest.mark.parametrize("name", ["index.html", "tutorial.html", "answers.html", "data.html", "services.html"])
def test_code_does_not_scroll_on_a_desk(name: str, address: str, window: browser.Page) -> None:
    """Lines of up to test_snippets.WIDTH characters fit."""
    window.visit(f"{address}/{name}", DESKTOP)
    widths = window.ask(
        "return [...document.querySelectorAll('.md-content pre code')].map(e => [e.scrollWidth, e.clientWidth])"
    )
    assert widths and all(wanted <= there for wanted, there in widths)


def test_what_is_too_wide_is_seen(address: str, window: browser.Page) -> None:
    window.visit(f"{address}/noise.html", TELEPHONE)
    assert window.ask(_WIDE) == []
    window.ask("document.querySelector('.md-content h1').innerHTML = '<p style=\"width: 900px\">wide</p>'")
    assert len(window.ask(_WIDE)) == 1


def test_pictures_are_shown_by_day_and_by_night(address: str, window: browser.Page) -> None:
    window.visit(f"{address}/layouts.html", DESKTOP)
    inks = []
    for scheme in ("default", "slate"):
        window.await_true(f"return document.body.dataset.mdColorScheme == '{scheme}'")
        found = window.ask(_PICTURES)
        assert len(found) == 3
        assert all(picture["ink"] == picture["text"] for picture in found)
        inks.append(found[0]["ink"])
        assert contrast(found[0]["ink"], window.ask("return getComputedStyle(document.body).backgroundColor")) > 7
        window.ask("document.querySelector('[data-md-component=palette] label:not([hidden])').click()")
    assert inks[0] != inks[1]


def contrast(first: str, second: str) -> float:
    """Of two colours as a browser writes them, by WCAG 2; what is translucent is taken over the other one."""

    def luminance(colour: list[float]) -> float:
        linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in colour]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    parts = [[float(number) for number in re.findall(r"[\d.]+", text)] for text in (first, second)]
    below = [c / 255 for c in parts[1][:3]]
    alpha = parts[0][3] if len(parts[0]) > 3 else 1.0
    above = [alpha * c / 255 + (1 - alpha) * b for c, b in zip(parts[0][:3], below, strict=True)]
    light, dark = sorted((luminance(above), luminance(below)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_contrast_is_that_of_the_standard() -> None:
    assert contrast("rgb(0, 0, 0)", "rgb(255, 255, 255)") == pytest.approx(21)
    assert contrast("rgba(0, 0, 0, 0)", "rgb(255, 255, 255)") == pytest.approx(1)


@pytest.mark.parametrize("width", [DESKTOP, TELEPHONE])
def test_the_navigation_leads_to_pages(width: int, address: str, window: browser.Page) -> None:
    window.visit(f"{address}/index.html", width)
    if width == TELEPHONE:
        assert not window.ask("return document.querySelector('#__drawer').checked")
        window.ask("document.querySelector('label.md-header__button[for=__drawer]').click()")
        assert window.ask("return document.querySelector('#__drawer').checked")
    window.ask("document.querySelector('.md-nav--primary a[href=\"tutorial.html\"]').click()")
    window.await_true("return location.pathname == '/tutorial.html' && document.querySelector('h1') != null")
    assert window.ask("return document.querySelector('h1').textContent").startswith("Tutorial")


def test_the_search_finds_a_page(address: str, window: browser.Page) -> None:
    window.visit(f"{address}/index.html", DESKTOP)
    window.ask(
        "const box = document.querySelector('.md-search__input'); box.focus(); box.value = 'polyval';"
        "box.dispatchEvent(new Event('keyup', {bubbles: true})); box.dispatchEvent(new Event('input', {bubbles: true}))"
    )
    window.await_true("return document.querySelectorAll('.md-search-result__item').length > 0")
    found = window.ask("return [...document.querySelectorAll('.md-search-result__link')].map(e => e.href)")
    assert any("polynomials.html" in link or "functions.html" in link for link in found)


#: What people type who don't know this library's words yet.
WORDS = (
    *("percentile", "quantile", "median", "mean", "variance", "correlation", "histogram", "regression", "training"),
    *("cosine similarity", "kNN", "embeddings", "neural networks", "PyTorch", "federated learning", "floats", "CKKS"),
    *("bootstrapping", "division", "sigmoid", "overflow", "strings", "dates", "pandas", "CSV", "Excel", "join", "SQL"),
    *("filter", "missing values", "pip", "Windows", "WebAssembly", "JavaScript", "Docker", "Kubernetes", "REST", "GPU"),
    *("Spark", "Jupyter", "memory", "performance", "backup", "lost key", "key rotation", "HSM", "GDPR", "HIPAA"),
    *("audited", "quantum computers", "zero knowledge", "SGX", "differential privacy", "multi-party computation"),
)


def test_words_that_people_look_for_are_headings(site: Built) -> None:
    """The search ranks headings first."""
    found = json.loads((site.folder / "search/search_index.json").read_text(encoding="utf-8"))["docs"]
    titles = [each["title"].lower() for each in found if not each["location"].startswith(("changelog", "source"))]
    assert [word for word in WORDS if not any(word.lower() in title for title in titles)] == []


@pytest.mark.parametrize(
    ("word", "place"),
    [("percentile", "answers.html#percentile-quantile"), ("backup", "answers.html#backup-restore")],
)
def test_the_search_finds_an_answer(word: str, place: str, address: str, window: browser.Page) -> None:
    window.visit(f"{address}/index.html", DESKTOP)
    window.ask(
        f"const box = document.querySelector('.md-search__input'); box.focus(); box.value = '{word}';"
        "box.dispatchEvent(new Event('keyup', {bubbles: true})); box.dispatchEvent(new Event('input', {bubbles: true}))"
    )
    window.await_true("return document.querySelectorAll('.md-search-result__item').length > 0")
    links = window.ask("return [...document.querySelectorAll('.md-search-result__link')].map(e => e.href)")
    assert any(link.endswith(place) for link in links[:4]), links[:4]


def test_a_record_is_drawn_with_the_shared_script(address: str, window: browser.Page) -> None:
    window.visit(f"{address}/records/x86-64-2core-zen5.json.html", DESKTOP)
    assert window.ask("return document.querySelectorAll('.js-plotly-plot .trace').length") > 0
    assert window.ask("return document.querySelectorAll('.md-nav--primary a').length") > 10, "it is a page of the site"
    window.ask("document.querySelector('figure').scrollIntoView()")
    top, covered = window.ask(
        "return [document.querySelector('.legend').getBoundingClientRect().bottom,"
        "document.querySelector('.md-header').getBoundingClientRect().bottom]"
    )
    assert covered < top < 900, "the legend is on the plot's first screen"
    assert window.complaints() == []


@pytest.mark.full
@pytest.mark.skipif("CYCLOTOME_TEST_LINKS" not in os.environ, reason="asks the web: CYCLOTOME_TEST_LINKS=1")
def test_links_to_the_web_answer(site: Built) -> None:
    links = {link.partition("#")[0] for page in site.pages.values() for link in page.links if link.startswith("http")}
    dead = []
    for link in sorted(links):
        try:
            urllib.request.urlopen(
                urllib.request.Request(link, headers={"User-Agent": "cyclotome"}), timeout=30
            ).close()
        except OSError as error:
            dead.append(f"{link}: {error}")
    assert dead == []


def test_docstrings_are_read_as_they_are_meant() -> None:
    text = "Does.\n\nRaises:\n    RangeError: x\n        y: z\n    Whatever f raises.\n\nExample:\n    >>> 1\n    1\n"
    expected = text.replace("Whatever", "CyclotomeError: Whatever").replace("Example:", "Examples:")
    assert program("tools/docs/docstrings.py").readable(text) == expected
    assert program("tools/docs/docstrings.py").readable("Raises nothing:\n    at all") == "Raises nothing:\n    at all"


def test_what_a_checkout_may_be_without_is_left_out() -> None:
    hooks = program("tools/docs/hooks.py")
    nav = [{"Start": "index.md"}, {"Gone": "services.md"}, {"More": [{"Gone": "scale.md"}, "noise.md"]}, {"None": []}]
    missing = [page for page in ("services.md", "scale.md") if not (ROOT / "doc" / page).is_file()]
    pruned = str(hooks._without_missing(nav))
    assert all(page not in pruned for page in missing) and "noise.md" in pruned and "None" not in pruned
