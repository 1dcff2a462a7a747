# SPDX-License-Identifier: Apache-2.0
"""Readings of clocks on machines that do other work."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

__all__ = ["Figure", "least_of"]

#: A figure stands when so many readings are within this factor of the least; after so many readings it is given up.
_AGREE, _WITHIN, _MOST = 3, 1.2, 60


class Figure(NamedTuple):
    """Seconds, the least of several readings; and whether these agree."""

    seconds: float
    steady: bool


def least_of(
    reading: Callable[[], float | None], before: float = math.inf, *, agree: int = _AGREE, most: int = _MOST
) -> Figure:
    """The least of several readings, of which None is none, and of what was read before.

    One reading is worth nothing on a machine that does other work: the thread is preempted, or its core is slow.
    """
    found = [before] if before < math.inf else []
    for _ in range(most):
        value = reading()
        if value is None:
            continue
        found.append(value)
        least = min(found)
        if sum(each <= _WITHIN * least for each in found) >= agree:
            return Figure(least, True)
    return Figure(min(found, default=math.nan), False)
