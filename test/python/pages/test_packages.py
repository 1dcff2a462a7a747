# SPDX-License-Identifier: Apache-2.0
"""What is installed and released: locks, wheels and who checks them, the package that brings the CUDA engine."""

from __future__ import annotations

import hashlib
import importlib.util
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from cyclotome import cuda_wheel
from pages import program

ROOT = Path(__file__).resolve().parents[3]
PACKAGES = (
    "python/cyclotome",
    *(f"{name}/cyclotome_{name}" for name in ("bench", "cuda", "demo", "hdl", "reader", "study")),
)
#: Files of format 1 as they were when there was no other, by SHA-256 of names and bytes.
FORMAT_1 = "bc9d8d90a602362136f71127a2b3de24ccd04c374fbad30b6c6e3196ec72af8a"


@pytest.fixture(scope="module")
def checks() -> ModuleType:
    return program("test/wheels/check_wheels.py")


def project(folder: str) -> dict[str, Any]:
    tomllib = pytest.importorskip("tomllib")
    found: dict[str, Any] = tomllib.loads((ROOT / folder / "pyproject.toml").read_text(encoding="utf-8"))
    return found


def normal(requirement: str) -> str:
    """The name of what a requirement asks for."""
    found = re.match(r"[\w.-]+", requirement)
    assert found is not None, requirement
    return re.sub(r"[-_.]+", "-", found[0]).lower()


def test_all_distributions_have_one_version() -> None:
    versions = {
        folder: project(folder)["project"]["version"]
        for folder in (".", "bench", "cuda", "demo", "hdl", "reader", "study")
    }
    assert len(set(versions.values())) == 1, versions
    [own] = set(versions.values())
    assert project("cuda")["project"]["dependencies"] == [f"cyclotome=={own}"]
    assert f"cyclotome-cuda=={own}" in project(".")["project"]["optional-dependencies"]["cuda"]
    assert f"\nversion: {own}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")


def test_provenance_names_every_file_and_what_it_was_made_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    tool = program("tools/provenance.py")
    told = {"status": "", "rev-parse": "c" * 40, "log": "17", "--version": "g++ 12\nmore"}
    monkeypatch.setattr(tool, "said", lambda *words: next(told[word] for word in words if word in told))
    wheel, other = tmp_path / "a-1-py3-none-any.whl", tmp_path / "a-1.tar.gz"
    with pytest.raises(SystemExit, match="nothing to publish"):
        tool.main(["--folder", str(tmp_path)])
    wheel.write_bytes(b"wheel")
    other.write_bytes(b"sdist")
    assert tool.main(["--folder", str(tmp_path)]) == 0
    first = (tmp_path / "provenance.json").read_bytes()
    document = tool.statement(tmp_path)
    expected = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in (wheel, other)}
    assert {each["name"]: each["digest"]["sha256"] for each in document["subject"]} == expected
    of = {each["name"]: each["digest"] for each in document["predicate"]["buildDefinition"]["resolvedDependencies"]}
    assert of["source"] == {"gitCommit": "c" * 40} and "requirements/build.txt" in of
    assert str(ROOT) not in first.decode() and str(tmp_path) not in first.decode()
    assert tool.main(["--folder", str(tmp_path)]) == 0 and (tmp_path / "provenance.json").read_bytes() == first
    assert tool.differences(tmp_path) == []
    other.write_bytes(b"sdisT")
    (tmp_path / "b.whl").write_bytes(b"")
    assert tool.differences(tmp_path) == ["a-1.tar.gz: other bytes", "b.whl: not in the document"]
    wheel.unlink()
    assert tool.main(["--folder", str(tmp_path), "--check"]) == 1
    assert "a-1-py3-none-any.whl: not there" in capsys.readouterr().out
    (tmp_path / "provenance.json").write_text("[]")
    assert "can't be read" in tool.differences(tmp_path)[0]
    told["status"] = " M Makefile"
    with pytest.raises(SystemExit, match="not committed"):
        tool.statement(tmp_path)


