# SPDX-License-Identifier: Apache-2.0
"""The checks of who may know whom, by includes, imports and members: they accept what they should, and can fail."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from pages import program

REPOSITORY = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def layers() -> ModuleType:
    return program("tools/check_layers.py")


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


def test_units_that_include_each_other_are_refused(
    layers: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Through a header here and a source there, where no header includes itself."""
    write(tmp_path, "src/cyclotome/math/a.hpp", '#include "cyclotome/math/b.hpp"\n')
    write(tmp_path, "src/cyclotome/math/b.hpp", "#pragma once\n")
    write(tmp_path, "src/cyclotome/math/c.cpp", '#include "cyclotome/math/a.hpp"\n')
    assert layers.main([str(tmp_path)]) == 0
    write(tmp_path, "src/cyclotome/math/b.cpp", '#include "cyclotome/math/c.hpp"\n')
    write(tmp_path, "src/cyclotome/math/c.hpp", "#pragma once\n")
    assert layers.main([str(tmp_path)]) == 1
    assert "in a circle: math/a, math/b, math/c" in capsys.readouterr().out


@pytest.mark.parametrize("internal", ["rlwe/keys/deterministic.hpp", "engine/cpu/kernels.hpp", "engine/cuda/state.hpp"])
def test_internals_behind_a_public_header_are_refused(
    layers: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str], internal: str
) -> None:
    listed = "set(public_headers\n    # cores\n    engine/cpu/cpu.hpp\n    rlwe/a.hpp)\n"
    write(tmp_path, "cmake/public_headers.cmake", listed)
    write(tmp_path, "src/cyclotome/engine/cpu/cpu.hpp", '#include "cyclotome/ring/a.hpp"\n')
    write(tmp_path, "src/cyclotome/ring/a.hpp", "#pragma once\n")
    write(tmp_path, "src/cyclotome/rlwe/a.hpp", "#pragma once\n")
    write(tmp_path, f"src/cyclotome/{internal}", "#pragma once\n")
    assert not list(layers.check_public(tmp_path))
    write(tmp_path, "src/cyclotome/rlwe/a.hpp", f'#include "cyclotome/{internal}"\n')
    assert [str(offence).endswith("the public rlwe/a.hpp includes it") for offence in layers.check_public(tmp_path)]
    (tmp_path / "src" / "cyclotome" / "ring" / "a.hpp").unlink()
    assert any("there is no ring/a.hpp" in str(offence) for offence in layers.check_public(tmp_path))


def test_a_file_outside_every_room_is_refused(layers: ModuleType, tmp_path: Path) -> None:
    write(tmp_path, "src/cyclotome/util/a.hpp", "#pragma once\n")
    assert layers.main([str(tmp_path)]) == 1


@pytest.mark.parametrize(
    ("file", "statement"),
    [
        ("options.py", "from cyclotome import _core"),
        ("options.py", "from . import _core, keys"),
        ("arrays/array.py", "from .. import _core, keys"),
        ("arrays/array.py", "from . import facts"),
        ("arrays/array.py", "from ..keys.kinds import SecretKey"),
        ("arrays/array.py", "from sklearn import cli"),
        ("cli/keys.py", "import cyclotome as cy"),
        ("__main__.py", "from cyclotome import encrypt"),
    ],
)
def test_modules_import_modules(layers: ModuleType, tmp_path: Path, file: str, statement: str) -> None:
    write(tmp_path, "python/cyclotome/keys/kinds.py", "")
    write(tmp_path, f"python/cyclotome/{file}", statement + "\n")
    assert layers.main([str(tmp_path)]) == 0


@pytest.mark.parametrize(
    "statement",
    [
        "import cyclotome",
        "import cyclotome.keys.kinds",
        "from cyclotome import SecretKey",
        "from .. import SecretKey",
        "def f():\n    import cyclotome as cy",
    ],
)
def test_modules_import_nothing_from_the_package_above_them(layers: ModuleType, tmp_path: Path, statement: str) -> None:
    write(tmp_path, "python/cyclotome/keys/kinds.py", "")
    write(tmp_path, "python/cyclotome/arrays/array.py", statement + "\n")
    assert layers.main([str(tmp_path)]) == 1


# --- import-linter, by the contracts in pyproject.toml


PACKAGES = {
    "cyclotome": "python",
    "cyclotome_bench": "bench",
    "cyclotome_demo": "demo",
    "cyclotome_hdl": "hdl",
    "cyclotome_reader": "reader",
    "cyclotome_study": "study",
}


