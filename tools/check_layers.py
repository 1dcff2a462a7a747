# SPDX-License-Identifier: Apache-2.0
"""Refuse includes and imports that point up the layers, or in circles, and internals among the public headers.

The rooms of ``src/cyclotome`` form a chain, ``circuit -> scheme -> rlwe -> engine -> program -> ring -> math``.
``program`` writes operations down, ``engine`` is what can run them; each engine has a room of its own beside the
chain, and only who creates it knows it. ``study`` keeps other ways to compute for comparison and knows no operation;
``value`` stands on ``scheme``; ``platform``, below all, is what operating systems do each in their own way, for the few
rooms that ask one; ``io`` reads and writes everything up to ``value``, and ``study``'s contexts. In Python,
import-linter does this (pyproject.toml), but for what it can't see: that modules take nothing from the package's own
``__init__``, which stands above them.

Headers and sources of one name are one unit; units that include each other are a circle, in which nothing can be read
first. What is installed are the headers that ``cmake/public_headers.cmake`` lists and those that they include.

Usage: ``python tools/check_layers.py [ROOT]``. Prints one line per offence and exits with 1 when there is one, with 2
when ROOT holds nothing to check.
"""

from __future__ import annotations

import ast
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import NamedTuple

#: For each room of ``src/cyclotome``, those it may include. ``engine`` is what engines are, ``engine/<x>`` is one.
ROOMS: dict[str, frozenset[str]] = {
    "platform": frozenset({"platform"}),
    "math": frozenset({"math"}),
    "ring": frozenset({"ring", "math", "platform"}),
    "program": frozenset({"program", "ring", "math"}),
    "engine": frozenset({"engine", "program", "ring", "math", "platform"}),
    "engine/*": frozenset({"engine", "program", "ring", "math", "platform"}),
    "rlwe": frozenset({"rlwe", "engine", "program", "ring", "math"}),
    "scheme": frozenset({"scheme", "rlwe", "engine", "program", "ring", "math"}),
    "retrieval": frozenset({"retrieval", "rlwe", "engine", "program", "ring", "math"}),
    "value": frozenset({"value", "scheme", "rlwe", "engine", "program", "ring", "math"}),
    "study": frozenset({"study", "engine", "ring", "math"}),
    "study/fermat": frozenset({"study/fermat", "study", "rlwe", "engine", "ring", "math", "platform"}),
    "study/ltv": frozenset({"study/ltv", "study", "engine", "ring", "math"}),
    "study/transform": frozenset({"study/transform", "study", "program", "engine", "ring", "math"}),
    "study/circuit": frozenset({"study/circuit", "study/ltv", "study", "circuit", "ring", "math"}),
    "engine/cuda/study": frozenset(
        {
            "engine/*",
            "engine",
            "study",
            "study/fermat",
            "study/ltv",
            "study/transform",
            "program",
            "ring",
            "math",
        }
    ),
    "circuit": frozenset({"circuit", "scheme", "rlwe", "engine", "program", "ring", "math"}),
    # The C interface: its header, which includes nothing of the library, and what stands behind it.
    "cyclotome.h": frozenset(),
    "c": frozenset({"c", "cyclotome.h", "io", "value", "scheme", "rlwe", "engine", "engine/*", "ring", "math"}),
    # The one header that programs include, which nothing inside does.
    "cyclotome.hpp": frozenset(
        {"circuit", "engine", "engine/*", "io", "math", "ring", "rlwe", "scheme", "study/transform", "value"}
    ),
    "io": frozenset(
        {
            "io",
            "study",
            "study/fermat",
            "study/ltv",
            "value",
            "scheme",
            "rlwe",
            "engine",
            "program",
            "ring",
            "math",
            "platform",
        }
    ),
}

#: Folders of ``engine`` that are part of it, and no engine.
NO_ENGINES = frozenset({"running"})

#: Suffixes of files that hold C++ or CUDA code.
CODE = frozenset({".hpp", ".cpp", ".h", ".inc", ".cu", ".cuh"})