@pytest.mark.parametrize("group", ["build", "docs", "lint", "test", "wheels"])
def test_locks_hold_what_is_asked_for_each_with_hashes(group: str) -> None:
    if sys.version_info < (3, 11):
        pytest.skip("tomllib came with Python 3.11")
    text = (ROOT / "requirements" / f"{group}.txt").read_text(encoding="utf-8")
    entries = re.findall(
        r"^([\w.-]+)(?:\[[\w,-]+\])?==\S+.*\\\n((?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)", text, re.MULTILINE
    )
    names = {normal(name) for name, _ in entries}
    assert len(entries) == len(re.findall(r"^[\w.-]+(?:\[[\w,-]+\])?==", text, re.MULTILINE))
    asked = {normal(each) for each in program("tools/lock.py").requirements(group)}
    assert asked and asked <= names
    assert not {name for name in names if name.startswith("cyclotome")}


def test_hooks_have_the_versions_of_make_lint() -> None:
    hooks = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    pinned = {each for each in project(".")["dependency-groups"]["lint"] if "==" in each}
    named = set(re.findall(r"additional_dependencies: \[(.+?)\]", hooks))
    assert named and named <= pinned


def test_no_message_takes_the_package_to_be_on_an_index() -> None:
    offences = []
    for folder in PACKAGES:
        for path in sorted((ROOT / folder).rglob("*.py")):
            for line in path.read_text(encoding="utf-8").splitlines():
                if re.search(r"pip install (?!--find-links)[^.]*cyclotome", line):
                    offences.append(f"{path.name}: {line.strip()}")
    assert offences == []


def test_files_of_format_1_are_what_they_were() -> None:
    """`test_wire_format.py` reads them; here is that nobody wrote them anew."""
    corpus = sorted((ROOT / "test" / "fuzz" / "corpus").glob("format1-*"))
    digest = hashlib.sha256()
    for path in corpus:
        digest.update(path.name.encode() + hashlib.sha256(path.read_bytes()).digest())
    assert len(corpus) == 38 and digest.hexdigest() == FORMAT_1


# --- the CUDA engine's package ---------------------------------------------------------------------------------------
def installed(folder: Path, versions: dict[str, str]) -> None:
    """What pip would leave of distributions, but for their files."""
    for name, version in versions.items():
        package = folder / name.replace("-", "_")
        package.mkdir()
        (package / "__init__.py").write_text("")
        about = folder / f"{package.name}-{version}.dist-info"
        about.mkdir()
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")


def searched(folder: Path, program: str = "") -> str:
    """Where a process that finds `folder` first would search this package's modules, and what it warned of."""
    lines = (
        f"import sys; sys.path.insert(0, {str(folder)!r})\nfrom importlib.util import spec_from_file_location as s, "
    )
    lines += f"module_from_spec as m\nspec = s('cuda_wheel', {cuda_wheel.__file__!r}); w = m(spec)\n"
    lines += f"spec.loader.exec_module(w)\n{program}\nprint(*w.search_path(['own']))"
    done = subprocess.run([sys.executable, "-c", lines], capture_output=True, text=True, check=True)
    return done.stdout.strip() + done.stderr.strip()


def test_the_extension_with_cuda_is_searched_first_where_it_is_installed(tmp_path: Path) -> None:
    installed(tmp_path, {"cyclotome": "8.8.8", "cyclotome-cuda": "8.8.8"})
    assert searched(tmp_path) == f"{tmp_path / 'cyclotome_cuda'} own"


def test_another_version_of_it_is_left_alone_with_a_warning(tmp_path: Path) -> None:
    installed(tmp_path, {"cyclotome": "8.8.8", "cyclotome-cuda": "8.8.7"})
    said = searched(tmp_path)
    assert said.startswith("own") and "RuntimeWarning" in said and "8.8.7 does not belong to cyclotome 8.8.8" in said


def test_a_folder_of_its_name_that_is_no_distribution_is_left_alone(tmp_path: Path) -> None:
    """As `cuda/` of a checkout on the path: there is no extension in it."""
    installed(tmp_path, {"cyclotome": "8.8.8"})
    (tmp_path / "cyclotome_cuda").mkdir()
    (tmp_path / "cyclotome_cuda" / "__init__.py").write_text("")
    assert searched(tmp_path).startswith("own")


