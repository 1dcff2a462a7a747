# SPDX-License-Identifier: Apache-2.0
"""Which tests `make check` runs."""

from __future__ import annotations

import random
from pathlib import Path, PurePosixPath
from types import SimpleNamespace
from typing import Any

import pytest
import selection


def item(name: str, *, slow: bool = False) -> Any:
    marker = SimpleNamespace(name="slow") if slow else None
    return SimpleNamespace(nodeid=name, get_closest_marker=lambda wanted: marker if wanted == "slow" else None)


def test_every_function_keeps_its_first_cases_and_the_last() -> None:
    items = [item(f"a.py::test_x[{i}]") for i in range(9)] + [item("a.py::test_y"), item("b.py::test_x[0]")]
    items.append(item("b.py::test_z", slow=True))
    kept = [each.nodeid for each in selection.sample(items, 3)]
    assert kept == ["a.py::test_x[0]", "a.py::test_x[1]", "a.py::test_x[8]", "a.py::test_y", "b.py::test_x[0]"]


@pytest.mark.parametrize(
    ("changed", "touched"),
    [
        ("test/python/whole/test_selection.py", {"test_selection.py"}),
        ("test/python/helpers/selection.py", {"test_selection.py"}),
        ("src/cyclotome/ring/poly.cpp", set()),
        ("README.md", set()),
        ("hdl/cyclotome_hdl/verilog/drawing.py", {"test_hdl_drawing.py"}),
    ],
)
def test_a_change_touches_the_tests_that_name_it(changed: str, touched: set[str]) -> None:
    assert selection.touched_tests([PurePosixPath(changed)]) == touched


def test_a_helper_touches_every_test_that_uses_it() -> None:
    touched = selection.touched_tests([PurePosixPath("test/python/oracles/integers.py")])
    text = {path.name: path.read_text() for path in Path(__file__).parents[1].rglob("test_*.py")}
    assert touched >= {name for name in text if "\nfrom oracles.integers import" in text[name]}
    assert 3 <= len(touched) < len(text)


@pytest.mark.parametrize(
    ("changed", "rooms"),
    [
        ("python/cyclotome/frames/columns.py", {"frames"}),
        ("python/cyclotome/keys/kinds.py", {"parameters"}),
        ("src/cyclotome/value/layout/layout.cpp", {"arrays", "functions"}),
        ("src/cyclotome/study/fermat/limbs/punctured.cpp", {"study", "fermat"}),
        ("hdl/cyclotome_hdl/verilog/emit.py", {"hdl"}),
        ("test/python/frames/test_frames.py", set()),
        ("doc/testing.md", set()),
    ],
)
def test_sources_have_rooms_of_tests(changed: str, rooms: set[str]) -> None:
    assert selection.rooms_of(PurePosixPath(changed)) == rooms


def test_rooms_that_are_named_exist() -> None:
    rooms = {room for some in selection.ROOMS.values() for room in some}
    assert all((selection.ROOT / selection.TESTS / room).is_dir() for room in rooms)


def test_every_file_is_chosen_for_one_reason_and_the_draw_repeats() -> None:
    changed = [
        PurePosixPath("test/python/whole/test_selection.py"),
        PurePosixPath("hdl/cyclotome_hdl/verilog/drawing.py"),
    ]
    choice = selection.choose(changed, random.Random(1))
    kinds = (choice.edited, choice.importing, choice.near, choice.others)
    assert choice.edited == {"test_selection.py"}
    assert choice.importing == {"test_hdl_drawing.py"}
    assert {"test_fpga_engine.py"} <= choice.near
    assert len(choice.others) == selection.OTHERS
    assert sum(map(len, kinds)) == len(frozenset().union(*kinds))
    assert [choice.rank(next(iter(names))) for names in kinds] == [0, 1, 2, 3]
    assert choice.rank("test_that_is_none.py") == 4
    assert selection.choose(changed, random.Random(1)) == choice
    assert selection.choose(changed, random.Random(2)).others != choice.others


def test_imports_are_seen_wherever_they_stand(tmp_path: Path) -> None:
    file = tmp_path / "test_a.py"
    file.write_text("import a.b\ndef f():\n    from c import d\nfrom . import e\n")
    assert selection.imported_modules(file) == {"a.b", "c", "c.d"}
    assert selection.module_name(PurePosixPath("hdl/cyclotome_hdl/__init__.py")) == "cyclotome_hdl"


def test_a_commit_that_is_not_there_is_an_error() -> None:
    with pytest.raises(pytest.UsageError, match="--changed-since"):
        selection.changed_files("no-such-commit-or-branch")
