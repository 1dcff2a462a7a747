# SPDX-License-Identifier: Apache-2.0
"""One extension, and one binding of every name: tests' internals are a submodule of it, which no package holds."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from cyclotome import _core
from cyclotome._core import testing

ROOT = Path(__file__).resolve().parents[3]


def members(module: ModuleType) -> Iterator[tuple[str, Any]]:
    """Names and values of a module and all modules in it, but for what Python itself puts there."""
    for name, value in vars(module).items():
        if isinstance(value, ModuleType):
            yield from members(value)
        elif not name.startswith("__"):
            yield name, value


def types_of(signature: str) -> tuple[str, ...]:
    """Types of arguments, without names and defaults: "def f(a: int, b: m.C = 1, /) -> int" has int and m.C."""
    inside = signature[signature.index("(") + 1 : signature.rindex(") ->")]
    pieces, depth = [""], 0
    for character in inside:
        depth += (character in "([") - (character in ")]")
        if character == "," and depth == 0:
            pieces.append("")
        else:
            pieces[-1] += character
    typed = [piece.partition(":")[2].partition(" = ")[0].strip() for piece in pieces]
    return tuple(each for each in typed if each)


def overloads(module: ModuleType) -> Iterator[tuple[str, tuple[str, ...]]]:
    for name, value in members(module):
        for signature, *_ in getattr(value, "__nb_signature__", ()) if not isinstance(value, type) else ():
            yield name, types_of(signature)


def test_no_function_is_bound_twice() -> None:
    """Of one name and the same arguments, wherever it stands; different functions of one name differ in arguments."""
    assert types_of("def f(a: int, b: x.A[int, str] = \\0, /, *, c: y.C | None = None) -> int") == (
        "int",
        "x.A[int, str]",
        "y.C | None",
    )
    found = Counter(overloads(_core))
    assert found["add", ("cyclotome._core.Ciphertext",) * 2] == 1
    assert found["multiply_plain", ("cyclotome._core.Ciphertext", "cyclotome._core.Plaintext")] == 1
    assert [each for each, times in found.items() if times > 1] == []


def test_no_class_is_bound_twice() -> None:
    """nanobind knows one Python type for each of C++, and warns of a second; names are unique as well."""
    classes = [value for _, value in members(_core) if isinstance(value, type)]
    assert _core.Ciphertext in classes and testing.PolyArray in classes
    assert testing.PolyArray.__module__ == "cyclotome._core.testing"
    assert [name for name, times in Counter(each.__name__ for each in classes).items() if times > 1] == []


def test_nothing_of_the_submodule_is_in_the_stub() -> None:
    stubs = [ROOT / "python/cyclotome/_core.pyi", Path(str(_core.__file__)).resolve().parent / "_core.pyi"]
    texts = [stub.read_text(encoding="utf-8") for stub in stubs if stub.is_file()]
    if not texts:
        pytest.skip("this build made no stub")
    for text in texts:
        assert "class Ciphertext" in text
        assert "testing" not in text and "PolyArray" not in text


def test_packages_are_built_without_the_submodule(tmp_path: Path) -> None:
    """As pip configures them: by the definitions of pyproject.toml alone. With tests, the submodule is compiled."""
    tomllib = pytest.importorskip("tomllib")
    cmake = shutil.which("cmake", path=str(Path(sys.executable).parent)) or shutil.which("cmake")
    ninja = shutil.which("ninja", path=str(Path(sys.executable).parent)) or shutil.which("ninja")
    if cmake is None or ninja is None:
        pytest.skip("needs cmake and ninja")
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["scikit-build"]

    def compiled(*options: str) -> tuple[set[str], bool]:
        """Sources of the extension below the checkout, and whether the submodule is asked for."""
        given = [f"-D{name}={value}" for name, value in pyproject["cmake"]["define"].items()]
        tools = [f"-DCMAKE_MAKE_PROGRAM={ninja}", f"-DPython_EXECUTABLE={sys.executable}"]
        folder = tmp_path / f"build{len(options)}"
        subprocess.run(
            [cmake, "-S", str(ROOT), "-B", str(folder), "-G", "Ninja", *tools, *given, *options],
            check=True,
            capture_output=True,
        )
        commands = json.loads((folder / "compile_commands.json").read_text(encoding="utf-8"))
        own = [each for each in commands if "CMakeFiles/_core.dir/" in each["command"]]
        names = {Path(each["file"]).relative_to(ROOT).as_posix() for each in own}
        return names, any("-DCYCLOTOME_TESTING" in each["command"] for each in commands)

    ordinary, asked = compiled()
    assert "python/bindings/module.cpp" in ordinary and not asked
    assert all(name.startswith("python/bindings/") for name in ordinary)
    tested, asked = compiled("-DCYCLOTOME_BUILD_TESTING=ON")
    assert asked and ordinary < tested
    assert tested - ordinary == {path.relative_to(ROOT).as_posix() for path in (ROOT / "test/bindings").glob("*.cpp")}


def test_nothing_of_the_package_asks_for_the_submodule() -> None:
    """It would not be there."""
    asking = re.compile(r"\btesting\b.*_core|_core\.testing|_core import testing")
    folders = ["python/cyclotome", "bench", "demo", "hdl", "reader", "study"]
    files = [path for folder in folders for path in (ROOT / folder).rglob("*.py") if "build" not in path.parts]
    assert len(files) > 50
    assert [path for path in files if asking.search(path.read_text(encoding="utf-8"))] == []
