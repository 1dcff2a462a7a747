# SPDX-License-Identifier: Apache-2.0
"""From blocks to Verilog: one module for each distinct block, instantiated wherever it is placed."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from amaranth.back import rtlil
from amaranth.hdl import ClockDomain, Fragment
from cyclotome.errors import EngineError

from ..blocks.block import Block, Definitions


def to_rtlil(top: Block, without: tuple[type[Block], ...] = ()) -> tuple[dict[str, str], Definitions]:
    """The RTLIL of a block and of each block placed in it, by name, and what was placed where.

    Blocks of the classes ``without`` are defined, and their text, which takes most of the time, is left empty.
    """
    definitions = Definitions()
    definitions.define(top)
    texts: dict[str, str] = {}
    while pending := [name for name in definitions.blocks if name not in texts]:
        for name in pending:
            block = definitions.blocks[name].duplicate()
            fragment = Fragment.get(block, definitions.within(name))
            if isinstance(block, without):
                texts[name] = ""
                continue
            clock = ClockDomain("sync", reset_less=True)
            clock.clk.name = "clk"
            fragment.add_domains(clock)
            ports = [clock.clk, *block.port.values()]
            # Inner modules that Amaranth makes of memories get the block's name in front; only one module is the top.
            text = rtlil.convert(fragment, name=name, ports=ports, emit_src=False)
            texts[name] = text.replace("attribute \\top 1\n", "")
    return texts, definitions


def to_verilog(top: Block) -> str:
    """The Verilog of a block and of all blocks placed in it. Its clock is the port ``clk``; there is no reset."""
    texts, _ = to_rtlil(top)
    with TemporaryDirectory(prefix="cyclotome-") as folder:
        source, target = Path(folder, "circuit.il"), Path(folder, "circuit.v")
        source.write_text("\n".join(texts.values()))
        run_yosys(
            [
                f"read_rtlil {source}",
                f"hierarchy -check -top {top.name}",
                "proc -noopt",
                # Sums no wider than what is read of them: 64 bits are faster to simulate than 65. Registers stay as
                # they are: one that is shortened keeps initial values of bits it has lost, and opt_clean stops there.
                "wreduce t:$dff %n",
                "opt_clean",
                # Names that begin with $ are Yosys' and Amaranth's own. Verilog allows them in backslashes; but Icarus
                # takes functions of such names, which choices among many words become, for the system's.
                "rename -hide w:$*",
                f"write_verilog -noattr {target}",
            ]
        )
        return target.read_text()


def run_yosys(commands: list[str]) -> str:
    """Runs commands of Yosys, in a process of its own since Yosys ends the one it fails in; returns what it printed.

    Raises `EngineError` where there is no Yosys, and with its last lines where a command fails.
    """
    if find_spec("pyosys") is None:
        raise EngineError("writing and synthesising circuits needs pyosys, which is not installed: pip install pyosys")
    program = "import sys\nfrom pyosys import libyosys\ndesign = libyosys.Design()\n"
    program += "for line in sys.stdin.read().splitlines():\n    libyosys.run_pass(line, design)\n"
    done = subprocess.run(
        [sys.executable, "-c", program], input="\n".join(commands), capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        last = "\n".join((done.stdout + done.stderr).strip().splitlines()[-5:])
        raise EngineError(f"yosys failed (code {done.returncode}):\n{last}")
    return done.stdout
