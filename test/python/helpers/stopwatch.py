# SPDX-License-Identifier: Apache-2.0
"""How long something took, so that other work on the machine does not count."""

from __future__ import annotations

import time

__all__ = ["Stopwatch"]


class Stopwatch:
    """Seconds since it was made: the lesser of the wall's and of what all threads of this process worked. A busy
    machine prolongs the first, several threads the second."""

    def __init__(self) -> None:
        self._begin = self._now()

    @staticmethod
    def _now() -> tuple[float, float]:
        return time.perf_counter(), time.process_time()

    @property
    def seconds(self) -> float:
        return min(now - begin for now, begin in zip(self._now(), self._begin, strict=True))
