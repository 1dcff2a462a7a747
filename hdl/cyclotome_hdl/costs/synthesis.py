# SPDX-License-Identifier: Apache-2.0
"""What circuits cost: cells of each block by open synthesis, times how often it occurs, and memory by arithmetic.

Yosys maps every block by itself to an Intel part with adaptive logic modules (Cyclone V: the nearest open target to
the Stratix V of 004). Memories are not synthesised; `m20k_blocks` counts them in the blocks that a Stratix V has.
Everything here is an estimate for comparison: no vendor's tool has seen it.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, MutableMapping
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ..blocks.bank import Bank
from ..blocks.block import Block
from ..verilog.emit import run_yosys, to_rtlil

#: (words, bits) of an M20K block in its configurations.
M20K = ((512, 40), (1024, 20), (2048, 10), (4096, 5), (8192, 2), (16384, 1))

#: (words, bits) of an MLAB, a memory made of logic cells.
MLAB = ((32, 20), (64, 10))

#: Memories of at most this many words, or bits, are made of MLABs.
SMALL_WORDS, SMALL_BITS = 64, 640


@dataclass(frozen=True)
class Resources:
    """Cells of a circuit. ``latency`` is not among them: blocks know it themselves."""

    luts: int = 0
    registers: int = 0
    multipliers_27: int = 0
    multipliers_18: int = 0
    multipliers_9: int = 0
    m20k: int = 0
    mlab: int = 0

    @property
    def dsp(self) -> float:
        """Blocks for multiplication: one holds one 27 x 27, two 18 x 18 or three 9 x 9."""
        return self.multipliers_27 + self.multipliers_18 / 2 + self.multipliers_9 / 3

    def __add__(self, other: Resources) -> Resources:
        mine, theirs = asdict(self), asdict(other)
        return Resources(**{name: mine[name] + theirs[name] for name in mine})

    def __mul__(self, count: int) -> Resources:
        return Resources(**{name: value * count for name, value in asdict(self).items()})


@dataclass(frozen=True)
class Leaf:
    """A block as synthesised by itself, without the blocks in it. ``source`` is a hash of its text."""

    source: str
    tool: str
    resources: Resources

    def as_dict(self) -> dict[str, Any]:
        return {"source": self.source, "tool": self.tool, **asdict(self.resources)}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Leaf:
        values = dict(data)
        return cls(values.pop("source"), values.pop("tool"), Resources(**values))


def m20k_blocks(words: int, width: int) -> int:
    """The M20K blocks of a memory with one port to write and one to read, all in one configuration."""
    return min(-(-words // deep) * -(-width // wide) for deep, wide in M20K)


def memory_resources(words: int, width: int) -> Resources:
    """What a memory takes: M20K blocks, or MLABs if it is small."""
    if words <= SMALL_WORDS or words * width <= SMALL_BITS:
        return Resources(mlab=min(-(-words // deep) * -(-width // wide) for deep, wide in MLAB))
    return Resources(m20k=m20k_blocks(words, width))


def tool_name() -> str:
    """Which synthesis it is."""
    return f"Yosys {version('pyosys')}"


def synthesise(top: Block, known: MutableMapping[str, Leaf], progress: Callable[[str], None] | None = None) -> None:
    """Synthesises every block in ``top`` by itself, but memories and those that ``known`` has from the same text.

    Adds them to ``known`` by name. ``progress`` is told what is synthesised next. Raises EngineError without pyosys.
    """
    texts, definitions = to_rtlil(top)
    for name, block in definitions.blocks.items():
        if isinstance(block, Bank):
            continue
        source = hashlib.sha256(texts[name].encode()).hexdigest()[:16]
        old = known.get(name)
        if old is not None and (old.source, old.tool) == (source, tool_name()):
            continue
        if progress is not None:
            progress(name)
        known[name] = Leaf(source, tool_name(), _synthesised(name, texts))


def estimate(top: Block, known: MutableMapping[str, Leaf]) -> Resources:
    """The cells of a whole circuit whose leaves are ``known``."""
    _, definitions = to_rtlil(top, without=(Block,))
    total = Resources()
    for name, count in definitions.instances(top.name).items():
        block = definitions.blocks[name]
        one = memory_resources(block.words, block.width) if isinstance(block, Bank) else known[name].resources
        total = total + one * count
    return total


def flat(top: Block) -> Resources:
    """The cells of a whole circuit, synthesised in one piece: a check of `estimate` for small circuits.

    Its memories are mapped too, to blocks of 10 kbit, which ``m20k`` then counts.
    """
    texts, _ = to_rtlil(top)
    return _cells(top.name, texts, [])


def _synthesised(name: str, texts: dict[str, str]) -> Resources:
    """One block, the blocks in it left as boxes."""
    inner = [other for other in texts if other != name and f"cell \\{other} " in texts[name]]
    return _cells(name, {each: texts[each] for each in (name, *inner)}, inner)


def _cells(name: str, texts: dict[str, str], boxes: list[str]) -> Resources:
    with TemporaryDirectory(prefix="cyclotome-") as folder:
        source, target = Path(folder, "circuit.il"), Path(folder, "cells.json")
        source.write_text("\n".join(texts.values()))
        run_yosys(
            [
                f"read_rtlil {source}",
                *(f"blackbox {box}" for box in boxes),
                f"synth_intel_alm -family cyclonev -noiopad -noclkbuf -top {name}",
                f"tee -q -o {target} stat -json",
            ]
        )
        report = json.loads(target.read_text())
    cells: dict[str, int] = report["modules"][f"\\{name}"]["num_cells_by_type"]
    return Resources(
        luts=sum(count for cell, count in cells.items() if re.fullmatch(r"MISTRAL_(ALUT\d|ALUT_ARITH|NOT)", cell)),
        registers=cells.get("MISTRAL_FF", 0),
        multipliers_27=cells.get("MISTRAL_MUL27X27", 0),
        multipliers_18=cells.get("MISTRAL_MUL18X18", 0),
        multipliers_9=cells.get("MISTRAL_MUL9X9", 0),
        m20k=cells.get("MISTRAL_M10K", 0),
        mlab=cells.get("MISTRAL_MLAB", 0),
    )
