# SPDX-License-Identifier: Apache-2.0
"""Drawings show every operation and every block that the circuit has."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections import Counter

import kernels  # noqa: F401  (skips without amaranth)
import pytest
from cyclotome_hdl.designs.design import Design, build
from cyclotome_hdl.kernels.butterfly import Butterfly
from cyclotome_hdl.kernels.reduction import MontgomeryMultiplier, constant_multiplier
from cyclotome_hdl.verilog.drawing import draw_blocks, draw_kernel
from cyclotome_hdl.verilog.netlist import flows

SVG = "{http://www.w3.org/2000/svg}"


def labels(svg: str) -> Counter[str]:
    """The texts of a drawing's boxes."""
    root = ElementTree.fromstring(svg)
    return Counter(text.text or "" for text in root.iter(f"{SVG}text"))


def test_a_kernel_is_drawn_operation_by_operation() -> None:
    kernel = constant_multiplier("fold-shift-add", 0x40000000039F0001)
    found = labels(draw_kernel(kernel))
    assert sum(count for text, count in found.items() if text.startswith("×")) == 16
    assert {"a", "b", "y", f"{kernel.name}: {kernel.latency} ticks"} <= set(found)
    operations = [stream for stream in kernel.live() if stream.ticks]
    assert sum(found.values()) == len(operations) + 4


def test_a_placed_block_is_one_box() -> None:
    found = labels(draw_kernel(Butterfly(MontgomeryMultiplier(63, 16), 63)))
    assert {"u", "v", "w", "inverse", "modulus", "x", "y", "multiplier"} <= set(found)
    assert not any(text.startswith("×") for text in found)


def test_boxes_do_not_cover_each_other() -> None:
    root = ElementTree.fromstring(draw_kernel(Butterfly(MontgomeryMultiplier(63, 16), 63)))
    boxes = [
        tuple(float(box.get(name, "")) for name in ("x", "y", "width"))
        for box in root.iter(f"{SVG}rect")
        if box.get("x")
    ]
    assert len(boxes) > 15
    for i, (x, y, width) in enumerate(boxes):
        for other_x, other_y, other_width in boxes[:i]:
            assert y != other_y or x + width <= other_x or other_x + other_width <= x


@pytest.mark.slow
def test_a_design_is_drawn_by_its_blocks() -> None:
    pytest.importorskip("pyosys", reason="pyosys, which reads netlists, is not installed")
    circuit = build(Design("iterative", 64))
    boxes, found = flows(circuit)
    kinds = Counter(boxes.values())
    assert kinds["input"] and kinds["output"] == 1
    (butterfly,) = (kind for kind in kinds if kind.startswith("butterfly"))
    assert kinds[butterfly] == 2  # two for each pipe
    # What comes in reaches memory, memory feeds butterflies, and butterflies what goes out.
    reached = {"input"}
    while wider := {end for start, end in found if start in reached} - reached:
        reached |= wider
    assert "output" in reached and {name for name, kind in boxes.items() if kind == butterfly} <= reached
    assert any(text.startswith("butterfly") for text in labels(draw_blocks(circuit)))
