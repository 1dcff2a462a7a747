# SPDX-License-Identifier: Apache-2.0
"""The check that no include or import points up the layers: it accepts what it should, and it can fail."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def layers() -> ModuleType:
    spec = importlib.util.spec_from_file_location("check_layers", REPOSITORY / "tools" / "check_layers.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def write(root: Path, name: str, text: str) -> None:
    file = root / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def test_the_repository_itself_is_clean(layers: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    assert layers.main([str(REPOSITORY)]) == 0, capsys.readouterr().out


@pytest.mark.parametrize(
    ("file", "include"),
    [
        ("math/a.hpp", "math/b.hpp"),
        ("ring/a.cpp", "math/b.hpp"),
        ("program/a.hpp", "ring/b.hpp"),
        ("engine/engine.hpp", "program/b.hpp"),
        ("engine/cpu/a.cpp", "engine/engine.hpp"),
        ("engine/cpu/a.cpp", "engine/cpu/b.hpp"),
        ("rlwe/a.hpp", "engine/engine.hpp"),
        ("rlwe/a.hpp", "ring/b.hpp"),
        ("scheme/bfv/a.hpp", "rlwe/b.hpp"),
        ("scheme/bgv/a.hpp", "scheme/encoder.hpp"),
        ("circuit/a.hpp", "scheme/bfv/b.hpp"),
        ("io/a.hpp", "scheme/bfv/b.hpp"),
    ],
)
def test_an_include_that_points_down_is_accepted(layers: ModuleType, tmp_path: Path, file: str, include: str) -> None:
    write(tmp_path, f"src/cyclotome/{file}", f'#pragma once\n#include <vector>\n#include "cyclotome/{include}"\n')
    assert layers.main([str(tmp_path)]) == 0


@pytest.mark.parametrize(
    ("file", "include"),
    [
        ("math/a.hpp", "ring/b.hpp"),
        ("ring/a.hpp", "rlwe/b.hpp"),
        ("ring/a.hpp", "engine/cpu/b.hpp"),
        ("ring/a.hpp", "engine/engine.hpp"),
        ("ring/a.hpp", "program/b.hpp"),
        ("program/a.hpp", "engine/engine.hpp"),
        ("engine/cpu/a.cpp", "engine/cuda/b.hpp"),
        ("engine/engine.cpp", "engine/cpu/b.hpp"),
        ("engine/cpu/a.cpp", "rlwe/b.hpp"),
        ("engine/engine.cpp", "scheme/bfv/b.hpp"),
        ("rlwe/a.hpp", "scheme/bfv/b.hpp"),
        ("rlwe/a.hpp", "io/b.hpp"),
        ("scheme/bfv/a.hpp", "engine/cpu/b.hpp"),
        ("scheme/bfv/a.hpp", "circuit/b.hpp"),
        ("circuit/a.hpp", "io/b.hpp"),
        ("io/a.hpp", "circuit/b.hpp"),
        ("math/a.hpp", "attic/b.hpp"),
    ],
)
def test_an_include_that_points_up_is_refused(
    layers: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str], file: str, include: str
) -> None:
    write(tmp_path, f"src/cyclotome/{file}", f'#pragma once\n\n  #  include "cyclotome/{include}"\n')
    assert layers.main([str(tmp_path)]) == 1
    assert f"{file}:3: " in capsys.readouterr().out


@pytest.mark.parametrize("line", ['#include "b.hpp"', '#include "../ring/b.hpp"', "#include <nanobind/nanobind.h>"])
def test_includes_that_evade_the_rooms_are_refused(layers: ModuleType, tmp_path: Path, line: str) -> None:
    write(tmp_path, "src/cyclotome/math/a.hpp", line + "\n")
    assert layers.main([str(tmp_path)]) == 1


def test_a_file_outside_every_room_is_refused(layers: ModuleType, tmp_path: Path) -> None:
    write(tmp_path, "src/cyclotome/util/a.hpp", "#pragma once\n")
    assert layers.main([str(tmp_path)]) == 1


@pytest.mark.parametrize(
    ("file", "statement"),
    [
        ("array.py", "from cyclotome import _core, keys"),
        ("array.py", "from .keys import SecretKey"),
        ("cli/__init__.py", "from cyclotome.demo import run"),
        ("cli.py", "from . import demo"),
        ("__main__.py", "from cyclotome.cli import main"),
        ("array.py", "from sklearn import cli"),
    ],
)
def test_an_import_that_points_down_is_accepted(layers: ModuleType, tmp_path: Path, file: str, statement: str) -> None:
    write(tmp_path, f"python/cyclotome/{file}", statement + "\n")
    assert layers.main([str(tmp_path)]) == 0


@pytest.mark.parametrize(
    ("file", "statement"),
    [
        ("array.py", "import cyclotome.cli"),
        ("array.py", "from cyclotome import demo"),
        ("array.py", "from . import cli"),
        ("files/reader.py", "from ..cli import main"),
        ("array.py", "def f():\n    from cyclotome.cli import main"),
        ("array.py", "import cyclotome_testing"),
        ("cli.py", "from test.python import oracle"),
    ],
)
def test_an_import_that_points_up_is_refused(layers: ModuleType, tmp_path: Path, file: str, statement: str) -> None:
    write(tmp_path, f"python/cyclotome/{file}", statement + "\n")
    assert layers.main([str(tmp_path)]) == 1


def test_a_tree_with_nothing_to_check_is_an_error(layers: ModuleType, tmp_path: Path) -> None:
    assert layers.main([str(tmp_path)]) == 2
