# SPDX-License-Identifier: Apache-2.0
"""Which blocks of a design send words to which, read off the netlist that Yosys makes of it."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ..blocks.block import Block
from .emit import run_yosys, to_rtlil

#: Flows of fewer bits are control, not words.
WORD = 8

#: Ports of cells through which no word goes on: what chooses, enables or clocks.
CONTROL = frozenset({"S", "EN", "CLK", "ARST", "SRST"})


def flows(top: Block) -> tuple[dict[str, str], dict[tuple[str, str], int]]:
    """The boxes of a design and the words between them.

    Boxes are the blocks it places, by label, and its ports: name -> name of the block, "input" or "output". Flows are
    (from, to) -> bits, through any wires, registers and multiplexers; those of fewer than `WORD` bits are left out.
    """
    module = _netlist(top)
    boxes: dict[str, str] = {}
    starts: dict[str, list[int]] = {}
    ends: dict[int, list[str]] = defaultdict(list)
    through: dict[int, list[int]] = defaultdict(list)
    for name, port in module["ports"].items():
        if len(port["bits"]) >= WORD:
            boxes[name] = str(port["direction"])
            if port["direction"] == "input":
                starts[name] = _wires(port["bits"])
            else:
                _add(ends, port["bits"], name)
    for label, cell in module["cells"].items():
        directions, wires = cell["port_directions"], cell["connections"]
        placed = not cell["type"].startswith("$")
        if placed:
            boxes[label] = cell["type"]
            starts[label] = [
                bit for port, bits in wires.items() if directions[port] == "output" for bit in _wires(bits)
            ]
        for port, bits in wires.items():
            if directions[port] == "input" and placed:
                _add(ends, bits, label)
            elif directions[port] == "input" and port not in CONTROL:
                outputs = [
                    bit for other, bits in wires.items() if directions[other] == "output" for bit in _wires(bits)
                ]
                _connect(through, _wires(bits), outputs, cell["type"])
    found = {
        (start, end): bits
        for start, wires in starts.items()
        for end, bits in _reached(wires, ends, through).items()
        if bits >= WORD
    }
    return boxes, found


def _netlist(top: Block) -> dict[str, Any]:
    texts, _ = to_rtlil(top)
    with TemporaryDirectory(prefix="cyclotome-") as folder:
        source, target = Path(folder, "circuit.il"), Path(folder, "circuit.json")
        source.write_text("\n".join(texts.values()))
        boxes = [f"blackbox {name}" for name in texts if name != top.name]
        commands = [f"hierarchy -check -top {top.name}", "proc -noopt", "opt_clean", f"write_json {target}"]
        run_yosys([f"read_rtlil {source}", *boxes, *commands])
        module: dict[str, Any] = json.loads(target.read_text())["modules"][top.name]
    return module


def _wires(bits: list[int | str]) -> list[int]:
    """The bits that are wires, not constants."""
    return [bit for bit in bits if isinstance(bit, int)]


def _add(ends: dict[int, list[str]], bits: list[int | str], name: str) -> None:
    for bit in _wires(bits):
        ends[bit].append(name)


def _connect(through: dict[int, list[int]], sources: list[int], outputs: list[int], kind: str) -> None:
    """Registers and multiplexers pass each bit on to its place; other cells to all of their outputs."""
    straight = kind.startswith(("$dff", "$mux", "$pmux", "$sdff", "$adff"))
    for place, bit in enumerate(sources):
        through[bit] += [outputs[place % len(outputs)]] if straight and outputs else outputs


def _reached(wires: list[int], ends: dict[int, list[str]], through: dict[int, list[int]]) -> dict[str, int]:
    """How many bits of each box the wires lead to."""
    seen, front = set(wires), list(wires)
    while front:
        bit = front.pop()
        fresh = [each for each in through.get(bit, ()) if each not in seen]
        seen.update(fresh)
        front += fresh
    counts: dict[str, int] = defaultdict(int)
    for bit in seen:
        for name in ends.get(bit, ()):
            counts[name] += 1
    return counts
