# SPDX-License-Identifier: Apache-2.0
"""Spoil noise, bounds and refusals one small fault at a time, and run the tests that have to notice.

Python modules are changed in a copy of the installed package; C++ files in this checkout, compiled into the extension
(`make install-test` first) and put back whatever happens. A mutant that all tests pass *survived*: a test is missing,
or the fault changes nothing that anybody could see, which ``explained.json`` says of those that were looked at. Before
that the tests have to pass on what nobody changed.

Usage: ``python test/mutation/run.py [--sample N] [--seed S] [--only NAME] [--cplusplus]``. Without ``--sample`` all,
which takes hours. Exit status 1: a mutant survived that is not explained.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import cyclotome
from mutants import Mutant, of_cplusplus, of_python

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = Path(cyclotome.__file__).parent
EXPLAINED = Path(__file__).parent / "explained.json"
#: The longest that a mutant's tests may take, in seconds of the clock: one that loops is noticed as well.
LONGEST = 900

#: Files and the tests that concern them, of test/python.
PYTHON = {
    "python/cyclotome/arrays/encryption.py": "arrays/test_array_bounds.py arrays/test_array_refusals.py "
    "arrays/test_python_values.py",
    "python/cyclotome/arrays/decryption.py": "arrays/test_reveal.py arrays/test_array_refusals.py "
    "devices/test_sharding.py "
    "services/test_reveal_budget.py",
    "python/cyclotome/keys/kinds.py": "services/test_reveal_budget.py parameters/test_keys.py",
    **{
        f"python/cyclotome/integrity/{name}.py": "integrity/"
        for name in ("lines", "key", "clear", "copies", "receipts", "refusals", "linear")
    },
    "reader/cyclotome_reader/decryption.py": "reader/",
    "reader/cyclotome_reader/reals.py": "reader/test_reader_reals.py",
    "reader/cyclotome_reader/keys.py": "reader/",
    "reader/cyclotome_reader/arrays.py": "reader/",
    "reader/cyclotome_reader/files.py": "reader/",
}
CPLUSPLUS = {
    "src/cyclotome/rlwe/noise/noise.cpp": "noise/test_noise_calculus.py noise/test_proved_calculus.py",
    "src/cyclotome/rlwe/noise/norm_constants.cpp": "noise/test_noise_calculus.py noise/test_proved_calculus.py",
    "src/cyclotome/rlwe/noise/parameter_noise.cpp": "noise/test_noise_calculus.py noise/test_noise_regressions.py",
    "src/cyclotome/scheme/bfv/noise.cpp": "noise/test_noise_calculus.py noise/test_noise_regressions.py",
    "src/cyclotome/rlwe/noise/reveal_budget.cpp": "services/test_reveal_budget.py",
}


class Case(NamedTuple):
    """A mutant of a file, and what has to notice it."""

    file: str
    mutant: Mutant
    tests: list[str]

    @property
    def name(self) -> str:
        """For people and for explained.json: by the line's text, which stays when lines move."""
        line = (ROOT / self.file).read_text(encoding="utf-8").splitlines()[self.mutant.line - 1].strip()
        return f"{self.file}: {self.mutant.what}: {line}"


def cases(files: dict[str, str], only: str) -> Iterator[Case]:
    """All mutants of these files."""
    for file, tests in files.items():
        if only in file:
            source = (ROOT / file).read_text(encoding="utf-8")
            mutants = of_python(source) if file.endswith(".py") else of_cplusplus(source)
            for mutant in mutants:
                yield Case(file, mutant, [f"test/python/{each}" for each in tests.split()])


def noticed(tests: list[str], before: Path) -> str:
    """How the tests end with this folder before all others on the path: "" if they pass."""
    environment = {**os.environ, "PYTHONPATH": str(before), "CYCLOTOME_TEST_SEED": "1"}
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-n", "0", "-p", "no:cacheprovider", *tests]
    try:
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=LONGEST)
    except subprocess.TimeoutExpired:
        return "took too long"
    return "" if done.returncode == 0 else (done.stdout.strip().splitlines() or ["ended"])[-1]