#: Headers that no public header may include: what takes seeds, which is for tests; what engines are made of, kernels,
#: threads and pools; how files are read and written byte by byte.
NEVER_PUBLIC = re.compile(
    r"(?:.*/)?(?:deterministic|seed_derivation|declassify)[.]hpp"
    r"|engine/cuda/.*|engine/dry/.*|engine/cpu/(?!cpu[.]|instruction_set).*|engine/fpga/(?!fpga[.]|circuit_abi|options|statistics).*"
    r"|engine/(?:hosted_engine|running/.*)[.]hpp"
    r"|io/container/(?:byte_|container|descriptor|envelope|frame|payload).*|io/files/pending.*|ring/randomness/libcrypto.*"
)

#: Headers that not every operating system has: for ``platform`` alone, and the CUDA engine, which is built for Linux.
OF_ONE_SYSTEM = re.compile(
    r"(?:sys|mach|linux)/.*|(?:unistd|fcntl|sched|pthread|dlfcn|signal|windows|io|share|bcrypt|malloc)[.]h"
)

#: Modules and rooms of the package ``cyclotome`` that may import it as a whole.
ABOVE = frozenset({"__init__.py", "__main__.py", "cli"})

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:"(?P<quoted>[^"]*)"|<(?P<angled>[^>]*)>)', re.MULTILINE)


class Offence(NamedTuple):
    """One include or import that is not allowed, and why."""

    file: Path
    line: int
    reason: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.reason}"


def room_of(path: str) -> str:
    """The room of a path below ``src/cyclotome/``, such as ``ring``, ``engine/cpu`` or ``engine/cuda/study``."""
    parts = path.split("/")
    if parts[0] == "engine" and len(parts) > 2 and parts[1] not in NO_ENGINES:
        twin = "/".join(parts[:3])
        return twin if len(parts) > 3 and twin in ROOMS else f"engine/{parts[1]}"
    nested = "/".join(parts[:2])
    return nested if len(parts) > 2 and nested in ROOMS else parts[0]


def may_include(room: str, other: str) -> bool:
    """Whether code in ``room`` may include a header of ``other``."""
    if room == other:
        return True
    allowed = ROOMS["engine/*" if room.startswith("engine/") and room not in ROOMS else room]
    return ("engine/*" if other.startswith("engine/") else other) in allowed


def include_reason(room: str, quoted: str | None, angled: str | None) -> str | None:
    """Why code in ``room`` must not have this include, or None when it may."""
    target = quoted if quoted is not None else angled or ""
    if target.startswith("cyclotome/"):
        other = room_of(target.removeprefix("cyclotome/"))
        if other not in ROOMS and not other.startswith("engine/"):
            return f'"{target}" names no room of src/cyclotome/'
        if not may_include(room, other):
            return f'{room} must not include {other} ("{target}")'
        return None
    if quoted is not None:
        return f'"{target}" must be written as "cyclotome/<room>/<name>"'
    if OF_ONE_SYSTEM.fullmatch(target) and room not in {"platform", "engine/cuda"}:
        return f"<{target}> is not on every system: what needs it belongs in platform"
    if target == "Python.h" or target.startswith("nanobind/"):
        return f"src/ must not know Python (<{target}>)"
    return None


def check_includes(root: Path) -> Iterator[Offence]:
    """Offences among the includes of ``root/src/cyclotome``."""
    source = root / "src" / "cyclotome"
    for file in sorted(path for path in source.rglob("*") if path.suffix in CODE):
        relative = file.relative_to(source).as_posix()
        room = room_of(relative)
        if room not in ROOMS and not room.startswith("engine/"):
            yield Offence(file, 1, f"{relative} lies in no room; the rooms are {', '.join(sorted(ROOMS))}")
            continue
        text = file.read_text(encoding="utf-8")
        for match in INCLUDE.finditer(text):
            reason = include_reason(room, match["quoted"], match["angled"])
            if reason is not None:
                yield Offence(file, text.count("\n", 0, match.start()) + 1, reason)


def included(file: Path) -> list[str]:
    """Paths below ``src/cyclotome`` that a file includes."""
    targets = [match["quoted"] or match["angled"] or "" for match in INCLUDE.finditer(file.read_text(encoding="utf-8"))]
    return [target.removeprefix("cyclotome/") for target in targets if target.startswith("cyclotome/")]


def circles(graph: Mapping[str, set[str]]) -> list[list[str]]:
    """The sets of nodes, of more than one, in which each reaches each."""
    reached = {node: reachable(graph, [node]) for node in graph}
    found = {frozenset(b for b in reached[a] if b != a and a in reached.get(b, ())) | {a} for a in graph}
    return sorted(sorted(each) for each in found if len(each) > 1)


