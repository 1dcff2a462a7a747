# SPDX-License-Identifier: Apache-2.0
"""A scheme that the library does not know, added at run time, in Python: test/additive_scheme."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor

import added_scheme
import numpy as np
import pytest
from cyclotome._core.testing import additive


@pytest.mark.parametrize(
    "program", [added_scheme.sums_and_is_stored, added_scheme.is_known_and_no_other], ids=lambda f: f.__name__
)
def test_a_third_scheme(rng: np.random.Generator, program: Callable[[int], None]) -> None:
    """Sums and files are those of any scheme; what is not known is named with what is. This process stays without."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as other:
        other.submit(program, int(rng.integers(1 << 60))).result()
    assert additive.known() == ["bfv", "bgv", "ckks"]
