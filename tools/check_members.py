# SPDX-License-Identifier: Apache-2.0
"""Refuse accesses to other objects' private members in the Python packages.

A name with one leading underscore belongs to the class, or the module, that declares it. It may be used on ``self``,
``cls`` and ``super()``, and within the body of a class that declares it on other objects of that class, as in
``__eq__``; whoever else needs it asks for a public one. ``_core`` is the library's extension and no member;
``_fields`` and its like are how named tuples are used.

Usage: ``python tools/check_members.py [FOLDER ...]``, by default all packages of the repository. Prints one line per
offence and exits with 1 when there is one, with 2 when there is no Python file to check.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

PACKAGES = (
    "python/cyclotome",
    "bench/cyclotome_bench",
    "demo/cyclotome_demo",
    "hdl/cyclotome_hdl",
    "reader/cyclotome_reader",
    "study/cyclotome_study",
)

#: Public by the documentation of what has them.
PUBLIC = frozenset({"_core", "_asdict", "_fields", "_exit", "_field_defaults", "_make", "_replace"})

OWN = frozenset({"self", "cls"})


class Offence(NamedTuple):
    """One access, and what it accesses."""

    file: Path
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.text} is private to what declares it; ask for a public member"


def is_private(name: str) -> bool:
    """Whether a name belongs to what declares it: one leading underscore, no dunder."""
    return name.startswith("_") and not name.startswith("__") and name not in PUBLIC


def is_own(value: ast.expr) -> bool:
    """Whether an expression is the object itself."""
    if isinstance(value, ast.Call):
        return isinstance(value.func, ast.Name) and value.func.id == "super"
    return isinstance(value, ast.Name) and value.id in OWN


def is_foreign(access: ast.Attribute, known: frozenset[str]) -> bool:
    """Whether a member is another object's, of a class that is not around the access."""
    return not is_own(access.value) and access.attr not in known


def declared(body: ast.ClassDef) -> set[str]:
    """The private names that a class declares: functions, fields, slots, and what methods set on themselves."""
    names: set[str] = set()
    for node in ast.walk(body):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            names.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and is_own(node.value):
            names.add(node.attr)
        elif isinstance(node, ast.Assign) and any(ast.unparse(target) == "__slots__" for target in node.targets):
            names.update(str(slot.value) for slot in ast.walk(node.value) if isinstance(slot, ast.Constant))
    return {name for name in names if is_private(name)}


def offences(file: Path, node: ast.AST, known: frozenset[str] = frozenset()) -> Iterator[Offence]:
    """Those below ``node``, where the names in ``known`` are declared by a class around it."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef):
            yield from offences(file, child, known | declared(child))
            continue
        if isinstance(child, ast.ImportFrom):
            yield from (Offence(file, child.lineno, a.name) for a in child.names if is_private(a.name))
        elif isinstance(child, ast.Attribute) and is_private(child.attr) and is_foreign(child, known):
            yield Offence(file, child.lineno, ast.unparse(child))
        yield from offences(file, child, known)


def main(arguments: list[str]) -> int:
    """Check the folders named, by default this repository's packages; return the exit status."""
    root = Path(__file__).resolve().parents[1]
    folders = [Path(argument) for argument in arguments] or [root / package for package in PACKAGES]
    files = sorted(file for folder in folders for file in folder.rglob("*.py"))
    if not files:
        print(f"there are no Python files in {', '.join(map(str, folders))}", file=sys.stderr)
        return 2
    found = [o for file in files for o in offences(file, ast.parse(file.read_text(encoding="utf-8"), str(file)))]
    for offence in found:
        print(offence)
    print(f"private members: {len(found)} offence{'' if len(found) == 1 else 's'}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
