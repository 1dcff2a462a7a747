# SPDX-License-Identifier: Apache-2.0
"""Runs the notebooks of doc/notebooks and keeps what they print: `make notebooks`.

What is kept has no times, counters or machine in it, so that a notebook changes only if its results do.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from repository import ROOT

__all__ = ["NOTEBOOKS", "executed", "main"]

NOTEBOOKS = sorted((ROOT / "doc" / "notebooks").glob("*.ipynb"))
#: Seconds that a cell may take.
LIMIT = 60


def executed(path: Path, folder: Path) -> Any:
    """The notebook after a run in a folder, without what differs from run to run."""
    import nbformat
    from nbclient import NotebookClient

    notebook: Any = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(str(Path(each).resolve()) for each in sys.path if each)}
    resources = {"metadata": {"path": str(folder)}}
    NotebookClient(notebook, timeout=LIMIT, kernel_name="python3", resources=resources).execute(env=environment)
    for number, cell in enumerate(notebook.cells):
        cell.id = f"cell-{number}"
        cell.metadata = {}
        if cell.cell_type == "code":
            cell.execution_count = None
            for output in cell.outputs:
                if "execution_count" in output:
                    output.execution_count = None
                if "data" in output:  # HTML, if there is some, differs by the versions of others
                    output.data = {"text/plain": output.data["text/plain"]}
    notebook.metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    return notebook


def main(names: list[str]) -> None:
    """Runs those that are named, or all."""
    import tempfile

    import nbformat

    for path in [Path(name) for name in names] or NOTEBOOKS:
        with tempfile.TemporaryDirectory() as folder:
            nbformat.write(executed(path, Path(folder)), path)  # type: ignore[no-untyped-call]


if __name__ == "__main__":
    main(sys.argv[1:])
