# SPDX-License-Identifier: Apache-2.0
"""Pictures of the documentation as SVG: one width, one palette, and text that stays text.

Ink is the colour of the page around a picture, by day and by night; the two accents are readable on both.
"""

from __future__ import annotations

import io
import re
from typing import Any

import matplotlib

matplotlib.use("svg")
from matplotlib import pyplot
from matplotlib.patches import FancyBboxPatch

__all__ = ["FIRST", "INK", "SECOND", "arrow", "box", "canvas", "finished"]

INK = "#010203"  # replaced by the page's colour
FIRST, SECOND = "#0f9d8a", "#d9772b"
_WIDTH = 6.2
_STYLE = "<style>svg { color: #1b1b1b } @media (prefers-color-scheme: dark) { svg { color: #e6e6e6 } }</style>"
_SETTINGS: Any = {
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.size": 9,
    "text.color": INK,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "savefig.transparent": True,
}


def canvas(height: float, *, plain: bool = False, columns: int = 1) -> tuple[Any, Any]:
    """A figure of the common width and its axes, one for each column; ``plain``: no scales, a unit wide and high."""
    pyplot.rcParams.update(_SETTINGS)
    figure, axes = pyplot.subplots(1, columns, figsize=(_WIDTH, height))
    if plain:
        axes.set(xlim=(0, 1), ylim=(0, 1))
        axes.axis("off")
        figure.subplots_adjust(0, 0, 1, 1)
    return figure, axes


def box(
    axes: Any, place: tuple[float, float, float, float], text: str = "", colour: str = INK, fill: float = 0.12
) -> None:
    """A rounded box at x, y of this width and height, with text in its middle."""
    x, y, width, height = place
    style = "round,pad=0,rounding_size=0.012"
    axes.add_patch(FancyBboxPatch((x, y), width, height, style, fc=colour, ec="none", alpha=fill, mutation_aspect=2))
    axes.add_patch(FancyBboxPatch((x, y), width, height, style, fc="none", ec=colour, lw=1, mutation_aspect=2))
    axes.text(x + width / 2, y + height / 2, text, ha="center", va="center", linespacing=1.5)


def arrow(axes: Any, start: tuple[float, float], end: tuple[float, float], text: str, colour: str = INK) -> None:
    """An arrow with text above its middle."""
    axes.annotate(
        "", end, start, arrowprops={"arrowstyle": "-|>", "color": colour, "lw": 1.4, "shrinkA": 0, "shrinkB": 0}
    )
    axes.text((start[0] + end[0]) / 2, (start[1] + end[1]) / 2 + 0.025, text, ha="center", va="bottom", fontsize=8.5)


def finished(figure: Any, name: str, title: str) -> str:
    """The text of a picture's file: the same for the same drawing, with names of its own for what it refers to."""
    pyplot.rcParams["svg.hashsalt"] = name
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    pyplot.close(figure)
    text = buffer.getvalue()
    text = re.sub(r"<metadata>.*?</metadata>\s*", "", text, flags=re.DOTALL)
    text = text[text.index("<svg") :].replace(INK, "currentColor")
    text = re.sub(r'\bid="([^"]+)"', rf'id="{name}-\1"', text)
    text = re.sub(r'(url\(#|href="#)', rf"\g<1>{name}-", text)
    text = re.sub(r"(<svg\b[^>]*?) id=\"[^\"]*\"", r"\1", text, count=1)
    return re.sub(r"(<svg\b[^>]*)>", rf'\1 role="img">\n <title>{title}</title>\n {_STYLE}', text, count=1)
