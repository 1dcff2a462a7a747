# SPDX-License-Identifier: Apache-2.0
"""Some of the tests, for the minutes after an edit: what the edit touches, and a few cases of something else.

``--sample=2`` keeps two cases of each test function, its first and its last, and none of those marked slow. With
``--changed-since=COMMIT`` only some files are read: test files that differ from that commit, and those that import a
changed module, of a package or of the tests, in full; a sample of those in the rooms of what differs; and a sample of
some others, which are drawn anew in every run. ``--seconds=30`` begins no test after so much processor time, but for
those of test files that differ; what is left out is counted as skipped.
"""

from __future__ import annotations

import ast
import os
import random
import secrets
import subprocess
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath

import pytest

ROOT = Path(__file__).resolve().parents[3]
TESTS = PurePosixPath("test/python")
#: Folders that packages lie in.
PACKAGES = tuple(map(PurePosixPath, ("python", "bench", "demo", "hdl", "reader", "study")))
#: Where the tests of a folder of sources lie, if not in the room of its name.
ROOMS = {
    "bindings": ("pages",),
    "circuit": ("circuits",),
    "demo": ("whole",),
    "io": ("files",),
    "keys": ("parameters",),
    "models": ("interop",),
    "numbers": ("frames", "functions"),
    "planning": ("parameters",),
    "program": ("engine",),
    "ring": ("rings",),
    "scheme": ("schemes",),
    "service": ("services",),
    "sessions": ("services",),
    "value": ("arrays", "functions"),
}
#: Test files beside those of what differs.
OTHERS = 8
#: The draw of these: every process of a run has the same.
SEED = "CYCLOTOME_SAMPLE_SEED"


@dataclass(frozen=True)
class Choice:
    """Names of test files: those that differ, those that import what does, those of its rooms, and others."""

    edited: frozenset[str]
    importing: frozenset[str]
    near: frozenset[str]
    others: frozenset[str]

    @property
    def whole(self) -> frozenset[str]:
        """Files of which every test is kept."""
        return self.edited | self.importing

    def rank(self, name: str) -> int:
        """What runs first."""
        kinds = (self.edited, self.importing, self.near, self.others)
        return next((i for i, names in enumerate(kinds) if name in names), len(kinds))


CHOICE = pytest.StashKey[Choice]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("cyclotome")
    group.addoption("--sample", type=int, metavar="N", help="run at most N cases of each test, and no slow ones")
    group.addoption("--changed-since", metavar="COMMIT", help="with --sample: the tests of what differs from COMMIT")
    group.addoption("--seconds", type=float, metavar="S", help="with --changed-since: processor time for all of them")


def pytest_configure(config: pytest.Config) -> None:
    commit = config.getoption("--changed-since")
    if commit is not None:
        seed = os.environ.setdefault(SEED, str(secrets.randbits(32)))
        config.stash[CHOICE] = choose(changed_files(commit), random.Random(seed))


def pytest_report_header(config: pytest.Config) -> str | None:
    choice = config.stash.get(CHOICE, None)
    if choice is None:
        return None
    counts = [f"{len(choice.whole)} whole test files", f"{len(choice.near)} of the same rooms", f"{OTHERS} others"]
    return f"sample of {', '.join(counts)}: {SEED}={os.environ[SEED]}"


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    choice = config.stash.get(CHOICE, None)
    name = collection_path.name
    return True if choice is not None and name.startswith("test_") and choice.rank(name) == 4 else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    count = config.getoption("--sample")
    if count is None:
        return
    choice = config.stash.get(CHOICE, None)
    touched: Collection[str] = choice.whole if choice else ()
    whole = [item for item in items if item.path.name in touched]
    kept = {*whole, *sample([item for item in items if item.path.name not in touched], count)}
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = [item for item in items if item in kept]
    if choice is not None:
        items.sort(key=lambda item: choice.rank(item.path.name))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    choice, seconds = item.config.stash.get(CHOICE, None), item.config.getoption("--seconds")
    if choice is None or seconds is None or item.path.name in choice.edited:
        return
    if sum(os.times()[:4]) > seconds / int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")):
        pytest.skip(f"left out: {seconds:g} s are over (--seconds)")


def sample(items: Iterable[pytest.Item], count: int) -> Iterator[pytest.Item]:
    """Of each test function the first `count - 1` cases and the last; none that is slow."""
    cases: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        if item.get_closest_marker("slow") is None:
            cases[item.nodeid.split("[")[0]].append(item)
    for each in cases.values():
        yield from each if len(each) <= count else [*each[: count - 1], each[-1]]


def changed_files(commit: str) -> list[PurePosixPath]:
    """Files that differ from a commit, or that it does not know."""
    found: list[PurePosixPath] = []
    for command in (["diff", "--name-only", commit, "--"], ["ls-files", "--others", "--exclude-standard"]):
        done = subprocess.run(["git", "-C", str(ROOT), *command], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise pytest.UsageError(f"--changed-since {commit}: {done.stderr.strip()}")
        found += map(PurePosixPath, done.stdout.splitlines())
    return found


def choose(changed: Iterable[PurePosixPath], draw: random.Random) -> Choice:
    """The test files of a run after these files changed."""
    changed = list(changed)
    files = {path.name: path.parent.name for path in (ROOT / TESTS).rglob("test_*.py")}
    edited = {path.name for path in changed if path.is_relative_to(TESTS)} & files.keys()
    importing = touched_tests(changed) - edited
    rooms = set().union(*map(rooms_of, changed))
    near = {name for name, room in files.items() if room in rooms} - edited - importing
    rest = sorted(files.keys() - edited - importing - near)
    others = draw.sample(rest, min(OTHERS, len(rest)))
    return Choice(frozenset(edited), frozenset(importing), frozenset(near), frozenset(others))


def rooms_of(path: PurePosixPath) -> set[str]:
    """Rooms of the tests for a file of sources: those of its folders' names, or that `ROOMS` says."""
    if path.is_relative_to(TESTS) or path.suffix not in (".py", ".cpp", ".hpp"):
        return set()
    return {room for part in path.parts[:-1] for room in ROOMS.get(part, (part,)) if (ROOT / TESTS / room).is_dir()}


def touched_tests(changed: Iterable[PurePosixPath]) -> set[str]:
    """Names of the test files that these files are about."""
    files = [path for path in changed if path.suffix == ".py"]
    touched = {path.name for path in files if path.is_relative_to(TESTS) and path.name.startswith("test_")}
    modules = {module_name(path) for path in files}
    for test in (ROOT / TESTS).rglob("test_*.py"):
        if not modules.isdisjoint(imported_modules(test)):
            touched.add(test.name)
    return touched


def module_name(path: PurePosixPath) -> str:
    """The name by which tests import a file: "cyclotome_hdl.verilog.emit", "parties", "oracles.integers"."""
    if path.is_relative_to(TESTS) and not (ROOT / path.parent / "__init__.py").exists():
        return path.stem
    for root in (TESTS, *PACKAGES):
        if path.is_relative_to(root):
            return ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__")
    return str(path)


@cache
def imported_modules(file: Path) -> frozenset[str]:
    """Modules that a file names in imports; of `from a import b` both a and a.b."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None and node.level == 0:
            found.update((node.module, *(f"{node.module}.{alias.name}" for alias in node.names)))
    return frozenset(found)
