# SPDX-License-Identifier: Apache-2.0
"""Notebooks run, each cell within its time, and print what they show."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pages import ROOT, program

pytest.importorskip("nbclient", reason="nbclient, which runs notebooks, is not installed (extra test)")
pytest.importorskip("ipykernel", reason="ipykernel, which notebooks run in, is not installed (extra test)")

import nbformat

NOTEBOOKS = sorted((ROOT / "doc" / "notebooks").glob("*.ipynb"))


@pytest.fixture(scope="module")
def runner() -> Any:
    """tools/docs/run_notebooks.py, which `make notebooks` runs."""
    return program("tools/docs/run_notebooks.py")


def printed(notebook: Any) -> list[str]:
    """What each cell with code printed or ended with."""
    found = []
    for cell in notebook.cells:
        if cell.cell_type == "code":
            shown = [output.get("text") or output.get("data", {}).get("text/plain", "") for output in cell.outputs]
            found.append("".join(shown))
    return found


@pytest.mark.filterwarnings("default")  # of Jupyter's own packages
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_print_what_they_show(path: Path, runner: Any, tmp_path: Path) -> None:
    if "pandas" in path.read_text(encoding="utf-8"):
        pytest.importorskip("pandas")
    before: Any = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    after = runner.executed(path, tmp_path)
    assert printed(after) == printed(before), "make notebooks"
    assert sum(text != "" for text in printed(after)) >= 5


@pytest.mark.filterwarnings("default")
def test_a_cell_that_fails_or_takes_too_long_ends_the_run(
    runner: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from nbclient.exceptions import CellExecutionError, CellTimeoutError

    monkeypatch.setattr(runner, "LIMIT", 1)
    cases = (("assert 1 == 2", CellExecutionError), ("import time; time.sleep(30)", CellTimeoutError))
    for code, error in cases:
        cells = [nbformat.v4.new_code_cell(code)]  # type: ignore[no-untyped-call]
        path = tmp_path / "wrong.ipynb"
        nbformat.write(nbformat.v4.new_notebook(cells=cells), path)  # type: ignore[no-untyped-call]
        with pytest.raises(error):
            runner.executed(path, tmp_path)


def test_there_are_three_and_they_hold_nothing_of_a_machine() -> None:
    assert len(NOTEBOOKS) >= 3
    for path in NOTEBOOKS:
        notebook: Any = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
        assert set(notebook.metadata) == {"kernelspec"}
        for cell in notebook.cells:
            assert cell.get("execution_count") is None and cell.metadata == {}
