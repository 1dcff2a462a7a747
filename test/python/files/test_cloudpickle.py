# SPDX-License-Identifier: Apache-2.0
"""Functions that name the package go to other processes by value, as Ray, Dask, Spark and joblib send what stands in a
notebook or in ``__main__``."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import cloudpickle
import cyclotome as cy
import pytest

#: As a notebook's cell, whose functions are nowhere to be imported from.
CELL = """
import cyclotome as cy, cyclotome, cyclotome.bfv
from cyclotome import threshold, maximum as larger
def scores(x): return cy.maximum(x, 0)
def nested(): return lambda x: (cy.errors.RangeError, cyclotome.bfv.METHODS, threshold, larger, scores(x))
"""


def of_a_notebook() -> dict[str, Any]:
    module = ModuleType("__main__")
    exec(CELL, module.__dict__)
    return module.__dict__


def test_functions_that_name_the_package() -> None:
    names = of_a_notebook()
    for function in (names["scores"], names["nested"]()):
        data = cloudpickle.dumps(function)
        again = pickle.loads(data)
        assert again.__globals__["cy"] is cy
        assert len(data) < 4096  # by name, and not with what the package holds
    with pytest.raises(cy.errors.UnsupportedError, match="plain values have NumPy"):
        pickle.loads(cloudpickle.dumps(names["scores"]))([1, 2])


def test_the_package_is_pickled_by_name() -> None:
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(cy, protocol)) is cy


def test_another_process_runs_them(tmp_path: Path) -> None:
    (tmp_path / "job").write_bytes(cloudpickle.dumps(of_a_notebook()["nested"]()))
    program = (
        "import pickle, sys; print(type(pickle.load(open(sys.argv[1], 'rb'))).__name__, 'cyclotome' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "job")], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["function", "True"]


@pytest.mark.slow
def test_joblib_runs_them() -> None:
    joblib = pytest.importorskip("joblib")
    negated = joblib.Parallel(n_jobs=2)(joblib.delayed(lambda i: str(cy.errors.RangeError(i)))(i) for i in range(3))
    assert negated == ["0", "1", "2"]
