# SPDX-License-Identifier: Apache-2.0
"""What a process takes, step by step, and that a few keys and ciphertexts are not many times their size."""

from __future__ import annotations

import itertools
import sys

import pytest
from cyclotome_bench.machine.process_memory import STEPS, measured
from cyclotome_bench.peers.seal import seal_available

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="/proc says what a process takes")


def test_a_process_takes_little_more_than_what_it_holds() -> None:
    """Keys of 5 MiB, ciphertexts of 0.5, scratch of about ten times one, at n = 8192, beside 25 of Python and NumPy."""
    steps = measured("own", 8192, "one")
    assert tuple(steps) == STEPS
    for before, after in itertools.pairwise(STEPS):
        assert steps[after]["peak"] >= steps[before]["peak"]
    last = steps[STEPS[-1]]
    assert last["anonymous"] < last["resident"] <= last["peak"] + 0.1 < 100
    assert last["resident"] > 5


def test_more_keys_take_more_here_and_in_seal() -> None:
    sides = ["own", *(["seal"] if seal_available() else [])]
    for side in sides:
        one, many = (measured(side, 8192, keys)["keys"]["anonymous"] for keys in ("one", "all"))
        assert many > one + 20
