# SPDX-License-Identifier: Apache-2.0
"""Jobs that are deeper than any parameters, as their programs in example/ do them: each compares itself with the same
integers in the clear, and fails where they differ."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[3] / "example"

#: At a test size; the programs say which sizes are secure, and how long these take.
JOBS = {
    "recurrence.py": ["--steps", "200"],
    "automaton.py": ["--letters", "40", "--motif", "GATTACA"],
    "training.py": ["--rows", "16", "--steps", "3"],
    "sorting.py": ["--numbers", "64", "--largest", "15", "--degree", "256"],
}


@pytest.mark.parametrize("job", JOBS)
def test_they_finish_with_the_right_numbers(job: str) -> None:
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / job), *JOBS[job]], capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stderr
    refreshes = re.search(r"(\d+) refreshes", done.stdout)
    assert refreshes is not None and int(refreshes[1]) > 5
