# SPDX-License-Identifier: Apache-2.0
"""Some of the tests, for the minutes after an edit: what the edit touches, and a few cases of everything else.

``--sample=2`` keeps two cases of each test function, its first and its last, and none of those marked slow. With
``--changed-since=COMMIT`` the tests of what differs from that commit run in full: test files that changed, and those
that import a changed module, of a package or of the tests. A change of C++ code has C++ tests of its own, which are
quick enough to run all.
"""

from __future__ import annotations

import ast
import subprocess
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

import pytest

ROOT = Path(__file__).resolve().parents[2]
TESTS = PurePosixPath("test/python")
#: Folders that packages lie in.
PACKAGES = tuple(map(PurePosixPath, ("python", "bench", "demo", "hdl", "study")))


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("cyclotome")
    group.addoption("--sample", type=int, metavar="N", help="run at most N cases of each test, and no slow ones")
    group.addoption("--changed-since", metavar="COMMIT", help="with --sample: all tests of what differs from COMMIT")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    count = config.getoption("--sample")
    if count is None:
        return
    commit = config.getoption("--changed-since")
    touched = touched_tests(changed_files(commit)) if commit else set()
    whole = [item for item in items if item.path.name in touched]
    kept = {*whole, *sample([item for item in items if item.path.name not in touched], count)}
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = [item for item in items if item in kept]


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
    """The name by which tests import a file: "cyclotome_hdl.emit", "parties", "oracles.integers"."""
    for root in (TESTS, *PACKAGES):
        if path.is_relative_to(root):
            return ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__")
    return str(path)


def imported_modules(file: Path) -> Iterator[str]:
    """Modules that a file names in imports; of `from a import b` both a and a.b."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None and node.level == 0:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
