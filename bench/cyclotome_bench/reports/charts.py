# SPDX-License-Identifier: Apache-2.0
"""Plots of records, drawn by Plotly: lines through points, and horizontal bars."""

from __future__ import annotations

import base64
import gzip
import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cyclotome.errors import ArgumentError, MissingPackageError

__all__ = ["SCRIPT", "Bars", "Lines", "Plot", "figure", "fragment", "library", "packed_library"]

#: Colours that differ for colour-blind readers too (Okabe and Ito).
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#999933")
_MARKERS = ("circle", "square", "diamond", "triangle-up", "x", "cross", "star", "pentagon")
#: The same in a legend.
_SIGNS = "●■◆▲✖✚★⬟"
#: Labels along an axis, at most, as a telephone is narrow; and pixels.
_MOST_TICKS, _HEIGHT, _BAR = 10, 420, 15


@dataclass(frozen=True)
class Lines:
    """Lines through points, both axes logarithmic. Each line has at most one value at each x: what was measured in
    other circumstances, such as another number at once, is another line.

    Attributes:
        title: what is plotted.
        x_name, y_name: what the axes are, with units.
        series: points (x, y) by the line's name, all positive.

    Raises:
        ArgumentError: a line has two values at one x, or none at all.
    """

    title: str
    x_name: str
    y_name: str
    series: Mapping[str, Sequence[tuple[float, float]]]

    def __post_init__(self) -> None:
        for name, points in self.series.items():
            if not points or len({x for x, _ in points}) != len(points):
                raise ArgumentError(f"{self.title}: the line {name!r} needs one value at each {self.x_name}")
        if not self.series:
            raise ArgumentError(f"{self.title}: there is nothing to plot")


@dataclass(frozen=True)
class Bars:
    """Groups of horizontal bars.

    Attributes:
        title: what is plotted.
        name: what the bars' lengths are, with the unit.
        series: names of the bars in a group.
        rows: (the group's label, one value for each series, None for none), labels all different.
        reference: where a line is drawn across, such as 1 for ratios.
        logarithmic: whether the axis is.

    Raises:
        ArgumentError: labels that are equal, values that do not fit the series, or no value at all.
    """

    title: str
    name: str
    series: Sequence[str]
    rows: Sequence[tuple[str, Sequence[float | None]]]
    reference: float | None = None
    logarithmic: bool = False

    def __post_init__(self) -> None:
        if len({label for label, _ in self.rows}) != len(self.rows):
            raise ArgumentError(f"{self.title}: two groups of bars have one label")
        if any(len(values) != len(self.series) for _, values in self.rows):
            raise ArgumentError(f"{self.title}: a group of bars has not one value for each of {', '.join(self.series)}")
        if all(value is None for _, values in self.rows for value in values):
            raise ArgumentError(f"{self.title}: there is nothing to plot")


Plot = Lines | Bars


def figure(plot: Plot) -> dict[str, Any]:
    """The plot as Plotly describes one: "data" and "layout"."""
    return _lines(plot) if isinstance(plot, Lines) else _bars(plot)


def fragment(plot: Plot) -> str:
    """The plot as HTML, and above it its legend, which hides and shows: for a page that has the library and runs
    `SCRIPT` at its end. Raises MissingPackageError without Plotly."""
    go = _plotly().graph_objects
    described = go.Figure(figure(plot))
    text = described.to_json().replace("<", "\\u003c")  # no name ends the script that holds it
    height = int(described.layout.height)
    drawn = f'<div class="plot" style="height:{height}px"></div><script type="application/json">{text}</script>'
    return f"{_legend(plot)}{drawn}"


def _legend(plot: Plot) -> str:
    """Names of series with their colours. Plotly's own stands beside a plot of several screens where nobody sees it."""
    names = list(plot.series)
    if len(names) < 2:
        return ""
    lines = isinstance(plot, Lines)
    entries = "".join(
        f'<button type="button" aria-pressed="true" onclick="cyclotomeHide(this, {i})">'
        f'<span style="color:{COLOURS[i % len(COLOURS)]}">{_SIGNS[i // len(COLOURS) % len(_SIGNS)] if lines else "■"}'
        f"</span> {html.escape(name)}</button>"
        for i, name in enumerate(names)
    )
    return f'<p class="legend">{entries}</p>'


#: Draws all plots of a page, and does what their buttons say. The page says when it is done (`data-drawn`).
SCRIPT = """
function cyclotomeDraw() {
  for (const place of document.querySelectorAll('div.plot')) {
    const plot = JSON.parse(place.nextElementSibling.textContent);
    Plotly.newPlot(place, plot.data, plot.layout, {responsive: true, displaylogo: false, displayModeBar: false});
  }
  document.documentElement.dataset.drawn = 'true';
}
function cyclotomePlot(button) { return button.closest('figure').querySelector('.js-plotly-plot'); }
function cyclotomeHide(button, index) {
  const shown = button.getAttribute('aria-pressed') != 'true';
  button.setAttribute('aria-pressed', shown);
  Plotly.restyle(cyclotomePlot(button), {visible: shown}, [index]);
}
function cyclotomeFigure(plot, title) {
  const lines = plot.data.length > 1 ? plot.data.length : 0;
  const layout = {...plot.layout, showlegend: lines > 0, title: {text: title}, margin: {...plot.layout.margin, t: 50}};
  layout.height += 22 * lines + 40;
  return {data: plot.data, layout: layout, height: layout.height};
}
function cyclotomeTake(button, name) {
  const plot = cyclotomePlot(button), title = button.closest('figure').querySelector('figcaption').innerHTML;
  const figure = cyclotomeFigure(plot, title);
  return Plotly.downloadImage(figure, {format: 'svg', filename: name, width: 960, height: figure.height});
}
"""


