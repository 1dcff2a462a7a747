# SPDX-License-Identifier: Apache-2.0
"""Pictures show what their sources say today: figures of the committed record, of a run, of an array's sums."""

from __future__ import annotations

import importlib
import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import cyclotome as cy
import pytest
from pages import ROOT, pages, program

pytest.importorskip("matplotlib", reason="matplotlib, which draws pictures, is not installed (extra test)")

PICTURES = sorted((ROOT / "doc" / "pictures").glob("*.svg"))


@pytest.fixture(scope="module")
def drawings() -> Any:
    """The drawing programs, and the list of pictures."""
    return program("tools/docs/draw.py")


def texts(svg: str) -> list[str]:
    """What is written in a picture, line by line."""
    return [
        "".join(each.itertext()).strip() for each in ElementTree.fromstring(svg).iter() if each.tag.endswith("}text")
    ]


def shown(name: str) -> list[str]:
    return texts((ROOT / "doc" / "pictures" / f"{name}.svg").read_text(encoding="utf-8"))


def test_every_picture_has_a_drawing_and_a_page(drawings: Any) -> None:
    assert {path.stem for path in PICTURES} == set(drawings.DRAWINGS)
    written = "".join(page.read_text(encoding="utf-8") for page in pages())
    assert [path.name for path in PICTURES if f"pictures/{path.name}" not in written] == []


@pytest.mark.parametrize("path", PICTURES, ids=lambda path: path.stem)
def test_pictures_are_small_alone_and_take_the_page_s_colour(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    root = ElementTree.fromstring(text)
    assert len(text) < 100_000 and "currentColor" in text and "prefers-color-scheme: dark" in text
    assert root.find("{http://www.w3.org/2000/svg}title") is not None
    assert not re.search(r"<script|<image|<foreignObject|href=\"(?!#)", text)
    assert not re.search(r"(?:fill|stroke): #(?:000|fff)", text), "ink of one mode only"


@pytest.mark.parametrize("name", ["parties", "slots", "speed"])
def test_drawing_again_writes_the_same(name: str, drawings: Any) -> None:
    """Texts, not bytes: versions of matplotlib place them differently by fractions of a point."""
    assert texts(drawings.DRAWINGS[name]()) == shown(name), "make pictures"


def test_the_chart_has_the_ratios_of_the_record() -> None:
    """Read here anew, not by the drawing's own code."""
    record = json.loads((ROOT / "bench/results/x86-64-2core-zen4.json").read_text(encoding="utf-8"))
    wanted = {("bfv", "multiply_relinearize"), ("bfv", "encrypt"), ("bfv", "decrypt"), ("bgv", "multiply_relinearize")}
    ratios = []
    for each in record["records"]:
        ours = each["chain"] == "same" and each["threads"] == 1 and each["batch"] == 1
        if ours and each["set"].startswith("seal-") and (each["scheme"], each["operation"]) in wanted:
            peer = each["others"]["SEAL 4.4.3 with HEXL"]
            assert peer["clock"] == each["clock"] == "thread"
            ratios.append(f"{peer['median_us'] / each['median_us']:.1f}")
    labels = [text for text in shown("speed") if re.fullmatch(r"\d+\.\d", text)]
    assert len(ratios) == 16 and sorted(labels) == sorted(ratios)


@pytest.mark.parametrize("scheme", ["bfv", "bgv"])
def test_the_noise_picture_has_the_bounds_of_a_run(scheme: str, drawings: Any) -> None:
    """Bounds are the same in every run; what is measured lies above them, and is drawn without figures."""
    noise = importlib.import_module("pictures.noise")
    run = noise.run(scheme)
    every = shown("noise")
    titles = [every.index("BFV"), every.index("BGV")]
    own = every[: titles[1]] if scheme == "bfv" else every[titles[0] + 1 :]
    wanted = [text for bits, level in zip(run.headroom, run.level, strict=True) for text in (f"{bits:.0f}", str(level))]
    rest = iter(own)
    assert all(text in rest for text in wanted), f"{wanted} in this order: make pictures"
    assert all(budget >= bits for budget, bits in zip(run.budget, run.headroom, strict=True))


def test_the_slots_picture_has_the_sums_of_the_array() -> None:
    secret, public, _ = cy.keygen(cy.Parameters.suggest(depth=0, value_bits=6, terms=4))
    x = cy.encrypt([[1, 2, 3, 4], [10, 20, 30, 40]], public)
    every = shown("slots")
    for start, sums in (("x.sum(axis=0)", x.sum(axis=0)), ("x.sum(axis=1)", x.sum(axis=1)[:1])):
        values = [str(value) for value in cy.decrypt(sums, secret)]
        place = every.index(start) + 1
        assert every[place : place + len(values)] == values
    assert x.sum(axis=1).layout == "replicated"