def test_without_it_nothing_changes() -> None:
    if importlib.util.find_spec("cyclotome_cuda") is not None:
        pytest.skip("cyclotome-cuda is installed here")
    assert cuda_wheel.search_path(["own", "too"]) == ["own", "too"]


# --- what makes and checks wheels ------------------------------------------------------------------------------------
def wheel(folder: Path, name: str, names: list[str]) -> Path:
    path = folder / name
    with zipfile.ZipFile(path, "w") as archive:
        for each in names:
            archive.writestr(each, "x")
    return path


def test_the_oldest_of_the_stable_abi_builds_for_all(checks: ModuleType) -> None:
    make = sys.modules["make_wheels"]
    found = [make.Interpreter((3, minor), Path(f"/python3.{minor}")) for minor in (10, 11, 13, 14)]
    assert [each.name for each in make.builders(found)] == ["3.10", "3.11", "3.13"]
    assert [each.name for each in make.interpreters([sys.executable])] == [
        f"{sys.version_info[0]}.{sys.version_info[1]}"
    ]
    assert make.interpreters(["/bin/false"]) == []


def test_each_interpreter_has_one_wheel(checks: ModuleType, tmp_path: Path) -> None:
    for tag in ("cp310-cp310", "cp311-cp311", "cp312-abi3"):
        wheel(tmp_path, f"cyclotome-0.1.0-{tag}-manylinux_2_34_x86_64.whl", ["cyclotome/_core.so"])
    wheel(tmp_path, "cyclotome_cuda-0.1.0-cp312-abi3-manylinux_2_34_x86_64.whl", ["cyclotome_cuda/_core.so"])
    make = sys.modules["make_wheels"]
    for minor, tag in ((10, "cp310-cp310"), (11, "cp311-cp311"), (12, "cp312-abi3"), (14, "cp312-abi3")):
        assert tag in checks.wheel_for(make.Interpreter((3, minor), Path()), tmp_path, "cyclotome").name
    wheel(tmp_path, "cyclotome-0.1.0-cp313-abi3-manylinux_2_34_x86_64.whl", ["cyclotome/_core.so"])
    with pytest.raises(checks.Failure, match="has 2 wheels of cyclotome for"):
        checks.wheel_for(make.Interpreter((3, 13), Path()), tmp_path, "cyclotome")
    with pytest.raises(checks.Failure, match="0 wheels"):
        checks.wheel_for(make.Interpreter((3, 9), Path()), tmp_path, "cyclotome")


@pytest.mark.parametrize(
    ("more", "why"),
    [
        (["cyclotome_bench/__init__.py"], "files of others"),
        (["test/test_x.py"], "files of others"),
        (["cyclotome/testing.py"], "holds tests"),
        (["cyclotome/_other.so"], "binaries"),
        (["cyclotome.libs/libstdc++.so.6"], "files of others"),
    ],
)
def test_a_wheel_with_more_in_it_is_refused(checks: ModuleType, tmp_path: Path, more: list[str], why: str) -> None:
    sound = ["cyclotome/__init__.py", "cyclotome/_core.so", "cyclotome-0.1.0.dist-info/METADATA"]
    assert checks.extension_in(wheel(tmp_path, "a.whl", sound), tmp_path).name == "_core.so"
    with pytest.raises(checks.Failure, match=why):
        checks.extension_in(wheel(tmp_path, "b.whl", sound + more), tmp_path)


def test_first_use_sees_another_result(checks: ModuleType, tmp_path: Path) -> None:
    page = tmp_path / "README.md"
    page.write_text("```python\nx = 41\nprint(x)  # 42\n```\n")
    assert sys.modules["first_use"].main(str(page)) == 1
    page.write_text("```python\nx = 42\nprint(x)  # 42\n```\n")
    assert sys.modules["first_use"].main(str(page)) == 0
