# SPDX-License-Identifier: Apache-2.0
"""Nothing above the rings writes down twice a degree or makes a ring by itself; the check that says so can fail."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest
from pages import program

REPOSITORY = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def rings() -> ModuleType:
    return program("tools/check_rings.py")


def test_the_repository_asks_its_rings(rings: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    assert rings.main([str(REPOSITORY)]) == 0, capsys.readouterr().out


def test_every_excuse_is_needed(rings: ModuleType) -> None:
    """A file that no longer knows loses its excuse."""
    for excuses, pattern in ((rings.KNOWING, rings.TWICE), (rings.MAKING, rings.MADE)):
        for name in excuses:
            path = REPOSITORY / name
            assert path.exists(), name
            files = [path] if path.is_file() else [p for p in path.rglob("*") if p.suffix in rings.CODE]
            assert any(pattern.search(rings.without_comments(p.read_text("utf-8"), p.suffix)) for p in files), name


@pytest.mark.parametrize(
    "line",
    [
        "const auto order = 2 * degree;",
        "q % (2 * p.degree()) == 1",
        "x = 2 * context->degree() - 1",
        "x = 2 * literal.degree",
        "element * 3 % (2 * n)",
        "p.degree() * 2",
        "degree_ << 1",
        "x = degree + degree",
        "RingShape::negacyclic(n)",
        "Ring::negacyclic(context.degree(), basis)",
        "2UL * params_.ring_degree",
    ],
)
@pytest.mark.parametrize("file", ["src/cyclotome/rlwe/a.cpp", "src/cyclotome/value/b.hpp", "src/cyclotome/io/c.cpp"])
def test_what_knows_the_polynomial_is_refused(rings: ModuleType, tmp_path: Path, file: str, line: str) -> None:
    path = tmp_path / file
    path.parent.mkdir(parents=True)
    path.write_text(f"// 2 * degree\n/* 2 * n\n */ int a;\n{line}\n", encoding="utf-8")
    assert [offence.line for offence in rings.check(tmp_path)] == [4]
    assert rings.main([str(tmp_path)]) == 1


@pytest.mark.parametrize(
    "line",
    [
        "shape.transform_step()",
        "2 * limbs * degree",
        "half = degree() / 2",
        "2 * p.moduli().size() * p.degree()",
        "2 * number",
        "2 * design.log_degree",
        "x = 2 * n_terms",
        "ring->with_basis(basis)",
        "// 2 * degree()",
    ],
)
def test_what_does_not_know_it_is_accepted(rings: ModuleType, tmp_path: Path, line: str) -> None:
    path = tmp_path / "src/cyclotome/scheme/a.cpp"
    path.parent.mkdir(parents=True)
    path.write_text(line + "\n", encoding="utf-8")
    assert list(rings.check(tmp_path)) == []


def test_python_is_checked_without_its_docstrings(rings: ModuleType, tmp_path: Path) -> None:
    path = tmp_path / "python/cyclotome/keys/kinds.py"
    path.parent.mkdir(parents=True)
    path.write_text('"""2 * degree"""\n# 2 * degree\nx = element * 3 % (2 * degree)\n', encoding="utf-8")
    assert [offence.line for offence in rings.check(tmp_path)] == [3]


def test_a_tree_with_nothing_to_check_is_an_error(rings: ModuleType, tmp_path: Path) -> None:
    assert rings.main([str(tmp_path)]) == 2
