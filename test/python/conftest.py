# SPDX-License-Identifier: Apache-2.0
"""Shared by all Python tests: where the oracles are found, seeds that a failing test prints, and which tests run."""

from __future__ import annotations

import gc
import os
import secrets
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

#: Oracles and the differential fuzzer are packages here. What tests of one room share lies in it, what those of several
#: share in `helpers`.
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE / "helpers"), *sorted({str(path.parent) for path in HERE.glob("*/test_*.py")})]

# Tests share a busy machine: no deadlines; hypothesis prints how to repeat a failure.
settings.register_profile(
    "cyclotome",
    deadline=None,
    # New programs in every run, on machines that say CI as well, where hypothesis would repeat the same ones otherwise.
    derandomize=False,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("cyclotome")

#: Choosing some of the tests: --sample, --changed-since.
pytest_plugins = ["selection"]


def pytest_collection_finish() -> None:
    """What collecting thousands of tests leaves stays until the end: no search for garbage has to look at it again."""
    gc.collect()
    gc.freeze()


def pytest_unconfigure() -> None:
    """What was kept from the search is found at the end. So is what hypothesis's clock of searches refers to, modules
    of tests with their engines and keys among it: `gc.callbacks` outlives the interpreter's last search, and nanobind
    would tell of objects that nobody freed (its warnings are off in packages: python/bindings/module.cpp)."""
    gc.unfreeze()
    gc.callbacks.clear()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test that asks for `each_engine` runs on every engine of `residues.ENGINES`."""
    if "each_engine" in metafunc.fixturenames:
        from residues import ENGINES

        metafunc.parametrize("each_engine", list(ENGINES), indirect=True)


@pytest.fixture
def each_engine(request: pytest.FixtureRequest) -> Any:
    """One engine after the other."""
    from residues import ENGINES

    return ENGINES[request.param]


@pytest.fixture
def rng() -> np.random.Generator:
    """Random numbers, other ones in every run; CYCLOTOME_TEST_SEED repeats a run whose seed a failure printed."""
    seed = int(os.environ.get("CYCLOTOME_TEST_SEED") or secrets.randbits(63))
    print(f"repeat this test with CYCLOTOME_TEST_SEED={seed}")
    return np.random.default_rng(seed)


@pytest.fixture(scope="module")
def window() -> Iterator[Any]:
    """A browser's page (`browser.Page`)."""
    import browser

    if browser.MISSING:
        pytest.skip(browser.MISSING)
    pytest.importorskip("selenium", reason="selenium, which drives the browser, is not installed (extra test)")
    with browser.opened() as found:
        yield found
