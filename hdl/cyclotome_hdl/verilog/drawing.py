# SPDX-License-Identifier: Apache-2.0
"""Drawings (SVG) of what circuits compute, from the descriptions that make them.

A kernel is drawn operation by operation, each in the column of its tick; a whole design as its blocks and the words
that flow between them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from html import escape

from ..blocks.block import Block
from ..kernels.flow import Kernel, Stream
from .netlist import flows

BOX_WIDTH, BOX_HEIGHT = 96, 24
COLUMN_WIDTH, ROW_HEIGHT, MARGIN = 150, 40, 30
COLOURS = {"×": "#cfe3ff", "+": "#d8f0d2", "−": "#d8f0d2", "port": "#eeeeee", "block": "#ffe2bf"}

#: More boxes of one block than this in one column are drawn as one.
STACK = 4


@dataclass
class Box:
    """A box of a drawing: what it says, what the tooltip says, its column and how many columns it spans."""

    label: str
    tooltip: str
    kind: str
    column: int
    span: int = 0
    row: float = 0.0


@dataclass
class Graph:
    """Boxes by name, and arrows between them with what they carry."""

    title: str
    boxes: dict[str, Box] = field(default_factory=dict)
    arrows: dict[tuple[str, str], str] = field(default_factory=dict)

    def arrange(self) -> None:
        """Gives every box a row: near the mean of the rows of what it comes from, column by column."""
        sources: dict[str, list[str]] = {name: [] for name in self.boxes}
        for start, end in self.arrows:
            sources[end].append(start)
        taken: dict[int, set[int]] = {}
        for name in sorted(self.boxes, key=lambda each: self.boxes[each].column):
            box = self.boxes[name]
            known = [self.boxes[each].row for each in sources[name] if self.boxes[each].column < box.column]
            wanted = round(sum(known) / len(known)) if known else 0
            columns = range(box.column, box.column + box.span + 1)
            row = next(each for each in _outwards(wanted) if not any(each in taken.get(c, ()) for c in columns))
            for column in columns:
                taken.setdefault(column, set()).add(row)
            box.row = row

    def svg(self) -> str:
        """The drawing."""
        width = 2 * MARGIN + BOX_WIDTH + COLUMN_WIDTH * max(box.column + box.span for box in self.boxes.values())
        height = 3 * MARGIN + BOX_HEIGHT + ROW_HEIGHT * max(box.row for box in self.boxes.values())
        lines = [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height:g}" '
            f'viewBox="0 0 {width} {height:g}" font-family="sans-serif" font-size="11">',
            f"<title>{escape(self.title)}</title>",
            '<rect width="100%" height="100%" fill="white"/>',
            f'<text x="{MARGIN}" y="{MARGIN - 10}" font-size="14">{escape(self.title)}</text>',
        ]
        lines += [self._arrow(start, end, carried) for (start, end), carried in self.arrows.items()]
        lines += [_box(box) for box in self.boxes.values()]
        return "\n".join([*lines, "</svg>", ""])

    def _arrow(self, start: str, end: str, carried: str) -> str:
        (x0, y0), (x1, y1) = _right(self.boxes[start]), _left(self.boxes[end])
        bend = max(40.0, abs(x1 - x0) / 3)
        path = f"M{x0:g},{y0:g} C{x0 + bend:g},{y0:g} {x1 - bend:g},{y1:g} {x1:g},{y1:g}"
        colour = "#888888" if x1 > x0 else "#cc7766"
        return f'<path d="{path}" fill="none" stroke="{colour}"><title>{escape(carried)}</title></path>'


def draw_kernel(kernel: Kernel) -> str:
    """The operations of a kernel, a column for each tick; wiring that takes no tick is left out."""
    graph = Graph(f"{kernel.name}: {kernel.latency} ticks")
    boxes: dict[int, frozenset[str]] = {}
    for number, stream in enumerate(kernel.live()):
        sources = frozenset[str]().union(*(boxes[id(operand)] for operand in stream.operands))
        name = f"s{number}"
        box = _stream_box(stream)
        if box is None:
            boxes[id(stream)] = sources
            continue
        graph.boxes[name] = box
        graph.arrows |= {(source, name): _range(stream) for source in sources}
        boxes[id(stream)] = frozenset({name})
    for port, stream in kernel.results.items():
        graph.boxes[port] = Box(port, f"output in [{stream.low}, {stream.high}]", "port", kernel.latency + 1)
        graph.arrows |= {(source, port): _range(stream) for source in boxes[id(stream)]}
    graph.arrange()
    return graph.svg()


def draw_blocks(top: Block) -> str:
    """The blocks that a design places and the words that flow between them, from its netlist (needs pyosys).

    Columns are steps from the inputs. What flows back to an earlier column is drawn in red; many boxes of one block in
    one column are drawn as one.
    """
    names, found = flows(top)
    columns = _distances([name for name, block in names.items() if block == "input"], found)
    labels = {name: _stack(name, block, columns, names) for name, block in names.items()}
    count = Counter(labels.values())
    graph = Graph(top.name)
    for name, block in names.items():
        if labels[name] not in graph.boxes:
            kind = "port" if block in ("input", "output") else "block"
            shown = name if kind == "port" or count[labels[name]] == 1 else f"{count[labels[name]]} × {block}"
            graph.boxes[labels[name]] = Box(shown, block, kind, columns.get(name, 0))
    for (start, end), width in found.items():
        if labels[start] != labels[end]:
            graph.arrows[labels[start], labels[end]] = f"{width} bits"
    graph.arrange()
    return graph.svg()


def _stack(name: str, block: str, columns: dict[str, int], names: dict[str, str]) -> str:
    column = columns.get(name)
    same = [other for other, its in names.items() if its == block and columns.get(other) == column]
    return f"{block} in column {column}" if block not in ("input", "output") and len(same) > STACK else name


def _distances(starts: Iterable[str], arrows: dict[tuple[str, str], int]) -> dict[str, int]:
    """How many arrows each box is away from the starts."""
    found = dict.fromkeys(starts, 0)
    front = list(found)
    while front:
        ends = [end for start, end in arrows if start in front and end not in found]
        step = max(found.values()) + 1
        found |= dict.fromkeys(ends, step)
        front = list(dict.fromkeys(ends))
    return found


def _stream_box(stream: Stream) -> Box | None:
    """A box for what takes ticks, and for ports; None for wiring and constants."""
    column = stream.latency or 0
    if stream.placed is not None:
        block, label, output = stream.placed
        ticks = getattr(block, "latency", 0)
        return None if output else Box(label, f"{block.name}, {ticks} ticks", "block", column + 1, max(0, ticks - 1))
    if not stream.operands:
        return None if stream.rule is not None else Box(stream.label, _range(stream), "port", column)
    if stream.offset:
        return Box(stream.label, _range(stream), "port", column + 1)
    return Box(f"{stream.label} {stream.width}", _range(stream), stream.label, column) if stream.ticks else None


def _range(stream: Stream) -> str:
    return f"{stream.label}: {stream.width} bits, [{stream.low}, {stream.high}]"


def _outwards(start: int) -> Iterable[int]:
    """start, start + 1, start - 1, … without negative numbers."""
    distance = 0
    while True:
        yield start + distance
        if 0 < distance <= start:
            yield start - distance
        distance += 1


def _corner(box: Box) -> tuple[float, float]:
    return MARGIN + COLUMN_WIDTH * box.column, 1.5 * MARGIN + ROW_HEIGHT * box.row


def _left(box: Box) -> tuple[float, float]:
    x, y = _corner(box)
    return x, y + BOX_HEIGHT / 2


def _right(box: Box) -> tuple[float, float]:
    x, y = _left(box)
    return x + BOX_WIDTH + COLUMN_WIDTH * box.span, y


def _box(box: Box) -> str:
    x, y = _corner(box)
    width = BOX_WIDTH + COLUMN_WIDTH * box.span
    fill = COLOURS.get(box.kind, "#f6f0d0")
    label = box.label if len(box.label) <= 16 or box.span else box.label[:15] + "…"
    return (
        f'<g><title>{escape(box.tooltip)}</title><rect x="{x:g}" y="{y:g}" width="{width}" height="{BOX_HEIGHT}" '
        f'rx="4" fill="{fill}" stroke="#555555"/><text x="{x + width / 2:g}" y="{y + BOX_HEIGHT / 2 + 4:g}" '
        f'text-anchor="middle">{escape(label)}</text></g>'
    )
