# SPDX-License-Identifier: Apache-2.0
"""NTL's product of polynomials, where Debian's libntl-dev and a C++ compiler are installed."""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from functools import lru_cache
from importlib.resources import as_file, files
from pathlib import Path

from cyclotome_bench.truth import WrongResultError

__all__ = ["NtlProduct", "ntl_available"]


@lru_cache(maxsize=1)
def _program() -> Path | None:
    """The compiled program, or None where there is no NTL or no compiler."""
    compiler = shutil.which(os.environ.get("CXX", "c++"))
    if compiler is None:
        return None
    folder = tempfile.mkdtemp(prefix="cyclotome-ntl-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    program = Path(folder) / "ntl_product"
    with as_file(files("cyclotome_bench").joinpath("ntl_product.cpp")) as source:
        command = [compiler, "-std=c++17", "-O2", str(source), "-o", str(program), "-lntl", "-lgmp", "-pthread"]
        done = subprocess.run(command, capture_output=True, check=False)
    return program if done.returncode == 0 else None


def ntl_available() -> bool:
    """Whether NTL can be measured here."""
    return _program() is not None


class NtlProduct:
    """Two polynomials in a process of NTL's.

    Args:
        modulus: q.
        a: N coefficients in [0, q).
        b: as many.
    """

    def __init__(self, modulus: int, a: Sequence[int], b: Sequence[int]) -> None:
        program = _program()
        if program is None:
            raise RuntimeError("there is no NTL; ask ntl_available first")
        self._process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._write(" ".join(map(str, (modulus, len(a), *a, *b))))

    def _write(self, line: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()

    def _read(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise WrongResultError("the program that multiplies with NTL ended early")
        return line

    def multiply(self) -> None:
        """One product; the pipe adds less than a tenth of a millisecond."""
        self._write("1")
        self._read()

    def result(self) -> list[int]:
        """The last product's coefficients in [0, q); ends the program."""
        self._write("0")
        assert self._process.stdout is not None
        return [int(line) for line in self._process.stdout]

    def close(self) -> None:
        """Ends the program."""
        self._process.kill()
        self._process.communicate()