def reachable(graph: Mapping[str, Iterable[str]], start: Iterable[str]) -> set[str]:
    """All that ``start`` leads to, and ``start``."""
    seen: set[str] = set()
    pending = list(start)
    while pending:
        node = pending.pop()
        if node not in seen:
            seen.add(node)
            pending.extend(graph.get(node, ()))
    return seen


def check_circles(root: Path) -> Iterator[Offence]:
    """Circles among the units of ``root/src/cyclotome``."""
    source = root / "src" / "cyclotome"
    units: dict[str, set[str]] = defaultdict(set)
    for file in (path for path in source.rglob("*") if path.suffix in CODE):
        unit = file.relative_to(source).with_suffix("").as_posix()
        units[unit] |= {PurePosixPath(other).with_suffix("").as_posix() for other in included(file)} - {unit}
    for circle in circles(units):
        yield Offence(source / circle[0], 1, f"these include each other in a circle: {', '.join(circle)}")


def public_entries(root: Path) -> list[str]:
    """The headers that ``cmake/public_headers.cmake`` lists, or none where there is no such file."""
    file = root / "cmake" / "public_headers.cmake"
    if not file.is_file():
        return []
    found = re.search(r"set\(public_headers\n(.*?)\)", file.read_text(encoding="utf-8"), re.DOTALL)
    return re.sub(r"#.*", "", found[1]).split() if found else []


def check_public(root: Path) -> Iterator[Offence]:
    """Internals that the public headers include, by whatever way, and public headers that are not there."""
    source = root / "src" / "cyclotome"
    graph = {file.relative_to(source).as_posix(): included(file) for file in source.rglob("*.h*")}
    entries = public_entries(root)
    for header in sorted(reachable(graph, entries)):
        if header not in graph:
            yield Offence(root / "cmake" / "public_headers.cmake", 1, f"there is no {header}")
        elif NEVER_PUBLIC.fullmatch(header):
            by = [entry for entry in entries if header in reachable(graph, [entry])]
            yield Offence(source / header, 1, f"is internal, and the public {by[0]} includes it")


def check_imports(root: Path) -> Iterator[Offence]:
    """Names that modules of ``root/python/cyclotome`` below the command line take from the package itself, whose
    ``__init__`` is above them all. The other rules on imports are import-linter's (pyproject.toml), which can't see
    this one."""
    package = root / "python" / "cyclotome"
    for file in sorted(package.rglob("*.py")):
        place = file.relative_to(package).parts
        if place[0] in ABOVE:
            continue
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"), filename=str(file))):
            if isinstance(node, (ast.Import, ast.ImportFrom)) and (names := taken(node, package, len(place))):
                yield Offence(file, node.lineno, f"import {', '.join(names)} from the module that has it")


def taken(node: ast.Import | ast.ImportFrom, package: Path, depth: int) -> list[str]:
    """What an import in a module of ``package`` takes from the package itself, which has this many dots there."""
    names = [alias.name for alias in node.names]
    if isinstance(node, ast.Import):
        return [name for name in names if name.split(".")[0] == "cyclotome"]
    if (node.level, node.module) not in ((0, "cyclotome"), (depth, None)):
        return []
    return [name for name in names if name != "_core" and not is_module(package, name)]


def is_module(package: Path, name: str) -> bool:
    """Whether ``package`` has a module or package of this name."""
    return (package / f"{name}.py").is_file() or (package / name).is_dir()


def main(arguments: list[str]) -> int:
    """Check the tree at ``arguments[0]``, by default the repository this file lies in; return the exit status."""
    root = Path(arguments[0]) if arguments else Path(__file__).resolve().parents[1]
    if not (root / "src" / "cyclotome").is_dir() and not (root / "python" / "cyclotome").is_dir():
        print(f"{root} has neither src/cyclotome/ nor python/cyclotome/; name the root of a checkout", file=sys.stderr)
        return 2
    offences = [*check_includes(root), *check_circles(root), *check_public(root), *check_imports(root)]
    for offence in offences:
        print(offence)
    print(f"layers: {len(offences)} offence{'' if len(offences) == 1 else 's'}", file=sys.stderr)
    return 1 if offences else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
