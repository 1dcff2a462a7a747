# SPDX-License-Identifier: Apache-2.0
"""Functions that servers of tests run: good ones and bad ones. A module of its own, which processes import."""

from __future__ import annotations

import os
import signal
import time
from typing import Any

import numpy as np
from cyclotome import errors

WEIGHTS = np.array([[1, -2, 3, 0, 1], [0, 1, 1, -1, 2]])


def product(x: Any, y: Any) -> Any:
    return x * y


def total(x: Any) -> Any:
    return x.sum()


def scored(x: Any) -> Any:
    return WEIGHTS @ x


def several(x: Any, y: Any) -> Any:
    return [x + y, x - y]


def alone(x: Any) -> Any:
    return (x,)


def power(x: Any) -> Any:
    return x**32


def broken(x: Any) -> Any:
    return x * (1 // 0)


def plain(_x: Any) -> Any:
    return 7


def _real(x: Any) -> bool:
    """Whether this is the run that counts, not the plan."""
    return x.device != "dry"


def dies(x: Any) -> Any:
    if _real(x):
        os.kill(os.getpid(), signal.SIGKILL)
    return x


def hangs(x: Any) -> Any:
    if _real(x):
        time.sleep(60)
    return x


_ALL = (product, total, scored, several, alone, power, broken, plain, dies, hangs)
FUNCTIONS = {function.__name__: function for function in _ALL}


def slow(x: Any) -> Any:
    if _real(x):
        time.sleep(3)
    return x


SLOW = {"slow": slow}


def refuses() -> Any:
    raise errors.ArgumentError("no such job")
