# SPDX-License-Identifier: Apache-2.0
"""The referee sees both sides, in the clear, and says whether the answers are right: bit for bit."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from cyclotome_demo.party import load_arrays
from cyclotome_demo.server import secret_keys
from cyclotome_demo.task import Array, Task


@dataclass
class Verdict:
    """What became of one task.

    Attributes:
        equal: whether every decrypted answer equals the one computed in the clear.
        compared: how many answers there were.
        differing: how many of them differ.
        findings: what the client learns.
    """

    equal: bool
    compared: int
    differing: int
    findings: dict[str, Any] = field(default_factory=dict)


def integers(array: Array) -> Array:
    """Integers, of any width, as Python integers."""
    whole = np.empty(array.shape, dtype=object)
    whole.reshape(-1)[:] = [int(value) for value in array.reshape(-1)]
    return whole


def judge(task: Task, client_home: Path, server_home: Path) -> Verdict:
    """Compares a task's decrypted answers with the plaintext computation in exact integers."""
    client = load_arrays(client_home / f"{task.key}.npz")
    held = load_arrays(server_home / f"{task.key}.npz")
    answers = integers(load_arrays(client_home / f"{task.key}.answers.npz")["answers"])
    expected = integers(np.asarray(task.expected(client["questions"], held)))
    if answers.shape != expected.shape:
        return Verdict(False, expected.size, expected.size)
    differing = int(np.sum(answers != expected))
    narrow = all(-(2**63) <= value < 2**63 for value in answers.flat)
    findings = task.findings(answers.astype(np.int64) if narrow else answers, client, held)
    return Verdict(differing == 0, int(expected.size), differing, findings)


def server_is_blind(server_home: Path, exchange: Path) -> bool:
    """Whether neither the server's folder nor the exchange folder holds a secret key."""
    return next(secret_keys(server_home, exchange), None) is None
