# SPDX-License-Identifier: Apache-2.0
"""Plots as SVG text that stands in a page by itself: bars of ratios, and lines over two logarithmic axes."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping, Sequence

__all__ = ["bars", "lines"]

#: Colours that differ for colour-blind readers too (Okabe and Ito).
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#999933")

_WIDTH = 860


def _text(x: float, y: float, text: str, anchor: str = "start", extra: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" {extra}>{html.escape(text)}</text>'


def _svg(height: float, title: str, parts: Sequence[str]) -> str:
    body = "\n".join(parts)
    return (
        f'<svg viewBox="0 0 {_WIDTH} {height:.0f}" role="img" aria-label="{html.escape(title, quote=True)}" '
        f'xmlns="http://www.w3.org/2000/svg" font-size="12">\n{body}\n</svg>'
    )


def _legend(names: Sequence[str], y: float) -> list[str]:
    parts, x = [], 10.0
    for i, name in enumerate(names):
        width = 24 + 7 * len(name)
        if x + width > _WIDTH:
            x, y = 10.0, y + 18
        parts.append(f'<rect x="{x:.0f}" y="{y - 10:.0f}" width="12" height="12" fill="{COLOURS[i % len(COLOURS)]}"/>')
        parts.append(_text(x + 17, y, name))
        x += width
    return parts


def bars(title: str, series: Sequence[str], rows: Sequence[tuple[str, Sequence[float | None]]]) -> str:
    """Horizontal bars of ratios, one group of `series` a row, with a line at 1; None leaves a bar out.

    Args:
        title: what is plotted; for screen readers too.
        series: names of the bars in a group.
        rows: (label, one ratio for each series).
    """
    left, thick, gap = 250, 12, 8
    largest = max((v for _, values in rows for v in values if v is not None), default=1.0)
    step = next(s for s in (0.5, 1, 2, 5, 10, 20, 50, 100, 1e3, 1e4, 1e6) if largest / s <= 12 or s == 1e6)
    end = max(1.0, math.ceil(largest / step) * step)
    scale = (_WIDTH - left - 60) / end
    group = thick * len(series) + gap
    bottom = 50 + group * len(rows)
    parts = [_text(10, 16, title, extra='font-weight="bold"'), *_legend(series, 36)]
    for i in range(round(end / step) + 1):
        x = left + i * step * scale
        parts.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="46" y2="{bottom}" stroke="#ddd"/>')
        parts.append(_text(x, bottom + 14, f"{i * step:g}×", "middle"))
    for k, (label, values) in enumerate(rows):
        y = 50 + k * group
        parts.append(_text(left - 8, y + group / 2, label, "end"))
        for i, value in enumerate(values):
            if value is None:
                continue
            top = y + i * thick
            parts.append(
                f'<rect x="{left}" y="{top}" width="{value * scale:.1f}" height="{thick - 2}" '
                f'fill="{COLOURS[i % len(COLOURS)]}"/>'
            )
            parts.append(_text(left + value * scale + 4, top + thick - 3, f"{value:.1f}×", extra='font-size="10"'))
    one = left + scale
    parts.append(f'<line x1="{one:.1f}" x2="{one:.1f}" y1="46" y2="{bottom}" stroke="#000" stroke-dasharray="3 3"/>')
    return _svg(bottom + 24, title, parts)


def lines(title: str, x_name: str, y_name: str, series: Mapping[str, Sequence[tuple[float, float]]]) -> str:
    """Lines through points (x, y), both axes logarithmic: x in powers of 2, y in powers of 10.

    Args:
        title: what is plotted.
        x_name, y_name: what the axes are, with units.
        series: points by name; all coordinates positive.
    """
    points = [point for line in series.values() for point in line]
    if not points:
        return ""
    low_x, high_x = (f(math.log2(x) for x, _ in points) for f in (min, max))
    low_y, high_y = math.floor(min(math.log10(y) for _, y in points)), math.ceil(max(math.log10(y) for _, y in points))
    left, right, top, bottom = 70, _WIDTH - 20, 70 + 18 * (len(series) // 5), 460

    def place(x: float, y: float) -> tuple[float, float]:
        across = (math.log2(x) - low_x) / max(high_x - low_x, 1e-9)
        up = (math.log10(y) - low_y) / max(high_y - low_y, 1)
        return left + across * (right - left), bottom - up * (bottom - top)

    parts = [_text(10, 16, title, extra='font-weight="bold"'), *_legend(list(series), 36)]
    for exponent in range(low_y, high_y + 1):
        _, y = place(2**low_x, 10.0**exponent)
        parts.append(f'<line x1="{left}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>')
        parts.append(_text(left - 6, y + 4, f"{10.0**exponent:g}", "end"))
    for exponent in range(math.ceil(low_x), math.floor(high_x) + 1):
        x, _ = place(2.0**exponent, 10.0**low_y)
        parts.append(_text(x, bottom + 16, f"2^{exponent}", "middle"))
    for i, line in enumerate(series.values()):
        colour = COLOURS[i % len(COLOURS)]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in (place(*point) for point in sorted(line)))
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in (place(*point) for point in line)
        ]
    parts.append(_text((left + right) / 2, bottom + 34, x_name, "middle"))
    parts.append(_text(16, top - 12, y_name))
    return _svg(bottom + 44, title, parts)
