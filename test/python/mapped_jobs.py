# SPDX-License-Identifier: Apache-2.0
"""Functions that `cyclotome.map` runs in tests. A module of its own, which processes import."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Any

import cyclotome as cy
import numpy as np


def squares(x: Any) -> Any:
    return (x * x).sum()


def mixed(batch: dict[str, Any]) -> Any:
    time.sleep(batch["wait"])  # later batches end first
    x, factor = batch["x"], batch["factor"]
    return {"product": x * factor, "where": (os.getpid(), [x + 1]), "device": x.device}


def dies_once(batch: tuple[str, Any]) -> Any:
    """Kills its worker the first time it sees this mark."""
    mark, x = batch
    if mark and not Path(mark).exists():
        Path(mark).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return x * x


def always_dies(_batch: Any) -> Any:
    os.kill(os.getpid(), signal.SIGKILL)


def fails(batch: Any) -> Any:
    if batch == 3:
        raise ValueError("three is not served")
    if batch == 4:
        raise cy.errors.RangeError("four is out of range")
    return batch


def retrieved(batch: tuple[str, Any]) -> Any:
    """The part of a database that one worker has, and the selectors of its rows: Σ selector · row."""
    path, query = batch
    rows = np.load(path, mmap_mode="r")
    selectors = cy.expand(query)
    return (selectors[:, None] * np.asarray(rows, dtype=np.int64)).sum(axis=0)


def least(pair: tuple[cy.EncryptedDigits, cy.EncryptedDigits]) -> cy.EncryptedDigits:
    return cy.minimum(*pair)