def library() -> str:
    """The script that draws: all that a page needs. Raises MissingPackageError without Plotly."""
    text: str = _plotly().offline.get_plotlyjs()
    return text


def packed_library() -> str:
    """The same, compressed, in letters: a third of its size. Raises MissingPackageError without Plotly."""
    return base64.b64encode(gzip.compress(library().encode(), mtime=0)).decode()


def _plotly() -> Any:
    """Imported when a page is made, as it takes time."""
    try:
        import plotly.graph_objects
        import plotly.offline
    except ImportError:
        raise MissingPackageError("pages need Plotly, which draws their plots: pip install plotly") from None
    return plotly


def _text(text: str) -> str:
    """Plotly takes some tags in labels for markup; names in records are not."""
    return html.escape(text, quote=False)


def _layout(height: int) -> dict[str, Any]:
    """What all plots have. Title and legend are HTML, above the plot, which a narrow window breaks into lines; Plotly's
    own legend is for a plot that is taken away."""
    return {
        "height": height,
        "margin": {"l": 10, "r": 36, "t": 10, "b": 10},
        "legend": {"orientation": "h", "yref": "container", "y": 0, "yanchor": "bottom", "x": 0},
        "showlegend": False,
        "paper_bgcolor": "white",
        "plot_bgcolor": "white",
        "font": {"color": "#222"},
        "colorway": list(COLOURS),
        "template": "none",
    }


def _axis(name: str, **more: Any) -> dict[str, Any]:
    return {"title": {"text": _text(name)}, "automargin": True, "gridcolor": "#e4e4e4", "zeroline": False, **more}


def _lines(plot: Lines) -> dict[str, Any]:
    data = [
        {
            "type": "scatter",
            "mode": "lines+markers",
            "name": _text(name),
            "x": [x for x, _ in sorted(points)],
            "y": [y for _, y in sorted(points)],
            "marker": {"symbol": _MARKERS[i // len(COLOURS) % len(_MARKERS)]},
        }
        for i, (name, points) in enumerate(plot.series.items())
    ]
    ticks = _ticks(sorted({x for points in plot.series.values() for x, _ in points}))
    heights = [y for points in plot.series.values() for _, y in points]
    across = _axis(plot.x_name, type="log", tickvals=ticks, ticktext=[_label(x) for x in ticks])
    layout = _layout(_HEIGHT)
    return {"data": data, "layout": {**layout, "xaxis": across, "yaxis": _axis(plot.y_name, **_logarithmic(heights))}}


def _ticks(values: Sequence[float]) -> list[float]:
    """Those of the values, rising, that stand far enough from the one before on a logarithmic axis."""
    least = (values[-1] / values[0]) ** (1 / _MOST_TICKS)
    ticks = [values[0]]
    for value in values[1:]:
        if value >= ticks[-1] * least:
            ticks.append(value)
    return ticks


def _logarithmic(values: Sequence[float]) -> dict[str, Any]:
    """An axis with labels at powers of ten, or at 2 and 5 too where that would be few."""
    return {"type": "log", "dtick": "D2" if max(values) < 100 * min(values) else 1}


def _label(x: float) -> str:
    """Powers of two from 1024 on as such."""
    whole = int(x)
    if whole == x and whole >= 1024 and whole & (whole - 1) == 0:
        return f"2<sup>{whole.bit_length() - 1}</sup>"
    return f"{x:g}"


def _bars(plot: Bars) -> dict[str, Any]:
    labels = [_broken(label) for label, _ in plot.rows]
    data = [
        {
            "type": "bar",
            "orientation": "h",
            "name": _text(name),
            "y": labels,
            "x": [values[i] for _, values in plot.rows],
            "text": [_short(values[i]) for _, values in plot.rows],
            "textposition": "outside",
            "textangle": 0,
            "textfont": {"size": 10},
            "cliponaxis": False,
        }
        for i, name in enumerate(plot.series)
    ]
    lines = max(label.count("<br>") + 1 for label in labels)
    group = max(_BAR * len(plot.series), _BAR * (lines - 1)) + 18
    layout = _layout(80 + group * len(plot.rows))
    down = _axis("", autorange="reversed", type="category")
    lengths = [value for _, values in plot.rows for value in values if value is not None]
    along = _axis(plot.name, **(_logarithmic(lengths) if plot.logarithmic else {"rangemode": "tozero"}))
    shapes = [] if plot.reference is None else [_across(plot.reference)]
    return {"data": data, "layout": {**layout, "bargap": 0.3, "xaxis": along, "yaxis": down, "shapes": shapes}}


def _across(x: float) -> dict[str, Any]:
    line = {"dash": "dot", "width": 1, "color": "#000"}
    return {"type": "line", "yref": "paper", "y0": 0, "y1": 1, "x0": x, "x1": x, "line": line}


def _short(value: float | None) -> str:
    return "" if value is None else f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def _broken(label: str) -> str:
    """On two lines if it is long, as a telephone is narrow."""
    words, lines = label.split(" "), [""]
    for word in words:
        if lines[-1] and len(lines[-1]) + len(word) > 24:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return "<br>".join(_text(line) for line in lines)
