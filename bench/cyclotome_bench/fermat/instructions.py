# SPDX-License-Identifier: Apache-2.0
"""FastBConv to {t, gamma} so many times, and nothing else: for a tool that counts instructions.

    valgrind --tool=callgrind python -m cyclotome_bench.fermat.instructions reduction 14 20

The same with 0 runs is what to take off.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from cyclotome import _core
from cyclotome.devices.contexts import engine_on

from cyclotome_bench.fermat.plans import Cell
from cyclotome_bench.fermat.records import uniform

__all__ = ["COEFFICIENTS", "convert"]

#: Of the polynomial, few, so that counting takes seconds.
COEFFICIENTS = 64


def convert(version: str, x: int, runs: int) -> int:
    """Converts one polynomial from q = 2^(2^x) - 1 `runs` times; how many coefficients that were in all."""
    conversion = _core.FermatConversion(x, version, [1024, 2**31 - 1], COEFFICIENTS, engine_on("cpu:1"))
    conversion.load(uniform(Cell((), COEFFICIENTS, x), conversion.words, 1))
    for _ in range(runs):
        conversion.run()
    return runs * COEFFICIENTS


def main(arguments: Sequence[str]) -> None:
    """Version, x, and number of runs."""
    version, x, runs = arguments
    print(f"{convert(version, int(x), int(runs))} coefficients")


if __name__ == "__main__":
    main(sys.argv[1:])
