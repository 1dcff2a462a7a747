# SPDX-License-Identifier: Apache-2.0
"""Build the wheels of every distribution here, for every interpreter there is, into one folder.

The C++ library is compiled once, and the extension once for each of CPython 3.10 and 3.11 and once, for the stable ABI,
by the oldest interpreter from 3.12 on. libstdc++ is linked in; auditwheel says which Linux the result runs
on and refuses libraries that are not everywhere, abi3audit that the stable ABI is kept. Prints what was made.

Usage: ``python tools/make_wheels.py [--output dist] [--cuda] [PYTHON ...]``; without interpreters, those in PATH and of
pyenv. ``--cuda`` builds cyclotome-cuda instead, which needs nvcc. The compiler is CXX's.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "build" / "wheels"
#: Distributions of Python only.
PURE = ("bench", "demo", "hdl", "reader", "study")
#: The first version of CPython whose stable ABI is built for.
STABLE = (3, 12)


class Interpreter(NamedTuple):
    """A CPython."""

    version: tuple[int, int]
    path: Path

    @property
    def name(self) -> str:
        """ "3.12" """
        return f"{self.version[0]}.{self.version[1]}"


def run(*command: str | Path, **environment: str) -> str:
    """The output of a command; what else it says is shown if it fails."""
    words = [str(word) for word in command]
    done = subprocess.run(words, cwd=ROOT, env={**os.environ, **environment}, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{done.stdout}\n{done.stderr}\nfailed ({done.returncode}): {' '.join(str(word) for word in command)}")
    return done.stdout


def interpreters(named: list[str]) -> list[Interpreter]:
    """Those named, or all that there are, one of each version that is served, the oldest first."""
    candidates = [Path(shutil.which(name) or name) for name in named] or [
        *sorted((Path.home() / ".pyenv" / "versions").glob("3.*/bin/python")),
        *(Path(found) for minor in range(10, 20) if (found := shutil.which(f"python3.{minor}"))),
    ]
    ask = "import sys; print(sys.implementation.name, *sys.version_info[:2])"
    known: dict[tuple[int, int], Interpreter] = {}
    for path in candidates:
        done = subprocess.run([path, "-c", ask], capture_output=True, text=True)
        words = done.stdout.split()
        if done.returncode == 0 and words[0] == "cpython" and (version := (int(words[1]), int(words[2]))) >= (3, 10):
            known.setdefault(version, Interpreter(version, path))
    return [known[version] for version in sorted(known)]


def builders(found: list[Interpreter]) -> list[Interpreter]:
    """Those that a wheel is built with: one of those that share the stable ABI."""
    stable = [each for each in found if each.version >= STABLE][:1]
    return [each for each in found if each.version < STABLE] + stable


def environment(name: str, python: Path, lock: str) -> Path:
    """The folder of programs of a virtual environment that has exactly what a lock file says."""
    folder, mark = BUILD / f"environment-{name}", BUILD / f"environment-{name}.lock"
    wanted = (ROOT / "requirements" / lock).read_text(encoding="utf-8")
    if not mark.is_file() or mark.read_text(encoding="utf-8") != wanted:
        run(python, "-m", "venv", "--clear", folder)
        install = (folder / "bin" / "python", "-m", "pip", "install", "--quiet", "--require-hashes", "--no-deps")
        run(*install, "-r", f"requirements/{lock}")
        mark.write_text(wanted, encoding="utf-8")
    return folder / "bin"


def library(programs: Path) -> Path:
    """The C++ library, compiled once for all extensions."""
    path = f"{programs}:{os.environ['PATH']}"
    tree = ROOT / "build" / "wheel-library"  # as deep as other trees: a compiler cache knows relative paths
    # Warnings are errors as in tests, so that a compiler cache has these objects already.
    configure = ("-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DCYCLOTOME_WERROR=ON")
    run(programs / "cmake", "-S", ROOT, "-B", tree, *configure, PATH=path)
    run(programs / "cmake", "--build", tree, "--target", "cyclotome", PATH=path)
    return tree / "libcyclotome.a"


def extension(python: Interpreter, archive: Path, folder: Path, into: Path) -> Path:
    """The wheel of a distribution with an extension, as one interpreter makes it."""
    programs = environment(f"build-{python.name}", python.path, "build.txt")
    options = {
        "build-dir": ROOT / "build" / f"wheel-{folder.name if folder != ROOT else 'cyclotome'}-{python.name}",
        "cmake.define.CYCLOTOME_LIBRARY": archive,
        "cmake.define.CYCLOTOME_STATIC_RUNTIME": "ON",
        "cmake.define.CYCLOTOME_WERROR": "ON",
    }
    if architectures := os.environ.get("GPUS"):
        options["cmake.define.CMAKE_CUDA_ARCHITECTURES"] = architectures
    settings = [f"--config-settings={name}={value}" for name, value in options.items()]
    return wheel(programs, folder, into, *settings)


def wheel(programs: Path, folder: Path, into: Path, *settings: str) -> Path:
    """The one wheel that pip makes of a folder."""
    shutil.rmtree(into, ignore_errors=True)
    path = f"{programs}:{os.environ['PATH']}"
    pip = (programs / "python", "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation")
    run(*pip, "--wheel-dir", into, *settings, folder, PATH=path)
    (made,) = into.glob("*.whl")
    return made


def repaired(tools: Path, made: Path, output: Path) -> Path:
    """The wheel under the tag of the oldest Linux it runs on; it may take nothing along."""
    path = f"{tools}:{os.environ['PATH']}"
    shown = run(tools / "auditwheel", "show", made, PATH=path)
    found = re.search(r'platform tag:\s*"?((?:many|musl)?linux_\w+)"?', shown)
    if found is None:
        sys.exit(f"auditwheel does not say which Linux {made.name} runs on:\n{shown}")
    into = made.parent / "repaired"
    repair = (tools / "auditwheel", "repair", "--plat", found[1], "--only-plat", "--strip")
    run(*repair, "--wheel-dir", into, made, PATH=path)
    (result,) = into.glob("*.whl")
    return Path(shutil.move(result, output / result.name))


def main(arguments: list[str]) -> int:
    """Build everything; the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--output", type=Path, default=ROOT / "dist")
    parser.add_argument("--cuda", action="store_true", help="build cyclotome-cuda instead, which needs nvcc")
    parser.add_argument("pythons", nargs="*")
    given = parser.parse_args(arguments)
    found = interpreters(given.pythons)
    if not found:
        sys.exit("there is no CPython from 3.10 on; name one, or install it")
    output: Path = given.output.resolve()
    output.mkdir(parents=True, exist_ok=True)
    os.environ.setdefault("SOURCE_DATE_EPOCH", run("git", "log", "-1", "--format=%ct").strip())
    tools = environment("tools", found[-1].path, "wheels.txt")
    first = environment(f"build-{found[0].name}", found[0].path, "build.txt")
    began = time.monotonic()
    archive = library(first)
    print(f"{'the C++ library, once':<72} {archive.stat().st_size:>12,} bytes {time.monotonic() - began:7.1f} s")
    for python in builders(found):
        began = time.monotonic()
        folder = ROOT / "cuda" if given.cuda else ROOT
        made = extension(python, archive, folder, BUILD / f"made-{folder.name}-{python.name}")
        result = repaired(tools, made, output)
        if "abi3" in result.name:
            run(tools / "abi3audit", "--strict", "--assume-minimum-abi3", f"{STABLE[0]}.{STABLE[1]}", result)
        print(f"{result.name:<72} {result.stat().st_size:>12,} bytes {time.monotonic() - began:7.1f} s")
    for name in () if given.cuda else PURE:
        made = wheel(first, ROOT / name, BUILD / f"made-{name}")
        result = Path(shutil.move(made, output / made.name))
        print(f"{result.name:<72} {result.stat().st_size:>12,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