def linted(root: Path) -> tuple[int, str]:
    """Exit code and output of import-linter for the packages below ``root``."""
    pytest.importorskip("importlinter", reason="import-linter is not installed")
    path = os.pathsep.join([*(str(root / folder) for folder in PACKAGES.values()), *filter(None, sys.path)])
    done = subprocess.run(
        [sys.executable, "-c", "from importlinter.cli import lint_imports_command as c; c()", "--no-cache"],
        cwd=root,
        env={**os.environ, "PYTHONPATH": path, "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The packages' Python files and the contracts, to be spoiled."""
    for package, folder in PACKAGES.items():
        for file in (REPOSITORY / folder / package).rglob("*.py"):
            write(tmp_path, str(file.relative_to(REPOSITORY)), file.read_text(encoding="utf-8"))
    shutil.copy(REPOSITORY / "pyproject.toml", tmp_path)
    return tmp_path


def test_the_packages_keep_the_contracts(copy: Path) -> None:
    code, output = linted(copy)
    assert code == 0, output


FOR_TYPES_ONLY = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from ..arrays import array"


@pytest.mark.parametrize(
    ("file", "statement", "shown"),
    [
        (
            "python/cyclotome/arrays/array.py",
            "def f():\n    from ..files import load",
            "cyclotome.arrays.array -> cyclotome.files",
        ),
        ("python/cyclotome/keys/kinds.py", FOR_TYPES_ONLY, "cyclotome.keys.kinds -> cyclotome.arrays.array"),
        ("python/cyclotome/files/__init__.py", "from ..cli import main", "cyclotome.files -> cyclotome.cli"),
        ("python/cyclotome/devices/fpga.py", "import cyclotome_hdl.device", "-> cyclotome_hdl.device"),
        ("python/cyclotome/cli/visible.py", "from cyclotome.cli import console", "acyclic by removing"),
        ("study/cyclotome_study/product_context.py", "import cyclotome_bench.page", "-> cyclotome_bench.page"),
        ("demo/cyclotome_demo/task.py", "def f():\n    import pytest", "-> pytest"),
        ("reader/cyclotome_reader/rings.py", "def f():\n    import numpy", "-> numpy"),
        ("reader/cyclotome_reader/keys.py", "import cyclotome.keys.kinds", "-> cyclotome.keys.kinds"),
        ("python/cyclotome/newcomer.py", "", "newcomer"),
    ],
    ids=lambda value: value.rpartition("/")[2] if value.endswith(".py") else "",
)
def test_an_import_that_points_up_or_around_is_refused(copy: Path, file: str, statement: str, shown: str) -> None:
    """Wherever it stands: in a function, for types only; and a module that is in no layer."""
    spoiled = copy / file
    old = spoiled.read_text(encoding="utf-8") if spoiled.exists() else ""
    spoiled.write_text(f"{old}\n{statement}\n", encoding="utf-8")
    code, output = linted(copy)
    assert code == 1 and shown in output, output


# --- private members


@pytest.fixture(scope="module")
def members() -> ModuleType:
    return program("tools/check_members.py")


def test_nobody_takes_what_is_private(members: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    assert members.main([]) == 0, capsys.readouterr().out


@pytest.mark.parametrize(
    "code",
    [
        "class A:\n    def __init__(self): self._x = 1\n    def __eq__(self, o): return self._x == o._x",
        "class A:\n    __slots__ = ('_x',)\n    @classmethod\n    def of(cls, x):\n        a = cls()\n        a._x = x",
        "class A:\n    def _f(self): pass\n    def g(self): super()._f(), A()._f()",
        "from . import _core\n_core.multiply(1, 2)",
        "print(point._fields, point._asdict(), point.__class__)",
    ],
)
def test_own_members_are_accepted(members: ModuleType, tmp_path: Path, code: str) -> None:
    write(tmp_path, "a.py", code)
    assert members.main([str(tmp_path)]) == 0


@pytest.mark.parametrize(
    "code",
    [
        "def f(x): return x._native",
        "class A:\n    def f(self, x): return x._native",
        "class A:\n    def __init__(self): self._x = 1\nclass B:\n    def f(self, a): return a._x",
        "class A:\n    def f(self): return self.key._native",
        "class A:\n    '''_x'''\n    def f(self, a): a._x()",
        "from .parameters import _text",
        "import files\nfiles._read(1)",
        "x = [lambda a: a._b]",
    ],
)
def test_other_objects_members_are_refused(
    members: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str], code: str
) -> None:
    write(tmp_path, "a.py", code)
    assert members.main([str(tmp_path)]) == 1
    assert "is private to" in capsys.readouterr().out


def test_no_files_are_an_error(members: ModuleType, tmp_path: Path) -> None:
    assert members.main([str(tmp_path)]) == 2


def test_a_tree_with_nothing_to_check_is_an_error(layers: ModuleType, tmp_path: Path) -> None:
    assert layers.main([str(tmp_path)]) == 2
