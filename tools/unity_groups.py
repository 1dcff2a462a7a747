# SPDX-License-Identifier: Apache-2.0
"""Groups of C++ sources that can be compiled as one: files of one room, or of its neighbours, of which none gives a
name of its own (in an unnamed namespace, or by ``#define``) that another one gives too, or sees in a header of the same
namespace.

Usage: ``python tools/unity_groups.py FOLDER``, for the sources below it: a line ``group file`` for each.
cmake/faster_builds.cmake asks, for builds with CYCLOTOME_UNITY.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

#: Files in a group: beyond, little is left to share.
MOST = 12
#: Groups that are tried for a file, the last ones made, before it begins another.
OPEN = 6

_NOISE = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])+'", re.DOTALL)
_DEFINED = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", re.MULTILINE)
_DIRECTIVE = re.compile(r"^[ \t]*#(?:\\\n|[^\n])*", re.MULTILINE)
_INCLUDE = re.compile(r"^#include \"([^\"]+)\"", re.MULTILINE)
_SPACE = re.compile(r"\bnamespace\s+([\w:]+)\s*\{")
_UNNAMED = re.compile(r"\bnamespace\s*\{")
#: ``a = 1, b = 2`` names more than one.
_FURTHER = re.compile(r"\b([A-Za-z_]\w*)\s*=(?!=)")
_SCOPE = re.compile(r"[{};]")


def own_names(text: str) -> set[str]:
    """Names that a source gives for itself."""
    text = _NOISE.sub('""', text)
    found = set(_DEFINED.findall(text))
    text = _DIRECTIVE.sub("", text)
    for match in _UNNAMED.finditer(text):
        found |= _declared(text, match.end())
    return found


def _declared(text: str, at: int) -> set[str]:
    """Names that are declared in the namespace that begins there, not within what they name."""
    found: set[str] = set()
    depth, begin = 0, at
    for mark in _SCOPE.finditer(text, at):
        if depth == 0 and mark[0] != "}":
            found |= _named(text[begin : mark.start()])
        depth += {"{": 1, "}": -1, ";": 0}[mark[0]]
        if depth < 0:
            break
        if depth == 0:
            begin = mark.end()
    return found


def _named(declaration: str) -> set[str]:
    """The name in ``template <class T> T name(...)``, ``constexpr int name[3] =``, ``struct Name : Base``."""
    declaration = re.sub(r"\[\[.*?\]\]", "", declaration)
    while re.search(r"<[^<>]*>", declaration):  # arguments of templates
        declaration = re.sub(r"<[^<>]*>", " ", declaration)
    head = re.split(r"[(=\[]|(?<!:):(?!:)", declaration, maxsplit=1)[0]
    names = [name for name in re.findall(r"[A-Za-z_]\w*", head) if name != "final"]
    return {*names[-1:], *_FURTHER.findall(declaration)}


class Source:
    """A file's own names, and those that it sees: of headers of its own namespace, and of those around it."""

    def __init__(self, file: Path, folder: Path) -> None:
        text = file.read_text(encoding="utf-8")
        self.file, self.own = file, own_names(text)
        spaces = {space for match in _SPACE.findall(text) for space in _around(match)}
        #: Takes in all names of a namespace: nothing tells which of them another file's would hide.
        self.open = "using namespace" in text
        self.seen: set[str] = set()
        for header in _headers(file, folder):
            self.seen |= {name for space, names in _given(header).items() if space in spaces for name in names}

    def fits(self, other: Source) -> bool:
        if self.open or other.open:
            return False
        return self.own.isdisjoint(other.own | other.seen) and other.own.isdisjoint(self.seen)


def _around(space: str) -> Iterator[str]:
    """A namespace, and those around it: a::b, a."""
    parts = space.split("::")
    return ("::".join(parts[:count]) for count in range(1, len(parts) + 1))


@cache
def _headers(file: Path, folder: Path) -> frozenset[Path]:
    """The project's headers that a file includes, and that these include."""
    direct = {folder / name for name in _INCLUDE.findall(file.read_text(encoding="utf-8"))}
    found = {header for header in direct if header.is_file()}
    return frozenset(found.union(*(_headers(header, folder) for header in found)))


@cache
def _given(header: Path) -> dict[str, set[str]]:
    """Names that a header gives, by namespace."""
    text = _DIRECTIVE.sub("", _NOISE.sub('""', header.read_text(encoding="utf-8")))
    found: dict[str, set[str]] = defaultdict(set)
    for match in _SPACE.finditer(text):
        found[match[1]] |= _declared(text, match.end())
    return found


def groups(sources: Iterable[Source]) -> list[list[Source]]:
    """Files that fit each other in groups, in their order as far as that goes."""
    made: list[list[Source]] = []
    for source in sources:
        for group in made[-OPEN:]:
            if len(group) < MOST and all(map(source.fits, group)):
                group.append(source)
                break
        else:
            made.append([source])
    return made


def main(folder: Path) -> None:
    """Prints the groups of a folder's sources."""
    for number, group in enumerate(groups(Source(file, folder) for file in sorted(folder.rglob("*.cpp")))):
        for source in group:
            print(f"{number} {source.file}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
