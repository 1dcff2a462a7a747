# SPDX-License-Identifier: Apache-2.0
"""Cycles that a model of an ARM processor needs for a turn of each innermost loop: an estimate, where there is no such
processor. It takes every load for a hit in the first-level cache.

Usage: ``python tools/estimate_arm.py [--mca llvm-mca-19] [--objdump aarch64-linux-gnu-objdump] [--cpu neoverse-n1 ...]
[--functions REGEX] FILE.o ...`` (Debian: llvm-19, binutils-aarch64-linux-gnu). Prints a line for each loop of at least
ten instructions: instructions, cycles for each processor, and the function.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections.abc import Iterator

from machine_code import Function
from machine_code_aarch64 import BRANCHES, functions_of

TURNS = 100
SHORTEST = 10


def innermost_loops(function: Function) -> Iterator[list[str]]:
    """The texts of what lies between a conditional branch and its target before it, if nothing else branches there."""
    for end, instruction in enumerate(function.code):
        target = instruction.target
        if target is None or not BRANCHES.match(instruction.name) or target > instruction.address:
            continue
        body = [each for each in function.code[: end + 1] if each.address >= target]
        if not any(BRANCHES.match(each.name) for each in body[:-1]) and len(body) >= SHORTEST:
            yield [each.text for each in body]


def cycles(mca: str, cpu: str, body: list[str]) -> float:
    """Of one turn among many, the branch left out."""
    code = "\n".join(re.sub(r"<.*", "", text) for text in body[:-1])
    command = [mca, "-mtriple=aarch64", f"-mcpu={cpu}", f"-iterations={TURNS}"]
    said = subprocess.run(command, input=code, check=True, capture_output=True, text=True).stdout
    found = re.search(r"Total Cycles:\s+(\d+)", said)
    assert found is not None, said
    return int(found[1]) / TURNS


def main(arguments: list[str]) -> int:
    """Print the table; return the exit status."""
    parser = argparse.ArgumentParser(description="Estimate the cycles of innermost loops on ARM processors.")
    parser.add_argument("--mca", default="llvm-mca-19")
    parser.add_argument("--objdump", default="aarch64-linux-gnu-objdump")
    parser.add_argument("--cpu", action="append")
    parser.add_argument("--functions", default="_transform|Forward|Inverse")
    parser.add_argument("files", nargs="+")
    options = parser.parse_args(arguments)
    processors = options.cpu or ["neoverse-n1", "neoverse-v1"]
    print("instructions", *processors, "function", sep="\t")
    for file in options.files:
        command = [options.objdump, "-d", "-C", "--no-show-raw-insn", file]
        listing = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        for function in functions_of(listing):
            if not re.search(options.functions, function.name):
                continue
            for body in innermost_loops(function):
                times = (f"{cycles(options.mca, cpu, body):.1f}" for cpu in processors)
                print(len(body), *times, function.name.replace("cyclotome::cpu::", ""), sep="\t")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
