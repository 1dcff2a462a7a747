# SPDX-License-Identifier: Apache-2.0
"""Run those C++ tests that something has changed for since they passed, as far as the time goes.

A test that ctest knows is a program and what it is given: files and folders of its command line, and libraries beside
the program. Where all bytes are those of a run that passed, it would pass again (but for what it draws at random, for
which `make test` runs everything). Programs are linked with just the objects that they use, so an edit changes some.

Tests of the rooms of files that differ from a commit come first, then the others, each time the shortest first by what
ctest noted of earlier runs. What does not fit is named; it comes again in the next run.

Usage: ``python tools/changed_tests.py BUILD [--changed-since COMMIT] [--seconds S] [--jobs N]``, or ``--passed`` after
a run of ctest in which all of them passed. Exits as ctest does.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[1]
#: What is known of earlier runs, in the build tree.
PASSED = "passed_tests.json"
COSTS = "Testing/Temporary/CTestCostData.txt"
#: Seconds that a test takes of which nothing is known.
UNKNOWN = 1.0


@dataclass(frozen=True)
class CppTest:
    """A test as ctest has it."""

    name: str
    command: tuple[str, ...]

    @property
    def key(self) -> str:
        """Of everything that it reads, and its command."""
        digest = hashlib.sha256("\0".join(self.command).encode())
        for word in self.command:
            if word.startswith("/"):
                digest.update(digest_of(Path(word)))
        for library in sorted(Path(self.command[0]).parent.glob("*.so")):
            digest.update(digest_of(library))
        return digest.hexdigest()

    def is_in(self, rooms: Iterable[str], sources: Mapping[str, str]) -> bool:
        """Whether it is a test of one of these rooms: by its program's source, or by its name."""
        own = {sources.get(Path(word).name) for word in self.command}
        return any(room in own or f"_{room}_" in f"_{self.name}_" for room in rooms)


@cache
def digest_of(path: Path) -> bytes:
    """Of a file and its name; of a script with those beside it, and of a folder with all that lies in it."""
    files = (
        sorted(path.rglob("*")) if path.is_dir() else sorted(path.parent.glob("*.py")) if path.suffix == ".py" else []
    )
    digest = hashlib.sha256(str(path).encode())
    for file in files or [path]:
        if file.is_file():
            digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.digest()


def tests_in(build: Path) -> list[CppTest]:
    """All tests of a build tree."""
    done = subprocess.run([*_ctest(build), "--show-only=json-v1"], capture_output=True, text=True, check=True)
    return [CppTest(test["name"], tuple(test.get("command", ()))) for test in json.loads(done.stdout)["tests"]]


def costs_in(build: Path) -> dict[str, float]:
    """Seconds of each test, by ctest's notes of earlier runs."""
    file = build / COSTS
    lines = file.read_text(encoding="utf-8").splitlines() if file.is_file() else []
    return {words[0]: float(words[2]) for words in map(str.split, lines) if len(words) == 3}


def changed_rooms(commit: str) -> set[str]:
    """Folders below src/cyclotome, or of test/cpp, in which something differs from a commit."""
    found = _git("diff", "--name-only", commit, "--") + _git("ls-files", "--others", "--exclude-standard")
    rooms = (re.match(r"(?:src/cyclotome|test/cpp)/(.+)/", line) for line in found)
    return {part for room in rooms if room for part in PurePosixPath(room[1]).parts}


def chosen(
    wanted: Sequence[CppTest], first: Iterable[CppTest], costs: Mapping[str, float], seconds: float
) -> list[CppTest]:
    """As many as fit, those of `first` before the others and short ones before long ones."""
    before = set(first)
    fit, spent = [], 0.0
    for test in sorted(wanted, key=lambda test: (test not in before, costs.get(test.name, UNKNOWN))):
        spent += costs.get(test.name, UNKNOWN)
        if spent <= seconds:
            fit.append(test)
    return fit


def passed_in(build: Path) -> dict[str, str]:
    """The keys with which tests passed."""
    file = build / PASSED
    known: dict[str, str] = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    return known


def note(build: Path, known: Mapping[str, str], passed: Iterable[CppTest]) -> None:
    """Notes that tests passed as they are."""
    keys = {**known, **{test.name: test.key for test in passed}}
    (build / PASSED).write_text(json.dumps(keys, indent=1, sort_keys=True), encoding="utf-8")


def _ctest(build: Path) -> list[str]:
    """The command of the environment that this runs in."""
    own = Path(sys.executable).parent / "ctest"
    return [str(own) if own.exists() else "ctest", "--test-dir", str(build)]


def _git(*words: str) -> list[str]:
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"changed_tests.py: {done.stderr.strip()}")
    return done.stdout.splitlines()


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description="run the C++ tests that something has changed for since they passed")
    parser.add_argument("build", type=Path)
    parser.add_argument("--changed-since", default="HEAD", metavar="COMMIT")
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--passed", action="store_true", help="run nothing: note that all of them passed")
    told = parser.parse_args(arguments)
    tests, known = tests_in(told.build), passed_in(told.build)
    if told.passed:
        note(told.build, {}, tests)
        return 0
    wanted = [test for test in tests if known.get(test.name) != test.key]
    rooms = changed_rooms(told.changed_since)
    sources = {path.stem: path.parent.name for path in (ROOT / "test/cpp").glob("*/test_*.cpp")}
    first = [test for test in wanted if test.is_in(rooms, sources)]
    fit = chosen(wanted, first, costs_in(told.build), told.seconds)
    left = [test.name for test in wanted if test not in fit]
    print(f"{len(tests) - len(wanted)} of {len(tests)} passed as they are; {len(fit)} run", flush=True)
    if left:
        print(f"no time for {', '.join(left)}: `make test` runs all")
    if not fit:
        return 0
    return run(told.build, fit, known, told.jobs)


def run(build: Path, tests: Sequence[CppTest], known: Mapping[str, str], jobs: int) -> int:
    """Runs tests, and notes which of them passed. The exit code is ctest's."""
    names = "|".join(re.escape(test.name) for test in tests)
    report = build.absolute() / "changed_tests.xml"
    report.unlink(missing_ok=True)
    options = ["--output-on-failure", "--parallel", str(jobs), "--output-junit", str(report), "-R", f"^({names})$"]
    status = subprocess.run([*_ctest(build), "--progress", *options], check=False).returncode
    cases = ElementTree.parse(report).iter("testcase") if report.is_file() else ()
    passed = {case.get("name") for case in cases if case.get("status") == "run"}
    note(build, known, [test for test in tests if test.name in passed])
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