def judged_python(case: Case, folder: Path) -> str:
    """A mutant of Python, in a copy of its package; what is compiled is linked, not copied."""
    module = Path(case.file).relative_to(Path(case.file).parts[0])
    installed = PACKAGE.parent / module.parts[0]
    copy = folder / module.parts[0]
    if not copy.exists():
        ignored = shutil.ignore_patterns("*.so", "__pycache__")
        shutil.copytree(installed, copy, ignore=ignored)
        for binary in installed.glob("*.so"):
            (copy / binary.name).symlink_to(binary)
    original = (copy / Path(*module.parts[1:])).read_text(encoding="utf-8")
    (copy / Path(*module.parts[1:])).write_text(case.mutant.text, encoding="utf-8")
    try:
        return noticed(case.tests, folder)
    finally:
        (copy / Path(*module.parts[1:])).write_text(original, encoding="utf-8")


def built(build: Path) -> bool:
    """Whether the extension compiles."""
    command = [str(Path(sys.executable).parent / "cmake"), "--build", str(build), "--target", "_core"]
    return subprocess.run(command, cwd=ROOT, capture_output=True).returncode == 0


def judged_cplusplus(case: Case, folder: Path, build: Path) -> str:
    """A mutant of C++, compiled in the build tree."""
    path = ROOT / case.file
    original = path.read_bytes()
    linked(folder, build)
    try:
        path.write_text(case.mutant.text, encoding="utf-8")
        return noticed(case.tests, folder) if built(build) else "does not compile"
    finally:
        path.write_bytes(original)


def unchanged(tests: list[str], build: Path, cplusplus: bool) -> str:
    """How the tests end without a mutant: "" if they pass."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if cplusplus:
            if not built(build):
                return "the extension doesn't compile"
            linked(folder, build)
        return noticed(tests, folder)


def linked(folder: Path, build: Path) -> None:
    """The package's copy, with the extension of the build tree."""
    copy = folder / "cyclotome"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    [extension] = (build / "python" / "cyclotome").glob("_core*.so")
    (copy / extension.name).symlink_to(extension)


def main() -> int:
    """Runs mutants and says which survived."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sample", type=int, help="so many, drawn")
    parser.add_argument("--seed", type=int, help="of the draw")
    parser.add_argument("--only", default="", help="files whose path has this text")
    parser.add_argument("--cplusplus", action="store_true", help="C++ in place of Python")
    parser.add_argument("--list", action="store_true", help="say how many there are, and run none")
    given = parser.parse_args()
    explained: dict[str, str] = json.loads(EXPLAINED.read_text(encoding="utf-8"))
    every = list(cases(CPLUSPLUS if given.cplusplus else PYTHON, given.only))
    if given.list:
        print(f"{len(every)} mutants")
        return 0
    build = ROOT / "build" / f"test-{sys.version_info[0]}.{sys.version_info[1]}"
    seed = given.seed if given.seed is not None else random.SystemRandom().randrange(2**32)
    chosen = random.Random(seed).sample(every, min(given.sample or len(every), len(every)))
    for tests in {tuple(case.tests) for case in chosen}:
        if how := unchanged(list(tests), build, given.cplusplus):
            print(f"{' '.join(tests)} fail already: {how}", file=sys.stderr)
            return 2
    print(f"{len(chosen)} of {len(every)} mutants, --seed {seed}", flush=True)
    survived, counts, began = [], {"noticed": 0, "does not compile": 0, "explained": 0}, time.monotonic()
    try:
        for case in chosen:
            with tempfile.TemporaryDirectory() as name:
                folder = Path(name)
                how = judged_cplusplus(case, folder, build) if given.cplusplus else judged_python(case, folder)
            kind = "does not compile" if how == "does not compile" else "noticed" if how else ""
            kind = kind or ("explained" if case.name in explained else "survived")
            counts[kind] = counts.get(kind, 0) + 1
            survived += [case] if kind == "survived" else []
            print(f"{kind}: line {case.mutant.line}, {case.name} [{how}]", flush=True)
    finally:
        if given.cplusplus:
            built(build)
    print(f"{counts}, {time.monotonic() - began:.0f} s of the clock")
    return 1 if survived else 0


if __name__ == "__main__":
    sys.exit(main())
