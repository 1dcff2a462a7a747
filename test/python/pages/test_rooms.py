# SPDX-License-Identifier: Apache-2.0
"""Every room of src/cyclotome has a README that tells a stranger where to begin, and that is true: its files and tests
are there, and it names every room that its code includes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pages import QUOTED, ROOT, name_of, prose

SOURCE = ROOT / "src" / "cyclotome"
#: Packages whose folders are rooms.
PACKAGES = ("python/cyclotome", "bench/cyclotome_bench", "hdl/cyclotome_hdl")
#: Of the extension.
BINDINGS = ROOT / "python" / "bindings"
#: Folders of `engine` that are none.
NO_ENGINES = {"running"}
CODE = {".hpp", ".cpp", ".h", ".cuh", ".cu"}
SECTIONS = ["Read first", "Words", "Rules", "Test", "Not here"]
FILE = re.compile(r"(?:[\w.*-]+/)*[\w*-]+\.(?:hpp|cpp|h|cuh|cu|c|rs|py|md)")


def is_code(path: Path) -> bool:
    return path.suffix in CODE


def rooms() -> list[Path]:
    """Folders with code: those of src/cyclotome, each engine and each scheme; their own subfolders belong to them."""
    tops = [path for path in SOURCE.iterdir() if path.is_dir() and any(map(is_code, path.rglob("*")))]
    folders = [path for top in tops if top.name in {"engine", "scheme"} for path in top.iterdir() if path.is_dir()]
    nested = [path for path in folders if path.name not in NO_ENGINES]
    return sorted([top for top in tops if top.name != "engine" or any(map(is_code, top.iterdir()))] + nested)


def readme(room: Path) -> str:
    return prose(room / "README.md")


def section(room: Path, title: str) -> str:
    return re.split(r"^## ", readme(room), flags=re.MULTILINE)[1 + SECTIONS.index(title)]


def named_files(text: str) -> list[str]:
    return [name for name in QUOTED.findall(text) if FILE.fullmatch(name)]


def exists(room: Path, name: str) -> bool:
    return any(any(folder.glob(name)) for folder in (room, SOURCE, ROOT))


def nested_rooms() -> list[Path]:
    """Rooms within those, of packages and of bindings: folders with code that a README of half a page describes."""
    packages = [path.parent for base in PACKAGES for path in (ROOT / base).rglob("__init__.py")]
    tops = [path for room in rooms() for path in room.rglob("*")] + [BINDINGS, *BINDINGS.rglob("*")]
    folders = [path for path in tops if path.is_dir() and any(map(is_code, path.iterdir()))]
    known = {*rooms(), *(ROOT / base for base in PACKAGES)}
    return sorted({*folders, *packages} - known)


def units(room: Path) -> set[str]:
    """What lies in a room: files of one name are one thing."""
    return {path.stem for path in room.iterdir() if is_code(path) or path.suffix == ".py"} - {"__init__"}


EACH_ROOM = pytest.mark.parametrize("room", rooms(), ids=name_of)


def test_there_are_rooms() -> None:
    names = {name_of(room).removeprefix("src/cyclotome/") for room in rooms()}
    assert {"math", "ring", "rlwe", "scheme", "scheme/bfv", "scheme/bgv", "engine/cpu", "value", "io"} <= names
    assert not names & {"engine/cpu/vector", "engine/running"}


@EACH_ROOM
def test_it_is_a_page_with_the_usual_sections(room: Path) -> None:
    text = readme(room)
    assert re.findall(r"^## (.+)$", text, re.MULTILINE) == SECTIONS
    assert text.startswith(f"# {name_of(room).removeprefix('src/cyclotome/')}\n")
    assert 20 <= text.count("\n") <= 80


@EACH_ROOM
def test_its_files_are_there(room: Path) -> None:
    assert [name for name in named_files(readme(room)) if not exists(room, name)] == []


@EACH_ROOM
def test_it_says_what_to_read_first_and_in_which_order(room: Path) -> None:
    items = re.findall(r"^(\d)\. (.+)$", section(room, "Read first"), re.MULTILINE)
    assert [int(number) for number, _ in items] == list(range(1, len(items) + 1)) and 3 <= len(items) <= 6
    for _, item in items:
        assert named_files(item) or "README.md" in item, item


@EACH_ROOM
def test_it_names_every_room_that_its_code_includes(room: Path) -> None:
    line = re.search(r"\*\*May include:\*\*([^*]*?)\.\s", section(room, "Rules"))
    assert line is not None
    named = set(QUOTED.findall(line[1]))
    assert named or "nothing but itself" in line[1]
    included = set()
    for path in room.rglob("*"):
        if is_code(path):
            for target in re.findall(r'#\s*include\s*"cyclotome/([\w/]+)/[\w.]+"', path.read_text(encoding="utf-8")):
                included.add(target)
    own = name_of(room).removeprefix("src/cyclotome/")
    outside = {target for target in included if target != own and not target.startswith(own + "/")}
    assert {target for target in outside if target not in named and target.split("/")[0] not in named} == set()


@EACH_ROOM
def test_its_tests_are_named(room: Path) -> None:
    assert any("test/" in name for name in named_files(section(room, "Test")))


@pytest.mark.parametrize("room", nested_rooms(), ids=name_of)
def test_a_room_in_a_room_is_read_in_half_a_page(room: Path) -> None:
    """Its README names everything in it, and nothing that isn't there."""
    text = (room / "README.md").read_text(encoding="utf-8")
    assert re.findall(r"^## (.+)$", text, re.MULTILINE) == ["Read first", "Not here"]
    assert text.count("\n") <= 30
    names = named_files(text)
    assert [name for name in names if not exists(room, name)] == []
    assert units(room) - {Path(name).stem for name in names} == set()


def test_rooms_are_rooms() -> None:
    """No folder of the library is a list: some twenty things at most."""
    assert [name_of(path) for path in [*rooms(), *nested_rooms()] if len(units(path)) > 24] == []


def test_a_file_that_is_gone_and_a_room_that_is_not_named_are_seen() -> None:
    assert not exists(SOURCE / "math", "modular_gone.hpp") and exists(SOURCE / "math", "modulus.hpp")
    assert named_files("`modulus.hpp` and `test/python/noise/test_noise_*.py`, but not `T` or `a b.hpp`") == [
        "modulus.hpp",
        "test/python/noise/test_noise_*.py",
    ]
