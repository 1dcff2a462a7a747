# SPDX-License-Identifier: Apache-2.0
"""Programs of other libraries that stand beside this package as sources: compiled where the library and a C++ compiler
are installed, and asked over pipes."""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
import tempfile
from functools import lru_cache
from importlib.resources import as_file, files
from pathlib import Path

from cyclotome_bench.peers.truth import WrongResultError

__all__ = ["PeerProgram", "compiled"]


@lru_cache
def compiled(name: str, libraries: tuple[str, ...]) -> Path | None:
    """The program of a source, or None where it can't be compiled.

    Args:
        name: of the source, without its suffix.
        libraries: what it is linked with, such as "-lgmp".
    """
    compiler = shutil.which(os.environ.get("CXX", "c++"))
    if compiler is None:
        return None
    folder = tempfile.mkdtemp(prefix="cyclotome-peer-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    program = Path(folder) / name
    sources = files("cyclotome_bench")
    with as_file(sources.joinpath(f"{name}.cpp")) as source, as_file(sources.joinpath("spent.hpp")) as header:
        options = ["-std=c++17", "-O2", f"-I{header.parent}"]
        command = [compiler, *options, str(source), "-o", str(program), *libraries]
        done = subprocess.run(command, capture_output=True, check=False)
    return program if done.returncode == 0 else None


class PeerProgram:
    """A process that multiplies the polynomials it was given.

    Args:
        library: its name, for messages.
        program: what `compiled` found.
        problem: numbers that the program reads first.
        command: what asks for one product.

    As `timing.SelfTimed` it tells its own time: a process elsewhere counts for no thread of this one.
    """

    def __init__(self, library: str, program: Path | None, problem: list[int], command: int) -> None:
        if program is None:
            raise RuntimeError(f"there is no {library} here; ask for that first")
        self._library, self._command = library, command
        self._process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._write(" ".join(map(str, problem)))

    def _write(self, line: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()

    def run(self, loops: int, own_time: bool) -> int:
        """So many products: nanoseconds by the clock on the wall, or of the program's thread."""
        spent = 0
        for _ in range(loops):
            self._write(str(self._command))
            assert self._process.stdout is not None
            told = self._process.stdout.readline().split()
            if len(told) != 2:
                raise WrongResultError(f"the program that multiplies with {self._library} ended early")
            spent += int(told[own_time])
        return spent

    def result(self) -> list[int]:
        """The last product's coefficients in [0, q); ends the program."""
        self._write("0")
        assert self._process.stdout is not None
        return [int(line) for line in self._process.stdout]

    def close(self) -> None:
        """Ends the program."""
        self._process.kill()
        self._process.communicate()
