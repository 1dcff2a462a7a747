# SPDX-License-Identifier: Apache-2.0
"""Refuse machine code of x86-64 or 64-bit ARM whose branches or addresses depend on data.

Valgrind, which finds such branches in running programs, does not know AVX-512. So the object files of the kernels for
these instructions are disassembled, and every function is followed along all its ways: which registers, flags and stack
slots may hold something that was computed from data? Data is what a load brings that moves through an array, by an
index or by a pointer that the function itself moves on; what lies at a fixed place behind a pointer is a field of a
structure (degrees, moduli, pointers), and public as the arguments are. Refused are

- conditional jumps, calls and returns' targets that depend on data, also by way of vector and mask registers;
- addresses that depend on data: look-ups, gathers, scatters;
- divisions and square roots, and compressing or expanding moves, whose time depends on what they are given, on data;
- code that no way leads to, since it was not looked at.

It errs on the side of refusing: what a part of a register takes from data, all of it does. It does not see data that a
function reads at one fixed place, and takes the arrays of `machine_code.PUBLIC_ARRAYS` for public.

Usage: ``python tools/check_machine_code.py [--objdump PROGRAM] FILE.o ...``. Prints one line per offence, and exits
with 1 when there is one, with 2 when a file holds no function.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys

import machine_code_aarch64
import machine_code_x86


def offences_in(disassembly: str) -> tuple[int, list[str]]:
    """The number of functions, and what is wrong with them."""
    arm = re.search(r"file format \S*aarch64", disassembly) is not None
    functions = list((machine_code_aarch64 if arm else machine_code_x86).functions_of(disassembly))
    analysis = machine_code_aarch64.ArmAnalysis if arm else machine_code_x86.X86Analysis
    return len(functions), [offence for function in functions for offence in analysis(function).run()]


def listing_of(objdump: str, file: str) -> str:
    """The disassembly of an object file, in Intel's syntax where there is one."""
    command = [objdump, "-d", "--no-show-raw-insn", file]
    header = subprocess.run([objdump, "-f", file], check=True, capture_output=True, text=True).stdout
    style = [] if "aarch64" in header else ["-M", "intel"]
    return subprocess.run([*command, *style], check=True, capture_output=True, text=True).stdout


def main(arguments: list[str]) -> int:
    """Check the files; return the exit status."""
    parser = argparse.ArgumentParser(description="Refuse branches and addresses that depend on data, in object files.")
    parser.add_argument("--objdump", default="objdump")
    parser.add_argument("files", nargs="+")
    options = parser.parse_args(arguments)
    status = 0
    for file in options.files:
        listing = listing_of(options.objdump, file)
        functions, found = offences_in(listing)
        for offence in found:
            print(f"{file}: {offence}")
        print(f"{file}: {functions} functions, {len(found)} offences")
        status = max(status, 2 if functions == 0 else int(bool(found)))
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
