# SPDX-License-Identifier: Apache-2.0
"""Packages of their own: the library neither holds nor loads them, and says what is missing where they are."""

from __future__ import annotations

import importlib.metadata
import re
import subprocess
import sys
from pathlib import Path

import cyclotome
import pytest
from cli_runner import run, succeed
from cyclotome import errors
from cyclotome.cli.commands import COMMANDS
from cyclotome.cli.failures import exit_code
from cyclotome.extras import BENCH, EXTRAS, FPGA, Extra

ROOT = Path(__file__).resolve().parents[3]
PACKAGE = Path(cyclotome.__file__).resolve().parent
ABSENT = Extra("none", "cyclotome_of_no_such_name", "what nobody wrote", "./none")

#: What the library's wheel holds of Python, by folder; everything else is a package of its own.
FOLDERS = {
    *(
        ".",
        "arrays",
        "circuit",
        "devices",
        "files",
        "frames",
        "frames/statistics",
        "functions",
        "integrity",
        "interop",
        "keys",
        "models",
        "numbers",
    ),
    *("parameters", "pir", "planning", "reals", "search", "service", "sessions", "threshold"),
    *("cli", "cli/circuits", "cli/evaluation", "cli/joint", "cli/numbers", "cli/tables"),
}


def test_importing_the_library_loads_none_of_them() -> None:
    program = "import cyclotome, cyclotome.cli.app, sys; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    assert "cyclotome.cli.app" in loaded
    assert {name.split(".")[0] for name in loaded if name.startswith("cyclotome")} == {"cyclotome"}
    assert not {"amaranth", "pyosys", "sklearn", "tenseal"} & set(loaded)


def test_the_library_holds_none_of_them() -> None:
    """Its folder, which is what the wheel's packages setting names; and the wheel's own list where it is installed."""
    found = {file.parent.relative_to(PACKAGE).as_posix() for file in PACKAGE.rglob("*.py")}
    assert found == FOLDERS
    try:
        distribution = importlib.metadata.distribution("cyclotome")
    except importlib.metadata.PackageNotFoundError:
        return
    files = distribution.files or []
    if not any(Path(str(distribution.locate_file(file))).resolve() == PACKAGE / "__init__.py" for file in files):
        return  # another one is imported: a checkout's
    names = {file.as_posix() for file in files}
    assert "cyclotome/__init__.py" in names and "cyclotome/include/circuit_abi.h" in names
    assert {file.parent.as_posix() for file in files if file.suffix == ".py"} == {
        Path("cyclotome", folder).as_posix() for folder in FOLDERS
    }
    assert not [name for name in names if name.startswith(tuple(extra.package for extra in EXTRAS))]


def test_modules_that_are_asked_for_by_name_are_there() -> None:
    """No linter sees a name in a string."""
    loads = re.compile(rf"\b({'|'.join(extra.name.upper() for extra in EXTRAS)})\.load\(\"([\w.]+)\"\)")
    packages = {extra.name.upper(): ROOT / extra.package.removeprefix("cyclotome_") / extra.package for extra in EXTRAS}
    asked = {
        match.groups()
        for folder in ("python", "bench", "demo", "hdl", "study", "test/python")
        for file in (ROOT / folder).rglob("*.py")
        for match in loads.finditer(file.read_text(encoding="utf-8"))
    }
    assert len(asked) >= 3
    for name, module in asked:
        place = packages[name] / module.replace(".", "/")
        assert place.with_suffix(".py").is_file() or (place / "__init__.py").is_file(), f"{name}: {module}"


@pytest.mark.parametrize("extra", EXTRAS, ids=lambda extra: extra.name)
def test_each_is_a_distribution_that_the_extra_of_its_name_installs(extra: Extra) -> None:
    """Versions are one version, and the advice names folders that hold what is missing."""
    tomllib = pytest.importorskip("tomllib")
    own = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    version, wanted = own["version"], own["optional-dependencies"][extra.name]
    installed = {}
    for folder in extra.folders.split():
        project = tomllib.loads((ROOT / folder / "pyproject.toml").read_text(encoding="utf-8"))
        name = project["project"]["name"]
        assert project["project"]["version"] == version
        assert any(entry.endswith(f"=={version}") for entry in project["project"]["dependencies"])
        installed.update(dict.fromkeys(project["tool"]["scikit-build"]["wheel"]["packages"], name))
    assert f"{installed[extra.package]}=={version}" in wanted
    for package, name in installed.items():
        folder = ROOT / name.removeprefix("cyclotome-")
        assert (folder / package / "py.typed").is_file()
        assert (folder / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()


def test_what_is_missing_is_named_with_its_extra() -> None:
    with pytest.raises(errors.MissingPackageError, match=r"what nobody wrote is not installed.*cyclotome\[none\]"):
        ABSENT.load("command")
    assert issubclass(errors.MissingPackageError, (errors.EngineError, ImportError))
    assert exit_code(errors.MissingPackageError("x")) == exit_code(errors.EngineError("x")) == 1


def test_studies_have_a_name_in_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    """`cyclotome.study.ltv` is the package's module, imported when asked for, or a refusal that names the extra."""
    program = (
        "import cyclotome as cy, sys; assert 'cyclotome_study' not in sys.modules; from cyclotome.study import ltv; "
    )
    program += "import cyclotome_study.ltv; assert cy.study.ltv is ltv is cyclotome_study.ltv; print(dir(cy.study))"
    shown = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert "'ltv'" in shown and "'fermat'" in shown
    for name in cyclotome.study.MODULES:
        assert getattr(cyclotome.study, name).__name__ == f"cyclotome_study.{name}"
    own = {file.stem for file in (ROOT / "study" / "cyclotome_study").glob("*.py")}
    assert own - set(cyclotome.study.MODULES) == {
        "__init__",
        "fermat_parameters",
        "ltv_parameters",
        "study_keys",
    }  # what those are made of
    with pytest.raises(AttributeError, match="no attribute 'ckks'"):
        cyclotome.study.ckks  # noqa: B018
    monkeypatch.setattr(Extra, "installed", False)
    with pytest.raises(errors.MissingPackageError, match=r"cyclotome\[study\]"):
        cyclotome.study.ltv  # noqa: B018
    assert "ltv" not in dir(cyclotome.study)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_that_is_not_installed_says_how_to(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Whatever its arguments are, --help among them; the other commands go on."""
    monkeypatch.setattr(Extra, "installed", False)
    extra = COMMANDS[name]
    for arguments in ([], ["--help"], ["report", "--no-such-option", "x"]):
        result = run(name, *arguments)
        assert result.code == 1 and f"pip install '.[{extra.name}]' {extra.folders}" in result.text
    assert "Not installed" in succeed("--help").text
    assert succeed("params", "--preset", "seal-4096").text


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_that_is_installed_is_its_own(name: str) -> None:
    if not COMMANDS[name].installed:
        pytest.skip(f"{COMMANDS[name].package} is not installed")
    assert "Not installed" not in succeed(name, "--help").text


def test_a_device_without_its_generator_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    parameters = cyclotome.Parameters.preset("001-2048-54", allow_insecure=True)
    monkeypatch.setattr(Extra, "installed", False)
    with pytest.raises(errors.MissingPackageError, match=r"pip install '\.\[fpga\]' \./hdl \./study"):
        cyclotome.keygen(parameters, device="fpga:sim:design=pease,clock=99")
    found = succeed("doctor", "--json").data
    assert found["devices"]["fpga:sim"].endswith(FPGA.advice)
    assert found["extras"]["bench"] == BENCH.advice
